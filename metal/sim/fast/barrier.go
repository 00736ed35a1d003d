package fast

import (
	"fmt"

	"gamma/model"
)

// Bits of mem_flags.
const (
	memDevice      = 1
	memThreadgroup = 2
)

// tick starts a new time.
func (m *machine) tick() uint32 {
	m.time++
	if m.time == 1<<32-1 {
		m.failed = fmt.Errorf("fast: kernel %s runs more threadgroups and barriers than checks can count; run it without checks", m.p.k.Name)
		m.time, m.stop, m.pc = late, true, -1
	}
	return m.time
}

// runBarrier runs threadgroup_barrier: the lanes have all arrived, if nothing is wrong.
func runBarrier(m *machine, in *inst) {
	m.arrived(in, 0, m.lanes, "threadgroup")
	t := m.tick()
	if in.src.Imm&memDevice != 0 {
		m.shadow.device.epoch = t
	}
	if in.src.Imm&memThreadgroup != 0 {
		m.shadow.local.epoch = t
	}
}

func runSimdBarrier(m *machine, in *inst) {
	t := m.tick()
	last := -1
	for _, l := range m.all(&m.act) {
		s := int(l) / m.width
		if s == last {
			continue
		}
		last = s
		m.arrived(in, s*m.width, min(m.lanes, (s+1)*m.width), "simdgroup")
		if in.src.Imm&memDevice != 0 {
			m.shadow.device.simd[s] = t
		}
		if in.src.Imm&memThreadgroup != 0 {
			m.shadow.local.simd[s] = t
		}
	}
}

// arrived reports lanes from lo to hi that do not reach a barrier.
func (m *machine) arrived(in *inst, lo, hi int, who string) {
	if m.act.list == nil && m.act.lo <= lo && m.act.hi >= hi {
		return
	}
	waits := -1
	absent, gone := -1, -1
	for l := lo; l < hi; l++ {
		switch {
		case m.act.has(l):
			if waits < 0 {
				waits = l
			}
		case m.holds[0].left.has(l):
			if gone < 0 {
				gone = l
			}
		case absent < 0:
			absent = l
		}
	}
	t := m.thread(waits)
	if absent >= 0 {
		where, other := m.whereabouts(absent)
		u := m.thread(absent)
		m.report(model.Finding{
			Kind: model.FindingBarrier, Pos: m.place(in), Other: other, Threads: []model.Size3{t, u}, Index: -1,
			Text: fmt.Sprintf("thread %s waits at a barrier of its %s that thread %s does not reach: that one %s", triple(t), who, triple(u), where),
		})
	}
	if gone >= 0 {
		other := position(m.p.k, m.holds[0].leave)
		u := m.thread(gone)
		m.report(model.Finding{
			Kind: model.FindingBarrier, Pos: m.place(in), Other: other, Threads: []model.Size3{t, u}, Index: -1,
			Text: fmt.Sprintf("warning: thread %s returned before, at %s, and thread %s waits at a barrier of its %s; most devices allow that", triple(u), other, triple(t), who),
		})
	}
}

// whereabouts says where lane l is, which is not active and has not returned.
func (m *machine) whereabouts(l int) (string, model.Position) {
	for d := len(m.holds) - 1; d >= 1; d-- {
		h := &m.holds[d]
		switch {
		case h.no.has(l) || h.done.has(l):
			at := position(m.p.k, h.pos)
			return fmt.Sprintf("takes the other way at the if at %s", at), at
		case h.left.has(l):
			at := position(m.p.k, h.leave)
			return fmt.Sprintf("has left the loop or block at %s", at), at
		}
	}
	return "is elsewhere", m.p.k.Pos
}
