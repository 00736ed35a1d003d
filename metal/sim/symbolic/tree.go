package symbolic

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/model"
	"gamma/sumtree"
)

// formats are the formats of the float types.
var formats = map[ir.Type]model.Format{ir.F32: model.Binary32, ir.F16: model.Binary16, ir.BF16: model.BFloat16}

// Tree returns the schedule of the result whose bits in format t are given, over at least the given number of leaves.
//
// Additions, products, fused multiply-adds and roundings to a narrower format are nodes of their kind, sums whose order the
// specification leaves open AnyOrder nodes, every other operation an Opaque node of its name. Exact operations vanish: conversions to a
// wider format, a factor of 1, and an addition of 0, of which the tree does not say that it makes -0 a +0.
func (m *Machine) Tree(t ir.Type, bits uint64, leaves int) (*sumtree.Tree, error) {
	e, ok := m.Lookup(t, bits)
	if !ok {
		return nil, fmt.Errorf("symbolic: the result %#x does not depend on a leaf", bits)
	}
	b := &treeBuilder{m: m, refs: map[Expr]sumtree.Ref{}}
	b.Leaves(leaves)
	if err := b.build(e); err != nil {
		return nil, err
	}
	return b.Build(b.refs[e])
}

type treeBuilder struct {
	sumtree.Builder
	m    *Machine
	refs map[Expr]sumtree.Ref
}

// build makes the nodes below e; it keeps a stack of its own, since serial sums are as deep as they are long.
func (b *treeBuilder) build(root Expr) error {
	stack := []Expr{root}
	for len(stack) > 0 {
		e := stack[len(stack)-1]
		if _, done := b.refs[e]; done {
			stack = stack[:len(stack)-1]
			continue
		}
		n := b.m.Node(e)
		waiting := false
		for _, a := range n.Args {
			if _, done := b.refs[a]; !done && b.m.nodes[a].Op != ir.Const {
				stack = append(stack, a)
				waiting = true
			}
		}
		if waiting {
			continue
		}
		stack = stack[:len(stack)-1]
		r, err := b.node(n)
		if err != nil {
			return err
		}
		b.refs[e] = r
	}
	return nil
}

// constant returns the bits of e if it is a constant.
func (b *treeBuilder) constant(e Expr) (uint64, bool) {
	n := b.m.nodes[e]
	return n.Bits, n.Op == ir.Const
}

func (b *treeBuilder) isZero(e Expr, t ir.Type) bool {
	v, ok := b.constant(e)
	return ok && v&(t.Mask()>>1) == 0
}

func (b *treeBuilder) isOne(e Expr, t ir.Type) bool {
	v, ok := b.constant(e)
	return ok && v == (ir.Arith{}).Narrow(t, 1)
}

func (b *treeBuilder) node(n Node) (sumtree.Ref, error) {
	if n.Op == ir.Nop {
		return b.Leaf(n.Leaf), nil
	}
	arg := func(i int) sumtree.Ref { return b.refs[n.Args[i]] }
	switch n.Op {
	case ir.Add:
		switch {
		case b.isZero(n.Args[0], n.Type):
			return arg(1), nil
		case b.isZero(n.Args[1], n.Type):
			return arg(0), nil
		}
	case ir.Sub:
		if b.isZero(n.Args[1], n.Type) {
			return arg(0), nil
		}
	case ir.Mul:
		switch {
		case b.isOne(n.Args[0], n.Type):
			return arg(1), nil
		case b.isOne(n.Args[1], n.Type):
			return arg(0), nil
		}
	case ir.Fma:
		_, c0 := b.constant(n.Args[0])
		_, c1 := b.constant(n.Args[1])
		if b.isZero(n.Args[2], n.Type) && !c0 && !c1 {
			return b.Product(arg(0), arg(1)), nil
		}
	case ir.AtomicAdd:
		var kids []sumtree.Ref
		for i, a := range n.Args {
			if !b.isZero(a, n.Type) {
				if _, c := b.constant(a); c {
					return b.opaque(n)
				}
				kids = append(kids, arg(i))
			}
		}
		if len(kids) == 1 {
			return kids[0], nil
		}
		return b.AnyOrder(kids...), nil
	}
	for _, a := range n.Args {
		if _, c := b.constant(a); c {
			return b.opaque(n)
		}
	}
	switch n.Op {
	case ir.Add:
		return b.Builder.Add(arg(0), arg(1)), nil
	case ir.Mul:
		return b.Product(arg(0), arg(1)), nil
	case ir.Fma:
		return b.Builder.Fma(arg(0), arg(1), arg(2)), nil
	case ir.Convert:
		if n.Type == ir.F32 {
			return arg(0), nil
		}
		return b.Round(formats[n.Type], arg(0)), nil
	}
	return b.opaque(n)
}

// opaque makes a node of which only the name is known; constants are written into the name.
func (b *treeBuilder) opaque(n Node) (sumtree.Ref, error) {
	name := n.Op.String()
	var kids []sumtree.Ref
	for _, a := range n.Args {
		if bits, c := b.constant(a); c {
			name += fmt.Sprintf(":%#x", bits)
		} else {
			kids = append(kids, b.refs[a])
		}
	}
	if len(kids) == 0 {
		return 0, fmt.Errorf("symbolic: %s has no operand that depends on a leaf", name)
	}
	return b.Opaque(name, kids...), nil
}

// Eval returns the value of the expression with bits in format t when leaf i has the encoding leaf(i) in its own
// format, under arithmetic ar; sums of open order are added from the left.
func (m *Machine) Eval(t ir.Type, bits uint64, ar ir.Arith, leaf func(i int) uint64) uint64 {
	root, ok := m.Lookup(t, bits)
	if !ok {
		return bits
	}
	needed := make([]bool, root+1)
	needed[root] = true
	for e := root; e > 0; e-- {
		if needed[e] {
			for _, a := range m.nodes[e].Args {
				needed[a] = true
			}
		}
	}
	v := make([]uint64, root+1)
	for e := Expr(1); e <= root; e++ {
		if !needed[e] {
			continue
		}
		n := m.nodes[e]
		var a [4]uint64
		for i, x := range n.Args[:min(len(n.Args), 4)] {
			a[i] = v[x]
		}
		switch n.Op {
		case ir.Nop:
			v[e] = leaf(n.Leaf)
		case ir.Const:
			v[e] = n.Bits
		case ir.AtomicAdd:
			v[e] = a[0]
			for _, x := range n.Args[1:] {
				v[e], _ = ir.Eval(ir.Add, n.Type, ir.Void, 0, ar, v[e], v[x], 0, 0)
			}
		default:
			t := n.Type
			if t == ir.Bool && n.From != ir.Void {
				t = n.From
			}
			v[e], _ = ir.Eval(n.Op, t, n.From, 0, ar, a[0], a[1], a[2], a[3])
		}
	}
	return v[root]
}
