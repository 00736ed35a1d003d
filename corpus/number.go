package corpus

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"gamma/model"
)

// dyadic is the number (-1)^neg · m · 2^e with m odd, or a zero of either sign with m = e = 0.
type dyadic struct {
	neg bool
	m   uint64
	e   int
}

// maxExponent bounds the exponents that a case file may write, far outside every format.
const maxExponent = 1 << 20

// FormatValue returns the encoding b of format f as a case file writes it: a hex float with one
// leading 1 and no trailing zeros, "0x0p+0", "inf", or a NaN with its bits, "nan:0x7fc00001";
// negative numbers, zero and infinity among them, have a minus sign in front.
//
// Domain: every encoding; bits above the format's width are ignored.
func FormatValue(f model.Format, b uint64) string {
	switch f.Class(b) {
	case model.ClassNaN:
		b &= f.SignBit()<<1 - 1
		return fmt.Sprintf("nan:0x%0*x", (f.Bits()+3)/4, b)
	case model.ClassInf:
		if f.Signbit(b) {
			return "-inf"
		}
		return "inf"
	}
	return decode(f, b).String()
}

// ParseValue returns the encoding of format f that s stands for. It takes what FormatValue
// writes, hex floats in any other spelling, and "nan" for the format's canonical NaN. Nothing is
// rounded: a number that f does not hold is an error that names its neighbours in f.
func ParseValue(f model.Format, s string) (uint64, error) {
	switch s {
	case "inf", "+inf", "-inf":
		if !f.HasInf {
			return 0, fmt.Errorf("%s has no infinity", f)
		}
		if s[0] == '-' {
			return f.InfBits() | f.SignBit(), nil
		}
		return f.InfBits(), nil
	case "nan":
		return f.NaNBits(), nil
	}
	if t, ok := strings.CutPrefix(s, "nan:0x"); ok {
		b, err := strconv.ParseUint(t, 16, 64)
		if err != nil || b > f.SignBit()<<1-1 || !f.IsNaN(b) {
			return 0, fmt.Errorf("%s are not the bits of a NaN in %s; its canonical NaN is %s", quote(s), f, FormatValue(f, f.NaNBits()))
		}
		return b, nil
	}
	d, err := parseHex(s)
	if err != nil {
		return 0, err
	}
	return d.encode(f)
}

// decode returns the value of a finite encoding.
func decode(f model.Format, b uint64) dyadic {
	neg, m, e := f.Decode(b)
	return dyadic{neg, m, e}.odd()
}

// odd returns d with an odd significand.
func (d dyadic) odd() dyadic {
	if d.m == 0 {
		d.e = 0
		return d
	}
	z := bits.TrailingZeros64(d.m)
	d.m >>= z
	d.e += z
	return d
}

// encode returns the encoding of d in f, exactly or not at all.
func (d dyadic) encode(f model.Format) (uint64, error) {
	var sign uint64
	if d.neg {
		sign = f.SignBit()
	}
	if d.m == 0 {
		return sign, nil
	}
	top := d.e + bits.Len64(d.m) - 1 // exponent of the leading bit
	ulp := max(top, f.Emin) - f.P + 1
	if top > f.Emax || top == f.Emax && d.beyond(f, ulp) {
		return 0, fmt.Errorf("%s is beyond the largest number of %s, %s", d, f, FormatValue(f, sign|f.MaxBits()))
	}
	if d.e < ulp {
		low := pack(f, d.shifted(ulp), ulp)
		return 0, fmt.Errorf("%s is not a number of %s, and case files are not rounded; next to it lie %s and %s",
			d, f, FormatValue(f, sign|low), FormatValue(f, sign|f.Next(low)))
	}
	return sign | pack(f, d.shifted(ulp), ulp), nil
}

// shifted returns |d|/2^ulp without its fraction.
//
// Domain: |d| < 2^(ulp+64).
func (d dyadic) shifted(ulp int) uint64 {
	if d.e >= ulp {
		return d.m << (d.e - ulp)
	}
	return d.m >> min(ulp-d.e, 64)
}

// beyond reports whether |d|, whose unit in the last place is 2^ulp, lies above every number of f,
// infinity included.
func (d dyadic) beyond(f model.Format, ulp int) bool {
	sig := d.shifted(ulp)
	return sig > f.MaxFinite || sig == f.MaxFinite && d.e < ulp && !f.HasInf
}

// pack returns the encoding of sig·2^ulp; sig has P bits, or fewer where ulp is the least subnormal.
func pack(f model.Format, sig uint64, ulp int) uint64 {
	hidden := uint64(1) << (f.P - 1)
	if sig < hidden {
		return sig
	}
	return uint64(ulp+f.P-f.Emin)<<(f.P-1) | sig&(hidden-1)
}

// String returns d as a hex float in canonical form: -0x1.8p-20, 0x1p+4, 0x0p+0.
func (d dyadic) String() string {
	sign := ""
	if d.neg {
		sign = "-"
	}
	if d.m == 0 {
		return sign + "0x0p+0"
	}
	n := bits.Len64(d.m)
	frac := ""
	if n > 1 {
		frac = "." + strings.TrimRight(fmt.Sprintf("%016x", d.m<<(65-n)), "0")
	}
	return fmt.Sprintf("%s0x1%sp%+d", sign, frac, d.e+n-1)
}

// decimal returns d for the reader's eye: integers below 2^53 in full, all else to three digits.
//
// Domain: |d| < 2^1024 and a multiple of 2^-1074.
func (d dyadic) decimal() string {
	v := math.Ldexp(float64(d.m), d.e)
	if d.neg {
		v = -v
	}
	if d.e >= 0 && math.Abs(v) < 1<<53 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// parseHex reads a hex float of whatever format: a sign or none, 0x, hex digits with a point or
// none, and a binary exponent.
func parseHex(s string) (dyadic, error) {
	t := s
	var d dyadic
	if t != "" && (t[0] == '-' || t[0] == '+') {
		d.neg = t[0] == '-'
		t = t[1:]
	}
	if len(t) < 2 || t[0] != '0' || t[1] != 'x' && t[1] != 'X' {
		return dyadic{}, notHex(s)
	}
	t = t[2:]
	p := strings.IndexAny(t, "pP")
	if p < 0 {
		return dyadic{}, fmt.Errorf("%s has no binary exponent; a hex float ends in one, such as p+0", quote(s))
	}
	digits, exp := t[:p], t[p+1:]
	e, err := strconv.Atoi(exp)
	if exp == "" || strings.ContainsRune(exp, '_') || err != nil && !errors.Is(err, strconv.ErrRange) {
		return dyadic{}, fmt.Errorf("%s has no decimal number after the p", quote(s))
	}
	if err != nil || e > maxExponent || e < -maxExponent {
		return dyadic{}, fmt.Errorf("the exponent of %s is outside every format", quote(s))
	}
	whole, frac, _ := strings.Cut(digits, ".")
	if whole+frac == "" {
		return dyadic{}, fmt.Errorf("%s has no digits", quote(s))
	}
	all := whole + frac
	if i := strings.IndexFunc(all, func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }); i >= 0 {
		r, _ := utf8.DecodeRuneInString(all[i:])
		return dyadic{}, fmt.Errorf("%s has the character %q among its hex digits", quote(s), r)
	}
	e -= 4 * len(frac)
	sig := strings.TrimRight(all, "0")
	e += 4 * (len(all) - len(sig))
	sig = strings.TrimLeft(sig, "0")
	if sig == "" {
		return dyadic{neg: d.neg}, nil
	}
	if len(sig) > 16 {
		return dyadic{}, fmt.Errorf("%s has more than 16 significant hex digits, which no format holds", quote(s))
	}
	if d.m, err = strconv.ParseUint(sig, 16, 64); err != nil {
		return dyadic{}, fmt.Errorf("%s is no hex float: %w", quote(s), err)
	}
	d.e = e
	return d.odd(), nil
}

// notHex says that s is no hex float, and how a decimal number is written as one.
func notHex(s string) error {
	if v, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
		b := math.Float64bits(v)
		return fmt.Errorf("%s is decimal, and values are hex floats; in binary64 it is %s", quote(s), FormatValue(model.Binary64, b))
	}
	return fmt.Errorf("%s is no value; write a hex float such as -0x1.8p-20, inf, -inf or nan:0x7fc00000", quote(s))
}

// quote returns s in quotes, cut to a length that fits into a message.
func quote(s string) string {
	const most = 60
	if len(s) > most {
		return strconv.Quote(strings.ToValidUTF8(s[:most], "")) + "…"
	}
	return strconv.Quote(s)
}
