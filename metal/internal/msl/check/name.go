package check

import (
	"strings"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/token"
	"gamma/metal/internal/msl/typed"
)

// ref is what a name was found to be.
type ref struct {
	name string // its last part
	part *syntax.NamePart
	ent  *entity // nil: lib or typ says what it is, or nothing was found
	in   *scope  // where ent was found
	typ  *qual   // a type, with its arguments applied
	// lib is the name in Metal's library, if it is not the source's own; open: it may be written as it is.
	lib  string
	open bool
	// trait: a member of a class template of the library, such as numeric_limits<float>::max.
	trait     bool
	traitName string
	traitArgs []stdlib.TArg
	st        *structInfo // the class in which it was looked up by name, as in T::f
}

// resolve finds what a name stands for. Its last part's arguments are applied to templates of classes and aliases, and left to
// the caller for functions and variables.
func (c *checker) resolve(n *syntax.Name) ref {
	if len(n.Parts) == 0 {
		c.fail(n.Pos, "a name is missing here")
	}
	c.near = n.Pos
	if n.Global {
		return c.resolveIn(n, c.file)
	}
	return c.resolveIn(n, nil)
}

// resolveIn is resolve; the first part is looked up in a scope, nil for here and outwards.
func (c *checker) resolveIn(n *syntax.Name, in *scope) ref {
	parts := n.Parts
	for i := range parts {
		p := &parts[i]
		last := i == len(parts)-1
		if p.Decltype != nil {
			q := c.decltype(p.Decltype.X)
			if in = c.scopeOf(p.Pos, q.T); in == nil {
				return c.enumerator(p, parts[i+1:], q)
			}
			continue
		}
		e, at, found := c.part(n, in, i)
		if e == nil {
			return found
		}
		if e.isPack {
			c.fail(p.Pos, "%s is a pack: write ... after what uses it", p.Ident)
		}
		if e.lib != "" {
			var path []syntax.NamePart
			for w := range strings.SplitSeq(e.lib, "::") {
				path = append(path, syntax.NamePart{Pos: p.Pos, Ident: w})
			}
			path[len(path)-1].HasArgs, path[len(path)-1].Args = p.HasArgs, p.Args
			r := c.library(n, append(path, parts[i+1:]...))
			r.open = true
			return r
		}
		if e.tmpl != nil && e.tmpl.kind != variableTemplate && p.HasArgs {
			t := c.applyTemplate(p.Pos, e.tmpl, p.Args)
			if last {
				return ref{name: p.Ident, part: p, typ: &t}
			}
			in = c.scopeOf(p.Pos, t.T)
			if in == nil {
				return c.enumerator(p, parts[i+1:], t)
			}
			continue
		}
		if last {
			r := ref{name: p.Ident, part: p, ent: e, in: at}
			if e.typ != nil && (e.fns == nil || p.HasArgs) {
				if p.HasArgs {
					if st := c.structOf(e.typ.T); st == nil || st.template() == nil {
						c.fail(p.Pos, "%s is not a template", p.Ident)
					} else { // the class's own name within itself
						t := c.applyTemplate(p.Pos, st.template(), p.Args)
						r.typ = &t
						return r
					}
				}
				r.typ = e.typ
			}
			if in != nil && in.kind == structScope {
				r.st = in.st
			}
			return r
		}
		switch {
		case e.space != nil:
			in = e.space
		case e.typ != nil:
			if p.HasArgs {
				if st := c.structOf(e.typ.T); st != nil && st.template() != nil {
					t := c.applyTemplate(p.Pos, st.template(), p.Args)
					in = c.scopeOf(p.Pos, t.T)
					continue
				}
			}
			in = c.scopeOf(p.Pos, e.typ.T)
			if in == nil {
				return c.enumerator(p, parts[i+1:], *e.typ)
			}
		default:
			c.fail(p.Pos, "%s is neither a namespace nor a type", p.Ident)
		}
	}
	return ref{}
}

// part looks up part i of a name in a scope, nil for here and outwards. If the source does not declare it there, the entity is nil and the ref is what
// the whole name stands for all the same.
func (c *checker) part(n *syntax.Name, in *scope, i int) (e *entity, at *scope, otherwise ref) {
	parts := n.Parts
	p, last := &parts[i], i == len(parts)-1
	switch {
	case in == nil:
		if e, at = c.lookup(p.Ident); e == nil {
			return nil, nil, c.library(n, parts[i:])
		}
	case in.kind == structScope && in.st != nil:
		e, at = in.st.find(p.Ident), in
		if e == nil {
			if last && (p.Ident == in.st.name || p.Ident == in.st.plain) {
				// T::T is the class itself.
				t := qual{T: in.st.t}
				return nil, nil, ref{name: p.Ident, part: p, typ: &t}
			}
			if last {
				return nil, nil, ref{name: p.Ident, part: p, st: in.st}
			}
			c.fail(p.Pos, "%s has no member %s", in.st.t, p.Ident)
		}
	default:
		e, at = in.find(p.Ident), in
		if e == nil {
			if in == c.file {
				return nil, nil, c.library(n, parts[i:])
			}
			if path, ok := in.metalPath(); ok {
				var full []syntax.NamePart
				for _, w := range strings.Split(strings.TrimSuffix(path, "::"), "::") {
					if w != "" {
						full = append(full, syntax.NamePart{Pos: p.Pos, Ident: w})
					}
				}
				r := c.library(n, append(full, parts[i:]...))
				r.open = true
				return nil, nil, r
			}
			if last {
				return nil, nil, ref{name: p.Ident, part: p}
			}
			c.fail(p.Pos, "namespace %s has no member %s", in.name, p.Ident)
		}
	}
	return e, at, ref{}
}

// scopeOf returns the scope of a struct's members, completing it; nil for enumerations.
func (c *checker) scopeOf(pos Pos, t typed.Type) *scope {
	if st := c.structOf(t); st != nil {
		c.complete(pos, st)
		return st.scope
	}
	if s, ok := t.(*typed.Scalar); ok && c.enums[s] != nil {
		return nil
	}
	c.fail(pos, "%s has no members", t)
	return nil
}

// enumerator finds E::name.
func (c *checker) enumerator(p *syntax.NamePart, rest []syntax.NamePart, t qual) ref {
	e := c.enums[t.T.(*typed.Scalar)]
	if len(rest) != 1 {
		c.fail(p.Pos, "an enumerator has no members")
	}
	x := e.items[rest[0].Ident]
	if x == nil {
		c.fail(rest[0].Pos, "%s has no enumerator %s", t, rest[0].Ident)
	}
	return ref{name: rest[0].Ident, part: &rest[0], ent: &entity{pos: rest[0].Pos, value: x}}
}

// library finds a name that the source does not declare.
func (c *checker) library(n *syntax.Name, parts []syntax.NamePart) ref {
	open := c.scope.usesMetal()
	if parts[0].Ident == "metal" && len(parts) > 1 {
		parts = parts[1:]
		open = true
	}
	if shared := sharedType(parts); shared != nil {
		parts, open = shared, true
	}
	c.declarePart(parts[0].Ident)
	if c.classes.names[parts[0].Ident] != nil && !c.native(parts) {
		if !open {
			c.fail(n.Pos, "%s is not declared here: write metal::%s, or using namespace metal; at the top", nameString(n), nameString(n))
		}
		return c.resolveIn(&syntax.Name{Pos: n.Pos, Parts: parts}, c.classes)
	}
	last := &parts[len(parts)-1]
	words := make([]string, len(parts))
	for i := range parts {
		words[i] = parts[i].Ident
	}
	r := ref{name: last.Ident, part: last, lib: strings.Join(words, "::"), open: open}
	for i := range parts[:len(parts)-1] {
		p := &parts[i]
		if !p.HasArgs {
			continue
		}
		args := c.libraryArgs(p.Args)
		if i == len(parts)-2 {
			x, t, ok, err := stdlib.Trait(p.Ident, last.Ident, args, n.Pos)
			c.check(n.Pos, err)
			if ok && x == nil && t != nil {
				return ref{name: last.Ident, part: last, typ: &qual{T: t}}
			}
			r.trait, r.traitName, r.traitArgs = true, p.Ident, args
			return r
		}
	}
	if last.HasArgs {
		if f := featureOf(r.lib); f != "" && open && len(parts) == 1 { // before its arguments, which belong to it
			c.refuse(n.Pos, f, "")
		}
		args, quals := c.templateArgs(last.Args)
		if t, ok := c.qualTrait(last.Ident, quals); ok {
			return ref{name: last.Ident, part: last, typ: &t}
		}
		if t, ok, err := stdlib.TypeTemplate(r.lib, args, last.Pos); ok {
			c.check(last.Pos, err)
			return ref{name: last.Ident, part: last, typ: &qual{T: t}}
		}
		return r
	}
	if t := stdlib.NamedType(r.lib); t != nil {
		if v := c.opts.Version; v != 0 && v < 320 && same(t, stdlib.Logger) {
			c.fail(n.Pos, "os_log needs version 3.2 of the language")
		}
		if v := c.opts.Version; v != 0 && v < 310 && strings.Contains(r.lib, "bfloat") && !token.InLibrary(n.Pos) {
			c.fail(n.Pos, "bfloat needs version 3.1 of the language")
		}
		return ref{name: last.Ident, part: last, typ: &qual{T: t}}
	}
	if t, ok, err := stdlib.TypeTemplate(r.lib, nil, last.Pos); ok && err == nil {
		return ref{name: last.Ident, part: last, typ: &qual{T: t}}
	}
	return r
}

// sharedType returns what a name of the header simd/simd.h, which a source may share with its host, stands for in the library: that of vectors
// and matrices, in namespace simd or after vector_, matrix_ or simd_. It is nil of other names.
func sharedType(parts []syntax.NamePart) []syntax.NamePart {
	if len(parts) == 2 && parts[0].Ident == "simd" {
		return parts[1:]
	}
	if len(parts) != 1 || parts[0].HasArgs {
		return nil
	}
	word, rest, _ := strings.Cut(parts[0].Ident, "_")
	if word != "simd" && word != "vector" && word != "matrix" {
		return nil
	}
	_, vector := stdlib.NamedType(rest).(*typed.Vector)
	if vector && word != "matrix" && !strings.HasPrefix(rest, "packed") || isMatrixName(rest) && word != "vector" {
		return []syntax.NamePart{{Pos: parts[0].Pos, Ident: rest}}
	}
	return nil
}

// isMatrixName knows float2x2 and so on.
func isMatrixName(s string) bool {
	elem, size := strings.TrimRight(s, "234x"), ""
	if len(elem) < len(s) {
		size = s[len(elem):]
	}
	return (elem == "float" || elem == "half") && len(size) == 3 && size[1] == 'x' && size[0] != 'x' && size[2] != 'x'
}

// native reports whether package stdlib has what a name stands for, though there is a class of that name: members of
// enable_if and of the limits of numbers, which need no instances.
func (c *checker) native(parts []syntax.NamePart) bool {
	if len(parts) != 2 || !parts[0].HasArgs {
		return false
	}
	switch parts[0].Ident {
	case "enable_if":
		return parts[1].Ident == "type"
	case "numeric_limits":
		args := c.expandedArgs(parts[0].Args)
		return len(args) != 1 || c.structOf(c.templateArg(args[0]).q.T) == nil
	}
	return false
}

// undeclared fails for a name that stands for nothing.
func (c *checker) undeclared(n *syntax.Name, r ref) {
	name := nameString(n)
	if r.st != nil {
		c.fail(n.Pos, "%s has no member %s", r.st.t, r.name)
	}
	if f := featureOf(r.lib); f != "" {
		c.refuse(n.Pos, f, "")
	}
	if r.lib != "" && !r.open && (stdlib.IsFunction(r.lib) || c.isConstant(r.lib)) {
		c.fail(n.Pos, "%s is not declared here: write metal::%s, or using namespace metal; at the top", name, name)
	}
	if s := c.similar(r.name); s != "" && len(n.Parts) == 1 {
		c.fail(n.Pos, "%s is not declared; did you mean %s?", name, s)
	}
	c.fail(n.Pos, "%s is not declared", name)
}

func (c *checker) isConstant(name string) bool {
	_, ok := stdlib.Constant(name)
	return ok
}

// refusedPrefixes are the beginnings of names of Metal that are not supported, by feature.
var refusedPrefixes = map[string]string{
	"texture": "textures", "depth": "depth textures",
	"double2": "double", "double3": "double", "double4": "double", "packed_double": "double",
}
