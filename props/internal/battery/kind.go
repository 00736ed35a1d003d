package battery

import (
	"fmt"
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

type scalarEngine = engine.Engine[[]uint64, model.Format, []uint64]

func (b Battery) Judged(set engine.Settings) (engine.Judged, error) { return scalarsOf(b, set) }

func (a Arithmetic) Judged(set engine.Settings) (engine.Judged, error) {
	return scalarsOf(a.Battery(), set)
}

// scalarsOf returns the engine of a battery, or says what the battery lacks.
func scalarsOf(b Battery, set engine.Settings) (*scalarEngine, error) {
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
	return &scalarEngine{Kind: &scalarRun{laws, b, nil}}, nil
}

func (r *scalarRun) Trial() engine.Trial[[]uint64, model.Format, []uint64] { return &scalarTrial{r} }

func (r *scalarRun) Setting(x []uint64) (at verdict.Setting, n int) { return at, len(x) }

func (r *scalarRun) Under(x []uint64, _ verdict.Setting) []uint64 { return x }

func (r *scalarRun) Source(l *ScalarLaw, _ bool) (engine.Source[[]uint64], error) {
	return newScalarSource(&r.b, l, &r.Set), nil
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
		v := judgeScalar(&r.b.Laws[i], c.In[0])
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
	return judgeScalar(l, x)
}

// judgeScalar calls a law, and makes a panic a verdict.
func judgeScalar(l *ScalarLaw, x []uint64) (v verdict.Verdict) {
	defer verdict.Catch(&v, l.ID, verdict.KernelPanicked, "it panicked: %v")
	return l.Judge(x)
}

func (t *scalarTrial) Kept(x []uint64) []uint64 { return slices.Clone(x) }

// Draws, make and next are of engines that draw small numbers: gopter draws operands itself.
func (s *scalarSource) Draws() int { return s.n }

func (s *scalarSource) Make(engine.Draw, int) ([]uint64, bool) { return nil, false }

func (s *scalarSource) Next(*draw.Splitmix) (x []uint64, n int) { return nil, s.n }
