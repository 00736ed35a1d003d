package fast

import (
	"bytes"
	"encoding/binary"

	"gamma/metal/msl/ir"
)

// access returns how in, a load, store or atomic, is run.
func (g *generator) access(in *ir.Instr) func(m *machine, x *inst) {
	switch {
	case isAtomic(in.Op):
		return runAtomic
	case g.spans(in) && in.Op == ir.Store:
		return runStoreSpan
	case g.spans(in):
		return runLoadSpan
	case in.Op == ir.Store:
		return runStore
	case !g.vec[in.Dst]:
		return runLoadOne
	}
	return runLoad
}

// resolve finds where the active lanes' accesses of in go: m.idx[k] is the index, in units of the access's size, into the views of
// the object that it returns. It returns nil if the lanes have to be looked at one by one: where one is out of bounds or misaligned,
// or the lanes use several objects, or the object has no view.
func (m *machine) resolve(in *inst, list []uint16) *object {
	if !in.short {
		return nil
	}
	i := in.src
	idx := m.idx[:len(list)]
	size, lg := int64(in.size), in.lg
	low := max(size, int64(in.align)) - 1 // bits that are 0 in addresses
	scale, imm := int64(i.Scale), int64(i.Imm)
	if in.vec&1 != 0 {
		return m.resolvePointers(in, list)
	}
	p := ir.Pointer(m.v[in.a][0])
	k := p.Object()
	if uint(k) >= uint(len(m.objects)) {
		return nil
	}
	o := &m.objects[k]
	limit := o.words.length(in.size)
	if o.stride != 0 && limit > 0 {
		limit = uint64(o.size >> lg)
	}
	off := p.Offset() + imm
	if in.vec&2 == 0 { // one address
		if i.B != 0 {
			off = in.src.Address(uint64(p), m.v[in.b][0]).Offset()
		}
		j := uint64(off) >> lg
		if (off+o.base)&low != 0 || off&(size-1) != 0 || off < 0 || j >= limit {
			return nil
		}
		if o.stride != 0 {
			step := uint64(o.stride >> lg)
			for k, l := range list {
				idx[k] = j + uint64(l)*step
			}
			return o
		}
		for k := range idx {
			idx[k] = j
		}
		return o
	}
	if (off+o.base)&low != 0 || off&(size-1) != 0 || scale&low != 0 {
		return nil
	}
	if in.span {
		m.written(in.b)
	}
	b := m.v[in.b]
	first, step := uint64(off>>lg), uint64(scale>>lg)
	bad := i.From.Size() == 8 && !m.shortIndices(b)
	switch dense := m.act.list == nil; {
	case dense && i.From != ir.I32 && step == 1:
		b := b[m.act.lo:m.act.hi][:len(idx)]
		for k := range idx {
			j := first + b[k]
			bad = bad || j >= limit
			idx[k] = j
		}
	case dense && i.From != ir.I32:
		b := b[m.act.lo:m.act.hi][:len(idx)]
		for k := range idx {
			j := first + b[k]*step
			bad = bad || j >= limit
			idx[k] = j
		}
	case i.From != ir.I32:
		for k, l := range list {
			j := first + b[l]*step
			bad = bad || j >= limit
			idx[k] = j
		}
	default:
		for k, l := range list {
			j := first + uint64(int64(int32(b[l])))*step
			bad = bad || j >= limit
			idx[k] = j
		}
	}
	if bad {
		return nil
	}
	m.copies(o, lg, list)
	return o
}

// shortIndices reports whether ir.ShortIndex holds for the active lanes' indices b.
func (m *machine) shortIndices(b []uint64) bool {
	if m.act.list == nil {
		for _, v := range b[m.act.lo:m.act.hi] {
			if !ir.ShortIndex(v) {
				return false
			}
		}
		return true
	}
	for _, l := range m.act.list {
		if !ir.ShortIndex(b[l]) {
			return false
		}
	}
	return true
}

// copies moves indices into thread memory to each lane's own copy.
func (m *machine) copies(o *object, lg uint8, list []uint16) {
	if o.stride == 0 {
		return
	}
	step := uint64(o.stride >> lg)
	for k, l := range list {
		m.idx[k] += uint64(l) * step
	}
}

// resolvePointers is resolve for pointers that differ between lanes.
func (m *machine) resolvePointers(in *inst, list []uint16) *object {
	i := in.src
	size, lg := int64(in.size), in.lg
	low := uint64(max(size, int64(in.align)) - 1)
	a := m.v[in.a]
	k := ir.Pointer(a[list[0]]).Object()
	if uint(k) >= uint(len(m.objects)) {
		return nil
	}
	o := &m.objects[k]
	limit := o.words.length(in.size)
	if o.stride != 0 && limit > 0 {
		limit = uint64(o.size >> lg)
	}
	if uint64(o.base)&low != 0 {
		return nil
	}
	tag := uint64(k+1) << ir.OffsetBits
	bad := false
	for k, l := range list {
		p := a[l]
		q := p
		switch {
		case i.B == 0:
			q += i.Imm
		case in.vec&2 == 0:
			q = uint64(i.Address(p, m.v[in.b][0]))
		default:
			q = uint64(i.Address(p, m.v[in.b][l]))
		}
		off := (q - tag) & (1<<ir.OffsetBits - 1)
		j := off >> lg
		bad = bad || p&^(1<<ir.OffsetBits-1) != tag || off&low != 0 || j >= limit
		m.idx[k] = j
	}
	if bad {
		return nil
	}
	m.copies(o, lg, list)
	return o
}

// span returns the object and the first of the neighbouring words that the active lanes access, -1 if they do not or if there is more to
// be looked at.
func (m *machine) span(in *inst) (o *object, first int) {
	base := m.base[in.b]
	if base == noBase || m.act.list != nil || !in.short || !ir.ShortIndex(base) {
		return nil, -1
	}
	p := ir.Pointer(m.v[in.a][0])
	k := p.Object()
	if uint(k) >= uint(len(m.objects)) {
		return nil, -1
	}
	o = &m.objects[k]
	size := int64(in.size)
	off := p.Offset() + int64(in.src.Imm)
	if (off|(off+o.base))&(size-1) != 0 || int64(in.align) > size || o.stride != 0 {
		return nil, -1
	}
	j := off>>in.lg + int64(base) + int64(m.act.lo)
	if j < 0 || j+int64(m.act.hi-m.act.lo) > int64(o.words.length(in.size)) {
		return nil, -1
	}
	return o, int(j)
}

// runLoadSpan loads neighbouring words.
func runLoadSpan(m *machine, in *inst) {
	o, j := m.span(in)
	n := m.act.hi - m.act.lo
	if j < 0 || o.want != nil && !o.known.whole(in.size, j, n) {
		m.written(in.b)
		runLoad(m, in)
		return
	}
	if o.shadow != nil {
		o.shadow.readSpan(m, in, o, j, n)
	}
	d := m.v[in.dst][m.act.lo:m.act.hi]
	switch in.size {
	case 1:
		lift(d, o.words.u8[j:j+n])
		if in.src.Type == ir.Bool {
			for i := range d {
				d[i] &= 1
			}
		}
	case 2:
		lift(d, o.words.u16[j:j+n])
	case 4:
		lift(d, o.words.u32[j:j+n])
	default:
		copy(d, o.words.u64[j:j+n])
	}
}

// lift copies words into registers, which are wider; lower copies them back. Both take eight at a time, which is twice as fast.
func lift[T uint8 | uint16 | uint32](d []uint64, v []T) {
	v = v[:len(d)]
	for len(d) >= 8 && len(v) >= 8 {
		x, y := (*[8]uint64)(d), (*[8]T)(v)
		x[0], x[1], x[2], x[3] = uint64(y[0]), uint64(y[1]), uint64(y[2]), uint64(y[3])
		x[4], x[5], x[6], x[7] = uint64(y[4]), uint64(y[5]), uint64(y[6]), uint64(y[7])
		d, v = d[8:], v[8:]
	}
	for i := range d {
		d[i] = uint64(v[i])
	}
}

func lower[T uint8 | uint16 | uint32](v []T, c []uint64) {
	c = c[:len(v)]
	for len(c) >= 8 && len(v) >= 8 {
		x, y := (*[8]T)(v), (*[8]uint64)(c)
		x[0], x[1], x[2], x[3] = T(y[0]), T(y[1]), T(y[2]), T(y[3])
		x[4], x[5], x[6], x[7] = T(y[4]), T(y[5]), T(y[6]), T(y[7])
		c, v = c[8:], v[8:]
	}
	for i := range v {
		v[i] = T(c[i])
	}
}

// runStoreSpan stores neighbouring words.
func runStoreSpan(m *machine, in *inst) {
	o, j := m.span(in)
	n := m.act.hi - m.act.lo
	if j < 0 || o.fixed || in.vec&4 == 0 || m.lacks(in) || o.init != nil && o.known.length(in.size) == 0 {
		m.written(in.b)
		runStore(m, in)
		return
	}
	c := m.v[in.c][m.act.lo:m.act.hi]
	if o.shadow != nil {
		o.shadow.writeSpan(m, in, o, j, n, c)
	}
	switch in.size {
	case 1:
		lower(o.words.u8[j:j+n], c)
	case 2:
		lower(o.words.u16[j:j+n], c)
	case 4:
		lower(o.words.u32[j:j+n], c)
	default:
		copy(o.words.u64[j:j+n], c)
	}
	if o.init != nil {
		at := j * int(in.size)
		copy(o.init[at:at+n*int(in.size)], ones)
	}
}

// ones has as many bytes as a threadgroup accesses in one instruction.
var ones = bytes.Repeat([]byte{1}, 8*MaxThreads)

// whole reports whether the n words from j were written.
func (w *words) whole(size uint8, j, n int) bool {
	at, end := j*int(size), (j+n)*int(size)
	return end <= len(w.u8) && bytes.Equal(w.u8[at:end], ones[:end-at])
}

// runLoad loads a value for each lane.
func runLoad(m *machine, in *inst) {
	list := m.all(&m.act)
	o := m.resolve(in, list)
	if o == nil || o.want != nil && !o.known.all(in.size, m.idx[:len(list)]) {
		m.loadSlowly(in, list)
		return
	}
	idx := m.idx[:len(list)]
	if o.shadow != nil {
		o.shadow.reads(m, in, o, idx, list)
	}
	d := m.v[in.dst]
	if m.act.list == nil {
		d = d[m.act.lo:m.act.hi]
		switch in.size {
		case 1:
			pick(d, o.words.u8, idx)
			if in.src.Type == ir.Bool {
				for k := range d {
					d[k] &= 1
				}
			}
		case 2:
			pick(d, o.words.u16, idx)
		case 4:
			pick(d, o.words.u32, idx)
		default:
			pick(d, o.words.u64, idx)
		}
		return
	}
	switch in.size {
	case 1:
		v, mask := o.words.u8, uint8(in.mask)
		for k, l := range list {
			d[l] = uint64(v[idx[k]] & mask)
		}
	case 2:
		v := o.words.u16
		for k, l := range list {
			d[l] = uint64(v[idx[k]])
		}
	case 4:
		v := o.words.u32
		for k, l := range list {
			d[l] = uint64(v[idx[k]])
		}
	default:
		v := o.words.u64
		for k, l := range list {
			d[l] = v[idx[k]]
		}
	}
}

func pick[T uint8 | uint16 | uint32 | uint64](d []uint64, v []T, idx []uint64) {
	d = d[:len(idx)]
	for k, j := range idx {
		d[k] = uint64(v[j])
	}
}

// all reports whether all bytes of the words at idx are defined.
func (w *words) all(size uint8, idx []uint64) bool {
	switch size {
	case 1:
		return full(w.u8, idx, 1)
	case 2:
		return full(w.u16, idx, 0x0101)
	case 4:
		return full(w.u32, idx, 0x01010101)
	}
	return full(w.u64, idx, 0x0101010101010101)
}

func full[T uint8 | uint16 | uint32 | uint64](v []T, idx []uint64, ones T) bool {
	other := T(0)
	for _, j := range idx {
		if j >= uint64(len(v)) {
			return false
		}
		other |= v[j] ^ ones
	}
	return other == 0
}

func fill[T uint8 | uint16 | uint32 | uint64](v []T, idx []uint64, ones T) {
	for _, j := range idx {
		v[j] = ones
	}
}

// runLoadOne loads one value for all lanes, from one address.
func runLoadOne(m *machine, in *inst) {
	if o, at := m.one(in); at >= 0 {
		m.v[in.dst][0] = get(o.bytes[at:], int(in.size)) & in.mask
		return
	}
	list := m.all(&m.act)
	first, last := int(list[0]), int(list[len(list)-1])
	v := m.load(in, first)
	if last != first && m.r.checks {
		m.load(in, last) // two readers stand for all in shadows
	}
	m.v[in.dst][0] = v
	if in.flag != 0 {
		for f := m.v[in.flag]; len(list) > 0; list = list[1:] {
			f[list[0]] = f[first]
		}
	}
}

// one returns where all active lanes access one place, in an object of which nothing is remembered, -1 if they do not or if there is more to be looked at.
func (m *machine) one(in *inst) (o *object, at int64) {
	if in.vec&3 != 0 {
		return nil, -1
	}
	q := in.src.Address(m.v[in.a][0], m.v[in.b][0])
	k := q.Object()
	if uint(k) >= uint(len(m.objects)) {
		return nil, -1
	}
	o = &m.objects[k]
	off := q.Offset()
	if !o.held || o.want != nil || o.shadow != nil || o.stride != 0 || off < 0 || off > o.size-int64(in.size) || in.align > 1 && (off+o.base)&int64(in.align-1) != 0 {
		return nil, -1
	}
	return o, off
}

func (m *machine) loadSlowly(in *inst, list []uint16) {
	d := m.v[in.dst]
	for _, l := range list {
		d[l] = m.load(in, int(l))
	}
}

// load is what lane l loads.
func (m *machine) load(in *inst, l int) uint64 {
	a := m.at(in, l, false)
	if a.o == nil {
		return 0
	}
	switch {
	case a.o.want == nil:
	case in.flag != 0:
		m.flagged(&a)
	case !m.c.memory && !a.defined():
		m.stop, m.pc = true, -1
		m.r.lost.Store(true)
	}
	if a.o.shadow != nil {
		a.o.shadow.read(m, in, &a)
	}
	return get(a.o.bytes[a.at:], int(in.size)) & in.mask
}

// defined reports whether all bytes that a is about are.
func (a *access) defined() bool {
	return a.o.want == nil || bytes.Equal(a.o.want[a.at:a.at+int64(a.in.size)], ones[:a.in.size])
}

// changes reports bytes that an atomic operation changes and that are undefined, and returns whether there are none.
func (m *machine) changes(a *access) bool {
	if a.defined() {
		return true
	}
	for k, w := range a.o.want[a.at : a.at+int64(a.in.size)] {
		switch w {
		case ir.Written:
			continue
		case ir.Unwritten:
			m.unwritten(a, int64(k))
		default:
			m.foreign(a, int64(k), w)
		}
		return false
	}
	return true
}

// access is one lane's use of memory.
type access struct {
	in *inst
	o  *object // nil: there is nothing to use
	// object is the number that the pointer has.
	object int
	lane   int
	off    int64 // from the object's first byte
	at     int64 // index into the object's bytes
	write  bool
}

// at finds where lane l accesses memory, and reports it if it must not.
func (m *machine) at(in *inst, l int, write bool) access {
	p := m.value(in, 0, in.a, l)
	q := in.src.Address(p, m.value(in, 1, in.b, l))
	a := access{in: in, lane: l, off: q.Offset(), write: write}
	k := q.Object()
	a.object = k
	if uint(k) >= uint(len(m.objects)) || !m.objects[k].held {
		m.outside(&a, nil)
		return a
	}
	o := &m.objects[k]
	if size := int64(in.size); a.off < 0 || a.off > o.size-size {
		m.outside(&a, o)
		return a
	}
	if in.align > 1 && (a.off+o.base)&int64(in.align-1) != 0 {
		m.misaligned(&a, o)
		return a
	}
	if write && o.fixed {
		m.forbidden(&a, o)
		return a
	}
	a.o, a.at = o, a.off+o.stride*int64(l)
	return a
}

// get reads size bytes at the start of b, the lowest first.
func get(b []byte, size int) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func put(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}

// runStore stores each lane's value, in the order of lanes.
func runStore(m *machine, in *inst) {
	list := m.all(&m.act)
	o := m.resolve(in, list)
	if o == nil || o.fixed || m.lacks(in) || o.init != nil && o.known.length(in.size) == 0 {
		for _, l := range list {
			m.store(in, int(l), m.value(in, 2, in.c, int(l)))
		}
		return
	}
	idx := m.idx[:len(list)]
	c := m.v[in.c]
	switch one := in.vec&4 == 0; {
	case one:
		c = m.tmp[0][:len(list)]
		for k := range c {
			c[k] = m.v[in.c][0]
		}
	case m.act.list == nil:
		c = c[m.act.lo:m.act.hi]
	default:
		t := m.tmp[0][:len(list)]
		for k, l := range list {
			t[k] = c[l]
		}
		c = t
	}
	if o.shadow != nil {
		o.shadow.writes(m, in, o, idx, list, c)
	}
	o.put(in.size, idx, c)
}

// put writes values to the words idx of o.
func (o *object) put(size uint8, idx, values []uint64) {
	switch size {
	case 1:
		drop(o.words.u8, idx, values)
	case 2:
		drop(o.words.u16, idx, values)
	case 4:
		drop(o.words.u32, idx, values)
	default:
		drop(o.words.u64, idx, values)
	}
	if o.init != nil {
		o.known.mark(size, idx)
	}
}

func (w *words) mark(size uint8, idx []uint64) {
	switch size {
	case 1:
		fill(w.u8, idx, 1)
	case 2:
		fill(w.u16, idx, 0x0101)
	case 4:
		fill(w.u32, idx, 0x01010101)
	default:
		fill(w.u64, idx, 0x0101010101010101)
	}
}

func drop[T uint8 | uint16 | uint32 | uint64](v []T, idx, c []uint64) {
	c = c[:len(idx)]
	for k, j := range idx {
		v[j] = T(c[k])
	}
}

// store stores v for lane l.
func (m *machine) store(in *inst, l int, v uint64) {
	a := m.at(in, l, true)
	if a.o == nil {
		return
	}
	if a.o.shadow != nil {
		a.o.shadow.write(m, in, &a, v)
	}
	put(a.o.bytes[a.at:], int(in.size), v)
	a.wrote()
	m.pass(&a)
}

// wrote notes that a's bytes were written.
func (a *access) wrote() {
	if a.o.init == nil {
		return
	}
	b := a.o.init[a.at : a.at+int64(a.in.size)]
	for i := range b {
		b[i] = 1
	}
}
