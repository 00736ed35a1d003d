package msl_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/metal/sim/symbolic"
	"gamma/model"
	"gamma/sumtree"
)

const arguments = `#include <metal_stdlib>
using namespace metal;
struct Tree { uint n; const device uint* nodes; device uint* out; };
kernel void walk(const device Tree* t [[buffer(0)]], device uint* o [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  o[i] = 7u;
  o[i] = t[i].nodes[i] + t[i].n;
  *t[i].out = 1u;
}
`

// TestArgumentBuffersOfAnyBits runs a kernel whose buffer holds pointers: whatever bits the host wrote for them, an access by one is inside some
// object or found to be outside, on every engine alike, and no engine panics. Other devices refuse the kernel by the feature's name.
func TestArgumentBuffersOfAnyBits(t *testing.T) {
	lib, err := msl.Compile(arguments, msl.Options{FileName: "tree.metal"})
	require.NoError(t, err)
	require.Empty(t, lib.Warnings)
	args := lib.Functions()[0].Args
	require.Equal(t, 24, args[0].ElementSize)
	require.Equal(t, []metal.Member{
		{Name: "n", ElementSize: 4, TypeName: "uint", ReadOnly: true},
		{Name: "nodes", Offset: 8, ElementSize: 4, TypeName: "const device uint*", ReadOnly: true},
		{Name: "out", Offset: 16, ElementSize: 4, TypeName: "device uint*"},
	}, args[0].Members)
	k, err := lib.Kernel("walk", nil)
	require.NoError(t, err)
	for _, d := range []emit.Dialect{emit.CUDA, emit.OpenCL} {
		_, err := emit.Print(k, emit.Options{Dialect: d})
		var refusal *metal.Refusal
		require.ErrorAs(t, err, &refusal)
		require.ErrorContains(t, err, "tree.metal:6:14: kernel walk: an argument buffer is refused: where the pointers in t point is not known here")
	}
	a, err := adversary.Compile(k)
	require.NoError(t, err)
	f, err := fast.Compile(k)
	require.NoError(t, err)
	bits := []uint64{0, 1, 1 << 47, 0x0123456789abcdef, 0xffffffffffffffff, 0xfffe000000000000}
	for object := range len(k.Buffers) + len(k.Objects) + 2 {
		for _, off := range []int64{0, 4, 2, 24, -4, 1 << 40} {
			bits = append(bits, uint64(ir.MakePointer(object, off)))
		}
	}
	for _, p := range bits {
		var results [][]byte
		var found []int
		for _, e := range []runner{a, f} {
			tree := make([]byte, 48)
			for i := range 2 {
				binary.LittleEndian.PutUint32(tree[24*i:], 5)
				binary.LittleEndian.PutUint64(tree[24*i+8:], p)
				binary.LittleEndian.PutUint64(tree[24*i+16:], 0)
			}
			out := make([]byte, 8)
			d := &engine.Dispatch{Kernel: k, Grid: model.Size3{X: 2, Y: 1, Z: 1}, Group: model.Size3{X: 1, Y: 1, Z: 1}, Args: make([]engine.Arg, len(k.Buffers))}
			d.Args[ir.Resources].Mem, d.Args[ir.Resources+1].Mem = &engine.Memory{Bytes: tree}, &engine.Memory{Bytes: out}
			r, err := e.Run(d, engine.Options{Checks: true, Workers: 1})
			require.NoError(t, err)
			null, outside := 0, 0
			for _, x := range r.Findings {
				if x.Kind == model.FindingOutOfBounds || x.Kind == model.FindingMisaligned { // the fast engine looks for races, too
					outside++
				}
				if x.Kind == model.FindingOutOfBounds && x.Pos.Line == 7 {
					require.Contains(t, x.Text, "through a null pointer")
					null++
				}
			}
			require.Equal(t, 1, null, "%#x", p)
			results, found = append(results, out), append(found, outside)
		}
		require.Equal(t, results[0], results[1], "%#x", p)
		require.Equal(t, found[0], found[1], "%#x", p)
	}
}

// TestArgumentBuffersOfLeaves: the symbolic engine follows pointers, too.
func TestArgumentBuffersOfLeaves(t *testing.T) {
	lib, err := msl.Compile(`struct Args { const device float* x; device float* out; };
kernel void k(constant Args& a [[buffer(0)]]) { a.out[1] = a.x[0] + a.x[1]; }`, msl.Options{})
	require.NoError(t, err)
	k, err := lib.Kernel("k", nil)
	require.NoError(t, err)
	m := symbolic.New()
	x, out, args := make([]byte, 8), make([]byte, 8), make([]byte, 16)
	for i := range 2 {
		bits, err := m.Leaf(ir.F32, i)
		require.NoError(t, err)
		binary.LittleEndian.PutUint32(x[4*i:], uint32(bits))
		binary.LittleEndian.PutUint64(args[8*i:], ir.ResourceAddress(5+i, 0))
	}
	one := model.Size3{X: 1, Y: 1, Z: 1}
	d := &engine.Dispatch{Kernel: k, Grid: one, Group: one, Args: make([]engine.Arg, len(k.Buffers))}
	for i, b := range map[int][]byte{5: x, 6: out, ir.Resources: args} {
		d.Args[i].Mem = &engine.Memory{Bytes: b}
	}
	_, err = m.Run(k, d, engine.Options{})
	require.NoError(t, err)
	tree, err := m.Tree(ir.F32, uint64(binary.LittleEndian.Uint32(out[4:])), 2)
	require.NoError(t, err)
	var b sumtree.Builder
	want, err := b.Build(b.Add(b.Leaf(0), b.Leaf(1)))
	require.NoError(t, err)
	require.Equal(t, want.String(), tree.String())
}
