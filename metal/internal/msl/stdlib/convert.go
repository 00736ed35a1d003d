package stdlib

import (
	"fmt"

	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// wrong returns the error of a source that is wrong.
func wrong(pos typed.Pos, format string, args ...any) error {
	return &token.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// refused returns the error of a feature that is not supported.
func refused(pos typed.Pos, feature, format string, args ...any) error {
	return &token.Error{Pos: pos, Feature: feature, Msg: fmt.Sprintf(format, args...)}
}

// The ranks of implicit conversions, better ones first. In C++ a splat ranks with the conversions; here it comes after
// them, so that a scalar never chooses a vector's function.
const (
	exact = iota
	promotion
	conversion
	splat
	impossible
)

// rank says how an argument of type from becomes a parameter of type to.
func rank(from, to typed.Type) int {
	if same(from, to) {
		return exact
	}
	if single(from) {
		if _, n := shape(to); n != 1 {
			return impossible
		}
		return max(conversion, rank(scalars[kindOf(from)], to))
	}
	switch to := to.(type) {
	case *typed.Scalar:
		s, ok := from.(*typed.Scalar)
		if !ok {
			return impossible
		}
		return scalarRank(s, to)
	case *typed.Vector:
		switch s := from.(type) {
		case *typed.Scalar:
			if scalarRank(s, to.Elem) != impossible {
				return splat
			}
		case *typed.Vector:
			if s.Elem.Kind == to.Elem.Kind && s.N == to.N {
				return conversion
			}
		}
	}
	return impossible
}

func scalarRank(from, to *typed.Scalar) int {
	switch {
	case same(from, to):
		return exact
	case to.Enum || scoped(from):
		return impossible
	case from.Enum && from.Kind == to.Kind:
		return promotion
	case to.Kind == ir.I32 && from.Kind < ir.I32:
		return promotion
	case narrows(from.Kind, to.Kind):
		return impossible
	}
	return conversion
}

// scoped reports whether t is an enumeration of the library, whose values convert to nothing by themselves.
func scoped(t *typed.Scalar) bool { return t == memFlags || t == memoryOrder || t == threadScope }

// narrows reports whether a conversion among the floats of 16 and 32 bits has to be written: bfloat, an extended type, converts by
// itself to float alone, and nothing but integers to bfloat.
func narrows(from, to ir.Type) bool {
	return to == ir.BF16 && (from == ir.F16 || from == ir.F32) || from == ir.BF16 && to == ir.F16
}

// Implicit reports whether a value of type from becomes one of type to by itself.
func Implicit(from, to typed.Type) bool { return rank(from, to) != impossible }

// Convert converts x to a type as Metal does by itself, or with explicit as a cast or constructor of one argument does:
// scalars to scalars, scalars to vectors with all elements alike, vectors to vectors of as many elements (of another element
// type with a cast only), vectors to packed ones and back, votes to integers and back with a cast.
func Convert(x typed.Expr, to typed.Type, explicit bool) (typed.Expr, error) {
	from := x.ExprType()
	if same(from, to) {
		return x, nil
	}
	if rank(from, to) == impossible && (!explicit || !castable(from, to)) {
		return nil, noConversion(x, to, explicit)
	}
	if s, ok := from.(*typed.Struct); ok {
		return Convert(&typed.FieldExpr{Node: typed.Node{Type: s.Fields[0].Type, Pos: x.At()}, X: x}, to, true)
	}
	if s, ok := to.(*typed.Struct); ok {
		bits, err := Convert(x, s.Fields[0].Type, true)
		if err != nil {
			return nil, err
		}
		return &typed.Aggregate{Node: typed.Node{Type: to, Pos: x.At()}, Elems: []typed.Expr{bits}}, nil
	}
	return convert(x, to), nil
}

// castable reports whether a cast makes from a to, though nothing does so by itself.
func castable(from, to typed.Type) bool {
	_, n := shape(from)
	_, m := shape(to)
	switch {
	case n > 0 && m > 0:
		return n == m || n == 1
	case vote(from) && m == 1:
		return isInt(to.(*typed.Scalar).Kind)
	case vote(to) && n == 1:
		return isInt(from.(*typed.Scalar).Kind)
	}
	return false
}

func vote(t typed.Type) bool { return t == typed.Type(simdVote) || t == typed.Type(quadVote) }

// convert makes a conversion that is known to be possible.
func convert(x typed.Expr, to typed.Type) typed.Expr {
	from := x.ExprType()
	if same(from, to) {
		return x
	}
	if single(from) && !single(to) {
		return convert(One(x), to)
	}
	node := typed.Node{Type: to, Pos: x.At()}
	v, ok := to.(*typed.Vector)
	if _, scalar := from.(*typed.Scalar); !ok || !scalar {
		return &typed.ConvertExpr{Node: node, X: x}
	}
	plain := VectorOf(v.Elem, v.N)
	return convert(&typed.Splat{Node: typed.Node{Type: plain, Pos: x.At()}, X: convert(x, scalars[v.Elem.Kind])}, to)
}

func noConversion(x typed.Expr, to typed.Type, explicit bool) error {
	from := x.ExprType()
	switch {
	case explicit:
		return wrong(x.At(), "%s cannot be converted to %s", typeName(from), typeName(to))
	case castable(from, to):
		return wrong(x.At(), "%s is not converted to %s by itself: write %s(…)", typeName(from), typeName(to), typeName(to))
	}
	_, n := shape(from)
	if _, m := shape(to); n > 1 && m == 1 {
		return wrong(x.At(), "%s is not converted to %s: name the component, as in .x", typeName(from), typeName(to))
	}
	return wrong(x.At(), "%s cannot be converted to %s", typeName(from), typeName(to))
}

// promote returns the kind that an operand of a scalar operator has.
func promote(k ir.Type) ir.Type {
	if k < ir.I32 {
		return ir.I32
	}
	return k
}

// Common returns the type in which an operator joins operands of types a and b, which are scalars or vectors. Scalars: the usual
// arithmetic conversions, half and bfloat joining with float only. A scalar joins a vector in the vector's type. Packed
// vectors count as plain ones.
func Common(a, b typed.Type) (typed.Type, error) {
	for _, t := range []*typed.Type{&a, &b} {
		if single(*t) {
			*t = scalars[kindOf(*t)]
		}
	}
	ka, na := shape(a)
	kb, nb := shape(b)
	if na == 0 || nb == 0 {
		return nil, fmt.Errorf("no operator joins %s and %s: both have to be numbers or vectors", typeName(a), typeName(b))
	}
	switch {
	case na == 1 && nb == 1:
		for _, t := range []typed.Type{a, b} {
			if s := t.(*typed.Scalar); scoped(s) {
				return nil, fmt.Errorf("%s is not a number", s)
			}
		}
		k, ok := commonKind(ka, kb)
		if !ok {
			return nil, fmt.Errorf("no operator joins %s and %s: write float(…) around one of them", a, b)
		}
		return scalars[k], nil
	case na == nb:
		if ka != kb {
			return nil, fmt.Errorf("no operator joins %s and %s: convert one of them, as in %s(…)", a, b, wide(ka, na))
		}
		return wide(ka, na), nil
	case na == 1:
		return joinScalar(a, kb, nb)
	case nb == 1:
		return joinScalar(b, ka, na)
	}
	return nil, fmt.Errorf("no operator joins %s and %s: they have different numbers of elements", a, b)
}

// joinScalar returns the vector in whose type a scalar joins it.
func joinScalar(s typed.Type, k ir.Type, n int) (typed.Type, error) {
	from := s.(*typed.Scalar)
	if rank(from, scalars[k]) == impossible || isFloat(from.Kind) && !isFloat(k) {
		return nil, fmt.Errorf("no operator joins %s and %s: write %s(…) around the scalar", s, wide(k, n), scalars[k])
	}
	return wide(k, n), nil
}

func commonKind(a, b ir.Type) (ir.Type, bool) {
	if isFloat(a) || isFloat(b) {
		switch {
		case a == b || !isFloat(b):
			return a, true
		case !isFloat(a):
			return b, true
		case a == ir.F32 || b == ir.F32:
			return ir.F32, true
		}
		return ir.Void, false
	}
	// Of the integers from int up, the order of the kinds is the order of the ranks, unsigned above signed.
	return max(promote(a), promote(b)), true
}
