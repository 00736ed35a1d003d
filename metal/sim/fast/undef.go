package fast

import (
	"fmt"
	"slices"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Registers that stand for variables without a value get it by Undef, others by a load of bytes that were never written. Where a register
// that may have no value is read, checks keep a flag for each lane beside it: a bit for each byte that has one. Copies copy the flag, and a
// store to threadgroup or thread memory passes it on to the bytes; any other writer sets it, and any other reader looks at it.
//
// A load whose value is used for sure, in the straight code behind it, needs no flag: it is the load that is reported.

// defined is the flag of a value that has all its bytes.
const defined = 0xff

// doubts finds the registers that may have no value, and the nodes that read one where it may have none.
type doubts struct {
	a    *analysis
	may  []bool  // of each register: it is written by Undef or a doubtful load, or by a copy of one that may have no value
	bit  []int32 // of each such register: its place in sets
	read map[ir.Node]bool
	soft map[*ir.Instr]bool // loads whose value may not be used
	pass map[*ir.Instr]bool // stores that pass on what may have no value
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
	case ir.Mov, ir.Bitcast:
		f(in.A)
	case ir.Select:
		f(in.B)
		f(in.C)
	}
}

// far is how many instructions behind a load are looked at for a use of its value.
const far = 40

// findSoft finds the loads in b whose value may not be used, among those that may read what was never written.
func (d *doubts) findSoft(b ir.Block) {
	for i, n := range b {
		switch n := n.(type) {
		case *ir.Instr:
			if n.Op == ir.Load && d.a.points[n.A]&^d.a.constants != 0 && !d.certain(n.Dst, b[i+1:]) {
				d.soft[n] = true
			}
		case *ir.If:
			d.findSoft(n.Then)
			d.findSoft(n.Else)
		case *ir.Loop:
			d.findSoft(n.Body)
		case *ir.Scope:
			d.findSoft(n.Body)
		}
	}
}

// certain reports whether the value of r, or a copy of it, is surely used in b.
func (d *doubts) certain(r ir.Reg, b ir.Block) bool {
	same := []ir.Reg{r}
	for _, n := range b[:min(len(b), far)] {
		in, ok := n.(*ir.Instr)
		if !ok {
			n, is := n.(*ir.If)
			return is && slices.Contains(same, n.Cond)
		}
		used, moved := false, false
		d.uses(in, func(r ir.Reg) { used = used || slices.Contains(same, r) })
		if used {
			return true
		}
		if in.Op != ir.Select { // which passes on one of two
			copied(in, func(r ir.Reg) { moved = moved || slices.Contains(same, r) })
		}
		same = slices.DeleteFunc(same, func(r ir.Reg) bool { return r == in.Dst || r == in.Dst2 })
		switch {
		case moved:
			same = append(same, in.Dst)
		case len(same) == 0:
			return false
		}
	}
	return false
}

// doubt returns the doubts about a's kernel, nil if there are none.
func doubt(a *analysis) *doubts {
	d := &doubts{
		a: a, may: make([]bool, len(a.k.Regs)), bit: make([]int32, len(a.k.Regs)), read: map[ir.Node]bool{},
		soft: map[*ir.Instr]bool{}, pass: map[*ir.Instr]bool{},
	}
	d.findSoft(a.k.Body)
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
		if p.in.Op == ir.Undef || d.soft[p.in] {
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
	if len(d.read) == 0 && len(d.pass) == 0 && len(d.soft) == 0 {
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
			if n.Op == ir.Undef || n.Op == ir.Mov || n.Op == ir.Bitcast || n.Op == ir.Select || d.soft[n] {
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
	d.uses(in, func(r ir.Reg) { d.look(in, r, s) })
	if in.Op == ir.Store && d.may[in.C] && !s.dead && !d.has(s, in.C) && !d.a.visible(in) {
		d.pass[in] = true
	}
	for _, r := range [...]ir.Reg{in.Dst, in.Dst2} {
		switch {
		case r == 0 || !d.may[r] || s.dead:
		case in.Op == ir.Undef || d.soft[in] || !ok:
			d.drop(s, r)
		default:
			d.add(s, r)
		}
	}
}

// uses calls f for the registers that in reads and does not only pass on. What reaches device memory the host may see.
func (d *doubts) uses(in *ir.Instr, f func(r ir.Reg)) {
	switch in.Op {
	case ir.Mov, ir.Bitcast:
	case ir.Select:
		f(in.A)
	case ir.Store:
		f(in.A)
		if in.B != 0 {
			f(in.B)
		}
		if d.a.visible(in) {
			f(in.C)
		}
	default:
		operands(in, f)
	}
}

// flag returns the slot of register r's flag.
func (g *generator) flag(r ir.Reg) int32 {
	if g.flags[r] == 0 {
		g.flags[r] = g.vector()
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

// checked emits one instruction, and around it what looks at flags and sets them.
func (g *generator) checked(in *ir.Instr, at *region) {
	if g.doubts == nil {
		g.instr(in, at)
		return
	}
	var read []ir.Reg
	g.doubts.uses(in, func(r ir.Reg) { read = append(read, r) })
	g.before(in, in.Pos, read...)
	if g.doubts.soft[in] {
		g.emit(inst{run: runFlag, dst: g.flag(in.Dst), n: defined}) // it clears what has no value
	}
	if in.Op == ir.Select { // its result may take the place of the condition
		g.ensure(in.A)
		g.after(in)
		g.instr(in, at)
	} else {
		g.instr(in, at)
		g.after(in)
	}
	// The flags of registers that live in one run are free behind their last use.
	for _, r := range [...]ir.Reg{in.Dst, in.Dst2, in.A, in.B, in.C, in.D} {
		if g.flags[r] != 0 && g.first[r] > 0 && g.end[r] == g.index[in] {
			g.free = append(g.free, g.flags[r])
			g.flags[r] = 0
		}
	}
}

// after emits what sets the flags of in's results.
func (g *generator) after(in *ir.Instr) {
	for _, r := range [...]ir.Reg{in.Dst, in.Dst2} {
		if r == 0 || !g.doubts.may[r] || g.doubts.soft[in] {
			continue
		}
		x := inst{run: runFlag, dst: g.flag(r), n: defined}
		switch {
		case in.Op == ir.Undef:
			x.n = 0
		case (in.Op == ir.Mov || in.Op == ir.Bitcast) && g.doubts.may[in.A]:
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
		flag := uint64(defined)
		if s != 0 {
			flag = m.v[s][l]
		}
		v[l] = flag
	}
}

// runDefined reports a variable that is read and has no value.
func runDefined(m *machine, in *inst) {
	v := m.v[in.a]
	for _, l := range m.all(&m.act) {
		if v[l] != defined {
			m.noValue(int(l), in.pos, ir.Reg(in.n))
			return
		}
	}
}

// noValue reports that lane l reads register r, which has no value.
func (m *machine) noValue(l int, pos int32, r ir.Reg) {
	t := m.thread(l)
	name := m.p.k.Names[r]
	text := fmt.Sprintf("thread %s reads variable %s, which has no value", triple(t), name)
	if name == "" {
		text = fmt.Sprintf("thread %s reads a variable that has no value", triple(t))
	}
	m.report(model.Finding{
		Kind: model.FindingUninitialised, Pos: position(m.p.k, pos), Threads: []model.Size3{t}, Buffer: name, Index: -1, Text: text,
	})
}

// absent notes which bytes of a, which lane a.lane loads, have no value, if the load has a flag for it.
func (m *machine) absent(a *access) bool {
	if a.in.flag == 0 {
		return false
	}
	mask := uint64(defined)
	for k, w := range a.o.want[a.at : a.at+int64(a.in.size)] {
		if w == 0 {
			mask &^= 1 << k
		}
	}
	m.v[a.in.flag][a.lane] = mask
	return true
}

// lacks reports whether a value that in stores lacks bytes in a lane.
func (m *machine) lacks(in *inst) bool {
	if in.flag == 0 {
		return false
	}
	v := m.v[in.flag]
	for _, l := range m.all(&m.act) {
		if v[l] != defined {
			return true
		}
	}
	return false
}

// pass passes on to the bytes of a, which lane a.lane has stored, that they have no value; the host may see those of device memory.
func (m *machine) pass(a *access) {
	if a.in.flag == 0 {
		return
	}
	mask := m.v[a.in.flag][a.lane]
	switch {
	case mask == defined:
	case a.o.space == ir.Device:
		m.noValue(a.lane, a.in.pos, a.in.src.C)
	case a.o.init != nil:
		for k := range a.o.init[a.at : a.at+int64(a.in.size)] {
			a.o.init[a.at+int64(k)] = byte(mask >> k & 1)
		}
	}
}
