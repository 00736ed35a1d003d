package vectors

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

// maxRevealed is the longest vector whose schedule is looked for, at up to n²/2 runs of the kernel.
const maxRevealed = 256

// MaxScheduleLines is the number of lines of a schedule that is drawn in full.
const MaxScheduleLines = 12

// NoteSchedule notes what the trial that judged the failure's case still knows: the own calls of
// what panicked, whether math/big agrees with the oracle, the schedule that the kernel follows beside
// the claimed one, and the arithmetic by which it does so.
func (f *Failure) NoteSchedule(t *Trial) {
	f.noteFound(t)
	f.rerun(t)
	if f.Verdict.Outcome == verdict.Broken {
		return
	}
	if f.Law.Found != nil || f.Law.OnDevice && f.Law.ID != model.DeviceOrder {
		return // no matter of the result's value
	}
	f.noteWitness(t)
	f.NoteOracle(t)
	f.notePart(t)
	f.noteProbes(t)
	f.ownTree = t.tree != nil && t.Claimed.Tree == "" && !t.sub.Follows
	if f.noteHeights(t) {
		return
	}
	var observed *sumtree.Tree
	if t.Length > 1 && t.tree != nil && t.unrevealed() == "" {
		tree, err := t.reveal()
		if err != nil {
			f.claimAlone(t, strings.TrimPrefix(err.Error(), "sumtree: "))
		} else {
			f.CompareSchedules(t.tree, tree, t.mattering())
			observed = tree
		}
	}
	if f.Observed != "" && f.Verdict.Witness != nil {
		if v, err := t.replayed(&account{claim: t.Claimed}, observed, t.x, t.y); err == nil {
			if t.agrees(v, f.Verdict.Witness.Got) {
				f.ScheduleNote += ". Replayed, the observed schedule gives what the kernel computed"
			} else {
				f.ScheduleNote += ". Replayed, the observed schedule gives another result than the kernel: its arithmetic differs too"
			}
		}
	}
	f.noteArithmetic(t, observed)
}

// noteWitness gives a violation its numbers where the law gave none.
func (f *Failure) noteWitness(t *Trial) {
	if f.Verdict.Outcome == verdict.Violated && f.Verdict.Witness == nil {
		out := t.Claimed.Out
		f.Verdict.Witness = &verdict.Witness{Row: t.row, N: t.Length, Got: t.Got(), Out: out, GotText: report.Describe(out, t.Got())}
	}
}

// notePart notes whether the bound that decided is for its greater part the absolute one, which its
// name does not tell.
func (f *Failure) notePart(t *Trial) {
	w := f.Verdict.Witness
	if w == nil || !w.HasBound || w.Limit.IsZero() {
		return
	}
	list := t.bounds(f.Law.ID)
	for i := range list {
		b := &list[i]
		if b.Name != f.Verdict.Bound || b.Abs == 0 {
			continue
		}
		twice := oracle.FromFloat64(b.Abs).Scale(b.AbsExp + 1)
		if twice.Cmp(w.Limit) <= 0 {
			return
		}
		times := "n·"
		if b.Abs < 1.5 && t.Length > 1 {
			times = ""
		}
		f.part = "underflow term " + times + "η"
		if t.Claimed.Flush.Any() {
			f.part = "flushing term " + times + "2^Emin"
		}
		return
	}
}

// maxHeightProbes is the number of lengths, from 2, whose height is compared with the claimed one.
const maxHeightProbes = 32

// noteHeights compares the height that the kernel's schedule is observed to have with the one that is
// claimed by a function, at the shortest lengths and at the case's, and reports whether it is taller.
func (f *Failure) noteHeights(t *Trial) bool {
	if _, law, _ := strings.Cut(string(f.Law.ID), "."); law != "height" || t.Claimed.Height == nil {
		return false
	}
	if t.sub.Follows || t.unrevealed() != "" {
		return false
	}
	lengths := make([]int, 0, maxHeightProbes+1)
	for n := 2; n < t.Length && len(lengths) < maxHeightProbes; n++ {
		if t.sub.Accepts(t.sub.blank(n, t.At)) == nil {
			lengths = append(lengths, n)
		}
	}
	for _, n := range append(lengths, t.Length) {
		claimed, ok := heightOf(&t.Claimed, n)
		if !ok {
			continue
		}
		at := t
		if n != t.Length {
			at = NewTrial(t.sub)
			at.Start(t.sub.blank(n, t.At), n)
		}
		tree, err := at.reveal()
		if err != nil {
			return false
		}
		if _, plain := tree.Plain(); !plain || tree.Height() <= claimed {
			continue
		}
		f.ScheduleNote = fmt.Sprintf("observed height %d, claimed %d at n = %d", tree.Height(), claimed, n)
		if n != t.Length {
			f.ScheduleNote += ", the shortest vector for which the kernel's tree is too tall"
		}
		if root, _ := (limbs{}).grow(tree, func(int) bool { return true }); root != nil {
			f.Observed = newDrawing(f.Law.Op).draw(root, nil, nil, false)
		}
		return true
	}
	return false
}

// heightOf returns the claimed height for n leaves, if the claim has a function that gives one.
func heightOf(c *model.Claim, n int) (h int, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if c.Height == nil {
		return 0, false
	}
	return c.Height(n), true
}

// blank returns a case of one row of n zeros, under a setting or the like with a launch for them.
func (s *Kernel) blank(n int, at verdict.Setting) *corpus.Case {
	at = s.Device.Fitted(n, at)
	c := &corpus.Case{Kernel: s.Name, X: corpus.NewValues(s.Claim.In, n), Behaviour: at.Behaviour, Launch: at.Launch}
	if s.Op == engine.OpDot && !s.Squares {
		c.Y = corpus.NewValues(s.Claim.In, n)
	}
	return c
}

// Start makes t a trial of a case of one row that is not judged.
func (t *Trial) Start(c *corpus.Case, n int) {
	t.C, t.Length, t.Rows, t.row = c, n, 1, 0
	t.x, t.y = c.X, c.Y
	t.At = verdict.Setting{Behaviour: c.Behaviour, Launch: c.Launch}
	t.Claimed, _ = t.sub.under(c.Behaviour)
	t.loadTree()
}

// agrees reports whether two results are the same as far as the claim says.
func (t *Trial) agrees(a, b uint64) bool {
	return sameResult(t.Claimed.Out, t.Claimed.SignedZero, a, b)
}

// claimAlone says why the kernel's schedule is not known, and draws the claimed one over the leaves
// that matter.
func (f *Failure) claimAlone(t *Trial, why string) {
	f.ScheduleNote = "what the kernel follows is not known: " + why
	if _, plain := t.tree.Plain(); !plain {
		return
	}
	m := t.mattering()
	if root, _ := (limbs{}).grow(t.tree, func(i int) bool { return m[i] }); root != nil && root.kids != nil {
		f.Expected = newDrawing(f.Law.Op).draw(root, nil, nil, false)
	}
}

// unrevealed says why the schedule of the trial's kernel cannot be looked for, "" if it can. The
// reason is one of the search, not of the kernel.
func (t *Trial) unrevealed() string {
	c := &t.Claimed
	_, _, limit := maskFor(c)
	switch {
	case limit == 0:
		return "its formats have no numbers that mask others"
	case !c.Rounding.Nearest():
		return "a directed rounding shows what a large term hides"
	case t.sub.Squares || t.sub.Magnitudes:
		return "the terms have no signs"
	case c.Mean:
		return "a mean rounds the counts it would show"
	case t.Length > min(maxRevealed, limit):
		return fmt.Sprintf("it is looked for up to %d leaves", min(maxRevealed, limit))
	}
	if t.tree != nil {
		if _, plain := t.tree.Plain(); !plain {
			return "the claimed one is more than additions"
		}
	}
	return ""
}

// maskFor returns what sumtree.RevealScaled asks for a kernel of the claim's formats: a number that
// swamps others, a small one, and how many of the latter can be counted; 0 where there are none.
func maskFor(c *model.Claim) (mask, unit float32, limit int) {
	half := model.Binary16
	switch {
	case min(c.In.Emax, c.Acc.Emax, c.Out.Emax) >= model.Binary32.Emax:
		return 0x1p127, 1, 1 << min(c.Acc.P, c.Out.P, 24)
	case c.In == half && c.Acc == half && c.Out == half && !c.Flush.Any():
		return 0x1p15, 0x1p-24, 1 << half.P
	case c.In == half && c.Acc == model.Binary32 && c.Out == model.Binary32 && !c.Flush.Any():
		return 0x1p15, 0x1p-24, 1 << 14 // the units together stay below half of the mask's last bit, 2^-8
	case c.In == half && c.Acc == model.Binary32 && c.Out == model.Binary32:
		return 0x1p15, 0x1p-14, 1 << 4
	}
	return 0, 0, 0
}

// revealTime bounds one search for a schedule.
const revealTime = 3 * time.Second

// reveal finds the schedule in the kernel's results.
func (t *Trial) reveal() (tree *sumtree.Tree, err error) {
	defer func() {
		if p := recover(); p != nil {
			tree, err = nil, fmt.Errorf("the search for it panicked: %v", p)
		}
	}()
	c := &t.Claimed
	in := round.Arith{F: c.In}
	mask, unit, limit := maskFor(c)
	x := corpus.NewValues(c.In, t.Length)
	var y corpus.Values
	if t.sub.Op == engine.OpDot {
		y = corpus.NewValues(c.In, t.Length)
		for i := range t.Length {
			y.Set(i, reduce.One(c.In))
		}
	}
	start := time.Now()
	var broke error
	tree, err = sumtree.RevealScaled(t.Length, mask, unit, limit, func(v []float32) float32 {
		if time.Since(start) > revealTime {
			broke = fmt.Errorf("the kernel is too slow to look for it, %v were not enough", revealTime)
		}
		if broke != nil {
			return float32(math.NaN())
		}
		for i, w := range v {
			x.Set(i, round.Convert(in, model.Binary32, uint64(math.Float32bits(w))))
		}
		got, reason := t.Rerun(x, y)
		if reason != "" {
			broke = errors.New(reason)
			return float32(math.NaN())
		}
		return float32(report.Value64(c.Out, got))
	})
	if broke != nil {
		return nil, broke
	}
	return tree, err
}

// mattering reports which terms of the row are not +0.
func (t *Trial) mattering() []bool {
	m := make([]bool, t.Length)
	for i := range m {
		m[i] = t.x.At(i) != 0 || t.sub.Op == engine.OpDot && t.y.At(i) != 0
	}
	return m
}

// limb is a node of a schedule that is being compared: a leaf, or a sum of its kids in any order.
type limb struct {
	leaf int
	kids []*limb
	kind sumtree.Kind
	id   int // equal for equal limbs of both schedules
	size int // leaves
}

// limbs gives equal numbers to equal limbs.
type limbs map[string]int

// grow turns tree into limbs, without the leaves that keep drops and the additions that this leaves
// with one operand; it returns nil if nothing is left. all holds the limbs in evaluation order.
func (ids limbs) grow(tree *sumtree.Tree, keep func(leaf int) bool) (root *limb, all []*limb) {
	nodes := make([]*limb, tree.NodeCount())
	get := func(r sumtree.Ref) *limb {
		switch {
		case !r.IsLeaf():
			return nodes[r]
		case !keep(r.Leaf()):
			return nil
		}
		l := &limb{leaf: r.Leaf(), size: 1}
		l.id = ids.number(fmt.Sprint("leaf", r.Leaf()))
		return l
	}
	var buf [2]sumtree.Ref
	for i := range nodes {
		r := sumtree.Ref(i)
		n := &limb{kind: tree.Kind(r)}
		var kids []int
		for _, op := range tree.Operands(r, buf[:]) {
			if k := get(op); k != nil {
				n.kids = append(n.kids, k)
				n.size += k.size
				kids = append(kids, k.id)
			}
		}
		switch len(n.kids) {
		case 0:
			continue
		case 1:
			nodes[i] = n.kids[0]
			continue
		}
		slices.Sort(kids)
		n.id = ids.number(fmt.Sprint(n.kind, kids))
		nodes[i] = n
		all = append(all, n)
	}
	if tree.LeafCount() == 0 {
		return nil, nil
	}
	return get(tree.Root()), all
}

func (ids limbs) number(key string) int {
	id, ok := ids[key]
	if !ok {
		id = len(ids)
		ids[key] = id
	}
	return id
}

// SameOrder is the note on a kernel whose schedule is the claimed one.
const SameOrder = "the kernel adds in the claimed order, so that its fault is another"

// CompareSchedules draws the claimed and the revealed schedule over the leaves that matter, or over
// all if those hide the difference, and says where they part.
func (f *Failure) CompareSchedules(claimed, revealed *sumtree.Tree, matter []bool) {
	pen := newDrawing(f.Law.Op)
	ids := limbs{}
	every := func(int) bool { return true }
	want, wantAll := ids.grow(claimed, every)
	got, gotAll := ids.grow(revealed, every)
	over := ""
	if want == nil || got == nil {
		return
	}
	if want.id == got.id {
		f.ScheduleNote = SameOrder
		return
	}
	some := func(i int) bool { return i < len(matter) && matter[i] }
	if w, wAll := ids.grow(claimed, some); w != nil && len(wAll) < len(wantAll) {
		if g, gAll := ids.grow(revealed, some); g != nil && g.id != w.id {
			want, wantAll, got, gotAll, over = w, wAll, g, gAll, " (leaves that are +0 left out)"
		}
	}
	in := func(list []*limb) map[int]bool {
		m := map[int]bool{}
		for _, l := range list {
			m[l.id] = true
		}
		return m
	}
	wantIDs, gotIDs := in(wantAll), in(gotAll)
	first := gotAll[slices.IndexFunc(gotAll, func(l *limb) bool { return !wantIDs[l.id] })]
	common := slices.MaxFunc(first.kids, func(a, b *limb) int { return a.size - b.size })
	f.ScheduleNote = "the kernel adds " + pen.operands(first, common.id)
	instead := parent(wantAll, common.id)
	if instead != nil {
		f.ScheduleNote += ", where the claim adds " + pen.operands(instead, common.id)
	}
	f.ScheduleNote += over
	f.Expected = pen.draw(want, gotIDs, instead, false)
	f.Observed = pen.draw(got, wantIDs, first, true)
}

// parent returns the limb of list that has an operand of this id, nil if there is none.
func parent(list []*limb, id int) *limb {
	for _, l := range list {
		if slices.ContainsFunc(l.kids, func(k *limb) bool { return k.id == id }) {
			return l
		}
	}
	return nil
}

// drawing draws limbs as text.
type drawing struct {
	term  string         // format of a leaf
	known map[int]bool   // limbs of the other schedule, which are folded
	focus *limb          // where the schedules part
	path  map[*limb]bool // nil, or the limbs above the focus: all others are folded
	mark  bool           // the focus
	lines []string
}

func newDrawing(op engine.Op) drawing {
	if op == engine.OpDot {
		return drawing{term: "x[%[1]d]·y[%[1]d]"}
	}
	return drawing{term: "x[%d]"}
}

// draw returns the lines of a schedule: sums from the left on one line, other additions as branches.
// Where they are many, it shows the way to the focus alone.
func (d drawing) draw(root *limb, known map[int]bool, focus *limb, mark bool) string {
	d.known, d.focus, d.mark = known, focus, mark
	d.branch(root, "", "")
	if len(d.lines) > MaxScheduleLines && focus != nil {
		d.lines, d.path = nil, map[*limb]bool{}
		d.Climb(root)
		d.branch(root, "", "")
	}
	if k := len(d.lines); k > 2*MaxScheduleLines {
		at := max(slices.IndexFunc(d.lines, func(l string) bool { return strings.HasSuffix(l, DiffersMark) }), 0)
		from := min(max(at-MaxScheduleLines/2, 0), k-MaxScheduleLines)
		cut := []string{"… " + report.Count(from, "line")}
		cut = append(cut, d.lines[from:from+MaxScheduleLines]...)
		d.lines = append(cut, "… "+report.Count(k-from-MaxScheduleLines, "line"))
	}
	return strings.Join(d.lines, "\n")
}

// Climb notes the limbs from l down to the focus, and reports whether there are any.
func (d *drawing) Climb(l *limb) bool {
	found := l == d.focus
	for _, k := range l.kids {
		found = d.Climb(k) || found
	}
	if found {
		d.path[l] = true
	}
	return found
}

// folded reports whether l is written on one line: a leaf, a limb of both schedules, or one off the
// path.
func (d *drawing) folded(l *limb) bool {
	return l.kids == nil || d.known[l.id] || d.path != nil && !d.path[l]
}

// DiffersMark stands after the first addition that the other schedule has not.
const DiffersMark = "  <-- differs"

// branch draws l; head is before its first line and rest before the others.
func (d *drawing) branch(l *limb, head, rest string) {
	marked := false
	if d.folded(l) {
		d.put(head, d.sum(d.flat(l), l), "")
		return
	}
	// The leaves that are added last, one by one, come from the end of the chain.
	var tail []*limb
	base := l
	for !d.folded(base) && base.kind == sumtree.Add && len(base.kids) == 2 {
		a, b := base.kids[0], base.kids[1]
		marked = marked || d.mark && base == d.focus
		switch {
		case b.kids == nil && a.kids != nil:
			tail, base = append(tail, b), a
			continue
		case a.kids == nil && b.kids != nil:
			tail, base = append(tail, a), b
			continue
		case a.kids == nil:
			tail, base = append(tail, b, a), nil
		}
		break
	}
	slices.Reverse(tail)
	end := ""
	if marked || d.mark && base == d.focus {
		end = DiffersMark
	}
	switch {
	case base == nil:
		d.put(head, d.sum(tail, nil), end)
		return
	case d.folded(base):
		d.put(head, "("+d.sum(d.flat(base), base)+") + "+d.sum(tail, nil), end)
		return
	}
	text := "+"
	if base.kind != sumtree.Add {
		text = base.kind.String()
	}
	if len(tail) > 0 {
		text += ", then + " + d.sum(tail, nil)
	}
	d.put(head, text, end)
	for i, k := range base.kids {
		if i+1 < len(base.kids) {
			d.branch(k, rest+"├─ ", rest+"│  ")
		} else {
			d.branch(k, rest+"└─ ", rest+"   ")
		}
	}
}

// put adds a line, with text shortened to what a report has room for.
func (d *drawing) put(head, text, end string) {
	room := max(report.ReportWidth-2-report.Columns(head)-report.Columns(end), 12)
	d.lines = append(d.lines, head+report.Shorten(text, room)+end)
}

// flat returns the leaves of l from the left.
func (d *drawing) flat(l *limb) []*limb {
	if l.kids == nil {
		return []*limb{l}
	}
	var list []*limb
	for _, k := range l.kids {
		list = append(list, d.flat(k)...)
	}
	return list
}

// sum writes leaves as a sum, runs of neighbours as first and last; of, if not nil, is what they are
// the leaves of, a limb that both schedules have.
func (d *drawing) sum(leaves []*limb, of *limb) string {
	var parts []string
	for i := 0; i < len(leaves); {
		j := i + 1
		for j < len(leaves) && leaves[j].leaf == leaves[j-1].leaf+1 {
			j++
		}
		if j-i > 4 {
			parts = append(parts, d.name(leaves[i]), "…", d.name(leaves[j-1]))
		} else {
			for _, l := range leaves[i:j] {
				parts = append(parts, d.name(l))
			}
		}
		i = j
	}
	if len(parts) > 6 {
		parts = append(append(slices.Clone(parts[:3]), "…"), parts[len(parts)-2:]...)
	}
	text := strings.Join(parts, " + ")
	switch {
	case of == nil || of.size <= 2:
	case d.known[of.id]:
		text += ", alike"
	default:
		text += ": " + report.Count(of.size, "leaf")
	}
	return text
}

func (d *drawing) name(l *limb) string { return fmt.Sprintf(d.term, l.leaf) }

// operands names what a limb adds, the operand of the id first: "x[0] and x[1]".
func (d *drawing) operands(l *limb, id int) string {
	var parts []string
	for _, k := range l.kids {
		text := d.name(k)
		if k.kids != nil {
			text = "(" + d.sum(d.flat(k), nil) + ")"
		}
		if k.id == id {
			parts = append([]string{text}, parts...)
		} else {
			parts = append(parts, text)
		}
	}
	if len(parts) > 3 {
		parts = append(parts[:2], fmt.Sprintf("%d more", len(parts)-2))
	}
	return strings.Join(parts, " and ")
}
