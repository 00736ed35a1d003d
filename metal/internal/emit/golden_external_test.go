package emit_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/emit"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/shaders"
)

var update = flag.Bool("update", false, "write the golden texts anew")

// kernel compiles one of package shaders' kernels.
func kernel(t *testing.T, file, name string) *ir.Kernel {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("..", "..", "..", "shaders", file))
	require.NoError(t, err)
	o := msl.Options{FileName: file, Headers: shaders.ModularHeaders()}
	for n, text := range shaders.Headers() {
		o.Headers[n] = text
	}
	l, err := msl.Compile(string(source), o)
	require.NoError(t, err)
	k, err := l.Kernel(name, nil)
	require.NoError(t, err)
	ir.Optimise(k)
	return k
}

func TestGoldenTexts(t *testing.T) {
	for _, c := range []struct{ file, name string }{{"sum.metal", "sum_tree"}, {"ntt.metal", "ntt_forward_stage"}} {
		for dialect, ext := range map[emit.Dialect]string{emit.CUDA: ".cu", emit.OpenCL: ".cl"} {
			p, err := emit.Print(kernel(t, c.file, c.name), emit.Options{Dialect: dialect})
			require.NoError(t, err)
			path := filepath.Join("testdata", c.name+ext)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(p.Text), 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), p.Text, "%s: run the test with -update where the new text is right", path)
		}
	}
}

// TestFencesHaveScopes: a fence is printed with the scope of the source, a simdgroup's as a threadgroup's; what orders nothing is not, and barriers and kernels without fences are as in OpenCL C 1.2.
func TestFencesHaveScopes(t *testing.T) {
	const cuda, opencl = "__threadfence%s();", "atomic_work_item_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_%s);"
	for _, c := range []struct{ statement, cuda, opencl string }{
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst)", "", "device"},
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device)", "", "device"},
		{"atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_device)", "", "device"},
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_threadgroup)", "_block", "work_group"},
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_simdgroup)", "_block", "work_group"},
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_thread)", "-", "-"},
		{"atomic_thread_fence(mem_flags::mem_none, memory_order_seq_cst)", "-", "-"},
		{"atomic_thread_fence(mem_flags::mem_device, memory_order_relaxed)", "-", "-"},
		{"threadgroup_barrier(mem_flags::mem_device)", "-", "-"},
	} {
		l, err := msl.Compile("#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device atomic_uint* x, uint i [[thread_position_in_grid]])\n{\n"+
			"    atomic_store_explicit(&x[i], 1, memory_order_relaxed);\n    "+c.statement+";\n    atomic_store_explicit(&x[i], 2, memory_order_relaxed);\n}\n", msl.Options{})
		require.NoError(t, err, c.statement)
		k, err := l.Kernel("k", nil)
		require.NoError(t, err)
		ir.Optimise(k)
		for dialect, want := range map[emit.Dialect]string{emit.CUDA: fmt.Sprintf(cuda, c.cuda), emit.OpenCL: fmt.Sprintf(opencl, c.opencl)} {
			p, err := emit.Print(k, emit.Options{Dialect: dialect})
			require.NoError(t, err)
			fences := strings.Count(p.Text, "__threadfence") + strings.Count(p.Text, "work_item_fence") + strings.Count(p.Text, "mem_fence(")
			if c.cuda == "-" {
				require.Zero(t, fences, "%s: %s", c.statement, p.Text)
			} else {
				require.Equal(t, 1, fences, "%s: %s", c.statement, p.Text)
				require.Contains(t, p.Text, "\n    "+want, c.statement)
			}
			if dialect == emit.OpenCL {
				require.Equal(t, []string{map[bool]string{false: "-cl-std=CL1.2", true: "-cl-std=CL3.0"}[fences > 0]}, p.Flags, c.statement)
			}
		}
	}
}

// TestPrefixExchangesInAllLanes: a prefix over quadgroups takes the value of each lane in all active lanes of the warp, whichever of their own quadgroup are active. Lanes that
// left an exchange out would be waited for by those of other quadgroups, for ever.
func TestPrefixExchangesInAllLanes(t *testing.T) {
	for _, name := range []string{"quad_prefix_inclusive_sum", "quad_prefix_exclusive_sum", "simd_prefix_inclusive_sum", "simd_prefix_exclusive_sum"} {
		l, err := msl.Compile("#include <metal_stdlib>\nusing namespace metal;\nkernel void k(device uint* x, uint i [[thread_position_in_grid]])\n{\n"+
			"    if (x[i] > 3u) x[i] = "+name+"(x[i]);\n}\n", msl.Options{})
		require.NoError(t, err)
		k, err := l.Kernel("k", nil)
		require.NoError(t, err)
		p, err := emit.Print(k, emit.Options{Dialect: emit.CUDA})
		require.NoError(t, err)
		_, loop, ok := strings.Cut(p.Text, "for (int k = 0; k < n; k++) {\n")
		require.True(t, ok, p.Text)
		before, _, ok := strings.Cut(loop, "gm_lane32(lanes, ")
		require.True(t, ok, p.Text)
		require.NotRegexp(t, `\b(if|continue|break|\?)\b`, before, "%s: the exchange depends on lanes:\n%s", name, p.Text)
	}
}
