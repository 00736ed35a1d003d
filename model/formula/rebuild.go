package formula

// New returns the expression whose node is n, checked as the function that makes such expressions checks it: what a formula is
// rebuilt by, with other operands or other attributes.
func New(n Node) *Expr {
	if n.Op >= opEnd {
		return &Expr{node: Node{}, err: &mistake{place(), OpInput, "the node's operation is unknown"}}
	}
	least, most := table[n.Op].args, table[n.Op].args
	if n.Op == OpIndex {
		most = 1
	}
	if len(n.Args) < least || len(n.Args) > most {
		return wrong(n, "it takes %s, not %d", counted(most, "operand"), len(n.Args))
	}
	e := base(n)
	if e.err != nil {
		return e
	}
	if n.Order != (Order{}) {
		e = e.Ordered(n.Order)
	}
	if n.Meaning != AnyMeaning {
		e = e.Meant(n.Meaning)
	}
	if n.Ties != FirstTie {
		e = e.WithTies(n.Ties)
	}
	if n.Exclusive {
		e = e.Exclusively()
	}
	if n.Reverse {
		e = e.Backwards()
	}
	return e
}

// base returns the expression of a node, whose number of operands is right, without its order, meaning, ties and direction.
func base(n Node) *Expr {
	axis := ""
	if len(n.Axes) > 0 {
		axis = n.Axes[0]
	}
	switch op := n.Op; {
	case op == OpInput:
		return Input(n.Name, n.Type, n.Axes...)
	case op == OpConst && n.Type.Int:
		return Integer(int64(n.Value))
	case op == OpConst:
		return Const(n.Value)
	case op == OpOrder:
		return InOrder(n.Args[0], n.Axes...)
	case op == OpStore:
		return Store(n.Args[0], n.Type, n.Overflow)
	case op == OpDot:
		return Dot(n.Args[0], n.Args[1], n.Axes...)
	case op == OpArgMax || op == OpArgMin:
		return argument(op, n.Args[0], n.Axes)
	case op.Class() == Reduction:
		return reduce(Node{Op: op, Args: n.Args}, n.Axes)
	case op.Class() == Scan:
		return scan(op, n.Args[0], n.Axes)
	case op.Class() == Elementwise:
		return build(Node{Op: op, Args: n.Args})
	case len(n.Axes) != 1:
		return wrong(n, "it is about one axis, not %v", n.Axes)
	case op == OpIndex && len(n.Args) > 0:
		return IndexOf(axis, n.Args[0])
	case op == OpIndex:
		return Index(axis)
	case op == OpLen:
		return Len(axis)
	case op == OpGather:
		return Gather(n.Args[0], axis, n.Args[1], n.Args[2])
	}
	return Rename(n.Args[0], axis, n.To)
}

// Replace returns e with each node for which change returns another expression replaced by that, operands before what uses them, so
// that change is given each node of e rebuilt from operands that are replaced already. What is shared stays shared.
func (e *Expr) Replace(change func(*Expr) *Expr) *Expr {
	if e.Err() != nil {
		return e
	}
	made := map[*Expr]*Expr{}
	for _, old := range e.Nodes() {
		n, same := old.node, true
		n.Args = make([]*Expr, len(old.node.Args))
		for i, a := range old.node.Args {
			n.Args[i] = made[a]
			same = same && made[a] == a
		}
		fresh := old
		if !same {
			fresh = New(n)
		}
		if r := change(fresh); r != nil {
			fresh = r
		}
		made[old] = fresh
	}
	return made[e]
}
