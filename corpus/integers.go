package corpus

import (
	"bytes"
	"strconv"
)

// Integers is the terms of a sum of integers, for one law and one kernel. Its file ends in .integers and lists the terms other than 0.
type Integers struct {
	Header
	Bits   int // of a term, 8 to 64; the judge of the sum sees to it that the terms have no more
	X      []uint64
	Recipe string // that the terms were drawn by; files do not hold it
}

var integersKind = &kind{"sum of integers", ".integers", "gamma integers ", MaxTableBytes, "reduce it", []string{"x"}, func() Body { return new(Integers) }}

func init() { kinds = append(kinds, integersKind) }

// integersCodec reads and writes Integers.
type integersCodec struct {
	*Integers
	n int // the length of X
	x vector
}

func (t *Integers) codec(Options) codec             { return &integersCodec{t, len(t.X), vector{key: "x"}} }
func (e *integersCodec) kind() *kind                { return integersKind }
func (e *integersCodec) check(*Header) error        { return nil }
func (e *integersCodec) rows() *rowLayout           { return nil }
func (e *integersCodec) identify(out *bytes.Buffer) { e.write(out) }

func (e *integersCodec) keys(h *Header) []key {
	return []key{
		h.key("law"), h.key("kernel"), h.key("expect"), h.key("behaviour"), h.key("launch"), h.key("seed"), h.key("isolate"),
		countKey("bits", &e.Bits, 8, 64), countKey("n", &e.n, 0, MaxResidues),
	}
}

func (e *integersCodec) element(p *parser, _, value string, at place) error {
	return e.x.read(p, value, at, MaxResidues)
}

func (e *integersCodec) finish(p *parser, _ place) (err error) {
	e.X, err = e.x.words(p, e.n, p.seen["n"], parseWord)
	return err
}

func (e *integersCodec) write(out *bytes.Buffer) {
	writeVector(out, "x", len(e.X), func(i int) uint64 { return e.X[i] }, func(w uint64) { out.WriteString(strconv.FormatUint(w, 10)) })
}
