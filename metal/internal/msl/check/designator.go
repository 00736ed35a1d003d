package check

import (
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
)

// elements collects the values of an aggregate: in order, or where designators put them, as C99 has it. A later value of an element
// takes the place of an earlier one.
type elements struct {
	c      *checker
	pos    Pos
	list   []typed.Expr // nil where nothing was given
	parts  map[int]*syntax.InitList
	next   int
	within bool // the last value went into a part of an element
}

// put gives element i a value.
func (e *elements) put(i int, x typed.Expr) {
	for len(e.list) <= i {
		e.c.tick(e.pos)
		e.list = append(e.list, nil)
	}
	e.list[i] = x
	e.next, e.within = i+1, false
}

// follow fails if the next value would go after a part of an element, and not after a whole one.
func (e *elements) follow(pos Pos) {
	if e.within {
		e.c.fail(pos, "the value before goes into a part of a member or element, so that it is not plain where this one goes: write a designator")
	}
}

// designated gives elements lo to hi, of type t, the value after the first step of d.
func (e *elements) designated(d *syntax.Designated, rest []syntax.Designator, lo, hi int, t typed.Type) {
	c := e.c
	if len(rest) > 0 {
		for i := lo; i <= hi; i++ {
			e.part(d, rest, i)
		}
		return
	}
	var x typed.Expr
	if l, ok := d.X.(*syntax.InitList); ok {
		x = c.initList(l.Pos, t, l, false)
	} else {
		o := c.rvalue(d.X)
		if a, ok := t.(*typed.Array); ok && !a.Metal {
			c.fail(o.pos, "an array is initialised by a list in braces")
		}
		x = c.inBraces(&o, t)
	}
	if lo < hi && !typed.Pure(x) {
		c.refuse(d.Pos, "ranges of elements whose value has effects", "write the value to a variable first")
	}
	for i := lo; i <= hi; i++ {
		delete(e.parts, i)
		e.put(i, x)
	}
}

// part notes that a part of element i has a value. The parts of one element together make a list for it.
func (e *elements) part(d *syntax.Designated, rest []syntax.Designator, i int) {
	l := e.parts[i]
	if l == nil {
		if i < len(e.list) && e.list[i] != nil {
			e.c.refuse(d.Pos, "designators of a part of what has a value already", "write the whole value")
		}
		if e.parts == nil {
			e.parts = map[int]*syntax.InitList{}
		}
		l = &syntax.InitList{Pos: d.Pos}
		e.parts[i] = l
		e.put(i, nil)
	}
	l.Args = append(l.Args, &syntax.Designated{Pos: d.Pos, Path: rest, X: d.X})
	e.next, e.within = i+1, true
}

// values returns the elements, those of which nothing was said made by rest. of is the type of an element.
func (e *elements) values(of func(i int) typed.Type, rest func(i int) typed.Expr) []typed.Expr {
	for i, x := range e.list {
		switch l := e.parts[i]; {
		case l != nil:
			e.list[i] = e.c.initList(l.Pos, of(i), l, false)
		case x == nil:
			e.list[i] = rest(i)
		}
	}
	return e.list
}

// designator returns the designated value that stands next, nil if it is none.
func (k *cursor) designator() *syntax.Designated {
	d, _ := k.args[k.i].(*syntax.Designated)
	return d
}

// elementsAt returns the elements of an array of n, 0 if that is not known, that the first step of d names.
func (c *checker) elementsAt(d *syntax.Designated, t typed.Type, n int) (lo, hi int) {
	s := &d.Path[0]
	if s.Lo == nil {
		c.fail(s.Pos, "%s has elements and no member %s: write [0] = …", t, s.Field)
	}
	bound := func(x syntax.Expr) int {
		i := c.constantInt(x, "the index of a designator")
		if i < 0 || n > 0 && i >= int64(n) || i >= maxSize {
			c.fail(x.Place(), "index %d is outside %s", i, t)
		}
		return int(i)
	}
	lo = bound(s.Lo)
	if hi = lo; s.Hi != nil {
		if hi = bound(s.Hi); hi < lo {
			c.fail(s.Pos, "the range %d ... %d is empty", lo, hi)
		}
	}
	return lo, hi
}

// memberAt returns the member of a struct that the first step of d names, and the steps that are left: of a member of an unnamed one that
// holds it, all of them.
func (c *checker) memberAt(d *syntax.Designated, st *structInfo) (i int, rest []syntax.Designator) {
	s := &d.Path[0]
	if s.Lo != nil {
		c.fail(s.Pos, "%s has no elements: write .member = …", st.t)
	}
	e := st.scope.names[s.Field]
	if e == nil || e.owner == nil {
		c.fail(s.Pos, "%s has no member %s%s", st.t, s.Field, c.memberHint(st, s.Field))
	}
	rest = d.Path[1:]
	for ; e.via != nil; e = e.via {
		rest = d.Path
	}
	return e.field, rest
}

// aggregateArray makes an array of the values at k.
func (c *checker) aggregateArray(pos Pos, u *typed.Array, k *cursor, whole bool) typed.Expr {
	n := u.Len
	e := &elements{c: c, pos: pos}
	for !k.done() {
		if d := k.designator(); d != nil {
			if !whole {
				break // it is about what is around
			}
			lo, hi := c.elementsAt(d, u, n)
			e.designated(d, d.Path[1:], lo, hi, u.Elem)
			k.next()
			continue
		}
		if n > 0 && e.next >= n {
			break
		}
		e.follow(k.args[k.i].Place())
		e.put(e.next, c.member1(u.Elem, k))
	}
	zero := func(int) typed.Expr {
		if c.needsInit(u.Elem) {
			return c.zeroValue(pos, u.Elem)
		}
		return &typed.Zero{Node: node(pos, u.Elem)}
	}
	elems := e.values(func(int) typed.Type { return u.Elem }, zero)
	if n == 0 {
		u = c.arrayOf(pos, u.Elem, uint64(len(elems)), u.Metal)
	}
	if len(elems) < n && c.needsInit(u.Elem) {
		if n > 4096 {
			c.refuse(pos, "more than 4096 objects that are constructed at once", "write a loop")
		}
		for len(elems) < n {
			elems = append(elems, c.zeroValue(pos, u.Elem))
		}
	}
	return &typed.Aggregate{Node: node(pos, u), Elems: elems}
}

// aggregateStruct makes a struct or union of the values at k.
func (c *checker) aggregateStruct(pos Pos, st *structInfo, k *cursor, whole bool) typed.Expr {
	u := st.t
	fields := len(st.fields)
	if u.Union {
		fields = min(fields, 1)
	}
	e := &elements{c: c, pos: pos}
	last := 0
	for !k.done() {
		if d := k.designator(); d != nil {
			if !whole {
				break
			}
			i, rest := c.memberAt(d, st)
			if u.Union && i != last {
				e.list, e.parts, last = nil, nil, i
			}
			if st.fields[i].ref != nil && len(rest) == 0 {
				e.put(i, c.refTo(ptr(c.exprOrList(d.X)), st, i))
			} else {
				e.designated(d, rest, i, i, u.Fields[i].Type)
			}
			k.next()
			continue
		}
		if e.next >= fields || u.Union && e.list != nil {
			break
		}
		e.follow(k.args[k.i].Place())
		if st.fields[e.next].ref != nil {
			e.put(e.next, c.refTo(c.peek(k), st, e.next))
			k.next()
			continue
		}
		e.put(e.next, c.member1(u.Fields[e.next].Type, k))
	}
	elems := e.values(func(i int) typed.Type { return u.Fields[i].Type }, func(int) typed.Expr { return nil })
	if u.Union && len(elems) > 0 {
		return &typed.Aggregate{Node: node(pos, u), Elems: elems[last:], Field: last}
	}
	return c.aggregateRest(pos, st, elems)
}
