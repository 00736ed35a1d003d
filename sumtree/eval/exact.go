package eval

import (
	"fmt"
	"math"
	"math/big"

	"gamma/model"
	"gamma/model/round"
	"gamma/sumtree"
)

func float32bits(v float32) uint32 { return math.Float32bits(v) }
func float64bits(v float64) uint64 { return math.Float64bits(v) }

// dyadic is the number m·2^e. Its methods return new numbers.
type dyadic struct {
	m *big.Int
	e int
}

// decoded returns the number that b encodes.
func decoded(f model.Format, b uint64) dyadic {
	neg, m, e := f.Decode(b)
	v := new(big.Int).SetUint64(m)
	if neg {
		v.Neg(v)
	}
	return dyadic{v, e}
}

func (a dyadic) add(b dyadic) dyadic {
	if a.m.Sign() == 0 {
		return b
	}
	if b.m.Sign() == 0 {
		return a
	}
	if a.e < b.e {
		a, b = b, a
	}
	m := new(big.Int).Lsh(a.m, uint(a.e-b.e))
	return dyadic{m.Add(m, b.m), b.e}
}

func (a dyadic) mul(b dyadic) dyadic { return dyadic{new(big.Int).Mul(a.m, b.m), a.e + b.e} }
func (a dyadic) neg() dyadic         { return dyadic{new(big.Int).Neg(a.m), a.e} }
func (a dyadic) abs() dyadic         { return dyadic{new(big.Int).Abs(a.m), a.e} }

func (a dyadic) rat() *big.Rat {
	r := new(big.Rat).SetInt(a.m)
	p := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(a.e, -a.e))))
	if a.e < 0 {
		return r.Quo(r, p)
	}
	return r.Mul(r, p)
}

// zero is the number 0.
func zero() dyadic { return dyadic{new(big.Int), 0} }

// Ops are the operations by which EvalOps evaluates a tree.
type Ops[V any] struct {
	Add, Mul func(a, b V) V
	Fma      func(x, y, z V) V // x·y + z
}

// EvalRound evaluates t with add at each node. Nodes that are not additions give an error.
//
// Source: [TorchLean] evalRound, with V the reals (here big.Rat, or any number type) and roundAdd
// any function; evalRealIEEE is EvalRound with the rounding of a format.
func EvalRound[V any](t *sumtree.Tree, add func(a, b V) V, leaf []V) (V, error) {
	return EvalOps(t, Ops[V]{Add: add}, leaf)
}

// EvalOps evaluates t with the given operation at each node. A node whose operation is nil, and
// one other than Add, Product and Fma, gives an error.
func EvalOps[V any](t *sumtree.Tree, ops Ops[V], leaf []V) (V, error) {
	var none V
	if len(leaf) != t.LeafCount() {
		panic(tooFewValues(t.LeafCount(), len(leaf)))
	}
	if len(leaf) == 0 {
		return none, fmt.Errorf("eval: a tree without leaves has no value of a general type")
	}
	v := make([]V, t.NodeCount())
	get := func(r sumtree.Ref) V {
		if r.IsLeaf() {
			return leaf[r.Leaf()]
		}
		x := v[r]
		v[r] = none // used once; let go of it
		return x
	}
	var buf [2]sumtree.Ref
	for i := range v {
		r := sumtree.Ref(i)
		o := t.Operands(r, buf[:])
		switch k := t.Kind(r); {
		case k == sumtree.Add && ops.Add != nil:
			v[i] = ops.Add(get(o[0]), get(o[1]))
		case k == sumtree.Product && ops.Mul != nil:
			v[i] = ops.Mul(get(o[0]), get(o[1]))
		case k == sumtree.Fma && ops.Fma != nil:
			v[i] = ops.Fma(get(o[0]), get(o[1]), get(o[2]))
		default:
			return none, fmt.Errorf("eval: node %d, %s, has no operation here", r, k)
		}
	}
	return get(t.Root()), nil
}

// ExactSum returns the exact value of t over leaves x of format f: sums and products of reals,
// where Round and the order of AnyOrder have no effect.
//
// Error:  a leaf that is not a finite number, or an opaque node.
// Source: [TorchLean] exactSum, exactSumIEEE; over dot products the exact Σ x_i·y_i, where
// exactSumDotIEEE is ExactSum over Products.
func ExactSum(t *sumtree.Tree, f model.Format, x []uint64) (*big.Rat, error) {
	return exactly(t, f, x, func(d dyadic) dyadic { return d })
}

// SumAbs is ExactSum over the absolute values of the leaves: Σ|x_i|, or Σ|x_i·y_i|.
//
// Source: [TorchLean] sumAbs, sumAbsIEEE; sumAbsDotIEEE is SumAbs over Products.
func SumAbs(t *sumtree.Tree, f model.Format, x []uint64) (*big.Rat, error) {
	return exactly(t, f, x, dyadic.abs)
}

// exactly evaluates t without rounding, after applying look to the leaves.
func exactly(t *sumtree.Tree, f model.Format, x []uint64, look func(dyadic) dyadic) (*big.Rat, error) {
	if len(x) != t.LeafCount() {
		panic(tooFewValues(t.LeafCount(), len(x)))
	}
	if err := finiteLeaves(f, x); err != nil {
		return nil, err
	}
	if len(x) == 0 {
		return new(big.Rat), nil
	}
	if _, plain := t.Plain(); plain {
		// One running sum instead of one for every node: without rounding the order does not matter.
		sum := fixed{m: new(big.Int), e: f.Emin - f.P + 1}
		for _, i := range t.Leaves() {
			sum.add(look(decoded(f, x[i])))
		}
		return dyadic{sum.m, sum.e}.rat(), nil
	}
	s, err := exactNodes(t, func(r sumtree.Ref) dyadic { return look(decoded(f, x[r.Leaf()])) }, nil)
	if err != nil {
		return nil, err
	}
	return s.rat(), nil
}

// fixed is a running sum at one exponent that no addend lies below.
type fixed struct {
	m, tmp *big.Int
	e      int
}

func (s *fixed) add(d dyadic) {
	if s.tmp == nil {
		s.tmp = new(big.Int)
	}
	s.m.Add(s.m, s.tmp.Lsh(d.m, uint(d.e-s.e)))
}

// exactNodes evaluates t without rounding, and passes each node's value to see, if that is not nil.
func exactNodes(t *sumtree.Tree, leaf func(sumtree.Ref) dyadic, see func(r sumtree.Ref, ops []sumtree.Ref, vals []dyadic, v dyadic)) (dyadic, error) {
	v := make([]dyadic, t.NodeCount())
	get := func(r sumtree.Ref) dyadic {
		if r.IsLeaf() {
			return leaf(r)
		}
		d := v[r]
		v[r] = dyadic{}
		return d
	}
	var (
		buf  [2]sumtree.Ref
		vals []dyadic
	)
	for i := range v {
		r := sumtree.Ref(i)
		ops := t.Operands(r, buf[:])
		vals = vals[:0]
		for _, o := range ops {
			vals = append(vals, get(o))
		}
		d, err := exactNode(t, r, vals)
		if err != nil {
			return d, err
		}
		v[i] = d
		if see != nil {
			see(r, ops, vals, d)
		}
	}
	if t.LeafCount() == 0 {
		return zero(), nil
	}
	return get(t.Root()), nil
}

// exactNode returns what node r is without rounding.
func exactNode(t *sumtree.Tree, r sumtree.Ref, vals []dyadic) (dyadic, error) {
	switch t.Kind(r) {
	case sumtree.Add:
		return vals[0].add(vals[1]), nil
	case sumtree.Product:
		return vals[0].mul(vals[1]), nil
	case sumtree.Fma:
		return vals[0].mul(vals[1]).add(vals[2]), nil
	case sumtree.Round:
		return vals[0], nil
	case sumtree.Fused, sumtree.AnyOrder:
		sum, step := zero(), 1
		if t.Kind(r) == sumtree.Fused && t.Adder(r).Pairs {
			step = 2
		}
		for i := 0; i < len(vals); i += step {
			term := vals[i]
			if step == 2 && i+1 < len(vals) {
				term = term.mul(vals[i+1])
			}
			sum = sum.add(term)
		}
		return sum, nil
	}
	return dyadic{}, noValue(t, r)
}

// finiteLeaves returns an error that names the first leaf that is not a finite number.
func finiteLeaves(f model.Format, x []uint64) error {
	for i, b := range x {
		if !f.IsFinite(b) {
			return fmt.Errorf("eval: leaf %d, %#x of %s, is not a finite number", i, b, f)
		}
	}
	return nil
}

// FiniteEval reports whether every leaf and every node of t is finite in arithmetic a. If not, at
// is the first leaf, or else the first node in evaluation order, that is not.
//
// Source: [TorchLean] FiniteEvalSumTree; FiniteEvalDot for trees with products.
func FiniteEval(t *sumtree.Tree, a round.Arith, x []uint64) (finite bool, at sumtree.Ref, err error) {
	run, err := Trace(t, a, x)
	if err != nil {
		return false, 0, err
	}
	finite, at = run.Finite()
	return finite, at, nil
}

// Finite is FiniteEval of a run.
func (run *Run) Finite() (finite bool, at sumtree.Ref) {
	for i, b := range run.Leaf {
		if !run.Arith.F.IsFinite(b) {
			return false, sumtree.LeafRef(i)
		}
	}
	for i, b := range run.Node {
		if f := run.Format(sumtree.Ref(i)); !f.IsFinite(b) {
			return false, sumtree.Ref(i)
		}
	}
	return true, 0
}
