package check

import (
	"slices"
	"strings"
	"sync"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

type scopeKind uint8

const (
	fileScope scopeKind = iota
	namespaceScope
	structScope
	blockScope
	templateScope // parameters of a template, bound to arguments
)

// scope is a set of names.
type scope struct {
	kind   scopeKind
	parent *scope
	name   string
	names  map[string]*entity
	uses   []*scope // using namespace
	metal  bool     // using namespace metal
	st     *structInfo
}

// entity is what a name stands for: exactly one of its members is set, but for a struct and functions of one name.
type entity struct {
	pos      Pos
	variable *variable
	typ      *qual
	fns      []*function
	tmpl     *template
	space    *scope
	value    typed.Expr // an enumerator, or a value given to a template
	constant *typed.FunctionConstant
	owner    *structInfo // of a field
	field    int
	via      *entity // the unnamed member in which the field is
	lib      string  // a name of Metal's library that using brought in
	isPack   bool    // a pack, of the entities in pack
	pack     []*entity
}

// variable is a variable and what is known of it.
type variable struct {
	v         *typed.Var
	constexpr bool
	// known is the value, if it is known when compiling: a tree of constants.
	known typed.Expr
	// checking: its initialiser is being checked, so that it cannot be used.
	checking bool
	lazy     *lazyVar // not evaluated yet
	extern   bool     // declared before it is defined
	failed   *token.Error
}

// lazyVar is a static member or variable template until it is used.
type lazyVar struct {
	decl  *syntax.VarDecl
	q     qual
	scope *scope
	fp    ir.FP
}

// find looks for name in s itself and in the namespaces that it uses.
func (s *scope) find(name string) *entity {
	if len(s.uses) == 0 {
		return s.names[name]
	}
	return s.findIn(name, map[*scope]bool{})
}

func (s *scope) findIn(name string, seen map[*scope]bool) *entity {
	if seen[s] {
		return nil
	}
	seen[s] = true
	e := s.names[name]
	for _, u := range s.uses {
		other := u.findIn(name, seen)
		switch {
		case other == nil || other == e:
		case e == nil:
			e = other
		case e.fns != nil && other.fns != nil:
			merged := *e
			merged.fns = slices.Clone(e.fns)
			for _, f := range other.fns {
				if !slices.Contains(merged.fns, f) { // using brought it in as well
					merged.fns = append(merged.fns, f)
				}
			}
			e = &merged
		}
	}
	return e
}

// usesMetal reports whether the names of Metal's library can be written without metal:: in s.
func (s *scope) usesMetal() bool {
	seen := map[*scope]bool{}
	var look func(s *scope) bool
	look = func(s *scope) bool {
		if seen[s] {
			return false
		}
		seen[s] = true
		if s.metal {
			return true
		}
		for _, u := range s.uses {
			if look(u) {
				return true
			}
		}
		return false
	}
	for ; s != nil; s = s.parent {
		if look(s) || s.kind == namespaceScope && s.name == "metal" {
			return true
		}
	}
	return false
}

// metalPath returns, of namespace metal and those in it, what is written between metal:: and a name in s.
func (s *scope) metalPath() (string, bool) {
	if s == nil || s.kind != namespaceScope {
		return "", false
	}
	path, ok := strings.CutPrefix(s.path(), "metal::")
	return path, ok
}

// namespace returns the namespace or file around s.
func (s *scope) namespace() *scope {
	for s.kind != fileScope && s.kind != namespaceScope {
		s = s.parent
	}
	return s
}

// path returns the qualified name of what is declared in s, with a trailing "::".
func (s *scope) path() string {
	if s == nil || s.kind == fileScope {
		return ""
	}
	if s.kind == structScope && s.st != nil {
		return s.st.t.Name + "::"
	}
	if s.name == "" {
		return s.parent.path()
	}
	return s.parent.path() + s.name + "::"
}

// push opens a scope in the present one; the caller puts the old one back.
func (c *checker) push(kind scopeKind) (old *scope) {
	old = c.scope
	c.scope = &scope{kind: kind, parent: old}
	return old
}

// set declares e as name in s, without asking.
func (s *scope) set(name string, e *entity) {
	if s.names == nil {
		s.names = make(map[string]*entity)
	}
	s.names[name] = e
}

// declare declares e as name in the present scope; only functions may share a name.
func (c *checker) declare(name string, e *entity) {
	s := c.scope
	if name == "" {
		return
	}
	if old := s.names[name]; old != nil {
		switch {
		case e.fns != nil && (old.fns != nil || old.typ != nil && old.variable == nil):
			old.fns = append(old.fns, e.fns...)
			return
		case e.typ != nil && old.typ != nil && same(e.typ.T, old.typ.T):
			return
		case e.typ != nil && old.fns != nil && old.typ == nil:
			old.typ = e.typ
			return
		}
		c.fail(e.pos, "%s is declared twice; the first time at %s", name, old.pos)
	}
	s.set(name, e)
}

// lookup finds name from the present scope outwards, and the scope where it is.
func (c *checker) lookup(name string) (*entity, *scope) {
	for s := c.scope; s != nil; s = s.parent {
		if s.kind == structScope && s.st != nil {
			if e := s.st.find(name); e != nil {
				return e, s
			}
			if name == s.st.plain && name != "" {
				return &entity{pos: s.st.pos, typ: &qual{T: s.st.t}}, s
			}
			continue
		}
		if e := s.find(name); e != nil {
			return e, s
		}
	}
	return nil, nil
}

// libraryNames returns the names of the library's functions.
var libraryNames = sync.OnceValue(func() []string {
	var names []string
	for _, line := range stdlib.Functions() {
		name, _, _ := strings.Cut(line, "(")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
})

// similar returns a declared name that differs from name little, or "".
func (c *checker) similar(name string) string {
	best, least := "", 1+len(name)/4
	try := func(other string) {
		if d := distance(name, other, least); d <= least && (best == "" || d < least || d == least && other < best) {
			best, least = other, d
		}
	}
	seen := map[*scope]bool{}
	var in func(s *scope)
	in = func(s *scope) {
		if seen[s] {
			return
		}
		seen[s] = true
		for n := range s.names {
			try(n)
		}
		for _, u := range s.uses {
			in(u)
		}
	}
	for s := c.scope; s != nil; s = s.parent {
		in(s)
	}
	if best == "" && c.scope.usesMetal() {
		for _, f := range libraryNames() {
			try(f)
		}
	}
	return best
}

// distance returns how many letters must be changed, added, left out or exchanged to make a of b; more than most if it
// is more than most.
func distance(a, b string, most int) int {
	if len(a) < 3 || len(b) < 3 || len(a)-len(b) > most || len(b)-len(a) > most || len(a) > 64 || len(b) > 64 || a == b {
		return most + 1
	}
	var rows [3][66]int
	for j := range len(b) + 1 {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		row, up, up2 := &rows[i%3], &rows[(i+2)%3], &rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(up[j]+1, row[j-1]+1, up[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], up2[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}

// nameString writes a name as in the source.
func nameString(n *syntax.Name) string {
	s := ""
	if n.Global {
		s = "::"
	}
	for i, p := range n.Parts {
		if i > 0 {
			s += "::"
		}
		s += p.Ident
		if p.HasArgs {
			s += "<…>"
		}
	}
	return s
}
