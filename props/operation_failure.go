package props

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"
)

// wordCase is a batch that fails, and the row that does.
type wordCase struct {
	at     Setting
	in     corpus.Values
	seed   uint64 // says where in memory the batch lies
	row    int
	recipe WordRecipe // that it was drawn by; without a family it was not
	cases  int        // judged until then
}

// WordFailure is a violation of a law by a row, reduced.
type WordFailure struct {
	// Device names the hardware that it ran on, with its detail; "" on the simulator and for Go functions.
	Device  string
	Law     WordLaw
	Subject string
	Claim   word.Claim // under the setting
	Format  model.Format
	Setting Setting
	// Rows are the operands of the reduced batch, and Row the one that fails; most often it is the only one. Out are its results.
	Rows     [][]uint64
	Row      int
	Out      []uint64
	Original []uint64 // the row as it was drawn
	Verdict  Verdict
	// Found is what the device's checkers found in the runs that the verdict judged; of laws about findings the witness has them.
	Found    model.Findings
	Details  oracle.WordDetails
	Recipe   string // that the batch was drawn by; "" if none is known
	Steps    int    // of the reduction
	Cases    int    // rows judged, the failing one included
	Seed     string
	Test     string
	File     string // where the rows are saved; "" if they are not
	Replayed bool   // a row on file
	Flaky    bool   // the batch failed when it was drawn, and not when it was judged again
	NotSaved string // why there is no file
	// Alone says where one row alone fails of the batch that was drawn, and is its first or last; "" otherwise.
	Alone string
	// Ran says which known algorithm behaves as the operation where that is not the claimed one: "the device ran DWTimesDW2 where
	// DWTimesDW3 was written". "" if the claimed one fits, or none is known, or the operation cannot be asked.
	Ran string

	seen string // what the law said of a flaky row when it failed
}

// reduceRows is how many batches a reduction may run.
const reduceRows = 20000

// examine reduces a failing batch, judges what is left once more, and saves it.
func (r *wordRun) examine(l *WordLaw, c *wordCase) *WordFailure {
	p := r.p
	trial := newWordTrial(p)
	first := insist(l.hardware != nil, func() Verdict { return trial.judge(l, c.at, c.in, c.seed) })
	if !first.fails() {
		f := r.failure(l, c, first)
		f.Flaky, f.NotSaved = true, "the rows passed when they were judged again, so that a file would show nothing"
		return f
	}
	row := trial.failing
	n := p.claim.Op.In()
	alone := r.alone(l, c, trial)
	bits := make([]uint64, c.in.Len())
	for i := range bits {
		bits[i] = c.in.At(i)
	}
	original := slices.Clone(bits[row*n : (row+1)*n])
	end := time.Now().Add(reduceTime)
	steps, evals := 0, 0
	fails := func(at Setting, rows []uint64) bool {
		evals++
		if evals > reduceRows || time.Now().After(end) || p.accepts(rows, at) != nil {
			return false
		}
		v := trial.judge(l, at, store(corpus.Values{}, rows, p.format), c.seed)
		return v.Outcome == first.Outcome
	}
	// The row alone, or the fewest rows that still fail.
	at := c.at
	if alone := bits[row*n : (row+1)*n]; fails(at, alone) {
		bits = slices.Clone(alone)
	} else {
		for size := len(bits) / n / 2 * n; size >= n; size = size / n / 2 * n {
			for k := 0; k+size <= len(bits) && len(bits) > size; {
				if less := slices.Concat(bits[:k], bits[k+size:]); fails(at, less) {
					bits = less
				} else {
					k += size
				}
			}
		}
	}
	if !at.Behaviour.Plain() && !p.sub.device.onHardware() {
		at.Behaviour = plainest(at.Behaviour, func(b model.Behaviour) bool { return fails(Setting{Behaviour: b, Launch: at.Launch}, bits) })
	}
	if len(bits) == n {
		for again := true; again; {
			again = false
			shrink := shrinkOperands(p.format, bits)
			for y, ok := shrink(); ok; y, ok = shrink() {
				if next := y.([]uint64); fails(at, next) {
					bits, again = next, true
					steps++
					break
				}
			}
		}
	}
	small := &wordCase{at: at, in: store(corpus.Values{}, bits, p.format), seed: c.seed, recipe: c.recipe, cases: c.cases}
	v := insist(l.hardware != nil, func() Verdict { return trial.judge(l, at, small.in, c.seed) })
	small.row = trial.failing
	f := r.failure(l, small, v)
	f.Original, f.Steps, f.Flaky = original, steps, !v.fails()
	f.Ran = r.ran(f)
	f.Alone = alone
	f.save(r.set)
	return f
}

// allFailing returns the rows that fail of the batch that a trial has judged last.
func (w *wordTrial) allFailing(l *WordLaw) (rows []int) {
	for i := range w.rows {
		if v := w.judgeRow(l, i, false); v.fails() {
			rows = append(rows, i)
		}
	}
	return rows
}

// alone says that one row alone fails of a batch and that it is the first or the last one, "" where that is not so. It looks whether
// another row fails in that place, too, and leaves the trial as it was.
func (r *wordRun) alone(l *WordLaw, c *wordCase, w *wordTrial) string {
	if w.rows < 2 || l.findings != nil || l.hardware != nil || w.loose(c.at) {
		return ""
	}
	was := w.failing
	defer func() { w.failing = was }()
	rows := w.allFailing(l)
	n, last := r.p.claim.Op.In(), w.rows-1
	if len(rows) != 1 || rows[0] != 0 && rows[0] != last {
		return ""
	}
	place := "last"
	if rows[0] == 0 {
		place = "first"
	}
	text := fmt.Sprintf("of the batch of %d rows that was drawn only the %s one fails", w.rows, place)
	bits := make([]uint64, 0, c.in.Len())
	for i := range c.in.Len() {
		bits = append(bits, c.in.At((i+n)%c.in.Len()))
	}
	if v := w.judge(l, c.at, store(corpus.Values{}, bits, r.p.format), c.seed); v.Outcome == Violated && slices.Equal(w.allFailing(l), rows) {
		text += ", and so does another row in its place"
	}
	return text
}

// ran fingerprints a binary32 operation that claims an algorithm, under the setting of a failure. An operation that breaks on a witness
// tells nothing; nor does an algorithm whose result for the failing row is another than the operation's, nor one that a fault found by
// the device's checkers makes look so.
func (r *wordRun) ran(f *WordFailure) string {
	p, at := r.p, f.Setting
	if f.Verdict.Outcome == Broken || firstFinding(f.Found) != nil {
		return ""
	}
	if p.format != model.Binary32 || p.alg == nil || p.alg.Op != p.claim.Op {
		return ""
	}
	broke := false
	res := Fingerprint(p.claim.Op, func(dst, src []float32) {
		defer func() {
			if recover() != nil {
				broke = true
			}
		}()
		in := corpus.Values{Format: p.format, F32: slices.Clone(src)}
		out := make([]uint64, len(dst))
		if broke || p.sub.run(at, nil, in, corpus.Values{Format: p.format}, in.Len(), out) != nil {
			broke = true
			return
		}
		for i, b := range out {
			dst[i] = math.Float32frombits(uint32(b))
		}
	})
	if broke || len(res.Names) == 0 || res.Fits(p.claim.Algorithm) || p.claim.Splits && res.Fits(p.claim.Algorithm+" with Dekker's product") {
		return ""
	}
	if res.keep(f.Rows[f.Row], f.Out); len(res.Names) == 0 {
		return ""
	}
	who := "the operation"
	if p.sub.device != nil {
		who = "the device"
	}
	return res.Sentence(who, p.claim.Algorithm)
}

// failure describes a batch as it was judged last.
func (r *wordRun) failure(l *WordLaw, c *wordCase, v Verdict) *WordFailure {
	p := r.p
	f := &WordFailure{
		Law: *l, Subject: p.name, Claim: p.claim, Format: p.format, Device: p.sub.device.text(), Setting: c.at, Row: c.row, Verdict: v,
		Cases: c.cases, Seed: r.set.seedText, Test: r.sum.Test,
	}
	if c.recipe.Family != "" {
		f.Recipe = c.recipe.String()
	}
	if p.sub.device != nil {
		f.Claim, _ = WeakenWord(p.claim, c.at.Behaviour, p.sub.device.Strict)
	}
	n := p.claim.Op.In()
	for i := range c.in.Len() / n {
		row := make([]uint64, n)
		for k := range row {
			row[k] = c.in.At(i*n + k)
		}
		f.Rows = append(f.Rows, row)
	}
	trial := newWordTrial(p)
	trial.judge(l, c.at, c.in, c.seed)
	if l.findings == nil {
		f.Found = slices.Clone(trial.t.met)
	}
	m := p.claim.Op.Out()
	f.Out = slices.Clone(trial.results[f.Row*m : (f.Row+1)*m])
	f.Details = trial.c.judge.Details(f.Rows[f.Row], f.Out)
	return f
}

// save writes the rows to a table below the directory of the settings.
func (f *WordFailure) save(s settings) {
	if s.save == "off" {
		f.NotSaved = "-gamma.save=off"
		return
	}
	if f.Flaky {
		f.NotSaved = "the rows passed when they were judged again, so that a file would show nothing"
		return
	}
	t := &corpus.Table{
		Law: f.Law.ID, Kernel: f.Subject, Behaviour: f.Setting.Behaviour, Launch: f.Setting.Launch,
		Batch: len(f.Rows) > 1, Format: f.Format, Words: len(f.Rows[0]),
	}
	for i, row := range f.Rows {
		text := ""
		if i == f.Row {
			text = f.Verdict.Reason
			if f.Recipe != "" {
				text += "; drawn as " + f.Recipe
			}
			for _, on := range foundOn(f.Device) {
				text += "; " + on
			}
		}
		t.Rows = append(t.Rows, corpus.TableRow{Words: row, Expect: corpus.ExpectHolds, Comment: text})
	}
	file, err := corpus.Save(s.save, t, corpus.Options{})
	if err != nil {
		f.NotSaved = err.Error()
		return
	}
	f.File = file
}

// ratValue is an exact number of a report: hex to the last bit where it has one, and decimal.
func ratValue(label string, v *big.Rat, digits int) number {
	n := number{label: label, decimal: new(big.Float).SetPrec(300).SetRat(v).Text('g', digits)}
	if d := v.Denom(); d.TrailingZeroBits() == uint(d.BitLen()-1) {
		n.hex = tidyHex(oracle.NewDyadic(new(big.Int).Set(v.Num()), 1-d.BitLen()).Hex())
	} else {
		n.hex = tidyHex(new(big.Float).SetPrec(uint(64)).SetRat(v).Text('x', 15)) + "…"
	}
	return n
}

// Text returns the report in plain text: the law, the operands, what came out, and a command that finds it again.
func (f *WordFailure) Text() string {
	var r report
	v := &f.Verdict
	verb := "violates"
	reason := headFinding(v)
	switch {
	case f.Flaky && !v.fails():
		verb, reason = "is flaky under", flakyText("a row", f.seen)
	case v.Outcome == Broken:
		verb = "breaks under"
	case v.Bound != "" && !math.IsInf(v.Ratio, 1):
		reason = fmt.Sprintf("the error is %s (%s)", multiple(v.Ratio), v.Bound)
	case v.Bound != "":
		reason = "there is an error, and none is allowed"
	}
	r.wrap("", fmt.Sprintf("%s %s %s: %s.", f.Subject, verb, f.Law.ID, strings.TrimRight(reason, ".")))
	r.blank()
	r.wrap("law", f.Law.Statement)
	r.wrap("if", f.Law.Hypotheses)
	r.wrap("source", f.source())
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
	var rows []number
	for i, name := range f.Claim.Op.InNames() {
		rows = append(rows, encoded(name, f.Format, f.Rows[f.Row][i]))
	}
	if v.Outcome != Broken {
		for i, name := range f.Claim.Op.OutNames() {
			rows = append(rows, encoded(name, f.Format, f.Out[i]))
		}
		rows = append(rows, f.exactNumbers()...)
	}
	r.table(rows)
	if f.Alone != "" {
		r.wrap("alone", f.Alone)
	}
	if w := v.Witness; w != nil && w.WantText != "" {
		r.wrap("expected", w.WantText)
	}
	r.blank()
	if f.Cases > 0 {
		found := fmt.Sprintf("row %d, -gamma.seed=%s", f.Cases, f.Seed)
		if f.Recipe != "" {
			found += ", of " + f.Recipe
		}
		if f.Steps > 0 {
			var from []string
			for _, b := range f.Original {
				from = append(from, corpus.FormatValue(f.Format, b))
			}
			found += fmt.Sprintf("; simplified in %d steps from %s", f.Steps, strings.Join(from, ", "))
		}
		r.wrap("found", found)
	}
	if found := foundText(f.Found); found != "" {
		r.wrap("cause", "kernel: "+found)
	} else if f.Ran != "" {
		r.wrap("cause", "its results on some forty witness rows say that "+f.Ran+".")
	}
	r.line("reproduce", f.reproduce())
	if f.File != "" {
		r.line("saved as", f.File)
	} else {
		r.line("not saved", strings.ReplaceAll(f.notSaved(), "\n", " "))
	}
	return strings.TrimSuffix(r.String(), "\n")
}

func (f *WordFailure) notSaved() string {
	if f.NotSaved == "" {
		return "the row was judged outside of a test"
	}
	return f.NotSaved
}

// source names where the bound that decided, or the law, comes from.
func (f *WordFailure) source() string {
	if w := f.Verdict.Witness; w != nil && w.Source != "" {
		return w.Source
	}
	return f.Law.Source
}

// claimText writes the claim in words.
func (f *WordFailure) claimText() string {
	c := &f.Claim
	parts := []string{f.Format.Name, c.Op.String()}
	add := func(ok bool, format string, args ...any) {
		if ok {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(c.Algorithm != "", "algorithm %s", c.Algorithm)
	add(c.Exact, "bit for bit")
	add(c.Bound != nil, "bound of its own")
	add(c.Rounding != model.NearestEven, "rounding %s", c.Rounding)
	add(c.Flush.Any(), "flush %s", c.Flush)
	return strings.Join(parts, "; ")
}

// exactNumbers returns the rows of exact components and their errors.
func (f *WordFailure) exactNumbers() []number {
	var rows []number
	name := func(text string, c int) string {
		if len(f.Details.Exact) == 1 {
			return text
		}
		return text + [...]string{".re", ".im"}[c]
	}
	for c, e := range f.Details.Exact {
		rows = append(rows, ratValue(name("exact", c), e.Lo, 20))
		if f.Details.Errors == nil {
			continue
		}
		err := new(big.Rat).Abs(f.Details.Errors[c].Lo)
		n := ratValue(name("error", c), err, 6)
		if f.Verdict.Bound != "" && len(f.Details.Exact) == 1 && !math.IsInf(f.Verdict.Ratio, 0) {
			n.note = "= " + multiple(f.Verdict.Ratio)
		}
		rows = append(rows, n)
	}
	if f.Verdict.Bound != "" {
		if b, ok := f.limit(); ok {
			n := ratValue("bound", b, 6)
			n.note = f.Verdict.Bound + ", " + f.source()
			rows = append(rows, n)
		}
	}
	return rows
}

// limit returns the bound as a number, where it is one of a single component: the limit of the witness, or error over ratio.
func (f *WordFailure) limit() (*big.Rat, bool) {
	if w := f.Verdict.Witness; w != nil && w.HasBound {
		return w.Limit.Rat(), true
	}
	if len(f.Details.Errors) != 1 || f.Claim.Op.Z == 1 {
		return nil, false
	}
	for _, b := range f.bounds() {
		if b.Text == f.Verdict.Bound && b.Factor != nil && !b.Normwise {
			return new(big.Rat).Abs(new(big.Rat).Mul(b.Factor(f.Format.P), f.Details.Exact[0].Lo)), true
		}
	}
	return nil, false
}

func (f *WordFailure) bounds() []word.Bound {
	if f.Claim.Bound != nil {
		return []word.Bound{*f.Claim.Bound}
	}
	if a, ok := word.ByName(f.Claim.Algorithm); ok {
		return a.Bounds
	}
	return nil
}

// reproduce returns the command that runs the row again: the table on file where there is one, and else the search that found it.
func (f *WordFailure) reproduce() string {
	file, _, _ := strings.Cut(f.File, ".cases:")
	if file != f.File {
		file += ".cases"
	}
	again := Failure{Device: f.Device, Law: Law{ID: f.Law.ID}, Seed: f.Seed, Test: f.Test, File: file}
	return again.reproduce()
}

// jsonWordFailure is one line of failures.jsonl.
type jsonWordFailure struct {
	Subject    string       `json:"subject"`
	Device     string       `json:"device,omitempty"` // of hardware, with its detail
	Law        string       `json:"law"`
	Op         string       `json:"op"`
	Statement  string       `json:"statement"`
	Hypotheses string       `json:"hypotheses,omitempty"`
	Source     string       `json:"source,omitempty"`
	Claim      string       `json:"claim"`
	Outcome    string       `json:"outcome"`
	Reason     string       `json:"reason,omitempty"`
	Bound      string       `json:"bound,omitempty"`
	Ratio      *float64     `json:"ratio,omitempty"`
	Format     string       `json:"format"`
	Behaviour  string       `json:"behaviour,omitempty"`
	Launch     string       `json:"launch,omitempty"`
	Row        int          `json:"row"`
	Rows       int          `json:"rows"`
	Operands   []jsonWord   `json:"operands"`
	Got        []jsonWord   `json:"got,omitempty"`
	Exact      []jsonNumber `json:"exact,omitempty"`
	Error      []jsonNumber `json:"error,omitempty"`
	Want       string       `json:"want,omitempty"`
	Findings   []string     `json:"findings,omitempty"`
	Ran        string       `json:"ran,omitempty"`
	Alone      string       `json:"alone,omitempty"`
	Flaky      bool         `json:"flaky"`
	Test       string       `json:"test,omitempty"`
	Seed       string       `json:"seed,omitempty"`
	Cases      int          `json:"cases"`
	Recipe     string       `json:"recipe,omitempty"`
	Steps      int          `json:"steps"`
	Replayed   bool         `json:"replayed"`
	Command    string       `json:"command"`
	File       string       `json:"file,omitempty"`
	NotSaved   string       `json:"not_saved,omitempty"`
}

// jsonWord is a word and its name.
type jsonWord struct {
	Name string `json:"name"`
	jsonNumber
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *WordFailure) JSON() ([]byte, error) {
	v := &f.Verdict
	j := jsonWordFailure{
		Subject: f.Subject, Device: f.Device, Law: string(f.Law.ID), Op: f.Claim.Op.String(), Statement: f.Law.Statement, Hypotheses: f.Law.Hypotheses,
		Source: f.source(), Claim: f.claimText(), Outcome: v.Outcome.String(), Reason: v.Reason, Bound: v.Bound, Format: f.Format.Name,
		Row: f.Row, Rows: len(f.Rows), Flaky: f.Flaky, Test: f.Test, Seed: f.Seed, Cases: f.Cases, Recipe: f.Recipe, Steps: f.Steps,
		Replayed: f.Replayed, Command: f.reproduce(), File: f.File, Ran: f.Ran, Alone: f.Alone,
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
	if v.Bound != "" && !math.IsInf(v.Ratio, 0) && !math.IsNaN(v.Ratio) {
		j.Ratio = &v.Ratio
	}
	for i, name := range f.Claim.Op.InNames() {
		j.Operands = append(j.Operands, jsonWord{name, encodedJSON(f.Format, f.Rows[f.Row][i])})
	}
	if v.Outcome != Broken {
		for i, name := range f.Claim.Op.OutNames() {
			j.Got = append(j.Got, jsonWord{name, encodedJSON(f.Format, f.Out[i])})
		}
		for c, e := range f.Details.Exact {
			n := ratValue("", e.Lo, 20)
			j.Exact = append(j.Exact, jsonNumber{Hex: n.hex, Decimal: n.decimal})
			if f.Details.Errors != nil {
				n := ratValue("", new(big.Rat).Abs(f.Details.Errors[c].Lo), 17)
				j.Error = append(j.Error, jsonNumber{Hex: n.hex, Decimal: n.decimal})
			}
		}
	}
	if w := v.Witness; w != nil {
		j.Want = w.WantText
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
