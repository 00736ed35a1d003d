package real

import "math"

// Pow encloses x^y, with the special cases of IEEE 754's pow: of a negative x, only integers y give numbers.
//
// Domain:  every x and y. Above the largest number: [largest, +Inf]; below half the smallest: [0, smallest]; with the sign of the power.
// Special: zeros, infinities and NaNs among the arguments and |x| = 1 give exact results.
// Error:   the ends are the neighbours of a number with δ <= 2^-55.
//
// x^y = e^(y·ln|x|). logWide is off by less than 2^-65.6 of ln|x|, and the product with y, a double word, by 2^-104 of it: 2^-56 of the power, since
// |y·ln|x|| < 746. expOfSum adds 2^-58 and 2^-62.
func Pow(x, y float64) (lo, hi float64) {
	a := math.Abs(x)
	if x != x || y != y || x == 0 || y == 0 || a == 1 || math.IsInf(a, 1) || math.IsInf(y, 0) || x < 0 && y != math.Trunc(y) {
		v := math.Pow(x, y) // special cases that package math documents: nothing is computed
		return v, v
	}
	h, l := logWide(a)
	p := float64(y * h)
	switch {
	case p > 710:
		lo, hi = largest, math.Inf(1)
	case p < -746:
		lo, hi = 0, smallest
	default:
		lo, hi = expOfSum(normal(p, math.FMA(y, h, -p)+float64(y*l)))
	}
	if x < 0 && math.Abs(y) < 1<<53 && int64(y)&1 != 0 {
		return -hi, -lo
	}
	return lo, hi
}

// logWide returns h + l = ln x, off by less than 2^-65.6 of it, and l below half an ulp of h, for positive x.
//
// As logSum, with r² made exact by a fused operation: ln(1+r+rl) = r + rl - r²/2 - r·rl + r³·(1/3 - … - r^7/10), but for r^11/11 and r²·rl < 2^-75.
//
// Next to 1, |r| <= 2^-7 and rl = 0: the cubic part is below 2^-15.5 of ln x. r², r³ and the product are rounded by 2^-53 of it each, the constant 1/3 and
// two sums next to it by 2^-53.4, and two sums with it by 2^-53 each: 7.3·2^-68.5, less than 2^-65.6.
//
// Elsewhere, above 1, |r| <= 2^-7.5 and ln x > 2^-7.01: the cubic part is below 2^-24, and the same roundings and r²·rl are below 2^-73.8, 2^-66.7 of ln x.
// Below 1, |r| <= 2^-8 and |ln x| >= 2^-8, and it is less.
func logWide(x float64) (h, l float64) {
	e, row, r, rl := logReduce(x)
	hi := float64(e*ln2Hi) + row[1]
	low := float64(e*ln2Lo) + row[2]
	r2 := float64(r * r)
	r2l := math.FMA(r, r, -r2)
	q := (1./3 + float64(r*(-1./4))) + float64(r2*((1./5+float64(r*(-1./6)))+float64(r2*((1./7+float64(r*(-1./8)))+float64(r2*(1./9+float64(r*(-1./10))))))))
	s := hi + r
	t := r - (s - hi)
	u, v := twoSum(s, float64(-0.5*r2))
	return normal(u, (t+v)+((low+rl-(float64(r*rl)+float64(0.5*r2l)))+float64(r*r2*q)))
}
