package report

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamma/oracle"
)

// Plural writes a number and a noun, such as "1 case" or "2 cases".
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Reduced says how many of some things are left of how many, or "" if they are as many.
func Reduced(from, to int, noun string) string {
	if from <= to {
		return ""
	}
	return fmt.Sprintf("reduced from %s to %d", Plural(from, noun), to)
}

// IntegerNumber is a row of a table that holds a word, in hex and decimal.
func IntegerNumber(label string, v uint64, note string) Number {
	return Number{Label: label, Hex: fmt.Sprintf("%#x", v), Decimal: fmt.Sprint(v), Note: note}
}

// RatValue is an exact number of a report: hex to the last bit where it has one, and decimal.
func RatValue(label string, v *big.Rat, digits int) Number {
	n := Number{Label: label, Decimal: new(big.Float).SetPrec(300).SetRat(v).Text('g', digits)}
	if d := v.Denom(); d.TrailingZeroBits() == uint(d.BitLen()-1) {
		n.Hex = TidyHex(oracle.NewDyadic(new(big.Int).Set(v.Num()), 1-d.BitLen()).Hex())
	} else {
		n.Hex = TidyHex(new(big.Float).SetPrec(uint(64)).SetRat(v).Text('x', 15)) + "…"
	}
	return n
}

// Sentence writes a clause as a sentence.
func Sentence(clause string) string {
	first, n := utf8.DecodeRuneInString(clause)
	return string(unicode.ToUpper(first)) + clause[n:] + "."
}

// Count writes a number of things, with the plural of a leaf.
func Count(n int, unit string) string {
	switch {
	case n == 1:
		return "1 " + unit
	case unit == "leaf":
		return fmt.Sprintf("%d leaves", n)
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// Columns returns how many columns of a terminal s takes, of text without wide characters.
func Columns(s string) int { return utf8.RuneCountInString(s) }

// pad fills s up to w columns; a longer one gets two spaces.
func pad(s string, w int) string {
	if k := w - Columns(s); k > 0 {
		return s + strings.Repeat(" ", k)
	}
	return s + "  "
}

// wrapped breaks text at spaces into lines of at most w columns; longer words are cut.
func wrapped(text string, w int) []string {
	var lines []string
	for para := range strings.SplitSeq(text, "\n") {
		l := ""
		for word := range strings.SplitSeq(para, " ") {
			if l != "" && Columns(l)+1+Columns(word) > w {
				lines = append(lines, l)
				l = ""
			} else if l != "" {
				l += " "
			}
			l += word
			for Columns(l) > w {
				cut := []rune(l)
				lines = append(lines, string(cut[:w]))
				l = string(cut[w:])
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// Shorten cuts the middle out of s until it has at most w columns.
func Shorten(s string, w int) string {
	rs := []rune(s)
	if len(rs) <= w {
		return s
	}
	tail := (w - 1) / 2
	return string(rs[:w-1-tail]) + "…" + string(rs[len(rs)-tail:])
}

// shortHex cuts the digits of a hex float after the thirteenth that binary64 can hold.
func shortHex(s string) string {
	point, exp := strings.IndexByte(s, '.'), strings.IndexByte(s, 'p')
	if point < 0 || exp < 0 || exp-point-1 <= 14 {
		return s
	}
	return s[:point+14] + "…" + s[exp:]
}

var hexExponent = regexp.MustCompile(`p([+-])0+(\d)`)

// TidyHex writes exponents as case files do, without leading zeros: 0x1.8p+1.
func TidyHex(s string) string { return hexExponent.ReplaceAllString(s, "p$1$2") }

// ShellWord quotes s for a shell where that is needed.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
