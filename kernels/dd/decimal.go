package dd

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"gamma/kernels"
	"gamma/kernels/eft"
)

// ErrRange is wrapped by the error of Parse if a number rounds to more than the largest double word.
var ErrRange = errors.New("the number is too large for a double word of this format")

// keptDigits is how many significant digits Parse reads; of the rest it only checks whether all are zero. Ties between
// double words are multiples of 2^-1076 below 2^1025, whose decimals have fewer than 1400 digits, so that nothing is lost.
const keptDigits = 1500

// Parse reads a decimal number: hi = RN(x), lo = RN(x-hi) of the exact x, normalised. The text is an optional sign, digits with
// an optional point, and an optional exponent, such as "e-12"; or "Inf", "Infinity" or "NaN" in any case, with an optional sign.
//
// Special: a number that is too large gives the infinity of its sign and an error that wraps ErrRange; one that is too small gives
// the zero of its sign. Any other text is an error that names the first character that does not belong, counted from 1.
func Parse[T kernels.Float](text string) (DD[T], error) {
	i, negative := 0, false
	if i < len(text) && (text[i] == '+' || text[i] == '-') {
		negative = text[i] == '-'
		i++
	}
	signed := func(x DD[T]) DD[T] {
		if negative {
			x.Hi = -x.Hi
			if x.Lo != 0 {
				x.Lo = -x.Lo
			}
		}
		return x
	}
	switch strings.ToLower(text[i:]) {
	case "inf", "infinity":
		return signed(DD[T]{Hi: T(math.Inf(1))}), nil
	case "nan":
		return DD[T]{Hi: T(math.NaN())}, nil
	}

	var digits []byte    // significant ones, from the first that is not zero
	exponent := int64(0) // of ten, for the digits as an integer
	point, seen, sticky := false, false, false
scan:
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c < '0' || c > '9':
			break scan
		}
		seen = true
		if point {
			exponent--
		}
		switch {
		case len(digits) == 0 && c == '0':
		case len(digits) < keptDigits:
			digits = append(digits, c)
		default:
			sticky = sticky || c != '0'
			exponent++
		}
	}
	if !seen {
		return DD[T]{}, garbage(text, i, "a digit")
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		i++
		minus := false
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			minus = text[i] == '-'
			i++
		}
		if i == len(text) || text[i] < '0' || text[i] > '9' {
			return DD[T]{}, garbage(text, i, "a digit of the exponent")
		}
		e := int64(0)
		for ; i < len(text) && text[i] >= '0' && text[i] <= '9'; i++ {
			if e < 1<<40 { // farther than any text is long
				e = 10*e + int64(text[i]-'0')
			}
		}
		if minus {
			e = -e
		}
		exponent += e
	}
	if i < len(text) {
		return DD[T]{}, garbage(text, i, "the end")
	}

	if sticky {
		digits = append(digits, '1')
		exponent--
	}
	switch size := int64(len(digits)) + exponent; { // the number is less than 10^size, and 10^(size-1) or more
	case len(digits) == 0 || size < -400: // less than half of the smallest number
		return signed(DD[T]{}), nil
	case size > 400:
		return signed(DD[T]{Hi: T(math.Inf(1))}), outOfRange(text)
	}
	n, _ := new(big.Int).SetString(string(digits), 10)
	x := new(big.Rat)
	if ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(exponent, -exponent)), nil); exponent < 0 {
		x.SetFrac(n, ten)
	} else {
		x.SetInt(n.Mul(n, ten))
	}
	z := fromRat[T](x)
	if z.Hi-z.Hi != 0 {
		return signed(z), outOfRange(text)
	}
	return signed(z), nil
}

// fromRat returns x in two words: hi = RN(x), lo = RN(x-hi), normalised; {Inf, 0} if x is too large.
func fromRat[T kernels.Float](x *big.Rat) DD[T] {
	hi := nearest[T](x)
	if hi-hi != 0 {
		return DD[T]{Hi: hi}
	}
	rest := new(big.Rat).SetFloat64(float64(hi))
	lo := nearest[T](rest.Sub(x, rest))
	return fromParts(hi, lo)
}

// nearest returns RN(x), which is infinite if that overflows.
func nearest[T kernels.Float](x *big.Rat) T {
	if eft.Precision[T]() == 24 {
		f, _ := x.Float32()
		return T(f)
	}
	f, _ := x.Float64()
	return T(f)
}

// garbage returns the error for an unexpected text[i].
func garbage(text string, i int, want string) error {
	if i >= len(text) {
		return fmt.Errorf("dd: %s ends where %s belongs, after %d characters", quoted(text), want, i)
	}
	c, _ := utf8.DecodeRuneInString(text[i:]) // what stands before is ASCII, a byte each
	return fmt.Errorf("dd: character %d of %s is %q, where %s belongs", i+1, quoted(text), c, want)
}

func outOfRange(text string) error { return fmt.Errorf("dd: %s: %w", quoted(text), ErrRange) }

// quoted returns text in quotes, shortened for a message.
func quoted(text string) string {
	const most = 64
	if len(text) > most {
		return fmt.Sprintf("%.*q and %d more characters", most, text, len(text)-most)
	}
	return fmt.Sprintf("%q", text)
}

// Text returns the exact value of the pair rounded to n significant digits, a tie to the even digit, such as "1.5" or
// "1.0000000000000001e-12"; zeros at the end of a fraction are left out.
//
// Domain:  n >= 1; it panics otherwise.
// Special: "NaN", "Inf", "-Inf", "0" and "-0".
func (x DD[T]) Text(n int) string {
	if n < 1 {
		panic(noDigits(n))
	}
	r := x.Renormalise()
	hi := float64(r.Hi)
	switch {
	case math.IsNaN(hi):
		return "NaN"
	case math.IsInf(hi, 0):
		return strings.TrimPrefix(fmt.Sprint(hi), "+")
	case hi == 0:
		return fmt.Sprint(hi)
	}
	return exactly(r).Text('g', n)
}

// String returns the value in decimal, with enough digits that Parse gives the normalised pair back.
//
// An error of less than a quarter ulp of the low word keeps RN(x-hi) = lo. It may move RN(x) to the neighbour only where hi is
// followed by a tie, and there fromParts brings hi and lo back.
func (x DD[T]) String() string {
	r := x.Renormalise()
	if r.Hi == 0 || !r.Finite() {
		return x.Text(1)
	}
	if r.Lo == 0 {
		return r.Text(keptDigits) // exact: any other text would need a low word
	}
	return r.Text(digitsDown(r.Hi, r.Lo))
}

// digitsDown returns the number of significant digits that a number like hi needs, so that the last is worth less than a quarter ulp of lo.
func digitsDown[T kernels.Float](hi, lo T) int {
	p, smallest := eft.Precision[T](), -1074
	if p == 24 {
		smallest = -149
	}
	_, top := math.Frexp(float64(hi)) // |hi| < 2^top
	_, low := math.Frexp(float64(lo)) // |lo| >= 2^(low-1)
	bits := top - (max(low-p, smallest) - 2)
	return int(math.Ceil(float64(float64(bits)*math.Log10(2)))) + 1
}

// exactly returns Hi + Lo without rounding.
func exactly[T kernels.Float](x DD[T]) *big.Float {
	s := new(big.Float).SetPrec(2200)
	return s.Add(s.SetFloat64(float64(x.Hi)), big.NewFloat(float64(x.Lo)))
}
