package ir

import (
	"math"
	"math/bits"

	"gamma/model"
)

// Arith is how floats are rounded and flushed. The zero value is IEEE 754's default.
//
// Rounding is model.NearestEven or model.TowardZero, the two that MSL allows; anything else counts as the former.
// Library functions are rounded to nearest whatever it says.
//
// Flush holds for F32 and Flush16 for F16 and BF16. What flushes: every operation of floats that computes, with
// comparisons, conversions and library functions among them, Floor, NextAfter, Ldexp and frexp too. In makes a
// subnormal operand a zero of its sign before anything else is looked at; Out makes a tiny result a zero of the exact
// result's sign, decided as model.Flush says. With AnySign the zero of about half of all magnitudes has the other sign, of an operand
// by its bits and of a result by those that it has in binary64: every engine, lane and order has the same, and -x is flushed to what -1 makes of x's zero. What does not: loads, stores, Mov, Select, Bitcast, Neg, Abs, CopySign, shuffles and
// classification keep all bits; Min and Max give one of their operands with all its bits, but with In they take two subnormals for
// equal and give the first.
// A conversion flushes its operand by the rule of the type that it comes from, and its result by the rule of the other; of those between floats see Conversion.
//
// Source: [MSL 4.0] §8.1, §8.2 and §8.6 allow all this. §8.5 leaves the sign of what is flushed open: AnySign. Users report of Apple's GPUs (ml-explore/mlx#4205, pytorch/pytorch#125051, #150027) that
// F32 arithmetic flushes operands and results with the sign kept, that comparisons and conversions to bool read subnormals as 0, that
// moves keep the bits, and that BF16 is flushed and F16 is not. Of Min and Max of two subnormals MSL lets either be returned.
type Arith struct {
	Rounding model.Rounding
	Flush    model.Flush
	Flush16  model.Flush
}

// ArithOf returns the arithmetic of a behaviour.
func ArithOf(b model.Behaviour) Arith {
	return Arith{Rounding: b.Rounding, Flush: b.Flush, Flush16: b.Flush16}
}

// Conversion returns the arithmetic of a conversion of a float to another float type t: from half and bfloat to float it is lossless, to half and bfloat it rounds to nearest even, and
// what it makes a subnormal half is not flushed.
//
// Source:  [MSL 4.0] §8.6. That a conversion between half and bfloat goes the same way is assumed.
func (ar Arith) Conversion(t Type) Arith {
	if t != BF16 {
		return Arith{}
	}
	ar.Rounding = model.NearestEven
	return ar
}

func (ar Arith) flush(t Type) model.Flush {
	if t == F32 {
		return ar.Flush
	}
	return ar.Flush16
}

func (ar Arith) toZero() bool { return ar.Rounding == model.TowardZero }

// plain32 reports whether F32 operations are the machine's own.
func (ar Arith) plain32() bool { return !ar.toZero() && !ar.Flush.Any() }

// layout is a float type's encoding.
type layout struct {
	man        uint // bits of the fraction, P-1
	emin, emax int  // exponents of the least and the greatest normal number, as of 1.f·2^e
	inf        uint64
	sign       uint64
	nan        uint64 // the canonical NaN: positive, quiet, no payload
}

var layouts = [...]layout{
	F16:  {10, -14, 15, 0x7c00, 0x8000, 0x7e00},
	BF16: {7, -126, 127, 0x7f80, 0x8000, 0x7fc0},
	F32:  {23, -126, 127, 0x7f800000, 0x80000000, 0x7fc00000},
}

func (l *layout) isNaN(v uint64) bool       { return v&^l.sign > l.inf }
func (l *layout) isSubnormal(v uint64) bool { m := v &^ l.sign; return m != 0 && m < 1<<l.man }

// Widen returns the value of a register of float type t; exactly, for every one of them is a float64.
func Widen(t Type, v uint64) float64 {
	switch t {
	case F32:
		return float64(math.Float32frombits(uint32(v)))
	case BF16:
		return float64(math.Float32frombits(uint32(v) << 16))
	case F16:
		f := float64(v & 0x3ff)
		switch e := int(v >> 10 & 0x1f); e {
		case 0:
			f = float64(f * 0x1p-24)
		case 31:
			f = math.Inf(1)
			if v&0x3ff != 0 {
				f = math.NaN()
			}
		default:
			f = math.Float64frombits(uint64(e-15+1023)<<52 | v&0x3ff<<42)
		}
		if v&0x8000 != 0 {
			f = math.Copysign(f, -1)
		}
		return f
	}
	panic(notFloat(t))
}

// zero returns what a number of that sign and magnitude becomes where f flushes it: the zero of its sign, or for about half of all magnitudes of the other one.
func (l *layout) zero(f model.Flush, sign, magnitude uint64) uint64 {
	if f.AnySign {
		sign ^= magnitude * 0x9e3779b97f4a7c15 >> 63 * l.sign // 2^64 divided by the golden ratio
	}
	return sign
}

// read is Widen with subnormals flushed if ar says so.
func (ar Arith) read(t Type, v uint64) float64 {
	l := &layouts[t]
	if f := ar.flush(t); f.In && l.isSubnormal(v) {
		v = l.zero(f, v&l.sign, v&^l.sign)
	}
	return Widen(t, v)
}

// Narrow returns x rounded once into float type t, and flushed, as ar says.
//
// If x stands for another real number, rounded to odd into binary64 (the neighbour that is not exact and has its last bit
// set), the result is that number's: with 53 bits against at most 24, no neighbour, tie or limit of t lies between the two.
//
// Special: every NaN gives the canonical one, 0x7e00, 0x7fc0 or 0x7fc00000. An infinity stays; a number that overflows
// gives an infinity, and toward zero the largest finite number.
// Source:  [Boldo-Melquiond 2008] for rounding to odd.
func (ar Arith) Narrow(t Type, x float64) uint64 { return ar.narrow(t, x, ar.toZero()) }

func (ar Arith) narrow(t Type, x float64, toZero bool) uint64 {
	l := &layouts[t]
	b := math.Float64bits(x)
	var sign uint64
	if b>>63 == 1 {
		sign = l.sign
	}
	b &^= 1 << 63
	switch {
	case b > 0x7ff<<52:
		return l.nan
	case b == 0x7ff<<52:
		return sign | l.inf
	case b == 0:
		return sign
	}
	// The number is m·2^(e-52) with 2^52 <= m < 2^53.
	e, m := int(b>>52)-1023, b&(1<<52-1)|1<<52
	if b>>52 == 0 {
		m &^= 1 << 52
		up := bits.LeadingZeros64(m) - 11
		m <<= up
		e = -1022 - up
	}
	shift := 52 - l.man
	if e < l.emin {
		if f := ar.flush(t); f.Out {
			// Below 2^Emin; after rounding to P bits it is no longer so only if it reaches 2^P there.
			if f.Before || e < l.emin-1 || roundOff(m, shift, toZero) != 1<<(l.man+1) {
				return l.zero(f, sign, b)
			}
		}
		shift = uint(min(63, int(shift)+l.emin-e))
	}
	q := roundOff(m, shift, toZero)
	if e >= l.emin {
		q += uint64(e-l.emin) << l.man // q's leading bit counts as one exponent more
	}
	if q >= l.inf {
		q = l.inf
		if toZero {
			q--
		}
	}
	return sign | q
}

// roundOff returns m/2^shift, rounded to nearest even or toward zero.
func roundOff(m uint64, shift uint, toZero bool) uint64 {
	q, rest, half := m>>shift, m&(1<<shift-1), uint64(1)<<(shift-1)
	if !toZero && (rest > half || rest == half && q&1 == 1) {
		q++
	}
	return q
}

// odd returns r moved to its neighbour toward the exact result if r is not exact and even: rounding to odd. The
// exact result lies beyond r, seen from zero, if beyond, and nearer to zero otherwise.
func odd(r float64, exact, beyond bool) float64 {
	b := math.Float64bits(r)
	if exact || b&1 == 1 {
		return r
	}
	if beyond {
		return math.Float64frombits(b + 1)
	}
	return math.Float64frombits(b - 1)
}

// oddAdd returns a+b rounded to odd, for a and b of few enough bits to neither overflow nor underflow.
func oddAdd(a, b float64) float64 {
	s := a + b
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return s
	}
	bb := s - a
	e := (a - (s - bb)) + (b - bb)
	return odd(s, e == 0, (e > 0) == (s > 0))
}

// oddDiv returns a/b rounded to odd; the remainder a-q·b is a float64 for operands of at most 24 bits.
func oddDiv(a, b float64) float64 {
	q := a / b
	if q == 0 || math.IsInf(q, 0) || math.IsNaN(q) || math.IsInf(b, 0) {
		return q
	}
	r := math.FMA(-q, b, a)
	return odd(q, r == 0, (r > 0) == (a > 0))
}

// oddSqrt returns the root of x rounded to odd.
func oddSqrt(x float64) float64 {
	s := math.Sqrt(x)
	if s == 0 || math.IsInf(s, 0) || math.IsNaN(s) {
		return s
	}
	r := math.FMA(-s, s, x)
	return odd(s, r == 0, r > 0)
}

// oddRsqrt returns 1/√x rounded to odd at 31 bits or more, for x of at most 24 bits: the integer root of 2^86/m, for
// x = m·2^(e-26) with e even and 2^24 <= m < 2^26, and one more bit, set if anything was lost.
func oddRsqrt(x float64) float64 {
	switch {
	case x == 0:
		return math.Copysign(math.Inf(1), x)
	case x < 0 || math.IsNaN(x):
		return math.NaN()
	case math.IsInf(x, 1):
		return 0
	}
	f, e := math.Frexp(x)
	if e&1 != 0 {
		f, e = f/2, e+1
	}
	m := uint64(f * 0x1p26)
	quo, rem := bits.Div64(1<<22, 0, m)
	r := uint64(math.Sqrt(float64(quo)))
	for r*r > quo {
		r--
	}
	for (r+1)*(r+1) <= quo {
		r++
	}
	if rem != 0 || r*r != quo {
		r = r<<1 | 1
	} else {
		r <<= 1
	}
	return math.Ldexp(float64(r), -1-43+13-e/2)
}

// oddInt returns (-1)^neg·m rounded to odd.
func oddInt(m uint64, neg bool) float64 {
	if n := bits.Len64(m); n > 53 {
		lost := uint(n - 53)
		rest := m & (1<<lost - 1)
		m &^= 1<<lost - 1
		if rest != 0 {
			m |= 1 << lost
		}
	}
	f := float64(m)
	if neg {
		f = -f
	}
	return f
}

// Fma32 returns a·b + c rounded once, to nearest even: the exact product in binary64, added with rounding to odd.
//
// Special: as IEEE 754; every NaN is the canonical one.
// Source:  [Boldo-Melquiond 2008]; float32(math.FMA(…)) rounds twice.
func Fma32(a, b, c float32) float32 {
	s := oddAdd(float64(float64(a)*float64(b)), float64(c))
	if math.IsNaN(s) {
		return math.Float32frombits(uint32(layouts[F32].nan))
	}
	return float32(s)
}
