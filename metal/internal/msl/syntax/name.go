package syntax

import "gamma/metal/internal/msl/token"

// nameMode says how the < after a name is read.
type nameMode uint8

const (
	// inExpr: it opens arguments if the name is known to be a template.
	inExpr nameMode = iota
	// inType: the name can only be a type, so it opens arguments unless the name is known to be none.
	inType
	// inDeclarator: the name is being declared, so it opens arguments.
	inDeclarator
)

// named is what is known of a name that was read.
type named struct {
	symbol
	known bool
	// dependent: it is qualified by something whose members are not known.
	dependent bool
	qualified bool
	// within is the scope that the last qualifier names; nil if not known.
	within *scope
	// converts is the type of a conversion operator.
	converts TypeExpr
	operator bool
}

// newName returns a name of one word, made in one piece.
func newName(pos Pos, ident string) *Name {
	n := &struct {
		Name
		parts [1]NamePart
	}{}
	n.parts[0] = NamePart{Pos: pos, Ident: ident}
	n.Name = Name{Pos: pos, Parts: n.parts[:]}
	return &n.Name
}

// name reads a possibly qualified name.
func (p *parser) name(mode nameMode) (*Name, named) {
	n := newName(p.tok.Pos, "")
	n.Parts = n.Parts[:0]
	var of named
	if !p.enter() {
		return n, of
	}
	defer p.leave()
	in := p.scope
	switch {
	case p.accept("::"):
		n.Global, of.qualified, in = true, true, p.file
		of.within = in
	case p.is("decltype"):
		d := p.decltype()
		n.Parts = append(n.Parts, NamePart{Pos: d.Pos, Ident: "decltype", Decltype: d})
		p.expect("::", "after decltype(…) in a name")
		of.qualified, in = true, nil
	}
	for {
		part := NamePart{Pos: p.tok.Pos}
		if of.qualified && p.accept("template") {
			part.Template = true
		}
		of.symbol, of.known = symbol{}, false
		switch {
		case p.tok.Kind == token.Ident:
			part.Ident = p.tok.Text
			p.next()
			switch {
			case !of.qualified:
				of.symbol, of.known = in.lookup(part.Ident)
			case in != nil:
				if of.symbol, of.known = in.find(part.Ident); !of.known && in == p.file {
					of.symbol, of.known = in.parent.find(part.Ident)
				}
				if !of.known && in.owner == part.Ident {
					// The structure's own name within it.
					of.symbol, of.known = symbol{typ: true, template: true, members: in}, true
				}
			}
		case p.is("operator"):
			part.Ident, of.converts = p.operatorName()
			part.Converts, of.operator = of.converts, true
		case p.is("~") && (of.qualified || mode == inDeclarator):
			p.next()
			part.Ident = "~" + p.ident("the name of the structure after ~")
		default:
			p.fail("expected a name, found %s", p.found())
			return n, of
		}
		if p.is("<") && p.opensArgs(mode, part.Template, of) {
			part.HasArgs = true
			part.Args = p.templateArgs()
		}
		n.Parts = append(n.Parts, part)
		if !p.is("::") || of.operator || len(n.Parts) > maxDepth {
			return n, of
		}
		if t := p.peek(1); t.Kind != token.Ident && !t.Is("template") && !t.Is("operator") && !t.Is("~") {
			if t.Is("*") {
				p.refuse(p.tok.Pos, "pointers to members", "use a function or a field by its name")
			}
			return n, of
		}
		p.next()
		of.qualified = true
		of.dependent = of.dependent || of.members == nil
		in = of.members
		of.within = in
	}
}

// opensArgs says whether the < after a name opens arguments.
func (p *parser) opensArgs(mode nameMode, forced bool, of named) bool {
	switch {
	case of.operator && mode == inExpr:
		return false
	case forced, mode == inDeclarator, of.known && of.template:
		return true
	case mode == inType:
		return !of.known
	}
	return false
}

// operatorName reads operator and its symbol, or the type of a conversion.
func (p *parser) operatorName() (string, TypeExpr) {
	pos := p.tok.Pos
	p.next()
	switch {
	case p.is("("):
		p.next()
		p.expect(")", "after operator(")
		return "operator()", nil
	case p.is("["):
		p.next()
		p.expect("]", "after operator[")
		return "operator[]", nil
	case p.is("new"), p.is("delete"):
		p.refuse(pos, p.tok.Text, "a kernel has no heap")
		return "", nil
	case p.tok.Kind == token.String:
		p.refuse(pos, "user-defined literals", "call a function instead")
		return "", nil
	case p.tok.Kind == token.Punct:
		switch p.tok.Text {
		case "+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", "+=", "-=", "*=", "/=", "%=", "^=",
			"&=", "|=", "<<", ">>", ">>=", "<<=", "==", "!=", "<=", ">=", "&&", "||", "++", "--", ",", "->", "->*":
			text := p.tok.Text
			p.next()
			return "operator" + text, nil
		}
		if !p.is("::") {
			p.fail("expected an operator or a type after operator, found %s", p.found())
			return "", nil
		}
	}
	s := p.specifiers(specsType)
	typ := s.typ
	ops := p.pointers(nil)
	return "operator ", build(typ, ops)
}

// templateArgs reads <…>.
func (p *parser) templateArgs() []TemplateArg {
	open := p.tok.Pos
	p.next()
	old, aliases := p.noShut, p.aliases
	p.noShut, p.aliases = true, false
	defer func() { p.noShut, p.aliases = old, aliases }()
	args := []TemplateArg{}
	for !p.shutsAngle() {
		if p.atEnd() {
			p.failAt(open, "nothing closes this list of template arguments")
			return args
		}
		args = append(args, p.templateArg())
		if p.shutsAngle() {
			break
		}
		if !p.expect(",", "or > in a list of template arguments") {
			return args
		}
	}
	p.shutAngle()
	return args
}

// templateArg reads a type if it can be one, and an expression otherwise.
func (p *parser) templateArg() TemplateArg {
	var arg TemplateArg
	at := p.at
	if p.tried[at]&notType == 0 {
		isType := p.attempt(func() bool {
			typ := p.typeID(p.certainly())
			if p.is("(") && !p.peek(1).Is(")") && p.declaresFunc() {
				pos := p.tok.Pos
				typ = &FuncType{Pos: pos, Result: typ, Params: p.params(specsMaybe)}
			}
			if p.poisoned || !(p.is(",") || p.is("...") || p.shutsAngle()) {
				return false
			}
			arg.Type = typ
			return true
		})
		if !isType {
			p.tried[at] |= notType
		}
	}
	if arg.Type == nil {
		arg.X = p.conditional()
	}
	arg.Pack = p.accept("...")
	return arg
}

// shutsAngle reports whether the next token closes a list of template arguments, if only its first half.
func (p *parser) shutsAngle() bool {
	return p.tok.Kind == token.Punct && (p.tok.Text == ">" || p.tok.Text == ">>" || p.tok.Text == ">=" || p.tok.Text == ">>=")
}

// shutAngle takes one >, and leaves what is after it in the same token.
func (p *parser) shutAngle() {
	if len(p.tok.Text) == 1 {
		p.next()
		return
	}
	p.tok.Text = p.tok.Text[1:]
	p.tok.Pos.Column++
	p.tok.Space, p.tok.Bol = false, false
}
