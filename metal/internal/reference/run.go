package reference

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Launch is one dispatch of a kernel.
type Launch struct {
	Groups, Threads model.Size3 // threadgroups, and threads in each
	// Args are the bytes of Kernel.Buffers, in their order; of a threadgroup argument its length counts. Nil: not bound.
	Args  [][]byte
	Width int   // threads of a simdgroup; 0: 32
	Steps int64 // of all threads together, counted as engine.Options.Steps says; 0: 1<<24
}

// Run executes a kernel that ir.Verify accepts. It ends with an error at the first access out of bounds or of memory never written, at
// integer faults, and when the steps are spent.
func Run(k *ir.Kernel, l Launch) error {
	if err := ir.Verify(k); err != nil {
		return err
	}
	if len(l.Args) != len(k.Buffers) {
		return fmt.Errorf("kernel %s: %d arguments for %d buffers", k.Name, len(l.Args), len(k.Buffers))
	}
	if l.Width == 0 {
		l.Width = 32
	}
	if l.Steps == 0 {
		l.Steps = 1 << 24
	}
	steps := l.Steps
	for z := range l.Groups.Z {
		for y := range l.Groups.Y {
			for x := range l.Groups.X {
				g := newGroup(k, &l, model.Size3{X: x, Y: y, Z: z}, &steps)
				g.step(-1, g.all, "the steps are spent")
				g.block(k.Body, g.all)
				if g.err != nil {
					return g.err
				}
			}
		}
	}
	return nil
}

// memory is one object of one thread, group or dispatch.
type memory struct {
	bytes []byte
	init  []bool // nil: all
}

type group struct {
	k       *ir.Kernel
	l       *Launch
	regs    [][]uint64 // by register, then thread
	objects [][]memory // by object, then thread; one entry if it is shared
	all     mask
	left    map[int32]mask
	steps   *int64
	err     error
}

// mask is the set of threads that take part.
type mask []bool

func (m mask) any() bool {
	for _, b := range m {
		if b {
			return true
		}
	}
	return false
}

func (m mask) and(f func(i int) bool) mask {
	r := make(mask, len(m))
	for i := range m {
		r[i] = m[i] && f(i)
	}
	return r
}

func newGroup(k *ir.Kernel, l *Launch, at model.Size3, steps *int64) *group {
	n := l.Threads.X * l.Threads.Y * l.Threads.Z
	g := &group{k: k, l: l, left: map[int32]mask{}, steps: steps, all: make(mask, n)}
	g.regs = make([][]uint64, len(k.Regs))
	for r := range g.regs {
		g.regs[r] = make([]uint64, n)
	}
	for i := range g.all {
		g.all[i] = true
	}
	for i, b := range k.Buffers {
		m := memory{bytes: l.Args[i]}
		p := ir.MakePointer(i, 0)
		switch {
		case l.Args[i] == nil:
			p = 0
		case b.Space == ir.Threadgroup:
			m = memory{make([]byte, len(l.Args[i])), make([]bool, len(l.Args[i]))}
		}
		g.objects = append(g.objects, []memory{m})
		for t := range n {
			g.regs[b.Reg][t] = uint64(p)
		}
	}
	for _, o := range k.Objects {
		count := 1
		if o.Space == ir.Thread {
			count = n
		}
		ms := make([]memory, count)
		for i := range ms {
			ms[i] = memory{bytes: o.Data}
			if o.Space != ir.Constant {
				ms[i] = memory{make([]byte, o.Size), make([]bool, o.Size)}
			}
		}
		g.objects = append(g.objects, ms)
	}
	for _, in := range k.Inputs {
		for t := range n {
			g.regs[in.Reg][t] = uint64(g.input(in, at, t))
		}
	}
	return g
}

// input is what thread t of the group at is told.
func (g *group) input(in ir.Input, at model.Size3, t int) int {
	th, gr := g.l.Threads, g.l.Groups
	axis := func(s model.Size3) int { return [3]int{s.X, s.Y, s.Z}[in.Axis] }
	local := model.Size3{X: t % th.X, Y: t / th.X % th.Y, Z: t / th.X / th.Y}
	n := th.X * th.Y * th.Z
	w := g.l.Width
	switch in.Kind {
	case ir.ThreadPositionInGrid:
		return axis(at)*axis(th) + axis(local)
	case ir.ThreadPositionInThreadgroup:
		return axis(local)
	case ir.ThreadgroupPositionInGrid:
		return axis(at)
	case ir.ThreadsPerGrid, ir.GridSize:
		return axis(gr) * axis(th)
	case ir.ThreadgroupsPerGrid:
		return axis(gr)
	case ir.ThreadsPerThreadgroup, ir.DispatchThreadsPerThreadgroup:
		return axis(th)
	case ir.ThreadIndexInThreadgroup:
		return t
	case ir.ThreadIndexInSimdgroup:
		return t % w
	case ir.SimdgroupIndexInThreadgroup:
		return t / w
	case ir.SimdgroupsPerThreadgroup, ir.DispatchSimdgroupsPerThreadgroup:
		return (n + w - 1) / w
	case ir.ThreadsPerSimdgroup:
		return w
	case ir.ThreadIndexInQuadgroup:
		return t % 4
	case ir.QuadgroupIndexInThreadgroup:
		return t / 4
	case ir.QuadgroupsPerThreadgroup, ir.DispatchQuadgroupsPerThreadgroup:
		return (n + 3) / 4
	case ir.MatrixPlaceBefore:
		// Lane bits 4, 2 and 1 are the row, bits 3 and 0 the pair of columns.
		before := (t + 31) % 32
		return before&16 | before&6<<1 | before&8>>2 | before&1
	case ir.MatrixWord:
		return 1 | 8<<5 | 2<<10 | 4<<15 | 16<<20
	}
	return 0
}

func (g *group) fail(pos int32, format string, args ...any) {
	if g.err == nil {
		at := g.k.Pos
		if pos >= 0 && int(pos) < len(g.k.Places) {
			at = g.k.Places[pos]
		}
		g.err = fmt.Errorf("%s: kernel %s: %s", at, g.k.Name, fmt.Sprintf(format, args...))
	}
}

// block runs a block in the threads of m and returns those that reach its end.
func (g *group) block(b ir.Block, m mask) mask {
	for _, n := range b {
		if g.err != nil || !m.any() {
			return m
		}
		switch n := n.(type) {
		case *ir.Instr:
			g.instr(n, m)
		case *ir.If:
			c := g.regs[n.Cond]
			t := g.block(n.Then, m.and(func(i int) bool { return c[i] != 0 }))
			e := g.block(n.Else, m.and(func(i int) bool { return c[i] == 0 }))
			m = g.all.and(func(i int) bool { return t[i] || e[i] })
		case *ir.Scope:
			g.left[n.Label] = make(mask, len(m))
			end := g.block(n.Body, m)
			out := g.left[n.Label]
			m = g.all.and(func(i int) bool { return end[i] || out[i] })
		case *ir.Loop:
			g.left[n.Label] = make(mask, len(m))
			for m.any() && g.err == nil {
				m = g.block(n.Body, m)
				g.step(n.Pos, m, "the steps are spent in this loop")
			}
			m = g.left[n.Label]
		case *ir.Leave:
			if n.Label != 0 {
				out := g.left[n.Label]
				for i := range m {
					out[i] = out[i] || m[i]
				}
			}
			return make(mask, len(m))
		}
	}
	return m
}

// step counts a step of each thread of m.
func (g *group) step(pos int32, m mask, text string) {
	for _, b := range m {
		if b {
			*g.steps--
		}
	}
	if *g.steps < 0 {
		g.fail(pos, "%s", text)
	}
}

func (g *group) instr(in *ir.Instr, m mask) {
	info := &ir.Ops[in.Op]
	if in.Op == ir.Nop {
		return
	}
	if g.step(in.Pos, m, "the steps are spent"); g.err != nil {
		return
	}
	if info.Effect == ir.Lanes {
		g.lanes(in, m)
		return
	}
	arith := ir.ArithOf(model.Behaviour{})
	for t := range m {
		if !m[t] {
			continue
		}
		a, b, c, d := g.regs[in.A][t], g.regs[in.B][t], g.regs[in.C][t], g.regs[in.D][t]
		var r uint64
		switch {
		case in.Op == ir.Const:
			r = in.Imm
		case in.Op == ir.Undef:
			r = 0x5a5a5a5a5a5a5a5a & in.Type.Mask()
		case in.Op == ir.ObjAddr:
			r = uint64(ir.MakePointer(int(in.Imm), 0))
		case in.Op == ir.PtrAdd:
			r = uint64(in.Address(a, b))
		case info.Effect == ir.Orders || in.Op == ir.Note:
		case in.Op == ir.Assert:
			if a == 0 {
				g.fail(in.Pos, "thread %d: %s", t, g.k.Message(in, [4]uint64{}))
			}
		case info.Address:
			r = g.access(in, t, a, b, c, d)
		default:
			var fault ir.Fault
			r, fault = ir.Eval(in.Op, in.Type, in.From, in.FP, arith, a, b, c, d)
			if fault != 0 {
				g.fail(in.Pos, "thread %d: %s", t, fault)
			}
		}
		if in.Dst != 0 {
			g.regs[in.Dst][t] = r
		}
	}
}

// access is a load, a store or an atomic operation of one thread.
func (g *group) access(in *ir.Instr, t int, a, b, c, d uint64) uint64 {
	p := in.Address(a, b)
	o := p.Object()
	if o < 0 || o >= len(g.objects) {
		g.fail(in.Pos, "thread %d follows a null pointer", t)
		return 0
	}
	ms := g.objects[o]
	mem := &ms[min(t, len(ms)-1)]
	size := int64(in.Type.Size())
	off := p.Offset()
	if off < 0 || off+size > int64(len(mem.bytes)) {
		g.fail(in.Pos, "thread %d accesses byte %d of object %d, which has %d", t, off, o, len(mem.bytes))
		return 0
	}
	align := int64(in.Align)
	if align == 0 {
		align = size
	}
	if off%align != 0 {
		g.fail(in.Pos, "misaligned: thread %d accesses byte %d of object %d, no multiple of %d", t, off, o, align)
		return 0
	}
	var old uint64
	for i := range size {
		old |= uint64(mem.bytes[off+i]) << (8 * i)
	}
	if in.Op != ir.Store && in.Op != ir.AtomicStore && mem.init != nil {
		for i := range size {
			if !mem.init[off+i] {
				g.fail(in.Pos, "thread %d reads byte %d of object %d, which was never written", t, off+i, o)
				return 0
			}
		}
	}
	put := func(v uint64) {
		for i := range size {
			mem.bytes[off+i] = byte(v >> (8 * i))
			if mem.init != nil {
				mem.init[off+i] = true
			}
		}
	}
	if op, ok := updates[in.Op]; ok {
		v, _ := ir.Eval(op, in.Type, 0, 0, ir.ArithOf(model.Behaviour{}), old, c, 0, 0)
		put(v)
		return old
	}
	switch in.Op {
	case ir.Store, ir.AtomicStore, ir.AtomicXchg:
		put(c)
	case ir.AtomicCAS:
		if old == d {
			put(c)
		}
		if in.Dst2 != 0 {
			g.regs[in.Dst2][t] = 0
			if old == d {
				g.regs[in.Dst2][t] = 1
			}
		}
	}
	return old
}

var updates = map[ir.Op]ir.Op{
	ir.AtomicAdd: ir.Add, ir.AtomicSub: ir.Sub, ir.AtomicMin: ir.Min, ir.AtomicMax: ir.Max,
	ir.AtomicAnd: ir.And, ir.AtomicOr: ir.Or, ir.AtomicXor: ir.Xor,
}
