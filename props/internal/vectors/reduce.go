package vectors

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gamma/corpus"
	"gamma/props/internal/reduce"
	"gamma/sumtree"
)

// ReduceOptions bounds the work of Reduce. The zero value is ready.
type ReduceOptions = reduce.Options[*corpus.Case]

// ReduceStats says what a reduction did.
type ReduceStats = reduce.Stats

// Reduce returns the smallest case it finds that still fails: first as many leaves as possible
// become +0, then leaves are removed, then values become simpler (1, powers of two, few bits, small
// exponents, positive, equal ones), then tree, launch, behaviour and seed plainer.
//
// Fewest leaves count first, then the shortest length; no leaf is added, no length grows and no value gets less simple. If the budget
// allows, no single leaf of a result of up to 64 leaves can be zeroed or removed. A pair of factors of a dot product is one leaf.
//
// Where zeroing leaves does not get far, a part of the case that fails by itself is looked for: some
// rows, the first leaves of each, the last ones, or all but a chunk. Steps that go through many leaves, and
// all that make values simpler, end after some hundred evaluations that bring nothing.
//
// Reduce does not modify c, and gives fails a copy that it may keep. Recipe and wanted result of c describe its values, so that cases with
// other values go without.
//
// Cost: k·log2(n/k) + O(k) evaluations for k needed leaves out of n, and O(log n) to look for a part
// where k > 32.
func Reduce(c *corpus.Case, fails func(*corpus.Case) bool, o ReduceOptions) (*corpus.Case, ReduceStats) {
	r := newReducer(c, fails, o)
	small, stats := r.Run(r.run)
	return small.build(), stats
}

// reducer is a reduction of vectors at work.
type reducer struct{ *reduce.Loop[draft] }

func newReducer(c *corpus.Case, fails func(*corpus.Case) bool, o ReduceOptions) *reducer {
	own := reduce.Options[draft]{MaxEvals: o.MaxEvals, Deadline: o.Deadline, Device: o.Device}
	if o.Progress != nil {
		own.Progress = func(d draft, s ReduceStats) { o.Progress(d.build(), s) }
	}
	return &reducer{reduce.New(newDraft(c), drafts{}, func(d draft) bool { return fails(d.build()) }, own)}
}

func (r *reducer) run() {
	if r.Cur.odd != nil {
		r.plain()
		return
	}
	if r.Cur.meta.Gen != "" || r.Cur.meta.Want != "" {
		d := r.Cur
		d.meta.Gen, d.meta.Want = "", ""
		if !r.Try(d) {
			r.plain() // the fault lies in what the case wants, and all values with it
			return
		}
	}
	for round := 0; round == 0 || r.polish(); round++ {
		if r.Done() {
			return
		}
		r.oneRow()
		r.clear(round == 0)
		r.fewerColumns()
		r.shorten()
		r.Simplify(reduce.Values[draft]{Of: draft.values, With: draft.withValues, Zero: r.Cur.dot})
		r.plain()
	}
}

// clear makes leaves +0. Where that does not get far, because the fault needs most of the leaves that
// a case of this length has, a part of the case may do.
func (r *reducer) clear(first bool) {
	start := r.Evals
	few := r.Cur.n <= reduce.ManyItems
	quitted := r.zero(func(needed int) bool {
		return !few && (needed >= manyNeeded || r.Evals-start >= reduce.PhaseMisses)
	})
	cropped := false
	for first && r.dense() && r.crop() {
		cropped = true
	}
	if quitted || cropped {
		r.zero(r.Impatient(len(r.Cur.leaves), reduce.PhaseMisses))
	}
}

// manyNeeded is the number of needed leaves at which clear tries parts of the case before it goes on.
const manyNeeded = 32

// dense reports whether many leaves are not +0, in number or of all.
func (r *reducer) dense() bool {
	k := len(r.Cur.leaves)
	return k > manyNeeded || k > 2 && 2*k > r.Cur.n
}

// zero makes as many leaves +0 as it can, and reports whether it gave up because quit said so.
func (r *reducer) zero(quit func(needed int) bool) bool {
	base := r.Cur
	return r.Settle(len(base.leaves), quit, func(change []bool) draft {
		d := base
		d.leaves = reduce.Without(base.leaves, 1, change)
		return d
	})
}

// plain makes everything but the values plainer.
func (r *reducer) plain() {
	set := func(f func(c *corpus.Case)) bool {
		d := r.Cur
		f(&d.meta)
		return d.meta.Tree == r.Cur.meta.Tree && d.meta.Seed == r.Cur.meta.Seed || r.Try(d)
	}
	if form, shape, ok := shapeOfTree(r.Cur.meta.Tree); r.Cur.meta.Tree != "" && shape != "left" {
		n := r.Cur.perRow(r.Cur.n)
		become := func(shape string) bool {
			return set(func(c *corpus.Case) { c.Tree = fmt.Sprintf("%s%s/%d", form, shape, n) })
		}
		if !become("left") && shape != "pairwise" && !become("pairwise") && ok {
			for _, plainer := range plainerShapes(shape) {
				if become(plainer) {
					break
				}
			}
		}
	}
	r.Plain()
	for s := uint64(0); s < min(r.Cur.meta.Seed, 4); s++ {
		if set(func(c *corpus.Case) { c.Seed = s }) {
			break
		}
	}
}

// plainerShapes returns shapes to try for a shape: without its permutation, with seed 0, and with
// its last number halved.
func plainerShapes(shape string) []string {
	var out []string
	base, _, permuted := strings.Cut(shape, "@")
	if permuted {
		out = append(out, base)
	}
	if i := strings.LastIndexByte(shape, '/'); i >= 0 {
		if v, err := strconv.ParseUint(shape[i+1:], 10, 64); err == nil {
			for _, w := range []uint64{0, 1, 2, 4, 8, 16, 32} {
				s := fmt.Sprintf("%s/%d", shape[:i], w)
				if _, err := sumtree.ParseShape(s); err == nil && w < v {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// maxPolish is the number of leaves up to which polish tries each alone.
const maxPolish = 256

// polish tries to zero each leaf, to remove each leaf, and to remove one +0 from each gap. It
// reports whether the case got smaller, so that all must be done again.
func (r *reducer) polish() bool {
	before, start := r.Accepted, r.Tries()
	ended := func() bool {
		return r.Done() || len(r.Cur.leaves) > reduce.ManyItems && r.Tired(start, reduce.PhaseMisses)
	}
	if len(r.Cur.leaves) > maxPolish || r.Cur.odd != nil {
		return false
	}
	alone := func(last int, at func(i int) (draft, bool)) {
		for i := last; i >= 0 && !ended(); i-- {
			if d, ok := at(i); ok {
				r.Try(d)
			}
		}
	}
	alone(len(r.Cur.leaves)-1, func(i int) (draft, bool) {
		d := r.Cur
		d.leaves = slices.Delete(slices.Clone(d.leaves), i, i+1)
		return d, true
	})
	if r.Cur.rows() == 1 {
		alone(len(r.Cur.leaves)-1, func(i int) (draft, bool) { return r.Cur.withoutColumns(r.Cur.leaves[i].at, r.Cur.leaves[i].at+1) })
		alone(len(r.Cur.leaves), func(i int) (draft, bool) { return r.Cur.withGap(i, r.Cur.gap(i)-1, true) })
	}
	return r.Accepted != before
}
