package fast

import (
	"gamma/metal/msl/ir"
)

// forms are the loops of an operation of two operands: both given for each lane, one second operand, one first operand.
type forms struct{ vv, vs, sv loop }

// choice is an operation's loops. If its operands may be exchanged, the loop with one second operand serves for one first operand too.
type choice struct {
	ops   forms
	swaps bool
}

// integers are the loops of integer operations of any width, and of Bool where ir allows it.
var integers = map[ir.Op]choice{
	ir.Add: {forms{loopAdd, loopAddS, nil}, true},
	ir.Sub: {forms{loopSub, loopSubS, loopSubR}, false},
	ir.Mul: {forms{loopMul, loopMulS, nil}, true},
	ir.And: {forms{loopAnd, loopAndS, nil}, true},
	ir.Or:  {forms{loopOr, loopOrS, nil}, true},
	ir.Xor: {forms{loopXor, loopXorS, nil}, true},
	ir.Shl: {forms{loopShl, loopShlS, loopShlR}, false},
	ir.Eq:  {forms{loopEq, loopEqS, nil}, true},
	ir.Ne:  {forms{loopNe, loopNeS, nil}, true},
}

// wide are those of 64 bits, which need no mask.
var wide = map[ir.Op]choice{
	ir.Add: {forms{loopAdd64, loopAdd64S, nil}, true},
	ir.Sub: {forms{loopSub64, loopSub64S, loopSub64R}, false},
	ir.Mul: {forms{loopMul64, loopMul64S, nil}, true},
}

var unsigned = map[ir.Op]choice{
	ir.Shr: {forms{loopShrU, loopShrUS, loopShrUR}, false},
	ir.Lt:  {forms{loopLtU, loopLtUS, loopLtUR}, false},
	ir.Le:  {forms{loopLeU, loopLeUS, loopLeUR}, false},
	ir.Min: {forms{loopMinU, loopMinUS, nil}, true},
	ir.Max: {forms{loopMaxU, loopMaxUS, nil}, true},
}

var signed = map[ir.Op]choice{
	ir.Shr: {forms{loopShrS, loopShrSS, loopShrSR}, false},
	ir.Lt:  {forms{loopLtS, loopLtSS, loopLtSR}, false},
	ir.Le:  {forms{loopLeS, loopLeSS, loopLeSR}, false},
	ir.Min: {forms{loopMinS, loopMinSS, nil}, true},
	ir.Max: {forms{loopMaxS, loopMaxSS, nil}, true},
}

// floats are those of F32 without flushing.
var floats = map[ir.Op]choice{
	ir.Add: {forms{loopAddF, loopAddFS, loopAddFR}, false},
	ir.Sub: {forms{loopSubF, loopSubFS, loopSubFR}, false},
	ir.Mul: {forms{loopMulF, loopMulFS, loopMulFR}, false},
	ir.Div: {forms{loopDivF, loopDivFS, loopDivFR}, false},
	ir.Eq:  {forms{loopEqF, loopEqFS, nil}, true},
	ir.Ne:  {forms{loopNeF, loopNeFS, nil}, true},
	ir.Lt:  {forms{loopLtF, loopLtFS, loopLtFR}, false},
	ir.Le:  {forms{loopLeF, loopLeFS, loopLeFR}, false},
}

// pure chooses how x, which only computes, is run.
func (g *generator) pure(x *inst) {
	x.run = runPure
	if x.scalar {
		x.run = runScalar
	}
	if g.m.checks && ir.MayFault(x.src.Op, x.src.Type, x.src.From) {
		g.guard(x)
	}
	if g.special(x) {
		return
	}
	if c, ok := g.binary(x.src); ok {
		x.binary(c)
		if x.scalar && x.risk == nil && scalars[x.src.Op] && x.src.Type.IsInteger() && !x.src.Type.IsSigned() {
			x.run = runScalarInteger
		}
		return
	}
	if l := g.unary(x.src); l != nil {
		x.loop, x.spread = l, 1&^x.vec
		return
	}
	x.loop, x.spread, x.loose = loopEval, 15&^x.vec, false
	if x.scalar {
		return
	}
	for k, s := range [...]int32{x.a, x.b, x.c, x.d} {
		if s == 0 {
			x.spread &^= 1 << k // there is no such operand
		}
	}
}

// scalars are the operations that runScalarInteger knows.
var scalars = map[ir.Op]bool{ir.Add: true, ir.Sub: true, ir.Mul: true, ir.And: true, ir.Or: true, ir.Shl: true, ir.Shr: true}

// runScalarInteger is runScalar for the unsigned integers of loops and indices.
func runScalarInteger(m *machine, in *inst) {
	a, b := m.v[in.a][0], m.v[in.b][0]
	switch in.src.Op {
	case ir.Add:
		a += b
	case ir.Sub:
		a -= b
	case ir.Mul:
		a *= b
	case ir.And:
		a &= b
	case ir.Or:
		a |= b
	case ir.Shl:
		a <<= b & uint64(63-in.shift) & 63
	case ir.Shr:
		a >>= b & uint64(63-in.shift) & 63
	}
	m.v[in.dst][0] = a & in.mask
}

// binary fits x to the loops of c.
func (x *inst) binary(c choice) {
	switch {
	case x.scalar || x.vec&3 == 3:
		x.loop = c.ops.vv
	case x.vec&3 == 1 && c.ops.vs != nil:
		x.loop = c.ops.vs
	case x.vec&3 == 2 && c.ops.sv != nil:
		x.loop = c.ops.sv
	case x.vec&3 == 2 && c.swaps:
		x.a, x.b, x.vec = x.b, x.a, 1
		x.loop = c.ops.vs
	default:
		x.loop, x.spread = c.ops.vv, 3&^x.vec
	}
}

func (g *generator) binary(in *ir.Instr) (choice, bool) {
	t := in.Type
	switch {
	case t == ir.F32 && !g.m.arith.Flush.Any():
		c, ok := floats[in.Op]
		return c, ok
	case t.IsFloat():
		return choice{}, false
	case t == ir.Ptr:
		if in.Op != ir.Eq && in.Op != ir.Ne {
			return choice{}, false
		}
	case in.Op == ir.MulHi && t == ir.U64:
		return choice{forms{loopMulHi64, loopMulHi64S, nil}, true}, true
	case in.Op == ir.MulHi && t == ir.U32:
		return choice{forms{loopMulHi32, loopMulHi32S, nil}, true}, true
	}
	if t.Bits() == 64 {
		if c, ok := wide[in.Op]; ok {
			return c, true
		}
	}
	if c, ok := integers[in.Op]; ok {
		return c, true
	}
	if t.IsSigned() {
		c, ok := signed[in.Op]
		return c, ok
	}
	c, ok := unsigned[in.Op]
	return c, ok
}

func (g *generator) unary(in *ir.Instr) loop {
	t := in.Type
	switch {
	case in.Op == ir.Mov || in.Op == ir.Bitcast:
		return loopMov
	case in.Op == ir.Not:
		return loopNot
	case in.Op == ir.Neg && t.IsInteger():
		return loopNeg
	case in.Op == ir.Neg && t == ir.F32:
		return loopNegF
	case in.Op == ir.Abs && t == ir.F32:
		return loopAbsF
	case in.Op == ir.Popcount:
		return loopPopcount
	case in.Op == ir.Convert:
		return g.convert(t, in.From)
	}
	return nil
}

func (g *generator) convert(t, from ir.Type) loop {
	whole := from.IsInteger() || from == ir.Bool
	plain := !g.m.arith.Flush.Any()
	switch {
	case t == from:
		return loopMov
	case t == ir.Bool && whole:
		return loopTrue
	case t.IsInteger() && whole && t.Bits() > from.Bits() && from.IsSigned():
		return loopSign
	case t.IsInteger() && whole:
		return loopCut
	case !plain:
		return nil
	case t == ir.F32 && from.IsSigned() && from == ir.I32:
		return loopFromI32
	case t == ir.F32 && whole && !from.IsSigned() && from.Bits() <= 32:
		return loopFromU32
	case t == ir.I32 && from == ir.F32:
		return loopToI32
	case t == ir.U32 && from == ir.F32:
		return loopToU32
	}
	return nil
}

// special chooses the loops of operations of another shape.
func (g *generator) special(x *inst) bool {
	in := x.src
	switch in.Op {
	case ir.Const, ir.Undef, ir.ObjAddr:
		x.loop = loopConst
	case ir.Mov:
		if x.vec != 0 || x.scalar {
			return false
		}
		x.loop = loopSpread
	case ir.Select:
		switch {
		case x.scalar || x.vec == 7:
			x.loop = loopSelect
		case x.vec&1 == 0:
			x.loop, x.spread = loopChoose, 6&^x.vec
		case x.vec == 3:
			x.loop = loopSelectVS
		case x.vec == 5:
			x.loop = loopSelectSV
		default:
			x.loop = loopSelectSS
		}
	case ir.Fma:
		if in.Type != ir.F32 || g.m.arith.Flush.Any() {
			return false
		}
		x.loop, x.spread = loopFma, 7&^x.vec
	case ir.PtrAdd:
		g.pointer(x)
	default:
		return false
	}
	return true
}

// pointer chooses the loop of PtrAdd.
func (g *generator) pointer(x *inst) {
	x.loop = loopPtrAdd
	if x.src.B != 0 {
		x.spread = 3 &^ x.vec
	} else {
		x.spread = 1 &^ x.vec
	}
	if x.scalar {
		x.spread = 0
	}
}

func loopPtrAdd(x *args) {
	d := x.d
	a := x.a[:len(d)]
	in := x.in.src
	if in.B == 0 {
		for i := range d {
			d[i] = uint64(ir.Pointer(a[i]).Add(int64(in.Imm)))
		}
		return
	}
	b := x.b[:len(d)]
	if !in.Short() || in.From.Size() == 8 {
		for i := range d {
			d[i] = uint64(in.Address(a[i], b[i]))
		}
		return
	}
	scale, imm := uint64(in.Scale), in.Imm
	const (
		offset = 1<<ir.OffsetBits - 1
		near   = 1 << (ir.OffsetBits - 3) // no sum of two such numbers leaves an offset
	)
	for i := range d {
		n := b[i]
		if in.From == ir.I32 {
			n = uint64(int64(int32(n)))
		}
		n = n*scale + imm
		if off := uint64(ir.Pointer(a[i]).Offset()); off+near < 2*near && n+near < 2*near {
			d[i] = a[i]&^offset | (off+n)&offset
		} else {
			d[i] = uint64(ir.Pointer(a[i]).Add(int64(n)))
		}
	}
}

// loopEval computes what has no loop of its own, by the reference. That takes registers as ir has them, with zeros above the value's own bits, and
// lanes that are not active may hold anything: of what other registers held that had the slot before. So it and riskEval never see such lanes.
func loopEval(x *args) {
	in := x.in.src
	d := x.d
	for i := range d {
		d[i], _ = ir.Eval(in.Op, in.Type, in.From, in.FP, x.arith, at0(x.a, i), at0(x.b, i), at0(x.c, i), at0(x.e, i))
	}
}

func fma32(a, b, c float32) float32 { return ir.Fma32(a, b, c) }

// guard chooses how x's faults are looked for, and spreads its operands where the guard wants that.
func (g *generator) guard(x *inst) {
	in := x.src
	switch {
	case in.Op == ir.Div || in.Op == ir.Rem:
		x.risk = riskDivide
	case in.Op == ir.Convert && in.From == ir.F32 && in.Type == ir.I32:
		x.risk = riskToI32
	case in.Op == ir.Add:
		x.risk = riskAdd
	case in.Op == ir.Sub:
		x.risk = riskSub
	case in.Op == ir.Mul && in.Type.Bits() < 64:
		x.risk = riskMul
	default:
		x.risk, x.loose = riskEval, false
	}
}

// at0 returns v[i], or the one value that there is. Of an operand that an operation has not, it returns anything.
func at0(v []uint64, i int) uint64 {
	if i < len(v) {
		return v[i]
	}
	return v[0]
}

func riskDivide(x *args) bool {
	signed := x.in.src.Type.IsSigned()
	for _, v := range x.b {
		if v == 0 || signed && v == x.in.mask {
			return true
		}
	}
	return false
}

func riskToI32(x *args) bool {
	for _, v := range x.a {
		if f := f32(v); !(f > -0x1.000002p31 && f < 0x1p31) {
			return true
		}
	}
	return false
}

// riskAdd looks for signed sums out of range; the sign bit of (a^r)&(b^r) tells.
func riskAdd(x *args) bool {
	d, s := x.d, x.in.shift&63
	bad := uint64(0)
	switch {
	case len(x.a) == len(d) && len(x.b) == len(d):
		a, b := x.a[:len(d)], x.b[:len(d)]
		for i := range a {
			r := a[i] + b[i]
			bad |= (a[i] ^ r) & (b[i] ^ r)
		}
	case len(x.a) == len(d):
		a, b := x.a[:len(d)], x.b[0]
		for i := range a {
			r := a[i] + b
			bad |= (a[i] ^ r) & (b ^ r)
		}
	default:
		for i := range d {
			a, b := at0(x.a, i), at0(x.b, i)
			r := a + b
			bad |= (a ^ r) & (b ^ r)
		}
	}
	return bad<<s>>63 != 0
}

func riskSub(x *args) bool {
	d, s := x.d, x.in.shift&63
	bad := uint64(0)
	if len(x.a) == len(d) && len(x.b) == len(d) {
		a, b := x.a[:len(d)], x.b[:len(d)]
		for i := range a {
			bad |= (a[i] ^ b[i]) & (a[i] ^ (a[i] - b[i]))
		}
	} else {
		for i := range d {
			a, b := at0(x.a, i), at0(x.b, i)
			bad |= (a ^ b) & (a ^ (a - b))
		}
	}
	return bad<<s>>63 != 0
}

func riskMul(x *args) bool {
	s := x.in.shift & 63
	bad := int64(0)
	for i := range x.d {
		p := int64(at0(x.a, i)<<s) >> s * (int64(at0(x.b, i)<<s) >> s)
		bad |= p ^ p<<s>>s
	}
	return bad != 0
}

// riskEval looks for faults by the reference.
func riskEval(x *args) bool {
	in := x.in.src
	for i := range x.d {
		if _, f := ir.Eval(in.Op, in.Type, in.From, in.FP, x.arith, at0(x.a, i), at0(x.b, i), at0(x.c, i), at0(x.e, i)); f != ir.NoFault {
			return true
		}
	}
	return false
}
