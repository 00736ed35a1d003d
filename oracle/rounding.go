package oracle

import (
	"math"

	"gamma/model"
)

// round returns the encoding in f of a number that is not zero, rounded once in direction r.
//
// Range:   results beyond MaxFinite become what f.Overflow says when r leads away from zero or to
// nearest, and MaxFinite when it leads toward zero.
// Source:  [IEEE 754-2019] §4.3 and §7.4.
func (x leading) round(f model.Format, r model.Rounding) uint64 {
	e := max(x.e+63, f.Emin) // exponent of the leading bit, or that of the subnormals
	shift := e - f.P + 1 - x.e
	var k uint64 // units in the last place
	var half, rest bool
	switch {
	case shift > 64:
		rest = true
	case shift == 64:
		half = x.m>>63 == 1
		rest = x.m<<1 != 0 || x.sticky
	default:
		k = x.m >> shift
		half = x.m>>(shift-1)&1 == 1
		rest = x.m&(1<<(shift-1)-1) != 0 || x.sticky
	}
	var away bool
	switch r {
	case model.NearestEven:
		away = half && (rest || k&1 == 1)
	case model.NearestAway:
		away = half
	case model.TowardPositive:
		away = !x.neg && (half || rest)
	case model.TowardNegative:
		away = x.neg && (half || rest)
	}
	if away {
		k++
	}
	// The encoding of a normal number counts from 2^(P-1) in its binade, so that a carry out of k
	// moves it into the next one.
	b := uint64(e-f.Emin)<<(f.P-1) + k
	if e > f.Emax || b > f.MaxBits() {
		b = overflow(f, r, x.neg)
	}
	if x.neg {
		b |= f.SignBit()
	}
	return b
}

// overflow returns the magnitude of a result beyond MaxFinite.
func overflow(f model.Format, r model.Rounding, neg bool) uint64 {
	if r == model.TowardZero || r == model.TowardPositive && neg || r == model.TowardNegative && !neg {
		return f.MaxBits()
	}
	switch f.Overflow {
	case model.OverflowNaN:
		return f.NaNBits()
	case model.OverflowSaturate:
		return f.MaxBits()
	}
	return f.InfBits()
}

// truncate returns the magnitude of a number that is not zero as binary64, rounded toward zero,
// and whether that is exact.
func (x leading) truncate() (t float64, exact bool) {
	e := x.e + 63
	switch {
	case e > 1023:
		return math.MaxFloat64, false
	case e >= -1022:
		return math.Float64frombits(uint64(e+1022)<<52 + x.m>>11), x.m<<53 == 0 && !x.sticky
	}
	shift := -1074 - x.e
	if shift > 63 {
		return 0, false
	}
	return math.Float64frombits(x.m >> shift), x.m&(1<<shift-1) == 0 && !x.sticky
}

// interval returns the binary64 numbers next to x, which coincide when x is one.
func (x leading) interval() (lo, hi float64) {
	if x.m == 0 {
		return 0, 0
	}
	lo, exact := x.truncate()
	hi = lo
	if !exact {
		hi = math.Float64frombits(math.Float64bits(lo) + 1)
	}
	if x.neg {
		return -hi, -lo
	}
	return lo, hi
}

// float64 returns a number that is not zero rounded to nearest even.
func (x leading) float64() float64 {
	return math.Float64frombits(x.round(model.Binary64, model.NearestEven))
}

// float32 returns a number that is not zero rounded to nearest even.
func (x leading) float32() float32 {
	return math.Float32frombits(uint32(x.round(model.Binary32, model.NearestEven)))
}
