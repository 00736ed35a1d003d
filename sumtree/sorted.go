package sumtree

import "slices"

// Sorted returns t with the operands of every commutative node (Add, AnyOrder, the factors of
// Product and of Fma) ordered by the least leaf below them: two trees whose Sorted are Equal differ
// only in which operand is the left one, which does not change a rounded sum or product.
func (t *Tree) Sorted() *Tree {
	if len(t.nodes) == 0 {
		return t
	}
	out := *t
	out.origin = nil
	out.nodes = slices.Clone(t.nodes)
	out.kids = slices.Clone(t.kids)
	least := make([]int32, len(t.nodes))
	first := func(r Ref) int32 {
		if r < 0 {
			return int32(r.Leaf())
		}
		return least[r]
	}
	byLeaf := func(a, b Ref) int { return int(first(a)) - int(first(b)) }
	var buf [2]Ref
	for i := range out.nodes {
		nd := &out.nodes[i]
		switch out.Kind(Ref(i)) {
		case Add, Product:
			if byLeaf(nd.L, nd.R) > 0 {
				nd.L, nd.R = nd.R, nd.L
			}
		case Fma:
			from := out.spans[nd.L].from
			slices.SortStableFunc(out.kids[from:from+2], byLeaf)
		case AnyOrder:
			s := out.spans[nd.L]
			slices.SortStableFunc(out.kids[s.from:s.to], byLeaf)
		}
		ops := out.Operands(Ref(i), buf[:])
		m := first(ops[0])
		for _, o := range ops[1:] {
			m = min(m, first(o))
		}
		least[i] = m
	}
	return &out
}
