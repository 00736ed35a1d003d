package oracle

import (
	"math"

	"gamma/model"
)

// UlpDistance32 returns the number of steps from neighbour to neighbour between a and b, where the two
// zeros are one number and infinity follows the largest finite one.
//
// Special: the distance of two NaNs is 0, and that of a NaN and a number math.MaxUint64.
func UlpDistance32(a, b float32) uint64 {
	return UlpDistance(model.Binary32, uint64(math.Float32bits(a)), uint64(math.Float32bits(b)))
}

// UlpDistance64 is UlpDistance32 for binary64.
func UlpDistance64(a, b float64) uint64 {
	return UlpDistance(model.Binary64, math.Float64bits(a), math.Float64bits(b))
}

// UlpDistance is UlpDistance32 for the numbers that a and b encode in f.
func UlpDistance(f model.Format, a, b uint64) uint64 {
	if d, ok := nanDistance(f, a, b); ok {
		return d
	}
	sign := f.SignBit()
	a, b = a&(sign<<1-1), b&(sign<<1-1)
	i, j := int64(a&^sign), int64(b&^sign)
	if a&sign != 0 {
		i = -i
	}
	if b&sign != 0 {
		j = -j
	}
	if i < j {
		i, j = j, i
	}
	return uint64(i) - uint64(j)
}

// BitDistance is UlpDistance with -0 one step below +0: it is 0 only for equal bits or two NaNs.
func BitDistance(f model.Format, a, b uint64) uint64 {
	d := UlpDistance(f, a, b)
	if !f.IsNaN(a) && !f.IsNaN(b) && f.Signbit(a) != f.Signbit(b) {
		d++
	}
	return d
}

// nanDistance returns the distance where a or b is a NaN.
func nanDistance(f model.Format, a, b uint64) (d uint64, ok bool) {
	switch x, y := f.IsNaN(a), f.IsNaN(b); {
	case x && y:
		return 0, true
	case x || y:
		return math.MaxUint64, true
	}
	return 0, false
}

// UlpError returns |y - exact| in ulps of the exact value in f, where y is a number that b encodes
// in f: at most 1/2 for a result rounded to nearest, without a step to the rounding of exact.
// The ulp of exact is 2^(e-P+1) for 2^e <= |exact| < 2^(e+1), and the least subnormal below 2^Emin.
//
// Error:   rounded once to nearest.
// Special: +Inf if b encodes an infinity or a NaN.
func UlpError(f model.Format, b uint64, exact Dyadic) float64 {
	if !f.IsFinite(b) {
		return math.Inf(1)
	}
	e, ok := exact.Exponent()
	if !ok || e < f.Emin {
		e = f.Emin
	}
	return FromBits(f, b).Sub(exact).Abs().Scale(f.P - 1 - e).Float64()
}
