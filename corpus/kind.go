package corpus

import (
	"bytes"
	"slices"

	"gamma/model"
)

// Body is what one case file holds: a *Case, a *Table, a *Residues or an *Integers.
type Body interface {
	// Head returns the keys that every file has.
	Head() Header
	// SetHead replaces them.
	SetHead(Header)

	// codec returns what reads and writes the body.
	codec(o Options) codec
}

// kind is one sort of case file.
type kind struct {
	name     string // for errors: "the case cannot be written"
	ext      string // of the file's name, with its dot
	header   string // the file's first line, without the version
	maxBytes int
	tooLong  string // what to do about a file of more bytes
	elements []string
	new      func() Body
}

// version ends the first line of every file.
const version = "v1"

// kinds are the sorts of case files. A new one is a body with its codec in a file of its own, and an entry here.
var kinds = []*kind{
	{"case", ".case", "gamma case ", MaxFileBytes, "store large inputs by a recipe", []string{"x", "y"}, func() Body { return new(Case) }},
	{"table", ".cases", "gamma cases ", MaxTableBytes, "split it", []string{"row"}, func() Body { return &Table{Format: model.Binary32} }},
	{"residues", ".residues", "gamma residues ", MaxTableBytes, "split it, or store x and y by a recipe", []string{"x", "y", "row"}, func() Body { return new(Residues) }},
	{"sum of integers", ".integers", "gamma integers ", MaxTableBytes, "reduce it", []string{"x"}, func() Body { return new(Integers) }},
}

// Extensions returns the ends of the names of case files, such as .case and .residues.
func Extensions() []string {
	list := make([]string, len(kinds))
	for i, k := range kinds {
		list[i] = k.ext
	}
	return list
}

// kindsOf returns the kinds whose bodies are of type B: one, or all for Body.
func kindsOf[B Body]() []*kind {
	return slices.DeleteFunc(slices.Clone(kinds), func(k *kind) bool { _, ok := k.new().(B); return !ok })
}

// Rows returns how many rows a body has, and 1 of one without.
func Rows(b Body) int {
	if r := b.codec(Options{}).rows(); r != nil {
		return max(1, len(*r.list))
	}
	return 1
}

// codec reads and writes one body.
type codec interface {
	kind() *kind
	// keys returns the lines that stand once, in canonical order; h holds those of the header.
	keys(h *Header) []key
	// element reads a line of another key, which may stand many times.
	element(p *parser, key, value string, at place) error
	// finish checks the file as a whole and fills the body, once all lines are read.
	finish(p *parser, end place) error

	// check says what keeps the body from being written so that it reads back the same.
	check(h *Header) error
	// identify writes what counts in the file's name beside the keys.
	identify(b *bytes.Buffer)
	// write writes the lines after the keys.
	write(b *bytes.Buffer)
	// rows returns how the rows are read and written, or nil if the kind has none.
	rows() *rowLayout
}
