package fast

import (
	"bytes"
	"cmp"
	"slices"

	"gamma/metal/msl/ir"
)

// A record of an access is 64 bits: the time in the upper 32, then the lane, then the site.
const (
	siteBits = 20
	laneBits = 12
)

func recordLane(r uint64) int    { return int(r >> siteBits & (1<<laneBits - 1)) }
func recordSite(r uint64) uint32 { return uint32(r & (1<<siteBits - 1)) }

// cell is what is remembered of a piece of memory, as long as the smallest access to it: the last plain write, and two
// plain reads.
//
// Two readers suffice for no write to be missed that disturbs any of them, if they are chosen well. A reader that is ordered before
// a later one may be forgotten, for what is not ordered after the former is not ordered after the latter. Of readers that are not ordered, two of
// different threadgroups suffice, since a write disturbs at least one of them; if there is one threadgroup, two of different simdgroups; if there is
// one simdgroup, two threads. A write may be forgotten at the next that is ordered after it: what disturbs it disturbs the next.
//
// A write of the bits that the last write left, not ordered after that, disturbs nothing, and both are remembered, the second in twins: two
// writers suffice as two readers do. Since such a write may disturb readers before the last write, which that did not disturb, readers
// are kept when a write comes that is ordered after them. So at any time all writes that no later one is ordered after have
// left the same bits, those that memory holds, or something was reported.
type cell struct {
	w, r1, r2 uint64
}

// atomicCell is what is remembered of atomics: two that write and two that only read, chosen like readers.
type atomicCell struct {
	w1, w2, r1, r2 uint64
}

// domain is the time in one kind of memory. Times are counted through all threadgroups that a machine runs, and through its dispatches.
type domain struct {
	start uint32 // of the dispatch; of the threadgroup for threadgroup memory
	group uint32 // start of the threadgroup
	epoch uint32 // the last barrier of the threadgroup that ordered this memory
	// simd holds the last simdgroup_barrier of each simdgroup; nil if the kernel has none.
	simd  []uint32
	width int
	// fences holds the last fence of each lane, after which it sees what it wrote itself; nil if it does so without.
	fences []uint32
	// weak is the last barrier that did not order this memory, of the threadgroup or of one simdgroup.
	weak [2]weakBarrier
	// messages are nil if the kernel has no fences that order threads; memory is the number of this one there.
	messages *messages
	memory   int
}

// weakBarrier is a barrier that lanes from lo to hi reached, and that did not order a memory.
type weakBarrier struct {
	in     *ir.Instr // nil: there was none
	time   uint32
	lo, hi int
}

// between returns a barrier that both threads reached between the earlier access r and now, and that did not order this memory; nil if there is none.
func (d *domain) between(r uint64, lane int) *ir.Instr {
	for i := range d.weak {
		b := &d.weak[i]
		if in := func(l int) bool { return l >= b.lo && l < b.hi }; b.in != nil && uint32(r>>32) < b.time && in(lane) && in(recordLane(r)) {
			return b.in
		}
	}
	return nil
}

// shadow remembers the accesses to one Memory or one variable.
type shadow struct {
	d       *domain
	cells   []cell
	atomics []atomicCell // nil if no atomic reaches it
	grain   uint8        // log2 of a cell's bytes
	local   bool         // of threadgroup memory
	apart   bool         // not coherent: a threadgroup need not see what another wrote
	// twins holds the second write of cells that have two, by their index.
	twins map[uint64]uint64
	// spans are the accesses since the barrier at the time since, if no cell was touched after it.
	spans          []span
	since, touched uint32
}

// disturbs reports whether the access me, of the threadgroup that runs, and the earlier record r are of different threads and not ordered; did is what r did.
func (d *domain) disturbs(r, me uint64, did kind) bool {
	t := uint32(r >> 32)
	if t < d.start {
		return false
	}
	if t < d.group {
		return !d.passed(r, me, did)
	}
	l, k := recordLane(r), recordLane(me)
	if t < d.epoch || l == k {
		return false
	}
	return (d.simd == nil || l/d.width != k/d.width || t >= d.simd[l/d.width]) && !d.passed(r, me, did)
}

// passed reports whether fences order the record r before the access me, of the threadgroup that runs. What another threadgroup wrote, me need not see where memory is not coherent.
func (d *domain) passed(r, me uint64, did kind) bool {
	x := d.messages
	return x != nil && (!x.apart || did == reads || uint32(r>>32) >= d.group) && x.lanes[recordLane(me)].known[d.memory].covers(d.memory, r)
}

// disturbed returns one of two records, or of those kept beside them, that the access me disturbs, 0 if there is none.
func (d *domain) disturbed(r1, r2 *uint64, me uint64, did kind) uint64 {
	if d.disturbs(*r1, me, did) {
		return *r1
	}
	if d.disturbs(*r2, me, did) {
		return *r2
	}
	if d.messages != nil {
		for _, r := range d.messages.more[r1] {
			if d.disturbs(r, me, did) {
				return r
			}
		}
	}
	return 0
}

// textureFlag is the bit of mem_flags for textures.
const textureFlag = 4

// unfenced reports whether the write r is of the lane that makes the access me, which need not see it.
func (d *domain) unfenced(r, me uint64) bool {
	if d.fences == nil || recordLane(r) != recordLane(me) {
		return false
	}
	t := uint32(r >> 32)
	return t >= d.group && t >= d.epoch && t >= d.fences[recordLane(me)]
}

// remember puts the access me, which does did, in one of two records, chosen as cell says.
func (d *domain) remember(r1, r2 *uint64, me uint64, did kind) {
	own := func(r uint64) bool { return uint32(r>>32) >= d.group }
	stale := func(r uint64) bool {
		return uint32(r>>32) < d.start || (own(r) || d.messages != nil) && !d.disturbs(r, me, did)
	}
	switch {
	case stale(*r1):
		*r1 = me
	case stale(*r2):
		*r2 = me
	case d.messages != nil: // two do not suffice
		d.messages.more[r1] = append(slices.DeleteFunc(d.messages.more[r1], stale), me)
	case !own(*r1) && !own(*r2):
		*r2 = me
	case own(*r1) && own(*r2) && d.width > 0:
		if s := recordLane(*r1) / d.width; s == recordLane(*r2)/d.width && s != recordLane(me)/d.width {
			*r2 = me
		}
	}
}

// told tells the messages of what memory the accesses are that follow.
func (s *shadow) told() {
	if x := s.d.messages; x != nil {
		x.apart = s.apart
	}
}

// reads notes that the lanes in list read the words idx of o.
func (s *shadow) reads(m *machine, in *inst, o *object, idx []uint64, list []uint16) {
	s.told()
	if s.local {
		s.unfold(m.time)
	}
	now := uint64(m.time)<<32 | uint64(in.site)
	d := s.d
	start := uint64(d.start) << 32
	if in.size>>s.grain == 1 && s.atomics == nil {
		cells := s.cells[o.cell:]
		for k, l := range list[:len(idx)] {
			c := &cells[idx[k]]
			me := now | uint64(l)<<siteBits
			if c.w < start && c.r1 < start {
				c.r1 = me
				continue
			}
			if r := s.writer(c, uint64(o.cell)+idx[k], me); r != 0 {
				m.race(in, o, int(l), idx[k]*uint64(in.size), r, writes)
			} else if d.unfenced(c.w, me) {
				m.race(in, o, int(l), idx[k]*uint64(in.size), c.w, writes)
			}
			d.remember(&c.r1, &c.r2, me, reads)
		}
		return
	}
	n := uint64(in.size) >> s.grain
	for k, l := range list {
		s.note(m, in, o, int(l), idx[k]*uint64(in.size), n, nil, 0)
	}
}

// writer returns the record of a plain write to cell c, of index i, that the access me disturbs, 0 if there is none.
func (s *shadow) writer(c *cell, i, me uint64) uint64 {
	if s.d.disturbs(c.w, me, writes) {
		return c.w
	}
	if len(s.twins) > 0 {
		twin := s.twins[i]
		return s.d.disturbed(&c.w, &twin, me, writes)
	}
	return 0
}

// stored are the words that one store writes, of one lane after the other.
type stored struct {
	idx, values []uint64
	done        int // so many are in memory
}

// repeats reports whether the k-th word of w leaves the cell at byte off of o as it is, in every order of the threads; from is the word's byte that
// goes there, and earlier the record of the write that left what is there.
func (m *machine) repeats(in *inst, o *object, l int, off, from uint64, w *stored, k int, earlier uint64) bool {
	a := m.p.a
	if a.unsettled[in.src] || a.unsettled[m.c.sites[recordSite(earlier)]] || in.flag != 0 && m.v[in.flag][l] != defined {
		return false
	}
	if k > w.done { // what lanes before this one write comes first
		o.put(in.size, w.idx[w.done:k], w.values[w.done:k])
		w.done = k
	}
	size := uint64(1) << o.shadow.grain
	if o.init != nil && !bytes.Equal(o.init[off:off+size], ones[:size]) {
		return false
	}
	var word [8]byte
	put(word[:], int(in.size), w.values[k])
	return bytes.Equal(o.bytes[off:off+size], word[from:from+size])
}

// writes notes that the lanes in list write values to the words idx of o.
func (s *shadow) writes(m *machine, in *inst, o *object, idx []uint64, list []uint16, values []uint64) {
	s.told()
	if s.local {
		s.unfold(m.time)
	}
	now := uint64(m.time)<<32 | uint64(in.site)
	start := uint64(s.d.start) << 32
	group := uint64(s.d.group) << 32
	const who = (1<<laneBits - 1) << siteBits
	w := stored{idx: idx, values: values}
	if in.size>>s.grain == 1 && s.atomics == nil {
		cells := s.cells[o.cell:]
		for k, l := range list[:len(idx)] {
			c := &cells[idx[k]]
			me := now | uint64(l)<<siteBits
			if c.w < start && c.r2 < start && (c.r1 < start || c.r1 >= group && (c.r1^me)&who == 0) {
				c.w = me
				continue
			}
			s.clash(m, in, o, int(l), idx[k]*uint64(in.size), 0, c, me, &w, k)
		}
		return
	}
	n := uint64(in.size) >> s.grain
	for k, l := range list {
		s.note(m, in, o, int(l), idx[k]*uint64(in.size), n, &w, k)
	}
}

// clash notes a plain write, the k-th of w, that finds something in its cell, the one at byte off of o; from is the byte of the word that goes there.
func (s *shadow) clash(m *machine, in *inst, o *object, l int, off, from uint64, c *cell, me uint64, w *stored, k int) {
	d := s.d
	at := uint64(o.cell) + (off+from)>>s.grain
	earlier := s.writer(c, at, me)
	same := earlier != 0 && m.repeats(in, o, l, off+from, from, w, k, earlier)
	reported := earlier != 0 && !same
	if reported {
		m.race(in, o, l, off, earlier, writes)
	}
	if r := d.disturbed(&c.r1, &c.r2, me, reads); r != 0 {
		m.race(in, o, l, off, r, reads)
		reported = true
	}
	if same {
		if s.twins == nil {
			s.twins = map[uint64]uint64{}
		}
		twin := s.twins[at]
		d.remember(&c.w, &twin, me, writes)
		s.twins[at] = twin
		return
	}
	c.w = me
	if reported {
		c.r1, c.r2 = 0, 0
	}
	if len(s.twins) > 0 {
		delete(s.twins, at)
	}
	if d.messages != nil {
		delete(d.messages.more, &c.w)
		if reported {
			delete(d.messages.more, &c.r1)
		}
	}
}

// read and write note one lane's access.
func (s *shadow) read(m *machine, in *inst, a *access) {
	s.note(m, in, a.o, a.lane, uint64(a.off), uint64(in.size)>>s.grain, nil, 0)
}

func (s *shadow) write(m *machine, in *inst, a *access, v uint64) {
	s.note(m, in, a.o, a.lane, uint64(a.off), uint64(in.size)>>s.grain, &stored{values: []uint64{v}}, 0)
}

// note notes any access to the n cells from byte off of o; a store is of the k-th word of w.
func (s *shadow) note(m *machine, in *inst, o *object, l int, off, n uint64, w *stored, k int) {
	s.told()
	if s.local {
		s.unfold(m.time)
	}
	d := s.d
	me := uint64(m.time)<<32 | uint64(l)<<siteBits | uint64(in.site)
	at := uint64(o.cell) + off>>s.grain
	op := in.src.Op
	for i := at; i < at+n; i++ {
		c := &s.cells[i]
		var x *atomicCell
		if s.atomics != nil {
			x = &s.atomics[i]
		}
		switch {
		case op == ir.Load:
			if r := s.writer(c, i, me); r != 0 {
				m.race(in, o, l, off, r, writes)
			} else if d.unfenced(c.w, me) {
				m.race(in, o, l, off, c.w, writes)
			}
			if x != nil {
				if r := d.disturbed(&x.w1, &x.w2, me, updates); r != 0 {
					m.race(in, o, l, off, r, updates)
				}
			}
			d.remember(&c.r1, &c.r2, me, reads)
		case op == ir.Store:
			if x != nil {
				if r := cmp.Or(d.disturbed(&x.w1, &x.w2, me, updates), d.disturbed(&x.r1, &x.r2, me, reads)); r != 0 {
					m.race(in, o, l, off, r, updates)
				}
			}
			s.clash(m, in, o, l, off, (i-at)<<s.grain, c, me, w, k)
		default:
			if r := s.writer(c, i, me); r != 0 {
				m.race(in, o, l, off, r, writes)
			}
			if op == ir.AtomicLoad {
				d.remember(&x.r1, &x.r2, me, reads)
				break
			}
			if r := d.disturbed(&c.r1, &c.r2, me, reads); r != 0 {
				m.race(in, o, l, off, r, reads)
			}
			d.remember(&x.w1, &x.w2, me, updates)
		}
	}
}

// meets reports whether the accesses that s and o, of two machines of one dispatch, remember disturb one another.
func (s *shadow) meets(o *shadow) bool {
	mine := func(r uint64) bool { return uint32(r>>32) >= s.d.start }
	theirs := func(r uint64) bool { return uint32(r>>32) >= o.d.start }
	for i := range min(len(s.cells), len(o.cells)) {
		a, b := &s.cells[i], &o.cells[i]
		aw, bw := mine(a.w), theirs(b.w)
		ar, br := mine(a.r1) || mine(a.r2), theirs(b.r1) || theirs(b.r2)
		if aw && (bw || br) || bw && ar {
			return true
		}
		if s.atomics == nil {
			continue
		}
		x, y := &s.atomics[i], &o.atomics[i]
		xw, yw := mine(x.w1) || mine(x.w2), theirs(y.w1) || theirs(y.w2)
		xr, yr := mine(x.r1) || mine(x.r2), theirs(y.r1) || theirs(y.r2)
		if aw && (yw || yr) || bw && (xw || xr) || ar && yw || br && xw {
			return true
		}
	}
	return false
}

// shadows are a machine's, kept from dispatch to dispatch: times grow, so that old records are seen to be old.
type shadows struct {
	device, local domain
	texture       domain
	memories      []*shadow // of the Memories that races are looked for in
	variables     []*shadow // of threadgroup memory, by object
	runs          []groupRun
	simds         [3][]uint32
}

// groupRun says when threadgroups started: count of them from first on, each after the same time.
type groupRun struct {
	time, each   uint32
	first, count int64
}

// started notes that threadgroup g starts at time t.
func (s *shadows) started(g int64, t uint32) {
	if n := len(s.runs); n > 0 {
		r := &s.runs[n-1]
		if r.count == 1 && g == r.first+1 {
			r.each, r.count = t-r.time, 2
			return
		}
		if r.count > 1 && g == r.first+r.count && uint64(t) == uint64(r.time)+uint64(r.each)*uint64(r.count) {
			r.count++
			return
		}
	}
	s.runs = append(s.runs, groupRun{time: t, first: g, count: 1})
}

// groupAt returns the threadgroup that ran at time t.
func (s *shadows) groupAt(t uint32) int64 {
	lo, hi := 0, len(s.runs)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; s.runs[mid].time <= t {
			lo = mid
		} else {
			hi = mid
		}
	}
	r := &s.runs[lo]
	if r.count == 1 {
		return r.first
	}
	return r.first + min(int64((t-r.time)/r.each), r.count-1)
}

// ready makes s hold n cells.
func (s *shadow) ready(n int64, atomics bool) {
	if int64(len(s.cells)) < n {
		s.cells = make([]cell, n)
	}
	if atomics && int64(len(s.atomics)) < n {
		s.atomics = make([]atomicCell, n)
	}
	if !atomics {
		s.atomics = nil
	}
}

// span is an access to neighbouring cells by neighbouring lanes since the last barrier.
type span struct {
	first, n int // cells
	lane     int // that accesses the first
	record   uint64
	write    bool
}

// maxSpans is the number of spans that are compared with one another, before they are written into cells.
const maxSpans = 12

// readSpan and writeSpan note that the active lanes, a range, access n neighbouring words from j on.
func (s *shadow) readSpan(m *machine, in *inst, o *object, j, n int) {
	if s.brief(in) && s.spanned(m, in, o, span{j, n, m.act.lo, uint64(m.time)<<32 | uint64(in.site), false}) {
		return
	}
	idx := m.idx[:n]
	for k := range idx {
		idx[k] = uint64(j + k)
	}
	s.reads(m, in, o, idx, m.iota[m.act.lo:m.act.hi])
}

func (s *shadow) writeSpan(m *machine, in *inst, o *object, j, n int, values []uint64) {
	if s.brief(in) && s.spanned(m, in, o, span{j, n, m.act.lo, uint64(m.time)<<32 | uint64(in.site), true}) {
		return
	}
	idx := m.idx[:n]
	for k := range idx {
		idx[k] = uint64(j + k)
	}
	s.writes(m, in, o, idx, m.iota[m.act.lo:m.act.hi], values)
}

// brief reports whether spans suffice: in threadgroup memory, which is forgotten at a barrier, if nothing but spans has accessed it
// since.
func (s *shadow) brief(in *inst) bool {
	return s.local && s.atomics == nil && s.d.simd == nil && s.d.messages == nil && in.size>>s.grain == 1 && s.touched < s.d.epoch
}

// spanned compares x with the spans since the last barrier, and reports whether that suffices: of two writes the bits have to be compared. Two that
// overlap are of the same lane in every cell, or of two lanes in every one.
func (s *shadow) spanned(m *machine, in *inst, o *object, x span) bool {
	if s.since != s.d.epoch {
		s.since, s.spans = s.d.epoch, s.spans[:0]
	}
	for i := range s.spans {
		y := &s.spans[i]
		if !x.write && !y.write {
			if *y == x {
				return true
			}
			continue
		}
		lo, hi := max(x.first, y.first), min(x.first+x.n, y.first+y.n)
		if lo >= hi || x.lane-x.first == y.lane-y.first {
			continue
		}
		if x.write && y.write {
			return false
		}
		did := reads
		if y.write {
			did = writes
		}
		m.race(in, o, x.lane+lo-x.first, uint64(lo)*uint64(in.size), y.record|uint64(y.lane+lo-y.first)<<siteBits, did)
	}
	s.spans = append(s.spans, x)
	if len(s.spans) == maxSpans {
		s.unfold(m.time)
	}
	return true
}

// unfold writes the spans since the last barrier into cells.
func (s *shadow) unfold(now uint32) {
	if s.since == s.d.epoch {
		for _, x := range s.spans {
			for k := range x.n {
				c := &s.cells[x.first+k]
				me := x.record | uint64(x.lane+k)<<siteBits
				if x.write {
					c.w = me
				} else {
					s.d.remember(&c.r1, &c.r2, me, reads)
				}
			}
		}
	}
	s.spans = s.spans[:0]
	s.touched = now
}
