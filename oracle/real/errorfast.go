package real

import "math"

// erfDegree is the degree of the polynomials of erfTable.
const erfDegree = 10

// Erf encloses erf x.
//
// Domain:  every x. Never beyond 1 in magnitude; 0 gives 0 exactly.
// Error:   the ends are the neighbours of a number with δ <= 2^-59.
//
// From 6 on, 1 - erf x < e^(-x²)/(x·√π) < 2^-55. Below 1/16, erfSmall. Between, a Taylor polynomial at c = (i + 1/2)/16, i = ⌊16·x⌋, in t = x - c,
// which is exact, |t| <= 1/32.
//
// Truncation. TestErfTruncation encloses the eleventh derivative over each interval: what is left out is below 2^-61.4 of erf x, 1.6 units of 2^-62.
//
// Roundings. erf c = f + fl and its slope a + al are double words. a·t is made exact by a fused operation, and its FastTwoSum with f as well, since
// f >= 0.105 > |a·t|. al·t, fl and the sum of both with the product's error are below 2^-52, rounded: 2^-105. The rest, t²·(a2 + …), is below
// 2^-9.2 of erf x, which the same test shows: t², three sums next to a2, the product, and two sums with it, are rounded by 2^-53 of it each, and in
// the first and smallest interval all are less than 6.2 units. Together less than 8.
func Erf(x float64) (lo, hi float64) {
	a := math.Abs(x)
	if !(a >= 1./16 && a < 6) {
		return erfEdge(x)
	}
	s, t := erfSum(a)
	v := math.Float64bits(s + t)
	lo, hi = math.Float64frombits(v-1), min(math.Float64frombits(v+1), 1)
	if x < 0 {
		return -hi, -lo
	}
	return lo, hi
}

// erfSum returns s + t = erf a, with the δ that Erf counts, for 1/16 <= a < 6.
func erfSum(a float64) (s, t float64) {
	i := int(a * 16)
	row := &erfTable[i]
	u := a - float64((float64(i)+0.5)*(1./16))
	p := float64(row[2] * u)
	pl := math.FMA(row[2], u, -p) + float64(row[3]*u)
	s = row[0] + p
	w := p - (s - row[0])
	u2 := float64(u * u)
	u4 := float64(u2 * u2)
	low := (row[4] + float64(u*row[5])) + float64(u2*(row[6]+float64(u*row[7])))
	high := (row[8] + float64(u*row[9])) + float64(u2*(row[10]+float64(u*row[11]))) + float64(u4*row[12])
	return s, w + ((row[1] + pl) + float64(u2*(low+float64(u4*high))))
}

func erfEdge(x float64) (lo, hi float64) {
	switch a := math.Abs(x); {
	case x != x || x == 0:
		return x, x
	case math.IsInf(a, 1):
		return math.Copysign(1, x), math.Copysign(1, x)
	case a >= 6:
		return inward(math.Copysign(1, x))
	case a < 0x1p-900: // out of the reach of underflow, and back with one more rounding
		s, t := erfSmall(float64(x * 0x1p200))
		return around(float64((s+t)*0x1p-200), 0)
	}
	return around(erfSmall(x))
}

// erfSmall returns s + t = erf x for 2^-900 <= |x| <= 1/16, with δ <= 2^-59: erf x = 2/√π·(x - x³/3 + x⁵/10 - …), whose terms alternate and
// decrease.
//
// The first product is made exact but for roundings below 2^-105. The rest, up to x^13/(6!·13), leaves out 2^-72 of erf x; it is below 2^-9.5 of
// it, and its roundings, six, below 2^-59.9.
func erfSmall(x float64) (s, t float64) {
	s = float64(x * erfSlopeHi)
	e := math.FMA(x, erfSlopeHi, -s) + float64(x*erfSlopeLo)
	u := float64(x * x)
	u2 := float64(u * u)
	q := (-1./3 + float64(u*(1./10))) + float64(u2*((-1./42+float64(u*(1./216)))+float64(u2*(-1./1320+float64(u*(1./9360))))))
	return s, e + float64(s*float64(u*q))
}
