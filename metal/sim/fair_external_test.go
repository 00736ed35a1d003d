package sim_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
)

// waiting are kernels whose threadgroups wait for others: for the one that took the ticket before, for all, and for the one of the next index.
const waiting = `#include <metal_stdlib>
using namespace metal;
kernel void chain(device atomic_uint *flags [[buffer(0)]], device atomic_uint &ticket [[buffer(1)]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint mine;
  if (t == 0) mine = atomic_fetch_add_explicit(&ticket, 1u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint g = mine, w = 1;
  if (t == 0) {
    if (g > 0) do { w = atomic_load_explicit(&flags[g - 1], memory_order_relaxed); } while (w == 0);
    atomic_store_explicit(&flags[g], w + (g > 0), memory_order_relaxed);
  }
}
kernel void all(device atomic_uint *flags [[buffer(0)]], device atomic_uint &arrived [[buffer(1)]], uint t [[thread_index_in_threadgroup]],
                uint g [[threadgroup_position_in_grid]], uint G [[threadgroups_per_grid]]) {
  if (t == 0) {
    atomic_fetch_add_explicit(&arrived, 1u, memory_order_relaxed);
    while (atomic_load_explicit(&arrived, memory_order_relaxed) < G) {}
  }
  threadgroup_barrier(mem_flags::mem_device);
  if (t == 0) atomic_store_explicit(&flags[g], g + 1, memory_order_relaxed);
}
kernel void locked(device atomic_uint *flags [[buffer(0)]], device atomic_uint &lock [[buffer(1)]], uint t [[thread_index_in_threadgroup]],
                   uint g [[threadgroup_position_in_grid]]) {
  if (t == 0) {
    while (atomic_exchange_explicit(&lock, 1u, memory_order_relaxed) != 0) {}
    atomic_store_explicit(&flags[g], g + 1, memory_order_relaxed);
    atomic_store_explicit(&lock, 0u, memory_order_relaxed);
  }
}
kernel void next(device atomic_uint *flags [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                 uint g [[threadgroup_position_in_grid]], uint G [[threadgroups_per_grid]]) {
  if (t == 0) {
    if (g + 1 < G) while (atomic_load_explicit(&flags[g + 1], memory_order_relaxed) == 0) {}
    atomic_store_explicit(&flags[g], g + 1, memory_order_relaxed);
  }
}
`

// TestFairSchedules: kernels that wait come to their end under every order if schedules are fair, and otherwise a schedule that starves them is
// found within few steps, named as that, with the assumption that they need.
func TestFairSchedules(t *testing.T) {
	for _, c := range []struct {
		name     string
		starving []string // the orders that starve it
	}{
		{"chain", []string{"stages"}},
		{"all", []string{"reverse", "stages"}},
		{"locked", nil},
		{"next", []string{"stages"}},
	} {
		for _, fair := range []bool{false, true} {
			for _, order := range []string{"", "reverse", "stages", "accesses"} {
				starved, seeds := 0, uint64(4)
				if order == "" || order == "reverse" {
					seeds = 1
				}
				for seed := range seeds {
					b := model.Behaviour{Order: order, Seed: seed, Fair: fair}
					flags, found := wait(t, b, c.name, 6, 8)
					if len(found) > 0 {
						require.False(t, fair, "%s %s: %s", c.name, b, found)
						require.Equal(t, model.FindingSteps, found[0].Kind)
						if order != "" { // the fast engine's budget ends
							require.Contains(t, found[0].Text, "waits for ever", "%s %s", c.name, b)
							require.Contains(t, found[0].Text, "(occupancy-bound execution), admit fair schedules alone: set Fair in Admits")
						}
						starved++
						continue
					}
					for g, v := range flags[:6] {
						require.Equal(t, uint32(g+1), v, "%s %s", c.name, b)
					}
				}
				if !fair && order != "" {
					require.Equal(t, contains(c.starving, order), starved > 0, "%s %s", c.name, order)
				}
			}
		}
	}
	// Of 70 threadgroups 64 may have begun, and wait for one that has not.
	_, found := wait(t, model.Behaviour{Fair: true}, "next", 70, 8)
	require.Len(t, found, 1)
	require.Contains(t, found[0].Text, "begin in the order of their index")
	_, found = wait(t, model.Behaviour{Fair: true, Order: "reverse"}, "next", 70, 8)
	require.Empty(t, found)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// wait runs a kernel in groups of threads, and returns the flags and what was found.
func wait(t *testing.T, b model.Behaviour, name string, groups, threads int) (flags []uint32, found model.Findings) {
	t.Helper()
	d := sim.New(sim.Options{Behaviour: model.Behaviour{Fair: b.Fair}, Steps: 1 << 22}).With(b)
	p := pipeline(t, d, waiting, name)
	e, cb := encoder(t, d)
	require.NoError(t, e.SetComputePipelineState(p))
	buf := buffer(t, d, make([]byte, 4*groups))
	require.NoError(t, e.SetBuffer(buf, 0, 0))
	require.NoError(t, e.SetBuffer(buffer(t, d, make([]byte, 4)), 0, 1))
	require.NoError(t, e.DispatchThreadgroups(line(groups), line(threads)))
	if err := finish(t, e, cb); err != nil {
		require.ErrorAs(t, err, &found)
	}
	bytes := make([]byte, 4*groups)
	require.NoError(t, buf.Read(0, bytes))
	for i := range groups {
		flags = append(flags, binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return flags, found
}
