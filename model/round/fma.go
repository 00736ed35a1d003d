package round

import (
	"math/bits"

	"gamma/model"
)

// Fma returns fl(p·q + r), rounded once.
//
// Special: 0·inf + r is invalid for every r but a NaN, which is propagated; an infinite product with
// the other infinity as r is invalid; an exact zero has the sign of a sum's.
// Cost:    no allocation.
// Source:  [IEEE 754-2019] §5.4.1, §7.2.
func (a Arith) Fma(p, q, r uint64) uint64 {
	if a.normal(p) && a.normal(q) && a.normal(r) {
		m, e := a.split(p)
		n, k := a.split(q)
		c, l := a.split(r)
		hi, lo := bits.Mul64(m, n)
		return a.fma((p^q)&a.signBit() != 0, hi, lo, e+k, r&a.signBit() != 0, c, l)
	}
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
	return a.fma(neg, hi, lo, x.e+y.e, z.neg, z.m, z.e)
}

// fma rounds the sum of the product hi·2^(e+64) + lo·2^e and the number m·2^k with the given signs;
// neither is 0.
func (a *Arith) fma(neg bool, hi, lo uint64, e int, mneg bool, m uint64, k int) uint64 {
	// Both terms get their leading bit at bit 126 of 128. A product has at most 106 bits, so that
	// twenty or more are free below; bits are lost only where the exponents differ by more than
	// that, and then at most one leading bit cancels: 126 bits are left.
	hi, lo, e = leading126(hi, lo, e)
	mhi, mlo, k := leading126(0, m, k)
	if e < k {
		hi, lo, e, neg, mhi, mlo, k, mneg = mhi, mlo, k, mneg, hi, lo, e, neg
	}
	mhi, mlo = shiftJam128(mhi, mlo, uint(e-k))
	if neg == mneg {
		lo, carry := bits.Add64(lo, mlo, 0)
		hi, _ = bits.Add64(hi, mhi, carry)
		return a.round128(neg, hi, lo, e)
	}
	lo, borrow := bits.Sub64(lo, mlo, 0)
	hi, borrow = bits.Sub64(hi, mhi, borrow)
	switch {
	case hi|lo == 0:
		return a.zero(neg, mneg)
	case borrow != 0: // the exponents are equal, and m is the greater one
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
		neg = mneg
	}
	return a.round128(neg, hi, lo, e)
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
