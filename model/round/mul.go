package round

import (
	"math/bits"

	"gamma/model"
)

// Mul returns fl(p · q).
//
// Special: 0·inf is invalid; the sign of a zero or infinity is the product of the signs.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §6.3.
func (a Arith) Mul(p, q uint64) uint64 {
	x, y := a.read(p), a.read(q)
	neg := x.neg != y.neg
	if x.special() || y.special() {
		if b, ok := a.nan(&x, &y); ok {
			return b
		}
		if x.class == model.ClassZero || y.class == model.ClassZero {
			return a.invalid()
		}
		return a.infinite(neg)
	}
	hi, lo := bits.Mul64(x.m, y.m)
	if hi|lo == 0 {
		return a.signed(neg, 0)
	}
	return a.round128(neg, hi, lo, x.e+y.e)
}

// Div returns fl(p / q).
//
// Special: 0/0 and inf/inf are invalid; x/0 is infinite for every other number x, with the product of
// the signs, or what the package comment says of formats that have no infinity or saturate.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §7.3.
func (a Arith) Div(p, q uint64) uint64 {
	x, y := a.read(p), a.read(q)
	neg := x.neg != y.neg
	if x.special() || y.special() {
		if b, ok := a.nan(&x, &y); ok {
			return b
		}
		switch {
		case x.class == y.class:
			return a.invalid()
		case x.class == model.ClassInf:
			return a.infinite(neg)
		}
		return a.signed(neg, 0)
	}
	switch {
	case x.m == 0 && y.m == 0:
		return a.invalid()
	case x.m == 0:
		return a.signed(neg, 0)
	case y.m == 0:
		return a.infinite(neg)
	}
	// x·2^63 / y is at least 2^62, and below 2^64.
	m, e := x.normalized()
	d, k := y.normalized()
	quo, rem := bits.Div64(m>>1, m<<63, d)
	if rem != 0 {
		quo |= 1
	}
	return a.round(neg, quo, e-k-63)
}
