package check

import (
	"gamma/metal/internal/msl/syntax"
)

// A pack is a name that stands for several types, values or parameters. Where what holds packs is expanded, as in f(g(x)...), the pattern
// is checked once an element, in a scope that binds the names of the packs to that element: the syntax tree is shared, and
// the scope lies in the field In of its copy.

// maxPack bounds the elements of one pack.
const maxPack = 1 << 10

// packsOf returns the packs that a walk over names meets, by name, and how many elements each has.
func (c *checker) packsOf(pos Pos, walk func(f visit)) (map[string]*entity, int) {
	var packs map[string]*entity
	n := 0
	walk(func(name string, expanded bool) {
		if expanded || packs[name] != nil {
			return
		}
		e, _ := c.lookup(name)
		if e == nil || !e.isPack {
			return
		}
		if packs == nil {
			packs, n = map[string]*entity{}, len(e.pack)
		} else if len(e.pack) != n {
			c.fail(pos, "packs of different lengths are expanded together: %d and %d", n, len(e.pack))
		}
		packs[name] = e
	})
	return packs, n
}

// element returns a scope within the present one in which packs stand for their i-th elements.
func (c *checker) element(packs map[string]*entity, i int) *scope {
	s := &scope{kind: templateScope, parent: c.scope}
	for name, e := range packs {
		s.set(name, e.pack[i])
	}
	return s
}

// elements returns a scope for each element of the packs that walk meets, in the order of the elements.
func (c *checker) elements(pos Pos, walk func(f visit)) []*scope {
	packs, n := c.packsOf(pos, walk)
	if packs == nil {
		c.fail(pos, "there is no pack before this ...")
	}
	list := make([]*scope, n)
	for i := range list {
		c.tick(pos)
		list[i] = c.element(packs, i)
	}
	return list
}

// enter makes the scope of an element the present one, and returns what puts the old one back.
func (c *checker) enter(in any) func() {
	s, ok := in.(*scope)
	if !ok {
		return func() {}
	}
	old := c.scope
	c.scope = s
	return func() { c.scope = old }
}

// expanded writes out the expansions in a list of expressions.
func (c *checker) expanded(list []syntax.Expr) []syntax.Expr {
	var out []syntax.Expr
	for i, x := range list {
		p, ok := x.(*syntax.PackExpansion)
		if !ok || p.In != nil {
			if out != nil {
				out = append(out, x)
			}
			continue
		}
		if out == nil {
			out = append(make([]syntax.Expr, 0, len(list)+4), list[:i]...)
		}
		if _, ok := p.X.(*syntax.InitList); ok {
			c.refuse(p.Pos, "lists in braces that are expanded", "write T{…}...")
		}
		for _, in := range c.elements(p.Pos, func(f visit) { walkExpr(p.X, f) }) {
			out = append(out, &syntax.PackExpansion{Pos: p.Pos, X: p.X, In: in})
		}
	}
	if out == nil {
		return list
	}
	return out
}

// expandedArgs writes out the expansions in a list of template arguments.
func (c *checker) expandedArgs(list []syntax.TemplateArg) []syntax.TemplateArg {
	var out []syntax.TemplateArg
	for i, a := range list {
		if !a.Pack {
			if out != nil {
				out = append(out, a)
			}
			continue
		}
		if out == nil {
			out = append(make([]syntax.TemplateArg, 0, len(list)+4), list[:i]...)
		}
		a.Pack = false
		for _, in := range c.elements(c.near, func(f visit) { walkArg(a, f) }) {
			out = append(out, syntax.TemplateArg{Type: a.Type, X: a.X, In: in})
		}
	}
	if out == nil {
		return list
	}
	return out
}

func walkArg(a syntax.TemplateArg, f visit) {
	if a.Pack {
		f = f.nested()
	}
	walkType(a.Type, f)
	walkExpr(a.X, f)
}

// fold writes out a fold expression and checks it.
func (c *checker) fold(x *syntax.Fold) operand {
	pattern, init, right := x.X, x.Init, x.Right
	has := func(x syntax.Expr) bool {
		packs, _ := c.packsOf(c.near, func(f visit) { walkExpr(x, f) })
		return packs != nil
	}
	if init != nil && !has(pattern) { // (init + ... + pack)
		pattern, init, right = init, pattern, false
	}
	if !has(pattern) {
		c.fail(x.Pos, "there is no pack in this fold expression")
	}
	list := c.expanded([]syntax.Expr{&syntax.PackExpansion{Pos: x.Pos, X: pattern}})
	if right {
		if init != nil {
			list = append(list, init)
		}
	} else if init != nil {
		list = append([]syntax.Expr{init}, list...)
	}
	if len(list) == 0 {
		switch x.Op {
		case "&&", "||":
			return valueOf(constOf(x.Pos, boolType, b2u(x.Op == "&&")))
		case ",":
			return c.castTo(x.Pos, valueOf(constOf(x.Pos, intType, 0)), qual{T: voidType}, "")
		}
		c.fail(x.Pos, "the pack of this fold expression is empty, and %s of nothing has no value: write (… %s 0)", x.Op, x.Op)
	}
	var all syntax.Expr
	if right {
		all = list[len(list)-1]
		for i := len(list) - 2; i >= 0; i-- {
			all = &syntax.Binary{Pos: x.Pos, Op: x.Op, L: list[i], R: all}
		}
	} else {
		all = list[0]
		for _, y := range list[1:] {
			all = &syntax.Binary{Pos: x.Pos, Op: x.Op, L: all, R: y}
		}
	}
	return c.expr(all)
}

// flat returns arguments with those of packs in their place.
func flat(args []targ) []targ {
	for i, a := range args {
		if !a.isPack {
			continue
		}
		out := append(make([]targ, 0, len(args)+len(a.pack)), args[:i]...)
		for _, b := range args[i:] {
			if b.isPack {
				out = append(out, b.pack...)
			} else {
				out = append(out, b)
			}
		}
		return out
	}
	return args
}

// packMatch matches n items with a pattern of a pack, and binds the packs in it to what they gave.
func (d *deduction) packMatch(mentioned []int, n int, match func(j int) bool) bool {
	if n > maxPack {
		d.c.reason = "a pack of more elements than are supported"
		return false
	}
	lists := make([][]targ, len(d.params))
	old := d.elems
	defer func() { d.elems = old }()
	for j := range n {
		d.elems = make([]*targ, len(d.params))
		for _, i := range mentioned {
			if given := d.bound[i]; given != nil && d.fixed[i] && j < len(given.pack) {
				d.elems[i] = &given.pack[j] // the source gave it
			}
		}
		if !match(j) {
			return false
		}
		for _, i := range mentioned {
			if d.elems[i] == nil {
				d.c.reason = "the elements of the pack " + d.params[i].Name + " cannot be deduced"
				return false
			}
			lists[i] = append(lists[i], *d.elems[i])
		}
	}
	for _, i := range mentioned {
		a := targ{isPack: true, pack: lists[i]}
		if given := d.bound[i]; given != nil && d.fixed[i] {
			if len(given.pack) > n {
				d.c.reason = "the pack " + d.params[i].Name + " is given more elements than there are arguments"
				return false
			}
		} else if given != nil && given.key() != a.key() {
			d.c.reason = "the pack " + d.params[i].Name + " would be " + given.String() + " and " + a.String()
			return false
		}
		d.bound[i] = &a
	}
	return true
}

// packIndexes returns the packs of the template that a walk meets.
func (d *deduction) packIndexes(walk func(f visit)) []int {
	var list []int
	seen := map[int]bool{}
	walk(func(name string, expanded bool) {
		if i, ok := d.index[name]; ok && d.params[i].Pack && !seen[i] && !expanded {
			seen[i] = true
			list = append(list, i)
		}
	})
	return list
}
