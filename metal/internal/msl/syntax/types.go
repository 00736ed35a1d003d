package syntax

import (
	"sort"
	"strings"

	"gamma/metal/internal/msl/token"
)

// specsMode says what may stand among the words before a declarator.
type specsMode uint8

const (
	// specsDecl: words such as static, and definitions of structures; any name is a type. No type at all
	// is left to the caller, for constructors and conversions.
	specsDecl specsMode = iota
	// specsType: a type alone.
	specsType
	// specsMaybe: a type alone, and a name only if it is known to be one.
	specsMaybe
)

// specified is what the words before a declarator said.
type specified struct {
	pos     Pos
	specs   Specs
	typ     TypeExpr // nil if there was none
	typedef bool
	// decls are the structure or enumeration declared in place.
	decls []Decl
}

// specifiers reads the words before a declarator.
func (p *parser) specifiers(mode specsMode) specified {
	s := specified{pos: p.tok.Pos}
	if !p.enter() {
		return s
	}
	defer p.leave()
	var quals Quals
	var words []string
	var wordsAt Pos
	for !p.poisoned {
		t := p.tok
		if t.Kind == token.Ident || t.Is("::") {
			if p.attributeStarts() {
				s.specs.Attrs = p.attributes(s.specs.Attrs, &s.specs)
				continue
			}
			if t := p.tok; p.ignored() {
				s.specs.Coherent = s.specs.Coherent || t.Text == "coherent" && p.scopeOf != "threadgroup"
				continue
			}
			if s.typ != nil || words != nil || mode == specsDecl && p.constructs() {
				break
			}
			s.typ = p.typeName(mode, false)
			if s.typ == nil {
				break
			}
			continue
		}
		if t.Kind != token.Keyword {
			if p.attributeStarts() {
				s.specs.Attrs = p.attributes(s.specs.Attrs, &s.specs)
				continue
			}
			break
		}
		if coreWords[t.Text] {
			if s.typ != nil {
				p.fail("two types: the word %s stands after a whole type", t.Text)
				break
			}
			if words == nil {
				wordsAt = t.Pos
			}
			words = append(words, t.Text)
			p.next()
			continue
		}
		if p.qualifier(&quals) {
			continue
		}
		if p.storage(&s, mode) {
			continue
		}
		if !typeWords[t.Text] || words != nil {
			break
		}
		if s.typ != nil {
			p.fail("two types: the word %s stands after a whole type", t.Text)
			break
		}
		p.typeWord(&s, mode)
	}
	if words != nil {
		sort.Strings(words)
		name, ok := coreTypes[strings.Join(words, " ")]
		if !ok {
			p.failAt(wordsAt, "no type is named %s", strings.Join(words, " "))
		}
		s.typ = &NameType{Pos: wordsAt, Name: newName(wordsAt, name)}
	}
	switch typ := s.typ.(type) {
	case *NameType:
		typ.Quals = quals
	case *AutoType:
		typ.Quals = quals
	case *DecltypeType:
		typ.Quals = quals
	case nil:
		if mode != specsDecl {
			p.fail("expected a type, found %s", p.found())
		}
	}
	return s
}

// ignored passes over words that change no type, where the source does not declare them. coherent(scope) says which threads see what is written.
func (p *parser) ignored() bool {
	t := p.tok
	if t.Text != "__restrict" && t.Text != "restrict" && t.Text != "coherent" {
		return false
	}
	if _, known := p.scope.lookup(t.Text); known {
		return false
	}
	p.scopeOf = ""
	if p.next(); t.Text == "coherent" && p.is("(") {
		p.scopeOf = p.peek(1).Text
		p.skipMatching()
	}
	return true
}

// typeWord reads a type that begins with one of typeWords.
func (p *parser) typeWord(s *specified, mode specsMode) {
	t := p.tok
	switch t.Text {
	case "auto":
		p.next()
		s.typ = &AutoType{Pos: t.Pos}
	case "decltype":
		if !p.namesWithin() {
			s.typ = p.decltype()
			break
		}
		s.typ = p.typeName(mode, false)
	case "typename":
		p.next()
		s.typ = p.typeName(specsType, true)
	case "struct", "class", "union":
		s.typ = p.structure(s, mode)
	case "enum":
		s.typ = p.enumeration(s, mode)
	}
}

// typeWords are the keywords that begin a type and are not coreWords.
var typeWords = map[string]bool{
	"auto": true, "decltype": true, "typename": true, "struct": true, "class": true, "union": true, "enum": true,
}

// qualifier takes a qualifier of a type.
func (p *parser) qualifier(q *Quals) bool {
	var space Space
	switch p.tok.Text {
	case "const":
		q.Const = true
		p.next()
		return true
	case "volatile":
		q.Volatile = true
		p.next()
		return true
	case "device":
		space = Device
	case "constant":
		space = Constant
	case "thread":
		space = Thread
	case "threadgroup":
		space = Threadgroup
	case "threadgroup_imageblock":
		space = ThreadgroupImageblock
	case "ray_data":
		space = RayData
	case "object_data":
		space = ObjectData
	default:
		return false
	}
	switch {
	case q.Space == NoSpace || q.Space == space:
		q.Space = space
	case q.Outer != NoSpace || !(q.Space == Thread || space == Thread):
		p.fail("%s and %s are two address spaces: keep one, or write that of the pointer itself after its *", q.Space, space)
		return true
	case space == Thread:
		q.Outer = space
	default:
		q.Outer, q.Space = q.Space, space
	}
	p.next()
	return true
}

// storage takes a word that says how a name is declared.
func (p *parser) storage(s *specified, mode specsMode) bool {
	t := p.tok
	switch t.Text {
	case "static":
		s.specs.Static = true
	case "constexpr":
		s.specs.Constexpr = true
	case "inline":
		s.specs.Inline = true
	case "extern":
		s.specs.Extern = true
	case "explicit":
		s.specs.Explicit = true
	case "friend":
		s.specs.Friend = true
	case "mutable":
		s.specs.Mutable = true
	case "register":
	case "typedef":
		s.typedef = true
	case "virtual":
		s.specs.Virtual = true
		p.mention(t.Pos, "virtual functions", "use a template or an overload")
	case "thread_local":
		p.mention(t.Pos, "thread_local", "declare the variable in the kernel")
	case "kernel":
		s.specs.Kernel = true
	case "vertex", "fragment":
		s.specs.Stage = t.Text
	case "alignas":
		s.specs.Attrs = p.attributes(s.specs.Attrs, &s.specs)
		return true
	default:
		return false
	}
	if mode != specsDecl {
		p.fail("the word %s cannot stand in a type", t.Text)
		return true
	}
	p.next()
	return true
}

// typeName reads a name as a type, or returns nil if mode wants a known one and it is none.
func (p *parser) typeName(mode specsMode, typename bool) TypeExpr {
	pos := p.tok.Pos
	how := inType
	if mode == specsMaybe {
		how = inExpr
	}
	n, of := p.name(how)
	if mode == specsMaybe && !of.typ && !p.poisoned {
		p.fail("expected a type, found %s", n)
		return nil
	}
	if of.operator {
		p.failAt(pos, "expected a type, found %s", n)
	}
	return &NameType{Pos: pos, Name: n, Typename: typename}
}

// decltype reads decltype(X).
func (p *parser) decltype() *DecltypeType {
	d := &DecltypeType{Pos: p.tok.Pos}
	p.next()
	if !p.expect("(", "after decltype") {
		return d
	}
	if p.is("auto") {
		p.refuse(d.Pos, "decltype(auto)", "write auto, or the type")
		return d
	}
	d.X = p.within(p.expression)
	p.expect(")", "after what decltype holds")
	return d
}

// namesWithin reports whether a decltype(…) that stands next is followed by ::.
func (p *parser) namesWithin() bool {
	yes := false
	p.attempt(func() bool {
		p.next()
		yes = p.is("(") && p.toMatching() && p.is("::")
		return false
	})
	return yes
}

// constructs reports whether the next name is that of a constructor, a destructor or a conversion, so
// that no type stands before it.
func (p *parser) constructs() bool {
	if p.tok.Kind == token.Ident && p.peek(1).Is("(") {
		return p.scope.open().owner == p.tok.Text
	}
	if !p.is("::") && !p.peek(1).Is("::") && !p.peek(1).Is("<") {
		return false
	}
	yes := false
	p.attempt(func() bool {
		n, of := p.name(inType)
		last := len(n.Parts) - 1
		if p.poisoned || last < 0 {
			return false
		}
		ident := n.Parts[last].Ident
		yes = of.operator && of.converts != nil || ident[0] == '~' ||
			last > 0 && p.is("(") && ident == n.Parts[last-1].Ident ||
			last == 0 && p.is("(") && n.Parts[0].HasArgs && ident == p.scope.open().owner
		return false
	})
	return yes
}

// typeID reads a type without a name.
func (p *parser) typeID(mode specsMode) TypeExpr {
	s := p.specifiers(mode)
	if p.poisoned {
		return s.typ
	}
	d := p.declarator(abstract)
	return build(s.typ, d.ops)
}

// typeOp is one step from the type before a declarator to that of the name: a pointer, a reference, an
// array or a function.
type typeOp struct {
	kind  byte // '*', '&', 'R' for &&, '[' or '('
	pos   Pos
	quals Quals
	len   Expr
	fun   *funcOp
}

// funcOp is the list of parameters in a declarator and what stands after it.
type funcOp struct {
	params   []*Param
	quals    Quals
	trailing TypeExpr
	attrs    []Attribute
	// scope holds the parameters.
	scope *scope
}

// inner returns the type before a declarator that begins with a pointer, and the space that stands before it for the pointer.
func inner(base TypeExpr) (TypeExpr, Space) {
	var s Space
	switch t := base.(type) {
	case *NameType:
		if s = t.Quals.Outer; s != NoSpace {
			c := *t
			c.Quals.Outer = NoSpace
			return &c, s
		}
	case *AutoType:
		if s = t.Quals.Outer; s != NoSpace {
			c := *t
			c.Quals.Outer = NoSpace
			return &c, s
		}
	}
	return base, NoSpace
}

// build applies ops to base, in their order.
func build(base TypeExpr, ops []typeOp) TypeExpr {
	for i, op := range ops {
		switch op.kind {
		case '*':
			if i == 0 {
				var s Space
				if base, s = inner(base); op.quals.Space == NoSpace {
					op.quals.Space = s
				}
			}
			base = &PointerType{Pos: op.pos, Elem: base, Quals: op.quals}
		case '&', 'R':
			base = &RefType{Pos: op.pos, Elem: base, RValue: op.kind == 'R'}
		case '[':
			base = &ArrayType{Pos: op.pos, Elem: base, Len: op.len}
		case '(':
			result := base
			if op.fun.trailing != nil {
				result = op.fun.trailing
			}
			base = &FuncType{Pos: op.pos, Result: result, Params: op.fun.params}
		}
	}
	return base
}

// declaratorKind says what a declarator may hold.
type declaratorKind uint8

const (
	atFile    declaratorKind = iota // a name, in a file or namespace
	atMember                        // a name, in a structure
	atBlock                         // a name, in a block: ( may begin an initialiser
	atParam                         // a name or none
	abstract                        // no name
	atTypedef                       // a name
)

// declarator is a name with the steps to its type.
type declarator struct {
	pos   Pos
	name  *Name
	of    named
	ops   []typeOp
	attrs []Attribute
	pack  bool
}

// isFunc returns the function's part if the declared name is a function.
func (d *declarator) isFunc() *funcOp {
	if n := len(d.ops); n > 0 && d.ops[n-1].kind == '(' {
		return d.ops[n-1].fun
	}
	return nil
}

// declarator reads a declarator.
func (p *parser) declarator(kind declaratorKind) declarator {
	d := declarator{pos: p.tok.Pos}
	if !p.enter() {
		return d
	}
	defer p.leave()
	ops := p.pointers(nil)
	d.attrs = p.attributes(d.attrs, nil)
	var inner []typeOp
	switch {
	case p.is("(") && p.groups(kind):
		p.next()
		in := p.declarator(kind)
		d.pos, d.name, d.of, inner, d.pack = in.pos, in.name, in.of, in.ops, in.pack
		d.attrs = append(d.attrs, in.attrs...)
		p.expect(")", "after a declarator in brackets")
	case kind == abstract:
	case p.is("..."):
		p.next()
		d.pack = true
		if p.tok.Kind == token.Ident {
			p.declaratorName(&d)
		}
	case p.tok.Kind == token.Ident || p.is("::") || p.is("operator") || p.is("~"):
		if kind == atParam && p.tok.Kind != token.Ident {
			p.fail("expected the name of a parameter, found %s", p.found())
			return d
		}
		p.declaratorName(&d)
	case kind != atParam:
		p.fail("expected a name, found %s", p.found())
		return d
	}
	d.attrs = p.attributes(d.attrs, nil)
	suffixes := p.suffixes(&d, kind)
	for i := len(suffixes) - 1; i >= 0; i-- {
		ops = append(ops, suffixes[i])
	}
	d.ops = append(ops, inner...)
	return d
}

// declaratorName reads the name that is declared.
func (p *parser) declaratorName(d *declarator) {
	d.pos = p.tok.Pos
	if p.tok.Kind == token.Ident && !p.peek(1).Is("::") && !p.peek(1).Is("<") {
		d.name = newName(d.pos, p.tok.Text)
		p.next()
		return
	}
	d.name, d.of = p.name(inDeclarator)
}

// pointers reads * and & with the qualifiers after them.
func (p *parser) pointers(ops []typeOp) []typeOp {
	for p.tok.Kind == token.Punct && !p.poisoned {
		op := typeOp{pos: p.tok.Pos}
		switch p.tok.Text {
		case "*":
			op.kind = '*'
		case "&":
			op.kind = '&'
		case "&&":
			op.kind = 'R'
		default:
			return ops
		}
		if len(ops) > maxDepth {
			p.fail("nested too deeply: more than %d pointers", maxDepth)
			return ops
		}
		p.next()
		for {
			if p.tok.Kind == token.Keyword && p.qualifier(&op.quals) {
				continue
			}
			if p.tok.Kind == token.Ident && (p.tok.Text == "__restrict" || p.tok.Text == "restrict") {
				p.next()
				continue
			}
			break
		}
		ops = append(ops, op)
	}
	return ops
}

// groups reports whether the next ( only groups a declarator.
func (p *parser) groups(kind declaratorKind) bool {
	t := p.peek(1)
	if t.Is("*") || t.Is("&") || t.Is("&&") || t.Is("(") && kind != abstract {
		return true
	}
	if kind == abstract {
		return false
	}
	if t.Kind != token.Ident {
		return false
	}
	if kind == atParam {
		sym, _ := p.scope.lookup(t.Text)
		return !sym.typ && p.peek(2).Is(")")
	}
	return true
}

// suffixes reads the [n] and (parameters) after a name.
func (p *parser) suffixes(d *declarator, kind declaratorKind) []typeOp {
	var ops []typeOp
	for !p.poisoned {
		switch {
		case p.is("[") && !p.peek(1).Is("["):
			op := typeOp{kind: '[', pos: p.tok.Pos}
			p.next()
			if !p.is("]") {
				op.len = p.within(p.conditional)
			}
			p.expect("]", "after the length of an array")
			ops = append(ops, op)
		case p.is("("):
			if kind == abstract && !(len(ops) == 0 && d.name == nil && (p.groupedBefore() || p.aliases)) {
				return ops
			}
			if kind == atBlock && !p.declaresFunc() || kind == atFile && p.opensValues() {
				return ops
			}
			ops = append(ops, typeOp{kind: '(', pos: p.tok.Pos, fun: p.funcSuffix(d)})
		default:
			return ops
		}
		if len(ops) > maxDepth {
			p.fail("nested too deeply: more than %d dimensions", maxDepth)
		}
		d.attrs = p.attributes(d.attrs, nil)
	}
	return ops
}

// opensValues reports whether the ( after a name in a file opens what initialises a variable: a literal, or a name that is known to be no type.
func (p *parser) opensValues() bool {
	t := p.peek(1)
	if t.Kind != token.Ident {
		return t.Kind >= token.Int && t.Kind <= token.String
	}
	yes := false
	p.attempt(func() bool {
		p.next()
		_, of := p.name(inExpr)
		yes = of.known && !of.typ && !p.poisoned
		return false
	})
	return yes
}

// groupedBefore reports whether a ) stands before the next token: of the pointer in void (*)(int).
func (p *parser) groupedBefore() bool { return p.at > 0 && p.toks[p.at-1].Is(")") }

// declaresFunc decides whether the ( after a name in a block opens parameters: it does if it can.
func (p *parser) declaresFunc() bool {
	if p.peek(1).Is(")") {
		return true
	}
	if p.tried[p.at]&notParams != 0 {
		return false
	}
	at := p.at
	yes := false
	p.attempt(func() bool {
		old := p.push()
		defer func() { p.scope = old }()
		p.params(specsMaybe)
		yes = !p.poisoned
		return false
	})
	if !yes {
		p.tried[at] |= notParams
	}
	return yes
}

// funcSuffix reads the list of parameters and what stands after it.
func (p *parser) funcSuffix(d *declarator) *funcOp {
	f := &funcOp{}
	old := p.push()
	defer func() { p.scope = old }()
	f.scope = p.scope
	if d.of.within != nil {
		// The names of the structure of a method that is defined outside are known in it.
		f.scope.use(d.of.within)
	}
	f.params = p.params(specsType)
	for !p.poisoned {
		if p.tok.Kind == token.Keyword && p.qualifier(&f.quals) {
			continue
		}
		switch {
		case p.accept("noexcept"):
			if p.is("(") {
				p.skipMatching()
			}
		case p.is("&"), p.is("&&"):
			p.mention(p.tok.Pos, "reference qualifiers of methods", "leave out the %s", p.tok.Text)
			p.next()
		case p.is("throw"):
			p.refuse(p.tok.Pos, "exceptions", "a kernel cannot throw")
		case p.tok.Kind == token.Ident && (p.tok.Text == "override" || p.tok.Text == "final"):
			p.mention(p.tok.Pos, "virtual functions", "use a template or an overload")
			p.next()
		case p.is("->"):
			p.next()
			f.trailing = p.typeID(specsType)
		case p.attributeStarts():
			f.attrs = p.attributes(f.attrs, nil)
		default:
			return f
		}
	}
	return f
}

// params reads (parameters).
func (p *parser) params(mode specsMode) []*Param {
	open := p.tok.Pos
	p.next()
	oldShut := p.noShut
	p.noShut = false
	defer func() { p.noShut = oldShut }()
	var list []*Param
	if p.is("void") && p.peek(1).Is(")") {
		p.next()
	}
	for !p.is(")") && !p.poisoned {
		if p.atEnd() {
			p.failAt(open, "nothing closes this list of parameters")
			return list
		}
		if p.is("...") {
			p.refuse(p.tok.Pos, "variadic functions", "use overloads or default arguments")
			return list
		}
		list = append(list, p.param(mode))
		if p.is(")") || !p.expect(",", "or ) in a list of parameters") {
			break
		}
		if p.is(")") {
			p.fail("expected a parameter after the comma, found )")
		}
	}
	p.expect(")", "after the parameters")
	return list
}

// param reads one parameter.
func (p *parser) param(mode specsMode) *Param {
	attrs := p.attributes(nil, nil)
	s := p.specifiers(mode)
	q := &Param{Pos: s.pos, Specs: s.specs}
	q.Attrs = append(append(attrs, s.specs.Attrs...), q.Attrs...)
	q.Specs.Attrs = nil
	if p.poisoned {
		return q
	}
	d := p.declarator(atParam)
	q.Type = build(s.typ, d.ops)
	q.Attrs = append(q.Attrs, d.attrs...)
	q.Pack = d.pack
	if d.name != nil {
		q.Pos = d.pos
		if len(d.name.Parts) != 1 || d.name.Parts[0].HasArgs {
			p.failAt(d.pos, "a parameter's name is one word, found %s", d.name)
			return q
		}
		q.Name = d.name.Parts[0].Ident
		p.scope.set(q.Name, symbol{})
	}
	if p.accept("=") {
		q.Default = p.initClause()
	}
	q.Attrs = p.attributes(q.Attrs, nil)
	return q
}

// String returns the name as it is written, its arguments left out.
func (n *Name) String() string {
	var s strings.Builder
	if n.Global {
		s.WriteString("::")
	}
	for i, part := range n.Parts {
		if i > 0 {
			s.WriteString("::")
		}
		s.WriteString(part.Ident)
		if part.HasArgs {
			s.WriteString("<…>")
		}
	}
	return s.String()
}
