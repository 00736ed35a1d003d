package adversary_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// TestAddressesThatWrap stores at places whose byte offset is a multiple of 1<<64, or of 1<<48: beyond the buffer, not in it.
func TestAddressesThatWrap(t *testing.T) {
	for _, index := range []int64{1 << 62, 1 << 46} {
		for _, way := range []string{"store", "load", "pointer", "twice"} {
			b := ir.NewBuilder("wrap")
			out := b.Buffer("out", 0, ir.Device, 4)
			i := b.Input(ir.ThreadIndexInThreadgroup, 0, ir.U32)
			at := b.Op(ir.Add, ir.I64, b.Int(ir.I64, index), b.From(ir.Convert, ir.I64, ir.U32, i))
			move := func(p, by ir.Reg) ir.Reg {
				r := b.Reg(ir.Ptr)
				b.Memory(ir.Instr{Op: ir.PtrAdd, A: p, B: by, From: ir.I64, Scale: 4, Dst: r})
				return r
			}
			switch way {
			case "store":
				b.Store(ir.U32, out, at, 4, 0, b.Int(ir.U32, 1))
			case "load":
				b.Store(ir.U32, out, i, 4, 0, b.Load(ir.U32, out, at, 4, 0))
			case "pointer":
				b.Store(ir.U32, move(out, at), 0, 0, 0, b.Int(ir.U32, 1))
			case "twice":
				near := b.Int(ir.I64, 1<<45-1)
				b.Store(ir.U32, move(move(out, near), at), near, 4, 4, b.Int(ir.U32, 1))
			}
			p, err := adversary.Compile(b.Kernel())
			require.NoError(t, err)
			for _, order := range []string{"", "reverse", "stages", "accesses"} {
				mem := words(0, 0, 0, 0)
				d := &engine.Dispatch{Grid: model.Size3{X: 4, Y: 1, Z: 1}, Group: model.Size3{X: 4, Y: 1, Z: 1}, Args: []engine.Arg{{Mem: mem}}}
				res, err := p.Run(d, engine.Options{Checks: true, Behaviour: model.Behaviour{Order: order}})
				require.NoError(t, err)
				require.Len(t, res.Findings, 1, "%s %d %s", way, index, order)
				require.Equal(t, model.FindingOutOfBounds, res.Findings[0].Kind)
				require.Equal(t, make([]byte, 16), mem.Bytes)
			}
		}
	}
}
