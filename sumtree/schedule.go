package sumtree

// fold appends the nodes that add first and then the rest from the left, and returns the result.
func fold(nodes []Node, refs []Ref) ([]Node, Ref) {
	acc := refs[0]
	for _, r := range refs[1:] {
		nodes = append(nodes, Node{acc, r})
		acc = Ref(len(nodes) - 1)
	}
	return nodes, acc
}

// leafRefs returns the references to leaves lo, lo+step, … below hi.
func leafRefs(lo, hi, step int) []Ref {
	var out []Ref
	for i := lo; i < hi; i += step {
		out = append(out, LeafRef(i))
	}
	return out
}

// leftNodes adds n leaves from the left.
func leftNodes(n int) []Node {
	nodes := make([]Node, n-1)
	nodes[0] = Node{LeafRef(0), LeafRef(1)}
	for i := 1; i < n-1; i++ {
		nodes[i] = Node{Ref(i - 1), LeafRef(i + 1)}
	}
	return nodes
}

// rightNodes adds n leaves from the right: x0 + (x1 + (x2 + …)).
func rightNodes(n int) []Node {
	nodes := make([]Node, n-1)
	nodes[0] = Node{LeafRef(n - 2), LeafRef(n - 1)}
	for i := 1; i < n-1; i++ {
		nodes[i] = Node{LeafRef(n - 2 - i), Ref(i - 1)}
	}
	return nodes
}

// bySplits splits every range of m leaves after cut(m) of them, and gives ranges with cut(m) = 0
// to block, which appends nodes that add the leaves [lo, hi).
func bySplits(n int, cut func(m int) int, block func(nodes []Node, lo, hi int) ([]Node, Ref)) []Node {
	type job struct {
		lo, hi int
		join   bool
	}
	var (
		nodes = make([]Node, 0, n-1)
		stack = []job{{0, n, false}}
		done  []Ref
	)
	for len(stack) > 0 {
		j := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if j.join {
			l, r := done[len(done)-2], done[len(done)-1]
			nodes = append(nodes, Node{l, r})
			done = append(done[:len(done)-2], Ref(len(nodes)-1))
			continue
		}
		m := j.hi - j.lo
		c := 0
		if m > 1 {
			c = cut(m)
		}
		if c == 0 {
			var r Ref
			nodes, r = block(nodes, j.lo, j.hi)
			done = append(done, r)
			continue
		}
		stack = append(stack, job{join: true}, job{j.lo + c, j.hi, false}, job{j.lo, j.lo + c, false})
	}
	return nodes
}

// serialBlock adds the leaves [lo, hi) from the left.
func serialBlock(nodes []Node, lo, hi int) ([]Node, Ref) {
	acc := LeafRef(lo)
	for i := lo + 1; i < hi; i++ {
		nodes = append(nodes, Node{acc, LeafRef(i)})
		acc = Ref(len(nodes) - 1)
	}
	return nodes, acc
}

// pairwiseNodes splits ranges of more than base leaves into halves, the left the smaller.
func pairwiseNodes(n, base int) []Node {
	return bySplits(n, func(m int) int {
		if m <= base {
			return 0
		}
		return m / 2
	}, serialBlock)
}

// pairwiseOver appends the pairwise tree over refs.
func pairwiseOver(nodes []Node, refs []Ref) ([]Node, Ref) {
	if len(refs) == 1 {
		return nodes, refs[0]
	}
	base := Ref(len(nodes))
	for _, nd := range pairwiseNodes(len(refs), 1) {
		nodes = append(nodes, Node{over(nd.L, refs, base), over(nd.R, refs, base)})
	}
	return nodes, Ref(len(nodes) - 1)
}

// over maps a reference of a tree over refs to one of the tree that has its nodes from base on.
func over(r Ref, refs []Ref, base Ref) Ref {
	if r < 0 {
		return refs[r.Leaf()]
	}
	return base + r
}

// blockedNodes adds blocks of b leaves from the left, and the blocks from the left.
func blockedNodes(n, b int) []Node {
	nodes := make([]Node, 0, n-1)
	var acc Ref
	for lo := 0; lo < n; lo += b {
		var r Ref
		nodes, r = serialBlock(nodes, lo, min(lo+b, n))
		if lo == 0 {
			acc = r
			continue
		}
		nodes = append(nodes, Node{acc, r})
		acc = Ref(len(nodes) - 1)
	}
	return nodes
}

// strided appends, for each of the first w leaves j, the sum from the left of leaves j, j+w,
// j+2w, …, row by row.
func strided(nodes []Node, n, w int) ([]Node, []Ref) {
	refs := leafRefs(0, min(n, w), 1)
	for i := w; i < n; i++ {
		nodes = append(nodes, Node{refs[i%w], LeafRef(i)})
		refs[i%w] = Ref(len(nodes) - 1)
	}
	return nodes, refs
}

// lanesNodes adds w strided lanes pairwise.
func lanesNodes(n, w int) []Node {
	nodes, refs := strided(make([]Node, 0, n-1), n, w)
	nodes, _ = pairwiseOver(nodes, refs)
	return nodes
}

// chunksNodes cuts the leaves into w chunks of equal size, the last smaller, and adds each from the
// left and the chunks pairwise.
func chunksNodes(n, w int) []Node {
	size := (n + w - 1) / w
	nodes := make([]Node, 0, n-1)
	var refs []Ref
	for lo := 0; lo < n; lo += size {
		var r Ref
		nodes, r = serialBlock(nodes, lo, min(lo+size, n))
		refs = append(refs, r)
	}
	nodes, _ = pairwiseOver(nodes, refs)
	return nodes
}

// butterfly appends what lane 0 of w does with the partners at w/2, …, 2, 1. Lanes past the end of
// refs are empty, and no addition is made with one.
func butterfly(nodes []Node, refs []Ref, w int) ([]Node, Ref) {
	refs = append([]Ref(nil), refs...)
	for off := w / 2; off > 0; off /= 2 {
		for j := 0; j < off && j+off < len(refs); j++ {
			nodes = append(nodes, Node{refs[j], refs[j+off]})
			refs[j] = Ref(len(nodes) - 1)
		}
		refs = refs[:min(off, len(refs))]
	}
	return nodes, refs[0]
}

// warpNodes adds w strided lanes by shuffles.
func warpNodes(n, w int) []Node {
	nodes, refs := strided(make([]Node, 0, n-1), n, w)
	nodes, _ = butterfly(nodes, refs, w)
	return nodes
}

// simdNodes adds t strided threads by shuffles in simdgroups of w, and the simdgroups' results by
// shuffles again.
func simdNodes(n, w, t int) []Node {
	nodes, refs := strided(make([]Node, 0, n-1), n, t)
	var groups []Ref
	for lo := 0; lo < len(refs); lo += w {
		var r Ref
		nodes, r = butterfly(nodes, refs[lo:min(lo+w, len(refs))], w)
		groups = append(groups, r)
	}
	width := 1
	for width < len(groups) {
		width *= 2
	}
	nodes, _ = butterfly(nodes, groups, width)
	return nodes
}

// halvingNodes adds leaf i+ceil(m/2) to leaf i, m leaves left, until one is left.
func halvingNodes(n int) []Node {
	nodes := make([]Node, 0, n-1)
	refs := leafRefs(0, n, 1)
	for m := n; m > 1; {
		half := (m + 1) / 2
		for i := 0; i+half < m; i++ {
			nodes = append(nodes, Node{refs[i], refs[i+half]})
			refs[i] = Ref(len(nodes) - 1)
		}
		m = half
	}
	return nodes
}

// karyNodes adds runs of k neighbours from the left, then runs of k results, until one is left.
func karyNodes(n, k int) []Node {
	nodes := make([]Node, 0, n-1)
	refs := leafRefs(0, n, 1)
	for len(refs) > 1 {
		next := refs[:0]
		for lo := 0; lo < len(refs); lo += k {
			var r Ref
			nodes, r = fold(nodes, refs[lo:min(lo+k, len(refs))])
			next = append(next, r)
		}
		refs = next
	}
	return nodes
}

// numpyNodes adds as NumPy's pairwise sum does: up to 128 leaves in one block, longer ranges split
// at half their length, rounded down to a multiple of 8.
//
// Source: [NumPy].
func numpyNodes(n int) []Node {
	return bySplits(n, func(m int) int {
		if m <= 128 {
			return 0
		}
		return m/2 - m/2%8
	}, numpyBlock)
}

// numpyBlock adds the leaves [lo, hi): fewer than 8 from the left, and otherwise in 8 lanes, whose
// tree meets the leaves after the last multiple of 8 from the left.
func numpyBlock(nodes []Node, lo, hi int) ([]Node, Ref) {
	n := hi - lo
	if n < 8 {
		return serialBlock(nodes, lo, hi)
	}
	refs := leafRefs(lo, lo+8, 1)
	whole := n - n%8
	for i := 8; i < whole; i++ {
		nodes = append(nodes, Node{refs[i%8], LeafRef(lo + i)})
		refs[i%8] = Ref(len(nodes) - 1)
	}
	nodes, acc := pairwiseOver(nodes, refs)
	return fold(nodes, append([]Ref{acc}, leafRefs(lo+whole, hi, 1)...))
}
