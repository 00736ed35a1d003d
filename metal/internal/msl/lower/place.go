package lower

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// address is base + index·scale + disp; index may be missing.
type address struct {
	base, index operand
	scale       uint32
	disp        int64
}

// place is an lvalue found: registers, constants of the program, or memory.
type place struct {
	typ typed.Type
	// mem: the place is at a. Otherwise ops are the registers (or values) of its scalars, and if global is set
	// they are also at byte off of that constant's object.
	mem    bool
	a      address
	ops    []operand
	global *global
	off    int64
	// comps, in memory, picks components of the vector at a, of type vec.
	comps []int
	vec   *typed.Vector
}

// place finds a place. Its registers and the operands of its address are as they were at this moment; snapshot keeps them.
func (l *lowerer) place(p typed.Place) place {
	if l.failed {
		return l.nowhere(p.PlaceType())
	}
	switch p := p.(type) {
	case *typed.VarPlace:
		return l.variable(p.Var, p.Pos)
	case *typed.Deref:
		if a, ok := p.Ptr.(*typed.AddrOf); ok && !a.Decay && a.X.PlaceType() == p.PlaceType() {
			return l.place(a.X)
		}
		if v := loadedVar(p.Ptr); v != nil && l.frame.fn != nil {
			if b, ok := l.frame.refLike[v]; ok {
				return b
			}
		}
		if c := placeCall(p.Ptr); c != nil {
			return l.callPlace(c)
		}
		a := l.pointer(p.Ptr)
		if t, ok := p.Ptr.ExprType().(*typed.Pointer); ok && t.Volatile && t.Space == ir.Constant {
			a = l.apart(a, p.Pos)
		}
		return place{typ: p.PlaceType(), mem: true, a: a}
	case *typed.FieldPlace:
		return l.fieldOf(l.place(p.X), p.Index, p.Pos)
	case *typed.IndexPlace:
		x := l.place(p.X)
		m := l.mark()
		i := l.eval(p.I)
		l.settleAddress(m, &x)
		if len(i) != 1 {
			return l.nowhere(p.PlaceType())
		}
		return l.indexOf(x, i[0], p.Pos)
	case *typed.SwizzlePlace:
		return l.swizzleOf(l.place(p.X), p.Comps, p.PlaceType())
	case *typed.TempPlace:
		if lv, ok := p.X.(*typed.ConstructExpr); ok {
			return l.construct(lv)
		}
		v := l.eval(p.X)
		for i := range v {
			v[i] = l.snapshot(v[i], p.Pos)
		}
		return place{typ: p.X.ExprType(), ops: v}
	case *typed.SeqPlace:
		for _, e := range p.Effects {
			l.effect(e)
		}
		return l.place(p.X)
	case *typed.CondPlace:
		return l.condPlace(p)
	}
	l.fail(p.At(), "this lvalue (%T) cannot be lowered", p)
	return l.nowhere(p.PlaceType())
}

// nowhere is a place of type t after a failure.
func (l *lowerer) nowhere(t typed.Type) place { return place{typ: t, ops: l.zero(t)} }

// zero is the value T{}.
func (l *lowerer) zero(t typed.Type) value {
	ls := l.leaves(t)
	v := make(value, len(ls))
	for i := range ls {
		v[i] = constant(ls[i].typ, 0)
	}
	return v
}

// variable returns where v is.
func (l *lowerer) variable(v *typed.Var, at typed.Pos) place {
	if p, ok := l.frame.vars[v]; ok {
		return l.now(p)
	}
	if v.Global != nil {
		p := l.globalPlace(v, at)
		if isVolatile(v) {
			p = l.addressable(p, at)
		}
		return p
	}
	l.fail(at, "variable %s is used where it is not declared", v.Name)
	return l.nowhere(v.Type)
}

// now returns p with the registers' present values.
func (l *lowerer) now(p place) place {
	if p.mem || p.global != nil || len(p.ops) == 0 {
		return p
	}
	for i, o := range p.ops {
		if o.kind == registerOperand && l.regs[o.reg].writes != o.ver {
			ops := append([]operand(nil), p.ops...)
			for j := i; j < len(ops); j++ {
				if ops[j].kind == registerOperand {
					ops[j].ver = l.regs[ops[j].reg].writes
				}
			}
			p.ops = ops
			return p
		}
	}
	return p
}

// settleAddress keeps the address of p as it was at m.
func (l *lowerer) settleAddress(m mark, p *place) {
	if !p.mem {
		return
	}
	v := value{p.a.base, p.a.index}
	l.settle(m, v)
	p.a.base, p.a.index = v[0], v[1]
}

// hold returns p with an address that will not change.
func (l *lowerer) hold(p place, at typed.Pos) place {
	if p.mem {
		p.a.base = l.snapshot(p.a.base, at)
		p.a.index = l.snapshot(p.a.index, at)
		return p
	}
	for _, o := range p.ops {
		if o.kind == registerOperand {
			l.regs[o.reg].fresh = false
		}
	}
	return p
}

func (l *lowerer) fieldOf(p place, index int, at typed.Pos) place {
	t := p.typ.(*typed.Struct)
	f := &t.Fields[index]
	if !p.mem && t.Union {
		p = l.spill(p, at)
	}
	if p.mem {
		p.a.disp += int64(f.Offset)
		return place{typ: f.Type, mem: true, a: p.a}
	}
	n := fieldLeaf(t, index)
	return l.part(p, f.Type, n, int64(f.Offset))
}

// part is the scalars of p from number n on that make a T.
func (l *lowerer) part(p place, t typed.Type, n int, off int64) place {
	c := count(t)
	if n+c > len(p.ops) {
		return l.nowhere(t)
	}
	return place{typ: t, ops: p.ops[n : n+c : n+c], global: p.global, off: p.off + off}
}

func (l *lowerer) indexOf(p place, i operand, at typed.Pos) place {
	var elem typed.Type
	n := 0
	switch t := p.typ.(type) {
	case *typed.Array:
		elem, n = t.Elem, t.Len
	case *typed.Vector:
		elem, n = t.Elem, t.N
	default:
		l.fail(at, "%s has no elements", p.typ)
		return l.nowhere(p.typ)
	}
	if !p.mem {
		if i.kind == constantOperand {
			if k := signed(i.typ, i.bits); k >= 0 && k < int64(n) {
				return l.part(p, elem, int(k)*count(elem), k*int64(elem.Size()))
			}
		}
		p = l.spill(p, at)
	}
	if p.comps != nil {
		// A component of a swizzle, chosen at run time: of its value.
		p = l.spill(place{typ: p.typ, ops: l.load(p, at)}, at)
	}
	return place{typ: elem, mem: true, a: l.addIndex(p.a, i, int64(elem.Size()), at)}
}

// farAway is a displacement beyond every object, small enough that adding offsets to it does not wrap.
const farAway = 1 << 46

// far returns disp + i·size, or a displacement of farAway on its side, which stays there, where that is beyond it: no
// constant index wraps back into its object.
func far(disp, i, size int64) int64 {
	switch {
	case disp >= farAway || disp <= -farAway || i == 0 || size == 0:
		return disp
	case i > farAway/size:
		return farAway
	case i < -farAway/size:
		return -farAway
	}
	return max(-farAway, min(farAway, disp+i*size))
}

// addIndex returns a moved by i elements of size bytes.
func (l *lowerer) addIndex(a address, i operand, size int64, at typed.Pos) address {
	if i.kind == constantOperand {
		a.disp = far(a.disp, signed(i.typ, i.bits), size)
		return a
	}
	if a.index.kind != noOperand || size > 1<<31 {
		a = address{base: l.addressOf(a, at)}
	}
	switch i.typ {
	case ir.I8, ir.I16:
		i = l.convert(i, ir.I32, at)
	case ir.U8, ir.U16, ir.Bool:
		i = l.convert(i, ir.U32, at)
	}
	a.index, a.scale = i, uint32(size)
	return a
}

func (l *lowerer) swizzleOf(p place, comps []int, t typed.Type) place {
	if !p.mem {
		ops := make([]operand, len(comps))
		for i, c := range comps {
			if c >= len(p.ops) {
				return l.nowhere(t)
			}
			ops[i] = p.ops[c]
		}
		if len(comps) == 1 && p.global != nil {
			size := int64(p.typ.(*typed.Vector).Elem.Size())
			return place{typ: t, ops: ops, global: p.global, off: p.off + int64(comps[0])*size}
		}
		return place{typ: t, ops: ops}
	}
	if p.comps != nil {
		c := make([]int, len(comps))
		for i := range comps {
			c[i] = p.comps[comps[i]]
		}
		comps = c
	} else {
		p.vec = p.typ.(*typed.Vector)
	}
	if len(comps) == 1 {
		p.a.disp += int64(comps[0] * p.vec.Elem.Size())
		return place{typ: p.vec.Elem, mem: true, a: p.a}
	}
	p.typ, p.comps = t, comps
	return p
}

// condPlace chooses between two places in memory.
func (l *lowerer) condPlace(p *typed.CondPlace) place {
	c := l.scalar(p.C)
	if c.kind == constantOperand {
		if c.bits != 0 {
			return l.place(p.T)
		}
		return l.place(p.F)
	}
	t := p.PlaceType()
	r := l.newReg(ir.Ptr)
	l.regs[r].mutable = true
	res := operand{kind: registerOperand, typ: ir.Ptr, reg: r}
	side := func(x typed.Place) func() {
		return func() {
			m := l.addressable(l.place(x), x.At())
			l.set([]operand{res}, value{l.addressOf(m.a, x.At())}, x.At())
		}
	}
	l.emitIf(c, p.Pos, side(p.T), side(p.F))
	return place{typ: t, mem: true, a: address{base: l.chosen(r)}}
}

// addressable returns p in memory.
func (l *lowerer) addressable(p place, at typed.Pos) place {
	switch {
	case p.mem && p.comps == nil:
		return p
	case p.mem:
		return l.spill(place{typ: p.typ, ops: l.load(p, at)}, at)
	}
	return l.spill(p, at)
}

// spill gives a value an object, for a program-scope constant its own.
func (l *lowerer) spill(p place, at typed.Pos) place {
	if p.global != nil {
		return place{typ: p.typ, mem: true, a: address{base: l.objectAddr(l.globalObject(p.global, at)), disp: p.off}}
	}
	m := l.newObject("", p.typ, ir.Thread, at)
	l.store(m, value(p.ops), at)
	return m
}

// newObject makes a variable in memory.
func (l *lowerer) newObject(name string, t typed.Type, space ir.Space, at typed.Pos) place {
	n := l.addObject(ir.Object{Name: name, Space: space, Size: max(t.Size(), 1), Align: max(t.Align(), 1), Pos: at, Elem: elemSize(t)}, at)
	return place{typ: t, mem: true, a: address{base: l.objectAddr(n)}}
}

// elemSize is the size of an array's elements, 0 for other types.
func elemSize(t typed.Type) int {
	if a, ok := t.(*typed.Array); ok {
		return max(a.Elem.Size(), 1)
	}
	return 0
}

// addObject adds an object and returns its number.
func (l *lowerer) addObject(o ir.Object, at typed.Pos) int {
	limit := maxThreadBytes
	what := "thread"
	switch o.Space {
	case ir.Threadgroup:
		limit, what = maxGroupBytes, "threadgroup"
	case ir.Constant:
		limit, what = maxConstBytes, "constant"
	}
	if o.Size > limit-l.bytes[o.Space] {
		l.fail(at, "%s needs more than %d bytes of %s memory for its variables: make them smaller", l.where(), limit, what)
		return 0
	}
	l.bytes[o.Space] += o.Size
	if len(l.k.Buffers)+len(l.k.Objects) >= maxObjects {
		l.fail(at, "%s has more than %d variables in memory with its calls inlined: use fewer", l.where(), maxObjects)
		return 0
	}
	l.k.Objects = append(l.k.Objects, o)
	return len(l.k.Buffers) + len(l.k.Objects) - 1
}

// addressOf computes an address into one register.
func (l *lowerer) addressOf(a address, at typed.Pos) operand {
	if a.index.kind == noOperand && a.disp == 0 {
		return a.base
	}
	in := ir.Instr{Op: ir.PtrAdd}
	l.setAddress(&in, a)
	return l.result(in, ir.Ptr, at)
}

// apart returns a as a register of its own, so that tidy does not take a load from it for one that was made before.
func (l *lowerer) apart(a address, at typed.Pos) address {
	in := ir.Instr{Op: ir.PtrAdd}
	l.setAddress(&in, a)
	return address{base: l.result(in, ir.Ptr, at)}
}

func (l *lowerer) setAddress(in *ir.Instr, a address) {
	in.A = l.reg(a.base)
	in.Imm = uint64(a.disp)
	if a.index.kind != noOperand {
		in.B, in.Scale, in.From = l.reg(a.index), a.scale, a.index.typ
	}
}

// memoryLeaves returns the scalars of a place in memory.
func (l *lowerer) memoryLeaves(p place) []leaf {
	if p.comps == nil {
		return l.leaves(p.typ)
	}
	all := l.leaves(p.vec)
	ls := make([]leaf, len(p.comps))
	for i, c := range p.comps {
		ls[i] = all[c]
	}
	return ls
}

// load returns the value of a place.
func (l *lowerer) load(p place, at typed.Pos) value {
	if !p.mem {
		return append(value(nil), p.ops...)
	}
	ls := l.memoryLeaves(p)
	if count(p.typ) > maxLeaves {
		l.fail(at, "a value of type %s has more than %d scalars: use it by reference", p.typ, maxLeaves)
		return nil
	}
	v := make(value, len(ls))
	for i, f := range ls {
		a := p.a
		a.disp += int64(f.off)
		in := ir.Instr{Op: ir.Load, Type: f.typ, Align: f.align}
		l.setAddress(&in, a)
		v[i] = l.result(in, f.typ, at)
	}
	return v
}

// store writes v to a place.
func (l *lowerer) store(p place, v value, at typed.Pos) {
	if l.dead {
		return
	}
	if !p.mem {
		if len(p.ops) != len(v) {
			l.fail(at, "a value of %d scalars does not fit %s", len(v), p.typ)
			return
		}
		for _, o := range p.ops {
			if o.kind != registerOperand {
				l.fail(at, "this is a constant and cannot be written")
				return
			}
		}
		l.set(p.ops, v, at)
		return
	}
	ls := l.memoryLeaves(p)
	if len(ls) != len(v) {
		l.fail(at, "a value of type %s has more than %d scalars: write it element by element", p.typ, maxLeaves)
		return
	}
	for i, f := range ls {
		if v[i].kind == undefOperand {
			continue
		}
		a := p.a
		a.disp += int64(f.off)
		in := ir.Instr{Op: ir.Store, Type: f.typ, Align: f.align, C: l.reg(v[i])}
		l.setAddress(&in, a)
		l.emit(in, at)
	}
}

// loopFrom is the number of scalars from which arrays in memory are copied and cleared by loops.
const loopFrom = 64

// each runs f for every element of an array in memory, as a loop if there are many.
func (l *lowerer) each(t *typed.Array, at typed.Pos, from int, f func(i operand)) {
	if count(t) <= loopFrom {
		for i := from; i < t.Len; i++ {
			f(constant(ir.I32, uint64(i)))
		}
		return
	}
	r := l.newReg(ir.I32)
	l.regs[r].mutable = true
	l.move(r, constant(ir.I32, uint64(from)), nil, 0, at)
	label := l.newLabel()
	body, _ := l.into(func() {
		c := l.binary(ir.Lt, ir.I32, ir.Bool, l.operandOf(r), constant(ir.I32, uint64(t.Len)), 0, at)
		*l.block = append(*l.block, &ir.If{Cond: l.reg(c), Else: ir.Block{&ir.Leave{Label: label, Pos: l.pos(at)}}, Pos: l.pos(at)})
		f(l.operandOf(r))
		l.move(r, l.binary(ir.Add, ir.I32, ir.I32, l.operandOf(r), constant(ir.I32, 1), 0, at), nil, 0, at)
	})
	if !l.dead {
		*l.block = append(*l.block, &ir.Loop{Label: label, Body: body, Pos: l.pos(at)})
	}
}

// copyTo copies from one place in memory to another.
func (l *lowerer) copyTo(to, from place, at typed.Pos) {
	if l.dead {
		return
	}
	if count(to.typ) <= loopFrom || to.comps != nil || from.comps != nil {
		l.store(to, l.load(from, at), at)
		return
	}
	switch t := to.typ.(type) {
	case *typed.Array:
		l.each(t, at, 0, func(i operand) { l.copyTo(l.indexOf(to, i, at), l.indexOf(from, i, at), at) })
	case *typed.Struct:
		if t.Union {
			l.store(to, l.load(from, at), at)
			return
		}
		for i := range t.Fields {
			l.copyTo(l.fieldOf(to, i, at), l.fieldOf(from, i, at), at)
		}
	}
}

// clear writes zeros to a place in memory.
func (l *lowerer) clear(p place, at typed.Pos) {
	if l.dead {
		return
	}
	if count(p.typ) <= loopFrom {
		l.store(p, l.zero(p.typ), at)
		return
	}
	switch t := p.typ.(type) {
	case *typed.Array:
		l.each(t, at, 0, func(i operand) { l.clear(l.indexOf(p, i, at), at) })
	case *typed.Struct:
		if t.Union {
			l.store(p, l.zero(p.typ), at)
			return
		}
		for i := range t.Fields {
			l.clear(l.fieldOf(p, i, at), at)
		}
	}
}

// initialise writes the value of e to fresh memory.
func (l *lowerer) initialise(p place, e typed.Expr) {
	if l.dead {
		return
	}
	at := e.At()
	switch e := e.(type) {
	case *typed.Zero:
		l.clear(p, at)
		return
	case *typed.ConstructExpr:
		l.call(e.Func, e.Args, e.Places, &p, e.Pos)
		return
	case *typed.Aggregate:
		switch t := p.typ.(type) {
		case *typed.Array:
			for i, x := range e.Elems {
				l.initialise(l.indexOf(p, constant(ir.I32, uint64(i)), at), x)
			}
			if len(e.Elems) < t.Len {
				l.each(t, at, len(e.Elems), func(i operand) { l.clear(l.indexOf(p, i, at), at) })
			}
			return
		case *typed.Struct:
			if t.Union {
				if len(e.Elems) > 0 {
					l.initialise(l.fieldOf(p, e.Field, at), e.Elems[0])
				}
				return
			}
			for i := range t.Fields {
				f := l.fieldOf(p, i, at)
				if i < len(e.Elems) {
					l.initialise(f, e.Elems[i])
				} else {
					l.clear(f, at)
				}
			}
			return
		}
	case *typed.LoadExpr:
		if count(p.typ) > loopFrom {
			l.copyTo(p, l.addressable(l.place(e.X), at), at)
			return
		}
	}
	l.store(p, l.eval(e), at)
}

// pointer returns the address that an expression of pointer type gives.
func (l *lowerer) pointer(e typed.Expr) address {
	switch e := e.(type) {
	case *typed.PtrAddExpr:
		a := l.pointer(e.X)
		m := l.mark()
		i := l.scalar(e.I)
		v := value{a.base, a.index}
		l.settle(m, v)
		a.base, a.index = v[0], v[1]
		size := int64(1)
		if t, ok := e.X.ExprType().(*typed.Pointer); ok {
			size = int64(t.Elem.Size())
		}
		if e.Neg {
			i = l.negated(i, e.Pos)
		}
		return l.addIndex(a, i, size, e.Pos)
	case *typed.PtrConvert:
		if _, ok := e.X.ExprType().(*typed.Pointer); ok {
			return l.pointer(e.X)
		}
	case *typed.AddrOf:
		return l.addressable(l.place(e.X), e.Pos).a
	}
	return address{base: l.scalar(e)}
}

// negated returns -i, in 64 bits so that it cannot wrap for narrower types.
func (l *lowerer) negated(i operand, at typed.Pos) operand {
	i = l.convert(i, ir.I64, at)
	return l.unary(ir.Neg, ir.I64, ir.I64, i, 0, at)
}

// requalifies reports whether e, from a pointer to a pointer, changes qualifiers only, and makes none volatile: what
// follows the result is what follows its operand.
func requalifies(e *typed.PtrConvert) bool {
	to, ok1 := e.Type.(*typed.Pointer)
	from, ok2 := e.X.ExprType().(*typed.Pointer)
	return ok1 && ok2 && sameType(to.Elem, from.Elem) && (!to.Volatile || from.Volatile)
}

// isVolatile reports whether v has to live in memory for its accesses to be seen.
func isVolatile(v *typed.Var) bool { return v.Volatile || typed.HoldsVolatile(v.Type) }

// loadedVar returns the variable whose value e is, through conversions of pointers that change qualifiers only.
func loadedVar(e typed.Expr) *typed.Var {
	switch e := e.(type) {
	case *typed.LoadExpr:
		if v, ok := e.X.(*typed.VarPlace); ok {
			return v.Var
		}
	case *typed.PtrConvert:
		if requalifies(e) {
			return loadedVar(e.X)
		}
	case *typed.PtrAddExpr:
		if c, ok := e.I.(*typed.Const); ok && c.Bits == 0 {
			return loadedVar(e.X)
		}
	}
	return nil
}

func sameType(a, b typed.Type) bool { return a == b || a.String() == b.String() }

// addressee returns the place whose address e is.
func addressee(e typed.Expr) typed.Place {
	switch e := e.(type) {
	case *typed.AddrOf:
		if !e.Decay {
			return e.X
		}
	case *typed.PtrConvert:
		if requalifies(e) {
			return addressee(e.X)
		}
	}
	return nil
}
