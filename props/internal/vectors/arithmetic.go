package vectors

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

// account is a claim that would account for a kernel's results, and what to say of one that it does. The terms are added over a tree or,
// where sum is set, as that does.
type account struct {
	claim model.Claim
	text  string
	sum   func(a round.Arith, x []uint64) uint64
}

// accounts returns the claims that differ from the trial's in the arithmetic alone.
func (t *Trial) accounts() []account {
	c := t.Claimed
	var list []account
	if t.sub.Op == engine.OpDot {
		other := c
		switch c.Fusion {
		case model.Unfused:
			other.Fusion = model.FusedChain
			fix := "round each product"
			switch {
			case t.sub.Device != nil:
				fix = "forbid it, by #pragma METAL fp contract(off)"
			case c.Acc == model.Binary32:
				fix = "write float32(x*y)"
			case c.Acc == model.Binary64:
				fix = "write float64(x*y)"
			}
			list = append(list, account{other, "the kernel's products are fused into the additions: " + fix + ", or claim Fusion: model.FusedChain", nil})
		case model.FusedChain:
			other.Fusion = model.Unfused
			list = append(list, account{other, "the kernel rounds each product before it adds it: use a fused multiply-add, or claim no Fusion", nil})
		}
	}
	for _, acc := range []model.Format{c.In, c.Out, model.Binary32, model.Binary64, model.BFloat16, model.Binary16} {
		other := c
		other.Acc = acc
		switch {
		case acc.P > c.Acc.P:
			list = append(list, account{other, fmt.Sprintf("the accumulator is wider than claimed: the results are those of additions in %s, rounded to %s once, at the end. Claim %[1]s as Acc", acc, c.Out), nil})
		case acc.P < c.Acc.P:
			list = append(list, account{other, fmt.Sprintf("the accumulator is narrower than claimed: the results are those of additions in %s, not in %s", acc, c.Acc), nil})
		}
	}
	return list
}

// schemes returns ways to compensate a sum, right and with one fault each, for a kernel that violates a law about compensated sums.
func (t *Trial) schemes() []account {
	c := t.Claimed
	if t.sub.Op != engine.OpSum || c.Compensation == model.Uncompensated {
		return nil
	}
	list := []account{
		{c, "the correction of Kahan's scheme has the wrong sign: it is t = s + (x - c), c = (t - s) - (x - c)", func(a round.Arith, x []uint64) uint64 { return kahan(a, x, true) }},
		{c, "the error of each sum is computed as (s - t) + x whatever is larger, which is exact for |s| >= |x| alone: exchange s and x elsewhere, or use TwoSum", func(a round.Arith, x []uint64) uint64 { return neumaier(a, x, unordered) }},
		{c, "the error of each sum is computed with s and x exchanged: it is (s - t) + x for |s| >= |x|, and (x - t) + s otherwise", func(a round.Arith, x []uint64) uint64 { return neumaier(a, x, reversed) }},
		{c, "the errors of the sums are subtracted at the end, and have to be added", func(a round.Arith, x []uint64) uint64 { return neumaier(a, x, subtracted) }},
	}
	if c.Compensation != model.Kahan {
		list = append(list, account{c, fmt.Sprintf("the kernel adds by Kahan's scheme, and not by the claimed %s", c.Compensation), func(a round.Arith, x []uint64) uint64 { return kahan(a, x, false) }})
	}
	return append(list, account{c, "the kernel adds without compensation", nil})
}

// kahan adds by Kahan's scheme, with the correction's sign wrong if that is asked for.
func kahan(a round.Arith, x []uint64, wrong bool) uint64 {
	s, c := uint64(0), uint64(0)
	for _, v := range x {
		y := a.Sub(v, c)
		if wrong {
			y = a.Add(v, c)
		}
		t := a.Add(s, y)
		c = a.Sub(a.Sub(t, s), y)
		s = t
	}
	return s
}

// Faults of neumaier.
const (
	unordered  = iota + 1 // the operands of Fast2Sum are not ordered by magnitude
	reversed              // they are ordered the wrong way round
	subtracted            // the sum of the errors is subtracted
)

// neumaier adds by Neumaier's scheme, with a fault or 0.
func neumaier(a round.Arith, x []uint64, fault int) uint64 {
	s, c := uint64(0), uint64(0)
	for _, v := range x {
		t := a.Add(s, v)
		order, _ := a.Compare(a.Abs(s), a.Abs(v))
		large, small := s, v
		if fault != unordered && (order < 0) != (fault == reversed) {
			large, small = v, s
		}
		c = a.Add(c, a.Add(a.Sub(large, t), small))
		s = t
	}
	if fault == subtracted {
		return a.Sub(s, c)
	}
	return a.Add(s, c)
}

// arithmeticRuns is the number of random vectors that an account has to give the kernel's bits for,
// beside the case, and maxArithmeticN the length up to which that is tried.
const (
	arithmeticRuns = 16
	maxArithmeticN = 1 << 12
)

// replay is an account over trees of all lengths, nil where one length has none.
type replay struct {
	account
	tree func(n int) *sumtree.Tree
}

// candidates returns what may give the kernel's bits, the plainest first. Under a law about a tree that is any arithmetic over the claimed
// and the observed one; under others, which hold in every order, what is worse than the claimed arithmetic, over the usual orders. What
// has no text is no news: if the order alone accounts for everything, nothing is to be said of the arithmetic.
func (f *Failure) candidates(t *Trial, observed *sumtree.Tree) (list []replay) {
	fixed := func(tree *sumtree.Tree) func(n int) *sumtree.Tree {
		return func(n int) *sumtree.Tree {
			if tree == nil || n != t.Length {
				return nil
			}
			return tree
		}
	}
	plain := account{claim: t.Claimed}
	switch f.Law.ID {
	case model.SumTree, model.DotTree:
		for _, a := range append([]account{plain}, t.accounts()...) {
			list = append(list, replay{a, fixed(t.tree)})
			if observed != nil && f.Observed != "" {
				list = append(list, replay{a, fixed(observed)})
			}
		}
		return list
	case model.SumCompensated:
		for _, a := range t.schemes() {
			list = append(list, replay{a, sumtree.Left().Tree})
		}
	default:
		for _, order := range []sumtree.Shape{sumtree.Left(), sumtree.Pairwise(1)} {
			list = append(list, replay{plain, order.Tree})
		}
	}
	for _, a := range t.accounts() {
		if a.claim.Acc.P < t.Claimed.Acc.P {
			list = append(list, replay{a, sumtree.Left().Tree}, replay{a, sumtree.Pairwise(1).Tree})
		}
	}
	return list
}

// noteArithmetic looks for the arithmetic that gives the kernel's bits on the case, on random vectors of its length, and where that
// can be on the case that was found.
func (f *Failure) noteArithmetic(t *Trial, observed *sumtree.Tree) {
	if f.Verdict.Outcome != verdict.Violated || t.Length > maxArithmeticN || f.Law.ID == model.SumTree && t.tree == nil || f.Law.ID == model.DotTree && t.tree == nil {
		return
	}
	left := f.candidates(t, observed)
	start := time.Now()
	keep := func(t *Trial, runs int) bool {
		x, y, got := t.x, t.y, t.Got()
		for run := 0; run <= runs && len(left) > 0; run++ {
			if time.Since(start) > maxRerunTime {
				return false
			}
			if run > 0 {
				var reason string
				x, y = t.random(uint64(run))
				if got, reason = t.Rerun(x, y); reason != "" {
					return false
				}
			}
			left = slices.DeleteFunc(left, func(r replay) bool {
				v, err := t.replayed(&r.account, r.tree(t.Length), x, y)
				return err != nil || !t.agrees(v, got)
			})
		}
		return true
	}
	if !keep(t, arithmeticRuns) || len(left) == 0 || left[0].text == "" {
		return
	}
	if o := f.probed(t); o != nil && o.Length <= maxArithmeticN && left[0].tree(o.Length) != nil && !keep(o, 2) {
		return
	}
	if len(left) > 0 {
		f.Arithmetic = left[0].text
	}
}

// replayed evaluates a schedule of additions over the terms of x and y as an account says.
func (t *Trial) replayed(a *account, tree *sumtree.Tree, x, y corpus.Values) (uint64, error) {
	c := &a.claim
	acc := round.Arith{F: c.Acc, R: c.Rounding, Fl: c.Flush}
	leaves := make([]uint64, 0, 2*t.Length)
	for i := range x.Len() {
		leaves = append(leaves, round.Convert(acc, c.In, x.At(i)))
	}
	if t.sub.Op == engine.OpDot {
		for i := range y.Len() {
			leaves = append(leaves, round.Convert(acc, c.In, y.At(i)))
		}
		if c.Fusion != model.FusedAny {
			tree = tree.OverProducts(c.Fusion == model.FusedChain)
		} else {
			tree = nil
		}
	}
	if tree == nil || c.Mean || c.Mixed || tree.LeafCount() != len(leaves) {
		return 0, fmt.Errorf("the schedule has no one result")
	}
	out := round.Arith{F: c.Out, R: c.Rounding, Fl: c.Flush}
	if a.sum == nil {
		return evaluated(tree, acc, out, leaves)
	}
	return round.Convert(out, c.Acc, a.sum(acc, leaves)), nil
}

// random returns values for the row whose sums and products stay far from overflow and underflow, all
// positive if the kernel sums magnitudes.
func (t *Trial) random(seed uint64) (x, y corpus.Values) {
	in := t.Claimed.In
	s := draw.Splitmix(draw.Mix(seed))
	draw := func() corpus.Values {
		v := corpus.NewValues(in, t.Length)
		for i := range t.Length {
			w := math.Ldexp(float64(1<<30+s.Below(1<<30)), s.Below(4)-32)
			if !t.sub.Magnitudes && s.Below(2) == 1 {
				w = -w
			}
			v.Set(i, round.Convert(round.Arith{F: in}, model.Binary64, math.Float64bits(w)))
		}
		return v
	}
	x = draw()
	switch {
	case t.sub.Op == engine.OpSum:
	case t.sub.Squares:
		y = x
	default:
		y = draw()
	}
	return x, y
}
