package round

import (
	"math/bits"

	"gamma/model"
)

// Arith is the arithmetic of one format, one rounding direction and one way to flush. Its methods
// take and return encodings of F; bits above F's width are ignored in operands and zero in results.
//
// Its zero value has no format, and its methods panic.
type Arith struct {
	F  model.Format
	R  model.Rounding
	Fl model.Flush
}

// Neg returns -x: b with its sign bit flipped.
//
// Special: NaNs keep their payload and stay signaling; nothing is flushed.
// Source:  [IEEE 754-2019] §5.5.1.
func (a Arith) Neg(b uint64) uint64 { return a.Abs(b) | ^b&a.F.SignBit() }

// Abs returns |x|: b with its sign bit cleared.
//
// Special: NaNs keep their payload and stay signaling; nothing is flushed.
// Source:  [IEEE 754-2019] §5.5.1.
func (a Arith) Abs(b uint64) uint64 { return b & (a.F.SignBit() - 1) }

// Compare returns -1, 0 or +1 as p < q, p = q or p > q, and ordered = false, with 0, when one of
// them is a NaN.
//
// Special: -0 = +0; with Flush.In subnormals are zeros.
// Source:  [IEEE 754-2019] §5.11.
func (a Arith) Compare(p, q uint64) (order int, ordered bool) {
	x, y := a.read(p), a.read(q)
	if x.class == model.ClassNaN || y.class == model.ClassNaN {
		return 0, false
	}
	i, j := x.rank(&a), y.rank(&a)
	switch {
	case i < j:
		return -1, true
	case i > j:
		return 1, true
	}
	return 0, true
}

// operand is an encoding taken apart: (-1)^neg · m · 2^e when class is zero, subnormal or normal.
type operand struct {
	bits  uint64 // the encoding, before any flush
	m     uint64 // below 2^P; 0 for zeros, infinities and NaNs
	e     int    // at least Emin-P+1
	neg   bool
	class model.Class
}

// special reports whether x is not a number.
func (x *operand) special() bool { return x.class >= model.ClassInf }

// rank returns an integer that orders the numbers and infinities of a format as their values do.
func (x *operand) rank(a *Arith) int64 {
	if x.class == model.ClassZero {
		return 0
	}
	r := int64(x.bits &^ a.signBit())
	if x.neg {
		return -r
	}
	return r
}

// normalized returns m·2^e as m and e with m's leading bit at bit 63. It wants m > 0.
func normalized(m uint64, e int) (uint64, int) {
	lz := bits.LeadingZeros64(m)
	return m << (lz & 63), e - lz
}

// signBit, fracBits and maxBits are Format's, without a copy of the Format.
func (a *Arith) signBit() uint64 { return 1 << ((a.F.P + a.F.ExpBits - 1) & 63) }
func (a *Arith) fracBits() uint  { return uint(a.F.P-1) & 63 }

func (a *Arith) maxBits() uint64 {
	return uint64(a.F.Emax-a.F.Emin)<<a.fracBits() + a.F.MaxFinite
}

// read takes an encoding apart and flushes it if it is a subnormal operand.
func (a *Arith) read(b uint64) operand {
	f := &a.F
	if f.P < 2 || f.P > 53 || f.ExpBits < 1 || f.P+f.ExpBits > 64 {
		panic(badFormat(*f))
	}
	sign, w := a.signBit(), a.fracBits()
	b &= sign | (sign - 1)
	x := operand{bits: b, neg: b&sign != 0, m: b & (1<<w - 1), e: f.Emin - int(w), class: model.ClassNormal}
	top := uint64(1)<<(f.ExpBits&63) - 1
	field := b >> w & top
	switch {
	case field == 0:
		x.class = model.ClassSubnormal
		if x.m == 0 || a.Fl.In {
			x.m, x.class = 0, model.ClassZero
		}
	case field == top && f.NaNs == model.NaNIEEE:
		x.class = model.ClassInf
		if x.m != 0 {
			x.class = model.ClassNaN
		}
		x.m = 0
	case field == top && x.m == 1<<w-1:
		x.m, x.class = 0, model.ClassNaN
	default:
		x.m |= 1 << w
		x.e += int(field) - 1
	}
	return x
}

// normal reports whether b surely is a normal number: its exponent field is neither 0 nor all ones.
// Most operands pass, and go by split, which is faster than read.
func (a *Arith) normal(b uint64) bool {
	top := uint64(1)<<(a.F.ExpBits&63) - 1
	return (b>>a.fracBits()&top)-1 < top-1
}

// split returns m and e of a number that normal lets pass, as in operand.
func (a *Arith) split(b uint64) (m uint64, e int) {
	w := a.fracBits()
	hidden := uint64(1) << w
	field := b >> w & (1<<(a.F.ExpBits&63) - 1)
	return b&(hidden-1) | hidden, int(field) - 1 + a.F.Emin - int(w)
}

// signed returns magnitude with the sign bit that neg asks for.
func (a *Arith) signed(neg bool, magnitude uint64) uint64 {
	if neg {
		return magnitude | a.signBit()
	}
	return magnitude
}
