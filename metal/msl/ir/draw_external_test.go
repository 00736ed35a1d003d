package ir_test

import (
	"fmt"
	"math/rand/v2"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// kernelDraw draws well-formed kernels of one thread: every register is written at the top, so that any may be read anywhere.
type kernelDraw struct {
	rng    *rand.Rand
	b      *ir.Builder
	regs   map[ir.Type][]ir.Reg
	ptrs   []ir.Reg
	labels []int32
	loops  int
	budget int
}

const (
	drawnBytes  = 64 // of each object, and those that are read and written of each buffer
	bufferBytes = drawnBytes + 8*3*12
)

func drawKernel(rng *rand.Rand, size int) *ir.Kernel {
	d := &kernelDraw{rng: rng, b: ir.NewBuilder("drawn"), regs: map[ir.Type][]ir.Reg{}, budget: size}
	b := d.b
	k := b.Kernel()
	for i := range 3 {
		k.Places = append(k.Places, model.Position{File: "drawn.metal", Line: i, Column: 2 * i})
	}
	d.ptrs = append(d.ptrs, b.Buffer("out", 0, ir.Device, 4), b.Buffer("in", 1, ir.Constant, 4))
	for _, kind := range []ir.InputKind{ir.ThreadPositionInGrid, ir.ThreadsPerGrid} {
		d.regs[ir.U32] = append(d.regs[ir.U32], b.Input(kind, rng.IntN(3), ir.U32))
	}
	d.ptrs = append(d.ptrs, b.Object(ir.Object{Name: "tmp", Space: ir.Thread, Size: drawnBytes, Align: 8}))
	for _, t := range ir.SetScalars.Types() {
		for range 3 {
			d.regs[t] = append(d.regs[t], b.Const(t, d.constant(t)))
		}
	}
	d.block(0)
	for n, t := range ir.SetScalars.Types() { // what was computed is seen
		for i, r := range d.regs[t][:3] {
			b.Store(t, d.ptrs[0], 0, 0, int64(drawnBytes+8*(3*n+i)), r)
		}
	}
	return k
}

func (d *kernelDraw) constant(t ir.Type) uint64 {
	switch d.rng.IntN(4) {
	case 0:
		return d.rng.Uint64() & t.Mask()
	case 1:
		return 1 << d.rng.IntN(t.Bits())
	case 2:
		return d.rng.Uint64N(5) & t.Mask()
	}
	if t.IsFloat() {
		return ir.Arith{}.Narrow(t, float64(d.rng.IntN(9)-4))
	}
	return -d.rng.Uint64N(4) & t.Mask()
}

func (d *kernelDraw) reg(t ir.Type) ir.Reg {
	if t == ir.Ptr {
		return d.ptrs[d.rng.IntN(len(d.ptrs))]
	}
	list := d.regs[t]
	return list[d.rng.IntN(len(list))]
}

// target is an old register or a new one. New ones are only read in what follows in the same block, so they are not kept.
func (d *kernelDraw) target(t ir.Type) ir.Reg {
	list := d.regs[t]
	return list[2+d.rng.IntN(len(list)-2)]
}

func (d *kernelDraw) block(depth int) {
	for n := 1 + d.rng.IntN(12); n > 0 && d.budget > 0; n-- {
		d.budget--
		d.b.Stmt, d.b.Pos, d.b.FP = int32(d.rng.IntN(4)), int32(d.rng.IntN(3)), ir.FP(d.rng.IntN(256))
		switch c := d.rng.IntN(24); {
		case c == 0 && depth < 5:
			var otherwise func()
			if d.rng.IntN(2) == 0 {
				otherwise = func() { d.block(depth + 1) }
			}
			d.b.If(d.reg(ir.Bool), func() { d.block(depth + 1) }, otherwise)
		case c == 1 && depth < 5:
			d.b.Scope(func(l int32) {
				d.labels = append(d.labels, l)
				d.block(depth + 1)
				d.labels = d.labels[:len(d.labels)-1]
			})
		case c == 2 && depth < 5 && d.loops < 2:
			d.loop(depth)
		case c == 3 && len(d.labels) > 0:
			leave := func() {
				d.pure()
				d.b.Leave(d.labels[d.rng.IntN(len(d.labels))])
			}
			if d.rng.IntN(2) == 0 {
				d.b.If(d.reg(ir.Bool), leave, d.pure)
			} else {
				d.b.If(d.reg(ir.Bool), d.pure, leave)
			}
		case c < 8:
			d.memory()
		default:
			d.pure()
		}
	}
}

// loop runs at most three times, by a counter that nothing else writes.
func (d *kernelDraw) loop(depth int) {
	d.loops++
	b := d.b
	n, one, three := b.Reg(ir.U32), b.Int(ir.U32, 1), b.Int(ir.U32, 3)
	b.Set(n, ir.U32, b.Int(ir.U32, 0))
	b.Loop(func(l int32) {
		b.If(b.Op(ir.Le, ir.U32, three, n), func() { b.Leave(l) }, nil)
		b.Set(n, ir.U32, b.Op(ir.Add, ir.U32, n, one))
		d.labels = append(d.labels, l)
		d.block(depth + 1)
		d.labels = d.labels[:len(d.labels)-1]
	})
	d.loops--
}

func (d *kernelDraw) memory() {
	t := ir.SetScalars.Types()[d.rng.IntN(12)]
	off := uint64(8 * d.rng.IntN(8))
	in := ir.Instr{Type: t, Imm: off}
	if d.rng.IntN(2) == 0 {
		in.Op, in.Dst, in.A = ir.Load, d.target(t), d.reg(ir.Ptr)
	} else {
		in.Op, in.C, in.A = ir.Store, d.reg(t), d.ptrs[2*d.rng.IntN(2)]
	}
	d.b.Instr(in)
}

func (d *kernelDraw) pure() {
	for {
		op := ir.Op(d.rng.IntN(ir.NumOps))
		info := ir.Ops[op]
		if info.Effect != ir.Pure || info.Result == ir.NoOperand || op == ir.PtrAdd || op == ir.ObjAddr || op == ir.Undef {
			continue
		}
		types := (info.Types &^ ir.SetPtr).Types()
		in := ir.Instr{Op: op, Type: types[d.rng.IntN(len(types))]}
		if op == ir.Const {
			in.Imm = d.constant(in.Type)
		}
		if info.From != 0 {
			from := (info.From &^ ir.SetPtr).Types()
			in.From = from[d.rng.IntN(len(from))]
			if op == ir.Bitcast && in.From.Bits() != in.Type.Bits() {
				continue
			}
		}
		for i, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
			if o != ir.NoOperand {
				*[]*ir.Reg{&in.A, &in.B, &in.C, &in.D}[i] = d.reg(kindType(o, &in))
			}
		}
		if op == ir.Mul && d.rng.IntN(2) == 0 || (op == ir.Div || op == ir.Rem) && d.rng.IntN(2) == 0 && in.Type.IsInteger() {
			in.B = d.b.Const(in.Type, 1<<d.rng.IntN(in.Type.Bits())&in.Type.Mask())
		}
		in.Dst = d.target(kindType(info.Result, &in))
		d.b.Instr(in)
		return
	}
}

func kindType(o ir.Operand, in *ir.Instr) ir.Type {
	switch o {
	case ir.OfT:
		return in.Type
	case ir.OfFrom:
		return in.From
	case ir.OfBool:
		return ir.Bool
	case ir.OfU16:
		return ir.U16
	case ir.OfU32:
		return ir.U32
	case ir.OfI32:
		return ir.I32
	case ir.OfU64:
		return ir.U64
	case ir.OfPtr:
		return ir.Ptr
	}
	panic(fmt.Sprint("no type for operand ", o))
}
