package battery

import (
	"fmt"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// ScalarFailure is a violation of a scalar law.
type ScalarFailure struct {
	engine.FailureOf[[]uint64, model.Format]
	Format             model.Format
	Operands, Original []uint64 // the simplest found, and those that were drawn
	Shrinks            int
}

func (r *scalarRun) Failure(l *ScalarLaw, x []uint64, v verdict.Verdict, _ engine.Trial[[]uint64, model.Format, []uint64]) engine.Failure {
	return r.describe(l, x, v)
}

func (r *scalarRun) describe(l *ScalarLaw, x []uint64, v verdict.Verdict) *ScalarFailure {
	f := &ScalarFailure{FailureOf: r.Failing("scalars", l, v, verdict.Setting{}, "", "", nil), Format: r.b.Format, Operands: x, Original: x}
	if r.b.weaker != nil && v.Fails() {
		f.Weaker = r.b.weaker(l.ID, x)
	}
	return f
}

// Examine simplifies operands that fail, and saves what is left.
func (r *scalarRun) Examine(l *ScalarLaw, in []uint64, st *engine.LawStats) engine.Failure {
	x := engine.Examine(r, r.Trial(), l, in)
	if x.First.Fails() {
		x.Reduce(0, func(m *reduce.Loop[[]uint64]) { r.Shrink(l, m) })
	}
	f := r.describe(l, x.Small, x.Last)
	f.Original, f.Shrinks, f.Flaky, f.Cases, f.Seen = in, x.Accepted, x.Flaky(), st.Cases, st.Seen
	t := r.Body(l, x.Small).(*corpus.Table)
	r.Save(&f.Violation, t, "the case", &t.Rows[0].Comment)
	return f
}

// Shrink makes operands plainer.
func (r *scalarRun) Shrink(_ *ScalarLaw, m *reduce.Loop[[]uint64]) {
	m.Simplify(reduce.Values[[]uint64]{
		Of:   func(x []uint64) []reduce.Value { return reduce.Numbers(r.b.Format, x) },
		With: func(_, x []uint64) []uint64 { return x }, Zero: true, Digits: true,
	})
}

// Text returns the report in plain text: the law, the operands, what came out, and a command that
// finds it again.
func (f *ScalarFailure) Text() string {
	r := f.Begin(f.Verdict.Reason)
	var rows []report.Number
	for i, b := range f.Operands {
		rows = append(rows, f.operand(fmt.Sprintf("x%d", i), b))
	}
	w := f.Verdict.Witness
	if w != nil && !w.Out.IsZero() {
		rows = append(rows, report.Encoded("computed", w.Out, w.Got))
	}
	r.Table(rows)
	if w != nil {
		r.WriteParts([2]string{"expected", w.WantText})
	}
	r.WriteStack(f.Stack)
	r.Blank()
	smaller := ""
	if f.Shrinks > 0 {
		var from []string
		for _, b := range f.Original {
			from = append(from, corpus.FormatValue(f.Format, b))
		}
		smaller = fmt.Sprintf("simplified in %s from %s", report.Plural(f.Shrinks, "step"), strings.Join(from, ", "))
	}
	if f.File == "" {
		r.Line("keep it as", "Cases: [][]uint64{{"+strings.Join(hexWords(f.Operands), ", ")+"}}")
	}
	return f.Finish(r, smaller, "")
}

// operand is encoded with the bits beside it, which are what a table of cases holds.
func (f *ScalarFailure) operand(label string, b uint64) report.Number {
	n := report.Encoded(label, f.Format, b)
	n.Note = fmt.Sprintf("%#0*x", (f.Format.Bits()+3)/4, b)
	return n
}

func hexWords(x []uint64) []string {
	var words []string
	for _, b := range x {
		words = append(words, fmt.Sprintf("%#x", b))
	}
	return words
}

// jsonScalarFailure is one line of failures.jsonl.
type jsonScalarFailure struct {
	engine.JSONViolation

	Format   string              `json:"format"`
	Operands []report.JSONNumber `json:"operands"`
	Got      *report.JSONNumber  `json:"got,omitempty"`
	Want     string              `json:"want,omitempty"`
	Steps    int                 `json:"steps"`
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *ScalarFailure) JSON() ([]byte, error) {
	j := jsonScalarFailure{
		JSONViolation: f.InJSON(), Format: f.Format.Name, Steps: f.Shrinks,
	}
	for _, b := range f.Operands {
		j.Operands = append(j.Operands, report.EncodedJSON(f.Format, b))
	}
	if w := f.Verdict.Witness; w != nil {
		j.Want = w.WantText
		if !w.Out.IsZero() {
			got := report.EncodedJSON(w.Out, w.Got)
			j.Got = &got
		}
	}
	return engine.LineOf(j)
}
