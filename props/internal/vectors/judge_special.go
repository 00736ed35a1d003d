package vectors

import (
	"math"

	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// terms counts what kinds of terms a row has.
type terms struct {
	nan, posInf, negInf, posZero, negZero, finite int
}

func (t *Trial) classify() terms {
	var k terms
	c := &t.Claimed
	if t.sub.Op == engine.OpSum && t.x.F32 != nil {
		for _, v := range t.x.F32 {
			switch b := math.Float32bits(v); {
			case b == 0:
				k.posZero++
			case b == 1<<31:
				k.negZero++
			case b&^(1<<31) < 0x7f800000:
				k.finite++
			case b == 0x7f800000:
				k.posInf++
			case b == 0xff800000:
				k.negInf++
			default:
				k.nan++
			}
		}
		return k
	}
	for i := range t.Length {
		x := t.x.At(i)
		neg := c.In.Signbit(x)
		class := c.In.Class(x)
		if t.sub.Op == engine.OpDot {
			y := t.y.At(i)
			neg = neg != c.In.Signbit(y)
			class = productClass(class, c.In.Class(y))
		}
		switch {
		case class == model.ClassNaN:
			k.nan++
		case class == model.ClassInf && neg:
			k.negInf++
		case class == model.ClassInf:
			k.posInf++
		case class == model.ClassZero && neg:
			k.negZero++
		case class == model.ClassZero:
			k.posZero++
		default:
			k.finite++
		}
	}
	return k
}

// productClass returns the class of an exact product: NaN, infinite, zero, or finite and not zero.
func productClass(a, b model.Class) model.Class {
	hi, lo := max(a, b), min(a, b)
	switch {
	case hi == model.ClassNaN || hi == model.ClassInf && lo == model.ClassZero:
		return model.ClassNaN
	case hi == model.ClassInf:
		return model.ClassInf
	case lo == model.ClassZero:
		return model.ClassZero
	}
	return model.ClassNormal
}

// judgeSpecial judges rows with NaNs, infinities, zeros and sums that may overflow, by what every
// order of IEEE additions allows. Compensated kernels owe the same: NaN and infinities come from the
// terms or from partial sums that can really overflow, never from inf-inf in a correction.
func judgeSpecial(t *Trial) verdict.Verdict {
	c := &t.Claimed
	if c.Mean && t.Length == 0 {
		return verdict.NotMet("the mean of nothing is no number")
	}
	if c.Flush.In && t.sub.Op == engine.OpDot && t.flushesBesideInf() {
		return verdict.NotMet("a subnormal factor meets an infinity, and may be flushed before it does")
	}
	k := t.classify()
	got := t.Got()
	class, neg := c.Out.Class(got), c.Out.Signbit(got)
	want := func(s string) *verdict.Witness { return &verdict.Witness{WantText: s} }
	switch {
	case k.nan > 0:
		if class != model.ClassNaN {
			return verdict.Fails("a term is no number, and the result is one", want("nan"))
		}
		return verdict.Held("", 0)
	case k.posInf+k.negInf > 0 && !t.infinite():
		return verdict.NotMet("a term is infinite, and accumulator or result have no infinity")
	case k.posInf > 0 && k.negInf > 0:
		if class != model.ClassNaN {
			return verdict.Fails("the terms hold infinities of both signs, and the result is a number", want("nan"))
		}
		return verdict.Held("", 0)
	case k.posInf+k.negInf > 0:
		return t.judgeInfinity(k.negInf > 0)
	case k.finite == 0:
		if class != model.ClassZero {
			return verdict.Fails("every term is a zero, and the result is none", want("0"))
		}
		if c.SignedZero && c.Rounding != model.TowardNegative {
			if allNeg := k.negZero > 0 && k.posZero == 0; allNeg != neg {
				if allNeg {
					return verdict.Fails("every term is -0, and the result is +0", want("-0"))
				}
				return verdict.Fails("not every term is -0, and the result is", want("+0"))
			}
		}
		return verdict.Held("", 0)
	}
	return t.judgeFiniteRange(class, neg)
}

// flushesBesideInf reports whether some product is one of a subnormal and an infinity.
func (t *Trial) flushesBesideInf() bool {
	in := t.Claimed.In
	for i := range t.Length {
		a, b := in.Class(t.x.At(i)), in.Class(t.y.At(i))
		if max(a, b) == model.ClassInf && min(a, b) == model.ClassSubnormal {
			return true
		}
	}
	return false
}

// judgeInfinity judges a row whose infinite terms have one sign: the result is that infinity, or
// NaN if the finite terms of the other sign alone may overflow to the opposite one.
func (t *Trial) judgeInfinity(negative bool) verdict.Verdict {
	c := &t.Claimed
	got := t.Got()
	class, neg := c.Out.Class(got), c.Out.Signbit(got)
	if class == model.ClassInf && neg == negative {
		return verdict.Held("", 0)
	}
	text := "inf"
	if negative {
		text = "-inf"
	}
	if class == model.ClassNaN {
		pos, minus := t.signedAbs()
		other := minus
		if negative {
			other = pos
		}
		if _, hi := other.Interval(); t.mayOverflow(hi, 1) {
			return verdict.Held("", 0)
		}
		return verdict.Fails("the infinite terms have one sign and the finite ones cannot overflow, and the result is NaN", &verdict.Witness{WantText: text})
	}
	return verdict.Fails("the infinite terms have one sign, and the result is not that infinity", &verdict.Witness{WantText: text})
}

// judgeFiniteRange judges a row of finite terms: an infinite result needs partial sums of its sign
// that may overflow, a NaN partial sums of both, and a finite one an exact sum that can be in range.
func (t *Trial) judgeFiniteRange(class model.Class, neg bool) verdict.Verdict {
	c := &t.Claimed
	want := t.roundedExact()
	switch class {
	case model.ClassInf, model.ClassNaN:
		if c.OverflowSafe && t.neverOverflows() {
			return verdict.Fails("the result is not finite though the exact one rounds to a finite number, and the kernel claims to be safe from overflow",
				&verdict.Witness{WantText: report.Describe(c.Out, want)})
		}
		if c.OverflowSafe && class == model.ClassInf && neg == c.Out.Signbit(want) {
			return verdict.Held("", 0)
		}
		up, down := t.maySignsOverflow()
		ok := up && down
		switch {
		case class == model.ClassInf:
			ok = up && !neg || down && neg
		case !t.infinite(): // whose overflow is a NaN
			ok = up || down
		}
		if !ok {
			return verdict.Fails("the result is not finite, and the terms of its sign cannot overflow", &verdict.Witness{WantText: report.Describe(c.Out, want)})
		}
		return verdict.Held("", 0)
	}
	// A finite result of terms whose exact sum is out of range is judged by the enclosure.
	return verdict.Held("", 0)
}

// maySignsOverflow reports whether the positive terms alone, and the negative ones alone, may sum to
// more than the largest finite number. The terms must be finite.
func (t *Trial) maySignsOverflow() (up, down bool) {
	// The positive terms sum to (A+S)/2, the negative ones to (A-S)/2. Where the enclosures leave no
	// doubt they decide, and else the exact sums.
	a := t.abs()
	lo, hi := t.Sum().Interval()
	away := float64(a.Hi * 0x1p-50) // more than these few operations err
	up, down = t.mayOverflow(float64(a.Hi/2)+float64(hi/2)+away, 1), t.mayOverflow(float64(a.Hi/2)-float64(lo/2)+away, 1)
	if a.Hi < math.MaxFloat64/4 &&
		up == t.mayOverflow(float64(a.Lo/2)+float64(lo/2)-away, 1) && down == t.mayOverflow(float64(a.Lo/2)-float64(hi/2)-away, 1) {
		return up, down
	}
	pos, minus := t.signedAbs()
	_, posHi := pos.Interval()
	_, minusHi := minus.Interval()
	return t.mayOverflow(posHi, 1), t.mayOverflow(minusHi, 1)
}
