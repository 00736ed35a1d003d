package round

import (
	"math"
	"math/big"
)

// FromDyadic returns (-1)^neg · m · 2^e, rounded once. A negative m flips the sign.
//
// Special: m = 0 gives the zero with the sign of neg.
// Cost:    no allocation while m < 2^64, one beyond.
func (a Arith) FromDyadic(neg bool, m *big.Int, e int) uint64 {
	if m.Sign() < 0 {
		neg, m = !neg, new(big.Int).Neg(m)
	}
	return a.fromDyadic(neg, m, e, false)
}

// FromRat returns x, rounded once; 0 gives +0.
func (a Arith) FromRat(x *big.Rat) uint64 {
	num, den := new(big.Int).Abs(x.Num()), x.Denom()
	// The quotient gets 65 bits or more.
	e := num.BitLen() - den.BitLen() - 65
	var scaled, quo, rem big.Int
	if e < 0 {
		num = scaled.Lsh(num, uint(-e))
	} else {
		den = scaled.Lsh(den, uint(e))
	}
	quo.QuoRem(num, den, &rem)
	return a.fromDyadic(x.Sign() < 0, &quo, e, rem.Sign() != 0)
}

// fromDyadic is FromDyadic for a magnitude that may have more bits below m's last one.
//
// Domain: m >= 0, and m >= 2^64 if more.
func (a *Arith) fromDyadic(neg bool, m *big.Int, e int, more bool) uint64 {
	a.read(0) // panics for what is not a format
	n := m.BitLen()
	if n == 0 {
		return a.signed(neg, 0)
	}
	top := m
	if drop := n - 64; drop > 0 {
		top = new(big.Int).Rsh(m, uint(drop))
		if more || m.TrailingZeroBits() < uint(drop) {
			top.SetBit(top, 0, 1)
		}
		e = addSaturating(e, drop)
	}
	// Far outside any format's range, and far from the ends of int.
	const far = 1 << 29
	return a.round(neg, top.Uint64(), max(-far, min(e, far)))
}

// addSaturating returns e + n for n >= 0, at most the largest int.
func addSaturating(e, n int) int {
	if e > math.MaxInt-n {
		return math.MaxInt
	}
	return e + n
}
