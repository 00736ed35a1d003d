package check

import (
	"fmt"
	"strings"

	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

type templateKind uint8

const (
	structTemplate templateKind = iota
	aliasTemplate
	variableTemplate
)

// template is a template of a class, alias or variable. Templates of functions are functions.
type template struct {
	kind   templateKind
	name   string
	pos    Pos
	params []*syntax.TemplateParam
	scope  *scope
	fp     ir.FP
	st     *structInfo // class around

	decl  *syntax.StructDecl
	alias *syntax.AliasDecl
	v     *syntax.VarDecl

	partials  []*partial
	instances map[string]*structInfo
	variables map[string]*variable
	aliases   map[string]qual
}

// partial is a specialisation; without parameters, an explicit one of a variable template.
type partial struct {
	params []*syntax.TemplateParam
	args   []syntax.TemplateArg
	decl   *syntax.StructDecl
	v      *syntax.VarDecl
	scope  *scope
	fp     ir.FP
	pos    Pos
}

// templateDecl declares a template.
func (c *checker) templateDecl(d *syntax.TemplateDecl, st *structInfo) {
	for _, p := range d.Params {
		if p.Template {
			c.refuse(p.Pos, "template template parameters", "")
		}
	}
	if len(d.Params) == 0 {
		c.specialise(d, st)
		return
	}
	declare := func(t *template) {
		for _, p := range d.Params[:len(d.Params)-1] {
			if p.Pack {
				c.fail(p.Pos, "the pack %s of %s is its last parameter", p.Name, t.name)
			}
		}
		t.params, t.scope, t.fp, t.st = d.Params, c.scope, c.fp, st
		t.instances, t.variables, t.aliases = map[string]*structInfo{}, map[string]*variable{}, map[string]qual{}
		c.declare(t.name, &entity{pos: t.pos, tmpl: t})
	}
	switch in := d.Decl.(type) {
	case *syntax.FuncDecl:
		c.functionDecl(in, d.Params, st)
	case *syntax.StructDecl:
		if in.Name == nil || len(in.Name.Parts) != 1 {
			c.fail(d.Pos, "a class template needs a name")
		}
		part := in.Name.Parts[0]
		old := c.scope.names[part.Ident]
		if part.HasArgs {
			if old == nil {
				if old, _ = c.lookup(part.Ident); old == nil {
					old = c.libraryClass(part.Ident)
				}
			}
			if old == nil || old.tmpl == nil || old.tmpl.kind != structTemplate {
				c.fail(d.Pos, "%s is not a class template declared here", part.Ident)
			}
			old.tmpl.partials = append(old.tmpl.partials, &partial{params: d.Params, args: part.Args, decl: in, scope: c.scope, fp: c.fp, pos: d.Pos})
			return
		}
		if old != nil && old.tmpl != nil && old.tmpl.kind == structTemplate {
			t := old.tmpl
			if in.Defined {
				if t.decl.Defined {
					c.fail(d.Pos, "%s is defined twice; the first time at %s", t.name, t.pos)
				}
				params := copied(d.Params)
				for i := range params {
					if i < len(t.params) && params[i].Default == nil {
						params[i].Default = t.params[i].Default
					}
				}
				t.decl, t.params, t.pos, t.fp = in, params, in.Pos, c.fp
			}
			return
		}
		declare(&template{kind: structTemplate, name: part.Ident, pos: in.Pos, decl: in})
	case *syntax.AliasDecl:
		declare(&template{kind: aliasTemplate, name: in.Name, pos: in.Pos, alias: in})
	case *syntax.VarDecl:
		if in.Name == nil || len(in.Name.Parts) != 1 {
			c.fail(d.Pos, "a variable template needs a name")
		}
		part := in.Name.Parts[0]
		if part.HasArgs {
			if e := c.scope.names[part.Ident]; e != nil && e.tmpl != nil && e.tmpl.kind == variableTemplate {
				e.tmpl.partials = append(e.tmpl.partials, &partial{params: d.Params, args: part.Args, v: in, scope: c.scope, fp: c.fp, pos: d.Pos})
				return
			}
		}
		declare(&template{kind: variableTemplate, name: part.Ident, pos: in.Pos, v: in})
	case *syntax.TemplateDecl:
		c.refuse(d.Pos, "templates of methods outside their class", "define it within the class")
	default:
		c.fail(d.Pos, "there are templates of functions, classes, aliases and variables only")
	}
}

// specialise declares template <> …
func (c *checker) specialise(d *syntax.TemplateDecl, st *structInfo) {
	switch in := d.Decl.(type) {
	case *syntax.StructDecl:
		if in.Name == nil || len(in.Name.Parts) != 1 || !in.Name.Parts[0].HasArgs {
			c.fail(d.Pos, "a specialisation of a class needs its arguments in <…>")
		}
		part := in.Name.Parts[0]
		e, _ := c.lookup(part.Ident)
		if e == nil {
			e = c.libraryClass(part.Ident)
		}
		if e == nil || e.tmpl == nil || e.tmpl.kind != structTemplate {
			c.fail(d.Pos, "%s is not a class template", part.Ident)
		}
		args, _ := c.bindParams(d.Pos, e.tmpl.name, e.tmpl.params, part.Args, e.tmpl.scope)
		key := argsKey(args)
		if s := e.tmpl.instances[key]; s != nil {
			if s.decl != nil {
				c.fail(d.Pos, "%s is specialised after it was used or defined at %s", s.t, s.pos)
			}
			// It was only named, or declared as a specialisation.
			s.tmpl, s.special, s.scope.parent, s.fp = nil, e.tmpl, c.scope, c.fp
			if in.Defined {
				s.decl, s.pos = in, in.Pos
				s.t.Union = in.Kind == "union"
				c.complete(d.Pos, s)
			}
			return
		}
		old := c.scope
		c.scope = e.tmpl.scope
		s := c.newStruct(in.Pos, part.Ident+"<"+argsString(args)+">", part.Ident, in)
		c.scope = old
		s.scope.parent = c.scope
		s.args = args
		s.special = e.tmpl
		e.tmpl.instances[key] = s
		if in.Defined {
			c.complete(d.Pos, s)
		} else {
			s.decl = nil
		}
	case *syntax.FuncDecl:
		if in.Name == nil || len(in.Name.Parts) == 0 {
			c.fail(d.Pos, "a specialisation needs a name")
		}
		if c.memberSpecialisation(in) {
			return
		}
		part := &in.Name.Parts[len(in.Name.Parts)-1]
		r := c.resolve(in.Name)
		if r.ent == nil || r.ent.fns == nil {
			c.fail(d.Pos, "%s is not a function template", nameString(in.Name))
		}
		g := c.newFunction(in, nil, r.st)
		c.signature(g)
		f, args := c.matching(d.Pos, r.ent.fns, part, g)
		key := argsKey(args)
		if h := f.instances[key]; h != nil && h.hasBody() && (h.state != unchecked || h.decl != f.decl) {
			c.fail(d.Pos, "%s is specialised after it was used or defined", h.title())
		}
		g.from, g.args = f, args
		g.tf.Name = g.title()
		if f.instances == nil {
			f.instances = map[string]*function{}
		}
		f.instances[key] = g
		c.define(g)
	case *syntax.VarDecl:
		if in.Name != nil && len(in.Name.Parts) == 1 {
			if e, _ := c.lookup(in.Name.Parts[0].Ident); e != nil && e.tmpl != nil && e.tmpl.kind == variableTemplate {
				e.tmpl.partials = append(e.tmpl.partials, &partial{args: in.Name.Parts[0].Args, v: in, scope: c.scope, fp: c.fp, pos: d.Pos})
				return
			}
		}
		if in.Name != nil && len(in.Name.Parts) > 1 {
			if r := c.resolve(in.Name); r.ent != nil && r.ent.variable != nil {
				v := r.ent.variable
				if v.lazy == nil || v.checking {
					c.fail(d.Pos, "%s is specialised after it was used", v.v.Name)
				}
				v.lazy = &lazyVar{decl: in, q: c.typeOf(in.Type), scope: v.lazy.scope, fp: c.fp}
				v.v.Pos, v.constexpr = in.Pos, v.constexpr || in.Specs.Constexpr
				return
			}
		}
		c.fail(d.Pos, "this is not a variable template")
	default:
		_ = st
		c.fail(d.Pos, "only functions, classes and variables are specialised")
	}
}

// matching finds the template, and its arguments, of which g is a specialisation or instantiation.
func (c *checker) matching(pos Pos, fns []*function, part *syntax.NamePart, g *function) (*function, []targ) {
	var best *function
	var bestArgs []targ
	for _, f := range fns {
		params := f.decl.Params
		n := len(params)
		variadic := n > 0 && params[n-1].Pack
		if f.tparams == nil || n != len(g.params) && !(len(g.params) == 0 && n == 1) && !(variadic && len(g.params) >= n-1) {
			continue
		}
		d := c.newDeduction(f)
		if !d.explicit(part) {
			continue
		}
		match := func(t syntax.TypeExpr, p param) bool {
			q := p.q
			q.HasSpace = q.HasSpace || q.Ref != noRef
			if r, is := t.(*syntax.RefType); is {
				if q.Ref == noRef {
					return false
				}
				t = r.Elem
				q.Ref = noRef
			} else if q.Ref == noRef {
				q = q.value()
			}
			if a, is := t.(*syntax.ArrayType); is {
				t = &syntax.PointerType{Elem: a.Elem}
			}
			return d.match(t, q)
		}
		ok := true
		for i, p := range params {
			switch {
			case p.Pack:
				rest := g.params[min(i, len(g.params)):]
				ok = ok && d.packMatch(d.packIndexes(func(f visit) { walkType(p.Type, f) }), len(rest), func(j int) bool { return match(p.Type, rest[j]) })
			case i < len(g.params) && d.mentions(p.Type):
				ok = ok && match(p.Type, g.params[i])
			}
		}
		if !ok {
			continue
		}
		args, good := d.finish(pos)
		if !good {
			continue
		}
		h := c.tryInstance(pos, f, args)
		if h == nil || !sameParams(h, g) || !same(h.result.T, g.result.T) && !h.result.Auto {
			continue
		}
		if best == nil || weight(f).above(weight(best)) {
			best, bestArgs = f, args
		}
	}
	if best == nil {
		c.fail(pos, "%s fits no template; candidates: %s", g.signatureString(), candidates(fns))
	}
	return best, bestArgs
}

func sameParams(f, g *function) bool {
	if len(f.params) != len(g.params) {
		return false
	}
	for i := range f.params {
		a, b := f.params[i].q, g.params[i].q
		if !same(a.T, b.T) || (a.Ref == noRef) != (b.Ref == noRef) || a.Ref != noRef && (a.Const != b.Const || a.space() != b.space()) {
			return false
		}
	}
	return true
}

// bindParams binds given arguments, and defaults, to the parameters of a template; the scope holds them.
func (c *checker) bindParams(pos Pos, name string, params []*syntax.TemplateParam, given []syntax.TemplateArg, in *scope) ([]targ, *scope) {
	given = c.expandedArgs(given)
	if len(given) > len(params) && !(len(params) > 0 && params[len(params)-1].Pack) {
		c.fail(pos, "%s takes %d template arguments, not %d", name, len(params), len(given))
	}
	inner := &scope{kind: templateScope, parent: in}
	args := make([]targ, len(params))
	for i, p := range params {
		if p.Pack {
			args[i].isPack = true
			for _, a := range given[min(i, len(given)):] {
				args[i].pack = append(args[i].pack, c.bindParam(pos, name, p, a, inner))
			}
		} else if i < len(given) {
			args[i] = c.bindParam(pos, name, p, given[i], inner)
		} else {
			args[i] = c.bindDefault(pos, name, p, inner)
		}
		bindName(inner, p, args[i])
	}
	return args, inner
}

func (c *checker) bindDefault(pos Pos, name string, p *syntax.TemplateParam, inner *scope) targ {
	if p.Default == nil {
		c.fail(pos, "%s needs an argument for its template parameter %s", name, p.Name)
	}
	old := c.scope
	c.scope = inner
	defer func() { c.scope = old }()
	return c.bindParam(pos, name, p, *p.Default, inner)
}

// bindParam evaluates one argument in the present scope; the type of a value parameter is looked up in inner.
func (c *checker) bindParam(pos Pos, name string, p *syntax.TemplateParam, a syntax.TemplateArg, inner *scope) targ {
	defer c.enter(a.In)()
	if p.Type == nil {
		q, ok := c.asType(a)
		if !ok {
			if id, is := valueExpr(a).(*syntax.Ident); is {
				if r := c.resolve(id.Name); r.ent == nil && r.typ == nil && !r.trait {
					c.undeclared(id.Name, r)
				}
			}
			if p.Name == "" {
				c.fail(pos, "a template argument of %s is not a type", name)
			}
			c.fail(pos, "the template argument %s of %s is a type, and this is none", p.Name, name)
		}
		return targ{q: q}
	}
	x := valueExpr(a)
	if x == nil {
		c.fail(pos, "the template argument %s of %s is a value, and this is a type", p.Name, name)
	}
	want := c.paramType(p, inner)
	if want.Func != nil {
		return c.bindFunction(pos, name, p, a, want)
	}
	t := want.T
	defer c.forget()()
	o := c.expr(x)
	if t == nil { // auto
		c.needValue(pos, &o)
		t = o.T
	}
	if k := kindOf(t); !isIntKind(k) {
		c.fail(pos, "a template parameter that is a value has an integer type, not %s", t)
	}
	if c.scoped(o.T) != c.scoped(t) {
		c.fail(pos, "the template argument %s of %s has type %s, not %s", p.Name, name, t, o.T)
	}
	y := operand{pos: x.Place(), T: t, X: c.convert(&o, t, "a template argument")}
	return targ{bits: c.constant(x.Place(), &y, "a template argument").bits, vt: t}
}

// paramType returns the type of a value parameter; T is nil for auto.
func (c *checker) paramType(p *syntax.TemplateParam, inner *scope) qual {
	old := c.scope
	c.scope = inner
	defer func() { c.scope = old }()
	return c.typeOf(p.Type)
}

func bindName(s *scope, p *syntax.TemplateParam, a targ) {
	if p.Name != "" {
		s.set(p.Name, a.entity(p.Pos))
	}
}

// entity is what the name of a template's parameter stands for.
func (a targ) entity(pos Pos) *entity {
	switch {
	case a.isPack:
		e := &entity{pos: pos, isPack: true}
		for _, b := range a.pack {
			e.pack = append(e.pack, b.entity(pos))
		}
		return e
	case a.fn != nil:
		return &entity{pos: pos, fns: []*function{a.fn}}
	case a.vt == nil:
		return &entity{pos: pos, typ: &a.q}
	}
	return &entity{pos: pos, value: constOf(pos, a.vt, a.bits)}
}

// count notes one more instance.
func (c *checker) count(pos Pos, name string) {
	if c.instances++; c.instances > c.opts.Instances {
		c.failHard(pos, "%s: this source instantiates more than %d templates: raise the option MaxInstances", name, c.opts.Instances)
	}
	if c.depth >= maxDepth {
		c.failHard(pos, "%s: templates instantiate one another more than %d deep", name, maxDepth)
	}
}

// applyTemplate returns the type that a template of a class or alias gives.
func (c *checker) applyTemplate(pos Pos, t *template, given []syntax.TemplateArg) qual {
	args, inner := c.bindParams(pos, t.name, t.params, given, t.scope)
	if t.kind == aliasTemplate {
		akey := argsKey(args)
		if q, ok := t.aliases[akey]; ok {
			return q
		}
		c.count(pos, t.name)
		if c.depth >= maxDepth {
			c.failHard(pos, "%s: templates instantiate one another more than %d deep", t.name, maxDepth)
		}
		old := c.state
		c.depth++
		c.scope = inner
		q := c.typeOf(t.alias.Type)
		c.state.depth, c.scope = old.depth, old.scope
		t.aliases[akey] = q
		return q
	}
	key := argsKey(args)
	if st := t.instances[key]; st != nil {
		return qual{T: st.t}
	}
	c.count(pos, t.name)
	old := c.scope
	c.scope = t.scope
	st := c.newStruct(pos, t.name+"<"+argsString(args)+">", t.name, nil)
	c.scope = old
	st.pos = t.pos
	st.tmpl, st.args, st.local = t, args, false
	t.instances[key] = st
	if c.instantiate(pos, st) {
		c.within(pos, st.t.Name, func() { c.complete(pos, st) })
	}
	return qual{T: st.t}
}

// instantiate gives an instance the definition that its template, or the specialisation that fits, has by now, and reports whether
// there is one.
func (c *checker) instantiate(pos Pos, st *structInfo) bool {
	t := st.tmpl
	inner := &scope{kind: templateScope, parent: t.scope}
	for i, p := range t.params {
		bindName(inner, p, st.args[i])
	}
	decl, fp := t.decl, t.fp
	if p, s := c.choosePartial(pos, t, st.args); p != nil {
		decl, inner, fp = p.decl, s, p.fp
	}
	st.scope.parent = inner
	if !decl.Defined {
		return false
	}
	st.decl, st.pos, st.fp = decl, decl.Pos, fp
	st.t.Union = decl.Kind == "union"
	return true
}

// within adds the place of an instantiation to what goes wrong in it.
func (c *checker) within(pos Pos, name string, f func()) {
	defer func() {
		if r := recover(); r != nil {
			if s, ok := r.(stop); ok {
				panic(stop{err: inInstance(s.err, pos, name), hard: s.hard})
			}
			panic(r)
		}
	}()
	f()
}

// inInstance names the instantiation in an error.
func inInstance(e *token.Error, pos Pos, name string) *token.Error {
	if strings.Count(e.Msg, " (in ") >= 3 {
		return e
	}
	n := *e
	if token.InLibrary(e.Pos) {
		n.Pos = pos
		n.Msg += fmt.Sprintf(" (in %s)", name)
		return &n
	}
	n.Msg += fmt.Sprintf(" (in %s, used at %s)", name, pos)
	if token.InLibrary(n.Pos) { // which nobody can look into
		n.Pos = pos
	}
	return &n
}

// choosePartial returns the most special partial specialisation that fits, with the scope of its parameters.
func (c *checker) choosePartial(pos Pos, t *template, args []targ) (*partial, *scope) {
	var best *partial
	var inner *scope
	tie := false
	args = flat(args)
	for _, p := range t.partials {
		d := c.deductionOf(p.params, p.scope)
		n := len(p.args)
		if n > 0 && p.args[n-1].Pack {
			n = len(args) // or any other number
		}
		if n > len(args) || !c.areDefaults(pos, t, args, n) || !d.matchArgs(p.args, args) {
			continue
		}
		if _, ok := d.finish(pos); !ok {
			continue
		}
		s := d.inner()
		// What is not deduced has to be equal: enable_if and the like.
		if err := c.attempt(func() {
			old := c.scope
			c.scope = s
			written := c.expandedArgs(p.args)
			if len(written) != n {
				c.fail(pos, "no")
			}
			for i := range written {
				if t.params[min(i, len(t.params)-1)].Type != nil {
					continue
				}
				q, is := c.asType(written[i])
				if !is || q.String() != args[i].String() {
					c.fail(pos, "no")
				}
			}
			c.scope = old
		}); err != nil {
			continue
		}
		switch {
		case best == nil || argsWeight(p).above(argsWeight(best)):
			best, inner, tie = p, s, false
		case argsWeight(p) == argsWeight(best):
			tie = true
		}
	}
	if tie {
		c.fail(pos, "%s<%s> fits several specialisations: one is at %s", t.name, argsString(args), best.pos)
	}
	return best, inner
}

// areDefaults reports whether the arguments of t from n on are the parameters' defaults, which a specialisation leaves out.
func (c *checker) areDefaults(pos Pos, t *template, args []targ, n int) bool {
	if n == len(args) {
		return true
	}
	if len(t.params) != len(args) || t.params[len(args)-1].Pack {
		return false // a pack has no defaults
	}
	err := c.attempt(func() {
		inner := &scope{kind: templateScope, parent: t.scope}
		for i, p := range t.params {
			if i >= n && c.bindDefault(pos, t.name, p, inner).key() != args[i].key() {
				c.fail(pos, "no")
			}
			bindName(inner, p, args[i])
		}
	})
	return err == nil
}

// variableInstance returns a variable of a variable template.
func (c *checker) variableInstance(pos Pos, t *template, given []syntax.TemplateArg) *variable {
	args, inner := c.bindParams(pos, t.name, t.params, given, t.scope)
	key := argsKey(args)
	if v := t.variables[key]; v != nil {
		return v
	}
	c.count(pos, t.name)
	d, fp := t.v, t.fp
	if p, s := c.choosePartial(pos, t, args); p != nil {
		d, inner, fp = p.v, s, p.fp
	}
	v := &variable{constexpr: d.Specs.Constexpr, v: &typed.Var{Name: t.name + "<" + argsString(args) + ">", Const: true, Space: ir.Constant, Pos: d.Pos}}
	t.variables[key] = v
	old := c.state
	c.scope = inner
	c.depth++
	q := c.typeOf(d.Type)
	c.state = old
	if !q.Auto {
		v.v.Type = q.T
	}
	v.lazy = &lazyVar{decl: d, q: q, scope: inner, fp: fp}
	return v
}

// tryInstance is instance, and nil if the arguments do not suit the signature.
func (c *checker) tryInstance(pos Pos, f *function, args []targ) *function {
	var g *function
	if err := c.attempt(func() { g = c.instance(pos, f, args) }); err != nil {
		c.reason = "with <" + argsString(args) + ">: " + err.Msg
		return nil
	}
	return g
}

// instance returns the function that a template gives for all its arguments.
func (c *checker) instance(pos Pos, f *function, args []targ) *function {
	key := argsKey(args)
	if g := f.instances[key]; g != nil {
		return g
	}
	c.count(pos, f.name)
	inner := &scope{kind: templateScope, parent: f.scope}
	for i, p := range f.tparams {
		bindName(inner, p, args[i])
	}
	g := &function{
		name: f.name, pos: f.pos, decl: f.decl, scope: inner, fp: f.fp, st: f.st, static: f.static, ctor: f.ctor,
		converts: f.converts, explicit: f.explicit, deleted: f.deleted, constexpr: f.constexpr, kernel: f.kernel,
		thisConst: f.thisConst, thisSpace: f.thisSpace, from: f, args: args, depth: c.depth + 1, asked: pos,
	}
	old := c.state
	c.depth++
	c.signature(g)
	c.state = old
	if len(g.title()) > maxName {
		c.failHard(pos, "the name of this function has more than %d letters", maxName)
	}
	if f.instances == nil {
		f.instances = map[string]*function{}
	}
	f.instances[key] = g
	return g
}
