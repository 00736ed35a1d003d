package corpus

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gamma/model"
)

// Limits of case files. A file beyond them is an error, not a crash.
const (
	MaxN          = 1 << 28 // leaves of a case
	MaxFileBytes  = 1 << 27 // bytes of a .case file
	MaxTableBytes = 1 << 24 // bytes of another file
	MaxTableWords = 512     // words of a row
	MaxResidues   = 1 << 22 // words of x and of y, in residues
	maxLineBytes  = 1 << 24
)

// Options say how case files are read and written. The zero value is usable.
type Options struct {
	// File is the name that errors give; Load sets it.
	File string
	// Expand runs the recipes of a Case that are not this package's own. Without it a case with such
	// a recipe is loaded with Deferred set.
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

// Error returns "file:line:column: what is wrong and how to fix it".
func (e *Error) Error() string { return e.Pos.String() + ": " + e.Err.Error() }

// Unwrap returns the error without its position.
func (e *Error) Unwrap() error { return e.Err }

// Parse reads a case file whose body is of type B, or of any kind if B is Body. See the package comment for the grammar.
// Every error that it returns is an *Error.
func Parse[B Body](text []byte, o Options) (B, error) {
	var none B
	b, err := parse(text, kindsOf[B](), o)
	if err != nil {
		return none, err
	}
	return b.(B), nil
}

// place is a line and a column of the file, both from 1.
type place struct{ line, col int }

// parser reads one file.
type parser struct {
	o     Options
	kind  *kind
	h     Header
	body  codec
	keys  []key
	seen  map[string]place // each key's value
	calls []*inner         // those that come before
	inRow bool             // the first row has been met
}

// fail returns the error at a place.
func (p *parser) fail(at place, format string, args ...any) error {
	return &Error{model.Position{File: p.o.File, Line: at.line, Column: at.col}, fmt.Errorf(format, args...)}
}

// parse reads a file of one of some kinds.
func parse(text []byte, among []*kind, o Options) (Body, error) {
	p := parser{o: o, seen: map[string]place{}}
	if p.o.File == "" {
		p.o.File = among[0].name
	}
	if err := p.first(text, among); err != nil {
		return nil, err
	}
	if len(text) > p.kind.maxBytes {
		return nil, p.fail(place{1, 1}, "the file has %d bytes, more than %d; %s", len(text), p.kind.maxBytes, p.kind.tooLong)
	}
	b := p.kind.new()
	p.body = b.codec(o)
	p.keys = p.body.keys(&p.h)
	line := 0
	for rest := text; len(rest) > 0; {
		line++
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			return nil, p.fail(place{line, len(rest) + 1}, "the last line has no newline at its end: the file is cut off; complete it")
		}
		raw := rest[:i]
		rest = rest[i+1:]
		if len(raw) > maxLineBytes {
			return nil, p.fail(place{line, maxLineBytes + 1}, "the line has %d bytes, more than %d", len(raw), maxLineBytes)
		}
		s := strings.TrimSuffix(string(raw), "\r")
		if at := badByte(s); at >= 0 {
			return nil, p.fail(place{line, at + 1}, "byte %#02x is not text in UTF-8, or a control character; a case file has neither", s[at])
		}
		if line == 1 {
			continue
		}
		if err := p.line(s, line); err != nil {
			return nil, err
		}
	}
	end := place{line + 1, 1}
	if err := p.complete(end); err != nil {
		return nil, err
	}
	if err := p.body.finish(&p, end); err != nil {
		return nil, err
	}
	if err := p.readBefore(); err != nil {
		return nil, err
	}
	b.SetHead(p.h)
	return b, nil
}

// first finds the kind of a file by its first line.
func (p *parser) first(text []byte, among []*kind) error {
	line, _, _ := bytes.Cut(text[:min(len(text), 80)], []byte("\n"))
	s := strings.TrimRight(string(line), " \t\r")
	var known []string
	for _, k := range among {
		switch {
		case s == k.header+version:
			p.kind = k
			return nil
		case strings.HasPrefix(s, k.header+"v"):
			return p.fail(place{1, 1}, "the file says %s, and this version of gamma reads %q only", quote(s), k.header+version)
		}
		known = append(known, fmt.Sprintf("%q", k.header+version))
	}
	if len(text) == 0 {
		return p.fail(place{1, 1}, "the file is empty; its first line is %s", strings.Join(known, " or "))
	}
	noun := "case"
	if len(among) == 1 {
		noun = among[0].ext
	}
	return p.fail(place{1, 1}, "the file is not a %s file: its first line must be %s", noun, strings.Join(known, " or "))
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

// line reads one line after the first.
func (p *parser) line(s string, line int) error {
	s = strings.TrimRight(s, " \t")
	t := strings.TrimLeft(s, " \t")
	if t == "" {
		return nil
	}
	at := place{line, len(s) - len(t) + 1}
	if t[0] == '#' {
		if p.inRow {
			return p.fail(at, "a comment on a line of its own stands before the rows; write it at the end of a row")
		}
		p.h.Comments = append(p.h.Comments, comment(strings.TrimPrefix(t[1:], " ")))
		return nil
	}
	name, val := cutField(t)
	valAt := place{line, len(s) - len(val) + 1}
	if slices.Contains(p.kind.elements, name) {
		return p.body.element(p, name, val, valAt)
	}
	if name == beforeKey && !p.inRow {
		return p.before(val, valAt)
	}
	i := slices.IndexFunc(p.keys, func(k key) bool { return k.name == name })
	if i < 0 {
		return p.fail(at, "no key is called %s; known are %s", quote(name), strings.Join(p.names(), ", "))
	}
	switch was, twice := p.seen[name]; {
	case twice:
		return p.fail(at, "%s stands in line %d already; delete one of them", name, was.line)
	case p.inRow:
		return p.fail(at, "%s stands after a row; keys come first", name)
	case val == "":
		return p.fail(valAt, "%s has no value", name)
	case strings.Contains(val, " #") || strings.Contains(val, "\t#"):
		return p.fail(valAt, "the value of %s has a comment after it; comments stand on lines of their own", name)
	}
	p.seen[name] = valAt
	if err := p.keys[i].set(val); err != nil {
		return p.fail(valAt, "%s: %w", name, err)
	}
	return nil
}

// names returns every key that a file of the kind can have.
func (p *parser) names() (list []string) {
	for _, k := range p.keys {
		list = append(list, k.name)
	}
	return append(append(list, beforeKey), p.kind.elements...)
}

// complete checks that the required keys are there, at the first row or at the end.
func (p *parser) complete(at place) error {
	for _, k := range p.keys {
		if _, ok := p.seen[k.name]; k.required && !ok {
			return p.fail(at, "there is no line %q before this one; the file is cut off, or the line is missing", k.name)
		}
	}
	return nil
}

// cutField returns the first field of s and the rest after its white space.
func cutField(s string) (field, rest string) {
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		return s[:i], strings.TrimLeft(s[i:], " \t")
	}
	return s, ""
}
