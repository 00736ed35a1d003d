package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Row is one row of operands.
type Row struct {
	Words  []uint64 // encodings in the table's format, or residues
	Expect Expect   // "" is ExpectHolds
	// Reaches is the part of its bound that the error is recorded to reach; 0: it is not recorded. Residues have no errors.
	Reaches float64
	Comment string
	Line    int // of the file; 0 if it was not read from one
}

// TableRow and ResidueRow are the rows of tables and of residues.
type (
	TableRow   = Row
	ResidueRow = Row
)

// rowLayout says how the rows of a file are read and written.
type rowLayout struct {
	list    *[]Row
	words   int  // of each row; negative: as many as the first one has
	reaches bool // a row may say what part of its bound it reaches
	batch   bool // the rows run in one call, so that they count in the file's name
	parse   func(word string) (uint64, error)
	format  func(word uint64) (string, error)
}

// width returns the number of words that a row must have, negative as long as none is known.
func (r *rowLayout) width() int {
	if r.words < 0 && len(*r.list) > 0 {
		return len((*r.list)[0].Words)
	}
	return r.words
}

// read reads the rest of a row: words, expectation, ratio and comment.
func (r *rowLayout) read(p *parser, s string, at place) error {
	if err := p.complete(place{at.line, 1}); err != nil {
		return err
	}
	p.inRow = true
	row := Row{Line: at.line}
	if i := strings.IndexByte(s, '#'); i >= 0 {
		row.Comment = strings.TrimLeft(comment(strings.TrimLeft(s[i+1:], " \t")), " ")
		s = s[:i]
	}
	ratio := false // the next field is one
	for col, rest := at.col, s; ; {
		trimmed := strings.TrimLeft(rest, " \t")
		col += len(rest) - len(trimmed)
		if trimmed == "" {
			break
		}
		field, next := cutField(trimmed)
		here := place{at.line, col}
		switch {
		case ratio:
			v, err := strconv.ParseFloat(field, 64)
			if err != nil || !(v > 0 && v <= 1) {
				return p.fail(here, "%s is not a ratio above 0 and up to 1", quote(field))
			}
			row.Reaches, ratio = v, false
		case row.Expect != "" && r.reaches && field == "reaches" && row.Reaches == 0:
			ratio = true
		case row.Expect != "":
			return p.fail(here, "%s stands after the expectation; only a comment after # may%s", quote(field), r.mayReach())
		case Expect(field).check() == nil:
			row.Expect = Expect(field)
		default:
			w, err := r.parse(field)
			if err != nil {
				return p.fail(here, "%w; a row is words with %s or %s after them", err, ExpectHolds, ExpectViolated)
			}
			if row.Words = append(row.Words, w); len(row.Words) > MaxTableWords {
				return p.fail(here, "the row has more than %d words", MaxTableWords)
			}
		}
		col += len(trimmed) - len(next)
		rest = next
	}
	end := place{at.line, at.col + len(s)}
	switch want := r.width(); {
	case ratio:
		return p.fail(end, "reaches has no ratio after it")
	case row.Expect == "":
		return p.fail(end, "the row does not end in %s or %s", ExpectHolds, ExpectViolated)
	case want >= 0 && len(row.Words) != want:
		return p.fail(at, "the row has %d words, and those of this file have %d", len(row.Words), want)
	}
	*r.list = append(*r.list, row)
	return nil
}

// mayReach says what else may stand after an expectation.
func (r *rowLayout) mayReach() string {
	if r.reaches {
		return ", or a ratio such as reaches 0.99"
	}
	return ""
}

// write writes a row, with what it expects or without.
func (r *rowLayout) write(b *bytes.Buffer, row *Row, expectations bool) error {
	if want := r.width(); len(row.Words) != want || want > MaxTableWords {
		return fmt.Errorf("it has %d words; all rows have %d, and at most %d", len(row.Words), want, MaxTableWords)
	}
	b.WriteString("row")
	for _, w := range row.Words {
		text, err := r.format(w)
		if err != nil {
			return err
		}
		b.WriteString(" " + text)
	}
	if expectations {
		expect := row.Expect.orHolds()
		if err := expect.check(); err != nil {
			return err
		}
		b.WriteString(" " + string(expect))
		if row.Reaches != 0 {
			if !r.reaches || !(row.Reaches > 0 && row.Reaches <= 1) {
				return fmt.Errorf("it reaches %g; a ratio is above 0 and at most 1, and residues have none", row.Reaches)
			}
			b.WriteString(" reaches " + strconv.FormatFloat(row.Reaches, 'g', -1, 64))
		}
		if text := strings.TrimSpace(comment(row.Comment)); text != "" {
			b.WriteString(" # " + text)
		}
	}
	b.WriteByte('\n')
	return nil
}

// rowKey tells rows apart: what they expect and say does not count. rowsBy are the keys of rows.
func rowKey(r *Row) string { return fmt.Sprint(r.Words) }

func rowsBy(list []Row) map[string]bool {
	has := map[string]bool{}
	for i := range list {
		has[rowKey(&list[i])] = true
	}
	return has
}

// add appends those rows of s that r does not have, and returns them. It returns an error if s has rows of another length.
func (r *rowLayout) add(s *rowLayout) ([]Row, error) {
	if len(*r.list) > 0 && len(*s.list) > 0 && r.width() != s.width() {
		return nil, fmt.Errorf("rows of %d words cannot be added to those of %d", s.width(), r.width())
	}
	has, was := rowsBy(*r.list), len(*r.list)
	for _, row := range *s.list {
		if k := rowKey(&row); !has[k] {
			has[k] = true
			*r.list = append(*r.list, row)
		}
	}
	return slices.Clone((*r.list)[was:]), nil
}
