package adversary

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/run"
	"gamma/model"
)

// findings are what a run has reported so far.
type findings struct {
	list []model.Finding
	seen map[findingKey]bool
}

type findingKey struct {
	kind       model.FindingKind
	pos, other model.Position
}

// report keeps f, unless one like it is there or there are enough.
func (m *machine) report(f model.Finding) {
	key := findingKey{f.Kind, f.Pos, f.Other}
	if m.findings.seen[key] || len(m.findings.list) == run.MaxFindings {
		return
	}
	if m.findings.seen == nil {
		m.findings.seen = map[findingKey]bool{}
	}
	m.findings.seen[key] = true
	f.Kernel = m.p.k.Name
	m.findings.list = append(m.findings.list, f)
}

// position returns where machine instruction pc stands in the source.
func (m *machine) position(pc int32) model.Position {
	n := m.p.flat[m.asm.from[pc]].pos
	if n > 0 && int(n) < len(m.p.k.Places) {
		return m.p.k.Places[n]
	}
	return m.p.k.Pos
}

func (m *machine) placeOf(in *ir.Instr) model.Position {
	if in.Pos > 0 && int(in.Pos) < len(m.p.k.Places) {
		return m.p.k.Places[in.Pos]
	}
	return m.p.k.Pos
}

// thread returns the position in grid of the thread that runs.
func (m *machine) thread() model.Size3 { return m.gridPos(m.now, m.current) }

// verb says what an access does.
func (a *access) verb() string {
	if a.write {
		return "writes"
	}
	return "reads"
}

// element returns the index of the element that an access begins in, -1 if that has no meaning.
func (o *object) element(off uint64) int64 {
	if o.elem <= 0 {
		return -1
	}
	signed := int64(off<<(64-ir.OffsetBits)) >> (64 - ir.OffsetBits)
	n := signed / int64(o.elem)
	if signed < 0 && signed%int64(o.elem) != 0 {
		n--
	}
	return n
}

func (m *machine) outside(a *access, o *object) {
	if !m.checks {
		return
	}
	f := model.Finding{Kind: model.FindingOutOfBounds, Pos: m.placeOf(a.in), Threads: []model.Size3{m.thread()}, Index: -1}
	if o == nil {
		f.Text = fmt.Sprintf("thread %s %s %d bytes through a null pointer", m.thread(), a.verb(), a.size)
	} else {
		f.Buffer, f.Index = o.name, o.element(a.off)
		off := int64(a.off<<(64-ir.OffsetBits)) >> (64 - ir.OffsetBits)
		f.Text = fmt.Sprintf("thread %s %s %d bytes at byte %d of %s, which has %d", m.thread(), a.verb(), a.size, off, o.name, len(o.b))
	}
	m.report(f)
}

func (m *machine) forbidden(a *access, o *object) {
	if !m.checks {
		return
	}
	m.report(model.Finding{
		Kind: model.FindingOutOfBounds, Pos: m.placeOf(a.in), Threads: []model.Size3{m.thread()}, Buffer: o.name, Index: o.element(a.off),
		Text: fmt.Sprintf("thread %s writes to %s, which is read-only", m.thread(), o.name),
	})
}

func (m *machine) misaligned(a *access, o *object, align uint64) {
	if !m.checks {
		return
	}
	m.report(model.Finding{
		Kind: model.FindingMisaligned, Pos: m.placeOf(a.in), Threads: []model.Size3{m.thread()}, Buffer: o.name, Index: o.element(a.off),
		Text: fmt.Sprintf("thread %s %s at byte %d of %s, which is not a multiple of %d", m.thread(), a.verb(), o.base+a.off, o.name, align),
	})
}

func (m *machine) unwritten(a *access, o *object) {
	m.report(model.Finding{
		Kind: model.FindingUninitialised, Pos: m.placeOf(a.in), Threads: []model.Size3{m.thread()}, Buffer: o.name, Index: o.element(a.off),
		Text: fmt.Sprintf("thread %s reads byte %d of %s, which was never written", m.thread(), a.off, o.name),
	})
}

// faulty reports an integer operation without a meaning.
func (m *machine) faulty(pc int32, fault ir.Fault) {
	if m.now == nil || m.current < 0 {
		return
	}
	in := m.at(pc)
	m.report(model.Finding{
		Kind: model.FindingInteger, Pos: m.position(pc), Threads: []model.Size3{m.thread()}, Index: -1,
		Text: fmt.Sprintf("thread %s: %s in %s of %s", m.thread(), fault, in.Op, in.Type),
	})
}

// inactive reports a shuffle from a lane that takes no part.
func (m *machine) inactive(g *group, pc int32, i, from int) {
	if !m.checks {
		return
	}
	at := m.gridPos(g, i)
	m.report(model.Finding{
		Kind: model.FindingInactiveLane, Pos: m.position(pc), Threads: []model.Size3{at}, Index: int64(from),
		Text: fmt.Sprintf("thread %s takes a value from lane %d, which is not active", at, from),
	})
}

// divergent reports that thread i waits at a barrier and thread j somewhere else.
func (m *machine) divergent(g *group, i, j int) {
	if !m.checks {
		return
	}
	a, b := m.gridPos(g, i), m.gridPos(g, j)
	other := m.position(g.threads[j].pc)
	text := fmt.Sprintf("thread %s waits at a barrier that thread %s has not reached: it waits at %s", a, b, other)
	if g.threads[i].pc == g.threads[j].pc {
		text = fmt.Sprintf("thread %s waits at a barrier in another iteration than thread %s", a, b)
	}
	m.report(model.Finding{
		Kind: model.FindingBarrier, Pos: m.position(g.threads[i].pc), Other: other, Threads: []model.Size3{a, b}, Index: -1, Text: text,
	})
}

// absent reports that thread i waits at a barrier that thread j cannot reach any more, as it has ended.
func (m *machine) absent(g *group, i, j int) {
	a, b := m.gridPos(g, i), m.gridPos(g, j)
	m.report(model.Finding{
		Kind: model.FindingBarrier, Pos: m.position(g.threads[i].pc), Threads: []model.Size3{a, b}, Index: -1,
		Text: fmt.Sprintf("thread %s waits at a barrier that thread %s never reaches: it has ended", a, b),
	})
}

// exhausted reports that the budget is used up; the run ends.
func (m *machine) exhausted(g *group, i int) {
	m.over = true
	at := m.gridPos(g, i)
	m.report(model.Finding{
		Kind: model.FindingSteps, Pos: m.position(g.threads[i].pc), Threads: []model.Size3{at}, Index: -1,
		Text: fmt.Sprintf("the dispatch has used up its %d steps; thread %s is here", m.limit, at),
	})
}
