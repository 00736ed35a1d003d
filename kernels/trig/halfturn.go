package trig

import (
	"math"

	"gamma/kernels/eft"
)

// SinPi32 returns sin πx: an angle in half turns, as twiddle factors have it, is reduced exactly.
//
// Error:   at most 2 ulp on all that the tests have tried; none at multiples of 1/2.
// Range:   [-1, 1].
// Special: NaN and infinities give NaN; integers give 0 with the sign of x.
// Source:  [Suiche 2025] for the polynomials; [IEEE 754-2019] §9.2.1 for zeros.
func SinPi32(x float32) float32 {
	y := halfTurns(float32(math.Abs(float64(x))), 0)
	if math.Signbit(float64(x)) {
		return -y
	}
	return y
}

// CosPi32 returns cos πx.
//
// Error:   at most 2 ulp on all that the tests have tried; none at multiples of 1/2.
// Range:   [-1, 1].
// Special: NaN and infinities give NaN; odd multiples of 1/2 give +0.
// Source:  [Suiche 2025] for the polynomials; [IEEE 754-2019] §9.2.1 for zeros.
func CosPi32(x float32) float32 { return halfTurns(float32(math.Abs(float64(x))), 1) }

// halfTurns returns sin πx, so many quarter turns further on, for x >= 0: 2x = n + g with |g| <= 1/2, both exactly, and the sine of g·π/2, n quarter turns
// further on. The product with π/2 has two words of that, so that it rounds once.
func halfTurns(x float32, quarters int) float32 {
	if x-x != 0 {
		return x - x
	}
	if x >= 0x1p24 {
		x = 0 // it is even
	}
	n := float32(math.RoundToEven(float64(x + x)))
	g := x + x - n
	quarters += int(n)
	if g == 0 && quarters&1 == 0 {
		return 0
	}
	r := eft.FMA(g, pi1/2, float32(g*(pi2/2)))
	y := sine32(r)
	if quarters&1 != 0 {
		y = cosine32(r)
	}
	if quarters&2 != 0 {
		return -y
	}
	return y
}
