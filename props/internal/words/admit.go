package words

import (
	"gamma/corpus"
	"gamma/model/word"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// admit takes the rows of a batch that the claim and the law are about, with the operands that a law of one's own relates, and counts
// the others. It returns whether any row is left.
func (w *wordTrial) admit(l *WordLaw, c *WordCase) bool {
	n := w.p.Claim.Op.In()
	w.from, w.In, w.Rows = c, c.In, c.In.Len()/n
	if w.same = !w.p.Claim.Finite && l.Domain == nil && l.Relate == nil; w.same {
		return true
	}
	w.claim = w.p.Claim // as it is under no behaviour
	kept := make([]uint64, 0, c.In.Len())
	row := WordRow{Claim: w.p.Claim, Format: w.p.Format, Alg: w.p.Alg, W: w.c}
	for i := range w.Rows {
		at := len(kept)
		for k := range n {
			kept = append(kept, c.In.At(i*n+k))
		}
		row.In, row.x = kept[at:], nil
		if l.Relate != nil {
			l.Relate(row.In)
		}
		v := verdict.Unclaimed(row.unclaimed())
		if v.Reason == "" && l.Domain != nil {
			v = verdict.NotMet(l.Domain(row.In))
		}
		if v.Reason != "" {
			kept = kept[:at]
			w.See(&v, 1)
		}
	}
	w.In, w.Rows = vectors.ValuesOf(w.p.Format, kept), len(kept)/n
	return w.Rows > 0
}

// run runs the operation on the batch under a setting.
func (w *wordTrial) run(at verdict.Setting, dst []uint64) *verdict.Breakage {
	own := w.t.At
	defer func() { w.t.At = own }()
	w.t.At = at
	return w.call(w.In, dst)
}

// call runs the operation on rows: where the claim wants a multiple of rows, with the last one again and again after them.
func (w *wordTrial) call(rows corpus.Values, dst []uint64) *verdict.Breakage {
	none, n := corpus.Values{Format: rows.Format}, w.p.Claim.Op.In()
	count := rows.Len() / n
	more := draw.Missing(count, w.p.Claim.Multiple)
	if more == 0 {
		return w.t.Run(rows, none, dst)
	}
	in := corpus.NewValues(rows.Format, (count+more)*n)
	for i := range in.Len() {
		in.Set(i, rows.At(min(i/n, count-1)*n+i%n))
	}
	w.pad = draw.Grow(w.pad, (count+more)*w.p.Claim.Op.Out())
	b := w.t.Run(in, none, w.pad)
	copy(dst, w.pad)
	return b
}

// unclaimed says why the claim leaves a row out, "" if it does not: it is about finite numbers alone.
func (r *WordRow) unclaimed() string {
	const finite = ", and the claim is about finite numbers alone"
	op := &r.Claim.Op
	switch {
	case !r.Claim.Finite:
		return ""
	case !Finite(r.Format, r.In):
		return "an operand is not finite" + finite
	case op.Function == word.Quotient && r.X()[1].IsZero():
		return "the divisor is 0" + finite
	case op.Function == word.Root && r.X()[0].Sign() < 0:
		return "there is no root" + finite
	case r.farFromEnds():
		return ""
	case r.splitMayOverflow() || r.Alg == nil && r.mayOverflow():
		return "a step may overflow" + finite
	case r.Alg != nil:
		if r.W.walk(r.In); r.W.overflow {
			return "a step overflows" + finite
		}
	}
	return ""
}

// mayOverflow reports whether exponents leave it open that a step of some algorithm overflows.
func (r *WordRow) mayOverflow() bool {
	f, op := &r.Format, &r.Claim.Op
	most := [2]int{f.Emin - f.P, f.Emin - f.P}
	least := f.Emax
	cut := max(op.Components(), op.Terms) * op.X
	for i, b := range r.In {
		if e, ok := f.UfpExp(b); ok {
			side := min(i/cut, 1)
			if most[side] = max(most[side], e); side == 1 {
				least = min(least, e)
			}
		}
	}
	limit := f.Emax - 12
	switch op.Function {
	case word.Product, word.ComplexProduct, word.DotProduct:
		return most[0]+most[1] > limit || max(most[0], most[1]) > limit-splitBits(f.P)
	case word.Quotient:
		return most[0]-least > limit || max(most[0], most[1]) > limit-splitBits(f.P) || least < -limit
	}
	return max(most[0], most[1]) > limit-splitBits(f.P)
}

// weaker names the field of the claim that leaves out the row that a law fails, "" if there is none.
func (w *wordTrial) weaker(l *WordLaw, v *verdict.Verdict) string {
	if l.Found != nil || l.Hardware || engine.IsOwn(BuiltIn, l) {
		return ""
	}
	c := w.claim
	if c.Unnormalised = true; AppliesToWords(l, &c, true) != "" {
		return "Claim.Unnormalised"
	}
	r := w.Load(w.Failing)
	switch r.Claim.Finite = true; {
	case r.unclaimed() != "":
		return "Claim.Finite"
	case v.Cause == verdict.KernelFailed || v.Cause == verdict.KernelPanicked:
		for k := 2; k <= BatchRows; k *= 2 {
			p := *w.p
			p.Claim.Multiple = k
			if v := NewWordTrial(&p).Judge(l, w.from); v.Outcome != verdict.Broken {
				return "Claim.Multiple"
			}
		}
	}
	return ""
}
