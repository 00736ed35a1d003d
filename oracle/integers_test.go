package oracle

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSumIntegers compares with math/big.
func TestSumIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		for k := 1; k <= 64; k++ {
			x, want := make([]uint64, n), new(big.Int)
			for i := range x {
				x[i] = ^uint64(0) >> rng.IntN(64) & ^(rng.Uint64() >> rng.IntN(64))
				want.Add(want, new(big.Int).SetUint64(x[i]))
			}
			want.Mod(want, new(big.Int).Lsh(big.NewInt(1), uint(k)))
			require.Equal(t, want.Uint64(), SumIntegers(k, x), "%d %x", k, x)
		}
	}
}
