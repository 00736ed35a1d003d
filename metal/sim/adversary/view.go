package adversary

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
)

// view is the memory that the object number of a pointer names in a lockstep run.
type view struct {
	b, init []byte // as in object
	want    bool   // loads look at init
	fixed   bool
	own     bool // each thread has its own, of which b is that of all threads, from thread 0's first byte on
	size    int  // of what one thread sees
	base    uint64
	cells   []cell // from memory's first grain on; nil where no thread writes, or no other thread reads
	floor   uint32
	fresh   bool           // what was not written since floor holds anything
	mem     *engine.Memory // whose pages are to be saved
	pages   []uint32
}

// views makes the views of a dispatch, and reports whether it can be watched.
func (t *lockstep) views() bool {
	m, w := t.m, t.w
	threads := m.groups
	if n, _ := product(m.d.Group); threads < 1<<30 {
		threads *= n
	}
	limit := uint64(grainsMore) + grainsEach*min(threads, 1<<30)
	grains, pages := uint64(m.perGroup>>t.grain+1), uint64(0)
	type place struct{ grain, page uint64 }
	places := map[*engine.Memory]place{}
	for i := range m.p.k.Buffers {
		mem := m.d.Args[i].Mem
		if mem == nil || !m.objects[i+1].shared {
			continue
		}
		if _, ok := places[mem]; ok {
			continue
		}
		for j := range m.p.k.Buffers {
			if other := m.d.Args[j].Mem; other != nil && other != mem && overlap(mem, other) {
				return false
			}
		}
		places[mem] = place{grains, pages}
		grains += uint64(len(mem.Bytes))>>t.grain + 1
		pages += uint64(len(mem.Bytes))>>pageBits + 1
	}
	if grains > limit || grains > 1<<28 {
		return false
	}
	w.begin(int(grains), int(pages))
	t.seen = sized(t.seen, len(m.objects))
	for i := range m.objects {
		o := &m.objects[i]
		v := view{b: o.b, init: o.init, want: o.want != nil, fixed: o.fixed, size: len(o.b), base: o.base}
		switch {
		case !o.held:
			v = view{}
		case o.space == ir.Thread:
			v.own, v.size = true, m.size(i)
		case o.space == ir.Threadgroup:
			v.size = m.size(i)
			v.cells = w.cells[m.layout[i]>>t.grain:]
		case o.shared:
			mem := m.d.Args[i-1].Mem
			at := places[mem]
			v.mem, v.cells, v.pages, v.floor = mem, w.cells[at.grain:], w.pages[at.page:], w.run
		}
		t.seen[i] = v
	}
	return true
}

// reach describes an instruction's access to memory.
type reach struct {
	size    uint64
	align   uint64 // less 1
	mask    uint64
	cells   int // grains
	wide    bool
	signed  bool
	scale   uint64
	imm     uint64
	threads uint64 // bytes from one thread's memory to the next's
}

// reach describes the access of instruction pc, and reports whether lockstep runs can make it.
func (t *lockstep) reach(x *inst, pc int32) (r reach, ok bool) {
	in := t.m.p.flat[t.asm.from[pc]].in
	size, align := in.Type.Size(), alignment(in)
	return reach{
		size: uint64(size), align: align - 1, mask: in.Type.Mask(), cells: max(1, size>>t.grain), wide: x.d&wide != 0,
		signed: x.d&signed32 != 0, scale: uint64(uint32(x.target)), imm: x.imm, threads: uint64(t.m.perThread),
	}, size > 0 && align > 0 && align&(align-1) == 0
}

// load runs a load, and reports whether it could.
func (t *lockstep) load(x *inst, pc int32) bool {
	r, ok := t.reach(x, pc)
	if !ok {
		return false
	}
	who := t.active
	if t.allUniform(x.a, x.b) {
		k := t.row(x.a, firstLane[0])[0] >> ir.OffsetBits
		if k >= uint64(len(t.seen)) {
			return false
		}
		if v := &t.seen[k]; v.cells == nil && !v.own {
			who = firstLane
			t.kinds[x.dst] = uniform
		}
	}
	if v := t.plain(x, &r); v != nil {
		if r.size == 4 {
			return loadWords[uint32](t, x, &r, v)
		}
		return loadWords[uint64](t, x, &r, v)
	}
	if len(who) != 1 || who[0] != firstLane[0] || t.kinds[x.dst] != uniform {
		t.replicate(x.a)
		t.replicate(x.b)
		t.prepare(x.dst)
	}
	w := t.w
	last, v := uint64(math.MaxUint64), (*view)(nil)
	var b []byte
	for _, s := range who {
		d, ps, is := t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s)
		ps, is = ps[:len(d)], is[:len(d)]
		for i := range d {
			p, index := ps[i], is[i]
			if k := p >> ir.OffsetBits; k != last {
				if k >= uint64(len(t.seen)) {
					return false
				}
				last, v = k, &t.seen[k]
				b = v.b
			}
			if r.signed {
				index = uint64(int64(int32(index)))
			}
			off := (p + index*r.scale + r.imm) & offsetMask
			if r.wide {
				off = uint64(far(x, p, is[i])) & offsetMask
			}
			if off+r.size > uint64(v.size) || (off+v.base)&r.align != 0 {
				return false
			}
			if v.cells != nil {
				me, at := w.base+uint32(s.lo+i), (off+v.base)>>t.grain
				for c := range r.cells {
					c := &v.cells[at+uint64(c)]
					if !w.reads(c, me, v.floor) || v.fresh && c.write < v.floor {
						return false
					}
				}
			} else if v.own {
				off += uint64(s.lo+i) * r.threads
			}
			if v.want && x.op != opSoft && !written(v.init[off:off+r.size]) && !t.lose() {
				return false
			}
			switch r.size {
			case 4:
				d[i] = uint64(binary.LittleEndian.Uint32(b[off:]))
			case 8:
				d[i] = binary.LittleEndian.Uint64(b[off:])
			default:
				d[i] = get(b[off:], int(r.size)) & r.mask
			}
		}
	}
	return true
}

// lose notes that a load met what is undefined, and has no flag. It reports whether nothing uses that: then the run may go on.
func (t *lockstep) lose() bool {
	t.m.lost = !t.m.p.memory
	return !t.m.lost
}

// plain returns the view of an access of all threads to words of 4 or 8 bytes, in one grain each, in one memory that they share, by indices that
// differ; nil if it is another one.
func (t *lockstep) plain(x *inst, r *reach) *view {
	if r.size < 4 || r.cells != 1 || r.wide || r.align < r.size-1 || t.kinds[x.a] < uniform || t.kinds[x.b] >= uniform || x.op == opSoft {
		return nil
	}
	k := t.rows[int(x.a)*t.width] >> ir.OffsetBits
	if k >= uint64(len(t.seen)) || t.seen[k].own {
		return nil
	}
	return &t.seen[k]
}

// word is what plain accesses are about.
type word interface{ uint32 | uint64 }

// wordAt reads a word at the start of b, and putWord writes one; ones is the word of bytes that are all 1.
func wordAt[T word](b []byte) T {
	if ^T(0) == math.MaxUint32 {
		return T(binary.LittleEndian.Uint32(b))
	}
	return T(binary.LittleEndian.Uint64(b))
}

func putWord[T word](b []byte, v T) {
	if ^T(0) == math.MaxUint32 {
		binary.LittleEndian.PutUint32(b, uint32(v))
		return
	}
	binary.LittleEndian.PutUint64(b, uint64(v))
}

func ones[T word]() T { return ^T(0) / 0xff }

// loadWords is load for plain accesses.
func loadWords[T word](t *lockstep, x *inst, r *reach, v *view) bool {
	start := t.rows[int(x.a)*t.width] + r.imm
	t.prepare(x.dst)
	w, b, size, grain, floor, signed, scale, align := t.w, v.b, uint64(v.size), t.grain, v.floor, r.signed, r.scale, r.align
	bytes, cells := r.size, v.cells
	for _, s := range t.active {
		d, is := t.row(x.dst, s), t.row(x.b, s)
		is = is[:len(d)]
		me := w.base + uint32(s.lo)
		for i := range d {
			index := is[i]
			if signed {
				index = uint64(int64(int32(index)))
			}
			off := (start + index*scale) & offsetMask
			if off+bytes > size || (off+v.base)&align != 0 {
				return false
			}
			if cells != nil {
				c := &cells[(off+v.base)>>grain]
				if !w.reads(c, me, floor) || v.fresh && c.write < floor {
					return false
				}
			}
			if v.want && wordAt[T](v.init[off:]) != ones[T]() && !t.lose() {
				return false
			}
			d[i] = uint64(wordAt[T](b[off:]))
			me++
		}
	}
	return true
}

// storeWords is store for plain accesses.
func storeWords[T word](t *lockstep, x *inst, r *reach, v *view) bool {
	start := t.rows[int(x.a)*t.width] + r.imm
	t.replicate(x.c)
	w, b, size, grain, floor, signed, scale, align := t.w, v.b, uint64(v.size), t.grain, v.floor, r.signed, r.scale, r.align
	bytes := r.size
	for _, s := range t.active {
		vs, is := t.row(x.c, s), t.row(x.b, s)
		is = is[:len(vs)]
		me := w.base + uint32(s.lo)
		for i := range vs {
			index := is[i]
			if signed {
				index = uint64(int64(int32(index)))
			}
			off := (start + index*scale) & offsetMask
			if off+bytes > size || (off+v.base)&align != 0 {
				return false
			}
			at := off + v.base
			c := &v.cells[at>>grain]
			if !w.writes(c, me, floor) && !(v.holds(off, bytes, vs[i]) && w.repeats(c, me, floor)) {
				return false
			}
			if v.mem != nil { // an aligned word is in one page
				if page := &v.pages[at>>pageBits]; *page != w.run {
					*page = w.run
					w.keep(v.mem, int(at))
				}
			}
			putWord(b[off:], T(vs[i]))
			if v.init != nil {
				putWord(v.init[off:], ones[T]())
			}
			me++
		}
	}
	return true
}

// holds reports whether the size bytes at off have a value, the low ones of x.
func (v *view) holds(off, size, x uint64) bool {
	var word [8]byte
	put(word[:], int(size), x)
	return bytes.Equal(v.b[off:off+size], word[:size]) && (v.init == nil || written(v.init[off:off+size]))
}

// written reports whether all bytes are defined.
func written(init []byte) bool {
	for _, v := range init {
		if v != ir.Written {
			return false
		}
	}
	return true
}

// store runs a store, and reports whether it could.
func (t *lockstep) store(x *inst, pc int32) bool {
	r, ok := t.reach(x, pc)
	if !ok {
		return false
	}
	if v := t.plain(x, &r); v != nil && v.cells != nil && !v.fixed {
		if r.size == 4 {
			return storeWords[uint32](t, x, &r, v)
		}
		return storeWords[uint64](t, x, &r, v)
	}
	t.replicate(x.a)
	t.replicate(x.b)
	t.replicate(x.c)
	w := t.w
	last, v := uint64(math.MaxUint64), (*view)(nil)
	for _, s := range t.active {
		vs, ps, is := t.row(x.c, s), t.row(x.a, s), t.row(x.b, s)
		ps, is = ps[:len(vs)], is[:len(vs)]
		for i := range vs {
			p, index := ps[i], is[i]
			if k := p >> ir.OffsetBits; k != last {
				if k >= uint64(len(t.seen)) {
					return false
				}
				last, v = k, &t.seen[k]
				if v.fixed || v.cells == nil && !v.own {
					return false
				}
			}
			if r.signed {
				index = uint64(int64(int32(index)))
			}
			off := (p + index*r.scale + r.imm) & offsetMask
			if r.wide {
				off = uint64(far(x, p, is[i])) & offsetMask
			}
			if off+r.size > uint64(v.size) || (off+v.base)&r.align != 0 {
				return false
			}
			if v.own {
				off += uint64(s.lo+i) * r.threads
			} else {
				me, at := w.base+uint32(s.lo+i), (off+v.base)>>t.grain
				for c := range r.cells {
					c := &v.cells[at+uint64(c)]
					if !w.writes(c, me, v.floor) && !(v.holds(off, r.size, vs[i]) && w.repeats(c, me, v.floor)) {
						return false
					}
				}
				if v.mem != nil {
					at := off + v.base
					for _, page := range [...]uint64{at >> pageBits, (at + r.size - 1) >> pageBits} {
						if v.pages[page] != w.run {
							v.pages[page] = w.run
							w.keep(v.mem, int(page<<pageBits))
						}
					}
				}
			}
			switch r.size {
			case 4:
				binary.LittleEndian.PutUint32(v.b[off:], uint32(vs[i]))
			case 8:
				binary.LittleEndian.PutUint64(v.b[off:], vs[i])
			default:
				put(v.b[off:], int(r.size), vs[i])
			}
			if v.init != nil {
				for k := range r.size {
					v.init[off+k] = 1
				}
			}
		}
	}
	return true
}

// valued reports whether all bytes of values with the flags a have one.
func (t *lockstep) valued(x *inst) bool {
	if t.kinds[x.a] >= uniform {
		return t.row(x.a, firstLane[0])[0] == defined
	}
	for _, s := range t.active {
		for _, v := range t.row(x.a, s) {
			if v != defined {
				return false
			}
		}
	}
	return true
}

// marks returns the marks of the bytes that instruction pc is about in thread i, nil if there are none, and its view.
func (t *lockstep) marks(x *inst, r *reach, i int) (v *view, marks []byte, ok bool) {
	one := lanes{i, i + 1}
	p, index := t.row(x.a, one)[0], t.row(x.b, one)[0]
	k := p >> ir.OffsetBits
	if k >= uint64(len(t.seen)) {
		return nil, nil, false
	}
	v = &t.seen[k]
	off := offset(x, p, index)
	if off+r.size > uint64(v.size) || (off+v.base)&r.align != 0 {
		return nil, nil, false
	}
	if v.own {
		off += uint64(i) * r.threads
	}
	if v.init != nil {
		marks = v.init[off : off+r.size]
	}
	return v, marks, true
}

// absent finds the flags of what a load is about to give, and reports whether it could.
func (t *lockstep) absent(x *inst, pc int32) bool {
	r, ok := t.reach(x, pc)
	if !ok {
		return false
	}
	t.replicate(x.a)
	t.replicate(x.b)
	t.prepare(x.dst)
	for _, s := range t.active {
		d := t.row(x.dst, s)
		for i := range d {
			_, marks, ok := t.marks(x, &r, s.lo+i)
			if !ok {
				return false
			}
			d[i], _ = absence(marks, byte(x.c))
		}
	}
	return true
}

// shares reports whether another thread than thread i, too, has written what instruction x is about in it.
func (t *lockstep) shares(x *inst, r *reach, v *view, i int) bool {
	if v.cells == nil {
		return false
	}
	one := lanes{i, i + 1}
	at := (offset(x, t.row(x.a, one)[0], t.row(x.b, one)[0]) + v.base) >> t.grain
	return slices.ContainsFunc(v.cells[at:at+uint64(r.cells)], func(c cell) bool { return c.write != t.w.base+uint32(i) })
}

// pass passes flags on to the marks of what was stored, and reports whether it could: the host may see those of device memory.
func (t *lockstep) pass(x *inst, pc int32) bool {
	if t.kinds[x.c] >= uniform && t.row(x.c, firstLane[0])[0] == defined {
		return true
	}
	r, ok := t.reach(x, pc)
	if !ok {
		return false
	}
	t.replicate(x.a)
	t.replicate(x.b)
	t.replicate(x.c)
	for _, s := range t.active {
		for i, flag := range t.row(x.c, s) {
			if flag == defined {
				continue
			}
			v, marks, ok := t.marks(x, &r, s.lo+i)
			if !ok || v.mem != nil || t.shares(x, &r, v, s.lo+i) {
				return false
			}
			lay(marks, flag)
		}
	}
	return true
}
