package vectors

import (
	"fmt"
	"math"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

// account is a claim that would account for a kernel's results, and what to say of one that it does.
type account struct {
	claim model.Claim
	text  string
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
			list = append(list, account{other, "the kernel's products are fused into the additions: " + fix + ", or claim Fusion: model.FusedChain"})
		case model.FusedChain:
			other.Fusion = model.Unfused
			list = append(list, account{other, "the kernel rounds each product before it adds it: use a fused multiply-add, or claim no Fusion"})
		}
	}
	for _, acc := range []model.Format{c.In, c.Out, model.Binary32, model.Binary64} {
		other := c
		other.Acc = acc
		switch {
		case acc.P > c.Acc.P:
			list = append(list, account{other, fmt.Sprintf("the accumulator is wider than claimed: the results are those of additions in %s, rounded to %s once, at the end. Claim %[1]s as Acc", acc, c.Out)})
		case acc.P < c.Acc.P && (acc == c.In || acc == c.Out):
			list = append(list, account{other, fmt.Sprintf("the accumulator is narrower than claimed: the results are those of additions in %s, not in %s", acc, c.Acc)})
		}
	}
	return list
}

// arithmeticRuns is the number of random vectors that an account has to give the kernel's bits for,
// beside the case, and maxArithmeticN the length up to which that is tried.
const (
	arithmeticRuns = 16
	maxArithmeticN = 1 << 12
)

// noteArithmetic looks for the arithmetic that gives the kernel's bits on the case and on random
// vectors of its length, over the claimed and the observed schedule.
func (f *Failure) noteArithmetic(t *Trial, observed *sumtree.Tree) {
	switch f.Law.ID {
	case model.SumTree, model.DotTree:
	default:
		return
	}
	if f.Verdict.Outcome != verdict.Violated || t.tree == nil || t.Length > maxArithmeticN || t.Claimed.Mixed {
		return
	}
	type open struct {
		account
		tree *sumtree.Tree
	}
	var left []open
	// If the observed order alone accounts for everything, nothing is to be said of the arithmetic.
	for _, a := range append([]account{{t.Claimed, ""}}, t.accounts()...) {
		left = append(left, open{a, t.tree})
		if observed != nil && f.Observed != "" {
			left = append(left, open{a, observed})
		}
	}
	start := time.Now()
	x, y, got := t.x, t.y, t.Got()
	for run := 0; run <= arithmeticRuns && len(left) > 0; run++ {
		if time.Since(start) > maxRerunTime {
			return
		}
		if run > 0 {
			var reason string
			x, y = t.random(uint64(run))
			if got, reason = t.Rerun(x, y); reason != "" {
				return
			}
		}
		some := left[:0]
		for _, o := range left {
			if v, err := t.replayed(&o.claim, o.tree, x, y); err == nil && t.agrees(v, got) {
				some = append(some, o)
			}
		}
		left = some
	}
	if len(left) > 0 {
		f.Arithmetic = left[0].text
	}
}

// replayed evaluates a schedule of additions over the terms of x and y as a claim says.
func (t *Trial) replayed(c *model.Claim, tree *sumtree.Tree, x, y corpus.Values) (uint64, error) {
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
	v, err := eval.Bits(tree, acc, leaves)
	if err != nil {
		return 0, err
	}
	return round.Convert(round.Arith{F: c.Out, R: c.Rounding, Fl: c.Flush}, c.Acc, v), nil
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
