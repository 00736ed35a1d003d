package adversary

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Where a register that may be undefined is used, checks keep a flag beside it: a register whose bytes are the marks of the value's, as those of memory
// are. ir.Undefined says where.

// defined is the flag of a value that has all its bytes.
const defined = ir.AllWritten

// flagger puts what is done about flags between a kernel's instructions.
type flagger struct {
	*ir.Undefined
	code  []flat
	regs  int32
	flags map[ir.Reg]int32
}

// flag adds to f what is done about flags; memory says whether loads have some.
func (f *flattener) flag(memory bool) {
	u := ir.FindUndefined(f.k, memory)
	if u == nil {
		return
	}
	d := &flagger{Undefined: u, code: f.code, regs: f.regs, flags: map[ir.Reg]int32{}}
	f.code = d.rewrite()
	f.regs, f.undefined = d.regs, u
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
		if x.kind == flatInstr && (d.Stores[x.in] || d.May[x.in.C] && converges(x.in.Op)) {
			read[x.in.C] = true
		}
		if x.kind == flatInstr && d.May[x.in.A] && converges(x.in.Op) {
			read[x.in.A] = true
		}
		if d.forgiven(x) {
			read[x.in.Dst] = true
		}
	}
	for changed := true; changed; { // and what is copied to those
		changed = false
		for i := range d.code {
			if x := &d.code[i]; x.kind == flatInstr && read[x.in.Dst] {
				for _, r := range d.Sources(x.in) {
					if !read[r] {
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
			code = append(code, flat{kind: flatFlag, dst: d.flag(r), a: ir.Written})
		}
	}
	for i := range d.code {
		where[i] = int32(len(code))
		x := d.code[i]
		for _, r := range d.Uses[x.node()] {
			code = append(code, flat{kind: flatCheck, a: d.flag(r), in: x.in, reg: r, pos: x.pos, path: x.path})
		}
		switch {
		case x.kind != flatInstr:
		case ir.Ops[x.in.Op].Effect == ir.Lanes: // sets it itself
			x.flags[0], x.flags[2] = d.of(x.in.A), d.of(x.in.C)
			if read[x.in.Dst] {
				x.flag = d.flag(x.in.Dst)
			}
		default:
			for _, r := range [...]ir.Reg{x.in.Dst, x.in.Dst2} {
				if read[r] {
					code = append(code, d.sets(&x, r))
				}
			}
			if d.forgiven(&x) {
				x.flag = d.flag(x.in.Dst)
			}
			x.soft = d.Flagged(x.in)
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

// of returns the flag of r, 0 if r is always defined.
func (d *flagger) of(r ir.Reg) int32 {
	if !d.May[r] {
		return 0
	}
	return d.flag(r)
}

// forgiven reports whether x may compute with an undefined value, and so have a fault that does not count.
func (d *flagger) forgiven(x *flat) bool {
	return x.kind == flatInstr && ir.Ops[x.in.Op].Effect == ir.Pure && d.May[x.in.Dst] && ir.MayFault(x.in.Op, x.in.Type, x.in.From)
}

// sets returns what sets the flag of r, which x writes.
func (d *flagger) sets(x *flat, r ir.Reg) flat {
	s := flat{kind: flatFlag, dst: d.flag(r), a: ir.Written, in: x.in, pos: x.pos, path: x.path}
	switch poison := ir.Ops[x.in.Op].Poison; {
	case poison == ir.PoisonGiven:
		s.a = int32(d.Mark(x.in))
	case d.Flagged(x.in):
		s.kind, s.a = flatAbsent, int32(d.Mark(x.in))
	case len(d.Sources(x.in)) == 0:
	case poison == ir.PoisonCopied:
		s.kind, s.a = flatCopy, d.flag(x.in.A)
	case poison == ir.PoisonChosen:
		s.kind, s.a, s.b = flatChoice, d.of(x.in.B), d.of(x.in.C)
		s.flags[0] = d.of(x.in.A)
	default:
		s.kind = flatSpread
		for i, r := range [...]ir.Reg{x.in.A, x.in.B, x.in.C, x.in.D} {
			s.flags[i] = d.of(r)
		}
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
		y := inst{op: opSelect, dst: dst, a: a.place[x.in.A], b: of(x.a), c: of(x.b)}
		if x.flags[0] != 0 {
			y.op, y.d = opChoose, of(x.flags[0])
		}
		return y
	case flatSpread:
		return inst{op: opSpread, dst: dst, a: of(x.flags[0]), b: of(x.flags[1]), c: of(x.flags[2]), d: of(x.flags[3])}
	case flatCheck:
		return inst{op: opCheck, a: of(x.a)}
	}
	y := a.choice(x.in)
	if x.kind == flatAbsent {
		y.op, y.dst, y.c = opAbsent, dst, uint16(x.a)
	} else {
		y.op, y.c = opPass, of(x.a)
	}
	return y
}

// blank is what the load that is the origin of an undefined value read first.
type blank struct {
	o   *object // nil: it found nothing undefined
	off int64
}

// used reports that the thread uses a register that is undefined; instruction pc looked at its flag.
func (m *machine) used(pc int32, flag uint64) {
	x := m.flatOf(pc)
	kind, origin := m.origin(flag)
	if !m.first(kind, x.pos, origin.Pos) {
		return
	}
	t := m.thread()
	f := model.Finding{Kind: kind, Pos: m.position(pc), Threads: []model.Size3{t}, Buffer: m.p.k.Names[x.reg], Index: -1}
	who := "a value that"
	if f.Buffer != "" {
		who = fmt.Sprintf("variable %s, which", f.Buffer)
	}
	f.Text = fmt.Sprintf("thread %s uses %s %s", triple(t), who, m.because(&f, x.reg, origin, flag))
	m.report(f)
}

// origin returns where an undefined value with this flag comes from, and the kind of a use of it.
func (m *machine) origin(flag uint64) (model.FindingKind, *ir.Instr) {
	in, _ := m.p.undefined.Origin(flag)
	if in.Op == ir.Load || in.Op == ir.Undef {
		return model.FindingUninitialised, in
	}
	return model.FindingInactiveLane, in
}

// because says where the undefined value of register r, or of memory if that is 0, comes from, and notes it in f.
func (m *machine) because(f *model.Finding, r ir.Reg, origin *ir.Instr, flag uint64) string {
	_, others := m.p.undefined.Origin(flag)
	at, name := m.placeOf(origin), m.p.k.Names[origin.Dst]
	x := m.blanks[ir.UndefinedMark(flag)]
	switch {
	case origin.Op == ir.Undef && (origin.Dst == r || name != "" && name == f.Buffer):
		return "has no value"
	case origin.Op == ir.Undef:
		f.Other = at
		if name != "" {
			name += " "
		}
		return fmt.Sprintf("depends on the variable %sdeclared at %s, which has no value", name, at)
	case others || origin.Op == ir.Load && x.o == nil:
		return "depends on memory that was never written"
	case origin.Op == ir.Load:
		f.Other, f.Index, f.Buffer = at, x.o.element(x.off), x.o.name
		return fmt.Sprintf("depends on %s, which was never written when it was read at %s", x.o.spot(x.off), at)
	}
	f.Other = at
	return fmt.Sprintf("depends on what %s at %s took from a lane that was not active", origin.Op, at)
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

// absence returns the flag of what a load is about to give: bytes that were never written get its mark. It says which of them is the first.
func absence(marks []byte, mark byte) (flag uint64, first int) {
	flag, first = defined, -1
	for k, w := range marks {
		if w == ir.Unwritten {
			w = mark
			if first < 0 {
				first = k
			}
		}
		flag = flag&^(0xff<<(8*k)) | uint64(w)<<(8*k)
	}
	return flag, first
}

// flagged returns the flag of what load x is about to give.
func (m *machine) flagged(x *inst, pc int32) uint64 {
	marks, _ := m.marks(x, pc)
	flag, first := absence(marks, byte(x.c))
	if s := &m.blanks[byte(x.c)]; first >= 0 && s.o == nil {
		p := m.regs[x.a]
		*s = blank{&m.objects[p>>ir.OffsetBits], int64(offset(x, p, m.regs[x.b])) + int64(first)}
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
		m.used(pc, flag)
		return
	}
	lay(marks, flag)
}

// lay makes marks what flag says.
func lay(marks []byte, flag uint64) {
	for k := range marks {
		marks[k] = byte(flag >> (8 * k))
	}
}
