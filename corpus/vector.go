package corpus

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// vector is what a file lists of x or y: the elements other than 0, by their indices.
type vector struct {
	key  string
	list []entry
}

// entry is one line of a vector.
type entry struct {
	index int
	text  string
	at    place  // of the text
	code  uint64 // what text stands for, once it is known in which format
}

// read reads the rest of a line: index, value and, of a float, the derived decimal.
func (v *vector) read(p *parser, val string, at place, maxN int) error {
	index, rest := cutField(val)
	text, tail := cutField(rest)
	i, err := parseCount(index, 0, maxN-1)
	if err != nil {
		return p.fail(at, "index: %w", err)
	}
	textAt := place{at.line, at.col + len(val) - len(rest)}
	if text == "" || text[0] == '#' {
		return p.fail(textAt, "%s %d has no value", v.key, i)
	}
	if tail != "" {
		tailAt := place{at.line, at.col + len(val) - len(tail)}
		if tail[0] != '#' {
			return p.fail(tailAt, "there is more after the value; only a comment may stand there")
		}
		if _, err := strconv.ParseFloat(strings.TrimSpace(tail[1:]), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return p.fail(tailAt, "the comment after a value is its decimal and derived from it; yours, %s, belongs on a line of its own", quote(tail))
		}
	}
	v.list = append(v.list, entry{index: i, text: text, at: textAt})
	return nil
}

// decode gives each entry its code. The vector has n elements, which the line at size says.
func (v *vector) decode(p *parser, n int, size place, parse func(string) (uint64, error)) error {
	byIndex := func(a, b entry) int { return cmp.Compare(a.index, b.index) }
	if !slices.IsSortedFunc(v.list, byIndex) { // canonical files are
		slices.SortStableFunc(v.list, byIndex)
	}
	for i := range v.list {
		e := &v.list[i]
		code, err := parse(e.text)
		switch {
		case err != nil:
			return p.fail(e.at, "%s %d: %w", v.key, e.index, err)
		case e.index >= n:
			return p.fail(e.at, "%s %d lies outside the %d elements that line %d gives; indices count from 0", v.key, e.index, n, size.line)
		case i > 0 && v.list[i-1].index == e.index:
			return p.fail(e.at, "%s %d stands in line %d already; delete one of them", v.key, e.index, v.list[i-1].at.line)
		}
		e.code = code
	}
	return nil
}

// words returns the n words that the lines list, which parse reads; size is where the file says how many there are.
func (v *vector) words(p *parser, n int, size place, parse func(string) (uint64, error)) ([]uint64, error) {
	if err := v.decode(p, n, size, parse); err != nil {
		return nil, err
	}
	words := make([]uint64, n)
	for _, w := range v.list {
		words[w.index] = w.code
	}
	return words, nil
}

// writeVector writes the lines of a vector's elements other than 0. A vector y that has no other writes its first, which tells
// that there is one. format writes a value.
func writeVector(b *bytes.Buffer, key string, n int, at func(i int) uint64, format func(code uint64)) {
	written := false
	line := func(i int) {
		b.WriteString(key + " " + strconv.Itoa(i) + " ")
		format(at(i))
		b.WriteByte('\n')
		written = true
	}
	for i := range n {
		if at(i) != 0 {
			line(i)
		}
	}
	if key == "y" && n > 0 && !written {
		line(0)
	}
}
