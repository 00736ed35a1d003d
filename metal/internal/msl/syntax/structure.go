package syntax

import "gamma/metal/internal/msl/token"

// structure reads struct, class or union: a definition, a declaration, or the name of one as a type.
func (p *parser) structure(s *specified, mode specsMode) TypeExpr {
	d := &StructDecl{Pos: p.tok.Pos, Kind: p.tok.Text}
	p.next()
	d.Attrs = p.attributes(nil, nil)
	var of named
	if p.tok.Kind == token.Ident || p.is("::") {
		d.Pos = p.tok.Pos
		d.Name, of = p.name(inDeclarator)
	}
	if p.tok.Kind == token.Ident && p.tok.Text == "final" && (p.peek(1).Is("{") || p.peek(1).Is(":")) {
		p.next()
	}
	defines := p.is("{") || p.is(":") && mode == specsDecl && d.Name != nil
	declares := p.is(";") && d.Name != nil && mode == specsDecl
	if d.Name == nil && !defines {
		p.fail("expected the name of a %s or {, found %s", d.Kind, p.found())
		return nil
	}
	if defines && mode != specsDecl {
		p.fail("a %s cannot be defined here: define it before", d.Kind)
		return nil
	}
	if !defines && !declares {
		return &NameType{Pos: d.Pos, Name: d.Name}
	}
	var members *scope
	name := ""
	if d.Name != nil {
		last := d.Name.Parts[len(d.Name.Parts)-1]
		name = last.Ident
		if len(d.Name.Parts) == 1 && !last.HasArgs && !s.specs.Friend {
			if defines {
				members = &scope{}
			}
			p.declare(name, symbol{typ: true, template: p.scope.template, members: members})
		}
	}
	if !defines {
		s.decls = append(s.decls, d)
		return &NameType{Pos: d.Pos, Name: d.Name}
	}
	if members == nil {
		members = &scope{}
		if d.Name != nil && len(d.Name.Parts) > 1 && of.within != nil && !d.Name.Parts[len(d.Name.Parts)-1].HasArgs {
			of.within.set(name, symbol{typ: true, members: members})
		}
		if d.Name != nil && len(d.Name.Parts) == 1 {
			// Of a template's specialisations all members are known together.
			if primary, ok := p.scope.open().names[name]; ok && primary.typ {
				if primary.members == nil {
					primary.members = &scope{}
					p.scope.open().names[name] = primary
				}
				primary.members.use(members)
			}
		}
	}
	members.owner = name
	d.Defined = true
	old := p.scope
	members.parent = old
	if of.within != nil {
		members.use(of.within)
	}
	if p.accept(":") {
		p.bases(d, members)
	}
	p.scope = members
	p.structBody(d)
	p.scope = old
	d.Attrs = p.attributes(d.Attrs, nil)
	if d.Name == nil {
		return &NameType{Pos: d.Pos, Struct: d}
	}
	s.decls = append(s.decls, d)
	return &NameType{Pos: d.Pos, Name: d.Name}
}

// bases reads the base classes.
func (p *parser) bases(d *StructDecl, members *scope) {
	for !p.poisoned {
		for p.accept("public") || p.accept("private") || p.accept("protected") {
			continue
		}
		if p.is("virtual") {
			p.refuse(p.tok.Pos, "virtual base classes", "derive without virtual")
			return
		}
		base := p.typeID(specsType)
		if p.is("...") {
			p.refuse(p.tok.Pos, "packs of base classes", "name the base classes one by one")
			return
		}
		if sym := p.symbolOf(base); sym.members != nil {
			members.use(sym.members)
		}
		d.Bases = append(d.Bases, base)
		if !p.accept(",") {
			return
		}
	}
}

// structBody reads the members, and then the bodies of methods if no structure is around.
func (p *parser) structBody(d *StructDecl) {
	open := p.tok.Pos
	if !p.expect("{", "after the head of a "+d.Kind) {
		return
	}
	p.classes++
	for !p.is("}") && !p.atEnd() {
		if p.is("public") || p.is("private") || p.is("protected") {
			from := p.mark()
			p.next()
			if p.expect(":", "after "+from.tok.Text); p.poisoned {
				p.recover(from)
			}
			continue
		}
		d.Members = p.declarationOr(d.Members, atMember)
	}
	p.classes--
	if p.atEnd() {
		p.failAt(open, "nothing closes this %s", d.Kind)
	}
	if !p.expect("}", "at the end of a "+d.Kind) {
		if p.classes == 0 {
			p.delayed = nil
		}
		return
	}
	if p.classes > 0 {
		return
	}
	late, end, inScope := p.delayed, p.mark(), p.scope
	p.delayed = nil
	for _, l := range late {
		if p.poisoned {
			break
		}
		p.reset(l.from)
		p.scope = l.scope
		l.f.Body = p.block()
	}
	if !p.poisoned {
		p.reset(end)
	}
	p.scope = inScope
}

// enumeration reads enum: a definition, a declaration, or the name of one as a type.
func (p *parser) enumeration(s *specified, mode specsMode) TypeExpr {
	e := &EnumDecl{Pos: p.tok.Pos}
	p.next()
	e.Scoped = p.accept("class") || p.accept("struct")
	p.attributes(nil, nil)
	if p.tok.Kind == token.Ident {
		e.Pos = p.tok.Pos
		e.Name, _ = p.name(inType)
	}
	if mode == specsDecl && p.accept(":") {
		e.Base = p.typeID(specsType)
	}
	e.Defined = p.is("{")
	switch {
	case e.Name == nil && !e.Defined:
		p.fail("expected the name of an enumeration or {, found %s", p.found())
		return nil
	case !e.Defined && !(mode == specsDecl && p.is(";")):
		if e.Base != nil {
			p.fail("expected { after the type of an enumeration, found %s", p.found())
		}
		return &NameType{Pos: e.Pos, Name: e.Name}
	case e.Defined && mode != specsDecl:
		p.fail("an enumeration cannot be defined here: define it before")
		return nil
	}
	items := &scope{}
	if e.Name != nil && len(e.Name.Parts) == 1 {
		p.declare(e.Name.Parts[0].Ident, symbol{typ: true, members: items})
	}
	if e.Defined {
		p.enumItems(e, items)
	}
	if e.Name == nil {
		return &NameType{Pos: e.Pos, Enum: e}
	}
	s.decls = append(s.decls, e)
	return &NameType{Pos: e.Pos, Name: e.Name}
}

// enumItems reads {A, B = 2}.
func (p *parser) enumItems(e *EnumDecl, items *scope) {
	p.next()
	old := p.push()
	p.scope.use(items)
	outer := old.open()
	defer func() { p.scope = old }()
	for !p.is("}") && !p.poisoned {
		item := EnumItem{Pos: p.tok.Pos, Name: p.ident("the name of an enumerator")}
		p.attributes(nil, nil)
		if p.accept("=") {
			item.Value = p.conditional()
		}
		e.Items = append(e.Items, item)
		items.set(item.Name, symbol{})
		if !e.Scoped {
			outer.set(item.Name, symbol{})
		}
		if !p.is("}") {
			p.expect(",", "or } in an enumeration")
		}
	}
	p.expect("}", "at the end of an enumeration")
	p.attributes(nil, nil)
}
