package syntax

import "gamma/metal/internal/msl/token"

// attributeStarts reports whether attributes stand next.
func (p *parser) attributeStarts() bool {
	switch p.tok.Kind {
	case token.Punct:
		return p.is("[") && p.peek(1).Is("[")
	case token.Ident:
		return p.tok.Text == "__attribute__" || p.tok.Text == "__attribute"
	}
	return p.is("alignas")
}

// attributes reads all attributes that stand next. With specs, [[kernel]] and its like are set there
// instead.
func (p *parser) attributes(dst []Attribute, specs *Specs) []Attribute {
	for !p.poisoned && p.attributeStarts() {
		switch {
		case p.is("alignas"):
			dst = append(dst, p.alignas())
		case p.is("["):
			p.next()
			p.next()
			dst = p.attributeList(dst, specs, "]")
			p.expect("]", "after attributes")
			p.expect("]", "after attributes")
		default:
			p.next()
			if p.expect("(", "after __attribute__") && p.expect("(", "after __attribute__(") {
				dst = p.attributeList(dst, specs, ")")
				p.expect(")", "after attributes")
				p.expect(")", "after attributes")
			}
		}
	}
	return dst
}

func (p *parser) alignas() Attribute {
	a := Attribute{Pos: p.tok.Pos, Name: "alignas"}
	p.next()
	if !p.expect("(", "after alignas") {
		return a
	}
	arg := p.within(func() Expr {
		if p.startsType() {
			return &Sizeof{Pos: a.Pos, Align: true, Type: p.typeID(specsType)}
		}
		return p.conditional()
	})
	a.Args = []Expr{arg}
	p.expect(")", "after what alignas holds")
	return a
}

// attributeList reads attributes up to the bracket shut.
func (p *parser) attributeList(dst []Attribute, specs *Specs, shut string) []Attribute {
	for !p.poisoned && !p.is(shut) {
		if p.accept(",") {
			continue
		}
		a := Attribute{Pos: p.tok.Pos}
		if p.tok.Kind != token.Ident && p.tok.Kind != token.Keyword {
			p.fail("expected the name of an attribute, found %s", p.found())
			return dst
		}
		a.Name = p.tok.Text
		p.next()
		for p.is("::") {
			p.next()
			a.Name += "::" + p.tok.Text
			if p.tok.Kind != token.Ident && p.tok.Kind != token.Keyword {
				p.fail("expected the name of an attribute after ::, found %s", p.found())
				return dst
			}
			p.next()
		}
		if p.is("(") {
			open := p.mark()
			if !p.attempt(func() bool { a.Args = p.callArgs("(", ")"); return true }) {
				// Vendors' attributes may hold anything.
				a.Args = nil
				p.reset(open)
				p.skipMatching()
			}
		}
		if specs != nil && len(a.Args) == 0 {
			switch a.Name {
			case "kernel":
				specs.Kernel = true
				continue
			case "vertex", "fragment", "mesh", "object":
				specs.Stage = a.Name
				continue
			}
		}
		if specs != nil && a.Name == "intersection" {
			specs.Stage = a.Name
			continue
		}
		dst = append(dst, a)
		if !p.is(shut) {
			p.expect(",", "or the end of the attributes")
		}
	}
	return dst
}
