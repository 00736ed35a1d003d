package fast

import "gamma/metal/msl/ir"

// A unit register holds a base and each lane's number on top of it: thread indices, and sums of one and a value that is the same for all
// lanes. Comparing one splits a range of lanes at one place, and indexing by one touches neighbours; both cost nothing for each
// lane. Where the base is known, and only such uses read the register, the values are not even written out.

// noBase says that a register's base is not known: the numbers may wrap around.
const noBase = ^uint64(0)

// units finds the unit registers, and those of them whose values need not be written out.
func (a *analysis) units() {
	n := len(a.k.Regs)
	a.unit, a.quiet = make([]bool, n), make([]bool, n)
	for _, in := range a.k.Inputs {
		switch in.Kind {
		case ir.ThreadPositionInGrid, ir.ThreadPositionInThreadgroup, ir.ThreadIndexInThreadgroup:
			a.unit[in.Reg] = in.Axis == 0 && a.defs[in.Reg] == 1
		}
	}
	for _, p := range a.instrs {
		in := p.in
		if in.Dst == 0 || !a.vec[in.Dst] || a.defs[in.Dst] != 1 || !in.Type.IsInteger() || in.Type.Size() < 2 || !a.free(in.Dst, p.at) {
			continue
		}
		switch in.Op {
		case ir.Add:
			a.unit[in.Dst] = a.unit[in.A] && !a.vec[in.B] || a.unit[in.B] && !a.vec[in.A]
		case ir.Sub:
			a.unit[in.Dst] = a.unit[in.A] && !a.vec[in.B]
		case ir.Mov:
			a.unit[in.Dst] = a.unit[in.A]
		case ir.Convert, ir.Bitcast:
			a.unit[in.Dst] = in.From.IsInteger() && a.unit[in.A]
		}
	}
	copy(a.quiet, a.unit)
	loud := func(r ir.Reg) { a.quiet[r] = false }
	for _, p := range a.instrs {
		in := p.in
		switch {
		case (in.Op == ir.Load || in.Op == ir.Store) && a.spans(in):
			if in.Op == ir.Store {
				loud(in.C)
			}
		case in.Dst != 0 && a.unit[in.Dst]:
		case a.tests[in] != nil:
		default:
			operands(in, loud)
		}
	}
}

// spans reports whether in, a load or store, accesses neighbouring words in neighbouring lanes.
func (a *analysis) spans(in *ir.Instr) bool {
	return in.B != 0 && a.unit[in.B] && !a.vec[in.A] && int(in.Scale) == in.Type.Size() && (in.Op == ir.Store || a.vec[in.Dst])
}

// compares finds the comparisons that nothing but the if right after them reads: of a unit register, or of values that are the same for all lanes.
func (a *analysis) compares(b ir.Block) {
	for i, n := range b {
		for _, inner := range ir.Inside(n) {
			a.compares(*inner)
		}
		branch, ok := n.(*ir.If)
		if !ok || i == 0 || a.uses[branch.Cond] != 1 || a.defs[branch.Cond] != 1 {
			continue
		}
		in, ok := b[i-1].(*ir.Instr)
		if !ok || in.Dst != branch.Cond || !in.Type.IsInteger() || in.Op < ir.Eq || in.Op > ir.Le {
			continue
		}
		if a.unit[in.A] && !a.vec[in.B] || a.unit[in.B] && !a.vec[in.A] || !a.vec[in.A] && !a.vec[in.B] && !a.vec[in.Dst] {
			a.tests[in] = branch
		}
	}
}

// written makes the values of a unit register that are not written out.
func (m *machine) written(s int32) {
	base := m.base[s]
	if base == noBase || !m.c.quiet[s] {
		return
	}
	v := m.v[s][:m.lanes]
	for i := range v {
		v[i] = base + uint64(i)
	}
}

// runUnit computes a unit register.
func runUnit(m *machine, in *inst) {
	u, s := in.a, in.b
	if in.vec&1 == 0 {
		u, s = in.b, in.a
	}
	base := m.base[u]
	if base != noBase {
		switch in.src.Op {
		case ir.Add:
			base += m.v[s][0]
		case ir.Sub:
			if v := m.v[s][0]; v <= base {
				base -= v
			} else {
				base = noBase
			}
		}
		if most := in.mask >> 1; base > most || base+uint64(m.lanes) > most {
			base = noBase
		}
	}
	m.base[in.dst] = base
	if base != noBase && m.c.quiet[in.dst] {
		return
	}
	m.written(u)
	runPure(m, in)
}

// runIfUnit is an if whose condition compares a unit register with a value that is the same for all lanes.
func runIfUnit(m *machine, in *inst) {
	u, s := in.a, in.b
	if in.vec&1 == 0 {
		u, s = in.b, in.a
	}
	base := m.base[u]
	if base == noBase {
		m.written(u)
		cond := in.cond
		cond.run(m, cond)
		split := *in
		split.a = cond.dst
		runIf(m, &split)
		return
	}
	lo, hi := in.meets(base, u == in.a, m.v[s][0])
	h := &m.holds[in.depth]
	if m.act.list == nil && in.src.Op != ir.Ne {
		if from, to := m.clamp(lo, hi); from == m.act.lo || to == m.act.hi {
			h.no.lo, h.no.hi, h.pos = to, m.act.hi, in.pos
			if from != m.act.lo {
				h.no.lo, h.no.hi = m.act.lo, from
			}
			if h.no.list != nil {
				h.no.list = nil
			}
			if m.act.lo, m.act.hi = from, to; from == to {
				m.pc = in.target
			}
			return
		}
	}
	t, f := m.partition(lo, hi, h)
	if in.src.Op == ir.Ne {
		t, f = keep(f, h.yesRoom), keep(t, h.noRoom)
	}
	h.no, h.pos = f, in.pos
	m.act = t
	if t.empty() {
		m.pc = in.target
	}
}

// meets returns the bounds of the lanes for which x, a comparison, is true, or false if it is Ne: of a unit register with that base, its first operand or its second, and v. The
// unit of lane l is base + l, which neither wraps nor is negative: it equals v for l = k.
func (x *inst) meets(base uint64, first bool, v uint64) (lo, hi int64) {
	const far = 1 << 40
	k := x.src.Type.Signed(v)
	if k < 0 && !x.src.Type.IsSigned() || k > far {
		k = far
	}
	k = max(k, -far) - int64(base)
	switch op := x.src.Op; {
	case op == ir.Eq || op == ir.Ne:
		return k, k + 1
	case op == ir.Lt && first:
		return 0, k
	case op == ir.Le && first:
		return 0, k + 1
	case op == ir.Lt:
		return k + 1, far
	}
	return k, far
}

// clamp returns from and to as bounds within those of the active lanes.
func (m *machine) clamp(from, to int64) (lo, hi int) {
	first, last := int64(m.act.lo), int64(m.act.hi)
	lo = int(max(first, min(from, last)))
	return lo, max(lo, int(min(to, last)))
}

// partition returns the active lanes from lo to hi, and the others.
func (m *machine) partition(from, to int64, h *hold) (t, f lanes) {
	s := m.act
	lo, hi := m.clamp(from, to)
	if s.list == nil && (lo == s.lo || hi == s.hi) {
		if lo == s.lo {
			return lanes{lo: lo, hi: hi}, lanes{lo: hi, hi: s.hi}
		}
		return lanes{lo: lo, hi: hi}, lanes{lo: s.lo, hi: lo}
	}
	yes, no := m.scratch[:0], m.scratch2[:0]
	for _, l := range m.all(&s) {
		if int(l) >= lo && int(l) < hi {
			yes = append(yes, l)
		} else {
			no = append(no, l)
		}
	}
	return keep(lanesOf(yes), h.yesRoom), keep(lanesOf(no), h.noRoom)
}
