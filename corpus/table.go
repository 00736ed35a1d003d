package corpus

import (
	"bytes"
	"fmt"

	"gamma/model"
)

// Table is many rows of operands for one law and one operation on words: plain data, printable, replayable. Its file ends in .cases;
// see the package comment.
type Table struct {
	Law       model.LawID
	Kernel    string
	Behaviour model.Behaviour
	Launch    model.Launch
	Seed      uint64 // feeds what a law draws beside the words
	Isolate   bool   // the kernel hung or died on a row: the rows are replayed in a child process
	// Batch: the rows run in one call; otherwise each is a case of its own.
	Batch    bool
	Format   model.Format
	Words    int // of each row
	Rows     []TableRow
	Comments []string // at the head, without the leading "# "
	Before   []Body   // the calls that come first
}

// Head returns the keys that every file has. Each row has its own expectation.
func (t *Table) Head() Header {
	return Header{t.Law, t.Kernel, "", t.Behaviour, t.Launch, t.Seed, t.Isolate, t.Comments, t.Before}
}

// SetHead replaces them.
func (t *Table) SetHead(h Header) {
	t.Law, t.Kernel, t.Behaviour, t.Launch, t.Seed, t.Isolate, t.Comments = h.Law, h.Kernel, h.Behaviour, h.Launch, h.Seed, h.Isolate, h.Comments
	t.Before = h.Before
}

// tableCodec reads and writes a Table.
type tableCodec struct{ t *Table }

func (t *Table) codec(Options) codec { return tableCodec{t} }

func (e tableCodec) kind() *kind { return kinds[1] }

func (e tableCodec) rows() *rowLayout {
	t := e.t
	return &rowLayout{
		list: &t.Rows, words: t.Words, reaches: true, batch: t.Batch,
		parse: func(s string) (uint64, error) { return ParseValue(t.Format, s) },
		format: func(w uint64) (string, error) {
			if w>>(t.Format.Bits()-1)>>1 != 0 {
				return "", fmt.Errorf("%#x is not an encoding of %s", w, t.Format)
			}
			return FormatValue(t.Format, w), nil
		},
	}
}

func (e tableCodec) keys(h *Header) []key {
	t := e.t
	return []key{
		h.key("law"), h.key("kernel"), h.key("behaviour"), h.key("launch"), h.key("seed"), h.key("isolate"),
		flagKey("batch", &t.Batch, "rows that run alone"), formatKey(&t.Format), countKey("words", &t.Words, 1, MaxTableWords),
	}
}

func (e tableCodec) element(p *parser, _, value string, at place) error {
	return e.rows().read(p, value, at)
}

func (e tableCodec) finish(*parser, place) error { return nil }

func (e tableCodec) check(*Header) error {
	return checkFormat(e.t.Format)
}

func (e tableCodec) identify(*bytes.Buffer) {}

func (e tableCodec) write(*bytes.Buffer) {}
