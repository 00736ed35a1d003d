package check

import (
	"math"

	"gamma/metal/internal/msl/syntax"
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// cell is an object while a constant expression is evaluated: a scalar has bits, all others have elements.
type cell struct {
	bits  uint64
	elems []*cell
	unset bool
	// Of pointers: the object, or element at of the array in.
	to *cell
	in *cell
	at int
}

// frame is a call while a constant expression is evaluated.
type frame struct {
	vars   map[*typed.Var]*cell
	result *cell
	depth  int
}

type control uint8

const (
	goesOn control = iota
	breaksOff
	continues_
	returned
)

// evaluate returns the value of an expression, or why it is not constant.
func (c *checker) evaluate(x typed.Expr) (v *cell, err *evalError) {
	if k, ok := x.(*typed.Const); ok {
		return &cell{bits: k.Bits}, nil
	}
	old := c.steps
	c.steps = 0
	err = c.attempt(func() { v = c.eval(&frame{vars: map[*typed.Var]*cell{}}, x) })
	c.steps = old
	return v, err
}

// constant evaluates an operand that has to be known when compiling.
func (c *checker) constant(pos Pos, o *operand, what string) *cell {
	c.needValue(pos, o)
	v, err := c.evaluate(c.value(o))
	if err != nil {
		c.fail(pos, "%s is not known when compiling: %s", what, err.Msg)
	}
	return v
}

// constantInt evaluates an integer.
func (c *checker) constantInt(x syntax.Expr, what string) int64 {
	defer c.forget()()
	o := c.rvalue(x)
	if c.structOf(o.T) != nil {
		o = c.viaConversion(o, integral, what)
	}
	if !integral(o.T) || c.scoped(o.T) {
		c.fail(x.Place(), "%s is an integer, not %s", what, o.T)
	}
	v := c.constant(x.Place(), &o, what)
	n := signed(kindOf(o.T), v.bits)
	if n < 0 && !isSignedKind(kindOf(o.T)) {
		c.fail(x.Place(), "%s is too large", what)
	}
	return n
}

// forget returns what takes back the calls noted since: what is evaluated when compiling calls nothing.
func (c *checker) forget() func() {
	f := c.fn
	if f == nil {
		return func() {}
	}
	n := len(f.calls)
	return func() { f.calls = f.calls[:n] }
}

// step counts the work of constant expressions.
func (c *checker) step(pos Pos, n int) {
	c.steps += n
	c.work += n
	if c.steps > maxSteps {
		c.fail(pos, "a constant expression takes more than %d steps", int(maxSteps))
	}
	if c.work > maxWork+c.most {
		c.failHard(pos, "the constant expressions of this source take more than %d steps", int(maxWork)+c.most)
	}
}

// zeroCell makes an object of zeros, or of nothing.
func (c *checker) zeroCell(pos Pos, t typed.Type, unset bool) *cell {
	c.step(pos, 1)
	n := 0
	switch t := t.(type) {
	case *typed.Vector:
		n = t.N
	case *typed.Array:
		n = t.Len
	case *typed.Struct:
		n = len(t.Fields)
	default:
		return &cell{unset: unset}
	}
	c.step(pos, n)
	k := &cell{elems: make([]*cell, n)}
	for i := range k.elems {
		switch t := t.(type) {
		case *typed.Vector:
			k.elems[i] = &cell{unset: unset}
		case *typed.Array:
			k.elems[i] = c.zeroCell(pos, t.Elem, unset)
		case *typed.Struct:
			k.elems[i] = c.zeroCell(pos, t.Fields[i].Type, unset)
		}
	}
	return k
}

func (c *checker) copyCell(pos Pos, v *cell) *cell {
	c.step(pos, 1)
	w := *v
	if v.elems != nil {
		w.elems = make([]*cell, len(v.elems))
		for i, e := range v.elems {
			w.elems[i] = c.copyCell(pos, e)
		}
	}
	return &w
}

// store copies v's contents into place to.
func (c *checker) store(pos Pos, to, v *cell) {
	w := c.copyCell(pos, v)
	*to = *w
}

// tree writes a value as a tree of constants.
func (c *checker) tree(v *cell, t typed.Type, pos Pos) typed.Expr {
	n := node(pos, t)
	switch t := t.(type) {
	case *typed.Scalar:
		if v.unset {
			c.fail(pos, "a constant is left uninitialised")
		}
		return constOf(pos, t, v.bits)
	case *typed.Pointer:
		if v.to != nil || v.in != nil {
			c.fail(pos, "a constant cannot hold a pointer")
		}
		return constOf(pos, t, 0)
	case *typed.Vector:
		elems := make([]typed.Expr, t.N)
		for i, e := range v.elems {
			elems[i] = c.tree(e, t.Elem, pos)
		}
		if allZero(elems) {
			return &typed.Zero{Node: n}
		}
		return &typed.MakeVector{Node: n, Elems: elems}
	case *typed.Array:
		elems := make([]typed.Expr, t.Len)
		for i, e := range v.elems {
			elems[i] = c.tree(e, t.Elem, pos)
		}
		if allZero(elems) {
			return &typed.Zero{Node: n}
		}
		return &typed.Aggregate{Node: n, Elems: elems}
	case *typed.Struct:
		fields := t.Fields
		if t.Union {
			fields = fields[:min(1, len(fields))]
		}
		elems := make([]typed.Expr, len(fields))
		for i, f := range fields {
			elems[i] = c.tree(v.elems[i], f.Type, pos)
		}
		if allZero(elems) {
			return &typed.Zero{Node: n}
		}
		return &typed.Aggregate{Node: n, Elems: elems}
	}
	c.fail(pos, "%s is not a type of constants", t)
	return nil
}

func allZero(list []typed.Expr) bool {
	for _, x := range list {
		switch x := x.(type) {
		case *typed.Zero:
		case *typed.Const:
			if x.Bits != 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// place finds the object that a place is.
func (c *checker) cellAt(f *frame, p typed.Place) *cell {
	c.step(p.At(), 1)
	switch p := p.(type) {
	case *typed.VarPlace:
		if v := f.vars[p.Var]; v != nil {
			return v
		}
		if v := c.cells[p.Var]; v != nil {
			return v
		}
		x := p.Var.Global
		if k, ok := c.known[p.Var]; ok {
			x = k
		}
		if p.Var.Volatile {
			c.fail(p.Pos, "%s is volatile, so that its value is not a constant", p.Var.Name)
		}
		if x == nil {
			c.fail(p.Pos, "%s is not a constant", p.Var.Name)
		}
		v := c.eval(&frame{vars: map[*typed.Var]*cell{}, depth: f.depth + 1}, x)
		c.cells[p.Var] = v
		return v
	case *typed.Deref:
		v := c.eval(f, p.Ptr)
		switch {
		case v.in != nil:
			if v.at < 0 || v.at >= len(v.in.elems) {
				c.fail(p.Pos, "a pointer points outside its array")
			}
			return v.in.elems[v.at]
		case v.to != nil && v.at == 0:
			return v.to
		}
		c.fail(p.Pos, "a null pointer or one outside its object")
	case *typed.FieldPlace:
		if s, ok := p.X.PlaceType().(*typed.Struct); ok && s.Union && p.Index != 0 {
			c.fail(p.Pos, "another member of a union")
		}
		return c.cellAt(f, p.X).elems[p.Index]
	case *typed.IndexPlace:
		v := c.cellAt(f, p.X)
		return v.elems[c.indexOf(f, p.I, len(v.elems))]
	case *typed.SwizzlePlace:
		v := c.cellAt(f, p.X)
		if len(p.Comps) == 1 {
			return v.elems[p.Comps[0]]
		}
		w := &cell{}
		for _, i := range p.Comps {
			w.elems = append(w.elems, v.elems[i])
		}
		return w
	case *typed.TempPlace:
		return c.copyCell(p.Pos, c.eval(f, p.X))
	case *typed.SeqPlace:
		for _, e := range p.Effects {
			c.eval(f, e)
		}
		return c.cellAt(f, p.X)
	case *typed.CondPlace:
		if c.eval(f, p.C).bits != 0 {
			return c.cellAt(f, p.T)
		}
		return c.cellAt(f, p.F)
	}
	c.fail(p.At(), "this place is not a constant")
	return nil
}

func (c *checker) indexOf(f *frame, x typed.Expr, n int) int {
	i := signed(kindOf(x.ExprType()), c.eval(f, x).bits)
	if i < 0 || i >= int64(n) {
		c.fail(x.At(), "index %d is outside an array of %d", i, n)
	}
	return int(i)
}

// each applies an operation to scalars, or element by element.
func (c *checker) each(pos Pos, t typed.Type, args []*cell, op func(k ir.Type, bits []uint64) (uint64, error)) *cell {
	c.step(pos, 1)
	one := func(k ir.Type, at func(v *cell) *cell) *cell {
		bits := make([]uint64, len(args))
		for i, a := range args {
			e := at(a)
			if e.unset {
				c.fail(pos, "an uninitialised value is read")
			}
			bits[i] = e.bits
		}
		r, err := op(k, bits)
		if err != nil {
			c.fail(pos, "%v", err)
		}
		return &cell{bits: r}
	}
	v, ok := t.(*typed.Vector)
	if !ok {
		return one(kindOf(t), func(v *cell) *cell { return v })
	}
	r := &cell{}
	for i := range v.N {
		r.elems = append(r.elems, one(v.Elem.Kind, func(v *cell) *cell {
			if v.elems == nil {
				return v
			}
			return v.elems[i]
		}))
	}
	return r
}

// eval evaluates an expression.
func (c *checker) eval(f *frame, x typed.Expr) *cell {
	c.step(x.At(), 1)
	switch x := x.(type) {
	case *typed.Const:
		return &cell{bits: x.Bits}
	case *typed.Zero:
		return c.zeroCell(x.Pos, x.Type, false)
	case *typed.ConstantRef:
		c.fail(x.Pos, "the function constant %s is set by the host, when the pipeline is made", x.Constant.Name)
	case *typed.LoadExpr:
		v := c.cellAt(f, x.X)
		if v.unset {
			c.fail(x.Pos, "an uninitialised value is read")
		}
		return c.copyCell(x.Pos, v)
	}
	for _, eval := range [...]func(*frame, typed.Expr) *cell{c.evalOperation, c.evalComposite, c.evalPointer, c.evalEffect} {
		if v := eval(f, x); v != nil {
			return v
		}
	}
	c.fail(x.At(), "an operation that is not evaluated when compiling")
	return nil
}

// evalOperation returns the value of an operation on numbers, nil if x is none that is known when compiling.
func (c *checker) evalOperation(f *frame, x typed.Expr) *cell {
	switch x := x.(type) {
	case *typed.Unary:
		t := x.X.ExprType()
		return c.each(x.Pos, t, []*cell{c.eval(f, x.X)}, operation(x.Op))
	case *typed.Binary:
		t := x.L.ExprType()
		return c.each(x.Pos, t, []*cell{c.eval(f, x.L), c.eval(f, x.R)}, operation(x.Op))
	case *typed.Ternary:
		args := []*cell{c.eval(f, x.A), c.eval(f, x.B), c.eval(f, x.C)}
		return c.each(x.Pos, x.Type, args, operation(x.Op))
	case *typed.ConvertExpr:
		from, to := element(x.X.ExprType()), element(x.Type)
		return c.each(x.Pos, x.Type, []*cell{c.eval(f, x.X)}, func(_ ir.Type, b []uint64) (uint64, error) { return convertBits(kindOf(from), kindOf(to), b[0]) })
	case *typed.BitcastExpr:
		if kindOf(x.Type) != ir.Void && kindOf(x.X.ExprType()) != ir.Void {
			return c.eval(f, x.X)
		}
	case *typed.CondExpr:
		if c.eval(f, x.C).bits != 0 {
			return c.eval(f, x.T)
		}
		return c.eval(f, x.F)
	case *typed.Logical:
		if v := c.eval(f, x.L); (v.bits != 0) == x.Or {
			return v
		}
		return c.eval(f, x.R)
	}
	return nil
}

// evalComposite returns the value of what makes or takes apart a vector, an array or a struct, nil if x is none that is known when compiling.
func (c *checker) evalComposite(f *frame, x typed.Expr) *cell {
	switch x := x.(type) {
	case *typed.Splat:
		v := c.eval(f, x.X)
		r := &cell{}
		for range x.Type.(*typed.Vector).N {
			r.elems = append(r.elems, c.copyCell(x.Pos, v))
		}
		return r
	case *typed.MakeVector:
		r := &cell{}
		for _, e := range x.Elems {
			v := c.eval(f, e)
			if v.elems == nil {
				r.elems = append(r.elems, v)
			} else {
				r.elems = append(r.elems, v.elems...)
			}
		}
		return r
	case *typed.Aggregate:
		if x.Field != 0 {
			c.fail(x.Pos, "another member of a union")
		}
		r := c.zeroCell(x.Pos, x.Type, false)
		for i, e := range x.Elems {
			r.elems[i] = c.eval(f, e)
		}
		return r
	case *typed.FieldExpr:
		if s, ok := x.X.ExprType().(*typed.Struct); ok && s.Union && x.Index != 0 {
			c.fail(x.Pos, "another member of a union")
		}
		return c.eval(f, x.X).elems[x.Index]
	case *typed.SwizzleExpr:
		v := c.eval(f, x.X)
		if len(x.Comps) == 1 {
			return v.elems[x.Comps[0]]
		}
		r := &cell{}
		for _, i := range x.Comps {
			r.elems = append(r.elems, c.copyCell(x.Pos, v.elems[i]))
		}
		return r
	case *typed.IndexExpr:
		v := c.eval(f, x.X)
		return v.elems[c.indexOf(f, x.I, len(v.elems))]
	}
	return nil
}

// evalPointer returns the value of an operation on pointers, nil if x is none that is known when compiling.
func (c *checker) evalPointer(f *frame, x typed.Expr) *cell {
	switch x := x.(type) {
	case *typed.AddrOf:
		if x.Decay {
			return &cell{in: c.cellAt(f, x.X)}
		}
		if p, ok := x.X.(*typed.IndexPlace); ok {
			v := c.cellAt(f, p.X)
			return &cell{in: v, at: c.indexOf(f, p.I, len(v.elems))}
		}
		return &cell{to: c.cellAt(f, x.X)}
	case *typed.PtrConvert:
		p, ok1 := x.X.ExprType().(*typed.Pointer)
		q, ok2 := x.Type.(*typed.Pointer)
		if ok1 && ok2 && same(p.Elem, q.Elem) {
			return c.eval(f, x.X)
		}
	case *typed.PtrAddExpr:
		v := *c.eval(f, x.X)
		i := signed(kindOf(x.I.ExprType()), c.eval(f, x.I).bits)
		if x.Neg {
			i = -i
		}
		if i > math.MaxInt32 || i < math.MinInt32 {
			c.fail(x.Pos, "a pointer leaves its array")
		}
		v.at += int(i)
		return &v
	case *typed.PtrDiff:
		a, b := c.eval(f, x.L), c.eval(f, x.R)
		if a.in == b.in && a.to == b.to {
			return &cell{bits: uint64(a.at - b.at)}
		}
	case *typed.PtrCompare:
		a, b := c.eval(f, x.L), c.eval(f, x.R)
		equal := a.in == b.in && a.to == b.to && a.at == b.at
		switch {
		case x.Op == ir.Eq:
			return &cell{bits: b2u(equal)}
		case x.Op == ir.Ne:
			return &cell{bits: b2u(!equal)}
		case a.in == b.in && a.to == b.to && x.Op == ir.Lt:
			return &cell{bits: b2u(a.at < b.at)}
		case a.in == b.in && a.to == b.to:
			return &cell{bits: b2u(a.at <= b.at)}
		}
	}
	return nil
}

// evalEffect evaluates what stores a value or calls a function, nil if x is none that is known when compiling.
func (c *checker) evalEffect(f *frame, x typed.Expr) *cell {
	switch x := x.(type) {
	case *typed.AssignExpr:
		v := c.eval(f, x.X)
		c.assignCell(f, x.Pos, x.To, v)
		return &cell{}
	case *typed.CompoundExpr:
		c.compoundCell(f, x)
		return &cell{}
	case *typed.IncDec:
		to := c.cellAt(f, x.To)
		old := c.copyCell(x.Pos, to)
		if to.in != nil {
			to.at += x.Delta
			return old
		}
		*to = *c.stepped(x, to)
		return old
	case *typed.SeqExpr:
		for _, e := range x.Effects {
			c.eval(f, e)
		}
		return c.eval(f, x.X)
	case *typed.ReportExpr:
		if x.Op != ir.Assert {
			return nil
		}
		if c.eval(f, x.Args[0]).bits == 0 {
			c.fail(x.Pos, "the assertion %s does not hold", x.Texts[0])
		}
		return &cell{}
	case *typed.Call:
		return c.callCell(f, x.Pos, x.Func, x.Args, x.Places, nil)
	case *typed.ConstructExpr:
		this := c.zeroCell(x.Pos, x.Type, true)
		c.callCell(f, x.Pos, x.Func, x.Args, x.Places, this)
		return this
	}
	return nil
}

// operation returns op as each applies it.
func operation(op ir.Op) func(k ir.Type, bits []uint64) (uint64, error) {
	return func(k ir.Type, bits []uint64) (uint64, error) { return evalBits(op, k, ir.Void, bits...) }
}

// stepped returns the number in to, one more or one less.
func (c *checker) stepped(x *typed.IncDec, to *cell) *cell {
	t := x.To.PlaceType()
	return c.each(x.Pos, t, []*cell{to}, func(k ir.Type, b []uint64) (uint64, error) {
		one := uint64(1)
		if isFloatKind(k) {
			one = fromFloat(k, 1)
		}
		op := ir.Add
		if x.Delta < 0 {
			op = ir.Sub
		}
		if k < ir.I32 {
			wide, err := evalBits(op, ir.I32, ir.Void, uint64(uint32(signed(k, b[0]))), one)
			return trim(k, wide), err
		}
		return evalBits(op, k, ir.Void, b[0], one)
	})
}

// assignCell stores a value.
func (c *checker) assignCell(f *frame, pos Pos, to typed.Place, v *cell) {
	if s, ok := to.(*typed.SwizzlePlace); ok && len(s.Comps) > 1 {
		w := c.cellAt(f, s.X)
		for i, k := range s.Comps {
			c.store(pos, w.elems[k], v.elems[i])
		}
		return
	}
	if p, ok := to.(*typed.FieldPlace); ok {
		if s, ok := p.X.PlaceType().(*typed.Struct); ok && s.Union && p.Index != 0 {
			c.fail(pos, "another member of a union")
		}
	}
	w := c.cellAt(f, to)
	c.store(pos, w, v)
}

func (c *checker) compoundCell(f *frame, x *typed.CompoundExpr) {
	v := c.eval(f, x.X)
	to := c.cellAt(f, x.To)
	if x.Op == ir.PtrAdd {
		to.at += int(int32(signed(kindOf(x.X.ExprType()), v.bits)))
		return
	}
	t, xt := x.To.PlaceType(), x.X.ExprType()
	if to.unset {
		c.fail(x.Pos, "an uninitialised value is read")
	}
	r := c.each(x.Pos, t, []*cell{to, v}, func(k ir.Type, b []uint64) (uint64, error) {
		wk := kindOf(element(xt))
		a, err := convertBits(k, wk, b[0])
		if err != nil {
			return 0, err
		}
		a, err = evalBits(x.Op, wk, ir.Void, a, b[1])
		if err != nil {
			return 0, err
		}
		return convertBits(wk, k, a)
	})
	c.assignCell(f, x.Pos, x.To, r)
}

// callCell calls a function.
func (c *checker) callCell(f *frame, pos Pos, fn *typed.Func, args []typed.Expr, places []typed.Place, this *cell) *cell {
	if f.depth >= 256 {
		c.fail(pos, "calls nest more than 256 deep")
	}
	g := c.funcs[fn]
	if g == nil {
		c.fail(pos, "%s is not known when compiling", fn.Name)
	}
	if !g.constexpr && !(g.ctor && g.synth != nil) {
		c.fail(pos, "%s is not constexpr; it is declared at %s", g.title(), g.pos)
	}
	c.ensure(pos, g)
	if fn.Body == nil {
		c.fail(pos, "%s has no body here", g.title())
	}
	inner := &frame{vars: map[*typed.Var]*cell{}, depth: f.depth + 1}
	for i, p := range fn.Params {
		switch {
		case i == 0 && this != nil:
			inner.vars[p] = this
		case i < len(places) && places[i] != nil:
			inner.vars[p] = c.cellAt(f, places[i])
		case i < len(args) && args[i] != nil:
			inner.vars[p] = c.eval(f, args[i])
		default:
			c.fail(pos, "an argument is missing")
		}
	}
	c.run(inner, fn.Body)
	if inner.result == nil {
		if this == nil && !isVoid(fn.Result) {
			c.fail(pos, "%s returns nothing", g.title())
		}
		return &cell{}
	}
	return inner.result
}

// run executes a statement.
func (c *checker) run(f *frame, s typed.Stmt) control {
	c.step(c.near, 1)
	switch s := s.(type) {
	case nil:
	case *typed.Block:
		for _, t := range s.Stmts {
			if k := c.run(f, t); k != goesOn {
				return k
			}
		}
	case *typed.VarStmt:
		switch {
		case s.Bind != nil:
			f.vars[s.Var] = c.cellAt(f, s.Bind)
		case s.Init != nil:
			f.vars[s.Var] = c.eval(f, s.Init)
		default:
			f.vars[s.Var] = c.zeroCell(s.Pos, s.Var.Type, true)
		}
	case *typed.ExprStmt:
		c.eval(f, s.X)
	case *typed.If:
		if c.eval(f, s.Cond).bits != 0 {
			return c.run(f, s.Then)
		}
		if s.Else != nil {
			return c.run(f, s.Else)
		}
	case *typed.Loop:
		if s.Init != nil {
			c.run(f, s.Init)
		}
		for first := true; ; first = false {
			c.step(s.Pos, 1)
			if s.Cond != nil && !(s.TestAfter && first) && c.eval(f, s.Cond).bits == 0 {
				return goesOn
			}
			switch c.run(f, s.Body) {
			case breaksOff:
				return goesOn
			case returned:
				return returned
			}
			if s.Post != nil {
				c.eval(f, s.Post)
			}
		}
	case *typed.Switch:
		return c.runSwitch(f, s)
	case *typed.Break:
		return breaksOff
	case *typed.Continue:
		return continues_
	case *typed.Return:
		if s.X != nil {
			f.result = c.eval(f, s.X)
		}
		return returned
	}
	return goesOn
}

func (c *checker) runSwitch(f *frame, s *typed.Switch) control {
	v := c.eval(f, s.X).bits
	from := -1
	for i, k := range s.Cases {
		if k.Default && from < 0 {
			from = i
		}
	}
	for i, k := range s.Cases {
		for _, bits := range k.Values {
			if bits == v {
				from = i
			}
		}
	}
	if from < 0 {
		return goesOn
	}
	for _, k := range s.Cases[from:] {
		for _, t := range k.Stmts {
			switch r := c.run(f, t); r {
			case breaksOff:
				return goesOn
			case goesOn:
			default:
				return r
			}
		}
	}
	return goesOn
}
