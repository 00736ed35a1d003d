package oracle

import "math"

// Fma32 returns x·y+z rounded once to nearest even.
//
// Special: as [IEEE 754-2019] §5.4.1 and §6.3; the payload of a NaN is the hardware's.
// Source:  the product is exact in binary64, and a sum rounded to odd in 53 bits may be rounded
// again to 24, or to a subnormal's fewer, as if once: [Boldo-Melquiond 2008] Theorem 2.
// float32(math.FMA(…)) may differ: it rounds to nearest twice.
func Fma32(x, y, z float32) float32 {
	p := float64(float64(x) * float64(y))
	c := float64(z)
	s := p + c
	if s-s != 0 { // NaN or infinite; finite operands give less than 2^257
		return float32(s)
	}
	t := s - p
	e := (p - (s - t)) + (c - t) // the error of p+c, exactly
	return float32(RoundToOdd(s, e))
}

// RoundToOdd returns s+e rounded to odd: itself if it is a binary64 number, and otherwise the one
// of its two neighbours whose last bit is set.
//
// Domain: s is s+e rounded to nearest.
func RoundToOdd(s, e float64) float64 {
	b := math.Float64bits(s)
	if e == 0 || b&1 == 1 || e != e {
		return s
	}
	if (e < 0) == (s < 0) {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}
