package props

import (
	"fmt"
	"strings"

	"gamma/corpus"
	"gamma/model"
)

// ScalarFailure is a violation of a scalar law.
type ScalarFailure struct {
	Violation
	Law                ScalarLaw
	Format             model.Format
	Operands, Original []uint64 // the simplest found, and those that were drawn
	Shrinks            int
}

func (r *scalarRun) failure(l *ScalarLaw, x []uint64, v Verdict, _ trial[[]uint64, model.Format, []uint64]) failure {
	return r.describe(l, x, v)
}

func (r *scalarRun) describe(l *ScalarLaw, x []uint64, v Verdict) *ScalarFailure {
	return &ScalarFailure{Violation: r.violation("scalars", v), Law: *l, Format: r.b.Format, Operands: x, Original: x}
}

// examine lets gopter simplify operands that fail, and saves what is left.
func (r *scalarRun) examine(l *ScalarLaw, in []uint64, st *lawStats) failure {
	trial := r.trial()
	x, steps := gopterShrinks(in, func(x []uint64) [][]uint64 { return simplerOperands(r.b.Format, x) }, func(x []uint64) bool {
		v := trial.judge(l, x)
		return v.fails()
	})
	v := trial.judge(l, x)
	f := r.describe(l, x, v)
	f.Original, f.Shrinks, f.Flaky, f.Cases, f.seen = in, steps, !v.fails(), st.Cases, st.seen
	r.save(f)
	return f
}

// save writes the operands to a table below the directory of the settings.
func (r *scalarRun) save(f *ScalarFailure) {
	if r.set.save == "off" {
		f.NotSaved = "-gamma.save=off"
		return
	}
	t := r.body(&f.Law, f.Operands).(*corpus.Table)
	t.Isolate = f.Verdict.Cause.isolated()
	t.Rows[0].Comment = f.Verdict.Reason
	if f.passedAgain() {
		t.Rows[0].Comment = flakyText("the case", f.seen)
	}
	file, err := corpus.Save(r.set.save, t, replayOptions)
	if err != nil {
		f.NotSaved = err.Error()
		return
	}
	f.File = file
}

// Text returns the report in plain text: the law, the operands, what came out, and a command that
// finds it again.
func (f *ScalarFailure) Text() string {
	var r report
	r.wrap("", f.headline(f.Law.ID, "a case", f.Verdict.Reason))
	r.blank()
	r.writeLaw(f.Law.Statement, f.Law.Hypotheses, f.Law.Source, "")
	r.blank()
	var rows []number
	for i, b := range f.Operands {
		rows = append(rows, f.operand(fmt.Sprintf("x%d", i), b))
	}
	w := f.Verdict.Witness
	if w != nil && !w.Out.IsZero() {
		rows = append(rows, encoded("computed", w.Out, w.Got))
	}
	r.table(rows)
	if w != nil {
		r.writeParts([2]string{"expected", w.WantText})
	}
	r.writeStack(f.Stack)
	r.blank()
	smaller := ""
	if f.Shrinks > 0 {
		var from []string
		for _, b := range f.Original {
			from = append(from, corpus.FormatValue(f.Format, b))
		}
		smaller = fmt.Sprintf("simplified in %s from %s", plural(f.Shrinks, "step"), strings.Join(from, ", "))
	}
	if f.File == "" {
		r.line("keep it as", "Cases: [][]uint64{{"+strings.Join(hexWords(f.Operands), ", ")+"}}")
	}
	return f.end(&r, f.Law.ID, f.foundBy("case", "", smaller), "")
}

// operand is encoded with the bits beside it, which are what a table of cases holds.
func (f *ScalarFailure) operand(label string, b uint64) number {
	n := encoded(label, f.Format, b)
	n.note = fmt.Sprintf("%#0*x", (f.Format.Bits()+3)/4, b)
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
	jsonViolation

	Format   string       `json:"format"`
	Operands []jsonNumber `json:"operands"`
	Got      *jsonNumber  `json:"got,omitempty"`
	Want     string       `json:"want,omitempty"`
	Steps    int          `json:"steps"`
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *ScalarFailure) JSON() ([]byte, error) {
	j := jsonScalarFailure{
		jsonViolation: f.json(f.Law.ID, f.Law.Statement, f.Law.Hypotheses, f.Law.Source, "", "", Setting{}),
		Format:        f.Format.Name, Steps: f.Shrinks,
	}
	for _, b := range f.Operands {
		j.Operands = append(j.Operands, encodedJSON(f.Format, b))
	}
	if w := f.Verdict.Witness; w != nil {
		j.Want = w.WantText
		if !w.Out.IsZero() {
			got := encodedJSON(w.Out, w.Got)
			j.Got = &got
		}
	}
	return lineOf(j)
}
