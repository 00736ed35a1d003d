package eval

import (
	"fmt"
	"slices"

	"gamma/model"
	"gamma/model/round"
	"gamma/sumtree"
)

// Bits returns the result of t over leaves x in arithmetic a, as an encoding of
// ResultFormat(t, a.F).
//
// Domain:   len(x) = t.LeafCount(), encodings of a.F; it panics otherwise.
// Rounding: each node once by a, after its operands are converted to a.F.
// Round(f) rounds into f by a's direction and flush; Fused as FusedSum says.
// Special:  the empty sum is +0.
// Error:    nodes AnyOrder and Opaque have no single value; BitsSet evaluates AnyOrder.
func Bits(t *sumtree.Tree, a round.Arith, x []uint64) (uint64, error) {
	run, err := Trace(t, a, x)
	if err != nil {
		return 0, err
	}
	return run.Result(), nil
}

// ResultFormat returns the format of t's result when leaves are of format f: f, unless the root
// is a Round or Fused node.
func ResultFormat(t *sumtree.Tree, f model.Format) model.Format {
	if t.NodeCount() == 0 {
		return f
	}
	return nodeFormat(t, t.Root(), f)
}

// nodeFormat returns the format of leaf or node r when leaves are of format f.
func nodeFormat(t *sumtree.Tree, r sumtree.Ref, f model.Format) model.Format {
	if r.IsLeaf() {
		return f
	}
	switch t.Kind(r) {
	case sumtree.Round:
		return t.Format(r)
	case sumtree.Fused:
		return t.Adder(r).OutFormat()
	}
	return f
}

// Run holds the value of every node of a tree that was evaluated.
type Run struct {
	Tree  *sumtree.Tree
	Arith round.Arith
	Leaf  []uint64
	Node  []uint64
	// kind of format of each node, as an index into formats; nil: all are Arith.F.
	which   []uint16
	formats []model.Format
}

// Bits returns the value of leaf or node r, an encoding of Format(r).
func (run *Run) Bits(r sumtree.Ref) uint64 {
	if r.IsLeaf() {
		return run.Leaf[r.Leaf()]
	}
	return run.Node[r]
}

// Format returns the format of the value of leaf or node r.
func (run *Run) Format(r sumtree.Ref) model.Format {
	if r.IsLeaf() || run.which == nil {
		return run.Arith.F
	}
	return run.formats[run.which[r]]
}

// Result returns the value of the root.
func (run *Run) Result() uint64 {
	if len(run.Leaf) == 0 && len(run.Node) == 0 {
		return 0
	}
	return run.Bits(run.Tree.Root())
}

// operand returns the value of r in the format of the arithmetic.
func (run *Run) operand(r sumtree.Ref) uint64 {
	b := run.Bits(r)
	if run.which == nil || r.IsLeaf() || run.which[r] == 0 {
		return b
	}
	return round.Convert(run.Arith, run.formats[run.which[r]], b)
}

// setFormat records the format of node r.
func (run *Run) setFormat(r sumtree.Ref, f model.Format) {
	if run.which == nil {
		if f == run.Arith.F {
			return
		}
		run.which = make([]uint16, run.Tree.NodeCount())
		run.formats = []model.Format{run.Arith.F}
	}
	i := slices.Index(run.formats, f)
	if i < 0 {
		i = len(run.formats)
		run.formats = append(run.formats, f)
	}
	run.which[r] = uint16(i)
}

// Trace evaluates t as Bits does and returns the value of every node.
func Trace(t *sumtree.Tree, a round.Arith, x []uint64) (*Run, error) {
	if len(x) != t.LeafCount() {
		panic(tooFewValues(t.LeafCount(), len(x)))
	}
	run := &Run{Tree: t, Arith: a, Leaf: x, Node: make([]uint64, t.NodeCount())}
	v := run.Node
	if nodes, plain := t.Plain(); plain {
		for i, nd := range nodes {
			v[i] = a.Add(run.Bits(nd.L), run.Bits(nd.R))
		}
		return run, nil
	}
	var buf [2]sumtree.Ref
	for i := range v {
		r := sumtree.Ref(i)
		ops := t.Operands(r, buf[:])
		switch k := t.Kind(r); k {
		case sumtree.Add:
			v[i] = a.Add(run.operand(ops[0]), run.operand(ops[1]))
		case sumtree.Product:
			v[i] = a.Mul(run.operand(ops[0]), run.operand(ops[1]))
		case sumtree.Fma:
			v[i] = a.Fma(run.operand(ops[0]), run.operand(ops[1]), run.operand(ops[2]))
		case sumtree.Round:
			f := t.Format(r)
			v[i] = round.Convert(round.Arith{F: f, R: a.R, Fl: a.Fl}, run.Format(ops[0]), run.Bits(ops[0]))
			run.setFormat(r, f)
		case sumtree.Fused:
			terms := make([]Operand, len(ops))
			for j, o := range ops {
				terms[j] = Operand{run.Format(o), run.Bits(o)}
			}
			v[i] = FusedSum(t.Adder(r), a.Fl, terms)
			run.setFormat(r, t.Adder(r).OutFormat())
		default:
			return nil, noValue(t, r)
		}
	}
	return run, nil
}

// noValue returns the error for a node that has no single value.
func noValue(t *sumtree.Tree, r sumtree.Ref) error {
	if t.Kind(r) == sumtree.Opaque {
		return fmt.Errorf("eval: node %d is opaque (%.60q): its value is not known", r, t.Name(r))
	}
	return fmt.Errorf("eval: node %d adds in an unknown order; BitsSet returns its possible values", r)
}

// Bits32 returns the encodings of binary32 numbers.
func Bits32(x []float32) []uint64 {
	return encode(x, func(v float32) uint64 { return uint64(float32bits(v)) })
}

// Bits64 returns the encodings of binary64 numbers.
func Bits64(x []float64) []uint64 { return encode(x, float64bits) }

func encode[T any](x []T, f func(T) uint64) []uint64 {
	out := make([]uint64, len(x))
	for i, v := range x {
		out[i] = f(v)
	}
	return out
}

// Products returns the n rounded products a.Mul(x_i, y_i) of the 2n leaves of a dot product: the
// leaves of [TorchLean]'s exactSumDotIEEE and sumAbsDotIEEE, whose enclosure counts the errors of
// additions only.
func Products(a round.Arith, xy []uint64) []uint64 {
	n := len(xy) / 2
	out := make([]uint64, n)
	for i := range out {
		out[i] = a.Mul(xy[i], xy[n+i])
	}
	return out
}
