package dft

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
)

// fixed is an integer of 192 bits in two's complement. Data are such integers in units of one exponent; roots of unity in units of 2^-rootBits.
type fixed struct{ lo, mid, hi uint64 }

// rootBits are the fractional bits of roots: their parts, and sums of these, lie between -√2 and √2.
const rootBits = 190

func add(a, b fixed) fixed {
	lo, c := bits.Add64(a.lo, b.lo, 0)
	mid, c := bits.Add64(a.mid, b.mid, c)
	hi, _ := bits.Add64(a.hi, b.hi, c)
	return fixed{lo, mid, hi}
}

func sub(a, b fixed) fixed {
	lo, c := bits.Sub64(a.lo, b.lo, 0)
	mid, c := bits.Sub64(a.mid, b.mid, c)
	hi, _ := bits.Sub64(a.hi, b.hi, c)
	return fixed{lo, mid, hi}
}

func neg(a fixed) fixed { return sub(fixed{}, a) }

// mul returns a·w/2^190, or less.
//
// Error:  between -21 and 0 units. Of the nine products of words the three below 2^192 and the lower words of three more are left out, in all less than 5·2^192 + 2^128, and 2^190
// are a unit.
// Domain: |a·w| < 2^381.
func mul(a, w fixed) fixed {
	h0, _ := bits.Mul64(a.hi, w.lo)
	h1, _ := bits.Mul64(a.mid, w.mid)
	h2, _ := bits.Mul64(a.lo, w.hi)
	h3, l3 := bits.Mul64(a.hi, w.mid)
	h4, l4 := bits.Mul64(a.mid, w.hi)
	h5, l5 := bits.Mul64(a.hi, w.hi)
	// A negative factor counts for 2^192 more than it is.
	m, n := uint64(int64(a.hi)>>63), uint64(int64(w.hi)>>63)
	p3, c := bits.Add64(h0, h1, 0)
	p4, p5 := bits.Add64(h3, 0, c)
	p3, c = bits.Add64(p3, h2, 0)
	p4, c = bits.Add64(p4, h4, c)
	p5 += c
	p3, c = bits.Add64(p3, l3, 0)
	p4, c = bits.Add64(p4, l5, c)
	p5 += h5 + c
	p3, c = bits.Add64(p3, l4, 0)
	p4, c = bits.Add64(p4, 0, c)
	p5 += c
	p3, c = bits.Sub64(p3, w.lo&m, 0)
	p4, c = bits.Sub64(p4, w.mid&m, c)
	p5 -= w.hi&m + c
	p3, c = bits.Sub64(p3, a.lo&n, 0)
	p4, c = bits.Sub64(p4, a.mid&n, c)
	p5 -= a.hi&n + c
	return fixed{p3 << 2, p4<<2 | p3>>62, p5<<2 | p4>>62}
}

// fromFloat returns x·2^shift, rounded down; ok is false where that has more than 190 bits, or is no number.
func fromFloat(x float64, shift int) (v fixed, ok bool) {
	if x == 0 {
		return fixed{}, true
	}
	b := math.Float64bits(x)
	e, m := int(b>>52&0x7ff), b&(1<<52-1)
	switch e {
	case 0x7ff:
		return fixed{}, false
	case 0:
		e = 1
	default:
		m |= 1 << 52
	}
	at := e - 1075 + shift // m·2^at
	lost := false
	switch {
	case at+bits.Len64(m) > rootBits:
		return fixed{}, false
	case at <= -64:
		m, at, lost = 0, 0, true
	case at < 0:
		lost = m&(1<<-at-1) != 0
		m, at = m>>-at, 0
	}
	if lost && b>>63 != 0 { // rounded down
		m++
	}
	low, high := m<<(at%64), m>>(64-at%64)
	switch at / 64 {
	case 0:
		v = fixed{low, high, 0}
	case 1:
		v = fixed{0, low, high}
	default:
		v = fixed{0, 0, low}
	}
	if b>>63 != 0 {
		v = neg(v)
	}
	return v, true
}

// float returns v·2^-shift in binary64.
//
// Error:  |float - v·2^-shift| <= 2^-52·|v|·2^-shift, barring underflow: each of the words is rounded once, and so are the two sums.
func (v fixed) float(shift int) float64 {
	sign := 1.0
	if int64(v.hi) < 0 {
		v, sign = neg(v), -1
	}
	x := float64(float64(v.hi)*0x1p128) + (float64(float64(v.mid)*0x1p64) + float64(v.lo))
	return math.Ldexp(float64(sign*x), -shift)
}

// fromBig returns x, which has at most 191 bits.
func fromBig(x *big.Int) (v fixed) {
	var b [24]byte
	new(big.Int).Abs(x).FillBytes(b[:])
	v = fixed{binary.BigEndian.Uint64(b[16:]), binary.BigEndian.Uint64(b[8:]), binary.BigEndian.Uint64(b[:])}
	if x.Sign() < 0 {
		v = neg(v)
	}
	return v
}

// big returns v.
func (v fixed) big() *big.Int {
	negative := int64(v.hi) < 0
	if negative {
		v = neg(v)
	}
	x := new(big.Int)
	for _, w := range []uint64{v.hi, v.mid, v.lo} {
		x.Lsh(x, 64).Or(x, new(big.Int).SetUint64(w))
	}
	if negative {
		x.Neg(x)
	}
	return x
}
