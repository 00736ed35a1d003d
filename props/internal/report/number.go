package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gamma/corpus"
	"gamma/model"
)

// Describe writes an encoding as "0x1.8p+1 (3)", a hex float and its decimal.
func Describe(f model.Format, b uint64) string {
	switch f.Class(b) {
	case model.ClassNaN:
		return fmt.Sprintf("nan (%#x)", b)
	case model.ClassInf:
		if f.Signbit(b) {
			return "-inf"
		}
		return "inf"
	case model.ClassZero:
		if f.Signbit(b) {
			return "-0"
		}
		return "0"
	}
	v := Value64(f, b)
	return fmt.Sprintf("%s (%.9g)", hexFloat(v), v)
}

// hexFloat writes v as a hex float with no more digits than it needs: 0x1.8p+1.
func hexFloat(v float64) string { return TidyHex(fmt.Sprintf("%x", v)) }

// DescribeSet writes a set of encodings, the first few of many.
func DescribeSet(f model.Format, set []uint64) string {
	const most = 8
	var s strings.Builder
	for i, b := range set {
		if i == most {
			fmt.Fprintf(&s, " … (%d values)", len(set))
			break
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(Describe(f, b))
	}
	return s.String()
}

// FiniteRatio writes a ratio of error and bound for tables.
func FiniteRatio(r float64) string {
	if math.IsInf(r, 0) {
		return "inf"
	}
	return fmt.Sprintf("%.4f", r)
}

// widening holds, for each format of at most 16 bits, the binary32 value of every encoding; each is exact.
var widening sync.Map // model.Format -> []float32

// WidenTable returns the values of all encodings of a format of 16 bits or fewer, exact in binary32; it is made once.
func WidenTable(f model.Format) []float32 {
	if t, ok := widening.Load(f); ok {
		return t.([]float32)
	}
	t := make([]float32, 1<<f.Bits())
	for b := range t {
		e := uint64(b)
		switch {
		case f.IsNaN(e):
			t[b] = float32(math.NaN())
		case f.IsInf(e) && f.Signbit(e):
			t[b] = float32(math.Inf(-1))
		case f.IsInf(e):
			t[b] = float32(math.Inf(1))
		default:
			neg, m, k := f.Decode(e)
			v := math.Ldexp(float64(m), k)
			if neg {
				v = math.Copysign(v, -1)
			}
			t[b] = float32(v)
		}
	}
	widening.Store(f, t)
	return t
}

// Value64 returns the value of an encoding of any format, exactly, as a binary64 number.
func Value64(f model.Format, b uint64) float64 {
	switch f.Name {
	case model.Binary64.Name:
		return math.Float64frombits(b)
	case model.Binary32.Name:
		return float64(math.Float32frombits(uint32(b)))
	}
	if f.Bits() > 16 { // too many for a table: toys of 12 bits of precision, formats of the user's own
		switch {
		case f.IsNaN(b):
			return math.NaN()
		case f.IsInf(b):
			return math.Inf(1 - 2*int(b>>(f.Bits()-1)&1))
		}
		neg, m, k := f.Decode(b)
		v := math.Ldexp(float64(m), k)
		if neg {
			return math.Copysign(v, -1)
		}
		return v
	}
	table := WidenTable(f)
	return float64(table[b&uint64(len(table)-1)])
}

// Signed returns the encoding b with its sign set if neg.
func Signed(f model.Format, b uint64, neg bool) uint64 {
	if neg {
		b |= f.SignBit()
	}
	return b
}

// Infinity returns what stands for an infinity in f.
func Infinity(f model.Format, neg bool) uint64 {
	switch {
	case f.Overflow == model.OverflowSaturate:
		return Signed(f, f.MaxBits(), neg)
	case f.HasInf:
		return Signed(f, f.InfBits(), neg)
	}
	return Signed(f, f.NaNBits(), neg)
}

// maxSpread is how many different results of a case are printed.
const maxSpread = 4

// SetText writes results in order of their bits, each in hex and decimal.
func SetText(f model.Format, list []uint64) string {
	list = slices.Sorted(slices.Values(list))
	var parts []string
	for i, b := range list {
		if i == maxSpread {
			parts = append(parts, fmt.Sprintf("%d more", len(list)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("0x%0*x = %s", (f.Bits()+3)/4, b, Describe(f, b)))
	}
	return strings.Join(parts, ", ")
}

// SameBits reports whether two results are one: the same bits, or two NaNs.
func SameBits(f model.Format, p, q uint64) bool { return p == q || f.IsNaN(p) && f.IsNaN(q) }

// WordsText writes words in hex.
func WordsText(words []uint64) string {
	text := ""
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%#x", w)
	}
	return text
}

// Multiple writes a ratio of error and bound so that one above 1 is seen to be.
func Multiple(r float64) string {
	text := Rough(r, 3)
	for digits := 4; text == "1" && r > 1 && digits <= 17; digits++ {
		text = Rough(r, digits)
	}
	if text == "1" { // the ratio is an estimate; the verdict is exact
		return "just above the bound"
	}
	return text + " × the bound"
}

// Rough writes v with so many significant digits: 1.37, 839, 8.39e6.
func Rough(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if v >= 100 && v < 1e6 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(text)
}

// Number is one row of the table of numbers.
type Number struct{ Label, Hex, Decimal, Note string }

// Encoded returns the row of an encoding of format f.
func Encoded(label string, f model.Format, b uint64) Number {
	n := Number{Label: label, Hex: corpus.FormatValue(f, b)}
	if f.IsFinite(b) {
		n.Decimal = Decimal(f, b)
	}
	return n
}

// Decimal writes a finite encoding with as many digits as tell it from its neighbours.
func Decimal(f model.Format, b uint64) string {
	bits := 32
	if f.Bits() > 32 {
		bits = 64
	}
	return strconv.FormatFloat(Value64(f, b), 'g', -1, bits)
}

// IsSpecial reports whether s is a zero, an infinity or a NaN as reports write them.
func IsSpecial(s string) bool {
	return slices.Contains([]string{"0", "+0", "-0", "inf", "-inf", "nan"}, s)
}

// PlainNames names what explain puts in the place of a part of the case.
var PlainNames = map[string]string{
	"behaviour": "the plain behaviour", "launch": "a plain launch", "thread": "one thread alone", "tree": "another tree",
	"seed": "another seed", "rows": "a single row",
}
