package reduce

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

func TestExactBits(t *testing.T) {
	for _, f := range []model.Format{model.Toy(2), model.Toy(5), model.E4M3, model.E5M2, model.BFloat16, model.Binary16} {
		stride := uint64(1)
		if f.Bits() > 12 {
			stride = 61
		}
		for b := uint64(0); b < 2*f.SignBit(); b += stride {
			if !f.IsFinite(b) || b&^f.SignBit() == 0 {
				continue
			}
			neg, m, e := oddPart(f, b)
			got, ok := Exact(f, neg, m, e)
			require.True(t, ok)
			require.Equal(t, b, got)
			// Every simplification keeps to the format and to its promise.
			for w := 1; w < Width(f, b); w++ {
				require.LessOrEqual(t, Width(f, Truncated(f, b, w)), w)
				require.Equal(t, w, Width(f, stubbed(f, b, w)))
				require.LessOrEqual(t, f.Rat(Truncated(f, b&^f.SignBit(), w)).Cmp(f.Rat(b&^f.SignBit())), 0)
			}
			if v := outerBits(f, b); v != b {
				require.Less(t, cost(f, v), cost(f, b))
				require.Equal(t, Width(f, b), Width(f, v))
			}
			if v, ok := Shifted(f, b, 1); ok {
				require.Zero(t, f.Rat(v).Cmp(new(big.Rat).Mul(big.NewRat(2, 1), f.Rat(b))))
			} else {
				require.Positive(t, new(big.Rat).Mul(big.NewRat(2, 1), f.Rat(b&^f.SignBit())).Cmp(f.Rat(f.MaxBits())))
			}
			if v, ok := Shifted(f, b, -1); ok {
				require.Zero(t, f.Rat(v).Cmp(new(big.Rat).Mul(big.NewRat(1, 2), f.Rat(b))))
			} else {
				require.Equal(t, uint64(1), b&1)
				require.LessOrEqual(t, b&^f.SignBit(), 2*f.MinNormalBits())
			}
			require.LessOrEqual(t, cost(f, One(f)), cost(f, b))
		}
		_, ok := Exact(f, false, 1, f.Emax+1)
		require.False(t, ok)
		_, ok = Exact(f, false, 1<<f.P|1, 0)
		require.False(t, ok)
	}
}
