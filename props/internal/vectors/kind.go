package vectors

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
	"gamma/props/internal/reduce"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

// Run is the kind of kernels that take vectors: one sum or dot product, ready to be judged.
type Run struct {
	bodies
	Sub *Kernel
}

// bodies are the session and the laws, of inputs that are cases as files hold them.
type bodies = engine.Bodies[*Trial, model.Claim, corpus.Case, *corpus.Case]

// Open makes a subject ready to be judged.
func Open(fields func() (*Kernel, error), set engine.Settings) (engine.Judged, error) {
	s, err := fields()
	if err != nil {
		return nil, err
	}
	return engine.New(NewRun(s, set)), nil
}

// NewRun returns the kind of sums and dot products for one subject.
func NewRun(s *Kernel, set engine.Settings) *Run {
	own := engine.NewSession(set, s.Name, s.Device, s.Op.String(), "case", "a "+s.Op.String())
	own.Search = "search "
	guarded := s.Guarded(own.Guard)
	guarded.timeout = set.Timeout
	if set.Thorough || set.CaseFile != "" {
		guarded.long = longBytes
	}
	return &Run{bodies{Lawful: engine.Lawful[*Trial, model.Claim]{Session: own, BuiltIn: BuiltIn, Own: s.Laws, Says: guarded.Applies}}, guarded}
}

func (r *Run) Shaped() engine.Shaped { return true }

func (r *Run) Seeds() [][]byte { return FuzzSeeds() }

func (r *Run) Accepts(l *Law, c *corpus.Case) error {
	if l.Op != r.Sub.Op && l.Op != engine.OpAny {
		return fmt.Errorf("props: law %s says nothing about %s: %s", l.ID, r.Name, r.Sub.Applies(l))
	}
	return r.Sub.Accepts(c)
}

func (r *Run) Trial() engine.Trial[*Trial, model.Claim, *corpus.Case] {
	return NewTrial(r.Sub)
}

func (r *Run) Source(l *Law, find bool) (engine.Source[*corpus.Case], error) {
	return NewDrawer(r, l), nil
}

func (r *Run) Setting(c *corpus.Case) (at verdict.Setting, n int) {
	return verdict.Setting{Behaviour: c.Behaviour, Launch: c.Launch}, c.X.Len() / max(c.Rows, 1)
}

func (r *Run) Failure(l *Law, c *corpus.Case, v verdict.Verdict, t engine.Trial[*Trial, model.Claim, *corpus.Case]) engine.Failure {
	own := t.(*Trial)
	f := &Failure{
		Violation: r.Violation("vectors", v), Law: r.Sub.lawOf(l), Claim: own.Claimed, Case: c, Original: c,
		Strides: r.Sub.strideText(c),
	}
	f.Weaker = own.weaker(&v)
	f.NoteSchedule(own)
	return f
}

// Served runs the kernel for another process, which sees what it does to its input.
func (r *Run) Served() engine.Server {
	t := NewTrial(r.Sub)
	return func(c *engine.Call) *engine.Reply {
		in := r.Sub.Claim.In
		x, y := ValuesOf(in, c.In[0]), ValuesOf(in, c.In[1])
		t.C, t.Length, t.Rows, t.Law = &corpus.Case{X: x, Y: y, Tree: c.Tree, Rows: c.Out}, c.N, c.Out, &Law{}
		t.At, t.inPlace = c.At, c.InPlace
		if t.loadTree(); t.treeErr != nil {
			return &engine.Reply{Broke: verdict.Broke(verdict.KernelFailed, "%v", t.treeErr)}
		}
		a := &engine.Reply{Out: make([]uint64, c.Out)}
		a.Broke = t.Run(x, y, a.Out)
		a.Found = t.Found
		return a
	}
}

func (r *Run) Isolated(ask engine.Asker) engine.Kind[*Trial, model.Claim, *corpus.Case] {
	own := *r
	own.Sub = r.Sub.Elsewhere(ask)
	return &own
}

// Guarded returns the subject with a runner whose calls are guarded.
func (s *Kernel) Guarded(calls *engine.Guard) *Kernel {
	return s.with(func(run Runner, _ bool) Runner {
		return func(at verdict.Setting, tree *sumtree.Tree, x, y corpus.Values, n int, dst []uint64) (err error) {
			defer calls.End(calls.Begin(), &err)
			return run(at, tree, x, y, n, dst)
		}
	})
}

// with returns the subject with other runners.
func (s *Kernel) with(of func(run Runner, inPlace bool) Runner) *Kernel {
	own := *s
	if own.Run = of(s.Run, false); s.InPlace != nil {
		own.InPlace = of(s.InPlace, true)
	}
	return &own
}

// Elsewhere returns the subject with a runner that asks another process.
func (s *Kernel) Elsewhere(ask engine.Asker) *Kernel {
	own := s.with(func(_ Runner, inPlace bool) Runner {
		return func(at verdict.Setting, tree *sumtree.Tree, x, y corpus.Values, n int, dst []uint64) error {
			c := &engine.Call{At: at, In: [][]uint64{BitsOf(x), BitsOf(y)}, Out: len(dst), N: n, InPlace: inPlace}
			if s.Follows {
				c.Tree = tree.String()
			}
			a := ask(c)
			copy(dst, a.Out)
			return a.Error()
		}
	})
	own.apart = true
	return own
}

// BitsOf returns the encodings of values, and ValuesOf is its inverse.
func BitsOf(v corpus.Values) []uint64 {
	list := make([]uint64, v.Len())
	for i := range list {
		list[i] = v.At(i)
	}
	return list
}

// ValuesOf returns values of a format from their encodings.
func ValuesOf(f model.Format, list []uint64) corpus.Values {
	v := corpus.NewValues(f, len(list))
	for i, b := range list {
		v.Set(i, b)
	}
	return v
}

// Record writes a case by its recipe.
func (r *Run) Record(b []byte, c *corpus.Case) []byte {
	if c.Gen == "" {
		return nil
	}
	for _, text := range []string{c.X.Format.Name, c.Gen, c.Tree} {
		b = append(append(b, text...), '\n')
	}
	return strconv.AppendUint(b, c.Seed, 10)
}

func (r *Run) Recorded(text []byte) (*corpus.Case, error) {
	lines := strings.Split(string(text), "\n")
	if len(lines) != 4 {
		return nil, engine.ErrCutOff
	}
	f, err := model.FormatByName(lines[0])
	if err != nil {
		return nil, err
	}
	rec, err := families.ParseRecipe(lines[1])
	if err != nil {
		return nil, err
	}
	c := &corpus.Case{Gen: lines[1], Tree: lines[2]}
	if rec.Rows > 1 {
		c.Rows = rec.Rows
	}
	c.X, c.Y = rec.Expand(f)
	c.Seed, err = strconv.ParseUint(lines[3], 10, 64)
	return c, err
}

// lawOf returns the law with the subject's operation in place of any.
func (s *Kernel) lawOf(l *Law) Law {
	own := *l
	own.Op = s.Op
	return own
}

// Shrink leaves out leaves, and makes those that are left simpler.
func (r *Run) Shrink(_ *Law, m *reduce.Loop[*corpus.Case]) {
	small, _ := Reduce(m.Cur, m.Known, ReduceOptions{Device: r.Sub.Device})
	m.Try(small)
}

// Examine reduces and explains a failing case, judges what is left once more, and saves it.
func (r *Run) Examine(l *Law, c *corpus.Case, st *engine.LawStats) engine.Failure {
	t := NewTrial(r.Sub)
	x := engine.Examine(r, t, l, c)
	f := &Failure{Violation: r.Violation("vectors", x.First), Law: r.Sub.lawOf(l), Claim: t.Claimed, Original: c, Case: c}
	f.Cases, f.Seen, f.Found = st.Cases, st.Seen, slices.Clone(t.Met)
	if x.First.Fails() {
		// The record keeps the case that was found: its variants would each cost a file.
		device := r.Sub.Device
		f.Case, x.Stats = Reduce(c, x.Fails, ReduceOptions{Deadline: time.Now().Add(engine.ReduceTime), Device: device})
		f.Case, _ = t.related(l, f.Case)
		f.Case.Isolate = x.First.Cause.Isolated()
		f.Reduction = x.Stats
		if x.First.Cause != verdict.KernelHung { // each probe would wait
			f.Explanation = Explain(f.Case, x.Fails, ExplainOptions{
				Deadline: time.Now().Add(engine.ReduceTime / 4), Device: device, Accepts: func(c *corpus.Case) bool { return r.Sub.Accepts(c) == nil },
			})
		}
		if v := x.Judge(f.Case); v.Fails() {
			f.Verdict, f.Claim, f.Weaker = v, t.Claimed, t.weaker(&v)
			f.NoteSchedule(t)
		} else if l.Hardware { // what was seen of the fault is of the case as it was drawn
			f.Case = c
		}
	}
	if f.Flaky = f.Flaky || x.Flaky(); !f.Flaky {
		f.noteMemory(r, l)
	}
	r.save(f)
	return f
}
