package adversary_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// After a barrier the threads of a group run together; each still reads its own copy of a variable in thread memory.
func TestThreadMemoryIsOfItsThread(t *testing.T) {
	b := ir.NewBuilder("private")
	out := b.Buffer("out", 0, ir.Device, 4)
	i := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	own := b.Object(ir.Object{Name: "own", Space: ir.Thread, Size: 4, Align: 4})
	b.Store(ir.U32, own, 0, 0, 0, i)
	b.Barrier(3)
	b.Store(ir.U32, out, i, 4, 0, b.Load(ir.U32, own, 0, 0, 0))
	k := b.Kernel()
	require.NoError(t, ir.Verify(k))
	for _, order := range []string{"", "reverse", "stages", "accesses"} {
		got, findings := launch(t, k, 1, 8, engine.Options{Checks: true, Behaviour: model.Behaviour{Order: order, Seed: 3}},
			engine.Arg{Mem: &engine.Memory{Bytes: make([]byte, 32)}})
		require.Empty(t, findings)
		for j := range uint32(8) {
			require.Equal(t, j, binary.LittleEndian.Uint32(got[4*j:]), "order %q", order)
		}
	}
}
