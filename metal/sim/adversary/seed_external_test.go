package adversary_test

import (
	"encoding/binary"
	"fmt"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/adversary"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// words returns memory that holds v.
func words(v ...uint32) *engine.Memory {
	m := &engine.Memory{}
	for _, x := range v {
		m.Bytes = binary.LittleEndian.AppendUint32(m.Bytes, x)
	}
	return m
}

// values is the inverse of words.
func values(b []byte) []uint32 {
	v := make([]uint32, len(b)/4)
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return v
}

func line(groups, threads int) (grid, group model.Size3) {
	return model.Size3{X: groups * threads, Y: 1, Z: 1}, model.Size3{X: threads, Y: 1, Z: 1}
}

// outcomes returns all contents that the buffer bound first may have at the end, as text, sorted.
func outcomes(t *testing.T, k *ir.Kernel, order string, groups, threads int, args ...engine.Arg) []string {
	t.Helper()
	p, err := adversary.Compile(k)
	require.NoError(t, err)
	grid, group := line(groups, threads)
	var list []string
	complete, err := p.Outcomes(&engine.Dispatch{Kernel: k, Grid: grid, Group: group, Args: args},
		engine.Options{Behaviour: model.Behaviour{Order: order}}, 1<<20, func(mem []engine.Memory) bool {
			list = append(list, fmt.Sprint(values(mem[0].Bytes)))
			return true
		})
	require.NoError(t, err)
	require.True(t, complete)
	sort.Strings(list)
	return list
}

// allStages is the seed's faulty transform: every stage in one dispatch, with a barrier that orders only the threadgroup's own threads.
// Decimation in frequency, q = 17, n = 4, root 4.
func allStages() *ir.Kernel {
	b := ir.NewBuilder("ntt_all_stages")
	x := b.Buffer("x", 0, ir.Device, 4)
	id := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	q := b.Int(ir.U32, 17)
	butterfly := func(i, j, w ir.Reg) {
		u := b.Load(ir.U32, x, i, 4, 0)
		v := b.Load(ir.U32, x, j, 4, 0)
		sum := b.Op(ir.Rem, ir.U32, b.Op(ir.Add, ir.U32, u, v), q)
		diff := b.Op(ir.Sub, ir.U32, b.Op(ir.Add, ir.U32, u, q), v)
		b.Store(ir.U32, x, i, 4, 0, sum)
		b.Store(ir.U32, x, j, 4, 0, b.Op(ir.Rem, ir.U32, b.Op(ir.Mul, ir.U32, diff, w), q))
	}
	one, two, four := b.Int(ir.U32, 1), b.Int(ir.U32, 2), b.Int(ir.U32, 4)
	w := b.Op(ir.Select, ir.U32, b.Op(ir.Eq, ir.U32, id, b.Int(ir.U32, 0)), one, four)
	butterfly(id, b.Op(ir.Add, ir.U32, id, two), w)
	b.Barrier(1)
	i := b.Op(ir.Mul, ir.U32, id, two)
	butterfly(i, b.Op(ir.Add, ir.U32, i, one), one)
	return b.Kernel()
}

func TestSeedRaceHasExactlyTheseOutcomes(t *testing.T) {
	k := allStages()
	require.Equal(t, []string{"[10 15 7 6]", "[2 7 6 11]", "[6 6 7 6]"},
		outcomes(t, k, "stages", 2, 1, engine.Arg{Mem: words(1, 2, 3, 4)}))
	require.Equal(t, []string{"[10 15 12 11]", "[10 15 15 11]", "[10 15 7 6]", "[2 7 6 11]", "[6 2 7 6]", "[6 6 7 6]"},
		outcomes(t, k, "accesses", 2, 1, engine.Arg{Mem: words(1, 2, 3, 4)}))
	require.Equal(t, []string{"[6 6 7 6]"}, outcomes(t, k, "", 2, 1, engine.Arg{Mem: words(1, 2, 3, 4)}))
	// One group of two threads: the barrier orders them, and there is one outcome.
	for _, order := range []string{"", "reverse", "stages", "accesses"} {
		require.Equal(t, []string{"[10 15 7 6]"}, outcomes(t, k, order, 1, 2, engine.Arg{Mem: words(1, 2, 3, 4)}), order)
	}
}
