package adversary

import (
	"fmt"
	"math"
	"slices"

	"gamma/model"
)

// spin finds out that a thread that runs alone waits for another for ever: at a jump back its registers are what they were at an earlier one,
// and it has changed nothing in memory since, of which it reads some atomically.
type spin struct {
	due    int64 // the step from which jumps back are looked at
	at     int32 // the jump that was remembered, and what there was at it
	regs   []uint64
	counts [3]uint64
	looks  int
}

// Limits of what is looked at: the steps before a thread is looked at, and the jumps that are compared with one that is remembered.
const (
	spinSteps = 1 << 12
	spinLooks = 1 << 6
)

// spins reports whether the thread that jumps back by x, instruction pc, has come to a state again.
func (m *machine) spins(x *inst, pc int32, steps int64) bool {
	s := &m.spin
	regs, counts := m.regs[first:m.asm.size], [...]uint64{m.changes, m.noises, uint64(m.perturbed)}
	if s.looks > 0 {
		s.looks--
		if pc != s.at {
			return false
		}
		if counts == s.counts && slices.Equal(regs, s.regs) {
			return true
		}
		if s.looks > 0 {
			return false
		}
		s.due = steps + spinSteps // later, at a jump that may be remembered
		return false
	}
	body := m.code[x.target:pc]
	atomic := slices.ContainsFunc(body, func(y inst) bool { return y.op == opAtomic })
	if !atomic || slices.ContainsFunc(body, func(y inst) bool { return y.op >= opStore4 && y.op <= opStore || y.op == opPass }) {
		s.due = math.MaxInt64 // it does something else, or nothing that another could end
		return false
	}
	s.at, s.regs, s.counts, s.looks = pc, append(s.regs[:0], regs...), counts, spinLooks
	return false
}

// starved notes that thread i waits for what another has to do, and reports whether others may run. They may if schedules are fair, unless
// nothing has happened for so long that none of them goes on.
func (m *machine) starved(g *group, i int) bool {
	m.stuck++
	turns := m.residents * len(g.threads) // until each thread has had one
	if m.drawn() {
		turns *= 32 // and most likely each
	}
	if m.o.Behaviour.Fair && m.stuck <= turns {
		return true
	}
	m.over = true
	t := m.gridPos(g, i)
	text := "this schedule lets no other thread run, and Metal promises none any progress: if the kernel needs that threadgroups that have begun make progress " +
		"(occupancy-bound execution), admit fair schedules alone: set Fair in Admits, or in a simulator's Behaviour"
	if m.o.Behaviour.Fair {
		text = fmt.Sprintf("so does every thread of the threadgroups that have begun, up to %d at a time: "+
			"the kernel needs that others make progress which have not begun, such as that threadgroups begin in the order of their index", m.residents)
	}
	m.report(model.Finding{
		Kind: model.FindingSteps, Pos: m.position(g.threads[i].pc), Threads: []model.Size3{t}, Index: -1,
		Text: fmt.Sprintf("thread %s waits for ever in a loop in which it changes nothing; %s", triple(t), text),
	})
	return false
}
