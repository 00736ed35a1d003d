package stdlib

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gamma/metal/internal/msl/lower"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/internal/reference"
	"gamma/metal/msl/ir"
	"gamma/model"

	"github.com/stretchr/testify/require"
)

// lowered makes a kernel `*out = name(*in1, *in2, …)` of pointers to the types, and lowers it. References are variables of the kernel.
func lowered(t *testing.T, name string, o *overload) *ir.Kernel {
	t.Helper()
	pos := typed.Pos{File: "t.metal", Line: 1, Column: 1}
	f := &typed.Func{Name: "k", Result: Void, Pos: pos}
	k := &typed.Kernel{Name: "k", Func: f}
	parameter := func(elem typed.Type) typed.Place {
		v := &typed.Var{Name: "p", Type: &typed.Pointer{Space: ir.Device, Elem: elem}, Space: ir.Thread, Pos: pos}
		k.Params = append(k.Params, typed.KernelParam{Space: ir.Device, Index: len(f.Params)})
		f.Params = append(f.Params, v)
		return &typed.Deref{Ptr: &typed.LoadExpr{Node: typed.Node{Type: v.Type, Pos: pos}, X: &typed.VarPlace{Var: v, Pos: pos}}, Pos: pos}
	}
	body := &typed.Block{}
	var args []Arg
	for i, p := range o.params {
		place := typed.Place(nil)
		if o.ref[i] {
			v := &typed.Var{Name: "v", Type: p, Space: ir.Thread, Pos: pos}
			body.Stmts = append(body.Stmts, &typed.VarStmt{Var: v, Init: &typed.Zero{Node: typed.Node{Type: p, Pos: pos}}, Pos: pos})
			place = &typed.VarPlace{Var: v, Pos: pos}
		} else {
			place = parameter(p)
		}
		args = append(args, Arg{X: &typed.LoadExpr{Node: typed.Node{Type: p, Pos: pos}, X: place}, Place: place})
	}
	x, err := Resolve(name, nil, args, pos, ir.ContractOn)
	require.NoError(t, err)
	if vote(x.ExprType()) {
		x, err = Convert(x, scalars[ir.U64], true)
		require.NoError(t, err)
	}
	body.Stmts = append(body.Stmts, &typed.ExprStmt{
		X: &typed.AssignExpr{Node: typed.Node{Type: Void, Pos: pos}, To: parameter(x.ExprType()), X: x}, Pos: pos, FP: ir.ContractOn,
	})
	f.Body = body
	low, list := lower.Kernel(k, nil, 0)
	require.NoError(t, list.Err(), "%s", o.signature(name))
	require.NoError(t, ir.Verify(low), "%s", o.signature(name))
	return low
}

// requireRuns runs a lowered kernel on values drawn at random: it gives what the tree means.
func requireRuns(t *testing.T, rng *rand.Rand, name string, o *overload, low *ir.Kernel) {
	t.Helper()
	var args []Arg
	var buffers [][]byte
	for i, p := range o.params {
		if o.ref[i] {
			args = append(args, local(p.String()))
			continue
		}
		k, n := shape(p)
		v := make(value, n)
		for j := range v {
			v[j] = rng.Uint64() & k.Mask()
			if o.params[i] == scalars[ir.U32] && strings.HasSuffix(name, "_bits") {
				v[j] %= 4 // a field inside the number
			}
		}
		args = append(args, arg(p.String(), v...))
		buffers = append(buffers, bytesOf(k, v, p.Size()))
	}
	x, err := Resolve(name, nil, args, typed.Pos{}, 0)
	require.NoError(t, err)
	want := evaluate(t, x)
	if two, ok := x.(*typed.TwoResults); ok {
		want = nil // they are tested where they are lowered
		require.NotNil(t, two.Out)
	}
	out := make([]byte, x.ExprType().Size())
	one := model.Size3{X: 1, Y: 1, Z: 1}
	require.NoError(t, reference.Run(low, reference.Launch{Groups: one, Threads: one, Args: append(buffers, out)}), "%s of %v", o.signature(name), args)
	k, n := shape(x.ExprType())
	size := typed.SizeOf(k)
	for j := 0; j < n && want != nil; j++ {
		var b [8]byte
		copy(b[:], out[j*size:(j+1)*size])
		require.Equal(t, want[j], binary.LittleEndian.Uint64(b[:]), "%s, element %d: %s", o.signature(name), j, low)
	}
}

// bytesOf writes elements as they lie in memory.
func bytesOf(k ir.Type, v value, size int) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, binary.LittleEndian.AppendUint64(nil, x)[:typed.SizeOf(k)]...)
	}
	return append(b, make([]byte, size-len(b))...)
}

// TestEveryOverloadLowers: a kernel that calls it becomes a sound one of the intermediate representation, with the same result.
func TestEveryOverloadLowers(t *testing.T) {
	n := 0
	thorough := os.Getenv("GAMMA_LEVEL") == "thorough"
	rng := rand.New(rand.NewPCG(9, 10))
	for _, name := range slices.Sorted(maps.Keys(table)) { // in order, so that every run draws the same
		for _, f := range table[name] {
			os := f.expand(name)
			for i := range os {
				o := &os[i]
				if _, width := shape(o.typ); width == 3 && !thorough && !strings.HasPrefix(name, "cross") {
					continue
				}
				low := lowered(t, name, o)
				n++
				if !strings.HasPrefix(name, "simd_") && !strings.HasPrefix(name, "quad_") {
					requireRuns(t, rng, name, o, low)
				}
			}
		}
	}
	t.Logf("%d overloads lowered", n)
	require.Greater(t, n, 2000)
}
