package trig

import (
	"math"

	"gamma/kernels"
)

// The seed's polynomials, the last coefficient first: cos r = 1 - r²/2 + …, sin r = r - r³/6 + ….
const (
	cos8, cos6, cos4 = 2.44331570e-05, -1.38873163e-03, 4.16666418e-02
	sin7, sin5, sin3 = -1.95152959e-04, 8.33216030e-03, -1.66666552e-01
)

// Sin32 returns sin x.
//
// Error:   at most 2 ulp on all that the tests have tried.
// Range:   [-1, 1].
// Special: NaN and infinities give NaN; ±0 gives ±0.
// Source:  [Suiche 2025], with the constants of the machine code.
func Sin32(x float32) float32 { return at(x, 0, reduce32, sine32, cosine32) }

// Cos32 returns cos x.
//
// Error:   at most 2 ulp on all that the tests have tried.
// Range:   [-1, 1].
// Special: NaN and infinities give NaN; ±0 gives 1.
// Source:  [Suiche 2025], with the constants of the machine code.
func Cos32(x float32) float32 { return at(x, 1, reduce32, sine32, cosine32) }

// at returns the sine a number of quadrants further on.
func at[T float32 | float64](x T, quadrants int, reduce func(T) (int, T), sine, cosine func(T) T) T {
	switch {
	case x-x != 0:
		return x - x
	case x == 0 && quadrants == 0:
		return x // -0 loses its sign to the products with k = 0
	}
	k, r := reduce(x)
	k += quadrants
	y := sine
	if k&1 != 0 {
		y = cosine
	}
	if k&2 != 0 {
		return -y(r)
	}
	return y(r)
}

func sine32(r float32) float32 {
	s := float32(r * r)
	p := kernels.FMA(sin7, s, sin5)
	p = kernels.FMA(p, s, sin3)
	return kernels.FMA(float32(p*s), r, r)
}

func cosine32(r float32) float32 {
	s := float32(r * r)
	p := kernels.FMA(cos8, s, cos6)
	p = kernels.FMA(p, s, cos4)
	p = kernels.FMA(p, s, -0.5)
	return kernels.FMA(p, s, 1)
}

// Sin64 returns sin x.
//
// Error:   at most 2 ulp on all numbers that tests have tried; no proof.
// Range:   [-1, 1].
// Special: NaN and infinities give NaN; ±0 gives ±0.
func Sin64(x float64) float64 { return at(x, 0, reduce64, sine64, cosine64) }

// Cos64 returns cos x.
//
// Error:   at most 2 ulp on all numbers that tests have tried; no proof.
// Range:   [-1, 1].
// Special: NaN and infinities give NaN; ±0 gives 1.
func Cos64(x float64) float64 { return at(x, 1, reduce64, sine64, cosine64) }

// Taylor's coefficients ±1/k!. On |r| <= π/4 the first term left out, r^19/19! and r^18/18!, is below 2^-63 of the sum.
var (
	sines   = [...]float64{-1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800, 1. / 6227020800, -1. / 1307674368000, 1. / 355687428096000}
	cosines = [...]float64{-1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800, 1. / 479001600, -1. / 87178291200, 1. / 20922789888000}
)

func sine64(r float64) float64 {
	s := float64(r * r)
	return math.FMA(float64(horner(sines[:], s)*s), r, r)
}

func cosine64(r float64) float64 {
	s := float64(r * r)
	return math.FMA(horner(cosines[:], s), s, 1)
}

// horner returns Σ c_k·s^k.
func horner(c []float64, s float64) float64 {
	p := c[len(c)-1]
	for k := len(c) - 2; k >= 0; k-- {
		p = math.FMA(p, s, c[k])
	}
	return p
}
