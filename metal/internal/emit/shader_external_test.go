package emit_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/emit"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// lanesSource tries lane operations where lanes diverge, leave and come back.
const lanesSource = `
#include <metal_stdlib>
using namespace metal;
kernel void diverge(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], device uint* votes [[buffer(2)]],
                    uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]])
{
    float v = x[i];
    float sum = simd_sum(v);
    if (lane == 17) return;
    if (v > 0) {
        sum += simd_sum(v);
        if (lane % 3 == 0) {
            sum += simd_max(v) - simd_min(v);
        } else if (lane > 20) {
            out[i] = sum + simd_prefix_exclusive_sum(v);
            votes[i] = 7;
            return;
        }
        sum += simd_prefix_inclusive_sum(v);
    } else {
        sum -= simd_broadcast_first(v);
    }
    uint n = 0;
    for (uint k = 0; ; k++) {
        if (k > lane % 5) break;
        if (k == 2 && lane % 2 == 0) continue;
        n += uint(popcount(uint(uint64_t(simd_active_threads_mask()))));
        n += uint(uint64_t(simd_ballot(v > float(k)))) % 1000u;
        if (lane == 30) { votes[i] = n; return; }
    }
    sum += quad_sum(v) + quad_broadcast(v, lane & 0);
    votes[i] = n + uint(simd_is_first()) * 100000u + uint(simd_any(v > 3)) * 200000u + uint(simd_all(v < 100)) * 400000u;
    out[i] = sum + simd_shuffle_xor(v, ushort(0)) + simd_shuffle_up(v, ushort(0));
}
kernel void whole(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]])
{
    float v = x[i];
    out[i] = simd_sum(v) + simd_shuffle_up(v, ushort(3)) - simd_shuffle_down(v, ushort(5)) + simd_shuffle_rotate_up(v, ushort(7)) * 3.0f
        + simd_shuffle_and_fill_up(v, v + 100.0f, ushort(4)) + simd_shuffle_and_fill_down(v, v - 100.0f, ushort(2), ushort(8))
        + quad_shuffle_xor(v, ushort(1)) + simd_product(v * 0.25f) + simd_shuffle(v, ushort(31 - lane));
}
`

func floats(n int) []byte {
	var b []byte
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(math.Sin(float64(i)*1.7)*10)))
	}
	return b
}

func words(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func size(x, y, z int) model.Size3 { return model.Size3{X: x, Y: y, Z: z} }

func source(t *testing.T, text, name string) *ir.Kernel {
	t.Helper()
	l, err := msl.Compile(text, msl.Options{FileName: "lanes.metal"})
	require.NoError(t, err)
	k, err := l.Kernel(name, nil)
	require.NoError(t, err)
	ir.Optimise(k)
	return k
}

func laneLaunches(t *testing.T) []*launch {
	t.Helper()
	simd := kernel(t, "sum.metal", "sum_simd")
	products, err := os.ReadFile(filepath.Join("..", "..", "msl", "testdata", "products", "gemm.metal"))
	require.NoError(t, err)
	return []*launch{
		{"tiled", source(t, string(products), "tiled_float"), size(256, 1, 1), size(128, 1, 1), [][]byte{floats(20 * 24), floats(24 * 40), make([]byte, 20*40*4), words(20, 40, 24, 0)}},
		{"fragments", source(t, string(products), "fragments"), size(64, 1, 1), size(32, 1, 1), [][]byte{floats(16 * 24), floats(24 * 32), make([]byte, 16*32*4), words(16, 32, 24, 0)}},
		{"sum_simd", simd, size(80, 1, 1), size(80, 1, 1), [][]byte{floats(1000), make([]byte, 16), words(1000), make([]byte, 128)}},
		{"diverge", source(t, lanesSource, "diverge"), size(128, 1, 1), size(64, 1, 1), [][]byte{floats(128), make([]byte, 512), make([]byte, 512)}},
		{"edge", source(t, lanesSource, "diverge"), size(107, 1, 1), size(64, 1, 1), [][]byte{floats(128), make([]byte, 512), make([]byte, 512)}},
		{"whole", source(t, lanesSource, "whole"), size(64, 1, 1), size(64, 1, 1), [][]byte{floats(64), make([]byte, 256)}},
	}
}

// treeLaunches are kernels without lane operations.
func treeLaunches(t *testing.T) []*launch {
	t.Helper()
	var list []*launch
	for _, name := range []string{"sum_tree", "sum_serial", "sum_kahan", "sum_twosum"} {
		k := kernel(t, "sum.metal", name)
		l := &launch{name: name, k: k, grid: size(64, 1, 1), group: size(32, 1, 1)}
		for _, b := range k.Buffers {
			switch {
			case b.Space == ir.Threadgroup:
				l.args = append(l.args, make([]byte, 128))
			case b.Name == "x":
				l.args = append(l.args, floats(1000))
			case b.Name == "n":
				l.args = append(l.args, words(1000))
			default:
				l.args = append(l.args, make([]byte, 256))
			}
		}
		if name != "sum_tree" {
			l.grid, l.group = size(1, 1, 1), size(1, 1, 1)
		}
		list = append(list, l)
	}
	k := kernel(t, "ntt.metal", "ntt_forward_stage")
	var x, w, field []byte
	q := uint64(0x3fffffff_ffe80001)
	for i := range uint64(64) {
		x = binary.LittleEndian.AppendUint64(x, i*0x123456789abcdef%q)
		w = binary.LittleEndian.AppendUint64(w, i*0xfedcba987654321%q)
	}
	for _, v := range []uint64{q, 0x1234567890abcdef, 99} {
		field = binary.LittleEndian.AppendUint64(field, v)
	}
	list = append(list, &launch{"fused", source(t, fusedSource, "fused"), size(50, 1, 1), size(10, 1, 1), [][]byte{floats(52), make([]byte, 200)}})
	shifts, err := os.ReadFile(filepath.Join("..", "..", "msl", "testdata", "shifts.metal"))
	require.NoError(t, err)
	counts := words(0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 200, 1<<31-1, 1<<31, 1<<32-1)
	list = append(list, &launch{"shifts", source(t, string(shifts), "counted"), size(16, 1, 1), size(4, 1, 1), [][]byte{counts, make([]byte, 16*26*4)}})
	return append(list, &launch{"ntt", k, size(32, 1, 1), size(8, 1, 1), [][]byte{x, w, field, words(64), words(4)}})
}

var shaderBehaviours = []model.Behaviour{
	{},
	{Flush: model.Flush{In: true, Out: true}},
	{Contract: model.ContractFast},
	{Contract: model.ContractFast, Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true, Reciprocal: true}, Seed: 5},
}

// fusedSource has sums of products that the default options let a compiler fuse.
const fusedSource = `
#include <metal_stdlib>
using namespace metal;
kernel void fused(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], uint i [[thread_position_in_grid]])
{
    float a = x[i], b = x[i + 1], c = x[i + 2];
    out[i] = a * b + c * c - b * a / c + (a * c - b);
}
`

// A behaviour that fuses prints fma, and one that does not prints none.
func TestContractionIsPrinted(t *testing.T) {
	k := source(t, fusedSource, "fused")
	p, err := emit.Print(k, emit.Options{Behaviour: model.Behaviour{Contract: model.ContractFast}})
	require.NoError(t, err)
	require.Contains(t, p.Text, "= __fmaf_rn(")
	p, err = emit.Print(k, emit.Options{})
	require.NoError(t, err)
	require.NotContains(t, p.Text, "= __fmaf_rn(")
}

func TestLaunchesCompiledByGCC(t *testing.T) {
	for _, b := range shaderBehaviours {
		ls := append(treeLaunches(t), laneLaunches(t)...)
		compare(t, ls, onShim(t, ls, b, false), b)
	}
}

func TestLaunchesOnOpenCL(t *testing.T) {
	for i, b := range shaderBehaviours {
		if i > 0 && !thorough() {
			t.Logf("%s is left out, as it takes a while: GAMMA_LEVEL=thorough runs it", b)
			continue
		}
		ls := treeLaunches(t)
		compare(t, ls, onOpenCL(t, ls, b), b)
	}
}

func compare(t *testing.T, ls []*launch, got [][][]byte, b model.Behaviour) {
	t.Helper()
	for i, l := range ls {
		for j, want := range l.simulated(t, b) {
			require.Equal(t, want, got[i][j], "%s: buffer %d (%s)", l.name, j, l.k.Buffers[j].Name)
		}
	}
}

// thorough says whether tests may take their time.
func thorough() bool { return os.Getenv("GAMMA_LEVEL") == "thorough" }

// Operations on OpenCL give what ir.Eval gives, as they do by g++.
func TestOperationsOnOpenCL(t *testing.T) {
	types := []ir.Type{ir.I32}
	if thorough() {
		types = ir.SetScalars.Types()
	} else {
		t.Logf("only operations on i32 are run, as the compiler takes a while: GAMMA_LEVEL=thorough runs all")
	}
	for i, text := range behaviours {
		b, err := model.ParseBehaviour(text)
		require.NoError(t, err)
		var ls []*launch
		var ps []*probe
		for _, ty := range types {
			if i > 0 && !ty.IsFloat() {
				continue
			}
			p := newProbe(ty, threads)
			l := &launch{name: p.k.Name, k: p.k, grid: size(threads, 1, 1), group: size(8, 1, 1)}
			for _, v := range operands(threads) {
				l.args = append(l.args, bytesOf(v))
			}
			l.args = append(l.args, make([]byte, 8*threads*len(p.steps)))
			ls, ps = append(ls, l), append(ps, p)
		}
		if len(ls) == 0 {
			continue
		}
		out := onOpenCL(t, ls, b)
		for j, p := range ps {
			p.judge(t, b, operands(threads), out[j][4])
		}
	}
}
