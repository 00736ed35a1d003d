package adversary

import (
	"fmt"
	"slices"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Registers that stand for variables without a value get it by Undef, others by a load of bytes that were never written. Where a register
// that may have no value is read, checks keep a flag beside it: a register whose bytes are 1 where those of the value have one, as
// marks of memory are. Copies copy the flag, and a store passes it on to the marks; any other reader looks at it. This is the rule of package
// fast too.
//
// A load whose value is used for sure, in the straight code behind it, needs no flag: it is the load that is reported.

// defined is the flag of a value that has all its bytes.
const defined = 0x0101010101010101

// doubts finds the registers that may have no value and puts what is done about their flags between a kernel's instructions.
type doubts struct {
	k     *ir.Kernel
	code  []flat
	regs  int32
	may   []bool  // of each register
	bit   []int32 // of each of them: its number
	count int32
	soft  []bool     // of each instruction: a load whose value may not be used
	space []ir.Space // of each register that is surely a pointer into one space, as far as that is known
	known []bool
	flags map[ir.Reg]int32
}

// doubt adds to f what is done about flags.
func (f *flattener) doubt() {
	d := &doubts{
		k: f.k, code: f.code, regs: f.regs, may: make([]bool, len(f.k.Regs)), bit: make([]int32, len(f.k.Regs)),
		soft: make([]bool, len(f.code)), space: make([]ir.Space, len(f.k.Regs)), known: make([]bool, len(f.k.Regs)), flags: map[ir.Reg]int32{},
	}
	d.spaces()
	for i := range d.code {
		if x := &d.code[i]; x.kind == flatInstr && x.in.Op == ir.Load {
			d.soft[i] = !(d.known[x.in.A] && d.space[x.in.A] == ir.Constant) && !d.certain(x.in.Dst, i+1)
		}
	}
	if d.spread(); d.count == 0 {
		return
	}
	f.code = d.rewrite(d.unsure())
	f.regs = d.regs
}

// spaces finds the space of the pointers that are made of one buffer or object.
func (d *doubts) spaces() {
	defs := make([]int, len(d.k.Regs))
	for i := range d.code {
		if x := &d.code[i]; x.kind == flatInstr {
			defs[x.in.Dst]++
			defs[x.in.Dst2]++
		}
	}
	for _, b := range d.k.Buffers {
		d.space[b.Reg], d.known[b.Reg] = b.Space, defs[b.Reg] == 0
	}
	for i := range d.code {
		x := &d.code[i]
		if x.kind != flatInstr || x.in.Dst == 0 || defs[x.in.Dst] != 1 {
			continue
		}
		switch x.in.Op {
		case ir.ObjAddr:
			if obj := x.in.Imm - uint64(len(d.k.Buffers)); obj < uint64(len(d.k.Objects)) {
				d.space[x.in.Dst], d.known[x.in.Dst] = d.k.Objects[obj].Space, true
			}
		case ir.Mov, ir.PtrAdd:
			d.space[x.in.Dst], d.known[x.in.Dst] = d.space[x.in.A], d.known[x.in.A]
		}
	}
}

// farthest is how many instructions behind a load are looked at for a use of its value.
const farthest = 40

// certain reports whether the value of r, or a copy of it, is surely used from instruction i on.
func (d *doubts) certain(r ir.Reg, i int) bool {
	same := []ir.Reg{r}
	for _, x := range d.code[i:min(len(d.code), i+farthest)] {
		switch x.kind {
		case flatInstr:
		case flatUnless:
			return slices.Contains(same, ir.Reg(x.a))
		case flatZero, flatCount:
			continue
		default:
			return false
		}
		in, used, moved := x.in, false, false
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
		if d.known[in.A] && d.space[in.A] == ir.Device {
			f(in.C)
		}
	default:
		x := flat{kind: flatInstr, in: in}
		x.uses(func(r int32) { f(ir.Reg(r)) })
	}
}

// spread finds the registers that may have no value.
func (d *doubts) spread() {
	from := map[ir.Reg][]ir.Reg{}
	var list []ir.Reg
	add := func(r ir.Reg) {
		if r != 0 && !d.may[r] {
			d.may[r], d.bit[r] = true, d.count
			d.count++
			list = append(list, r)
		}
	}
	for i := range d.code {
		if x := &d.code[i]; x.kind == flatInstr {
			if x.in.Op == ir.Undef || d.soft[i] {
				add(x.in.Dst)
			}
			copied(x.in, func(r ir.Reg) { from[r] = append(from[r], x.in.Dst) })
		}
	}
	for len(list) > 0 {
		r := list[len(list)-1]
		list = list[:len(list)-1]
		for _, to := range from[r] {
			add(to)
		}
	}
}

// surely reports whether all of a set of registers have a value.
func (d *doubts) surely(sure set, r ir.Reg) bool { return !d.may[r] || sure.has(d.bit[r]) }

// after changes sure, the registers in doubt that have a value before instruction i, to what it is behind it.
func (d *doubts) after(i int, sure set) {
	x := &d.code[i]
	if x.kind != flatInstr {
		return
	}
	ok := x.in.Op != ir.Undef && !d.soft[i]
	copied(x.in, func(r ir.Reg) { ok = ok && d.surely(sure, r) })
	for _, r := range [...]ir.Reg{x.in.Dst, x.in.Dst2} {
		switch {
		case r == 0 || !d.may[r]:
		case ok:
			sure.add(d.bit[r])
		default:
			sure.drop(d.bit[r])
		}
	}
}

// unsure calls f for every instruction that control may come to, with the registers in doubt that have a value there; the set is f's only
// while it runs. Where finding out would take too much memory, none has.
func (d *doubts) unsure() func(f func(i int, sure set)) {
	leader := make([]bool, len(d.code)+1)
	leader[0] = true
	for i := range d.code {
		switch x := &d.code[i]; x.kind {
		case flatJump, flatUnless, flatBack:
			leader[x.target], leader[i+1] = true, true
		case flatEnd:
			leader[i+1] = true
		}
	}
	blocks := 0
	for _, l := range leader[:len(d.code)] {
		blocks += int(truth(l))
	}
	words := int(d.count+63) / 64
	if blocks*words > maxLiveness {
		return func(f func(i int, sure set)) {
			none := make(set, words)
			for i := range d.code {
				f(i, none)
			}
		}
	}
	start := map[int32]set{0: make(set, words)} // of the leaders that are reached
	for _, b := range d.k.Buffers {
		if d.may[b.Reg] {
			start[0].add(d.bit[b.Reg])
		}
	}
	for _, in := range d.k.Inputs {
		if d.may[in.Reg] {
			start[0].add(d.bit[in.Reg])
		}
	}
	sure := make(set, words)
	changed := true
	meet := func(at int32) {
		old, ok := start[at]
		if !ok {
			start[at], changed = slices.Clone(sure), true
			return
		}
		for w := range old {
			if v := old[w] & sure[w]; v != old[w] {
				old[w], changed = v, true
			}
		}
	}
	walk := func(f func(i int, sure set)) {
		here := false
		for i := range d.code {
			if leader[i] {
				if here {
					meet(int32(i))
				}
				s, ok := start[int32(i)]
				if here = ok; ok {
					copy(sure, s)
				}
			}
			if !here {
				continue
			}
			f(i, sure)
			d.after(i, sure)
			switch x := &d.code[i]; x.kind {
			case flatUnless:
				meet(x.target)
			case flatJump, flatBack:
				meet(x.target)
				here = false
			case flatEnd:
				here = false
			}
		}
	}
	for changed {
		changed = false
		walk(func(int, set) {})
	}
	return walk
}

// flag returns the register that holds r's flag.
func (d *doubts) flag(r ir.Reg) int32 {
	at, ok := d.flags[r]
	if !ok {
		at = d.regs
		d.regs++
		d.flags[r] = at
	}
	return at
}

// rewrite returns the code with what is done about flags.
func (d *doubts) rewrite(each func(f func(i int, sure set))) []flat {
	before, behind := make([][]flat, len(d.code)), make([][]flat, len(d.code))
	read := map[ir.Reg]bool{} // whose flags somebody looks at
	each(func(i int, sure set) {
		x := &d.code[i]
		look := func(in *ir.Instr, r ir.Reg) {
			if !d.surely(sure, r) {
				before[i] = append(before[i], flat{kind: flatCheck, a: d.flag(r), in: in, reg: r, pos: x.pos, path: x.path})
				read[r] = true
			}
		}
		switch {
		case x.kind == flatUnless:
			look(nil, ir.Reg(x.a))
		case x.kind != flatInstr:
		default:
			d.uses(x.in, func(r ir.Reg) { look(x.in, r) })
			if x.in.Op == ir.Store && !d.surely(sure, x.in.C) {
				behind[i] = append(behind[i], flat{kind: flatPass, a: d.flag(x.in.C), in: x.in, reg: x.in.C, pos: x.pos, path: x.path})
				read[x.in.C] = true
			}
		}
	})
	for changed := true; changed; { // and what is copied to those
		changed = false
		for i := range d.code {
			if x := &d.code[i]; x.kind == flatInstr && read[x.in.Dst] {
				copied(x.in, func(r ir.Reg) {
					if d.may[r] && !read[r] {
						read[r], changed = true, true
					}
				})
			}
		}
	}
	var code []flat
	where := make([]int32, len(d.code)+1)
	for i := range d.code {
		where[i] = int32(len(code))
		x := d.code[i]
		code = append(code, before[i]...)
		if x.kind == flatInstr {
			for _, r := range [...]ir.Reg{x.in.Dst, x.in.Dst2} {
				if read[r] {
					code = append(code, d.sets(i, r))
				}
			}
			x.soft = d.soft[i]
		}
		code = append(code, x)
		code = append(code, behind[i]...)
	}
	for i := range code {
		switch code[i].kind {
		case flatJump, flatUnless, flatBack:
			code[i].target = where[code[i].target]
		}
	}
	return code
}

// sets returns what sets the flag of r, which instruction i writes.
func (d *doubts) sets(i int, r ir.Reg) flat {
	x := &d.code[i]
	in := x.in
	s := flat{kind: flatFlag, dst: d.flag(r), a: 1, in: in, pos: x.pos, path: x.path}
	of := func(r ir.Reg) int32 {
		if d.may[r] {
			return d.flag(r)
		}
		return 0
	}
	switch {
	case in.Op == ir.Undef:
		s.a = 0
	case d.soft[i]:
		s.kind = flatAbsent
	case (in.Op == ir.Mov || in.Op == ir.Bitcast) && d.may[in.A]:
		s.kind, s.a = flatCopy, d.flag(in.A)
	case in.Op == ir.Select && (d.may[in.B] || d.may[in.C]):
		s.kind, s.a, s.b = flatChoice, of(in.B), of(in.C)
	}
	return s
}

// flagged returns the machine's form of what x does about flags.
func (a *assembler) flagged(x *flat) inst {
	of := func(r int32) uint16 {
		if r == 0 {
			return a.constant(defined)
		}
		return a.place[r]
	}
	dst := uint16(nowhere)
	if x.dst != 0 && a.place[x.dst] != 0 {
		dst = a.place[x.dst]
	}
	switch x.kind {
	case flatFlag:
		return inst{op: opConst, dst: dst, imm: uint64(x.a) * defined}
	case flatCopy:
		return inst{op: opMov, dst: dst, a: of(x.a)}
	case flatChoice:
		return inst{op: opSelect, dst: dst, a: a.place[x.in.A], b: of(x.a), c: of(x.b)}
	case flatCheck:
		return inst{op: opCheck, a: of(x.a)}
	}
	y := a.choice(x.in)
	if x.kind == flatAbsent {
		y.op, y.dst = opAbsent, dst
	} else {
		y.op, y.c = opPass, of(x.a)
	}
	return y
}

// noValue reports that the thread reads a register that has no value; instruction pc looked at its flag.
func (m *machine) noValue(pc int32) {
	x := &m.p.flat[m.asm.from[pc]]
	t := m.thread()
	name := m.p.k.Names[x.reg]
	text := fmt.Sprintf("thread %s reads variable %s, which has no value", triple(t), name)
	if name == "" {
		text = fmt.Sprintf("thread %s reads a variable that has no value", triple(t))
	}
	m.report(model.Finding{
		Kind: model.FindingUninitialised, Pos: m.position(pc), Threads: []model.Size3{t}, Buffer: name, Index: -1, Text: text,
	})
}

// marks returns the marks of the bytes that instruction pc is about, if an access to them has a meaning, and their space.
func (m *machine) marks(x *inst, pc int32) ([]byte, ir.Space) {
	in := m.at(pc)
	p := m.regs[x.a]
	k, off, size := p>>ir.OffsetBits, offset(x, p, m.regs[x.b]), uint64(in.Type.Size())
	if k >= uint64(len(m.objects)) || !m.objects[k].held {
		return nil, ir.Thread
	}
	o := &m.objects[k]
	align := uint64(in.Align)
	if align == 0 {
		align = size
	}
	if off > uint64(len(o.b)) || size > uint64(len(o.b))-off || align > 1 && (o.base+off)%align != 0 || in.Op == ir.Store && o.fixed {
		return nil, ir.Thread
	}
	if o.init == nil {
		return nil, o.space
	}
	return o.init[off : off+size], o.space
}

// absence returns the flag of what a load is about to give.
func absence(marks []byte) uint64 {
	flag := uint64(defined)
	for k, w := range marks {
		if w == 0 {
			flag &^= 1 << (8 * k)
		}
	}
	return flag
}

// pass passes a flag on to the marks of what was stored; the host may see those of device memory.
func (m *machine) pass(x *inst, pc int32) {
	flag := m.regs[x.c]
	if flag == defined {
		return
	}
	marks, space := m.marks(x, pc)
	if space == ir.Device {
		m.noValue(pc)
		return
	}
	lay(marks, flag)
}

// lay makes marks what flag says.
func lay(marks []byte, flag uint64) {
	for k := range marks {
		marks[k] = byte(flag >> (8 * k) & 1)
	}
}
