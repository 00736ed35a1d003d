package real

import (
	"math"
	"math/big"
)

// SinRange encloses sin over [lo, hi]: the hull of its values at the ends and of the extreme values between. [-1, 1] if hi - lo > 3.2, if an end
// is infinite, or if lo > hi or an end is NaN.
//
// Error: the ends of the enclosure are those of [Sin] at lo and hi, or 1 and -1 exactly.
func SinRange(lo, hi float64) (least, most float64) { return waveRange(lo, hi, 3.2, 0, Sin, quadrant) }

// CosRange is [SinRange] for cos.
func CosRange(lo, hi float64) (least, most float64) { return waveRange(lo, hi, 3.2, 1, Cos, quadrant) }

// waveRange encloses sin(x + shift·π/2) over [lo, hi], or the same of πx, given its values, the quadrants and how wide an interval may be. sin is monotone where ⌊x/(π/2)⌋ is in {4j-1, 4j}, and where it is in {4j+1, 4j+2}: it has
// a maximum between quadrants 4j and 4j+1, and a minimum between 4j+2 and 4j+3. hi - lo <= 3.2·(1 + 2^-53) < 2π passes fewer than four borders,
// so that quadrants modulo 4 tell how many.
func waveRange(lo, hi, width float64, shift int, f func(float64) (lo, hi float64), quadrant func(float64) int) (least, most float64) {
	if !(lo <= hi && hi-lo <= width) { // Inf - Inf is NaN
		return -1, 1
	}
	least, most = f(lo)
	if lo == hi {
		return least, most
	}
	l, m := f(hi)
	least, most = min(least, l), max(most, m)
	for q, last := quadrant(lo), quadrant(hi); q != last; q = (q + 1) & 3 {
		switch (q + shift) & 3 {
		case 0:
			most = 1
		case 2:
			least = -1
		}
	}
	return least, most
}

// quadrant returns ⌊x/(π/2)⌋ modulo 4, for finite x.
func quadrant(x float64) int {
	q := 0
	if a := math.Abs(x); a > 0.78 {
		k, r, _, ok := reduceAngle(a)
		if !ok { // x is next to a multiple of π/2, and the slow half knows on which side
			n := Bits(64).quadrant(Point(x).Lo)
			return int(n.And(n, big.NewInt(3)).Int64())
		}
		q = k & 3
		if r < 0 {
			q = (q - 1) & 3
		}
	}
	if x < 0 { // -x is no multiple of π/2, so that ⌊-y⌋ = -1 - ⌊y⌋
		return ^q & 3
	}
	return q
}
