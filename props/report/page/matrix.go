package page

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Matrix is a kill matrix: which laws find which planted fault.
type Matrix struct {
	Name string
	Laws []string
	Rows []Mutant
}

// Mutant is a row of a kill matrix.
type Mutant struct {
	Name, Fault string
	Cells       []Cell // of the laws
}

// Cell says what a law does with a mutant.
type Cell struct {
	Mark Mark
	Text string // after how many cases, where the matrix has it
}

// Mark is the meaning of a cell.
type Mark byte

const (
	Silent Mark = iota // the law does not apply
	Passes             // the mutant passes the law
	Kills              // the law finds the mutant
	Must               // the law has to find it, and does
)

// ReadMatrix reads a kill matrix as the tests of props and props/device keep it below testdata, with -update-matrix. It knows their forms: a table
// with a column a law, a list of kills:LAW and passes:LAW, and tables with the laws in lists.
func ReadMatrix(name string) ([]*Matrix, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the kill matrix cannot be read: %w", errors.Unwrap(err))
	}
	list := parseMatrix(strings.TrimLeft(filepath.ToSlash(name), "./"), string(text))
	if len(list) == 0 {
		return nil, errors.New("it is not a kill matrix: no line names a mutant and what kills it")
	}
	return list, nil
}

func parseMatrix(name, text string) (list []*Matrix) {
	var m *Matrix
	var t table
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "rows until"):
		case headed(line):
			m, t = &Matrix{Name: name}, newTable(line)
			if what, _, ok := strings.Cut(line, ": mutant"); ok {
				m.Name += ", " + what
			}
			list = append(list, m)
		case bracketed.MatchString(line) && m != nil:
			m.bracketed(bracketed.FindStringSubmatch(line))
		case m != nil && len(t.columns) > 0:
			t.row(m, line)
		case pairs.MatchString(line):
			if m == nil {
				m = &Matrix{Name: name}
				list = append(list, m)
			}
			pairRow(m, line)
		}
	}
	for len(list) > 0 && len(list[len(list)-1].Rows) == 0 {
		list = list[:len(list)-1]
	}
	for _, m := range list {
		for i := range m.Rows { // laws that were met later
			m.Rows[i].Cells = append(m.Rows[i].Cells, make([]Cell, len(m.Laws)-len(m.Rows[i].Cells))...)
		}
	}
	return list
}

// headed reports whether a line begins a table.
func headed(line string) bool {
	first, _, _ := strings.Cut(line, "  ")
	return first == "mutant" || strings.HasSuffix(first, ": mutant")
}

// column is one of a table: where it begins, and its heading.
type column struct {
	from int
	name string
}

// table is a table of columns of fixed width.
type table struct {
	columns []column
	lists   bool // laws stand in lists, and not in the heading
}

var heading = regexp.MustCompile(`\S+: mutant|killed by|and by|\S+`)

func newTable(line string) (t table) {
	for _, at := range heading.FindAllStringIndex(line, -1) {
		name := line[at[0]:at[1]]
		if strings.HasSuffix(name, ": mutant") {
			name = "mutant"
		}
		t.columns = append(t.columns, column{at[0], name})
	}
	t.lists = strings.Contains(line, "killed by")
	return t
}

// row reads a line of the table. A name that is too long for its column moves the cells after it to the right.
func (t *table) row(m *Matrix, line string) {
	name, _, _ := strings.Cut(line, " ")
	shift := 0
	if len(t.columns) > 1 && len(name) >= t.columns[1].from {
		shift = len(name) + 1 - t.columns[1].from
	}
	row := Mutant{Name: strings.TrimPrefix(name, "mutants."), Cells: make([]Cell, len(m.Laws))}
	for i, c := range t.columns[1:] {
		from, to := c.from+shift, len(line)
		if i+2 < len(t.columns) {
			to = t.columns[i+2].from + shift
		}
		if from >= len(line) {
			break
		}
		text := strings.TrimSpace(line[from:min(to, len(line))])
		switch {
		case c.name == "fault":
			row.Fault = text
		case t.lists:
			row.listed(m, c.name, text)
		}
	}
	if !t.lists {
		t.cells(&row, m, line, shift)
	}
	m.Rows = append(m.Rows, row)
}

// cells reads the cells of laws, which begin where their headings begin, or end where these end.
func (t *table) cells(row *Mutant, m *Matrix, line string, shift int) {
	for _, c := range t.columns[1:] {
		if c.name != "fault" {
			row.set(m, c.name, Cell{})
		}
	}
	for _, at := range regexp.MustCompile(`\S+`).FindAllStringIndex(line, -1)[1:] {
		for _, c := range t.columns[1:] {
			if c.name == "fault" && at[0] >= c.from+shift {
				return
			}
			if at[0] == c.from+shift || at[1] == c.from+len(c.name)+shift {
				row.set(m, c.name, cellOf(line[at[0]:at[1]]))
				break
			}
		}
	}
}

// listed reads a cell with a list of laws.
func (r *Mutant) listed(m *Matrix, column, text string) {
	mark := Kills
	switch column {
	case "killed by":
		mark = Must
	case "passes":
		mark = Passes
	case "cases":
		for i := range r.Cells {
			if r.Cells[i].Mark == Must {
				r.Cells[i].Text = text
			}
		}
		return
	}
	for law := range strings.FieldsSeq(text) {
		r.set(m, law, Cell{Mark: mark})
	}
}

// bracketed is a line with the law that must kill a mutant, after how many cases, and in brackets the others that do.
var bracketed = regexp.MustCompile(`^(\S+) +(\S+) +(\d+) +\[(.*?)\] +(.*)$`)

func (m *Matrix) bracketed(parts []string) {
	row := Mutant{Name: strings.TrimPrefix(parts[1], "mutants."), Cells: make([]Cell, len(m.Laws)), Fault: parts[5]}
	family, _, _ := strings.Cut(parts[2], ".")
	row.set(m, parts[2], Cell{Must, parts[3]})
	for law := range strings.FieldsSeq(parts[4]) {
		row.set(m, family+"."+law, Cell{Mark: Kills})
	}
	m.Rows = append(m.Rows, row)
}

// cellOf reads a cell of a law's column.
func cellOf(text string) Cell {
	switch text {
	case "":
		return Cell{}
	case "-", "passes":
		return Cell{Mark: Passes}
	case "kills":
		return Cell{Mark: Kills}
	case "KILLS":
		return Cell{Mark: Must}
	}
	if inner := strings.Trim(text, "()!"); inner != text {
		return Cell{Must, inner}
	}
	return Cell{Kills, text}
}

// set sets the cell of a law, which gets a column when it is first met.
func (r *Mutant) set(m *Matrix, law string, c Cell) {
	at := -1
	for i, known := range m.Laws {
		if known == law {
			at = i
		}
	}
	if at < 0 {
		at = len(m.Laws)
		m.Laws = append(m.Laws, law)
	}
	for len(r.Cells) <= at {
		r.Cells = append(r.Cells, Cell{})
	}
	r.Cells[at] = c
}

var pairs = regexp.MustCompile(`^\S+(\s+(?i:kills|passes):[a-z0-9.]+)+`)

// pairRow reads a line of kills:LAW and passes:LAW.
func pairRow(m *Matrix, line string) {
	words := strings.Fields(line)
	row := Mutant{Name: words[0], Cells: make([]Cell, len(m.Laws))}
	for i, w := range words[1:] {
		mark, law, ok := strings.Cut(w, ":")
		if !ok || cellOf(mark).Mark == Kills && mark != "kills" {
			row.Fault = strings.Join(words[i+1:], " ")
			break
		}
		row.set(m, law, cellOf(mark))
	}
	m.Rows = append(m.Rows, row)
}

// Killed counts the mutants that a law finds, and those that it must.
func (m *Matrix) Killed(law int) (kills, must int) {
	for _, r := range m.Rows {
		if law < len(r.Cells) && r.Cells[law].Mark >= Kills {
			kills++
			if r.Cells[law].Mark == Must {
				must++
			}
		}
	}
	return kills, must
}
