package stdlib

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

func init() { special["as_type"] = asType }

// asType is as_type<T>(x).
func asType(c *call, targs []TArg, args []Arg) (typed.Expr, error) {
	if len(targs) != 1 || targs[0].Type == nil || len(args) != 1 {
		return nil, wrong(c.pos, "as_type takes one type and one value: as_type<T>(x)")
	}
	x, to := args[0].X, targs[0].Type
	from := x.ExprType()
	k, n := shape(from)
	l, m := shape(to)
	switch {
	case n == 0 || m == 0 || k == ir.Bool || l == ir.Bool:
		return nil, wrong(c.pos, "as_type<%s> of %s: both have to be numbers or vectors of them, and not bool", to, from)
	case n*bitsOf(k) != m*bitsOf(l):
		return nil, wrong(c.pos, "as_type<%s> of %s: they have %d and %d bits, and need as many", to, from, m*bitsOf(l), n*bitsOf(k))
	case n == 3 && m == 3, m != 3 && n != 3, from.Size() == to.Size():
	default:
		return nil, wrong(c.pos, "as_type<%s> of %s: a vector of 3 becomes one of 3 only", to, from)
	}
	if same(from, to) {
		return x, nil
	}
	return &typed.BitcastExpr{Node: c.node(to), X: x}, nil
}
