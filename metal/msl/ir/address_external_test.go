package ir_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

// TestAddressesWrapNowhere holds addresses to sums of whole numbers of any size.
func TestAddressesWrapNowhere(t *testing.T) {
	const end = 1<<(ir.OffsetBits-1) - 1
	exact := func(a ir.Pointer, i *big.Int, scale uint32, imm int64) int64 {
		s := new(big.Int).Mul(i, big.NewInt(int64(scale)))
		s.Add(s, big.NewInt(imm)).Add(s, big.NewInt(a.Offset()))
		switch {
		case a.Offset() == end || a.Offset() == -end-1:
			return a.Offset()
		case s.Cmp(big.NewInt(end)) > 0:
			return end
		case s.Cmp(big.NewInt(-end-1)) < 0:
			return -end - 1
		}
		return s.Int64()
	}
	edges := []int64{0, 1, -1, 4, 1 << 31, 1 << 32, -1 << 32, end, -end - 1, end + 1, 1 << 60, 1 << 61, 1 << 62, -1 << 62, math.MaxInt64, math.MinInt64}
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func() int64 { return edges[rng.IntN(len(edges))] + int64(rng.IntN(3)) - 1 }
	far := 0
	for range 100000 {
		p := ir.MakePointer(rng.IntN(9), pick())
		in := ir.Instr{Op: ir.PtrAdd, A: 1, B: 2, From: []ir.Type{ir.I32, ir.U32, ir.I64, ir.U64}[rng.IntN(4)], Scale: uint32(pick()), Imm: uint64(pick())}
		b := uint64(pick()) & in.From.Mask()
		i := big.NewInt(in.From.Signed(b))
		q := in.Address(uint64(p), b)
		want := exact(p, i, in.Scale, int64(in.Imm))
		require.Equal(t, want, q.Offset(), "%d + %s·%d + %d", p.Offset(), i, in.Scale, int64(in.Imm))
		require.Equal(t, p.Object(), q.Object())
		in.B = 0
		require.Equal(t, exact(p, new(big.Int), 0, int64(in.Imm)), in.Address(uint64(p), 0).Offset())
		if in.B = 2; in.Short() && (in.From.Size() == 4 || ir.ShortIndex(b)) {
			plain := p.Offset() + in.From.Signed(b)*int64(in.Scale) + int64(in.Imm)
			inside := func(off int64) bool { return off >= 0 && off < 1<<44 }
			require.Equal(t, inside(want), inside(int64(uint64(plain)<<16)>>16))
			far++
		}
	}
	require.Greater(t, far, 100)
}
