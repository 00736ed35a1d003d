package real

import "math"

// toInteger is added to a number below 2^51 to round it to an integer, which then stands in the lowest bits.
const toInteger = 0x1.8p52

// Exp encloses e^x.
//
// Domain:  every x. Above ln of the largest number: [largest, +Inf]; below ln of the smallest: [0, smallest]; e^0 = 1 exactly.
// Error:   the ends are the neighbours of a number with δ <= 2^-58.
// Cost:    see BenchmarkFast.
//
// e^x = 2^m·2^(i/128)·e^r, where k = 128·m + i is an integer next to x·128/ln 2, and r = x - k·ln 2/128.
//
// Reduction. stepEHi is a multiple of 2^-42 below 2^-7, 35 bits, and |k| < 2^18, so that k·stepEHi is exact. If k is not 0, then |x| > 2^-9, so
// that x - k·stepEHi is a multiple of 2^-61, below 2^-8 in magnitude, and exact. stepELo < 2^-42 is off by 2^-96 at most, its product by k off by
// 2^-78 in all and rounded below 2^-24, an error of 2^-78. The last difference, |r| < 2^-8.5, is rounded: 2^-62. k is off from the nearest by
// less than 2^-30, which makes |r| <= ln 2/256 + 2^-37 < 0.00271.
//
// Series. e^r - 1 = p = r + r²·(1/2 + r/6 + r²·(1/24 + r/120)), where what is left out is |r|^6/720·(1 + 2^-10) < 2^-60.6. r² < 2^-17: its part
// of p, four roundings and the constants' own, is off by less than 2^-68, and the last sum by 2^-62.
//
// Product. With 2^(i/128) = h + l, |l| <= 2^-53, l off by 2^-106: (h + l)(1 + p) = h + (l + h·p) + l·p. Relative to h, l·p is below 2^-61.4, and
// h·p and l + h·p are rounded, 2^-61.4 each. Together, in units of 2^-62: 1 + 2.7 + 1.1 + 3·1.6 < 10, and δ < 2^-58.
func Exp(x float64) (lo, hi float64) {
	if !(math.Abs(x) < 708) { // 2^-1022 < e^-708 and e^708 < 2^1022
		return expEdge(x)
	}
	if x == 0 {
		return 1, 1
	}
	k, r := expReduce(x)
	s, t := power(k, r)
	v := math.Float64bits(s+t) + k>>7<<52
	return math.Float64frombits(v - 1), math.Float64frombits(v + 1)
}

// expReduce returns the integer k, in the lowest 51 bits, and r: what Exp says under reduction, for |x| < 2^10.
func expReduce(x float64) (k uint64, r float64) {
	n := float64(x*stepsPerE) + toInteger
	k = math.Float64bits(n)
	n -= toInteger
	return k, (x - float64(n*stepEHi)) - float64(n*stepELo)
}

// power returns s + t = 2^(i/128)·e^r, where i are the lowest seven bits of k: what Exp says under series and product.
func power(k uint64, r float64) (s, t float64) {
	e := &powerTable[k&127]
	r2 := float64(r * r)
	p := r + float64(r2*((0.5+float64(r*(1./6)))+float64(r2*(1./24+float64(r*(1./120))))))
	return e[0], e[1] + float64(e[0]*p)
}

// whole7 returns ⌊k/128⌋ of the integer in the lowest 51 bits of k.
func whole7(k uint64) int { return int(int64(k<<13) >> 20) }

// expEdge is Exp where the result may not be normal.
func expEdge(x float64) (lo, hi float64) {
	switch {
	case x != x:
		return x, x
	case math.IsInf(x, 1):
		return x, x
	case math.IsInf(x, -1):
		return 0, 0
	}
	return expOfSum(x, 0)
}

// expOfSum encloses e^(x+d) for |d| <= 2^-52·|x|: d is added to r, which costs one more rounding of 2^-62.
func expOfSum(x, d float64) (lo, hi float64) {
	switch {
	case x > 710: // ln of the largest number is 709.78…
		return largest, math.Inf(1)
	case x < -746: // ln of half the smallest is -745.13…
		return 0, smallest
	}
	k, r := expReduce(x)
	s, t := power(k, r+d)
	return scaled(s+t, whole7(k))
}

// Exp2 encloses 2^x.
//
// Domain:  every x. From 1024 on: [largest, +Inf]; below -1074: [0, smallest]; integers give themselves exactly.
// Error:   the ends are the neighbours of a number with δ <= 2^-58.
//
// 2^x = 2^(k/128)·e^r with k the integer next to 128·x and r = (x - k/128)·ln 2. The difference is exact, and 2^-8 at most; ln 2 and the product
// are rounded, 2^-62 each. The rest is Exp's.
func Exp2(x float64) (lo, hi float64) {
	if !(math.Abs(x) < 1022) {
		return exp2Edge(x)
	}
	k, r := exp2Reduce(x)
	if r == 0 && k&127 == 0 {
		v := math.Float64frombits(1023<<52 + k>>7<<52)
		return v, v
	}
	s, t := power(k, r)
	v := math.Float64bits(s+t) + k>>7<<52
	return math.Float64frombits(v - 1), math.Float64frombits(v + 1)
}

// exp2Reduce returns the integer k, in the lowest 51 bits, and r: what Exp2 says, for |x| < 2^11.
func exp2Reduce(x float64) (k uint64, r float64) {
	n := x + toInteger/128
	return math.Float64bits(n), float64((x - (n - toInteger/128)) * ln2Nearest)
}

// exp2Edge is Exp2 where the result may not be normal.
func exp2Edge(x float64) (lo, hi float64) {
	switch {
	case x != x || math.IsInf(x, 1):
		return x, x
	case math.IsInf(x, -1):
		return 0, 0
	case x >= 1024:
		return largest, math.Inf(1)
	case x < -1075:
		return 0, smallest
	}
	k, r := exp2Reduce(x)
	if m := whole7(k); r == 0 && k&127 == 0 && m >= -1074 {
		v := math.Ldexp(1, m)
		return v, v
	}
	s, t := power(k, r)
	return scaled(s+t, whole7(k))
}

// Expm1 encloses e^x - 1.
//
// Domain:  every x. Above ln of the largest number: [largest, +Inf]; never below -1; 0 gives 0 exactly.
// Error:   the ends are the neighbours of a number with δ <= 2^-56: 2^-57 + 2^-58, and 2^-58 up to 40.
//
// Below 2^-54 in magnitude, x < e^x - 1 < x + x². Above 40, the 1 is less than 2^-57 of e^x, which adds to its δ; below -40, -1 < e^x - 1 < -1 +
// 2^-57. Between: expm1Sum.
func Expm1(x float64) (lo, hi float64) {
	switch {
	case x != x || x == 0:
		return x, x
	case math.Abs(x) < 0x1p-54:
		if x < 0 {
			return inward(x)
		}
		return outward(x)
	case x > 40:
		return Exp(x)
	case math.IsInf(x, -1):
		return -1, -1
	case x < -40:
		return inward(-1)
	}
	lo, hi = around(expm1Sum(x))
	return max(lo, -1), hi
}

// expm1Sum returns s + t = e^x - 1 for 2^-54 <= |x| <= 40, with δ <= 2^-58.
//
// Reduction as in Exp, with r = rh + rl: r1 = x - k·stepEHi is a multiple of 2^-61 and k·stepELo < 2^-29, so that their FastTwoSum is exact;
// k·stepELo is off by 2^-82.
//
// Series. p = rh + q, q = rl + rh²·(1/2 + … + rh⁴/720), leaves out 2^-72, and below 2^-63 of r. rh²/2 < 2^-18: the square, two sums next to 1/2 and
// the product are rounded by 2^-53 of it each, 2^-71 in all, and the sum with rl by as much: q is off by less than 2^-68.7. If k = 0, then rl = 0,
// and q is off by less than 2^-60.5 of r.
//
// Sum. With M = 2^m and 2^(i/128) = h + l: e^x - 1 = (M·h - 1) + M·h·rh + M·(l + h·q + l·rh) + M·l·q. The first sum and the first product are
// made exact, the latter by a fused operation, and their sum too. In units of M·2^-70: h·q is off by 4.9; l·q is left out, 0.5, and what the series
// leaves out is 0.5; h·q and the sums with it, four, are rounded, 0.5 each: less than 9, 2^-66.8·M. If k > 0, e^x - 1 > M·2^-8.6, and if k < 0, then
// M <= 1/2 and 1 - e^x > 2^-8.6: δ < 2^-58. If k = 0, then M·h - 1 = 0 and s + t = rh + q.
func expm1Sum(x float64) (s, t float64) {
	k := float64(x*stepsPerE) + toInteger
	b := math.Float64bits(k)
	k -= toInteger
	r1, r2 := x-float64(k*stepEHi), float64(k*stepELo)
	r := r1 - r2
	rl := (r1 - r) - r2
	rr := float64(r * r)
	q := rl + float64(rr*((0.5+float64(r*(1./6)))+float64(rr*((1./24+float64(r*(1./120)))+float64(rr*(1./720))))))
	m := math.Float64frombits(1023<<52 + b>>7<<52)
	e := &powerTable[b&127]
	u, v := twoSum(float64(m*e[0]), -1)
	p := float64(e[0] * r)
	pl := math.FMA(e[0], r, -p)
	s, w := twoSum(u, float64(m*p))
	rest := (pl + e[1]) + (float64(e[0]*q) + float64(e[1]*r))
	return s, w + (v + float64(m*rest))
}

// Tanh encloses tanh x.
//
// Domain:  every x. Never beyond 1 in magnitude; 0 gives 0 exactly.
// Error:   the ends are the neighbours of a number with δ <= 2^-57.
//
// tanh |x| = E/(E + 2) with E = e^(2|x|) - 1. An error ε·E changes it by ε·2/(E+2) <= ε, relatively. E = h + l by FastTwoSum, and its sum with 2
// is made exact but for l + dl, rounded below 2^-52 of it: 2^-105. The quotient q = RN(h/d) is off by its remainder h - q·d, exact by a fused
// operation; the correction is below 2^-51 of q, and its roundings below 2^-100.
// Below 2^-27, x - x³/3 < tanh x < x; from 20 on, 1 - tanh x < 2·e^-40 < 2^-56.
func Tanh(x float64) (lo, hi float64) {
	a := math.Abs(x)
	switch {
	case x != x || x == 0:
		return x, x
	case math.IsInf(a, 1):
		return math.Copysign(1, x), math.Copysign(1, x)
	case a < 0x1p-27:
		return inward(x)
	case a >= 20:
		return inward(math.Copysign(1, x))
	}
	s, t := expm1Sum(float64(2 * a))
	q, c := quotient(s, t, 2)
	lo, hi = around(q, c)
	hi = min(hi, 1)
	if x < 0 {
		return -hi, -lo
	}
	return lo, hi
}

// quotient returns a sum for E/(E + d), E = s + t.
func quotient(s, t, d float64) (q, c float64) {
	h := s + t
	l := t - (h - s)
	dh, dl := twoSum(h, d)
	return ratio(h, l, dh, dl+l)
}

// ratio returns a sum for (h + l)/(d + e), where l and e are below an ulp of h and d.
func ratio(h, l, d, e float64) (q, c float64) {
	q = h / d
	return q, (math.FMA(-q, d, h) + (l - float64(q*e))) / d
}
