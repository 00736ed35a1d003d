package lower

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// Value is the value of a function constant: the bits of its components, as registers of their type hold them. A scalar has one component.
type Value struct{ Bits [4]uint64 }

// Constants are the values of function constants by index. Those that are missing are not defined.
type Constants map[int]Value

// constantRef returns the value of a component of a function constant, or whether it has one.
func (l *lowerer) constantRef(e *typed.ConstantRef) operand {
	v, ok := l.consts[e.Constant.Index]
	if e.Defined {
		return constant(ir.Bool, b2u(ok))
	}
	k := e.Constant.Type.Kind
	if !ok {
		l.fail(e.Pos, "function constant %s (index %d) has no value: give it one when the function is made, or ask is_function_constant_defined(%s) first",
			e.Constant.Name, e.Constant.Index, e.Constant.Name)
		return constant(k, 0)
	}
	return constant(k, v.Bits[e.Elem]&mask(k))
}

// known returns the bits of an integer or bool expression that can be told from literals and function constants alone.
func (l *lowerer) known(e typed.Expr) (bits uint64, kind ir.Type, ok bool) {
	s, isScalar := e.ExprType().(*typed.Scalar)
	if !isScalar || isFloat(s.Kind) {
		return 0, 0, false
	}
	switch e := e.(type) {
	case *typed.Const:
		return e.Bits, s.Kind, true
	case *typed.ConstantRef:
		v, has := l.consts[e.Constant.Index]
		if e.Defined {
			return b2u(has), ir.Bool, true
		}
		return v.Bits[e.Elem] & mask(s.Kind), s.Kind, has
	case *typed.ConvertExpr:
		if x, from, ok := l.known(e.X); ok {
			bits, ok := foldConvert(from, s.Kind, x)
			return bits, s.Kind, ok
		}
	case *typed.Unary:
		if x, k, ok := l.known(e.X); ok {
			bits, ok := foldUnary(e.Op, k, x)
			return bits, s.Kind, ok
		}
	case *typed.Logical:
		x, _, ok := l.known(e.L)
		if ok && (x != 0) == e.Or {
			return b2u(e.Or), ir.Bool, true
		}
		if ok {
			return l.known(e.R)
		}
	case *typed.Binary:
		x, k, ok := l.known(e.L)
		if !ok {
			return 0, 0, false
		}
		if y, k2, ok := l.known(e.R); ok && k == k2 {
			bits, ok := foldBinary(e.Op, k, x, y)
			return bits, s.Kind, ok
		}
	}
	return 0, 0, false
}

// knownIndex returns the value of an index that can be told from literals and function constants alone, if it is in [0, n).
func (l *lowerer) knownIndex(e typed.Expr, n int) (int, bool) {
	bits, k, ok := l.known(e)
	if !ok {
		return 0, false
	}
	i := signed(k, bits)
	if k == ir.U64 && i < 0 || i < 0 || i >= int64(n) {
		return 0, false
	}
	return int(i), true
}
