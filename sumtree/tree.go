package sumtree

// Ref names an operand of a node: a node if it is not negative, and leaf ^r if it is.
type Ref int32

// LeafRef returns the reference to leaf i.
func LeafRef(i int) Ref { return ^Ref(i) }

// IsLeaf reports whether r names a leaf.
func (r Ref) IsLeaf() bool { return r < 0 }

// Leaf returns the leaf that r names; it means nothing for a node.
func (r Ref) Leaf() int { return int(^r) }

// Kind is what a node does with its operands.
type Kind uint8

const (
	Add      Kind = iota // L + R, rounded
	Product              // L · R, rounded
	Fma                  // Kids[0]·Kids[1] + Kids[2], rounded once
	Round                // L rounded to another format
	Fused                // a multi-term adder over its kids
	AnyOrder             // the sum of its kids in an order that is not known
	Opaque               // a function of its kids that is not known
)

// Node holds the two operands of a binary node. Nodes stand in evaluation order: operands before
// the nodes that use them, the root last.
type Node struct{ L, R Ref }

// Tree is a reduction schedule in flat arrays.
type Tree struct {
	leaves int
	root   Ref
	nodes  []Node
	kinds  []Kind // nil: every node is an Add
}

// LeafCount returns the number of leaves.
func (t *Tree) LeafCount() int { return t.leaves }

// Root returns the tree's result.
func (t *Tree) Root() Ref { return t.root }

// Plain returns the nodes of a tree of binary additions in evaluation order, and ok = false for
// any other. The slice is the tree's own: do not write to it.
func (t *Tree) Plain() (nodes []Node, ok bool) { return t.nodes, t.kinds == nil }
