package fast

import (
	"fmt"
	"slices"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Registers that stand for variables without a value get it by Undef. Where a register that may have none is read, checks keep a flag for each
// lane beside it: copies copy the flag, any other writer sets it, and any other reader looks at it.

// doubts finds the registers that may have no value, and the nodes that read one where it may have none.
type doubts struct {
	a    *analysis
	may  []bool  // of each register: it is written by Undef, or by a copy of one that may have no value
	bit  []int32 // of each such register: its place in sets
	read map[ir.Node]bool
}

// sure is the set of registers in doubt that have a value; dead: control never comes here.
type sure struct {
	set  []uint64
	dead bool
}

func (s *sure) clone() *sure { return &sure{set: slices.Clone(s.set), dead: s.dead} }

func (d *doubts) has(s *sure, r ir.Reg) bool { return s.set[d.bit[r]/64]>>(d.bit[r]%64)&1 == 1 }
func (d *doubts) add(s *sure, r ir.Reg)      { s.set[d.bit[r]/64] |= 1 << (d.bit[r] % 64) }
func (d *doubts) drop(s *sure, r ir.Reg)     { s.set[d.bit[r]/64] &^= 1 << (d.bit[r] % 64) }

func (s *sure) meet(o *sure) {
	switch {
	case o.dead:
	case s.dead:
		*s = *o.clone()
	default:
		for i := range s.set {
			s.set[i] &= o.set[i]
		}
	}
}

// copied calls f for the registers whose value in only passes on.
func copied(in *ir.Instr, f func(r ir.Reg)) {
	switch in.Op {
	case ir.Mov:
		f(in.A)
	case ir.Select:
		f(in.B)
		f(in.C)
	}
}

// doubt returns the doubts about a's kernel, nil if there are none.
func doubt(a *analysis) *doubts {
	d := &doubts{a: a, may: make([]bool, len(a.k.Regs)), bit: make([]int32, len(a.k.Regs)), read: map[ir.Node]bool{}}
	from := map[ir.Reg][]ir.Reg{}
	var list []ir.Reg
	n := 0
	add := func(r ir.Reg) {
		if !d.may[r] {
			d.may[r], d.bit[r] = true, int32(n)
			n++
			list = append(list, r)
		}
	}
	for _, p := range a.instrs {
		if p.in.Op == ir.Undef {
			add(p.in.Dst)
		}
		copied(p.in, func(r ir.Reg) { from[r] = append(from[r], p.in.Dst) })
	}
	if len(list) == 0 {
		return nil
	}
	for len(list) > 0 {
		r := list[len(list)-1]
		list = list[:len(list)-1]
		for _, to := range from[r] {
			add(to)
		}
	}
	start := &sure{set: make([]uint64, n/64+1)}
	for _, r := range d.given() {
		d.add(start, r)
	}
	d.block(a.k.Body, start, map[int32]*sure{})
	if len(d.read) == 0 {
		return nil
	}
	return d
}

// given returns the registers in doubt that have a value when the kernel starts.
func (d *doubts) given() []ir.Reg {
	var list []ir.Reg
	for _, b := range d.a.k.Buffers {
		if d.may[b.Reg] {
			list = append(list, b.Reg)
		}
	}
	for _, in := range d.a.k.Inputs {
		if d.may[in.Reg] {
			list = append(list, in.Reg)
		}
	}
	return list
}

func (d *doubts) block(b ir.Block, s *sure, exits map[int32]*sure) {
	for _, n := range b {
		switch n := n.(type) {
		case *ir.Instr:
			d.instr(n, s)
		case *ir.If:
			d.look(n, n.Cond, s)
			other := s.clone()
			d.block(n.Then, s, exits)
			d.block(n.Else, other, exits)
			s.meet(other)
		case *ir.Loop:
			d.forget(n.Body, s) // what an earlier turn may have left without a value
			exits[n.Label] = &sure{set: make([]uint64, len(s.set)), dead: true}
			d.block(n.Body, s, exits)
			*s = *exits[n.Label]
		case *ir.Scope:
			exits[n.Label] = &sure{set: make([]uint64, len(s.set)), dead: true}
			d.block(n.Body, s, exits)
			s.meet(exits[n.Label])
		case *ir.Leave:
			if e := exits[n.Label]; e != nil {
				e.meet(s)
			}
			s.dead = true
		}
	}
}

// forget takes from s what b may leave without a value.
func (d *doubts) forget(b ir.Block, s *sure) {
	for _, n := range b {
		switch n := n.(type) {
		case *ir.Instr:
			if n.Op == ir.Undef || n.Op == ir.Mov || n.Op == ir.Select {
				if d.may[n.Dst] {
					d.drop(s, n.Dst)
				}
			}
		case *ir.If:
			d.forget(n.Then, s)
			d.forget(n.Else, s)
		case *ir.Loop:
			d.forget(n.Body, s)
		case *ir.Scope:
			d.forget(n.Body, s)
		}
	}
}

func (d *doubts) look(n ir.Node, r ir.Reg, s *sure) {
	if d.may[r] && !s.dead && !d.has(s, r) {
		d.read[n] = true
	}
}

func (d *doubts) instr(in *ir.Instr, s *sure) {
	ok := true
	copied(in, func(r ir.Reg) { ok = ok && (!d.may[r] || d.has(s, r)) })
	uses(in, func(r ir.Reg) { d.look(in, r, s) })
	for _, r := range [...]ir.Reg{in.Dst, in.Dst2} {
		switch {
		case r == 0 || !d.may[r] || s.dead:
		case in.Op == ir.Undef || !ok:
			d.drop(s, r)
		default:
			d.add(s, r)
		}
	}
}

// uses calls f for the registers that in reads and does not only pass on.
func uses(in *ir.Instr, f func(r ir.Reg)) {
	switch in.Op {
	case ir.Mov:
	case ir.Select:
		f(in.A)
	default:
		operands(in, f)
	}
}

// flag returns the slot of register r's flag.
func (g *generator) flag(r ir.Reg) int32 {
	if g.flags[r] == 0 {
		g.out.vectors++
		g.flags[r] = int32(g.out.scalars + g.out.vectors - 1)
	}
	return g.flags[r]
}

// before emits what looks at the flags of a reader's registers.
func (g *generator) before(n ir.Node, pos int32, regs ...ir.Reg) {
	if g.doubts == nil || !g.doubts.read[n] {
		return
	}
	for _, r := range regs {
		if g.doubts.may[r] {
			g.emit(inst{run: runDefined, a: g.flag(r), n: int64(r), pos: pos})
		}
	}
}

// after emits what sets the flags of in's results.
func (g *generator) after(in *ir.Instr) {
	if g.doubts == nil {
		return
	}
	for _, r := range [...]ir.Reg{in.Dst, in.Dst2} {
		if r == 0 || !g.doubts.may[r] {
			continue
		}
		x := inst{run: runFlag, dst: g.flag(r), n: 1}
		switch {
		case in.Op == ir.Undef:
			x.n = 0
		case in.Op == ir.Mov && g.doubts.may[in.A]:
			x.run, x.a, x.vec = runFlagCopy, g.flag(in.A), 1
		case in.Op == ir.Select && (g.doubts.may[in.B] || g.doubts.may[in.C]):
			x.run, x.a = runFlagChoice, g.out.slot[in.A]
			if g.vec[in.A] {
				x.vec = 1
			}
			if g.doubts.may[in.B] {
				x.b = g.flag(in.B)
			}
			if g.doubts.may[in.C] {
				x.c = g.flag(in.C)
			}
		}
		g.emit(x)
	}
}

func runFlag(m *machine, in *inst) {
	v := m.v[in.dst]
	for _, l := range m.all(&m.act) {
		v[l] = uint64(in.n)
	}
}

func runFlagCopy(m *machine, in *inst) {
	v, a := m.v[in.dst], m.v[in.a]
	for _, l := range m.all(&m.act) {
		v[l] = a[l]
	}
}

// runFlagChoice sets the flag of a Select's result; slot 0 stands for a flag that is always set.
func runFlagChoice(m *machine, in *inst) {
	v := m.v[in.dst]
	for _, l := range m.all(&m.act) {
		s := in.c
		if m.value(in, 0, in.a, int(l)) != 0 {
			s = in.b
		}
		v[l] = 1
		if s != 0 {
			v[l] = m.v[s][l]
		}
	}
}

// runDefined reports a variable that is read and has no value.
func runDefined(m *machine, in *inst) {
	v := m.v[in.a]
	for _, l := range m.all(&m.act) {
		if v[l] != 0 {
			continue
		}
		t := m.thread(int(l))
		name := m.p.k.Names[ir.Reg(in.n)]
		text := fmt.Sprintf("thread %s reads variable %s, which has no value", triple(t), name)
		if name == "" {
			text = fmt.Sprintf("thread %s reads a variable that has no value", triple(t))
		}
		m.report(model.Finding{
			Kind: model.FindingUninitialised, Pos: position(m.p.k, in.pos), Threads: []model.Size3{t}, Buffer: name, Index: -1, Text: text,
		})
		return
	}
}
