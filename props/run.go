package props

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/sumtree"
)

// run is the kind of kernels that take vectors: one sum or dot product, ready to be judged.
type run struct {
	*session
	sub *subject
}

// vectorsEngine judges kernels that take vectors.
type vectorsEngine = engine[*Trial, model.Claim, *corpus.Case]

// openVectors makes the subject that fields describe ready to be judged.
func openVectors(fields func() (*subject, error), set settings) (judged, error) {
	s, err := fields()
	if err != nil {
		return nil, err
	}
	return &vectorsEngine{kind: newRun(s, set)}, nil
}

func newRun(s *subject, set settings) *run {
	r := &run{newSession(set, s.name, s.device, s.op.String(), "case", "a "+s.op.String()), s}
	r.search = "search "
	return r
}

func (r *run) laws() []Law           { return slices.Concat(Laws(), r.sub.laws) }
func (r *run) applies(l *Law) string { return r.sub.applies(l) }
func (r *run) shaped() shaped        { return true }
func (r *run) seeds() [][]byte       { return fuzzSeeds() }
func (r *run) accepts(l *Law, c *corpus.Case) error {
	if l.Op != r.sub.op && l.Op != OpAny {
		return fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, r.name, r.sub.applies(l))
	}
	return r.sub.accepts(c)
}

func (r *run) trial() trial[*Trial, model.Claim, *corpus.Case] {
	return newTrial(r.sub)
}

func (r *run) source(l *Law, find bool) (source[*corpus.Case], error) { return newDrawer(r, l), nil }

func (r *run) setting(c *corpus.Case) (at Setting, n int) {
	return Setting{Behaviour: c.Behaviour, Launch: c.Launch}, c.X.Len() / max(c.Rows, 1)
}

func (r *run) under(c *corpus.Case, at Setting) *corpus.Case {
	own := *c
	own.Behaviour, own.Launch = at.Behaviour, at.Launch
	return &own
}

func (r *run) owns(f *caseFile) bool {
	c, ok := f.Body.(*corpus.Case)
	return ok && c.Kernel == r.name
}

func (r *run) pieces(_ *Law, f *caseFile) ([]piece[*corpus.Case], error) {
	c, ok := f.Body.(*corpus.Case)
	if !ok {
		return nil, wrongBody(f, c)
	}
	return []piece[*corpus.Case]{{in: c, rows: 1, place: f.Path, expect: c.Expect}}, nil
}

func (r *run) failure(l *Law, c *corpus.Case, v Verdict, t trial[*Trial, model.Claim, *corpus.Case]) failure {
	own := t.(*Trial)
	f := &Failure{
		Violation: r.violation("vectors", v), Law: r.sub.lawOf(l), Claim: own.claim, Case: c, Original: c,
	}
	f.noteSchedule(own)
	return f
}

// served runs the kernel for another process, which sees what it does to its input.
func (r *run) served() server {
	t := newTrial(r.sub)
	return func(c *call) *reply {
		in := r.sub.claim.In
		x, y := valuesOf(in, c.In[0]), valuesOf(in, c.In[1])
		t.c, t.n, t.rows, t.law = &corpus.Case{X: x, Y: y, Tree: c.Tree, Rows: c.Out}, c.N, c.Out, &Law{}
		t.at = c.At
		if t.loadTree(); t.treeErr != nil {
			return &reply{Broke: broke(KernelFailed, "%v", t.treeErr)}
		}
		a := &reply{Out: make([]uint64, c.Out)}
		a.Broke = t.run(x, y, a.Out)
		a.Found = t.found
		return a
	}
}

// isolate makes the kernel run in another process.
func (r *run) isolate(ask asker) { r.sub = r.sub.elsewhere(ask) }

func (r *run) isolated(ask asker) kind[*Trial, model.Claim, *corpus.Case] {
	own := *r
	own.isolate(ask)
	return &own
}

// elsewhere returns the subject with a runner that asks another process.
func (s *subject) elsewhere(ask asker) *subject {
	own := *s
	own.run = func(at Setting, tree *sumtree.Tree, x, y corpus.Values, n int, dst []uint64) error {
		c := &call{At: at, In: [][]uint64{bitsOf(x), bitsOf(y)}, Out: len(dst), N: n}
		if s.follows {
			c.Tree = tree.String()
		}
		a := ask(c)
		copy(dst, a.Out)
		return a.error()
	}
	return &own
}

// bitsOf returns the encodings of values, and valuesOf is its inverse.
func bitsOf(v corpus.Values) []uint64 {
	list := make([]uint64, v.Len())
	for i := range list {
		list[i] = v.At(i)
	}
	return list
}

func valuesOf(f model.Format, list []uint64) corpus.Values {
	v := corpus.NewValues(f, len(list))
	for i, b := range list {
		v.Set(i, b)
	}
	return v
}

// record writes a case by its recipe, and recall is its inverse.
func (r *run) record(b []byte, c *corpus.Case) []byte {
	if c.Gen == "" {
		return nil
	}
	b = append(append(b, c.X.Format.Name...), '\n')
	b = append(append(b, c.Gen...), '\n')
	b = append(append(b, c.Tree...), '\n')
	b = append(strconv.AppendUint(b, c.Seed, 10), '\n')
	return appendSetting(b, Setting{Behaviour: c.Behaviour, Launch: c.Launch})
}

func (r *run) recall(law model.LawID, text []byte) (corpus.Body, error) {
	lines := strings.SplitN(string(text), "\n", 5)
	if len(lines) < 5 {
		return nil, errCutOff
	}
	f, err := model.FormatByName(lines[0])
	if err != nil {
		return nil, err
	}
	rec, err := ParseRecipe(lines[1])
	if err != nil {
		return nil, err
	}
	c := &corpus.Case{Law: law, Kernel: r.name, Gen: lines[1], Tree: lines[2]}
	if rec.Rows > 1 {
		c.Rows = rec.Rows
	}
	if c.Seed, err = strconv.ParseUint(lines[3], 10, 64); err != nil {
		return nil, err
	}
	at, _, err := cutSetting([]byte(lines[4]))
	if err != nil {
		return nil, err
	}
	c.Behaviour, c.Launch = at.Behaviour, at.Launch
	c.X, c.Y = rec.Expand(f)
	return c, nil
}

func (r *run) body(l *Law, c *corpus.Case) corpus.Body {
	own := *c
	own.Law, own.Kernel = l.ID, r.name
	return &own
}

// fails returns the predicate of a reduction: the law fails the case as it did before. A kernel that
// broke is run more than once, since it may break when it is called again.
func (r *run) fails(l *Law, outcome Outcome) func(*corpus.Case) bool {
	// The record keeps the case that was found: its variants would each cost a file.
	trial := newTrial(r.sub)
	return func(c *corpus.Case) bool {
		if r.sub.accepts(c) != nil {
			return false
		}
		if outcome == Broken {
			return judgeRepeatedly[*Trial, model.Claim](trial, l, c).Outcome == outcome
		}
		v := trial.judge(l, c)
		return v.Outcome == outcome
	}
}

// lawOf returns the law with the subject's operation in place of any.
func (s *subject) lawOf(l *Law) Law {
	own := *l
	own.Op = s.op
	return own
}

// reduceTime bounds a reduction whose kernel is slow, or hangs until it is stopped.
const reduceTime = 60 * time.Second

// examine reduces and explains a failing case, judges what is left once more, and saves it.
func (r *run) examine(l *Law, c *corpus.Case, st *lawStats) failure {
	first := newTrial(r.sub)
	v := insist(l.Hardware, func() Verdict { return judgeRepeatedly[*Trial, model.Claim](first, l, c) })
	f := &Failure{Violation: r.violation("vectors", v), Law: r.sub.lawOf(l), Claim: first.claim, Original: c}
	if st != nil {
		f.Cases, f.seen = st.Cases, st.seen
	}
	f.Found = slices.Clone(first.met)
	if !v.fails() {
		f.Flaky = true
		f.Case = c
		f.save(r.set)
		return f
	}
	fails := r.fails(l, v.Outcome)
	small, stats := Reduce(c, r.sub.device.kept(c, fails), ReduceOptions{Deadline: time.Now().Add(reduceTime)})
	small.Isolate = v.Cause.isolated()
	f.Case, f.Reduction = small, stats
	f.Flaky = stats.Flaky || !stats.Reproduced
	f.Explanation = Explain(small, fails, ExplainOptions{
		Deadline: time.Now().Add(reduceTime / 4), Accepts: r.sub.device.kept(c, func(c *corpus.Case) bool { return r.sub.accepts(c) == nil }),
	})
	t := newTrial(r.sub)
	if v := insist(l.Hardware, func() Verdict { return judgeRepeatedly[*Trial, model.Claim](t, l, small) }); v.fails() {
		f.Verdict, f.Claim = v, t.claim
		f.noteSchedule(t)
	} else {
		f.Flaky = true
		if l.Hardware { // what was seen of the fault is of the case as it was drawn
			f.Case = c
		}
	}
	f.save(r.set)
	return f
}
