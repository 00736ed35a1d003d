package fast

import (
	"cmp"
	"fmt"
	"slices"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// kind says what an earlier access did.
type kind uint8

const (
	reads kind = iota
	writes
	updates // atomically
)

var kindVerbs = [...]string{reads: "reads", writes: "writes", updates: "accesses atomically"}

// found is a finding, and when it was found.
type found struct {
	model.Finding
	group int64
}

type findingKey struct {
	kind       model.FindingKind
	pos, other model.Position
}

// maxKept bounds the findings that a machine keeps; far more than a dispatch does.
const maxKept = 1 << 12

// findings are what a machine found: the first of each kind and place.
type findings struct {
	list []found
	seen map[findingKey]bool
	told map[toldKey]bool
	last toldKey // that was asked for
	// pairs holds the pairs of sites whose race was reported.
	pairs   map[uint64]bool
	crossed bool // a race between threadgroups was among them
}

func (f *findings) reset() { *f = findings{} }

// toldKey is findingKey with places as the kernel numbers them, which costs less to look for.
type toldKey struct {
	kind       model.FindingKind
	pos, other int32
}

// nowhere is the other place of a finding that has one place.
const nowhere = -1

// first reports whether a finding of this kind at these places is the first: most faults are repeated by every thread and in every turn of a loop,
// and to write their text takes longer than to run what is at fault.
func (m *machine) first(kind model.FindingKind, pos, other int32) bool {
	key := toldKey{kind, pos, other}
	if !m.r.checks || key == m.found.last {
		return false
	}
	m.found.last = key
	if m.found.told[key] {
		return false
	}
	if m.found.told == nil {
		m.found.told = map[toldKey]bool{}
	}
	m.found.told[key] = true
	return true
}

func (m *machine) report(f model.Finding) {
	key := findingKey{f.Kind, f.Pos, f.Other}
	if m.found.seen[key] || len(m.found.list) == maxKept {
		return
	}
	if m.found.seen == nil {
		m.found.seen = map[findingKey]bool{}
	}
	m.found.seen[key] = true
	f.Kernel = m.p.k.Name
	m.found.list = append(m.found.list, found{f, m.groupIndex})
}

// merge returns the findings of several machines, those of the first threadgroups first: the same list, however the threadgroups
// were shared out.
func merge(machines []*machine) []model.Finding {
	var all []found
	for _, m := range machines {
		all = append(all, m.found.list...)
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(a.group, b.group) })
	seen := map[findingKey]bool{}
	var list []model.Finding
	for _, f := range all {
		if key := (findingKey{f.Kind, f.Pos, f.Other}); !seen[key] && len(list) < engine.MaxFindings {
			seen[key] = true
			list = append(list, f.Finding)
		}
	}
	return list
}

func triple(s model.Size3) string { return fmt.Sprintf("(%d,%d,%d)", s.X, s.Y, s.Z) }

// thread returns the position in grid of lane l of the threadgroup that runs.
func (m *machine) thread(l int) model.Size3 { return m.r.thread(m.groupIndex, l) }

// thread returns the position in grid of lane l of threadgroup g.
func (r *dispatch) thread(g int64, l int) model.Size3 {
	at := r.groupAt(g)
	size := r.d.GroupSize(at)
	return model.Size3{
		X: at.X*r.d.Group.X + l%size.X,
		Y: at.Y*r.d.Group.Y + l/size.X%size.Y,
		Z: at.Z*r.d.Group.Z + l/size.X/size.Y,
	}
}

// named returns the name and the size of an element of object n.
func (m *machine) named(n int) (string, int) {
	k := m.p.k
	if n < len(k.Buffers) {
		return m.r.d.Args[n].Name(&k.Buffers[n]), k.Buffers[n].Elem
	}
	o := &k.Objects[n-len(k.Buffers)]
	if o.Elem == 0 {
		return o.Name, o.Size
	}
	return o.Name, o.Elem
}

// described names object n with its space and, of a buffer, the label that the host gave it.
func (m *machine) described(n int) string {
	name, _ := m.named(n)
	s := fmt.Sprintf("%s %s", m.objects[n].space, name)
	if m.texture(n).Dimensions > 0 {
		s = "texture " + name
	}
	if n < len(m.r.d.Args) {
		if mem := m.r.d.Args[n].Mem; mem != nil && mem.Name != "" && mem.Name != name {
			s += fmt.Sprintf(" (%s)", mem.Name)
		}
	}
	return s
}

// element returns the index of the element at byte off of object n.
func (m *machine) element(n int, off int64) int64 {
	_, size := m.named(n)
	return engine.Element(m.texture(n), off, size, m.objects[n].bytes)
}

// texture returns the texture that object n is, if it is one.
func (m *machine) texture(n int) ir.Texture {
	if n < len(m.p.k.Buffers) {
		return m.p.k.Buffers[n].Texture
	}
	return ir.Texture{}
}

// spot names byte off of object n.
func (m *machine) spot(n int, off int64) string {
	return engine.Place(m.texture(n), m.described(n), off, m.objects[n].bytes)
}

func (a *access) verb() string {
	switch {
	case isAtomic(a.in.src.Op):
		return kindVerbs[updates]
	case a.write:
		return kindVerbs[writes]
	}
	return kindVerbs[reads]
}

func (m *machine) place(in *inst) model.Position { return position(m.p.k, in.pos) }

func (m *machine) outside(a *access, o *object) {
	if !m.first(model.FindingOutOfBounds, a.in.pos, nowhere) {
		return
	}
	t := m.thread(a.lane)
	f := model.Finding{Kind: model.FindingOutOfBounds, Pos: m.place(a.in), Threads: []model.Size3{t}, Index: -1}
	if o == nil {
		f.Text = fmt.Sprintf("thread %s %s %d bytes at byte %d through %s", triple(t), a.verb(), a.in.size, a.off, engine.Nowhere(m.p.k, a.object))
	} else {
		f.Buffer, _ = m.named(o.number)
		f.Index = m.element(o.number, a.off)
		f.Text = fmt.Sprintf("thread %s %s %d bytes at %s, %s", triple(t), a.verb(), a.in.size, m.spot(o.number, a.off), engine.Extent(m.texture(o.number), o.bytes, o.size))
	}
	m.report(f)
}

// about makes a finding about a's place in memory.
func (m *machine) about(kind model.FindingKind, a *access, o *object, other model.Position, text string) {
	name, _ := m.named(o.number)
	t := m.thread(a.lane)
	m.report(model.Finding{
		Kind: kind, Pos: m.place(a.in), Other: other, Threads: []model.Size3{t}, Buffer: name, Index: m.element(o.number, a.off),
		Text: fmt.Sprintf("thread %s %s %d bytes at %s, %s", triple(t), a.verb(), a.in.size, m.spot(o.number, a.off), text),
	})
}

func (m *machine) misaligned(a *access, o *object) {
	if m.first(model.FindingMisaligned, a.in.pos, nowhere) {
		m.about(model.FindingMisaligned, a, o, model.Position{}, fmt.Sprintf("and an address that is a multiple of %d is needed", a.in.align))
	}
}

func (m *machine) forbidden(a *access, o *object) {
	if m.first(model.FindingOutOfBounds, a.in.pos, nowhere) {
		m.about(model.FindingOutOfBounds, a, o, model.Position{}, "which is never to be written")
	}
}

func (m *machine) unwritten(a *access, k int64) {
	if m.first(model.FindingUninitialised, a.in.pos, nowhere) {
		m.about(model.FindingUninitialised, a, a.o, model.Position{}, "and "+engine.Part(m.texture(a.o.number), a.off+k)+" was never written")
	}
}

// foreign reports that byte k of what a changes is undefined.
func (m *machine) foreign(a *access, k int64, mark byte) {
	kind, origin := m.origin(uint64(mark))
	if m.first(kind, a.in.pos, origin.Pos) {
		f := model.Finding{}
		m.about(kind, a, a.o, position(m.p.k, origin.Pos), fmt.Sprintf("and %s %s", engine.Part(m.texture(a.o.number), a.off+k), m.because(&f, 0, origin, uint64(mark))))
	}
}

// race reports that lane l's access disturbs an earlier one.
func (m *machine) race(in *inst, o *object, l int, off, earlier uint64, did kind) {
	s := &m.shadow
	g := m.groupIndex
	if o.space != ir.Threadgroup && uint32(earlier>>32) < s.device.group {
		g = s.groupAt(uint32(earlier >> 32))
		m.found.crossed = true
	}
	pair := uint64(in.site)<<32 | uint64(recordSite(earlier))
	if m.found.pairs[pair] {
		return
	}
	if m.found.pairs == nil {
		m.found.pairs = map[uint64]bool{}
	}
	if len(m.found.pairs) < maxKept {
		m.found.pairs[pair] = true
	}
	a := access{in: in, lane: l, off: int64(off), write: in.src.Op == ir.Store}
	before := m.c.sites[recordSite(earlier)]
	t, u := m.thread(l), m.r.thread(g, recordLane(earlier))
	name, _ := m.named(o.number)
	where := "no barrier orders the two"
	d, needs, kept := &s.device, "mem_flags::mem_device", o.space.String()
	switch {
	case o.space == ir.Threadgroup:
		d, needs = &s.local, "mem_flags::mem_threadgroup"
	case m.texture(o.number).Dimensions > 0:
		d, needs, kept = &s.texture, "mem_flags::mem_texture", "texture"
	}
	if t == u {
		where = "no fence() of the texture is between the two, and without one a thread need not see what it wrote"
	} else if g != m.groupIndex {
		where = fmt.Sprintf("no barrier orders two threadgroups, %d and %d", m.groupIndex, g)
	} else if b := d.between(earlier, l); b != nil {
		where = fmt.Sprintf("%s at %s is between the two and does not order %s memory; that takes %s", call(b), position(m.p.k, b.Pos), kept, needs)
	}
	if x := d.messages; x != nil && x.apart && g != m.groupIndex {
		x.apart = false
		seen := d.passed(earlier, uint64(l)<<siteBits, did)
		if x.apart = true; seen {
			where = fmt.Sprintf("fences order the two, but threadgroup %d need not see what %d did with memory that is not coherent(device)", m.groupIndex, g)
		}
	} else if f := m.p.fence; f != nil && t != u && m.texture(o.number).Dimensions == 0 {
		where += fmt.Sprintf("; nor do fences, such as that at %s: each of the two needs one with %s and a scope that holds both, with an atomic operation between, "+
			"which one of them has changed and the other has read", position(m.p.k, f.Pos), needs)
	}
	other := position(m.p.k, before.Pos)
	m.report(model.Finding{
		Kind: model.FindingRace, Pos: m.place(in), Other: other, Threads: []model.Size3{t, u}, Buffer: name, Index: m.element(o.number, int64(off)),
		Text: fmt.Sprintf("thread %s %s %d bytes at %s, where thread %s %s %d at %s: %s",
			triple(t), a.verb(), in.size, m.spot(o.number, int64(off)), triple(u), kindVerbs[did], before.Type.Size(), other, where),
	})
}

// integer reports an operation that the language gives no meaning to.
func (m *machine) integer(in *inst, l int, f ir.Fault) {
	if !m.first(model.FindingInteger, in.pos, nowhere) {
		return
	}
	t := m.thread(l)
	m.report(model.Finding{
		Kind: model.FindingInteger, Pos: m.place(in), Threads: []model.Size3{t}, Index: -1,
		Text: fmt.Sprintf("thread %s: %s in %s of type %s", triple(t), f, in.src.Op, in.src.Type),
	})
}

// exhausted reports that the budget of steps is used up.
func (m *machine) exhausted(pos int32) {
	t := m.thread(m.act.first())
	m.report(model.Finding{
		Kind: model.FindingSteps, Pos: position(m.p.k, pos), Threads: []model.Size3{t}, Index: -1,
		Text: fmt.Sprintf("the dispatch was stopped after %d instructions, while thread %s ran; the kernel does not end, or Options.Steps is to be larger", m.r.limit, triple(t)),
	})
}
