package lower

import (
	"gamma/metal/internal/msl/typed"
	"gamma/metal/msl/ir"
)

// scalar evaluates an expression of one scalar.
func (l *lowerer) scalar(e typed.Expr) operand {
	v := l.eval(e)
	if len(v) == 0 {
		if !l.failed {
			l.fail(e.At(), "%s is not a scalar", e.ExprType())
		}
		return constant(element(e.ExprType()), 0)
	}
	return v[0]
}

// pair evaluates two expressions, in order.
func (l *lowerer) pair(x, y typed.Expr) (value, value) {
	a := l.eval(x)
	m := l.mark()
	b := l.eval(y)
	l.settle(m, a)
	return a, b
}

// all evaluates expressions, in order.
func (l *lowerer) all(list []typed.Expr) []value {
	vs := make([]value, len(list))
	marks := make([]mark, len(list))
	for i, e := range list {
		if e == nil {
			continue
		}
		vs[i] = l.eval(e)
		marks[i] = l.mark()
	}
	// The last first: a copy moves what stands after it.
	for i := len(list) - 1; i >= 0; i-- {
		if list[i] != nil {
			l.settle(marks[i], vs[i])
		}
	}
	return vs
}

// eval evaluates an expression: as many operands as its type has scalars.
func (l *lowerer) eval(e typed.Expr) value {
	if l.failed || l.dead {
		return l.zero(e.ExprType())
	}
	v := l.evaluate(e)
	if len(v) != count(e.ExprType()) {
		if !l.failed {
			l.fail(e.At(), "a value of type %s has more than %d scalars: use it by reference", e.ExprType(), maxLeaves)
		}
		return l.zero(e.ExprType())
	}
	return v
}

func (l *lowerer) evaluate(e typed.Expr) value {
	if count(e.ExprType()) > maxLeaves {
		return nil
	}
	switch e := e.(type) {
	case *typed.Const:
		return value{constant(element(e.Type), e.Bits)}
	case *typed.Zero:
		return l.zero(e.Type)
	case *typed.ConstantRef:
		return value{l.constantRef(e)}
	case *typed.InputExpr:
		return value{l.operandOf(l.ownInput(e.Input))}
	case *typed.LoadExpr:
		return l.load(l.place(e.X), e.Pos)
	case *typed.AddrOf:
		return value{l.addressOf(l.pointer(e), e.Pos)}
	case *typed.PtrAddExpr:
		return value{l.addressOf(l.pointer(e), e.Pos)}
	case *typed.PtrConvert:
		return value{l.addressOf(l.pointer(e), e.Pos)}
	case *typed.Unary:
		return l.unaryExpr(e)
	case *typed.Binary:
		return l.binaryExpr(e)
	case *typed.Ternary:
		return l.manyExpr(e.Op, e.Type, []typed.Expr{e.A, e.B, e.C}, e.Pos)
	case *typed.Quaternary:
		return l.manyExpr(e.Op, e.Type, []typed.Expr{e.A, e.B, e.C, e.D}, e.Pos)
	case *typed.ConvertExpr:
		v := l.eval(e.X)
		out := make(value, len(v))
		for i := range v {
			out[i] = l.convert(v[i], element(e.Type), e.Pos)
		}
		return out
	case *typed.BitcastExpr:
		return l.bitcastExpr(e)
	case *typed.Splat:
		x := l.scalar(e.X)
		out := make(value, count(e.Type))
		for i := range out {
			out[i] = x
		}
		return out
	case *typed.MakeVector:
		var out value
		for _, v := range l.all(e.Elems) {
			out = append(out, v...)
		}
		return out
	case *typed.Aggregate:
		return l.aggregate(e)
	case *typed.FieldExpr, *typed.SwizzleExpr, *typed.IndexExpr:
		return l.partExpr(e)
	case *typed.CondExpr:
		c := l.scalar(e.C)
		return l.either(c, e.Type, e.Pos, func() value { return l.eval(e.T) }, func() value { return l.eval(e.F) })
	case *typed.Logical:
		return value{l.logical(e)}
	case *typed.PtrDiff:
		return value{l.ptrDiff(e)}
	case *typed.PtrCompare:
		a, b := l.pair(e.L, e.R)
		return value{l.result(ir.Instr{Op: e.Op, Type: ir.Ptr, A: l.reg(a[0]), B: l.reg(b[0])}, ir.Bool, e.Pos)}
	case *typed.IncDec:
		return l.incDec(e, true)
	case *typed.Call:
		if placeCall(e) != nil {
			return value{l.addressOf(l.addressable(l.callPlace(e), e.Pos).a, e.Pos)}
		}
		return l.call(e.Func, e.Args, e.Places, nil, e.Pos)
	case *typed.ConstructExpr:
		return l.load(l.construct(e), e.Pos)
	case *typed.AtomicExpr:
		return l.atomic(e, true)
	case *typed.SimdExpr:
		return l.simd(e)
	case *typed.SeqExpr:
		for _, x := range e.Effects {
			l.effect(x)
		}
		if e.X == nil {
			return nil
		}
		return l.eval(e.X)
	case *typed.TwoResults:
		return l.twoResults(e)
	case *typed.AssignExpr, *typed.CompoundExpr, *typed.BarrierExpr, *typed.ReportExpr:
		l.effect(e)
		return nil
	}
	l.fail(e.At(), "this expression (%T) cannot be lowered", e)
	return nil
}

// effect evaluates an expression for its effects alone.
func (l *lowerer) effect(e typed.Expr) {
	if l.failed || l.dead {
		return
	}
	switch e := e.(type) {
	case *typed.AssignExpr:
		l.assign(e)
	case *typed.CompoundExpr:
		l.compound(e)
	case *typed.IncDec:
		l.incDec(e, false)
	case *typed.AtomicExpr:
		l.atomic(e, false)
	case *typed.BarrierExpr:
		l.emit(ir.Instr{Op: e.Op, Imm: e.Flags}, e.Pos)
	case *typed.ReportExpr:
		l.report(e)
	case *typed.SeqExpr:
		for _, x := range e.Effects {
			l.effect(x)
		}
		if e.X != nil {
			l.effect(e.X)
		}
	case *typed.ConvertExpr:
		l.effect(e.X)
	case *typed.AddrOf:
		l.place(e.X)
	case *typed.CondExpr:
		c := l.scalar(e.C)
		l.emitIf(c, e.Pos, func() { l.effect(e.T) }, func() { l.effect(e.F) })
	case *typed.LoadExpr:
		// A value that is thrown away is still read, but a struct of a size that no register file holds is not.
		if count(e.Type) <= maxLeaves {
			l.eval(e)
		}
	case *typed.Call:
		if placeCall(e) != nil {
			l.callPlace(e)
			return
		}
		l.eval(e)
	default:
		l.eval(e)
	}
}

func (l *lowerer) unaryExpr(e *typed.Unary) value {
	v := l.eval(e.X)
	t, res := element(e.X.ExprType()), element(e.Type)
	fp := l.floatFlags(e.Op, t, t, e.FastFn, e.PreciseFn)
	out := make(value, len(v))
	for i := range v {
		out[i] = l.unary(e.Op, t, res, v[i], fp, e.Pos)
	}
	return out
}

func (l *lowerer) binaryExpr(e *typed.Binary) value {
	a, b := l.pair(e.L, e.R)
	t, res := element(e.L.ExprType()), element(e.Type)
	fp := l.floatFlags(e.Op, t, t, e.FastFn, e.PreciseFn)
	out := make(value, max(len(a), len(b)))
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	for i := range out {
		out[i] = l.binary(e.Op, t, res, a[min(i, len(a)-1)], b[min(i, len(b)-1)], fp, e.Pos)
	}
	return out
}

// manyExpr is an operation of three or four operands, element by element.
func (l *lowerer) manyExpr(op ir.Op, typ typed.Type, args []typed.Expr, at typed.Pos) value {
	vs := l.all(args)
	out := make(value, count(typ))
	t := element(args[0].ExprType())
	if op == ir.Select {
		t = element(typ)
	}
	for i := range out {
		var o [4]operand
		for j, v := range vs {
			if len(v) == 0 {
				return nil
			}
			o[j] = v[min(i, len(v)-1)]
		}
		if op == ir.Select {
			out[i] = l.choose(o[0], o[1], o[2], at)
			continue
		}
		in := ir.Instr{Op: op, Type: t, A: l.reg(o[0]), B: l.reg(o[1]), C: l.reg(o[2]), D: l.reg(o[3]), FP: l.floatFlags(op, t, t, false, false)}
		out[i] = l.result(in, element(typ), at)
	}
	return out
}

var unsignedOf = map[int]ir.Type{8: ir.U8, 16: ir.U16, 32: ir.U32, 64: ir.U64}

func (l *lowerer) bitcastExpr(e *typed.BitcastExpr) value {
	v := l.eval(e.X)
	from, to := element(e.X.ExprType()), element(e.Type)
	n := count(e.Type)
	out := make(value, 0, n)
	if len(v) == n {
		for i := range v {
			out = append(out, l.bitcast(v[i], to, e.Pos))
		}
		return out
	}
	wf, wt := width(from), width(to)
	uf, ut := unsignedOf[wf], unsignedOf[wt]
	if wf > wt {
		per := wf / wt
		for _, o := range v {
			o = l.bitcast(o, uf, e.Pos)
			for k := range per {
				part := l.binary(ir.Shr, uf, uf, o, constant(uf, uint64(k*wt)), 0, e.Pos)
				out = append(out, l.bitcast(l.convert(part, ut, e.Pos), to, e.Pos))
			}
		}
		return out
	}
	per := wt / wf
	for i := 0; i+per <= len(v); i += per {
		sum := constant(ut, 0)
		for k := range per {
			part := l.convert(l.bitcast(v[i+k], uf, e.Pos), ut, e.Pos)
			part = l.binary(ir.Shl, ut, ut, part, constant(ut, uint64(k*wf)), 0, e.Pos)
			sum = l.binary(ir.Or, ut, ut, sum, part, 0, e.Pos)
		}
		out = append(out, l.bitcast(sum, to, e.Pos))
	}
	return out
}

// aggregate is a struct or array made of its parts.
func (l *lowerer) aggregate(e *typed.Aggregate) value {
	if s, ok := e.Type.(*typed.Struct); ok && s.Union {
		return l.unionValue(e, s)
	}
	out := make(value, 0, count(e.Type))
	for _, v := range l.all(e.Elems) {
		out = append(out, v...)
	}
	ls := l.leaves(e.Type)
	for len(out) < len(ls) {
		out = append(out, constant(ls[len(out)].typ, 0))
	}
	return out
}

// unionValue makes a union of which one field is given.
func (l *lowerer) unionValue(e *typed.Aggregate, s *typed.Struct) value {
	if len(e.Elems) == 0 || len(s.Fields) == 0 {
		return l.zero(s)
	}
	v := l.eval(e.Elems[0])
	m := l.newObject("", s, ir.Thread, e.Pos)
	l.clear(m, e.Pos)
	l.store(l.fieldOf(m, e.Field, e.Pos), v, e.Pos)
	return l.load(m, e.Pos)
}

// partExpr is a field, element or swizzle of a value.
func (l *lowerer) partExpr(e typed.Expr) value {
	if p := asPlace(e); p != nil {
		return l.load(l.place(p), e.At())
	}
	switch e := e.(type) {
	case *typed.FieldExpr:
		v := l.eval(e.X)
		return l.load(l.fieldOf(place{typ: e.X.ExprType(), ops: v}, e.Index, e.Pos), e.Pos)
	case *typed.SwizzleExpr:
		v := l.eval(e.X)
		return l.load(l.swizzleOf(place{typ: e.X.ExprType(), ops: v}, e.Comps, e.Type), e.Pos)
	case *typed.IndexExpr:
		v, i := l.pair(e.X, e.I)
		if len(i) == 1 {
			return l.load(l.indexOf(place{typ: e.X.ExprType(), ops: v}, i[0], e.Pos), e.Pos)
		}
	}
	return nil
}

// either is c ? t : f, of which only one is evaluated unless both are cheap and without effects.
func (l *lowerer) either(c operand, typ typed.Type, at typed.Pos, t, f func() value) value {
	if c.kind == constantOperand {
		if c.bits != 0 {
			return t()
		}
		return f()
	}
	ls := l.leaves(typ)
	res := make(value, len(ls))
	for i := range ls {
		r := l.newReg(ls[i].typ)
		l.regs[r].mutable = true
		res[i] = operand{kind: registerOperand, typ: ls[i].typ, reg: r}
	}
	side := func(f func() value) func() {
		return func() {
			if v := f(); len(v) == len(res) {
				l.set(res, v, at)
			}
		}
	}
	l.emitIf(c, at, side(t), side(f))
	for i := range res {
		res[i] = l.chosen(res[i].reg)
	}
	return res
}

func (l *lowerer) logical(e *typed.Logical) operand {
	a := l.scalar(e.L)
	if a.kind == constantOperand {
		if (a.bits != 0) == e.Or {
			return a
		}
		return l.scalar(e.R)
	}
	m := l.mark()
	var b operand
	body, dead := l.into(func() { b = l.scalar(e.R) })
	if !dead && b.kind != undefOperand && l.cheap(body) && !l.writesVariables(body) {
		*l.block = append(*l.block, body...)
		v := value{a}
		l.settle(m, v)
		return l.both(e.Or, v[0], b, e.Pos)
	}
	if l.failed {
		return a
	}
	r := l.newReg(ir.Bool)
	l.regs[r].mutable = true
	res := []operand{{kind: registerOperand, typ: ir.Bool, reg: r}}
	rest, _ := l.into(func() {
		*l.block = body
		l.dead = dead
		l.set(res, value{b}, e.Pos)
	})
	short, _ := l.into(func() { l.set(res, value{constant(ir.Bool, b2u(e.Or))}, e.Pos) })
	n := &ir.If{Cond: l.reg(a), Then: rest, Else: short, Pos: l.pos(e.Pos)}
	if e.Or {
		n.Then, n.Else = short, rest
	}
	*l.block = append(*l.block, n)
	return l.chosen(r)
}

// both is a && b, or a || b, of values: where b does not matter it may be poison.
func (l *lowerer) both(or bool, a, b operand, at typed.Pos) operand {
	if b.kind == constantOperand || b.kind == registerOperand && l.isClean(b.reg) {
		op := ir.And
		if or {
			op = ir.Or
		}
		return l.binary(op, ir.Bool, ir.Bool, a, b, 0, at)
	}
	if or {
		return l.choose(a, constant(ir.Bool, 1), b, at)
	}
	return l.choose(a, b, constant(ir.Bool, 0), at)
}

// chosen returns a register that a branch has given its value, and that nothing writes from now on.
func (l *lowerer) chosen(r ir.Reg) operand {
	l.regs[r].mutable = false
	l.regs[r].fresh = true
	return l.operandOf(r)
}

// ptrDiff is (L - R) / size: the offsets are the low 48 bits, and both pointers have the same object above them.
func (l *lowerer) ptrDiff(e *typed.PtrDiff) operand {
	a, b := l.pair(e.L, e.R)
	at := e.Pos
	x := l.binary(ir.Sub, ir.U64, ir.U64, l.bitcast(a[0], ir.U64, at), l.bitcast(b[0], ir.U64, at), 0, at)
	shift := 64 - ir.OffsetBits
	x = l.binary(ir.Shl, ir.U64, ir.U64, x, constant(ir.U64, uint64(shift)), 0, at)
	d := l.binary(ir.Shr, ir.I64, ir.I64, l.bitcast(x, ir.I64, at), constant(ir.I64, uint64(shift)), 0, at)
	size := 1
	if t, ok := e.L.ExprType().(*typed.Pointer); ok {
		size = max(t.Elem.Size(), 1)
	}
	d = l.binary(ir.Div, ir.I64, ir.I64, d, constant(ir.I64, uint64(size)), 0, at)
	return l.convert(d, element(e.Type), at)
}

func (l *lowerer) assign(e *typed.AssignExpr) {
	if x, ok := e.X.(*typed.LoadExpr); ok && count(e.X.ExprType()) > loopFrom {
		from := l.place(x.X)
		from = l.hold(from, e.Pos)
		to := l.place(e.To)
		if from.mem && to.mem {
			l.copyTo(to, from, e.Pos)
			return
		}
		l.store(to, l.load(from, e.Pos), e.Pos)
		return
	}
	if _, ok := e.X.(*typed.Zero); ok && count(e.X.ExprType()) > loopFrom {
		if to := l.place(e.To); to.mem {
			l.clear(to, e.Pos)
			return
		}
	}
	v := l.eval(e.X)
	m := l.mark()
	to := l.place(e.To)
	l.settle(m, v)
	l.store(to, v, e.Pos)
}

// steady returns p with its address in registers that stay, so that it can be read and then written.
func (l *lowerer) steady(p place) place {
	if p.mem {
		for _, o := range []operand{p.a.base, p.a.index} {
			if o.kind == registerOperand {
				l.regs[o.reg].fresh = false
			}
		}
	}
	return p
}

func (l *lowerer) compound(e *typed.CompoundExpr) {
	v := l.eval(e.X)
	m := l.mark()
	to := l.steady(l.place(e.To))
	l.settle(m, v)
	if l.failed || len(v) == 0 {
		return
	}
	old := l.load(to, e.Pos)
	if p, ok := e.To.PlaceType().(*typed.Pointer); ok {
		if len(old) != 1 {
			return
		}
		i := v[0]
		if e.Op == ir.Sub {
			i = l.negated(i, e.Pos)
		}
		l.store(to, value{l.addressOf(l.addIndex(address{base: old[0]}, i, int64(p.Elem.Size()), e.Pos), e.Pos)}, e.Pos)
		return
	}
	t, res := element(e.X.ExprType()), element(e.To.PlaceType())
	out := make(value, len(old))
	for i := range old {
		x := l.convert(old[i], t, e.Pos)
		y := l.binary(e.Op, t, t, x, v[min(i, len(v)-1)], l.floatFlags(e.Op, t, t, false, false), e.Pos)
		out[i] = l.convert(y, res, e.Pos)
	}
	l.store(to, out, e.Pos)
}

var oneBits = map[ir.Type]uint64{ir.F16: 0x3c00, ir.BF16: 0x3f80, ir.F32: 0x3f800000}

// incDec is x++ or x--; wanted: the value before is used.
func (l *lowerer) incDec(e *typed.IncDec, wanted bool) value {
	to := l.steady(l.place(e.To))
	old := l.load(to, e.Pos)
	if l.failed || len(old) == 0 {
		return old
	}
	if wanted {
		for i := range old {
			old[i] = l.snapshot(old[i], e.Pos)
		}
	}
	if p, ok := e.To.PlaceType().(*typed.Pointer); ok {
		a := address{base: old[0], disp: int64(e.Delta) * int64(p.Elem.Size())}
		l.store(to, value{l.addressOf(a, e.Pos)}, e.Pos)
		return old
	}
	t := element(e.To.PlaceType())
	w := t
	one := uint64(1)
	switch {
	case isFloat(t):
		one = oneBits[t]
	case width(t) < 32:
		w = ir.I32 // C adds in int, where nothing overflows
	}
	op := ir.Add
	if e.Delta < 0 {
		op = ir.Sub
	}
	out := make(value, len(old))
	for i := range old {
		y := l.binary(op, w, w, l.convert(old[i], w, e.Pos), constant(w, one), l.floatFlags(op, w, w, false, false), e.Pos)
		out[i] = l.convert(y, t, e.Pos)
	}
	l.store(to, out, e.Pos)
	return old
}

// atomic emits an atomic operation; wanted: its result is used.
func (l *lowerer) atomic(e *typed.AtomicExpr, wanted bool) value {
	pt, _ := e.Ptr.ExprType().(*typed.Pointer)
	if pt == nil {
		l.fail(e.Pos, "an atomic operation needs a pointer")
		return nil
	}
	t := element(pt.Elem)
	a := l.pointer(e.Ptr)
	m := l.mark()
	in := ir.Instr{Op: e.Op, Type: t}
	if e.X != nil {
		x := value{l.scalar(e.X)}
		l.settleParts(m, &a)
		m = l.mark()
		var exp place
		if e.Op == ir.AtomicCAS && e.Expected != nil {
			exp = l.steady(l.place(e.Expected))
			l.settleParts(m, &a)
			l.settle(m, x)
			old := l.load(exp, e.Pos)
			if l.failed || len(old) != 1 {
				return l.zero(e.Type)
			}
			in.D = l.reg(old[0])
		}
		in.C = l.reg(x[0])
		l.setAddress(&in, a)
		if e.Op == ir.AtomicCAS {
			in.Dst2 = l.newReg(ir.Bool)
			found := l.result(in, t, e.Pos)
			if l.dead {
				return l.zero(e.Type)
			}
			ok := l.operandOf(in.Dst2)
			if e.Expected != nil {
				l.store(exp, value{found}, e.Pos)
			}
			return value{ok}
		}
	} else {
		l.setAddress(&in, a)
	}
	if e.Op == ir.AtomicStore || !wanted && e.Op != ir.AtomicLoad || count(e.Type) == 0 {
		l.emit(in, e.Pos)
		if count(e.Type) != 0 {
			return l.zero(e.Type)
		}
		return nil
	}
	return value{l.result(in, t, e.Pos)}
}

func (l *lowerer) settleParts(m mark, a *address) {
	v := value{a.base, a.index}
	l.settle(m, v)
	a.base, a.index = v[0], v[1]
}

func (l *lowerer) simd(e *typed.SimdExpr) value {
	vs := l.all(e.Args)
	in := ir.Instr{Op: e.Op, Type: element(e.Type), Imm: uint64(e.Lanes)}
	if len(e.Args) > 0 {
		in.Type = element(e.Args[0].ExprType())
	}
	if ir.Ops[e.Op].Types == 0 {
		in.Type = ir.Void
	}
	in.FP = l.floatFlags(e.Op, in.Type, in.Type, false, false)
	n := max(count(e.Type), 1)
	var out value
	for i := range n {
		var r [4]ir.Reg
		for j, v := range vs {
			if len(v) == 0 || j > 3 {
				return nil
			}
			r[j] = l.reg(v[min(i, len(v)-1)])
		}
		x := in
		x.A, x.B, x.C, x.D = r[0], r[1], r[2], r[3]
		out = append(out, l.result(x, element(e.Type), e.Pos))
	}
	return out
}

// twoResults is modf, frexp or sincos.
func (l *lowerer) twoResults(e *typed.TwoResults) value {
	v := l.eval(e.X)
	m := l.mark()
	to := l.steady(l.place(e.Out))
	l.settle(m, v)
	t := element(e.Type)
	at := e.Pos
	out, second := make(value, len(v)), make(value, len(v))
	for i, x := range v {
		if x.kind == registerOperand {
			l.regs[x.reg].fresh = false
		}
		switch e.Kind {
		case "modf":
			// x - trunc(x) is exact; of infinities the fraction is 0. Both have the sign of x.
			w := l.unary(ir.Trunc, t, t, x, 0, at)
			f := l.binary(ir.Sub, t, t, x, w, 0, at)
			f = l.choose(l.unary(ir.IsInf, t, ir.Bool, x, 0, at), constant(t, 0), f, at)
			out[i] = l.binary(ir.CopySign, t, t, f, x, 0, at)
			second[i] = w
		case "frexp":
			out[i] = l.unary(ir.FrexpMan, t, t, x, 0, at)
			second[i] = l.convert(l.unary(ir.FrexpExp, t, ir.I32, x, 0, at), element(e.Out.PlaceType()), at)
		case "sincos":
			fp := l.floatFlags(ir.Sin, t, t, e.FastFn, e.PreciseFn)
			out[i] = l.unary(ir.Sin, t, t, x, fp, at)
			second[i] = l.unary(ir.Cos, t, t, x, fp, at)
		default:
			l.fail(at, "function %s is not known", e.Kind)
			return nil
		}
	}
	m = l.mark()
	l.store(to, second, at)
	l.settle(m, out)
	return out
}
