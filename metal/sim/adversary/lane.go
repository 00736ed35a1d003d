package adversary

import (
	"gamma/metal/msl/ir"
)

// laneSet is the active lanes of a SIMD operation, and room to work.
type laneSet struct {
	lo, width int
	active    []int32 // indices of threads, ascending
	values    []uint64
	results   []uint64
	flags     []uint64 // of values, and then of results
	given     []uint64 // room for flags of a shuffle's results
	undefined bool     // one of them is
}

// operand returns what register r holds in thread i, which waits.
func (m *machine) operand(g *group, i int32, r ir.Reg) uint64 {
	at := int(m.asm.place[r])
	if at >= first && at <= m.asm.saved {
		return g.saved[int(i)*m.stride+at]
	}
	return m.regs[at]
}

// operate runs a SIMD operation over the active lanes.
func (m *machine) operate(g *group, in *ir.Instr, pc int32) {
	l := &m.lane
	n := len(l.active)
	m.subject = threadRef{g, int(l.active[0])}
	l.values, l.results = sized(l.values, n), sized(l.results, n)
	if in.A != 0 {
		for k, i := range l.active {
			l.values[k] = m.operand(g, i, in.A)
		}
	}
	m.flags(g, in, pc)
	switch in.Op {
	case ir.SimdSum, ir.SimdProduct, ir.SimdMin, ir.SimdMax, ir.SimdAnd, ir.SimdOr, ir.SimdXor:
		m.broadcast(m.reduce(g, in, pc))
	case ir.SimdPrefixSum, ir.SimdPrefixProd, ir.SimdPrefixSumEx, ir.SimdPrefixProdEx:
		m.prefix(in, pc)
	case ir.SimdBallot, ir.SimdActive:
		mask := uint64(0)
		for k, i := range l.active {
			if lane := int(i) - l.lo; lane < 64 && (in.Op == ir.SimdActive || l.values[k] != 0) {
				mask |= 1 << lane
			}
		}
		m.broadcast(mask)
	case ir.SimdAll, ir.SimdAny:
		all, any := uint64(1), uint64(0)
		for _, v := range l.values {
			all &= v
			any |= v
		}
		if in.Op == ir.SimdAll {
			any = all
		}
		m.broadcast(any)
	case ir.SimdIsFirst:
		m.broadcast(0)
		l.results[0] = 1
	case ir.SimdBroadcastLow:
		m.broadcast(l.values[0])
	default:
		l.given = sized(l.given, n)
		for k, i := range l.active {
			l.results[k], l.given[k] = m.shuffle(g, in, pc, k, i)
		}
		l.flags, l.given = l.given, l.flags
	}
	if at := int(m.asm.place[in.Dst]); in.Dst != 0 && at >= first && at <= m.asm.saved {
		for k, i := range l.active {
			g.saved[int(i)*m.stride+at] = l.results[k]
		}
	}
	if x := &m.p.flat[m.asm.from[pc]]; m.checks && x.flag != 0 {
		for k, i := range l.active {
			g.saved[int(i)*m.stride+int(m.asm.place[x.flag])] = l.flags[k]
		}
	}
}

// flags finds the flags of the operands, and makes of them those of the results, unless in is a shuffle.
func (m *machine) flags(g *group, in *ir.Instr, pc int32) {
	l, x := &m.lane, &m.p.flat[m.asm.from[pc]]
	l.flags, l.undefined = sized(l.flags, len(l.active)), false
	for k, i := range l.active {
		l.flags[k] = m.flagOf(g, i, x.flags[0])
		l.undefined = l.undefined || ir.UndefinedMark(l.flags[k]) != 0
	}
	info := &ir.Ops[in.Op]
	if !l.undefined || info.Shuffle.Move != ir.NoMove && info.Shuffle.Move != ir.MoveFirst {
		return
	}
	flag := defined
	switch {
	case info.Shuffle.Move == ir.MoveFirst:
		flag = l.flags[0]
	case info.Scan == ir.AllLanes:
		flag = ir.Spread(l.flags...)
	default:
		for k, f := range l.flags {
			before := flag
			if flag = ir.Spread(flag, f); info.Scan == ir.Exclusive {
				l.flags[k] = before
			} else {
				l.flags[k] = flag
			}
		}
		return
	}
	for k := range l.flags {
		l.flags[k] = flag
	}
}

// flagOf returns the flag in register r of thread i, which waits.
func (m *machine) flagOf(g *group, i int32, r int32) uint64 {
	if r == 0 || !m.checks {
		return defined
	}
	return g.saved[int(i)*m.stride+int(m.asm.place[r])]
}

func (m *machine) broadcast(v uint64) {
	for k := range m.lane.results {
		m.lane.results[k] = v
	}
}

// shuffle returns what active lane number k, thread i, gets from another, and its flag.
func (m *machine) shuffle(g *group, in *ir.Instr, pc int32, k int, i int32) (value, flag uint64) {
	l := &m.lane
	w, sub := l.width, 0
	if in.D != 0 {
		sub = int(m.operand(g, i, in.D))
	}
	from, filled := ir.Ops[in.Op].Shuffle.Source(int(i)-l.lo, int(m.operand(g, i, in.B)), sub, w)
	reg := in.A
	if filled {
		reg = in.C
	}
	if from >= 0 && from < w {
		t := int32(l.lo + from)
		if at, ok := find(l.active, t); ok {
			if reg == in.A {
				return l.values[at], l.flags[at]
			}
			return m.operand(g, t, reg), m.flagOf(g, t, m.p.flat[m.asm.from[pc]].flags[2])
		}
	}
	flag = defined
	if u := m.p.undefined; u != nil {
		flag *= uint64(u.Mark(in))
	}
	return m.noise(in.Type, g.id, uint64(i)), flag
}

// find returns where v stands in the ascending list.
func find(list []int32, v int32) (int, bool) {
	lo, hi := 0, len(list)
	for lo < hi {
		if mid := (lo + hi) / 2; list[mid] < v {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, lo < len(list) && list[lo] == v
}

// combine returns a∘b.
func (m *machine) combine(in *ir.Instr, pc int32, a, b uint64) uint64 {
	r, fault := ir.Eval(ir.Ops[in.Op].Fold, in.Type, in.Type, in.FP, m.arith, a, b, 0, 0)
	if fault != ir.NoFault && m.checks {
		m.faulty(pc, fault)
	}
	return r
}

// drawn reports whether orders are drawn from the seed.
func (m *machine) drawn() bool { return drawn(m.order) }

func drawn(order string) bool { return order == "stages" || order == "accesses" }

// reduce combines the values of the active lanes. In program order, lanes 0 and 1, 2 and 3, … are combined first, then these pairs,
// and so on; a lane that is not active is left out. Reversed, the last lane comes first, one after the other. Otherwise any
// two values that are left are combined, as drawn.
func (m *machine) reduce(g *group, in *ir.Instr, pc int32) uint64 {
	l := &m.lane
	v := l.values
	switch {
	case drawn(m.association):
		m.reductions++
		s := source{key: draw(m.seed, streamReduce, g.id, m.reductions)}
		for n := len(v); n > 1; n-- {
			i := s.below(n)
			v[i], v[n-1] = v[n-1], v[i]
			j := s.below(n - 1)
			v[j] = m.combine(in, pc, v[j], v[n-1])
		}
		return v[0]
	case m.association == "reverse":
		r := v[len(v)-1]
		for k := len(v) - 2; k >= 0; k-- {
			r = m.combine(in, pc, r, v[k])
		}
		return r
	}
	return m.butterfly(in, pc)
}

// butterfly is the order of reductions that is documented.
func (m *machine) butterfly(in *ir.Instr, pc int32) uint64 {
	l := &m.lane
	lanes := make([]int32, len(l.active)) // positions; two that differ only in the last bit are combined
	for k, i := range l.active {
		lanes[k] = i - int32(l.lo)
	}
	v := l.values
	for n := len(v); n > 1; {
		out := 0
		for k := 0; k < n; k++ {
			if k+1 < n && lanes[k]>>1 == lanes[k+1]>>1 {
				v[out], lanes[out] = m.combine(in, pc, v[k], v[k+1]), lanes[k]>>1
				k++
			} else {
				v[out], lanes[out] = v[k], lanes[k]>>1
			}
			out++
		}
		n = out
	}
	return v[0]
}

// prefix combines the values up to each active lane, or below it. Lanes stay in order; plainly from the first to the last, and
// with the association drawn otherwise.
func (m *machine) prefix(in *ir.Instr, pc int32) {
	l := &m.lane
	v := l.values
	exclusive := ir.Ops[in.Op].Scan == ir.Exclusive
	m.reductions++
	sum := in.Identity()
	for k := range v {
		if exclusive {
			l.results[k] = sum
		}
		switch {
		case k == 0:
			sum = v[0]
		case drawn(m.association):
			s := source{key: draw(m.seed, streamReduce, m.reductions, uint64(k))}
			sum = m.associate(in, pc, v[:k+1], &s)
		case m.association == "reverse": // the association from the right
			sum = v[k]
			for j := k - 1; j >= 0; j-- {
				sum = m.combine(in, pc, v[j], sum)
			}
		default:
			sum = m.combine(in, pc, sum, v[k])
		}
		if !exclusive {
			l.results[k] = sum
		}
	}
}

// associate combines v in order, in a drawn binary tree.
func (m *machine) associate(in *ir.Instr, pc int32, v []uint64, s *source) uint64 {
	if len(v) == 1 {
		return v[0]
	}
	k := 1 + s.below(len(v)-1)
	a := m.associate(in, pc, v[:k], s)
	return m.combine(in, pc, a, m.associate(in, pc, v[k:], s))
}
