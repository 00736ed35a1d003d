package check

import (
	"strings"

	"gamma/metal/internal/msl/stdlib"
	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// userOperator looks for an operator that the source declares. Member: the operator can only be a member.
func (c *checker) userOperator(pos Pos, op string, l *operand, rest []operand, member bool) (operand, bool) {
	name := "operator" + op
	all := append([]operand{*l}, rest...)
	var members []*function
	if st := c.structOf(l.T); st != nil {
		c.complete(pos, st)
		if e := st.find(name); e != nil {
			members = e.fns
		}
	}
	var free []*function
	if !member {
		free = c.lookupFunctions(name)
		free = c.associated(free, name, all)
	}
	if len(members)+len(free) == 0 {
		return operand{}, false
	}
	// Members take the left operand as their object; it takes part in the ranking like a first argument.
	a, why1 := c.viable(members, nil, l, rest)
	b, why2 := c.viable(free, nil, nil, all)
	bests := c.best(append(a, b...))
	switch {
	case len(bests) == 1:
		f := bests[0].f
		if f.st != nil {
			return c.call(pos, f, l, rest), true
		}
		return c.call(pos, f, nil, all), true
	case len(bests) > 1:
		var fns []*function
		for _, m := range bests {
			fns = append(fns, m.f)
		}
		c.fail(pos, "operator %s is ambiguous; candidates: %s", op, candidates(fns))
	}
	c.reason = ""
	fns := append(append([]*function(nil), members...), free...)
	for i, w := range append(why1, why2...) {
		if i < 4 {
			c.reason += "; " + fns[i].signatureString() + " at " + fns[i].pos.String() + " does not fit: " + w
		}
	}
	return operand{}, false
}

// lookupFunctions finds the functions of a name from here outwards.
func (c *checker) lookupFunctions(name string) []*function {
	for s := c.scope; s != nil; s = s.parent {
		if s.kind == structScope {
			continue
		}
		if e := s.find(name); e != nil && e.fns != nil {
			return e.fns
		}
	}
	return nil
}

// associated adds the functions of the namespaces in which the arguments' types are declared.
func (c *checker) associated(fns []*function, name string, args []operand) []*function {
	var have map[*function]bool
	add := func(s *scope) {
		e := s.names[name]
		if e == nil || len(e.fns) == 0 || len(e.fns) == len(fns) && e.fns[0] == fns[0] {
			return
		}
		if have == nil {
			have = map[*function]bool{}
			for _, f := range fns {
				have[f] = true
			}
			fns = fns[:len(fns):len(fns)]
		}
		for _, f := range e.fns {
			if !have[f] {
				have[f] = true
				fns = append(fns, f)
			}
		}
	}
	for i := range args {
		t := pointee(args[i].T)
		if st := c.structOf(t); st != nil {
			for s := st; s != nil; s = s.base {
				add(s.scope.namespace())
			}
			for _, a := range flat(st.args) {
				if inner := c.structOf(a.q.T); a.vt == nil && inner != nil {
					add(inner.scope.namespace())
				}
			}
		}
		if s, ok := t.(*typed.Scalar); ok && s.Enum {
			if e := c.enums[s]; e != nil {
				add(e.in.namespace())
			}
		}
	}
	return fns
}

// pointee returns what a type of pointers or arrays points to in the end.
func pointee(t typed.Type) typed.Type {
	for {
		if p, ok := t.(*typed.Pointer); ok {
			t = p.Elem
		} else if a, ok := t.(*typed.Array); ok && !a.Metal {
			t = a.Elem
		} else {
			return t
		}
	}
}

// ofMetal reports whether the type of an argument is declared in namespace metal, so that the functions of the library are found without a
// directive. The numbers and their vectors are not declared there.
func (c *checker) ofMetal(args []operand) bool {
	for i := range args {
		switch t := pointee(args[i].T).(type) {
		case *typed.Atomic, *typed.Array:
			return true
		case *typed.Struct:
			st := c.structOf(t)
			if st == nil {
				return true
			}
			for s := st; s != nil; s = s.base {
				if s.scope.namespace().name == "metal" {
					return true
				}
			}
		case *typed.Scalar:
			if t.Enum && c.enums[t] == nil {
				return true
			}
		}
	}
	return false
}

// overloadable reports whether a type can have operators of the source.
func (c *checker) overloadable(t typed.Type) bool {
	if c.structOf(t) != nil {
		return true
	}
	s, ok := t.(*typed.Scalar)
	return ok && c.enums[s] != nil
}

var assignments = map[string]string{
	"+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "&=": "&", "|=": "|", "^=": "^", "<<=": "<<", ">>=": ">>",
}

// binaryChain checks a chain of binary operators from its left end, so that a long one does not nest.
func (c *checker) binaryChain(x *syntax.Binary) operand {
	var chain []*syntax.Binary
	var left syntax.Expr = x
	for {
		b, ok := left.(*syntax.Binary)
		if !ok || b.Op == "&&" || b.Op == "||" {
			break
		}
		chain = append(chain, b)
		left = b.L
	}
	if len(chain) == 0 {
		return c.logical(x)
	}
	l := c.expr(left)
	for i := len(chain) - 1; i >= 0; i-- {
		l = c.binary(chain[i], l)
	}
	return l
}

// logical checks && and ||, of which the right side may not be evaluated.
func (c *checker) logical(x *syntax.Binary) operand {
	l := c.rvalue(x.L)
	r := c.rvalue(x.R)
	if c.overloadable(l.T) || c.overloadable(r.T) {
		if o, ok := c.userOperator(x.Pos, x.Op, &l, []operand{r}, false); ok {
			return o
		}
	}
	lv, ok1 := unpacked(l.T).(*typed.Vector)
	rv, ok2 := unpacked(r.T).(*typed.Vector)
	if ok1 || ok2 {
		n := 0
		if ok1 {
			n = lv.N
		} else {
			n = rv.N
		}
		to := stdlib.VectorOf(boolType, n)
		op := "&"
		if x.Op == "||" {
			op = "|"
		}
		y, err := stdlib.Binary(op, c.explicit(x.Pos, &l, to), c.explicit(x.Pos, &r, to), x.Pos)
		c.check(x.Pos, err)
		return valueOf(y)
	}
	lx, rx := c.condition(l, x.Op), c.condition(r, x.Op)
	if a, ok := lx.(*typed.Const); ok {
		if (a.Bits != 0) == (x.Op == "||") {
			return valueOf(constOf(x.Pos, boolType, a.Bits))
		}
		if b, ok := rx.(*typed.Const); ok {
			return valueOf(constOf(x.Pos, boolType, b.Bits))
		}
	}
	return valueOf(&typed.Logical{Node: node(x.Pos, boolType), Or: x.Op == "||", L: lx, R: rx})
}

// binary checks l op R.
func (c *checker) binary(x *syntax.Binary, l operand) operand {
	c.near = x.Pos
	switch {
	case x.Op == "=":
		return c.assign(x, l)
	case assignments[x.Op] != "":
		return c.compound(x, l)
	case x.Op == ",":
		c.needValue(x.L.Place(), &l)
		r := c.rvalue(x.R)
		var effects []typed.Expr
		if e := c.discard(&l); e != nil {
			effects = []typed.Expr{e}
		}
		if len(effects) == 0 {
			return r
		}
		if r.P != nil && r.known == nil {
			twice := r.twice
			e := c.discard(&r)
			both := effects
			if e != nil {
				both = append(both, e)
			}
			o := r
			o.pos, o.twice = x.Pos, twice
			o.P = &typed.SeqPlace{Effects: effects, X: r.P, Pos: x.Pos}
			o.effect = sequence(x.Pos, both)
			return o
		}
		return valueOf(&typed.SeqExpr{Node: node(x.Pos, r.T), Effects: effects, X: c.value(&r)})
	}
	r := c.exprOrList(x.R)
	c.needValue(x.L.Place(), &l)
	c.needValue(x.R.Place(), &r)
	if c.overloadable(l.T) || c.overloadable(r.T) {
		c.reason = ""
		if o, ok := c.userOperator(x.Pos, x.Op, &l, []operand{r}, false); ok {
			return o
		}
		why := c.reason
		if isStruct(l.T) && c.structOf(l.T) != nil || isStruct(r.T) && c.structOf(r.T) != nil {
			l2, r2 := l, r
			err := c.attempt(func() {
				number := func(t typed.Type) bool { return kindOf(t) != ir.Void }
				if c.structOf(l.T) != nil {
					l2 = c.viaConversion(l, number, "an operand")
				}
				if c.structOf(r.T) != nil {
					r2 = c.viaConversion(r, number, "an operand")
				}
			})
			if err != nil {
				c.fail(x.Pos, "no operator %s takes %s and %s%s", x.Op, l.describe(), r.describe(), why)
			}
			l, r = l2, r2
		}
	}
	return c.builtin(x.Pos, x.Op, l, r)
}

// sequence joins effects to one expression.
func sequence(pos Pos, list []typed.Expr) typed.Expr {
	if len(list) == 1 {
		return list[0]
	}
	n := len(list) - 1
	return &typed.SeqExpr{Node: node(pos, list[n].ExprType()), Effects: list[:n], X: list[n]}
}

// builtin is an operator of numbers, vectors and pointers.
func (c *checker) builtin(pos Pos, op string, l, r operand) operand {
	l, r = c.decay(l), c.decay(r)
	lp, ok1 := l.T.(*typed.Pointer)
	rp, ok2 := r.T.(*typed.Pointer)
	if ok1 || ok2 {
		return c.pointers(pos, op, l, r, lp, rp)
	}
	if c.scoped(l.T) || c.scoped(r.T) {
		compares := op == "==" || op == "!=" || op == "<" || op == "<=" || op == ">" || op == ">="
		if !same(l.T, r.T) || !compares {
			c.fail(pos, "no operator %s takes %s and %s: convert the enum class with a cast", op, l.T, r.T)
		}
	}
	lx, rx := c.number(c.value(&l)), c.number(c.value(&r))
	x, err := stdlib.Binary(op, lx, rx, pos)
	c.check(pos, err)
	return valueOf(c.foldBinary(x))
}

// number gives a value of an enumeration of the source as an integer.
func (c *checker) number(x typed.Expr) typed.Expr {
	if s, ok := x.ExprType().(*typed.Scalar); ok && s.Enum && c.enums[s] != nil {
		return fold(&typed.ConvertExpr{Node: node(x.At(), stdlib.ScalarOf(s.Kind)), X: x})
	}
	return x
}

// foldBinary evaluates an operator of integer constants, so that what is written in constants stays one.
func (c *checker) foldBinary(x typed.Expr) typed.Expr {
	b, ok := x.(*typed.Binary)
	if !ok {
		return x
	}
	b.L, b.R = fold(b.L), fold(b.R)
	l, ok1 := b.L.(*typed.Const)
	r, ok2 := b.R.(*typed.Const)
	if !ok1 || !ok2 || !isIntKind(kindOf(l.Type)) || kindOf(l.Type) != kindOf(r.Type) || kindOf(b.Type) == ir.Void {
		return x
	}
	bits, err := evalBits(b.Op, kindOf(l.Type), ir.Void, l.Bits, r.Bits)
	if err != nil {
		return x
	}
	return constOf(b.Pos, b.Type, bits)
}

// pointers is an operator with a pointer.
func (c *checker) pointers(pos Pos, op string, l, r operand, lp, rp *typed.Pointer) operand {
	step := func(p operand, t *typed.Pointer, i operand, neg bool) operand {
		if !integral(i.T) || c.scoped(i.T) {
			c.fail(pos, "no operator %s takes %s and %s", op, l.T, r.T)
		}
		if isVoid(t.Elem) {
			c.fail(pos, "a pointer to void has no next one")
		}
		c.sized(pos, t.Elem)
		return valueOf(&typed.PtrAddExpr{Node: node(pos, t), X: c.value(&p), I: c.number(c.value(&i)), Neg: neg})
	}
	switch {
	case op == "+" && lp != nil && rp == nil:
		return step(l, lp, r, false)
	case op == "+" && rp != nil && lp == nil:
		return step(r, rp, l, false)
	case op == "-" && lp != nil && rp == nil:
		return step(l, lp, r, true)
	}
	compare, known := map[string]ir.Op{"==": ir.Eq, "!=": ir.Ne, "<": ir.Lt, "<=": ir.Le, ">": ir.Lt, ">=": ir.Le}[op]
	if lp != nil && r.null && known {
		r = valueOf(constOf(r.pos, lp, 0))
		rp = lp
	} else if rp != nil && l.null && known {
		l = valueOf(constOf(l.pos, rp, 0))
		lp = rp
	}
	if lp == nil || rp == nil || !known && op != "-" {
		c.fail(pos, "no operator %s takes %s and %s", op, l.T, r.T)
	}
	if lp.Space != rp.Space || !same(lp.Elem, rp.Elem) && !isVoid(lp.Elem) && !isVoid(rp.Elem) {
		c.fail(pos, "no operator %s takes %s and %s: they point to different things", op, l.T, r.T)
	}
	lx, rx := c.value(&l), c.value(&r)
	if !same(lp, rp) {
		t := pointerTo(lp.Elem, lp.Space, true, lp.Volatile || rp.Volatile)
		if !same(lp, t) {
			lx = &typed.PtrConvert{Node: node(lx.At(), t), X: lx}
		}
		rx = &typed.PtrConvert{Node: node(rx.At(), t), X: rx}
	}
	if op == "-" {
		c.sized(pos, lp.Elem)
		return valueOf(&typed.PtrDiff{Node: node(pos, longType), L: lx, R: rx})
	}
	if op == ">" || op == ">=" {
		lx, rx = rx, lx
	}
	return valueOf(&typed.PtrCompare{Node: node(pos, boolType), Op: compare, L: lx, R: rx})
}

// needLvalue fails if o cannot be written.
func (c *checker) needLvalue(pos Pos, o *operand, what string) {
	c.needValue(pos, o)
	switch {
	case o.P == nil:
		c.fail(pos, "%s needs an lvalue on its left, not a value of type %s", what, o.T)
	case o.Const && o.Space == ir.Constant:
		c.fail(pos, "%s: what is in constant cannot be changed", what)
	case o.Const:
		c.fail(pos, "%s: it is const", what)
	}
	if o.twice {
		c.refuse(o.pos, "the value of an assignment to a place with side effects", "write two statements")
	}
	if _, ok := o.T.(*typed.Array); ok && !o.T.(*typed.Array).Metal {
		c.fail(pos, "%s: an array is not assigned as a whole", what)
	}
	if typed.HoldsAtomic(o.T) {
		c.fail(pos, "%s: write an atomic with atomic_store_explicit(&…, …, memory_order_relaxed)", what)
	}
}

// assigned is the operand that an assignment to l leaves.
func (c *checker) assigned(pos Pos, l operand, effect typed.Expr) operand {
	r := l
	r.pos = pos
	r.X, r.known, r.null = nil, nil, false
	r.P = &typed.SeqPlace{Effects: []typed.Expr{effect}, X: l.P, Pos: pos}
	r.effect = effect
	r.twice = !typed.PurePlace(l.P)
	if s, ok := l.P.(*typed.SeqPlace); ok && !l.twice {
		r.P = &typed.SeqPlace{Effects: append(append([]typed.Expr(nil), s.Effects...), effect), X: s.X, Pos: pos}
		r.effect = sequence(pos, r.P.(*typed.SeqPlace).Effects)
		r.twice = false
	}
	return r
}

// split takes the effects out of the place of an assignment, as in (a = b) += c.
func split(p typed.Place) ([]typed.Expr, typed.Place) {
	if s, ok := p.(*typed.SeqPlace); ok {
		return s.Effects, s.X
	}
	return nil, p
}

func (c *checker) assign(x *syntax.Binary, l operand) operand {
	r := c.exprOrList(x.R)
	c.needValue(x.L.Place(), &l)
	if st := c.structOf(l.T); st != nil {
		c.complete(x.Pos, st)
		if e := st.find("operator="); e != nil {
			// The implicit assignment stands beside those of the source.
			if r.list != nil || !same(r.T, l.T) || c.hasCopyAssign(e.fns, l.T) {
				if o, ok := c.userOperator(x.Pos, "=", &l, []operand{r}, true); ok {
					return o
				}
			}
		}
	}
	c.needLvalue(x.Pos, &l, "=")
	if st := c.structOf(l.T); st != nil && st.hasRef() {
		c.fail(x.Pos, "%s is not assigned: a member is a reference", l.T)
	}
	v := c.convert(&r, l.T, "=")
	_, to := split(l.P)
	a := &typed.AssignExpr{Node: node(x.Pos, voidType), To: to, X: v}
	return c.assigned(x.Pos, l, a)
}

func (c *checker) hasCopyAssign(fns []*function, t typed.Type) bool {
	for _, f := range fns {
		if f.tparams == nil && len(f.params) == 1 && same(f.params[0].q.T, t) && !(f.decl != nil && f.decl.Default) {
			return true
		}
	}
	return false
}

func (c *checker) compound(x *syntax.Binary, l operand) operand {
	r := c.exprOrList(x.R)
	c.needValue(x.L.Place(), &l)
	if c.overloadable(l.T) || c.overloadable(r.T) {
		c.reason = ""
		if o, ok := c.userOperator(x.Pos, x.Op, &l, []operand{r}, false); ok {
			return o
		}
		if c.structOf(l.T) != nil {
			c.fail(x.Pos, "no operator %s takes %s and %s%s", x.Op, l.describe(), r.describe(), c.reason)
		}
	}
	c.needValue(x.R.Place(), &r)
	if c.structOf(r.T) != nil {
		r = c.viaConversion(r, func(t typed.Type) bool { return kindOf(t) != ir.Void }, x.Op)
	}
	c.needLvalue(x.Pos, &l, x.Op)
	r = c.decay(r)
	return c.compoundWith(x.Pos, assignments[x.Op], l, r)
}

// compoundWith is l op= r of numbers, vectors and pointers.
func (c *checker) compoundWith(pos Pos, op string, l, r operand) operand {
	_, to := split(l.P)
	e := &typed.CompoundExpr{Node: node(pos, voidType), To: to}
	if p, ok := l.T.(*typed.Pointer); ok {
		if op != "+" && op != "-" || !integral(r.T) || c.scoped(r.T) || isVoid(p.Elem) {
			c.fail(pos, "no operator %s= takes %s and %s", op, l.T, r.T)
		}
		c.sized(pos, p.Elem)
		e.Op, e.X = ir.PtrAdd, c.number(c.value(&r))
		if op == "-" {
			k := promoted(kindOf(e.X.ExprType()))
			if !isSignedKind(k) {
				k = ir.I64
			}
			e.X = c.negated(pos, c.convertNumber(e.X, stdlib.ScalarOf(k)))
		}
		return c.assigned(pos, l, e)
	}
	if s, ok := l.T.(*typed.Scalar); ok && s.Enum || c.scoped(r.T) {
		c.fail(pos, "no operator %s= takes %s and %s", op, l.T, r.T)
	}
	x, err := stdlib.Binary(op, &typed.LoadExpr{Node: node(pos, l.T), X: to}, c.number(c.value(&r)), pos)
	c.check(pos, err)
	b, ok := x.(*typed.Binary)
	if !ok {
		c.fail(pos, "no operator %s= takes %s and %s", op, l.T, r.T)
	}
	if !stdlib.Implicit(b.Type, l.T) {
		if !(kindOf(b.Type) != ir.Void && kindOf(l.T) != ir.Void) {
			c.fail(pos, "%s= gives %s, which does not become %s by itself", op, b.Type, l.T)
		}
	}
	e.Op, e.X = b.Op, fold(b.R)
	return c.assigned(pos, l, e)
}

func (c *checker) negated(pos Pos, x typed.Expr) typed.Expr {
	if k, ok := x.(*typed.Const); ok {
		if bits, err := evalBits(ir.Neg, kindOf(k.Type), ir.Void, k.Bits); err == nil {
			return constOf(pos, k.Type, bits)
		}
	}
	return &typed.Unary{Node: node(pos, x.ExprType()), Op: ir.Neg, X: x}
}

// one returns the 1 that ++ adds to a value of type t.
func (c *checker) one(pos Pos, t typed.Type) operand {
	switch e := element(t).(type) {
	case *typed.Scalar:
		if e.Kind == ir.Bool || e.Enum {
			c.fail(pos, "++ and -- are not for %s", t)
		}
		bits := uint64(1)
		if isFloatKind(e.Kind) {
			bits = fromFloat(e.Kind, 1)
		}
		return valueOf(constOf(pos, e, bits))
	case *typed.Pointer:
		return valueOf(constOf(pos, intType, 1))
	}
	c.fail(pos, "++ and -- are not for %s", t)
	return operand{}
}

// unary checks the operators in front.
func (c *checker) unary(x *syntax.Unary) operand {
	if x.Op == "&" {
		return c.address(x)
	}
	o := c.expr(x.X)
	if o.fns != nil && x.Op == "*" {
		return o // of a function, which is called
	}
	c.needValue(x.X.Place(), &o)
	if c.overloadable(o.T) {
		c.reason = ""
		if r, ok := c.userOperator(x.Pos, x.Op, &o, nil, false); ok {
			return r
		}
		if c.structOf(o.T) != nil && x.Op != "!" {
			if x.Op == "++" || x.Op == "--" || x.Op == "*" {
				c.fail(x.Pos, "no operator %s takes %s%s", x.Op, o.describe(), c.reason)
			}
			o = c.viaConversion(o, func(t typed.Type) bool { return kindOf(t) != ir.Void }, "operator "+x.Op)
		}
	}
	switch x.Op {
	case "*":
		o = c.decay(o)
		p, ok := o.T.(*typed.Pointer)
		if !ok {
			c.fail(x.Pos, "* needs a pointer, not %s", o.T)
		}
		if isVoid(p.Elem) {
			c.fail(x.Pos, "there is nothing of a type after a pointer to void")
		}
		c.sized(x.Pos, p.Elem)
		return derefOperand(x.Pos, c.value(&o))
	case "++", "--":
		c.needLvalue(x.Pos, &o, x.Op)
		r := c.compoundWith(x.Pos, x.Op[:1], o, c.one(x.Pos, o.T))
		return r
	case "!":
		if v, ok := unpacked(o.T).(*typed.Vector); ok {
			to := stdlib.VectorOf(boolType, v.N)
			return valueOf(&typed.Unary{Node: node(x.Pos, to), Op: ir.Not, X: c.explicit(x.Pos, &o, to)})
		}
		v := c.condition(o, "!")
		if k, ok := v.(*typed.Const); ok {
			return valueOf(constOf(x.Pos, boolType, k.Bits^1))
		}
		return valueOf(&typed.Unary{Node: node(x.Pos, boolType), Op: ir.Not, X: v})
	}
	o = c.decay(o)
	if p, ok := o.T.(*typed.Pointer); ok {
		if x.Op == "+" {
			return valueOf(c.value(&o))
		}
		c.fail(x.Pos, "%s is not for %s", x.Op, p)
	}
	s, ok := element(o.T).(*typed.Scalar)
	if !ok || c.scoped(o.T) || s.Enum && c.enums[s] == nil {
		c.fail(x.Pos, "%s is not for %s", x.Op, o.T)
	}
	v := c.number(c.value(&o))
	t := unpacked(o.T)
	if _, ok := t.(*typed.Scalar); ok {
		t = stdlib.ScalarOf(promoted(s.Kind))
	} else if s.Kind == ir.Bool {
		c.fail(x.Pos, "%s is not for %s: write !", x.Op, o.T)
	}
	v = c.convertNumber(v, t)
	var op ir.Op
	switch x.Op {
	case "+":
		return valueOf(v)
	case "-":
		return valueOf(c.negated(x.Pos, v))
	case "~":
		if isFloatKind(s.Kind) {
			c.fail(x.Pos, "~ is for integers, not %s", o.T)
		}
		op = ir.Not
	default:
		c.fail(x.Pos, "%s is no operator here", x.Op)
	}
	if k, ok := v.(*typed.Const); ok {
		if bits, err := evalBits(op, kindOf(k.Type), ir.Void, k.Bits); err == nil {
			return valueOf(constOf(x.Pos, t, bits))
		}
	}
	return valueOf(&typed.Unary{Node: node(x.Pos, t), Op: op, X: v})
}

// address checks &x.
func (c *checker) address(x *syntax.Unary) operand {
	o := c.expr(x.X)
	if o.fns != nil || o.lib != "" {
		c.refuse(x.Pos, "function pointers", "write a template with a functor")
	}
	c.needValue(x.Pos, &o)
	if c.overloadable(o.T) {
		if r, ok := c.userOperator(x.Pos, "&", &o, nil, true); ok {
			return r
		}
	}
	if o.P == nil {
		c.fail(x.Pos, "& needs an lvalue, not a value of type %s", o.T)
	}
	if elementOfVector(o.P) {
		c.fail(x.Pos, "a part of a vector has no address")
	}
	return valueOf(c.addressOf(x.Pos, &o))
}

// postfix checks x++ and x--.
func (c *checker) postfix(x *syntax.Postfix) operand {
	o := c.rvalue(x.X)
	if c.structOf(o.T) != nil {
		if r, ok := c.userOperator(x.Pos, x.Op, &o, []operand{valueOf(constOf(x.Pos, intType, 0))}, false); ok {
			return r
		}
		c.fail(x.Pos, "no operator %s takes %s after it", x.Op, o.describe())
	}
	c.needLvalue(x.Pos, &o, x.Op)
	one := c.one(x.Pos, o.T)
	if p, ok := o.T.(*typed.Pointer); ok {
		if isVoid(p.Elem) {
			c.fail(x.Pos, "a pointer to void has no next one")
		}
		c.sized(x.Pos, p.Elem)
	}
	delta := 1
	if strings.HasPrefix(x.Op, "-") {
		delta = -1
	}
	r := valueOf(&typed.IncDec{Node: node(x.Pos, o.T), To: c.place(&o), Delta: delta})
	if _, ok := o.T.(*typed.Vector); ok {
		// As a statement it is the same as in front.
		s := c.compoundWith(x.Pos, x.Op[:1], o, one)
		r.effect = s.effect
	}
	return r
}
