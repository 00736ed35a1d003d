package vectors

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gamma/model"
	"gamma/model/round"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

// Beside a device that does not round to nearest stands host code that does, and nothing says which of the operations are the host's. So each
// operation may round in either way (Claim.Mixed), and what a result is judged against is the set of what all choices give, computed exactly:
//
//   - operation by operation over a schedule, and over all trees for sum.member: a node's set holds the results of both roundings for each
//     choice of its operands' values, which by induction is each value that the node can have and no other;
//   - where such a set grows too large, by its least and its greatest element. A rounding never decreases when the exact number that it rounds
//     increases, and neither do a sum or a fused product in their summands. So a node's least value is the least of both roundings of its
//     operands' least ones, is attained, and bounds the set; and so the greatest.
//
// The bounds of errors are those of model.MixedHeight. Contraction, flushing and reassociation are liberties and not duties already: a host
// that does neither stays inside what a behaviour with them allows.

// roundings returns the roundings that an operation may have.
func (t *Trial) roundings() []model.Rounding {
	if t.Claimed.Mixed {
		return []model.Rounding{t.Claimed.Rounding, model.NearestEven}
	}
	return []model.Rounding{t.Claimed.Rounding}
}

// ariths returns the arithmetics of an operation whose result is in f.
func (t *Trial) ariths(f model.Format) []round.Arith {
	var list []round.Arith
	for _, r := range t.roundings() {
		list = append(list, round.Arith{F: f, R: r, Fl: t.Claimed.Flush})
	}
	return list
}

// roundedOnce returns what the exact result rounded once may be.
func (t *Trial) roundedOnce() (list []uint64) {
	for _, r := range t.roundings() {
		list = append(list, t.exactlyRounded(r))
	}
	return list
}

// neverOverflows reports whether the exact result rounded once is finite, in whatever way it is rounded.
func (t *Trial) neverOverflows() bool { return !slices.ContainsFunc(t.roundedOnce(), t.overflows) }

func (t *Trial) overflows(b uint64) bool { return !t.Claimed.Out.IsFinite(b) }

// isAmong reports whether the row's result is one of a list.
func (t *Trial) isAmong(signedZero bool, list []uint64) bool {
	return slices.ContainsFunc(list, func(b uint64) bool { return sameResult(t.Claimed.Out, signedZero, t.Got(), b) })
}

// maxMixedSteps is how many additions are tried for the sets of a schedule's values, beyond which their ends are computed.
const maxMixedSteps = 1 << 16

// judgeMixedTree is judgeTree where each operation may round in one of two ways.
func judgeMixedTree(t *Trial) verdict.Verdict {
	c := &t.Claimed
	schedule := t.tree
	if t.sub.Op == engine.OpDot && schedule != nil {
		schedule = t.dotTree()
	}
	tree, leaves := t.scheduleOver(schedule)
	switch {
	case t.loose():
		return verdict.NotMet("the behaviour lets the compiler reassociate additions, so that no schedule is claimed")
	case tree == nil:
		return verdict.NotMet(fmt.Sprintf("no schedule is known for fusion %q", c.Fusion))
	case c.Flush.Any() && t.meetsTiny():
		return verdict.NotMet("a number met may be flushed, and the claim leaves open which are")
	}
	in := make([][]uint64, len(leaves))
	for i, b := range leaves {
		in[i] = t.converted(c.Acc, c.In, b)
	}
	set, ok, err := t.mixedSet(tree, in)
	if err != nil {
		return verdict.NotMet(err.Error())
	}
	const wrong = "the result is not one of the claimed schedule, whether the device or the host does each of its operations"
	if ok {
		set, err = t.finished(set)
		switch {
		case t.isAmong(c.SignedZero, set):
			return verdict.Held("", 0)
		case err != nil:
			return verdict.NotMet(err.Error())
		}
		return verdict.Fails(wrong, &verdict.Witness{WantText: report.DescribeSet(c.Out, set) + ", the schedule replayed"})
	}
	lo, hi, err := t.mixedRange(tree, in)
	if err != nil {
		return verdict.NotMet(err.Error())
	}
	if got := report.Value64(c.Out, t.Got()); lo <= got && got <= hi {
		return verdict.Held("", 0)
	}
	return verdict.Fails(wrong, &verdict.Witness{WantText: fmt.Sprintf("%x to %x = %v to %v, the schedule replayed", lo, hi, lo, hi)})
}

// converted returns what b of format from may be in format to.
func (t *Trial) converted(to, from model.Format, b uint64) []uint64 {
	if to == from {
		return []uint64{b}
	}
	var list []uint64
	for _, a := range t.ariths(to) {
		list = appendNew(list, round.Convert(a, from, b))
	}
	return list
}

func appendNew(list []uint64, b uint64) []uint64 {
	if slices.Contains(list, b) {
		return list
	}
	return append(list, b)
}

// mixedSet returns every value of the tree over leaves that may have one of several values each, and ok = false if that is too much.
func (t *Trial) mixedSet(tree *sumtree.Tree, leaves [][]uint64) (set []uint64, ok bool, err error) {
	acc := t.Claimed.Acc
	ariths, steps := t.ariths(acc), 0
	of := func(f func(a round.Arith, p, q, r uint64) uint64, ps, qs, rs []uint64) []uint64 {
		steps += len(ps) * len(qs) * len(rs) * len(ariths)
		if steps > maxMixedSteps {
			return nil // and so is all above
		}
		seen := map[uint64]bool{}
		for _, a := range ariths {
			for _, p := range ps {
				for _, q := range qs {
					for _, r := range rs {
						b := f(a, p, q, r)
						if acc.IsNaN(b) {
							b = acc.NaNBits()
						}
						seen[b] = true
					}
				}
			}
		}
		return slices.Collect(maps.Keys(seen))
	}
	none := []uint64{0}
	set, err = eval.EvalOps(tree, eval.Ops[[]uint64]{
		Add: func(ps, qs []uint64) []uint64 {
			return of(func(a round.Arith, p, q, _ uint64) uint64 { return a.Add(p, q) }, ps, qs, none)
		},
		Mul: func(ps, qs []uint64) []uint64 {
			return of(func(a round.Arith, p, q, _ uint64) uint64 { return a.Mul(p, q) }, ps, qs, none)
		},
		Fma: func(ps, qs, rs []uint64) []uint64 {
			return of(func(a round.Arith, p, q, r uint64) uint64 { return a.Fma(p, q, r) }, ps, qs, rs)
		},
	}, leaves)
	return set, steps <= maxMixedSteps, err
}

// ends are the least and the greatest of a set of values.
type ends struct{ lo, hi uint64 }

// endsOf returns the ends of values in f, and ok = false if one of them is not finite.
func endsOf(f model.Format, list ...uint64) (e ends, ok bool) {
	for i, b := range list {
		if !f.IsFinite(b) {
			return e, false
		}
		if i == 0 || report.Value64(f, b) < report.Value64(f, e.lo) {
			e.lo = b
		}
		if i == 0 || report.Value64(f, b) > report.Value64(f, e.hi) {
			e.hi = b
		}
	}
	return e, true
}

// mixedRange returns the least and the greatest of what mixedSet would, as finished results.
func (t *Trial) mixedRange(tree *sumtree.Tree, leaves [][]uint64) (lo, hi float64, err error) {
	acc, finite := t.Claimed.Acc, true
	among := func(list ...uint64) ends {
		e, ok := endsOf(acc, list...)
		finite = finite && ok
		return e
	}
	var in []ends
	for _, list := range leaves {
		in = append(in, among(list...))
	}
	each := func(f func(a round.Arith) (uint64, uint64)) ends {
		var list []uint64
		for _, a := range t.ariths(acc) {
			p, q := f(a)
			list = append(list, p, q)
		}
		return among(list...)
	}
	// The factors of products are leaves: numbers of the input's format, which the accumulator of a dot product holds.
	e, err := eval.EvalOps(tree, eval.Ops[ends]{
		Add: func(p, q ends) ends {
			return each(func(a round.Arith) (uint64, uint64) { return a.Add(p.lo, q.lo), a.Add(p.hi, q.hi) })
		},
		Mul: func(p, q ends) ends {
			return each(func(a round.Arith) (uint64, uint64) { return a.Mul(p.lo, q.lo), a.Mul(p.lo, q.lo) })
		},
		Fma: func(p, q, r ends) ends {
			return each(func(a round.Arith) (uint64, uint64) { return a.Fma(p.lo, q.lo, r.lo), a.Fma(p.lo, q.lo, r.hi) })
		},
	}, in)
	if err != nil {
		return 0, 0, err
	}
	if !finite {
		return 0, 0, fmt.Errorf("special values occur, and the operations that the host may do are too many to try them all")
	}
	done, err := t.finished([]uint64{e.lo, e.hi}) // rounding and division by n > 0 keep order
	if err != nil {
		return 0, 0, err
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, b := range done {
		v := report.Value64(t.Claimed.Out, b)
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi, nil
}

// finished returns what sums in Acc may be as results: divided by n for a mean, in the accumulator's format or the result's, and rounded to the
// result's format. The error says why some of that is not known.
func (t *Trial) finished(sums []uint64) (list []uint64, err error) {
	c := &t.Claimed
	mean := func(s uint64, acc, out round.Arith) {
		b, none := meanOf(s, acc, out, t.Length)
		if none != nil {
			err = none
			return
		}
		list = appendNew(list, b)
	}
	for _, s := range sums {
		if !c.Mean {
			for _, b := range t.converted(c.Out, c.Acc, s) {
				list = appendNew(list, b)
			}
			continue
		}
		for _, out := range t.ariths(c.Out) {
			for _, acc := range t.ariths(c.Acc) {
				mean(s, acc, out)
			}
			if c.Out == c.Acc {
				continue
			}
			for _, first := range t.converted(c.Out, c.Acc, s) {
				mean(first, out, out)
			}
		}
	}
	return list, err
}
