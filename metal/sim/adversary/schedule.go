package adversary

import (
	"math/bits"

	"gamma/metal/msl/ir"
)

// sequence runs all threadgroups one after the other, in program order or the reverse of it. Those that wait for others wait until the next have
// run, as many as may be resident.
func (m *machine) sequence(reverse bool) {
	var waiting []*group
	for n := uint64(0); (n < m.groups || len(waiting) > 0) && !m.over; {
		var g *group
		if n < m.groups && len(waiting) < m.residents {
			id := n
			if reverse {
				id = m.groups - 1 - n
			}
			g = m.begin(id)
			n++
		} else {
			g, waiting = waiting[0], waiting[1:]
		}
		if m.runGroup(g, reverse) {
			m.retire(g)
		} else {
			waiting = append(waiting, g)
		}
	}
}

// runGroup runs a threadgroup, and reports whether it came to its end, not to where all its threads wait for others.
func (m *machine) runGroup(g *group, reverse bool) bool {
	for !m.over {
		units, some := ceilDiv(len(g.threads), m.width), false
		for u := 0; u < units && !m.over; u++ {
			at := u
			if reverse {
				at = units - 1 - u
			}
			some = m.runSimdgroup(g, at, reverse) || some
		}
		if g.ends == len(g.threads) {
			break
		}
		if len(g.ready) == 0 {
			m.unblock(g)
		} else if !some {
			return false
		}
	}
	return true
}

// runSimdgroup runs the threads of simdgroup u until none can go on, and reports whether any did.
func (m *machine) runSimdgroup(g *group, u int, reverse bool) (some bool) {
	lo, hi := u*m.width, min((u+1)*m.width, len(g.threads))
	for again := true; again && !m.over; {
		again = false
		for n := lo; n < hi; n++ {
			i := n
			if reverse {
				i = hi - 1 - (n - lo)
			}
			if g.threads[i].status != ready {
				continue
			}
			why := m.step(g, i, 0)
			some = some || why != starving
			switch why {
			case exhausted:
				return some
			case atConvergence:
				if m.converge(g, i) {
					again = true
				}
			}
		}
		if !again && g.waiting > 0 {
			again = m.convergeUnit(g, lo)
		}
	}
	return some
}

// pool holds the resident threadgroups, and begins others in a drawn order.
type pool struct {
	m     *machine
	order permutation
	next  uint64
	live  []*group
}

func (m *machine) newPool() *pool {
	p := &pool{m: m, order: newPermutation(m.seed, m.groups)}
	p.refill()
	return p
}

func (p *pool) refill() {
	for len(p.live) < p.m.residents && p.next < p.m.groups {
		p.live = append(p.live, p.m.begin(p.order.at(p.next)))
		p.next++
	}
}

// pick draws one of the resident threadgroups. Some of them lag: they are seldom drawn.
func (p *pool) pick() int {
	for {
		i := p.m.picks.below(len(p.live))
		if !p.live[i].lags || len(p.live) == 1 || p.m.picks.next()&7 == 0 {
			return i
		}
	}
}

// drop removes a threadgroup that has ended.
func (p *pool) drop(i int) {
	last := len(p.live) - 1
	p.m.retire(p.live[i])
	p.live[i] = p.live[last]
	p.live = p.live[:last]
	p.refill()
}

// retire keeps the memory of a threadgroup for the next.
func (m *machine) retire(g *group) {
	if m.now == g {
		m.now, m.current = nil, -1
	}
	m.idle = append(m.idle, g)
}

// stages interleaves at barriers only.
func (m *machine) stages() {
	p := m.newPool()
	for len(p.live) > 0 && !m.over {
		at := p.pick()
		g := p.live[at]
		g.stopped = false
		for !g.stopped && !m.over {
			waits := 0 // threads in a row that wait for others
			for len(g.ready) > 0 && waits < 2*len(g.ready) && !m.over {
				i := int(g.ready[m.picks.below(len(g.ready))])
				switch m.step(g, i, 0) {
				case atConvergence:
					m.converge(g, i)
				case starving:
					waits++
					continue
				}
				waits = 0
			}
			if g.ends == len(g.threads) || waits > 0 && len(g.ready) > 0 {
				break
			}
			if !m.over {
				m.unblock(g)
			}
		}
		if g.ends == len(g.threads) {
			p.drop(at)
		}
	}
}

// accesses interleaves at every access to shared memory. The seed draws a style too: single accesses, or runs of a few or of
// many. Threads of one threadgroup follow one another more often than threads of two, and one thread in eight lags.
func (m *machine) accesses() {
	p := m.newPool()
	style := draw(m.seed, streamStyle) % 3
	for at := 0; len(p.live) > 0 && !m.over; {
		w := m.picks.next()
		if w&3 == 0 || at >= len(p.live) {
			at = p.pick()
		}
		g := p.live[at]
		for len(g.ready) == 0 && g.ends < len(g.threads) {
			m.unblock(g)
		}
		if g.ends == len(g.threads) {
			p.drop(at)
			continue
		}
		n, _ := bits.Mul64(w, uint64(len(g.ready)))
		i := int(g.ready[n])
		if g.threads[i].lags && w&12 != 0 {
			i = int(g.ready[m.picks.below(len(g.ready))])
		}
		credit := 1
		switch style {
		case 1:
			credit += int(w >> 4 & 3)
		case 2:
			credit = 1 << (w >> 4 & 7)
		}
		m.step(g, i, credit)
		if m.over {
			return
		}
		if g.waiting > 0 {
			m.convergeUnit(g, i)
		}
	}
}

// unblock lets a threadgroup go on in which no thread can: it runs a SIMD operation that no other thread can reach, or opens the
// barrier.
func (m *machine) unblock(g *group) {
	if g.waiting > 0 {
		for i := range g.threads {
			if g.threads[i].status == lanesWait && m.converge(g, i) {
				return
			}
		}
	}
	m.openBarrier(g)
}

// openBarrier releases the threads that wait at the earliest barrier, and reports those that are not there.
func (m *machine) openBarrier(g *group) {
	g.stopped = true
	if g.arrived == len(g.threads) && m.allAtOneBarrier(g) {
		for i := range g.threads {
			t := &g.threads[i]
			t.status = ready
			t.pc++
		}
		g.arrived = 0
		m.start(g)
		return
	}
	first := -1
	for i := range g.threads {
		if g.threads[i].status == barrierWait && (first < 0 || g.threads[i].pc != g.threads[first].pc && m.mayReach(g, i, first)) {
			first = i
		}
	}
	if first < 0 {
		return
	}
	at := g.threads[first].pc
	_, path := m.where(g, first)
	for i := range g.threads { // of those at one barrier, the ones in the earliest iteration
		if t := &g.threads[i]; t.status == barrierWait && t.pc == at && !m.sameIterations(g, path, i, first) && m.mayReach(g, i, first) {
			first = i
		}
	}
	there := func(i int) bool {
		t := &g.threads[i]
		return t.status == barrierWait && t.pc == at && m.sameIterations(g, path, i, first)
	}
	if m.checks {
		m.reportMissing(g, first, 0, len(g.threads), "threadgroup", there)
	}
	for i := range g.threads {
		if i != first && there(i) { // first comes last, since the others are compared with it
			m.wake(g, i)
		}
	}
	m.wake(g, first)
}

// allAtOneBarrier reports whether the threads of g, which all wait at barriers, wait at one and in the same iteration of every loop.
func (m *machine) allAtOneBarrier(g *group) bool {
	at := g.threads[0].pc
	for i := range g.threads {
		if g.threads[i].pc != at {
			return false
		}
	}
	_, path := m.where(g, 0)
	n := m.stride
	for _, s := range path {
		if s.arm >= 0 {
			continue
		}
		c := int(m.asm.place[s.counter])
		for v := g.saved[c]; c < len(g.saved); c += n {
			if g.saved[c] != v {
				return false
			}
		}
	}
	return true
}

// reportMissing reports threads from lo to hi that are not at the barrier at which thread first waits.
func (m *machine) reportMissing(g *group, first, lo, hi int, who string, there func(i int) bool) {
	lost, gone := -1, -1
	for i := lo; i < hi; i++ {
		switch {
		case there(i):
		case g.threads[i].status == done && m.returned(g, i, first):
			if gone < 0 {
				gone = i
			}
		case lost < 0:
			lost = i
		}
	}
	if lost >= 0 {
		m.divergent(g, first, lost, who)
	}
	if gone >= 0 {
		m.absent(g, first, gone, who)
	}
}

// sameIterations reports whether threads i and j, both on path, are in the same iterations of its loops.
func (m *machine) sameIterations(g *group, path []step, i, j int) bool {
	for _, s := range path {
		if s.arm < 0 && m.counter(g, i, s) != m.counter(g, j, s) {
			return false
		}
	}
	return true
}

// counter returns how often thread i has gone round a loop.
func (m *machine) counter(g *group, i int, s step) uint64 {
	return g.saved[i*m.stride+int(m.asm.place[s.counter])]
}

// where returns where thread i is: its flat instruction, and the path to it.
func (m *machine) where(g *group, i int) (int32, []step) {
	at := m.asm.from[g.threads[i].pc]
	return at, m.p.paths[m.p.flat[at].path]
}

// mayReach reports whether thread j may yet come to where thread i waits.
func (m *machine) mayReach(g *group, j, i int) bool {
	if !g.threads[j].begun {
		return true
	}
	from, a := m.where(g, j)
	to, b := m.where(g, i)
	for n := 0; n < len(a) && n < len(b) && a[n].id == b[n].id; n++ {
		if a[n].arm != b[n].arm {
			return false
		}
		if a[n].arm < 0 {
			x, y := m.counter(g, j, a[n]), m.counter(g, i, a[n])
			if x != y {
				return x < y
			}
		}
	}
	return from <= to
}

// returned reports whether thread i, which has ended, did so by a return that comes before the barrier at which thread first waits. One
// that went past the barrier, and returned or came to the kernel's end after it, has missed it.
func (m *machine) returned(g *group, i, first int) bool {
	from, a := m.where(g, i)
	to, b := m.where(g, first)
	for n := 0; n < len(a) && n < len(b) && a[n] == b[n]; n++ {
		if a[n].arm >= 0 {
			continue
		}
		if x, y := m.counter(g, i, a[n]), m.counter(g, first, a[n]); x != y {
			return x < y
		}
	}
	return from < to
}

// lanesOf returns the bounds of the group of lanes that thread i's operation is about.
func (m *machine) lanesOf(g *group, i int, in *ir.Instr) (lo, hi int) {
	w := m.width
	if in.Imm == 4 && in.Op != ir.SimdBarrier {
		w = 4
	}
	lo = i / w * w
	return lo, min(lo+w, len(g.threads))
}

// converge runs the SIMD operation at which thread i waits, if no other thread can come to it any more.
func (m *machine) converge(g *group, i int) bool {
	t := &g.threads[i]
	if t.status != lanesWait {
		return false
	}
	in := m.at(t.pc)
	lo, hi := m.lanesOf(g, i, in)
	_, path := m.where(g, i)
	lanes := m.lane.active[:0]
	// The last lanes are the ones that are usually missing in program order, the first ones in reverse.
	for _, ends := range [...]int{lo, hi - 1} {
		if ends != i && g.threads[ends].status == ready && m.mayReach(g, ends, i) {
			return false
		}
	}
	for j := lo; j < hi; j++ {
		s := &g.threads[j]
		switch {
		case s.status == done:
		case j == i || s.status == lanesWait && s.pc == t.pc && m.sameIterations(g, path, i, j):
			lanes = append(lanes, int32(j))
		case m.mayReach(g, j, i):
			m.lane.active = lanes
			return false
		}
	}
	m.lane.active = lanes
	m.lane.lo, m.lane.width = lo, m.width
	if in.Imm == 4 && in.Op != ir.SimdBarrier {
		m.lane.width = 4
	}
	if in.Op != ir.SimdBarrier {
		m.operate(g, in, t.pc)
	} else if m.checks {
		m.reportMissing(g, int(lanes[0]), lo, hi, "simdgroup", func(j int) bool {
			_, there := find(lanes, int32(j))
			return there
		})
	}
	for _, j := range m.lane.active {
		m.wake(g, int(j))
	}
	return true
}

// convergeUnit runs what can run among the threads that wait in thread i's simdgroup and quadgroup.
func (m *machine) convergeUnit(g *group, i int) bool {
	w := max(m.width, 4)
	lo, any := i/w*w, false
	for j := lo; j < min(lo+w, len(g.threads)); j++ {
		if g.threads[j].status == lanesWait && m.converge(g, j) {
			any = true
		}
	}
	return any
}
