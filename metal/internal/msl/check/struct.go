package check

import (
	"fmt"

	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// structInfo is what the checker knows of a struct of the source.
type structInfo struct {
	t     *typed.Struct
	name  string // with arguments
	plain string // as declared
	pos   Pos
	decl  *syntax.StructDecl
	scope *scope // of its members
	fp    ir.FP

	complete, completing bool
	local                bool // within a function
	fields               []fieldInfo
	base                 *structInfo // its part is field 0
	ctors, convs         []*function
	copies               []*function // copy constructors that the source wrote
	implicit             *function   // the default constructor, if fields have initialisers
	tmpl                 *template
	args                 []targ
	depth                int
	special              *template // of an explicit specialisation
	statics              []*variable
	makers               map[string]*function
}

type fieldInfo struct {
	isConst, isVolatile bool
	decl                *syntax.VarDecl // with the initialiser
	pos                 Pos
	ref                 *qual // of a reference: the field is a pointer
}

// structOf returns what is known of t, nil if it is not a struct of the source.
func (c *checker) structOf(t typed.Type) *structInfo {
	if s, ok := t.(*typed.Struct); ok {
		return c.structs[s]
	}
	return nil
}

// find finds a member, of the bases too.
func (st *structInfo) find(name string) *entity {
	for ; st != nil; st = st.base {
		if e := st.scope.find(name); e != nil {
			return e
		}
	}
	return nil
}

// template returns the template that the struct came from, or specialises.
func (st *structInfo) template() *template {
	if st.tmpl != nil {
		return st.tmpl
	}
	return st.special
}

// newStruct makes an incomplete struct in the present scope.
func (c *checker) newStruct(pos Pos, name, plain string, d *syntax.StructDecl) *structInfo {
	full := c.scope.path() + name
	if len(full) > maxName {
		c.failHard(pos, "the name of this type has more than %d letters", maxName)
	}
	c.names[full]++
	if n := c.names[full]; n > 1 {
		full += fmt.Sprintf("#%d", n)
	}
	st := &structInfo{t: &typed.Struct{Name: full}, name: name, plain: plain, pos: pos, decl: d, fp: c.fp, depth: c.depth}
	st.t.Union = d != nil && d.Kind == "union"
	st.local = c.fn != nil
	st.scope = &scope{kind: structScope, parent: c.scope, name: name, st: st}
	c.structs[st.t] = st
	return st
}

// structDecl declares or defines a struct that is not a template.
func (c *checker) structDecl(d *syntax.StructDecl) *structInfo {
	name := ""
	if d.Name != nil && len(d.Name.Parts) > 0 {
		last := d.Name.Parts[len(d.Name.Parts)-1]
		if last.HasArgs {
			c.fail(d.Pos, "write template <> before a specialisation")
		}
		if len(d.Name.Parts) > 1 {
			c.fail(d.Pos, "define %s within its class or namespace", nameString(d.Name))
		}
		name = last.Ident
	}
	var st *structInfo
	if name != "" {
		if e := c.scope.names[name]; e != nil && e.typ != nil {
			st = c.structOf(e.typ.T)
		} else if !d.Defined {
			if e, _ := c.lookup(name); e != nil && e.typ != nil && c.structOf(e.typ.T) != nil {
				return c.structOf(e.typ.T)
			}
		}
	}
	if st == nil {
		shown := name
		if shown == "" {
			shown = fmt.Sprintf("(anonymous %s at %s)", d.Kind, d.Pos)
		}
		st = c.newStruct(d.Pos, shown, name, d)
		if name != "" {
			c.declare(name, &entity{pos: d.Pos, typ: &qual{T: st.t}})
		}
		if !d.Defined {
			st.decl = nil
		}
	}
	if d.Defined {
		if st.complete || st.completing {
			c.fail(d.Pos, "%s is defined twice; the first time at %s", st.t, st.pos)
		}
		st.decl, st.pos, st.fp = d, d.Pos, c.fp
		st.t.Union = d.Kind == "union"
		c.complete(d.Pos, st)
	}
	return st
}

// complete lays out a struct.
func (c *checker) complete(pos Pos, st *structInfo) {
	switch {
	case st.complete:
		return
	case st.completing:
		c.fail(pos, "%s is not complete here", st.t)
	case st.decl == nil && st.tmpl != nil && c.instantiate(pos, st):
		// Its template was only declared where it was named first.
		c.within(pos, st.t.Name, func() { c.complete(pos, st) })
		return
	case st.decl == nil:
		c.fail(pos, "%s is declared, but not defined here", st.t)
	}
	if c.depth >= maxDepth {
		c.failHard(pos, "%s: templates instantiate one another more than %d deep", st.t, maxDepth)
	}
	old := c.state
	st.completing = true
	defer func() {
		st.completing = false
		st.complete = true
		c.state = old
	}()
	c.depth++
	c.scope = st.scope
	c.fp = st.fp
	d := st.decl
	var asserts []*syntax.StaticAssert
	var methods []*function
	if len(d.Bases) > 0 {
		c.baseClass(st)
	}
	for _, m := range d.Members {
		c.guardMember(st, func() {
			switch m := m.(type) {
			case *syntax.VarDecl:
				c.member(st, m)
			case *syntax.FuncDecl:
				if f := c.functionDecl(m, nil, st); f != nil {
					methods = append(methods, f)
				}
			case *syntax.StructDecl:
				inner := c.structDecl(m)
				if m.Name == nil {
					c.anonymousMember(st, inner, m.Pos)
				}
			case *syntax.StaticAssert:
				asserts = append(asserts, m)
			case *syntax.UsingDecl:
				// Members of bases are visible already.
				if n := len(m.Name.Parts); n > 1 && st.base != nil && m.Name.Parts[n-1].Ident == st.base.plain {
					c.refuse(m.Pos, "inherited constructors", "write the constructors again")
				}
			case *syntax.TemplateDecl:
				c.templateDecl(m, st)
			default:
				c.declaration(m)
			}
		})
	}
	c.layout(st)
	st.complete = true
	for _, f := range st.ctors {
		if f.tparams == nil && c.copyLike(st, f) && !f.decl.Default && !f.deleted {
			st.copies = append(st.copies, f)
		}
	}
	c.implicitConstructor(st)
	for _, a := range asserts {
		c.guardMember(st, func() { c.staticAssert(a) })
	}
	if st.tmpl == nil {
		for _, v := range st.statics {
			c.guardMember(st, func() { c.settle(v) })
		}
		for _, f := range methods {
			if st.local {
				c.need(f)
			} else {
				c.define(f)
			}
		}
	}
}

// layout places the fields of st.
func (c *checker) layout(st *structInfo) {
	align := 1
	for _, a := range st.decl.Attrs {
		switch a.Name {
		case "alignas", "aligned":
			align = max(align, c.alignment(a))
		case "packed":
			c.refuse(a.Pos, "packed structs", "use packed vectors, or members of one size")
		}
	}
	size, parts := 0, 0
	for _, f := range st.t.Fields {
		if parts += typed.Parts(f.Type); parts > maxParts {
			c.failHard(st.pos, "%s is made of more than %d members, those of its members counted too", st.t, maxParts)
		}
		if size += f.Type.Size() + max(f.Align, 16); size > maxSize {
			c.failHard(st.pos, "%s is larger than %d bytes", st.t, maxSize)
		}
	}
	st.t.Layout(align)
}

// guardMember reports what is wrong with one member and goes on; within a template the instantiation ends.
func (c *checker) guardMember(st *structInfo, f func()) {
	if st.tmpl != nil {
		f()
		return
	}
	c.guard(f)
}

// alignment evaluates alignas or aligned.
func (c *checker) alignment(a syntax.Attribute) int {
	if len(a.Args) != 1 {
		c.fail(a.Pos, "%s needs one argument", a.Name)
	}
	if id, ok := a.Args[0].(*syntax.Ident); ok {
		if r := c.resolve(id.Name); r.typ != nil {
			return c.sized(a.Pos, r.typ.T).Align()
		}
	}
	n := c.constantInt(a.Args[0], "an alignment")
	if n < 1 || n > 1<<16 || n&(n-1) != 0 {
		c.fail(a.Pos, "an alignment is a power of two up to 65536, not %d", n)
	}
	return int(n)
}

// memberAlignment returns the alignment that a member is declared to have at least, 0 if there is none.
func (c *checker) memberAlignment(d *syntax.VarDecl) int {
	align := 0
	for _, list := range [][]syntax.Attribute{d.Specs.Attrs, d.Attrs} {
		for _, a := range list {
			switch a.Name {
			case "alignas", "aligned":
				align = max(align, c.alignment(a))
			case "packed":
				c.refuse(a.Pos, "packed members", "use packed vectors, or members of one size")
			}
		}
	}
	return align
}

// sized returns t if objects of it can be made.
func (c *checker) sized(pos Pos, t typed.Type) typed.Type {
	switch u := t.(type) {
	case *typed.VoidType:
		c.fail(pos, "there are no objects of type void")
	case *typed.Array:
		if u.Len == 0 {
			c.fail(pos, "the length of this array is not known")
		}
		c.sized(pos, u.Elem)
	case *typed.Struct:
		if st := c.structs[u]; st != nil {
			c.complete(pos, st)
		}
	case nil:
		c.fail(pos, "the type auto is not known here")
	}
	return t
}

func (c *checker) baseClass(st *structInfo) {
	d := st.decl
	if len(d.Bases) > 1 {
		c.refuse(d.Pos, "several base classes", "")
	}
	q := c.typeOf(d.Bases[0])
	base := c.structOf(q.T)
	if base == nil {
		if c.libraryStruct(q.T) && q.T != nil {
			c.refuse(d.Pos, "deriving from "+q.T.String(), "write a static constexpr constant member value")
		}
		c.fail(d.Pos, "%s is not a class", q)
	}
	if st.t.Union {
		c.fail(d.Pos, "a union has no base")
	}
	c.complete(d.Pos, base)
	st.base = base
	st.t.Fields = append(st.t.Fields, typed.Field{Name: base.plain, Type: base.t})
	st.fields = append(st.fields, fieldInfo{pos: d.Pos})
}

// member declares a field or a static member.
func (c *checker) member(st *structInfo, d *syntax.VarDecl) {
	name := ""
	if d.Name != nil && len(d.Name.Parts) > 0 {
		name = d.Name.Parts[0].Ident
	}
	if d.Bits != nil {
		c.refuse(d.Pos, "bit-fields", "use shifts and masks")
	}
	if d.Specs.Static {
		q := c.typeOf(d.Type)
		v := &variable{v: &typed.Var{Name: st.name + "::" + name, Const: true, Volatile: q.Volatile, Space: ir.Constant, Pos: d.Pos}, constexpr: d.Specs.Constexpr}
		if !q.Auto {
			v.v.Type = q.T
		}
		if !d.Specs.Constexpr && !q.Const {
			c.fail(d.Pos, "a static member is a constant: write static constexpr constant")
		}
		v.lazy = &lazyVar{decl: d, q: q, scope: c.scope, fp: c.fp}
		st.statics = append(st.statics, v)
		c.declare(name, &entity{pos: d.Pos, variable: v})
		return
	}
	q := c.typeOf(d.Type)
	switch {
	case q.Func != nil:
		c.notFunction(d.Pos, q)
	case q.Ref != noRef && st.t.Union:
		c.fail(d.Pos, "a member of a union is no reference")
	case q.Ref == rvalueRef:
		c.refuse(d.Pos, "members that are references to values", "write one &")
	case q.Auto:
		c.fail(d.Pos, "a member needs a type, not auto")
	case q.HasSpace && q.Space != ir.Thread && q.Ref == noRef:
		c.fail(d.Pos, "a member is in the space of its object: leave out %s", spaceWord[q.Space])
	}
	c.sized(d.Pos, q.T)
	align := c.memberAlignment(d)
	i := len(st.t.Fields)
	c.declare(name, &entity{pos: d.Pos, owner: st, field: i})
	field := typed.Field{Name: name, Type: q.T, Align: align, Volatile: q.Volatile}
	f := fieldInfo{isConst: q.Const, isVolatile: q.Volatile, pos: d.Pos}
	if q.Ref != noRef {
		field = typed.Field{Name: name, Type: pointerTo(q.T, q.space(), q.Const, q.Volatile), Align: align}
		f = fieldInfo{ref: &q, pos: d.Pos}
	}
	st.t.Fields = append(st.t.Fields, field)
	if d.Init != nil || d.Ctor {
		f.decl = d
	}
	st.fields = append(st.fields, f)
	if len(st.fields) > 4096 {
		c.fail(d.Pos, "a struct has at most 4096 members")
	}
}

// anonymousMember makes the members of an unnamed struct or union members of st.
func (c *checker) anonymousMember(st, inner *structInfo, pos Pos) {
	i := len(st.t.Fields)
	via := &entity{pos: pos, owner: st, field: i}
	st.t.Fields = append(st.t.Fields, typed.Field{Type: inner.t})
	st.fields = append(st.fields, fieldInfo{pos: pos})
	for name, e := range inner.scope.names {
		if e.owner != nil {
			c.declare(name, e.within(via))
		}
	}
}

// within returns the member e of an unnamed member, as one of what holds that.
func (e *entity) within(via *entity) *entity {
	inner := &entity{pos: e.pos, owner: e.owner, field: e.field, via: via}
	if e.via != nil {
		inner.via = e.via.within(via)
	}
	return inner
}

// fieldOf selects field i of the struct st.
func (c *checker) fieldOf(pos Pos, o operand, st *structInfo, i int) operand {
	f := st.t.Fields[i]
	if st.fields[i].ref != nil {
		if o.P != nil {
			return derefOperand(pos, &typed.LoadExpr{Node: node(pos, f.Type), X: &typed.FieldPlace{X: o.P, Index: i, Pos: pos}})
		}
		return derefOperand(pos, &typed.FieldExpr{Node: node(pos, f.Type), X: o.X, Index: i})
	}
	r := operand{pos: pos, T: f.Type, Const: o.Const || st.fields[i].isConst, Volatile: o.Volatile || st.fields[i].isVolatile, Space: o.Space}
	if o.P != nil && o.known == nil {
		r.P = &typed.FieldPlace{X: c.place(&o), Index: i, Pos: pos}
		return r
	}
	if o.P != nil {
		r.P = &typed.FieldPlace{X: o.P, Index: i, Pos: pos}
		return r
	}
	r.X = &typed.FieldExpr{Node: node(pos, f.Type), X: o.X, Index: i}
	return r
}

// memberOf selects the field that e names, which may stand in a base or an unnamed member.
func (c *checker) memberOf(pos Pos, o operand, e *entity) operand {
	if e.via != nil {
		o = c.memberOf(pos, o, e.via)
	}
	for st := c.structOf(o.T); st != nil && st != e.owner; st = c.structOf(o.T) {
		if st.base == nil {
			c.fail(pos, "this member belongs to %s, not to %s", e.owner.t, o.T)
		}
		o = c.fieldOf(pos, o, st, 0)
	}
	if c.structOf(o.T) == nil {
		c.fail(pos, "%s has no members", o.T)
	}
	return c.fieldOf(pos, o, e.owner, e.field)
}

// copyLike reports whether f is a copy or move constructor of st.
func (c *checker) copyLike(st *structInfo, f *function) bool {
	return len(f.params) >= 1 && f.required() <= 1 && same(f.params[0].q.T, st.t) && f.params[0].q.Ref != noRef
}

// aggregate reports whether a struct is made of its members in braces.
func (st *structInfo) aggregate() bool {
	for _, f := range st.ctors {
		if !f.deleted && !(f.decl != nil && f.decl.Default) {
			return false
		}
	}
	return true
}

// defaultConstructor returns the constructor of the source without arguments.
func (st *structInfo) defaultConstructor() *function {
	for _, f := range st.ctors {
		if f.tparams == nil && f.required() == 0 && !f.decl.Default && f.thisSpace == ir.Thread {
			return f
		}
	}
	return nil
}

// needsInit reports whether an object of type t is initialised even if nothing is written.
func (c *checker) needsInit(t typed.Type) bool {
	switch t := t.(type) {
	case *typed.Array:
		return c.needsInit(t.Elem)
	case *typed.Struct:
		if st := c.structs[t]; st != nil {
			return st.implicit != nil || st.defaultConstructor() != nil
		}
	}
	return false
}

// implicitConstructor makes the default constructor that initialisers of members ask for.
func (c *checker) implicitConstructor(st *structInfo) {
	for _, f := range st.ctors {
		if f.decl == nil || !f.decl.Default {
			return
		}
	}
	need := false
	for i, f := range st.fields {
		need = need || f.decl != nil || c.needsInit(st.t.Fields[i].Type)
	}
	if !need || st.t.Union {
		return
	}
	f := &function{name: st.plain, pos: st.pos, st: st, ctor: true, constexpr: true, thisSpace: ir.Thread, scope: st.scope, fp: st.fp, result: qual{T: voidType}, depth: c.depth}
	f.makeTyped()
	c.funcs[f.tf] = f
	f.synth = func() {
		b := &typed.Block{}
		this := &typed.VarPlace{Var: f.this, Pos: st.pos}
		for i := range st.fields {
			if x := c.fieldDefault(st, i); x != nil {
				b.Stmts = append(b.Stmts, c.assignField(this, i, x))
			}
		}
		f.tf.Body = b
	}
	st.implicit = f
}

// fieldDefault returns the value that a member has if the constructor gives it none, or nil.
func (c *checker) fieldDefault(st *structInfo, i int) typed.Expr {
	t := st.t.Fields[i].Type
	if d := st.fields[i].decl; d != nil {
		old := c.scope
		c.scope = st.scope
		defer func() { c.scope = old }()
		return c.initField(d.Pos, st, i, d.Init, d.Ctor, d.Args)
	}
	if c.needsInit(t) {
		return c.defaultValue(st.fields[i].pos, t)
	}
	return nil
}

// initField is initialise for a member, which may be a reference.
func (c *checker) initField(pos Pos, st *structInfo, i int, init syntax.Expr, ctor bool, args []syntax.Expr) typed.Expr {
	if st.fields[i].ref == nil {
		return c.initialise(pos, st.t.Fields[i].Type, init, ctor, args, "the initialiser of "+st.t.Fields[i].Name)
	}
	if init == nil && len(args) == 1 {
		init = args[0]
	}
	if init == nil {
		c.fail(pos, "the reference %s is bound to one lvalue", st.t.Fields[i].Name)
	}
	o := c.exprOrList(init)
	return c.refTo(&o, st, i)
}

func (c *checker) assignField(this typed.Place, i int, x typed.Expr) typed.Stmt {
	to := &typed.FieldPlace{X: this, Index: i, Pos: x.At()}
	return &typed.ExprStmt{X: &typed.AssignExpr{Node: node(x.At(), voidType), To: to, X: x}, Pos: x.At(), FP: c.fp}
}

// memberInits are the statements of a constructor's list, in the order of the members.
func (c *checker) memberInits(f *function) []typed.Stmt {
	st := f.st
	this := &typed.VarPlace{Var: f.this, Pos: f.pos}
	inits := make(map[int]syntax.MemberInit)
	for _, m := range f.decl.Inits {
		if m.Name == nil || len(m.Name.Parts) == 0 {
			c.fail(m.Pos, "the name of a member is missing")
		}
		name := m.Name.Parts[len(m.Name.Parts)-1].Ident
		if e := st.scope.names[name]; len(m.Name.Parts) == 1 && e != nil && e.owner == st && e.via == nil {
			if _, twice := inits[e.field]; twice {
				c.fail(m.Pos, "%s is initialised twice", name)
			}
			inits[e.field] = m
			continue
		}
		r := c.resolve(m.Name)
		switch {
		case r.typ != nil && same(r.typ.T, st.t):
			if len(f.decl.Inits) > 1 {
				c.fail(m.Pos, "a constructor that delegates initialises nothing else")
			}
			x := c.initialise(m.Pos, st.t, braces(m), !m.Brace, m.Args, "the constructor")
			return []typed.Stmt{&typed.ExprStmt{X: &typed.AssignExpr{Node: node(m.Pos, voidType), To: this, X: x}, Pos: m.Pos, FP: c.fp}}
		case r.typ != nil && st.base != nil && same(r.typ.T, st.base.t):
			inits[0] = m
		default:
			c.fail(m.Pos, "%s has no member %s", st.t, name)
		}
	}
	var list []typed.Stmt
	for i := range st.fields {
		var x typed.Expr
		if m, ok := inits[i]; ok {
			x = c.initField(m.Pos, st, i, braces(m), !m.Brace, m.Args)
		} else if !st.t.Union {
			if x = c.fieldDefault(st, i); x == nil && st.fields[i].ref != nil {
				c.noDefault(f.pos, st, i)
			}
		}
		if x != nil {
			list = append(list, c.assignField(this, i, x))
		}
	}
	return list
}

func braces(m syntax.MemberInit) syntax.Expr {
	if m.Brace {
		return &syntax.InitList{Pos: m.Pos, Args: m.Args}
	}
	return nil
}

// enumInfo is what the checker knows of an enumeration.
type enumInfo struct {
	scoped bool
	items  map[string]typed.Expr
	base   *typed.Scalar
	in     *scope
}

// enumDecl declares an enumeration and its values.
func (c *checker) enumDecl(d *syntax.EnumDecl) typed.Type {
	name := fmt.Sprintf("(anonymous enum at %s)", d.Pos)
	plain := ""
	if d.Name != nil && len(d.Name.Parts) > 0 {
		plain = d.Name.Parts[len(d.Name.Parts)-1].Ident
		name = plain
	}
	full := c.scope.path() + name
	if e := c.scope.names[plain]; plain != "" && e != nil && e.typ != nil {
		if s, ok := e.typ.T.(*typed.Scalar); ok && c.enums[s] != nil && (!d.Defined || c.enums[s].items == nil) {
			if d.Defined {
				c.enumItems(d, s)
			}
			return s
		}
	}
	c.names[full]++
	if n := c.names[full]; n > 1 {
		full += fmt.Sprintf("#%d", n)
	}
	s := &typed.Scalar{Kind: ir.I32, Name: full, Enum: true}
	e := &enumInfo{scoped: d.Scoped, in: c.scope}
	if d.Base != nil {
		q := c.typeOf(d.Base)
		b, ok := q.T.(*typed.Scalar)
		if !ok || !isIntKind(b.Kind) || b.Enum {
			c.fail(d.Pos, "the type under an enumeration is an integer, not %s", q)
		}
		s.Kind = b.Kind
		e.base = b
	} else if d.Scoped {
		e.base = intType
	}
	c.enums[s] = e
	if plain != "" {
		c.declare(plain, &entity{pos: d.Pos, typ: &qual{T: s}})
	}
	if d.Defined {
		c.enumItems(d, s)
	}
	return s
}

func (c *checker) enumItems(d *syntax.EnumDecl, s *typed.Scalar) {
	e := c.enums[s]
	e.items = map[string]typed.Expr{}
	type item struct {
		it  syntax.EnumItem
		val int64
		big bool // above the largest long
	}
	var items []item
	next, big, negative := int64(0), false, false
	if d.Scoped {
		old := c.push(blockScope)
		defer func() { c.scope = old }()
	}
	for _, it := range d.Items {
		if it.Value != nil {
			o := c.expr(it.Value)
			v := c.constant(it.Pos, &o, "the value of an enumerator")
			k := kindOf(o.T)
			if !isIntKind(k) {
				c.fail(it.Pos, "the value of an enumerator is an integer, not %s", o.T)
			}
			next = signed(k, v.bits)
			big = k == ir.U64 && v.bits>>63 == 1
		}
		items = append(items, item{it, next, big})
		negative = negative || next < 0 && !big
		// Until the type is known, the enumerators are ints or longs for those that follow.
		t := intType
		if next != int64(int32(next)) {
			t = longType
		}
		if big {
			t = ulongType
		}
		c.scope.set(it.Name, &entity{pos: it.Pos, value: constOf(it.Pos, t, trim(t.Kind, uint64(next)))})
		next++
	}
	if e.base == nil {
		kinds := []ir.Type{ir.U32, ir.U64}
		if negative {
			kinds = []ir.Type{ir.I32, ir.I64}
		}
		s.Kind = kinds[0]
		for _, it := range items {
			if it.big || signed(s.Kind, trim(s.Kind, uint64(it.val))) != it.val {
				s.Kind = kinds[1]
			}
		}
	}
	for _, it := range items {
		bits := trim(s.Kind, uint64(it.val))
		if s.Kind != ir.Bool && signed(s.Kind, bits) != it.val {
			c.fail(it.it.Pos, "%s does not fit in the type under %s", it.it.Name, s)
		}
		x := constOf(it.it.Pos, s, bits)
		if _, twice := e.items[it.it.Name]; twice {
			c.fail(it.it.Pos, "%s is declared twice", it.it.Name)
		}
		e.items[it.it.Name] = x
		if !d.Scoped {
			delete(c.scope.names, it.it.Name)
			c.declare(it.it.Name, &entity{pos: it.it.Pos, value: x})
		}
	}
}
