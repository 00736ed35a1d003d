package trig

import (
	"math"

	"gamma/kernels/dd"
)

// SinNearest32 returns sin x, correctly rounded.
//
// Error:   half an ulp: it is the number of binary32 nearest to sin x.
// Range:   [-1, 1].
// Special: NaN and infinities give NaN; ±0 gives ±0.
func SinNearest32(x float32) float32 { return nearest(x, 0) }

// CosNearest32 returns cos x, correctly rounded.
//
// Error:   half an ulp: it is the number of binary32 nearest to cos x.
// Range:   [-1, 1].
// Special: NaN and infinities give NaN; ±0 gives 1.
func CosNearest32(x float32) float32 { return nearest(x, 1) }

// nearest returns the sine a number of quadrants further on, rounded to nearest.
//
// The value in binary64 is off by less than 2^-51 of itself: half an ulp of the first difference of the reduction, of the second, of the last step of
// the polynomial, and what the steps before it leave. Where the numbers 2^-50 of it below and above round to one, that is the result. Elsewhere, which is
// for one number in 2^26 or so, two words of binary64 decide, which are off by less than 2^-98 of the value.
func nearest(x float32, quadrants int) float32 {
	y := at(float64(x), quadrants, reduce64, sine64, cosine64)
	if lo, hi := float32(y-float64(0x1p-50*y)), float32(y+float64(0x1p-50*y)); lo == hi || y != y {
		return float32(y)
	}
	k, r := 0, dd.FromWord(float64(x))
	if math.Abs(float64(x)) > math.Pi/4 {
		k, r = payneHanek(float64(x))
	}
	k += quadrants
	s := r.Times3(r)
	wide := series(s, cosineTerms[:])
	if k&1 == 0 {
		wide = series(s, sineTerms[:]).Times3(r)
	}
	if k&2 != 0 {
		wide = wide.Neg()
	}
	return dd.Narrow(wide)
}
