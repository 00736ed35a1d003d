package check

import (
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
)

// initialise returns the value of an initialiser: of = x, = {…}, {…} and (…).
func (c *checker) initialise(pos Pos, t typed.Type, init syntax.Expr, ctor bool, args []syntax.Expr, what string) typed.Expr {
	if a, ok := t.(*typed.Array); ok && !a.Metal {
		if l, ok := literalText(init); ok && isByte(a.Elem) {
			return c.charArray(l, a)
		}
	}
	if _, ok := init.(*syntax.InitList); !ok {
		c.sized(pos, t)
	}
	if init == nil || ctor {
		if a, ok := t.(*typed.Array); ok && len(args) > 0 && !a.Metal {
			c.fail(pos, "%s: an array is initialised by a list in braces", what)
		}
		return c.direct(pos, t, args)
	}
	if l, ok := init.(*syntax.InitList); ok {
		return c.initList(l.Pos, t, l, true)
	}
	o := c.rvalue(init)
	if a, ok := t.(*typed.Array); ok && !a.Metal {
		if o.X == nil || !same(o.T, t) {
			c.fail(o.pos, "%s: an array is initialised by a list in braces", what)
		}
	}
	return c.convert(&o, t, what)
}

// zeroValue is T() and T{}.
func (c *checker) zeroValue(pos Pos, t typed.Type) typed.Expr {
	if typed.HoldsAtomic(t) {
		c.fail(pos, "%s cannot be made as a value", t)
	}
	st := c.structOf(t)
	if st == nil {
		if a, ok := t.(*typed.Array); ok && c.needsInit(t) {
			return c.fill(pos, a)
		}
		return &typed.Zero{Node: node(pos, t)}
	}
	c.complete(pos, st)
	if f := st.defaultConstructor(); f != nil {
		return c.construct(pos, f, nil)
	}
	if st.defaulted() {
		return c.aggregateRest(pos, st, nil)
	}
	return c.byConstructor(pos, st, nil)
}

// defaulted reports whether the default constructor is = default.
func (st *structInfo) defaulted() bool {
	for _, f := range st.ctors {
		if f.tparams == nil && len(f.params) == 0 && f.decl != nil && f.decl.Default {
			return true
		}
	}
	return st.aggregate()
}

// aggregateOnly reports whether no constructor of the source makes objects of one value.
func (st *structInfo) aggregateOnly() bool { return len(st.ctors) == 0 }

// memberRest is the value of member i of an aggregate that is given none.
func (c *checker) memberRest(pos Pos, st *structInfo, i int) typed.Expr {
	if x := c.fieldDefault(st, i); x != nil {
		return x
	}
	return c.noDefault(pos, st, i)
}

// aggregateRest completes the members of a struct that elems leaves out, by nil or at the end, with their initialisers.
func (c *checker) aggregateRest(pos Pos, st *structInfo, elems []typed.Expr) typed.Expr {
	if st.t.Union {
		if len(elems) == 0 {
			return &typed.Zero{Node: node(pos, st.t)}
		}
		return &typed.Aggregate{Node: node(pos, st.t), Elems: elems}
	}
	if st.usesMembers(elems) {
		f := c.maker(st, elems)
		c.use(pos, f)
		args := []typed.Expr{nil}
		for _, x := range elems {
			if x != nil {
				args = append(args, x)
			}
		}
		return &typed.ConstructExpr{Node: node(pos, st.t), Func: f.tf, Args: args, Places: make([]typed.Place, len(args))}
	}
	for i := range st.fields {
		switch {
		case i >= len(elems):
			elems = append(elems, c.memberRest(pos, st, i))
		case elems[i] == nil:
			elems[i] = c.memberRest(pos, st, i)
		}
	}
	zero := true
	for _, e := range elems {
		if _, ok := e.(*typed.Zero); !ok {
			zero = false
		}
	}
	if zero {
		return &typed.Zero{Node: node(pos, st.t)}
	}
	return &typed.Aggregate{Node: node(pos, st.t), Elems: elems}
}

// defaultValue is the value of an object that is declared without an initialiser; its type needs one.
func (c *checker) defaultValue(pos Pos, t typed.Type) typed.Expr {
	if a, ok := t.(*typed.Array); ok {
		return c.fill(pos, a)
	}
	st := c.structOf(t)
	if f := st.defaultConstructor(); f != nil {
		return c.construct(pos, f, nil)
	}
	return c.construct(pos, st.implicit, nil)
}

// fill makes an array whose elements are all default.
func (c *checker) fill(pos Pos, a *typed.Array) typed.Expr {
	n := a.Len
	for e, ok := a.Elem.(*typed.Array); ok; e, ok = e.Elem.(*typed.Array) {
		n *= e.Len
	}
	if n > 4096 {
		c.refuse(pos, "more than 4096 objects that are constructed at once", "write a loop")
	}
	elems := make([]typed.Expr, a.Len)
	for i := range elems {
		elems[i] = c.defaultValue(pos, a.Elem)
	}
	return &typed.Aggregate{Node: node(pos, a), Elems: elems}
}

// byConstructor makes an object of a struct of values.
func (c *checker) byConstructor(pos Pos, st *structInfo, ops []operand) typed.Expr {
	c.complete(pos, st)
	if len(ops) == 1 && ops[0].list == nil {
		c.needValue(ops[0].pos, &ops[0])
		if same(ops[0].T, st.t) {
			return c.value(&ops[0])
		}
		if c.derives(ops[0].T, st.t) {
			b := c.toBase(ops[0], st.t)
			return c.value(&b)
		}
	}
	var ctors []*function
	for _, f := range st.ctors {
		if !(f.decl != nil && f.decl.Default) && !c.isImplicitCopy(st, f, ops) {
			ctors = append(ctors, f)
		}
	}
	if len(ctors) > 0 {
		list, _ := c.viable(ctors, nil, nil, ops)
		if len(list) == 0 && len(ops) == 1 && ops[0].list == nil {
			// A conversion operator of the argument may give an object.
			if r := c.rankUser(&ops[0], st.t, true); r.rank != impossible && r.user != nil && r.user.converts {
				return c.apply(&ops[0], st.t, r)
			}
		}
		f := c.choose(pos, st.plain, ctors, nil, nil, ops)
		return c.construct(pos, f, ops)
	}
	if len(ops) == 1 && ops[0].list == nil {
		if r := c.rankUser(&ops[0], st.t, true); r.rank != impossible {
			return c.apply(&ops[0], st.t, r)
		}
	}
	if len(ops) == 0 {
		return c.aggregateRest(pos, st, nil)
	}
	if len(ops) == 1 && ops[0].list != nil {
		return c.initList(pos, st.t, ops[0].list, true)
	}
	c.fail(pos, "%s has no constructor for %d arguments: write %s{…} for its members", st.t, len(ops), st.t)
	return nil
}

// isImplicitCopy keeps copy constructors out of the choice, unless the argument is a list.
func (c *checker) isImplicitCopy(st *structInfo, f *function, ops []operand) bool {
	return len(ops) == 1 && ops[0].list == nil && f.tparams == nil && c.copyLike(st, f)
}

// cursor walks over the values of a list in braces.
type cursor struct {
	args []syntax.Expr
	i    int
	op   *operand // args[i], once it was checked
}

func (k *cursor) done() bool { return k.i >= len(k.args) }

func (k *cursor) next() {
	k.i++
	k.op = nil
}

func (c *checker) peek(k *cursor) *operand {
	if k.op == nil {
		k.op = ptr(c.exprOrList(k.args[k.i]))
		if k.op.list == nil {
			c.needValue(k.op.pos, k.op)
		}
	}
	return k.op
}

// initList makes a value of type t of a list in braces.
func (c *checker) initList(pos Pos, t typed.Type, l *syntax.InitList, explicit bool) typed.Expr {
	c.tick(pos)
	if args := c.expanded(l.Args); len(args) != len(l.Args) || len(args) > 0 && args[0] != l.Args[0] {
		l = &syntax.InitList{Pos: l.Pos, Args: args}
	}
	c.sized(pos, arrayElement(t))
	if typed.HoldsAtomic(t) {
		c.fail(pos, "%s is initialised by atomic_store_explicit", t)
	}
	if len(l.Args) == 0 {
		if a, ok := t.(*typed.Array); ok && a.Len == 0 && !a.Metal {
			c.fail(pos, "the length of this array is not known")
		}
		return c.zeroValue(pos, t)
	}
	switch u := t.(type) {
	case *typed.Scalar, *typed.Pointer:
		if len(l.Args) > 1 {
			c.fail(pos, "%s is one value, and the list has %d", t, len(l.Args))
		}
		o := c.exprOrList(l.Args[0])
		return c.inBraces(&o, t)
	case *typed.Vector:
		ops := make([]operand, len(l.Args))
		for i, a := range l.Args {
			ops[i] = c.exprOrList(a)
		}
		if len(ops) == 1 && ops[0].list == nil {
			if _, one := ops[0].T.(*typed.Scalar); !one {
				return c.inBraces(&ops[0], t)
			}
		}
		x := c.makeVector(pos, u, c.padded(pos, u, ops))
		for i := range ops {
			c.notNarrowed(&ops[i], t)
		}
		if k, ok := ops[0].X.(*typed.Const); len(ops) == 1 && (!ok || k.Bits != 0) {
			c.warn(pos, "only the first component of this %s is given, and the others are zero: write %s(…) for one value in all", t, t)
		}
		return x
	case *typed.Array:
		args := l.Args
		if u.Metal && len(args) == 1 {
			if inner, ok := args[0].(*syntax.InitList); ok && (!takesList(u.Elem) || u.Len > 1 && len(inner.Args) > 1 || onlyLists(inner)) {
				args = inner.Args
			}
		}
		if len(args) == 1 {
			if isValue(args[0]) {
				o := c.rvalue(args[0])
				if same(o.T, t) && (u.Metal || o.X != nil) {
					return c.value(&o)
				}
				k := &cursor{args: args, op: &o}
				return c.aggregate(pos, t, k, true)
			}
		}
		return c.aggregate(pos, t, &cursor{args: args}, true)
	case *typed.Struct:
		st := c.structOf(t)
		if st == nil {
			c.fail(pos, "%s is not made by a list in braces", t)
		}
		c.complete(pos, st)
		if !st.aggregate() {
			ops := make([]operand, len(l.Args))
			for i, a := range l.Args {
				ops[i] = c.exprOrList(a)
			}
			if len(ops) == 1 && ops[0].list == nil && same(ops[0].T, t) {
				return c.value(&ops[0])
			}
			var ctors []*function
			for _, f := range st.ctors {
				if !(f.decl != nil && f.decl.Default) {
					ctors = append(ctors, f)
				}
			}
			f := c.choose(pos, st.plain, ctors, nil, nil, ops)
			if f.explicit && !explicit {
				c.fail(pos, "the constructor %s is explicit: write %s{…}", f.signatureString(), st.t)
			}
			for i := range ops {
				if i < len(f.params) {
					c.notNarrowed(&ops[i], f.params[i].q.T)
				}
			}
			return c.construct(pos, f, ops)
		}
		k := &cursor{args: l.Args}
		if len(l.Args) == 1 && k.designator() == nil {
			if o := c.peek(k); o.list == nil && (same(o.T, t) || c.derives(o.T, t)) {
				return c.convert(o, t, "the list in braces")
			}
		}
		return c.aggregate(pos, t, k, true)
	}
	c.fail(pos, "%s is not made by a list in braces", t)
	return nil
}

// padded adds the zeros that a list of the components of a vector leaves out.
func (c *checker) padded(pos Pos, v *typed.Vector, ops []operand) []operand {
	n := 0
	for i := range ops {
		w, ok := ops[i].T.(*typed.Vector)
		if n++; ok {
			n += w.N - 1
		}
	}
	all := ops[:len(ops):len(ops)]
	for ; n < v.N; n++ {
		all = append(all, valueOf(&typed.Zero{Node: node(pos, v.Elem)}))
	}
	return all
}

// arrayElement returns the innermost element of arrays of unknown length.
func arrayElement(t typed.Type) typed.Type {
	if a, ok := t.(*typed.Array); ok && a.Len == 0 {
		return a.Elem
	}
	return t
}

// isValue reports whether what stands in a list in braces is neither a list nor a designated value.
func isValue(x syntax.Expr) bool {
	switch x.(type) {
	case *syntax.InitList, *syntax.Designated:
		return false
	}
	return true
}

// takesList reports whether a value of type t is made by a list of several values.
func takesList(t typed.Type) bool {
	switch t.(type) {
	case *typed.Array, *typed.Struct, *typed.Vector:
		return true
	}
	return false
}

func onlyLists(l *syntax.InitList) bool {
	for _, a := range l.Args {
		if _, ok := a.(*syntax.InitList); !ok {
			return false
		}
	}
	return true
}

// aggregate makes an array or struct of the values at k; whole: k has nothing else.
func (c *checker) aggregate(pos Pos, t typed.Type, k *cursor, whole bool) typed.Expr {
	var result typed.Expr
	switch u := t.(type) {
	case *typed.Array:
		result = c.aggregateArray(pos, u, k, whole)
	case *typed.Struct:
		result = c.aggregateStruct(pos, c.structOf(u), k, whole)
	}
	if whole && !k.done() {
		c.fail(k.args[k.i].Place(), "the list in braces has too many values for %s", t)
	}
	return result
}

// member1 makes one element or member of an aggregate of what stands at k; the braces around an inner aggregate may be
// left out.
func (c *checker) member1(t typed.Type, k *cursor) typed.Expr {
	o := c.peek(k)
	if o.list != nil {
		x := c.initList(o.pos, t, o.list, false)
		k.next()
		return x
	}
	inner := false
	switch u := t.(type) {
	case *typed.Array:
		inner = !same(o.T, t) || !u.Metal && o.X == nil
	case *typed.Struct:
		st := c.structOf(t)
		inner = st != nil && st.aggregate() && len(st.fields) > 0 && c.rankValue(o, t, true).rank == impossible
	}
	if inner {
		if a, ok := t.(*typed.Array); ok && a.Len == 0 {
			c.fail(o.pos, "the length of this array is not known")
		}
		return c.aggregate(o.pos, t, k, false)
	}
	x := c.inBraces(o, t)
	k.next()
	return x
}
