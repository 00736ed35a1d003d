package props

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/model"
)

// scalarRun is the kind of scalar operations: its laws call them, and so a child process judges in the place of running a kernel.
type scalarRun struct {
	*session
	b   Battery
	ask asker // nil: laws are judged here
}

type scalarEngine = engine[[]uint64, model.Format, []uint64]

func (b Battery) judged(set settings) (judged, error)    { return scalarsOf(b, set) }
func (a Arithmetic) judged(set settings) (judged, error) { return scalarsOf(a.Battery(), set) }

// scalarsOf returns the engine of a battery, or says what the battery lacks.
func scalarsOf(b Battery, set settings) (*scalarEngine, error) {
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
	return &scalarEngine{kind: &scalarRun{newSession(set, b.Name, nil, "scalar", "case", "scalar arithmetic"), b, nil}}, nil
}

func (r *scalarRun) laws() []ScalarLaw { return slices.Clone(r.b.Laws) }

func (r *scalarRun) applies(l *ScalarLaw) string                    { return l.appliesTo(&r.b.Format) }
func (r *scalarRun) shaped() shaped                                 { return false }
func (r *scalarRun) trial() trial[[]uint64, model.Format, []uint64] { return &scalarTrial{r} }
func (r *scalarRun) setting([]uint64) (at Setting, n int)           { return at, 1 }
func (r *scalarRun) under(x []uint64, _ Setting) []uint64           { return x }

func (r *scalarRun) source(l *ScalarLaw, _ bool) (source[[]uint64], error) {
	return newScalarSource(&r.b, l, &r.set), nil
}

func (r *scalarRun) accepts(l *ScalarLaw, x []uint64) error {
	if len(x) != l.Operands {
		return fmt.Errorf("%d operands: law %s takes %d", len(x), l.ID, l.Operands)
	}
	return nil
}

func (r *scalarRun) owns(f *caseFile) bool {
	t, ok := f.Body.(*corpus.Table)
	return ok && t.Kernel == r.name && t.Format.Name == r.b.Format.Name
}

// pieces returns the rows of a table, each alone.
func (r *scalarRun) pieces(_ *ScalarLaw, f *caseFile) (list []piece[[]uint64], err error) {
	for _, row := range f.Body.(*corpus.Table).Rows {
		list = append(list, piece[[]uint64]{
			in: row.Words, rows: 1, place: fmt.Sprintf("%s:%d", f.Path, row.Line), expect: row.Expect, reaches: row.Reaches,
		})
	}
	return list, nil
}

func (r *scalarRun) body(l *ScalarLaw, x []uint64) corpus.Body {
	return &corpus.Table{
		Law: l.ID, Kernel: r.name, Format: r.b.Format, Words: len(x), Rows: []corpus.TableRow{{Words: x, Expect: corpus.ExpectHolds}},
	}
}

func (r *scalarRun) record(b []byte, x []uint64) []byte { return appendWords(b, x...) }

func (r *scalarRun) recall(law model.LawID, text []byte) (corpus.Body, error) {
	x, err := cutWords(text)
	if err != nil {
		return nil, err
	}
	return r.body(&ScalarLaw{ID: law}, x), nil
}

// served judges operands for another process.
func (r *scalarRun) served() server {
	return func(c *call) *reply {
		i := slices.IndexFunc(r.b.Laws, func(l ScalarLaw) bool { return string(l.ID) == c.What })
		if i < 0 || len(c.In) != 1 {
			return &reply{Broke: broke(KernelFailed, "the child process was sent no law of %s, or no operands", r.name)}
		}
		v := judgeScalar(&r.b.Laws[i], c.In[0])
		return &reply{Verdict: &v}
	}
}

func (r *scalarRun) isolate(ask asker) { r.ask = ask }

func (r *scalarRun) isolated(ask asker) kind[[]uint64, model.Format, []uint64] {
	own := *r
	own.ask = ask
	return &own
}

func (r *scalarRun) seeds() [][]byte { return [][]byte{{0, 0, 0, 0, 128, 63, 0, 0, 128, 191}} }

// decode makes operands of words.
func (r *scalarRun) decode(d *decoder, l *ScalarLaw) []uint64 {
	x := make([]uint64, l.Operands)
	for i := range x {
		x[i] = d.word((r.b.Format.Bits()+7)/8) & (2*r.b.Format.SignBit() - 1)
	}
	return x
}

// scalarTrial judges operands.
type scalarTrial struct{ r *scalarRun }

func (t *scalarTrial) judge(l *ScalarLaw, x []uint64) (v Verdict) {
	if t.r.ask != nil {
		v = t.r.ask(&call{What: string(l.ID), In: [][]uint64{x}}).verdict()
		v.Law = l.ID
		return v
	}
	return judgeScalar(l, x)
}

// judgeScalar calls a law, and makes a panic a verdict.
func judgeScalar(l *ScalarLaw, x []uint64) (v Verdict) {
	defer func() {
		if p := recover(); p != nil {
			v = broken(panicked(KernelPanicked, "it panicked: %v", p))
		}
		v.Law = l.ID
	}()
	return l.Judge(x)
}

func (t *scalarTrial) count(st *lawStats, v *Verdict, x []uint64) { st.add(v, "operands", len(x)) }
func (t *scalarTrial) kept(x []uint64) []uint64                   { return slices.Clone(x) }

// draws, each, make and next are of engines that draw small numbers: gopter draws operands itself.
func (s *scalarSource) draws() int                         { return s.n }
func (s *scalarSource) each() int                          { return 1 }
func (s *scalarSource) make(draw, int) ([]uint64, bool)    { return nil, false }
func (s *scalarSource) next(*splitmix) (x []uint64, n int) { return nil, s.n }
