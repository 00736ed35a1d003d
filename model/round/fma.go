package round

import (
	"math/bits"

	"gamma/model"
)

// Fma returns fl(p·q + r), rounded once.
//
// Special: 0·inf + r is invalid for every r but a NaN, which is handed on; an infinite product with
// the other infinity as r is invalid; an exact zero has the sign of a sum's.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §7.2.
func (a Arith) Fma(p, q, r uint64) uint64 {
	x, y, z := a.read(p), a.read(q), a.read(r)
	neg := x.neg != y.neg
	if x.special() || y.special() || z.special() {
		return a.fmaSpecial(&x, &y, &z)
	}
	hi, lo := bits.Mul64(x.m, y.m)
	switch {
	case hi|lo == 0 && z.m == 0:
		return a.zero(neg, z.neg)
	case hi|lo == 0:
		return a.round(z.neg, z.m, z.e)
	case z.m == 0:
		return a.round128(neg, hi, lo, x.e+y.e)
	}
	// Both terms get their leading bit at bit 126 of 128. A product has at most 106 bits, so that
	// twenty or more are free below; bits are lost only where the exponents differ by more than
	// that, and then at most one leading bit cancels: 126 bits are left.
	hi, lo, e := leading126(hi, lo, x.e+y.e)
	zhi, zlo, ze := leading126(0, z.m, z.e)
	if e < ze {
		hi, lo, zhi, zlo = zhi, zlo, hi, lo
		e, ze = ze, e
		neg, z.neg = z.neg, neg
	}
	zhi, zlo = shiftJam128(zhi, zlo, uint(e-ze))
	if neg == z.neg {
		lo, carry := bits.Add64(lo, zlo, 0)
		hi, _ = bits.Add64(hi, zhi, carry)
		return a.round128(neg, hi, lo, e)
	}
	dlo, borrow := bits.Sub64(lo, zlo, 0)
	dhi, borrow := bits.Sub64(hi, zhi, borrow)
	switch {
	case dhi|dlo == 0:
		return a.zero(neg, z.neg)
	case borrow == 0:
		return a.round128(neg, dhi, dlo, e)
	}
	dlo, borrow = bits.Sub64(0, dlo, 0)
	dhi, _ = bits.Sub64(0, dhi, borrow)
	return a.round128(z.neg, dhi, dlo, e)
}

// leading126 returns the value hi·2^(e+64) + lo·2^e with its leading bit at bit 126.
//
// Domain: 0 < hi·2^64 + lo < 2^127.
func leading126(hi, lo uint64, e int) (uint64, uint64, int) {
	if hi == 0 {
		hi, lo, e = lo, 0, e-64
		if hi>>63 != 0 {
			return hi >> 1, hi << 63, e + 1
		}
	}
	n := uint(bits.LeadingZeros64(hi) - 1)
	return hi<<n | lo>>(64-n), lo << n, e - int(n)
}

func (a *Arith) fmaSpecial(x, y, z *operand) uint64 {
	if b, ok := a.nan(x, y, z); ok {
		return b
	}
	neg := x.neg != y.neg
	if x.class == model.ClassInf || y.class == model.ClassInf {
		switch {
		case x.class == model.ClassZero || y.class == model.ClassZero:
			return a.invalid()
		case z.class == model.ClassInf && z.neg != neg:
			return a.invalid()
		}
		return a.infinite(neg)
	}
	return a.infinite(z.neg)
}
