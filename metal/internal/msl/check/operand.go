package check

import (
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// operand is a checked expression: a value, an lvalue, or something that is neither until it is called or bound.
type operand struct {
	pos Pos
	T   typed.Type // nil if it is neither value nor lvalue
	X   typed.Expr // the value; nil of lvalues
	P   typed.Place
	// Of lvalues:
	Const, Volatile bool
	Space           ir.Space
	// known is the value of an lvalue that is known when compiling.
	known typed.Expr
	// effect is what a statement of it alone does; nil: value.
	effect typed.Expr
	// twice: P would do something twice if it were used.
	twice bool
	null  bool // the literal 0 or nullptr

	list        *syntax.InitList
	typ         *qual
	trait       bool // X is the result of a call without arguments
	fns         []*function
	object      *operand // of methods
	name        *syntax.Name
	part        *syntax.NamePart
	lib         string // also, or only, a function of the library
	adl         bool   // unqualified: functions of the arguments' namespaces count too
	missing     *ref   // an unknown name, which may be a function of its arguments' namespaces
	arrayMember string // a method of metal::array
}

func valueOf(x typed.Expr) operand { return operand{pos: x.At(), T: x.ExprType(), X: x} }

// node returns a Node at the operand's place.
func node(pos Pos, t typed.Type) typed.Node { return typed.Node{Type: t, Pos: pos} }

// constOf returns a constant.
func constOf(pos Pos, t typed.Type, bits uint64) typed.Expr {
	return &typed.Const{Node: node(pos, t), Bits: bits}
}

// needValue fails if o is no value and no lvalue.
func (c *checker) needValue(pos Pos, o *operand) {
	switch {
	case o.T != nil:
		return
	case o.missing != nil:
		c.undeclared(o.name, *o.missing)
	case o.list != nil:
		c.fail(pos, "a list in braces needs a type here: write T{…}")
	case o.typ != nil:
		c.fail(pos, "%s is a type, not a value", o.typ)
	case o.object != nil:
		c.fail(pos, "a method can only be called: write (…) after it")
	case o.fns != nil || o.lib != "":
		c.fail(pos, "a function can only be called: write (…) after its name")
	}
	c.fail(pos, "this is no value")
}

// value returns the value of an operand.
func (c *checker) value(o *operand) typed.Expr {
	c.needValue(o.pos, o)
	switch {
	case o.X != nil:
		return o.X
	case o.known != nil:
		return o.known
	}
	if o.twice {
		c.refuse(o.pos, "the value of an assignment to a place with side effects", "write two statements")
	}
	if st := c.structOf(o.T); st != nil {
		c.complete(o.pos, st)
		if f := st.copying(o); f != nil && c.quiet == 0 {
			return c.copied(o, f)
		}
	}
	if typed.HoldsAtomic(o.T) && c.quiet == 0 {
		c.fail(o.pos, "%s cannot be copied: read it with atomic_load_explicit(&…, memory_order_relaxed)", o.T)
	}
	return &typed.LoadExpr{Node: node(o.pos, o.T), X: o.P}
}

// place returns the lvalue that o is, a temporary if it is a value.
func (c *checker) place(o *operand) typed.Place {
	c.needValue(o.pos, o)
	if o.P != nil {
		if o.twice {
			c.refuse(o.pos, "the value of an assignment to a place with side effects", "write two statements")
		}
		return o.P
	}
	return &typed.TempPlace{X: o.X, Pos: o.pos}
}

// discard returns what the operand does as a statement, nil for nothing.
func (c *checker) discard(o *operand) typed.Expr {
	c.needValue(o.pos, o)
	switch {
	case o.effect != nil:
		return o.effect
	case o.X != nil:
		return o.X
	case o.Volatile && !isStruct(o.T):
		return c.value(o) // it is read
	case typed.PurePlace(o.P):
		return nil
	}
	return &typed.AddrOf{Node: node(o.pos, pointerTo(o.T, o.Space, o.Const, o.Volatile)), X: o.P}
}

// decay turns arrays into pointers.
func (c *checker) decay(o operand) operand {
	a, ok := o.T.(*typed.Array)
	if !ok || a.Metal {
		return o
	}
	p := c.place(&o)
	t := pointerTo(a.Elem, o.Space, o.Const, o.Volatile)
	if o.P == nil {
		t = pointerTo(a.Elem, ir.Thread, false, false)
	}
	return operand{pos: o.pos, T: t, X: &typed.AddrOf{Node: node(o.pos, t), X: p, Decay: true}}
}

// variableOperand is a use of a variable.
func (c *checker) variableOperand(pos Pos, v *variable) operand {
	if v.checking {
		c.fail(pos, "%s is used in its own initialiser", v.v.Name)
	}
	o := operand{pos: pos, T: v.v.Type, P: &typed.VarPlace{Var: v.v, Pos: pos}, Const: v.v.Const, Volatile: v.v.Volatile, Space: v.v.Space}
	if _, scalar := v.v.Type.(*typed.Scalar); scalar && v.known != nil {
		switch k := v.known.(type) {
		case *typed.Const:
			o.known = constOf(pos, k.Type, k.Bits)
		case *typed.Zero:
			o.known = constOf(pos, k.Type, 0)
		}
	}
	return o
}

// derefOperand is what a pointer points to.
func derefOperand(pos Pos, p typed.Expr) operand {
	t := p.ExprType().(*typed.Pointer)
	return operand{pos: pos, T: t.Elem, P: &typed.Deref{Ptr: p, Pos: pos}, Const: t.Const, Volatile: t.Volatile, Space: t.Space}
}

// addressOf returns a pointer to the lvalue.
func (c *checker) addressOf(pos Pos, o *operand) typed.Expr {
	p := c.place(o)
	if d, ok := p.(*typed.Deref); ok {
		return d.Ptr
	}
	t := pointerTo(o.T, o.Space, o.Const, o.Volatile)
	return &typed.AddrOf{Node: node(pos, t), X: p}
}

// elementOfVector reports whether the place is a part of a vector, to which nothing can be bound.
func elementOfVector(p typed.Place) bool {
	switch p := p.(type) {
	case *typed.SwizzlePlace:
		return true
	case *typed.IndexPlace:
		_, ok := p.X.PlaceType().(*typed.Vector)
		return ok
	case *typed.SeqPlace:
		return elementOfVector(p.X)
	}
	return false
}
