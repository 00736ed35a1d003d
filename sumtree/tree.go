package sumtree

import (
	"fmt"
	"math"

	"gamma/model"
)

// Ref names an operand of a node: a node if it is not negative, and leaf ^r if it is.
type Ref int32

// maxRef is the largest number of leaves or nodes that a Ref can name.
const maxRef = math.MaxInt32

// LeafRef returns the reference to leaf i.
func LeafRef(i int) Ref { return ^Ref(i) }

// IsLeaf reports whether r names a leaf.
func (r Ref) IsLeaf() bool { return r < 0 }

// Leaf returns the leaf that r names. It must not be called for a node.
func (r Ref) Leaf() int { return int(^r) }

// Kind is what a node does with its operands.
type Kind uint8

const (
	Add      Kind = iota // L + R, rounded
	Product              // L · R, rounded
	Fma                  // Kids[0]·Kids[1] + Kids[2], rounded once
	Round                // L rounded to another format
	Fused                // a multi-term adder over its kids
	AnyOrder             // the sum of its kids in an unknown order
	Opaque               // an unknown function of its kids
)

var kindNames = [...]string{"add", "product", "fma", "round", "fused", "any", "opaque"}

// String returns add, product, fma, round, fused, any or opaque.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Node holds the two operands of a binary node. Nodes are in evaluation order: operands before
// the nodes that use them, the root last.
type Node struct{ L, R Ref }

// Tree is a reduction schedule in flat arrays. It does not change once built.
//
// A tree of no leaves is the empty sum; it has no nodes and no root.
type Tree struct {
	leaves int
	root   Ref
	nodes  []Node
	kinds  []Kind // nil: every node is an Add

	// In nodes that are neither Add nor Product, Node.L and Node.R are not references: L of
	// Fma, Fused, AnyOrder and Opaque is an index into spans, L of Round is its operand, and R of
	// Round, Fused and Opaque is an index into formats, adders and names.
	spans   []span
	kids    []Ref
	formats []model.Format
	adders  []Adder
	names   []string

	origin *named // a short name for the tree, if a shape made it
}

// span is a run of Tree.kids.
type span struct{ from, to int32 }

// LeafCount returns the number of leaves.
func (t *Tree) LeafCount() int { return t.leaves }

// NodeCount returns the number of nodes.
func (t *Tree) NodeCount() int { return len(t.nodes) }

// Root returns the tree's result.
func (t *Tree) Root() Ref { return t.root }

// Plain returns the nodes of a tree of binary additions in evaluation order, and ok = false for
// any other. The slice is the tree's own: do not write to it.
func (t *Tree) Plain() (nodes []Node, ok bool) { return t.nodes, t.kinds == nil }

// Kind returns what node r does. It panics if r is a leaf.
func (t *Tree) Kind(r Ref) Kind {
	switch {
	case r < 0:
		panic(leafHasNoKind)
	case t.kinds == nil:
		return Add
	}
	return t.kinds[r]
}

// Operands returns the operands of node r, from the left, in buf if it has room for two. The slice
// may be the tree's own: do not write to it. A leaf has none.
func (t *Tree) Operands(r Ref, buf []Ref) []Ref {
	if r < 0 {
		return nil
	}
	n := t.nodes[r]
	switch t.Kind(r) {
	case Add, Product:
		return append(buf[:0], n.L, n.R)
	case Round:
		return append(buf[:0], n.L)
	}
	s := t.spans[n.L]
	return t.kids[s.from:s.to:s.to]
}

// Format returns the format to which the Round node r rounds. It panics for any other.
func (t *Tree) Format(r Ref) model.Format {
	t.mustBe(r, Round)
	return t.formats[t.nodes[r].R]
}

// Adder returns the parameters of the Fused node r. It panics for any other.
func (t *Tree) Adder(r Ref) Adder {
	t.mustBe(r, Fused)
	return t.adders[t.nodes[r].R]
}

// Name returns the name of the Opaque node r. It panics for any other.
func (t *Tree) Name(r Ref) string {
	t.mustBe(r, Opaque)
	return t.names[t.nodes[r].R]
}

// mustBe panics unless r is a node of kind k.
func (t *Tree) mustBe(r Ref, k Kind) {
	if got := t.Kind(r); got != k {
		panic(wrongKind(k, got))
	}
}

// Leaves returns the leaves from left to right, as often as they occur.
//
// Cost: time and space of the order of the tree's size; the stack does not grow with its height.
// Source: [TorchLean] SumTree.leaves.
func (t *Tree) Leaves() []int {
	if t.leaves == 0 && len(t.nodes) == 0 {
		return nil
	}
	out := make([]int, 0, t.leaves)
	stack := []Ref{t.root}
	var buf [2]Ref
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if r < 0 {
			out = append(out, r.Leaf())
			continue
		}
		ops := t.Operands(r, buf[:])
		for i := len(ops) - 1; i >= 0; i-- {
			stack = append(stack, ops[i])
		}
	}
	return out
}

// Equal reports whether t and o do the same operations on the same leaves, operand by operand, and
// have the same leaf count. The order of independent nodes does not matter.
func (t *Tree) Equal(o *Tree) bool {
	if t.leaves != o.leaves || len(t.nodes) != len(o.nodes) {
		return false
	}
	if t.leaves == 0 && len(t.nodes) == 0 {
		return true
	}
	type pair struct{ a, b Ref }
	stack := []pair{{t.root, o.root}}
	var bufA, bufB [2]Ref
	plain := t.kinds == nil && o.kinds == nil
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.a < 0 || p.b < 0 {
			if p.a != p.b {
				return false
			}
			continue
		}
		if plain {
			a, b := t.nodes[p.a], o.nodes[p.b]
			stack = append(stack, pair{a.R, b.R}, pair{a.L, b.L})
			continue
		}
		if !t.sameLabel(p.a, o, p.b) {
			return false
		}
		as, bs := t.Operands(p.a, bufA[:]), o.Operands(p.b, bufB[:])
		if len(as) != len(bs) {
			return false
		}
		for i := range as {
			stack = append(stack, pair{as[i], bs[i]})
		}
	}
	return true
}

// sameLabel reports whether nodes a of t and b of o have the same kind and parameters.
func (t *Tree) sameLabel(a Ref, o *Tree, b Ref) bool {
	k := t.Kind(a)
	if k != o.Kind(b) {
		return false
	}
	switch k {
	case Round:
		return t.Format(a) == o.Format(b)
	case Fused:
		return t.Adder(a) == o.Adder(b)
	case Opaque:
		return t.Name(a) == o.Name(b)
	}
	return true
}

// Check returns nil if every leaf occurs exactly once, and otherwise an error that names the first
// leaf that is missing or doubled.
func (t *Tree) Check() error {
	seen := make([]uint8, t.leaves)
	for _, i := range t.Leaves() {
		if seen[i] < 2 {
			seen[i]++
		}
	}
	for i, c := range seen {
		switch c {
		case 0:
			return fmt.Errorf("sumtree: leaf %d of %d is missing from the tree", i, t.leaves)
		case 2:
			return fmt.Errorf("sumtree: leaf %d of %d occurs more than once in the tree", i, t.leaves)
		}
	}
	return nil
}

// IsPermutation reports whether every leaf occurs exactly once.
func (t *Tree) IsPermutation() bool { return t.Check() == nil }
