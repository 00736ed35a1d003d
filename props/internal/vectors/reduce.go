package vectors

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/sumtree"
)

// DefaultMaxEvals is the number of evaluations that Reduce spends at most if it is not told.
const DefaultMaxEvals = 2000

// ReduceOptions bounds the work of Reduce. The zero value is ready.
type ReduceOptions struct {
	MaxEvals int       // evaluations of the predicate in all; 0: DefaultMaxEvals
	Deadline time.Time // no evaluation starts after it; zero: none
	// KeepLength keeps every leaf where it is, for cases whose length is tied to a launch. A case
	// that has a tree may still get shorter together with it.
	KeepLength bool
	// Progress, if not nil, is called with every smaller case that still fails. It must not change it.
	Progress func(c *corpus.Case, s ReduceStats)
}

// ReduceStats says what a reduction did.
type ReduceStats struct {
	Evals    int // evaluations of the predicate
	Cached   int // candidates whose answer was known
	Accepted int // candidates that failed and were taken
	Panics   int // evaluations that panicked, counted as not failing
	Panic    string
	// Reproduced reports whether the case that was given failed at all; if not, it is the result.
	Reproduced bool
	// Flaky reports that the predicate gave two answers for one case.
	Flaky bool
	// Exhausted reports that the budget or the deadline ended the search.
	Exhausted bool
}

// Reduce returns the smallest case it finds that still fails: first as many leaves as possible
// become +0, then leaves are removed, then values become simpler (1, powers of two, few bits, small
// exponents, positive, equal ones), then tree, launch, behaviour and seed plainer.
//
// The case returned has failed when fails saw it, whatever fails is: Reduce takes predicates for
// monotone only to choose what to try next. Fewest leaves count first, then the shortest length; no
// leaf is added, no length grows and no value gets less simple. If the budget allows, no single leaf
// of a result of up to 64 leaves can be zeroed or removed. A pair of factors of a dot product is one leaf.
//
// Where zeroing leaves does not get far, a part of the case that fails by itself is looked for: some
// rows, the first leaves of each, the last ones, or all but a chunk. Steps that go through many leaves, and
// all that make values simpler, end after some hundred evaluations that bring nothing.
//
// Reduce does not modify c, evaluates no candidate twice except the result, and gives fails a copy
// that it may keep. A panic of fails counts as not failing. Recipe and wanted result of c describe
// its values, so that cases with other values go without.
//
// Cost: k·log2(n/k) + O(k) evaluations for k needed leaves out of n, and O(log n) to look for a part
// where k > 32.
func Reduce(c *corpus.Case, fails func(*corpus.Case) bool, o ReduceOptions) (*corpus.Case, ReduceStats) {
	r := newReducer(c, fails, o)
	if !r.reproduces() {
		return r.cur.build(), r.stats
	}
	r.run()
	r.stats.Exhausted = r.done()
	r.confirm()
	return r.cur.build(), r.stats
}

// draftLeaf is a leaf, or a pair of factors, that is not +0.
type draftLeaf struct {
	at   int
	x, y uint64 // encodings
}

// draft is a case in sparse form.
type draft struct {
	meta   corpus.Case // everything but the values; X and Y hold formats only
	dot    bool
	odd    *corpus.Case // a case whose factors do not pair up, which is kept as it is
	n      int
	leaves []draftLeaf // ascending
}

func newDraft(c *corpus.Case) draft {
	d := draft{meta: *c, dot: c.Y.Len() > 0, n: c.X.Len()}
	d.meta.X, d.meta.Y = corpus.Values{Format: c.X.Format}, corpus.Values{Format: c.Y.Format}
	if d.dot && c.Y.Len() != d.n {
		cc := *c
		cc.X, cc.Y, cc.Comments = c.X.Clone(), c.Y.Clone(), slices.Clone(c.Comments)
		d.odd = &cc
		return d
	}
	for i := range d.n {
		l := draftLeaf{at: i, x: c.X.At(i)}
		if d.dot {
			l.y = c.Y.At(i)
		}
		if l.x != 0 || l.y != 0 {
			d.leaves = append(d.leaves, l)
		}
	}
	return d
}

// build returns the case with memory of its own.
func (d *draft) build() *corpus.Case {
	if d.odd != nil {
		return newDraft(d.odd).odd
	}
	c := d.meta
	c.Comments = slices.Clone(c.Comments)
	c.X = corpus.NewValues(d.meta.X.Format, d.n)
	if d.dot {
		c.Y = corpus.NewValues(d.meta.Y.Format, d.n)
	}
	for _, l := range d.leaves {
		c.X.Set(l.at, l.x)
		if d.dot {
			c.Y.Set(l.at, l.y)
		}
	}
	return &c
}

// key returns a hash of everything that a predicate can depend on.
func (d *draft) key(buf *[]byte) [sha256.Size]byte {
	b := fmt.Appendf((*buf)[:0], "%q %+v %+v %q %d %d %q %q %d;",
		d.meta.Kernel, d.meta.Behaviour, d.meta.Launch, d.meta.Tree, d.meta.Seed, d.meta.Rows, d.meta.Want, d.meta.Gen, d.n)
	for _, l := range d.leaves {
		b = binary.LittleEndian.AppendUint64(b, uint64(l.at))
		b = binary.LittleEndian.AppendUint64(b, l.x)
		if d.dot {
			b = binary.LittleEndian.AppendUint64(b, l.y)
		}
	}
	*buf = b
	return sha256.Sum256(b)
}

// resized gives d the length n, and its tree as many leaves.
func (d *draft) resized(n int) bool {
	tree, ok := treeOfLength(d.meta.Tree, d.perRow(n))
	if !ok {
		return false
	}
	d.n, d.meta.Tree = n, tree
	return true
}

func (d *draft) rows() int { return max(d.meta.Rows, 1) }

func (d *draft) perRow(n int) int { return n / d.rows() }

// gap returns the number of +0 leaves before leaf i of the list, and after the last one for
// i = len(d.leaves).
func (d *draft) gap(i int) int {
	from, to := 0, d.n
	if i > 0 {
		from = d.leaves[i-1].at + 1
	}
	if i < len(d.leaves) {
		to = d.leaves[i].at
	}
	return to - from
}

// shapeOfTree splits a tree's text into its form, which is "", "dot:" or "fma:", and its shape, and
// reports whether it is a shape with a leaf count.
func shapeOfTree(tree string) (form, shape string, ok bool) {
	i := strings.LastIndexByte(tree, '/')
	if i < 0 {
		return "", "", false
	}
	if _, err := strconv.ParseUint(tree[i+1:], 10, 31); err != nil {
		return "", "", false
	}
	shape = tree[:i]
	if j := strings.IndexByte(shape, ':') + 1; shape[:j] == "dot:" || shape[:j] == "fma:" {
		form, shape = shape[:j], shape[j:]
	}
	if _, err := sumtree.ParseShape(shape); err != nil {
		return "", "", false
	}
	return form, shape, true
}

// treeOfLength returns the tree of the same shape with n leaves, or with n products.
func treeOfLength(tree string, n int) (string, bool) {
	if tree == "" {
		return "", true
	}
	form, shape, ok := shapeOfTree(tree)
	return fmt.Sprintf("%s%s/%d", form, shape, n), ok
}

// reducer holds a reduction: cur is the smallest draft that failed.
type reducer struct {
	fails func(*corpus.Case) bool
	opt   ReduceOptions
	stats ReduceStats
	cur   draft
	past  []draft // what cur was before, the last maxPast of them after the first
	seen  map[[sha256.Size]byte]bool
	buf   []byte
	since int // evaluations when a draft was last accepted, or when the present phase began
}

// maxPast bounds the memory for going back when a predicate turns out to be flaky.
const maxPast = 16

func newReducer(c *corpus.Case, fails func(*corpus.Case) bool, o ReduceOptions) *reducer {
	if o.MaxEvals <= 0 {
		o.MaxEvals = DefaultMaxEvals
	}
	return &reducer{fails: fails, opt: o, cur: newDraft(c), seen: map[[sha256.Size]byte]bool{}}
}

// Bounds of what is tried without success where many leaves are left.
const (
	phaseMisses = 300 // evaluations in a row that a phase spends without a smaller draft
	stepMisses  = 100 // the same for one step of simplify
	manyItems   = 64  // up to so many leaves or values, steps are not cut short
)

// tired reports whether the last limit evaluations brought nothing, from start on.
func (r *reducer) tired(start, limit int) bool { return r.stats.Evals-max(start, r.since) >= limit }

// done reports whether the search must end; one evaluation is left for confirm.
func (r *reducer) done() bool { return r.stats.Evals+1 >= r.opt.MaxEvals || r.late() }

func (r *reducer) late() bool {
	return !r.opt.Deadline.IsZero() && time.Now().After(r.opt.Deadline)
}

// eval asks the predicate, whatever the budget.
func (r *reducer) eval(d *draft) (failed bool) {
	r.stats.Evals++
	defer func() {
		if p := recover(); p != nil {
			failed = false
			if r.stats.Panics++; r.stats.Panic == "" {
				r.stats.Panic = fmt.Sprint(p)
			}
		}
	}()
	return r.fails(d.build())
}

// known returns d's answer, from memory or from the predicate, and false if the budget is spent.
func (r *reducer) known(d *draft) bool {
	key := d.key(&r.buf)
	if failed, ok := r.seen[key]; ok {
		r.stats.Cached++
		return failed
	}
	if r.done() {
		return false
	}
	failed := r.eval(d)
	r.seen[key] = failed
	return failed
}

// reproduces evaluates the case that was given.
func (r *reducer) reproduces() bool {
	if r.late() {
		r.stats.Exhausted = true
		return false
	}
	r.stats.Reproduced = r.eval(&r.cur)
	r.seen[r.cur.key(&r.buf)] = r.stats.Reproduced
	return r.stats.Reproduced
}

// try makes d the current draft if it fails.
func (r *reducer) try(d draft) bool {
	if !r.known(&d) {
		return false
	}
	if r.past = append(r.past, r.cur); len(r.past) > maxPast {
		r.past = slices.Delete(r.past, 1, 2)
	}
	r.cur = d
	r.stats.Accepted++
	r.since = r.stats.Evals
	if r.opt.Progress != nil {
		r.opt.Progress(d.build(), r.stats)
	}
	return true
}

// confirm evaluates the result once more. If it does not fail now, the predicate is flaky, and the
// last draft that fails again becomes the result; if none does, cur stays, which failed once.
func (r *reducer) confirm() {
	may := func() bool { return r.stats.Evals < r.opt.MaxEvals && !r.late() }
	if !may() || r.eval(&r.cur) {
		return
	}
	r.stats.Flaky = true
	for i := len(r.past) - 1; i >= 0 && may(); i-- {
		if r.eval(&r.past[i]) {
			r.cur = r.past[i]
			return
		}
	}
}

func (r *reducer) run() {
	if r.cur.odd != nil {
		r.plain()
		return
	}
	if r.cur.meta.Gen != "" || r.cur.meta.Want != "" {
		d := r.cur
		d.meta.Gen, d.meta.Want = "", ""
		if !r.try(d) {
			r.plain() // the fault lies in what the case wants, and all values with it
			return
		}
	}
	for round := 0; round == 0 || r.polish(); round++ {
		if r.done() {
			return
		}
		r.clear(round == 0)
		r.oneRow()
		r.shorten()
		r.simplify()
		r.plain()
	}
}

// settle changes as many of m items as it can: with returns the draft in which the items marked
// are changed, and must not keep its argument.
//
// It looks for the shortest run of items from the first that must stay, so that the last of them is
// needed beside those found before; then the items after it are changed for good. The draft that is
// left to work on has failed at every step, and each needed item costs one binary search, which starts
// at the distance where the last search ended.
//
// It ends early, with the items that it did not come to unchanged, and reports that, when quit says so
// of the number of items known to be needed.
func (r *reducer) settle(m int, quit func(needed int) bool, with func(change []bool) draft) (quitted bool) {
	change := make([]bool, m)
	needed := make([]bool, m)
	probe := func(from int) bool {
		for i := range change {
			change[i] = i >= from && !needed[i]
		}
		return r.try(with(change))
	}
	if m == 0 || probe(0) || m == 1 {
		return false
	}
	if m <= 8 {
		clear(change)
		for i := range change {
			change[i] = true
			if !r.try(with(change)) {
				change[i] = false
			}
		}
		return false
	}
	count, gap := 0, m/2
	for c := m; c > 0; c-- {
		lo, hi := -1, c // items before hi stay; lo is too few
		if count <= 8 || count&(count-1) == 0 {
			if count > 0 && probe(0) {
				return false
			}
			lo = 0
		}
		if quit(count) {
			return true
		}
		for hi-lo > 1 {
			if r.done() {
				return false
			}
			h := hi - gap
			if h <= lo {
				h = lo + (hi-lo)/2
			}
			if probe(h) {
				hi, gap = h, 2*gap
			} else {
				lo, gap = h, m
			}
		}
		if hi == 0 {
			return false
		}
		gap = c - hi + 1
		needed[hi-1] = true
		count++
		c = hi
	}
	return false
}

// impatient is a quit of settle for m items: it gives up after limit evaluations without success, if
// there are many items.
func (r *reducer) impatient(m, limit int) func(int) bool {
	start := r.stats.Evals
	return func(int) bool { return m > manyItems && r.tired(start, limit) }
}

// lower returns the least v >= to for which at(v) is seen to fail, from where it does: to, or what
// a binary search finds if from-1 fails too.
func (r *reducer) lower(to, from int, at func(v int) (draft, bool)) int {
	try := func(v int) bool {
		d, ok := at(v)
		return ok && r.try(d)
	}
	if from <= to {
		return from
	}
	if try(to) {
		return to
	}
	if from-1 == to || !try(from-1) {
		return from
	}
	lo, hi := to, from-1
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; try(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// squeeze is lower to 0 for the number v of +0 leaves in a gap. It also finds out whether only v
// modulo some period counts: first powers of two, then multiples of smaller numbers.
func (r *reducer) squeeze(v int, at func(v int) (draft, bool)) {
	try := func(v int) bool {
		d, ok := at(v)
		return ok && r.try(d)
	}
	if v == 0 || try(0) {
		return
	}
	if v <= 6 {
		for w := 1; w < v; w++ {
			if try(w) {
				return
			}
		}
		return
	}
	v = r.lower(0, v, at)
	if v < 3 {
		return
	}
	residue := func(p int) int { return (v-1)%p + 1 }
	top := bits.Len(uint(v-1)) - 1 // 2^top < v
	if try(v - 1<<top) {
		v -= 1 << top
		lo, hi := 0, top
		for hi-lo > 1 {
			if mid := (lo + hi) / 2; try(residue(1 << mid)) {
				hi = mid
			} else {
				lo = mid
			}
		}
		if w := residue(1 << hi); try(w) {
			v = w
		}
		// A shorter period may do as far as some length is needed.
		for t := 0; 1<<t < v; t++ {
			if step := 1 << t; try(v - step) {
				least, steps := residue(step), (v-1)/step
				r.lower(0, steps-1, func(k int) (draft, bool) { return at(least + k*step) })
				return
			}
		}
		return
	}
	for _, multiple := range []int{2520, 420, 60, 12} {
		if multiple >= v {
			continue
		}
		if try(residue(multiple)) {
			v = residue(multiple)
			for p := 3; p < v; p++ {
				if multiple%p == 0 && try(residue(p)) {
					return
				}
			}
		}
		return
	}
}

// clear makes leaves +0. Where that does not get far, because the fault needs most of the leaves that
// a case of this length has, a part of the case may do.
func (r *reducer) clear(first bool) {
	start := r.stats.Evals
	few := r.cur.n <= manyItems
	quitted := r.zero(func(needed int) bool {
		return !few && (needed >= manyNeeded || r.stats.Evals-start >= phaseMisses)
	})
	cropped := false
	for first && r.dense() && r.crop() {
		cropped = true
	}
	if quitted || cropped {
		r.zero(r.impatient(len(r.cur.leaves), phaseMisses))
	}
}

// manyNeeded is the number of needed leaves at which clear tries parts of the case before it goes on.
const manyNeeded = 32

// dense reports whether many leaves are not +0, in number or of all.
func (r *reducer) dense() bool {
	k := len(r.cur.leaves)
	return k > manyNeeded || k > 2 && 2*k > r.cur.n
}

// zero makes as many leaves +0 as it can, and reports whether it gave up because quit said so.
func (r *reducer) zero(quit func(needed int) bool) bool {
	base := r.cur
	return r.settle(len(base.leaves), quit, func(change []bool) draft {
		d := base
		d.leaves = make([]draftLeaf, 0, len(base.leaves))
		for i, l := range base.leaves {
			if !change[i] {
				d.leaves = append(d.leaves, l)
			}
		}
		return d
	})
}

// crop looks for a part of the case that fails by itself: a row or some of them, the first or the last
// leaves of each row, the shortest first, or what is left without a chunk whose size is a power of two,
// not below 1/maxChunks of the row. It reports whether the case got smaller.
func (r *reducer) crop() bool {
	before := r.stats.Accepted
	_, named := treeOfLength(r.cur.meta.Tree, 0)
	_, written := r.cur.writtenOut()
	rows := r.cur.rows()
	if !named && !written || r.cur.n%rows != 0 || r.opt.KeepLength && (r.cur.meta.Tree == "" || rows > 1) {
		return false
	}
	if rows > 1 && named {
		r.cropEnds(rows, func(base *draft, lo, hi int) (draft, bool) { return base.withRows(lo, hi) })
	}
	cols := r.cur.perRow(r.cur.n)
	r.cropEnds(cols, func(base *draft, lo, hi int) (draft, bool) {
		if lo > 0 {
			return base.withoutColumns(0, lo)
		}
		return base.withoutColumns(hi, cols)
	})
	r.cropChunks()
	return r.stats.Accepted != before
}

// cropEnds keeps, of n items, the shortest run of the first or of the last ones that fails, among the
// lengths tried and those that a binary search comes to. part returns base with the items from lo to
// hi-1, of which one is an end.
func (r *reducer) cropEnds(n int, part func(base *draft, lo, hi int) (draft, bool)) {
	base, below := r.cur, 0
	first := func(v int) (draft, bool) { return part(&base, 0, v) }
	last := func(v int) (draft, bool) { return part(&base, n-v, n) }
	for _, v := range partLengths(n) {
		for _, at := range []func(int) (draft, bool){first, last} {
			d, ok := at(v)
			if !ok || !r.try(d) {
				continue
			}
			for v-below > 1 && !r.done() {
				mid := below + (v-below)/2
				if d, ok := at(mid); ok && r.try(d) {
					v = mid
				} else {
					below = mid
				}
			}
			return
		}
		if below = v; r.done() {
			return
		}
	}
}

// partLengths returns, in ascending order, lengths below n at which kernels change what they do: small
// ones, powers of two and their neighbours, and those that share a remainder or a divisor with n.
func partLengths(n int) []int {
	var out []int
	for v := 1; v <= 9; v++ {
		out = append(out, v, n/v)
	}
	for p := 2; p < n; p *= 2 {
		out = append(out, p-1, p, p+1, n%p, p+n%p)
	}
	for v := 10; v <= 64; v++ {
		if n%v == 0 {
			out = append(out, v)
		}
	}
	out = slices.DeleteFunc(out, func(v int) bool { return v <= 0 || v >= n })
	slices.Sort(out)
	return slices.Compact(out)
}

// maxChunks is the number of chunks in a row up to which cropChunks tries each, and those halfway between.
const maxChunks = 16

// cropChunks removes chunks of leaves, of each row the same, from the largest power of two down. The
// length keeps its remainder modulo their size.
func (r *reducer) cropChunks() {
	cols := func() int { return r.cur.perRow(r.cur.n) }
	if cols() < 2 {
		return
	}
	for size := 1 << (bits.Len(uint(cols()-1)) - 1); size > 0 && cols() <= maxChunks*size; size /= 2 {
		for at := 0; at+size <= cols() && size < cols() && !r.done(); {
			if d, ok := r.cur.withoutColumns(at, at+size); !ok || !r.try(d) {
				at += max(1, size/2)
			}
		}
	}
}

// withoutColumns returns d without the leaves from lo to hi-1 of each row.
func (d *draft) withoutColumns(lo, hi int) (draft, bool) {
	if t, ok := d.writtenOut(); ok {
		drop := make([]bool, d.n)
		for i := lo; i < hi; i++ {
			drop[i] = true
		}
		return d.without(t, drop), true
	}
	old, out := d.perRow(d.n), *d
	cols := old - (hi - lo)
	out.leaves = make([]draftLeaf, 0, len(d.leaves))
	for _, l := range d.leaves {
		row, col := l.at/old, l.at%old
		switch {
		case col >= hi:
			col -= hi - lo
		case col >= lo:
			continue
		}
		l.at = row*cols + col
		out.leaves = append(out.leaves, l)
	}
	return out, out.resized(d.rows() * cols)
}

// withRows returns d with no rows but those from lo to hi-1.
func (d *draft) withRows(lo, hi int) (draft, bool) {
	cols, out := d.perRow(d.n), *d
	out.leaves = make([]draftLeaf, 0, len(d.leaves))
	for _, l := range d.leaves {
		if row := l.at / cols; row >= lo && row < hi {
			l.at -= lo * cols
			out.leaves = append(out.leaves, l)
		}
	}
	if out.meta.Rows = hi - lo; hi-lo == 1 {
		out.meta.Rows = 0
	}
	return out, out.resized((hi - lo) * cols)
}

// oneRow leaves one row if it can, and if not the first rows and columns that hold leaves.
func (r *reducer) oneRow() {
	rows := r.cur.rows()
	if rows == 1 || r.cur.n%rows != 0 || r.opt.KeepLength {
		return
	}
	// keep returns the rows from lo to hi-1 and of each the first cols leaves.
	keep := func(base draft, lo, hi, cols int) (draft, bool) {
		old := base.n / base.rows()
		d := base
		d.leaves = nil
		for _, l := range base.leaves {
			row, col := l.at/old, l.at%old
			if row < lo || row >= hi {
				continue
			}
			if col >= cols {
				return d, false
			}
			l.at = (row-lo)*cols + col
			d.leaves = append(d.leaves, l)
		}
		if d.meta.Rows = hi - lo; hi-lo == 1 {
			d.meta.Rows = 0
		}
		return d, d.resized((hi - lo) * cols)
	}
	base, cols := r.cur, r.cur.n/rows
	row := 0
	if len(base.leaves) > 0 && cols > 0 {
		row = base.leaves[0].at / cols
	}
	if d, ok := keep(base, row, row+1, cols); ok && r.try(d) {
		return
	}
	rows = r.lower(min(2, rows), rows, func(v int) (draft, bool) {
		if len(base.leaves) > 0 && base.leaves[len(base.leaves)-1].at/max(cols, 1) >= v {
			return base, false
		}
		return keep(base, 0, v, cols)
	})
	base = r.cur
	r.lower(0, cols, func(v int) (draft, bool) { return keep(base, 0, rows, v) })
}

// shorten removes leaves and moves those that count towards the front.
func (r *reducer) shorten() {
	if _, ok := treeOfLength(r.cur.meta.Tree, 0); !ok || r.cur.rows() > 1 {
		r.prune()
		return
	}
	if r.opt.KeepLength && r.cur.meta.Tree == "" {
		return
	}
	for before := -1; before != r.stats.Accepted && !r.done(); {
		before = r.stats.Accepted
		if r.compact(true) { // only what counts is left
			return
		}
		if !r.compact(false) {
			for i := 0; i < len(r.cur.leaves) && !r.done(); i++ {
				base := r.cur
				r.squeeze(base.gap(i), func(v int) (draft, bool) { return base.withGap(i, v, false) })
			}
		}
		last, base := len(r.cur.leaves), r.cur
		r.squeeze(base.gap(last), func(v int) (draft, bool) { return base.withGap(last, v, true) })
		r.closeGaps()
		for i := 0; i <= len(r.cur.leaves) && !r.done(); i++ {
			base := r.cur
			r.squeeze(base.gap(i), func(v int) (draft, bool) { return base.withGap(i, v, true) })
		}
		for !r.done() && r.cur.n > 1 {
			if d, ok := r.cur.halved(); !ok || !r.try(d) {
				break
			}
		}
		if before == r.stats.Accepted || r.cur.n <= 1 {
			return
		}
		if len(r.cur.leaves) == 0 {
			return
		}
	}
}

// prune removes +0 leaves from a case whose tree is written out, and from its tree. The tree that is
// left may be one that has a name.
func (r *reducer) prune() {
	base := r.cur
	t, ok := base.writtenOut()
	if !ok {
		return
	}
	var zeros []int
	for i, from := 0, 0; i <= len(base.leaves); i++ {
		for at := from; at < from+base.gap(i); at++ {
			zeros = append(zeros, at)
		}
		if i < len(base.leaves) {
			from = base.leaves[i].at + 1
		}
	}
	drop := make([]bool, base.n)
	r.settle(len(zeros), r.impatient(len(zeros), phaseMisses), func(change []bool) draft {
		for i, at := range zeros {
			drop[at] = change[i]
		}
		return base.without(t, drop)
	})
}

// writtenOut returns the tree of a case that has one in parentheses, if it adds one leaf a place.
func (d *draft) writtenOut() (*sumtree.Tree, bool) {
	if _, ok := treeOfLength(d.meta.Tree, 0); ok || d.rows() > 1 {
		return nil, false
	}
	t, err := sumtree.Parse(d.meta.Tree)
	if err != nil || t.LeafCount() != d.n {
		return nil, false
	}
	_, plain := t.Plain()
	return t, plain
}

// without returns d without the leaves marked; in its tree t, which is one of additions, what was
// added to them stands alone.
func (d *draft) without(t *sumtree.Tree, drop []bool) draft {
	out := *d
	out.leaves = make([]draftLeaf, 0, len(d.leaves))
	place := make([]int, d.n) // in the result
	out.n = 0
	for i, dropped := range drop {
		if place[i] = out.n; !dropped {
			out.n++
		}
	}
	for _, l := range d.leaves {
		if !drop[l.at] {
			l.at = place[l.at]
			out.leaves = append(out.leaves, l)
		}
	}

	type operand struct {
		ref  sumtree.Ref
		gone bool
	}
	var b sumtree.Builder
	b.Leaves(out.n)
	nodes, _ := t.Plain()
	made := make([]operand, 0, len(nodes))
	get := func(r sumtree.Ref) operand {
		if !r.IsLeaf() {
			return made[r]
		}
		if i := r.Leaf(); i < len(drop) && !drop[i] {
			return operand{ref: b.Leaf(place[i])}
		}
		return operand{gone: true}
	}
	for _, nd := range nodes {
		left, right := get(nd.L), get(nd.R)
		switch {
		case left.gone:
			left = right
		case !right.gone:
			left = operand{ref: b.Add(left.ref, right.ref)}
		}
		made = append(made, left)
	}
	out.meta.Tree = sumtree.Left().Tree(out.n).String()
	if root := get(t.Root()); !root.gone {
		if tree, err := b.Build(root.ref); err == nil {
			out.meta.Tree = tree.String()
		}
	}
	return out
}

// compact moves all leaves that are not +0 to the front, and cuts the rest off or keeps the length.
// It reports whether the current draft has that form now.
func (r *reducer) compact(cut bool) bool {
	d := r.cur
	k := len(d.leaves)
	d.leaves = slices.Clone(d.leaves)
	for i := range d.leaves {
		d.leaves[i].at = i
	}
	if cut {
		d.resized(k)
	}
	if d.n == r.cur.n && (k == 0 || r.cur.leaves[k-1].at == k-1) {
		return true
	}
	return r.try(d)
}

// withGap returns d with v leaves +0 in gap i: leaves are removed, or stand after the last.
func (d *draft) withGap(i, v int, remove bool) (draft, bool) {
	out := *d
	out.leaves = slices.Clone(d.leaves)
	off := d.gap(i) - v
	for j := i; j < len(out.leaves); j++ {
		out.leaves[j].at -= off
	}
	return out, !remove || out.resized(d.n-off)
}

// closeGaps removes the +0 leaves of as many gaps as it can.
func (r *reducer) closeGaps() {
	base := r.cur
	var gaps []int
	for i := range len(base.leaves) + 1 {
		if base.gap(i) > 0 {
			gaps = append(gaps, i)
		}
	}
	r.settle(len(gaps), r.impatient(len(gaps), phaseMisses), func(change []bool) draft {
		d := base
		d.leaves = slices.Clone(base.leaves)
		off, g := 0, 0
		for i := range len(base.leaves) + 1 {
			if g < len(gaps) && gaps[g] == i {
				if change[g] {
					off += base.gap(i)
				}
				g++
			}
			if i < len(d.leaves) {
				d.leaves[i].at -= off
			}
		}
		d.resized(base.n - off)
		return d
	})
}

// halved returns d with every place and the length divided by two.
func (d *draft) halved() (draft, bool) {
	out := *d
	out.leaves = slices.Clone(d.leaves)
	for i := range out.leaves {
		if out.leaves[i].at /= 2; i > 0 && out.leaves[i].at == out.leaves[i-1].at {
			return out, false
		}
	}
	n := d.n / 2
	if k := len(out.leaves); k > 0 && out.leaves[k-1].at >= n {
		return out, false
	}
	return out, out.resized(n)
}

// factor names the x or the y of a leaf in the list.
type factor struct {
	leaf int
	y    bool
}

func (d *draft) factors() []factor {
	var fs []factor
	for i := range d.leaves {
		fs = append(fs, factor{i, false})
		if d.dot {
			fs = append(fs, factor{i, true})
		}
	}
	return fs
}

func (d *draft) format(f factor) model.Format {
	if f.y {
		return d.meta.Y.Format
	}
	return d.meta.X.Format
}

func (d *draft) value(f factor) uint64 {
	if f.y {
		return d.leaves[f.leaf].y
	}
	return d.leaves[f.leaf].x
}

func (d *draft) setValue(f factor, b uint64) {
	if f.y {
		d.leaves[f.leaf].y = b
	} else {
		d.leaves[f.leaf].x = b
	}
}

// normal returns d without leaves that became +0.
func (d draft) normal() draft {
	d.leaves = slices.DeleteFunc(d.leaves, func(l draftLeaf) bool { return l.x == 0 && l.y == 0 })
	return d
}

// apply gives as many factors as it can the value that f makes of theirs, where that is simpler.
func (r *reducer) apply(f func(fm model.Format, b uint64) uint64) {
	base := r.cur
	var items []factor
	for _, fa := range base.factors() {
		fm, b := base.format(fa), base.value(fa)
		if valueCost(fm, f(fm, b)) < valueCost(fm, b) {
			items = append(items, fa)
		}
	}
	r.settle(len(items), r.impatient(len(items), stepMisses), func(change []bool) draft {
		d := base
		d.leaves = slices.Clone(base.leaves)
		for i, fa := range items {
			if change[i] {
				d.setValue(fa, f(d.format(fa), base.value(fa)))
			}
		}
		return d.normal()
	})
}

// simplify makes the values simpler, until that gets no further or takes too long without success.
func (r *reducer) simplify() {
	steps := []func(){
		func() {
			if r.cur.dot {
				r.apply(func(model.Format, uint64) uint64 { return 0 })
			}
		},
		func() { r.apply(func(f model.Format, _ uint64) uint64 { return oneBits(f) }) },
		func() { r.apply(func(f model.Format, b uint64) uint64 { return oneBits(f) | b&f.SignBit() }) },
		func() { r.apply(func(f model.Format, b uint64) uint64 { return b &^ f.SignBit() }) },
		func() { r.apply(plainSpecial) },
		func() { r.apply(func(f model.Format, b uint64) uint64 { return truncated(f, b, 1) }) },
		r.narrow,
		func() { r.scale(false) },
		func() {
			if r.cur.dot {
				r.scale(true)
			}
		},
		r.centre,
		r.merge,
	}
	start := r.stats.Evals
	for before := -1; before != r.stats.Accepted; {
		before = r.stats.Accepted
		for _, step := range steps {
			if r.done() || r.tired(start, phaseMisses) {
				return
			}
			step()
		}
	}
}

// narrow takes significand bits away, from all values and from each.
func (r *reducer) narrow() {
	base, widest := r.cur, 0
	for _, fa := range base.factors() {
		widest = max(widest, width(base.format(fa), base.value(fa)))
	}
	r.lower(1, widest, func(w int) (draft, bool) {
		d := base
		d.leaves = slices.Clone(base.leaves)
		for _, fa := range base.factors() {
			d.setValue(fa, truncated(base.format(fa), base.value(fa), w))
		}
		return d, true
	})
	r.each(func(fm model.Format, b uint64) (int, func(int) (uint64, bool)) {
		return width(fm, b), func(w int) (uint64, bool) {
			if w == 0 {
				return 0, false
			}
			return stubbed(fm, b, w), true
		}
	}, 1)
	r.apply(outerBits)
}

// centre moves each exponent towards 0.
func (r *reducer) centre() {
	r.each(func(fm model.Format, b uint64) (int, func(int) (uint64, bool)) {
		s := offCentre(fm, b)
		return max(s, -s), func(v int) (uint64, bool) {
			if s < 0 {
				v = -v
			}
			return shifted(fm, b, v-s)
		}
	}, 0)
}

// each lowers for every value in turn the number that measure returns with it, down to least;
// measure also returns the value for a lower number.
func (r *reducer) each(measure func(fm model.Format, b uint64) (int, func(v int) (uint64, bool)), least int) {
	start := r.stats.Evals
	for _, fa := range r.cur.factors() {
		if r.done() || len(r.cur.leaves) > manyItems && r.tired(start, stepMisses) {
			return
		}
		base := r.cur
		from, to := measure(base.format(fa), base.value(fa))
		r.lower(least, from, func(v int) (draft, bool) {
			b, ok := to(v)
			d := base
			d.leaves = slices.Clone(base.leaves)
			d.setValue(fa, b)
			return d, ok
		})
	}
}

// scale multiplies all x, or all y, by a power of two: so that the least bit of all becomes 1, the
// values being integers; or else so that the largest value lies between 1 and 2.
func (r *reducer) scale(y bool) {
	base := r.cur
	low, high, cost := math.MaxInt, math.MinInt, 0
	var fs []factor
	for _, fa := range base.factors() {
		fm, b := base.format(fa), base.value(fa)
		if fa.y != y || !fm.IsFinite(b) || b&^fm.SignBit() == 0 {
			continue
		}
		_, m, e := oddPart(fm, b)
		low, high = min(low, e), max(high, e+bits.Len64(m)-1)
		cost += valueCost(fm, b)
		fs = append(fs, fa)
	}
	if len(fs) < 2 {
		return // centre does it
	}
	at := func(s int) (draft, bool) {
		d, sum := base, 0
		d.leaves = slices.Clone(base.leaves)
		for _, fa := range fs {
			b, ok := shifted(base.format(fa), base.value(fa), s)
			if !ok {
				return d, false
			}
			d.setValue(fa, b)
			sum += valueCost(base.format(fa), b)
		}
		return d, sum < cost
	}
	for _, s := range []int{-low, -high} {
		if d, ok := at(s); ok && r.try(d) {
			return
		}
	}
	// Not all the way.
	sign := cmp.Compare(0, high)
	r.lower(0, max(high, -high), func(v int) (draft, bool) { return at(sign * (max(high, -high) - v)) })
}

// merge gives as many values as it can the simplest one among them.
func (r *reducer) merge() {
	base := r.cur
	least := map[bool]uint64{}
	for _, fa := range base.factors() {
		b, fm := base.value(fa), base.format(fa)
		if v, ok := least[fa.y]; b != 0 && (!ok || valueCost(fm, b) < valueCost(fm, v)) {
			least[fa.y] = b
		}
	}
	for _, y := range []bool{false, true} {
		v := least[y]
		var items []factor
		for _, fa := range base.factors() {
			if fm := base.format(fa); fa.y == y && valueCost(fm, v) < valueCost(fm, base.value(fa)) {
				items = append(items, fa)
			}
		}
		if v == 0 || v == oneBits(base.format(factor{0, y})) {
			continue // tried before
		}
		from := r.cur
		r.settle(len(items), r.impatient(len(items), stepMisses), func(change []bool) draft {
			d := from
			d.leaves = slices.Clone(from.leaves)
			for i, fa := range items {
				if change[i] {
					d.setValue(fa, v)
				}
			}
			return d
		})
	}
}

// plain makes everything but the values plainer.
func (r *reducer) plain() {
	set := func(f func(c *corpus.Case)) bool {
		d := r.cur
		if d.odd != nil {
			c := *d.odd
			f(&c)
			d.odd = &c
		}
		f(&d.meta)
		before, after := r.cur.meta, d.meta
		if before.Behaviour == after.Behaviour && before.Launch == after.Launch && before.Tree == after.Tree &&
			before.Seed == after.Seed {
			return true
		}
		return r.try(d)
	}
	if form, shape, ok := shapeOfTree(r.cur.meta.Tree); r.cur.meta.Tree != "" && shape != "left" {
		n := r.cur.perRow(r.cur.n)
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
	Plainest(r.cur.meta.Behaviour, func(b model.Behaviour) bool { return set(func(c *corpus.Case) { c.Behaviour = b }) })
	if !set(func(c *corpus.Case) { c.Launch = model.Launch{} }) {
		r.plainLaunch(set)
	}
	for s := uint64(0); s < min(r.cur.meta.Seed, 4); s++ {
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

// Plainest makes those fields of a behaviour plain that a failure does not need. What fails by another order of threads alone is no
// matter of arithmetic, and a field is not kept for the sake of what the seed happens to draw beside it: without the field several
// seeds are tried. Every behaviour that fails was the last one to do so when fails saw it.
func Plainest(b model.Behaviour, fails func(model.Behaviour) bool) model.Behaviour {
	if b.Plain() || fails(model.Behaviour{}) {
		return model.Behaviour{}
	}
	if own := (model.Behaviour{Order: b.Order, Seed: b.Seed}); b.Order == "" || b != own {
		for _, alone := range ordersAlone(own) {
			if fails(alone) {
				b = alone
				break
			}
		}
	}
	for _, change := range plainBehaviour {
		c := b
		change(&c)
		if c == b {
			continue
		}
		seeds := []uint64{c.Seed}
		if c.Seed == b.Seed && c != (model.Behaviour{Seed: c.Seed}) {
			seeds = append(seeds, otherSeeds...)
		}
		for _, seed := range seeds {
			if c.Seed = seed; fails(c) {
				b = c
				break
			}
		}
	}
	return b
}

// otherSeeds are tried beside a behaviour's own.
var otherSeeds = []uint64{0, 1, 2, 3}

// ordersAlone returns behaviours that are an order of threads and nothing else, the plainest first and own among them.
func ordersAlone(own model.Behaviour) []model.Behaviour {
	list := []model.Behaviour{{Order: "reverse"}}
	if own.Order != "" {
		list = append(list, own)
	}
	for _, order := range []string{"stages", "accesses"} {
		for _, seed := range otherSeeds {
			list = append(list, model.Behaviour{Order: order, Seed: seed})
		}
	}
	return list
}

// plainBehaviour sets one field after the other to its plain value.
var plainBehaviour = []func(b *model.Behaviour){
	func(b *model.Behaviour) { b.Rounding = model.Behaviour{}.Rounding },
	func(b *model.Behaviour) { b.Flush = model.Flush{} },
	func(b *model.Behaviour) { b.Flush16 = model.Flush{} },
	func(b *model.Behaviour) { b.Contract = model.ContractOff },
	func(b *model.Behaviour) { b.Rewrites = model.Rewrites{} },
	func(b *model.Behaviour) { b.Rewrites.Reassociate = false },
	func(b *model.Behaviour) { b.Rewrites.NoSignedZeros = false },
	func(b *model.Behaviour) { b.Rewrites.Reciprocal = false },
	func(b *model.Behaviour) { b.Rewrites.NoNaNs = false },
	func(b *model.Behaviour) { b.Rewrites.NoInfs = false },
	func(b *model.Behaviour) { b.Order = "" },
	func(b *model.Behaviour) { b.SIMDWidth = 0 },
	func(b *model.Behaviour) { b.ULP = false },
	func(b *model.Behaviour) { b.Poison = false },
	func(b *model.Behaviour) { b.Seed = 0 },
	func(b *model.Behaviour) { b.Seed = min(b.Seed, 1) },
}

// plainLaunch makes each size of the launch 1, or halves it while that fails.
func (r *reducer) plainLaunch(set func(func(c *corpus.Case)) bool) {
	for _, size := range []func(l *model.Launch) *int{
		func(l *model.Launch) *int { return &l.Groups.X },
		func(l *model.Launch) *int { return &l.Groups.Y },
		func(l *model.Launch) *int { return &l.Groups.Z },
		func(l *model.Launch) *int { return &l.Threads.X },
		func(l *model.Launch) *int { return &l.Threads.Y },
		func(l *model.Launch) *int { return &l.Threads.Z },
	} {
		now := func() int { return *size(&r.cur.meta.Launch) }
		if now() <= 1 || set(func(c *corpus.Case) { *size(&c.Launch) = 1 }) {
			continue
		}
		for now() > 2 && set(func(c *corpus.Case) { *size(&c.Launch) /= 2 }) && !r.done() {
		}
	}
}

// maxPolish is the number of leaves up to which polish tries each alone.
const maxPolish = 256

// polish tries to zero each leaf, to remove each leaf, and to remove one +0 from each gap. It
// reports whether the case got smaller, so that all must be done again.
func (r *reducer) polish() bool {
	before, start := r.stats.Accepted, r.stats.Evals
	ended := func() bool { return r.done() || len(r.cur.leaves) > manyItems && r.tired(start, phaseMisses) }
	if len(r.cur.leaves) > maxPolish || r.cur.odd != nil {
		return false
	}
	for i := len(r.cur.leaves) - 1; i >= 0 && !ended(); i-- {
		d := r.cur
		d.leaves = slices.Delete(slices.Clone(d.leaves), i, i+1)
		r.try(d)
	}
	for i := len(r.cur.leaves) - 1; i >= 0 && !ended(); i-- {
		if t, ok := r.cur.writtenOut(); ok {
			drop := make([]bool, r.cur.n)
			drop[r.cur.leaves[i].at] = true
			r.try(r.cur.without(t, drop))
		}
	}
	_, ok := treeOfLength(r.cur.meta.Tree, 0)
	if !ok || r.cur.rows() > 1 || r.opt.KeepLength && r.cur.meta.Tree == "" {
		return r.stats.Accepted != before
	}
	for i := len(r.cur.leaves) - 1; i >= 0 && !ended(); i-- {
		d := r.cur
		d.leaves = slices.Delete(slices.Clone(d.leaves), i, i+1)
		for j := i; j < len(d.leaves); j++ {
			d.leaves[j].at--
		}
		if d.resized(d.n - 1) {
			r.try(d)
		}
	}
	for i := len(r.cur.leaves); i >= 0 && !ended(); i-- {
		if g := r.cur.gap(i); g > 0 {
			if d, ok := r.cur.withGap(i, g-1, true); ok {
				r.try(d)
			}
		}
	}
	return r.stats.Accepted != before
}

// oneBits returns the encoding of 1.
func oneBits(f model.Format) uint64 { return uint64(1-f.Emin) << (f.P - 1) }

// oddPart returns sign, odd significand and exponent of a finite number that is not zero.
func oddPart(f model.Format, b uint64) (neg bool, m uint64, e int) {
	neg, m, e = f.Decode(b)
	s := bits.TrailingZeros64(m)
	return neg, m >> s, e + s
}

// exactBits returns the encoding of (-1)^neg·m·2^e, m odd, if the format has that number.
func exactBits(f model.Format, neg bool, m uint64, e int) (b uint64, ok bool) {
	n := bits.Len64(m)
	lead := e + n - 1
	last := max(lead, f.Emin) - f.P + 1 // exponent of the last place
	if n > f.P || e < last || lead > f.Emax {
		return 0, false
	}
	m <<= e - last
	if lead == f.Emax && m > f.MaxFinite {
		return 0, false
	}
	b = m
	if lead >= f.Emin {
		b = m - 1<<(f.P-1) | uint64(lead-f.Emin+1)<<(f.P-1)
	}
	if neg {
		b |= f.SignBit()
	}
	return b, true
}

// width returns the number of bits of a value's odd part; 0 if it is zero or not finite.
func width(f model.Format, b uint64) int {
	if !f.IsFinite(b) || b&^f.SignBit() == 0 {
		return 0
	}
	_, m, _ := oddPart(f, b)
	return bits.Len64(m)
}

// truncated returns b with all but the first w bits of its significand cut off.
func truncated(f model.Format, b uint64, w int) uint64 {
	if width(f, b) <= w {
		return b
	}
	_, m, _ := f.Decode(b)
	return b &^ (1<<(bits.Len64(m)-w) - 1)
}

// shortWidth is the width up to which a value is written best as an integer times a power of two.
const shortWidth = 8

// stubbed returns b with a significand of exactly w bits, if it has more: its first w-1 and a 1.
func stubbed(f model.Format, b uint64, w int) uint64 {
	if width(f, b) <= w {
		return b
	}
	_, m, _ := f.Decode(b)
	cut := bits.Len64(m) - w
	return b&^(1<<cut-1) | 1<<cut&(1<<(f.P-1)-1)
}

// outerBits returns b with no more than the first and the last bit of its significand set.
func outerBits(f model.Format, b uint64) uint64 {
	w := width(f, b)
	if w < 3 {
		return b
	}
	neg, _, e := oddPart(f, b)
	v, _ := exactBits(f, neg, 1<<(w-1)|1, e)
	return v
}

// offCentre returns the exponent that centre brings to 0: of the last bit for short significands, so
// that they become integers, and of the first for the others.
func offCentre(f model.Format, b uint64) int {
	if width(f, b) == 0 {
		return 0
	}
	_, m, e := oddPart(f, b)
	if n := bits.Len64(m); n > shortWidth {
		return e + n - 1
	}
	return e
}

// shifted returns b·2^s if that is exact.
func shifted(f model.Format, b uint64, s int) (uint64, bool) {
	if width(f, b) == 0 {
		return b, true
	}
	neg, m, e := oddPart(f, b)
	return exactBits(f, neg, m, e+s)
}

// plainSpecial returns +Inf for a NaN that is the canonical one, and that one for the others, and
// the largest number for an infinity.
func plainSpecial(f model.Format, b uint64) uint64 {
	switch {
	case f.IsNaN(b) && b != f.NaNBits():
		return f.NaNBits()
	case f.IsNaN(b) && f.HasInf:
		return f.InfBits()
	case f.IsInf(b):
		return f.MaxBits() | b&f.SignBit()
	}
	return b
}

// valueCost orders values from simple to not: zero, finite ones by width, bits set and distance of
// their exponent from 0, infinities, NaNs; the sign last.
func valueCost(f model.Format, b uint64) int {
	sign := 0
	if f.Signbit(b) {
		sign = 1
	}
	switch {
	case f.IsNaN(b):
		if b&^f.SignBit() != f.NaNBits() {
			sign += 2
		}
		return 3<<28 + sign
	case f.IsInf(b):
		return 2<<28 + sign
	case b&^f.SignBit() == 0:
		return sign
	}
	_, m, _ := oddPart(f, b)
	s := offCentre(f, b)
	return 1<<28 + bits.Len64(m)<<20 + bits.OnesCount64(m)<<13 + max(s, -s)<<1 + sign
}
