package adversary_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

const seedSource = `
#include <metal_stdlib>
using namespace metal;

// All stages in one dispatch. The barrier orders the threads of one threadgroup, and no others.
kernel void ntt_all_stages(device uint* x [[buffer(0)]], uint id [[thread_position_in_grid]]) {
    const uint q = 17;
    uint w = id == 0 ? 1 : 4;
    uint u = x[id];
    uint v = x[id + 2];
    x[id] = (u + v) % q;
    x[id + 2] = (u + q - v) * w % q;
    threadgroup_barrier(mem_flags::mem_device);
    u = x[2 * id];
    v = x[2 * id + 1];
    x[2 * id] = (u + v) % q;
    x[2 * id + 1] = (u + q - v) % q;
}

kernel void lanes(device float* out [[buffer(0)]], const device float* x [[buffer(1)]], uint id [[thread_position_in_grid]],
                  uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
    threadgroup float part[32];
    float s = 0;
    if (x[id] > 2) {
        s = simd_sum(x[id] * 1.1f);
    } else {
        s = simd_prefix_inclusive_sum(x[id] / 3);
    }
    out[2 * id] = s;
    s = simd_sum(s);
    if (lane == 0) part[group] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float all = 0;
    for (uint i = 0; i <= group; i++) {
        all += simd_shuffle_xor(part[i], 1);
        all *= simd_product(1 + 0.001f * x[id]);
    }
    out[2 * id + 1] = exp(-all) + half(x[id]);
}
`

func compiled(t *testing.T, name string) *ir.Kernel {
	t.Helper()
	lib, err := msl.Compile(seedSource, msl.Options{})
	require.NoError(t, err)
	k, err := lib.Kernel(name, nil)
	require.NoError(t, err)
	return k
}

func TestSeedRaceFromSource(t *testing.T) {
	k := compiled(t, "ntt_all_stages")
	require.Equal(t, []string{"[10 15 7 6]", "[2 7 6 11]", "[6 6 7 6]"},
		outcomes(t, k, "stages", 2, 1, engine.Arg{Mem: words(1, 2, 3, 4)}))
	require.Equal(t, []string{"[10 15 12 11]", "[10 15 15 11]", "[10 15 7 6]", "[2 7 6 11]", "[6 2 7 6]", "[6 6 7 6]"},
		outcomes(t, k, "accesses", 2, 1, engine.Arg{Mem: words(1, 2, 3, 4)}))

	// Drawn schedules meet all six, and no other.
	met := map[string]bool{}
	p, err := adversary.Compile(k)
	require.NoError(t, err)
	grid, group := line(2, 1)
	for seed := range uint64(400) {
		mem := words(1, 2, 3, 4)
		_, err := p.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: mem}}},
			engine.Options{Behaviour: model.Behaviour{Order: "accesses", Seed: seed}})
		require.NoError(t, err)
		met[string(mem.Bytes)] = true
	}
	require.Len(t, met, 6)
}

// TestPlainIsFast holds program order to the fast engine, bit for bit.
func TestPlainIsFast(t *testing.T) {
	k := compiled(t, "lanes")
	p, err := adversary.Compile(k)
	require.NoError(t, err)
	f, err := fast.Compile(k)
	require.NoError(t, err)
	for _, width := range []int{4, 8, 32, 64} {
		for _, flush := range []model.Flush{{}, {In: true, Out: true}} {
			o := engine.Options{SIMDWidth: width, Workers: 1, Behaviour: model.Behaviour{Flush: flush}}
			const n = 3 * 70
			x := &engine.Memory{}
			for i := range n {
				x.Bytes = binary.LittleEndian.AppendUint32(x.Bytes, math.Float32bits(float32(i*i%13)/3+0x1p-20))
			}
			var got [2][]byte
			for e, other := range []interface {
				Run(*engine.Dispatch, engine.Options) (engine.Result, error)
			}{p, f} {
				out := &engine.Memory{Bytes: make([]byte, 8*n)}
				grid, group := line(3, 70)
				_, err := other.Run(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: out}, {Mem: x}}}, o)
				require.NoError(t, err)
				got[e] = out.Bytes
			}
			require.NotEqual(t, make([]byte, 8*n), got[0])
			require.Equal(t, got[1], got[0], "width %d", width)
		}
	}
}

func TestOutcomesEndEarly(t *testing.T) {
	k := lostUpdate(false)
	p, err := adversary.Compile(k)
	require.NoError(t, err)
	o := engine.Options{Behaviour: model.Behaviour{Order: "accesses"}}
	try := func(threads, limit int, more bool) (bool, int) {
		grid, group := line(threads, 1)
		n, mem := 0, words(0)
		complete, err := p.Outcomes(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: []engine.Arg{{Mem: mem}}}, o, limit, func([]engine.Memory) bool {
			n++
			return more
		})
		require.NoError(t, err)
		require.Equal(t, words(0), mem, "the host's buffer was written")
		return complete, n
	}
	complete, n := try(4, 1<<20, true)
	require.True(t, complete)
	require.Equal(t, 4, n)
	complete, _ = try(6, 50, true)
	require.False(t, complete)
	complete, n = try(4, 1<<20, false)
	require.False(t, complete)
	require.Equal(t, 1, n)

	// A kernel that never ends uses up its steps.
	b := ir.NewBuilder("forever")
	b.Loop(func(int32) {})
	k = b.Kernel()
	p, err = adversary.Compile(k)
	require.NoError(t, err)
	for _, order := range []string{"", "stages", "accesses"} {
		grid, group := line(1, 1)
		complete, err := p.Outcomes(&engine.Dispatch{Kernel: k, Grid: grid, Group: group},
			engine.Options{Steps: 1e6, Behaviour: model.Behaviour{Order: order}}, 100, func([]engine.Memory) bool { return true })
		require.NoError(t, err)
		require.False(t, complete)
	}
}
