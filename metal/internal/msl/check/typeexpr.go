package check

import (
	"strconv"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

var spaces = [...]ir.Space{syntax.Device: ir.Device, syntax.Constant: ir.Constant, syntax.Thread: ir.Thread, syntax.Threadgroup: ir.Threadgroup}

// withQuals adds qualifiers to a type.
func (c *checker) withQuals(pos Pos, q qual, quals syntax.Quals) qual {
	q.Const = q.Const || quals.Const
	q.Volatile = q.Volatile || quals.Volatile
	if quals.Outer != syntax.NoSpace {
		c.fail(pos, "%s and %s are two address spaces of what is no pointer: keep one", quals.Outer, quals.Space)
	}
	if quals.Space.Foreign() {
		c.refuse(pos, "the address space "+quals.Space.String(), "kernels here know device, constant, thread and threadgroup")
	}
	if quals.Space != syntax.NoSpace {
		s := spaces[quals.Space]
		if q.HasSpace && q.Space != s {
			c.fail(pos, "a type is in one address space: %s or %s", spaceWord[q.Space], spaceWord[s])
		}
		q.Space, q.HasSpace = s, true
	}
	if q.HasSpace && q.Space == ir.Constant {
		q.Const = true
	}
	return q
}

// typeOf returns the type that is written.
func (c *checker) typeOf(t syntax.TypeExpr) qual {
	c.tick(c.near)
	switch t := t.(type) {
	case *syntax.NameType:
		c.near = t.Pos
		if t.Struct != nil {
			st := c.structDecl(t.Struct)
			return c.withQuals(t.Pos, qual{T: st.t}, t.Quals)
		}
		if t.Enum != nil {
			return c.withQuals(t.Pos, qual{T: c.enumDecl(t.Enum)}, t.Quals)
		}
		r := c.resolve(t.Name)
		if r.typ == nil {
			if r.ent != nil && r.ent.tmpl != nil {
				c.fail(t.Pos, "%s is a template: write its arguments in <…>", nameString(t.Name))
			}
			if r.ent != nil {
				c.fail(t.Pos, "%s is not a type", nameString(t.Name))
			}
			c.undeclared(t.Name, r)
		}
		q := *r.typ
		if q.Ref != noRef && t.Quals.Space != syntax.NoSpace {
			t2 := t.Quals
			t2.Space = syntax.NoSpace
			return c.withQuals(t.Pos, q, t2)
		}
		return c.withQuals(t.Pos, q, t.Quals)
	case *syntax.PointerType:
		e := c.typeOf(t.Elem)
		if e.Func != nil {
			return e
		}
		if e.Auto {
			if e.AutoElem != nil {
				c.fail(t.Pos, "write auto x instead of auto ** x")
			}
			return qual{Auto: true, AutoElem: &e, Const: t.Quals.Const, Volatile: t.Quals.Volatile}
		}
		if e.Ref != noRef {
			c.fail(t.Pos, "there are no pointers to references")
		}
		p := pointerTo(e.T, e.space(), e.Const, e.Volatile)
		return c.withQuals(t.Pos, qual{T: p}, t.Quals)
	case *syntax.RefType:
		e := c.typeOf(t.Elem)
		if e.Func != nil {
			return e
		}
		if isVoid(e.T) && !e.Auto {
			c.fail(t.Pos, "there are no references to void")
		}
		if e.Ref == noRef || !t.RValue {
			e.Ref = lvalueRef
			if t.RValue {
				e.Ref = rvalueRef
			}
		}
		return e
	case *syntax.ArrayType:
		e := c.typeOf(t.Elem)
		if e.Ref != noRef {
			c.fail(t.Pos, "there are no arrays of references")
		}
		if e.Auto || isVoid(e.T) {
			c.fail(t.Pos, "an array needs a type of elements, not %s", e)
		}
		if t.Len == nil {
			// The initialiser or the parameter says how many.
			e.T = &typed.Array{Elem: e.T, Len: 0}
			return e
		}
		n := c.constantInt(t.Len, "the length of an array")
		if n <= 0 {
			c.fail(t.Len.Place(), "the length of an array is at least 1, not %d", n)
		}
		e.T = c.arrayOf(t.Pos, e.T, uint64(n), false)
		return e
	case *syntax.FuncType:
		return c.functionType(t)
	case *syntax.AutoType:
		return c.withQuals(t.Pos, qual{Auto: true}, t.Quals)
	case *syntax.DecltypeType:
		return c.withQuals(t.Pos, c.decltype(t.X), t.Quals)
	}
	c.fail(c.near, "a type is missing here")
	return qual{}
}

// decltype returns the type of an expression: of a name its declared type, of other lvalues a reference.
func (c *checker) decltype(x syntax.Expr) qual {
	c.quiet++
	defer func() { c.quiet-- }()
	o := c.expr(x)
	if o.fns != nil && o.object == nil {
		return qual{T: voidType, Func: c.signatureOf(x.Place(), &o)}
	}
	c.needValue(x.Place(), &o)
	q := qual{T: o.T}
	switch x := x.(type) {
	case *syntax.Ident, *syntax.Member:
		q.Const = o.P != nil && o.Const
		return q
	default:
		_ = x
	}
	if o.P != nil {
		q.Ref, q.Const, q.Space, q.HasSpace = lvalueRef, o.Const, o.Space, true
	}
	return q
}

// signatureOf returns the type of the function that a name means.
func (c *checker) signatureOf(pos Pos, o *operand) *signature {
	f := o.fns[0]
	if len(o.fns) > 1 || f.tparams != nil {
		t, args := c.aliased(pos, ref{name: nameString(o.name), part: o.part, ent: &entity{fns: o.fns}}, nil)
		f = c.instance(pos, t, args)
	}
	s := &signature{result: f.result}
	for _, p := range f.params {
		s.params = append(s.params, p.q)
	}
	return s
}

// targ is an argument of a template: a type, or a value.
type targ struct {
	q    qual // if vt and fn are nil
	bits uint64
	vt   typed.Type
	fn   *function // the value of a parameter that is a function
	// isPack: it is the arguments in pack.
	isPack bool
	pack   []targ
}

func (a targ) String() string {
	switch {
	case a.isPack:
		return argsString(a.pack)
	case a.fn != nil:
		return a.fn.title()
	}
	if a.vt == nil {
		return a.q.String()
	}
	k := kindOf(a.vt)
	switch {
	case k == ir.Bool:
		return strconv.FormatBool(a.bits != 0)
	case isSignedKind(k):
		return strconv.FormatInt(signed(k, a.bits), 10)
	}
	return strconv.FormatUint(a.bits, 10)
}

func argsString(args []targ) string {
	s := ""
	for i, a := range flat(args) {
		if i > 0 {
			s += ", "
		}
		s += a.String()
		if len(s) > maxName {
			return s
		}
	}
	return s
}

// key tells lists of arguments apart, values of several types too.
func (a targ) key() string {
	switch {
	case a.isPack:
		return "(" + argsKey(a.pack) + ")"
	case a.fn != nil:
		return a.fn.signatureString() // overloads are not one
	}
	if a.vt != nil {
		return a.vt.String() + ":" + a.String()
	}
	return a.String()
}

func argsKey(args []targ) string {
	s := ""
	for _, a := range args {
		s += a.key() + ";"
	}
	return s
}

// asType returns the type that a template argument names, if it is one.
func (c *checker) asType(a syntax.TemplateArg) (qual, bool) {
	defer c.enter(a.In)()
	switch {
	case a.Pack:
		c.fail(c.near, "a pack is expanded in a list of arguments alone")
	case a.Type != nil:
		if n, ok := a.Type.(*syntax.NameType); ok && n.Struct == nil && n.Enum == nil && n.Quals == (syntax.Quals{}) {
			r := c.resolve(n.Name)
			if r.typ == nil {
				return qual{}, false
			}
			return *r.typ, true
		}
		return c.typeOf(a.Type), true
	case a.X != nil:
		if id, ok := a.X.(*syntax.Ident); ok {
			r := c.resolve(id.Name)
			if r.typ != nil {
				return *r.typ, true
			}
		}
	}
	return qual{}, false
}

// valueExpr returns the expression of a template argument that is not a type.
func valueExpr(a syntax.TemplateArg) syntax.Expr {
	if a.X != nil {
		return a.X
	}
	if n, ok := a.Type.(*syntax.NameType); ok && n.Name != nil {
		return &syntax.Ident{Pos: n.Pos, Name: n.Name}
	}
	return nil
}

// templateArg evaluates an argument whose parameter is not known.
func (c *checker) templateArg(a syntax.TemplateArg) targ {
	if q, ok := c.asType(a); ok {
		return targ{q: q}
	}
	defer c.forget()()
	defer c.enter(a.In)()
	x := valueExpr(a)
	if x == nil {
		c.fail(c.near, "this argument of a template is neither a type nor a value")
	}
	o := c.expr(x)
	v := c.constant(x.Place(), &o, "an argument of a template")
	return targ{bits: v.bits, vt: o.T}
}

func (c *checker) templateArgs(list []syntax.TemplateArg) ([]stdlib.TArg, []targ) {
	list = c.expandedArgs(list)
	lib := make([]stdlib.TArg, len(list))
	args := make([]targ, len(list))
	for i, a := range list {
		args[i] = c.templateArg(a)
		lib[i] = args[i].library()
	}
	return lib, args
}

func (c *checker) libraryArgs(list []syntax.TemplateArg) []stdlib.TArg {
	lib, _ := c.templateArgs(list)
	return lib
}

func (a targ) library() stdlib.TArg {
	if a.vt == nil {
		return stdlib.TArg{Type: a.q.T}
	}
	bits := a.bits
	return stdlib.TArg{Value: &bits, ValueType: a.vt}
}

// qualTrait is the traits that change or keep what package typed does not know of a type.
func (c *checker) qualTrait(name string, args []targ) (qual, bool) {
	if len(args) != 1 || args[0].vt != nil {
		return qual{}, false
	}
	q := args[0].q
	switch name {
	case "remove_reference_t":
		if q.Ref != noRef {
			q.Ref = noRef
		}
	case "remove_const_t", "remove_cv_t":
		if q.Ref == noRef {
			q.Const = false
			q.Volatile = q.Volatile && name == "remove_const_t"
		}
	case "add_const_t":
		if q.Ref == noRef {
			q.Const = true
		}
	case "decay_t":
		q = q.value()
		if a, ok := q.T.(*typed.Array); ok && !a.Metal {
			return qual{}, false
		}
	default:
		return qual{}, false
	}
	return q, true
}

// check stops with an error of the library.
func (c *checker) check(pos Pos, err error) {
	if err == nil {
		return
	}
	if e, ok := err.(*token.Error); ok { //nolint:errorlint // the library gives it bare
		if e.Pos.Line == 0 {
			n := *e
			n.Pos = pos
			e = &n
		}
		panic(stop{err: e})
	}
	c.fail(pos, "%v", err)
}
