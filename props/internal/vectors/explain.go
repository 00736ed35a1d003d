package vectors

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
)

// DefaultExplainEvals is the number of evaluations that Explain spends at most if it is not told.
const DefaultExplainEvals = 64

// maxExplained is the number of leaves that Explain looks at.
const maxExplained = 8

// ExplainOptions bounds the work of Explain. The zero value is ready.
type ExplainOptions struct {
	MaxEvals int       // evaluations of the predicate in all; 0: DefaultExplainEvals
	Deadline time.Time // no evaluation starts after it; zero: none
	// KeepLength tries no other length.
	KeepLength bool
	// Accepts says whether a case can be run at all; nil: each can. Of others nothing is noted.
	Accepts func(c *corpus.Case) bool
	// Device is what the subject runs on: a case of another length is launched as it declares.
	Device *engine.DeviceClaim
}

// The notes of an Explanation: each says what the probes showed, never more.
const (
	NoteAnyValue    = "any value fails"
	NoteSign        = "only the sign matters"
	NoteMagnitude   = "only the magnitude matters"
	NoteSignificand = "only the significand matters"
	NoteNear        = "values next to it fail too"
	NoteSomeValues  = "some other values fail too"
	NoteThisValue   = "only this value fails"
	NoteAnyNaN      = "any NaN fails"

	NoteAnyPlace   = "any leaf position"
	NoteThisPlace  = "only this leaf position"
	NoteSomePlaces = "some other leaf positions fail too"

	NoteAnyLonger  = "n does not matter: with +0 appended it fails too"
	NoteThisLength = "n matters: with +0 appended it passes"
	NoteSomeLonger = "n matters: with +0 appended it fails at some lengths and passes at others"

	NoteOthersFree  = "the other leaves do not matter"
	NoteOthersZero  = "the other leaves must be +0"
	NoteOthersMixed = "the other leaves matter"
)

// LeafNote says what matters about one leaf that is not +0.
type LeafNote struct {
	Leaf  int
	Value string // of x
	Y     string // of the second factor of a dot product
	Place string
}

// String returns the notes in one line, "" if there are none.
func (n LeafNote) String() string {
	var parts []string
	switch {
	case n.Y != "" && n.Y == n.Value:
		parts = append(parts, "x and y: "+n.Value)
	case n.Y != "":
		parts = append(parts, "x: "+n.Value, "y: "+n.Y)
	case n.Value != "":
		parts = append(parts, n.Value)
	}
	if n.Place != "" {
		parts = append(parts, n.Place)
	}
	return strings.Join(parts, "; ")
}

// Explanation says which parts of a failing case matter, as far as a few probes show.
type Explanation struct {
	Leaves []LeafNote // of the first leaves that are not +0, ascending
	Length string     // "" if no probe was possible
	Others string     // about the leaves that are +0
	// Free names what does not matter although it is not plain: "behaviour", "launch", "tree",
	// "seed", "rows"; Matter what does.
	Free, Matter []string

	Reproduced bool // whether the case failed; if not, there are no notes
	Exhausted  bool // budget or deadline ended the probes; notes are missing
	Evals      int
}

// Note returns the note of leaf i, "" if it has none.
func (e *Explanation) Note(i int) string {
	for _, l := range e.Leaves {
		if l.Leaf == i {
			return l.String()
		}
	}
	return ""
}

// Explain changes one part of a failing case at a time and notes what that does to the failure. It
// is meant for cases that Reduce returned. It does not modify c; a panic of fails counts as not
// failing.
func Explain(c *corpus.Case, fails func(*corpus.Case) bool, o ExplainOptions) Explanation {
	if o.MaxEvals <= 0 {
		o.MaxEvals = DefaultExplainEvals
	}
	// known leaves one evaluation for the confirmation that a reduction ends with.
	p := prober{accepts: o.Accepts, r: newReducer(c, fails, ReduceOptions{MaxEvals: o.MaxEvals + 1, Deadline: o.Deadline, Device: o.Device})}
	var e Explanation
	e.Reproduced = p.r.Reproduces()
	if e.Reproduced && p.r.Cur.odd == nil {
		p.r.Cur.meta.Gen, p.r.Cur.meta.Want = "", ""
		if c.Gen == "" && c.Want == "" || p.fails(p.r.Cur) {
			p.explain(&e, o)
		}
	}
	e.Evals = p.r.Evals
	e.Exhausted = p.spent || p.r.Exhausted
	return e
}

// prober asks about drafts near a reducer's current one, which stays what it is.
type prober struct {
	accepts func(c *corpus.Case) bool
	r       *reducer
	spent   bool
}

func (p *prober) explain(e *Explanation, o ExplainOptions) {
	d := p.r.Cur
	for i := range min(len(d.leaves), maxExplained) {
		n := LeafNote{Leaf: d.leaves[i].at}
		if n.Value = p.value(i * len(d.values()) / len(d.leaves)); d.dot {
			n.Y = p.value(2*i + 1)
		}
		n.Place = p.place(i)
		e.Leaves = append(e.Leaves, n)
	}
	if !o.KeepLength {
		e.Length = p.length()
	}
	e.Others = p.others()
	p.rest(e, o)
}

// fails reports whether d fails.
func (p *prober) fails(d draft) bool {
	if p.r.Done() {
		p.spent = true
	}
	return p.r.Known(d)
}

// tally counts how many of some probes fail.
type tally struct{ tried, failed int }

func (t *tally) add(failed bool) {
	t.tried++
	if failed {
		t.failed++
	}
}

// note returns all if all probes failed, none if none did, some otherwise, and "" without probes.
func (t tally) note(all, some, none string) string {
	switch {
	case t.tried == 0:
		return ""
	case t.failed == t.tried:
		return all
	case t.failed == 0:
		return none
	}
	return some
}

// value says what matters about number k of the leaves.
func (p *prober) value(k int) string {
	d := p.r.Cur
	f, b := d.values()[k].Format, d.values()[k].Bits
	with := func(v uint64) bool { return p.fails(d.withValue(k, v)) }
	sign := b & f.SignBit()
	three, small := reduce.One(f), reduce.One(f)
	if v, ok := reduce.Exact(f, false, 3, 0); ok {
		three = v
	}
	if v, ok := reduce.Exact(f, false, 3, -2); ok {
		small = v
	}
	switch b &^ f.SignBit() {
	case three:
		three = reduce.One(f)
	case small:
		small = reduce.One(f)
	}
	var same, flipped tally
	same.add(with(three | sign))
	same.add(with(small | sign))
	flip := with(b ^ f.SignBit())
	flipped.add(flip)
	flipped.add(with(three | f.SignBit()&^sign))
	switch {
	case p.spent:
		return ""
	case same.failed == 2 && flipped.failed == 2:
		return NoteAnyValue
	case same.failed == 2 && flipped.failed == 0:
		return NoteSign
	case f.IsNaN(b):
		return p.nan(f, b, with)
	case same.failed > 0 || flipped.failed > 1:
		return NoteSomeValues
	case flip:
		return NoteMagnitude
	}
	var near, scaled tally
	for _, v := range []uint64{f.Next(b), f.Prev(b)} {
		if v != b {
			near.add(with(v))
		}
	}
	for _, s := range []int{1, -1} {
		if v, ok := reduce.Shifted(f, b, s); ok && v != b {
			scaled.add(with(v))
		}
	}
	switch {
	case p.spent:
		return ""
	case near.failed == 0 && scaled.tried > 0 && scaled.failed == scaled.tried:
		return NoteSignificand
	case near.failed > 0:
		return NoteNear
	case scaled.failed > 0:
		return NoteSomeValues
	}
	return NoteThisValue
}

// nan says what matters about a NaN, of which neither 3 nor 3/4 in its place fails.
func (p *prober) nan(f model.Format, b uint64, with func(uint64) bool) string {
	var other tally
	for _, v := range []uint64{f.NaNBits(), f.NaNBits() | f.SignBit(), f.NaNBits() | 1} {
		if v != b && f.IsNaN(v) {
			other.add(with(v))
		}
	}
	if p.spent {
		return ""
	}
	return other.note(NoteAnyNaN, NoteSomeValues, NoteThisValue)
}

// place moves leaf i of the list to places that hold +0, and swaps it with its neighbour in the list
// if there are none.
func (p *prober) place(i int) string {
	d := p.r.Cur
	var t tally
	at := d.leaves[i].at
	for _, to := range slices.Compact([]int{0, at - 1, at + 1, d.n / 2, d.n - 1}) {
		if to < 0 || to >= d.n || slices.ContainsFunc(d.leaves, func(l draftLeaf) bool { return l.at == to }) {
			continue
		}
		c := d
		c.leaves = slices.Clone(d.leaves)
		c.leaves[i].at = to
		slices.SortFunc(c.leaves, func(a, b draftLeaf) int { return a.at - b.at })
		t.add(p.fails(c))
	}
	if t.tried == 0 {
		for j := range d.leaves {
			a, b := d.leaves[i], d.leaves[j]
			if t.tried == 3 || a.x == b.x && a.y == b.y {
				continue
			}
			c := d
			c.leaves = slices.Clone(d.leaves)
			c.leaves[i].x, c.leaves[i].y, c.leaves[j].x, c.leaves[j].y = b.x, b.y, a.x, a.y
			t.add(p.fails(c))
		}
	}
	if p.spent {
		return ""
	}
	return t.note(NoteAnyPlace, NoteSomePlaces, NoteThisPlace)
}

// length appends +0 leaves.
func (p *prober) length() string {
	d := p.r.Cur
	if d.rows() > 1 {
		return ""
	}
	var t tally
	for _, n := range slices.Compact([]int{d.n + 1, d.n + 2, 2*d.n + 3}) {
		if c := d; c.resized(n) {
			t.add(p.fails(p.r.Fitted(c)))
		}
	}
	if p.spent {
		return ""
	}
	return t.note(NoteAnyLonger, NoteSomeLonger, NoteThisLength)
}

// others puts values in place of the leaves that are +0.
func (p *prober) others() string {
	d := p.r.Cur
	if len(d.leaves) == d.n {
		return ""
	}
	// fill keeps the leaves that are not +0 and gives the others values that depend on their place.
	fill := func(value func(f model.Format, i int) uint64) draft {
		c := d
		c.leaves = make([]draftLeaf, 0, d.n)
		j := 0
		for i := range d.n {
			if j < len(d.leaves) && d.leaves[j].at == i {
				c.leaves = append(c.leaves, d.leaves[j])
				j++
				continue
			}
			l := draftLeaf{at: i, x: value(d.meta.X.Format, i)}
			if d.dot {
				l.y = value(d.meta.Y.Format, i)
			}
			c.leaves = append(c.leaves, l)
		}
		return c
	}
	var t tally
	t.add(p.fails(fill(func(f model.Format, _ int) uint64 { return reduce.One(f) })))
	t.add(p.fails(fill(func(f model.Format, i int) uint64 {
		return reduce.Truncated(f, reduce.One(f)+uint64(i%3), 3) | uint64(i%2)*f.SignBit()
	})))
	if p.spent {
		return ""
	}
	return t.note(NoteOthersFree, NoteOthersMixed, NoteOthersZero)
}

// rest sets what is not plain to what is.
func (p *prober) rest(e *Explanation, o ExplainOptions) {
	probe := func(name string, plain bool, f func(c *corpus.Case)) {
		if plain {
			return
		}
		d := p.r.Cur
		f(&d.meta)
		if p.accepts != nil && !p.accepts(d.build()) {
			return
		}
		failed := p.fails(d)
		switch {
		case p.spent:
		case failed:
			e.Free = append(e.Free, name)
		default:
			e.Matter = append(e.Matter, name)
		}
	}
	m := p.r.Cur.meta
	probe("behaviour", m.Behaviour.Plain() || o.Device.OnHardware(), func(c *corpus.Case) { c.Behaviour = model.Behaviour{} })
	probe("launch", m.Launch.IsZero(), func(c *corpus.Case) { c.Launch = model.Launch{} })
	if one := model.Launch1D(1, 1); p.accepts != nil { // the zero launch is no launch of a device's
		probe("thread", m.Launch.IsZero() || m.Launch == one, func(c *corpus.Case) { c.Launch = one })
	}
	probe("seed", m.Seed == 0, func(c *corpus.Case) { c.Seed = 0 })
	probe("rows", m.Rows <= 1, func(c *corpus.Case) { c.Rows = 0 })
	form, shape, _ := shapeOfTree(m.Tree)
	probe("tree", m.Tree == "", func(c *corpus.Case) {
		other := "left"
		if shape == other {
			other = "pairwise"
		}
		c.Tree = fmt.Sprintf("%s%s/%d", form, other, p.r.Cur.perRow(p.r.Cur.n))
	})
}
