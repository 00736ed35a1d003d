package oracle

import "math"

// Magnitudes summed in plain binary64, with enclosures wide enough for the rounding errors: for
// laws that need A = sum|x_i| only roughly unless a verdict is close.

// unit64 is binary64's unit roundoff.
const unit64 = 0x1p-53

// AbsInterval32 returns an enclosure of A = sum|x[i]|.
//
// Error:   the n-1 additions err by at most (n-1)·u·A in all, in any order, so that
// A lies between c/(1+nu) and c/(1-nu) for the computed c; nothing under- or overflows.
// Special: an infinity among the elements gives (+Inf, +Inf), a NaN (NaN, NaN).
// Cost:    about 0.4 ns an element.
// Source:  [Jeannerod-Rump 2018], [Gamma T1].
func AbsInterval32(x []float32) (lo, hi float64) {
	n := len(x)
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		s0 += abs32(x[0])
		s1 += abs32(x[1])
		s2 += abs32(x[2])
		s3 += abs32(x[3])
		x = x[4:]
	}
	for _, v := range x {
		s0 += abs32(v)
	}
	return encloseSum(s0+s1+(s2+s3), n-1, 0, false)
}

// AbsDotInterval32 returns an enclosure of sum|x[i]·y[i]|. It panics if the lengths differ.
//
// Error:   as for AbsInterval32, since the products are exact.
// Special: an infinite product gives (+Inf, +Inf), a NaN, as 0·Inf is, (NaN, NaN).
// Cost:    about 0.6 ns an element.
func AbsDotInterval32(x, y []float32) (lo, hi float64) {
	if len(x) != len(y) {
		panic(lengthMismatch)
	}
	n := len(x)
	var s0, s1 float64
	for len(x) >= 2 && len(y) >= 2 {
		s0 += math.Abs(float64(float64(x[0]) * float64(y[0])))
		s1 += math.Abs(float64(float64(x[1]) * float64(y[1])))
		x, y = x[2:], y[2:]
	}
	for i, v := range x {
		s0 += math.Abs(float64(float64(v) * float64(y[i])))
	}
	return encloseSum(s0+s1, n-1, 0, false)
}

// AbsInterval64 returns an enclosure of A = sum|x[i]|.
//
// Error:   as for AbsInterval32; if the sum overflows, hi is +Inf and lo is the largest partial sum.
// Special: an infinity among the elements gives lo <= +Inf = hi, a NaN (NaN, NaN).
// Cost:    about 0.4 ns an element.
func AbsInterval64(x []float64) (lo, hi float64) {
	n := len(x)
	var s0, s1, s2, s3 float64
	for len(x) >= 4 {
		s0 += math.Abs(x[0])
		s1 += math.Abs(x[1])
		s2 += math.Abs(x[2])
		s3 += math.Abs(x[3])
		x = x[4:]
	}
	for _, v := range x {
		s0 += math.Abs(v)
	}
	return encloseSum(s0+s1+(s2+s3), n-1, 0, true)
}

// AbsDotInterval64 returns an enclosure of sum|x[i]·y[i]|. It panics if the lengths differ.
//
// Error:   as for AbsInterval64, with one more rounding a term, relative u or absolute 2^-1075.
// Special: an infinite product gives lo <= +Inf = hi, a NaN, as 0·Inf is, (NaN, NaN).
// Cost:    about 0.6 ns an element.
func AbsDotInterval64(x, y []float64) (lo, hi float64) {
	if len(x) != len(y) {
		panic(lengthMismatch)
	}
	n := len(x)
	var s0, s1 float64
	for len(x) >= 2 && len(y) >= 2 {
		s0 += math.Abs(float64(x[0] * y[0]))
		s1 += math.Abs(float64(x[1] * y[1]))
		x, y = x[2:], y[2:]
	}
	for i, v := range x {
		s0 += math.Abs(float64(v * y[i]))
	}
	return encloseSum(s0+s1, n, n, true)
}

// encloseSum returns an enclosure of a sum A >= 0 of which c was computed, with
// |c-A| <= k·u·A + tiny·2^-1074. If it could overflow, c = +Inf says only that the sum of
// some terms rounded beyond the largest finite number.
func encloseSum(c float64, k, tiny int, overflows bool) (lo, hi float64) {
	hi = c
	if c > math.MaxFloat64 {
		if !overflows {
			return c, c
		}
		c = math.MaxFloat64
	}
	t := float64(float64(tiny) * 0x1p-1074)
	lo = max(c-t, 0)
	if t > 0 {
		lo, hi = down(lo), addUp(hi, t)
	}
	if k <= 0 {
		return lo, hi
	}
	ku := float64(float64(k) * unit64)
	if lo > 0 {
		lo = down(lo / up(1+ku))
	}
	if hi > 0 {
		hi = up(hi / down(1-ku))
	}
	return lo, hi
}

func abs32(x float32) float64 {
	return float64(math.Float32frombits(math.Float32bits(x) &^ (1 << 31)))
}
