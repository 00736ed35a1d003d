package kernels

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDivideRoundsOnce looks for quotients so near to a tie that binary64 makes a tie of them:
// s·2^k = t·n ± 1 with an odd t of 25 bits, so that s·2^k/n is t·(1 ± 2^-25/n) or so.
func TestDivideRoundsOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(24, 2))
	twice := 0
	for range 20000 {
		tie := big.NewInt(1<<24 + 2*rng.Int64N(1<<23) + 1)
		k := uint(30 + rng.IntN(20))
		scale := new(big.Int).Lsh(big.NewInt(1), k)
		s := new(big.Int).ModInverse(scale, tie)
		one := int64(1)
		if rng.IntN(2) == 0 {
			s.Sub(tie, s)
			one = -1
		}
		if s.BitLen() > 24 {
			continue
		}
		n := new(big.Int).Mul(s, scale)
		n.Quo(n.Sub(n, big.NewInt(one)), tie)
		if n.Sign() == 0 {
			continue
		}
		want, _ := new(big.Rat).SetFrac(s, n).Float32()
		got := divide(float64(s.Int64()), int(n.Int64()))
		require.Equal(t, want, got, "%v/%v", s, n)
		require.Equal(t, -want, divide(-float64(s.Int64()), int(n.Int64())), "-%v/%v", s, n)
		if float32(float64(s.Int64())/float64(n.Int64())) != want {
			twice++
		}
	}
	require.Positive(t, twice, "no case tells one rounding from two")
}
