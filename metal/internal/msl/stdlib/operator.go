package stdlib

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// operator says what an operator of two operands is.
type operator struct {
	op       ir.Op
	ints     bool // refuses floats
	bits     bool // takes vectors of bool
	compares bool
	swap     bool // operands exchanged: > and >=
	shift    bool
}

var operators = map[string]operator{
	"+": {op: ir.Add}, "-": {op: ir.Sub}, "*": {op: ir.Mul}, "/": {op: ir.Div}, "%": {op: ir.Rem, ints: true},
	"&": {op: ir.And, ints: true, bits: true}, "|": {op: ir.Or, ints: true, bits: true}, "^": {op: ir.Xor, ints: true, bits: true},
	"<<": {op: ir.Shl, ints: true, shift: true}, ">>": {op: ir.Shr, ints: true, shift: true},
	"==": {op: ir.Eq, bits: true, compares: true}, "!=": {op: ir.Ne, bits: true, compares: true},
	"<": {op: ir.Lt, compares: true}, "<=": {op: ir.Le, compares: true},
	">": {op: ir.Lt, compares: true, swap: true}, ">=": {op: ir.Le, compares: true, swap: true},
}

// Binary returns l op r for an operator of numbers and vectors: + - * / % & | ^ << >> == != < <= > >=. It gives comparisons of
// vectors as vectors of bool. Flags of memory and values of one enumeration are compared; flags are joined by | as constants.
func Binary(op string, l, r typed.Expr, pos typed.Pos) (typed.Expr, error) {
	o, ok := operators[op]
	if !ok {
		return nil, wrong(pos, "%s is not an operator of two numbers", op)
	}
	l, r = One(l), One(r)
	lt, rt := l.ExprType(), r.ExprType()
	if s, ok := lt.(*typed.Scalar); ok && scoped(s) && same(lt, rt) {
		return enumBinary(op, o, s, l, r, pos)
	}
	t, err := Common(lt, rt)
	if err != nil {
		return nil, wrong(pos, "%s: %v", op, err)
	}
	k, n := shape(t)
	switch {
	case o.ints && isFloat(k), o.ints && (isFloat(kindOf(lt)) || isFloat(kindOf(rt))):
		return nil, wrong(pos, "%s takes integers, not %s and %s", op, lt, rt)
	case n > 1 && k == ir.Bool && !o.bits:
		return nil, wrong(pos, "%s takes no vectors of bool: write all(…), any(…) or int%d(…)", op, n)
	}
	if o.shift {
		return shift(o.op, l, r, n, pos), nil
	}
	l, r = convert(l, t), convert(r, t)
	if o.compares {
		t = wide(ir.Bool, n)
	}
	node := typed.Node{Type: t, Pos: pos}
	if !o.swap {
		return &typed.Binary{Node: node, Op: o.op, L: l, R: r}, nil
	}
	if typed.Pure(l) && typed.Pure(r) || isConst(l) || isConst(r) {
		return &typed.Binary{Node: node, Op: o.op, L: r, R: l}, nil
	}
	// Both sides may change what the other one reads: keep the order in which they are written.
	c := &call{name: "operator" + op, pos: pos, args: []typed.Expr{l, r}}
	return c.inline(t, func(v []typed.Expr) typed.Expr {
		return &typed.Binary{Node: node, Op: o.op, L: v[1], R: v[0]}
	}), nil
}

func kindOf(t typed.Type) ir.Type {
	k, _ := shape(t)
	return k
}

// shift returns a shift of n elements. Of scalars the type is the left one's, promoted, so that char and short shift as int; both sides of
// vectors have the vector's type. The count is taken modulo the width of that type, and to convert it there keeps the bits that matter.
func shift(op ir.Op, l, r typed.Expr, n int, pos typed.Pos) typed.Expr {
	k := kindOf(l.ExprType())
	if _, m := shape(l.ExprType()); n == 1 {
		k = promote(k)
	} else if m == 1 {
		k = kindOf(r.ExprType())
	}
	t := wide(k, n)
	l = convert(l, t)
	return &typed.Binary{Node: typed.Node{Type: t, Pos: pos}, Op: op, L: l, R: convert(r, t)}
}

// enumBinary joins two values of one of the library's enumerations.
func enumBinary(op string, o operator, s *typed.Scalar, l, r typed.Expr, pos typed.Pos) (typed.Expr, error) {
	if o.compares && !o.swap {
		return &typed.Binary{Node: typed.Node{Type: scalars[ir.Bool], Pos: pos}, Op: o.op, L: l, R: r}, nil
	}
	a, ok := l.(*typed.Const)
	b, ok2 := r.(*typed.Const)
	if !ok || !ok2 || s != memFlags || !o.bits {
		return nil, wrong(pos, "%s is not a number: only mem_flags are joined, by |, as constants", s)
	}
	bits := a.Bits | b.Bits
	switch op {
	case "&":
		bits = a.Bits & b.Bits
	case "^":
		bits = a.Bits ^ b.Bits
	}
	return &typed.Const{Node: typed.Node{Type: s, Pos: pos}, Bits: bits}, nil
}

func isConst(x typed.Expr) bool {
	_, ok := x.(*typed.Const)
	return ok
}
