package symbolic

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
	"gamma/sumtree"
)

// launch runs text on leaves in buffer 0 and one float of buffer 1, and returns that.
func launch(t *testing.T, m *Machine, text string, typ ir.Type, n, groups, threads, width int) (uint64, error) {
	t.Helper()
	k, err := ir.Parse(text)
	require.NoError(t, err)
	size := typ.Size()
	x := make([]byte, n*size)
	for i := range n {
		bits, err := m.Leaf(typ, i)
		require.NoError(t, err)
		put(x[i*size:(i+1)*size], bits)
	}
	out := make([]byte, 8)
	args := []engine.Arg{{Mem: &engine.Memory{Bytes: x}}, {Mem: &engine.Memory{Bytes: out}}}
	_, err = m.Run(k, &engine.Dispatch{Kernel: k, Grid: model.Size3{X: groups * threads, Y: 1, Z: 1}, Group: model.Size3{X: threads, Y: 1, Z: 1}, Args: args}, engine.Options{SIMDWidth: width})
	return uint64(binary.LittleEndian.Uint32(out)), err
}

const head = `
kernel "sum"
buffer %1 "x" index=0 device elem=4 align=4
buffer %2 "out" index=1 device elem=4 align=4
input %3 u32 thread_index_in_threadgroup.0
`

// treeSum is a threadgroup sum by halving: slot i += slot i+s.
const treeSum = head + `
object "tmp" threadgroup size=64 align=4 elem=4
{
  %4:ptr = obj_addr 2
  %5:f32 = load [%1 + u32 %3*4]
  store f32 [%4 + u32 %3*4], %5
  %6:u32 = const 8
  %7:u32 = const 1
  %8:u32 = const 0
  loop 1 {
    barrier 2
    %9:bool = eq u32 %6, %8
    if %9 {
      leave 1
    }
    %10:bool = lt u32 %3, %6
    if %10 {
      %11:f32 = load [%4 + u32 %3*4]
      %12:u32 = add %3, %6
      %13:f32 = load [%4 + u32 %12*4]
      %11 = add %11, %13
      store f32 [%4 + u32 %3*4], %11
    }
    %6 = shr %6, %7
  }
  %14:bool = eq u32 %3, %8
  if %14 {
    %15:f32 = load [%4]
    store f32 [%2], %15
  }
}
`

func TestTreeSum(t *testing.T) {
	m := New()
	bits, err := launch(t, m, treeSum, ir.F32, 16, 1, 16, 32)
	require.NoError(t, err)
	tree, err := m.Tree(ir.F32, bits, 16)
	require.NoError(t, err)
	shape, err := sumtree.ParseShape("halving")
	require.NoError(t, err)
	require.Equal(t, shape.Tree(16).String(), tree.String())

	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, 16)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	want := append([]float32(nil), x...)
	for s := 8; s > 0; s /= 2 {
		for i := range s {
			want[i] += want[i+s]
		}
	}
	got := m.Eval(ir.F32, bits, ir.Arith{}, func(i int) uint64 { return uint64(math.Float32bits(x[i])) })
	require.Equal(t, math.Float32bits(want[0]), uint32(got))
}

// Every kind of operation that a tree keeps, and those that vanish: a first 0, a factor of 1.
func TestNodes(t *testing.T) {
	const text = head + `
{
  %4:f32 = const 0
  %5:f32 = const 0x1p+0
  %6:f32 = load [%1]
  %7:f32 = load [%1 + 4]
  %8:f32 = load [%1 + 8]
  %9:f32 = add %4, %6
  %9 = mul %9, %5
  %10:f32 = fma %7, %8, %9
  %11:f32 = load [%1 + 12]
  %12:f32 = fma %11, %7, %4
  %13:f16 = convert from f32 %12
  %14:f32 = convert from f16 %13
  %15:f32 = add %10, %14
  %16:f32 = sqrt %15
  store f32 [%2], %16
}
`
	m := New()
	bits, err := launch(t, m, text, ir.F32, 4, 1, 1, 32)
	require.NoError(t, err)
	tree, err := m.Tree(ir.F32, bits, 4)
	require.NoError(t, err)
	var b sumtree.Builder
	want, err := b.Build(b.Opaque("sqrt", b.Add(b.Fma(b.Leaf(1), b.Leaf(2), b.Leaf(0)), b.Round(model.Binary16, b.Product(b.Leaf(3), b.Leaf(1))))))
	require.NoError(t, err)
	require.Equal(t, want.String(), tree.String())
}

// A simd_sum over the active lanes is one node of any order, its operands the lanes'.
func TestSimdSum(t *testing.T) {
	const text = head + `
{
  %4:f32 = load [%1 + u32 %3*4]
  %5:f32 = simd_sum %4
  %6:bool = simd_is_first
  if %6 {
    atomic_add f32 [%2], %5
  }
}
`
	m := New()
	bits, err := launch(t, m, text, ir.F32, 6, 1, 6, 4)
	require.NoError(t, err)
	e, ok := m.Lookup(ir.F32, bits)
	require.True(t, ok)
	n := m.Node(e)
	require.Equal(t, ir.AtomicAdd, n.Op)
	require.Equal(t, "any(0x0, any(x[0], x[1], x[2], x[3]), any(x[4], x[5]))", m.String(e))
}

func TestAtomicSum(t *testing.T) {
	const text = head + `
{
  %4:f32 = load [%1 + u32 %3*4]
  atomic_add f32 [%2], %4
}
`
	m := New()
	bits, err := launch(t, m, text, ir.F32, 5, 1, 5, 32)
	require.NoError(t, err)
	tree, err := m.Tree(ir.F32, bits, 5)
	require.NoError(t, err)
	var b sumtree.Builder
	want, err := b.Build(b.AnyOrder(b.Leaf(0), b.Leaf(1), b.Leaf(2), b.Leaf(3), b.Leaf(4)))
	require.NoError(t, err)
	require.Equal(t, want.String(), tree.String())
}

// What depends on leaves may be selected, but may not decide a branch, an integer or an address.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"branch":  {"%5:bool = lt f32 %4, %4\n if %5 {\n }", "a branch depends on the values of the leaves"},
		"integer": {"%5:i32 = convert from f32 %4", "makes an integer"},
		"bits":    {"%5:u32 = bitcast from f32 %4", "makes an integer"},
		"vote":    {"%5:bool = lt f32 %4, %4\n %6:bool = simd_any %5", "depends on the values"},
		"order":   {"%5:f32 = atomic_add [%2], %4", "no tree that holds for every order"},
		"bounds":  {"%5:f32 = load [%1 + 400]", "access to bytes 400 to 403 of an object of 4 bytes"},
		"matrix":  {"%5:u16 = const 0\n %6:f32 = simd_shuffle_xor %4, %5 over 32", "no tree holds for every order in which products of simdgroup matrices"},
		"endless": {"loop 1 {\n }", "budget of steps"},
	} {
		m := New()
		m.Steps = 1000
		_, err := launch(t, m, head+"{\n %4:f32 = load [%1]\n store f32 [%2], %4\n"+c.body+"\n}\n", ir.F32, 1, 1, 1, 32)
		require.ErrorContains(t, err, c.want, name)
		require.ErrorContains(t, err, "sum:", name)
	}
	m := New()
	bits, err := launch(t, m, head+"{\n %4:f32 = load [%1]\n %5:f32 = load [%1 + 4]\n %6:bool = lt f32 %4, %5\n %7:f32 = select %6, %4, %5\n store f32 [%2], %7\n}\n", ir.F32, 2, 1, 1, 32)
	require.NoError(t, err)
	require.Equal(t, uint64(math.Float32bits(2)), m.Eval(ir.F32, bits, ir.Arith{}, func(i int) uint64 { return uint64(math.Float32bits(float32(3 - i))) }))
}

// Every leaf of every format comes back from memory as itself; numbers and NaNs that kernels make are no leaves.
func TestNumbersOfExpressions(t *testing.T) {
	for typ, n := range map[ir.Type]int{ir.F32: 5000, ir.F16: 1023, ir.BF16: 127} {
		m := New()
		seen := map[uint64]bool{}
		for i := range n {
			bits, err := m.Leaf(typ, i)
			require.NoError(t, err)
			require.False(t, seen[bits])
			seen[bits] = true
			e, ok := m.Lookup(typ, bits)
			require.True(t, ok)
			require.Equal(t, i, m.Node(e).Leaf)
			require.Zero(t, bits&^typ.Mask())
		}
		if typ != ir.F32 {
			_, err := m.Leaf(typ, n)
			require.ErrorContains(t, err, "use fewer leaves")
		}
		for _, x := range []float64{0, 1, math.Inf(1), math.NaN()} {
			_, ok := m.Lookup(typ, ir.Arith{}.Narrow(typ, x))
			require.False(t, ok, x)
		}
	}
}
