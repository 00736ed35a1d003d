package sumtree

// roundings returns how often a term that enters node r is rounded there at most: once, except
// that a sum of k operands in any order rounds k-1 times.
func (t *Tree) roundings(r Ref) int32 {
	if t.Kind(r) == AnyOrder {
		s := t.spans[t.nodes[r].L]
		return max(s.to-s.from-1, 0)
	}
	return 1
}

// Height returns the largest number of roundings between a leaf and the result. Every node counts
// once, products included, and a sum of k operands in any order k-1 times.
func (t *Tree) Height() int { return t.height(true) }

// AddHeight is Height without the roundings of products: for a dot product, the largest number of
// additions between a product and the result.
func (t *Tree) AddHeight() int { return t.height(false) }

func (t *Tree) height(products bool) int {
	if t.root < 0 || len(t.nodes) == 0 {
		return 0
	}
	h := make([]int32, len(t.nodes))
	if t.kinds == nil {
		for i, n := range t.nodes {
			var l, r int32
			if n.L >= 0 {
				l = h[n.L]
			}
			if n.R >= 0 {
				r = h[n.R]
			}
			h[i] = 1 + max(l, r)
		}
		return int(h[t.root])
	}
	var buf [2]Ref
	for i := range t.nodes {
		r, top := Ref(i), int32(0)
		for _, o := range t.Operands(r, buf[:]) {
			if o >= 0 {
				top = max(top, h[o])
			}
		}
		if products || t.Kind(r) != Product {
			top += t.roundings(r)
		}
		h[i] = top
	}
	return int(h[t.root])
}

// Depths returns for each leaf the number k_i of roundings between it and the result, counted as
// Height does: the exponent in the per-leaf bound sum((1+v)^k_i - 1)|x_i|. A leaf that occurs more
// than once has its largest number, and one that is missing -1.
//
// Source: [Gamma T2], [Gamma D3].
func (t *Tree) Depths() []int {
	out := make([]int, t.leaves)
	for i := range out {
		out[i] = -1
	}
	if t.leaves == 0 {
		return out
	}
	if t.root < 0 {
		out[t.root.Leaf()] = 0
		return out
	}
	depth := make([]int32, len(t.nodes)) // above the node
	var buf [2]Ref
	for i := len(t.nodes) - 1; i >= 0; i-- {
		d := depth[i] + t.roundings(Ref(i))
		for _, o := range t.Operands(Ref(i), buf[:]) {
			if o >= 0 {
				depth[o] = d
			} else {
				out[o.Leaf()] = max(out[o.Leaf()], int(d))
			}
		}
	}
	return out
}
