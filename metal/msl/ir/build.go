package ir

import "math"

// Builder makes kernels by code, for tests and tools. Its methods append to the block that is open; what comes out is as well formed as
// what was asked for, and Verify says so.
//
//	b := ir.NewBuilder("scale")
//	x := b.Buffer("x", 0, ir.Device, 4)
//	i := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
//	v := b.Load(ir.F32, x, i, 4, 0)
//	b.Store(ir.F32, x, i, 4, 0, b.Op(ir.Add, ir.F32, v, v))
//	k := b.Kernel()
type Builder struct {
	k      *Kernel
	blocks []*Block
	label  int32
	// FP, Stmt and Pos go into every instruction that follows.
	FP   FP
	Stmt int32
	Pos  int32
}

// NewBuilder begins a kernel.
func NewBuilder(name string) *Builder {
	k := &Kernel{Name: name, Regs: []Type{Void}}
	return &Builder{k: k, blocks: []*Block{&k.Body}}
}

// Kernel returns the kernel, with Statements the largest Stmt that was used.
func (b *Builder) Kernel() *Kernel { return b.k }

// Reg makes a register.
func (b *Builder) Reg(t Type) Reg {
	b.k.Regs = append(b.k.Regs, t)
	return Reg(len(b.k.Regs) - 1)
}

// Buffer adds a buffer and returns its pointer. Add all buffers before the first Object, whose numbers follow.
func (b *Builder) Buffer(name string, index int, s Space, elem int) Reg {
	r := b.Reg(Ptr)
	b.k.Buffers = append(b.k.Buffers, Buffer{Name: name, Index: index, Space: s, Reg: r, Elem: elem, Align: elem})
	return r
}

// Input adds a component of a position or size, of type U16 or U32.
func (b *Builder) Input(kind InputKind, axis int, t Type) Reg {
	r := b.Reg(t)
	b.k.Inputs = append(b.k.Inputs, Input{Kind: kind, Axis: axis, Reg: r})
	return r
}

// Object adds a variable in memory and returns its address.
func (b *Builder) Object(o Object) Reg {
	b.k.Objects = append(b.k.Objects, o)
	r := b.Reg(Ptr)
	b.Instr(Instr{Op: ObjAddr, Dst: r, Imm: uint64(len(b.k.Buffers) + len(b.k.Objects) - 1)})
	return r
}

func (b *Builder) put(n Node) {
	top := b.blocks[len(b.blocks)-1]
	*top = append(*top, n)
}

// Instr appends an instruction; FP, Stmt and Pos are the builder's where in has none.
func (b *Builder) Instr(in Instr) {
	if in.FP == 0 {
		in.FP = b.FP
	}
	if in.Stmt == 0 {
		in.Stmt = b.Stmt
	}
	if in.Pos == 0 {
		in.Pos = b.Pos
	}
	b.k.Statements = max(b.k.Statements, int(in.Stmt))
	b.put(&in)
}

// Const gives a constant by its bits.
func (b *Builder) Const(t Type, bits uint64) Reg {
	r := b.Reg(t)
	b.Instr(Instr{Op: Const, Type: t, Dst: r, Imm: bits})
	return r
}

// Int gives an integer constant.
func (b *Builder) Int(t Type, v int64) Reg { return b.Const(t, uint64(v)&t.Mask()) }

// Float gives an F32 constant.
func (b *Builder) Float(x float32) Reg { return b.Const(F32, uint64(math.Float32bits(x))) }

// Op gives the result of an operation on type t; its operands are in the table's order.
func (b *Builder) Op(op Op, t Type, operands ...Reg) Reg { return b.From(op, t, Void, operands...) }

// From is Op for operations that have a second type, such as Convert.
func (b *Builder) From(op Op, t, from Type, operands ...Reg) Reg {
	in := Instr{Op: op, Type: t, From: from}
	if result := in.operandType(Ops[op].Result); result != Void {
		in.Dst = b.Reg(result)
	}
	for i, dst := range []*Reg{&in.A, &in.B, &in.C, &in.D} {
		if i < len(operands) {
			*dst = operands[i]
		}
	}
	b.Instr(in)
	return in.Dst
}

// Set writes v of type t to register r.
func (b *Builder) Set(r Reg, t Type, v Reg) { b.Instr(Instr{Op: Mov, Type: t, Dst: r, A: v}) }

// Load gives what is at p + index·scale + off; index may be 0 for none.
func (b *Builder) Load(t Type, p, index Reg, scale uint32, off int64) Reg {
	r := b.Reg(t)
	b.Memory(Instr{Op: Load, Type: t, Dst: r, A: p, B: index, Scale: scale, Imm: uint64(off)})
	return r
}

// Store writes v to p + index·scale + off.
func (b *Builder) Store(t Type, p, index Reg, scale uint32, off int64, v Reg) {
	b.Memory(Instr{Op: Store, Type: t, A: p, B: index, C: v, Scale: scale, Imm: uint64(off)})
}

// Memory appends a memory operation, From being the index's type.
func (b *Builder) Memory(in Instr) {
	if in.B != 0 {
		in.From = b.k.Regs[in.B]
	}
	b.Instr(in)
}

// Barrier appends a threadgroup_barrier.
func (b *Builder) Barrier(flags uint64) { b.Instr(Instr{Op: Barrier, Imm: flags}) }

func (b *Builder) inside(block *Block, f func()) {
	if f == nil {
		return
	}
	b.blocks = append(b.blocks, block)
	f()
	b.blocks = b.blocks[:len(b.blocks)-1]
}

// If appends an If whose branches are what then and otherwise, which may be nil, append.
func (b *Builder) If(cond Reg, then, otherwise func()) {
	n := &If{Cond: cond, Pos: b.Pos}
	b.put(n)
	b.inside(&n.Then, then)
	b.inside(&n.Else, otherwise)
}

// Loop appends a Loop; body is given its label.
func (b *Builder) Loop(body func(label int32)) {
	b.label++
	n := &Loop{Label: b.label, Pos: b.Pos}
	b.put(n)
	b.inside(&n.Body, func() { body(n.Label) })
}

// Scope appends a Scope; body is given its label.
func (b *Builder) Scope(body func(label int32)) {
	b.label++
	n := &Scope{Label: b.label}
	b.put(n)
	b.inside(&n.Body, func() { body(n.Label) })
}

// Leave appends a Leave; label 0 ends the thread.
func (b *Builder) Leave(label int32) { b.put(&Leave{Label: label, Pos: b.Pos}) }
