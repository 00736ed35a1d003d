package round

import "gamma/model"

// room is the number of bits that a sum keeps below the last place of the operand with the larger
// exponent. An operand loses bits only if its exponent is smaller by more than that; the other one
// is then normal and at most one leading bit cancels, so that a jammed sum has P+9 bits or more, of
// which round wants P+2. With P <= 53 a carry still fits above.
const room = 10

// Add returns fl(p + q).
//
// Special: inf + -inf is invalid; x + -x is +0, toward negative -0; NaNs as the package comment says.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §6.3.
func (a Arith) Add(p, q uint64) uint64 {
	if a.normal(p) && a.normal(q) {
		return a.addNormal(p, q)
	}
	x, y := a.read(p), a.read(q)
	return a.add(&x, &y)
}

// Sub returns fl(p - q), which is p + (-q) but for the sign of a NaN q, which it keeps.
//
// Special: inf - inf is invalid; x - x is +0, toward negative -0; NaNs as the package comment says.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §6.3.
func (a Arith) Sub(p, q uint64) uint64 {
	if a.normal(p) && a.normal(q) {
		return a.addNormal(p, q^a.signBit())
	}
	x, y := a.read(p), a.read(q)
	y.neg = !y.neg
	return a.add(&x, &y)
}

// addNormal is add for what normal lets pass, in half the time.
func (a *Arith) addNormal(p, q uint64) uint64 {
	sign, w := a.signBit(), a.fracBits()
	large, small := p&(sign-1), q&(sign-1)
	neg := p&sign != 0
	if large < small { // encodings order magnitudes
		large, small = small, large
		neg = q&sign != 0
	}
	hidden := uint64(1) << w
	m := (large&(hidden-1) | hidden) << room
	n := shiftJam((small&(hidden-1)|hidden)<<room, uint(large>>w-small>>w))
	if differ := (p ^ q) & sign; differ != 0 {
		if m == n {
			return a.zero(neg, !neg)
		}
		n = -n
	}
	return a.round(neg, m+n, int(large>>w)-1+a.F.Emin-int(w)-room)
}

// add returns x + y, the signs being those of the neg fields.
func (a *Arith) add(x, y *operand) uint64 {
	if x.special() || y.special() {
		return a.addSpecial(x, y)
	}
	if x.e < y.e {
		x, y = y, x
	}
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
