package preprocess

import (
	"strings"

	"gamma/metal/internal/msl/token"
)

// A badLiteral says why a preprocessing number is not a literal.
type badLiteral struct {
	msg     string
	feature string
}

// number tells an integer from a floating-point literal, and judges its digits and suffix. It returns
// the value of an integer, and whether its suffix has a u.
func number(text string) (kind token.Kind, value uint64, unsigned bool, bad *badLiteral) {
	fail := func(msg, feature string) (token.Kind, uint64, bool, *badLiteral) {
		return token.Int, 0, false, &badLiteral{msg, feature}
	}
	if len(text) == 1 { // a digit, by far the most frequent
		return token.Int, uint64(text[0] - '0'), false, nil
	}
	base, i := uint64(10), 0
	if text[0] == '0' {
		switch text[1] {
		case 'x', 'X':
			base, i = 16, 2
		case 'b', 'B':
			base, i = 2, 2
		default:
			base = 8
		}
	}
	var (
		digits, bigDigit int
		point, exponent  bool
		overflow         bool
		body             = i
	)
	for ; i < len(text); i++ {
		c := text[i]
		if c == '\'' {
			if i == body || !isDigit(text[i-1], base) || i+1 == len(text) || !isDigit(text[i+1], base) {
				return fail("a ' stands only between digits", "")
			}
			continue
		}
		if c == '.' && !point && base != 2 {
			point = true
			continue
		}
		if !isDigit(c, base) {
			break
		}
		d := digit(c)
		bigDigit = max(bigDigit, d)
		if digits++; !point {
			if value > (1<<64-1-uint64(d))/base {
				overflow = true
			}
			value = value*base + uint64(d)
		}
	}
	if digits == 0 {
		return fail("no digits after the prefix", "")
	}
	if i < len(text) && (base == 16 && text[i]|0x20 == 'p' || base != 16 && base != 2 && text[i]|0x20 == 'e') {
		exponent = true
		i++
		if i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if i == len(text) || !isDigit(text[i], 10) {
			return fail("the exponent has no digits", "")
		}
		for i < len(text) && (isDigit(text[i], 10) || text[i] == '\'' && isDigit(text[i-1], 10) && i+1 < len(text) && isDigit(text[i+1], 10)) {
			i++
		}
	}
	suffix := text[i:]
	if point || exponent {
		if base == 16 && !exponent {
			return fail("a hexadecimal floating-point literal needs an exponent such as p0", "")
		}
		switch suffix {
		case "", "f", "F", "h", "H", "bf", "BF":
			return token.Float, 0, false, nil
		case "l", "L":
			return fail("Metal has no long double; write f, h or bf, or nothing", "long double")
		}
		return fail("the suffix of a floating-point literal is f, h or bf, not "+suffix, "")
	}
	if base == 8 && bigDigit > 7 {
		return fail("an octal literal, which a leading 0 makes, has no digit over 7", "")
	}
	switch strings.ToLower(suffix) {
	case "", "l":
	case "u", "ul", "lu":
		unsigned = true
	case "ll", "ull", "llu":
		return fail("Metal has no long long; long has 64 bits: write l or ul", "long long")
	case "f", "h", "bf":
		return fail("a floating-point literal needs a point or an exponent before "+suffix, "")
	default:
		return fail("the suffix of an integer literal is u, l or ul, not "+suffix, "")
	}
	if overflow {
		return fail("this integer does not fit in 64 bits", "")
	}
	return token.Int, value, unsigned, nil
}

// isDigit counts 8 and 9 as digits of base 8, so that 09.5 is a number.
func isDigit(c byte, base uint64) bool {
	switch base {
	case 2:
		return c == '0' || c == '1'
	case 16:
		return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
	}
	return '0' <= c && c <= '9'
}

func digit(c byte) int {
	if c <= '9' {
		return int(c - '0')
	}
	return int(c|0x20) - 'a' + 10
}

// character returns the value of a character literal with its quotes.
func character(text string) (int64, bool) {
	in := text[1 : len(text)-1]
	if in == "" {
		return 0, false
	}
	if in[0] != '\\' {
		return int64(int8(in[0])), len(in) == 1 && in[0] < 0x80
	}
	if len(in) < 2 {
		return 0, false
	}
	if at := strings.IndexByte("abfnrtv\\'\"?", in[1]); at >= 0 {
		return int64("\a\b\f\n\r\t\v\\'\"?"[at]), len(in) == 2
	}
	base, rest := uint64(8), in[1:]
	if in[1] == 'x' {
		base, rest = 16, in[2:]
	}
	v := 0
	for i := range len(rest) {
		if !isDigit(rest[i], base) || base == 8 && rest[i] > '7' {
			return 0, false
		}
		if v = v*int(base) + digit(rest[i]); v > 255 {
			return 0, false
		}
	}
	return int64(int8(v)), rest != "" && (base == 16 || len(rest) <= 3)
}
