package check

import (
	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// The ranks of conversions, better ones first.
const (
	exact = iota
	promotion
	conversion
	splat
	derived // to a base class: between the conversions
	userDefined
	impossible
)

// conv is how an argument becomes a parameter.
type conv struct {
	rank      int
	cv        int // qualifiers added, to choose between references
	user      *function
	inner     int
	ambiguous []*function
	// why says why it is impossible, if more is known than the types.
	why string
}

// better compares two conversions of one argument: below zero if a is better.
func (a conv) compare(b conv) int {
	if a.rank != b.rank {
		return a.rank - b.rank
	}
	if a.rank == userDefined {
		if a.user != nil && a.user == b.user && len(a.ambiguous) == 0 && len(b.ambiguous) == 0 {
			return a.inner - b.inner
		}
		return 0
	}
	return a.cv - b.cv
}

func no(why string) conv { return conv{rank: impossible, why: why} }

// rank says how o becomes a parameter or variable of type to. User: conversions of classes count.
func (c *checker) rank(o *operand, to qual, user bool) conv {
	c.tick(o.pos)
	if to.Ref == noRef {
		return c.rankValue(o, to.T, user)
	}
	if o.T != nil && o.P != nil && o.known == nil || o.T != nil && o.P != nil && (same(o.T, to.T) && o.Space == to.space()) {
		isSame := same(o.T, to.T)
		isBase := !isSame && c.derives(o.T, to.T)
		if isSame || isBase {
			switch {
			case o.Space != to.space():
				return no("it is in " + spaceWord[o.Space] + ", not in " + spaceWord[to.space()])
			case o.Const && !to.Const:
				return no("it is const")
			case elementOfVector(o.P) && !to.Const:
				return no("a part of a vector cannot be bound to a reference")
			case elementOfVector(o.P):
				return conv{rank: exact, cv: 1}
			}
			if to.Ref == rvalueRef {
				return no("an lvalue cannot be bound to &&")
			}
			r := conv{rank: exact}
			if isBase {
				r.rank = derived
			}
			if to.Const != o.Const {
				r.cv++
			}
			if to.Volatile != o.Volatile {
				r.cv++
			}
			return r
		}
	}
	if !to.Const && to.Ref != rvalueRef {
		if o.P == nil {
			return no("a value cannot be bound to a reference that is not const")
		}
		return no("")
	}
	if to.space() != ir.Thread {
		return no("a temporary is in thread, not in " + spaceWord[to.space()])
	}
	r := c.rankValue(o, to.T, user)
	if r.rank == exact && to.Ref == lvalueRef {
		r.cv++ // && is better for a value
	}
	return r
}

// rankValue says how o becomes a value of type to.
func (c *checker) rankValue(o *operand, to typed.Type, user bool) conv {
	if o.list != nil {
		if !user {
			return no("")
		}
		c.quiet++
		err := c.attempt(func() { c.initList(o.pos, to, o.list, false) })
		c.quiet--
		if err != nil {
			return no("")
		}
		return conv{rank: userDefined}
	}
	if o.T == nil {
		return no("it is no value")
	}
	if same(o.T, to) {
		return conv{}
	}
	from := o.T
	if a, ok := from.(*typed.Array); ok && !a.Metal {
		if p, ok := to.(*typed.Pointer); ok {
			return c.rankPointer(pointerTo(a.Elem, o.Space, o.Const, o.Volatile), p)
		}
		return no("")
	}
	if isStruct(from) || isStruct(to) {
		if c.derives(from, to) {
			return conv{rank: derived}
		}
		if !c.libraryStruct(from) && !c.libraryStruct(to) {
			if !user {
				return no("")
			}
			return c.rankUser(o, to, false)
		}
	}
	switch to := to.(type) {
	case *typed.Pointer:
		if o.null {
			return conv{rank: conversion}
		}
		if p, ok := from.(*typed.Pointer); ok {
			return c.rankPointer(p, to)
		}
		return no("")
	case *typed.Scalar:
		if p, ok := from.(*typed.Pointer); ok && to.Kind == ir.Bool && !to.Enum {
			_ = p
			return conv{rank: conversion, cv: 1}
		}
	case *typed.Array, *typed.Atomic, *typed.VoidType:
		return no("")
	}
	if c.scoped(from) {
		return no("a value of an enum class converts to nothing by itself")
	}
	if !stdlib.Implicit(from, to) {
		return no("")
	}
	f, ok1 := from.(*typed.Scalar)
	t, ok2 := to.(*typed.Scalar)
	switch {
	case ok1 && ok2:
		if t.Kind == promoted(f.Kind) && !isFloatKind(f.Kind) && (f.Kind != t.Kind || f.Enum) && !t.Enum {
			return conv{rank: promotion}
		}
		return conv{rank: conversion}
	case ok1:
		return conv{rank: splat}
	}
	return conv{rank: conversion}
}

func (c *checker) rankPointer(from, to *typed.Pointer) conv {
	if from.Space != to.Space {
		return no("it points into " + spaceWord[from.Space] + ", not into " + spaceWord[to.Space])
	}
	r := conv{}
	switch {
	case same(from.Elem, to.Elem):
	case isVoid(to.Elem):
		r.rank = conversion
	case c.derives(from.Elem, to.Elem):
		r.rank = derived
	default:
		return no("")
	}
	if from.Const && !to.Const {
		return no("it points to what is const")
	}
	if from.Volatile && !to.Volatile {
		return no("it points to what is volatile")
	}
	if from.Const != to.Const {
		r.cv++
	}
	if from.Volatile != to.Volatile {
		r.cv++
	}
	return r
}

// scoped reports whether t is an enum class.
func (c *checker) scoped(t typed.Type) bool {
	s, ok := t.(*typed.Scalar)
	if !ok || !s.Enum {
		return false
	}
	e := c.enums[s]
	return e != nil && e.scoped
}

// libraryStruct reports whether t is a struct of Metal's library, which converts by its rules.
func (c *checker) libraryStruct(t typed.Type) bool {
	s, ok := t.(*typed.Struct)
	return ok && c.structs[s] == nil
}

// derives reports whether struct a has b as its base.
func (c *checker) derives(a, b typed.Type) bool {
	st := c.structOf(a)
	if st == nil || c.structOf(b) == nil {
		return false
	}
	c.complete(st.pos, st)
	for st = st.base; st != nil; st = st.base {
		if same(st.t, b) {
			return true
		}
	}
	return false
}

// rankUser finds the constructor or conversion operator that makes to of o.
func (c *checker) rankUser(o *operand, to typed.Type, explicit bool) conv {
	type choice struct {
		f     *function
		in    conv // of o to the constructor's parameter or the operator's this
		after conv // of the operator's result to to
	}
	var list []choice
	if st := c.structOf(to); st != nil {
		c.complete(o.pos, st)
		for _, f := range st.ctors {
			g := f
			if f.deleted || f.explicit && !explicit || f.thisSpace != ir.Thread {
				continue
			}
			if f.tparams != nil {
				if g = c.deduce(f, nil, []operand{*o}); g == nil {
					continue
				}
			}
			if len(g.params) == 0 || g.required() > 1 || c.copyLike(st, g) {
				continue
			}
			if r := c.rank(o, g.params[0].q, false); r.rank != impossible {
				list = append(list, choice{f: g, in: r})
			}
		}
	}
	if st := c.structOf(o.T); st != nil {
		c.complete(o.pos, st)
		for s := st; s != nil; s = s.base {
			for _, f := range s.convs {
				if f.explicit && !explicit || f.deleted {
					continue
				}
				if f.tparams != nil {
					if f = c.deduceResult(f, to); f == nil {
						continue
					}
				}
				in := c.rankThis(o, f)
				if in.rank == impossible {
					continue
				}
				res := operand{pos: o.pos, T: f.result.T, X: constOf(o.pos, f.result.T, 0)}
				if r := c.rank(&res, qual{T: to}, false); r.rank != impossible {
					list = append(list, choice{f: f, in: in, after: r})
				}
			}
		}
	}
	if len(list) == 0 {
		return no("")
	}
	var bests []choice
	for _, a := range list {
		best := true
		for _, b := range list {
			if b.f == a.f {
				continue
			}
			// Better: the result's conversion first for operators, then the argument's.
			d := b.in.compare(a.in)
			if a.f.converts && b.f.converts && b.after.compare(a.after) != 0 {
				d = b.after.compare(a.after)
			}
			if d == 0 && a.f.args != nil && a.f.from != nil && b.f.from == nil {
				d = -1
			}
			if d < 0 {
				best = false
			}
		}
		if best {
			bests = append(bests, a)
		}
	}
	r := conv{rank: userDefined}
	if len(bests) != 1 {
		for _, a := range bests {
			r.ambiguous = append(r.ambiguous, a.f)
		}
		if len(bests) == 0 {
			for _, a := range list {
				r.ambiguous = append(r.ambiguous, a.f)
			}
		}
		return r
	}
	r.user = bests[0].f
	r.inner = bests[0].in.rank + bests[0].after.rank
	return r
}

// convert makes a value of type to of o, as an initialisation, argument or return does; what names the use.
func (c *checker) convert(o *operand, to typed.Type, what string) typed.Expr {
	if o.list != nil {
		return c.initList(o.pos, to, o.list, false)
	}
	c.needValue(o.pos, o)
	r := c.rankValue(o, to, true)
	if r.rank == impossible {
		if typed.HoldsAtomic(o.T) {
			c.value(o) // says how to read it
		}
		why := r.why
		if why != "" {
			why = ": " + why
		} else if e := c.whyNot(o, to); e != "" {
			why = ": " + e
		}
		c.fail(o.pos, "%s: %s cannot be converted to %s%s", what, o.T, to, why)
	}
	return c.apply(o, to, r)
}

// whyNot gives the library's advice on a conversion of numbers.
func (c *checker) whyNot(o *operand, to typed.Type) string {
	if isStruct(o.T) || isStruct(to) {
		return ""
	}
	_, ok1 := element(o.T).(*typed.Scalar)
	_, ok2 := element(to).(*typed.Scalar)
	if ok1 && ok2 {
		if _, err := stdlib.Convert(constOf(o.pos, o.T, 0), to, true); err == nil {
			return "write " + to.String() + "(…)"
		}
	}
	return ""
}

// apply carries out a conversion that was ranked.
func (c *checker) apply(o *operand, to typed.Type, r conv) typed.Expr {
	if o.list != nil {
		return c.initList(o.pos, to, o.list, false)
	}
	if same(o.T, to) {
		return c.value(o)
	}
	if _, ok := to.(*typed.Pointer); ok && o.null {
		return constOf(o.pos, to, 0)
	}
	if r.rank == userDefined {
		if len(r.ambiguous) > 0 {
			c.fail(o.pos, "the conversion of %s to %s is ambiguous: %s", o.T, to, candidates(r.ambiguous))
		}
		if r.user.converts {
			res := c.call(o.pos, r.user, o, nil)
			return c.convertNumber(c.value(&res), to)
		}
		return c.construct(o.pos, r.user, []operand{*o})
	}
	if r.rank == derived {
		if _, ok := to.(*typed.Pointer); !ok {
			b := c.toBase(*o, to)
			return c.value(&b)
		}
	}
	return c.convertNumber(c.value(ptr(c.decay(*o))), to)
}

func ptr[T any](x T) *T { return &x }

// convertNumber converts what needs no class: numbers, vectors and pointers.
func (c *checker) convertNumber(x typed.Expr, to typed.Type) typed.Expr {
	from := x.ExprType()
	if same(from, to) {
		return x
	}
	if p, ok := to.(*typed.Pointer); ok {
		if _, ok := from.(*typed.Pointer); ok {
			return &typed.PtrConvert{Node: node(x.At(), to), X: x}
		}
		return constOf(x.At(), p, 0)
	}
	if p, ok := from.(*typed.Pointer); ok {
		return &typed.PtrCompare{Node: node(x.At(), boolType), Op: ir.Ne, L: x, R: constOf(x.At(), p, 0)}
	}
	y, err := stdlib.Convert(x, to, false)
	c.check(x.At(), err)
	return fold(y)
}

// fold turns a conversion of a constant into a constant.
func fold(x typed.Expr) typed.Expr {
	switch y := x.(type) {
	case *typed.ConvertExpr:
		k, ok := fold(y.X).(*typed.Const)
		if !ok {
			return x
		}
		from, to := kindOf(k.Type), kindOf(y.Type)
		if from == ir.Void || to == ir.Void {
			return x
		}
		if bits, err := convertBits(from, to, k.Bits); err == nil {
			return constOf(y.Pos, y.Type, bits)
		}
	case *typed.Splat:
		y.X = fold(y.X)
	}
	return x
}

// toBase returns the base part of a derived object.
func (c *checker) toBase(o operand, to typed.Type) operand {
	st := c.structOf(o.T)
	for st != nil && !same(st.t, to) {
		o = c.fieldOf(o.pos, o, st, 0)
		st = st.base
	}
	return o
}

// bind binds a reference of type to to o.
func (c *checker) bind(o *operand, to qual, what string) typed.Place {
	r := c.rank(o, to, true)
	if r.rank == impossible {
		if o.list == nil {
			c.needValue(o.pos, o)
		}
		why := r.why
		if why != "" {
			why = ": " + why
		}
		t := "a list in braces"
		if o.T != nil {
			t = o.describe()
		}
		c.fail(o.pos, "%s: %s cannot be bound to %s%s", what, t, to, why)
	}
	return c.bindRanked(o, to, r)
}

func (c *checker) bindRanked(o *operand, to qual, r conv) typed.Place {
	if o.T != nil && o.P != nil && o.Space == to.space() && !elementOfVector(o.P) {
		if same(o.T, to.T) {
			return c.place(o)
		}
		if c.derives(o.T, to.T) {
			b := c.toBase(*o, to.T)
			return c.place(&b)
		}
	}
	return &typed.TempPlace{X: c.apply(o, to.T, r), Pos: o.pos}
}

// describe writes the operand's type with its space, if it is an lvalue.
func (o *operand) describe() string {
	switch {
	case o.T == nil && o.list != nil:
		return "{…}"
	case o.T == nil:
		return "a function"
	case o.P != nil:
		return qual{T: o.T, Const: o.Const, Space: o.Space, HasSpace: o.Space != ir.Thread}.String()
	}
	return o.T.String()
}

// condition converts o to bool, as if and ?: do.
func (c *checker) condition(o operand, what string) typed.Expr {
	c.needValue(o.pos, &o)
	o = c.decay(o)
	if st := c.structOf(o.T); st != nil {
		r := c.rankUser(&o, boolType, true)
		if r.rank == impossible {
			c.fail(o.pos, "%s: %s is no truth value", what, o.T)
		}
		return c.apply(&o, boolType, r)
	}
	switch t := o.T.(type) {
	case *typed.Scalar, *typed.Pointer:
		return c.convert(&o, boolType, what)
	case *typed.Vector:
		if t.N == 1 {
			return c.convert(&o, boolType, what)
		}
		c.fail(o.pos, "%s: %s has several truth values: write all(…) or any(…)", what, o.T)
	}
	c.fail(o.pos, "%s: %s is no truth value", what, o.T)
	return nil
}
