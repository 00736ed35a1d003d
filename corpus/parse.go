package corpus

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamma/model"
)

// Limits of case files. A file beyond them is an error, not a crash.
const (
	MaxN         = 1 << 28 // leaves
	MaxFileBytes = 1 << 27 // bytes of a case file
	maxLineBytes = 1 << 24
)

// header is the first line of every case file.
const header = "gamma case v1"

// Options say how case files are read and written. The zero value is usable.
type Options struct {
	// File is the name that errors give; Load sets it.
	File string
	// Expand runs the recipes that are not this package's own. Without it a case with such a
	// recipe is loaded with Deferred set.
	Expand Expander
	// MaxBytes bounds the memory of one vector; 0 is 2^27.
	MaxBytes int64

	keepGen bool // leave every recipe unexpanded
}

// maxBytes returns the bound on one vector's memory.
func (o Options) maxBytes() int64 {
	if o.MaxBytes > 0 {
		return o.MaxBytes
	}
	return 1 << 27
}

// Error is what is wrong with a case file, and where.
type Error struct {
	Pos model.Position
	Err error
}

// Error returns "file:line:column: what is wrong and what would mend it".
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Err.Error() }

// Unwrap returns the error without its position.
func (e *Error) Unwrap() error { return e.Err }

// Parse reads a case file. Keys may stand in any order; see the package comment for the grammar.
// Every error it returns is an *Error.
func Parse(text []byte, o Options) (*Case, error) {
	p := parser{o: o, seen: map[string]place{}}
	if p.o.File == "" {
		p.o.File = "case"
	}
	if err := p.parse(text); err != nil {
		return nil, err
	}
	return &p.c, nil
}

// place is a line and a column of the file, both from 1.
type place struct{ line, col int }

// entry is one x or y line.
type entry struct {
	index int
	value string
	at    place // of the value
}

type parser struct {
	o    Options
	c    Case
	seen map[string]place // each key's value

	format model.Format
	n, ny  int
	sum    [32]byte
	x, y   []entry
}

// fail returns the error at a place.
func (p *parser) fail(at place, format string, args ...any) error {
	return &Error{model.Position{File: p.o.File, Line: at.line, Column: at.col}, fmt.Errorf(format, args...)}
}

func (p *parser) parse(text []byte) error {
	if len(text) > MaxFileBytes {
		return p.fail(place{1, 1}, "the file has %d bytes, more than %d; store large inputs by a recipe", len(text), MaxFileBytes)
	}
	rest, line := text, 0
	for len(rest) > 0 {
		line++
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			if line == 1 {
				if err := p.checkHeader(string(rest[:min(len(rest), 80)])); err != nil {
					return err
				}
			}
			return p.fail(place{line, len(rest) + 1}, "the last line has no newline at its end: the file is cut off; complete it")
		}
		raw := rest[:i]
		rest = rest[i+1:]
		if len(raw) > maxLineBytes {
			return p.fail(place{line, maxLineBytes + 1}, "the line has %d bytes, more than %d", len(raw), maxLineBytes)
		}
		s := strings.TrimSuffix(string(raw), "\r")
		if at := badByte(s); at >= 0 {
			return p.fail(place{line, at + 1}, "byte %#02x is not text in UTF-8, or a control character; a case file has neither", s[at])
		}
		if line == 1 {
			if err := p.checkHeader(s); err != nil {
				return err
			}
			continue
		}
		if err := p.line(s, line); err != nil {
			return err
		}
	}
	if line == 0 {
		return p.fail(place{1, 1}, "the file is empty; its first line is %q", header)
	}
	return p.finish(place{line + 1, 1})
}

// checkHeader checks the first line.
func (p *parser) checkHeader(s string) error {
	switch t := strings.TrimRight(s, " \t\r"); {
	case t == header:
		return nil
	case strings.HasPrefix(t, "gamma case v"):
		return p.fail(place{1, 1}, "the file says %s, and this version of gamma reads %q only", quote(t), header)
	}
	return p.fail(place{1, 1}, "the file is no case: its first line must be %q", header)
}

// badByte returns the index of the first byte that is no text, or -1.
func badByte(s string) int {
	for i, r := range s {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size <= 1 {
				return i
			}
		}
		if r < ' ' && r != '\t' || r == 0x7f {
			return i
		}
	}
	return -1
}

// keys are the keys that stand once, in canonical order.
var keys = []string{"law", "kernel", "expect", "want", "behaviour", "launch", "tree", "seed", "rows", "isolate", "format", "n", "ny", "gen", "sha256"}

// line reads one line after the first.
func (p *parser) line(s string, line int) error {
	s = strings.TrimRight(s, " \t")
	t := strings.TrimLeft(s, " \t")
	if t == "" {
		return nil
	}
	at := place{line, len(s) - len(t) + 1}
	if t[0] == '#' {
		p.c.Comments = append(p.c.Comments, comment(strings.TrimPrefix(t[1:], " ")))
		return nil
	}
	key, val := t, ""
	if i := strings.IndexAny(t, " \t"); i >= 0 {
		key, val = t[:i], strings.TrimLeft(t[i:], " \t")
	}
	valAt := place{line, len(s) - len(val) + 1}
	switch key {
	case "x":
		return p.entry(&p.x, val, valAt)
	case "y":
		return p.entry(&p.y, val, valAt)
	}
	known := false
	for _, k := range keys {
		known = known || k == key
	}
	if !known {
		return p.fail(at, "no key is called %s; known are %s, x and y", quote(key), strings.Join(keys, ", "))
	}
	if was, twice := p.seen[key]; twice {
		return p.fail(at, "%s stands in line %d already; leave one of them", key, was.line)
	}
	p.seen[key] = valAt
	if val == "" {
		return p.fail(valAt, "%s has no value", key)
	}
	if strings.Contains(val, " #") || strings.Contains(val, "\t#") {
		return p.fail(valAt, "the value of %s has a comment behind it; comments stand on lines of their own", key)
	}
	if err := p.set(key, val); err != nil {
		return p.fail(valAt, "%s: %w", key, err)
	}
	return nil
}

// set takes the value of a key that stands once.
func (p *parser) set(key, val string) (err error) {
	c := &p.c
	switch key {
	case "law":
		c.Law = model.LawID(val)
		return checkLaw(c.Law)
	case "kernel":
		c.Kernel = val
		return checkText(val)
	case "expect":
		c.Expect = Expect(val)
		return checkExpect(c.Expect)
	case "want":
		c.Want, err = canonicalWant(val)
	case "behaviour":
		c.Behaviour, err = model.ParseBehaviour(val)
	case "launch":
		c.Launch, err = parseLaunch(val)
	case "tree":
		c.Tree = val
		return checkText(val)
	case "seed":
		if c.Seed, err = strconv.ParseUint(val, 10, 64); err != nil {
			return fmt.Errorf("%s is no decimal number of 64 bits", quote(val))
		}
	case "isolate":
		if val != "yes" {
			return fmt.Errorf("%s is not 'yes'; leave the line out for a case that runs in this process", quote(val))
		}
		c.Isolate = true
	case "rows":
		if c.Rows, err = parseCount(val, 1, MaxN); c.Rows == 1 {
			c.Rows = 0
		}
	case "format":
		if p.format, err = model.FormatByName(val); err == nil {
			err = storable(p.format)
		}
	case "n":
		p.n, err = parseCount(val, 0, MaxN)
	case "ny":
		p.ny, err = parseCount(val, 0, MaxN)
	case "gen":
		c.Gen = strings.Join(strings.Fields(val), " ")
		return checkText(c.Gen)
	case "sha256":
		var b []byte
		if b, err = hex.DecodeString(val); err != nil || len(b) != len(p.sum) {
			return fmt.Errorf("%s is not 64 hex digits", quote(val))
		}
		p.sum = [32]byte(b)
	}
	return err
}

// entry reads the rest of an x or y line: index, value and the derived comment.
func (p *parser) entry(list *[]entry, val string, at place) error {
	index, rest := cutField(val)
	value, tail := cutField(rest)
	i, err := parseCount(index, 0, MaxN-1)
	if err != nil {
		return p.fail(at, "index: %w", err)
	}
	valueAt := place{at.line, at.col + len(val) - len(rest)}
	if value == "" || value[0] == '#' {
		return p.fail(valueAt, "leaf %d has no value", i)
	}
	if tail != "" {
		tailAt := place{at.line, at.col + len(val) - len(tail)}
		if tail[0] != '#' {
			return p.fail(tailAt, "there is more behind the value; only a comment may stand there")
		}
		if _, err := strconv.ParseFloat(strings.TrimSpace(tail[1:]), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return p.fail(tailAt, "the comment behind a value is its decimal and derived from it; yours, %s, belongs on a line of its own", quote(tail))
		}
	}
	*list = append(*list, entry{i, value, valueAt})
	return nil
}

// cutField returns the first field of s and the rest behind its white space.
func cutField(s string) (field, rest string) {
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		return s[:i], strings.TrimLeft(s[i:], " \t")
	}
	return s, ""
}

// finish checks the file as a whole and makes the vectors.
func (p *parser) finish(end place) error {
	for _, key := range []string{"law", "kernel", "n"} {
		if _, ok := p.seen[key]; !ok {
			return p.fail(end, "the file has no line %q; it is cut off, or the line is missing", key)
		}
	}
	if err := checkWants(p.c.Want, p.c.Rows); err != nil {
		return p.fail(p.seen["want"], "%w", err)
	}
	if err := checkRows(p.n, p.c.Rows); err != nil {
		return p.fail(p.seen["rows"], "%w", err)
	}
	if p.format.IsZero() {
		p.format = model.Binary32
	}
	if p.c.Expect == "" {
		p.c.Expect = ExpectHolds
	}
	if gen, ok := p.seen["gen"]; ok {
		return p.finishGen(gen)
	}
	if at, ok := p.seen["sha256"]; ok {
		return p.fail(at, "sha256 stands without the line gen whose values it is of")
	}
	at, ok := p.seen["ny"]
	switch {
	case !ok:
		p.ny = p.n
		at = p.seen["n"]
	default:
		if err := checkFactors(p.n, p.ny, p.c.Rows); err != nil {
			return p.fail(at, "%w", err)
		}
	}
	var err error
	if p.c.X, err = p.vector(p.x, "x", p.n, p.seen["n"]); err != nil {
		return err
	}
	if ok || len(p.y) > 0 {
		p.c.Y, err = p.vector(p.y, "y", p.ny, at)
	}
	return err
}

// checkFactors says whether ny second factors go with n leaves: none, one each, or one for each
// leaf of a row, which all rows share.
func checkFactors(n, ny, rows int) error {
	if ny != 0 && ny != n && ny != n/max(rows, 1) {
		return fmt.Errorf("%d second factors go with %d leaves in %d rows neither one to one nor one to each leaf of a row", ny, n, max(rows, 1))
	}
	return nil
}

// vector makes the vector of n elements, of which the lines of key list those that are not +0.
func (p *parser) vector(list []entry, key string, n int, at place) (Values, error) {
	sort.SliceStable(list, func(i, j int) bool { return list[i].index < list[j].index })
	codes := make([]uint64, len(list))
	for i, e := range list {
		b, err := ParseValue(p.format, e.value)
		switch {
		case err != nil:
			return Values{}, p.fail(e.at, "%s %d: %w", key, e.index, err)
		case e.index >= n:
			return Values{}, p.fail(e.at, "%s %d lies outside the %d elements that line %d gives; indices count from 0", key, e.index, n, at.line)
		case i > 0 && list[i-1].index == e.index:
			return Values{}, p.fail(e.at, "%s %d stands in line %d already; leave one of them", key, e.index, list[i-1].at.line)
		}
		codes[i] = b
	}
	if need := int64(n) * int64((p.format.Bits()+7)/8); need > p.o.maxBytes() {
		return Values{}, p.fail(at, "%d leaves of %s take %d bytes, more than the %d allowed; raise Options.MaxBytes",
			n, p.format, need, p.o.maxBytes())
	}
	v := NewValues(p.format, n)
	for i, e := range list {
		v.Set(e.index, codes[i])
	}
	return v, nil
}

// finishGen makes the vectors of a case with a recipe, or leaves it for Expand.
func (p *parser) finishGen(gen place) error {
	for _, list := range [][]entry{p.x, p.y} {
		if len(list) > 0 {
			return p.fail(list[0].at, "a case with a recipe (line %d) lists no values; leave one of them", gen.line)
		}
	}
	if at, ok := p.seen["ny"]; ok {
		return p.fail(at, "a case with a recipe (line %d) takes the number of second factors from it; leave one of them", gen.line)
	}
	p.c.Deferred = &Deferred{p.format, p.n, p.sum}
	if p.o.keepGen {
		if _, ok := p.seen["sha256"]; ok {
			return nil
		}
	}
	x, y, err := p.o.expand(p.c.Gen, p.format, p.n)
	sum, ok := p.seen["sha256"]
	switch {
	case errors.Is(err, errNoExpander) && ok:
		return nil
	case err != nil:
		return p.fail(gen, "%w", err)
	case !ok:
		return p.fail(gen, "a recipe needs the digest of its values behind it; add the line: sha256 %x", Digest(x, y))
	}
	if err := changed(p.c.Gen, Digest(x, y), p.sum); err != nil {
		return p.fail(sum, "%w", err)
	}
	if err := checkFactors(x.Len(), y.Len(), p.c.Rows); err != nil {
		return p.fail(gen, "recipe %s: %w", quote(p.c.Gen), err)
	}
	p.c.X, p.c.Y, p.c.Deferred = x, y, nil
	return nil
}

// parseCount reads a decimal count between low and high.
func parseCount(s string, low, high int) (int, error) {
	i, err := strconv.ParseUint(s, 10, 63)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, fmt.Errorf("%s is no decimal number", quote(s))
	}
	if err != nil || i < uint64(low) || i > uint64(high) {
		return 0, fmt.Errorf("%s lies outside %d to %d", quote(s), low, high)
	}
	return int(i), nil
}

// parseLaunch is the inverse of model.Launch.String.
func parseLaunch(s string) (model.Launch, error) {
	var l model.Launch
	for _, w := range strings.Fields(s) {
		key, val, _ := strings.Cut(w, "=")
		var size *model.Size3
		switch key {
		case "groups":
			size = &l.Groups
		case "threads":
			size = &l.Threads
		default:
			return model.Launch{}, fmt.Errorf("a launch has groups= and threads=, not %s", quote(w))
		}
		if *size != (model.Size3{}) {
			return model.Launch{}, fmt.Errorf("%s is given twice", key)
		}
		parts := strings.Split(val, ",")
		if len(parts) == 1 {
			parts = append(parts, "1", "1")
		}
		if len(parts) != 3 {
			return model.Launch{}, fmt.Errorf("%s has one size or three, such as 4 or 4,2,1", quote(w))
		}
		for i, d := range []*int{&size.X, &size.Y, &size.Z} {
			var err error
			if *d, err = parseCount(parts[i], 1, 1<<31-1); err != nil {
				return model.Launch{}, fmt.Errorf("%s: %w", key, err)
			}
		}
	}
	if l.Groups == (model.Size3{}) || l.Threads == (model.Size3{}) {
		return model.Launch{}, errors.New("a launch needs both groups= and threads=")
	}
	return l, nil
}

// canonicalWant returns the right results, one for each row or one for all, in canonical form.
func canonicalWant(s string) (string, error) {
	words := strings.Fields(s)
	for i, w := range words {
		var err error
		if words[i], err = canonicalResult(w); err != nil {
			return "", err
		}
	}
	same := len(words) > 0
	for _, w := range words {
		same = same && w == words[0]
	}
	if same {
		return words[0], nil
	}
	return strings.Join(words, " "), nil
}

// checkWants says whether want has a result for every row, or one for all.
func checkWants(want string, rows int) error {
	if k := len(strings.Fields(want)); k > 1 && k != max(rows, 1) {
		return fmt.Errorf("want gives %d results, and there are %d rows", k, max(rows, 1))
	}
	return nil
}

// checkRows says whether n leaves make rows of one length.
func checkRows(n, rows int) error {
	if rows > 1 && n%rows != 0 {
		return fmt.Errorf("%d leaves do not make %d rows of one length", n, rows)
	}
	return nil
}

// canonicalResult returns a right result in canonical form. It has no format of its own, for the
// result's may differ from the leaves'.
func canonicalResult(s string) (string, error) {
	switch s {
	case "inf", "-inf", "nan":
		return s, nil
	case "+inf":
		return "inf", nil
	}
	d, err := parseHex(s)
	if err != nil {
		return "", fmt.Errorf("want is a hex float, inf, -inf or nan: %w", err)
	}
	return d.String(), nil
}

// checkLaw says whether id can be a law's name.
func checkLaw(id model.LawID) error {
	parts := strings.Split(string(id), ".")
	ok := len(parts) > 1 && len(id) <= 80
	for _, p := range parts {
		ok = ok && p != "" && p[0] >= 'a' && p[0] <= 'z' &&
			strings.Trim(p, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
	}
	if !ok {
		return fmt.Errorf("%s is no law: one is called by lower-case words with dots between, such as sum.enclosure", quote(string(id)))
	}
	return nil
}

// checkExpect says whether e is an expectation.
func checkExpect(e Expect) error {
	if e != ExpectHolds && e != ExpectViolated {
		return fmt.Errorf("%s is no expectation; a case %s or is %s", quote(string(e)), ExpectHolds, ExpectViolated)
	}
	return nil
}

// checkText says whether s can stand as the value of a line as it is.
func checkText(s string) error {
	switch {
	case s == "":
		return errors.New("it is empty")
	case len(s) > maxLineBytes-16:
		return fmt.Errorf("it has %d bytes, more than a line holds", len(s))
	case !utf8.ValidString(s):
		return fmt.Errorf("%s is not UTF-8", quote(s))
	case strings.TrimSpace(s) != s:
		return fmt.Errorf("%s has white space at an end", quote(s))
	case strings.Contains(s, " #"):
		return fmt.Errorf("%s reads like a value with a comment behind it", quote(s))
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("%s has the character %q, which does not print", quote(s), r)
		}
	}
	return nil
}

// comment returns s as it can stand behind "# " on one line.
func comment(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return strings.TrimRight(s, " ")
}
