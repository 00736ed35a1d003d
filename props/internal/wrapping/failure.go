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
	x := engine.Examine(r, t, l, c)
	drawn := r.Failure(l, c, x.First, t).(*WrappingFailure)
	x.Reduce(0, func(m *reduce.Loop[*corpus.Integers]) { r.Shrink(l, m) })
	f := r.Failure(l, x.Small, x.Last, t).(*WrappingFailure)
	f.Cases, f.Seen, f.Original, f.Flaky, f.Cause = st.Cases, st.Seen, len(c.X), x.Flaky(), causeOf(f, drawn)
	r.Save(&f.Violation, r.Body(l, f.Case), "the case", nil)
	return f
}

// Shrink leaves out terms, and makes those that are left plainer.
func (r *wrappingRun) Shrink(_ *WrappingLaw, m *reduce.Loop[*corpus.Integers]) {
	with := func(c *corpus.Integers, x []uint64) *corpus.Integers {
		own := *c
		own.X = x
		return &own
	}
	m.Until(func() {
		base, step := m.Cur, r.w.lengths(0).Step
		m.Rows(len(base.X)/step, 0, func(drop []bool) *corpus.Integers { return with(base, reduce.Without(base.X, step, drop)) })
	}, func() {
		m.Replace(func(c *corpus.Integers) []uint64 { return c.X }, with, 0, 1, residues.GreatestWord(r.w.Bits))
	}, m.Plain)
}

func (r *wrappingRun) Failure(l *WrappingLaw, c *corpus.Integers, v verdict.Verdict, t engine.Trial[*WrappingTrial, Wrapping, *corpus.Integers]) engine.Failure {
	own := t.(*WrappingTrial)
	f := &WrappingFailure{
		r.Failing("wrapping", l, v, r.At(c), r.claim(), c.Recipe, own.found), r.Body(l, c).(*corpus.Integers), len(c.X), own.Got, own.More,
	}
	f.Cause = causeOf(f)
	return f
}

// Promise says what the subject claims.
func (r *wrappingRun) Promise() engine.Promise { return engine.Promise{Claim: r.claim()} }

// claim says what is claimed.
func (r *wrappingRun) claim() string {
	text := fmt.Sprintf("sums modulo 2^%d", r.w.Bits)
	if r.w.Multiple > 1 {
		text += fmt.Sprintf(" of multiples of %d terms", r.w.Multiple)
	}
	return text
}

// want returns the sum modulo 2^k.
func (f *WrappingFailure) want() uint64 { return oracle.SumIntegers(f.Case.Bits, f.Case.X) }

// causeOf says by what single fault, of those that are known, the results of some failures come about, as it shows in the first; "" if by none.
func causeOf(list ...*WrappingFailure) string {
	for _, fault := range []func(f *WrappingFailure) string{narrowed(8), narrowed(16), narrowed(32), lacking} {
		if !slices.ContainsFunc(list, func(f *WrappingFailure) bool {
			return f.Verdict.Outcome != verdict.Violated || f.Got == f.want() || fault(f) == ""
		}) {
			return "kernel: the result is " + fault(list[0]) + "."
		}
	}
	return ""
}

// narrowed returns the fault of an accumulator of w bits, and lacking is that of a term left out: each says what the result then is, "" if not that.
func narrowed(w int) func(f *WrappingFailure) string {
	return func(f *WrappingFailure) string {
		if f.Got == oracle.SumIntegers(w, f.Case.X) {
			return fmt.Sprintf("the sum modulo 2^%d", w)
		}
		return ""
	}
}

func lacking(f *WrappingFailure) string {
	if i := slices.Index(f.Case.X, (f.want()-f.Got)&residues.GreatestWord(f.Case.Bits)); i >= 0 {
		return fmt.Sprintf("that of all terms without x%d, or another as great", i)
	}
	return ""
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
	return f.Finish(r, report.Reduced(f.Original, len(f.Case.X), "term"), f.Cause)
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
