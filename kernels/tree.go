package kernels

import (
	"sync"

	"gamma/sumtree"
)

// partials keeps the node values of SumFollowing between calls.
var partials = sync.Pool{New: func() any { return new([]float32) }}

// SumFollowing returns the sum of x in the order that t gives, with one binary32 addition for each node.
//
// Shape: t has len(x) leaves, and binary additions only; it panics otherwise. The empty sum is +0.
// Error: ((1+v)^h - 1)·A with the height h of t.
// Cost: one addition and one stored partial sum a node; no recursion.
func SumFollowing(t *sumtree.Tree, x []float32) float32 {
	if t.LeafCount() != len(x) {
		panic(leavesDiffer(t.LeafCount(), len(x)))
	}
	nodes, ok := t.Plain()
	if !ok {
		panic(treeNotPlain)
	}
	switch {
	case len(x) == 0:
		return 0
	case len(nodes) == 0:
		return x[t.Root().Leaf()]
	}
	scratch := partials.Get().(*[]float32)
	if cap(*scratch) < len(nodes) {
		*scratch = make([]float32, len(nodes))
	}
	p := (*scratch)[:len(nodes)]
	for i, node := range nodes {
		var l, r float32
		if node.L.IsLeaf() {
			l = x[node.L.Leaf()]
		} else {
			l = p[node.L]
		}
		if node.R.IsLeaf() {
			r = x[node.R.Leaf()]
		} else {
			r = p[node.R]
		}
		p[i] = l + r
	}
	s := p[t.Root()]
	partials.Put(scratch)
	return s
}
