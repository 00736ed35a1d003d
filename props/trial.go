package props

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
	"gamma/sumtree"
)

// Trial is one run of a subject on one case, as a law sees it. It keeps its memory from case to
// case, and computes exact values when they are first asked for.
type Trial struct {
	sub *subject
	law *Law
	c   *corpus.Case
	// at is what a device runs the case under, claim what the subject claims there.
	at           Setting
	claim        model.Claim
	found        model.Findings // by the device's checkers, in the last run
	met          model.Findings // the first ones of all runs since a case was judged, those on the reference left out
	n, rows, row int
	x, y         corpus.Values // of the row
	rawX         corpus.Values // as the kernel sees the row, before magnitudes are taken
	results      []uint64      // of all rows
	second       []uint64      // of a second run
	tree         *sumtree.Tree // schedule given to the kernel, or claimed
	treeName     string        // what tree was made from
	treeErr      error
	height       int // of tree, computed when first asked for; -1: not yet

	lent    [2]loan
	lending int

	exact exactValue
	calls int // of the kernel, since the trial was made
	// anomalous: the error of the last row judged by a bound was larger than independent rounding
	// errors of mean zero would make it; see model.AnomalyFactor. It never fails anything.
	anomalous bool

	scratch32 []float32
	scratch64 []float64
	wideX     []float32 // leaves of narrower formats, in binary32
	wideY     []float32
	slots     []uint64
	mine      []model.Bound
	perm      []int
	px, py    corpus.Values

	hardware hardwareRuns
}

// loan is what a kernel was given: its own copy and a pristine one to compare with.
type loan struct {
	x, y, wasX, wasY corpus.Values
	baseX, baseY     corpus.Values // what x and y are parts of
	out              bool
}

// exactValue is what the oracle knows of a row, computed by need.
type exactValue struct {
	ready, wide bool
	acc32       oracle.Acc32
	acc64       oracle.Acc64
	dot64       oracle.AccDot64
	acc         accumulator // the one of the three in use
	abs         oracle.Interval
	haveAbs     bool
}

// accumulator is what oracle's accumulators have in common.
type accumulator interface {
	IsFinite() bool
	IsNaN() bool
	Sign() int
	Interval() (lo, hi float64)
	Dyadic() oracle.Dyadic
	Round(f model.Format, r model.Rounding) uint64
}

func newTrial(s *subject) *Trial { return &Trial{sub: s, claim: s.claim} }

// Claim returns the subject's claim, with the formats filled in, as the case's behaviour leaves it.
func (t *Trial) Claim() *model.Claim { return &t.claim }

// Setting returns the behaviour and the launch under which a kernel on a device ran.
func (t *Trial) Setting() Setting { return t.at }

// Findings returns what the device's checkers found in the run. Do not write to it.
func (t *Trial) Findings() []model.Finding { return t.found }

// Case returns the case. Do not change it.
func (t *Trial) Case() *corpus.Case { return t.c }

// N returns the number of leaves of the row, or of terms of a dot product.
func (t *Trial) N() int { return t.n }

// X returns the leaves of the row, the first factors of a dot product. Do not write to them.
func (t *Trial) X() corpus.Values { return t.x }

// Y returns the second factors of a dot product's row. Do not write to them.
func (t *Trial) Y() corpus.Values { return t.y }

// Got returns the kernel's result for the row, an encoding in Claim().Out.
func (t *Trial) Got() uint64 { return t.results[t.row] }

// judge runs the kernel on a case and lets a law judge every row; the worst verdict counts. The
// kernel's panics are its own fault; one that is left comes of a law, or of a function in the claim.
func (t *Trial) judge(l *Law, c *corpus.Case) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = broken(panicked(t.culprit(), "the law or the claim panicked: %v", p))
			v.Law = l.ID
		}
	}()
	t.law, t.c, t.anomalous, t.met = l, c, false, nil
	t.hardware.forget()
	t.at = t.sub.device.setting(Setting{Behaviour: c.Behaviour, Launch: c.Launch})
	var silent string
	t.claim, silent = t.sub.under(t.at.Behaviour)
	t.rows = max(c.Rows, 1)
	t.n = c.X.Len() / t.rows
	t.results = grow(t.results, t.rows)
	t.loadTree()
	if t.treeErr != nil {
		v = vacuous(t.treeErr.Error())
	} else if silent != "" && !l.OnDevice {
		v = vacuous(silent)
	} else if b := t.run(c.X, c.Y, t.results); b != nil {
		v = broken(b)
	} else {
		for row := range t.rows {
			w := t.judgeRow(row)
			if row == 0 || worse(&w, &v) {
				v = w
			}
			if v.fails() {
				break
			}
		}
	}
	v.Law = l.ID
	return v
}

// count counts the verdict on the case that was judged last.
func (t *Trial) count(st *lawStats, v *Verdict, c *corpus.Case) {
	st.addRuns(t)
	family, _, _ := strings.Cut(c.Gen, " ") // a recipe begins with it
	if f := familyByName[family]; t.anomalous && f != nil && f.random {
		st.Anomalies++
	}
	st.add(v, family, t.n)
}

// checkWant compares the right result that a case states with the oracle's, of the case that was judged last; for rows that hold,
// nothing else: the law judges the kernel.
func (t *Trial) checkWant(c *corpus.Case) error {
	if c.Want == "" || t.n == 0 && t.claim.Mean {
		return nil
	}
	out := t.claim.Out
	want, err := corpus.ParseValue(out, c.Want)
	if err != nil {
		return fmt.Errorf("want: %w", err)
	}
	t.selectRow(0)
	if got := t.roundedExact(); !sameResult(out, false, got, want) {
		return fmt.Errorf("the case wants %s and the oracle says %s", describe(out, want), describe(out, got))
	}
	return nil
}

// kept returns a copy of a drawn case that outlives the next draw.
func (t *Trial) kept(c *corpus.Case) *corpus.Case {
	k := *c
	k.X, k.Y = c.X.Clone(), corpus.Values{}
	if c.Y.Len() > 0 {
		k.Y = c.Y.Clone()
	}
	return &k
}

func (t *Trial) judgeRow(row int) Verdict {
	t.selectRow(row)
	if t.arbitrary() {
		return vacuous("the behaviour takes NaNs or infinities for impossible, and here they may occur: any result is right")
	}
	var v Verdict
	if t.law.Found != nil {
		v = t.law.Found(t.found)
	} else {
		v = t.law.Judge(t)
	}
	if w := v.Witness; w != nil {
		if !w.own {
			w.Got = t.Got()
		}
		w.Row, w.N, w.Out = row, t.n, t.claim.Out
		if w.GotText == "" {
			w.GotText = describe(w.Out, w.Got)
		}
	}
	return v
}

func (t *Trial) selectRow(row int) {
	t.row = row
	t.exact.ready, t.exact.haveAbs, t.exact.wide = false, false, false
	t.x, t.y = t.c.X, t.c.Y
	if t.rows > 1 {
		t.x = t.x.Slice(row*t.n, (row+1)*t.n)
	}
	t.rawX = t.x
	if t.sub.magnitudes {
		t.px = copyTo(t.px, t.x)
		for i, sign := 0, t.x.Format.SignBit(); i < t.n; i++ {
			t.px.Set(i, t.px.At(i)&^sign)
		}
		t.x = t.px
		t.px = corpus.Values{} // its memory is the trial's row now
	}
	switch {
	case t.sub.op == OpSum:
	case t.sub.squares:
		t.y = t.x
	case t.sub.shared:
		t.y = t.y.Slice(0, t.n)
	}
}

// worse orders verdicts for the summary of a case's rows.
func worse(a, b *Verdict) bool {
	rank := func(o Outcome) int { return [...]int{Holds: 1, Vacuous: 0, Violated: 2, Broken: 3}[o] }
	if a.Outcome != b.Outcome {
		return rank(a.Outcome) > rank(b.Outcome)
	}
	return a.Ratio > b.Ratio
}

// smallTree is the size up to which a tree with the wrong number of leaves is read at all, so that a
// hostile one takes no memory.
const smallTree = 1 << 12

// loadTree finds the schedule: the case's, for a kernel that follows one, or the claim's.
func (t *Trial) loadTree() {
	name := t.c.Tree
	own := t.sub.ownSchedule()
	switch { // a key, not a name
	case name != "":
	case t.claim.Tree != "":
		name = t.claim.Tree + "/" + strconv.Itoa(t.n)
	case own && !t.at.Launch.IsZero():
		name = strconv.Itoa(t.n) + " " + t.at.Launch.String()
	case own:
		name = strconv.Itoa(t.n)
	}
	if name == t.treeName && t.tree != nil && t.treeErr == nil {
		return
	}
	t.treeName, t.tree, t.treeErr, t.height = name, nil, nil, -1
	switch {
	case t.c.Tree != "":
		limit := max(t.n, smallTree)
		if most := 64 * limit; len(t.c.Tree) > most { // an explicit tree takes at most 15 bytes a leaf
			t.treeErr = fmt.Errorf("the tree's text has %d bytes, and a tree of %d leaves at most %d", len(t.c.Tree), limit, most)
			return
		}
		if t.tree, t.treeErr = sumtree.ParseLimit(t.c.Tree, limit); t.treeErr != nil {
			return
		}
		if t.tree.LeafCount() != t.n {
			t.treeErr = fmt.Errorf("the tree has %d leaves and the case %d", t.tree.LeafCount(), t.n)
		} else if err := t.tree.Check(); err != nil {
			t.treeErr = fmt.Errorf("the tree is no schedule of a sum: %w", err)
		} else if _, plain := t.tree.Plain(); !plain {
			t.treeErr = fmt.Errorf("the tree is no schedule of a sum: its nodes are not all additions of two operands")
		}
	case own:
		t.tree = t.sub.scheduleOf(t.n, t.at.Launch)
		if t.tree == nil || t.tree.LeafCount() != t.n {
			t.tree, t.treeErr = nil, fmt.Errorf("Schedule(%d) returns no tree of %d leaves", t.n, t.n)
		} else if err := t.tree.Check(); err != nil {
			t.treeErr = fmt.Errorf("Schedule(%d) returns no schedule of a sum: %w", t.n, err)
		}
	case t.claim.Tree != "":
		shape, err := sumtree.ParseShape(t.claim.Tree)
		if err != nil {
			t.treeErr = err
			return
		}
		t.tree = shape.Tree(t.n)
	case t.sub.follows:
		t.tree = sumtree.Left().Tree(t.n)
	}
}

// run runs the kernel on copies of x and y and returns how it broke, or nil.
func (t *Trial) run(x, y corpus.Values, dst []uint64) *breakage {
	before := &t.lent[t.lending]
	t.lending ^= 1
	l := &t.lent[t.lending]
	// The vectors begin anywhere among sixteen elements, by the case's seed, so that kernels that are
	// right for aligned vectors alone are found; and end where their memory's capacity does.
	at := int(t.c.Seed & 15)
	l.x, l.wasX = lend(&l.baseX, x, at), copyTo(l.wasX, x)
	l.y, l.wasY = lend(&l.baseY, y, (at*5+3)&15), copyTo(l.wasY, y)
	l.out = false
	t.calls++
	if b := t.call(l, dst); b != nil {
		return b
	}
	if at := differs(l.x, l.wasX); at >= 0 {
		return spoilt("the kernel changed leaf %d of its input", at)
	}
	if at := differs(l.y, l.wasY); at >= 0 {
		return spoilt("the kernel changed second factor %d of its input", at)
	}
	out := t.claim.Out
	for _, b := range dst {
		if b>>(out.Bits()-1)>>1 != 0 {
			return spoilt("the kernel returned %#x, which is no encoding of %s", b, out)
		}
	}
	l.out = true
	if before.out { // the call before this one is over, and its input must be as it was
		before.out = false
		if at := differs(before.x, before.wasX); at >= 0 {
			return spoilt("the kernel wrote to leaf %d of its input after it had returned", at)
		}
		if at := differs(before.y, before.wasY); at >= 0 {
			return spoilt("the kernel wrote to second factor %d of its input after it had returned", at)
		}
	}
	return nil
}

// call runs the kernel and recovers from its panics.
func (t *Trial) call(l *loan, dst []uint64) (b *breakage) {
	defer func() {
		if p := recover(); p != nil {
			b = panicked(KernelPanicked, "the kernel panicked: %v", p)
		}
	}()
	err := t.sub.run(t.at, t.tree, l.x, l.y, t.n, dst)
	t.found = nil
	if t.sub.device != nil {
		t.found, err = splitFindings(err)
		if !t.at.Reference && len(t.met) == 0 {
			t.met = t.found
		}
		if b := endless("the kernel", t.found); b != nil && err == nil && t.law.Found == nil {
			return b
		}
	}
	return breakageOf("the kernel", err)
}

// culprit says what panicked in the place of the kernel: the claim's Height function, if it does so when it is called again, or
// the law.
func (t *Trial) culprit() Cause {
	if _, ok := heightOf(&t.claim, t.n); t.claim.Height != nil && !ok {
		return ClaimPanicked
	}
	return LawPanicked
}

// lend returns a copy of src in base's memory, at elements from its start.
func lend(base *corpus.Values, src corpus.Values, at int) corpus.Values {
	v := corpus.Values{Format: src.Format}
	n := at + src.Len()
	switch {
	case src.F32 != nil:
		base.F32 = grow(base.F32, n)
		v.F32 = base.F32[at:n:n]
	case src.F64 != nil:
		base.F64 = grow(base.F64, n)
		v.F64 = base.F64[at:n:n]
	case src.Bits != nil:
		base.Bits = grow(base.Bits, n)
		v.Bits = base.Bits[at:n:n]
	}
	put(v, src)
	return v
}

// copyTo returns a copy of src in dst's memory.
func copyTo(dst, src corpus.Values) corpus.Values {
	d := corpus.Values{Format: src.Format}
	if src.F32 != nil {
		d.F32 = append(dst.F32[:0], src.F32...)
	}
	if src.F64 != nil {
		d.F64 = append(dst.F64[:0], src.F64...)
	}
	if src.Bits != nil {
		d.Bits = append(dst.Bits[:0], src.Bits...)
	}
	return d
}

// differs returns the first element in which a and b, of one format and length, differ as encodings,
// or -1.
func differs(a, b corpus.Values) int {
	if bytes.Equal(memory(a.F32), memory(b.F32)) && bytes.Equal(memory(a.F64), memory(b.F64)) && bytes.Equal(memory(a.Bits), memory(b.Bits)) {
		return -1
	}
	for i := range a.Len() {
		if a.At(i) != b.At(i) {
			return i
		}
	}
	return -1
}

// memory returns the bytes of s, to be compared and nothing else.
func memory[T float32 | float64 | uint16](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// Rerun runs the kernel once more on other values for the trial's row, the other rows as they are,
// and returns its result for the row, or how it broke. The values must be as many as the row's.
func (t *Trial) Rerun(x, y corpus.Values) (got uint64, reason string) {
	got, b := t.again(x, y)
	if b != nil {
		reason = b.Reason
	}
	return got, reason
}

// again is Rerun, with what is known of how the kernel broke.
func (t *Trial) again(x, y corpus.Values) (got uint64, b *breakage) {
	fullX, fullY := x, y
	if t.rows > 1 {
		fullX = t.c.X.Clone()
		put(fullX.Slice(t.row*t.n, (t.row+1)*t.n), x)
	}
	if t.sub.squares {
		fullY = corpus.Values{}
	}
	t.second = grow(t.second, t.rows)
	if b = t.run(fullX, fullY, t.second); b != nil {
		return 0, b
	}
	return t.second[t.row], nil
}

// put copies src into dst, which must be as long.
func put(dst, src corpus.Values) {
	copy(dst.F32, src.F32)
	copy(dst.F64, src.F64)
	copy(dst.Bits, src.Bits)
}
