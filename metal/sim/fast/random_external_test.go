package fast_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/metal/sim/fast"
	"gamma/model"
)

// author writes random kernels that Verify accepts.
type author struct {
	rng   *rand.Rand
	k     *ir.Kernel
	ready []ir.Reg // written on every path to here
	label int32
	open  []int32 // labels that a Leave may name
	loops int
	calm  bool // no accesses out of bounds
	ops   int
}

func (a *author) reg(t ir.Type) ir.Reg {
	a.k.Regs = append(a.k.Regs, t)
	return ir.Reg(len(a.k.Regs) - 1)
}

// pick returns a register of type t that may be read.
func (a *author) pick(t ir.Type) (ir.Reg, bool) {
	start := a.rng.IntN(len(a.ready))
	for i := range a.ready {
		if r := a.ready[(start+i)%len(a.ready)]; a.k.Regs[r] == t {
			return r, true
		}
	}
	return 0, false
}

// get returns a register of type t that may be read, and writes one if there is none.
func (a *author) get(b *ir.Block, t ir.Type) ir.Reg {
	if r, ok := a.pick(t); ok && a.rng.IntN(8) != 0 {
		return r
	}
	r := a.reg(t)
	in := &ir.Instr{Op: ir.Const, Type: t, Dst: r}
	switch {
	case t == ir.Ptr:
		in.Op, in.Type, in.Imm = ir.ObjAddr, ir.Void, uint64(a.rng.IntN(len(a.k.Buffers)+len(a.k.Objects)))
	case t.IsFloat():
		in.Imm, _ = ir.Eval(ir.Convert, t, ir.F32, 0, ir.Arith{}, []uint64{0x3f800000, 0xc0490fdb, 0, 0x7f800000, 0x00000001, 0x501502f9, 0x7fc00000, 0x35000000}[a.rng.IntN(8)], 0, 0, 0)
	default:
		in.Imm = []uint64{0, 1, 2, 3, 7, 31, 100, ^uint64(0), 1 << 7, 1 << 15, 1 << 31, 1 << 63, a.rng.Uint64()}[a.rng.IntN(13)] & t.Mask()
	}
	a.add(b, in)
	a.ready = append(a.ready, r)
	return r
}

func (a *author) add(b *ir.Block, in *ir.Instr) {
	a.ops++
	in.Pos = int32(len(a.k.Places))
	a.k.Places = append(a.k.Places, model.Position{File: "random", Line: len(a.k.Places)})
	*b = append(*b, in)
}

// pos makes a place of its own for a node.
func (a *author) pos() int32 {
	a.k.Places = append(a.k.Places, model.Position{File: "random", Line: len(a.k.Places)})
	return int32(len(a.k.Places) - 1)
}

// result returns the register that an instruction of type t writes: a new one, or one that is there.
func (a *author) result(t ir.Type) ir.Reg {
	if r, ok := a.pick(t); ok && a.rng.IntN(3) == 0 && !a.given(r) {
		return r
	}
	return a.reg(t)
}

// given reports whether r is one of the first registers, which most kernels leave alone.
func (a *author) given(r ir.Reg) bool {
	return int(r) <= len(a.k.Buffers)+len(a.k.Inputs) && a.rng.IntN(20) != 0
}

func (a *author) wrote(r ir.Reg) {
	for _, x := range a.ready {
		if x == r {
			return
		}
	}
	a.ready = append(a.ready, r)
}

func (a *author) block(depth, n int) ir.Block {
	var b ir.Block
	for range n {
		before := len(a.ready)
		switch c := a.rng.IntN(24); {
		case c < 2 && depth > 0:
			cond := ir.Reg(0)
			if a.rng.IntN(2) == 0 {
				cond = a.test(&b)
			} else {
				cond = a.get(&b, ir.Bool)
			}
			x := &ir.If{Cond: cond, Pos: a.pos()}
			b = append(b, x)
			before = len(a.ready)
			x.Then = a.block(depth-1, 1+a.rng.IntN(n))
			a.ready = a.ready[:before]
			if a.rng.IntN(2) == 0 {
				x.Else = a.block(depth-1, 1+a.rng.IntN(n))
				a.ready = a.ready[:before]
			}
		case c == 2 && depth > 0 && a.loops < 3:
			a.loop(&b, depth, n)
		case c == 3 && depth > 0:
			a.label++
			x := &ir.Scope{Label: a.label}
			b = append(b, x)
			a.open = append(a.open, x.Label)
			x.Body = a.block(depth-1, 1+a.rng.IntN(n))
			a.open = a.open[:len(a.open)-1]
			a.ready = a.ready[:before]
		case c == 4 && a.rng.IntN(2) == 0:
			label := int32(0)
			if n := len(a.open); n > 0 && a.rng.IntN(4) != 0 {
				label = a.open[a.rng.IntN(n)]
			}
			cond := a.get(&b, ir.Bool)
			if a.rng.IntN(2) == 0 {
				cond = a.test(&b)
			}
			x := &ir.If{Cond: cond, Pos: a.pos(), Then: ir.Block{&ir.Leave{Label: label, Pos: a.pos()}}}
			b = append(b, x)
		case c < 11:
			a.memory(&b)
		case c == 11:
			a.order(&b)
		case c == 12:
			a.lanes(&b)
		case c == 13:
			a.compare(&b)
		default:
			a.pure(&b)
		}
	}
	return b
}

// loop writes a loop that ends: a counter of its own goes up to a bound.
func (a *author) loop(b *ir.Block, depth, n int) {
	a.loops++
	i, one, zero, end, stop := a.reg(ir.U32), a.reg(ir.U32), a.reg(ir.U32), a.reg(ir.U32), a.reg(ir.Bool)
	three := a.reg(ir.U32)
	a.add(b, &ir.Instr{Op: ir.Const, Type: ir.U32, Dst: one, Imm: 1})
	a.add(b, &ir.Instr{Op: ir.Const, Type: ir.U32, Dst: zero})
	a.add(b, &ir.Instr{Op: ir.Const, Type: ir.U32, Dst: three, Imm: 3})
	a.add(b, &ir.Instr{Op: ir.Mov, Type: ir.U32, Dst: i, A: zero})
	a.add(b, &ir.Instr{Op: ir.And, Type: ir.U32, Dst: end, A: a.get(b, ir.U32), B: three})
	a.label++
	x := &ir.Loop{Label: a.label, Pos: a.pos()}
	*b = append(*b, x)
	before := len(a.ready)
	a.open = append(a.open, x.Label)
	a.add(&x.Body, &ir.Instr{Op: ir.Le, Type: ir.U32, Dst: stop, A: end, B: i})
	x.Body = append(x.Body, &ir.If{Cond: stop, Pos: a.pos(), Then: ir.Block{&ir.Leave{Label: x.Label, Pos: a.pos()}}})
	a.add(&x.Body, &ir.Instr{Op: ir.Add, Type: ir.U32, Dst: i, A: i, B: one})
	x.Body = append(x.Body, a.block(depth-1, 1+a.rng.IntN(n))...)
	a.open = a.open[:len(a.open)-1]
	a.ready = a.ready[:before]
	a.loops--
}

// index returns a thread index, or one and a bit.
func (a *author) index(b *ir.Block) ir.Reg {
	in := a.k.Inputs[a.rng.IntN(2)]
	i := in.Reg
	if a.k.Regs[i] != ir.U32 {
		i = a.reg(ir.U32)
		a.add(b, &ir.Instr{Op: ir.Convert, Type: ir.U32, From: ir.U16, Dst: i, A: in.Reg})
		a.wrote(i)
	}
	if a.rng.IntN(2) == 0 {
		c, sum := a.reg(ir.U32), a.reg(ir.U32)
		a.add(b, &ir.Instr{Op: ir.Const, Type: ir.U32, Dst: c, Imm: uint64(a.rng.IntN(9))})
		x := &ir.Instr{Op: []ir.Op{ir.Add, ir.Add, ir.Add, ir.Sub}[a.rng.IntN(4)], Type: ir.U32, Dst: sum, A: i, B: c}
		if x.Op == ir.Add && a.rng.IntN(2) == 0 {
			x.A, x.B = c, i
		}
		a.add(b, x)
		a.wrote(sum)
		i = sum
	}
	return i
}

// test writes a comparison of a thread index, for an if to follow.
func (a *author) test(b *ir.Block) ir.Reg {
	i, c, r := a.index(b), a.reg(ir.U32), a.reg(ir.Bool)
	limit := uint64(a.rng.IntN(30))
	if a.rng.IntN(8) == 0 {
		limit = uint64(uint32(a.rng.Uint64()))
	}
	a.add(b, &ir.Instr{Op: ir.Const, Type: ir.U32, Dst: c, Imm: limit})
	in := &ir.Instr{Op: []ir.Op{ir.Eq, ir.Ne, ir.Lt, ir.Le, ir.Lt}[a.rng.IntN(5)], Type: ir.U32, Dst: r, A: i, B: c}
	if a.rng.IntN(2) == 0 {
		in.A, in.B = c, i
	}
	if a.rng.IntN(4) == 0 {
		s, t := a.reg(ir.I32), a.reg(ir.I32)
		a.add(b, &ir.Instr{Op: ir.Bitcast, Type: ir.I32, From: ir.U32, Dst: s, A: in.A})
		a.add(b, &ir.Instr{Op: ir.Bitcast, Type: ir.I32, From: ir.U32, Dst: t, A: in.B})
		in.Type, in.A, in.B = ir.I32, s, t
	}
	a.add(b, in)
	return r
}

func (a *author) compare(b *ir.Block) {
	t := (ir.SetNumbers | ir.SetPtr).Types()[a.rng.IntN(12)]
	in := &ir.Instr{Op: []ir.Op{ir.Eq, ir.Ne, ir.Lt, ir.Le}[a.rng.IntN(4)], Type: t, A: a.get(b, t), B: a.get(b, t)}
	in.Dst = a.result(ir.Bool)
	a.add(b, in)
	a.wrote(in.Dst)
}

// pure writes an operation that only computes.
func (a *author) pure(b *ir.Block) {
	for {
		op := ir.Op(a.rng.IntN(ir.NumOps))
		info := &ir.Ops[op]
		if info.Effect != ir.Pure || info.Result == ir.NoOperand || op == ir.ObjAddr || op == ir.Const || op == ir.PtrAdd {
			continue
		}
		in := &ir.Instr{Op: op}
		if ts := info.Types.Types(); len(ts) > 0 {
			in.Type = ts[a.rng.IntN(len(ts))]
			if a.rng.IntN(2) == 0 && info.Types.Has(ir.U32) {
				in.Type = ir.U32
			}
		}
		if ts := info.From.Types(); len(ts) > 0 {
			in.From = ts[a.rng.IntN(len(ts))]
			if op == ir.Bitcast && in.From.Bits() != in.Type.Bits() || op == ir.Convert && in.From == ir.Ptr && !in.Type.IsInteger() && in.Type != ir.Bool {
				continue
			}
			if in.Type == ir.Ptr && in.From != ir.Ptr {
				continue // pointers from nowhere are tested by hand
			}
		}
		a.operands(b, in)
		a.add(b, in)
		a.wrote(in.Dst)
		return
	}
}

func typeOf(in *ir.Instr, o ir.Operand) ir.Type {
	switch o {
	case ir.OfT, ir.OptionalT:
		return in.Type
	case ir.OfFrom, ir.OfIndex:
		return in.From
	case ir.OfBool:
		return ir.Bool
	case ir.OfU16, ir.OptionalU16:
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
	return ir.Void
}

func (a *author) operands(b *ir.Block, in *ir.Instr) {
	info := &ir.Ops[in.Op]
	for i, o := range []ir.Operand{info.A, info.B, info.C, info.D} {
		if o == ir.NoOperand || o == ir.OptionalU16 && a.rng.IntN(2) == 0 {
			continue
		}
		*[]*ir.Reg{&in.A, &in.B, &in.C, &in.D}[i] = a.get(b, typeOf(in, o))
	}
	if info.Result != ir.NoOperand {
		in.Dst = a.result(typeOf(in, info.Result))
	}
}

func (a *author) lanes(b *ir.Block) {
	op := ir.SimdSum + ir.Op(a.rng.IntN(int(ir.SimdActive-ir.SimdSum)+1))
	in := &ir.Instr{Op: op, Imm: uint64(4 * a.rng.IntN(2))}
	if ts := ir.Ops[op].Types.Types(); len(ts) > 0 {
		in.Type = ts[a.rng.IntN(len(ts))]
	}
	a.operands(b, in)
	if ir.Ops[op].B != ir.NoOperand { // a small distance
		small := a.reg(ir.U16)
		a.add(b, &ir.Instr{Op: ir.Const, Type: ir.U16, Dst: small, Imm: uint64(a.rng.IntN(6))})
		in.B = small
	}
	a.add(b, in)
	a.wrote(in.Dst)
}

func (a *author) order(b *ir.Block) {
	op := []ir.Op{ir.Barrier, ir.Barrier, ir.SimdBarrier, ir.Fence}[a.rng.IntN(4)]
	a.add(b, &ir.Instr{Op: op, Imm: uint64(a.rng.IntN(4))})
}

// memory writes an access, most often inside its object.
func (a *author) memory(b *ir.Block) {
	p := ir.Reg(1 + a.rng.IntN(len(a.k.Buffers)))
	switch a.rng.IntN(4) {
	case 0:
		p = a.get(b, ir.Ptr)
	case 1:
		p = a.reg(ir.Ptr)
		a.add(b, &ir.Instr{Op: ir.ObjAddr, Type: ir.Void, Dst: p, Imm: uint64(len(a.k.Buffers) + a.rng.IntN(len(a.k.Objects)))})
	}
	ops := []ir.Op{ir.Load, ir.Load, ir.Load, ir.Load, ir.Load, ir.Store, ir.Store, ir.Store, ir.Store, ir.PtrAdd}
	if a.rng.IntN(10) == 0 {
		ops = []ir.Op{ir.AtomicLoad, ir.AtomicStore, ir.AtomicXchg, ir.AtomicAdd, ir.AtomicMin, ir.AtomicMax, ir.AtomicOr, ir.AtomicCAS, ir.AtomicSub}
	}
	in := &ir.Instr{Op: ops[a.rng.IntN(len(ops))], A: p}
	info := &ir.Ops[in.Op]
	if ts := info.Types.Types(); len(ts) > 0 {
		in.Type = ts[a.rng.IntN(len(ts))]
		if a.rng.IntN(2) == 0 {
			in.Type = ir.U32
		}
	}
	if in.Type == ir.Ptr {
		in.Type = ir.U64
	}
	size := max(4, in.Type.Size())
	if a.rng.IntN(4) != 0 {
		in.From = []ir.Type{ir.U32, ir.U32, ir.I32, ir.U64, ir.I64}[a.rng.IntN(5)]
		i := a.get(b, in.From)
		if a.rng.IntN(3) == 0 {
			in.From, i = ir.U32, a.index(b)
		} else if a.calm || a.rng.IntN(10) != 0 {
			m, c := a.reg(in.From), a.reg(in.From)
			a.add(b, &ir.Instr{Op: ir.Const, Type: in.From, Dst: c, Imm: 15})
			a.add(b, &ir.Instr{Op: ir.And, Type: in.From, Dst: m, A: i, B: c})
			i = m
		}
		in.B, in.Scale = i, uint32(size)
		if !a.calm && a.rng.IntN(12) == 0 {
			in.Scale = uint32(a.rng.IntN(9))
		}
	}
	if a.rng.IntN(4) == 0 {
		in.Imm = uint64(size * a.rng.IntN(4))
	}
	if !a.calm && a.rng.IntN(20) == 0 {
		in.Imm = uint64(int64(a.rng.IntN(300) - 100))
	}
	if in.Op != ir.PtrAdd && a.rng.IntN(6) == 0 {
		in.Align = 1 << a.rng.IntN(4)
	}
	if info.C != ir.NoOperand {
		in.C = a.get(b, in.Type)
	}
	if info.D != ir.NoOperand {
		in.D = a.get(b, in.Type)
	}
	if in.Op == ir.AtomicCAS && a.rng.IntN(2) == 0 {
		in.Dst2 = a.reg(ir.Bool)
	}
	if r := info.Result; r == ir.OfT || r == ir.OfPtr || r == ir.OptionalT && a.rng.IntN(2) == 0 {
		in.Dst = a.result(typeOf(in, r))
	}
	a.add(b, in)
	if in.Dst != 0 {
		a.wrote(in.Dst)
	}
	if in.Dst2 != 0 {
		a.wrote(in.Dst2)
	}
}

// write returns a random kernel.
func write(rng *rand.Rand, size int) *ir.Kernel {
	a := begin(rng)
	a.k.Body = a.block(3, size)
	return a.k
}

// begin returns the author of a random kernel without a body.
func begin(rng *rand.Rand) *author {
	a := &author{rng: rng, k: &ir.Kernel{Name: "random", Regs: []ir.Type{ir.Void}, Places: []model.Position{{}}}, calm: rng.IntN(2) == 0}
	for i, s := range []ir.Space{ir.Device, ir.Device, ir.Constant, ir.Threadgroup, ir.Device} {
		r := a.reg(ir.Ptr)
		a.k.Buffers = append(a.k.Buffers, ir.Buffer{Name: fmt.Sprintf("b%d", i), Index: i, Space: s, Reg: r, Elem: 4, Align: 4, Optional: i == 4})
		a.ready = append(a.ready, r)
	}
	for _, k := range []ir.InputKind{ir.ThreadPositionInGrid, ir.ThreadIndexInThreadgroup, ir.ThreadIndexInSimdgroup, ir.ThreadgroupPositionInGrid, ir.InputKind(rng.IntN(19))} {
		t := []ir.Type{ir.U32, ir.U16}[rng.IntN(2)]
		r := a.reg(t)
		axis := 0
		if k < ir.ThreadIndexInThreadgroup {
			axis = rng.IntN(3)
		}
		a.k.Inputs = append(a.k.Inputs, ir.Input{Kind: k, Axis: axis, Reg: r})
		a.ready = append(a.ready, r)
	}
	a.k.Objects = []ir.Object{
		{Name: "t0", Space: ir.Threadgroup, Size: 256, Align: 16, Elem: 4},
		{Name: "p0", Space: ir.Thread, Size: 100, Align: 16, Elem: 4},
		{Name: "c0", Space: ir.Constant, Size: 64, Align: 16, Elem: 4, Data: bytes.Repeat([]byte{1, 2, 0, 7}, 16)},
	}
	return a
}

// statements writes so many statements such as x[i+1] = x[i] + y[i+2], some of them alone or together in an if.
func (a *author) statements(n int) ir.Block {
	var b ir.Block
	for range n {
		if a.rng.IntN(3) != 0 {
			a.statement(&b)
			continue
		}
		x := &ir.If{Cond: a.test(&b), Pos: a.pos()}
		for range 1 + a.rng.IntN(2) {
			a.statement(&x.Then)
		}
		b = append(b, x)
	}
	return b
}

// statement writes a store to neighbouring words of what was loaded from others, or of what an operation makes of two.
func (a *author) statement(b *ir.Block) {
	t := []ir.Type{ir.F32, ir.F32, ir.F32, ir.U32, ir.I32, ir.U64, ir.I64, ir.F16, ir.U16, ir.U8, ir.Bool}[a.rng.IntN(11)]
	access := func(op ir.Op) *ir.Instr {
		in := &ir.Instr{Op: op, Type: t, A: ir.Reg(1 + a.rng.IntN(len(a.k.Buffers))), B: a.index(b), From: ir.U32, Scale: uint32(t.Size()), Imm: uint64(t.Size() * a.rng.IntN(3))}
		if a.rng.IntN(8) == 0 {
			in.Align = 1 << a.rng.IntN(4)
		}
		return in
	}
	load := func() *ir.Instr {
		in := access(ir.Load)
		in.Dst = a.reg(t)
		a.add(b, in)
		return in
	}
	from := load()
	store := access(ir.Store)
	if a.rng.IntN(2) == 0 { // x[i] = x[i] + …
		store.A, store.B, store.Imm, store.Align = from.A, from.B, from.Imm, from.Align
	}
	store.C = from.Dst
	if a.rng.IntN(4) != 0 && t != ir.Bool {
		ops := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Div}
		if t.IsInteger() {
			ops = []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.Shl, ir.Min}
		}
		op := &ir.Instr{Op: ops[a.rng.IntN(len(ops))], Type: t, Dst: a.reg(t), A: from.Dst}
		op.B = load().Dst
		if a.rng.IntN(2) == 0 {
			op.A, op.B = op.B, op.A
		}
		a.add(b, op)
		store.C = op.Dst
		if a.rng.IntN(8) == 0 { // the value is used again
			again := access(ir.Store)
			again.C = []ir.Reg{op.A, op.B, op.Dst}[a.rng.IntN(3)]
			a.add(b, store)
			store = again
		}
	}
	a.add(b, store)
}

// TestRandomStatements is TestRandomKernels for statements that run from memory to memory.
func TestRandomStatements(t *testing.T) {
	n := 2000 / slower
	if thorough() {
		n = 40000
	}
	raced, clean := 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(uint64(seed), 4))
		a := begin(rng)
		a.k.Body = a.statements(1 + seed%5)
		require.True(t, requireSame(t, seed, rng, a.k, &raced, &clean))
	}
	t.Logf("%d kernels, %d with races, %d without any fault", n, raced, clean)
	require.Greater(t, raced, n/20)
	require.Greater(t, clean, n/50)
}

// launch returns a random launch of k, with fresh memory.
func launch(rng *rand.Rand, k *ir.Kernel) func() *engine.Dispatch {
	g := model.Size3{X: 1 + rng.IntN(12), Y: 1 + rng.IntN(2), Z: 1 + rng.IntN(2)}
	grid := model.Size3{X: 1 + rng.IntN(3*g.X), Y: 1 + rng.IntN(2*g.Y), Z: 1 + rng.IntN(2)}
	seed := rng.Uint64()
	alias, offset, known, bound := rng.IntN(4) == 0, 4*rng.IntN(3), rng.IntN(2) == 0, rng.IntN(2) == 0
	return func() *engine.Dispatch {
		r := rand.New(rand.NewPCG(seed, 1))
		mem := func(n int) *engine.Memory {
			m := &engine.Memory{Bytes: make([]byte, n), Name: "memory"}
			for i := range m.Bytes {
				m.Bytes[i] = byte(r.Uint32() >> (r.Uint32() & 15))
			}
			if known {
				m.Init = make([]byte, n)
				for i := range m.Init {
					m.Init[i] = byte(r.Uint32() & 1)
				}
			}
			return m
		}
		a, b := mem(160), mem(200+int(seed%7))
		d := &engine.Dispatch{Kernel: k, Grid: grid, Group: g, Args: []engine.Arg{
			{Mem: a, Offset: offset}, {Mem: b}, {Mem: mem(128)}, {Length: 128}, {},
		}}
		if alias {
			d.Args[2].Mem = b
		}
		if bound {
			d.Args[4] = engine.Arg{Mem: a, Offset: 8}
		}
		return d
	}
}

func contents(d *engine.Dispatch) string {
	var s strings.Builder
	for _, a := range d.Args {
		if a.Mem != nil {
			fmt.Fprintf(&s, "%x %x\n", a.Mem.Bytes, a.Mem.Init)
		}
	}
	return s.String()
}

func thorough() bool { return os.Getenv("GAMMA_LEVEL") == "thorough" }

// TestRandomKernels: random kernels give what the reference gives, for any number of workers, with and without checks; and checks find the
// faults that the reference's list of all accesses shows, and no others.
func TestRandomKernels(t *testing.T) {
	n := 1000 / slower
	if thorough() {
		n = 40000
	}
	raced, clean, tried := 0, 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		k := write(rng, 2+seed%9)
		if !requireSame(t, seed, rng, k, &raced, &clean) {
			continue
		}
		tried++
	}
	t.Logf("%d kernels, %d with races, %d without any fault", tried, raced, clean)
	require.Greater(t, raced, n/20)
	require.Greater(t, clean, n/50)
}

func requireSame(t *testing.T, seed int, rng *rand.Rand, k *ir.Kernel, raced, clean *int) bool {
	require.NoError(t, ir.Verify(k), "seed %d\n%s", seed, shown{k})
	fresh := launch(rng, k)
	w := []int{4, 32, 5, 8}[rng.IntN(4)]
	var b model.Behaviour
	if rng.IntN(4) == 0 {
		b.Flush = model.Flush{In: rng.IntN(2) == 0, Out: rng.IntN(2) == 0}
		b.Flush16 = model.Flush{In: rng.IntN(2) == 0}
		b.Flush.AnySign, b.Flush16.AnySign = rng.IntN(2) == 0, rng.IntN(2) == 0
	}
	d := fresh()
	ref := &reference{k: k, d: d, width: w, arith: ir.ArithOf(b), budget: 200000}
	if !ref.run() {
		return false
	}
	want := contents(d)
	p, err := fast.Compile(k)
	require.NoError(t, err)
	for _, checks := range []bool{false, true} {
		d = fresh()
		res, err := p.Run(d, engine.Options{Checks: checks, Workers: 1, SIMDWidth: w, Behaviour: b})
		require.NoError(t, err)
		require.Equal(t, want, contents(d), "seed %d checks %v\n%s", seed, checks, shown{k})
		require.Equal(t, ref.steps, res.Steps, "seed %d checks %v\n%s", seed, checks, shown{k})
		if !checks {
			require.Empty(t, res.Findings)
			continue
		}
		compareFindings(t, seed, k, ref, res.Findings)
		if _, must := ref.races(); len(must) > 0 {
			*raced++
		}
		if len(res.Findings) == 0 {
			*clean++
		}
		for range 2 {
			d = fresh()
			again, err := p.Run(d, engine.Options{Checks: true, Workers: 3, SIMDWidth: w, Behaviour: b})
			require.NoError(t, err)
			require.Equal(t, want, contents(d), "seed %d, three workers\n%s", seed, shown{k})
			require.Equal(t, res, again, "seed %d\n%s", seed, shown{k})
		}
	}
	return true
}

func compareFindings(t *testing.T, seed int, k *ir.Kernel, ref *reference, list []model.Finding) {
	if len(list) == engine.MaxFindings {
		return
	}
	got := map[string]bool{}
	races, must := ref.races()
	some := false
	for _, f := range list {
		require.NotEmpty(t, f.Text)
		if f.Kind == model.FindingRace {
			some = true
			require.True(t, races[fmt.Sprintf("%d %d", f.Other.Line, f.Pos.Line)], "seed %d: %s is none\n%s", seed, f, shown{k})
			require.Len(t, f.Threads, 2)
			require.NotEqual(t, f.Threads[0], f.Threads[1])
			continue
		}
		got[fmt.Sprintf("%s %d", f.Kind, f.Pos.Line)] = true
	}
	require.True(t, some || len(must) == 0, "seed %d: races %v, found %v\n%s", seed, must, list, shown{k})
	require.Equal(t, keys(ref.faults), keys(got), "seed %d\n%s", seed, shown{k})
}

// shown prints a kernel without its list of places: those are numbered.
type shown struct{ k *ir.Kernel }

func (x shown) String() string {
	var s strings.Builder
	for line := range strings.Lines(x.k.String()) {
		if !strings.HasPrefix(line, "place ") {
			s.WriteString(line)
		}
	}
	return s.String()
}

func keys(m map[string]bool) []string {
	list := []string{}
	for k := range m {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}
