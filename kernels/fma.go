package kernels

import "math"

// FMA returns x·y + z, rounded once to binary32. Go has no such function: float32(math.FMA(…))
// rounds twice.
//
// Rounding: the product is exact in binary64. Its sum with z, rounded there, lies on the exact sum's side
// of each middle of two neighbours in binary32, or on it: so if it is no such middle, it rounds as the exact
// sum does. From 2^-126 on the middles end in a one and 28 zeros. Elsewhere twoSum gives the sum as s + e, and
// s is rounded to odd. A number rounded to odd with 53 bits, and no underflow there, rounds to 24 bits or
// fewer as the exact number does, since 53 >= 24+2.
// Special: as in IEEE 754; Inf·0 + z is NaN.
// Source: [Boldo-Melquiond 2008] Theorem 3: rounding to odd before rounding to nearest.
func FMA(x, y, z float32) float32 {
	p := float64(float64(x) * float64(y))
	s := p + float64(z)
	if b := math.Float64bits(s); b<<1 >= (1023-126)<<53 && b&(1<<29-1) != 1<<28 {
		return float32(s)
	}
	return addOdd(p, float64(z))
}

// addOdd returns p + z rounded to odd in binary64, and then to binary32.
func addOdd(p, z float64) float32 {
	s, e := twoSum(p, z)
	return float32(roundOdd(s, e))
}

// roundOdd returns s + e rounded to odd: s if e is zero, and otherwise the one of s and its
// neighbour on e's side whose last significand bit is 1.
//
// Domain: |e| <= ulp(s)/2; if e is a NaN, the result is s.
func roundOdd(s, e float64) float64 {
	b := math.Float64bits(s)
	if b&1 != 0 || e == 0 || e != e {
		return s
	}
	if (e > 0) == (s > 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// twoProduct returns p = fl(x·y) in binary32 and its rounding error e = x·y - p, rounded to
// binary32: exact where no bit of it is below 2^-149.
//
// Special: if p is not finite, e is infinite or NaN.
func twoProduct(x, y float32) (p, e float32) {
	// The product has 48 bits, and p is a multiple of its last one or drops some: the difference
	// is exact in binary64.
	exact := float64(float64(x) * float64(y))
	p = float32(exact)
	return p, float32(exact - float64(p))
}
