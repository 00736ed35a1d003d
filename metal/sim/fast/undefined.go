package fast

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// Where a register that may hold no value is used, checks keep a flag for each lane beside it: a bit for each byte that has one.
// ir.Undefined says where.

// defined is the flag of a value that has all its bytes.
const defined = 0xff

// flag returns the slot of register r's flag.
func (g *generator) flag(r ir.Reg) int32 {
	if g.flags[r] == 0 {
		g.flags[r] = g.vector()
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

// checked emits one instruction, and around it what looks at flags and sets them.
func (g *generator) checked(in *ir.Instr, at *region) {
	if g.undefined == nil {
		g.instr(in, at)
		return
	}
	g.before(in, in.Pos)
	if g.undefined.Loads[in] {
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
		if r == 0 || !may[r] || g.undefined.Loads[in] {
			continue
		}
		x := inst{run: runFlag, dst: g.flag(r), n: defined}
		from := in.Passed()
		switch poison := ir.Ops[in.Op].Poison; {
		case poison == ir.PoisonGiven:
			x.n = 0
		case !may[from[0]] && !may[from[1]]:
		case poison == ir.PoisonCopied:
			x.run, x.a, x.vec = runFlagCopy, g.flag(from[0]), 1
		default:
			x.run, x.a = runFlagChoice, g.out.slot[in.A]
			if g.vec[in.A] {
				x.vec = 1
			}
			if may[from[0]] {
				x.b = g.flag(from[0])
			}
			if may[from[1]] {
				x.c = g.flag(from[1])
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
