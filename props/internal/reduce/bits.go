package reduce

import (
	"math/bits"
	"slices"

	"gamma/model"
)

// One returns the encoding of 1.
func One(f model.Format) uint64 { return uint64(1-f.Emin) << (f.P - 1) }

// oddPart returns sign, odd significand and exponent of a finite number that is not zero.
func oddPart(f model.Format, b uint64) (neg bool, m uint64, e int) {
	neg, m, e = f.Decode(b)
	s := bits.TrailingZeros64(m)
	return neg, m >> s, e + s
}

// Exact returns the encoding of (-1)^neg·m·2^e, m odd, if the format has that number.
func Exact(f model.Format, neg bool, m uint64, e int) (b uint64, ok bool) {
	n := bits.Len64(m)
	lead := e + n - 1
	last := max(lead, f.Emin) - f.P + 1 // exponent of the last place
	if n > f.P || e < last || lead > f.Emax {
		return 0, false
	}
	m <<= e - last
	if lead == f.Emax && m > f.MaxFinite {
		return 0, false
	}
	b = m
	if lead >= f.Emin {
		b = m - 1<<(f.P-1) | uint64(lead-f.Emin+1)<<(f.P-1)
	}
	if neg {
		b |= f.SignBit()
	}
	return b, true
}

// Width returns the number of bits of a value's odd part; 0 if it is zero or not finite.
func Width(f model.Format, b uint64) int {
	if !f.IsFinite(b) || b&^f.SignBit() == 0 {
		return 0
	}
	_, m, _ := oddPart(f, b)
	return bits.Len64(m)
}

// Truncated returns b with all but the first w bits of its significand cut off.
func Truncated(f model.Format, b uint64, w int) uint64 {
	if Width(f, b) <= w {
		return b
	}
	_, m, _ := f.Decode(b)
	return b &^ (1<<(bits.Len64(m)-w) - 1)
}

// shortWidth is the width up to which a value is written best as an integer times a power of two.
const shortWidth = 8

// stubbed returns b with a significand of exactly w bits, if it has more: its first w-1 and a 1.
func stubbed(f model.Format, b uint64, w int) uint64 {
	if Width(f, b) <= w {
		return b
	}
	_, m, _ := f.Decode(b)
	cut := bits.Len64(m) - w
	return b&^(1<<cut-1) | 1<<cut&(1<<(f.P-1)-1)
}

// outerBits returns b with no more than the first and the last bit of its significand set.
func outerBits(f model.Format, b uint64) uint64 {
	w := Width(f, b)
	if w < 3 {
		return b
	}
	neg, _, e := oddPart(f, b)
	v, _ := Exact(f, neg, 1<<(w-1)|1, e)
	return v
}

// offCentre returns the exponent that centre brings to 0: of the last bit for short significands, so
// that they become integers, and of the first for the others.
func offCentre(f model.Format, b uint64) int {
	if Width(f, b) == 0 {
		return 0
	}
	_, m, e := oddPart(f, b)
	if n := bits.Len64(m); n > shortWidth {
		return e + n - 1
	}
	return e
}

// Shifted returns b·2^s if that is exact.
func Shifted(f model.Format, b uint64, s int) (uint64, bool) {
	if Width(f, b) == 0 {
		return b, true
	}
	neg, m, e := oddPart(f, b)
	return Exact(f, neg, m, e+s)
}

// plainSpecial returns +Inf for a NaN that is the canonical one, and that one for the others, and
// the largest number for an infinity.
func plainSpecial(f model.Format, b uint64) uint64 {
	switch {
	case f.IsNaN(b) && b != f.NaNBits():
		return f.NaNBits()
	case f.IsNaN(b) && f.HasInf:
		return f.InfBits()
	case f.IsInf(b):
		return f.MaxBits() | b&f.SignBit()
	}
	return b
}

// cost orders values from simple to not: zero, finite ones by width, bits set and distance of
// their exponent from 0, infinities, NaNs; the sign last.
func cost(f model.Format, b uint64) int {
	sign := 0
	if f.Signbit(b) {
		sign = 1
	}
	switch {
	case f.IsNaN(b):
		if b&^f.SignBit() != f.NaNBits() {
			sign += 2
		}
		return 3<<28 + sign
	case f.IsInf(b):
		return 2<<28 + sign
	case b&^f.SignBit() == 0:
		return sign
	}
	_, m, _ := oddPart(f, b)
	s := offCentre(f, b)
	return 1<<28 + bits.Len64(m)<<20 + bits.OnesCount64(m)<<13 + max(s, -s)<<1 + sign
}

// Simpler returns simpler numbers than one, the simplest first.
func Simpler(f model.Format, b uint64) []uint64 {
	list := []uint64{0, One(f), One(f) | b&f.SignBit(), b &^ f.SignBit(), plainSpecial(f, b)}
	for w := 1; w < Width(f, b); w++ {
		list = append(list, Truncated(f, b, w))
	}
	s := offCentre(f, b)
	for _, by := range []int{s, s / 2, max(-1, min(s, 1))} {
		if v, ok := Shifted(f, b, -by); ok {
			list = append(list, v)
		}
	}
	return slices.DeleteFunc(list, func(v uint64) bool { return cost(f, v) >= cost(f, b) })
}
