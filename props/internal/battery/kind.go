package battery

import (
	"fmt"
	"math/rand"
	"slices"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// scalarRun is the kind of scalar operations: its laws call them, and so a child process judges in the place of running a kernel.
type scalarRun struct {
	engine.Lawful[[]uint64, model.Format]
	b   Battery
	ask engine.Asker // nil: laws are judged here
}

func (b Battery) Judged(set engine.Settings) (engine.Judged, error) { return scalarsOf(b, set.For(b)) }

func (a Arithmetic) Judged(set engine.Settings) (engine.Judged, error) {
	if a.Flush.AnySign {
		return nil, fmt.Errorf("props: arithmetic %q has AnySign in its field Flush; its laws are about operations that keep the sign of what they flush: leave it out", a.Name)
	}
	return scalarsOf(a.Battery(), set.For(a))
}

// scalarsOf returns the engine of a battery, or says what the battery lacks.
func scalarsOf(b Battery, set engine.Settings) (*engine.Engine, error) {
	switch {
	case b.Format.IsZero():
		return nil, fmt.Errorf("props: battery %q has no Format; set it to that of the operands", b.Name)
	case b.Name == "":
		return nil, fmt.Errorf("props: a battery over %s has no Name; give it one", b.Format)
	}
	for _, l := range b.Laws {
		if l.Judge == nil || l.Operands < 1 || l.Operands > corpus.MaxTableWords {
			return nil, fmt.Errorf("props: law %q of battery %q needs Judge and Operands, from 1 to %d", l.ID, b.Name, corpus.MaxTableWords)
		}
	}
	laws := engine.Lawful[[]uint64, model.Format]{Own: b.Laws, Says: func(l *ScalarLaw) string { return l.AppliesTo(&b.Format) }}
	laws.Session = engine.NewSession(set, b.Name, nil, "scalar", "case", "scalar arithmetic")
	laws.Format = b.Format.Name
	return engine.New(&scalarRun{laws, b, nil}), nil
}

func (r *scalarRun) Trial() engine.Trial[[]uint64, model.Format, []uint64] { return &scalarTrial{r} }

func (r *scalarRun) Setting(x []uint64) (at verdict.Setting, n int) { return at, len(x) }

func (r *scalarRun) Under(x []uint64, _ verdict.Setting) []uint64 { return x }

func (r *scalarRun) Source(l *ScalarLaw, _ bool) (engine.Source[[]uint64], error) {
	s := newScalarSource(&r.b, l, &r.Set)
	if all := r.swept(l, s); all != nil {
		return all, nil
	}
	return s, nil
}

func (r *scalarRun) Accepts(l *ScalarLaw, x []uint64) error {
	if len(x) != l.Operands {
		return fmt.Errorf("%d operands: law %s takes %d", len(x), l.ID, l.Operands)
	}
	return nil
}

func (r *scalarRun) Owns(f *engine.CaseFile) bool {
	t, ok := f.Body.(*corpus.Table)
	return ok && t.Kernel == r.Name && t.Format.Name == r.b.Format.Name
}

// Pieces returns the rows of a table, each alone.
func (r *scalarRun) Pieces(_ *ScalarLaw, f *engine.CaseFile) ([]engine.Piece[[]uint64], error) {
	return engine.RowPieces(f, f.Body.(*corpus.Table).Rows, false, func(words []uint64, _ int) ([]uint64, error) { return words, nil })
}

func (r *scalarRun) Body(l *ScalarLaw, x []uint64) corpus.Body {
	return &corpus.Table{
		Law: l.ID, Kernel: r.Name, Format: r.b.Format, Words: len(x), Rows: []corpus.TableRow{{Words: x, Expect: corpus.ExpectHolds}},
	}
}

func (r *scalarRun) Record(b []byte, x []uint64) []byte { return engine.AppendWords(b, x...) }

func (r *scalarRun) Recorded(text []byte) ([]uint64, error) { return engine.CutWords(text, 0) }

// Served judges operands for another process.
func (r *scalarRun) Served() engine.Server {
	return func(c *engine.Call) *engine.Reply {
		i := slices.IndexFunc(r.b.Laws, func(l ScalarLaw) bool { return string(l.ID) == c.What })
		if i < 0 || len(c.In) != 1 {
			return &engine.Reply{Broke: verdict.Broke(verdict.KernelFailed, "the child process was sent no law of %s, or no operands", r.Name)}
		}
		v := r.judge(&r.b.Laws[i], c.In[0])
		return &engine.Reply{Verdict: &v}
	}
}

func (r *scalarRun) Isolated(ask engine.Asker) engine.Kind[[]uint64, model.Format, []uint64] {
	own := *r
	own.ask = ask
	return &own
}

func (r *scalarRun) Seeds() [][]byte { return [][]byte{{0, 0, 0, 0, 128, 63, 0, 0, 128, 191}} }

// Decode makes operands of words.
func (r *scalarRun) Decode(d *engine.Decoder, l *ScalarLaw) []uint64 {
	x := make([]uint64, l.Operands)
	for i := range x {
		x[i] = d.Word((r.b.Format.Bits()+7)/8) & (2*r.b.Format.SignBit() - 1)
	}
	return x
}

// scalarTrial judges operands.
type scalarTrial struct{ r *scalarRun }

func (t *scalarTrial) Judge(l *ScalarLaw, x []uint64) (v verdict.Verdict) {
	if t.r.ask != nil {
		v = t.r.ask(&engine.Call{What: string(l.ID), In: [][]uint64{x}}).OwnVerdict()
		v.Law = l.ID
		return v
	}
	return t.r.judge(l, x)
}

// judge calls a law, which calls the operations, and makes a verdict of a panic and of what they leave changed.
func (r *scalarRun) judge(l *ScalarLaw, x []uint64) (v verdict.Verdict) {
	defer verdict.Catch(&v, l.ID, verdict.KernelPanicked, "it panicked: %v")
	var err error
	defer func() {
		if b := verdict.BreakageOf("the operation", err); b != nil {
			v = verdict.Breaks(b)
		}
	}()
	defer r.Guard.End(r.Guard.Begin(), &err)
	return l.Judge(x)
}

func (t *scalarTrial) Kept(x []uint64) []uint64 { return slices.Clone(x) }

// Draws and Make are of engines that draw small numbers: gopter draws operands itself.
func (s *scalarSource) Draws() int { return s.n }

func (s *scalarSource) Make(engine.Draw, int) ([]uint64, bool) { return nil, false }

// mostLearnt is how many operands that met a law's hypotheses are kept.
const mostLearnt = 64

// Learn keeps operands that met the hypotheses.
func (s *scalarSource) Learn(x []uint64) {
	if len(s.learnt) < mostLearnt {
		s.learnt = append(s.learnt, x)
	}
}

// Next draws operands, half of the time those that met the hypotheses, with one of them drawn anew or changed in its last digits.
func (s *scalarSource) Next(rng *draw.Splitmix) (x []uint64, n int) {
	s.d.Rng = rand.New(numbers{rng})
	x = s.d.operands(s.l.Operands)
	if len(s.learnt) > 0 && s.d.Rng.Intn(2) == 0 {
		met := slices.Clone(s.learnt[s.d.Rng.Intn(len(s.learnt))])
		i := s.d.Rng.Intn(len(met))
		if met[i] = s.d.near(met[i]); s.d.Rng.Intn(2) == 0 {
			met[i] = x[i]
		}
		x = met
	}
	return x, 1
}

// numbers is a generator of numbers as a source of package rand.
type numbers struct{ *draw.Splitmix }

func (r numbers) Int63() int64 { return int64(r.Next() >> 1) }

func (r numbers) Uint64() uint64 { return r.Next() }

func (numbers) Seed(int64) {}
