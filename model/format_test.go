package model

import (
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFieldsTile(t *testing.T) {
	for _, f := range everyFormat() {
		require.Zero(t, f.fracMask()&f.SignBit())
		require.Zero(t, f.expMask()<<(f.P-1)&(f.fracMask()|f.SignBit()))
		require.Equal(t, f.Bits(), bits.OnesCount64(f.fracMask()|f.expMask()<<(f.P-1)|f.SignBit()), f.Name)
		require.Equal(t, f.SignBit()<<1-1, f.fracMask()|f.expMask()<<(f.P-1)|f.SignBit())
	}
}

func TestPow2(t *testing.T) {
	for k := -1022; k <= 1023; k++ {
		require.Equal(t, math.Ldexp(1, k), pow2(k))
	}
}

// The bias of an exponent field is 1-Emin, and the range between Emin and Emax is used up.
func TestExponentsFillTheField(t *testing.T) {
	for _, f := range everyFormat() {
		top := int(f.expMask())
		if f.NaNs == NaNIEEE {
			top--
		}
		require.Equal(t, top, f.Emax-f.Emin+1, f.Name)
		require.Equal(t, f.ExpBits, bits.Len64(f.expMask()))
		if f.NaNs == NaNIEEE {
			require.Equal(t, f.Emax, 1-f.Emin)
		}
	}
}

func everyFormat() []Format {
	all := Formats()
	for p := 2; p <= 12; p++ {
		all = append(all, Toy(p))
	}
	return all
}

// Rat by the definition: sign, significand and power of two apart.
func TestRatIsDecode(t *testing.T) {
	for _, f := range []Format{E4M3, E5M2, Toy(2), Toy(3)} {
		for b := range f.SignBit() << 1 {
			if !f.IsFinite(b) {
				require.PanicsWithValue(t, notFinite(f, b), func() { f.Decode(b) })
				continue
			}
			neg, m, e := f.Decode(b)
			require.Less(t, m, uint64(1)<<f.P)
			want := new(big.Rat).SetFloat64(math.Ldexp(float64(m), e)) // exact for all of these
			if neg {
				want.Neg(want)
			}
			require.Zero(t, want.Cmp(f.Rat(b)))
		}
	}
}
