package words

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/word"
	"gamma/oracle"
	"gamma/props/internal/attack"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
)

// WordCase is a batch that fails, and the row that does.
type WordCase struct {
	At     verdict.Setting
	In     corpus.Values
	Seed   uint64 // says where in memory the batch lies
	row    int
	recipe WordRecipe // that it was drawn by; without a family it was not
	// period: the rows repeat after so many; 0: they do not.
	period int
}

// WordFailure is a violation of a law by a row, reduced.
type WordFailure struct {
	engine.FailureOf[*WordRow, word.Claim]
	Claim  word.Claim // under the setting
	Format model.Format
	// Rows are the operands of the reduced batch, and Row the one that fails; most often it is the only one. Out are its results.
	Rows     [][]uint64
	Row      int
	Out      []uint64
	Original []uint64 // the row as it was drawn
	Details  oracle.WordDetails
	Steps    int // of the reduction
	// Alone says where one row alone fails of the batch that was drawn, and is its first or last; "" otherwise.
	Alone string
	// Ran says which known algorithm behaves as the operation where that is not the claimed one: "the device ran DWTimesDW2 where
	// DWTimesDW3 was written". "" if the claimed one fits, or none is known, or the operation cannot be asked.
	Ran string
	// Cause says which index or count of the kernel has too few bits for the rows of the batch; "" if none does.
	Cause string
}

// Bounds of a reduction: how many batches it may run, and up to how many words of a batch it makes plainer.
const (
	reduceBatches = 20000
	reduceWords   = 32
)

// Examine reduces a failing batch, judges what is left once more, and saves it.
func (r *wordRun) Examine(l *WordLaw, c *WordCase, st *engine.LawStats) engine.Failure {
	trial, n := NewWordTrial(r.p), r.p.Claim.Op.In()
	x := engine.Examine(r, trial, l, c)
	row, bits := trial.Failing, vectors.BitsOf(c.In)
	alone, steps, small := "", 0, *c
	if x.First.Fails() {
		if x.First.Outcome == verdict.Violated {
			alone = r.alone(l, c, trial)
		}
		x.Reduce(reduceBatches, func(m *reduce.Loop[*WordCase]) { steps = r.shrink(m, row) })
		small = *trial.Kept(x.Small) // its operands are those that the law related
	}
	f := r.describe(l, &small, x.Last)
	f.Original, f.Steps, f.Alone = bits[row*n:(row+1)*n], steps, alone
	f.Flaky, f.Cases, f.Seen = x.Flaky(), st.Cases, st.Seen
	if x.Last.Fails() {
		if f.Cause = r.narrow(l, c); f.Cause == "" {
			f.Ran = r.ran(l, f)
		}
	}
	r.save(f, &small)
	return f
}

// narrow says which index or count has too few bits for the rows of a batch, "" if none does.
func (r *wordRun) narrow(l *WordLaw, c *WordCase) string {
	n := r.p.Claim.Op.In()
	if c.In.Len()/n < engine.NarrowRows || r.p.Sub.Device != nil || l.Found != nil {
		return ""
	}
	few := make([]uint64, engine.NarrowParts*n)
	for i := range few {
		few[i] = c.In.At(i)
	}
	t := NewWordTrial(r.p)
	if v := t.Judge(l, r.with(c, few)); v.Fails() || t.Rows < engine.NarrowParts {
		return ""
	}
	return engine.NarrowCalls(wordCalls{t}, "row", c.In.Len()/n)
}

// Shrink leaves the fewest rows, and makes their words plainer.
func (r *wordRun) Shrink(_ *WordLaw, m *reduce.Loop[*WordCase]) { r.shrink(m, 0) }

// shrink does so where one row is known to fail, and returns how many steps the words took.
func (r *wordRun) shrink(m *reduce.Loop[*WordCase], failing int) (steps int) {
	c, bits, n := m.Cur, vectors.BitsOf(m.Cur.In), r.p.Claim.Op.In()
	m.Rows(c.In.Len()/n, failing, func(drop []bool) *WordCase { return r.with(c, reduce.Without(bits, n, drop)) })
	m.Plain()
	before := m.Accepted
	m.Until(func() { m.Simplify(reduce.Values[*WordCase]{Of: r.values, With: r.with, Zero: true, Digits: true}) }, m.Plain)
	return m.Accepted - before
}

// with returns a case with other rows.
func (r *wordRun) with(c *WordCase, bits []uint64) *WordCase {
	own := *c
	own.In, own.period = vectors.ValuesOf(r.p.Format, bits), 0
	return &own
}

// values returns the words of a batch, if they are few.
func (r *wordRun) values(c *WordCase) []reduce.Value {
	op := r.p.Claim.Op
	if c.In.Len() > reduceWords {
		return nil
	}
	list := reduce.Numbers(r.p.Format, vectors.BitsOf(c.In))
	for i := range list {
		if i%op.In() >= op.In()*op.X/(op.X+op.Y) {
			list[i].Group = 1
		}
	}
	return list
}

// allFailing returns the rows that fail of the batch that a trial has judged last.
func (w *wordTrial) allFailing(l *WordLaw) (rows []int) {
	for i := range w.Rows {
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
	return v.Fails()
}

// alone says that one row alone fails of a batch and that it is the first or the last one, "" where that is not so. It looks whether
// another row fails in that place, too, and leaves the trial as it was.
func (r *wordRun) alone(l *WordLaw, c *WordCase, w *wordTrial) string {
	if w.Rows < 2 || l.Found != nil || l.Hardware || l.Calls != nil || w.loose(c.At) {
		return ""
	}
	was := w.Failing
	defer func() { w.Failing = was }()
	rows := w.allFailing(l)
	n, last := r.p.Claim.Op.In(), w.Rows-1
	if len(rows) != 1 || rows[0] != 0 && rows[0] != last {
		return ""
	}
	place := "last"
	if rows[0] == 0 {
		place = "first"
	}
	text := fmt.Sprintf("of the batch of %d rows that was drawn only the %s one fails", w.Rows, place)
	bits := make([]uint64, 0, c.In.Len())
	for i := range c.In.Len() {
		bits = append(bits, c.In.At((i+n)%c.In.Len()))
	}
	if v := w.Judge(l, &WordCase{At: c.At, In: vectors.ValuesOf(r.p.Format, bits), Seed: c.Seed}); v.Outcome == verdict.Violated && slices.Equal(w.allFailing(l), rows) {
		text += ", and so does another row in its place"
	}
	return text
}

// ran fingerprints a binary32 operation that claims an algorithm, under the setting of a failure. An operation that breaks on a witness
// tells nothing; nor does an algorithm whose result for the failing row is another than the operation's, nor one that a fault found by
// the device's checkers makes look so.
func (r *wordRun) ran(l *WordLaw, f *WordFailure) string {
	p := r.p
	if f.Verdict.Outcome == verdict.Broken || engine.FirstFinding(f.Found) != nil {
		return ""
	}
	if p.Alg == nil || p.Alg.Op != p.Claim.Op {
		return ""
	}
	if p.Format != model.Binary32 {
		return r.contracted(l, f)
	}
	broke := false
	res := attack.Fingerprint(p.Claim.Op, func(dst, src []float32) {
		defer func() {
			if recover() != nil {
				broke = true
			}
		}()
		in := corpus.Values{Format: p.Format, F32: slices.Clone(src)}
		out := make([]uint64, len(dst))
		at := p.Sub.Device.Fitted(in.Len()/p.Claim.Op.In(), f.Setting)
		if broke || p.Sub.Run(at, nil, in, corpus.Values{Format: p.Format}, in.Len(), out) != nil {
			broke = true
			return
		}
		for i, b := range out {
			dst[i] = math.Float32frombits(uint32(b))
		}
	})
	if broke || len(res.Names) == 0 || res.Fits(p.Claim.Algorithm) || p.Claim.Splits && res.Fits(p.Claim.Algorithm+" with Dekker's product") {
		return ""
	}
	if res.Keep(f.Rows[f.Row], f.Out); len(res.Names) == 0 {
		return ""
	}
	who := "the operation"
	if p.Sub.Device != nil {
		who = "the device"
	}
	return res.Sentence(who, p.Claim.Algorithm)
}

func (r *wordRun) Failure(l *WordLaw, c *WordCase, v verdict.Verdict, t engine.Trial[*WordRow, word.Claim, *WordCase]) engine.Failure {
	return r.describe(l, t.Kept(c), v)
}

// describe describes a batch as it was judged last.
func (r *wordRun) describe(l *WordLaw, c *WordCase, v verdict.Verdict) *WordFailure {
	p := r.p
	f := &WordFailure{Claim: p.Claim, Format: p.Format, Row: c.row}
	if p.Sub.Device != nil {
		f.Claim, _ = Under(p.Claim, p.Sub.Device, c.At.Behaviour)
	}
	n := p.Claim.Op.In()
	for i := range c.In.Len() / n {
		row := make([]uint64, n)
		for k := range row {
			row[k] = c.In.At(i*n + k)
		}
		f.Rows = append(f.Rows, row)
	}
	trial := NewWordTrial(p)
	trial.Judge(l, c)
	f.FailureOf = r.Failing("words", l, v, c.At, claimText(&f.Claim, f.Format), c.recipe.String(), trial.t.Met)
	m := p.Claim.Op.Out()
	f.Out = slices.Clone(trial.Results[f.Row*m : (f.Row+1)*m])
	if v.Fails() {
		f.Weaker = trial.weaker(l, &v)
	}
	f.Details = trial.c.judge.Details(f.Rows[f.Row], f.Out)
	return f
}

// Record writes the seed of a batch, how many rows it has and after how many they repeat, and the words of these.
func (r *wordRun) Record(b []byte, c *WordCase) []byte {
	n := r.p.Claim.Op.In()
	rows := c.In.Len() / n
	b = engine.AppendWords(b, c.Seed, uint64(rows), uint64(c.period))
	if c.period > 0 {
		rows = c.period
	}
	for i := range rows * n {
		b = engine.AppendWords(b, c.In.At(i))
	}
	return b
}

func (r *wordRun) Recorded(text []byte) (*WordCase, error) {
	words, err := engine.CutWords(text, 3)
	if err != nil {
		return nil, err
	}
	rows, err := engine.RecordedRows(words[1], words[2], words[3:], r.p.Claim.Op.In())
	if err != nil {
		return nil, err
	}
	return (&WordCase{Seed: words[0], In: vectors.ValuesOf(r.p.Format, words[3:])}).repeated(rows, r.p.Claim.Op.In()), nil
}

func (r *wordRun) Body(l *WordLaw, c *WordCase) corpus.Body {
	n := r.p.Claim.Op.In()
	t := &corpus.Table{
		Law: l.ID, Kernel: r.Name, Behaviour: c.At.Behaviour, Launch: c.At.Launch, Batch: c.In.Len() > n, Format: r.p.Format, Words: n,
	}
	if t.Batch {
		t.Seed = c.Seed // where the batch lies in memory may matter
	}
	for row := range slices.Chunk(vectors.BitsOf(c.In), n) {
		t.Rows = append(t.Rows, corpus.TableRow{Words: row, Expect: corpus.ExpectHolds})
	}
	return t
}

// save writes the rows of a failure to a table below the directory of the settings.
func (r *wordRun) save(f *WordFailure, c *WordCase) {
	t := r.Body(&f.Law, c).(*corpus.Table)
	r.Save(&f.Violation, t, "the batch", &t.Rows[f.Row].Comment)
}

// Text returns the report in plain text: the law, the operands, what came out, and a command that finds it again.
func (f *WordFailure) Text() string {
	v := &f.Verdict
	reason := engine.HeadFinding(v)
	switch {
	case v.Outcome == verdict.Broken:
	case v.Bound != "" && !math.IsInf(v.Ratio, 1):
		reason = fmt.Sprintf("the error is %s (%s)", report.Multiple(v.Ratio), v.Bound)
	case v.Bound != "":
		reason = "the result has to be exact, and is not"
	}
	r := f.Begin(reason)
	if len(f.Rows) > 1 {
		r.Wrap("row", fmt.Sprintf("%d, counted from 0, of a batch of %d; alone it does not fail", f.Row, len(f.Rows)))
	}
	var rows []report.Number
	for i, name := range f.Claim.Op.InNames() {
		rows = append(rows, report.Encoded(name, f.Format, f.Rows[f.Row][i]))
	}
	if v.Outcome != verdict.Broken {
		for i, name := range f.Claim.Op.OutNames() {
			rows = append(rows, report.Encoded(name, f.Format, f.Out[i]))
		}
		if !f.Own() { // a law of one's own need not be about the operation's exact result
			rows = append(rows, f.exactNumbers()...)
		}
	}
	r.Table(rows)
	if f.Alone != "" {
		r.Wrap("alone", f.Alone)
	}
	if w := v.Witness; w != nil && w.WantText != "" {
		r.Wrap("expected", w.WantText)
	}
	r.Blank()
	smaller := ""
	if f.Steps > 0 {
		var from []string
		for _, b := range f.Original {
			from = append(from, corpus.FormatValue(f.Format, b))
		}
		smaller = fmt.Sprintf("simplified in %d steps from %s", f.Steps, strings.Join(from, ", "))
	}
	cause := ""
	if f.Cause != "" {
		cause = "kernel: " + f.Cause
	}
	if f.Ran != "" {
		cause = "its results on some forty witness rows say that " + f.Ran + "."
	}
	r.WriteStack(f.Stack)
	return f.Finish(r, smaller, cause)
}

// Promise says what the subject claims.
func (r *wordRun) Promise() engine.Promise {
	return engine.Promise{Claim: claimText(&r.p.Claim, r.p.Format)}
}

// claimText writes a claim in words.
func claimText(c *word.Claim, in model.Format) string {
	parts := []string{in.Name, c.Op.String()}
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
	add(c.Finite, "finite numbers alone")
	add(c.Unnormalised, "the words of results may overlap")
	add(c.Multiple > 1, "rows by multiples of %d", c.Multiple)
	add(c.InPlace, "dst may be src")
	add(c.Special != word.SpecialPlain, "special results %s", c.Special)
	return strings.Join(parts, "; ")
}

// exactNumbers returns the rows of exact components and their errors.
func (f *WordFailure) exactNumbers() []report.Number {
	var rows []report.Number
	name := func(text string, c int) string {
		if len(f.Details.Exact) == 1 {
			return text
		}
		return text + [...]string{".re", ".im"}[c]
	}
	for c, e := range f.Details.Exact {
		rows = append(rows, report.RatValue(name("exact", c), e.Lo, 20))
		if f.Details.Errors == nil {
			continue
		}
		err := new(big.Rat).Abs(f.Details.Errors[c].Lo)
		n := report.RatValue(name("error", c), err, 6)
		if f.Verdict.Bound != "" && len(f.Details.Exact) == 1 && !math.IsInf(f.Verdict.Ratio, 0) {
			n.Note = "= " + report.Multiple(f.Verdict.Ratio)
		}
		rows = append(rows, n)
	}
	if f.Verdict.Bound != "" {
		if b, ok := f.limit(); ok {
			n := report.RatValue("bound", b, 6)
			n.Note = f.Verdict.Bound + ", " + f.Source()
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
	engine.JSONViolation

	Op       string              `json:"op"`
	Bound    string              `json:"bound,omitempty"`
	Ratio    *float64            `json:"ratio,omitempty"`
	Format   string              `json:"format"`
	Row      int                 `json:"row"`
	Rows     int                 `json:"rows"`
	Operands []jsonWord          `json:"operands"`
	Got      []jsonWord          `json:"got,omitempty"`
	Exact    []report.JSONNumber `json:"exact,omitempty"`
	Error    []report.JSONNumber `json:"error,omitempty"`
	Want     string              `json:"want,omitempty"`
	Ran      string              `json:"ran,omitempty"`
	Cause    string              `json:"cause,omitempty"`
	Alone    string              `json:"alone,omitempty"`
	Steps    int                 `json:"steps"`
}

// jsonWord is a word and its name.
type jsonWord struct {
	Name string `json:"name"`
	report.JSONNumber
}

// JSON returns the report for machines: one line, without a newline at its end.
func (f *WordFailure) JSON() ([]byte, error) {
	v := &f.Verdict
	j := jsonWordFailure{
		JSONViolation: f.InJSON(), Op: f.Claim.Op.String(),
		Bound: v.Bound, Format: f.Format.Name, Row: f.Row, Rows: len(f.Rows), Steps: f.Steps, Ran: f.Ran, Cause: f.Cause, Alone: f.Alone,
	}
	if v.Bound != "" && !math.IsInf(v.Ratio, 0) && !math.IsNaN(v.Ratio) {
		j.Ratio = &v.Ratio
	}
	for i, name := range f.Claim.Op.InNames() {
		j.Operands = append(j.Operands, jsonWord{name, report.EncodedJSON(f.Format, f.Rows[f.Row][i])})
	}
	if v.Outcome != verdict.Broken {
		for i, name := range f.Claim.Op.OutNames() {
			j.Got = append(j.Got, jsonWord{name, report.EncodedJSON(f.Format, f.Out[i])})
		}
		for c, e := range f.Details.Exact {
			if f.Own() {
				break
			}
			n := report.RatValue("", e.Lo, 20)
			j.Exact = append(j.Exact, report.JSONNumber{Hex: n.Hex, Decimal: n.Decimal})
			if f.Details.Errors != nil {
				n := report.RatValue("", new(big.Rat).Abs(f.Details.Errors[c].Lo), 17)
				j.Error = append(j.Error, report.JSONNumber{Hex: n.Hex, Decimal: n.Decimal})
			}
		}
	}
	if w := v.Witness; w != nil {
		j.Want = w.WantText
	}
	return engine.LineOf(j)
}
