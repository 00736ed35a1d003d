package enclosure

import (
	"math"
	"slices"

	"gamma/model"
	"gamma/model/formula"
)

// Result encloses what conforming evaluations may return. It is valid until the next run of its Program.
type Result struct {
	Axes  []string
	Shape []int
	// Lo and Hi are the least and the greatest number that element i may be: numbers of the results' format.
	Lo, Hi []float64
	// ExactLo and ExactHi enclose the exact value; they say nothing of an element that must be NaN.
	ExactLo, ExactHi []float64
	nan              []outcome
	last             *array
	// Overflows: an operation on numbers may give an infinity or NaN somewhere, or an input holds one. It is set if the claim says Finite.
	Overflows bool
}

// MayBeNaN reports whether element i may be NaN.
func (r *Result) MayBeNaN(i int) bool { return r.nan != nil && r.nan[i] != number }

// MustBeNaN reports whether element i can be nothing but NaN.
func (r *Result) MustBeNaN(i int) bool { return r.nan != nil && r.nan[i] == never }

// Allows reports whether x is among the results that element i may have. Zeros of both signs are one number.
func (r *Result) Allows(i int, x float64) bool {
	if x != x {
		return r.MayBeNaN(i)
	}
	return !r.MustBeNaN(i) && r.Lo[i] <= x && x <= r.Hi[i]
}

// result rounds the last node's values to the results' format.
func (r *run) result() *Result {
	p := r.p
	a := r.arrays[len(r.arrays)-1]
	z := &Result{Axes: a.axes, Shape: a.shape, Lo: a.lo, Hi: a.hi, ExactLo: a.clo, ExactHi: a.chi, nan: a.nan, last: a}
	z.Overflows = p.claim.Finite && r.overflows()
	if a.exact {
		z.Lo, z.Hi = slices.Clone(a.lo), slices.Clone(a.lo)
	}
	if p.out.p == 0 {
		return z
	}
	noInfinity := !p.out.HasInf && p.out.Overflow != model.OverflowSaturate
	out, halves := p.out, p.halves(formula.Float(p.out.Format))
	for i := range a.n {
		x := interval{a.lo[i], a.hi[i]}
		tiny := halves && x.lo < out.least && x.hi > -out.least // which is decided before it is rounded
		lo, hi := math.Float64bits(x.lo), math.Float64bits(x.hi)
		if out.normal(lo) && out.normal(hi) {
			x.lo, x.hi = out.short(lo), out.short(hi)
		} else {
			x = out.image(x)
		}
		if p.long {
			x = r.ends(a, i, x)
		}
		if tiny {
			x = x.hull(point(0))
		}
		if p.flaw == inward {
			x = p.out.inside(a.t(i))
		}
		if noInfinity && x.infinite() {
			// Beyond its limit this format has NaN alone.
			if z.nan == nil {
				z.nan = make([]outcome, a.n)
			}
			z.nan[i] |= maybe
			x = interval{max(x.lo, -p.out.greatest), min(x.hi, p.out.greatest)}
		}
		z.Lo[i], z.Hi[i] = x.lo, x.hi
	}
	return z
}

// widen makes z the exact values, off by at most what the claim's Within gives, and rounded once.
func (p *Program) widen(z *Result, in map[string]Array) error {
	w, err := p.within.Run(in)
	if err != nil {
		return err
	}
	z.Overflows = z.Overflows || w.Overflows
	widest := &array{axes: w.Axes, shape: w.Shape}
	walk(z.Shape, strides(widest, z.Axes), func(i, at int) {
		off := max(0, w.ExactHi[at])
		y := interval{z.ExactLo[i], z.ExactHi[i]}.widen(off)
		x := p.out.image(y)
		if c, ok := z.last.exactly(i); p.long && ok {
			x = p.out.off(c, off)
		}
		if (p.claim.Flush.Out || p.halves(formula.Float(p.out.Format))) && y.lo < p.out.least && y.hi > -p.out.least {
			x = x.hull(point(0))
		}
		z.Lo[i], z.Hi[i] = x.lo, x.hi
	})
	return nil
}

// Width returns half the width of element i's enclosure; +∞ if it has no end.
func (r *Result) Width(i int) float64 { return math.Abs(r.Hi[i]-r.Lo[i]) / 2 }

// overflows reports whether a step whose operands are numbers alone may give something else, or an input does.
func (r *run) overflows() bool {
	numbers := make([]bool, len(r.arrays))
	for k, a := range r.arrays {
		numbers[k] = a.nan == nil
		for i := range a.lo {
			numbers[k] = numbers[k] && !a.t(i).infinite()
		}
		s := &r.p.steps[k]
		if numbers[k] || s.Op == formula.OpConst || !s.typ.IsReal() {
			continue
		}
		if !slices.ContainsFunc(s.args, func(i int) bool { return !numbers[i] }) {
			return true
		}
	}
	return false
}
