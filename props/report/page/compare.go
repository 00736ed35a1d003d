package page

import (
	"cmp"
	"math"
	"slices"

	"gamma/model"
)

// Change is a law on a subject that two runs judged differently.
type Change struct {
	Subject       string
	Law           model.LawID
	Before, After *Law // nil: not judged in that run
}

// Comparison says what changed between two runs.
type Comparison struct {
	Verdicts []Change // other verdicts
	Ratios   []Change // of laws that hold in both, another largest error/bound, the greatest change first
	Gone     []Change // judged before and not now
	New      []Change // judged now and not before

	Same                    int // laws of which none of that is true
	CasesBefore, CasesAfter int
	MoreCases, FewerCases   int // laws judged on more, or on fewer, cases
}

// leastChange is the factor from which on another largest error/bound is a change; draws of other numbers of cases alone move it by less.
const leastChange = 1.01

// pairOf tells laws on subjects apart; seeds may differ from run to run.
type pairOf struct {
	subject, device, mode string
	nth                   int
	law                   model.LawID
}

// Compare says what changed from one run to another.
func Compare(before, after *Run) *Comparison {
	c := &Comparison{}
	old, now := map[pairOf]*Law{}, map[pairOf]bool{}
	each(before, func(k pairOf, _ *Subject, l *Law) { old[k], c.CasesBefore = l, c.CasesBefore+l.Cases })
	each(after, func(k pairOf, s *Subject, l *Law) {
		now[k], c.CasesAfter = true, c.CasesAfter+l.Cases
		was, change := old[k], Change{s.Title(), l.Law, old[k], l}
		if was == nil {
			c.New = append(c.New, change)
			return
		}
		switch {
		case l.Cases > was.Cases:
			c.MoreCases++
		case l.Cases < was.Cases:
			c.FewerCases++
		}
		switch {
		case was.Verdict() != l.Verdict():
			c.Verdicts = append(c.Verdicts, change)
		case l.Verdict() == Holds && change.Factor() >= leastChange: // of one that is violated it is that of the cases before the first that fails
			c.Ratios = append(c.Ratios, change)
		default:
			c.Same++
		}
	})
	each(before, func(k pairOf, s *Subject, l *Law) {
		if !now[k] {
			c.Gone = append(c.Gone, Change{s.Title(), l.Law, l, nil})
		}
	})
	slices.SortStableFunc(c.Verdicts, func(a, b Change) int {
		bad := func(c Change) int {
			if c.After.Verdict() == Violated {
				return 0
			}
			return 1
		}
		return cmp.Compare(bad(a), bad(b))
	})
	slices.SortStableFunc(c.Ratios, func(a, b Change) int { return cmp.Compare(b.Factor(), a.Factor()) })
	return c
}

// each calls f with each law of a run.
func each(r *Run, f func(k pairOf, s *Subject, l *Law)) {
	for _, s := range r.Subjects {
		for _, l := range s.Laws {
			f(pairOf{s.Name, s.Device, s.MathMode, s.nth, l.Law}, s, l)
		}
	}
}

// Factor says by what factor the largest error/bound changed, up or down; 1 where neither run met an error.
func (c Change) Factor() float64 {
	a, b := c.Before.Ratio(), c.After.Ratio()
	switch {
	case a == b:
		return 1
	case a == 0 || b == 0:
		return math.Inf(1)
	}
	return max(a/b, b/a)
}
