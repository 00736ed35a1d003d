package real

import "math"

// # How the fast half proves its bounds
//
// Each function computes an unevaluated sum s + t of two binary64 numbers with |s + t - y| <= δ·|y|, where y is the exact value and δ <= 2^-55,
// and rounds once: r = RN(s + t). Then y lies between the neighbours of r, pred(r) and succ(r).
//
// The distance D from r to its neighbour on the side of y is at least 2^-53·|r|. If s + t lies on that side, |s + t - r| <= D/2, since r is the
// nearest; otherwise y is nearer to r than to s + t. In both cases |y - r| <= D/2 + δ·|y|, and δ·|y| <= 2^-55·|r|·(1 + 2^-51) <= D/2.
//
// If r is scaled by a power of two into the subnormal numbers, the second rounding costs half a unit, and the first at most half of what it was:
// D/2 + (D/2 + D/4)/2 < D.
//
// An enclosure is therefore two units in the last place wide; where y is known to be a binary64 number, both ends are that number. Counted below,
// for each function, is δ: the errors of the argument's reduction, of the truncated series, and of each rounding, where a rounding of a number
// below 2^e in magnitude costs 2^(e-54) at most.
//
// FastTwoSum(a, b), s = RN(a+b) and b - (s-a), is exact if |a| >= |b|, and also if a is a multiple of ulp(b): then a + b is one, too; if |a + b|
// <= 2^53·ulp(b), it is a binary64 number, s = a + b and s - a = b; otherwise |a| > |b|, or |s - a| <= |b| + ulp(b), a multiple of ulp(b) as
// well, so that s - a is a binary64 number.

// largest and smallest are the ends of binary64's positive numbers.
const (
	largest  = math.MaxFloat64
	smallest = math.SmallestNonzeroFloat64
)

// twoSum returns a + b, rounded, and its error, exactly.
func twoSum(a, b float64) (s, e float64) {
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

// around returns the neighbours of RN(s + t), which is neither 0 nor infinite.
func around(s, t float64) (lo, hi float64) {
	b := math.Float64bits(s + t)
	d := uint64(int64(b)>>63 | 1) // 1, or -1 for a negative number: away from zero
	return math.Float64frombits(b - d), math.Float64frombits(b + d)
}

// outward returns x and its neighbour away from zero; x is neither 0 nor infinite.
func outward(x float64) (lo, hi float64) {
	y := math.Float64frombits(math.Float64bits(x) + 1)
	return min(x, y), max(x, y)
}

// inward returns x and its neighbour towards zero; x is not 0.
func inward(x float64) (lo, hi float64) {
	y := math.Float64frombits(math.Float64bits(x) - 1)
	return min(x, y), max(x, y)
}

// scaled returns what encloses y·2^k, given r in [1/2, 2] with y between its neighbours.
func scaled(r float64, k int) (lo, hi float64) {
	v := float64(r * math.Float64frombits(uint64(1023+k/2)<<52)) // exact: |k| < 1200
	v = float64(v * math.Float64frombits(uint64(1023+k-k/2)<<52))
	switch {
	case math.IsInf(v, 1): // r·2^k >= 2^1024, and so y >= pred(2^1024)
		return largest, v
	case v == 0:
		return 0, smallest
	}
	return around(v, 0)
}
