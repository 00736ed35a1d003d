package fast

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// TestPanicsAreErrors plants an instruction that panics in the code of a kernel, and runs it on one worker and on several.
func TestPanicsAreErrors(t *testing.T) {
	b := ir.NewBuilder("k")
	out := b.Buffer("out", 0, ir.Device, 4)
	i := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	b.Store(ir.U32, out, i, 4, 0, i)
	for _, workers := range []int{1, 2, 3} {
		p, err := Compile(b.Kernel())
		require.NoError(t, err)
		c, err := p.code(mode{})
		require.NoError(t, err)
		require.NotEmpty(t, c.insts)
		for n := range c.insts {
			c.insts[n].run = func(*machine, *inst) { panic("planted") }
		}
		d := &engine.Dispatch{Grid: model.Size3{X: 64, Y: 1, Z: 1}, Group: model.Size3{X: 4, Y: 1, Z: 1}, Args: []engine.Arg{{Mem: &engine.Memory{Bytes: make([]byte, 256)}}}}
		_, err = p.Run(d, engine.Options{Workers: workers})
		require.ErrorContains(t, err, "planted")
	}
}

// TestThreadMemoryIsBounded asks for more thread memory than all threads may have together.
func TestThreadMemoryIsBounded(t *testing.T) {
	b := ir.NewBuilder("k")
	out := b.Buffer("out", 0, ir.Device, 4)
	i := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
	own := b.Object(ir.Object{Name: "own", Space: ir.Thread, Size: maxMemory/2/MaxThreads + 64, Align: 4, Elem: 4})
	b.Store(ir.U32, own, 0, 0, 0, i)
	b.Store(ir.U32, out, i, 4, 0, b.Load(ir.U32, own, 0, 0, 0))
	p, err := Compile(b.Kernel())
	require.NoError(t, err)
	d := &engine.Dispatch{Grid: model.Size3{X: MaxThreads, Y: 1, Z: 1}, Group: model.Size3{X: MaxThreads, Y: 1, Z: 1}, Args: []engine.Arg{{Mem: &engine.Memory{Bytes: make([]byte, 4*MaxThreads)}}}}
	_, err = p.Run(d, engine.Options{})
	require.ErrorContains(t, err, "for thread memory")
}
