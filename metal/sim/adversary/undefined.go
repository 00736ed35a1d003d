package adversary

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Where a register that may hold no value is used, checks keep a flag beside it: a register whose bytes are 1 where those of the value have
// one, as marks of memory are. ir.Undefined says where.

// defined is the flag of a value that has all its bytes.
const defined = 0x0101010101010101

// flagger puts what is done about flags between a kernel's instructions.
type flagger struct {
	*ir.Undefined
	code  []flat
	regs  int32
	flags map[ir.Reg]int32
}

// flag adds to f what is done about flags.
func (f *flattener) flag() {
	u := ir.FindUndefined(f.k)
	if u == nil {
		return
	}
	d := &flagger{Undefined: u, code: f.code, regs: f.regs, flags: map[ir.Reg]int32{}}
	f.code = d.rewrite()
	f.regs = d.regs
}

// flag returns the register that holds r's flag.
func (d *flagger) flag(r ir.Reg) int32 {
	at, ok := d.flags[r]
	if !ok {
		at = d.regs
		d.regs++
		d.flags[r] = at
	}
	return at
}

// rewrite returns the code with what is done about flags.
func (d *flagger) rewrite() []flat {
	read := map[ir.Reg]bool{} // whose flags are looked at
	for i := range d.code {
		x := &d.code[i]
		for _, r := range d.Uses[x.node()] {
			read[r] = true
		}
		if d.Stores[x.in] {
			read[x.in.C] = true
		}
	}
	for changed := true; changed; { // and what is copied to those
		changed = false
		for i := range d.code {
			if x := &d.code[i]; x.kind == flatInstr && read[x.in.Dst] {
				for _, r := range x.in.Passed() {
					if d.May[r] && !read[r] {
						read[r], changed = true, true
					}
				}
			}
		}
	}
	var code []flat
	where := make([]int32, len(d.code)+1)
	for _, r := range d.Given {
		if read[r] {
			code = append(code, flat{kind: flatFlag, dst: d.flag(r), a: 1})
		}
	}
	for i := range d.code {
		where[i] = int32(len(code))
		x := d.code[i]
		for _, r := range d.Uses[x.node()] {
			code = append(code, flat{kind: flatCheck, a: d.flag(r), in: x.in, reg: r, pos: x.pos, path: x.path})
		}
		if x.kind == flatInstr {
			for _, r := range [...]ir.Reg{x.in.Dst, x.in.Dst2} {
				if read[r] {
					code = append(code, d.sets(&x, r))
				}
			}
			x.soft = d.Loads[x.in]
		}
		code = append(code, x)
		if d.Stores[x.in] {
			code = append(code, flat{kind: flatPass, a: d.flag(x.in.C), in: x.in, reg: x.in.C, pos: x.pos, path: x.path})
		}
	}
	for i := range code {
		switch code[i].kind {
		case flatJump, flatUnless, flatBack:
			code[i].target = where[code[i].target]
		}
	}
	return code
}

// sets returns what sets the flag of r, which x writes.
func (d *flagger) sets(x *flat, r ir.Reg) flat {
	s := flat{kind: flatFlag, dst: d.flag(r), a: 1, in: x.in, pos: x.pos, path: x.path}
	of := func(r ir.Reg) int32 {
		if d.May[r] {
			return d.flag(r)
		}
		return 0
	}
	from := x.in.Passed()
	switch poison := ir.Ops[x.in.Op].Poison; {
	case poison == ir.PoisonGiven:
		s.a = 0
	case d.Loads[x.in]:
		s.kind = flatAbsent
	case !d.May[from[0]] && !d.May[from[1]]:
	case poison == ir.PoisonCopied:
		s.kind, s.a = flatCopy, d.flag(from[0])
	default:
		s.kind, s.a, s.b = flatChoice, of(from[0]), of(from[1])
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
	align := alignment(in)
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
