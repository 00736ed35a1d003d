package adversary_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// doubtful makes a kernel with a word of each thread, and 64 bytes of thread memory, threadgroup memory and a buffer.
func doubtful(f func(b *ir.Builder, x, own, group, i ir.Reg)) *ir.Kernel {
	b := ir.NewBuilder("doubt")
	x := b.Buffer("x", 0, ir.Device, 4)
	i := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	own := b.Object(ir.Object{Name: "own", Space: ir.Thread, Size: 64, Align: 4, Elem: 4})
	group := b.Object(ir.Object{Name: "group", Space: ir.Threadgroup, Size: 64, Align: 4, Elem: 4})
	f(b, x, own, group, i)
	return b.Kernel()
}

// TestDoubts: a store of what has no value takes it from memory, copies pass it on, and any other use is found, whether threads run
// together or not; package fast says the same.
func TestDoubts(t *testing.T) {
	none := func(b *ir.Builder, t ir.Type) ir.Reg {
		u := b.Reg(t)
		b.Instr(ir.Instr{Op: ir.Undef, Type: t, Dst: u})
		return u
	}
	for _, c := range []struct {
		name  string
		found bool
		f     func(b *ir.Builder, x, own, group, i ir.Reg)
	}{
		{"a store of nothing", true, func(b *ir.Builder, x, own, _, i ir.Reg) {
			b.Store(ir.U32, own, 0, 0, 0, i)
			b.Store(ir.U32, own, 0, 0, 0, none(b, ir.U32))
			b.Store(ir.U32, x, i, 4, 0, b.Load(ir.U32, own, 0, 0, 0))
		}},
		{"a store of nothing beside it", false, func(b *ir.Builder, x, own, _, i ir.Reg) {
			b.Store(ir.U32, own, 0, 0, 0, i)
			b.Store(ir.U32, own, 0, 0, 4, none(b, ir.U32))
			b.Store(ir.U32, x, i, 4, 0, b.Load(ir.U32, own, 0, 0, 0))
		}},
		{"half of it", true, func(b *ir.Builder, x, own, _, i ir.Reg) {
			b.Store(ir.U32, own, 0, 0, 0, i)
			b.Store(ir.U16, own, 0, 0, 2, none(b, ir.U16))
			b.Store(ir.U32, x, i, 4, 0, b.Load(ir.U32, own, 0, 0, 0))
		}},
		{"the other half", false, func(b *ir.Builder, x, own, _, i ir.Reg) {
			b.Store(ir.U32, own, 0, 0, 0, i)
			b.Store(ir.U16, own, 0, 0, 2, none(b, ir.U16))
			b.Store(ir.U16, x, i, 4, 0, b.Load(ir.U16, own, 0, 0, 0))
		}},
		{"a copy through threadgroup memory", true, func(b *ir.Builder, x, own, group, i ir.Reg) {
			b.Store(ir.U16, own, 0, 0, 0, none(b, ir.U16))
			b.Store(ir.U32, group, i, 4, 0, b.Load(ir.U32, own, 0, 0, 0))
			b.Barrier(2)
			v := b.Load(ir.U32, group, i, 4, 0)
			b.Store(ir.U32, x, i, 4, 0, b.Op(ir.Add, ir.U32, v, v))
		}},
		{"a copy alone", false, func(b *ir.Builder, x, own, group, i ir.Reg) {
			b.Store(ir.U32, group, i, 4, 0, b.Load(ir.U32, own, 0, 0, 0))
			b.Barrier(2)
			b.Store(ir.U32, own, 0, 0, 4, b.Load(ir.U32, group, i, 4, 0))
		}},
		{"a branch", true, func(b *ir.Builder, x, own, _, i ir.Reg) {
			b.If(none(b, ir.Bool), func() { b.Store(ir.U32, x, i, 4, 0, i) }, nil)
		}},
		{"an index", true, func(b *ir.Builder, x, own, _, i ir.Reg) {
			v := b.Op(ir.Mov, ir.U32, none(b, ir.U32))
			b.Store(ir.U32, own, v, 4, 0, i)
		}},
		{"a variable that one branch writes", true, func(b *ir.Builder, x, _, _, i ir.Reg) {
			v := none(b, ir.U32)
			b.If(b.Op(ir.Lt, ir.U32, i, b.Int(ir.U32, 2)), func() { b.Instr(ir.Instr{Op: ir.Mov, Type: ir.U32, Dst: v, A: i}) }, nil)
			b.Store(ir.U32, x, i, 4, 0, b.Op(ir.Add, ir.U32, v, v))
		}},
		{"a variable that both write", false, func(b *ir.Builder, x, _, _, i ir.Reg) {
			v := none(b, ir.U32)
			b.If(b.Op(ir.Lt, ir.U32, i, b.Int(ir.U32, 2)),
				func() { b.Instr(ir.Instr{Op: ir.Mov, Type: ir.U32, Dst: v, A: i}) },
				func() { b.Instr(ir.Instr{Op: ir.Const, Type: ir.U32, Dst: v, Imm: 4}) })
			b.Store(ir.U32, x, i, 4, 0, b.Op(ir.Add, ir.U32, v, v))
		}},
		{"a choice", true, func(b *ir.Builder, x, own, _, i ir.Reg) {
			v := b.Op(ir.Select, ir.U32, b.Op(ir.Lt, ir.U32, b.Int(ir.U32, 2), i), b.Load(ir.U32, own, 0, 0, 0), i)
			b.Store(ir.U32, x, i, 4, 0, v)
		}},
		{"the other of a choice", false, func(b *ir.Builder, x, own, _, i ir.Reg) {
			v := b.Op(ir.Select, ir.U32, b.Op(ir.Lt, ir.U32, b.Int(ir.U32, 100), i), b.Load(ir.U32, own, 0, 0, 0), i)
			b.Store(ir.U32, x, i, 4, 0, v)
		}},
		{"an atomic", true, func(b *ir.Builder, x, own, group, i ir.Reg) {
			b.Memory(ir.Instr{Op: ir.AtomicAdd, Type: ir.U32, A: x, B: i, From: ir.U32, Scale: 4, C: none(b, ir.U32)})
		}},
		{"an object of a loop's body", true, func(b *ir.Builder, x, own, _, i ir.Reg) {
			n := b.Op(ir.Mov, ir.U32, b.Int(ir.U32, 0))
			b.Loop(func(label int32) {
				b.Store(ir.U32, own, 0, 0, 0, none(b, ir.U32))
				b.If(b.Op(ir.Eq, ir.U32, n, b.Int(ir.U32, 0)), func() { b.Store(ir.U32, own, 0, 0, 0, i) }, nil)
				b.Store(ir.U32, x, i, 4, 0, b.Load(ir.U32, own, 0, 0, 0))
				b.Instr(ir.Instr{Op: ir.Add, Type: ir.U32, Dst: n, A: n, B: b.Int(ir.U32, 1)})
				b.If(b.Op(ir.Lt, ir.U32, b.Int(ir.U32, 1), n), func() { b.Leave(label) }, nil)
			})
		}},
	} {
		k := doubtful(c.f)
		require.NoError(t, ir.Verify(k), c.name)
		want := map[model.FindingKind]bool{}
		if c.found {
			want[model.FindingUninitialised] = true
		}
		kinds := func(found []model.Finding) map[model.FindingKind]bool {
			m := map[model.FindingKind]bool{}
			for _, f := range found {
				m[f.Kind] = true
			}
			return m
		}
		for _, threads := range []int{4, 16} {
			for _, order := range []string{"", "reverse", "stages", "accesses"} {
				for _, poison := range []bool{false, true} {
					_, found := launch(t, k, 1, threads, engine.Options{Checks: true, Behaviour: model.Behaviour{Order: order, Poison: poison}},
						engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 64)}})
					got := kinds(found)
					delete(got, model.FindingOutOfBounds) // of an index that has no value
					require.Equal(t, want, got, "%s, %d threads, %q", c.name, threads, order)
					_, found = launch(t, k, 1, threads, engine.Options{Behaviour: model.Behaviour{Order: order, Poison: poison}},
						engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 64)}})
					require.Empty(t, found)
				}
			}
			p, err := fast.Compile(k)
			require.NoError(t, err)
			got, err := p.Run(&engine.Dispatch{
				Grid: model.Size3{X: threads, Y: 1, Z: 1}, Group: model.Size3{X: threads, Y: 1, Z: 1},
				Args: []engine.Arg{{Mem: &engine.Memory{Bytes: make([]byte, 64)}}},
			}, engine.Options{Checks: true})
			require.NoError(t, err)
			require.Equal(t, want, kinds(got.Findings), "%s, fast", c.name)
		}
	}
}
