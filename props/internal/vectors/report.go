package vectors

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/verdict"
)

// Text returns the report in plain text, of at most 88 columns, command and file name aside: the law,
// the numbers, the leaves that matter, the schedule, how it was found, and the cause. Its last line
// names the file of the case, and the one before it is a command that runs the case again.
func (f *Failure) Text() string {
	var r report.Report
	r.Wrap("", f.Headline())
	r.Blank()
	f.writeLaw(&r)
	f.writeNumbers(&r)
	r.WriteStack(f.Stack)
	r.Blank()
	f.writeLeaves(&r)
	f.WriteSchedule(&r)
	r.Blank()
	kind, text := f.Cause()
	return f.End(&r, f.Law.ID, f.found(), kind+": "+text)
}

// Headline names subject, law and reason in one sentence.
func (f *Failure) Headline() string {
	v := &f.Verdict
	switch {
	case f.Doubt != "":
		return fmt.Sprintf("THE JUDGE IS WRONG about %s under %s: the oracle and math/big disagree on the exact value.", f.Subject, f.Law.ID)
	case f.PassedAgain():
		return f.Violation.Headline(f.Law.ID, "a case", "")
	}
	reason := engine.HeadFinding(v)
	if w := v.Witness; w != nil && w.HasBound {
		reason = fmt.Sprintf("the error is %s (%s)", report.Multiple(v.Ratio), f.boundName())
		if w.Limit.IsZero() {
			reason = fmt.Sprintf("the result has to be exact here, and is not: its bound, %s, is 0", f.boundName())
		}
	}
	text := f.Violation.Headline(f.Law.ID, "a case", reason)
	if hint := cmp.Or(f.Fault, f.Hint()); hint != "" {
		text += " " + hint
	}
	return text
}

func (f *Failure) writeLaw(r *report.Report) {
	statement, source := f.Statement()
	r.WriteLaw(statement, f.Law.Hypotheses, source, f.claimText())
}

// boundName returns the name of the bound that decided, with what its theorem leaves to the claim: the
// roundings of products and of a mean's quotient, and an absolute part that is the greater.
func (f *Failure) boundName() string {
	name, c := f.Verdict.Bound, &f.Claim
	if name == "" {
		return ""
	}
	plain := strings.HasPrefix(name, "order-free") || strings.HasPrefix(name, "height (1+v)^h-1")
	if f.Law.Op == engine.OpDot && plain && 2*c.In.P > c.Acc.P {
		name += ", products rounded"
	}
	if c.Mean {
		name += ", quotient rounded"
	}
	if f.part != "" {
		name += ", here its " + f.part
	}
	return name
}

// Statement returns the law's statement and source for the claim at hand: of a compensated sum those
// of its scheme, and of a mean what its law says of n times it.
func (f *Failure) Statement() (text, source string) {
	text, source = f.Law.Statement, f.Law.Source
	if _, err := engine.LawByID(Laws(), f.Law.ID); err != nil {
		return text, source
	}
	sum := "Σx_i"
	if f.Law.Op == engine.OpDot {
		sum = "Σx_i·y_i"
	}
	left := "|computed - " + sum + "| <= "
	if f.Law.ID == model.SumCompensated || f.Law.ID == model.DotCompensated {
		text, source = left+f.schemeBound(), f.schemeSource()
	}
	if !f.Claim.Mean {
		return text, source
	}
	if f.Claim.Compensation == model.DoubleWord && f.Law.ID == model.SumCompensated {
		return "|n·computed - Σx_i| <= ((1+v)(1+q)-1)·|Σx_i| + (1+v)(1+q)(n-2)u²·Σ|x_i| + n(2+v)·η, q <= 3u² of the division", source
	}
	if limit, ok := strings.CutPrefix(text, left); ok {
		return "|n·computed - " + sum + "| <= (1+v)·E + v·|" + sum + "| + n·η, E = " + limit, source
	}
	text = strings.Replace(text, "computed = "+sum, "computed = ("+sum+")/n", 1)
	return strings.Replace(text, "the claimed schedule's evaluation", "the claimed schedule's evaluation, divided by n", 1), source
}

// schemeBound writes the bound of the claimed compensation.
func (f *Failure) schemeBound() string {
	c, name := &f.Claim, f.Verdict.Bound
	same := c.In == c.Acc && c.Acc == c.Out
	switch {
	case same && f.Law.Op == engine.OpSum && name == "Kahan, certificate for n":
		return "((1+v)(1+ρ)(1+α)^(n-2) - 1)·Σ|x_i|, about 3u·Σ|x_i|, where ρ=v(1+(1+v)(1+2v)) and α=2u(1+v)ρ"
	case same && f.Law.Op == engine.OpSum && strings.HasPrefix(name, "Sum2 v|S|"):
		return "v·|Σx_i| + (1+v)(n-1)(n-2)v²·Σ|x_i|"
	case same && strings.HasPrefix(name, "Dot2 v|S|"):
		return "v·|S| + (1+v)·n²u²·A + (1+v)·n·η(1+2nu+n²u²), A = Σ|x_i·y_i|"
	case same && !f.Claim.Mean && f.Law.Op == engine.OpSum && strings.HasPrefix(name, "double word v|S|"):
		return "v·|Σx_i| + (1+v)(n-2)u²·Σ|x_i|"
	case name != "":
		return "the bound of the scheme: " + name
	}
	return "the bound of the claimed scheme, " + string(c.Compensation)
}

// schemeSource returns the source of the bound that decided, or of the law.
func (f *Failure) schemeSource() string {
	if w := f.Verdict.Witness; w != nil && w.HasBound {
		return w.Source
	}
	return f.Law.Source
}

// rowLength returns the number of leaves of a row of the case.
func (f *Failure) rowLength() int { return f.Case.N() / max(f.Case.Rows, 1) }

// claimText writes the claim in words.
func (f *Failure) claimText() string {
	c, n, height, schedule := &f.Claim, f.rowLength(), "", ""
	if h, ok := heightOf(c, n); ok {
		height = fmt.Sprintf("height at most %d for n = %d", h, n)
	} else if c.Height != nil {
		height = fmt.Sprintf("a height that is not known for n = %d", n)
	}
	switch {
	case c.Tree == "" && f.Case.Tree != "":
		schedule = "the tree that it is given"
	case f.ownTree && f.Case.Tree == "":
		schedule = "the tree of its Schedule"
	}
	return claimWords(c, height, schedule)
}

// Promise says what the subject claims.
func (r *Run) Promise() engine.Promise {
	c, height, schedule := r.Sub.Claim, "", ""
	if c.Height != nil {
		height = "a height as a function of n"
	}
	switch {
	case c.Tree == "" && r.Sub.Follows:
		schedule = "the tree that it is given"
	case c.Tree == "" && r.Sub.Schedule != nil:
		schedule = "the tree of its Schedule"
	}
	return engine.Promise{Claim: claimWords(&c, height, schedule), Tree: c.Tree}
}

// claimWords writes a claim in words: height and schedule say what is promised of the tree besides c.Tree.
func claimWords(c *model.Claim, height, schedule string) string {
	parts := []string{c.In.Name + " throughout"}
	if c.Acc != c.In || c.Out != c.In {
		parts = []string{fmt.Sprintf("%s leaves, %s additions, %s result", c.In, c.Acc, c.Out)}
	}
	add := func(ok bool, format string, args ...any) {
		if ok {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(c.Tree != "", "tree %s", c.Tree)
	add(height != "", "%s", height)
	add(schedule != "", "%s", schedule)
	add(c.Tree == "" && schedule == "" && c.Height == nil && c.Compensation == model.Uncompensated, "any order")
	if c.Compensation != model.Uncompensated {
		s := "compensation " + string(c.Compensation)
		if c.Folds > 0 {
			s += ", " + report.Count(c.Folds, "fold")
		}
		if c.Block > 0 {
			s += fmt.Sprintf(", block %d", c.Block)
		}
		parts = append(parts, s)
	}
	add(c.Fusion != model.Unfused, "fused %s", c.Fusion)
	add(c.Mean, "divided by n")
	add(c.Rounding != model.NearestEven && !c.Mixed, "rounding %s", c.Rounding)
	add(c.Mixed, "rounding %s, or to nearest by host code", c.Rounding)
	add(c.Flush.Any(), "flush %s", c.Flush)
	add(c.Commutes, "commutes")
	add(c.Repeats, "repeats")
	add(c.SignedZero, "signed zeros")
	add(c.OverflowSafe, "safe from overflow")
	add(c.MinN > 0, "n from %d", c.MinN)
	add(c.MaxN > 0, "n up to %d", c.MaxN)
	add(c.Multiple > 1, "n a multiple of %d", c.Multiple)
	add(c.Finite, "finite numbers alone")
	return strings.Join(parts, "; ")
}

func (f *Failure) writeNumbers(r *report.Report) {
	w := f.Verdict.Witness
	if w == nil {
		return
	}
	r.Blank()
	if len(w.Findings) > 0 {
		engine.WriteFindings(r, w.Findings)
		return
	}
	if f.Case.Rows > 1 {
		r.Wrap("row", fmt.Sprintf("%d, counted from 0; the first that fails of %d", w.Row, f.Case.Rows))
	}
	got := report.Encoded("computed", w.Out, w.Got)
	rows := []report.Number{got}
	var rest string
	if w.HasBound {
		rows = append(rows, f.boundNumbers(&rows[0])...)
	} else {
		var wanted []report.Number
		wanted, rest = SplitWant(w.WantText)
		for i := range wanted {
			if b, err := corpus.ParseValue(w.Out, wanted[i].Hex); err == nil && w.Out.IsFinite(b) {
				wanted[i].Decimal = report.Decimal(w.Out, b)
			}
		}
		if len(wanted) == 1 {
			wanted[0].Note = strings.Join(slices.DeleteFunc([]string{wanted[0].Note, off(w, wanted[0].Hex)}, func(s string) bool { return s == "" }), "; ")
		}
		rows = append(rows, wanted...)
	}
	r.Table(rows)
	if rest != "" {
		r.Wrap("expected", rest)
	}
}

// boundNumbers returns the rows of exact value, error and bound, in as many decimal digits as tell
// them apart.
func (f *Failure) boundNumbers(got *report.Number) []report.Number {
	w := f.Verdict.Witness
	digits := 9
	value := w.Exact
	exact := "exact"
	err := "error"
	if f.Claim.Mean {
		exact, err = "exact sum", "|n·got-sum|"
	} else if w.Out.IsFinite(w.Got) {
		v := oracle.FromBits(w.Out, w.Got)
		for ; digits < 30 && v.Decimal(digits) == value.Decimal(digits) && v.Cmp(value) != 0; digits++ {
			continue
		}
		got.Decimal = v.Decimal(digits)
	}
	few := 6
	for ; few < 30 && w.Error.Decimal(few) == w.Limit.Decimal(few) && w.Error.Cmp(w.Limit) != 0; few++ {
		continue
	}
	note := "= " + report.Multiple(f.Verdict.Ratio)
	if w.Limit.IsZero() {
		note = "any error is too much"
	}
	if !f.Claim.Mean && !w.Exact.IsZero() {
		note += "; " + report.Rough(oracle.UlpError(w.Out, w.Got, w.Exact), 3) + " ulp of the exact value"
	}
	return []report.Number{
		{Label: exact, Hex: w.Exact.Hex(), Decimal: w.Exact.Decimal(digits), Note: ""},
		{Label: err, Hex: w.Error.Hex(), Decimal: w.Error.Decimal(few), Note: note},
		{Label: "bound", Hex: w.Limit.Hex(), Decimal: w.Limit.Decimal(few), Note: strings.TrimSpace(f.boundName() + ", " + w.Source)},
	}
}

var wantEntry = regexp.MustCompile(`^(\S+?)(?: \(([^()]*)\))?(?:, | … \((\d+) values\)|$)`)

// SplitWant turns a witness's text of the right result into rows, where it is one number with a note
// or a list of numbers; else it returns the text.
func SplitWant(text string) (rows []report.Number, rest string) {
	label := "expected"
	for s := text; s != ""; {
		m := wantEntry.FindStringSubmatch(s)
		n := report.Number{Label: label}
		switch {
		case m == nil || m[2] == "" && !report.IsSpecial(m[1]):
			if len(rows) == 1 && s != text { // a note
				rows[0].Note = s
				return rows, ""
			}
			return nil, text
		case m[1] == "0" || m[1] == "+0" || m[1] == "-0":
			n.Hex, n.Decimal = strings.TrimPrefix(strings.Replace(m[1], "0", "0x0p+0", 1), "+"), strings.TrimPrefix(m[1], "+")
		case m[1] == "nan" && m[2] != "":
			n.Hex = "nan:" + m[2]
		default:
			n.Hex, n.Decimal = report.TidyHex(m[1]), m[2]
		}
		if m[3] != "" {
			n.Note = "… " + m[3] + " values in all"
		}
		rows = append(rows, n)
		s = s[len(m[0]):]
		label = "or"
	}
	return rows, ""
}

// off says how far a finite result is from the right one in ulps, "" if either is no number.
func off(w *verdict.Witness, want string) string {
	b, err := corpus.ParseValue(w.Out, want)
	if err != nil || !w.Out.IsFinite(b) || !w.Out.IsFinite(w.Got) {
		return ""
	}
	switch d := oracle.UlpDistance(w.Out, w.Got, b); d {
	case 0:
		return "the zeros differ in sign"
	case 1:
		return "1 ulp off"
	default:
		if d > 1e6 {
			return ""
		}
		return fmt.Sprintf("%d ulp off", d)
	}
}

// maxLeafLines is the number of leaves that a report lists.
const maxLeafLines = 12

// writeLeaves writes the leaves that are not +0, with the notes of explain.
func (f *Failure) writeLeaves(r *report.Report) {
	c, e := f.Case, &f.Explanation
	n := c.N()
	if n == 0 {
		r.Wrap("leaves", "none: the vector is empty")
		f.writeSetting(r, nil)
		return
	}
	dot := c.Y.Len() > 0
	per := f.rowLength() // a kernel of many dot products takes one vector of second factors
	second := func(i int) uint64 { return c.Y.At(i % per) }
	var list []int
	for i := range n {
		if c.X.At(i) != 0 || dot && i < per && second(i) != 0 {
			list = append(list, i)
		}
	}
	r.Wrap("leaves", f.LeavesText(len(list)))
	shown, skipped := list, 0
	if len(list) > maxLeafLines {
		skipped = len(list) - maxLeafLines + 1
		shown = slices.Concat(list[:maxLeafLines-4], list[len(list)-3:])
	}
	name := func(v string, i int) string {
		if c.Rows > 1 {
			return fmt.Sprintf("%s[%d,%d]", v, i/per, i%per)
		}
		return fmt.Sprintf("%s[%d]", v, i)
	}
	var cells [][]string
	var notes []string
	for k, i := range shown {
		if skipped > 0 && k == maxLeafLines-4 {
			cells = append(cells, []string{fmt.Sprintf("… %d more", skipped)})
			notes = append(notes, "")
		}
		x := report.Encoded(name("x", i), c.X.Format, c.X.At(i))
		row := []string{x.Label, x.Hex, x.Decimal}
		if dot {
			y := report.Encoded(fmt.Sprintf("y[%d]", i%per), c.Y.Format, second(i))
			if c.X.Format.Bits() > 32 { // two numbers do not fit in a line
				cells = append(cells, row)
				notes = append(notes, "")
				row = nil
			}
			row = append(row, y.Label, y.Hex, y.Decimal)
		}
		cells = append(cells, row)
		notes = append(notes, telling(e, i))
	}
	r.Grid(cells, notes)
	var more []string
	for _, s := range []string{e.Length, e.Others} {
		if s != "" && !(s == NoteOthersFree && len(list) == 0) {
			more = append(more, s)
		}
	}
	f.writeSetting(r, more)
}

// writeSetting writes what else of the case matters, and how it ran.
func (f *Failure) writeSetting(r *report.Report, more []string) {
	c, e := f.Case, &f.Explanation
	for _, p := range e.Free {
		more = append(more, report.PlainNames[p]+" fails too")
	}
	for _, p := range e.Matter {
		more = append(more, report.PlainNames[p]+" passes")
	}
	for _, s := range more {
		r.Wrap("", "- "+s)
	}
	for _, p := range []struct{ label, text string }{
		{"device", f.Device},
		{"behaviour", f.plainOr(c.Behaviour.Plain(), c.Behaviour.String())},
		{"launch", f.plainOr(c.Launch.IsZero(), c.Launch.String())},
		{"tree", c.Tree},
		{"strides", f.Strides},
	} {
		if p.text != "" {
			r.Wrap(p.label, report.Shorten(p.text, 3*(report.ReportWidth-report.LabelWidth)))
		}
	}
}

// telling returns the note of leaf i without the parts that tell nothing: that some values or places
// matter and others do not.
func telling(e *Explanation, i int) string {
	for _, n := range e.Leaves {
		if n.Leaf != i {
			continue
		}
		for _, p := range []*string{&n.Value, &n.Y, &n.Place} {
			if *p == NoteSomeValues || *p == NoteSomePlaces {
				*p = ""
			}
		}
		if n.Value == "" && n.Y != "" {
			n.Y = "y: " + n.Y
			n.Value, n.Y = n.Y, ""
		}
		return n.String()
	}
	return ""
}

func (f *Failure) plainOr(plain bool, text string) string {
	if plain {
		return ""
	}
	return text
}

// LeavesText says how many leaves matter.
func (f *Failure) LeavesText(k int) string {
	n := f.Case.N()
	unit := "leaf"
	if f.Law.Op == engine.OpDot {
		unit = "term"
	}
	text := report.Count(n, unit)
	rows := ""
	if f.Case.Rows > 1 {
		rows = fmt.Sprintf("%d rows of %d, in all ", f.Case.Rows, f.rowLength())
	}
	switch {
	case k == 0 && n == 1:
		return rows + text + ", +0"
	case k == 0:
		return rows + text + ", every one +0"
	case k == n:
		return rows + text + ":"
	}
	verb := "are"
	if k == 1 {
		verb = "is"
	}
	text = fmt.Sprintf("%d of %s %s not +0:", k, text, verb)
	if rows != "" {
		text = fmt.Sprintf("%d rows of %d; %s", f.Case.Rows, f.rowLength(), text)
	}
	return text
}

// WriteSchedule writes the observed schedule beside the expected one.
func (f *Failure) WriteSchedule(r *report.Report) {
	if f.Expected == "" && f.ScheduleNote == "" {
		return
	}
	r.Blank()
	r.Wrap("schedule", f.ScheduleNote)
	left, right := "claimed, from the left\n"+f.Expected, "observed\n"+f.Observed
	switch {
	case f.Expected == "" && f.Observed == "":
	case f.Expected == "":
		r.Block(right)
	case f.Observed == "":
		r.Block(left)
	default:
		r.Beside(left, right)
	}
}

// found says how the case was met and reduced.
func (f *Failure) found() string {
	if f.Replayed {
		return "on file, and replayed"
	}
	var text string
	if f.Cases > 0 {
		text = fmt.Sprintf("case %d drawn", f.Cases)
	} else {
		text = "drawn"
	}
	if f.Original.Gen != "" {
		text += fmt.Sprintf(" (%s)", f.Original.Gen)
	}
	if f.Seed != "" {
		text += ", -gamma.seed=" + f.Seed
	}
	if f.Reduction.Evals > 0 && f.Reduction.Reproduced {
		unit := "leaf"
		if f.Law.Op == engine.OpDot {
			unit = "term"
		}
		if f.Case.N() == f.Original.N() {
			text += "; simplified in " + report.Count(f.Reduction.Evals, "evaluation")
		} else {
			text += fmt.Sprintf("; reduced from %s to %d in %s", report.Count(f.Original.N(), unit), f.Case.N(), report.Count(f.Reduction.Evals, "evaluation"))
		}
		if f.Reduction.Exhausted {
			text += ", which were all there are: smaller cases may fail too"
		}
	}
	return text
}
