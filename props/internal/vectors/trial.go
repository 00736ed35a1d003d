package vectors

import (
	"fmt"
	"strconv"
	"strings"
	"unsafe"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

// Trial is one run of a subject on one case, as a law sees it. It keeps its memory from case to
// case, and computes exact values when they are first asked for.
type Trial struct {
	sub *Kernel
	Law *Law
	C   *corpus.Case
	// At is what a device runs the case under, claim what the subject claims there.
	At                verdict.Setting
	Claimed           model.Claim
	Found             model.Findings // by the device's checkers, in the last run
	Met               model.Findings // the first ones of all runs since a case was judged, those on the reference left out
	Length, Rows, row int
	x, y              corpus.Values   // of the row
	rawX              corpus.Values   // as the kernel sees the row, before magnitudes are taken
	results           []uint64        // of all rows
	seen              map[string]bool // rows that were judged, of many
	second            []uint64        // of a second run
	tree              *sumtree.Tree   // schedule given to the kernel, or claimed
	treeName          string          // what tree was made from
	treeErr           error
	height            int    // of tree, computed when first asked for; -1: not yet
	detour            detour // of tree

	lent  engine.Lending
	long  [2][]byte // memory of long vectors, all 0 between calls
	moved int       // elements further on in memory than a case says
	// inPlace: the kernel writes its results over its input.
	inPlace bool

	ExactSum exactValue
	calls    int // of the kernel, since the trial was made
	// anomalous: the error of the last row judged by a bound was larger than independent rounding
	// errors of mean zero would make it; see model.AnomalyFactor. It never fails anything.
	anomalous bool
	reach     engine.Reach // of the case that was judged last, by a bound
	own       bool         // the law is the subject's own
	from      *corpus.Case // that was judged last, and C is what the law made of it

	scratch32 []float32
	scratch64 []float64
	wideX     []float32 // leaves of narrower formats, in binary32
	wideY     []float32
	slots     []uint64
	mine      []model.Bound
	perm      []int
	px, py    corpus.Values

	Hardware hardwareRuns
}

// exactValue is what the oracle knows of a row, computed by need.
type exactValue struct {
	ready, wide bool
	Acc32       oracle.Acc32
	Acc64       oracle.Acc64
	Dot64       oracle.AccDot64
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

// NewTrial returns a trial that runs and judges cases of one kernel.
func NewTrial(s *Kernel) *Trial { return &Trial{sub: s, Claimed: s.Claim} }

// Claim returns the subject's claim, with the formats filled in, as the case's behaviour leaves it.
func (t *Trial) Claim() *model.Claim { return &t.Claimed }

// Setting returns the behaviour and the launch under which a kernel on a device ran.
func (t *Trial) Setting() verdict.Setting { return t.At }

// Findings returns what the device's checkers found in the run. Do not write to it.
func (t *Trial) Findings() []model.Finding { return t.Found }

// Case returns the case. Do not change it.
func (t *Trial) Case() *corpus.Case { return t.C }

// N returns the number of leaves of the row, or of terms of a dot product.
func (t *Trial) N() int { return t.Length }

// X returns the leaves of the row, the first factors of a dot product. Do not write to them.
func (t *Trial) X() corpus.Values { return t.x }

// Y returns the second factors of a dot product's row. Do not write to them.
func (t *Trial) Y() corpus.Values { return t.y }

// Got returns the kernel's result for the row, an encoding in Claim().Out.
func (t *Trial) Got() uint64 { return t.results[t.row] }

// Judge runs the kernel on a case and lets a law judge every row; the worst verdict counts. The
// kernel's panics are its own fault; one that is left comes of a law, or of a function in the claim.
func (t *Trial) Judge(l *Law, c *corpus.Case) (v verdict.Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = verdict.Breaks(verdict.Panicked(t.culprit(), "the law or the claim panicked: %v", p))
			v.Law = l.ID
		}
	}()
	t.from = nil
	related, outside := t.related(l, c)
	t.from, c = c, related
	t.Law, t.C, t.anomalous, t.Met = l, c, false, nil
	t.own = engine.IsOwn(BuiltIn, l)
	t.Hardware.forget()
	t.reach.Forget()
	t.At = t.sub.Device.Setting(verdict.Setting{Behaviour: c.Behaviour, Launch: c.Launch})
	var silent string
	t.Claimed, silent = t.sub.under(t.At.Behaviour)
	t.Rows = max(c.Rows, 1)
	t.Length = c.X.Len() / t.Rows
	t.results = draw.Grow(t.results, t.Rows)
	t.loadTree()
	if t.treeErr != nil {
		v = verdict.NotMet(t.treeErr.Error())
	} else if silent != "" && !l.OnDevice && !t.own { // what a law of one's own says under a behaviour is its author's to decide
		v = verdict.Unclaimed(silent)
	} else if outside != "" {
		v = verdict.NotMet(outside)
	} else if why := t.unclaimed(); why != "" {
		v = verdict.Unclaimed(why)
	} else if b := t.Run(c.X, c.Y, t.results); b != nil {
		v = verdict.Breaks(b)
	} else if l.Calls != nil {
		v = l.Calls(vectorCalls{t})
	} else {
		clear(t.seen)
		for row := range t.Rows {
			if t.repeats(row) {
				continue
			}
			w := t.judgeRow(row)
			if row == 0 || worse(&w, &v) {
				v = w
			}
			if v.Fails() {
				break
			}
		}
	}
	v.Law = l.ID
	return v
}

// Count counts the verdict on the case that was judged last.
func (t *Trial) Count(st *engine.LawStats, v *verdict.Verdict, c *corpus.Case) {
	countRuns(st, t)
	family, _, _ := strings.Cut(c.Gen, " ") // a recipe begins with it
	if f := families.FamilyByName[family]; t.anomalous && f != nil && f.Random {
		st.Anomalies++
	}
	st.Add(v, family, t.Length)
	if v.Outcome == verdict.Holds && v.Bound != "" {
		st.Reached(t.Length, &t.reach)
	}
}

// CheckWant compares the right result that a case states with the oracle's, of the case that was judged last; for rows that hold,
// nothing else: the law judges the kernel.
func (t *Trial) CheckWant(c *corpus.Case) error {
	if c.Want == "" || t.Length == 0 && t.Claimed.Mean {
		return nil
	}
	out := t.Claimed.Out
	want, err := corpus.ParseValue(out, c.Want)
	if err != nil {
		return fmt.Errorf("want: %w", err)
	}
	t.selectRow(0)
	if got := t.roundedExact(); !sameResult(out, false, got, want) {
		return fmt.Errorf("the case wants %s and the oracle says %s", report.Describe(out, want), report.Describe(out, got))
	}
	return nil
}

// Kept returns a copy of a drawn case that outlives the next draw: of one that was judged last, as the law related its operands.
func (t *Trial) Kept(c *corpus.Case) *corpus.Case {
	if t.from == c {
		c = t.C
	}
	k := *c
	k.X, k.Y = c.X.Clone(), corpus.Values{}
	if c.Y.Len() > 0 {
		k.Y = c.Y.Clone()
	}
	return &k
}

// manyRows is from how many rows on those are passed over that repeat one that was judged: leaves and result.
const manyRows = 256

// repeats reports whether a row, of many, has the leaves and the result of an earlier one.
func (t *Trial) repeats(row int) bool {
	if t.Rows <= manyRows {
		return false
	}
	x := t.C.X.Slice(row*t.Length, (row+1)*t.Length)
	key := string(memory(x.F32)) + string(memory(x.F64)) + string(memory(x.Bits)) + strconv.FormatUint(t.results[row], 16)
	if t.seen[key] {
		return true
	}
	if t.seen == nil {
		t.seen = map[string]bool{}
	}
	t.seen[key] = true
	return false
}

func (t *Trial) judgeRow(row int) verdict.Verdict {
	t.selectRow(row)
	if t.arbitrary() {
		return verdict.NotMet("the behaviour takes NaNs or infinities for impossible, and here they may occur: any result is right")
	}
	var v verdict.Verdict
	if t.Law.Found != nil {
		v = t.Law.Found(t.Found)
	} else {
		v = t.Law.Judge(t)
	}
	if v.Witness != nil {
		t.located(v.Witness, row)
	}
	return v
}

// located says of a witness which row it is of, and what the kernel returned for it.
func (t *Trial) located(w *verdict.Witness, row int) {
	if !w.Own {
		w.Got = t.Got()
	}
	w.Row, w.N, w.Out = row, t.Length, t.Claimed.Out
	if w.GotText == "" {
		w.GotText = report.Describe(w.Out, w.Got)
	}
}

func (t *Trial) selectRow(row int) {
	t.row = row
	t.ExactSum.ready, t.ExactSum.haveAbs, t.ExactSum.wide = false, false, false
	t.x, t.y = t.C.X, t.C.Y
	if t.Rows > 1 {
		t.x = t.x.Slice(row*t.Length, (row+1)*t.Length)
	}
	t.rawX = t.x
	if t.sub.Magnitudes {
		t.px = copyTo(t.px, t.x)
		for i, sign := 0, t.x.Format.SignBit(); i < t.Length; i++ {
			t.px.Set(i, t.px.At(i)&^sign)
		}
		t.x = t.px
		t.px = corpus.Values{} // its memory is the trial's row now
	}
	switch {
	case t.sub.Op == engine.OpSum:
	case t.sub.Squares:
		t.y = t.x
	case t.sub.shared:
		t.y = t.y.Slice(0, t.Length)
	}
}

// worse orders verdicts for the summary of a case's rows.
func worse(a, b *verdict.Verdict) bool {
	rank := func(o verdict.Outcome) int {
		return [...]int{verdict.Holds: 1, verdict.Vacuous: 0, verdict.Violated: 2, verdict.Broken: 3}[o]
	}
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
	name := t.C.Tree
	own := t.sub.ownSchedule()
	defer func() {
		if t.detour = (detour{}); t.tree != nil {
			t.detour = detourOf(t.tree, &t.Claimed) // which depends on the behaviour, too
		}
	}()
	switch { // a key, not a name
	case name != "":
	case t.Claimed.Tree != "":
		name = t.Claimed.Tree + "/" + strconv.Itoa(t.Length)
	case own && !t.At.Launch.IsZero():
		name = strconv.Itoa(t.Length) + " " + t.At.Launch.String()
	case own:
		name = strconv.Itoa(t.Length)
	}
	if name == t.treeName && t.tree != nil && t.treeErr == nil {
		return
	}
	t.treeName, t.tree, t.treeErr, t.height = name, nil, nil, -1
	switch {
	case t.C.Tree != "":
		limit := max(t.Length, smallTree)
		if most := 64 * limit; len(t.C.Tree) > most { // an explicit tree takes at most 15 bytes a leaf
			t.treeErr = fmt.Errorf("the tree's text has %d bytes, and a tree of %d leaves at most %d", len(t.C.Tree), limit, most)
			return
		}
		if t.tree, t.treeErr = sumtree.ParseLimit(t.C.Tree, limit); t.treeErr != nil {
			return
		}
		if t.tree.LeafCount() != t.Length {
			t.treeErr = fmt.Errorf("the tree has %d leaves and the case %d", t.tree.LeafCount(), t.Length)
		} else if err := t.tree.Check(); err != nil {
			t.treeErr = fmt.Errorf("the tree is no schedule of a sum: %w", err)
		} else if _, plain := t.tree.Plain(); !plain {
			t.treeErr = fmt.Errorf("the tree is no schedule of a sum: its nodes are not all additions of two operands")
		}
	case own:
		t.tree = t.sub.scheduleOf(t.Length, t.At.Launch)
		if t.tree == nil || t.tree.LeafCount() != t.Length {
			t.tree, t.treeErr = nil, fmt.Errorf("Schedule(%d) returns no tree of %d leaves", t.Length, t.Length)
		} else if err := t.tree.Check(); err != nil {
			t.treeErr = fmt.Errorf("Schedule(%d) returns no schedule of a sum: %w", t.Length, err)
		}
	case t.Claimed.Tree != "":
		shape, err := sumtree.ParseShape(t.Claimed.Tree)
		if err != nil {
			t.treeErr = err
			return
		}
		t.tree = shape.Tree(t.Length)
	case t.sub.Follows:
		t.tree = sumtree.Left().Tree(t.Length)
	}
}

// places is among how many elements vectors begin anywhere.
const places = 16

// Run runs the kernel on copies of x and y and returns how it broke, or nil.
func (t *Trial) Run(x, y corpus.Values, dst []uint64) *verdict.Breakage {
	// The vectors begin anywhere among sixteen elements, by the case's seed, so that kernels that are
	// right for aligned vectors alone are found; and end where their memory's capacity does.
	at := (int(t.C.Seed%places) + t.moved) % places
	t.calls++
	if t.sub.strided {
		x, y = t.spread(0, x), t.spread(1, y)
	}
	if b := t.call(t.lend("leaf", x, at), t.lend("second factor", y, (at*5+3)&15), dst); b != nil {
		t.lent.Forget()
		return b
	}
	if b := t.lent.Returned("the kernel"); b != nil {
		return b
	}
	out := t.Claimed.Out
	for _, b := range dst {
		if b>>(out.Bits()-1)>>1 != 0 {
			return verdict.Spoilt("the kernel returned %#x, which is no encoding of %s", b, out)
		}
	}
	return nil
}

// Move makes the vectors of the next runs lie at a place, until back is called.
func (t *Trial) Move(p engine.Place) (back func()) {
	if t.inPlace = p == engine.Aliased; p == engine.Elsewhere {
		t.moved = engine.Shift
	}
	return func() { t.moved, t.inPlace = 0, false }
}

// lend lends the kernel a copy of src, at elements from the start of its memory.
func (t *Trial) lend(name string, src corpus.Values, at int) corpus.Values {
	const of = "its input"
	return corpus.Values{
		Format: src.Format,
		F32:    engine.Lend(&t.lent, name, of, src.F32, at), F64: engine.Lend(&t.lent, name, of, src.F64, at), Bits: engine.Lend(&t.lent, name, of, src.Bits, at),
	}
}

// call runs the kernel and recovers from its panics.
func (t *Trial) call(x, y corpus.Values, dst []uint64) (b *verdict.Breakage) {
	defer func() {
		if p := recover(); p != nil {
			b = verdict.Panicked(verdict.KernelPanicked, "the kernel panicked: %v", p)
		}
	}()
	run := t.sub.Run
	if t.inPlace {
		run = t.sub.InPlace
	}
	err := run(t.At, t.tree, x, y, t.Length, dst)
	t.Found = nil
	if t.sub.Device != nil {
		t.Found, err = engine.SplitFindings(err)
		if !t.At.Reference && len(t.Met) == 0 {
			t.Met = t.Found
		}
		if b := verdict.Endless("the kernel", t.Found); b != nil && err == nil && t.Law.Found == nil {
			return b
		}
	}
	return verdict.BreakageOf("the kernel", err)
}

// culprit says what panicked in the place of the kernel: the claim's Height function, if it does so when it is called again, or
// the law.
func (t *Trial) culprit() verdict.Cause {
	if _, ok := heightOf(&t.Claimed, t.Length); t.Claimed.Height != nil && !ok {
		return verdict.ClaimPanicked
	}
	return verdict.LawPanicked
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
func (t *Trial) again(x, y corpus.Values) (got uint64, b *verdict.Breakage) {
	fullX, fullY := x, y
	if t.Rows > 1 {
		fullX = t.C.X.Clone()
		Put(fullX.Slice(t.row*t.Length, (t.row+1)*t.Length), x)
	}
	if t.sub.Squares {
		fullY = corpus.Values{}
	}
	t.second = draw.Grow(t.second, t.Rows)
	if b = t.Run(fullX, fullY, t.second); b != nil {
		return 0, b
	}
	return t.second[t.row], nil
}

// Put copies src into dst, which must be as long.
func Put(dst, src corpus.Values) {
	copy(dst.F32, src.F32)
	copy(dst.F64, src.F64)
	copy(dst.Bits, src.Bits)
}
