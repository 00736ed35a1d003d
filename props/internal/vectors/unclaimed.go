package vectors

import (
	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/verdict"
)

// unclaimed says why the claim leaves the case out, "" if it does not: it is about finite numbers alone, and some row has others.
func (t *Trial) unclaimed() string {
	c := &t.Claimed
	if !c.Finite {
		return ""
	}
	for row := range t.Rows {
		t.selectRow(row)
		switch {
		case !t.Sum().IsFinite():
			return "a term is infinite or no number, and the claim is about finite ones alone"
		case c.OverflowSafe:
			if !t.neverOverflows() {
				return "the exact result overflows, and the claim is about finite ones alone"
			}
		case t.mayOverflow(t.abs().Hi, t.multiples()):
			return "a partial sum may overflow, and the claim is about finite ones alone"
		}
	}
	return ""
}

// related returns the case with the operands of every row as the law relates them, and why some row is outside of the law's domain.
func (t *Trial) related(l *Law, c *corpus.Case) (own *corpus.Case, why string) {
	if l.Relate == nil && l.Domain == nil {
		return c, ""
	}
	own = t.Kept(c)
	rows := max(c.Rows, 1)
	n := c.X.Len() / rows
	y := own.Y.Len() > 0
	row := make([]uint64, 0, 2*n)
	for i := range rows {
		row = row[:0]
		for k := range n {
			row = append(row, own.X.At(i*n+k))
		}
		for k := range n {
			if y {
				row = append(row, own.Y.At((i*n+k)%own.Y.Len()))
			}
		}
		if l.Relate != nil {
			l.Relate(row)
			for k := range n {
				own.X.Set(i*n+k, row[k])
				if y {
					own.Y.Set((i*n+k)%own.Y.Len(), row[n+k])
				}
			}
			own.Gen, own.Want = "", ""
		}
		if l.Domain != nil && why == "" {
			why = l.Domain(row)
		}
	}
	return own, why
}

// multiples returns the largest multiple of a partial sum that the kernel forms besides.
func (t *Trial) multiples() float64 {
	switch t.Claimed.Compensation {
	case model.Uncompensated, model.Rounded:
		return 1
	}
	return 4
}

// weaker names the field of the claim that leaves out the case that was judged last, where that is all that is wrong with it; "" if
// there is none.
func (t *Trial) weaker(v *verdict.Verdict) string {
	if !v.Fails() {
		return ""
	}
	if t.Law.Calls != nil && t.Claimed.Repeats {
		sub := *t.sub
		sub.Claim.Repeats = false
		if w := NewTrial(&sub).Judge(t.Law, t.C); !w.Fails() {
			return "Claim.Repeats to false"
		}
	}
	if t.Claimed.Finite {
		return ""
	}
	own, row := t.Claimed, t.row
	defer func() {
		t.Claimed = own
		t.selectRow(row)
	}()
	t.Claimed.Finite = true
	switch {
	case t.unclaimed() != "":
		return "Claim.Finite"
	case (v.Cause == verdict.KernelFailed || v.Cause == verdict.KernelPanicked) && t.otherLengthRuns():
		return "Claim.MinN, MaxN or Multiple"
	}
	return ""
}

// otherLengthRuns reports whether the kernel breaks on zeros, too, of the case's length, and does not on those of some other.
func (t *Trial) otherLengthRuns() bool {
	probe := NewTrial(t.sub)
	runs := func(n int) bool {
		c := t.sub.blank(n, t.At)
		if t.sub.Accepts(c) != nil {
			return false
		}
		v := probe.Judge(&Law{Judge: func(*Trial) verdict.Verdict { return verdict.Held("", 0) }}, c)
		return v.Outcome == verdict.Holds
	}
	if runs(t.Length) {
		return false
	}
	for n := 1; n <= 1024; n *= 2 {
		if runs(n) {
			return true
		}
	}
	return false
}
