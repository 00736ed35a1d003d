package eval

import (
	"slices"

	"gamma/model/round"
	"gamma/sumtree"
)

// Answer is the answer to a question that may be too large to decide.
type Answer uint8

const (
	Unknown Answer = iota
	No
	Yes
)

// String returns unknown, no or yes.
func (a Answer) String() string { return [...]string{"unknown", "no", "yes"}[a] }

// SumTreeResult decides whether r is the result of adding leaves x in arithmetic a by some tree over
// some permutation of them, with every leaf and every intermediate sum finite.
//
// It answers Unknown if a part of the leaves has more than limit values, or the leaves more parts
// than can be tried, unless r turns up all the same.
// Special: no tree has no leaves: for an empty x it answers No.
// Source: [TorchLean] sumTreeResult, an existence over all trees, here decided.
func SumTreeResult(a round.Arith, x []uint64, r uint64, limit int) Answer {
	if len(x) == 0 || finiteLeaves(a.F, x) != nil {
		return No
	}
	ops := pairOps{add: a.Add, keep: a.F.IsFinite}
	return among(r, singles(x, canonical(a.F)), limit, ops)
}

// DotTreeResult is SumTreeResult for the rounded products x_i·y_i; with contract, additions of a
// product may be fused with it.
//
// Source: [TorchLean] dotTreeResult, which has no fused operations.
func DotTreeResult(a round.Arith, x, y []uint64, r uint64, contract bool, limit int) Answer {
	if len(x) == 0 || finiteLeaves(a.F, x) != nil || finiteLeaves(a.F, y) != nil {
		return No
	}
	ops := pairOps{add: a.Add, keep: a.F.IsFinite}
	if contract {
		ops.fma = a.Fma
	}
	return among(r, products(x, y, func(p, q uint64) []uint64 { return []uint64{a.Mul(p, q)} }), limit, ops)
}

// among reports whether r is one of the values that reach finds.
func among(r uint64, kinds []kind, limit int, ops pairOps) Answer {
	values, complete := reach(kinds, limit, ops)
	_, found := slices.BinarySearch(values, r)
	switch {
	case found:
		return Yes
	case complete:
		return No
	}
	return Unknown
}

// BitsSet returns every value that t may have over leaves x in arithmetic a, in increasing order of
// bits, when the operands of AnyOrder nodes are added by any tree in any order. complete is false
// if a node has more than limit values, or an AnyOrder node more operands than can be tried.
//
// Error: opaque nodes; nodes Round and Fused, and trees that use a leaf twice, are evaluated as Bits does.
func BitsSet(t *sumtree.Tree, a round.Arith, x []uint64, limit int) (values []uint64, complete bool, err error) {
	if len(x) != t.LeafCount() {
		panic(tooFewValues(t.LeafCount(), len(x)))
	}
	if len(x) == 0 {
		return []uint64{0}, true, nil
	}
	var (
		e     = setEval{t: t, a: a, x: x, nan: canonical(a.F), sets: make([][]uint64, t.NodeCount()), limit: max(limit, 1)}
		buf   [2]sumtree.Ref
		whole = true
	)
	for i := range e.sets {
		r := sumtree.Ref(i)
		k := t.Kind(r)
		if k == sumtree.Opaque {
			return nil, false, noValue(t, r)
		}
		var operands [][]Operand
		for _, o := range t.Operands(r, buf[:]) {
			operands = append(operands, e.values(o))
		}
		var ok bool
		if k == sumtree.AnyOrder {
			if e.sets[i], ok = e.anyOrder(operands); e.sets[i] == nil {
				return nil, false, nil
			}
		} else {
			e.sets[i], ok = e.choices(r, operands)
		}
		whole = whole && ok
	}
	for _, o := range e.values(t.Root()) {
		values = append(values, o.Bits)
	}
	return values, whole, nil
}

// setEval evaluates a tree to the sets of values that its nodes may have.
type setEval struct {
	t     *sumtree.Tree
	a     round.Arith
	x     []uint64
	nan   func(bits uint64) uint64
	sets  [][]uint64 // by node
	seen  hashSet
	limit int
}

// values returns what a leaf or node may be.
func (e *setEval) values(r sumtree.Ref) []Operand {
	if r.IsLeaf() {
		return []Operand{{e.a.F, e.x[r.Leaf()]}}
	}
	f := nodeFormat(e.t, r, e.a.F)
	out := make([]Operand, len(e.sets[r]))
	for i, b := range e.sets[r] {
		out[i] = Operand{f, b}
	}
	return out
}

// in returns an operand in the format of the arithmetic.
func (e *setEval) in(o Operand) uint64 {
	if o.Format == e.a.F {
		return e.nan(o.Bits)
	}
	return e.nan(round.Convert(e.a, o.Format, o.Bits))
}

// anyOrder returns the sums of the operands by any tree in any order, and whether these are all; nil if there are too many to try.
func (e *setEval) anyOrder(operands [][]Operand) (set []uint64, complete bool) {
	kinds := make([]kind, len(operands))
	for j, values := range operands {
		kinds[j].count = 1
		for _, o := range values {
			kinds[j].values = append(kinds[j].values, e.in(o))
		}
	}
	return reach(kinds, e.limit, pairOps{add: func(p, q uint64) uint64 { return e.nan(e.a.Add(p, q)) }})
}

// choices returns the values of node r for every choice of its operands' values, and whether these are all.
func (e *setEval) choices(r sumtree.Ref, operands [][]Operand) (set []uint64, complete bool) {
	e.seen.reset()
	choice, full := make([]int, len(operands)), false
	pick := make([]Operand, len(operands))
	for tried := 0; !full; tried++ {
		for j, c := range choice {
			pick[j] = operands[j][c]
		}
		e.seen.add(e.apply(r, pick))
		full = e.seen.len() > e.limit || tried >= maxPairs
		j := 0
		for ; j < len(choice); j++ {
			if choice[j]++; choice[j] < len(operands[j]) {
				break
			}
			choice[j] = 0
		}
		if j == len(choice) {
			break
		}
	}
	return e.seen.sorted(e.limit), !full
}

// apply returns the value of node r, which is not of kind AnyOrder or Opaque, for one choice of operands.
func (e *setEval) apply(r sumtree.Ref, pick []Operand) uint64 {
	a := e.a
	switch e.t.Kind(r) {
	case sumtree.Add:
		return e.nan(a.Add(e.in(pick[0]), e.in(pick[1])))
	case sumtree.Product:
		return e.nan(a.Mul(e.in(pick[0]), e.in(pick[1])))
	case sumtree.Fma:
		return e.nan(a.Fma(e.in(pick[0]), e.in(pick[1]), e.in(pick[2])))
	case sumtree.Round:
		f := e.t.Format(r)
		return canonical(f)(round.Convert(round.Arith{F: f, R: a.R, Fl: a.Fl}, pick[0].Format, pick[0].Bits))
	}
	return FusedSum(e.t.Adder(r), a.Fl, pick)
}
