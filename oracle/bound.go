package oracle

import (
	"math"

	"gamma/model"
)

// Within reports whether e <= S·|s| + A·a + Lost·lost + Abs·2^AbsExp, exactly.
//
// Domain:  the coefficients of b are not negative and not NaN; it panics otherwise.
// Special: with a coefficient of +Inf everything is within the bound.
func Within(e, s, a, lost Dyadic, b model.Bound) bool {
	limit, finite := Limit(s, a, lost, b)
	return !finite || e.Cmp(limit) <= 0
}

// Limit returns S·|s| + A·a + Lost·lost + Abs·2^AbsExp, exactly; finite is false if a coefficient
// is +Inf.
//
// Domain: as for Within.
func Limit(s, a, lost Dyadic, b model.Bound) (limit Dyadic, finite bool) {
	for _, c := range [...]float64{b.S, b.A, b.Lost, b.Abs} {
		if !(c >= 0) {
			panic(badCoefficient)
		}
		if c > math.MaxFloat64 {
			return Dyadic{}, false
		}
	}
	limit = s.Abs().MulFloat64(b.S)
	limit = limit.Add(a.MulFloat64(b.A))
	limit = limit.Add(lost.MulFloat64(b.Lost))
	return limit.Add(FromFloat64(b.Abs).Scale(b.AbsExp)), true
}

// Ratio returns e over the bound of Within, for reports: 0 if both are 0, and +Inf if only the
// bound is.
//
// Error: the exact quotient rounded to nearest, within one ulp.
func Ratio(e, s, a, lost Dyadic, b model.Bound) float64 {
	limit, finite := Limit(s, a, lost, b)
	switch {
	case !finite, e.Sign() == 0:
		return 0
	case limit.Sign() == 0:
		return math.Inf(1)
	}
	q, _ := e.Rat().Quo(e.Rat(), limit.Rat()).Float64()
	return q
}

// Decision is what float64 enclosures can decide about an inequality.
type Decision int8

const (
	No     Decision = -1 // the inequality is false
	Unsure Decision = 0  // Within has to decide
	Yes    Decision = 1  // it is true
)

// String returns no, unsure or yes.
func (d Decision) String() string {
	switch d {
	case No:
		return "no"
	case Yes:
		return "yes"
	}
	return "unsure"
}

// Decide returns whether e <= S·|s| + A·a + Lost·lost + Abs·2^AbsExp for numbers known by enclosures:
// the answer of Within, or Unsure, as for NaNs.
//
// Domain: the coefficients of b are not negative and not NaN; e, a and lost are not negative.
// Cost:   some 20 ns; no allocation.
func Decide(e, s, a, lost Interval, b model.Bound) Decision {
	s = s.Abs()
	lo, hi := LimitInterval(s, a, lost, b)
	switch {
	case e.Hi <= lo:
		return Yes
	case e.Lo > hi:
		return No
	}
	return Unsure
}

// LimitInterval returns an enclosure of what Limit returns, given enclosures with s >= 0, and
// +Inf twice if a coefficient is.
func LimitInterval(s, a, lost Interval, b model.Bound) (lo, hi float64) {
	if max(b.S, b.A, b.Lost, b.Abs) > math.MaxFloat64 {
		return math.Inf(1), math.Inf(1)
	}
	abs := math.Ldexp(b.Abs, b.AbsExp)
	absLo, absHi := abs, abs
	if b.Abs != 0 && (abs < 0x1p-1022 || abs > math.MaxFloat64) { // else Ldexp is exact
		absLo, absHi = down(abs), up(abs)
	}
	lo = mulDown(b.S, s.Lo)
	lo = addDown(lo, mulDown(b.A, a.Lo))
	lo = addDown(lo, mulDown(b.Lost, lost.Lo))
	lo = addDown(lo, absLo)
	hi = mulUp(b.S, s.Hi)
	hi = addUp(hi, mulUp(b.A, a.Hi))
	hi = addUp(hi, mulUp(b.Lost, lost.Hi))
	hi = addUp(hi, absHi)
	return lo, hi
}
