package sumtree

import "slices"

// Permute returns t with leaf p[i] in the place of leaf i. It panics if p is not a permutation of t's
// leaves.
func (t *Tree) Permute(p []int32) *Tree {
	seen := make([]bool, t.leaves)
	for _, i := range p {
		if len(p) != t.leaves || i < 0 || int(i) >= t.leaves || seen[i] {
			panic(badPermutation(t.leaves))
		}
		seen[i] = true
	}
	if len(p) != t.leaves {
		panic(badPermutation(t.leaves))
	}
	out := *t
	out.origin = nil
	out.nodes = slices.Clone(t.nodes)
	out.kids = slices.Clone(t.kids)
	move := func(r *Ref) {
		if *r < 0 {
			*r = LeafRef(int(p[r.Leaf()]))
		}
	}
	for i := range out.nodes {
		switch out.Kind(Ref(i)) {
		case Add, Product:
			move(&out.nodes[i].L)
			move(&out.nodes[i].R)
		case Round:
			move(&out.nodes[i].L)
		}
	}
	for i := range out.kids {
		move(&out.kids[i])
	}
	if t.leaves > 0 {
		move(&out.root)
	}
	return &out
}
