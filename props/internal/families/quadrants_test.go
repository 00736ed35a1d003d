package families

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/oracle/real"
)

// TestNearestToMultiples tries all binary32 numbers from 1 on: of no binade is another number nearer to a multiple of π/2 than the one in the table.
func TestNearestToMultiples(t *testing.T) {
	turns := new(big.Float).SetPrec(300).Quo(big.NewFloat(2), real.Bits(300).Pi().Lo)
	for e, m := range nearest {
		// The fraction of 2^(e-23)·2/π, in units of 2^-64: of m times it, 2^24 units are not known.
		scaled := new(big.Float).SetMantExp(turns, e-23+64)
		whole, _ := scaled.Int(nil)
		step := new(big.Int).And(whole, new(big.Int).SetUint64(1<<64-1)).Uint64()
		off := func(at uint64) uint64 { return min(at, -at) }
		least, at := uint64(1<<63), uint64(1<<23)*step
		for range 1 << 23 {
			least = min(least, off(at))
			at += step
		}
		require.LessOrEqual(t, off(uint64(m)*step), least+1<<25, "exponent %d", e)
	}
}
