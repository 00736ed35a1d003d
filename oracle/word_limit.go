package oracle

import (
	"fmt"
	"math"
	"math/big"

	"gamma/model"
	"gamma/model/word"
)

// WordLimit is the largest allowed distance of a result from the exact one: a bound of package word, prepared for a precision. It is
// immutable.
type WordLimit struct {
	text     string
	factor   *big.Rat // B, or B² of a normwise bound; nil: exact
	normwise bool
	rounded  bool
	away     bool         // ties of the last rounding go away from zero, not to even
	f        model.Format // of the rounded result

	num, den   big.Int // of factor
	num2, den2 big.Int // of B²
	b          float64 // B, to nearest
	below      float64 // factor rounded down, by less than 2^-47 of it; -1 if it is out of the range of binary64
	small      bool    // num and den fit in 64 bits
	small2     bool    // num2 and den2 fit in 62 bits
}

// NewWordLimit returns the bound b at precision p: |z - exact| <= B·|exact| for each component, or for the norms of both.
func NewWordLimit(b word.Bound, p int) *WordLimit {
	l := &WordLimit{text: b.Text, normwise: b.Normwise}
	if b.Factor != nil {
		l.factor = b.Factor(p)
		if l.factor.Sign() < 0 {
			panic(negativeFactor)
		}
		l.num.Set(l.factor.Num())
		l.den.Set(l.factor.Denom())
	} else {
		l.den.SetInt64(1)
	}
	l.num2.Set(&l.num)
	l.den2.Set(&l.den)
	if !l.normwise {
		l.num2.Mul(&l.num, &l.num)
		l.den2.Mul(&l.den, &l.den)
	}
	l.small = l.num.BitLen() <= 64 && l.den.BitLen() <= 64
	l.small2 = l.num2.BitLen() <= 62 && l.den2.BitLen() <= 62
	near, _ := new(big.Rat).SetFrac(&l.num, &l.den).Float64()
	l.b = near
	if l.normwise {
		l.b = math.Sqrt(near)
	}
	switch {
	case l.num.Sign() == 0:
		l.below = 0
	case near < 0x1p-250 || near > 1:
		l.below = -1
	default:
		l.below = float64(near * (1 - 0x1p-48))
	}
	return l
}

// NewRoundedLimit returns the limit of results that are rounded once, at the end, to one word of f: z = RN(w), ties to even, where
// the error of w is within b. So z passes exactly when some w within b of the exact result rounds to it. That is no more than
// half an ulp plus B·|exact|, and is decided exactly: the numbers that round to z form an interval, and the distance from the exact
// result to it, or to the box of two such intervals for a normwise b, is compared with the bound. An end of an interval that
// rounds to z's neighbour does not count.
func NewRoundedLimit(b word.Bound, f model.Format) *WordLimit {
	l := NewWordLimit(b, f.P)
	l.rounded, l.f = true, f
	return l
}

// TiesAway returns the limit for a last rounding whose ties go away from zero. It is l itself unless l was made by NewRoundedLimit.
func (l *WordLimit) TiesAway() *WordLimit {
	c := NewWordLimit(word.Bound{Text: l.text, Normwise: l.normwise, Factor: l.rat()}, 0)
	c.rounded, c.f, c.away = l.rounded, l.f, true
	return c
}

// rat returns the factor as a function of the precision, nil for an exact limit.
func (l *WordLimit) rat() func(int) *big.Rat {
	if l.factor == nil {
		return nil
	}
	return func(int) *big.Rat { return l.factor }
}

// Factor returns B, squared if the limit is normwise, and nil if results must be exact.
func (l *WordLimit) Factor() *big.Rat {
	if l.factor == nil {
		return nil
	}
	return new(big.Rat).Set(l.factor)
}

// Float64 returns approximately B, not squared, for reports.
func (l *WordLimit) Float64() float64 { return l.b }

// Normwise reports whether the limit is on the norm of the error of both components, not on each of them.
func (l *WordLimit) Normwise() bool { return l.normwise }

// Rounded reports whether the limit allows one more rounding.
func (l *WordLimit) Rounded() bool { return l.rounded }

// String returns the bound's text: "3u²", or "half an ulp + 3u²".
func (l *WordLimit) String() string {
	if !l.rounded {
		return l.text
	}
	return fmt.Sprintf("half an ulp + %s", l.text)
}
