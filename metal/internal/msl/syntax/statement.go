package syntax

import (
	"strings"

	"gamma/metal/internal/msl/token"
)

// declWords are the keywords that begin a declaration.
var declWords = map[string]uint8{
	"const": beginsType | beginsDecl, "volatile": beginsType | beginsDecl,
	"device": beginsType | beginsDecl, "constant": beginsType | beginsDecl, "thread": beginsType | beginsDecl,
	"threadgroup": beginsType | beginsDecl, "threadgroup_imageblock": beginsType | beginsDecl,
	"ray_data": beginsType | beginsDecl, "object_data": beginsType | beginsDecl,
	"static": beginsDecl, "constexpr": beginsDecl, "inline": beginsDecl, "extern": beginsDecl, "mutable": beginsDecl,
	"register": beginsDecl, "typedef": beginsDecl, "thread_local": beginsDecl, "alignas": beginsDecl,
	"auto": beginsDecl, "struct": beginsDecl, "class": beginsDecl, "union": beginsDecl, "enum": beginsDecl,
	"using": beginsDecl, "static_assert": beginsDecl, "template": beginsDecl, "namespace": beginsDecl,
	"kernel": beginsDecl, "vertex": beginsDecl, "fragment": beginsDecl, "friend": beginsDecl, "virtual": beginsDecl,
}

const (
	beginsType uint8 = 1 << iota
	beginsDecl
)

// isFloatPragma reports whether a pragma rules floating point.
func isFloatPragma(text string) bool {
	return strings.HasPrefix(text, "METAL fp") || strings.HasPrefix(text, "clang fp") || strings.HasPrefix(text, "STDC ")
}

// block reads {…} in a scope of its own.
func (p *parser) block() *Block {
	b := &Block{Pos: p.tok.Pos}
	if !p.expect("{", "before statements") {
		return b
	}
	old := p.push()
	defer func() { p.scope = old }()
	for p.tok.Kind == token.Pragma && isFloatPragma(p.tok.Text) {
		b.Pragmas = append(b.Pragmas, &PragmaDecl{Pos: p.tok.Pos, Text: p.tok.Text})
		p.next()
	}
	for !p.is("}") && !p.atEnd() {
		from, inScope, depth := p.mark(), p.scope, p.depth
		s := p.statement()
		if p.poisoned {
			p.scope, p.depth = inScope, depth
			p.recover(from)
			if p.at == from.at && !p.atEnd() && !p.is("}") {
				p.next()
			}
			continue
		}
		b.Stmts = append(b.Stmts, s)
	}
	b.End = p.tok.Pos
	if p.atEnd() {
		p.failAt(b.Pos, "nothing closes this {")
	}
	p.expect("}", "at the end of a block")
	return b
}

// statement reads one statement.
func (p *parser) statement() Stmt {
	if !p.enter() {
		return nil
	}
	defer p.leave()
	for p.tok.Kind == token.Pragma && !isFloatPragma(p.tok.Text) {
		if !strings.HasPrefix(p.tok.Text, "unroll") && !strings.HasPrefix(p.tok.Text, "clang loop") && !strings.HasPrefix(p.tok.Text, "nounroll") {
			p.fail("#pragma %s cannot stand among statements", p.tok.Text)
			return nil
		}
		p.next()
	}
	var attrs []Attribute
	if p.attributeStarts() && !p.is("alignas") {
		attrs = p.attributes(nil, nil)
	}
	t := p.tok
	switch t.Kind {
	case token.Pragma:
		p.fail("#pragma %s must stand first in its braces, or at file scope: move it, or open a block for it", t.Text)
		return nil
	case token.Punct:
		switch t.Text {
		case "{":
			return p.block()
		case ";":
			p.next()
			return &Empty{Pos: t.Pos}
		}
	case token.Ident:
		if p.peek(1).Is(":") {
			p.refuse(t.Pos, "goto", "labels lead nowhere: use loops, break and continue")
			return nil
		}
	case token.Keyword:
		if s, ok := p.controls(); ok {
			return s
		}
	}
	if p.isDecl() {
		d := &DeclStmt{Pos: t.Pos}
		d.Decls = p.declaration(nil, atBlock)
		for i := range d.Decls {
			if v, ok := d.Decls[i].(*VarDecl); ok && attrs != nil {
				v.Specs.Attrs = append(v.Specs.Attrs, attrs...)
			}
		}
		return d
	}
	x := &ExprStmt{Pos: t.Pos, X: p.expression()}
	if !p.poisoned && !p.accept(";") {
		p.fail("expected ; after the expression, found %s", p.found())
	}
	return x
}

// controls reads a statement that begins with its own keyword.
func (p *parser) controls() (Stmt, bool) {
	t := p.tok
	switch t.Text {
	case "if":
		return p.ifs(), true
	case "for":
		return p.loop(), true
	case "while":
		p.next()
		w := &While{Pos: t.Pos}
		w.Cond = p.condition("while")
		w.Body = p.body()
		return w, true
	case "do":
		p.next()
		d := &Do{Pos: t.Pos, Body: p.body()}
		if p.expect("while", "after the body of do") {
			d.Cond = p.condition("while")
			p.expect(";", "after do … while (…)")
		}
		return d, true
	case "switch":
		p.next()
		s := &Switch{Pos: t.Pos}
		s.X = p.condition("switch")
		p.attributes(nil, nil)
		if !p.is("{") {
			p.fail("expected { after switch (…), found %s", p.found())
			return s, true
		}
		s.Body = p.block()
		return s, true
	case "case", "default":
		p.next()
		c := &Case{Pos: t.Pos}
		if t.Text == "case" {
			c.X = p.conditional()
			if p.is("...") {
				p.refuse(p.tok.Pos, "ranges in case", "write a case for each value, or if")
				return c, true
			}
		}
		p.expect(":", "after "+t.Text)
		return c, true
	case "break":
		p.next()
		p.expect(";", "after break")
		return &Break{Pos: t.Pos}, true
	case "continue":
		p.next()
		p.expect(";", "after continue")
		return &Continue{Pos: t.Pos}, true
	case "return":
		p.next()
		r := &Return{Pos: t.Pos}
		if !p.is(";") {
			if p.is("{") {
				r.X = p.initList()
			} else {
				r.X = p.expression()
			}
		}
		p.expect(";", "after return")
		return r, true
	case "else":
		p.fail("this else has no if")
		return nil, true
	case "goto":
		p.refuse(t.Pos, "goto", "use loops, break and continue")
		return nil, true
	case "try", "throw", "catch":
		p.refuse(t.Pos, "exceptions", "a kernel cannot throw or catch")
		return nil, true
	case "asm":
		p.refuse(t.Pos, "asm", "write the operation in Metal Shading Language")
		return nil, true
	}
	return nil, false
}

// body reads a statement in a scope of its own.
func (p *parser) body() Stmt {
	if p.poisoned {
		return nil
	}
	if p.is("}") {
		p.fail("expected a statement, found }")
		return nil
	}
	old := p.push()
	s := p.statement()
	p.scope = old
	return s
}

// condition reads (X).
func (p *parser) condition(of string) Expr {
	if !p.expect("(", "after "+of) {
		return nil
	}
	if p.isDecl() {
		p.refuse(p.tok.Pos, "declarations in the condition of "+of, "declare the variable before")
		return nil
	}
	x := p.within(p.expression)
	if p.is(";") {
		p.refuse(p.tok.Pos, "initialisers in "+of, "declare the variable before")
		return x
	}
	p.expect(")", "after the condition of "+of)
	return x
}

// ifs reads an if with all its else if, one after the other, so that long chains do not nest here.
func (p *parser) ifs() Stmt {
	var first, last *If
	old := p.scope
	defer func() { p.scope = old }()
	for n := 0; ; n++ {
		s := &If{Pos: p.tok.Pos}
		if first == nil {
			first = s
		} else {
			last.Else = s
		}
		last = s
		p.push()
		p.next()
		s.Constexpr = p.accept("constexpr")
		if !p.expect("(", "after if") || !p.chains(n) {
			return first
		}
		p.ifHead(s)
		if !p.expect(")", "after the condition of if") {
			return first
		}
		p.attributes(nil, nil)
		s.Then = p.body()
		if p.poisoned || !p.accept("else") {
			return first
		}
		p.attributes(nil, nil)
		if !p.is("if") {
			s.Else = p.body()
			return first
		}
	}
}

// ifHead reads Init; Cond or Cond or a declaration.
func (p *parser) ifHead(s *If) {
	if p.is(";") {
		s.Init = &Empty{Pos: p.tok.Pos}
		p.next()
		s.Cond = p.within(p.expression)
		return
	}
	if !p.isDecl() {
		pos := p.tok.Pos
		x := p.within(p.expression)
		if p.accept(";") {
			s.Init = &ExprStmt{Pos: pos, X: x}
			x = p.within(p.expression)
		}
		s.Cond = x
		return
	}
	pos := p.tok.Pos
	decls, semicolon := p.headDecls()
	if p.poisoned {
		return
	}
	if semicolon {
		s.Init = &DeclStmt{Pos: pos, Decls: decls}
		if p.isDecl() {
			if decls, semicolon = p.headDecls(); p.poisoned {
				return
			}
		} else {
			s.Cond = p.within(p.expression)
			return
		}
	}
	v, ok := (*VarDecl)(nil), false
	if len(decls) == 1 {
		v, ok = decls[0].(*VarDecl)
	}
	if !ok || semicolon || v.Init == nil {
		p.failAt(pos, "a condition declares one variable with = and a value")
		return
	}
	s.Decl = v
}

// headDecls reads declarations of variables in the head of if or for, up to a semicolon, which it
// takes, or to what stands there instead.
func (p *parser) headDecls() ([]Decl, bool) {
	pos := p.tok.Pos
	if p.is("using") || p.is("typedef") || p.is("static_assert") || p.is("template") || p.is("namespace") {
		p.fail("expected a variable or an expression, found %s", p.found())
		return nil, false
	}
	s := p.specifiers(specsDecl)
	if p.poisoned {
		return nil, false
	}
	if s.decls != nil || s.typ == nil || s.typedef {
		p.failAt(pos, "expected a variable with a type that is declared before")
		return nil, false
	}
	if _, ok := s.typ.(*AutoType); ok && p.is("[") {
		p.refuse(p.tok.Pos, "structured bindings", "name the parts one by one")
		return nil, false
	}
	var list []Decl
	for !p.poisoned {
		d := p.declarator(atBlock)
		if p.poisoned {
			break
		}
		if d.isFunc() != nil {
			p.failAt(d.pos, "expected a variable, found a function: initialise with braces")
			break
		}
		list = append(list, p.variable(&s, &d, atBlock))
		if !p.accept(",") {
			break
		}
	}
	return list, p.accept(";")
}

// loop reads for, with or without a range.
func (p *parser) loop() Stmt {
	pos := p.tok.Pos
	f := &For{Pos: pos}
	p.next()
	if !p.expect("(", "after for") {
		return f
	}
	old := p.push()
	defer func() { p.scope = old }()
	switch {
	case p.accept(";"):
	case p.isDecl():
		at := p.tok.Pos
		decls, semicolon := p.headDecls()
		if p.poisoned {
			return f
		}
		if !semicolon && p.is(":") && len(decls) == 1 {
			return p.rangeFor(pos, decls[0])
		}
		if !semicolon {
			p.fail("expected ; after the declaration in for, found %s", p.found())
			return f
		}
		f.Init = &DeclStmt{Pos: at, Decls: decls}
	default:
		at := p.tok.Pos
		f.Init = &ExprStmt{Pos: at, X: p.within(p.expression)}
		p.expect(";", "after the first part of for")
	}
	if !p.is(";") && !p.poisoned {
		if p.isDecl() {
			p.refuse(p.tok.Pos, "declarations in the condition of for", "declare the variable before")
			return f
		}
		f.Cond = p.within(p.expression)
	}
	p.expect(";", "after the condition of for")
	if !p.is(")") && !p.poisoned {
		f.Post = p.within(p.expression)
	}
	if p.expect(")", "after the head of for") {
		f.Body = p.body()
	}
	return f
}

// rangeFor reads : X) Body.
func (p *parser) rangeFor(pos Pos, d Decl) Stmt {
	r := &RangeFor{Pos: pos}
	p.next()
	v, ok := d.(*VarDecl)
	if !ok || v.Init != nil || v.Ctor {
		p.failAt(pos, "a loop over a range declares one variable without a value")
		return r
	}
	r.Decl = v
	r.X = p.within(p.initClause)
	if p.expect(")", "after the range of for") {
		r.Body = p.body()
	}
	return r
}

// isDecl decides whether a declaration or an expression stands next.
func (p *parser) isDecl() bool {
	t := p.tok
	switch t.Kind {
	case token.Keyword:
		switch {
		case declWords[t.Text]&beginsDecl != 0:
			return true
		case coreWords[t.Text]:
			n := 1
			for p.peek(n).Kind == token.Keyword && coreWords[p.peek(n).Text] {
				n++
			}
			return !p.peek(n).Is("{") && (!p.peek(n).Is("(") || p.declaresBehind(n))
		case t.Text == "decltype":
			yes := false
			p.attempt(func() bool {
				p.next()
				yes = p.is("(") && p.toMatching() && !p.is("(") && !p.is("{")
				return false
			})
			if yes && p.namesWithin() {
				return p.nameDeclares()
			}
			return yes
		case t.Text == "typename":
			yes := false
			p.attempt(func() bool {
				p.next()
				p.name(inType)
				yes = !p.is("{") && !(p.is("(") && !p.declaresBehind(0))
				return false
			})
			return yes
		}
		return false
	case token.Punct:
		return t.Text == "::" && p.nameDeclares()
	case token.Ident:
		if p.attributeStarts() || p.coherent() {
			return true
		}
		return p.nameDeclares()
	}
	return false
}

// coherent reports whether coherent or coherent(scope) stands next, before the rest of a type.
func (p *parser) coherent() bool {
	if _, known := p.scope.lookup("coherent"); known || p.tok.Kind != token.Ident || p.tok.Text != "coherent" {
		return false
	}
	n := 1
	if p.peek(1).Is("(") && p.peek(3).Is(")") {
		n = 4
	}
	return p.declaratorAt(n)
}

// nameDeclares decides whether the name that stands next is a type that begins a declaration.
func (p *parser) nameDeclares() bool {
	if t := p.peek(1); p.tok.Kind == token.Ident && !t.Is("::") && !t.Is("<") {
		// The common case, without an attempt.
		sym, known := p.scope.lookup(p.tok.Text)
		if !sym.typ {
			return !known && p.declaratorAt(1)
		}
		return !t.Is("{") && !t.Is(".") && (!t.Is("(") || p.declaresBehind(1))
	}
	yes, missing := false, (*Name)(nil)
	pos := p.tok.Pos
	p.attempt(func() bool {
		n, of := p.name(inExpr)
		if p.poisoned {
			return false
		}
		switch {
		case of.typ:
			yes = !p.is("{") && !p.is(".") && !(p.is("(") && !p.declaresBehind(0))
		case !of.known:
			yes = p.declaratorAt(0)
			if yes && of.dependent && of.qualified {
				missing = n
			}
		}
		return false
	})
	if missing != nil && p.attempts == 0 {
		p.complain(pos, "%s reads as a value here: write typename before it", missing)
	}
	return yes
}

// declaratorAt reports whether the n-th token can stand only after a type: a name, or a qualifier.
func (p *parser) declaratorAt(n int) bool {
	t := &p.tok
	if n > 0 {
		t = p.peek(n)
	}
	return t.Kind == token.Ident || t.Kind == token.Keyword && declWords[t.Text]&beginsType != 0
}

// declaresBehind tells the declarator in T (&a)[4] from the arguments in T(x): the n-th token is the
// bracket.
func (p *parser) declaresBehind(n int) bool {
	if t := p.peek(n + 1); !t.Is("&") && !t.Is("*") && !t.Is("&&") {
		return false
	}
	yes := false
	p.attempt(func() bool {
		p.load(p.at + n)
		yes = p.toMatching() && (p.is("[") || p.is("("))
		return false
	})
	return yes
}
