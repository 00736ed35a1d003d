package adversary

import (
	"encoding/binary"

	"gamma/metal/msl/ir"
)

// object is the memory that the object number of a pointer names at the moment.
type object struct {
	b    []byte // from the object's first byte to its end
	init []byte // 1 where a byte was written; nil: everywhere
	want []byte // init, if loads are to look at it
	base uint64 // offset of the first byte, as alignment counts it
	// shared: other threads may write it while the thread runs. fixed: it must not be written.
	shared, fixed bool
	name, label   string // its own, and the one that the host gave what is bound
	elem          int
	space         ir.Space
	held          bool // bound, or a variable
	texture       ir.Texture
}

// offsetMask leaves the offset of a pointer, as an unsigned number: negative ones are far beyond any object.
const offsetMask = 1<<ir.OffsetBits - 1

// What inst.d says of an operation with an address. Its bits are independent; those from alignShift on are the alignment of the address, less 1.
const (
	signed32   = 1 // the index is an I32
	wide       = 2 // the sum may wrap; see ir.Instr.Short
	alignShift = 2
	maxAligned = 1 << (16 - alignShift) // the largest alignment that there is room for
)

// shift returns what a memory operation that is not wide adds to its pointer.
func shift(x *inst, index uint64) uint64 {
	if x.d&signed32 != 0 {
		index = uint64(int64(int32(index)))
	}
	return index*uint64(uint32(x.target)) + x.imm
}

// offset returns the offset of a memory operation from its pointer and index. It need not be exact outside objects.
func offset(x *inst, p, index uint64) uint64 {
	if x.d&wide != 0 {
		return uint64(far(x, p, index)) & offsetMask
	}
	return (p + shift(x, index)) & offsetMask
}

// far returns the address of any operation.
func far(x *inst, p, index uint64) ir.Pointer {
	if x.d&signed32 != 0 {
		index = uint64(int64(int32(index)))
	}
	in := ir.Instr{B: 1, From: ir.I64, Scale: uint32(x.target), Imm: x.imm}
	return in.Address(p, index)
}

// moved returns what PtrAdd makes of p.
func moved(x *inst, p, index uint64) uint64 {
	if x.d&wide != 0 {
		return uint64(far(x, p, index))
	}
	return uint64(ir.Pointer(p).Add(int64(shift(x, index))))
}

// get reads the size bytes at the start of b, little-endian.
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

// access is one use of memory by an instruction.
type access struct {
	in    *ir.Instr
	p     uint64 // the pointer before the index
	off   uint64
	size  int
	write bool
}

// find returns the bytes that a names, or nil if there are none or they may not be written; what is wrong is reported.
func (m *machine) find(a *access) (o *object, b []byte) {
	k := a.p >> ir.OffsetBits
	if k >= uint64(len(m.objects)) || !m.objects[k].held {
		m.outside(a, nil)
		return nil, nil
	}
	o = &m.objects[k]
	if a.off > uint64(len(o.b)) || uint64(a.size) > uint64(len(o.b))-a.off {
		m.outside(a, o)
		return o, nil
	}
	if a.write && o.fixed {
		m.forbidden(a, o)
		return o, nil
	}
	if align := alignment(a.in); align > 1 && (o.base+a.off)%align != 0 {
		m.misaligned(a, o, align)
		return o, nil
	}
	return o, o.b[a.off : a.off+uint64(a.size)]
}

// alignment returns the number that an address of in must be a multiple of.
func alignment(in *ir.Instr) uint64 {
	if in.Align == 0 {
		return uint64(in.Type.Size())
	}
	return uint64(in.Align)
}

// load returns what a load gives that is not plain: exec runs the others.
func (m *machine) load(x *inst, pc int32) uint64 {
	in := m.at(pc)
	p := m.regs[x.a]
	a := access{in: in, p: p, off: uint64(in.Address(p, m.regs[x.b])) & offsetMask, size: in.Type.Size()}
	o, b := m.find(&a)
	if b == nil {
		return m.noise(in.Type, p, a.off)
	}
	if x.op != opSoft && o.want != nil && !written(o.want[a.off:a.off+uint64(a.size)]) {
		m.lose()
	}
	return get(b, a.size) & in.Type.Mask()
}

func (m *machine) store(x *inst, pc int32) {
	in := m.at(pc)
	p := m.regs[x.a]
	a := access{in: in, p: p, off: uint64(in.Address(p, m.regs[x.b])) & offsetMask, size: in.Type.Size(), write: true}
	o, b := m.find(&a)
	if b == nil {
		return
	}
	put(b, a.size, m.regs[x.c])
	mark(o, a.off, a.size)
}

// mark notes that bytes were written.
func mark(o *object, off uint64, size int) {
	if o.init != nil {
		for i := range o.init[off : off+uint64(size)] {
			o.init[off+uint64(i)] = 1
		}
	}
}

// lose ends the run if loads have no flags: it met one of what is undefined.
func (m *machine) lose() {
	if m.p.memory {
		return // nothing uses it
	}
	m.lost, m.over, m.limit = true, true, 0
}

// wrote reports bytes that an atomic operation changes and that are undefined.
func (m *machine) wrote(a *access, o *object) {
	if o.want == nil {
		return
	}
	for k, w := range o.want[a.off : a.off+uint64(a.size)] {
		switch w {
		case ir.Written:
			continue
		case ir.Unwritten:
			m.unwritten(a, o, k)
		default:
			m.foreign(a, o, k, w)
		}
		return
	}
}

// noise returns what is read where no value is: junk with Poison, 0 otherwise.
func (m *machine) noise(t ir.Type, of ...uint64) uint64 {
	if !m.o.Behaviour.Poison {
		return 0
	}
	m.noises++
	of = append(of, m.noises)
	return junk(draw(m.seed, append(of, streamUndef)...)) & t.Mask()
}

// fill gives the bytes that were not written what they hold before a run: junk with Poison, 0 otherwise. With a nil init these are all.
func (m *machine) fill(b, init []byte, of ...uint64) {
	key := draw(m.seed, append(of, streamMemory)...)
	poison := m.o.Behaviour.Poison
	if init == nil && !poison {
		clear(b)
		return
	}
	if init == nil {
		i := 0
		for ; i+8 <= len(b); i += 8 {
			binary.LittleEndian.PutUint64(b[i:], junk(key+uint64(i)))
		}
		for v := junk(key + uint64(i)); i < len(b); i++ {
			b[i] = byte(v)
			v >>= 8
		}
		return
	}
	for i := 0; i < len(b); i++ {
		if init[i] != 0 {
			continue
		}
		b[i] = 0
		if poison {
			b[i] = byte(junk(key+uint64(i&^7)) >> (8 * (i & 7)))
		}
	}
}

// atomic runs an atomic operation.
func (m *machine) atomic(x *inst, pc int32) {
	in := m.at(pc)
	p, size := m.regs[x.a], in.Type.Size()
	off := uint64(in.Address(p, m.regs[x.b])) & offsetMask
	a := access{in: in, p: p, off: off, size: size, write: in.Op != ir.AtomicLoad}
	o, b := m.find(&a)
	if b == nil {
		m.regs[x.dst] = m.noise(in.Type, p, off)
		if in.Op == ir.AtomicCAS {
			m.regs[m.asm.target(in.Dst2)] = 0
		}
		return
	}
	if in.Op != ir.AtomicStore {
		m.wrote(&a, o)
	}
	old := get(b, size) & in.Type.Mask()
	v := m.regs[x.c]
	switch in.Op {
	case ir.AtomicLoad:
		m.regs[x.dst] = old
		return
	case ir.AtomicStore, ir.AtomicXchg:
	case ir.AtomicCAS:
		ok := old == m.regs[x.d] && !m.fails()
		m.regs[x.dst] = old
		m.regs[m.asm.target(in.Dst2)] = 0
		if !ok {
			return
		}
		m.regs[m.asm.target(in.Dst2)] = 1
		m.change(old, v)
		put(b, size, v)
		mark(o, off, size)
		return
	default:
		// A fetch-and-add wraps, and reports no overflow.
		v, _ = ir.Eval(ir.Ops[in.Op].Fold, in.Type, in.Type, in.FP, m.arith, old, v, 0, 0)
	}
	m.change(old, v)
	put(b, size, v)
	mark(o, off, size)
	m.regs[x.dst] = old
}

// change counts what an atomic operation changes.
func (m *machine) change(old, v uint64) {
	if old != v {
		m.changes++
	}
}

// fails draws whether a weak compare-and-exchange fails though the values agree.
func (m *machine) fails() bool {
	if m.spurious != nil {
		return *m.spurious
	}
	b := &m.o.Behaviour
	if (b.Poison || b.Order == "accesses") && m.weak.next()&7 == 0 {
		m.changes++ // the next may work
		return true
	}
	return false
}
