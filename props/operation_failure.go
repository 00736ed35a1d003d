package props

import (
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
}

// WordFailure is a violation of a law by a row, reduced.
type WordFailure struct {
	Violation
	Law     WordLaw
	Claim   word.Claim // under the setting
	Format  model.Format
	Setting Setting
	// Rows are the operands of the reduced batch, and Row the one that fails; most often it is the only one. Out are its results.
	Rows     [][]uint64
	Row      int
	Out      []uint64
	Original []uint64 // the row as it was drawn
	Details  oracle.WordDetails
	Recipe   string // that the batch was drawn by; "" if none is known
	Steps    int    // of the reduction
	// Alone says where one row alone fails of the batch that was drawn, and is its first or last; "" otherwise.
	Alone string
	// Ran says which known algorithm behaves as the operation where that is not the claimed one: "the device ran DWTimesDW2 where
	// DWTimesDW3 was written". "" if the claimed one fits, or none is known, or the operation cannot be asked.
	Ran string
}

// reduceRows is how many batches a reduction may run.
const reduceRows = 20000

// examine reduces a failing batch, judges what is left once more, and saves it.
func (r *wordRun) examine(l *WordLaw, c *wordCase, st *lawStats) failure {
	p := r.p
	trial := newWordTrial(p)
	first := insist(l.Hardware, func() Verdict { return trial.judge(l, c) })
	if !first.fails() {
		f := r.describe(l, c, first)
		f.Flaky, f.Cases, f.seen = true, st.Cases, st.seen
		r.save(f, c)
		return f
	}
	row := trial.failing
	n := p.claim.Op.In()
	alone := ""
	if first.Outcome == Violated {
		alone = r.alone(l, c, trial)
	}
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
		v := trial.judge(l, &wordCase{at: at, in: valuesOf(p.format, rows), seed: c.seed})
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
			for _, next := range simplerOperands(p.format, bits) {
				if fails(at, next) {
					bits, again = next, true
					steps++
					break
				}
			}
		}
	}
	small := &wordCase{at: at, in: valuesOf(p.format, bits), seed: c.seed, recipe: c.recipe}
	v := insist(l.Hardware, func() Verdict { return trial.judge(l, small) })
	small.row = trial.failing
	f := r.describe(l, small, v)
	f.Original, f.Steps, f.Flaky, f.Cases = original, steps, !v.fails(), st.Cases
	f.Ran = r.ran(f)
	f.Alone = alone
	r.save(f, small)
	return f
}

// allFailing returns the rows that fail of the batch that a trial has judged last.
func (w *wordTrial) allFailing(l *WordLaw) (rows []int) {
	for i := range w.rows {
		if w.rowFails(l, i) {
			rows = append(rows, i)
		}
	}
	return rows
}

// rowFails judges row i of the batch that a trial has judged last; one on which the law panics fails.
func (w *wordTrial) rowFails(l *WordLaw, i int) (fails bool) {
	defer func() { fails = recover() != nil || fails }()
	v := w.judgeRow(l, i, false)
	return v.fails()
}

// alone says that one row alone fails of a batch and that it is the first or the last one, "" where that is not so. It looks whether
// another row fails in that place, too, and leaves the trial as it was.
func (r *wordRun) alone(l *WordLaw, c *wordCase, w *wordTrial) string {
	if w.rows < 2 || l.Found != nil || l.Hardware || w.loose(c.at) {
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
	if v := w.judge(l, &wordCase{at: c.at, in: valuesOf(r.p.format, bits), seed: c.seed}); v.Outcome == Violated && slices.Equal(w.allFailing(l), rows) {
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

func (r *wordRun) failure(l *WordLaw, c *wordCase, v Verdict, t trial[*WordRow, word.Claim, *wordCase]) failure {
	return r.describe(l, t.kept(c), v)
}

// describe describes a batch as it was judged last.
func (r *wordRun) describe(l *WordLaw, c *wordCase, v Verdict) *WordFailure {
	p := r.p
	f := &WordFailure{
		Violation: r.violation("words", v), Law: *l, Claim: p.claim, Format: p.format, Setting: c.at, Row: c.row,
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
	trial.judge(l, c)
	if l.Found == nil {
		f.Found = slices.Clone(trial.t.met)
	}
	m := p.claim.Op.Out()
	f.Out = slices.Clone(trial.results[f.Row*m : (f.Row+1)*m])
	f.Details = trial.c.judge.Details(f.Rows[f.Row], f.Out)
	return f
}

// record writes the words of a batch, recall makes a table of them, and body one of a batch.
func (r *wordRun) record(b []byte, c *wordCase) []byte {
	b = appendWords(appendSetting(b, c.at), c.seed)
	for i := range c.in.Len() {
		b = appendWords(b, c.in.At(i))
	}
	return b
}

func (r *wordRun) recall(law model.LawID, text []byte) (corpus.Body, error) {
	at, text, err := cutSetting(text)
	if err != nil {
		return nil, err
	}
	words, err := cutWords(text)
	if err != nil || len(words) == 0 {
		return nil, errCutOff
	}
	return r.body(&WordLaw{ID: law}, &wordCase{at: at, seed: words[0], in: valuesOf(r.p.format, words[1:])}), nil
}

func (r *wordRun) body(l *WordLaw, c *wordCase) corpus.Body {
	n := r.p.claim.Op.In()
	t := &corpus.Table{
		Law: l.ID, Kernel: r.name, Behaviour: c.at.Behaviour, Launch: c.at.Launch, Batch: c.in.Len() > n, Format: r.p.format, Words: n,
	}
	if t.Batch {
		t.Seed = c.seed // where the batch lies in memory may matter
	}
	for row := range slices.Chunk(bitsOf(c.in), n) {
		t.Rows = append(t.Rows, corpus.TableRow{Words: row, Expect: corpus.ExpectHolds})
	}
	return t
}

// save writes the rows of a failure to a table below the directory of the settings.
func (r *wordRun) save(f *WordFailure, c *wordCase) {
	if r.set.save == "off" {
		f.NotSaved = "-gamma.save=off"
		return
	}
	t := r.body(&f.Law, c).(*corpus.Table)
	t.Isolate = f.Verdict.Cause.isolated()
	text := f.Verdict.Reason
	if f.passedAgain() {
		text = flakyText("the batch", f.seen)
	}
	if f.Recipe != "" {
		text += "; drawn as " + f.Recipe
	}
	for _, on := range foundOn(f.Device) {
		text += "; " + on
	}
	t.Rows[f.Row].Comment = text
	file, err := corpus.Save(r.set.save, t, replayOptions)
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
	reason := headFinding(v)
	switch {
	case v.Outcome == Broken:
	case v.Bound != "" && !math.IsInf(v.Ratio, 1):
		reason = fmt.Sprintf("the error is %s (%s)", multiple(v.Ratio), v.Bound)
	case v.Bound != "":
		reason = "there is an error, and none is allowed"
	}
	r.wrap("", f.headline(f.Law.ID, "a row", reason))
	r.blank()
	r.writeLaw(f.Law.Statement, f.Law.Hypotheses, f.source(), f.claimText())
	f.writeSetting(&r, f.Setting)
	r.blank()
	f.writeFound(&r)
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
	smaller := ""
	if f.Steps > 0 {
		var from []string
		for _, b := range f.Original {
			from = append(from, corpus.FormatValue(f.Format, b))
		}
		smaller = fmt.Sprintf("simplified in %d steps from %s", f.Steps, strings.Join(from, ", "))
	}
	cause := ""
	if f.Ran != "" {
		cause = "its results on some forty witness rows say that " + f.Ran + "."
	}
	r.writeStack(f.Stack)
	return f.end(&r, f.Law.ID, f.foundBy("row", f.Recipe, smaller), f.causeOr(isOwn(wordLaws, &f.Law), cause))
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

// jsonWordFailure is one line of failures.jsonl.
type jsonWordFailure struct {
	jsonViolation

	Op       string       `json:"op"`
	Bound    string       `json:"bound,omitempty"`
	Ratio    *float64     `json:"ratio,omitempty"`
	Format   string       `json:"format"`
	Row      int          `json:"row"`
	Rows     int          `json:"rows"`
	Operands []jsonWord   `json:"operands"`
	Got      []jsonWord   `json:"got,omitempty"`
	Exact    []jsonNumber `json:"exact,omitempty"`
	Error    []jsonNumber `json:"error,omitempty"`
	Want     string       `json:"want,omitempty"`
	Ran      string       `json:"ran,omitempty"`
	Alone    string       `json:"alone,omitempty"`
	Steps    int          `json:"steps"`
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
		jsonViolation: f.json(f.Law.ID, f.Law.Statement, f.Law.Hypotheses, f.source(), f.claimText(), f.Recipe, f.Setting), Op: f.Claim.Op.String(),
		Bound: v.Bound, Format: f.Format.Name, Row: f.Row, Rows: len(f.Rows), Steps: f.Steps, Ran: f.Ran, Alone: f.Alone,
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
	return lineOf(j)
}
