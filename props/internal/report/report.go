package report

import (
	"strings"
	"unicode/utf8"
)

// ReportWidth is the width of a report: 100 columns less the 12 by which go test indents what a subtest says.
const ReportWidth = 88

// LabelWidth is the width of the column of labels at the left.
const LabelWidth = 12

func (r *Report) WriteStack(calls []string) {
	if len(calls) > 0 {
		r.Blank()
	}
	for i, call := range calls {
		label := ""
		if i == 0 {
			label = "panicked at"
		}
		r.Wrap(label, call)
	}
}

// Report is a text under construction, with a column of labels.
type Report struct{ strings.Builder }

func (r *Report) Blank() { r.WriteByte('\n') }

// Line writes a label and text that is not to be broken.
func (r *Report) Line(label, text string) {
	r.WriteString(pad(label, LabelWidth) + text + "\n")
}

// Wrap writes a label and text, broken at spaces. Without a label at all, text starts at the left.
func (r *Report) Wrap(label, text string) {
	indent := strings.Repeat(" ", LabelWidth)
	first := pad(label, LabelWidth)
	if r.Len() == 0 { // the headline
		indent, first = "", ""
	}
	for i, l := range wrapped(text, ReportWidth-utf8.RuneCountInString(indent)) {
		if i > 0 {
			first = indent
		}
		r.WriteString(strings.TrimRight(first+l, " ") + "\n")
	}
}

// Table writes rows of numbers: label, hex, decimal, note.
func (r *Report) Table(rows []Number) {
	var h, d int
	for i := range rows {
		rows[i].Hex = shortHex(TidyHex(rows[i].Hex))
		rows[i].Decimal = Shorten(rows[i].Decimal, 34)
		h = max(h, Columns(rows[i].Hex))
		d = max(d, Columns(rows[i].Decimal))
	}
	for _, n := range rows {
		l := pad(n.Label, LabelWidth) + pad(n.Hex, h+2) + pad(n.Decimal, d+2)
		if n.Note != "" && Columns(l)+Columns(n.Note) > ReportWidth {
			r.WriteString(strings.TrimRight(l, " ") + "\n")
			r.Wrap("", "  "+n.Note)
			continue
		}
		r.WriteString(strings.TrimRight(l+n.Note, " ") + "\n")
	}
}

// Grid writes cells in columns, each row with a note at its end or, where that is too long, below.
func (r *Report) Grid(cells [][]string, notes []string) {
	var w []int
	for _, row := range cells {
		for j, s := range row {
			if j == len(w) {
				w = append(w, 0)
			}
			if len(row) > 1 { // not the row of dots
				w[j] = max(w[j], Columns(s))
			}
		}
	}
	for i, row := range cells {
		l := "  "
		for j, s := range row {
			l += pad(s, w[j]+2)
		}
		note := notes[i]
		if note != "" && Columns(l)+Columns(note) > ReportWidth {
			r.WriteString(strings.TrimRight(l, " ") + "\n")
			r.Wrap("", note)
			continue
		}
		r.WriteString(strings.TrimRight(l+note, " ") + "\n")
	}
}

// Block writes lines, indented.
func (r *Report) Block(text string) {
	for l := range strings.SplitSeq(text, "\n") {
		r.WriteString(strings.TrimRight("  "+l, " ") + "\n")
	}
}

// Beside writes two blocks of lines beside each other, or one below the other where they are wide.
func (r *Report) Beside(left, right string) {
	a, b := strings.Split(left, "\n"), strings.Split(right, "\n")
	wa, wb := 0, 0
	for _, l := range a {
		wa = max(wa, Columns(l))
	}
	for _, l := range b {
		wb = max(wb, Columns(l))
	}
	if 2+wa+4+wb > ReportWidth {
		r.Block(left)
		r.Block(right)
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

// WriteLaw writes the law and the claim.
func (r *Report) WriteLaw(statement, hypotheses, source, claim string) {
	r.WriteParts([2]string{"law", statement}, [2]string{"if", hypotheses}, [2]string{"source", source}, [2]string{"claim", claim})
}

// WriteParts writes labels and texts, those without a text left out.
func (r *Report) WriteParts(parts ...[2]string) {
	for _, p := range parts {
		if p[1] != "" {
			r.Wrap(p[0], p[1])
		}
	}
}
