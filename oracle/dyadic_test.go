package oracle

import (
	"math"
	"math/big"
	"testing"

	"gamma/model"

	"github.com/stretchr/testify/require"
)

func TestDyadicEqualsRationals(t *testing.T) {
	r := source(12)
	for range 3000 * effort() {
		x, y := families64[r.IntN(6)].draw(r), families64[r.IntN(6)].draw(r)
		if r.IntN(4) == 0 {
			y = x
		}
		dx, dy := FromFloat64(x), FromFloat64(y)
		rx, ry := new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y)
		require.Zero(t, dx.Rat().Cmp(rx))
		require.Zero(t, dx.Add(dy).Rat().Cmp(new(big.Rat).Add(rx, ry)))
		require.Zero(t, dx.Sub(dy).Rat().Cmp(new(big.Rat).Sub(rx, ry)))
		require.Zero(t, dx.Mul(dy).Rat().Cmp(new(big.Rat).Mul(rx, ry)))
		require.Zero(t, dx.MulFloat64(y).Cmp(dx.Mul(dy)))
		require.Zero(t, dx.Neg().Abs().Rat().Cmp(new(big.Rat).Abs(rx)))
		require.Equal(t, rx.Cmp(ry), dx.Cmp(dy))
		require.Equal(t, rx.Sign(), dx.Sign())
		require.Equal(t, x+0, dx.Float64())
		f, _ := dx.Add(dy).Rat().Float64()
		require.Equal(t, f, dx.Add(dy).Float64())
		parsed, _, err := big.ParseFloat(dx.Hex(), 0, 60, big.ToNearestEven)
		require.NoError(t, err)
		require.Zero(t, fromFloat(parsed).Cmp(dx))
		if k, ok := dx.Exponent(); ok {
			_, e := math.Frexp(x)
			require.Equal(t, e-1, k)
		}
		m, e := dx.Int()
		require.Zero(t, NewDyadic(m, e).Cmp(dx))
	}
}

func TestDyadicSpecials(t *testing.T) {
	require.True(t, Dyadic{}.IsZero())
	require.Equal(t, "0x1.8p-03 (0.1875)", FromFloat64(0.1875).String())
	require.Equal(t, "-0x1p+2000 (-1.14813e+602)", FromInt(-1).Scale(2000).String())
	require.Equal(t, "0x0p+00 (0)", Dyadic{}.String())
	lo, hi := FromInt(1).Scale(1024).Interval()
	require.Equal(t, Interval{math.MaxFloat64, math.Inf(1)}, Interval{lo, hi})
	lo, hi = FromInt(-1).Scale(-1075).Interval()
	require.Equal(t, Interval{-0x1p-1074, 0}, Interval{lo, hi})
	lo, hi = FromInt(-3).Scale(-1200).Interval()
	require.Equal(t, Interval{-0x1p-1074, 0}, Interval{lo, hi})
	lo, hi = Dyadic{}.Interval()
	require.Equal(t, Interval{}, Interval{lo, hi})
	require.PanicsWithValue(t, notFiniteFloat, func() { FromFloat64(math.Inf(1)) })
	require.PanicsWithValue(t, notFiniteFloat, func() { FromFloat32(float32(math.NaN())) })
	require.Zero(t, FromBits(model.E4M3, 0x7e).Cmp(FromInt(448)))
}
