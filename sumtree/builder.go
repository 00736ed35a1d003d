package sumtree

import (
	"fmt"

	"gamma/model"
)

// Builder makes trees node by node. Its methods return the reference to use as an operand of the
// nodes that follow. The zero value is ready; mistakes are kept and returned by Build.
type Builder struct {
	t   Tree
	max int // largest leaf
	err error
}

// Leaf returns a reference to leaf i.
func (b *Builder) Leaf(i int) Ref {
	if i < 0 || i >= maxRef {
		b.fail("leaf %d is not between 0 and %d", i, maxRef-1)
		return LeafRef(0)
	}
	b.max = max(b.max, i+1)
	return LeafRef(i)
}

// Add returns l + r.
func (b *Builder) Add(l, r Ref) Ref { return b.node(Add, l, r, l, r) }

// Product returns l · r.
func (b *Builder) Product(l, r Ref) Ref { return b.node(Product, l, r, l, r) }

// Fma returns x·y + z, rounded once.
func (b *Builder) Fma(x, y, z Ref) Ref { return b.wide(Fma, 0, x, y, z) }

// Round returns r rounded into format f.
func (b *Builder) Round(f model.Format, r Ref) Ref {
	if err := checkFormat(f); err != nil {
		b.fail("%v", err)
	}
	b.t.formats = append(b.t.formats, f)
	return b.node(Round, r, Ref(len(b.t.formats)-1), r)
}

// Fused returns the sum of the operands by a multi-term adder.
func (b *Builder) Fused(a Adder, kids ...Ref) Ref {
	if err := a.check(); err != nil {
		b.fail("%v", err)
	}
	b.t.adders = append(b.t.adders, a)
	return b.wide(Fused, len(b.t.adders)-1, kids...)
}

// AnyOrder returns the sum of the operands in an unknown order.
func (b *Builder) AnyOrder(kids ...Ref) Ref { return b.wide(AnyOrder, 0, kids...) }

// Opaque returns a function of the operands of which only a name is known.
func (b *Builder) Opaque(name string, kids ...Ref) Ref {
	b.t.names = append(b.t.names, name)
	return b.wide(Opaque, len(b.t.names)-1, kids...)
}

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("sumtree: "+format, args...)
	}
}

// wide appends a node whose operands are kids.
func (b *Builder) wide(k Kind, attr int, kids ...Ref) Ref {
	if len(kids) == 0 {
		b.fail("node %d, %s, has no operands", len(b.t.nodes), k)
	}
	from := len(b.t.kids)
	b.t.kids = append(b.t.kids, kids...)
	b.t.spans = append(b.t.spans, span{int32(from), int32(len(b.t.kids))})
	return b.node(k, Ref(len(b.t.spans)-1), Ref(attr), kids...)
}

// node checks the operands and appends a node with fields l and r.
func (b *Builder) node(k Kind, l, r Ref, ops ...Ref) Ref {
	for _, o := range ops {
		switch {
		case int(o) >= len(b.t.nodes):
			b.fail("node %d, %s, uses node %d, which does not come before it", len(b.t.nodes), k, o)
		case o < 0:
			b.Leaf(o.Leaf())
		}
	}
	if len(b.t.nodes) >= MaxNodes {
		b.fail("the tree has more than %d nodes", MaxNodes)
		return LeafRef(0)
	}
	if k != Add && b.t.kinds == nil {
		b.t.kinds = make([]Kind, len(b.t.nodes))
	}
	if b.t.kinds != nil {
		b.t.kinds = append(b.t.kinds, k)
	}
	b.t.nodes = append(b.t.nodes, Node{l, r})
	return Ref(len(b.t.nodes) - 1)
}

// Leaves raises the leaf count to at least n, for trees in which the last leaves are missing.
func (b *Builder) Leaves(n int) {
	if n < 0 || n > maxRef {
		b.fail("a leaf count is between 0 and %d, not %d", maxRef, n)
		return
	}
	b.max = max(b.max, n)
}

// Build returns the tree whose result is root, or the first mistake. Nodes that the root does
// not need are left out; a node that is used twice is copied. Missing and duplicate leaves are not
// an error here: see Tree.Check.
func (b *Builder) Build(root Ref) (*Tree, error) {
	switch {
	case b.err != nil:
		return nil, b.err
	case int(root) >= len(b.t.nodes):
		return nil, fmt.Errorf("sumtree: the root is node %d of %d", root, len(b.t.nodes))
	case root < 0:
		b.Leaf(root.Leaf())
		if b.err != nil {
			return nil, b.err
		}
		return &Tree{leaves: b.max, root: root}, nil
	}
	if b.isTree(root) {
		t := b.t
		t.leaves, t.root = b.max, root
		*b = Builder{}
		return &t, nil
	}
	return b.copied(root)
}

// isTree reports whether root is the last node and every other node is used exactly once.
func (b *Builder) isTree(root Ref) bool {
	if int(root) != len(b.t.nodes)-1 {
		return false
	}
	used := make([]bool, len(b.t.nodes))
	var buf [2]Ref
	for i := range b.t.nodes {
		for _, o := range b.t.Operands(Ref(i), buf[:]) {
			if o < 0 {
				continue
			}
			if used[o] {
				return false
			}
			used[o] = true
		}
	}
	for _, u := range used[:root] {
		if !u {
			return false
		}
	}
	return true
}

// copied returns the tree below root, node by node in post-order.
func (b *Builder) copied(root Ref) (*Tree, error) {
	var out Builder
	type frame struct {
		r    Ref
		next int // operand to visit
	}
	var (
		stack = []frame{{root, 0}}
		done  []Ref // results waiting for the node that uses them
		buf   [2]Ref
	)
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		ops := b.t.Operands(f.r, buf[:])
		if f.next < len(ops) {
			o := ops[f.next]
			f.next++
			if o < 0 {
				done = append(done, o)
			} else {
				stack = append(stack, frame{o, 0})
			}
			continue
		}
		kids := done[len(done)-len(ops):]
		r := out.like(&b.t, f.r, kids)
		if out.err != nil {
			return nil, out.err
		}
		done = append(done[:len(done)-len(ops)], r)
		stack = stack[:len(stack)-1]
	}
	out.max = b.max
	t := out.t
	t.leaves, t.root = b.max, done[0]
	*b = Builder{}
	return &t, nil
}

// like appends a node with the kind and parameters of node r of t, over other operands.
func (b *Builder) like(t *Tree, r Ref, kids []Ref) Ref {
	switch t.Kind(r) {
	case Add:
		return b.Add(kids[0], kids[1])
	case Product:
		return b.Product(kids[0], kids[1])
	case Fma:
		return b.Fma(kids[0], kids[1], kids[2])
	case Round:
		return b.Round(t.Format(r), kids[0])
	case Fused:
		return b.Fused(t.Adder(r), kids...)
	case AnyOrder:
		return b.AnyOrder(kids...)
	}
	return b.Opaque(t.Name(r), kids...)
}
