package syntax

import "gamma/metal/internal/msl/token"

// template reads a template, a specialisation or an explicit instantiation.
func (p *parser) template(where declaratorKind) Decl {
	pos := p.tok.Pos
	p.next()
	if where == atBlock {
		p.failAt(pos, "a template cannot stand in a function")
		return nil
	}
	if !p.is("<") {
		return p.instantiation(pos)
	}
	t := &TemplateDecl{Pos: pos}
	old := p.push()
	defer func() { p.scope = old }()
	p.scope.params = true
	t.Params = p.templateParams()
	p.scope.template = len(t.Params) > 0
	if p.tok.Kind == token.Ident && p.tok.Text == "requires" {
		p.refuse(p.tok.Pos, "concepts", "use metal::enable_if_t")
	}
	if p.poisoned {
		return t
	}
	inner := p.declaration(nil, where)
	if p.poisoned {
		return t
	}
	if len(inner) != 1 {
		if n := len(inner); n == 2 {
			if _, ok := inner[0].(*StructDecl); ok {
				p.failAt(pos, "a template declares one thing: declare the variable apart from its structure")
				return t
			}
		}
		p.failAt(pos, "a template declares one thing, and this declares %d", len(inner))
		return t
	}
	switch inner[0].(type) {
	case *FuncDecl, *StructDecl, *AliasDecl, *VarDecl, *TemplateDecl:
		t.Decl = inner[0]
	default:
		p.failAt(pos, "expected a function, structure, alias or variable after template <…>")
	}
	return t
}

// templateParams reads <typename T, int N = 4, …>.
func (p *parser) templateParams() []*TemplateParam {
	open := p.tok.Pos
	p.next()
	old := p.noShut
	p.noShut = true
	defer func() { p.noShut = old }()
	var list []*TemplateParam
	for !p.shutsAngle() && !p.poisoned {
		if p.atEnd() {
			p.failAt(open, "nothing closes this list of template parameters")
			return list
		}
		list = append(list, p.templateParam())
		if p.shutsAngle() {
			break
		}
		p.expect(",", "or > in a list of template parameters")
	}
	if !p.poisoned {
		p.shutAngle()
	}
	return list
}

func (p *parser) templateParam() *TemplateParam {
	q := &TemplateParam{Pos: p.tok.Pos}
	if !p.enter() {
		return q
	}
	defer p.leave()
	sym := symbol{typ: true}
	switch {
	case p.is("template"):
		p.next()
		q.Template = true
		sym.template = true
		if !p.is("<") {
			p.fail("expected < after template, found %s", p.found())
			return q
		}
		oldScope := p.push()
		p.templateParams()
		p.scope = oldScope
		if !p.accept("class") && !p.accept("typename") {
			p.fail("expected class or typename, found %s", p.found())
			return q
		}
	case p.is("class") || p.is("typename") && !p.typenameOfValue():
		p.next()
	default:
		s := p.specifiers(specsType)
		if p.poisoned {
			return q
		}
		d := p.declarator(atParam)
		q.Type = build(s.typ, d.ops)
		q.Pack = d.pack
		if d.name != nil {
			q.Pos = d.pos
			q.Name = p.plainName(&d, "a parameter")
			p.scope.set(q.Name, symbol{})
		}
		if p.accept("=") {
			q.Default = &TemplateArg{X: p.conditional()}
		}
		return q
	}
	q.Pack = p.accept("...")
	if p.tok.Kind == token.Ident {
		q.Pos = p.tok.Pos
		q.Name = p.tok.Text
		p.scope.set(q.Name, sym)
		p.next()
	}
	if p.accept("=") {
		q.Default = &TemplateArg{Type: p.typeID(specsType)}
	}
	return q
}

// typenameOfValue tells typename X<T>::type V, a value, from typename T, a type.
func (p *parser) typenameOfValue() bool {
	t := p.peek(1)
	return t.Is("::") || t.Kind == token.Ident && (p.peek(2).Is("::") || p.peek(2).Is("<"))
}

// instantiation reads an explicit instantiation after the word template.
func (p *parser) instantiation(pos Pos) Decl {
	in := &Instantiation{Pos: pos}
	s := p.specifiers(specsDecl)
	in.Specs = s.specs
	if p.poisoned {
		return in
	}
	if p.is(";") {
		if len(s.decls) == 1 {
			if d, ok := s.decls[0].(*StructDecl); ok && !d.Defined {
				p.next()
				in.Decl = d
				return in
			}
		}
		p.fail("expected what to instantiate, such as void f<float>(device float *), found ;")
		return in
	}
	if s.typ == nil {
		p.fail("expected a type, found %s", p.found())
		return in
	}
	d := p.declarator(atFile)
	if p.poisoned {
		return in
	}
	if fun := d.isFunc(); fun != nil {
		in.Decl = p.function(&s, &d, fun, atFile)
		if in.Decl.(*FuncDecl).Body != nil {
			p.failAt(pos, "an instantiation has no body: write template <> before a specialisation")
		}
	} else {
		in.Alias, in.Type = d.name, s.typ
		if len(d.ops) > 0 {
			p.failAt(d.pos, "expected the name of a function after its type")
		}
	}
	p.expect(";", "after an instantiation")
	return in
}
