package residues

import (
	"fmt"
	"slices"

	"gamma/model/modular"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
	"gamma/props/internal/words"
)

// ModularFailure is a violation of a law by a row of residues, reduced.
type ModularFailure struct {
	engine.FailureOf[*ModularRow, modular.Claim]
	Claim   modular.Claim
	Modulus uint64
	// Rows are the operands of the reduced batch, and Row the one that fails; most often it is the only one. Out are its results, More the
	// rows that the law asked for, and Want what the results must be congruent to, nil where nothing is claimed.
	Rows            [][]uint64
	Row             int
	Out             []uint64
	More            []ModularRun
	Want            []uint64
	Original        []uint64 // the row as it was drawn
	OriginalModulus uint64
	Steps           int // of the reduction
}

func (r *Run) Failure(l *ModularLaw, c *ModularCase, v verdict.Verdict, t engine.Trial[*ModularRow, modular.Claim, *ModularCase]) engine.Failure {
	c = t.Kept(c)
	f := r.Describe(l, c, v)
	f.Fault, f.Cause = r.Cause(l, c, c.Batch.Q, nil)
	return f
}

// Describe describes a batch as it is judged now.
func (r *Run) Describe(l *ModularLaw, c *ModularCase, v verdict.Verdict) *ModularFailure {
	p, b := r.P, c.Batch
	trial := NewModularTrial(p)
	w := trial.Judge(l, c)
	f := &ModularFailure{
		FailureOf: r.Failing("residues", l, v, b.At, claimText(&p.Claim), c.recipe.String(), trial.found), Claim: p.Claim, Modulus: b.Q, Row: c.row,
	}
	if v.Fails() {
		f.Weaker = r.weaker(l, c, &v)
	}
	n := len(p.Claim.In)
	for i := range b.Rows {
		f.Rows = append(f.Rows, slices.Clone(b.In[i*n:(i+1)*n]))
	}
	if w.Outcome == verdict.Broken || l.Refuses || l.Found != nil {
		return f
	}
	row := trial.load(b, f.Row, len(l.Again))
	f.Out = slices.Clone(row.Out)
	for _, more := range row.More {
		f.More = append(f.More, ModularRun{slices.Clone(more.In), slices.Clone(more.Out)})
	}
	if want, why := row.Want(); why == "" {
		f.Want = slices.Clone(want)
	}
	return f
}

// weaker names the field of the claim that leaves out what fails: a modulus that the caller sees to, or a batch of other rows than the
// kernel takes; "" if there is none.
func (r *Run) weaker(l *ModularLaw, c *ModularCase, v *verdict.Verdict) string {
	p := *r.P
	m := &p.Claim.Moduli
	switch {
	case l.Refuses && m.Prime && m.Admits(c.Batch.Q, p.Claim.Bits) == nil:
		return "Claim.Moduli.UncheckedPrime"
	case l.Refuses:
		return "Claim.Moduli.Unchecked"
	case v.Cause != verdict.KernelFailed && v.Cause != verdict.KernelPanicked:
		return ""
	}
	for k := 2; k <= words.BatchRows; k *= 2 {
		p.Claim.Multiple = k
		if v := NewModularTrial(&p).Judge(l, c); v.Outcome != verdict.Broken {
			return "Claim.Multiple"
		}
	}
	return ""
}

// meaning says what a word of the claim stands for.
func meaning(w *modular.Word) string {
	if w.Shoup {
		return "Shoup's factor of the word before it"
	}
	if w.Integer {
		return "an integer"
	}
	text := "in [0, " + timesModulus(w.Range) + ")"
	switch w.Power {
	case 0:
		return text
	case 1:
		return text + ", ≡ residue·R"
	}
	return fmt.Sprintf("%s, ≡ residue·R^%d", text, w.Power)
}

// wordName returns the name of a word, or one for its place.
func wordName(words []modular.Word, i int, letter string) string {
	if words[i].Name != "" {
		return words[i].Name
	}
	if len(words) == 1 {
		return letter
	}
	return fmt.Sprintf("%s%d", letter, i)
}

// Text returns the report in plain text: the law, the modulus, the operands, what came out, and a command that finds it again.
func (f *ModularFailure) Text() string {
	v := &f.Verdict
	r := f.Begin(engine.HeadFinding(v))
	if len(f.Rows) > 1 {
		r.Wrap("row", fmt.Sprintf("%d, counted from 0, of a batch of %d; alone it does not fail", f.Row, len(f.Rows)))
	}
	r.Table(f.numbers())
	if w := v.Witness; w != nil && f.Law.Calls != nil {
		r.Wrap("beside", w.WantText)
	} else if w != nil && f.Law.Hardware {
		r.Wrap("beside", w.GotText+"; expected "+w.WantText)
	}
	r.Blank()
	smaller := ""
	if f.Steps > 0 {
		smaller = fmt.Sprintf("simplified in %s from", report.Plural(f.Steps, "step"))
		for i, w := range f.Original {
			smaller += fmt.Sprintf(" %s = %#x,", wordName(f.Claim.In, i, "x"), w)
		}
		smaller += fmt.Sprintf(" q = %#x", f.OriginalModulus)
	}
	r.WriteStack(f.Stack)
	return f.Finish(r, smaller, f.Cause)
}

// numbers returns the modulus, the operands, what was computed and what was expected.
func (f *ModularFailure) numbers() []report.Number {
	rows := []report.Number{report.IntegerNumber("q", f.Modulus, "the modulus")}
	if f.Law.Refuses {
		return rows
	}
	for i := range f.Claim.In {
		rows = append(rows, report.IntegerNumber(wordName(f.Claim.In, i, "x"), f.Rows[f.Row][i], meaning(&f.Claim.In[i])))
	}
	if f.Out == nil {
		return rows
	}
	names := func(k int) string {
		name := wordName(f.Claim.Out, k, "z")
		return name
	}
	for i, z := range f.Out {
		rows = append(rows, report.IntegerNumber(names(i), z, "computed; claimed "+meaning(&f.Claim.Out[i])))
	}
	for i, w := range f.Want {
		note := "expected"
		if !f.Claim.Out[i].Integer {
			note = "expected, modulo q"
			if z := f.Out[i] % f.Modulus; z == w {
				note += ", and so is the computed one"
			} else {
				note += fmt.Sprintf("; computed modulo q: %d", z)
			}
		}
		rows = append(rows, report.IntegerNumber(names(i), w, note))
	}
	for k, m := range f.More {
		if m.Out == nil {
			continue
		}
		mark := fmt.Sprintf("%d", k+2)
		for i, w := range m.In {
			if w != f.Rows[f.Row][i] {
				rows = append(rows, report.IntegerNumber(wordName(f.Claim.In, i, "x"), w, "operand of run "+mark))
			}
		}
		for i, z := range m.Out {
			rows = append(rows, report.IntegerNumber(names(i), z, "computed in run "+mark))
		}
	}
	return rows
}

// Promise says what the subject claims.
func (r *Run) Promise() engine.Promise { return engine.Promise{Claim: claimText(&r.P.Claim)} }

// claimText writes the claim in words.
func claimText(c *modular.Claim) string {
	text := fmt.Sprintf("%s of %d-bit words, R = 2^%d; ", c.Function, c.Bits, c.Bits)
	m := &c.Moduli
	switch {
	case len(m.Only) > 0:
		text += fmt.Sprintf("q of %d", m.Only)
	default:
		kind := "odd"
		if m.Even {
			kind = "any"
		}
		if m.Prime {
			kind = "prime"
		}
		text += fmt.Sprintf("%s q from %d to %#x", kind, m.MinModulus(), m.MaxModulus(c.Bits))
	}
	switch {
	case m.Unchecked:
		text += ", as the caller sees to"
	case m.UncheckedPrime:
		text += ", prime as the caller sees to"
	}
	if c.Multiple > 1 {
		text += fmt.Sprintf("; rows by multiples of %d", c.Multiple)
	}
	if c.InPlace {
		text += "; dst may be src"
	}
	return text
}

// jsonInteger is a word of a report for machines.
type jsonInteger struct {
	Name    string `json:"name,omitempty"`
	Hex     string `json:"hex"`
	Decimal string `json:"decimal"`
}

func integersJSON(words []modular.Word, letter string, values []uint64) (list []jsonInteger) {
	for i, v := range values {
		list = append(list, jsonInteger{wordName(words, i, letter), fmt.Sprintf("%#x", v), fmt.Sprint(v)})
	}
	return list
}

// jsonModularRun is a run that a law asked for.
type jsonModularRun struct {
	Operands []jsonInteger `json:"operands"`
	Got      []jsonInteger `json:"got"`
}

// JSONModularFailure is one line of failures.jsonl.
type JSONModularFailure struct {
	engine.JSONViolation

	Op       string           `json:"op"`
	Bits     int              `json:"bits"`
	Modulus  jsonInteger      `json:"modulus"`
	Row      int              `json:"row"`
	Rows     int              `json:"rows"`
	Operands []jsonInteger    `json:"operands"`
	Got      []jsonInteger    `json:"got,omitempty"`
	Want     []jsonInteger    `json:"want,omitempty"`
	More     []jsonModularRun `json:"more,omitempty"`
	Cause    string           `json:"cause,omitempty"`
	Steps    int              `json:"steps"`
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *ModularFailure) JSON() ([]byte, error) {
	j := JSONModularFailure{
		JSONViolation: f.InJSON(), Op: f.Claim.Function.String(),
		Bits: f.Claim.Bits, Modulus: jsonInteger{Hex: fmt.Sprintf("%#x", f.Modulus), Decimal: fmt.Sprint(f.Modulus)},
		Row: f.Row, Rows: len(f.Rows), Cause: f.CauseOr(f.Cause), Steps: f.Steps,
		Operands: integersJSON(f.Claim.In, "x", f.Rows[f.Row]), Got: integersJSON(f.Claim.Out, "z", f.Out),
		Want: integersJSON(f.Claim.Out, "z", f.Want),
	}
	for _, m := range f.More {
		if m.Out != nil {
			j.More = append(j.More, jsonModularRun{integersJSON(f.Claim.In, "x", m.In), integersJSON(f.Claim.Out, "z", m.Out)})
		}
	}
	return engine.LineOf(j)
}
