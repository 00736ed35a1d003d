package adversary

import "gamma/metal/msl/ir"

// opcode is what an inst does. Most operations run by ir.Eval, the reference; those that kernels spend their time in have opcodes of
// their own, and a test compares them with it. The table in generate says what the ones that only compute do.
type opcode uint8

const (
	opEval opcode = iota
	opLibrary
	opUndef
	opMov
	opSelect
	opConst

	// Control.
	opJump
	opBack
	opBackCount
	opUnless
	opUnlessEq // comparisons and jumps in one
	opUnlessNe
	opUnlessLtU
	opUnlessLeU
	opUnlessLtI32
	opUnlessLeI32
	opEnd
	opBarrier
	opConverge
	opGate

	// Integers of 32 and 64 bits. A trailing S is for signed ones whose overflow is looked for.
	opAdd32
	opSub32
	opMul32
	opAdd32S
	opSub32S
	opMul32S
	opShl32
	opShr32
	opSar32
	opMulHi32
	opMin32
	opMax32
	opDiv32
	opRem32
	opNot32
	opAdd64
	opSub64
	opMul64
	opAdd64S
	opSub64S
	opShl64
	opShr64
	opMulHi64
	opMin64
	opMax64
	opAnd
	opOr
	opXor
	opNotBool

	// Comparisons.
	opEq
	opNe
	opLtU
	opLeU
	opLtI32
	opLeI32
	opLtF32
	opLeF32
	opEqF32
	opNeF32

	// binary32, rounded to nearest.
	opAddF32
	opSubF32
	opMulF32
	opFmaF32

	// Conversions.
	opLow8
	opLow16
	opLow32
	opWiden32
	opBool
	opU32ToF32
	opI32ToF32

	// Memory.
	opPtrAdd
	opLoad4
	opLoad8
	opLoad
	opSoft // a load whose value has a flag
	opStore4
	opStore8
	opStore
	opAtomic
	opFence
	opReport

	// Flags; see flagger.
	opCheck
	opSpread
	opChoose
	opAbsent
	opPass

	opcodes // how many there are
)

// direct maps operations to the opcodes that unsigned integers of 32 and 64 bits have.
var direct = map[ir.Op][2]opcode{
	ir.Add:   {opAdd32, opAdd64},
	ir.Sub:   {opSub32, opSub64},
	ir.Mul:   {opMul32, opMul64},
	ir.Shl:   {opShl32, opShl64},
	ir.Shr:   {opShr32, opShr64},
	ir.MulHi: {opMulHi32, opMulHi64},
	ir.Min:   {opMin32, opMin64},
	ir.Max:   {opMax32, opMax64},
	ir.Div:   {opDiv32, opEval},
	ir.Rem:   {opRem32, opEval},
	ir.Not:   {opNot32, opEval},
}

// checked maps operations to the opcodes that look for signed overflow.
var checked = map[ir.Op][2]opcode{
	ir.Add: {opAdd32S, opAdd64S},
	ir.Sub: {opSub32S, opSub64S},
	ir.Mul: {opMul32S, opEval},
}

// choice returns the machine's form of in.
func (a *assembler) choice(in *ir.Instr) inst {
	x := inst{dst: a.target(in.Dst), a: a.place[in.A], b: a.place[in.B], c: a.place[in.C], d: a.place[in.D], imm: in.Imm}
	switch {
	case in.Op == ir.Barrier:
		x.op = opBarrier
		return x
	case synchronises(in.Op):
		x.op = opConverge
		return x
	case ir.Ops[in.Op].Address:
		return a.address(in, x)
	}
	switch in.Op {
	case ir.Const:
		x.op = opConst
	case ir.ObjAddr:
		x.op, x.imm = opConst, uint64(ir.MakePointer(int(in.Imm), 0))
	case ir.Undef:
		x.op = opUndef
	case ir.Fence:
		x.op = opFence
	case ir.Assert, ir.Note:
		x.op = opReport
	default:
		x.op = a.pure(in)
	}
	return x
}

// address returns the form of an operation with an address. The scale goes to target, and d says what is to be known of the index and of the address;
// an index that is not signed32 is its register's bits.
func (a *assembler) address(in *ir.Instr, x inst) inst {
	x.target = int32(in.Scale)
	size := in.Type.Size()
	align := alignment(in)
	plain := align >= uint64(size) && align <= maxAligned
	switch {
	case in.Op == ir.PtrAdd:
		x.op = opPtrAdd
	case in.Op == ir.Load && size == 4 && plain:
		x.op = opLoad4
	case in.Op == ir.Load && size == 8 && plain:
		x.op = opLoad8
	case in.Op == ir.Load:
		x.op = opLoad
	case in.Op == ir.Store && size == 4 && plain:
		x.op = opStore4
	case in.Op == ir.Store && size == 8 && plain:
		x.op = opStore8
	case in.Op == ir.Store:
		x.op = opStore
	default:
		x.op = opAtomic // reads its operands by itself
		return x
	}
	x.d = 0
	if plain {
		x.d = uint16(align-1) << alignShift
	}
	if in.B != 0 && in.From == ir.I32 {
		x.d |= signed32
	}
	if !in.Short() || in.B != 0 && in.From.Size() == 8 {
		x.d |= wide
	}
	return x
}

// pure returns the opcode of an operation that only computes.
func (a *assembler) pure(in *ir.Instr) opcode {
	t := in.Type
	switch in.Op {
	case ir.Mov:
		return opMov
	case ir.Select:
		return opSelect
	case ir.Bitcast:
		return opMov // both have one size, and registers hold zeros above
	case ir.Convert:
		return a.conversion(t, in.From)
	case ir.Eq, ir.Ne, ir.Lt, ir.Le:
		return a.comparison(in.Op, t)
	case ir.And, ir.Or, ir.Xor:
		return opAnd + opcode(in.Op-ir.And)
	case ir.Not:
		if t == ir.Bool {
			return opNotBool
		}
	}
	if ir.Ops[in.Op].Library || in.Op == ir.Div && t.IsFloat() && in.FP&ir.FastFunctions != 0 {
		return opLibrary
	}
	if t == ir.F32 && a.m.plain32 {
		switch in.Op {
		case ir.Add:
			return opAddF32
		case ir.Sub:
			return opSubF32
		case ir.Mul:
			return opMulF32
		case ir.Fma:
			return opFmaF32
		}
	}
	wide := 0
	switch t {
	case ir.I64, ir.U64:
		wide = 1
	case ir.I32, ir.U32:
	default:
		return opEval
	}
	if !t.IsSigned() {
		return direct[in.Op][wide] // opEval if there is none
	}
	switch in.Op {
	case ir.Add, ir.Sub, ir.Mul:
		if a.m.checks {
			return checked[in.Op][wide]
		}
		return direct[in.Op][wide]
	case ir.Shl:
		return direct[in.Op][wide]
	case ir.Shr:
		if t == ir.I32 {
			return opSar32
		}
	case ir.Not:
		return direct[in.Op][wide]
	}
	return opEval
}

func (a *assembler) comparison(op ir.Op, t ir.Type) opcode {
	pick := func(eq, ne, lt, le opcode) opcode {
		return [...]opcode{eq, ne, lt, le}[op-ir.Eq]
	}
	switch {
	case t == ir.F32 && !a.m.plain32 || t == ir.F16 || t == ir.BF16:
		return opEval
	case t == ir.F32:
		return pick(opEqF32, opNeF32, opLtF32, opLeF32)
	case t == ir.I32:
		return pick(opEq, opNe, opLtI32, opLeI32)
	case t.IsSigned() || t == ir.Ptr:
		return pick(opEq, opNe, opEval, opEval)
	}
	return pick(opEq, opNe, opLtU, opLeU)
}

func (a *assembler) conversion(t, from ir.Type) opcode {
	switch {
	case t == from:
		return opMov
	case from == ir.Bool && t.IsInteger():
		return opMov
	case from.IsInteger() && t == ir.Bool:
		return opBool
	case t == ir.F32 && a.m.plain32 && from == ir.U32:
		return opU32ToF32
	case t == ir.F32 && a.m.plain32 && from == ir.I32:
		return opI32ToF32
	case !from.IsInteger() || !t.IsInteger():
		return opEval
	case t.Size() > from.Size() && !from.IsSigned():
		return opMov
	case t.Size() == 8 && from == ir.I32:
		return opWiden32
	case t.Size() > from.Size():
		return opEval
	case t.Size() == 1:
		return opLow8
	case t.Size() == 2:
		return opLow16
	case t.Size() == 4:
		return opLow32
	}
	return opMov
}
