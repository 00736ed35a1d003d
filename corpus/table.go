package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"gamma/model"
)

// Table is many rows of operands for one law and one operation on words: plain data, printable, replayable.
//
// A table is one text file whose name ends in .cases, in UTF-8, a row on each line behind some keys. For instance:
//
//	gamma cases v1
//	# Found by props.Attack.
//	law dd.mul
//	kernel dd.Times3
//	words 4
//	row 0x1.000002p+0 0x1.fffffap-25 0x1.000002p+0 0x1.fffffcp-25 holds reaches 0.9999 # the page's witness
//
// The grammar:
//
//	file = "gamma cases v1" NL { line NL }
//	line = "" | "#" comment | key SPACE value | row
//	row  = "row" { SPACE number } SPACE ( "holds" | "violated" ) [ SPACE "reaches" SPACE ratio ] [ SPACE "#" comment ]
//
// Keys stand before the rows, each at most once: law, kernel, behaviour, launch and format as in a case, words, the number of
// operand words of a row, and batch: yes, where the rows must run in one call, in their order. Numbers are those of a case.
type Table struct {
	Law       model.LawID
	Kernel    string
	Behaviour model.Behaviour
	Launch    model.Launch
	// Batch: the rows run in one call; otherwise each is a case of its own.
	Batch    bool
	Format   model.Format
	Words    int // of each row
	Rows     []TableRow
	Comments []string // at the head, without the leading "# "
}

// TableRow is one row of a table.
type TableRow struct {
	Words  []uint64 // encodings of the operands
	Expect Expect
	// Reaches is the part of its bound that the error is recorded to reach; 0: none is.
	Reaches float64
	Comment string
	Line    int // of the file; 0 if it comes of none
}

// TableFile is a table and where it was loaded from.
type TableFile struct {
	Path  string
	Table *Table
}

// tableHeader is the first line of every table.
const tableHeader = "gamma cases v1"

// Limits of tables.
const (
	MaxTableBytes = 1 << 24
	MaxTableWords = 512
)

// ParseTable reads a table. Every error that it returns is an *Error, with line and column. file is the name that errors give.
func ParseTable(text []byte, file string) (*Table, error) {
	if file == "" {
		file = "table"
	}
	r := tableReader{p: parser{o: Options{File: file}}, seen: map[string]int{}}
	if len(text) > MaxTableBytes {
		return nil, r.p.fail(place{1, 1}, "the file has %d bytes, more than %d; part it", len(text), MaxTableBytes)
	}
	rest, line := text, 0
	for len(rest) > 0 {
		line++
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return nil, r.p.fail(place{line, len(rest) + 1}, "the last line has no newline at its end: the file is cut off; complete it")
		}
		s := strings.TrimSuffix(string(rest[:i]), "\r")
		rest = rest[i+1:]
		if at := badByte(s); at >= 0 {
			return nil, r.p.fail(place{line, at + 1}, "byte %#02x is not text in UTF-8, or a control character; a table has neither", s[at])
		}
		if line == 1 {
			if strings.TrimRight(s, " \t") != tableHeader {
				return nil, r.p.fail(place{1, 1}, "the file is no table: its first line must be %q", tableHeader)
			}
			continue
		}
		if err := r.line(s, line); err != nil {
			return nil, err
		}
	}
	if line == 0 {
		return nil, r.p.fail(place{1, 1}, "the file is empty; its first line is %q", tableHeader)
	}
	if err := r.head(place{line + 1, 1}); err != nil {
		return nil, err
	}
	return &r.t, nil
}

// tableReader reads the lines of a table.
type tableReader struct {
	p    parser // for its errors
	t    Table
	seen map[string]int
}

var tableKeys = []string{"law", "kernel", "behaviour", "launch", "batch", "format", "words"}

func (r *tableReader) line(s string, line int) error {
	s = strings.TrimRight(s, " \t")
	t := strings.TrimLeft(s, " \t")
	at := place{line, len(s) - len(t) + 1}
	switch {
	case t == "":
		return nil
	case t[0] == '#':
		if len(r.t.Rows) > 0 {
			return r.p.fail(at, "a comment of its own stands before the rows; write it behind a row")
		}
		r.t.Comments = append(r.t.Comments, comment(strings.TrimPrefix(t[1:], " ")))
		return nil
	}
	key, val := t, ""
	if i := strings.IndexAny(t, " \t"); i >= 0 {
		key, val = t[:i], strings.TrimLeft(t[i:], " \t")
	}
	valAt := place{line, len(s) - len(val) + 1}
	if key == "row" {
		return r.row(val, valAt)
	}
	known := false
	for _, k := range tableKeys {
		known = known || k == key
	}
	switch was, twice := r.seen[key]; {
	case !known:
		return r.p.fail(at, "no key is called %s; known are %s and row", quote(key), strings.Join(tableKeys, ", "))
	case twice:
		return r.p.fail(at, "%s stands in line %d already; leave one of them", key, was)
	case len(r.t.Rows) > 0:
		return r.p.fail(at, "%s stands behind a row; keys come first", key)
	case val == "":
		return r.p.fail(valAt, "%s has no value", key)
	}
	r.seen[key] = line
	if err := r.set(key, val); err != nil {
		return r.p.fail(valAt, "%s: %w", key, err)
	}
	return nil
}

func (r *tableReader) set(key, val string) (err error) {
	t := &r.t
	switch key {
	case "law":
		t.Law = model.LawID(val)
		return checkLaw(t.Law)
	case "kernel":
		t.Kernel = val
		return checkText(val)
	case "behaviour":
		t.Behaviour, err = model.ParseBehaviour(val)
	case "launch":
		t.Launch, err = parseLaunch(val)
	case "batch":
		if t.Batch = val == "yes"; !t.Batch {
			return fmt.Errorf("%s is not yes", quote(val))
		}
	case "format":
		if t.Format, err = model.FormatByName(val); err == nil {
			err = storable(t.Format)
		}
	case "words":
		t.Words, err = parseCount(val, 1, MaxTableWords)
	}
	return err
}

// head checks the keys, once the first row or the end is met.
func (r *tableReader) head(at place) error {
	for _, key := range []string{"law", "kernel", "words"} {
		if _, ok := r.seen[key]; !ok {
			return r.p.fail(at, "there is no line %q before this one; it is missing, or the file is cut off", key)
		}
	}
	if r.t.Format.IsZero() {
		r.t.Format = model.Binary32
	}
	return nil
}

// row reads a row.
func (r *tableReader) row(s string, at place) error {
	if err := r.head(place{at.line, 1}); err != nil {
		return err
	}
	row := TableRow{Line: at.line}
	if i := strings.IndexByte(s, '#'); i >= 0 {
		row.Comment = strings.TrimLeft(comment(strings.TrimLeft(s[i+1:], " \t")), " ")
		s = s[:i]
	}
	var fields []string
	var places []place
	for i := 0; i < len(s); {
		if s[i] == ' ' || s[i] == '\t' {
			i++
			continue
		}
		j := i
		for j < len(s) && s[j] != ' ' && s[j] != '\t' {
			j++
		}
		fields, places = append(fields, s[i:j]), append(places, place{at.line, at.col + i})
		i = j
	}
	end := place{at.line, at.col + len(s)}
	n := r.t.Words
	if len(fields) <= n {
		return r.p.fail(end, "the row has %d words, and words says %d, with holds or violated behind them", len(fields), n)
	}
	for i, f := range fields[:n] {
		b, err := ParseValue(r.t.Format, f)
		if err != nil {
			return r.p.fail(places[i], "%w", err)
		}
		row.Words = append(row.Words, b)
	}
	row.Expect = Expect(fields[n])
	if err := checkExpect(row.Expect); err != nil {
		return r.p.fail(places[n], "%w", err)
	}
	switch rest := fields[n+1:]; {
	case len(rest) == 0:
	case rest[0] != "reaches" || len(rest) != 2:
		return r.p.fail(places[n+1], "%s; behind the expectation stands a ratio, such as \"reaches 0.99\", or a comment behind #", quote(strings.Join(rest, " ")))
	default:
		v, err := strconv.ParseFloat(rest[1], 64)
		if err != nil || !(v > 0 && v <= 1) {
			return r.p.fail(places[n+2], "%s is no ratio above 0 and up to 1", quote(rest[1]))
		}
		row.Reaches = v
	}
	r.t.Rows = append(r.t.Rows, row)
	return nil
}

// FormatTable returns the file of t in canonical form.
func FormatTable(t *Table) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(tableHeader + "\n")
	for _, text := range t.Comments {
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString(strings.TrimRight("# "+comment(line), " ") + "\n")
		}
	}
	if err := t.writeHead(&b); err != nil {
		return nil, fmt.Errorf("corpus: the table cannot be written: %w", err)
	}
	for i := range t.Rows {
		if err := t.writeRow(&b, &t.Rows[i], true); err != nil {
			return nil, fmt.Errorf("corpus: row %d of the table cannot be written: %w", i, err)
		}
	}
	if b.Len() > MaxTableBytes {
		return nil, fmt.Errorf("corpus: the table cannot be written: it takes %d bytes, more than %d; part it", b.Len(), MaxTableBytes)
	}
	return b.Bytes(), nil
}

// CanonicalTable returns the canonical form of a table's text.
func CanonicalTable(text []byte) ([]byte, error) {
	t, err := ParseTable(text, "")
	if err != nil {
		return nil, err
	}
	return FormatTable(t)
}

// writeHead checks and writes the keys.
func (t *Table) writeHead(b *bytes.Buffer) error {
	if t.Words < 1 || t.Words > MaxTableWords {
		return fmt.Errorf("its rows have %d words; they have 1 to %d", t.Words, MaxTableWords)
	}
	// A case without leaves has the same keys.
	c := &Case{Law: t.Law, Kernel: t.Kernel, Behaviour: t.Behaviour, Launch: t.Launch, X: Values{Format: t.Format}}
	if err := check(c, ExpectHolds); err != nil {
		return err
	}
	fmt.Fprintf(b, "law %s\nkernel %s\n", t.Law, t.Kernel)
	if s := t.Behaviour.String(); s != (model.Behaviour{}).String() {
		fmt.Fprintf(b, "behaviour %s\n", s)
	}
	if !t.Launch.IsZero() {
		fmt.Fprintf(b, "launch %s\n", t.Launch)
	}
	if t.Batch {
		b.WriteString("batch yes\n")
	}
	if t.Format.Name != model.Binary32.Name {
		fmt.Fprintf(b, "format %s\n", t.Format)
	}
	fmt.Fprintf(b, "words %d\n", t.Words)
	return nil
}

// writeRow writes a row, with what it expects or without.
func (t *Table) writeRow(b *bytes.Buffer, r *TableRow, expectations bool) error {
	if len(r.Words) != t.Words {
		return fmt.Errorf("it has %d words, and the table says %d", len(r.Words), t.Words)
	}
	b.WriteString("row")
	for _, w := range r.Words {
		if w>>(t.Format.Bits()-1)>>1 != 0 {
			return fmt.Errorf("%#x is no encoding of %s", w, t.Format)
		}
		b.WriteString(" " + FormatValue(t.Format, w))
	}
	if expectations {
		expect := r.Expect
		if expect == "" {
			expect = ExpectHolds
		}
		if err := checkExpect(expect); err != nil {
			return err
		}
		b.WriteString(" " + string(expect))
		if r.Reaches != 0 {
			if !(r.Reaches > 0 && r.Reaches <= 1) {
				return fmt.Errorf("it reaches %g; a ratio is above 0 and at most 1", r.Reaches)
			}
			b.WriteString(" reaches " + strconv.FormatFloat(r.Reaches, 'g', -1, 64))
		}
		if text := strings.TrimSpace(comment(r.Comment)); text != "" {
			b.WriteString(" # " + text)
		}
	}
	b.WriteByte('\n')
	return nil
}

// LoadTables reads every file of fsys whose name ends in .cases, at any depth, in the order of their paths, as Load does with cases.
func LoadTables(fsys fs.FS) (files []TableFile, errs []error) {
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && name == "." && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: the directory cannot be read: %w", name, err))
			return nil
		case d.IsDir() || path.Ext(name) != ".cases":
			return nil
		case !d.Type().IsRegular():
			errs = append(errs, fmt.Errorf("%s: it is no regular file; put the table itself here", name))
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: it cannot be read: %w", name, err))
			return nil
		}
		t, err := ParseTable(text, name)
		if err != nil {
			errs = append(errs, err)
		} else {
			files = append(files, TableFile{name, t})
		}
		return nil
	})
	if err != nil {
		errs = append(errs, err)
	}
	return files, errs
}
