package real

import "math"

// Sqrt encloses √x.
//
// Domain:  every x. Roots that are binary64 numbers are exact; below 0, NaN.
// Error:   one unit in the last place wide: the number that IEEE 754 requires of a square root, and its neighbour on the side that the remainder shows.
func Sqrt(x float64) (lo, hi float64) {
	s := math.Sqrt(x)
	rest := rootRest(x, s)
	switch {
	case rest > 0:
		return outward(s)
	case rest < 0:
		return inward(s)
	}
	return s, s // exact, a zero, an infinity or NaN
}

// rootRest returns x - s², exactly but for a power of two, for s = RN(√x): a multiple of ulp(s)² below 2·s·ulp(s), which a fused operation gives exactly where nothing underflows.
func rootRest(x, s float64) float64 {
	if x < 0x1p-900 {
		x, s = float64(x*0x1p200), float64(s*0x1p100)
	}
	return math.FMA(-s, s, x)
}

// Rsqrt encloses 1/√x.
//
// Domain:  every x. +0 gives +Inf and -0 gives -Inf, +Inf gives 0, even powers of two give powers of two, all exact; below 0, NaN.
// Error:   the ends are the neighbours of a number with δ <= 2^-100.
//
// √x = s + e with s = RN(√x), e = (x - s²)/(2s), but for e²/(2s) < 2^-107·s; ratio does the rest.
func Rsqrt(x float64) (lo, hi float64) {
	if !(x > 0 && x <= largest) {
		v := 1 / math.Sqrt(x)
		return v, v
	}
	f := 1.
	if x < 0x1p-900 {
		x, f = float64(x*0x1p200), 0x1p100
	}
	s := math.Sqrt(x)
	rest := math.FMA(-s, s, x)
	q, c := ratio(1, 0, s, rest/float64(2*s))
	q, c = float64(q*f), float64(c*f)
	if rest == 0 && c == 0 {
		return q, q
	}
	return around(q, c)
}
