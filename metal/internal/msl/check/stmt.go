package check

import (
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// stmts checks a list of statements, each by itself.
func (c *checker) stmts(list []syntax.Stmt) []typed.Stmt {
	var out []typed.Stmt
	for _, s := range list {
		c.guard(func() { out = append(out, c.stmt(s)...) })
	}
	return out
}

// one checks a statement in a scope of its own.
func (c *checker) body1(s syntax.Stmt) typed.Stmt {
	old := c.push(blockScope)
	defer func() { c.scope = old }()
	list := c.stmts([]syntax.Stmt{s})
	if len(list) == 1 {
		if _, decl := list[0].(*typed.VarStmt); !decl {
			return list[0]
		}
	}
	return &typed.Block{Stmts: list}
}

// stmt checks a statement. It may be several, or none.
func (c *checker) stmt(s syntax.Stmt) []typed.Stmt {
	switch s := s.(type) {
	case *syntax.Block:
		return []typed.Stmt{c.block(s)}
	case *syntax.DeclStmt:
		var out []typed.Stmt
		for _, d := range s.Decls {
			c.guard(func() { out = append(out, c.localDecl(d)...) })
		}
		return out
	case *syntax.ExprStmt:
		c.near = s.Pos
		o := c.expr(s.X)
		x := c.discard(&o)
		if x == nil {
			return nil
		}
		return []typed.Stmt{&typed.ExprStmt{X: x, Pos: s.Pos, FP: c.fp}}
	case *syntax.If:
		return c.ifStmt(s)
	case *syntax.For:
		return c.forStmt(s)
	case *syntax.RangeFor:
		return c.rangeFor(s)
	case *syntax.While:
		cond := c.condition(c.rvalue(s.Cond), "while")
		return []typed.Stmt{&typed.Loop{Cond: cond, Body: c.loopBody(s.Body), Pos: s.Pos, FP: c.fp}}
	case *syntax.Do:
		body := c.loopBody(s.Body)
		cond := c.condition(c.rvalue(s.Cond), "while")
		return []typed.Stmt{&typed.Loop{Cond: cond, Body: body, TestAfter: true, Pos: s.Pos, FP: c.fp}}
	case *syntax.Switch:
		return c.switchStmt(s)
	case *syntax.Case:
		c.refuse(s.Pos, "labels that do not stand directly in their switch", "")
	case *syntax.Break:
		if c.exits == 0 {
			c.fail(s.Pos, "break stands in no loop and no switch")
		}
		return []typed.Stmt{&typed.Break{Pos: s.Pos}}
	case *syntax.Continue:
		if c.loops == 0 {
			c.fail(s.Pos, "continue stands in no loop")
		}
		return []typed.Stmt{&typed.Continue{Pos: s.Pos}}
	case *syntax.Return:
		return c.returnStmt(s)
	case *syntax.Empty:
		return nil
	}
	c.fail(c.near, "this statement is not known")
	return nil
}

func (c *checker) block(s *syntax.Block) *typed.Block {
	old, fp := c.push(blockScope), c.fp
	defer func() { c.scope, c.fp = old, fp }()
	for _, p := range s.Pragmas {
		c.guard(func() { c.pragma(p) })
	}
	return &typed.Block{Stmts: c.stmts(s.Stmts)}
}

func (c *checker) loopBody(s syntax.Stmt) typed.Stmt {
	c.loops++
	c.exits++
	b := c.body1(s)
	c.loops--
	c.exits--
	return b
}

func (c *checker) ifStmt(s *syntax.If) []typed.Stmt {
	old := c.push(blockScope)
	defer func() { c.scope = old }()
	var out []typed.Stmt
	if s.Init != nil {
		out = append(out, c.stmt(s.Init)...)
	}
	var cond typed.Expr
	forget := c.forget()
	if s.Decl != nil {
		out = append(out, c.localVar(s.Decl)...)
		name := s.Decl.Name.Parts[len(s.Decl.Name.Parts)-1]
		cond = c.condition(c.ident(s.Pos, &syntax.Name{Pos: s.Decl.Pos, Parts: []syntax.NamePart{name}}), "if")
	} else {
		cond = c.condition(c.rvalue(s.Cond), "if")
	}
	if s.Constexpr {
		o := valueOf(cond)
		forget()
		if c.constant(s.Pos, &o, "the condition of if constexpr").bits != 0 {
			out = append(out, c.body1(s.Then))
		} else if s.Else != nil {
			out = append(out, c.body1(s.Else))
		}
		return wrapped(out, 1)
	}
	i := &typed.If{Cond: cond, Then: c.body1(s.Then), Pos: s.Pos, FP: c.fp}
	if s.Else != nil {
		i.Else = c.body1(s.Else)
	}
	return wrapped(append(out, i), 1)
}

// wrapped makes a block of more than n statements.
func wrapped(list []typed.Stmt, n int) []typed.Stmt {
	if len(list) > n {
		return []typed.Stmt{&typed.Block{Stmts: list}}
	}
	return list
}

func (c *checker) forStmt(s *syntax.For) []typed.Stmt {
	old := c.push(blockScope)
	defer func() { c.scope = old }()
	var out []typed.Stmt
	l := &typed.Loop{Pos: s.Pos, FP: c.fp}
	if s.Init != nil {
		init := c.stmt(s.Init)
		if len(init) == 1 {
			l.Init = init[0]
		} else {
			out = init
		}
	}
	if s.Cond != nil {
		l.Cond = c.condition(c.rvalue(s.Cond), "for")
	}
	if s.Post != nil {
		o := c.expr(s.Post)
		l.Post = c.discard(&o)
	}
	l.Body = c.loopBody(s.Body)
	return wrapped(append(out, l), 1)
}

// rangeFor checks for (T x : array).
func (c *checker) rangeFor(s *syntax.RangeFor) []typed.Stmt {
	old := c.push(blockScope)
	defer func() { c.scope = old }()
	o := c.rvalue(s.X)
	a, ok := o.T.(*typed.Array)
	if !ok {
		c.refuse(s.Pos, "for over what is not an array", "write for (int i = 0; …)")
	}
	all := &typed.Var{Name: "range", Type: a, Ref: true, Space: o.Space, Const: o.Const, Volatile: o.Volatile, Pos: s.Pos}
	if o.P == nil {
		all.Space = ir.Thread
	}
	bind := &typed.VarStmt{Var: all, Bind: c.place(&o), Pos: s.Pos, FP: c.fp}
	i := &typed.Var{Name: "index", Type: intType, Space: ir.Thread, Pos: s.Pos}
	iPlace := &typed.VarPlace{Var: i, Pos: s.Pos}
	iv := &typed.LoadExpr{Node: node(s.Pos, intType), X: iPlace}
	elem := operand{pos: s.Pos, T: a.Elem, P: &typed.IndexPlace{X: &typed.VarPlace{Var: all, Pos: s.Pos}, I: iv, Pos: s.Pos}, Const: all.Const, Volatile: all.Volatile, Space: all.Space}
	d := s.Decl
	if d == nil || d.Name == nil || len(d.Name.Parts) != 1 {
		c.fail(s.Pos, "for needs the name of a variable")
	}
	q := c.typeOf(d.Type)
	v := &typed.Var{Name: d.Name.Parts[0].Ident, Pos: d.Pos, Space: ir.Thread, Const: q.Const, Volatile: q.Volatile}
	vs := &typed.VarStmt{Var: v, Pos: d.Pos, FP: c.fp}
	c.bindLocal(v, vs, q, elem)
	c.declare(v.Name, &entity{pos: d.Pos, variable: &variable{v: v}})
	body := c.loopBody(s.Body)
	l := &typed.Loop{
		Init: &typed.VarStmt{Var: i, Init: constOf(s.Pos, intType, 0), Pos: s.Pos, FP: c.fp},
		Cond: &typed.Binary{Node: node(s.Pos, boolType), Op: ir.Lt, L: iv, R: constOf(s.Pos, intType, uint64(a.Len))},
		Post: &typed.CompoundExpr{Node: node(s.Pos, voidType), Op: ir.Add, To: iPlace, X: constOf(s.Pos, intType, 1)},
		Body: &typed.Block{Stmts: []typed.Stmt{vs, body}}, Pos: s.Pos, FP: c.fp,
	}
	return []typed.Stmt{&typed.Block{Stmts: []typed.Stmt{bind, l}}}
}

func (c *checker) switchStmt(s *syntax.Switch) []typed.Stmt {
	o := c.rvalue(s.X)
	if c.structOf(o.T) != nil {
		o = c.viaConversion(o, integral, "switch")
	}
	if !integral(o.T) {
		c.fail(s.Pos, "switch needs an integer or an enumeration, not %s", o.T)
	}
	x := c.value(&o)
	t := o.T
	if sc := t.(*typed.Scalar); !sc.Enum && promoted(sc.Kind) != sc.Kind {
		t = intType
		x = c.convertNumber(x, t)
	}
	old, fp := c.push(blockScope), c.fp
	c.exits++
	defer func() {
		c.scope, c.fp = old, fp
		c.exits--
	}()
	out := &typed.Switch{X: x, Pos: s.Pos, FP: c.fp}
	if s.Body == nil {
		return []typed.Stmt{out}
	}
	for _, p := range s.Body.Pragmas {
		c.pragma(p)
	}
	seen := map[uint64]Pos{}
	hasDefault := false
	inLabels := false
	for _, st := range s.Body.Stmts {
		label, ok := st.(*syntax.Case)
		if !ok {
			if len(out.Cases) == 0 {
				c.fail(s.Pos, "a statement in a switch stands after a case")
			}
			k := &out.Cases[len(out.Cases)-1]
			c.guard(func() { k.Stmts = append(k.Stmts, c.stmt(st)...) })
			inLabels = false
			continue
		}
		if !inLabels {
			out.Cases = append(out.Cases, typed.Case{})
		}
		inLabels = true
		k := &out.Cases[len(out.Cases)-1]
		c.guard(func() {
			if label.X == nil {
				if hasDefault {
					c.fail(label.Pos, "a switch has one default")
				}
				hasDefault, k.Default = true, true
				return
			}
			defer c.forget()()
			l := c.rvalue(label.X)
			if !integral(l.T) || c.scoped(l.T) && !same(l.T, t) {
				c.fail(label.Pos, "case needs a constant of type %s, not %s", t, l.T)
			}
			v := c.constant(label.Pos, &l, "the value of a case")
			bits, err := convertBits(kindOf(l.T), kindOf(t), v.bits)
			if err != nil {
				c.fail(label.Pos, "the value of a case: %v", err)
			}
			if p, twice := seen[bits]; twice {
				c.fail(label.Pos, "this case stands twice; the first time at %s", p)
			}
			seen[bits] = label.Pos
			k.Values = append(k.Values, bits)
		})
	}
	return []typed.Stmt{out}
}

func (c *checker) returnStmt(s *syntax.Return) []typed.Stmt {
	f := c.fn
	r := &typed.Return{Pos: s.Pos, FP: c.fp}
	if s.X == nil {
		if f.result.Auto && f.result.T == nil {
			f.result = qual{T: voidType}
			f.setResult()
		}
		if !isVoid(f.result.T) {
			c.fail(s.Pos, "%s returns %s: write a value after return", f.title(), f.result)
		}
		return []typed.Stmt{r}
	}
	f.returns = true
	o := c.exprOrList(s.X)
	if f.result.Auto && f.result.T == nil {
		c.needValue(s.Pos, &o)
		if f.result.Ref != noRef {
			if o.P == nil {
				c.fail(s.Pos, "a reference is returned to an lvalue, not to a value")
			}
			f.result.T, f.result.Const, f.result.Space, f.result.HasSpace = o.T, f.result.Const || o.Const, o.Space, true
		} else {
			o = c.decay(o)
			f.result = qual{T: o.T}
		}
		f.result.Auto = false
		f.autoResult = true
		f.setResult()
	}
	if isVoid(f.result.T) && f.result.Ref == noRef {
		if o.T != nil && isVoid(o.T) {
			x := c.discard(&o)
			return []typed.Stmt{&typed.ExprStmt{X: x, Pos: s.Pos, FP: c.fp}, r}
		}
		c.fail(s.Pos, "%s returns nothing: leave out the value", f.title())
	}
	if f.result.Ref != noRef {
		if o.P == nil && o.T != nil {
			c.fail(s.Pos, "a reference to a temporary is returned")
		}
		p := operand{pos: o.pos, T: f.result.T, P: c.bind(&o, f.result, "return"), Const: f.result.Const, Space: f.result.space()}
		if _, temp := p.P.(*typed.TempPlace); temp {
			c.fail(s.Pos, "a reference to a temporary is returned")
		}
		r.X = c.addressOf(s.Pos, &p)
		if !same(r.X.ExprType(), f.tf.Result) {
			r.X = &typed.PtrConvert{Node: node(s.Pos, f.tf.Result), X: r.X}
		}
		return []typed.Stmt{r}
	}
	if f.autoResult && o.T != nil {
		if d := c.decayQuiet(o); !same(d, f.result.T) {
			c.fail(s.Pos, "auto is %s and %s", f.result.T, d)
		}
	}
	if o.list == nil {
		o = c.decay(o)
	}
	r.X = c.convert(&o, c.sized(s.Pos, f.result.T), "return")
	return []typed.Stmt{r}
}

// localDecl checks a declaration within a function.
func (c *checker) localDecl(d syntax.Decl) []typed.Stmt {
	switch d := d.(type) {
	case *syntax.VarDecl:
		return c.localVar(d)
	case *syntax.FuncDecl:
		if d.Body != nil {
			c.fail(d.Pos, "a function is not defined within another one")
		}
		c.fail(d.Pos, "declare functions outside functions; a variable is initialised by {}")
	case *syntax.TemplateDecl:
		c.fail(d.Pos, "a template is not declared within a function")
	case *syntax.NamespaceDecl:
		c.fail(d.Pos, "a namespace is not declared within a function")
	default:
		c.declaration(d)
	}
	return nil
}

// localVar declares a variable within a function.
func (c *checker) localVar(d *syntax.VarDecl) []typed.Stmt {
	if d.Name == nil || len(d.Name.Parts) != 1 {
		c.fail(d.Pos, "a variable needs a name")
	}
	name := d.Name.Parts[0].Ident
	q := c.typeOf(d.Type)
	c.notFunction(d.Pos, q)
	vr := &variable{constexpr: d.Specs.Constexpr}
	v := &typed.Var{Name: name, Space: ir.Thread, Const: q.Const || d.Specs.Constexpr, Volatile: q.Volatile, Pos: d.Pos}
	vr.v = v
	done := false
	forget := c.forget()
	defer func() {
		if !done && c.scope.names[name] == nil {
			// Later uses of the name are not errors of their own.
			v.Type = intType
			if q.T != nil {
				v.Type = q.T
			}
			c.scope.set(name, &entity{pos: d.Pos, variable: &variable{v: v, failed: &token.Error{}, lazy: &lazyVar{}}})
		}
	}()
	if q.Ref == noRef && q.HasSpace {
		switch q.Space {
		case ir.Threadgroup:
			done = true
			return c.sharedVar(d, name, q, vr)
		case ir.Device:
			c.fail(d.Pos, "%s cannot be in device: only buffers are", name)
		case ir.Constant:
			done = true
			v.Name, v.Space, v.Const = c.fn.name+"::"+name, ir.Constant, true
			if !q.Auto {
				v.Type = q.T
			}
			vr.lazy = &lazyVar{decl: d, q: q, scope: c.scope, fp: c.fp}
			fn := c.fn
			c.declare(name, &entity{pos: d.Pos, variable: vr})
			c.settle(vr)
			c.fn = fn
			return nil
		}
	}
	if d.Specs.Static && !d.Specs.Constexpr {
		c.refuse(d.Pos, "static local variables", "leave out static")
	}
	s := &typed.VarStmt{Var: v, Pos: d.Pos, FP: c.fp}
	if q.Ref != noRef || q.Auto {
		if d.Init == nil && !(d.Ctor && len(d.Args) == 1) {
			c.fail(d.Pos, "%s needs an initialiser", name)
		}
		init := d.Init
		if init == nil {
			init = d.Args[0]
		}
		o := c.exprOrList(init)
		if o.list != nil && len(o.list.Args) == 1 && q.Auto {
			o = c.rvalue(o.list.Args[0])
		}
		if o.list == nil {
			c.needValue(d.Pos, &o)
		} else if q.Auto {
			c.fail(d.Pos, "a list in braces has no type of its own for auto")
		}
		c.bindLocal(v, s, q, o)
	} else {
		v.Type = q.T
		switch {
		case d.Init != nil || d.Ctor:
			s.Init = c.initialise(d.Pos, q.T, d.Init, d.Ctor, d.Args, "the initialiser of "+name)
			v.Type = s.Init.ExprType()
		case c.needsInit(c.sized(d.Pos, q.T)):
			s.Init = c.defaultValue(d.Pos, q.T)
		default:
			if st := c.structOf(q.T); st != nil && (!st.defaulted() || st.hasRef()) {
				s.Init = c.byConstructor(d.Pos, st, nil)
			}
			if s.Init == nil && (d.Specs.Constexpr || q.Const && !isStruct(q.T)) {
				c.fail(d.Pos, "%s is const and needs an initialiser", name)
			}
		}
		if typed.HoldsAtomic(q.T) {
			c.fail(d.Pos, "an atomic is in device or threadgroup, not in thread")
		}
	}
	c.sized(d.Pos, v.Type)
	if s.Init != nil && (d.Specs.Constexpr || v.Const && integral(v.Type)) {
		c.knowLocal(vr, s.Init)
		if vr.known != nil {
			s.Init = vr.known
			forget()
		}
	}
	done = true
	c.declare(name, &entity{pos: d.Pos, variable: vr})
	return []typed.Stmt{s}
}

// knowLocal evaluates the value of a constant within a function.
func (c *checker) knowLocal(v *variable, x typed.Expr) {
	val, err := c.evaluate(x)
	if err != nil {
		if v.constexpr {
			c.fail(v.v.Pos, "the initialiser of %s is not known when compiling: %s (at %s)", v.v.Name, err.Msg, err.Pos)
		}
		return
	}
	if _, ok := v.v.Type.(*typed.Pointer); ok || v.v.Volatile {
		return
	}
	v.known = c.tree(val, v.v.Type, v.v.Pos)
	c.known[v.v] = v.known
}

// bindLocal gives a local of auto or reference type its type and initialiser.
func (c *checker) bindLocal(v *typed.Var, s *typed.VarStmt, q qual, o operand) {
	what := "the initialiser of " + v.Name
	if q.Ref == noRef {
		o2 := o
		if q.Auto {
			o2 = c.decay(o)
			v.Type = o2.T
			if e := q.AutoElem; e != nil {
				p, ok := o2.T.(*typed.Pointer)
				switch {
				case !ok:
					c.fail(o.pos, "%s: auto * needs a pointer, not %s", what, o2.T)
				case e.HasSpace && e.Space != p.Space:
					c.fail(o.pos, "%s: %s does not point into %s", what, p, spaceWord[e.Space])
				}
				v.Type = pointerTo(p.Elem, p.Space, p.Const || e.Const, p.Volatile || e.Volatile)
			}
			if isVoid(v.Type) {
				c.fail(o.pos, "%s: auto cannot be void", what)
			}
		} else {
			v.Type = c.sized(o.pos, q.T)
		}
		s.Init = c.convert(&o2, v.Type, what)
		return
	}
	v.Ref = true
	if q.Auto {
		q.T = o.T
		if o.P != nil {
			// auto& takes const and the space from what it is bound to.
			if q.Ref == rvalueRef {
				q.Ref = lvalueRef
			}
			q.Const = q.Const || o.Const
			q.Volatile = q.Volatile || o.Volatile
			if !q.HasSpace {
				q.Space, q.HasSpace = o.Space, true
			}
		}
		q.Auto = false
	}
	s.Bind = c.bind(&o, q, what)
	v.Type, v.Space, v.Const, v.Volatile = q.T, q.space(), q.Const, q.Volatile
}

// sharedVar declares a variable in threadgroup memory.
func (c *checker) sharedVar(d *syntax.VarDecl, name string, q qual, vr *variable) []typed.Stmt {
	switch {
	case !c.fn.kernel:
		c.fail(d.Pos, "%s is in threadgroup: it can be declared in a kernel only; pass a pointer to it", name)
	case q.Auto:
		c.fail(d.Pos, "%s needs a type, not auto", name)
	}
	v := vr.v
	if d.Init != nil || d.Ctor {
		c.quiet++
		q.T = c.initialise(d.Pos, q.T, d.Init, d.Ctor, d.Args, "the initialiser of "+name).ExprType()
		c.quiet--
		c.warn(d.Pos, "%s is in threadgroup, where an initialiser does nothing: let one thread write it, then use a barrier", name)
	}
	v.Type, v.Space = c.sized(d.Pos, q.T), ir.Threadgroup
	c.declare(name, &entity{pos: d.Pos, variable: vr})
	return []typed.Stmt{&typed.VarStmt{Var: v, Pos: d.Pos, FP: c.fp}}
}
