package wrapping

import (
	"fmt"
	"slices"

	"gamma/corpus"
	"gamma/oracle"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/report"
	"gamma/props/internal/residues"
	"gamma/props/internal/verdict"
)

// WrappingFailure is a violation of a law by a sum of integers: the reduced case, its first result, and the further runs of the law.
type WrappingFailure struct {
	engine.FailureOf[*WrappingTrial, Wrapping]
	Case     *corpus.Integers
	Original int // terms as they were drawn
	Got      uint64
	More     []WrappingSum
}

// Examine leaves terms out of a case that fails, makes them and the behaviour plainer, judges what is left once more, and saves it.
func (r *wrappingRun) Examine(l *WrappingLaw, c *corpus.Integers, st *engine.LawStats) engine.Failure {
	t := r.Trial()
	x := reduce.Examine(r, t, l, c)
	drawn := r.Failure(l, c, x.First, t).(*WrappingFailure).hints()
	with := func(c *corpus.Integers, x []uint64) *corpus.Integers {
		own := *c
		own.X = x
		return &own
	}
	if x.First.Fails() {
		x.Reduce(0, func(m *reduce.Loop[*corpus.Integers]) {
			m.Until(func() {
				base := m.Cur
				m.Rows(len(base.X), 0, func(drop []bool) *corpus.Integers { return with(base, reduce.Without(base.X, 1, drop)) })
			}, func() {
				for i, v := range m.Cur.X {
					for _, plain := range []uint64{0, 1, residues.GreatestWord(r.w.Bits)} {
						if v == plain {
							break
						}
						terms := slices.Clone(m.Cur.X)
						if terms[i] = plain; m.Try(with(m.Cur, terms)) {
							break
						}
					}
				}
			}, m.Plain)
		})
	}
	f := r.Failure(l, x.Small, x.Last, t).(*WrappingFailure)
	f.Cases, f.Seen, f.Original, f.Flaky = st.Cases, st.Seen, len(c.X), x.Flaky()
	if x.Last.Outcome == verdict.Violated {
		f.Cause = causeOf(slices.DeleteFunc(f.hints(), func(h hint) bool { // what the terms that were drawn refute
			return !slices.ContainsFunc(drawn, func(o hint) bool { return o.fault == h.fault })
		}))
	}
	r.Save(&f.Violation, r.Body(l, f.Case), "the case", nil)
	return f
}

func (r *wrappingRun) Failure(l *WrappingLaw, c *corpus.Integers, v verdict.Verdict, t engine.Trial[*WrappingTrial, Wrapping, *corpus.Integers]) engine.Failure {
	own := t.(*WrappingTrial)
	at, n := r.Setting(c)
	f := &WrappingFailure{r.Failing("wrapping", l, v, at, fmt.Sprintf("sums modulo 2^%d", c.Bits)), r.Body(l, c).(*corpus.Integers), n, own.Got, own.More}
	if f.Recipe = c.Recipe; l.Found == nil {
		f.Found = slices.Clone(own.found)
	}
	if v.Outcome == verdict.Violated {
		f.Cause = causeOf(f.hints())
	}
	return f
}

// want returns the sum modulo 2^k.
func (f *WrappingFailure) want() uint64 { return oracle.SumIntegers(f.Case.Bits, f.Case.X) }

// hint is a single fault that explains a result, in a word and in a sentence.
type hint struct{ fault, text string }

// causeOf returns the sentence of the first of some hints, "" of none.
func causeOf(list []hint) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].text
}

// hints says by what single faults the result may come about, of those it knows.
func (f *WrappingFailure) hints() (list []hint) {
	wrong := (f.Got - f.want()) & residues.GreatestWord(f.Case.Bits)
	for w := 8; w < f.Case.Bits; w *= 2 {
		if wrong != 0 && f.Got == oracle.SumIntegers(w, f.Case.X) {
			list = append(list, hint{fmt.Sprintf("narrow%d", w), fmt.Sprintf("kernel: the result is the sum modulo 2^%d.", w)})
		}
	}
	if i := slices.Index(f.Case.X, -wrong&residues.GreatestWord(f.Case.Bits)); i >= 0 && wrong != 0 {
		list = append(list, hint{"lost", fmt.Sprintf("kernel: the result is that of all terms without x%d, or another as great.", i)})
	}
	return list
}

// Text returns the report in plain text: the law, the terms, what came out, and a command that runs the case again.
func (f *WrappingFailure) Text() string {
	r := f.Begin(engine.HeadFinding(&f.Verdict))
	var rows []report.Number
	for i, v := range f.Case.X {
		if v != 0 && len(rows) < 16 {
			rows = append(rows, report.IntegerNumber(fmt.Sprintf("x%d", i), v, ""))
		}
	}
	if f.Verdict.Outcome == verdict.Violated && f.Law.Found == nil {
		rows = append(rows, report.IntegerNumber("computed", f.Got, ""), report.IntegerNumber("expected", f.want(), ""))
		for k, m := range f.More {
			rows = append(rows, report.IntegerNumber(fmt.Sprintf("run %d", k+2), m.Got, "of "+report.Plural(len(m.X), "term")))
		}
	}
	r.Wrap("terms", fmt.Sprintf("%d; listed are the first that are not 0", len(f.Case.X)))
	r.Table(rows)
	r.Blank()
	r.WriteStack(f.Stack)
	smaller := ""
	if f.Original > len(f.Case.X) {
		smaller = fmt.Sprintf("reduced from %s to %d", report.Plural(f.Original, "term"), len(f.Case.X))
	}
	return f.Finish(r, smaller, f.Cause)
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *WrappingFailure) JSON() ([]byte, error) {
	return engine.LineOf(struct {
		engine.JSONViolation
		Bits  int      `json:"bits"`
		Terms []uint64 `json:"terms"`
		Got   uint64   `json:"got"`
		Cause string   `json:"cause,omitempty"`
	}{f.InJSON(), f.Case.Bits, f.Case.X, f.Got, f.CauseOr(f.Cause)})
}
