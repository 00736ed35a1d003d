package dft

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/oracle/real"
)

const w = real.Bits(260)

// circle returns cos 2πj/n and sin 2πj/n.
func circle(n int) (list [][2]real.Interval) {
	for j := range n {
		angle := w.Mul(w.Rat(big.NewRat(int64(2*j), int64(n))), w.Pi())
		list = append(list, [2]real.Interval{w.Cos(angle), w.Sin(angle)})
	}
	return list
}

// slow returns X_k by the definition, in intervals of so many bits: it knows nothing of this package.
func slow(circle [][2]real.Interval, k int, inverse bool, scale int, re, im, reLo, imLo []float64) (x, y real.Interval) {
	n := len(re)
	at := func(list []float64, j int) real.Interval {
		if list == nil {
			return real.Point(0)
		}
		return real.Point(list[j])
	}
	x, y = real.Point(0), real.Point(0)
	for j := range n {
		c, d := circle[j*k%n][0], circle[j*k%n][1]
		if !inverse {
			d = real.Neg(d)
		}
		a, b := w.Add(at(re, j), at(reLo, j)), w.Add(at(im, j), at(imLo, j))
		x = w.Add(x, w.Sub(w.Mul(a, c), w.Mul(b, d)))
		y = w.Add(y, w.Add(w.Mul(a, d), w.Mul(b, c)))
	}
	size := w.Rat(big.NewRat(int64(n), 1))
	switch scale {
	case 1:
		return w.Div(x, size), w.Div(y, size)
	case 2:
		return w.Div(x, w.Sqrt(size)), w.Div(y, w.Sqrt(size))
	}
	return x, y
}

// TestSlow compares transforms with the definition: they differ by Err at most, and that is small.
func TestSlow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n, wide int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Ldexp(rng.Float64()-0.5, wide*(rng.IntN(21)-10))
		}
		return x
	}
	worst := 0.0
	for n := 1; n <= 33; n++ {
		circle := circle(n)
		for trial := range 6 {
			wide := []int{0, 1, 10, 60, 0, 0}[trial]
			re, im, reLo, imLo := draw(n, wide), draw(n, wide), draw(n, 0), draw(n, 0)
			for i := range re {
				reLo[i], imLo[i] = re[i]*0x1p-54*reLo[i], im[i]*0x1p-60
				if trial == 4 {
					re[i], im[i], reLo[i], imLo[i] = math.Ldexp(re[i], -1060), math.Ldexp(im[i], -1060), 0, 0
				}
			}
			if trial == 5 {
				im, imLo = nil, nil
			}
			var s Spectrum
			inverse, scale := rng.IntN(2) == 1, rng.IntN(3)
			For(n).Transform(&s, inverse, scale, re, im, reLo, imLo)
			require.Equal(t, n, s.N())
			norm := 0.0
			for i := range re {
				norm = max(norm, math.Abs(math.Ldexp(re[i], s.Shift)))
				if im != nil {
					norm = max(norm, math.Abs(math.Ldexp(im[i], s.Shift)))
				}
			}
			require.LessOrEqual(t, s.Err, 0x1p-140*norm, "n=%d", n)
			for k := range n {
				x, y := slow(circle, k, inverse, scale, re, im, reLo, imLo)
				for _, part := range []struct {
					is    fixed
					exact real.Interval
				}{{s.re[k], x}, {s.im[k], y}} {
					is := new(big.Float).SetPrec(300).SetInt(part.is.big())
					is.SetMantExp(is, -s.unit)
					d := new(big.Float).SetPrec(300).Sub(is, part.exact.Lo)
					d.SetMantExp(d, s.Shift)
					off, _ := d.Float64()
					require.LessOrEqual(t, math.Abs(off), s.Err, "n=%d k=%d of %v", n, k, re)
					worst = max(worst, math.Abs(off)/s.Err)
				}
				a, _ := x.Float64()
				b, _ := y.Float64()
				if trial == 4 {
					continue // a and b have lost digits
				}
				p, q := s.At(k)
				require.InDelta(t, math.Ldexp(a, s.Shift), p, 0x1p-50*(math.Abs(p)+float64(n)*norm))
				require.InDelta(t, math.Ldexp(b, s.Shift), q, 0x1p-50*(math.Abs(q)+float64(n)*norm))
				p, q = s.Off(k, a, b, 0, 0)
				require.Less(t, math.Hypot(p, q), 0x1p-50*float64(n)*norm)
			}
		}
	}
	t.Logf("greatest error %.3g of Err", worst)
}

// TestMul compares products with those of math/big.
func TestMul(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		word := func() uint64 { return rng.Uint64() >> rng.IntN(65) }
		a, b := fixed{word(), word(), uint64(int64(word()) >> (1 + rng.IntN(60)))}, fixed{word(), word(), uint64(int64(word()) >> 1)}
		if rng.IntN(3) == 0 {
			a = neg(a)
		}
		want := new(big.Int).Mul(a.big(), b.big())
		want.Rsh(want, rootBits) // down
		d := new(big.Int).Sub(want, mul(a, b).big())
		require.True(t, d.IsInt64() && d.Int64() >= 0 && d.Int64() <= 21, "%v %v: %v", a, b, d)
		require.Equal(t, a, fromBig(a.big()))
	}
}

// TestFromFloat: numbers are rounded down, and large ones refused.
func TestFromFloat(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 1.5, 0x1.fffffffffffffp10, -0x1.fffffffffffffp-30, 0x1p-1074, -0x1p-1074, 0x1p-70, -0x1p-70, 0x1.8p-1030} {
		for _, shift := range []int{0, 52, 3, -9, 64, 100, 137, 1074, 1200, -70} {
			v, ok := fromFloat(x, shift)
			f := new(big.Float).SetPrec(2000).SetFloat64(x)
			f.SetMantExp(f, shift)
			i, acc := f.Int(nil)
			if acc == big.Above {
				i.Sub(i, big.NewInt(1))
			}
			require.Equal(t, i.BitLen() <= rootBits, ok, "%g %d", x, shift)
			if ok {
				require.Equal(t, i.String(), v.big().String(), "%g %d", x, shift)
			}
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(-1)} {
		_, ok := fromFloat(x, 0)
		require.False(t, ok)
	}
}

func BenchmarkTransform(b *testing.B) {
	for _, n := range []int{64, 1000, 1024, 1 << 14} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x := make([]float64, n)
			for i := range x {
				x[i] = math.Sin(float64(i * i))
			}
			p := For(n)
			var s Spectrum
			for b.Loop() {
				p.Transform(&s, false, 0, x, x, nil, nil)
			}
		})
	}
	b.Run("plan/n=1000", func(b *testing.B) {
		for b.Loop() {
			newPlan(1000)
		}
	})
	b.Run("plan/n=16384", func(b *testing.B) {
		for b.Loop() {
			newPlan(1 << 14)
		}
	})
}
