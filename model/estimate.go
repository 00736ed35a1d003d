package model

import (
	"fmt"
	"math/big"
)

// estimate is a Bound under construction: E <= s·|S| + a·A + lost·L + abs, in real numbers.
type estimate struct {
	name, source, hypothesis string
	s, a, lost, abs          *big.Float
	unit                     int // the greatest exponent that entered abs
}

// newEstimate returns s·|S| + a·A.
func newEstimate(name, source string, s, a *big.Float) estimate {
	return estimate{name: name, source: source, s: s, a: a, lost: whole(0), abs: whole(0), unit: -1 << 30}
}

// plus returns e with coefficient·2^exp added to its absolute part.
func (e estimate) plus(coefficient *big.Float, exp int) estimate {
	if coefficient.Sign() != 0 {
		e.abs = add(e.abs, mul(coefficient, twoTo(exp)))
		e.unit = max(e.unit, exp)
	}
	return e
}

// rounded returns e after one more rounding of the result, which errs by rel of its magnitude: that
// magnitude is at most |S| + E.
func (e estimate) rounded(rel *big.Float) estimate {
	r := add(whole(1), rel)
	e.s, e.a, e.lost, e.abs = add(mul(r, e.s), rel), mul(r, e.a), mul(r, e.lost), mul(r, e.abs)
	return e
}

// implies reports whether every error within e is within f, for all S and A with |S| <= A.
func (e estimate) implies(f estimate) bool {
	return e.a.Cmp(f.a) <= 0 && add(e.s, e.a).Cmp(add(f.s, f.a)) <= 0 &&
		e.lost.Cmp(f.lost) <= 0 && e.abs.Cmp(f.abs) <= 0
}

// boundList collects the bounds of one claim.
type boundList struct{ bounds []Bound }

// put rounds e up and appends it under the given law, unless a coefficient overflows.
func (l *boundList) put(e estimate, law LawID) {
	b := Bound{
		Name: e.name, Law: law, Source: e.source, Hypothesis: e.hypothesis,
		S: ceil(e.s), A: ceil(e.a), Lost: ceil(e.lost),
	}
	if e.abs.Sign() != 0 {
		b.AbsExp = e.unit
		b.Abs = ceil(mul(e.abs, twoTo(-e.unit)))
	}
	if b.Finite() {
		l.bounds = append(l.bounds, b)
	}
}

// subsetOf reports whether every number of f whose magnitude is in g's range is one of g's.
func (f Format) subsetOf(g Format) bool { return f.P <= g.P && f.gridExp() >= g.gridExp() }

// gridExp returns k such that 2^k is the least subnormal number: all finite numbers are multiples.
func (f Format) gridExp() int { return f.Emin - f.P + 1 }

// workplace is what the bounds of a claim depend on for one length: formats, the errors of one rounding in each,
// how the terms enter the accumulator, and what may be flushed.
type workplace struct {
	c            Claim
	n            int
	dot          bool
	in, acc, out Format
	grid         int // exact terms are multiples of 2^grid; so are their sums, however rounded

	// A term enters the accumulator with a relative error of enterRel and, if enterAbs, an absolute
	// one of eta(acc): a leaf of a wider format, or a product.
	enterRel *big.Float
	enterAbs bool
}

func newWorkplace(c Claim, n int) workplace {
	w := workplace{c: c, n: n, in: c.In, acc: c.Acc, out: c.Out, grid: c.In.gridExp(), enterRel: whole(0)}
	if w.in.P > w.acc.P {
		w.enterRel = w.rel(w.acc)
	}
	w.enterAbs = w.grid < w.acc.gridExp()
	return w
}

// multiplying returns w for terms that are products of two numbers of the input's format.
func (w workplace) multiplying() workplace {
	w.dot = true
	w.grid = 2 * w.in.gridExp()
	w.enterRel = whole(0)
	if 2*w.in.P > w.acc.P {
		w.enterRel = w.rel(w.acc)
	}
	w.enterAbs = w.grid < w.acc.gridExp()
	return w
}

// exactTerms reports whether the terms are numbers of the accumulator's format.
func (w workplace) exactTerms() bool { return w.enterRel.Sign() == 0 && !w.enterAbs }

// unit returns u of f.
func unit(f Format) *big.Float { return exactly(f.U()) }

// rel returns the relative error of one rounding to f: v to nearest, and 2u in directed modes.
func (w workplace) rel(f Format) *big.Float {
	if w.c.Rounding.Nearest() {
		return optimal(unit(f))
	}
	return mul(whole(2), unit(f))
}

// eta returns k such that one rounding to f errs by at most 2^k in the subnormal range.
func (w workplace) eta(f Format) int {
	if w.c.Rounding.Nearest() {
		return f.EtaExp()
	}
	return f.EtaExp() + 1
}

// accGrid returns k such that every value of the accumulator is a multiple of 2^k.
func (w workplace) accGrid() int { return max(w.grid, w.acc.gridExp()) }

// flushing reports whether operations of the accumulator can meet subnormal numbers that the claim
// lets them flush.
func (w workplace) flushing() bool { return w.c.Flush.Any() && w.grid < w.acc.Emin }

// leafFlushing reports whether leaves may read as zero. For a product's factors Bound.Lost says so.
func (w workplace) leafFlushing() bool { return w.c.Flush.In && !w.dot }

// flushed returns what all flushes lose together, count·2^exp: at most n times the largest single loss,
// because each turns a term or a sum that was not zero into zero.
func (w workplace) flushed() (count *big.Float, exp int) {
	switch {
	case w.flushing() && w.leafFlushing():
		return whole(w.n), max(w.acc.Emin, w.in.Emin)
	case w.flushing():
		return whole(w.n), w.acc.Emin
	case w.leafFlushing():
		return whole(w.n), w.in.Emin
	}
	return whole(0), 0
}

// factor returns f in E <= f·A for n numbers summed with at most h additions above each.
// For rounding to nearest in any order, h does not matter and n does.
func (w workplace) factor(n, h int, anyOrder bool) *big.Float {
	u := unit(w.acc)
	switch {
	case w.c.Rounding == TowardZero && w.c.Mixed:
		return mixedHeight(h, u)
	case w.c.Rounding == TowardZero:
		return mul(whole(2*max(h, 0)), u)
	case !w.c.Rounding.Nearest():
		return compound(h, mul(whole(2), u))
	case anyOrder:
		return orderFree(n, u)
	}
	return compound(h, optimal(u))
}

// towardZero returns what the estimate of a claim that truncates is called, and its source.
func (w workplace) towardZero(before, unit string) (name, source string) {
	if w.c.Mixed {
		return before + "toward zero or to nearest 2" + unit + " or above", "[Gamma R3]"
	}
	return before + "toward zero 2" + unit, "[Gamma R2]"
}

// plain returns the estimate of a plain sum of n numbers of the accumulator's format.
func (w workplace) plain(h int, anyOrder bool) estimate {
	f := w.factor(w.n, h, anyOrder)
	name, source := "height (1+v)^h-1", "[Gamma T2]"
	switch {
	case w.c.Rounding == TowardZero:
		name, source = w.towardZero("", "hu")
	case !w.c.Rounding.Nearest():
		name, source = "directed (1+2u)^h-1", "[Gamma R1]"
	case anyOrder:
		name, source = "order-free (n-1)v", "[Jeannerod-Rump 2018] Theorem 4.1, [Gamma T1]"
	}
	count, exp := w.flushed()
	e := newEstimate(name, source, whole(0), f).plus(mul(count, add(whole(1), f)), exp)
	return w.withLost(e)
}

// withLost returns e with the products that flushed factors lose.
func (w workplace) withLost(e estimate) estimate {
	if w.dot && w.c.Flush.In {
		e.lost = add(e.lost, whole(1))
	}
	return e
}

// plainSharp returns the sharp order-free estimate where it holds.
func (w workplace) plainSharp() (e estimate, ok bool) {
	if w.n < 2 || !w.c.Rounding.Nearest() || w.flushing() || w.c.Flush.In || !sharpHolds(w.n, w.acc.U()) {
		return e, false
	}
	e = newEstimate("order-free ku/(1+ku), k=n-1", "[Lange-Rump 2019] Theorem 1",
		whole(0), orderFreeSharp(w.n, unit(w.acc)))
	e.hypothesis = "n-1 <= 2^(P-1)"
	return e, true
}

// enter converts e, an estimate over terms as they entered the accumulator, to one over the exact terms: with
// term errors of δ|x|+η, |Ŝ-S| <= δA+nη and Â <= (1+δ)A+nη.
func (w workplace) enter(e estimate) estimate {
	d := w.enterRel
	grown := add(whole(1), e.s, e.a)
	e.a = add(mul(e.s, d), mul(e.a, add(whole(1), d)), d)
	if w.enterAbs {
		e = e.plus(mul(whole(w.n), grown), w.eta(w.acc))
	}
	return e
}

// plainDot returns the order-free estimate of a plain dot product.
func (w workplace) plainDot() estimate {
	if w.c.Fusion == Unfused || w.exactTerms() {
		return w.enter(w.plain(w.n-1, true))
	}
	f := w.factor(w.n+1, w.n, true)
	a, name, source := f, "FMA chain nv", "[Gamma D2]"
	if w.c.Fusion == FusedAny || w.c.Tree != "" && w.c.Tree != "left" { // no chain, whose last term counts n
		name, source = "any fusion nu", "[Gamma D3]"
		if w.c.Rounding.Nearest() {
			a = mul(whole(w.n), unit(w.acc))
		}
	}
	if !w.c.Rounding.Nearest() {
		name, source = "fused, directed (1+2u)^n-1", "[Gamma R1]"
		if w.c.Rounding == TowardZero {
			name, source = w.towardZero("fused, ", "nu")
		}
	}
	return w.fused(newEstimate(name, source, whole(0), a), f)
}

// fused adds to e what n fused or rounded products lose by underflow and by flushing, each amplified
// by at most 1+f.
func (w workplace) fused(e estimate, f *big.Float) estimate {
	grown := add(whole(1), f)
	if w.enterAbs {
		e = e.plus(mul(whole(w.n), grown), w.eta(w.acc))
	}
	count, exp := w.flushed()
	return w.withLost(e.plus(mul(count, grown), exp))
}

// dotOfHeight returns the estimate of a plain dot product over a tree of height h.
func (w workplace) dotOfHeight(h int) estimate {
	if w.c.Fusion == Unfused || w.exactTerms() {
		return w.enter(w.plain(h, false))
	}
	f := w.factor(w.n, min(h+1, w.n), false)
	e := newEstimate("height (1+v)^(h+1)-1", "[Gamma D3]", whole(0), f)
	if !w.c.Rounding.Nearest() {
		e.name, e.source = "directed (1+2u)^(h+1)-1", "[Gamma R1]"
		if w.c.Rounding == TowardZero {
			e.name, e.source = w.towardZero("", "(h+1)u")
		}
	}
	return w.fused(e, f)
}

// schemeOverFloats returns the estimate of the claimed scheme over n numbers of the accumulator's
// format, and ok = false where no bound is proved.
func (w workplace) schemeOverFloats() (e estimate, ok bool) {
	if !w.c.Rounding.Nearest() {
		return e, false
	}
	if w.flushing() {
		return w.flushedScheme()
	}
	n, u := w.n, unit(w.acc)
	var s, a *big.Float
	var name, source string
	lost := whole(0) // multiples of η
	switch w.c.Compensation {
	case DoubleWord:
		s, a = doubleWordSum(n, u)
		name, source = "double word v|S|+(1+v)(n-2)u²A", "[Gamma W1]"
		if w.c.Mean {
			s, a, lost, ok = doubleWordMean(n, u)
			if !ok {
				return e, false
			}
			name, source = "double-word mean (1+v)(1+q)(|S|+(n-2)u²A)-|S|", "[Gamma W3]"
		}
	case Kahan:
		s, a = whole(0), kahan(n, u)
		name, source = "Kahan, certificate for n", "[Gamma K3]"
	case Sum2:
		s, a = sum2(n, u)
		name, source = "Sum2 v|S|+(1+v)(n-1)(n-2)v²A", "[Gamma S1]"
	case Klein:
		s, a = klein(n, u)
		name, source = "Klein, s+(c+cc)", "[Gamma N1]"
	case KleinLeft:
		s, a = kleinLeft(n, u)
		name, source = "Klein, (s+c)+cc", "[Gamma N2]"
	case SumK:
		if w.c.Folds < 2 {
			return e, false
		}
		s, a = sumK(n, w.c.Folds, u)
		name, source = fmt.Sprintf("SumK, %d folds", w.c.Folds), "[Gamma P1]"
	case FABsum:
		if w.c.Block < 1 {
			return e, false
		}
		s, a = fabsum(n, w.c.Block, u)
		name, source = fmt.Sprintf("FABsum, blocks of %d", w.c.Block), "[Gamma F2]"
	case Binned:
		width := w.c.Block
		if width < 1 {
			width = w.acc.P
		}
		if w.c.Folds < 1 {
			return e, false
		}
		s, a = binned(n, w.c.Folds, width, u)
		name = fmt.Sprintf("binned, %d folds of %d bits", w.c.Folds, width)
		source = "[Gamma B1]"
	default:
		return e, false
	}
	e = newEstimate(name, source, s, a).plus(lost, w.acc.EtaExp())
	e.hypothesis = "error-free transformations meet no overflow"
	if w.leafFlushing() {
		e = e.plus(mul(whole(n), add(whole(1), s)), w.in.Emin)
	}
	return w.withLost(e), true
}

// flushedScheme is schemeOverFloats where the scheme's operations may flush.
func (w workplace) flushedScheme() (e estimate, ok bool) {
	exp := w.acc.Emin
	if w.leafFlushing() {
		exp = max(exp, w.in.Emin)
	}
	switch w.c.Compensation {
	case Kahan:
		u := unit(w.acc)
		e = newEstimate("Kahan, flushing", "[Gamma F3]", whole(0), kahan(w.n, u)).plus(kahanFlushed(w.n, u), exp)
	case Sum2:
		s, a, least := sum2Flushed(w.n, unit(w.acc))
		e = newEstimate("Sum2, flushing", "[Gamma F4]", s, a).plus(least, exp)
	default:
		return e, false
	}
	e.hypothesis = "error-free transformations meet no overflow"
	return w.withLost(e), true
}

// schemeOverProducts returns the estimate of the claimed scheme for a dot product.
func (w workplace) schemeOverProducts() (e estimate, ok bool) {
	if w.c.Compensation != Sum2 && w.c.Compensation != DoubleWord {
		if e, ok = w.schemeOverFloats(); !ok || w.c.Fusion != Unfused && !w.exactTerms() {
			return e, false
		}
		return w.enter(e), true
	}
	if w.exactTerms() {
		return w.schemeOverFloats()
	}
	if !w.c.Rounding.Nearest() || w.flushing() {
		return e, false
	}
	s, a, eta := dot2(w.n, unit(w.acc))
	e = newEstimate("Dot2 v|S|+(1+v)n²u²A", "[Gamma D4]", s, a)
	if w.c.Compensation == DoubleWord {
		if w.c.Mean {
			return e, false
		}
		s, a, eta = doubleWordDot(w.n, unit(w.acc))
		e = newEstimate("double word v|S|+(1+v)(1+2v)2(n-1)u²A", "[Gamma W2]", s, a)
	}
	e.hypothesis = "error-free transformations meet no overflow"
	if w.grid < w.acc.gridExp() {
		e = e.plus(eta, w.acc.EtaExp())
	}
	return w.withLost(e), true
}

// roundedOnce returns the finished estimate of the exact result rounded once to Out.
func (w workplace) roundedOnce() estimate {
	e := w.withLost(newEstimate("rounded once", "[IEEE 754-2019] §4.3", whole(0), whole(0)))
	if w.leafFlushing() {
		e = e.plus(whole(w.n), w.in.Emin)
	}
	return w.mean(w.roundTo(e, w.rel(w.out), w.grid))
}

// finish converts e, an estimate of a result in Acc, to one of the claimed result.
func (w workplace) finish(e estimate) estimate {
	if w.acc.P != w.out.P || w.acc.Emin != w.out.Emin {
		rel := whole(0)
		if w.acc.P > w.out.P {
			rel = w.rel(w.out)
		}
		e = w.roundTo(e, rel, w.accGrid())
	}
	return w.mean(e)
}

// finishScheme is finish for the estimate of the claimed scheme.
func (w workplace) finishScheme(e estimate) estimate {
	if w.c.Compensation != DoubleWord || !w.c.Mean {
		return w.finish(e)
	}
	// e is of n times the mean in Acc.
	if w.acc.P > w.out.P {
		e = e.rounded(w.rel(w.out))
	}
	if w.acc.gridExp() < w.out.gridExp() {
		e = e.plus(whole(w.n), w.eta(w.out))
	}
	if w.c.Flush.Any() && w.acc.gridExp() < w.out.Emin {
		e = e.plus(whole(w.n), w.out.Emin)
	}
	e.hypothesis = join(e.hypothesis, "the sum's double word is divided by n")
	return e
}

// roundTo returns e after a rounding to Out of a multiple of 2^grid.
func (w workplace) roundTo(e estimate, rel *big.Float, grid int) estimate {
	e = e.rounded(rel)
	if grid < w.out.gridExp() {
		e = e.plus(whole(1), w.eta(w.out))
	}
	if w.c.Flush.Any() && grid < w.out.Emin {
		e = e.plus(whole(1), w.out.Emin)
	}
	return e
}

// mean returns e for n times the mean if the claim is of a mean: the quotient errs relatively by one
// rounding in Out, and absolutely where it underflows, and that is multiplied by n. A quotient taken
// in a wider Acc, and rounded to Out afterwards, errs no more, except for Acc's own underflow.
func (w workplace) mean(e estimate) estimate {
	if !w.c.Mean {
		return e
	}
	e = e.rounded(w.rel(w.out)).plus(whole(w.n), w.eta(w.out))
	if w.c.Flush.Any() {
		e = e.plus(whole(w.n), w.out.Emin)
	}
	if w.acc.P > w.out.P {
		grown := mul(whole(w.n), add(whole(1), w.rel(w.out)))
		e = e.plus(grown, w.eta(w.acc))
		if w.c.Flush.Any() {
			e = e.plus(grown, w.acc.Emin)
		}
	}
	e.hypothesis = join(e.hypothesis, "the quotient by n is rounded once")
	return e
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// scheme adds the finished estimate e of a scheme under its law, and an enclosure: the
// plain one where e implies it, with e's own underflow terms where those are larger, and e itself
// where e does not.
func (w workplace) scheme(l *boundList, e estimate, law, enclosure LawID) {
	l.put(e, law)
	if w.dot && !w.in.subsetOf(w.acc) {
		l.put(e, enclosure)
		return
	}
	plain := w.plainDot
	if !w.dot {
		plain = func() estimate { return w.enter(w.plain(w.n-1, true)) }
	}
	p := w.finish(plain())
	// The scheme's underflow terms may be larger than the plain sum's: what its relative part implies
	// then holds with those.
	if p.lost.Cmp(e.lost) < 0 {
		p.lost = e.lost
	}
	if p.abs.Cmp(e.abs) < 0 {
		p.abs, p.unit = e.abs, max(p.unit, e.unit)
	}
	if e.implies(p) {
		p.hypothesis = join(p.hypothesis, e.hypothesis)
		l.put(p, enclosure)
		return
	}
	l.put(e, enclosure)
}
