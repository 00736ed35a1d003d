package fast

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Where a register that may be undefined is used, checks keep a flag for each lane beside it: the marks of the value's bytes. ir.Undefined says where.

// defined is the flag of a value that has all its bytes.
const defined = ir.AllWritten

// flag returns the slot of register r's flag. Where the register lives in more than one run of instructions it is a slot that nothing had before: in a loop, what
// came first runs again while the flag is needed.
func (g *generator) flag(r ir.Reg) int32 {
	if g.flags[r] == 0 {
		if g.first[r] > 0 {
			g.flags[r] = g.vector()
		} else {
			g.flags[r] = g.fresh()
		}
	}
	return g.flags[r]
}

// before emits what looks at the flags of what n uses.
func (g *generator) before(n ir.Node, pos int32) {
	if g.undefined == nil {
		return
	}
	for _, r := range g.undefined.Uses[n] {
		g.emit(inst{run: runDefined, a: g.flag(r), n: int64(r), pos: pos})
	}
}

// marks returns the slots of the flags of in's operands and then of its result, 0 of those that are never undefined; nil if all are.
func (g *generator) marks(in *ir.Instr) *[5]int32 {
	if g.undefined == nil {
		return nil
	}
	var list [5]int32
	for i, r := range [...]ir.Reg{in.A, in.B, in.C, in.D, in.Dst} {
		if g.undefined.May[r] {
			list[i] = g.flag(r)
		}
	}
	if list == [5]int32{} {
		return nil
	}
	return &list
}

// checked emits one instruction, and around it what looks at flags and sets them.
func (g *generator) checked(in *ir.Instr, at *region) {
	if g.undefined == nil {
		g.instr(in, at)
		return
	}
	g.before(in, in.Pos)
	if g.undefined.Flagged(in) {
		g.emit(inst{run: runFlag, dst: g.flag(in.Dst), n: int64(defined)}) // it marks what is not
	}
	if ir.Ops[in.Op].Effect == ir.Lanes && g.undefined.May[in.Dst] {
		g.flag(in.Dst) // set before the operands are given up
	}
	if in.Op == ir.Select { // its result may take the place of the condition
		g.ensure(in.A)
		g.after(in)
		g.instr(in, at)
	} else {
		g.instr(in, at)
		g.after(in)
	}
	// The flags of registers that live in one run are free after their last use.
	for _, r := range [...]ir.Reg{in.Dst, in.Dst2, in.A, in.B, in.C, in.D} {
		if g.flags[r] != 0 && g.first[r] > 0 && g.end[r] == g.index[in] {
			g.free = append(g.free, g.flags[r])
			g.flags[r] = 0
		}
	}
}

// after emits what sets the flags of in's results.
func (g *generator) after(in *ir.Instr) {
	may := g.undefined.May
	for _, r := range [...]ir.Reg{in.Dst, in.Dst2} {
		if r == 0 || !may[r] || g.undefined.Flagged(in) || ir.Ops[in.Op].Effect == ir.Lanes {
			continue
		}
		x := inst{run: runFlag, dst: g.flag(r), n: int64(defined)}
		switch poison := ir.Ops[in.Op].Poison; {
		case poison == ir.PoisonGiven:
			x.n *= int64(g.undefined.Mark(in))
		case len(g.undefined.Sources(in)) == 0:
		case poison == ir.PoisonCopied:
			x.run, x.a, x.vec = runFlagCopy, g.flag(in.A), 1
		case poison == ir.PoisonChosen:
			x.run, x.a, x.marks = runFlagChoice, g.out.slot[in.A], g.marks(in)
			if g.vec[in.A] {
				x.vec = 1
			}
			if may[in.B] {
				x.b = g.flag(in.B)
			}
			if may[in.C] {
				x.c = g.flag(in.C)
			}
		default:
			x.run, x.marks = runFlagSpread, g.marks(in)
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
		flag := m.flag(s, int(l))
		if in.marks != nil && in.marks[0] != 0 && ir.UndefinedMark(m.v[in.marks[0]][l]) != 0 { // the condition is undefined
			flag = ir.Spread(m.v[in.marks[0]][l])
		}
		v[l] = flag
	}
}

// runFlagSpread sets the flag of a result that is computed.
func runFlagSpread(m *machine, in *inst) {
	v, s := m.v[in.dst], in.marks
	for _, l := range m.all(&m.act) {
		v[l] = ir.Spread(m.flag(s[0], int(l)), m.flag(s[1], int(l)), m.flag(s[2], int(l)), m.flag(s[3], int(l)))
	}
}

// flag returns the flag of lane l in slot s.
func (m *machine) flag(s int32, l int) uint64 {
	if s == 0 {
		return defined
	}
	return m.v[s][l]
}

// undefined reports whether an operand of in is an undefined value in lane l.
func (m *machine) undefined(in *inst, l int) bool {
	if in.marks == nil {
		return false
	}
	for _, s := range in.marks[:4] {
		if ir.UndefinedMark(m.flag(s, l)) != 0 {
			return true
		}
	}
	return false
}

// runDefined reports a variable that is used and undefined. Lanes may have it from different origins, each of which is a finding of its own.
func runDefined(m *machine, in *inst) {
	v := m.v[in.a]
	for _, l := range m.all(&m.act) {
		if v[l] != defined {
			m.used(int(l), in.pos, ir.Reg(in.n), v[l])
		}
	}
}

// source is what the load that is the origin of an undefined value read in this threadgroup.
type source struct {
	o   *object // nil: it found nothing undefined
	off int64
}

// used reports that lane l uses register r, which has this flag.
func (m *machine) used(l int, pos int32, r ir.Reg, flag uint64) {
	kind, origin := m.origin(flag)
	if !m.first(kind, pos, origin.Pos) {
		return
	}
	t := m.thread(l)
	f := model.Finding{Kind: kind, Pos: position(m.p.k, pos), Threads: []model.Size3{t}, Buffer: m.p.k.Names[r], Index: -1}
	who := "a value that"
	if f.Buffer != "" {
		who = fmt.Sprintf("variable %s, which", f.Buffer)
	}
	f.Text = fmt.Sprintf("thread %s uses %s %s", triple(t), who, m.because(&f, r, origin, flag))
	m.report(f)
}

// origin returns where an undefined value with this flag comes from, and the kind of a use of it.
func (m *machine) origin(flag uint64) (model.FindingKind, *ir.Instr) {
	in, _ := m.c.undefined.Origin(flag)
	if in.Op == ir.Load || in.Op == ir.Undef {
		return model.FindingUninitialised, in
	}
	return model.FindingInactiveLane, in
}

// because says where the undefined value of register r, or of memory if that is 0, comes from, and notes it in f.
func (m *machine) because(f *model.Finding, r ir.Reg, origin *ir.Instr, flag uint64) string {
	_, others := m.c.undefined.Origin(flag)
	at, name := position(m.p.k, origin.Pos), m.p.k.Names[origin.Dst]
	x := m.sources[ir.UndefinedMark(flag)]
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
		f.Other, f.Index = at, m.element(x.o.number, x.off)
		f.Buffer, _ = m.named(x.o.number)
		return fmt.Sprintf("depends on %s, which was never written when it was read at %s", m.spot(x.o.number, x.off), at)
	}
	f.Other = at
	return fmt.Sprintf("depends on what %s at %s took from a lane that was not active", origin.Op, at)
}

// flagged notes the marks of a, which lane a.lane loads: bytes that were never written have that of the load.
func (m *machine) flagged(a *access) {
	flag, mark := uint64(defined), m.c.undefined.Mark(a.in.src)
	for k, w := range a.o.want[a.at : a.at+int64(a.in.size)] {
		if w == ir.Unwritten {
			w = mark
			if x := &m.sources[mark]; x.o == nil {
				*x, m.sourced = source{a.o, a.off + int64(k)}, true
			}
		}
		flag = flag&^(0xff<<(8*k)) | uint64(w)<<(8*k)
	}
	m.v[a.in.flag][a.lane] = flag
}

// lacks reports whether a value that in stores is undefined in a lane.
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

// pass passes on to the bytes of a, which lane a.lane has stored, that they are undefined; the host may see those of device memory.
func (m *machine) pass(a *access) {
	if a.in.flag == 0 {
		return
	}
	flag := m.v[a.in.flag][a.lane]
	switch {
	case flag == defined:
	case a.o.space == ir.Device:
		m.used(a.lane, a.in.pos, a.in.src.C, flag)
	case a.o.init != nil:
		for k := range a.o.init[a.at : a.at+int64(a.in.size)] {
			a.o.init[a.at+int64(k)] = byte(flag >> (8 * k))
		}
	}
}
