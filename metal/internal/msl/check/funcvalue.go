package check

import (
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// A function is the value of a template's parameter, and its type has a name in a typedef. There are no pointers to functions in what a kernel
// holds: every call is of a function that is known when compiling.

// signature is the type of a function.
type signature struct {
	params []qual
	result qual
}

// functionType returns the type of functions that is written. Pointers and references to it are the same to a template.
func (c *checker) functionType(t *syntax.FuncType) qual {
	s := &signature{result: c.typeOf(t.Result).value()}
	if r := c.typeOf(t.Result); r.Ref != noRef {
		s.result = r
	}
	for _, p := range t.Params {
		q := c.typeOf(p.Type)
		if isVoid(q.T) && q.Func == nil && p.Name == "" && len(t.Params) == 1 {
			break
		}
		s.params = append(s.params, c.param(p, q).q)
	}
	return qual{T: voidType, Func: s}
}

// notFunction refuses variables that would hold functions.
func (c *checker) notFunction(pos Pos, q qual) {
	if q.Func != nil {
		c.refuse(pos, "function pointers", "give the function to a template, as in template <"+q.String()+"> or as a struct with operator()")
	}
}

// has reports whether f is a function of the type.
func (s *signature) has(f *function) bool {
	if len(s.params) != len(f.params) || !same(s.result.T, f.result.T) || s.result.Ref != f.result.Ref {
		return false
	}
	for i, q := range s.params {
		p := f.params[i].q
		if !same(p.T, q.T) || p.Ref != q.Ref || q.Ref != noRef && (p.Const != q.Const || p.space() != q.space()) {
			return false
		}
	}
	return true
}

// bindFunction finds the function that is the value of a template's parameter.
func (c *checker) bindFunction(pos Pos, name string, p *syntax.TemplateParam, a syntax.TemplateArg, want qual) targ {
	x := valueExpr(a)
	for {
		if u, ok := x.(*syntax.Unary); ok && u.Op == "&" {
			x = u.X
		} else if u, ok := x.(*syntax.Paren); ok {
			x = u.X
		} else {
			break
		}
	}
	id, ok := x.(*syntax.Ident)
	if !ok {
		c.fail(pos, "the template argument %s of %s is the name of a function of type %s", p.Name, name, want)
	}
	o := c.ident(id.Pos, id.Name)
	switch {
	case o.fns == nil && o.lib != "":
		c.refuse(id.Pos, "functions of the library as template arguments", "write a function that calls "+nameString(id.Name))
	case o.missing != nil:
		c.undeclared(id.Name, *o.missing)
	case o.fns == nil:
		c.fail(id.Pos, "the template argument %s of %s is the name of a function of type %s", p.Name, name, want)
	}
	var found *function
	for _, f := range o.fns {
		if f.tparams == nil && want.Func.has(f) && (o.part == nil || !o.part.HasArgs) {
			found = f
		}
	}
	if found == nil {
		g := &function{name: nameString(id.Name), pos: id.Pos, result: want.Func.result}
		for _, q := range want.Func.params {
			g.params = append(g.params, param{q: q, pos: id.Pos})
		}
		err := c.attempt(func() {
			f, args := c.matching(id.Pos, o.fns, o.part, g)
			found = c.instance(id.Pos, f, args)
		})
		if err != nil {
			c.fail(id.Pos, "no %s is a function of type %s; candidates: %s", nameString(id.Name), want, candidates(o.fns))
		}
	}
	if found.st != nil && !found.static {
		c.refuse(id.Pos, "pointers to members", "write a static method, or a function")
	}
	return targ{fn: found}
}

// String writes the type as in the source.
func (s *signature) String() string {
	text := s.result.String() + "("
	for i, q := range s.params {
		if i > 0 {
			text += ", "
		}
		text += q.String()
	}
	return text + ")"
}

// conversions returns the conversion operators of an object that are called by name, as in x.operator float().
func (c *checker) conversions(pos Pos, o operand, part *syntax.NamePart) operand {
	q := c.typeOf(part.Converts)
	st := c.structOf(o.T)
	if st == nil {
		c.fail(pos, "%s has no conversion operators", o.T)
	}
	c.complete(pos, st)
	r := operand{pos: pos, object: ptr(o), name: &syntax.Name{Pos: pos, Parts: []syntax.NamePart{{Pos: pos, Ident: "operator " + q.String()}}}}
	for s := st; s != nil && r.fns == nil; s = s.base {
		for _, f := range s.convs {
			if f.tparams != nil {
				f = c.deduceResult(f, q.T)
			}
			if f != nil && same(f.result.T, q.T) && f.result.Ref == q.Ref {
				r.fns = append(r.fns, f)
			}
		}
	}
	if r.fns == nil {
		c.fail(pos, "%s has no conversion operator to %s", o.T, q)
	}
	return r
}

// memberSpecialisation gives a method or static member of an instance of a class template a definition of its own, as in
// template <> float Reader<half>::load() const {…}, and reports whether d is such a declaration.
func (c *checker) memberSpecialisation(d *syntax.FuncDecl) bool {
	if d.Name == nil || len(d.Name.Parts) < 2 {
		return false
	}
	n := *d.Name
	last := n.Parts[len(n.Parts)-1]
	n.Parts = n.Parts[:len(n.Parts)-1]
	r := c.resolve(&n)
	if r.typ == nil || c.structOf(r.typ.T) == nil || last.HasArgs {
		return false
	}
	st := c.structOf(r.typ.T)
	c.complete(d.Pos, st)
	old := c.scope
	c.scope = st.scope
	defer func() { c.scope = old }()
	d2 := *d
	d2.Name = &syntax.Name{Pos: last.Pos, Parts: []syntax.NamePart{last}}
	d2.Ctor = last.Ident == st.plain
	g := c.newFunction(&d2, nil, st)
	list := c.overloads(last.Ident)
	switch {
	case g.ctor:
		list = st.ctors
	case g.converts:
		list = st.convs
	}
	c.signature(g)
	for _, f := range list {
		if f.tparams != nil {
			if len(list) == 1 {
				return false
			}
			continue
		}
		if !sameSignature(f, g) {
			continue
		}
		if f.state != unchecked {
			c.fail(d.Pos, "%s is specialised after it was used or defined at %s", f.title(), f.pos)
		}
		g.static = f.static
		g.makeTyped()
		f.decl, f.pos, f.params, f.this, f.constexpr = &d2, d.Pos, g.params, g.this, f.constexpr || d.Specs.Constexpr
		f.tf.Params, f.tf.Pos = g.tf.Params, d.Pos
		c.define(f)
		return true
	}
	c.fail(d.Pos, "%s has no method %s; candidates: %s", st.t, g.signatureString(), candidates(list))
	return false
}

// maker returns the function that makes an aggregate of those of its members that are not nil: the initialisers of the others may use them.
func (c *checker) maker(st *structInfo, elems []typed.Expr) *function {
	key := ""
	for i := range st.fields {
		if given(elems, i) {
			key += "+"
		} else {
			key += "-"
		}
	}
	if f := st.makers[key]; f != nil {
		return f
	}
	f := &function{name: st.plain, pos: st.pos, st: st, ctor: true, constexpr: true, thisSpace: ir.Thread, scope: st.scope, fp: st.fp, result: qual{T: voidType}, depth: c.depth}
	for i := range st.fields {
		if given(elems, i) {
			f.params = append(f.params, param{q: qual{T: st.t.Fields[i].Type}, pos: st.fields[i].pos})
		}
	}
	f.makeTyped()
	c.funcs[f.tf] = f
	f.synth = func() {
		b := &typed.Block{}
		this := &typed.VarPlace{Var: f.this, Pos: st.pos}
		params := f.tf.Params[1:]
		for i := range st.fields {
			x := typed.Expr(nil)
			if key[i] == '+' {
				x = &typed.LoadExpr{Node: node(st.pos, st.t.Fields[i].Type), X: &typed.VarPlace{Var: params[0], Pos: st.pos}}
				params = params[1:]
			} else {
				x = c.memberRest(st.pos, st, i)
			}
			b.Stmts = append(b.Stmts, c.assignField(this, i, x))
		}
		f.tf.Body = b
	}
	if st.makers == nil {
		st.makers = map[string]*function{}
	}
	st.makers[key] = f
	return f
}

// given reports whether a member of an aggregate has a value of its own.
func given(elems []typed.Expr, i int) bool { return i < len(elems) && elems[i] != nil }

// usesMembers reports whether the initialiser of one of the members that elems does not give names other members.
func (st *structInfo) usesMembers(elems []typed.Expr) bool {
	found := false
	f := func(name string, _ bool) {
		e := st.find(name)
		found = found || name == "this" || e != nil && (e.owner != nil || len(e.fns) > 0 && !e.fns[0].static)
	}
	for i := range st.fields {
		if d := st.fields[i].decl; d != nil && !given(elems, i) {
			walkExpr(d.Init, f)
			for _, a := range d.Args {
				walkExpr(a, f)
			}
		}
	}
	return found
}

// noDefault is the value of a member for which nothing is written.
func (c *checker) noDefault(pos Pos, st *structInfo, i int) typed.Expr {
	if st.fields[i].ref != nil {
		c.fail(pos, "the member %s of %s is a reference, and is bound when the object is made", st.t.Fields[i].Name, st.t)
	}
	return &typed.Zero{Node: node(pos, st.t.Fields[i].Type)}
}

// refTo binds a member that is a reference: its value is the address.
func (c *checker) refTo(o *operand, st *structInfo, i int) typed.Expr {
	q := *st.fields[i].ref
	what := "the reference " + st.t.Fields[i].Name
	if o.list != nil && len(o.list.Args) == 1 {
		o = ptr(c.rvalue(o.list.Args[0]))
	}
	p := operand{pos: o.pos, T: q.T, P: c.bind(o, q, what), Const: q.Const, Volatile: q.Volatile, Space: q.space()}
	if _, temp := p.P.(*typed.TempPlace); temp {
		c.fail(o.pos, "%s would be bound to a temporary, which ends before it", what)
	}
	x := c.addressOf(o.pos, &p)
	if t := st.t.Fields[i].Type; !same(x.ExprType(), t) {
		x = &typed.PtrConvert{Node: node(o.pos, t), X: x}
	}
	return x
}

// hasRef reports whether a member of st, or of what it derives from, is a reference.
func (st *structInfo) hasRef() bool {
	for ; st != nil; st = st.base {
		for _, f := range st.fields {
			if f.ref != nil {
				return true
			}
		}
	}
	return false
}
