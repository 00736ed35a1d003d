package page

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"
)

// Markdown writes and returns what HTML does, with tables of numbers for figures.
func Markdown(w io.Writer, r *Run, o Options) ([]Problem, error) {
	m := &markdown{view: newView(r, o)}
	m.head()
	m.failures()
	m.compared()
	m.silent()
	m.laws()
	m.growth()
	m.spreads()
	m.subjects()
	m.trees()
	m.matrices()
	_, err := w.Write(m.b.Bytes())
	return m.Problems, err
}

// markdown is a page as it grows.
type markdown struct {
	*view
	b bytes.Buffer
}

func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// escaped makes a text stand in Markdown as it is, on one line.
var escaped = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", ">", "&gt;", "&", "&amp;", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "\n", " ", "\r", " ")

func text(s string) string { return escaped.Replace(s) }

// table writes a table; cells are Markdown already.
func (m *markdown) table(head []string, rows [][]string) {
	m.line("")
	m.line("| %s |", strings.Join(head, " | "))
	m.line("|%s", strings.Repeat("---|", len(head)))
	for _, row := range rows {
		m.line("| %s |", strings.Join(row, " | "))
	}
	m.line("")
}

// block writes a text as it stands, in a fence longer than any in it.
func (m *markdown) block(s string) {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	m.line("\n%s\n%s\n%s\n", fence, strings.TrimRight(s, "\n"), fence)
}

func (m *markdown) head() {
	m.line("# %s\n\n%s\n", text(m.Title), text(m.Sentence))
	var cells []string
	var names []string
	for _, c := range m.Counts {
		names, cells = append(names, c.Name), append(cells, c.Text)
	}
	m.table(names, [][]string{cells})
	m.line("Read from %s. Seeds: %s. Devices: %s.", text(strings.Join(m.Files, ", ")), text(strings.Join(m.Seeds, ", ")), text(strings.Join(m.Devices, ", ")))
	if len(m.Problems) > 0 {
		m.line("\n## Could not be read\n")
		for _, p := range firstProblems(m.Problems) {
			m.line("* %s", text(p.String()))
		}
		m.line("\n%s", moreProblems(m.Problems))
	}
}

func (m *markdown) failures() {
	if len(m.Failed) == 0 {
		return
	}
	m.line("\n## Failures")
	for _, f := range m.Failed {
		m.line("\n### ✗ %s %s %s\n", text(f.Subject), failedVerb(f), text(string(f.Law.Law)))
		r := f.Report
		if r == nil {
			m.line("The run's lines have no report of it.")
			continue
		}
		m.line("%s\n", text(r.Reason))
		facts := []Fact{{"law", r.Statement}, {"if", r.Hypotheses}, {"source", r.Source}, {"claim", r.Claim}, {"behaviour", r.Behaviour}, {"launch", r.Launch}}
		facts = append(facts, r.Facts...)
		facts = append(facts, Fact{"findings", strings.Join(r.Findings, "\n")}, Fact{"stack", strings.Join(r.Stack, "\n")}, Fact{"cause", r.Cause}, Fact{"found", foundText(r)}, Fact{"saved as", r.File})
		for _, fact := range facts {
			if fact.Text != "" {
				m.line("* **%s** %s", text(fact.Name), text(fact.Text))
			}
		}
		m.block(r.Command)
	}
}

func (m *markdown) compared() {
	c := m.Compared
	if c == nil {
		return
	}
	m.line("\n## Compared with the run before\n\n%s changed, %s moved by a hundredth or more; %s new, %s gone, %s as before. Cases: %s before, %s now.",
		plural(len(c.Verdicts), "verdict"), plural(len(c.Ratios), "largest error/bound"), plural(len(c.New), "law"), plural(len(c.Gone), "law"), roughly(c.Same),
		roughly(c.CasesBefore), roughly(c.CasesAfter))
	for _, part := range []struct {
		name string
		list []Change
	}{{"Verdicts", c.Verdicts}, {"Largest error/bound", c.Ratios}, {"New", c.New}, {"Gone", c.Gone}} {
		if len(part.list) == 0 {
			continue
		}
		var rows [][]string
		for _, ch := range firstChanges(part.list) {
			row := []string{text(ch.Subject), text(string(ch.Law))}
			for _, l := range []*Law{ch.Before, ch.After} {
				if l == nil {
					row = append(row, "", "", "")
					continue
				}
				row = append(row, markText(l), ratioText(l.Ratio()), roughly(l.Cases))
			}
			rows = append(rows, row)
		}
		m.line("\n### %s", part.name)
		m.table([]string{"subject", "law", "before", "error/bound", "cases", "now", "error/bound", "cases"}, rows)
		m.line("%s", moreChanges(part.list))
	}
}

func (m *markdown) silent() {
	m.line("\n## What was not said\n")
	if m.Thin > 0 {
		m.line("%s on less than a third of the cases drawn, since the others did not meet a hypothesis: see the column *vacuous*.\n", holding(m.Thin))
	}
	if m.Late > 0 {
		m.line("%s ended by the clock, before all cases were drawn, and %s marked with … A longer run judges more.\n", plural(m.Late, "search"), map[bool]string{true: "is", false: "are"}[m.Late == 1])
	}
	if len(m.Silent) == 0 {
		m.line("Every law said something of each subject that it was searched on.")
		return
	}
	var rows [][]string
	for _, s := range firstSilent(m.Silent) {
		rows = append(rows, []string{text(s.Reason), roughly(s.Laws), text(s.Example)})
	}
	m.line("%s said nothing of a subject: no case met the hypotheses.", plural(silentLaws(m.Silent), "law"))
	m.table([]string{"most frequent reason", "laws", "for instance"}, rows)
	m.line("%s", moreSilent(m.Silent))
}

func (m *markdown) laws() {
	var rows [][]string
	for _, l := range m.Laws {
		of := text(l.Of)
		if l.Bound != "" {
			of += " by " + text(l.Bound)
		}
		rows = append(rows, []string{text(string(l.ID)), roughly(l.Holds), roughly(l.Violated), roughly(l.Says), roughly(l.Cases), percent(l.Vacuous), ratioText(l.Ratio), of})
	}
	m.line("\n## Laws")
	m.table([]string{"law", "✓ holds", "✗ violated", "○ says nothing", "cases", "vacuous", "error/bound", "of"}, rows)
}

// growth writes the numbers of the figures that HTML draws.
func (m *markdown) growth() {
	if len(m.Drawn) == 0 {
		return
	}
	m.line("\n## Error against n\n")
	for _, f := range m.Drawn {
		head := []string{"n", "largest error, " + text(f.Unit)}
		for _, b := range f.Bounds {
			head = append(head, text(b.name))
		}
		var rows [][]string
		for _, e := range f.Error.at {
			row := []string{strconv.FormatFloat(e.X, 'f', 0, 64), fmt.Sprintf("%.4g", e.Y)}
			for _, b := range f.Bounds {
				cell := ""
				if i := slices.IndexFunc(b.at, func(p plotter.XY) bool { return p.X == e.X }); i >= 0 {
					cell = fmt.Sprintf("%.4g", b.at[i].Y)
				}
				row = append(row, cell)
			}
			rows = append(rows, row)
		}
		m.line("### %s %s", text(f.Subject), text(f.Law))
		m.table(head, rows)
	}
}

func (m *markdown) spreads() {
	if len(m.Spreads) == 0 {
		return
	}
	m.line("\n## How errors are distributed\n\nThe share of the cases that hold by a bound, by error/bound, from a power of two on.")
	const columns = 8
	head := []string{"law", "cases", "no error"}
	for k := 1; k < columns; k++ {
		head = append(head, fmt.Sprintf("2^-%d", k))
	}
	var rows [][]string
	for _, s := range m.Spreads {
		row := []string{text(string(s.ID)), roughly(s.Cases), percent(s.Exact)}
		rest := 0
		for k, n := range s.Spread {
			switch {
			case k >= columns:
				rest += n
			case k > 0:
				row = append(row, percent(float64(n)/float64(s.Cases)))
			}
		}
		for len(row) < len(head) {
			row = append(row, "0")
		}
		rows = append(rows, append(row, percent(float64(rest)/float64(s.Cases))))
	}
	m.table(append(head, "less"), rows)
}

func (m *markdown) subjects() {
	m.line("\n## Subjects")
	for _, g := range m.Groups {
		m.line("\n### %s, %s\n", text(g.What), text(g.Device))
		for _, s := range g.Subjects {
			m.line("\n**%s** %s", text(s.Title()), text(s.Line))
			for _, line := range []string{s.Promise.Claim, s.DefaultMode} {
				if line != "" {
					m.line("\n%s", text(line))
				}
			}
			if f := s.Promise.Formula; f != "" {
				m.block(m.formula(f))
			}
			var rows [][]string
			for _, l := range s.Laws {
				rows = append(rows, []string{text(string(l.Law)), markText(l), roughly(l.Cases), percent(l.VacuousShare()), text(decided(l)), ratioText(l.Ratio())})
			}
			m.table([]string{"law", "verdict", "cases", "vacuous", "decided by", "error/bound"}, rows)
		}
	}
}

func (m *markdown) trees() {
	if len(m.Trees) == 0 {
		return
	}
	m.line("\n## Schedules that are claimed")
	for _, t := range m.Trees {
		m.block(t.Text)
	}
}

func (m *markdown) matrices() {
	for _, k := range m.Matrices {
		m.line("\n## Planted faults, %s\n\n◉ must find it and does; ● finds it, too; · does not; empty: the law does not apply. A number says after how many cases.", text(k.Name))
		head := []string{"mutant"}
		for _, law := range k.Laws {
			head = append(head, text(law))
		}
		var rows [][]string
		for _, r := range k.Rows {
			row := []string{text(r.Name)}
			for _, c := range r.Cells {
				row = append(row, text(cellText(c)))
			}
			rows = append(rows, append(row, text(r.Fault)))
		}
		m.table(append(head, "fault"), rows)
	}
}
