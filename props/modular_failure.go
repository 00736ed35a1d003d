package props

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gamma/model"
	"gamma/model/modular"
)

// ModularFailure is a violation of a law by a row of residues, reduced.
type ModularFailure struct {
	// Device names the hardware that it ran on, with its detail; "" on the simulator and for Go functions.
	Device  string
	Law     ModularLaw
	Subject string
	Claim   modular.Claim
	Setting Setting
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
	Verdict         Verdict
	// Found is what the device's checkers found in the runs that the verdict judged; of laws about findings the witness has them.
	Found    model.Findings
	Cause    string // what the operation computes in the place of what it should, where that is recognised
	Recipe   string // that the batch was drawn by; "" if none is known
	Steps    int    // of the reduction
	Cases    int    // rows judged, the failing one included
	Seed     string
	Test     string
	File     string // where the rows are saved; "" if they are not
	Replayed bool   // a row on file
	Flaky    bool   // the batch failed when it was drawn, and not when it was judged again
	NotSaved string // why there is no file
	Isolated bool

	seen string // what the law said of a flaky row when it failed
}

func (f *ModularFailure) replayed(file string) { f.File, f.Replayed = file, true }
func (f *ModularFailure) saw(what string)      { f.seen = what }

func (r *modularRun) failure(l *ModularLaw, c *modularCase, v Verdict, t trial[*ModularRow, modular.Claim, *modularCase]) failure {
	c = t.kept(c)
	f := r.describe(l, c, v)
	f.Cause = r.cause(l, c, c.batch.q)
	return f
}

// describe describes a batch as it is judged now.
func (r *modularRun) describe(l *ModularLaw, c *modularCase, v Verdict) *ModularFailure {
	p, b := r.p, c.batch
	f := &ModularFailure{
		Law: *l, Subject: p.name, Claim: p.claim, Device: p.device.text(), Setting: b.at, Modulus: b.q, Row: c.row, Verdict: v,
		Seed: r.set.seedText, Test: r.sum.Test, Isolated: r.set.isolate,
	}
	if c.recipe.Family != "" {
		f.Recipe = c.recipe.String()
	}
	n := len(p.claim.In)
	for i := range b.rows {
		f.Rows = append(f.Rows, slices.Clone(b.in[i*n:(i+1)*n]))
	}
	trial := newModularTrial(p)
	w := trial.judge(l, c)
	if l.Found == nil {
		f.Found = slices.Clone(trial.found)
	}
	if w.Outcome == Broken || l.Refuses || l.Found != nil {
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

// integerNumber is a row of a table that holds a word, in hex and decimal.
func integerNumber(label string, v uint64, note string) number {
	return number{label: label, hex: fmt.Sprintf("%#x", v), decimal: fmt.Sprint(v), note: note}
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
	var r report
	v := &f.Verdict
	verb, reason := "violates", headFinding(v)
	switch {
	case f.Flaky && !v.fails():
		verb, reason = "is flaky under", flakyText("a row", f.seen)
	case v.Outcome == Broken:
		verb = "breaks under"
	}
	r.wrap("", fmt.Sprintf("%s %s %s: %s.", f.Subject, verb, f.Law.ID, strings.TrimRight(reason, ".")))
	r.blank()
	r.wrap("law", f.Law.Statement)
	r.wrap("if", f.Law.Hypotheses)
	r.wrap("source", f.Law.Source)
	r.wrap("claim", f.claimText())
	if f.Device != "" {
		r.wrap("device", f.Device)
	}
	if !f.Setting.Behaviour.Plain() {
		r.wrap("behaviour", f.Setting.Behaviour.String())
	}
	if !f.Setting.Launch.IsZero() {
		r.wrap("launch", f.Setting.Launch.String())
	}
	r.blank()
	if w := v.Witness; w != nil && len(w.Findings) > 0 {
		writeFindings(&r, w.Findings)
		r.blank()
	}
	if len(f.Rows) > 1 {
		r.wrap("row", fmt.Sprintf("%d, counted from 0, of a batch of %d; alone it does not fail", f.Row, len(f.Rows)))
	}
	r.table(f.numbers())
	if w := v.Witness; w != nil && f.Law.Hardware {
		r.wrap("beside", w.GotText+"; expected "+w.WantText)
	}
	r.blank()
	if f.Cases > 0 {
		found := fmt.Sprintf("row %d, -gamma.seed=%s", f.Cases, f.Seed)
		if f.Recipe != "" {
			found += ", of " + f.Recipe
		}
		if f.Steps > 0 {
			found += fmt.Sprintf("; simplified in %s from", plural(f.Steps, "step"))
			for i, w := range f.Original {
				found += fmt.Sprintf(" %s = %#x,", wordName(f.Claim.In, i, "x"), w)
			}
			found += fmt.Sprintf(" q = %#x", f.OriginalModulus)
		}
		r.wrap("found", found)
	} else if f.Replayed {
		r.wrap("found", "on file, and replayed")
	}
	if cause := f.causeText(); cause != "" {
		r.wrap("cause", cause)
	}
	r.line("reproduce", f.reproduce())
	if f.File != "" {
		r.line("saved as", f.File)
	} else {
		r.line("not saved", strings.ReplaceAll(f.notSaved(), "\n", " "))
	}
	return strings.TrimSuffix(r.String(), "\n")
}

// causeText is what the device's checkers found, or else what the operation computes in the place of what it should.
func (f *ModularFailure) causeText() string {
	if found := foundText(f.Found); found != "" {
		return "kernel: " + found
	}
	return f.Cause
}

// numbers returns the modulus, the operands, what was computed and what was expected.
func (f *ModularFailure) numbers() []number {
	rows := []number{integerNumber("q", f.Modulus, "the modulus")}
	if f.Law.Refuses {
		return rows
	}
	for i := range f.Claim.In {
		rows = append(rows, integerNumber(wordName(f.Claim.In, i, "x"), f.Rows[f.Row][i], meaning(&f.Claim.In[i])))
	}
	if f.Out == nil {
		return rows
	}
	names := func(k int) string {
		name := wordName(f.Claim.Out, k, "z")
		return name
	}
	for i, z := range f.Out {
		rows = append(rows, integerNumber(names(i), z, "computed; claimed "+meaning(&f.Claim.Out[i])))
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
		rows = append(rows, integerNumber(names(i), w, note))
	}
	for k, m := range f.More {
		if m.Out == nil {
			continue
		}
		mark := fmt.Sprintf("%d", k+2)
		for i, w := range m.In {
			if w != f.Rows[f.Row][i] {
				rows = append(rows, integerNumber(wordName(f.Claim.In, i, "x"), w, "operand of run "+mark))
			}
		}
		for i, z := range m.Out {
			rows = append(rows, integerNumber(names(i), z, "computed in run "+mark))
		}
	}
	return rows
}

func (f *ModularFailure) notSaved() string {
	if f.NotSaved == "" {
		return "the row was judged outside of a test"
	}
	return f.NotSaved
}

// claimText writes the claim in words.
func (f *ModularFailure) claimText() string {
	c := &f.Claim
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
	return text
}

// reproduce returns the command that runs the row again: the file where there is one, and else the search that found it.
func (f *ModularFailure) reproduce() string {
	file, _, _ := strings.Cut(f.File, ".residues:")
	if file != f.File {
		file += ".residues"
	}
	again := Failure{Device: f.Device, Law: Law{ID: f.Law.ID}, Seed: f.Seed, Test: f.Test, File: file, Isolated: f.Isolated}
	return again.reproduce()
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

// jsonModularFailure is one line of failures.jsonl.
type jsonModularFailure struct {
	Subject    string           `json:"subject"`
	Device     string           `json:"device,omitempty"` // of hardware, with its detail
	Law        string           `json:"law"`
	Op         string           `json:"op"`
	Statement  string           `json:"statement"`
	Hypotheses string           `json:"hypotheses,omitempty"`
	Source     string           `json:"source,omitempty"`
	Claim      string           `json:"claim"`
	Outcome    string           `json:"outcome"`
	Reason     string           `json:"reason,omitempty"`
	Bits       int              `json:"bits"`
	Modulus    jsonInteger      `json:"modulus"`
	Behaviour  string           `json:"behaviour,omitempty"`
	Launch     string           `json:"launch,omitempty"`
	Row        int              `json:"row"`
	Rows       int              `json:"rows"`
	Operands   []jsonInteger    `json:"operands"`
	Got        []jsonInteger    `json:"got,omitempty"`
	Want       []jsonInteger    `json:"want,omitempty"`
	More       []jsonModularRun `json:"more,omitempty"`
	Findings   []string         `json:"findings,omitempty"`
	Cause      string           `json:"cause,omitempty"`
	Flaky      bool             `json:"flaky"`
	Test       string           `json:"test,omitempty"`
	Seed       string           `json:"seed,omitempty"`
	Cases      int              `json:"cases"`
	Recipe     string           `json:"recipe,omitempty"`
	Steps      int              `json:"steps"`
	Replayed   bool             `json:"replayed"`
	Command    string           `json:"command"`
	File       string           `json:"file,omitempty"`
	NotSaved   string           `json:"not_saved,omitempty"`
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *ModularFailure) JSON() ([]byte, error) {
	v := &f.Verdict
	j := jsonModularFailure{
		Subject: f.Subject, Device: f.Device, Law: string(f.Law.ID), Op: f.Claim.Function.String(), Statement: f.Law.Statement, Hypotheses: f.Law.Hypotheses,
		Source: f.Law.Source, Claim: f.claimText(), Outcome: v.Outcome.String(), Reason: v.Reason, Bits: f.Claim.Bits,
		Modulus: jsonInteger{Hex: fmt.Sprintf("%#x", f.Modulus), Decimal: fmt.Sprint(f.Modulus)},
		Row:     f.Row, Rows: len(f.Rows), Cause: f.causeText(), Flaky: f.Flaky, Test: f.Test, Seed: f.Seed, Cases: f.Cases, Recipe: f.Recipe,
		Steps: f.Steps, Replayed: f.Replayed, Command: f.reproduce(), File: f.File,
		Operands: integersJSON(f.Claim.In, "x", f.Rows[f.Row]), Got: integersJSON(f.Claim.Out, "z", f.Out),
		Want: integersJSON(f.Claim.Out, "z", f.Want),
	}
	if f.File == "" {
		j.NotSaved = f.notSaved()
	}
	if !f.Setting.Behaviour.Plain() {
		j.Behaviour = f.Setting.Behaviour.String()
	}
	if !f.Setting.Launch.IsZero() {
		j.Launch = f.Setting.Launch.String()
	}
	for _, m := range f.More {
		if m.Out != nil {
			j.More = append(j.More, jsonModularRun{integersJSON(f.Claim.In, "x", m.In), integersJSON(f.Claim.Out, "z", m.Out)})
		}
	}
	j.Findings = findingTexts(v.Witness, f.Found)
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(j); err != nil {
		return nil, fmt.Errorf("props: the report has no JSON: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
