package check

import (
	"fmt"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// function is a function, method or constructor, or a template of them.
type function struct {
	name  string
	pos   Pos
	decl  *syntax.FuncDecl
	scope *scope // where it was declared; with the arguments of a template
	fp    ir.FP  // what ruled there

	st                               *structInfo // of methods
	static, ctor, converts, explicit bool
	deleted, constexpr, kernel       bool
	befriended                       bool // a friend defined in a class template: each instance makes one
	thisConst                        bool
	thisSpace                        ir.Space
	params                           []param
	result                           qual

	tf   *typed.Func
	this *typed.Var

	tparams   []*syntax.TemplateParam // of a template
	instances map[string]*function
	from      *function // of an instance, its template
	args      []targ

	state     bodyState
	depth     int
	calls     []edge
	undefined bool
	synth     func() // makes the body of an implicit constructor
	returns   bool
	// autoResult: the result was deduced from a return.
	autoResult bool
	asked      Pos // where an instance, or a function of the library, was first used
}

type bodyState uint8

const (
	unchecked bodyState = iota
	queued
	checking
	checked
)

// edge is a call.
type edge struct {
	to  *function
	pos Pos
}

type param struct {
	name string
	q    qual
	def  syntax.Expr
	pos  Pos
	pack bool // one of a pack of that name
}

// required counts the parameters without defaults.
func (f *function) required() int {
	n := 0
	for i, p := range f.params {
		if p.def == nil {
			n = i + 1
		}
	}
	return n
}

// title is the name as a programmer writes it.
func (f *function) title() string {
	s := f.name
	if f.st != nil {
		s = f.st.t.Name + "::" + s
	} else if f.scope != nil {
		s = f.scope.namespace().path() + s
	}
	if len(f.args) > 0 {
		s += "<" + argsString(f.args) + ">"
	}
	return s
}

// signatureString is the name with its parameters.
func (f *function) signatureString() string {
	s := f.title() + "("
	if f.tparams != nil {
		s = "template " + s
		for i, p := range f.decl.Params {
			if i > 0 {
				s += ", "
			}
			s += typeKey(p.Type)
			if p.Pack {
				s += "..."
			}
		}
	}
	for i, p := range f.params {
		if i > 0 {
			s += ", "
		}
		s += p.q.String()
		if p.def != nil {
			s += " = …"
		}
	}
	s += ")"
	if f.st != nil && !f.static && !f.ctor {
		if f.thisConst {
			s += " const"
		}
		s += " " + spaceWord[f.thisSpace]
	}
	return s
}

// candidates lists functions for an error.
func candidates(fns []*function) string {
	s := ""
	for i, f := range fns {
		if i == 8 {
			return s + fmt.Sprintf("; and %d more", len(fns)-i)
		}
		if i > 0 {
			s += "; "
		}
		s += f.signatureString() + " at " + f.pos.String()
	}
	return s
}

// newFunction makes the function of a declaration in the present scope.
func (c *checker) newFunction(d *syntax.FuncDecl, tparams []*syntax.TemplateParam, st *structInfo) *function {
	name := ""
	if d.Name != nil && len(d.Name.Parts) > 0 {
		name = d.Name.Parts[len(d.Name.Parts)-1].Ident
	}
	f := &function{
		name: name, pos: d.Pos, decl: d, scope: c.scope, fp: c.fp, tparams: tparams, depth: c.depth,
		deleted: d.Delete, constexpr: d.Specs.Constexpr, explicit: d.Specs.Explicit, converts: d.Converts, ctor: d.Ctor, kernel: d.Specs.Kernel,
	}
	c.refuseSpecs(d)
	f.befriended = st != nil && st.tmpl != nil && d.Specs.Friend
	if st != nil && !d.Specs.Friend {
		f.st = st
		f.static = d.Specs.Static
		f.thisConst = d.Quals.Const
		f.thisSpace = ir.Thread
		if d.Quals.Space != syntax.NoSpace {
			f.thisSpace = spaces[d.Quals.Space]
		}
		if f.thisSpace == ir.Constant {
			f.thisConst = true
		}
	}
	return f
}

func (c *checker) refuseSpecs(d *syntax.FuncDecl) {
	switch {
	case d.Specs.Virtual:
		c.refuse(d.Pos, "virtual functions", "write a template instead")
	case d.Specs.Stage != "":
		c.refuse(d.Pos, d.Specs.Stage+" functions", "only kernel functions run here")
	case d.Dtor && !d.Default && d.Body != nil && len(d.Body.Stmts) > 0:
		c.refuse(d.Pos, "destructors", "")
	}
}

// signature evaluates the types of a function that is not a template, and makes its typed.Func.
func (c *checker) signature(f *function) {
	old := c.scope
	c.scope = f.scope
	defer func() { c.scope = old }()
	d := f.decl
	c.near = f.pos
	f.params = nil
	for _, p := range d.Params {
		if !p.Pack {
			q := c.typeOf(p.Type)
			if len(d.Params) == 1 && isVoid(q.T) && p.Name == "" && q.Ref == noRef {
				break
			}
			f.params = append(f.params, c.param(p, q))
			continue
		}
		for _, in := range c.elements(p.Pos, func(f visit) { walkType(p.Type, f) }) {
			leave := c.enter(in)
			f.params = append(f.params, c.param(p, c.typeOf(p.Type)))
			leave()
		}
	}
	need := false
	for i := len(f.params) - 1; i >= 0; i-- {
		if f.params[i].def == nil {
			need = true
		} else if need && i+1 < len(f.params) && f.params[i+1].def == nil {
			c.fail(f.params[i+1].pos, "parameters after one with a default need defaults too")
		}
	}
	switch {
	case f.ctor:
		f.result = qual{T: voidType}
	case d.Result == nil:
		f.result = qual{T: voidType}
	default:
		if _, ok := d.Result.(*syntax.DecltypeType); ok {
			// A trailing type may name the parameters.
			c.push(blockScope)
			c.declareParams(f, func(i int) *typed.Var { return f.params[i].variable() })
		}
		f.result = c.typeOf(d.Result)
		c.notFunction(f.pos, f.result)
		if a, ok := f.result.T.(*typed.Array); ok && !a.Metal && f.result.Ref == noRef {
			c.fail(f.pos, "a function cannot return an array: return metal::array<T, N>")
		}
		if f.result.Ref == noRef && !f.result.Auto {
			f.result = f.result.value()
		}
	}
	f.makeTyped()
	c.funcs[f.tf] = f
}

// param makes a parameter of type q.
func (c *checker) param(p *syntax.Param, q qual) param {
	if q.Auto {
		c.refuse(p.Pos, "auto parameters", "write a template")
	}
	if a, ok := q.T.(*typed.Array); ok && !a.Metal && q.Ref == noRef {
		q = qual{T: pointerTo(a.Elem, q.space(), q.Const, q.Volatile)}
	} else if a, ok := q.T.(*typed.Array); ok && a.Len == 0 {
		c.fail(p.Pos, "a reference to an array needs its length")
	}
	c.notFunction(p.Pos, q)
	if isVoid(q.T) {
		c.fail(p.Pos, "a parameter cannot be void")
	}
	if q.Ref == noRef && q.HasSpace && q.Space != ir.Thread {
		c.fail(p.Pos, "a parameter that is passed by value is in thread: write %s& or %s*, or leave %s out", q, q, spaceWord[q.Space])
	}
	if q.Ref != noRef && !q.HasSpace {
		q.Space, q.HasSpace = ir.Thread, true
	}
	return param{name: p.Name, q: q, def: p.Default, pos: p.Pos, pack: p.Pack}
}

// variable makes the variable of a parameter.
func (p param) variable() *typed.Var {
	return &typed.Var{Name: p.name, Type: p.q.T, Ref: p.q.Ref != noRef, Space: p.q.space(), Const: p.q.Const, Volatile: p.q.Volatile, Pos: p.pos}
}

// declareParams declares the parameters of f in the present scope, those of a pack under one name.
func (c *checker) declareParams(f *function, variableOf func(i int) *typed.Var) {
	for _, p := range f.decl.Params {
		if p.Pack && p.Name != "" {
			c.declare(p.Name, &entity{pos: p.Pos, isPack: true})
		}
	}
	for i, p := range f.params {
		if p.name == "" {
			continue
		}
		e := &entity{pos: p.pos, variable: &variable{v: variableOf(i)}}
		if !p.pack {
			c.declare(p.name, e)
			continue
		}
		pack := c.scope.names[p.name]
		pack.pack = append(pack.pack, e)
	}
}

// makeTyped makes the typed.Func of a signature.
func (f *function) makeTyped() {
	f.tf = &typed.Func{Name: f.title(), Pos: f.pos}
	if f.st != nil && !f.static {
		f.this = &typed.Var{Name: "this", Type: f.st.t, Ref: true, Space: f.thisSpace, Const: f.thisConst, Pos: f.pos}
		f.tf.Params = append(f.tf.Params, f.this)
	}
	for _, p := range f.params {
		f.tf.Params = append(f.tf.Params, p.variable())
	}
	f.setResult()
}

// setResult gives the typed.Func its result: of a reference, a pointer.
func (f *function) setResult() {
	switch {
	case f.result.T == nil:
	case f.result.Ref != noRef:
		f.tf.Result = pointerTo(f.result.T, f.result.space(), f.result.Const, f.result.Volatile)
	default:
		f.tf.Result = f.result.T
	}
}

func (f *function) hasBody() bool { return f.decl != nil && f.decl.Body != nil || f.synth != nil }

// sameSignature reports whether two functions cannot be told apart by a call.
func sameSignature(f, g *function) bool {
	if len(f.params) != len(g.params) || f.thisSpace != g.thisSpace || f.thisConst != g.thisConst || (f.tparams == nil) != (g.tparams == nil) {
		return false
	}
	for i := range f.params {
		a, b := f.params[i].q, g.params[i].q
		if a.Ref == noRef {
			a.Const, b.Const, a.Volatile, b.Volatile = false, false, false, false
		}
		if !same(a.T, b.T) || a.Ref != b.Ref || a.Const != b.Const || a.Volatile != b.Volatile || a.space() != b.space() {
			return false
		}
	}
	return !f.converts || same(f.result.T, g.result.T)
}

// notInLibrary fails if the library has a function of the same name and parameters as f, which is declared in namespace metal.
func (c *checker) notInLibrary(f *function) {
	path, ok := c.scope.metalPath()
	if !ok || f.tparams != nil || f.st != nil {
		return
	}
	args := make([]stdlib.Arg, len(f.params))
	for i, p := range f.params {
		if _, number := element(p.q.T).(*typed.Scalar); !number {
			return
		}
		v := &typed.Var{Name: p.name, Type: p.q.T, Space: ir.Thread}
		args[i] = stdlib.Arg{X: &typed.Zero{Node: node(p.pos, p.q.T)}, Place: &typed.VarPlace{Var: v, Pos: p.pos}}
	}
	list, _ := stdlib.Overloads(path+f.name, args)
	for _, o := range list {
		equal := true
		for i, p := range f.params {
			equal = equal && same(o.Params[i], p.q.T) && o.Ref[i] == (p.q.Ref != noRef) && (!o.Ref[i] || p.q.space() == ir.Thread && !p.q.Const)
		}
		if equal {
			c.fail(f.pos, "%s is in Metal's library already: give it another name, or leave it out", f.signatureString())
		}
	}
}

// functionDecl declares a function in the present scope.
func (c *checker) functionDecl(d *syntax.FuncDecl, tparams []*syntax.TemplateParam, st *structInfo) *function {
	if !d.Specs.Kernel && !hasAttr(d, "kernel") && ofOtherStages(d) {
		c.refuseSpecs(d)
		return nil
	}
	if d.Name != nil && (len(d.Name.Parts) > 1 || d.Name.Global) {
		return c.outOfClass(d, tparams)
	}
	if whole := c.outside[d]; whole != nil {
		d = whole
	}
	if d.Dtor {
		c.refuseSpecs(d)
		return nil
	}
	f := c.newFunction(d, tparams, st)
	if d.Specs.Friend && st != nil {
		old := c.scope
		inner := c.scope
		c.scope = st.scope.namespace()
		defer func() { c.scope = old }()
		f.scope = inner
	}
	if tparams == nil {
		c.signature(f)
	}
	if f.st != nil && (f.ctor || f.converts) {
		list := &st.ctors
		if f.converts {
			list = &st.convs
		}
		for _, g := range *list {
			if tparams == nil && g.tparams == nil && sameSignature(f, g) {
				c.fail(f.pos, "%s is declared twice; the first time at %s", f.signatureString(), g.pos)
			}
		}
		*list = append(*list, f)
		return f
	}
	for _, g := range c.overloads(f.name) {
		if g.from != nil || !c.redeclares(f, g) {
			continue
		}
		return c.redeclare(f, g)
	}
	c.notInLibrary(f)
	c.declare(f.name, &entity{pos: f.pos, fns: []*function{f}})
	return f
}

// ofOtherStages reports whether a function takes, as its object or a parameter, what lies in an address space that no kernel has. No call in
// a kernel chooses it: a library writes its methods once for each space.
func ofOtherStages(d *syntax.FuncDecl) bool {
	if d.Quals.Space.Foreign() {
		return true
	}
	for _, p := range d.Params {
		if foreign(p.Type) {
			return true
		}
	}
	return false
}

// foreign reports whether a type as it is written names an address space of another stage.
func foreign(t syntax.TypeExpr) bool {
	switch t := t.(type) {
	case *syntax.NameType:
		return t.Quals.Space.Foreign()
	case *syntax.AutoType:
		return t.Quals.Space.Foreign()
	case *syntax.PointerType:
		return t.Quals.Space.Foreign() || foreign(t.Elem)
	case *syntax.RefType:
		return foreign(t.Elem)
	case *syntax.ArrayType:
		return foreign(t.Elem)
	}
	return false
}

func (c *checker) overloads(name string) []*function {
	if e := c.scope.names[name]; e != nil {
		return e.fns
	}
	return nil
}

// redeclares reports whether f is another declaration of g.
func (c *checker) redeclares(f, g *function) bool {
	if (f.tparams == nil) != (g.tparams == nil) {
		return false
	}
	if f.tparams == nil {
		return sameSignature(f, g)
	}
	return templateKey(f) == templateKey(g)
}

// redeclare joins the declaration f with g, which stood before.
func (c *checker) redeclare(f, g *function) *function {
	if f.hasBody() && g.hasBody() {
		c.fail(f.pos, "%s is defined twice; the first time at %s", g.title(), g.pos)
	}
	if f.tparams == nil && !same(f.result.T, g.result.T) && !f.result.Auto {
		c.fail(f.pos, "%s differs from its declaration at %s in its result alone: %s and %s", g.title(), g.pos, f.result, g.result)
	}
	if f.hasBody() {
		whole := *f.decl
		whole.Params = copied(f.decl.Params)
		f.decl = &whole
		for i := range f.decl.Params {
			if i < len(g.decl.Params) && f.decl.Params[i].Default == nil {
				f.decl.Params[i].Default = g.decl.Params[i].Default
			}
		}
		g.decl, g.pos, g.fp = f.decl, f.pos, f.fp
		g.kernel = g.kernel || f.kernel
		if g.befriended = f.befriended; g.befriended {
			g.scope = f.scope
		}
		g.constexpr = g.constexpr || f.constexpr
		if f.tparams != nil {
			f.tparams = copied(f.tparams)
			for i := range f.tparams {
				if f.tparams[i].Default == nil {
					f.tparams[i].Default = g.tparams[i].Default
				}
			}
			g.tparams, g.scope = f.tparams, f.scope
		} else {
			for i := range g.params {
				g.params[i].name, g.params[i].pos = f.params[i].name, f.params[i].pos
				if g.params[i].def == nil {
					g.params[i].def = f.params[i].def
				}
				v := g.tf.Params[len(g.tf.Params)-len(g.params)+i]
				v.Name, v.Pos, v.Const = f.params[i].name, f.params[i].pos, f.params[i].q.Const
			}
			g.tf.Pos = f.pos
		}
	} else {
		for i := range g.params {
			if i < len(f.params) && f.params[i].def != nil {
				g.params[i].def = f.params[i].def
			}
		}
	}
	return g
}

// copied copies what a list points to, so that the tree stays as it was parsed.
func copied[T any](list []*T) []*T {
	out := make([]*T, len(list))
	for i, p := range list {
		q := *p
		out[i] = &q
	}
	return out
}

// outOfClass defines a method outside its class, or a function of a namespace outside it.
func (c *checker) outOfClass(d *syntax.FuncDecl, tparams []*syntax.TemplateParam) *function {
	n := *d.Name
	last := n.Parts[len(n.Parts)-1]
	if tparams != nil {
		c.templateMethod(d, tparams)
		return nil
	}
	n.Parts = n.Parts[:len(n.Parts)-1]
	in := c.file
	var st *structInfo
	if len(n.Parts) > 0 {
		r := c.resolve(&n)
		switch {
		case r.typ != nil && c.structOf(r.typ.T) != nil:
			st = c.structOf(r.typ.T)
			in = st.scope
		case r.ent != nil && r.ent.space != nil:
			in = r.ent.space
		default:
			c.fail(d.Pos, "%s is neither a class nor a namespace", nameString(&n))
		}
	}
	old := c.scope
	c.scope = in
	defer func() { c.scope = old }()
	d2 := *d
	d2.Name = &syntax.Name{Pos: last.Pos, Parts: []syntax.NamePart{last}}
	d2.Ctor = st != nil && last.Ident == st.plain
	f := c.newFunction(&d2, nil, st)
	c.signature(f)
	list := c.overloads(last.Ident)
	if st != nil && f.ctor {
		list = st.ctors
	} else if st != nil && f.converts {
		list = st.convs
	}
	for _, g := range list {
		if g.tparams == nil {
			f.static = g.static
			if sameSignature(f, g) {
				return c.redeclare(f, g)
			}
		}
	}
	c.fail(d.Pos, "%s was not declared there", f.signatureString())
	return nil
}

// templateMethod puts the body of a method of a class template into its class.
func (c *checker) templateMethod(d *syntax.FuncDecl, tparams []*syntax.TemplateParam) {
	parts := d.Name.Parts
	e := c.scope.names[parts[0].Ident]
	if len(parts) != 2 || e == nil || e.tmpl == nil || e.tmpl.kind != structTemplate || e.tmpl.decl == nil {
		c.refuse(d.Pos, "templates of methods outside their class", "define it within the class")
	}
	t := e.tmpl
	if len(t.params) != len(tparams) || len(t.instances) > 0 {
		c.refuse(d.Pos, "methods of specialised or used templates outside their class", "define it within the class")
	}
	for i, q := range tparams {
		if q.Name != t.params[i].Name {
			c.refuse(q.Pos, "other names of template parameters outside the class", "write "+t.params[i].Name+", as at "+t.params[i].Pos.String())
		}
	}
	name := parts[1].Ident
	for _, m := range t.decl.Members {
		f, ok := m.(*syntax.FuncDecl)
		if !ok || f.Name == nil || f.Body != nil || c.outside[f] != nil || f.Name.Parts[len(f.Name.Parts)-1].Ident != name || len(f.Params) != len(d.Params) || f.Quals != d.Quals {
			continue
		}
		same := true
		for i := range f.Params {
			same = same && typeKey(f.Params[i].Type) == typeKey(d.Params[i].Type)
		}
		if !same {
			continue
		}
		whole := *f
		whole.Params = copied(f.Params)
		for i := range f.Params {
			whole.Params[i].Name = d.Params[i].Name
		}
		whole.Body, whole.Inits, whole.Pos = d.Body, d.Inits, d.Pos
		c.outside[f] = &whole
		return
	}
	c.fail(d.Pos, "%s has no method %s of this form without a body", t.name, name)
}

// define queues the body of a function that is not a template, after its declaration.
func (c *checker) define(f *function) {
	if f == nil || f.tparams != nil || !f.hasBody() || f.state != unchecked {
		return
	}
	f.state = queued
	c.queue = append(c.queue, f)
}

// need queues the body of an instance when it is first used.
func (c *checker) need(f *function) {
	if f.state == unchecked && f.tparams == nil && c.quiet == 0 && (f.befriended || f.from != nil || f.st != nil && f.st.tmpl != nil || f.synth != nil || f.st != nil && f.st.local) {
		f.state = queued
		c.late = append(c.late, f)
	}
}

// use notes a call of f.
func (c *checker) use(pos Pos, f *function) {
	if f.deleted {
		c.fail(pos, "%s is deleted", f.title())
	}
	if f.kernel {
		c.fail(pos, "%s is a kernel, which cannot be called", f.title())
	}
	if f.result.Auto && f.result.T == nil {
		c.ensure(pos, f)
		if f.result.T == nil {
			c.fail(pos, "%s is used before its type auto is known", f.title())
		}
	}
	if c.quiet > 0 {
		return
	}
	if token.InLibrary(f.pos) && (f.asked.Line == 0 || token.InLibrary(f.asked)) {
		if f.asked = pos; token.InLibrary(pos) && c.fn != nil {
			f.asked = c.fn.asked // the source's own call
		}
	}
	c.need(f)
	if c.fn != nil {
		c.fn.calls = append(c.fn.calls, edge{f, pos})
	}
}

// ensure checks the body of f now.
func (c *checker) ensure(pos Pos, f *function) {
	if f.state == checked || f.state == checking {
		return
	}
	if f.from != nil && f.decl.Body == nil && f.from.decl.Body != nil {
		f.decl = f.from.decl
	}
	if !f.hasBody() {
		return
	}
	if c.depth >= maxDepth {
		c.failHard(pos, "%s: templates and constant functions need one another more than %d deep", f.title(), maxDepth)
	}
	old := c.state
	c.depth++
	c.guard(func() { c.body(f) })
	c.state = old
}

// body checks the body of f.
func (c *checker) body(f *function) {
	if f.state == checked || f.state == checking {
		return
	}
	if f.from != nil && f.decl.Body == nil && f.from.decl.Body != nil {
		f.decl = f.from.decl
	}
	if !f.hasBody() {
		f.state = unchecked
		return
	}
	old := c.state
	defer func() {
		c.state = old
		f.state = checked
	}()
	f.state = checking
	c.state = state{scope: f.scope, fn: f, fp: f.fp, depth: max(f.depth, old.depth), near: f.pos}
	if f.synth != nil {
		f.synth()
		return
	}
	c.push(blockScope)
	c.scope.name = f.name
	c.declareParams(f, func(i int) *typed.Var { return f.tf.Params[len(f.tf.Params)-len(f.params)+i] })
	block := &typed.Block{}
	if f.ctor {
		block.Stmts = c.memberInits(f)
	}
	for _, p := range f.decl.Body.Pragmas {
		c.pragma(p)
	}
	n := c.errs.Errors()
	stmts := c.stmts(f.decl.Body.Stmts)
	block.Stmts = append(block.Stmts, stmts...)
	f.tf.Body = block
	if f.result.Auto && f.result.T == nil {
		f.result = qual{T: voidType}
		f.setResult()
	}
	if n == c.errs.Errors() && !isVoid(f.result.T) && !f.kernel && falls(block) {
		if !f.returns {
			c.fail(f.decl.Body.End, "%s returns nothing: its result is %s", f.title(), f.result)
		}
		c.warn(f.decl.Body.End, "%s may end without returning a value", f.title())
	}
}

// falls reports whether control may reach the end of a statement.
func falls(s typed.Stmt) bool {
	switch s := s.(type) {
	case *typed.Block:
		for _, t := range s.Stmts {
			if !falls(t) {
				return false
			}
		}
	case *typed.Return, *typed.Break, *typed.Continue:
		return false
	case *typed.If:
		return s.Else == nil || falls(s.Then) || falls(s.Else)
	case *typed.Loop:
		always := s.Cond == nil
		if k, ok := s.Cond.(*typed.Const); ok && k.Bits != 0 {
			always = true
		}
		if s.TestAfter && !falls(s.Body) && !breaks(s.Body) && !continues(s.Body) {
			return false
		}
		return !always || breaks(s.Body)
	case *typed.Switch:
		has := false
		for i, k := range s.Cases {
			has = has || k.Default
			b := &typed.Block{Stmts: k.Stmts}
			if breaks(b) || i == len(s.Cases)-1 && falls(b) {
				return true
			}
		}
		return !has
	}
	return true
}

// breaks reports whether a break in s leaves the loop or switch around it.
func breaks(s typed.Stmt) bool {
	switch s := s.(type) {
	case *typed.Block:
		for _, t := range s.Stmts {
			if breaks(t) {
				return true
			}
		}
	case *typed.Break:
		return true
	case *typed.If:
		return breaks(s.Then) || s.Else != nil && breaks(s.Else)
	}
	return false
}

func continues(s typed.Stmt) bool {
	switch s := s.(type) {
	case *typed.Block:
		for _, t := range s.Stmts {
			if continues(t) {
				return true
			}
		}
	case *typed.Continue:
		return true
	case *typed.If:
		return continues(s.Then) || s.Else != nil && continues(s.Else)
	case *typed.Switch:
		for _, k := range s.Cases {
			if continues(&typed.Block{Stmts: k.Stmts}) {
				return true
			}
		}
	}
	return false
}
