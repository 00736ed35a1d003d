package syntax

// symbol is what a declared name stands for, as far as it decides how the source is read: all that is
// neither a type nor a namespace is a value.
type symbol struct {
	typ, space, template bool
	// members holds the names within a structure, enumeration or namespace; nil if they are not known.
	members *scope
}

// scope is a set of declared names.
type scope struct {
	names  map[string]symbol
	parent *scope
	// uses are the scopes whose names are visible here too: of using directives, and of base classes.
	uses []*scope
	// params: it holds the parameters of a template, and what is declared goes to its parent.
	params   bool
	template bool   // params of a template that is not an explicit specialisation
	owner    string // name of the structure
}

// find looks in s and in what it uses.
func (s *scope) find(name string) (symbol, bool) {
	if sym, ok := s.names[name]; ok {
		return sym, true
	}
	if len(s.uses) == 0 {
		return symbol{}, false
	}
	return s.findUsed(name, map[*scope]bool{s: true})
}

func (s *scope) findUsed(name string, seen map[*scope]bool) (symbol, bool) {
	for _, u := range s.uses {
		if seen[u] {
			continue
		}
		seen[u] = true
		if sym, ok := u.names[name]; ok {
			return sym, true
		}
		if sym, ok := u.findUsed(name, seen); ok {
			return sym, true
		}
	}
	return symbol{}, false
}

// lookup looks in s and in the scopes around it.
func (s *scope) lookup(name string) (symbol, bool) {
	for ; s != nil; s = s.parent {
		if sym, ok := s.find(name); ok {
			return sym, true
		}
	}
	return symbol{}, false
}

// open returns the innermost scope that takes declarations.
func (s *scope) open() *scope {
	for s.params {
		s = s.parent
	}
	return s
}

// set declares name in s itself.
func (s *scope) set(name string, sym symbol) {
	if name == "" {
		return
	}
	if s.names == nil {
		s.names = make(map[string]symbol)
	}
	if old, ok := s.names[name]; ok && old.typ == sym.typ && old.space == sym.space {
		sym.template = sym.template || old.template
		if sym.members == nil {
			sym.members = old.members
		}
	}
	s.names[name] = sym
}

// use makes the names of u visible in s.
func (s *scope) use(u *scope) {
	if u == nil || u == s {
		return
	}
	for _, v := range s.uses {
		if v == u {
			return
		}
	}
	s.uses = append(s.uses, u)
}

// declare declares name in the scope that takes declarations.
func (p *parser) declare(name string, sym symbol) { p.scope.open().set(name, sym) }

// push opens a scope within the present one, and returns the present one for the caller to go back to.
func (p *parser) push() *scope {
	old := p.scope
	p.scope = &scope{parent: old}
	return old
}
