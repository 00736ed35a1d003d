package oracle

import (
	"math"

	"gamma/model"
)

// value is a sum ready to be rounded: the leading bits of its finite part, and the special values seen.
type value struct {
	leading
	seen specials
}

// plain reports whether the sum is a finite number other than zero.
func (v value) plain() bool { return v.m != 0 && v.seen.isFinite() }

func (v value) sign() int {
	switch {
	case v.seen.isNaN():
		return 0
	case !v.seen.isFinite():
		return v.seen.infinity()
	case v.m == 0:
		return 0
	case v.neg:
		return -1
	}
	return 1
}

func (v value) bits(f model.Format, r model.Rounding) uint64 {
	if !v.plain() {
		return v.seen.bits(f, r)
	}
	return v.leading.round(f, r)
}

func (v value) float64() float64 {
	if !v.plain() {
		return v.seen.float()
	}
	return v.leading.float64()
}

func (v value) float32() float32 {
	if !v.plain() {
		return float32(v.seen.float())
	}
	return v.leading.float32()
}

func (v value) interval() (lo, hi float64) {
	if v.plain() {
		return v.leading.interval()
	}
	if v.seen.isFinite() {
		return 0, 0
	}
	x := v.seen.float()
	return x, x
}

// infiniteError returns |y-a| where one of them is not finite.
func infiniteError(a specials, y float64) (lo, hi float64) {
	d := math.Inf(1)
	if a.isNaN() || y != y {
		d = math.NaN()
	} else if !a.isFinite() && math.IsInf(y, a.infinity()) {
		d = 0
	}
	return d, d
}

// widen returns the binary64 encoding of the number that b encodes in f. It panics if binary64
// lacks some of f's values.
func widen(f model.Format, b uint64) uint64 {
	if f.P == 53 && f.ExpBits == 11 && f.NaNs == model.NaNIEEE {
		return b
	}
	if !(f.P <= 53 && f.Emax <= 1023 && f.Emin-f.P >= -1022-53) {
		panic(tooWide(f))
	}
	sign := b >> (f.Bits() - 1) & 1 << 63
	switch f.Class(b) {
	case model.ClassNaN:
		return sign | 0x7ff8<<48
	case model.ClassInf:
		return sign | 0x7ff<<52
	}
	_, m, e := f.Decode(b)
	return sign | math.Float64bits(math.Ldexp(float64(m), e)) // exact
}
