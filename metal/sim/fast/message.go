package fast

import (
	"cmp"
	"slices"

	"gamma/metal/msl/ir"
)

// messages are what fences and atomic operations order, of one machine. As in C++, a fence of one thread comes before a fence of another, and with it what comes
// before the first and after the second, if the first thread changes an atomic object after its fence, and the second reads that value before its fence, or one
// that later updates made of it (the release sequence). Both fences need a scope that holds both threads, and order the memories alone that both name.
//
// The specification says this of it. Atomic operations are a subset of C++17's (§6.15) and all relaxed, so that they order nothing by themselves (§6.15.1). A fence "establishes memory
// synchronization ordering of nonatomic and relaxed atomic accesses"; it is an acquire and a release if its order is memory_order_seq_cst, has no effect if that is
// memory_order_relaxed, and "operates on" the memories that its flags name (§6.15.3). Its scope is "the set of threads with which this operation may synchronize" (§6.15.2). With it
// "everything that happens before a store operation in one thread becomes a visible side effect in the thread that performs the load" (§6.15.1): so what the first thread knows of others is
// handed on, too. A barrier "ensures the correct memory is in the correct order between threads" that wait at it (§6.9.1). A thread may observe stores of another threadgroup in memory of
// device coherence alone, however it synchronises (§4.8), and of its own to a texture after a fence (§6.12.17).
//
// What it does not settle is taken to be so:
//   - A fence need not name the memory of the atomic object, and that need not be coherent(device) for other threadgroups to see its changes.
//   - Scopes are judged by both fences: that of each holds the other's thread. thread_scope_thread orders no two threads.
//   - What happens before what is a relation for each kind of memory: a fence of device memory hands on nothing about threadgroup memory that was ordered by another fence.
//   - A barrier is no fence to threads that do not wait at it, whatever its flags, and takes no part in release sequences. It has no scope; an argument for one, which later compilers take, is ignored.
//   - Where memory has threadgroup coherence, a load of one threadgroup and a later store of another are ordered by fences, since the load need not see the store. Two stores are not.
//   - The single total order of memory_order_seq_cst orders no plain accesses.
//
// TestRacesOfAllPrograms and TestRacesOfDrawnPrograms compare all this with the definition, computed anew.
//
// Source:  [MSL 4.0] §4.8, §6.9.1, §6.15; [C++17] [atomics.fences], [intro.races].
type messages struct {
	objects map[atomicAt]*handed
	lanes   []messenger
	chains  int
	shadows *shadows
	apart   bool // what is accessed is not coherent
	// more holds the records that two do not suffice for, since accesses of different threadgroups may be ordered; by the first of the two.
	more map[*uint64][]uint64
}

// Scopes of fences, each with those below it. They count differently in ir.FenceScope.
const (
	simdScope = iota
	groupScope
	deviceScope
	scopes
)

// memories are those that flags name: device, threadgroup and texture.
const memories = 3

// atomicAt is an atomic object.
type atomicAt struct {
	s    *shadow
	cell uint64
}

// handed is what an atomic object hands on, by scope: to all, to the threadgroup that runs, and to its simdgroups.
type handed struct {
	device, group *chain
	simd          []*chain
	start         uint32 // of the threadgroup that group and simd are of
}

// chain is a release sequence: fences before the changes of an atomic object.
type chain struct {
	number int
	list   []*release
	known  [][memories]knowledge // of the first, the first two, … together
}

// release is a fence of a lane, at some time in each memory, 0 where it does not order that, and what was ordered before it.
type release struct {
	lane, width int
	start       uint32 // of the threadgroup
	at          [memories]point
}

// point is a time: all that the lane did before it, its simdgroup before simd and its threadgroup before epoch comes before.
type point struct{ time, epoch, simd uint32 }

// reach is the first n of a chain. A knowledge has one for each chain, by their numbers.
type reach struct {
	c *chain
	n int
}

type knowledge []reach

// messenger is one lane.
type messenger struct {
	pending [scopes]knowledge // chains that it has read from, for the next fence
	known   [memories]knowledge
	fence   [scopes]*release // the last one of at least that scope
	before  [scopes][memories]knowledge
}

// with returns all of k and l.
func (k knowledge) with(l knowledge) knowledge {
	switch {
	case len(l) == 0:
		return k
	case len(k) == 0:
		return l
	}
	out := make(knowledge, 0, len(k)+len(l))
	for len(k) > 0 && len(l) > 0 {
		switch c := cmp.Compare(k[0].c.number, l[0].c.number); {
		case c < 0:
			out, k = append(out, k[0]), k[1:]
		case c > 0:
			out, l = append(out, l[0]), l[1:]
		default:
			out, k, l = append(out, reach{k[0].c, max(k[0].n, l[0].n)}), k[1:], l[1:]
		}
	}
	return append(append(out, k...), l...)
}

// covers reports whether what k knows of a memory comes after the record r.
func (k knowledge) covers(memory int, r uint64) bool {
	t, lane := uint32(r>>32), recordLane(r)
	for _, x := range k {
		list := x.c.list[:x.n]
		i, _ := slices.BinarySearchFunc(list, t+1, func(f *release, t uint32) int { return cmp.Compare(f.start, t) })
		for j := i - 1; j >= 0 && list[j].start == list[i-1].start; j-- { // those of the threadgroup that ran then
			f, p := list[j], list[j].at[memory]
			if t < p.time && (lane == f.lane || t < p.epoch || lane/f.width == f.lane/f.width && t < p.simd) {
				return true
			}
		}
	}
	return false
}

// begin makes all ready for a threadgroup of so many lanes.
func (x *messages) begin(lanes int) {
	x.lanes = slices.Grow(x.lanes[:0], lanes)[:lanes]
	clear(x.lanes)
}

// domains returns what is remembered of time in each memory.
func (s *shadows) domains() [memories]*domain {
	return [memories]*domain{&s.device, &s.local, &s.texture}
}

// fence runs a fence of lane l at time t.
func (x *messages) fence(in *ir.Instr, l int, t uint32) {
	me := &x.lanes[l]
	top := deviceScope - ir.FenceScope(in.Imm)
	if top < 0 {
		return
	}
	f := &release{lane: l, start: x.shadows.device.group}
	for i, d := range x.shadows.domains() {
		f.width = d.width
		if in.Imm>>i&1 == 0 {
			continue
		}
		for _, p := range me.pending[:top+1] {
			me.known[i] = me.known[i].with(p)
			for _, r := range p {
				me.known[i] = me.known[i].with(r.c.known[r.n-1][i])
			}
		}
		f.at[i] = point{time: t, epoch: d.epoch}
		if d.simd != nil {
			f.at[i].simd = d.simd[l/d.width]
		}
	}
	for s := range top + 1 {
		g := f
		if old := me.fence[s]; old != nil { // what this one does not order, that before it does
			both := *f
			for i := range both.at {
				if both.at[i].time == 0 {
					both.at[i] = old.at[i]
				}
			}
			g = &both
		}
		me.fence[s] = g
		for i := range memories {
			if f.at[i].time != 0 {
				me.before[s][i] = me.known[i]
			}
		}
	}
}

// atomic notes that lane l reads an atomic object, changes it, or updates it, which is both.
func (x *messages) atomic(at atomicAt, l int, reads, changes bool) {
	me := &x.lanes[l]
	o := x.objects[at]
	if o == nil {
		if !changes {
			return
		}
		o = &handed{}
		if x.objects == nil {
			x.objects = map[atomicAt]*handed{}
		}
		x.objects[at] = o
	}
	d := &x.shadows.device
	if o.start != d.group {
		o.group, o.simd, o.start = nil, make([]*chain, (len(x.lanes)-1)/d.width+1), d.group
	}
	if !reads { // the release sequence begins anew
		o.group, o.device = nil, nil
		clear(o.simd)
	}
	for s, c := range [scopes]**chain{&o.simd[l/d.width], &o.group, &o.device} {
		if *c != nil {
			me.pending[s] = me.pending[s].with(knowledge{{*c, len((*c).list)}})
		}
		if !changes || me.fence[s] == nil {
			continue
		}
		if *c == nil {
			x.chains++
			*c = &chain{number: x.chains}
		}
		(*c).add(me.fence[s], me.before[s])
	}
}

// add appends a fence before which something was known.
func (c *chain) add(f *release, before [memories]knowledge) {
	n := len(c.list)
	if n > 0 && c.list[n-1] == f {
		return
	}
	if n > 0 {
		for i, k := range c.known[n-1] {
			before[i] = k.with(before[i])
		}
	}
	c.list, c.known = append(c.list, f), append(c.known, before)
}

// barrier notes that lanes from lo to hi wait for one another, and see then what each of them knows of a memory.
func (x *messages) barrier(memory, lo, hi int) {
	var all, last knowledge
	for l := lo; l < hi; l++ {
		if k := x.lanes[l].known[memory]; len(k) > 0 && (len(last) != len(k) || &k[0] != &last[0]) {
			all, last = all.with(k), k
		}
	}
	for l := lo; l < hi; l++ {
		x.lanes[l].known[memory] = all
	}
}
