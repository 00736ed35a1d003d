package oracle

import (
	"math"

	"gamma/model"
)

// specials records what a fixed-point number cannot hold: which special values were added.
// A NaN, or infinities of both signs, make the sum a NaN.
type specials uint8

const (
	sawNaN specials = 1 << iota
	sawPosInf
	sawNegInf
	sawPosZero
	sawNegZero
	sawNonzero

	notFinite = sawNaN | sawPosInf | sawNegInf
)

// negated returns the specials of the terms with their signs changed.
func (s specials) negated() specials {
	n := s & (sawNaN | sawNonzero)
	if s&sawPosInf != 0 {
		n |= sawNegInf
	}
	if s&sawNegInf != 0 {
		n |= sawPosInf
	}
	if s&sawPosZero != 0 {
		n |= sawNegZero
	}
	if s&sawNegZero != 0 {
		n |= sawPosZero
	}
	return n
}

// isFinite reports whether no term was an infinity or a NaN.
func (s specials) isFinite() bool { return s&notFinite == 0 }

// isNaN reports whether the sum is a NaN.
func (s specials) isNaN() bool {
	return s&sawNaN != 0 || s&sawPosInf != 0 && s&sawNegInf != 0
}

// infinity returns the sign of an infinite sum. Domain: the sum is infinite.
func (s specials) infinity() int {
	if s&sawPosInf != 0 {
		return 1
	}
	return -1
}

// negativeZero reports whether a sum whose exact value is zero is -0 in direction r.
//
// Special: terms that are all -0 sum to -0, terms that are all +0, and no terms, to +0; anything
// else cancels, to -0 toward negative and to +0 otherwise.
// Source:  [IEEE 754-2019] §6.3.
func (s specials) negativeZero(r model.Rounding) bool {
	switch s & (sawPosZero | sawNegZero | sawNonzero) {
	case 0, sawPosZero:
		return false
	case sawNegZero:
		return true
	}
	return r == model.TowardNegative
}

// bits returns the encoding in f of a sum that is zero, infinite or NaN.
func (s specials) bits(f model.Format, r model.Rounding) uint64 {
	switch {
	case s.isNaN():
		return f.NaNBits()
	case s.isFinite():
		if s.negativeZero(r) {
			return f.SignBit()
		}
		return 0
	}
	b := f.NaNBits()
	switch {
	case f.HasInf:
		b = f.InfBits()
	case f.Overflow == model.OverflowSaturate:
		b = f.MaxBits()
	}
	if s.infinity() < 0 {
		b |= f.SignBit()
	}
	return b
}

// float returns a sum that is zero, infinite or NaN, rounded to nearest.
func (s specials) float() float64 {
	switch {
	case s.isNaN():
		return math.NaN()
	case !s.isFinite():
		return math.Inf(s.infinity())
	case s.negativeZero(model.NearestEven):
		return math.Copysign(0, -1)
	}
	return 0
}

// cmp compares two sums of which at least one is not finite.
func (s specials) cmp(t specials) (c int, ok bool) {
	if s.isNaN() || t.isNaN() {
		return 0, false
	}
	var a, b int
	if !s.isFinite() {
		a = s.infinity()
	}
	if !t.isFinite() {
		b = t.infinity()
	}
	return max(-1, min(1, a-b)), true
}
