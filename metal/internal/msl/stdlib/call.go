package stdlib

import (
	"fmt"

	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// call is a call of a function whose overload is chosen: what its builder needs.
type call struct {
	name          string
	pos           typed.Pos
	fp            ir.FP
	fast, precise bool
	typ           typed.Type // the type that T stands for
	result        typed.Type
	args          []typed.Expr  // converted to the parameters; nil of references
	places        []typed.Place // of references
}

// kind and width of T.
func (c *call) kind() ir.Type { return kindOf(c.typ) }

func (c *call) width() int {
	_, n := shape(c.typ)
	return n
}

func (c *call) node(t typed.Type) typed.Node { return typed.Node{Type: t, Pos: c.pos} }

// unary, binary and ternary make operations with the flags of the call's namespace; the type is that of the first operand.
func (c *call) unary(op ir.Op, x typed.Expr) typed.Expr {
	return &typed.Unary{Node: c.node(x.ExprType()), Op: op, X: x, FastFn: c.fast, PreciseFn: c.precise}
}

func (c *call) binary(op ir.Op, l, r typed.Expr) typed.Expr {
	return &typed.Binary{Node: c.node(l.ExprType()), Op: op, L: l, R: r, FastFn: c.fast, PreciseFn: c.precise}
}

// compare gives a bool or a vector of bool.
func (c *call) compare(op ir.Op, l, r typed.Expr) typed.Expr {
	_, n := shape(l.ExprType())
	return &typed.Binary{Node: c.node(wide(ir.Bool, n)), Op: op, L: l, R: r}
}

// test is a classification of floats.
func (c *call) test(op ir.Op, x typed.Expr) typed.Expr {
	_, n := shape(x.ExprType())
	return &typed.Unary{Node: c.node(wide(ir.Bool, n)), Op: op, X: x}
}

// choose is cond ? t : f, element by element.
func (c *call) choose(cond, t, f typed.Expr) typed.Expr {
	return &typed.Ternary{Node: c.node(t.ExprType()), Op: ir.Select, A: cond, B: t, C: f}
}

func (c *call) literal(t typed.Type, v int64) typed.Expr { return constant(t, v, c.pos) }

// elem is element i of a vector that is evaluated without effects.
func (c *call) elem(x typed.Expr, i int) typed.Expr {
	v, ok := x.ExprType().(*typed.Vector)
	if !ok {
		return x
	}
	return &typed.SwizzleExpr{Node: c.node(scalars[v.Elem.Kind]), X: x, Comps: []int{i}}
}

// inline calls a function whose body is `return body(parameters)`, so that every argument is evaluated once. It is inlined as
// functions of the source are, under the floating-point flags in force at the call.
func (c *call) inline(result typed.Type, body func(params []typed.Expr) typed.Expr) typed.Expr {
	return c.with(c.args, result, body)
}

// with is inline with other arguments.
func (c *call) with(args []typed.Expr, result typed.Type, body func(params []typed.Expr) typed.Expr) typed.Expr {
	f := &typed.Func{Name: "metal::" + c.name, Result: result, Pos: c.pos}
	params := make([]typed.Expr, len(args))
	for i, x := range args {
		t := x.ExprType()
		v := &typed.Var{Name: fmt.Sprintf("arg%d", i+1), Type: t, Space: ir.Thread, Pos: c.pos}
		f.Params = append(f.Params, v)
		params[i] = &typed.LoadExpr{Node: c.node(t), X: &typed.VarPlace{Var: v, Pos: c.pos}}
	}
	fp := c.fp
	switch {
	case c.fast:
		fp |= ir.FastFunctions
	case c.precise:
		fp &^= ir.FastFunctions
	}
	f.Body = &typed.Block{Stmts: []typed.Stmt{&typed.Return{X: body(params), Pos: c.pos, FP: fp}}}
	return &typed.Call{Node: c.node(result), Func: f, Args: args, Places: make([]typed.Place, len(args))}
}
