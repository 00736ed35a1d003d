package fast_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// messageKernels pass messages. Each is right as it stands; a wrong one is made by a replacement of text, and the words after it are those of the finding.
var messageKernels = []struct {
	name            string
	groups, threads int
	source          string
	wrong           [][3]string
}{
	{"from one threadgroup to the next", 2, 1, `
kernel void k(coherent(device) device int* x, device atomic_uint* n, device int* o, uint g [[threadgroup_position_in_grid]]) {
  x[g] = 3;
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device); // A
  uint before = atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
  atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device); // B
  if (before == 1) { *o = x[0] + x[1]; }
}`, [][3]string{
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device); // A", "", "no barrier orders two threadgroups, 1 and 0; nor do fences"},
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device); // B", "", "nor do fences"},
		{"thread_scope_device); // A", "thread_scope_threadgroup);", "a scope that holds both"},
		{"thread_scope_device); // B", "thread_scope_threadgroup);", "a scope that holds both"},
		{"thread_scope_device); // B", "thread_scope_thread);", "a scope that holds both"},
		{"mem_flags::mem_device, memory_order_seq_cst, thread_scope_device); // A", "mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_device);", "one with mem_flags::mem_device"},
		{"memory_order_seq_cst, thread_scope_device); // B", "memory_order_relaxed, thread_scope_device);", "nor do fences"},
		{"coherent(device) device int* x", "device int* x", "fences order the two, but threadgroup 1 need not see what 0 did with memory that is not coherent(device)"},
		{"coherent(device) device int* x", "coherent(threadgroup) device int* x", "memory that is not coherent(device)"},
		{"coherent(device) device int* x", "coherent device int* x", ""},
		{"coherent(device) device int* x, device atomic_uint* n, device int* o, uint g [[threadgroup_position_in_grid]]) {", "device int* y, device atomic_uint* n, device int* o, uint g [[threadgroup_position_in_grid]]) { coherent(device) device int* x = y;", ""},
		{"x[g] = 3;", "", ""}, // nothing is written, and nothing races
		{"if (before == 1)", "if (before == 0)", "nor do fences"},
		{"if (before == 1)", "", "nor do fences"},
		{"atomic_fetch_add_explicit(n, 1,", "atomic_fetch_add_explicit(n + g, 1,", ""}, // each threadgroup counts by itself: before is 0
		{"uint before = atomic_fetch_add_explicit(n, 1, memory_order_relaxed);", "atomic_fetch_add_explicit(n + g, 1, memory_order_relaxed); uint before = g;", "nor do fences"},
	}},
	{"the last threadgroup finishes", 4, 64, `
kernel void k(coherent(device) device int* x, device atomic_uint* n, device int* o, uint g [[threadgroup_position_in_grid]], uint l [[thread_position_in_threadgroup]]) {
  threadgroup int part[64];
  threadgroup bool last;
  part[l] = int(l + g);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x[g * 64 + l] = part[63 - l];
  threadgroup_barrier(mem_flags::mem_device); // before
  if (l == 0) {
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
    last = atomic_fetch_add_explicit(n, 1, memory_order_relaxed) == 3;
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device); // after
  if (last) { o[l] = x[l] + x[64 + l] + x[128 + l] + x[192 + l]; }
}`, [][3]string{
		{"threadgroup_barrier(mem_flags::mem_device); // before", "threadgroup_barrier(mem_flags::mem_none);", "nor do fences"},
		{"mem_flags::mem_threadgroup | mem_flags::mem_device); // after", "mem_flags::mem_threadgroup);", "nor do fences"},
		{"if (l == 0) {", "if (l == 0 || l == 1) {", "threadgroup last"},
		{"if (last)", "if (g == 2)", "nor do fences"},
	}},
	{"from threadgroup to threadgroup", 5, 32, `
kernel void k(coherent(device) device int* x, device atomic_uint* n, device int* o, uint g [[threadgroup_position_in_grid]], uint l [[thread_position_in_threadgroup]]) {
  threadgroup int sum;
  if (l == 0) {
    sum = 0;
    if (g > 0) {
      while (atomic_load_explicit(&n[g - 1], memory_order_relaxed) == 0) {}
      atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst); // read
      sum = x[g - 1] + x[0]; // known by those between
    }
    x[g] = sum + 1;
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst); // write
    atomic_store_explicit(&n[g], 1, memory_order_relaxed);
  }
}`, [][3]string{
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst); // read", "", "nor do fences"},
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst); // write", "", "nor do fences"},
		{"atomic_store_explicit(&n[g], 1, memory_order_relaxed);", "atomic_store_explicit(&n[g], 1, memory_order_relaxed); x[g] += 1;", "nor do fences"},
		{"x[g] = sum + 1;\n    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst); // write", "atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst); x[g] = sum + 1;", "nor do fences"},
	}},
	{"between threads of a threadgroup", 1, 64, `
kernel void k(device int* x, device atomic_uint* n, device int* o, uint l [[thread_position_in_threadgroup]]) {
  threadgroup int y; threadgroup atomic_uint m;
  if (l == 0) {
    atomic_store_explicit(&m, 0, memory_order_relaxed);
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (l == 0) {
    y = 5; *x = 6;
    atomic_thread_fence(mem_flags::mem_threadgroup | mem_flags::mem_device, memory_order_seq_cst, thread_scope_threadgroup); // A
    atomic_store_explicit(&m, 1, memory_order_relaxed);
  }
  if (atomic_load_explicit(&m, memory_order_relaxed) == 1) {
    atomic_thread_fence(mem_flags::mem_threadgroup | mem_flags::mem_device, memory_order_seq_cst, thread_scope_threadgroup); // B
    o[l] = y + *x;
  }
}`, [][3]string{
		{"mem_flags::mem_threadgroup | mem_flags::mem_device, memory_order_seq_cst, thread_scope_threadgroup); // A", "mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_threadgroup);", "device x"},
		{"mem_flags::mem_threadgroup | mem_flags::mem_device, memory_order_seq_cst, thread_scope_threadgroup); // B", "mem_flags::mem_device, memory_order_seq_cst, thread_scope_threadgroup);", "threadgroup y"},
		{"thread_scope_threadgroup); // B", "thread_scope_simdgroup);", "a scope that holds both"},
		{"thread_scope_threadgroup); // A", "thread_scope_device);", ""},
		{"atomic_store_explicit(&m, 1, memory_order_relaxed);\n  }\n", "atomic_store_explicit(&m, 1, memory_order_relaxed);\n  }\n  if (l == 40) { atomic_store_explicit(&m, 1, memory_order_relaxed); }\n", "nor do fences"},
		{"atomic_store_explicit(&m, 1, memory_order_relaxed);\n  }\n", "atomic_store_explicit(&m, 1, memory_order_relaxed);\n  }\n  if (l == 40) { atomic_fetch_or_explicit(&m, 1, memory_order_relaxed); }\n", ""},
		{"atomic_store_explicit(&m, 1, memory_order_relaxed);\n  }\n  if", "atomic_store_explicit(&m, 1, memory_order_relaxed); *x = 7;\n  }\n  if", "device x"},
	}},
	{"within a simdgroup", 1, 32, `
kernel void k(device int* x, device atomic_uint* n, device int* o, uint l [[thread_position_in_threadgroup]]) {
  if (l == 3) {
    *x = 6;
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_simdgroup);
    atomic_store_explicit(n, 1, memory_order_relaxed);
  }
  if (atomic_load_explicit(n, memory_order_relaxed) == 1) {
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_simdgroup); // B
    o[l] = *x;
  }
}`, [][3]string{
		{"thread_scope_simdgroup); // B", "thread_scope_thread);", "a scope that holds both"},
	}},
	{"readers before a writer", 4, 1, `
kernel void k(coherent(device) device int* x, device atomic_uint* n, device int* o, uint g [[threadgroup_position_in_grid]]) {
  if (g < 3) {
    o[g] = *x;
    if (g != 9) { atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst); } // read
    atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
    return;
  }
  if (atomic_load_explicit(n, memory_order_relaxed) == 3) {
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst);
    *x = 1;
  }
}`, [][3]string{
		{"g != 9", "g != 0", "nor do fences"},
		{"g != 9", "g != 1", "nor do fences"},
		{"g != 9", "g != 2", "nor do fences"},
		{"coherent(device) device int* x", "device int* x", ""}, // no threadgroup sees what another wrote
		{"coherent(device) device int* x, device atomic_uint* n, device int* o, uint g [[threadgroup_position_in_grid]]) {\n  if (g < 3) {\n    o[g] = *x;", "device int* x, device atomic_uint* n, device int* o, uint g [[threadgroup_position_in_grid]]) {\n  if (g < 3) {\n    if (g == 1) { *x = 2; }", "memory that is not coherent(device)"},
	}},
}

// TestMessages: fences around atomic operations order what their scopes and flags say, and nothing else.
func TestMessages(t *testing.T) {
	for _, x := range messageKernels {
		t.Run(x.name, func(t *testing.T) {
			require.Empty(t, racesIn(t, x.source, x.groups, x.threads))
			for _, w := range x.wrong {
				require.Equal(t, 1, strings.Count(x.source, w[0]), w[0])
				found := racesIn(t, strings.Replace(x.source, w[0], w[1], 1), x.groups, x.threads)
				if w[2] == "" {
					require.Empty(t, found, "%s\nfor %s", w[1], w[0])
					continue
				}
				require.NotEmpty(t, found, "%s\nfor %s", w[1], w[0])
				require.Contains(t, found.Error(), w[2], "%s\nfor %s", w[1], w[0])
			}
		})
	}
}

// racesIn returns what one dispatch has found.
func racesIn(t *testing.T, source string, groups, threads int) model.Findings {
	t.Helper()
	lib, err := msl.Compile("#include <metal_stdlib>\nusing namespace metal;\n"+source, msl.Options{})
	require.NoError(t, err, source)
	k, err := lib.Kernel("k", nil)
	require.NoError(t, err)
	p, err := fast.Compile(k)
	require.NoError(t, err)
	d := &engine.Dispatch{Kernel: k, Grid: model.Size3{X: groups * threads, Y: 1, Z: 1}, Group: model.Size3{X: threads, Y: 1, Z: 1}}
	for range k.Buffers {
		d.Args = append(d.Args, engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 4096)}})
	}
	r, err := p.Run(d, engine.Options{Checks: true, Steps: 1 << 20})
	require.NoError(t, err)
	return model.Findings(r.Findings)
}

// TestFlagsOutliveLoops: lanes that have left a loop keep the flags of what they took from it while others go round again.
func TestFlagsOutliveLoops(t *testing.T) {
	require.Empty(t, racesIn(t, `
kernel void k(device uint* x, uint l [[thread_position_in_threadgroup]]) {
  threadgroup atomic_uint most;
  if (l == 0) { atomic_store_explicit(&most, 0, memory_order_relaxed); }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  uint v = quad_broadcast(10u ^ (l * 7u), 2);
  if (17u < v && l < v) {
    uint n = v & 7u, sum = l, last;
    while (true) {
      if (n == 0u) { last = sum; break; }
      sum = sum * 2u + n;
      n--;
    }
    atomic_fetch_max_explicit(&most, last, memory_order_relaxed);
  }
}`, 1, 64))
}
