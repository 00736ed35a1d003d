package fast

import (
	"fmt"
	"strings"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// orders notes that lanes from lo to hi reached a barrier at time t, and calls f for each memory that it orders; i is 0 if it is the threadgroup's.
func (s *shadows) orders(in *ir.Instr, t uint32, i, lo, hi int, f func(d *domain)) {
	for k, d := range s.domains() {
		if in.Imm>>k&1 != 0 {
			f(d)
			d.fence(t, lo, hi)
			if d.messages != nil {
				d.messages.barrier(k, lo, hi)
			}
		} else {
			d.weak[i] = weakBarrier{in, t, lo, hi}
		}
	}
}

// fence notes that what lanes from lo to hi wrote before time t is visible to each of them.
func (d *domain) fence(t uint32, lo, hi int) {
	if d.fences != nil {
		for l := lo; l < hi; l++ {
			d.fences[l] = t
		}
	}
}

// runFence runs a fence.
func runFence(m *machine, in *inst) {
	t := m.tick()
	for _, l := range m.all(&m.act) {
		if in.src.Imm&textureFlag != 0 {
			m.shadow.texture.fence(t, int(l), int(l)+1)
		}
		if x := m.shadow.device.messages; x != nil {
			x.fence(in.src, int(l), t)
		}
	}
}

// call writes a barrier as the source does.
func call(in *ir.Instr) string {
	var flags []string
	for i, name := range [...]string{"mem_device", "mem_threadgroup", "mem_texture", "mem_threadgroup_imageblock"} {
		if in.Imm>>i&1 == 1 {
			flags = append(flags, "mem_flags::"+name)
		}
	}
	if flags == nil {
		flags = []string{"mem_flags::mem_none"}
	}
	name := map[ir.Op]string{ir.Barrier: "threadgroup_barrier", ir.SimdBarrier: "simdgroup_barrier"}[in.Op]
	return name + "(" + strings.Join(flags, " | ") + ")"
}

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
	m.shadow.orders(in.src, t, 0, 0, m.lanes, func(d *domain) { d.epoch = t })
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
		lo, hi := s*m.width, min(m.lanes, (s+1)*m.width)
		m.arrived(in, lo, hi, "simdgroup")
		m.shadow.orders(in.src, t, 1, lo, hi, func(d *domain) { d.simd[s] = t })
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
		if where, pos := m.whereabouts(absent); m.first(model.FindingBarrier, in.pos, pos) {
			u, other := m.thread(absent), position(m.p.k, pos)
			m.report(model.Finding{
				Kind: model.FindingBarrier, Pos: m.place(in), Other: other, Threads: []model.Size3{t, u}, Index: -1,
				Text: fmt.Sprintf("thread %s waits at a barrier of its %s that thread %s does not reach: that one %s %s", triple(t), who, triple(u), where, other),
			})
		}
	}
	if gone >= 0 && m.first(model.FindingBarrier, in.pos, m.holds[0].leave) {
		other := position(m.p.k, m.holds[0].leave)
		u := m.thread(gone)
		m.report(model.Finding{
			Kind: model.FindingBarrier, Pos: m.place(in), Other: other, Threads: []model.Size3{t, u}, Index: -1,
			Text: fmt.Sprintf("warning: thread %s returned before, at %s, and thread %s waits at a barrier of its %s; most devices allow that", triple(u), other, triple(t), who),
		})
	}
}

// whereabouts says where lane l is, which is not active and has not returned: words, and the place that comes after them.
func (m *machine) whereabouts(l int) (words string, pos int32) {
	for d := len(m.holds) - 1; d >= 1; d-- {
		h := &m.holds[d]
		switch {
		case h.no.has(l) || h.done.has(l):
			return "takes the other way at the if at", h.pos
		case h.left.has(l):
			return "has left the loop or block at", h.leave
		}
	}
	return "is elsewhere in", nowhere // of the kernel
}
