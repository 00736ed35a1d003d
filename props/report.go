package props

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
)

// reportWidth is the width of a report: 100 columns less the 12 by which go test indents what a subtest says.
const reportWidth = 88

// labelWidth is the width of the column of labels at the left.
const labelWidth = 12

// Text returns the report in plain text, of at most 88 columns, command and file name aside: the law,
// the numbers, the leaves that matter, the schedule, how it was found, and the cause. Its last line
// names the file of the case, and the one before it is a command that runs the case again.
func (f *Failure) Text() string {
	var r report
	r.wrap("", f.headline())
	r.blank()
	f.writeLaw(&r)
	f.writeNumbers(&r)
	r.writeStack(f.Stack)
	r.blank()
	f.writeLeaves(&r)
	f.writeSchedule(&r)
	r.blank()
	kind, text := f.cause()
	return f.end(&r, f.Law.ID, f.found(), kind+": "+text)
}

// headline names subject, law and reason in one sentence.
func (f *Failure) headline() string {
	v := &f.Verdict
	switch {
	case f.Doubt != "":
		return fmt.Sprintf("THE JUDGE IS WRONG about %s under %s: the oracle and math/big disagree on the exact value.", f.Subject, f.Law.ID)
	case f.passedAgain():
		return f.Violation.headline(f.Law.ID, "a case", "")
	}
	reason := headFinding(v)
	if w := v.Witness; w != nil && w.HasBound {
		reason = fmt.Sprintf("the error is %s (%s)", multiple(v.Ratio), f.boundName())
		if w.Limit.IsZero() {
			reason = fmt.Sprintf("the error is not 0, and its bound is 0 (%s)", f.boundName())
		}
	}
	text := f.Violation.headline(f.Law.ID, "a case", reason)
	if hint := f.hint(); hint != "" {
		text += " " + hint
	}
	return text
}

// multiple writes a ratio of error and bound so that one above 1 is seen to be.
func multiple(r float64) string {
	text := rough(r, 3)
	for digits := 4; text == "1" && r > 1 && digits <= 17; digits++ {
		text = rough(r, digits)
	}
	if text == "1" { // the ratio is an estimate; the verdict is exact
		return "just above the bound"
	}
	return text + " × the bound"
}

// rough writes v with so many significant digits: 1.37, 839, 8.39e6.
func rough(v float64, digits int) string {
	text := strconv.FormatFloat(v, 'g', digits, 64)
	if v >= 100 && v < 1e6 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strings.NewReplacer("e+0", "e", "e+", "e", "e-0", "e-").Replace(text)
}

func (f *Failure) writeLaw(r *report) {
	statement, source := f.statement()
	r.writeLaw(statement, f.Law.Hypotheses, source, f.claimText())
}

// boundName returns the name of the bound that decided, with what its theorem leaves to the claim: the
// roundings of products and of a mean's quotient, and an absolute part that is the greater.
func (f *Failure) boundName() string {
	name, c := f.Verdict.Bound, &f.Claim
	if name == "" {
		return ""
	}
	plain := strings.HasPrefix(name, "order-free") || strings.HasPrefix(name, "height (1+v)^h-1")
	if f.Law.Op == OpDot && plain && 2*c.In.P > c.Acc.P {
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

// statement returns the law's statement and source for the claim at hand: of a compensated sum those
// of its scheme, and of a mean what its law says of n times it.
func (f *Failure) statement() (text, source string) {
	text, source = f.Law.Statement, f.Law.Source
	if _, err := LawByID(Laws(), f.Law.ID); err != nil {
		return text, source
	}
	sum := "Σx_i"
	if f.Law.Op == OpDot {
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
	case same && f.Law.Op == OpSum && name == "Kahan, certificate for n":
		return "((1+v)(1+ρ)(1+α)^(n-2) - 1)·Σ|x_i|, about 3u·Σ|x_i|, where ρ=v(1+(1+v)(1+2v)) and α=2u(1+v)ρ"
	case same && f.Law.Op == OpSum && strings.HasPrefix(name, "Sum2 v|S|"):
		return "v·|Σx_i| + (1+v)(n-1)(n-2)v²·Σ|x_i|"
	case same && strings.HasPrefix(name, "Dot2 v|S|"):
		return "v·|S| + (1+v)·n²u²·A + (1+v)·n·η(1+2nu+n²u²), A = Σ|x_i·y_i|"
	case same && !f.Claim.Mean && f.Law.Op == OpSum && strings.HasPrefix(name, "double word v|S|"):
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
	c, n := &f.Claim, f.rowLength()
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
	if h, ok := heightOf(c, n); ok {
		add(true, "height at most %d for n = %d", h, n)
	} else {
		add(c.Height != nil, "a height that is not known for n = %d", n)
	}
	add(c.Tree == "" && f.Case.Tree != "", "the tree that it is given")
	add(f.ownTree && f.Case.Tree == "", "the tree of its Schedule")
	add(c.Tree == "" && f.Case.Tree == "" && !f.ownTree && c.Height == nil && c.Compensation == model.Uncompensated, "any order")
	if c.Compensation != model.Uncompensated {
		s := "compensation " + string(c.Compensation)
		if c.Folds > 0 {
			s += ", " + count(c.Folds, "fold")
		}
		if c.Block > 0 {
			s += fmt.Sprintf(", block %d", c.Block)
		}
		parts = append(parts, s)
	}
	add(c.Fusion != model.Unfused, "fused %s", c.Fusion)
	add(c.Mean, "divided by n")
	add(c.Rounding != model.NearestEven, "rounding %s", c.Rounding)
	add(c.Flush.Any(), "flush %s", c.Flush)
	add(c.Commutes, "commutes")
	add(c.Repeats, "repeats")
	add(c.SignedZero, "signed zeros")
	add(c.OverflowSafe, "safe from overflow")
	add(c.MinN > 0, "n from %d", c.MinN)
	add(c.MaxN > 0, "n up to %d", c.MaxN)
	return strings.Join(parts, "; ")
}

// number is one row of the table of numbers.
type number struct{ label, hex, decimal, note string }

func (f *Failure) writeNumbers(r *report) {
	w := f.Verdict.Witness
	if w == nil {
		return
	}
	r.blank()
	if len(w.Findings) > 0 {
		writeFindings(r, w.Findings)
		return
	}
	if f.Case.Rows > 1 {
		r.wrap("row", fmt.Sprintf("%d, counted from 0; the first that fails of %d", w.Row, f.Case.Rows))
	}
	got := encoded("computed", w.Out, w.Got)
	rows := []number{got}
	var rest string
	if w.HasBound {
		rows = append(rows, f.boundNumbers(&rows[0])...)
	} else {
		var wanted []number
		wanted, rest = splitWant(w.WantText)
		for i := range wanted {
			if b, err := corpus.ParseValue(w.Out, wanted[i].hex); err == nil && w.Out.IsFinite(b) {
				wanted[i].decimal = decimal(w.Out, b)
			}
		}
		if len(wanted) == 1 {
			wanted[0].note = strings.Join(slices.DeleteFunc([]string{wanted[0].note, off(w, wanted[0].hex)}, func(s string) bool { return s == "" }), "; ")
		}
		rows = append(rows, wanted...)
		if _, err := LawByID(Laws(), f.Law.ID); err != nil && f.Confirmed {
			exact := number{label: "exact", hex: f.exact.Hex(), decimal: f.exact.Decimal(9)}
			if f.Claim.Mean {
				exact.label = "exact sum"
			}
			rows = append(rows, exact)
		}
	}
	r.table(rows)
	if rest != "" {
		r.wrap("expected", rest)
	}
}

// boundNumbers returns the rows of exact value, error and bound, in as many decimal digits as tell
// them apart.
func (f *Failure) boundNumbers(got *number) []number {
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
		got.decimal = v.Decimal(digits)
	}
	few := 6
	for ; few < 30 && w.Error.Decimal(few) == w.Limit.Decimal(few) && w.Error.Cmp(w.Limit) != 0; few++ {
		continue
	}
	note := "= " + multiple(f.Verdict.Ratio)
	if w.Limit.IsZero() {
		note = "any error is too much"
	}
	if !f.Claim.Mean && !w.Exact.IsZero() {
		note += "; " + rough(oracle.UlpError(w.Out, w.Got, w.Exact), 3) + " ulp of the exact value"
	}
	return []number{
		{exact, w.Exact.Hex(), w.Exact.Decimal(digits), ""},
		{err, w.Error.Hex(), w.Error.Decimal(few), note},
		{"bound", w.Limit.Hex(), w.Limit.Decimal(few), strings.TrimSpace(f.boundName() + ", " + w.Source)},
	}
}

// encoded returns the row of an encoding of format f.
func encoded(label string, f model.Format, b uint64) number {
	n := number{label: label, hex: corpus.FormatValue(f, b)}
	if f.IsFinite(b) {
		n.decimal = decimal(f, b)
	}
	return n
}

// decimal writes a finite encoding with as many digits as tell it from its neighbours.
func decimal(f model.Format, b uint64) string {
	bits := 32
	if f.Bits() > 32 {
		bits = 64
	}
	return strconv.FormatFloat(value64(f, b), 'g', -1, bits)
}

var wantEntry = regexp.MustCompile(`^(\S+?)(?: \(([^()]*)\))?(?:, | … \((\d+) values\)|$)`)

// splitWant turns a witness's text of the right result into rows, where it is one number with a note
// or a list of numbers; else it returns the text.
func splitWant(text string) (rows []number, rest string) {
	label := "expected"
	for s := text; s != ""; {
		m := wantEntry.FindStringSubmatch(s)
		n := number{label: label}
		switch {
		case m == nil || m[2] == "" && !isSpecial(m[1]):
			if len(rows) == 1 && s != text { // a note
				rows[0].note = s
				return rows, ""
			}
			return nil, text
		case m[1] == "0" || m[1] == "+0" || m[1] == "-0":
			n.hex, n.decimal = strings.TrimPrefix(strings.Replace(m[1], "0", "0x0p+0", 1), "+"), strings.TrimPrefix(m[1], "+")
		case m[1] == "nan" && m[2] != "":
			n.hex = "nan:" + m[2]
		default:
			n.hex, n.decimal = tidyHex(m[1]), m[2]
		}
		if m[3] != "" {
			n.note = "… " + m[3] + " values in all"
		}
		rows = append(rows, n)
		s = s[len(m[0]):]
		label = "or"
	}
	return rows, ""
}

func isSpecial(s string) bool {
	return slices.Contains([]string{"0", "+0", "-0", "inf", "-inf", "nan"}, s)
}

// off says how far a finite result is from the right one in ulps, "" if either is no number.
func off(w *Witness, want string) string {
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

func (r *report) writeStack(calls []string) {
	if len(calls) > 0 {
		r.blank()
	}
	for i, call := range calls {
		label := ""
		if i == 0 {
			label = "panicked at"
		}
		r.wrap(label, call)
	}
}

// maxLeafLines is the number of leaves that a report lists.
const maxLeafLines = 12

// writeLeaves writes the leaves that are not +0, with the notes of explain.
func (f *Failure) writeLeaves(r *report) {
	c, e := f.Case, &f.Explanation
	n := c.N()
	if n == 0 {
		r.wrap("leaves", "none: the vector is empty")
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
	r.wrap("leaves", f.leavesText(len(list)))
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
		x := encoded(name("x", i), c.X.Format, c.X.At(i))
		row := []string{x.label, x.hex, x.decimal}
		if dot {
			y := encoded(fmt.Sprintf("y[%d]", i%per), c.Y.Format, second(i))
			if c.X.Format.Bits() > 32 { // two numbers do not fit in a line
				cells = append(cells, row)
				notes = append(notes, "")
				row = nil
			}
			row = append(row, y.label, y.hex, y.decimal)
		}
		cells = append(cells, row)
		notes = append(notes, telling(e, i))
	}
	r.grid(cells, notes)
	var more []string
	for _, s := range []string{e.Length, e.Others} {
		if s != "" && !(s == NoteOthersFree && len(list) == 0) {
			more = append(more, s)
		}
	}
	f.writeSetting(r, more)
}

// writeSetting writes what else of the case matters, and how it ran.
func (f *Failure) writeSetting(r *report, more []string) {
	c, e := f.Case, &f.Explanation
	for _, p := range e.Free {
		more = append(more, plainNames[p]+" fails too")
	}
	for _, p := range e.Matter {
		more = append(more, plainNames[p]+" passes")
	}
	for _, s := range more {
		r.wrap("", "- "+s)
	}
	for _, p := range []struct{ label, text string }{
		{"device", f.Device},
		{"behaviour", f.plainOr(c.Behaviour.Plain(), c.Behaviour.String())},
		{"launch", f.plainOr(c.Launch.IsZero(), c.Launch.String())},
		{"tree", c.Tree},
	} {
		if p.text != "" {
			r.wrap(p.label, shorten(p.text, 3*(reportWidth-labelWidth)))
		}
	}
}

// plainNames names what explain puts in the place of a part of the case.
var plainNames = map[string]string{
	"behaviour": "the plain behaviour", "launch": "a plain launch", "thread": "one thread alone", "tree": "another tree",
	"seed": "another seed", "rows": "a single row",
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

// leavesText says how many leaves matter.
func (f *Failure) leavesText(k int) string {
	n := f.Case.N()
	unit := "leaf"
	if f.Law.Op == OpDot {
		unit = "term"
	}
	text := count(n, unit)
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

// count writes a number of things, with the plural of a leaf.
func count(n int, unit string) string {
	switch {
	case n == 1:
		return "1 " + unit
	case unit == "leaf":
		return fmt.Sprintf("%d leaves", n)
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// writeSchedule writes the observed schedule beside the expected one.
func (f *Failure) writeSchedule(r *report) {
	if f.Expected == "" && f.ScheduleNote == "" {
		return
	}
	r.blank()
	r.wrap("schedule", f.ScheduleNote)
	left, right := "claimed, from the left\n"+f.Expected, "observed\n"+f.Observed
	switch {
	case f.Expected == "" && f.Observed == "":
	case f.Expected == "":
		r.block(right)
	case f.Observed == "":
		r.block(left)
	default:
		r.beside(left, right)
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
		if f.Law.Op == OpDot {
			unit = "term"
		}
		if f.Case.N() == f.Original.N() {
			text += "; simplified in " + count(f.Reduction.Evals, "evaluation")
		} else {
			text += fmt.Sprintf("; reduced from %s to %d in %s", count(f.Original.N(), unit), f.Case.N(), count(f.Reduction.Evals, "evaluation"))
		}
		if f.Reduction.Exhausted {
			text += ", which were all there are: smaller cases may fail too"
		}
	}
	return text
}

// report is a text under construction, with a column of labels.
type report struct{ strings.Builder }

func (r *report) blank() { r.WriteByte('\n') }

// line writes a label and text that is not to be broken.
func (r *report) line(label, text string) {
	r.WriteString(pad(label, labelWidth) + text + "\n")
}

// wrap writes a label and text, broken at spaces. Without a label at all, text starts at the left.
func (r *report) wrap(label, text string) {
	indent := strings.Repeat(" ", labelWidth)
	first := pad(label, labelWidth)
	if r.Len() == 0 { // the headline
		indent, first = "", ""
	}
	for i, l := range wrapped(text, reportWidth-utf8.RuneCountInString(indent)) {
		if i > 0 {
			first = indent
		}
		r.WriteString(strings.TrimRight(first+l, " ") + "\n")
	}
}

// table writes rows of numbers: label, hex, decimal, note.
func (r *report) table(rows []number) {
	var h, d int
	for i := range rows {
		rows[i].hex = shortHex(tidyHex(rows[i].hex))
		rows[i].decimal = shorten(rows[i].decimal, 34)
		h = max(h, columns(rows[i].hex))
		d = max(d, columns(rows[i].decimal))
	}
	for _, n := range rows {
		l := pad(n.label, labelWidth) + pad(n.hex, h+2) + pad(n.decimal, d+2)
		if n.note != "" && columns(l)+columns(n.note) > reportWidth {
			r.WriteString(strings.TrimRight(l, " ") + "\n")
			r.wrap("", "  "+n.note)
			continue
		}
		r.WriteString(strings.TrimRight(l+n.note, " ") + "\n")
	}
}

// grid writes cells in columns, each row with a note at its end or, where that is too long, below.
func (r *report) grid(cells [][]string, notes []string) {
	var w []int
	for _, row := range cells {
		for j, s := range row {
			if j == len(w) {
				w = append(w, 0)
			}
			if len(row) > 1 { // not the row of dots
				w[j] = max(w[j], columns(s))
			}
		}
	}
	for i, row := range cells {
		l := "  "
		for j, s := range row {
			l += pad(s, w[j]+2)
		}
		note := notes[i]
		if note != "" && columns(l)+columns(note) > reportWidth {
			r.WriteString(strings.TrimRight(l, " ") + "\n")
			r.wrap("", note)
			continue
		}
		r.WriteString(strings.TrimRight(l+note, " ") + "\n")
	}
}

// block writes lines, indented.
func (r *report) block(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		r.WriteString(strings.TrimRight("  "+l, " ") + "\n")
	}
}

// beside writes two blocks of lines beside each other, or one below the other where they are wide.
func (r *report) beside(left, right string) {
	a, b := strings.Split(left, "\n"), strings.Split(right, "\n")
	wa, wb := 0, 0
	for _, l := range a {
		wa = max(wa, columns(l))
	}
	for _, l := range b {
		wb = max(wb, columns(l))
	}
	if 2+wa+4+wb > reportWidth {
		r.block(left)
		r.block(right)
		return
	}
	for i := range max(len(a), len(b)) {
		var l, m string
		if i < len(a) {
			l = a[i]
		}
		if i < len(b) {
			m = b[i]
		}
		r.WriteString(strings.TrimRight("  "+pad(l, wa+4)+m, " ") + "\n")
	}
}

func columns(s string) int { return utf8.RuneCountInString(s) }

// pad fills s up to w columns; a longer one gets two spaces.
func pad(s string, w int) string {
	if k := w - columns(s); k > 0 {
		return s + strings.Repeat(" ", k)
	}
	return s + "  "
}

// wrapped breaks text at spaces into lines of at most w columns; longer words are cut.
func wrapped(text string, w int) []string {
	var lines []string
	for para := range strings.SplitSeq(text, "\n") {
		l := ""
		for word := range strings.SplitSeq(para, " ") {
			if l != "" && columns(l)+1+columns(word) > w {
				lines = append(lines, l)
				l = ""
			} else if l != "" {
				l += " "
			}
			l += word
			for columns(l) > w {
				cut := []rune(l)
				lines = append(lines, string(cut[:w]))
				l = string(cut[w:])
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// shorten cuts the middle out of s until it has at most w columns.
func shorten(s string, w int) string {
	rs := []rune(s)
	if len(rs) <= w {
		return s
	}
	tail := (w - 1) / 2
	return string(rs[:w-1-tail]) + "…" + string(rs[len(rs)-tail:])
}

// shortHex cuts the digits of a hex float behind the thirteenth that binary64 can hold.
func shortHex(s string) string {
	point, exp := strings.IndexByte(s, '.'), strings.IndexByte(s, 'p')
	if point < 0 || exp < 0 || exp-point-1 <= 14 {
		return s
	}
	return s[:point+14] + "…" + s[exp:]
}

var hexExponent = regexp.MustCompile(`p([+-])0+(\d)`)

// tidyHex writes exponents as case files do, without leading zeros: 0x1.8p+1.
func tidyHex(s string) string { return hexExponent.ReplaceAllString(s, "p$1$2") }
