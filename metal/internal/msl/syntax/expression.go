package syntax

import (
	"strings"

	"gamma/metal/internal/msl/token"
)

// within runs f where > is an operator again, as inside brackets.
func (p *parser) within(f func() Expr) Expr {
	old := p.noShut
	p.noShut = false
	x := f()
	p.noShut = old
	return x
}

// expression reads an expression, commas included.
func (p *parser) expression() Expr {
	x := p.assignment()
	for n := 0; p.is(",") && !p.peek(1).Is("...") && !p.poisoned; n++ {
		if !p.chains(n) {
			return x
		}
		pos := p.tok.Pos
		p.next()
		x = &Binary{Pos: pos, Op: ",", L: x, R: p.assignment()}
	}
	return x
}

// chains fails if an expression has chained too many operators.
func (p *parser) chains(n int) bool {
	if n >= maxChain {
		p.fail("more than %d operators in a row: use brackets or several statements", maxChain)
		return false
	}
	return true
}

var assigns = map[string]bool{
	"=": true, "+=": true, "-=": true, "*=": true, "/=": true, "%=": true, "&=": true, "|=": true, "^=": true,
	"<<=": true, ">>=": true,
}

// assignment reads an expression without commas.
func (p *parser) assignment() Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	if p.is("throw") {
		p.refuse(p.tok.Pos, "exceptions", "a kernel cannot throw")
		return nil
	}
	x := p.conditional()
	if p.tok.Kind != token.Punct || !assigns[p.tok.Text] || p.peek(1).Is("...") || p.noShut && p.shutsAngle() {
		return x
	}
	b := &Binary{Pos: p.tok.Pos, Op: p.tok.Text, L: x}
	p.next()
	b.R = p.initClause()
	return b
}

// initClause reads an expression without commas, or {…}.
func (p *parser) initClause() Expr {
	if p.is("{") {
		return p.initList()
	}
	return p.assignment()
}

// initList reads {…}.
func (p *parser) initList() Expr {
	l := &InitList{Pos: p.tok.Pos}
	if !p.enter() {
		return l
	}
	defer p.leave()
	l.Args = p.callArgs("{", "}")
	return l
}

// callArgs reads arguments between two brackets.
func (p *parser) callArgs(open, shut string) []Expr {
	pos := p.tok.Pos
	list := []Expr{}
	if !p.expect(open, "before arguments") {
		return list
	}
	old := p.noShut
	p.noShut = false
	defer func() { p.noShut = old }()
	for !p.is(shut) && !p.poisoned {
		if p.atEnd() {
			p.failAt(pos, "nothing closes this %s", open)
			return list
		}
		var x Expr
		if open == "{" && p.designates() {
			x = p.designated()
		} else {
			x = p.initClause()
		}
		if p.is("...") {
			x = &PackExpansion{Pos: p.tok.Pos, X: x}
			p.next()
		}
		list = append(list, x)
		if p.is(shut) {
			break
		}
		if !p.expect(",", "or "+shut+" in a list") {
			break
		}
		if p.is(")") {
			p.fail("expected an argument after the comma, found )")
		}
	}
	p.expect(shut, "at the end of a list")
	return list
}

// designates tells .member = value and [index] = value from a value.
func (p *parser) designates() bool {
	if p.is(".") {
		return p.peek(1).Kind == token.Ident
	}
	yes := false
	if p.is("[") {
		p.attempt(func() bool {
			yes = p.toMatching() && (p.is("=") || p.is(".") || p.is("["))
			return false
		})
	}
	return yes
}

// designated reads a path and its value.
func (p *parser) designated() Expr {
	d := &Designated{Pos: p.tok.Pos}
	for n := 0; !p.poisoned && !p.is("=") && p.chains(n); n++ {
		s := Designator{Pos: p.tok.Pos}
		switch {
		case p.accept("."):
			s.Field = p.ident("the name of a member after the dot")
		case p.accept("["):
			if s.Lo = p.within(p.conditional); p.accept("...") {
				s.Hi = p.within(p.conditional)
			}
			p.expect("]", "after the index of a designator")
		default:
			p.fail("expected = after a designator, found %s", p.found())
		}
		d.Path = append(d.Path, s)
	}
	p.expect("=", "after a designator")
	if !p.poisoned {
		d.X = p.initClause()
	}
	return d
}

// conditional reads an expression without commas and assignments.
func (p *parser) conditional() Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	x := p.binary(1)
	if !p.is("?") {
		return x
	}
	c := &Cond{Pos: p.tok.Pos, C: x}
	p.next()
	c.T = p.within(p.expression)
	if !p.expect(":", "in a conditional expression") {
		return c
	}
	c.F = p.assignment()
	return c
}

var precedences = map[string]int{
	"||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7,
	"<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}

// precedence returns how tightly the next token binds as an operator of two sides; 0 if it is none.
func (p *parser) precedence() int {
	if p.tok.Kind != token.Punct || p.noShut && p.shutsAngle() {
		return 0
	}
	return precedences[p.tok.Text]
}

// binary reads operators that bind at least as tightly as least.
func (p *parser) binary(least int) Expr {
	x := p.unary()
	for n := 0; !p.poisoned; n++ {
		prec := p.precedence()
		if p.is("->*") || p.is(".*") {
			p.refuse(p.tok.Pos, "pointers to members", "use a function or a field by its name")
			return x
		}
		if prec == 0 || prec < least || p.peek(1).Is("...") || !p.chains(n) {
			return x
		}
		t := p.tok
		p.next()
		if t.Text == "<" && p.bareType() {
			if id, ok := x.(*Ident); ok {
				p.failAt(t.Pos, "%s is not a template that is known here, so < compares: declare the template before, or write template before its name", id.Name)
				return x
			}
			if m, ok := x.(*Member); ok {
				p.failAt(t.Pos, "%s is not a template that is known here, so < compares: write template before its name", m.Name)
				return x
			}
		}
		x = &Binary{Pos: t.Pos, Op: t.Text, L: x, R: p.binary(prec + 1)}
	}
	return x
}

// bareType reports whether a type stands next that makes no value.
func (p *parser) bareType() bool {
	n := 0
	switch p.tok.Kind {
	case token.Keyword:
		for ; n < 4 && p.peek(n).Kind == token.Keyword && coreWords[p.peek(n).Text]; n++ {
			continue
		}
	case token.Ident:
		if sym, _ := p.scope.lookup(p.tok.Text); sym.typ {
			n = 1
		}
	}
	t := p.peek(n)
	return n > 0 && (t.Is(">") || t.Is(">>") || t.Is(",") || t.Is("*"))
}

// unary reads an operand with the operators before it.
func (p *parser) unary() Expr {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	t := p.tok
	switch t.Kind {
	case token.Punct:
		switch t.Text {
		case "+", "-", "!", "~", "*", "&", "++", "--":
			p.next()
			return &Unary{Pos: t.Pos, Op: t.Text, X: p.unary()}
		case "&&":
			p.refuse(t.Pos, "addresses of labels", "use loops")
			return nil
		case "(":
			if x := p.cast(); x != nil || p.poisoned {
				return x
			}
		}
	case token.Keyword:
		switch t.Text {
		case "sizeof", "alignof":
			return p.sizeof()
		case "new", "delete":
			p.refuse(t.Pos, t.Text, "a kernel has no heap")
			return nil
		case "noexcept":
			p.refuse(t.Pos, "the operator noexcept", "nothing throws: write true")
			return nil
		}
	}
	return p.postfix(p.primary())
}

// cast reads (T)x or (T){…}, or returns nil if no type stands in the brackets.
func (p *parser) cast() Expr {
	at := p.at
	if p.tried[at]&notCast != 0 || !p.mayBeType(1) {
		return nil
	}
	pos := p.tok.Pos
	var typ TypeExpr
	if !p.attempt(func() bool {
		p.next()
		old := p.noShut
		p.noShut = false
		typ = p.typeID(p.certainly())
		p.noShut = old
		return p.accept(")")
	}) {
		p.tried[at] |= notCast
		return nil
	}
	if p.is("{") {
		return p.postfix(&Construct{Pos: pos, Type: typ, Brace: true, Args: p.callArgs("{", "}")})
	}
	return &Cast{Pos: pos, Type: typ, X: p.unary()}
}

// mayBeType reports whether the n-th token can begin a type.
func (p *parser) mayBeType(n int) bool {
	t := &p.tok
	if n > 0 {
		t = p.peek(n)
	}
	switch t.Kind {
	case token.Ident:
		if p.peek(n + 1).Is("::") {
			return true
		}
		sym, _ := p.scope.lookup(t.Text)
		return sym.typ
	case token.Keyword:
		return coreWords[t.Text] || typeWords[t.Text] || declWords[t.Text]&beginsType != 0
	}
	return t.Is("::")
}

// certainly returns the mode for what stands next: a qualifier begins a type and nothing else, even if
// its name is not known.
func (p *parser) certainly() specsMode {
	if p.tok.Kind == token.Keyword && declWords[p.tok.Text]&beginsType != 0 {
		return specsType
	}
	return specsMaybe
}

// startsType reports whether a type stands next, where only a type or an expression can.
func (p *parser) startsType() bool {
	if !p.mayBeType(0) {
		return false
	}
	if p.tok.Kind == token.Keyword {
		return true
	}
	yes := false
	p.attempt(func() bool {
		_, of := p.name(inExpr)
		yes = of.typ && !p.poisoned
		return false
	})
	return yes
}

// sizeof reads sizeof or alignof of a type or an expression.
func (p *parser) sizeof() Expr {
	z := &Sizeof{Pos: p.tok.Pos, Align: p.is("alignof")}
	p.next()
	if p.accept("...") {
		if p.expect("(", "after sizeof...") {
			z.Pack = p.ident("the name of a pack")
			p.expect(")", "after the name of a pack")
		}
		return z
	}
	if p.is("(") && p.tried[p.at]&notCast == 0 {
		at := p.at
		if p.mayBeType(1) && p.attempt(func() bool {
			p.next()
			old := p.noShut
			p.noShut = false
			z.Type = p.typeID(p.certainly())
			p.noShut = old
			return p.accept(")")
		}) {
			return z
		}
		z.Type = nil
		p.tried[at] |= notCast
	}
	z.X = p.unary()
	return z
}

// primary reads an operand without operators.
func (p *parser) primary() Expr {
	t := p.tok
	switch t.Kind {
	case token.Int, token.Float, token.Char:
		p.next()
		return &Literal{Pos: t.Pos, Kind: t.Kind, Text: t.Text}
	case token.String:
		return &Literal{Pos: t.Pos, Kind: t.Kind, Text: p.quoted()}
	case token.Ident:
		return p.named()
	case token.Punct:
		switch t.Text {
		case "(":
			return p.paren()
		case "::":
			return p.named()
		case "[":
			return p.lambda()
		}
	case token.Keyword:
		if t.Text == "decltype" && p.namesWithin() {
			return p.named()
		}
		if coreWords[t.Text] || t.Text == "typename" || t.Text == "decltype" {
			return p.construct()
		}
		switch t.Text {
		case "true", "false", "nullptr":
			p.next()
			return &Literal{Pos: t.Pos, Kind: t.Kind, Text: t.Text}
		case "this":
			p.next()
			return &This{Pos: t.Pos}
		case "operator":
			return p.named()
		case "static_cast", "reinterpret_cast", "const_cast":
			return p.namedCast()
		case "dynamic_cast", "typeid":
			p.refuse(t.Pos, t.Text, "types have no names when a kernel runs")
			return nil
		case "asm":
			p.refuse(t.Pos, "asm", "write the operation in Metal Shading Language")
			return nil
		}
	}
	p.fail("expected an expression, found %s", p.found())
	return nil
}

// quoted joins adjacent strings; the result keeps its quotes.
func (p *parser) quoted() string {
	s := p.tok.Text
	p.next()
	for p.tok.Kind == token.String && len(p.tok.Text) >= 2 && len(s) >= 2 {
		s = s[:len(s)-1] + p.tok.Text[1:]
		p.next()
	}
	return s
}

// text joins adjacent strings and takes off the quotes.
func (p *parser) text() string {
	if p.tok.Kind != token.String {
		return ""
	}
	s := p.quoted()
	if len(s) >= 2 {
		return s[1 : len(s)-1]
	}
	return s
}

// named reads a name, or a value made from a type.
func (p *parser) named() Expr {
	pos := p.tok.Pos
	if strings.HasPrefix(p.tok.Text, "__is_") && p.peek(1).Is("(") {
		if _, known := p.scope.lookup(p.tok.Text); !known {
			return p.typeTrait()
		}
	}
	n, of := p.name(inExpr)
	if p.poisoned {
		return nil
	}
	if of.typ {
		return p.constructed(pos, &NameType{Pos: pos, Name: n})
	}
	if p.is("{") && !of.known && !of.operator {
		// Only a type can stand before a brace; the checker may know it.
		return p.constructed(pos, &NameType{Pos: pos, Name: n})
	}
	return &Ident{Pos: pos, Name: n}
}

// typeTrait reads __is_name(types).
func (p *parser) typeTrait() Expr {
	t := &TypeTrait{Pos: p.tok.Pos, Name: p.tok.Text}
	p.next()
	p.next()
	for !p.poisoned {
		t.Args = append(t.Args, TemplateArg{Type: p.typeID(specsType)})
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", "after the types of "+t.Name)
	return t
}

// construct reads T(…) or T{…} of a type that begins with a keyword.
func (p *parser) construct() Expr {
	pos := p.tok.Pos
	s := p.specifiers(specsType)
	if p.poisoned {
		return nil
	}
	return p.constructed(pos, s.typ)
}

func (p *parser) constructed(pos Pos, typ TypeExpr) Expr {
	c := &Construct{Pos: pos, Type: typ}
	switch {
	case p.is("("):
		c.Args = p.callArgs("(", ")")
	case p.is("{"):
		c.Brace = true
		c.Args = p.callArgs("{", "}")
	default:
		what := "a type"
		if t, ok := typ.(*NameType); ok && t.Name != nil {
			what = "the type " + t.Name.String()
		}
		p.fail("expected ( or { after %s in an expression, found %s", what, p.found())
	}
	return c
}

// namedCast reads static_cast<T>(x) and its like.
func (p *parser) namedCast() Expr {
	c := &Cast{Pos: p.tok.Pos, Kind: p.tok.Text}
	p.next()
	if !p.expect("<", "after "+c.Kind) {
		return c
	}
	old := p.noShut
	p.noShut = true
	c.Type = p.typeID(specsType)
	p.noShut = old
	if !p.shutsAngle() {
		p.fail("expected > after the type of %s, found %s", c.Kind, p.found())
		return c
	}
	p.shutAngle()
	if !p.expect("(", "after "+c.Kind+"<…>") {
		return c
	}
	c.X = p.within(p.expression)
	p.expect(")", "after what "+c.Kind+" casts")
	return c
}

// paren reads (X).
func (p *parser) paren() Expr {
	x := &Paren{Pos: p.tok.Pos}
	p.next()
	if p.is("{") {
		p.refuse(x.Pos, "statements within expressions", "call a function")
		return x
	}
	if p.accept("...") {
		f := &Fold{Pos: x.Pos}
		f.Op = p.foldOperator()
		f.X = p.within(p.unary)
		p.expect(")", "after a fold expression")
		return f
	}
	x.X = p.within(p.expression)
	if p.peek(1).Is("...") && !p.is(")") {
		f := &Fold{Pos: x.Pos, X: x.X, Right: true}
		f.Op = p.foldOperator()
		p.next()
		if !p.is(")") {
			if again := p.foldOperator(); again != f.Op {
				p.fail("a fold expression has one operator: %s and %s", f.Op, again)
			}
			f.Init = p.within(p.unary)
		}
		p.expect(")", "after a fold expression")
		return f
	}
	p.expect(")", "after an expression in brackets")
	return x
}

// foldOperator takes the operator of a fold expression.
func (p *parser) foldOperator() string {
	op := p.tok.Text
	if p.tok.Kind != token.Punct || precedences[op] == 0 && op != "," && !assigns[op] {
		p.fail("expected the operator of a fold expression, found %s", p.found())
	}
	p.next()
	return op
}

// lambda reads a lambda, and skips what it holds.
func (p *parser) lambda() Expr {
	l := &Lambda{Pos: p.tok.Pos}
	p.skipMatching()
	if p.is("<") {
		p.refuse(l.Pos, "templates of lambdas", "use a structure with operator()")
		return l
	}
	if p.is("(") {
		p.skipMatching()
	}
	for !p.is("{") && !p.poisoned {
		if p.atEnd() || p.is(";") || p.is("}") || p.is(")") {
			p.fail("expected the body of a lambda, found %s", p.found())
			return l
		}
		if p.is("(") || p.is("[") {
			p.skipMatching()
			continue
		}
		p.next()
	}
	if p.is("{") {
		p.skipMatching()
	}
	return l
}

// postfix reads the operators after x.
func (p *parser) postfix(x Expr) Expr {
	for n := 0; !p.poisoned; n++ {
		if p.tok.Kind != token.Punct {
			return x
		}
		t := p.tok
		switch t.Text {
		case "(":
			x = &Call{Pos: x.Place(), Fun: x, Args: p.callArgs("(", ")")}
		case "[":
			p.next()
			i := &Index{Pos: t.Pos, X: x}
			i.I = p.within(func() Expr {
				if p.is("{") {
					return p.initList()
				}
				return p.expression()
			})
			p.expect("]", "after an index")
			x = i
		case ".", "->":
			p.next()
			m := &Member{Pos: t.Pos, X: x, Arrow: t.Text == "->"}
			m.Name = p.memberName()
			x = m
		case "++", "--":
			p.next()
			x = &Postfix{Pos: t.Pos, Op: t.Text, X: x}
		default:
			return x
		}
		if !p.chains(n) {
			return x
		}
	}
	return x
}

// memberName reads the name after . or ->. Without template before it, < opens arguments only if a
// template of that name is a member of a structure of this file, and a call follows.
func (p *parser) memberName() *Name {
	n := &Name{Pos: p.tok.Pos}
	forced := p.accept("template")
	if !forced && p.tok.Kind == token.Ident && p.peek(1).Is("::") {
		n, _ = p.name(inExpr)
		return n
	}
	part := NamePart{Pos: p.tok.Pos, Template: forced}
	switch {
	case p.tok.Kind == token.Ident:
		part.Ident = p.tok.Text
		p.next()
	case p.is("operator"):
		part.Ident, part.Converts = p.operatorName()
		forced = false
	case p.is("~"):
		p.refuse(n.Pos, "destructors called by name", "leave it to the end of the block")
		return n
	default:
		p.fail("expected the name of a member, found %s", p.found())
		return n
	}
	if p.is("<") {
		at := p.at
		switch {
		case forced:
			part.HasArgs = true
			part.Args = p.templateArgs()
		case p.members[part.Ident] && p.tried[at]&notArgs == 0:
			if p.attempt(func() bool {
				part.Args = p.templateArgs()
				return p.is("(")
			}) {
				part.HasArgs = true
			} else {
				part.Args = nil
				p.tried[at] |= notArgs
			}
		}
	}
	n.Parts = []NamePart{part}
	return n
}
