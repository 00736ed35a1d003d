package adversary

import (
	"fmt"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// findings are what a run has reported so far.
type findings struct {
	list []model.Finding
	seen map[findingKey]bool
	told map[toldKey]bool
	last toldKey // that was asked for
}

type findingKey struct {
	kind       model.FindingKind
	pos, other model.Position
}

// toldKey is findingKey with places as the kernel numbers them, which costs less to look for.
type toldKey struct {
	kind       model.FindingKind
	pos, other int32
}

// noPlace is the other place of a finding that has one place.
const noPlace = -1

// first reports whether a finding of this kind at these places is the first: most faults are repeated by every thread and in every turn of a loop,
// and to write their text takes longer than to run what is at fault.
func (m *machine) first(kind model.FindingKind, pos, other int32) bool {
	key := toldKey{kind, pos, other}
	if !m.checks || key == m.findings.last {
		return false
	}
	m.findings.last = key
	if m.findings.told[key] {
		return false
	}
	if m.findings.told == nil {
		m.findings.told = map[toldKey]bool{}
	}
	m.findings.told[key] = true
	return true
}

// report keeps f, unless one like it is there or there are enough.
func (m *machine) report(f model.Finding) {
	key := findingKey{f.Kind, f.Pos, f.Other}
	if m.findings.seen[key] || len(m.findings.list) == engine.MaxFindings {
		return
	}
	if m.findings.seen == nil {
		m.findings.seen = map[findingKey]bool{}
	}
	m.findings.seen[key] = true
	f.Kernel = m.p.k.Name
	m.findings.list = append(m.findings.list, f)
}

// position returns the place of machine instruction pc in the source.
func (m *machine) position(pc int32) model.Position {
	n := m.flatOf(pc).pos
	if n > 0 && int(n) < len(m.p.k.Places) {
		return m.p.k.Places[n]
	}
	return m.p.k.Pos
}

// flatOf returns the flat instruction from which machine instruction pc was made.
func (m *machine) flatOf(pc int32) *flat { return &m.p.flat[m.asm.from[pc]] }

func (m *machine) placeOf(in *ir.Instr) model.Position {
	if in.Pos > 0 && int(in.Pos) < len(m.p.k.Places) {
		return m.p.k.Places[in.Pos]
	}
	return m.p.k.Pos
}

// thread returns the position in grid of the thread that findings are about.
func (m *machine) thread() model.Size3 { return m.gridPos(m.subject.g, m.subject.i) }

// threadRef is the thread that findings are about.
type threadRef struct {
	g *group
	i int
}

func triple(s model.Size3) string { return fmt.Sprintf("(%d,%d,%d)", s.X, s.Y, s.Z) }

// verb says what an access does.
func (a *access) verb() string {
	switch {
	case a.in.Op >= ir.AtomicLoad:
		return "accesses atomically"
	case a.write:
		return "writes"
	}
	return "reads"
}

// signed returns the offset as a signed number.
func (a *access) signed() int64 { return int64(a.off<<(64-ir.OffsetBits)) >> (64 - ir.OffsetBits) }

// element returns the index of the element that an access begins in, -1 if that has no meaning.
func (o *object) element(off int64) int64 {
	return engine.Element(o.texture, off, o.elem, o.b)
}

// spot names byte off of o.
func (o *object) spot(off int64) string { return engine.Place(o.texture, o.described(), off, o.b) }

// described names o with its space and, of a buffer, the label that the host gave it.
func (o *object) described() string {
	s := fmt.Sprintf("%s %s", o.space, o.name)
	if o.texture.Dimensions > 0 {
		s = "texture " + o.name
	}
	if o.label != "" && o.label != o.name {
		s += fmt.Sprintf(" (%s)", o.label)
	}
	return s
}

func (m *machine) outside(a *access, o *object) {
	if !m.first(model.FindingOutOfBounds, a.in.Pos, noPlace) {
		return
	}
	if o == nil {
		t := m.thread()
		m.report(model.Finding{
			Kind: model.FindingOutOfBounds, Pos: m.placeOf(a.in), Threads: []model.Size3{t}, Index: -1,
			Text: fmt.Sprintf("thread %s %s %d bytes at byte %d through %s", triple(t), a.verb(), a.size, a.signed(), engine.Nowhere(m.p.k, ir.Pointer(a.p).Object())),
		})
		return
	}
	m.about(model.FindingOutOfBounds, a, o, model.Position{}, engine.Extent(o.texture, o.b, int64(len(o.b))))
}

// about reports something about a's place in memory.
func (m *machine) about(kind model.FindingKind, a *access, o *object, other model.Position, text string) {
	t := m.thread()
	m.report(model.Finding{
		Kind: kind, Pos: m.placeOf(a.in), Other: other, Threads: []model.Size3{t}, Buffer: o.name, Index: o.element(a.signed()),
		Text: fmt.Sprintf("thread %s %s %d bytes at %s, %s", triple(t), a.verb(), a.size, o.spot(a.signed()), text),
	})
}

func (m *machine) forbidden(a *access, o *object) {
	if m.first(model.FindingOutOfBounds, a.in.Pos, noPlace) {
		m.about(model.FindingOutOfBounds, a, o, model.Position{}, "which is never to be written")
	}
}

func (m *machine) misaligned(a *access, o *object, align uint64) {
	if m.first(model.FindingMisaligned, a.in.Pos, noPlace) {
		m.about(model.FindingMisaligned, a, o, model.Position{}, fmt.Sprintf("and an address that is a multiple of %d is needed", align))
	}
}

// unwritten reports that byte k of what a reads was never written.
func (m *machine) unwritten(a *access, o *object, k int) {
	if m.first(model.FindingUninitialised, a.in.Pos, noPlace) {
		m.about(model.FindingUninitialised, a, o, model.Position{}, "and "+engine.Part(o.texture, a.signed()+int64(k))+" was never written")
	}
}

// forgiven reports whether instruction pc computes with an undefined value, so that its fault is none of the kernel's.
func (m *machine) forgiven(pc int32) bool {
	x := &m.p.flat[m.asm.from[pc]]
	if ir.Ops[x.in.Op].Effect == ir.Lanes {
		return m.lane.undefined
	}
	return x.flag != 0 && ir.UndefinedMark(m.regs[m.asm.place[x.flag]]) != 0
}

// faulty reports an undefined integer operation of the thread that runs, or of the first active lane of a SIMD operation.
func (m *machine) faulty(pc int32, fault ir.Fault) {
	in := m.at(pc)
	if m.forgiven(pc) || !m.first(model.FindingInteger, in.Pos, noPlace) {
		return
	}
	t := m.thread()
	m.report(model.Finding{
		Kind: model.FindingInteger, Pos: m.placeOf(in), Threads: []model.Size3{t}, Index: -1,
		Text: fmt.Sprintf("thread %s: %s in %s of type %s", triple(t), fault, in.Op, in.Type),
	})
}

// foreign reports that byte k of what a changes is undefined.
func (m *machine) foreign(a *access, o *object, k int, mark byte) {
	kind, origin := m.origin(uint64(mark))
	if m.first(kind, a.in.Pos, origin.Pos) {
		f := model.Finding{}
		m.about(kind, a, o, m.placeOf(origin), fmt.Sprintf("and %s %s", engine.Part(o.texture, a.signed()+int64(k)), m.because(&f, 0, origin, uint64(mark))))
	}
}

// divergent reports that thread i waits at a barrier that thread j has not reached; who is the scope of the barrier.
func (m *machine) divergent(g *group, i, j int, who string) {
	if !m.firstBarrier(g, i, j) {
		return
	}
	t, u := m.gridPos(g, i), m.gridPos(g, j)
	other := m.position(g.threads[j].pc)
	where := fmt.Sprintf("is at %s", other)
	switch {
	case g.threads[j].status == done:
		where = fmt.Sprintf("went past it and has ended, at %s", other)
	case g.threads[i].pc == g.threads[j].pc:
		where = "is there in another iteration"
	}
	m.report(model.Finding{
		Kind: model.FindingBarrier, Pos: m.position(g.threads[i].pc), Other: other, Threads: []model.Size3{t, u}, Index: -1,
		Text: fmt.Sprintf("thread %s waits at a barrier of its %s that thread %s does not reach: that one %s", triple(t), who, triple(u), where),
	})
}

// absent reports that thread i waits at a barrier before which thread j returned; who is the scope of the barrier.
func (m *machine) absent(g *group, i, j int, who string) {
	if !m.firstBarrier(g, i, j) {
		return
	}
	t, u := m.gridPos(g, i), m.gridPos(g, j)
	other := m.position(g.threads[j].pc)
	m.report(model.Finding{
		Kind: model.FindingBarrier, Pos: m.position(g.threads[i].pc), Other: other, Threads: []model.Size3{t, u}, Index: -1,
		Text: fmt.Sprintf("warning: thread %s returned before, at %s, and thread %s waits at a barrier of its %s; most devices allow that",
			triple(u), other, triple(t), who),
	})
}

// firstBarrier reports whether threads i and j are the first of which one waits at a barrier, where it is, and the other does not, where it is.
func (m *machine) firstBarrier(g *group, i, j int) bool {
	return m.first(model.FindingBarrier, m.flatOf(g.threads[i].pc).pos, m.flatOf(g.threads[j].pc).pos)
}

// exhausted reports that the budget is used up; the run ends.
func (m *machine) exhausted(g *group, i int) {
	m.over = true
	t := m.gridPos(g, i)
	m.report(model.Finding{
		Kind: model.FindingSteps, Pos: m.position(g.threads[i].pc), Threads: []model.Size3{t}, Index: -1,
		Text: fmt.Sprintf("the dispatch was stopped after %d instructions, while thread %s ran; the kernel does not end, or Options.Steps is to be larger",
			m.limit, triple(t)),
	})
}
