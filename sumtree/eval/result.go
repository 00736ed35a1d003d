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
	return among(r, products(x, y, a.Mul), limit, ops)
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
		sets  = make([][]uint64, t.NodeCount())
		nan   = canonical(a.F)
		buf   [2]sumtree.Ref
		seen  hashSet
		whole = true
	)
	limit = max(limit, 1)
	of := func(r sumtree.Ref) []Operand {
		if r.IsLeaf() {
			return []Operand{{a.F, x[r.Leaf()]}}
		}
		f := nodeFormat(t, r, a.F)
		out := make([]Operand, len(sets[r]))
		for i, b := range sets[r] {
			out[i] = Operand{f, b}
		}
		return out
	}
	in := func(o Operand) uint64 {
		if o.Format == a.F {
			return nan(o.Bits)
		}
		return nan(round.Convert(a, o.Format, o.Bits))
	}
	for i := range sets {
		r := sumtree.Ref(i)
		ops := t.Operands(r, buf[:])
		k := t.Kind(r)
		if k == sumtree.Opaque {
			return nil, false, noValue(t, r)
		}
		kids := make([][]Operand, len(ops))
		for j, o := range ops {
			kids[j] = of(o)
		}
		if k == sumtree.AnyOrder {
			kinds := make([]kind, len(kids))
			for j, set := range kids {
				kinds[j].count = 1
				for _, o := range set {
					kinds[j].values = append(kinds[j].values, in(o))
				}
			}
			set, ok := reach(kinds, limit, pairOps{add: func(p, q uint64) uint64 { return nan(a.Add(p, q)) }})
			if set == nil {
				return nil, false, nil
			}
			sets[i], whole = set, whole && ok
			continue
		}
		seen.reset()
		choice, full := make([]int, len(kids)), false
		pick := make([]Operand, len(kids))
		for tried := 0; !full; tried++ {
			for j, c := range choice {
				pick[j] = kids[j][c]
			}
			var b uint64
			switch k {
			case sumtree.Add:
				b = nan(a.Add(in(pick[0]), in(pick[1])))
			case sumtree.Product:
				b = nan(a.Mul(in(pick[0]), in(pick[1])))
			case sumtree.Fma:
				b = nan(a.Fma(in(pick[0]), in(pick[1]), in(pick[2])))
			case sumtree.Round:
				f := t.Format(r)
				b = canonical(f)(round.Convert(round.Arith{F: f, R: a.R, Fl: a.Fl}, pick[0].Format, pick[0].Bits))
			default:
				b = FusedSum(t.Adder(r), a.Fl, pick)
			}
			seen.add(b)
			full = seen.len() > limit || tried >= maxPairs
			j := 0
			for ; j < len(choice); j++ {
				if choice[j]++; choice[j] < len(kids[j]) {
					break
				}
				choice[j] = 0
			}
			if j == len(choice) {
				break
			}
		}
		sets[i] = seen.sorted(limit)
		whole = whole && !full
	}
	root := of(t.Root())
	values = make([]uint64, len(root))
	for i, o := range root {
		values[i] = o.Bits
	}
	return values, whole, nil
}
