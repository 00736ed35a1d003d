package model

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
)

// NaNs says which encodings of a format are NaNs.
type NaNs uint8

const (
	// NaNIEEE: exponent field all ones and fraction not zero; quiet when the fraction's top bit is set.
	NaNIEEE NaNs = iota
	// NaNOnes: the one pattern of each sign whose exponent and fraction fields are all ones (E4M3).
	NaNOnes
)

// Overflow says what a result beyond MaxFinite becomes in rounding to nearest.
type Overflow uint8

const (
	OverflowInf      Overflow = iota // an infinity, as in IEEE 754
	OverflowNaN                      // the NaN of formats that have no infinity
	OverflowSaturate                 // ±MaxFinite
)

// Format describes a binary floating-point format, its range and its encoding.
//
// A finite number is ±m·2^(e-P+1) with integers 0 <= m < 2^P and Emin <= e <= Emax; it is normal
// when m >= 2^(P-1), and subnormal (e = Emin) below. Its encoding has, from the top, one sign bit,
// an exponent field of ExpBits bits with bias 1-Emin, and P-1 fraction bits.
//
// The zero value is not a format; a Claim reads it as "the same as the input's".
// Source: [IEEE 754-2019] §3.3 and §3.4, [OCP FP8 2023] Table 1.
type Format struct {
	Name    string // short and lower case: "binary32", "e4m3", "toy3"
	P       int    // precision in bits, the hidden one included; 2 to 53
	Emin    int    // exponent of the least normal number, 2^Emin
	Emax    int    // exponent of MaxFinite's leading bit
	ExpBits int    // width of the exponent field
	// MaxFinite is the significand of the largest finite number, MaxFinite·2^(Emax-P+1):
	// 2^P-1 unless the format spends its last pattern on a NaN.
	MaxFinite uint64
	HasInf    bool
	NaNs      NaNs
	Overflow  Overflow
}

// The formats that kernels use.
var (
	Binary64 = ieee("binary64", 53, 11)
	Binary32 = ieee("binary32", 24, 8)
	Binary16 = ieee("binary16", 11, 5)
	BFloat16 = ieee("bfloat16", 8, 8)
	E5M2     = ieee("e5m2", 3, 5)
	// E4M3 has no infinity, and one NaN pattern for each sign; its largest number is 448 = 14·2^5.
	E4M3 = Format{
		Name: "e4m3", P: 4, Emin: -6, Emax: 8, ExpBits: 4, MaxFinite: 14,
		NaNs: NaNOnes, Overflow: OverflowNaN,
	}
)

// ieee returns the interchange format of precision p with an exponent field of w bits.
func ieee(name string, p, w int) Format {
	return Format{
		Name: name, P: p, Emin: 2 - 1<<(w-1), Emax: 1<<(w-1) - 1, ExpBits: w,
		MaxFinite: 1<<p - 1, HasInf: true, NaNs: NaNIEEE, Overflow: OverflowInf,
	}
}

// Toy returns an IEEE-like format of precision p that is small enough to try every input, and
// large enough to show every effect: it has at least 2p+2 exponents of normal numbers, besides
// subnormals, infinities and NaNs.
//
// Domain: 2 <= p <= 12; it panics otherwise. Cases hold toys up to 11, whose encodings have 16 bits.
func Toy(p int) Format {
	if p < 2 || p > 12 {
		panic(badToyPrecision)
	}
	w := bits.Len(uint(2*p + 3))
	return ieee(fmt.Sprintf("toy%d", p), p, w)
}

// Formats returns the named formats, widest first, without the toys.
func Formats() []Format {
	return []Format{Binary64, Binary32, Binary16, BFloat16, E5M2, E4M3}
}

// FormatByName returns the format called name, among Formats and "toy2" to "toy12".
func FormatByName(name string) (Format, error) {
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
	}
	for p := 2; p <= 12; p++ {
		if f := Toy(p); f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("model: no format is called %q; known are binary64, binary32, binary16, bfloat16, e5m2, e4m3 and toy2 to toy12", name)
}

// String returns the format's name.
func (f Format) String() string { return f.Name }

// IsZero reports whether f is the zero value, which is not a format.
func (f Format) IsZero() bool { return f.P == 0 }

// Bits returns the width of the encoding in bits.
func (f Format) Bits() int { return f.P + f.ExpBits }

// SignBit returns the encoding's sign bit as a mask.
func (f Format) SignBit() uint64 { return 1 << (f.Bits() - 1) }

// fracMask returns the fraction field as a mask.
func (f Format) fracMask() uint64 { return 1<<(f.P-1) - 1 }

// expMask returns the exponent field, shifted down to bit 0, as a mask.
func (f Format) expMask() uint64 { return 1<<f.ExpBits - 1 }

// MaxBits returns the encoding of the largest finite number.
func (f Format) MaxBits() uint64 {
	return uint64(f.Emax-f.Emin+1)<<(f.P-1) | f.MaxFinite&f.fracMask()
}

// MinNormalBits returns the encoding of the least normal number, 2^Emin.
func (f Format) MinNormalBits() uint64 { return 1 << (f.P - 1) }

// InfBits returns the encoding of +infinity. It panics if the format has none.
func (f Format) InfBits() uint64 {
	if !f.HasInf {
		panic(noInfinity(f))
	}
	return f.expMask() << (f.P - 1)
}

// NaNBits returns the canonical quiet NaN: sign 0, exponent all ones, and as fraction its top bit
// alone (NaNIEEE) or all ones (NaNOnes).
func (f Format) NaNBits() uint64 {
	if f.NaNs == NaNOnes {
		return f.SignBit() - 1
	}
	return f.expMask()<<(f.P-1) | 1<<(f.P-2)
}

// Class is the kind of datum an encoding stands for.
type Class uint8

const (
	ClassZero Class = iota
	ClassSubnormal
	ClassNormal
	ClassInf
	ClassNaN
)

// Class returns what b stands for. Bits above the encoding's width are ignored.
func (f Format) Class(b uint64) Class {
	e := b >> (f.P - 1) & f.expMask()
	m := b & f.fracMask()
	switch {
	case e == 0 && m == 0:
		return ClassZero
	case e == 0:
		return ClassSubnormal
	case f.NaNs == NaNOnes:
		if e == f.expMask() && m == f.fracMask() {
			return ClassNaN
		}
		return ClassNormal
	case e == f.expMask() && m == 0:
		return ClassInf
	case e == f.expMask():
		return ClassNaN
	}
	return ClassNormal
}

// IsNaN reports whether b encodes a NaN.
func (f Format) IsNaN(b uint64) bool { return f.Class(b) == ClassNaN }

// IsInf reports whether b encodes an infinity.
func (f Format) IsInf(b uint64) bool { return f.Class(b) == ClassInf }

// IsFinite reports whether b encodes a finite number.
func (f Format) IsFinite(b uint64) bool { return f.Class(b) <= ClassNormal }

// IsSignaling reports whether b encodes a signaling NaN; the NaN of a NaNOnes format is quiet.
func (f Format) IsSignaling(b uint64) bool {
	return f.NaNs == NaNIEEE && f.IsNaN(b) && b>>(f.P-2)&1 == 0
}

// Signbit reports whether b's sign bit is set.
func (f Format) Signbit(b uint64) bool { return b&f.SignBit() != 0 }

// Decode returns sign, significand and exponent of a finite number: its value is
// (-1)^neg · m · 2^e with m < 2^P. It panics if b is not finite.
func (f Format) Decode(b uint64) (neg bool, m uint64, e int) {
	if !f.IsFinite(b) {
		panic(notFinite(f, b))
	}
	m = b & f.fracMask()
	e = int(b >> (f.P - 1) & f.expMask())
	if e == 0 {
		e = 1
	} else {
		m |= 1 << (f.P - 1)
	}
	return f.Signbit(b), m, e - 1 + f.Emin - f.P + 1
}

// Rat returns the exact value of a finite number. It panics if b is not finite.
func (f Format) Rat(b uint64) *big.Rat {
	neg, m, e := f.Decode(b)
	r := new(big.Rat).SetInt(new(big.Int).SetUint64(m))
	p := new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e)))
	if e >= 0 {
		r.Mul(r, new(big.Rat).SetInt(p))
	} else {
		r.Quo(r, new(big.Rat).SetInt(p))
	}
	if neg {
		r.Neg(r)
	}
	return r
}

// U returns the unit roundoff 2^-P, exact in binary64.
func (f Format) U() float64 { return pow2(-f.P) }

// UlpExp returns k such that ulp(b) = 2^k, the distance between b's neighbours in its binade:
// for a normal number of exponent e it is e-P+1, and for subnormals and zeros Emin-P+1.
// It panics if b is not finite.
//
// Source: [IEEE 754-2019] §3.3; Goldberg's ulp.
func (f Format) UlpExp(b uint64) int {
	_, _, e := f.Decode(b)
	return e
}

// UfpExp returns k such that ufp(b) = 2^k is the value of b's leading bit, and ok = false for
// zero, whose unit in the first place is 0. It panics if b is not finite.
//
// Source: [Rump 2012] (1.6).
func (f Format) UfpExp(b uint64) (k int, ok bool) {
	_, m, e := f.Decode(b)
	if m == 0 {
		return 0, false
	}
	return e + bits.Len64(m) - 1, true
}

// EtaExp returns k such that η = 2^k is half the least subnormal number.
func (f Format) EtaExp() int { return f.Emin - f.P }

// Next returns the least number above b in the format's order -Inf < … < -0 = +0 < … < +Inf:
// both zeros lead to the least subnormal, MaxFinite to +Inf if there is one and to itself if not,
// -Inf to -MaxFinite; NaN and +Inf to themselves.
func (f Format) Next(b uint64) uint64 {
	switch {
	case f.IsNaN(b):
		return b
	case b&^f.SignBit() == 0:
		return 1
	case f.Signbit(b):
		return b - 1
	case b == f.MaxBits():
		if f.HasInf {
			return f.InfBits()
		}
		return b
	case f.IsInf(b):
		return b
	}
	return b + 1
}

// Prev returns the greatest number below b: -Next(-b).
func (f Format) Prev(b uint64) uint64 {
	if f.IsNaN(b) {
		return b
	}
	return f.Next(b^f.SignBit()) ^ f.SignBit()
}

// pow2 returns 2^k for -1022 <= k <= 1023.
func pow2(k int) float64 {
	return math.Float64frombits(uint64(k+1023) << 52)
}
