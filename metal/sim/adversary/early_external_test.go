package adversary_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// TestReturnsBeforeAndPastBarriers tells threads that returned before a barrier from those that went another way, as package fast does.
func TestReturnsBeforeAndPastBarriers(t *testing.T) {
	for name, c := range map[string]struct {
		early bool
		body  func(b *ir.Builder, low, high ir.Reg)
	}{
		"return before":       {true, func(b *ir.Builder, low, high ir.Reg) { b.If(high, func() { b.Leave(0) }, nil); b.Barrier(1) }},
		"barrier in a branch": {false, func(b *ir.Builder, low, high ir.Reg) { b.If(low, func() { b.Barrier(1) }, nil) }},
		"return after": {false, func(b *ir.Builder, low, high ir.Reg) {
			b.If(low, func() { b.Barrier(1) }, nil)
			b.If(high, func() { b.Leave(0) }, nil)
		}},
		"return, or a barrier": {true, func(b *ir.Builder, low, high ir.Reg) { b.If(high, func() { b.Leave(0) }, func() { b.Barrier(1) }) }},
		"barrier, or a return": {false, func(b *ir.Builder, low, high ir.Reg) { b.If(low, func() { b.Barrier(1) }, func() { b.Leave(0) }) }},
		"return from a loop": {true, func(b *ir.Builder, low, high ir.Reg) {
			round(b, 3, func() { b.Barrier(1) }, func() { b.If(high, func() { b.Leave(0) }, nil) })
		}},
		"barrier in the last": {false, func(b *ir.Builder, low, high ir.Reg) {
			round(b, 1, func() { b.If(low, func() { b.Barrier(1) }, nil) }, func() { b.If(high, func() { b.Leave(0) }, nil) })
		}},
		"barrier of simdgroups": {false, func(b *ir.Builder, low, high ir.Reg) {
			b.If(low, func() { b.Instr(ir.Instr{Op: ir.SimdBarrier, Imm: 1}) }, nil)
		}},
	} {
		b := ir.NewBuilder("k")
		out := b.Buffer("out", 0, ir.Device, 4)
		i := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
		low := b.Op(ir.Lt, ir.U32, i, b.Int(ir.U32, 2))
		c.body(b, low, b.Op(ir.Le, ir.U32, b.Int(ir.U32, 2), i))
		b.Store(ir.U32, out, i, 4, 0, i)
		k := b.Kernel()
		launch := func() *engine.Dispatch {
			return &engine.Dispatch{Grid: model.Size3{X: 4, Y: 1, Z: 1}, Group: model.Size3{X: 4, Y: 1, Z: 1}, Args: []engine.Arg{{Mem: words(0, 0, 0, 0)}}}
		}
		check := func(who string, res engine.Result, err error) {
			require.NoError(t, err, "%s: %s", name, who)
			require.Len(t, res.Findings, 1, "%s: %s", name, who)
			require.Equal(t, model.FindingBarrier, res.Findings[0].Kind)
			require.Equal(t, c.early, strings.HasPrefix(res.Findings[0].Text, "warning:"), "%s: %s: %s", name, who, res.Findings[0].Text)
		}
		f, err := fast.Compile(k)
		require.NoError(t, err)
		res, err := f.Run(launch(), engine.Options{Checks: true})
		check("fast", res, err)
		p, err := adversary.Compile(k)
		require.NoError(t, err)
		for _, order := range []string{"", "reverse", "stages", "accesses"} {
			res, err := p.Run(launch(), engine.Options{Checks: true, Behaviour: model.Behaviour{Order: order, Seed: 5}})
			check("adversary "+order, res, err)
		}
	}
}

// round builds a loop of n rounds of parts.
func round(b *ir.Builder, n int64, parts ...func()) {
	k := b.Reg(ir.U32)
	b.Set(k, ir.U32, b.Int(ir.U32, 0))
	b.Loop(func(label int32) {
		for _, part := range parts {
			part()
		}
		b.Set(k, ir.U32, b.Op(ir.Add, ir.U32, k, b.Int(ir.U32, 1)))
		b.If(b.Op(ir.Le, ir.U32, b.Int(ir.U32, n), k), func() { b.Leave(label) }, nil)
	})
}
