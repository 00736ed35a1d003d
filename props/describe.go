package props

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
)

// describe writes an encoding as "0x1.8p+1 (3)", a hex float and its decimal.
func describe(f model.Format, b uint64) string {
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
	v := value64(f, b)
	return fmt.Sprintf("%s (%.9g)", hexFloat(v), v)
}

// hexFloat writes v as a hex float with no more digits than it needs: 0x1.8p+1.
func hexFloat(v float64) string { return tidyHex(fmt.Sprintf("%x", v)) }

// describeSet writes a set of encodings, the first few of many.
func describeSet(f model.Format, set []uint64) string {
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
		s.WriteString(describe(f, b))
	}
	return s.String()
}

// roundQuotient returns d/n rounded once into f.
func roundQuotient(d oracle.Dyadic, n int, f model.Format, r model.Rounding) uint64 {
	q := new(big.Rat).Quo(d.Rat(), new(big.Rat).SetInt64(int64(n)))
	return round.Arith{F: f, R: r}.FromRat(q)
}

func oracleInt(n int) *big.Int { return big.NewInt(int64(n)) }

// plural writes a number and a noun, such as "1 case" or "2 cases".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// finiteRatio writes a ratio of error and bound for tables.
func finiteRatio(r float64) string {
	if math.IsInf(r, 0) {
		return "inf"
	}
	return fmt.Sprintf("%.4f", r)
}
