package battery

import (
	"math/bits"

	"gamma/model"
	"gamma/props/internal/draw"
)

// beyondPart says how many tuples there are beyond those that are drawn: a quarter as many.
const beyondPart = 4

// Round returns how many tuples of operands there are beyond those that are drawn: of one operand none, unless it is converted.
func (s *scalarSource) Round() int {
	if s.l.Operands < 2 && len(s.b.narrower) == 0 || s.b.Format.P < 4 {
		return 0
	}
	return s.n / beyondPart
}

// Beyond makes operands whose product, or product and addend, lie next to the middle between two numbers, or one that does so itself.
func (s *scalarSource) Beyond(k int, _ bool, rng *draw.Splitmix) ([]uint64, bool) {
	if s.l.Operands == 1 {
		return []uint64{s.halfway(s.b.narrower[k%len(s.b.narrower)], rng)}, true
	}
	x := make([]uint64, s.l.Operands)
	for i := range x { // of laws that take more operands than the operation
		x[i] = s.scaled(1<<(s.b.Format.P-1)|rng.Next()>>(65-s.b.Format.P), rng)
	}
	if len(x) > 2 && k&1 == 0 {
		s.fused(x, rng)
	} else {
		s.product(x, rng)
	}
	return x, true
}

// halfway returns a number next to the middle between two neighbours of a narrower format, subnormal ones among them, or that middle.
//
// What is rounded to a format between the two first, and comes to the middle by that, is then rounded as a tie.
func (s *scalarSource) halfway(to model.Format, rng *draw.Splitmix) uint64 {
	f := s.b.Format
	top := max(to.Emin-to.P+rng.Below(to.Emax-to.Emin+to.P+1), f.Emin) // of the leading bit
	kept := max(0, min(to.P, to.P+top-to.Emin))
	m := rng.Next() & (1<<kept - 1)
	if kept > 0 {
		m |= 1 << (kept - 1)
	}
	m = (2*m + 1) << (f.P - 1 - kept)
	if off := uint64(1) << rng.Below(f.P-1-kept); rng.Below(8) > 0 {
		if rng.Below(2) == 0 {
			off = -off
		}
		m += off
	}
	return s.number(m, top-f.P+1, rng.Next()>>63)
}

// scaled returns ±m·2^e for an integer of at most P bits and an e that puts it in the middle half of the range.
func (s *scalarSource) scaled(m uint64, rng *draw.Splitmix) uint64 {
	f := s.b.Format
	return s.number(m, f.Emin/2-f.P+rng.Below(max(1, f.Emax/2-f.Emin/2)), rng.Next()>>63)
}

// number returns (-1)^neg·m·2^e, m of at most P bits, if that is a normal number, and else the nearest power of two.
func (s *scalarSource) number(m uint64, e int, neg uint64) uint64 {
	f := s.b.Format
	top := bits.Len64(m) - 1
	field := min(max(e+top-f.Emin+1, 1), f.Emax-f.Emin)
	return uint64(field)<<(f.P-1) | m<<(f.P-1-top)&(1<<(f.P-1)-1) | neg*f.SignBit()
}

// fused makes z + x·y lie off the middle between two neighbours of z by 2^(-2i-1) of its ulp: with an odd c, (c·2^i+1)(c·2^i-1) is
// c²·2^(2i) - 1, and c² is an odd number of half ulps. Since c² is at most 2^P, z is the larger one.
//
// Sums in a format of twice the bits, and few more, do not see the difference.
func (s *scalarSource) fused(x []uint64, rng *draw.Splitmix) {
	f := s.b.Format
	i := (f.P+1)/2 + rng.Below(f.P-(f.P+1)/2)
	c := (1<<(f.P-i)-1)&rng.Next() | 1
	for c<<i+1 >= 1<<f.P { // one bit too many
		c >>= 1
		c |= 1
	}
	e := rng.Below(max(1, f.Emax/2)) - f.Emax/4
	ex := e / 2
	x[0], x[1] = s.number(c<<i+1, ex-i, rng.Next()>>63), s.number(c<<i-1, e-ex-i, rng.Next()>>63)
	x[2] = s.number(1<<(f.P-1)|rng.Next()>>(65-f.P), e+1, rng.Next()>>63)
	if rng.Next()>>62 == 0 { // the neighbours of a power of two
		x[2] = s.number(1<<(f.P-1), e+1+rng.Below(2), rng.Next()>>63)
	}
	if rng.Next()>>63 == 0 {
		x[0], x[1] = x[1], x[0]
	}
}

// product makes the low half of the product of two integers of P bits 2^(P-1) and little more or less: y is that, times the inverse of x
// modulo 2^P.
func (s *scalarSource) product(x []uint64, rng *draw.Splitmix) {
	p := s.b.Format.P
	for range 8 {
		a := 1<<(p-1) | rng.Next()>>(65-p) | 1
		inverse := a // right in three bits
		for range 5 {
			inverse *= 2 - a*inverse
		}
		low := uint64(1)<<(p-1) + rng.Next()>>61 - 4
		b := low * inverse & (1<<p - 1)
		if b>>(p-1) == 0 {
			continue
		}
		x[0], x[1] = s.scaled(a, rng), s.scaled(b, rng)
		return
	}
}
