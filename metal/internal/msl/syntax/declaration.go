package syntax

import "gamma/metal/internal/msl/token"

// declarations reads declarations up to the end of the file, or to a closing brace within a namespace.
func (p *parser) declarations(where declaratorKind) []Decl {
	var list []Decl
	for !p.atEnd() {
		if p.is("}") {
			if p.scope != p.file {
				return list
			}
			from := p.mark()
			p.fail("this } closes nothing")
			p.recover(from)
			p.accept("}")
			continue
		}
		list = p.declarationOr(list, where)
	}
	return list
}

// declarationOr appends one declaration, or recovers.
func (p *parser) declarationOr(list []Decl, where declaratorKind) []Decl {
	from, n, inScope, depth := p.mark(), len(list), p.scope, p.depth
	list = p.declaration(list, where)
	if p.poisoned {
		p.scope, p.depth = inScope, depth
		p.recover(from)
		list = list[:n]
	}
	if p.at == from.at && !p.atEnd() && !p.is("}") {
		p.next()
	}
	return list
}

// declaration appends one declaration, of one or several names.
func (p *parser) declaration(list []Decl, where declaratorKind) []Decl {
	if !p.enter() {
		return list
	}
	defer p.leave()
	t := p.tok
	if t.Kind == token.Pragma {
		switch {
		case where == atMember:
			p.fail("#pragma %s cannot stand in a structure: put it before the structure, or first in a function's braces", t.Text)
		case isFloatPragma(t.Text):
			list = append(list, &PragmaDecl{Pos: t.Pos, Text: t.Text})
			p.next()
		default:
			p.fail("#pragma %s means something only in front of a loop", t.Text)
		}
		return list
	}
	if t.Kind == token.Keyword {
		switch t.Text {
		case "namespace":
			return p.namespace(list)
		case "inline":
			if p.peek(1).Is("namespace") {
				// Its names are those of what is around, too.
				p.next()
				pos, in, n := p.tok.Pos, p.scope, len(list)
				if list = p.namespace(list); p.poisoned {
					return list
				}
				if name := list[n].(*NamespaceDecl).Name; name != "" {
					in.use(in.names[name].members)
					list = append(list, &UsingDirective{Pos: pos, Name: newName(pos, name)})
				}
				return list
			}
		case "using":
			return p.using(list)
		case "template":
			return append(list, p.template(where))
		case "static_assert":
			return append(list, p.staticAssert())
		case "asm":
			p.refuse(t.Pos, "asm", "write the operation in Metal Shading Language")
			return list
		case "extern":
			if p.peek(1).Kind == token.String {
				return p.linkage(list)
			}
			if p.peek(1).Is("template") {
				p.refuse(t.Pos, "extern template", "a library is one file: leave it out")
				return list
			}
		}
	}
	if p.accept(";") {
		return list
	}
	s := p.specifiers(specsDecl)
	return p.declarators(list, &s, where)
}

// declarators appends what stands after the specifiers, up to the semicolon or the body.
func (p *parser) declarators(list []Decl, s *specified, where declaratorKind) []Decl {
	if p.poisoned {
		return list
	}
	if p.is(";") {
		p.next()
		if s.typ == nil {
			p.failAt(s.pos, "these words declare nothing: expected a type and a name")
			return list
		}
		if t, ok := s.typ.(*NameType); ok && t.Struct != nil {
			return append(list, t.Struct)
		} else if ok && t.Enum != nil {
			return append(list, t.Enum)
		}
		if s.decls == nil {
			p.failAt(s.pos, "this type declares nothing: expected a name after it")
		}
		if s.specs.Friend {
			return list
		}
		return append(list, s.decls...)
	}
	if !s.typedef {
		list = append(list, s.decls...)
	}
	if _, ok := s.typ.(*AutoType); ok && p.is("[") {
		p.refuse(p.tok.Pos, "structured bindings", "name the parts one by one")
		return list
	}
	if s.typ == nil && !p.declaresSelf(where) {
		p.fail("expected a type, found %s", p.found())
		return list
	}
	kind := where
	if s.typedef {
		kind = atTypedef
	}
	for first := true; !p.poisoned; first = false {
		if where == atMember && p.is(":") {
			p.refuse(p.tok.Pos, "bit-fields", "use shifts and masks")
			return list
		}
		d := p.declarator(kind)
		if p.poisoned {
			return list
		}
		if s.typedef {
			list = p.typedef(list, s, &d, first)
		} else if fun := d.isFunc(); fun != nil {
			f := p.function(s, &d, fun, where)
			list = append(list, f)
			if f.Body != nil {
				return list
			}
		} else {
			list = append(list, p.variable(s, &d, where))
		}
		if p.poisoned || p.accept(";") {
			return list
		}
		if !p.accept(",") {
			p.fail("expected ; after the declaration, found %s", p.found())
		}
	}
	return list
}

// declaresSelf reports whether a constructor, destructor or conversion stands next, which have no type.
func (p *parser) declaresSelf(where declaratorKind) bool {
	return p.is("operator") || p.is("~") && where == atMember || p.constructs()
}

// typedef appends an alias.
func (p *parser) typedef(list []Decl, s *specified, d *declarator, first bool) []Decl {
	name := p.plainName(d, "a typedef")
	if p.poisoned {
		return list
	}
	base, ok := s.typ.(*NameType)
	if first && ok && len(d.ops) == 0 {
		// typedef struct {…} T; and typedef struct T {…} T; define T.
		switch {
		case base.Struct != nil:
			base.Struct.Name = d.name
			p.declare(name, symbol{typ: true})
			list = append(list, base.Struct)
			s.typ = &NameType{Pos: base.Pos, Name: d.name, Quals: base.Quals}
			return list
		case base.Enum != nil:
			base.Enum.Name = d.name
			p.declare(name, symbol{typ: true})
			list = append(list, base.Enum)
			s.typ = &NameType{Pos: base.Pos, Name: d.name, Quals: base.Quals}
			return list
		case s.decls != nil && base.Name.is(name):
			return append(list, s.decls...)
		}
	}
	if first {
		list = append(list, s.decls...)
	}
	typ := build(s.typ, d.ops)
	sym := p.symbolOf(typ)
	sym.template = p.scope.template
	p.declare(name, sym)
	return append(list, &AliasDecl{Pos: d.pos, Name: name, Type: typ})
}

// is reports whether the name is the one word text.
func (n *Name) is(text string) bool {
	return len(n.Parts) == 1 && !n.Parts[0].HasArgs && n.Parts[0].Ident == text
}

// symbolOf returns the symbol of an alias of typ.
func (p *parser) symbolOf(typ TypeExpr) symbol {
	sym := symbol{typ: true}
	t, ok := typ.(*NameType)
	if !ok || t.Name == nil {
		return sym
	}
	in := p.scope
	for i, part := range t.Name.Parts {
		var found symbol
		if i == 0 {
			if t.Name.Global {
				in = p.file
			}
			found, _ = in.lookup(part.Ident)
		} else {
			found, _ = in.find(part.Ident)
		}
		if in = found.members; in == nil {
			return sym
		}
	}
	sym.members = in
	return sym
}

// plainName returns the one word that d declares.
func (p *parser) plainName(d *declarator, what string) string {
	if d.name == nil || len(d.name.Parts) != 1 || d.name.Parts[0].HasArgs || d.of.operator {
		p.failAt(d.pos, "the name of %s is one word", what)
		return ""
	}
	return d.name.Parts[0].Ident
}

// variable reads the initialiser of a variable or field.
func (p *parser) variable(s *specified, d *declarator, where declaratorKind) *VarDecl {
	v := &VarDecl{Pos: d.pos, Specs: s.specs, Type: build(s.typ, d.ops), Name: d.name, Attrs: d.attrs}
	if s.typ == nil {
		p.failAt(d.pos, "expected a type before %s", d.name)
		return v
	}
	if d.name == nil {
		p.fail("expected a name, found %s", p.found())
		return v
	}
	if len(d.name.Parts) == 1 {
		p.declare(d.name.Parts[0].Ident, symbol{template: p.scope.template})
	}
	if where == atMember && p.accept(":") {
		v.Bits = p.conditional()
	}
	old := p.scope
	if d.of.within != nil {
		p.push()
		p.scope.use(d.of.within)
	}
	p.initialiser(v)
	p.scope = old
	v.Attrs = p.attributes(v.Attrs, nil)
	return v
}

// initialiser reads = e, = {…}, {…} or (…).
func (p *parser) initialiser(v *VarDecl) {
	switch {
	case p.accept("="):
		v.Init = p.initClause()
	case p.is("{"):
		v.Init = p.initList()
	case p.is("("):
		v.Ctor = true
		v.Args = p.callArgs("(", ")")
	}
}

// function reads what stands after a function's declarator.
func (p *parser) function(s *specified, d *declarator, fun *funcOp, where declaratorKind) *FuncDecl {
	f := &FuncDecl{Pos: d.pos, Specs: s.specs, Name: d.name, Params: fun.params, Quals: fun.quals, Attrs: append(d.attrs, fun.attrs...)}
	if d.name == nil {
		p.fail("expected the name of a function, found %s", p.found())
		return f
	}
	if where == atBlock {
		p.refuse(d.pos, "functions declared in functions", "%s(…) reads as a function here: initialise with braces", d.name)
		return f
	}
	last := d.name.Parts[len(d.name.Parts)-1]
	switch {
	case d.of.converts != nil:
		f.Converts, f.Result = true, d.of.converts
		if s.typ != nil {
			p.failAt(s.pos, "a conversion operator names its type only after operator")
		}
	case last.Ident[0] == '~':
		f.Dtor = true
	case s.typ == nil:
		f.Ctor = true
		if d.of.operator || len(d.ops) != 1 {
			p.failAt(d.pos, "expected the type of what %s returns", d.name)
		}
	default:
		result := d.ops[:len(d.ops)-1]
		if f.Result = build(s.typ, result); fun.trailing != nil {
			f.Result = fun.trailing
		}
	}
	if len(d.name.Parts) == 1 && !last.HasArgs && !f.Ctor && !f.Dtor && !s.specs.Friend {
		p.declare(last.Ident, symbol{template: p.scope.template})
		if where == atMember && p.scope.template {
			if p.members == nil {
				p.members = make(map[string]bool)
			}
			p.members[last.Ident] = true
		}
	}
	f.Attrs = p.attributes(f.Attrs, nil)
	if p.accept("=") {
		switch {
		case p.accept("default"):
			f.Default = true
		case p.accept("delete"):
			f.Delete = true
		case p.tok.Kind == token.Int:
			p.refuse(p.tok.Pos, "virtual functions", "use a template or an overload")
		default:
			p.fail("expected default or delete after =, found %s", p.found())
		}
		return f
	}
	old := p.scope
	defer func() { p.scope = old }()
	p.scope = fun.scope
	if p.is(":") {
		if !f.Ctor {
			p.fail("only constructors initialise members after :")
			return f
		}
		f.Inits = p.memberInits()
	}
	if p.is("try") {
		p.refuse(p.tok.Pos, "exceptions", "a kernel cannot catch")
	}
	if !p.is("{") {
		if f.Inits != nil {
			p.fail("expected the body of the constructor, found %s", p.found())
		}
		return f
	}
	if p.classes > 0 && p.attempts == 0 {
		// Its body knows all members of the structure, those that follow too.
		f.Body = &Block{Pos: p.tok.Pos}
		p.delayed = append(p.delayed, delay{f, p.mark(), p.scope})
		p.skipMatching()
		return f
	}
	f.Body = p.block()
	return f
}

// memberInits reads : a(x), b{y}.
func (p *parser) memberInits() []MemberInit {
	list := []MemberInit{}
	p.next()
	for !p.poisoned {
		m := MemberInit{Pos: p.tok.Pos}
		m.Name, _ = p.name(inType)
		switch {
		case p.is("("):
			m.Args = p.callArgs("(", ")")
		case p.is("{"):
			m.Brace = true
			m.Args = p.callArgs("{", "}")
		default:
			p.fail("expected ( or { after the name of a member, found %s", p.found())
		}
		if p.is("...") {
			p.refuse(p.tok.Pos, "packs of base classes", "name the base classes one by one")
		}
		list = append(list, m)
		if !p.accept(",") {
			break
		}
	}
	return list
}

// namespace reads a namespace; of a::b it makes two.
func (p *parser) namespace(list []Decl) []Decl {
	n := &NamespaceDecl{Pos: p.tok.Pos}
	p.next()
	p.attributes(nil, nil)
	if p.tok.Kind == token.Ident && p.peek(1).Is("=") {
		return append(list, p.namespaceAlias(n.Pos))
	}
	if p.scope.open() != p.scope || p.scope.owner != "" {
		p.fail("a namespace cannot stand here")
		return list
	}
	old := p.scope
	defer func() { p.scope = old }()
	list = append(list, n)
	if p.tok.Kind == token.Ident {
		n.Name = p.ident("a name")
	}
	p.enterNamespace(n.Name)
	inner := n
	for depth := 0; p.is("::") && !p.poisoned; depth++ {
		if depth >= maxDepth {
			p.fail("nested too deeply: more than %d namespaces", maxDepth)
			return list
		}
		p.next()
		next := &NamespaceDecl{Pos: p.tok.Pos, Name: p.ident("the name of a namespace after ::")}
		inner.Decls = []Decl{next}
		p.enterNamespace(next.Name)
		inner = next
		if p.is("{") {
			p.namespaceBody(inner)
			return list
		}
	}
	p.namespaceBody(n)
	return list
}

// namespaceAlias reads another name for a namespace.
func (p *parser) namespaceAlias(pos Pos) Decl {
	a := &NamespaceAlias{Pos: pos, Name: p.ident("a name")}
	p.expect("=", "in an alias")
	var of named
	a.Of, of = p.name(inExpr)
	p.scope.open().set(a.Name, symbol{space: true, members: of.members})
	p.expect(";", "after an alias")
	return a
}

func (p *parser) namespaceBody(n *NamespaceDecl) {
	open := p.tok.Pos
	if !p.expect("{", "after the name of a namespace") {
		return
	}
	n.Decls = p.declarations(atFile)
	if p.atEnd() {
		p.failAt(open, "nothing closes this namespace")
	}
	p.expect("}", "at the end of a namespace")
}

// enterNamespace makes the namespace's scope the present one.
func (p *parser) enterNamespace(name string) {
	in := p.scope
	sym, ok := in.names[name]
	if !ok || !sym.space {
		sym = symbol{space: true, members: &scope{parent: in}}
		if builtin, ok := builtins().names[name]; ok && builtin.space && in == p.file {
			sym.members.use(builtin.members)
		}
		in.set(name, sym)
		if name == "" {
			in.use(sym.members)
		}
	}
	p.scope = sym.members
}

// using reads a using directive, an alias or a using declaration.
func (p *parser) using(list []Decl) []Decl {
	pos := p.tok.Pos
	p.next()
	if p.accept("namespace") {
		u := &UsingDirective{Pos: pos}
		var of named
		u.Name, of = p.name(inExpr)
		p.scope.open().use(of.members)
		p.expect(";", "after a using directive")
		return append(list, u)
	}
	if p.tok.Kind == token.Ident && (p.peek(1).Is("=") || p.peek(1).Is("[")) {
		a := &AliasDecl{Pos: p.tok.Pos, Name: p.tok.Text}
		p.next()
		p.attributes(nil, nil)
		if !p.expect("=", "in an alias") {
			return list
		}
		if p.is("struct") || p.is("class") || p.is("union") || p.is("enum") {
			// It may be defined here: an alias is then a typedef of it.
			s := p.specifiers(specsDecl)
			if p.poisoned {
				return list
			}
			d := p.declarator(abstract)
			d.pos, d.name = a.Pos, newName(a.Pos, a.Name)
			list = p.typedef(list, &s, &d, true)
			p.expect(";", "after an alias")
			return list
		}
		p.aliases = true
		a.Type = p.typeID(specsType)
		p.aliases = false
		p.expect(";", "after an alias")
		if !p.poisoned {
			sym := p.symbolOf(a.Type)
			sym.template = p.scope.template
			p.declare(a.Name, sym)
		}
		return append(list, a)
	}
	typename := p.accept("typename")
	u := &UsingDecl{Pos: pos}
	var of named
	u.Name, of = p.name(inExpr)
	if n := len(u.Name.Parts); n > 1 {
		sym := of.symbol
		sym.typ = sym.typ || typename
		p.declare(u.Name.Parts[n-1].Ident, sym)
	} else {
		p.fail("using declares a qualified name, such as a::b")
	}
	p.expect(";", "after a using declaration")
	return append(list, u)
}

// staticAssert reads static_assert(X) or static_assert(X, "…").
func (p *parser) staticAssert() Decl {
	a := &StaticAssert{Pos: p.tok.Pos}
	p.next()
	if !p.expect("(", "after static_assert") {
		return a
	}
	a.X = p.within(p.conditional)
	if p.accept(",") {
		if p.tok.Kind != token.String {
			p.fail("expected a message in quotes, found %s", p.found())
		}
		a.Msg = p.text()
	}
	p.expect(")", "after what static_assert holds")
	p.expect(";", "after static_assert")
	return a
}

// linkage reads extern "C" {…} as the declarations that it holds.
func (p *parser) linkage(list []Decl) []Decl {
	p.next()
	p.next()
	if !p.is("{") {
		return p.declaration(list, atFile)
	}
	open := p.tok.Pos
	p.next()
	for !p.is("}") && !p.atEnd() {
		list = p.declarationOr(list, atFile)
	}
	if p.atEnd() {
		p.failAt(open, "nothing closes this block")
	}
	p.expect("}", "at the end of extern")
	return list
}
