package check

import (
	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// declarations checks a list of declarations, each by itself.
func (c *checker) declarations(list []syntax.Decl) {
	for _, d := range list {
		c.guard(func() { c.declaration(d) })
		if c.fn == nil && c.scope.kind != structScope {
			c.drain(false)
		}
	}
}

// declaration checks one declaration outside a function, or within a class.
func (c *checker) declaration(d syntax.Decl) {
	switch d := d.(type) {
	case *syntax.VarDecl:
		c.global(d)
	case *syntax.FuncDecl:
		f := c.functionDecl(d, nil, nil)
		c.define(f)
		if f != nil && (f.kernel || hasAttr(d, "kernel")) && d.Body != nil {
			f.kernel = true
			c.kernelDecl(f, hostName(d.Attrs, d.Specs.Attrs), append(append([]syntax.Attribute(nil), d.Specs.Attrs...), d.Attrs...))
		}
	case *syntax.StructDecl:
		c.structDecl(d)
	case *syntax.EnumDecl:
		c.enumDecl(d)
	case *syntax.AliasDecl:
		q := c.typeOf(d.Type)
		if q.Auto {
			c.fail(d.Pos, "%s needs a type, not auto", d.Name)
		}
		c.declare(d.Name, &entity{pos: d.Pos, typ: &q})
	case *syntax.TemplateDecl:
		c.templateDecl(d, nil)
	case *syntax.Instantiation:
		c.instantiation(d)
	case *syntax.NamespaceDecl:
		c.namespace(d)
	case *syntax.NamespaceAlias:
		c.namespaceAlias(d)
	case *syntax.UsingDirective:
		c.usingDirective(d)
	case *syntax.UsingDecl:
		c.usingDecl(d)
	case *syntax.StaticAssert:
		c.staticAssert(d)
	case *syntax.PragmaDecl:
		c.pragma(d)
	default:
		c.fail(c.near, "this declaration is not known")
	}
}

func hasAttr(d *syntax.FuncDecl, name string) bool {
	for _, list := range [][]syntax.Attribute{d.Attrs, d.Specs.Attrs} {
		for _, a := range list {
			if a.Name == name {
				return true
			}
		}
	}
	return false
}

func (c *checker) namespace(d *syntax.NamespaceDecl) {
	in := c.scope
	var s *scope
	if d.Name == "" {
		s = &scope{kind: namespaceScope, parent: in}
		in.uses = append(in.uses, s)
	} else if e := in.names[d.Name]; e != nil && e.space != nil {
		s = e.space
	} else {
		s = &scope{kind: namespaceScope, parent: in, name: d.Name}
		c.declare(d.Name, &entity{pos: d.Pos, space: s})
		if d.Name == "metal" && in.kind == fileScope && in.metal { // using namespace metal stood before the source's part of it
			in.uses = append(in.uses, s)
		}
	}
	oldFP := c.fp
	c.scope = s
	c.declarations(d.Decls)
	c.scope = in
	c.fp = oldFP
}

// namespaceAlias declares another name for a namespace. Those of the library are in no scope: their names are looked up by what they are called.
func (c *checker) namespaceAlias(d *syntax.NamespaceAlias) {
	e := &entity{pos: d.Pos, lib: nameString(d.Of)}
	own, _ := c.lookup("metal")
	if own != nil || d.Of.Parts[0].Ident != "metal" || len(d.Of.Parts) > 1 {
		r := c.resolve(d.Of)
		switch {
		case r.ent != nil && r.ent.space != nil:
			e = &entity{pos: d.Pos, space: r.ent.space}
		case r.lib == "fast" || r.lib == "precise":
			e.lib = r.lib
		case featureOf(r.lib) != "":
			c.refuse(d.Pos, featureOf(r.lib), "")
		default:
			c.fail(d.Pos, "%s is not a namespace", nameString(d.Of))
		}
	}
	if old := c.scope.names[d.Name]; old != nil && old.space == e.space && old.lib == e.lib {
		return
	}
	c.declare(d.Name, e)
}

func (c *checker) usingDirective(d *syntax.UsingDirective) {
	n := *d.Name
	if len(n.Parts) > 1 && n.Parts[0].Ident == "metal" {
		if f := features[n.Parts[1].Ident]; f != "" {
			c.refuse(d.Pos, f, "")
		}
	}
	if len(n.Parts) > 0 && n.Parts[0].Ident == "metal" {
		if e, _ := c.lookup("metal"); e == nil {
			c.scope.metal = true
			return
		}
	}
	r := c.resolve(&n)
	if r.ent == nil || r.ent.space == nil {
		if f := featureOf(r.lib); f != "" {
			c.refuse(d.Pos, f, "")
		}
		c.fail(d.Pos, "%s is not a namespace", nameString(d.Name))
	}
	if r.ent.space != c.scope {
		c.scope.uses = append(c.scope.uses, r.ent.space)
	}
	if r.name == "metal" {
		c.scope.metal = true
	}
}

func (c *checker) usingDecl(d *syntax.UsingDecl) {
	r := c.resolve(d.Name)
	switch {
	case r.ent == nil && r.typ == nil && featureOf(r.lib) != "":
		c.refuse(d.Pos, featureOf(r.lib), "")
	case r.typ != nil && r.ent == nil:
		c.declare(r.name, &entity{pos: d.Pos, typ: r.typ})
	case r.ent != nil:
		e := *r.ent
		if old := c.scope.names[r.name]; old == r.ent {
			return
		}
		e.fns = append([]*function(nil), e.fns...)
		c.declare(r.name, &e)
	case r.lib != "" && (stdlib.IsFunction(r.lib) || c.isConstant(r.lib)):
		c.declare(r.name, &entity{pos: d.Pos, lib: r.lib})
	case r.lib != "" && r.open:
		// A template of the library: its names are found by themselves.
		c.scope.set(r.name, &entity{pos: d.Pos, lib: r.lib})
	default:
		c.undeclared(d.Name, r)
	}
}

func (c *checker) staticAssert(d *syntax.StaticAssert) {
	defer c.forget()()
	o := c.rvalue(d.X)
	x := c.condition(o, "static_assert")
	y := valueOf(x)
	if v := c.constant(d.X.Place(), &y, "what static_assert claims"); v.bits == 0 {
		if d.Msg != "" {
			c.fail(d.Pos, "static_assert failed: %s", d.Msg)
		}
		c.fail(d.Pos, "static_assert failed")
	}
}

// global declares a variable outside functions.
func (c *checker) global(d *syntax.VarDecl) {
	if d.Name == nil || len(d.Name.Parts) == 0 {
		c.fail(d.Pos, "a variable needs a name")
	}
	if len(d.Name.Parts) > 1 {
		// The definition of a static member says nothing new.
		n := *d.Name
		if r := c.resolve(&n); r.ent == nil || r.ent.variable == nil {
			c.fail(d.Pos, "%s is not a static member", nameString(d.Name))
		}
		return
	}
	name := d.Name.Parts[0].Ident
	q := c.typeOf(d.Type)
	c.notFunction(d.Pos, q)
	for _, list := range [][]syntax.Attribute{d.Attrs, d.Specs.Attrs} {
		for i := range list {
			if list[i].Name == "function_constant" {
				c.functionConstant(d, name, q, &list[i])
				return
			}
			if _, ok := stdlib.KernelAttribute(list[i].Name); ok {
				c.refuse(list[i].Pos, "positions of threads outside parameters", "make it a parameter of the kernel")
			}
		}
	}
	switch {
	case q.HasSpace && q.Space == ir.Threadgroup:
		c.fail(d.Pos, "%s is in threadgroup: declare it within a kernel", name)
	case q.HasSpace && q.Space == ir.Device:
		c.fail(d.Pos, "%s is in device: only buffers are; pass it as a parameter", name)
	case q.Ref != noRef:
		c.refuse(d.Pos, "references outside functions", "")
	case !d.Specs.Constexpr && !(q.HasSpace && q.Space == ir.Constant):
		if q.Const {
			c.fail(d.Pos, "%s is outside functions, where variables are in constant: write constant in front", name)
		}
		c.fail(d.Pos, "%s is outside functions, where there are constants only: write constant in front", name)
	}
	if c.externConstant(d, name, q) {
		return
	}
	v := &variable{constexpr: d.Specs.Constexpr, v: &typed.Var{Name: c.scope.path() + name, Const: true, Volatile: q.Volatile, Space: ir.Constant, Pos: d.Pos}}
	if !q.Auto {
		v.v.Type = q.T
	}
	v.lazy = &lazyVar{decl: d, q: q, scope: c.scope, fp: c.fp}
	c.declare(name, &entity{pos: d.Pos, variable: v})
	c.settle(v)
}

// externConstant declares a constant that is defined further below, or defines one that was declared so. It reports whether d does one of the two.
func (c *checker) externConstant(d *syntax.VarDecl, name string, q qual) bool {
	defines := !d.Specs.Extern || d.Init != nil || d.Ctor
	e := c.scope.names[name]
	if e == nil || e.variable == nil || defines && (!e.variable.extern || e.variable.v.Global != nil) {
		if !defines {
			v := &variable{extern: true, v: &typed.Var{Name: c.scope.path() + name, Const: true, Volatile: q.Volatile, Space: ir.Constant, Pos: d.Pos, Type: c.sized(d.Pos, q.T)}}
			c.declare(name, &entity{pos: d.Pos, variable: v})
			c.externs = append(c.externs, v)
		}
		return !defines
	}
	v := e.variable
	if q.Auto || !same(v.v.Type, q.T) || v.v.Volatile != q.Volatile {
		c.fail(d.Pos, "%s is of another type than its declaration at %s", name, v.v.Pos)
	}
	if defines {
		v.constexpr = d.Specs.Constexpr
		v.lazy = &lazyVar{decl: d, q: q, scope: c.scope, fp: c.fp}
		c.settle(v)
	}
	return true
}

// functionConstant declares a constant that the host sets.
func (c *checker) functionConstant(d *syntax.VarDecl, name string, q qual, a *syntax.Attribute) {
	if d.Init != nil || d.Ctor {
		c.fail(d.Pos, "%s is set by the host, and cannot have an initialiser", name)
	}
	if !q.HasSpace || q.Space != ir.Constant {
		c.fail(d.Pos, "%s is a function constant: write constant in front", name)
	}
	n := 1
	t, ok := q.T.(*typed.Scalar)
	if v, is := q.T.(*typed.Vector); is && !v.Packed && v.N > 1 {
		t, n, ok = v.Elem, v.N, true
	}
	if !ok || t.Enum {
		c.fail(d.Pos, "a function constant is a scalar or a vector, not %s", q.T)
	}
	if len(a.Args) != 1 {
		c.fail(a.Pos, "function_constant needs the index: [[function_constant(0)]]")
	}
	i := c.constantInt(a.Args[0], "the index of a function constant")
	if i < 0 || i > 65535 {
		c.fail(a.Pos, "the index of a function constant is 0 to 65535, not %d", i)
	}
	for _, k := range c.constants {
		if k.Index == int(i) {
			c.fail(a.Pos, "function constant %d is %s already, at %s", i, k.Name, k.Pos)
		}
	}
	k := &typed.FunctionConstant{Name: name, Index: int(i), Type: t, N: n, Pos: d.Pos}
	c.declare(name, &entity{pos: d.Pos, constant: k})
	c.constants = append(c.constants, k)
}

// constantValue is the value of a function constant.
func constantValue(pos Pos, k *typed.FunctionConstant) typed.Expr {
	if k.N == 1 {
		return &typed.ConstantRef{Node: node(pos, k.Type), Constant: k}
	}
	v := &typed.MakeVector{Node: node(pos, stdlib.VectorOf(k.Type, k.N))}
	for i := range k.N {
		v.Elems = append(v.Elems, &typed.ConstantRef{Node: node(pos, k.Type), Constant: k, Elem: i})
	}
	return v
}

// settle evaluates a program-scope constant or static member when it is first used.
func (c *checker) settle(v *variable) {
	l := v.lazy
	if l == nil || v.checking {
		return
	}
	old := c.state
	defer func() {
		c.state = old
		v.checking = false
	}()
	v.checking = true
	if v.failed != nil {
		again(v.failed)
	}
	if c.depth >= maxDepth {
		c.failHard(v.v.Pos, "%s: constants need one another more than %d deep", v.v.Name, maxDepth)
	}
	c.state = state{scope: l.scope, fp: l.fp, depth: old.depth + 1, near: v.v.Pos}
	defer func() {
		if r := recover(); r != nil {
			if s, ok := r.(stop); ok {
				v.failed = s.err
			}
			panic(r)
		}
	}()
	c.initConstant(v, l)
	v.lazy = nil
}

// initConstant evaluates the initialiser of a constant.
func (c *checker) initConstant(v *variable, l *lazyVar) {
	d := l.decl
	if d.Init == nil && !d.Ctor {
		if v.v.Type != nil && c.needsInit(c.sized(d.Pos, v.v.Type)) {
			c.setKnown(v, c.defaultValue(d.Pos, v.v.Type), l)
			return
		}
		c.fail(d.Pos, "%s is a constant and needs an initialiser", v.v.Name)
	}
	var x typed.Expr
	if l.q.Auto {
		if d.Init == nil {
			c.fail(d.Pos, "%s needs an initialiser to know what auto is", v.v.Name)
		}
		o := c.rvalue(d.Init)
		o = c.decay(o)
		x = c.value(&o)
	} else {
		x = c.initialise(d.Pos, v.v.Type, d.Init, d.Ctor, d.Args, "the initialiser of "+v.v.Name)
	}
	v.v.Type = x.ExprType() // an array's length may come from the list
	c.setKnown(v, x, l)
}

// setKnown stores the value of a constant, which may hang on function constants.
func (c *checker) setKnown(v *variable, x typed.Expr, l *lazyVar) {
	if v.v.Type.Size() > maxConstant {
		c.fail(v.v.Pos, "%s has more than %d bytes", v.v.Name, maxConstant)
	}
	v.v.Global = x
	c.initialisers = append(c.initialisers, x)
	val, err := c.evaluate(x)
	if err == nil {
		v.v.Global = c.tree(val, v.v.Type, v.v.Pos)
		if !v.v.Volatile {
			v.known = v.v.Global
		}
		return
	}
	if !v.constexpr && ofConstants(x) {
		return
	}
	c.fail(v.v.Pos, "the initialiser of %s is not known when compiling: %s (at %s)", v.v.Name, err.Msg, err.Pos)
}

// ofConstants reports whether a value depends on nothing but constants and function constants.
func ofConstants(x typed.Expr) bool {
	switch x := x.(type) {
	case *typed.Const, *typed.Zero, *typed.ConstantRef:
		return true
	case *typed.LoadExpr:
		p, ok := x.X.(*typed.VarPlace)
		return ok && p.Var.Global != nil && !p.Var.Volatile
	case *typed.Unary, *typed.Binary, *typed.Ternary, *typed.ConvertExpr, *typed.Splat, *typed.BitcastExpr, *typed.CondExpr, *typed.Logical,
		*typed.MakeVector, *typed.SwizzleExpr, *typed.IndexExpr, *typed.Aggregate:
		all := true
		typed.EachPart(x, func(part any) { all = all && ofConstants(part.(typed.Expr)) })
		return all
	}
	return false
}

// evalError is an expression that is not constant.
type evalError = token.Error
