package round

import "gamma/model"

// Add returns fl(p + q).
//
// Special: inf + -inf is invalid; x + -x is +0, toward negative -0; NaNs as the package comment says.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §6.3.
func (a Arith) Add(p, q uint64) uint64 {
	x, y := a.read(p), a.read(q)
	return a.add(&x, &y)
}

// Sub returns fl(p - q), which is p + (-q) but for the sign of a NaN q, which it keeps.
//
// Special: inf - inf is invalid; x - x is +0, toward negative -0; NaNs as the package comment says.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §6.3.
func (a Arith) Sub(p, q uint64) uint64 {
	x, y := a.read(p), a.read(q)
	y.neg = !y.neg
	return a.add(&x, &y)
}

// add returns x + y, the signs being those of the neg fields.
func (a *Arith) add(x, y *operand) uint64 {
	if x.special() || y.special() {
		return a.addSpecial(x, y)
	}
	if x.e < y.e {
		x, y = y, x
	}
	// Ten bits below the last of x, and room for a carry above. Where y loses bits (x.e - y.e > 10)
	// x is normal and at most one leading bit cancels: P+9 bits are left for a jammed sum, of which
	// round wants P+2.
	const room = 10
	m, n := x.m<<room, shiftJam(y.m<<room, uint(x.e-y.e))
	e := x.e - room
	switch {
	case x.neg == y.neg:
		m += n
	case m > n:
		m -= n
	case m < n:
		return a.round(y.neg, n-m, e)
	default:
		m = 0
	}
	if m == 0 {
		return a.zero(x.neg, y.neg)
	}
	return a.round(x.neg, m, e)
}

func (a *Arith) addSpecial(x, y *operand) uint64 {
	if b, ok := a.nan(x, y); ok {
		return b
	}
	switch {
	case x.class == model.ClassInf && y.class == model.ClassInf && x.neg != y.neg:
		return a.invalid()
	case x.class == model.ClassInf:
		return a.infinite(x.neg)
	}
	return a.infinite(y.neg)
}
