package symbolic

import (
	"fmt"
	"slices"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// maxState bounds what one threadgroup's registers and variables may take, in bytes.
const maxState = 1 << 30

// Run runs a dispatch. The memory of its arguments holds leaves, results and numbers, as the package says. Of the options it takes the
// SIMD width and the steps; behaviours that rewrite arithmetic are rewrites of the kernel, done before.
func (m *Machine) Run(k *ir.Kernel, d *engine.Dispatch, o engine.Options) (engine.Result, error) {
	if err := ir.Verify(k); err != nil {
		return engine.Result{}, err
	}
	x := &execution{m: m, k: k, d: d, width: o.SIMDWidth, budget: o.Steps}
	if x.width <= 0 {
		x.width = 32
	}
	x.width = k.Width(x.width)
	if x.budget <= 0 {
		x.budget = m.Steps
	}
	if x.budget <= 0 {
		x.budget = 1 << 32
	}
	total := x.budget
	g := d.Groups()
	for z := range g.Z {
		for y := range g.Y {
			for gx := range g.X {
				if err := x.group(model.Size3{X: gx, Y: y, Z: z}); err != nil {
					return engine.Result{Steps: total - x.budget}, err
				}
			}
		}
	}
	return engine.Result{Steps: total - x.budget}, nil
}

// execution is the run of one dispatch.
type execution struct {
	m      *Machine
	k      *ir.Kernel
	d      *engine.Dispatch
	width  int
	budget int64
	lanes  []lane
	shared [][]byte // threadgroup memory by number of object
}

// lane is one thread of the threadgroup.
type lane struct {
	regs    []uint64
	private [][]byte
	left    int32 // the label that the thread has left for, or -1
}

// symbolicBool marks a Bool that is an expression, with its number in the low bits.
const symbolicBool = 1 << 63

func (x *execution) errorf(pos int32, format string, args ...any) error {
	at := x.k.Pos
	if pos > 0 && int(pos) < len(x.k.Places) {
		at = x.k.Places[pos]
	}
	return fmt.Errorf("%s: %s: %s", at, x.k.Name, fmt.Sprintf(format, args...))
}

func (x *execution) group(g model.Size3) error {
	size := x.d.GroupSize(g)
	n := size.X * size.Y * size.Z
	k := x.k
	private := 0
	shared := 0
	for _, o := range k.Objects {
		switch o.Space {
		case ir.Thread:
			private += o.Size
		case ir.Threadgroup:
			shared += o.Size
		}
	}
	if int64(n)*int64(len(k.Regs)*8+private)+int64(shared) > maxState {
		return x.errorf(0, "a threadgroup of %d threads needs more than %d bytes of registers and variables", n, maxState)
	}
	objects := len(k.Buffers) + len(k.Objects)
	x.shared = make([][]byte, objects)
	for i, b := range k.Buffers {
		switch {
		case b.Space == ir.Threadgroup:
			x.shared[i] = make([]byte, x.d.Args[i].Length)
		case x.d.Args[i].Mem != nil:
			x.shared[i] = x.d.Args[i].Mem.Bytes
		}
	}
	for i, o := range k.Objects {
		switch o.Space {
		case ir.Threadgroup:
			x.shared[len(k.Buffers)+i] = make([]byte, o.Size)
		case ir.Constant:
			x.shared[len(k.Buffers)+i] = o.Data
		}
	}
	x.lanes = make([]lane, n)
	all := make([]int, n)
	for i := range x.lanes {
		l := &x.lanes[i]
		l.regs, l.left, all[i] = make([]uint64, len(k.Regs)), -1, i
		l.private = make([][]byte, objects)
		for j, o := range k.Objects {
			if o.Space == ir.Thread {
				l.private[len(k.Buffers)+j] = make([]byte, o.Size)
			}
		}
		for j, b := range k.Buffers {
			if b.Space == ir.Threadgroup || x.d.Args[j].Mem != nil {
				l.regs[b.Reg] = uint64(ir.MakePointer(j, int64(x.d.Args[j].Offset)))
			}
		}
		for _, in := range k.Inputs {
			seat := ir.Seat{Grid: x.d.Grid, Nominal: x.d.Group, Group: size, At: g, Thread: i, SIMDWidth: x.width}
			l.regs[in.Reg] = uint64(seat.Input(in)) & k.Regs[in.Reg].Mask()
		}
	}
	if x.budget -= int64(n); x.budget < 0 {
		return x.errorf(0, "the budget of steps is spent: are there too many threads?")
	}
	return x.block(k.Body, all)
}

// block runs b in the given lanes, none of which has left.
func (x *execution) block(b ir.Block, lanes []int) error {
	for _, n := range b {
		if len(lanes) == 0 {
			return nil
		}
		switch n := n.(type) {
		case *ir.Instr:
			if n.Op == ir.Nop {
				continue
			}
			if x.budget -= int64(len(lanes)); x.budget < 0 {
				return x.errorf(n.Pos, "the budget of steps is spent: does the kernel end?")
			}
			if err := x.instr(n, lanes); err != nil {
				return err
			}
			continue
		case *ir.If:
			var then, otherwise []int
			for _, i := range lanes {
				c := x.lanes[i].regs[n.Cond]
				switch {
				case c&symbolicBool != 0:
					return x.errorf(n.Pos, "a branch depends on the values of the leaves, as %s: no one tree holds for all of them",
						x.m.String(Expr(c&^symbolicBool)))
				case c&1 != 0:
					then = append(then, i)
				default:
					otherwise = append(otherwise, i)
				}
			}
			if err := x.block(n.Then, then); err != nil {
				return err
			}
			if err := x.block(n.Else, otherwise); err != nil {
				return err
			}
		case *ir.Loop:
			in := slices.Clone(lanes)
			for len(in) > 0 {
				if err := x.block(n.Body, in); err != nil {
					return err
				}
				in = slices.DeleteFunc(in, func(i int) bool { return x.lanes[i].left >= 0 })
				if x.budget -= int64(len(in)); x.budget < 0 {
					return x.errorf(n.Pos, "the budget of steps is spent: does the loop end?")
				}
			}
			x.arrive(n.Label, lanes)
		case *ir.Scope:
			if err := x.block(n.Body, lanes); err != nil {
				return err
			}
			x.arrive(n.Label, lanes)
		case *ir.Leave:
			for _, i := range lanes {
				x.lanes[i].left = n.Label
			}
			return nil
		}
		lanes = slices.DeleteFunc(slices.Clone(lanes), func(i int) bool { return x.lanes[i].left >= 0 })
	}
	return nil
}

// arrive lets lanes that left for label go on after it.
func (x *execution) arrive(label int32, lanes []int) {
	for _, i := range lanes {
		if x.lanes[i].left == label {
			x.lanes[i].left = -1
		}
	}
}

// expr returns the expression in register r of a lane, 0 if it is a number.
func (x *execution) expr(l *lane, r ir.Reg) Expr {
	if r == 0 {
		return 0
	}
	t := x.k.Regs[r]
	if t == ir.Bool {
		if v := l.regs[r]; v&symbolicBool != 0 {
			return Expr(v &^ symbolicBool)
		}
		return 0
	}
	e, _ := x.m.Lookup(t, l.regs[r])
	return e
}

// asExpr is expr with numbers made constants.
func (x *execution) asExpr(l *lane, r ir.Reg) (Expr, error) {
	if e := x.expr(l, r); e != 0 {
		return e, nil
	}
	return x.m.intern(Node{Op: ir.Const, Type: x.k.Regs[r], Bits: l.regs[r]})
}

// set gives register r of a lane an expression.
func (x *execution) set(l *lane, r ir.Reg, e Expr) error {
	if x.k.Regs[r] == ir.Bool {
		l.regs[r] = symbolicBool | uint64(e)
		return nil
	}
	bits, err := x.m.bits(e)
	l.regs[r] = bits
	return err
}

func (x *execution) instr(in *ir.Instr, lanes []int) error {
	info := &ir.Ops[in.Op]
	if info.Effect == ir.Lanes {
		return x.across(in, lanes)
	}
	for _, i := range lanes {
		l := &x.lanes[i]
		switch {
		case in.Op == ir.Nop || info.Effect == ir.Orders || info.Effect == ir.Reports:
		case in.Op == ir.Const:
			l.regs[in.Dst] = in.Imm
		case in.Op == ir.Undef:
			l.regs[in.Dst] = 0
		case in.Op == ir.Mov:
			l.regs[in.Dst] = l.regs[in.A]
		case in.Op == ir.ObjAddr:
			l.regs[in.Dst] = uint64(ir.MakePointer(int(in.Imm), 0))
		case info.Address:
			if err := x.memory(in, l); err != nil {
				return err
			}
		default:
			if err := x.pure(in, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// pure runs an operation on registers.
func (x *execution) pure(in *ir.Instr, l *lane) error {
	ops := [4]ir.Reg{in.A, in.B, in.C, in.D}
	named := false
	for _, r := range ops {
		named = named || x.expr(l, r) != 0
	}
	if !named {
		l.regs[in.Dst], _ = ir.Eval(in.Op, in.Type, in.From, in.FP, ir.Arith{}, l.regs[in.A], l.regs[in.B], l.regs[in.C], l.regs[in.D])
		return nil
	}
	if in.Op == ir.Select && x.expr(l, in.A) == 0 {
		l.regs[in.Dst] = l.regs[in.B]
		if l.regs[in.A]&1 == 0 {
			l.regs[in.Dst] = l.regs[in.C]
		}
		return nil
	}
	result := x.k.Regs[in.Dst]
	if in.Op == ir.Bitcast && in.From == in.Type {
		l.regs[in.Dst] = l.regs[in.A]
		return nil
	}
	if !result.IsFloat() && result != ir.Bool || in.Op == ir.Bitcast {
		return x.errorf(in.Pos, "%s makes an integer of what depends on the values of the leaves", in.Op)
	}
	n := Node{Op: in.Op, Type: result, From: in.From}
	if result == ir.Bool && in.Op != ir.Convert {
		n.From = in.Type
	}
	for _, r := range ops {
		if r == 0 {
			break
		}
		e, err := x.asExpr(l, r)
		if err != nil {
			return err
		}
		n.Args = append(n.Args, e)
	}
	e, err := x.m.intern(n)
	if err != nil {
		return err
	}
	return x.set(l, in.Dst, e)
}

// find returns the bytes that an address names.
func (x *execution) find(in *ir.Instr, l *lane, size int) ([]byte, *engine.Memory, int, error) {
	p := in.Address(l.regs[in.A], l.regs[in.B])
	obj, off := p.Object(), p.Offset()
	if obj < 0 || obj >= len(x.shared) {
		return nil, nil, 0, x.errorf(in.Pos, "access through a null pointer")
	}
	mem := x.shared[obj]
	if l.private[obj] != nil {
		mem = l.private[obj]
	}
	if off < 0 || off+int64(size) > int64(len(mem)) {
		return nil, nil, 0, x.errorf(in.Pos, "access to bytes %d to %d of an object of %d bytes", off, off+int64(size)-1, len(mem))
	}
	align := int64(in.Align)
	if align == 0 {
		align = int64(size)
	}
	if off%align != 0 {
		return nil, nil, 0, x.errorf(in.Pos, "misaligned: access to byte %d of an object, and an address that is a multiple of %d is needed", off, align)
	}
	var m *engine.Memory
	if obj < len(x.k.Buffers) {
		m = x.d.Args[obj].Mem
	}
	return mem[off : off+int64(size)], m, int(off), nil
}

func get(b []byte) (v uint64) {
	for i, c := range b {
		v |= uint64(c) << (8 * i)
	}
	return v
}

func put(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}

func (x *execution) memory(in *ir.Instr, l *lane) error {
	if in.Op == ir.PtrAdd {
		l.regs[in.Dst] = uint64(in.Address(l.regs[in.A], l.regs[in.B]))
		return nil
	}
	b, m, off, err := x.find(in, l, in.Type.Size())
	if err != nil {
		return err
	}
	store := func(v uint64) error {
		if v&symbolicBool != 0 && in.Type == ir.Bool {
			return x.errorf(in.Pos, "a bool that depends on the values of the leaves is stored to memory")
		}
		put(b, v)
		if m != nil && m.Init != nil {
			for i := range b {
				m.Init[off+i] = 1
			}
		}
		return nil
	}
	old := get(b)
	named := false
	if e, ok := x.m.Lookup(in.Type, old); ok && e != 0 {
		named = true
	}
	if in.C != 0 && x.expr(l, in.C) != 0 {
		named = true
	}
	give := func() {
		if in.Dst != 0 {
			l.regs[in.Dst] = old
		}
	}
	switch in.Op {
	case ir.Load, ir.AtomicLoad:
		give()
		return nil
	case ir.Store, ir.AtomicStore:
		return store(l.regs[in.C])
	case ir.AtomicXchg:
		v := l.regs[in.C]
		give()
		return store(v)
	case ir.AtomicCAS:
		if named || x.expr(l, in.D) != 0 {
			return x.errorf(in.Pos, "compare-exchange of what depends on the values of the leaves")
		}
		v, same := l.regs[in.C], old == l.regs[in.D]
		give()
		if in.Dst2 != 0 {
			l.regs[in.Dst2] = 0
			if same {
				l.regs[in.Dst2] = 1
			}
		}
		if same {
			return store(v)
		}
		return nil
	case ir.AtomicAdd:
		if named && in.Dst == 0 {
			v, err := x.join(in.Type, old, l.regs[in.C])
			if err != nil {
				return err
			}
			return store(v)
		}
	}
	if named {
		return x.errorf(in.Pos, "%s of what depends on the values of the leaves has no tree that holds for every order", in.Op)
	}
	v, _ := ir.Eval(ir.Ops[in.Op].Fold, in.Type, ir.Void, in.FP, ir.Arith{}, old, l.regs[in.C], 0, 0)
	give()
	return store(v)
}

// join returns the sum of what memory holds and of a value in an order that is not known; what memory holds may be such a sum.
func (x *execution) join(t ir.Type, old, add uint64) (uint64, error) {
	n := Node{Op: ir.AtomicAdd, Type: t}
	for i, v := range []uint64{old, add} {
		e, ok := x.m.Lookup(t, v)
		if !ok {
			var err error
			if e, err = x.m.intern(Node{Op: ir.Const, Type: t, Bits: v}); err != nil {
				return 0, err
			}
		}
		if i == 0 && x.m.nodes[e].Op == ir.AtomicAdd {
			n.Args = append(n.Args, x.m.nodes[e].Args...)
		} else {
			n.Args = append(n.Args, e)
		}
	}
	e, err := x.m.intern(n)
	if err != nil {
		return 0, err
	}
	return x.m.bits(e)
}
