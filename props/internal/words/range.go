package words

import (
	"gamma/model"
	"gamma/model/round"
	"gamma/model/word"
	"gamma/oracle"
)

// walker runs the claimed algorithm step by step in the format, and looks at every step: whether it rounds as it would with
// unbounded exponents. If all do, theorems that were proved without overflow and underflow hold for the row.
type walker struct {
	a       round.Arith
	claim   *word.Claim
	alg     *word.Algorithm
	values  []uint64
	results []uint64
	// direct: every factor of a product is an operand, or a part of one that was split.
	direct bool

	overflow  bool // a step is not finite
	underflow bool // a step below 2^Emin is inexact
	tiny      bool // a step or an operand is subnormal, or was so before it was rounded
}

func newWalker(f model.Format, c *word.Claim, alg *word.Algorithm) walker {
	w := walker{a: round.Arith{F: f, R: c.Rounding}, claim: c, alg: alg}
	if alg != nil {
		w.values = make([]uint64, len(alg.Program.Inputs)+len(alg.Program.Steps))
		w.results = make([]uint64, len(alg.Program.Results))
	}
	w.direct = alg == nil || alg.Splits || directProducts(alg.Program)
	return w
}

// directProducts reports whether all factors of products are operands of the program.
func directProducts(p *word.Program) bool {
	for _, s := range p.Steps {
		if (s.Op == word.StepMul || s.Op == word.StepFma) && max(s.A.Value, s.B.Value) >= len(p.Inputs) {
			return false
		}
	}
	return true
}

// walk runs the algorithm on a row, without flushing, and returns its results, valid until the next call.
func (w *walker) walk(in []uint64) []uint64 {
	w.overflow, w.underflow, w.tiny = false, false, false
	w.a.R, w.a.Fl = w.claim.Rounding, model.Flush{}
	copy(w.values, in)
	for _, b := range in {
		w.tiny = w.tiny || w.a.F.Class(b) == model.ClassSubnormal
	}
	word.Run(w.alg.Program, w, w.values, w.results)
	return w.results
}

// see looks at the result z of a step. exact tells whether it is the exact result; it is asked where z is small alone.
func (w *walker) see(z uint64, exact func() bool) uint64 {
	f := &w.a.F
	switch m := z &^ f.SignBit(); {
	case m > f.MaxBits():
		w.overflow = true
	case m <= f.MinNormalBits():
		if !exact() {
			// What is rounded to 2^Emin from below has lost a bit of the unbounded format, too.
			w.tiny, w.underflow = true, true
		} else if m != 0 && m < f.MinNormalBits() {
			w.tiny = true
		}
	}
	return z
}

func (w *walker) value(b uint64) oracle.Dyadic { return oracle.FromBits(w.a.F, b) }

func (w *walker) finite(b ...uint64) bool { return Finite(w.a.F, b) }

// Add never loses anything below 2^Emin: a small sum is exact. So with the other operations word.Arithmetic is satisfied.
func (w *walker) Add(a, b uint64) uint64 {
	return w.see(w.a.Add(a, b), func() bool { return true })
}

func (w *walker) Mul(a, b uint64) uint64 {
	z := w.a.Mul(a, b)
	return w.see(z, func() bool { return w.value(a).Mul(w.value(b)).Cmp(w.value(z)) == 0 })
}

func (w *walker) Div(a, b uint64) uint64 {
	z := w.a.Div(a, b)
	return w.see(z, func() bool {
		return w.finite(b) && w.value(z).Mul(w.value(b)).Cmp(w.value(a)) == 0
	})
}

func (w *walker) Fma(a, b, c uint64) uint64 {
	z := w.a.Fma(a, b, c)
	return w.see(z, func() bool { return w.value(a).Mul(w.value(b)).Add(w.value(c)).Cmp(w.value(z)) == 0 })
}

// Sqrt never gives a subnormal number but from zero.
func (w *walker) Sqrt(a uint64) uint64 { return w.see(w.a.Sqrt(a), func() bool { return true }) }

func (w *walker) Neg(a uint64) uint64 { return w.a.Neg(a) }

func (w *walker) One() uint64 { return uint64(1-w.a.F.Emin) << (w.a.F.P - 1) }

// Splitter returns 2^ceil(p/2)+1.
func (w *walker) Splitter() uint64 {
	f := w.a.F
	k := splitBits(f.P)
	return uint64(1-f.Emin+k)<<(f.P-1) | uint64(1)<<(f.P-1-k)
}

// splitBits returns s of Veltkamp's constant 2^s+1, ceil(p/2).
func splitBits(p int) int { return (p + 1) / 2 }

// inRange says why the row's theorem may not hold because of the ends of the exponents' range, or "". Without an algorithm, when
// the claim has a bound of its own, the words themselves must be far from the ends.
func (r *WordRow) inRange() string {
	switch {
	case r.farFromEnds():
	case r.Alg == nil:
		r.ends = true
		return "the words lie so near the ends of the range that a step may overflow or underflow"
	default:
		r.W.walk(r.In)
		switch {
		case r.splitMayOverflow():
			r.ends = true
			return "a split may overflow"
		case r.W.overflow:
			return "a step of the algorithm is not finite"
		case r.W.underflow:
			return "a step of the algorithm underflows: it loses bits below the least subnormal number"
		case r.Claim.Flush.Any() && r.W.tiny:
			return "a step of the algorithm, or an operand, is subnormal, and may be flushed"
		}
		return ""
	}
	if r.Claim.Flush.Any() && !r.aboveFlush() {
		if r.Alg == nil {
			return "a step may be subnormal, and flushed"
		}
		if r.W.walk(r.In); r.W.tiny {
			return "a step of the algorithm, or an operand, is subnormal, and may be flushed"
		}
	}
	return ""
}

// exponents returns the least and the largest exponent of the words from i to j that are not zero, and ok = false if there is
// none, or a subnormal one.
func (r *WordRow) exponents(i, j int) (least, most int, ok bool) {
	f := &r.Format
	least, most = f.Emax+1, f.Emin-1
	for _, b := range r.In[i:j] {
		if b &= f.SignBit() - 1; b == 0 {
			continue
		}
		e := int(b>>(f.P-1)) - 1 + f.Emin
		if e < f.Emin || e > f.Emax {
			return 0, 0, false
		}
		least, most = min(least, e), max(most, e)
	}
	return least, most, true
}

// farFromEnds reports whether exponents alone show that no step overflows or underflows.
//
// Sums: no step underflows, being exact below 2^Emin, and at most four words of at most 2^(Emax-3) are added up, in parts or with
// error terms that are no larger. Products: every pair of words that is multiplied has e_x+e_y >= Emin+P-1, so that the product's last bit is one
// of the format and each step is exact or normal; so with fused ones. A
// split overflows from 2^(Emax-s) on. Quotients and roots are left to the walker, and where no algorithm is claimed taken to be far
// from the ends in the middle quarter of the range.
func (r *WordRow) farFromEnds() bool {
	f, op := &r.Format, &r.Claim.Op
	n := len(r.In)
	switch op.Function {
	case word.Sum, word.Difference, word.ComplexSum:
		_, most, ok := r.exponents(0, n)
		return ok && most <= f.Emax-4
	case word.Value:
		_, most, ok := r.exponents(0, n)
		return ok && most <= f.Emax-splitBits(f.P)-2
	case word.Quotient, word.Root:
		least, most, ok := r.exponents(0, n)
		return r.Alg == nil && ok && least >= f.Emin/4 && most <= f.Emax/4
	case word.Product, word.ComplexProduct, word.DotProduct:
		cut := max(op.Components(), op.Terms) * op.X
		least, most, ok := r.exponents(0, cut)
		leastY, mostY, okY := r.exponents(cut, n)
		if !ok || !okY || !r.W.direct {
			return false
		}
		if r.Alg == nil || r.Alg.Splits || r.Claim.Splits {
			if k := f.Emax - splitBits(f.P) - 2; most > k || mostY > k {
				return false
			}
		}
		return most+mostY <= f.Emax-12 && (least > f.Emax || leastY > f.Emax || least+leastY >= f.Emin+f.P-1)
	}
	return false
}

// splitMayOverflow reports whether the claim splits words by Veltkamp's constant, and one of them, or a quotient of two, is so large
// that the split may overflow: from 2^(Emax-s) on, and one binade less for a quotient, which may be rounded up.
func (r *WordRow) splitMayOverflow() bool {
	if !r.Claim.Splits {
		return false
	}
	f, op := &r.Format, &r.Claim.Op
	least, most := f.Emax, f.Emin-f.P
	cut := max(op.Components(), op.Terms) * op.X
	for i, b := range r.In {
		if !f.IsFinite(b) {
			continue
		}
		e, ok := f.UfpExp(b)
		if !ok {
			continue
		}
		most = max(most, e)
		if i >= cut {
			least = min(least, e)
		}
	}
	limit := f.Emax - splitBits(f.P) - 2
	return most > limit || op.Function == word.Quotient && most-least+1 > limit
}

// aboveFlush reports whether exponents alone show that no step of a sum is subnormal: all are multiples of the least ulp.
func (r *WordRow) aboveFlush() bool {
	switch r.Claim.Op.Function {
	case word.Sum, word.Difference, word.ComplexSum:
		least, _, ok := r.exponents(0, len(r.In))
		return ok && least >= r.Format.Emin+r.Format.P-1
	}
	return false
}
