package dft

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/oracle/real"
)

// TestSum compares sums of turned numbers with those in 400 bits, of any magnitude, and roots with those of a plan.
func TestSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 1))
	const w = real.Bits(400)
	for _, n := range []int{1, 2, 3, 4, 7, 64, 1000, 1 << 10, 3 << 20} {
		c := CircleOf(n)
		for range 60 {
			scale := rng.IntN(2000) - 1000
			var s Sum
			s.Start(scale)
			re, im := real.Point(0), real.Point(0)
			terms := 1 + rng.IntN(8)
			for i := range terms {
				var z Number
				for k := range z {
					z[k] = math.Ldexp(2*rng.Float64()-1, scale-k/2*53)
				}
				k := rng.IntN(5*n) - 2*n
				turn := c
				if rng.IntN(4) == 0 {
					turn, k = nil, 0
				}
				x, y := w.Add(real.Point(z[0]), real.Point(z[2])), w.Add(real.Point(z[1]), real.Point(z[3]))
				angle := w.Mul(w.Rat(big.NewRat(int64(-2*k), int64(n))), w.Pi())
				cos, sin := w.Cos(angle), w.Sin(angle)
				x, y = w.Sub(w.Mul(x, cos), w.Mul(y, sin)), w.Add(w.Mul(x, sin), w.Mul(y, cos))
				if i%2 == 1 {
					s.Sub(&z, turn, k)
					re, im = w.Sub(re, x), w.Sub(im, y)
				} else {
					s.Add(&z, turn, k)
					re, im = w.Add(re, x), w.Add(im, y)
				}
			}
			off := func(v fixed, exact real.Interval) float64 {
				is := new(big.Float).SetPrec(500).SetInt(v.big())
				is.SetMantExp(is, -s.unit)
				is.Sub(is, exact.Lo)
				is.SetMantExp(is, -scale)
				f, _ := is.Float64()
				return f
			}
			a, b := off(s.re, re), off(s.im, im)
			require.LessOrEqual(t, math.Hypot(a, b), s.Err(-scale), "n=%d", n)
			p, q := s.Parts(-scale)
			x, _ := re.Lo.Float64()
			y, _ := im.Lo.Float64()
			room := 0x1p-51*(math.Abs(p)+math.Abs(q)) + 2*s.Err(-scale)
			require.LessOrEqual(t, math.Abs(math.Ldexp(p, scale)-x), math.Ldexp(room, scale))
			require.LessOrEqual(t, math.Abs(math.Ldexp(q, scale)-y), math.Ldexp(room, scale))
		}
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), 8} { // Start says 2^0
		var s Sum
		s.Start(0)
		s.Add(&Number{1, bad}, nil, 0)
		p, _ := s.Parts(0)
		require.NotEqual(t, p, p)
	}
	require.Panics(t, func() { CircleOf(0) })
}
