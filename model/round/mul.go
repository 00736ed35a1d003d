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
	if a.normal(p) && a.normal(q) {
		m, e := a.split(p)
		n, k := a.split(q)
		return a.mul((p^q)&a.signBit() != 0, m, e, n, k)
	}
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
	if x.m == 0 || y.m == 0 {
		return a.signed(neg, 0)
	}
	return a.mul(neg, x.m, x.e, y.m, y.e)
}

// mul rounds m·2^e · n·2^k with the given sign, m, n > 0.
func (a *Arith) mul(neg bool, m uint64, e int, n uint64, k int) uint64 {
	m, e = normalized(m, e)
	n, k = normalized(n, k)
	hi, lo := bits.Mul64(m, n) // at least 2^126
	if lo != 0 {
		hi |= 1
	}
	return a.round(neg, hi, e+k+64)
}

// Div returns fl(p / q).
//
// Special: 0/0 and inf/inf are invalid; x/0 is infinite for every other number x, with the product of
// the signs, or the result that the package comment gives for formats that have no infinity or saturate.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §7.3.
func (a Arith) Div(p, q uint64) uint64 {
	if a.normal(p) && a.normal(q) {
		m, e := a.split(p)
		n, k := a.split(q)
		return a.div((p^q)&a.signBit() != 0, m, e, n, k)
	}
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
	return a.div(neg, x.m, x.e, y.m, y.e)
}

// div rounds m·2^e / n·2^k with the given sign, m, n > 0.
func (a *Arith) div(neg bool, m uint64, e int, n uint64, k int) uint64 {
	m, e = normalized(m, e)
	n, k = normalized(n, k)
	quo, rem := bits.Div64(m>>1, m<<63, n) // m·2^63 / n, above 2^62 and below 2^64
	if rem != 0 {
		quo |= 1
	}
	return a.round(neg, quo, e-k-63)
}
