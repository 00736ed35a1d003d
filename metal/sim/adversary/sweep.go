package adversary

import (
	"encoding/binary"
	"math"
	"math/bits"

	"gamma/metal/msl/ir"
)

// all makes every thread of g ready, all at one instruction, and lets them run together as far as they do not see one another.
func (m *machine) all(g *group) {
	n := len(g.threads)
	if m.direct && n >= narrow {
		g.ready = g.ready[:0]
		m.sweep(g, g.threads[0].pc)
		return
	}
	g.ready = g.ready[:n]
	for i := range g.ready {
		g.ready[i], g.place[i] = int32(i), int32(i)
	}
}

// span is the threads from lo to hi, which are about to run the instruction at pc.
type span struct {
	pc     int32
	lo, hi int
}

// narrow is how many threads are too few to run together.
const narrow = 4

// sweep runs the threads of g, which are all at pc, together, one instruction of all after the other. What it runs touches nothing
// that another thread writes or reads, reports nothing and draws nothing, so that it commutes with all steps of all other threads. A
// thread stays where it comes to anything else. Where the threads of a span part, the first ones that agree go on; the others follow.
func (m *machine) sweep(g *group, pc int32) {
	m.spans = append(m.spans[:0], span{pc, 0, len(g.threads)})
	for k := len(m.spans); k > 0; k = len(m.spans) {
		s := m.spans[k-1]
		m.spans = m.spans[:k-1]
		m.march(g, s.pc, s.lo, s.hi)
	}
}

// split leaves the threads from lo to hi at pc for later.
func (m *machine) split(pc int32, lo, hi int) { m.spans = append(m.spans, span{pc, lo, hi}) }

// rest leaves the threads from lo to hi at pc.
func (m *machine) rest(g *group, pc int32, lo, hi int) {
	switch m.code[pc].op {
	case opBarrier:
		for i := lo; i < hi; i++ {
			t := &g.threads[i]
			t.pc, t.status = pc, barrierWait
			g.place[i] = -1
		}
		g.atBar += hi - lo
		m.steps += int64(hi - lo)
	case opEnd:
		for i := lo; i < hi; i++ {
			t := &g.threads[i]
			t.pc, t.status = pc, done
			g.place[i] = -1
		}
		g.ends += hi - lo
		m.steps += int64(hi - lo)
	default:
		for i := lo; i < hi; i++ {
			g.threads[i].pc = pc
			g.place[i] = int32(len(g.ready))
			g.ready = append(g.ready, int32(i))
		}
	}
}

// quiet reports whether p points into memory that no thread writes and that is the same for all of them.
func (m *machine) quiet(p uint64) bool {
	k := p >> ir.OffsetBits
	return k < uint64(len(m.objects)) && !m.objects[k].shared && m.objects[k].space != ir.Thread
}

// march runs the threads from lo to hi until they rest or part.
func (m *machine) march(g *group, pc int32, lo, hi int) {
	n := m.stride
	for {
		x := &m.code[pc]
		next := pc + 1
		if hi-lo < narrow {
			m.rest(g, pc, lo, hi)
			return
		}
		switch x.op {
		default:
			m.rest(g, pc, lo, hi)
			return
		case opFence:
		case opJump:
			next = x.target
		case opBack, opBackCount:
			if m.steps+int64(hi-lo) > m.limit {
				m.rest(g, pc, lo, hi)
				return
			}
			if x.op == opBackCount {
				for i := lo; i < hi; i++ {
					g.record(i * n)[x.dst]++
				}
			}
			next = x.target
		case opUnless:
			r := g.record(lo * n)
			yes, i := r[x.a] != 0, lo+1
			for ; i < hi; i++ {
				if r := g.record(i * n); (r[x.a] != 0) != yes {
					break
				}
			}
			if i < hi {
				m.split(pc, i, hi)
				hi = i
			}
			if !yes {
				next = x.target
			}
		case opUnlessEq:
			r := g.record(lo * n)
			yes, i := r[x.a] == r[x.b], lo+1
			for ; i < hi; i++ {
				if r := g.record(i * n); (r[x.a] == r[x.b]) != yes {
					break
				}
			}
			if i < hi {
				m.split(pc, i, hi)
				hi = i
			}
			if !yes {
				next = x.target
			}
		case opUnlessNe:
			r := g.record(lo * n)
			yes, i := r[x.a] != r[x.b], lo+1
			for ; i < hi; i++ {
				if r := g.record(i * n); (r[x.a] != r[x.b]) != yes {
					break
				}
			}
			if i < hi {
				m.split(pc, i, hi)
				hi = i
			}
			if !yes {
				next = x.target
			}
		case opUnlessLtU:
			r := g.record(lo * n)
			yes, i := r[x.a] < r[x.b], lo+1
			for ; i < hi; i++ {
				if r := g.record(i * n); (r[x.a] < r[x.b]) != yes {
					break
				}
			}
			if i < hi {
				m.split(pc, i, hi)
				hi = i
			}
			if !yes {
				next = x.target
			}
		case opUnlessLeU:
			r := g.record(lo * n)
			yes, i := r[x.a] <= r[x.b], lo+1
			for ; i < hi; i++ {
				if r := g.record(i * n); (r[x.a] <= r[x.b]) != yes {
					break
				}
			}
			if i < hi {
				m.split(pc, i, hi)
				hi = i
			}
			if !yes {
				next = x.target
			}
		case opUnlessLtI32:
			r := g.record(lo * n)
			yes, i := int32(r[x.a]) < int32(r[x.b]), lo+1
			for ; i < hi; i++ {
				if r := g.record(i * n); (int32(r[x.a]) < int32(r[x.b])) != yes {
					break
				}
			}
			if i < hi {
				m.split(pc, i, hi)
				hi = i
			}
			if !yes {
				next = x.target
			}
		case opUnlessLeI32:
			r := g.record(lo * n)
			yes, i := int32(r[x.a]) <= int32(r[x.b]), lo+1
			for ; i < hi; i++ {
				if r := g.record(i * n); (int32(r[x.a]) <= int32(r[x.b])) != yes {
					break
				}
			}
			if i < hi {
				m.split(pc, i, hi)
				hi = i
			}
			if !yes {
				next = x.target
			}
		case opGate:
			quiet, i := m.quiet(g.record(lo * n)[x.a]), lo+1
			for ; i < hi; i++ {
				if m.quiet(g.record(i * n)[x.a]) != quiet {
					break
				}
			}
			if i < hi {
				m.split(pc, i, hi)
				hi = i
			}
			if !quiet {
				m.rest(g, pc, lo, hi)
				return
			}
			m.steps -= int64(hi - lo)
		case opLoad4, opLoad8:
			i := m.loads(g, x, lo, hi)
			if i < hi { // thread i has to load by itself, and those that follow perhaps too
				m.rest(g, pc, i, i+1)
				if i+1 < hi {
					m.split(pc, i+1, hi)
				}
				if hi = i; lo == hi {
					return
				}
			}
		case opSelect:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				v := r[x.c]
				if r[x.a] != 0 {
					v = r[x.b]
				}
				r[x.dst] = v
			}
		case opShl32, opShr32:
			for i := lo; i < hi; i++ {
				if g.record(i * n)[x.b] >= 32 {
					m.rest(g, pc, lo, hi)
					return
				}
			}
			if x.op == opShl32 {
				for i := lo; i < hi; i++ {
					r := g.record(i * n)
					r[x.dst] = uint64(uint32(r[x.a]) << (r[x.b] & 31))
				}
			} else {
				for i := lo; i < hi; i++ {
					r := g.record(i * n)
					r[x.dst] = uint64(uint32(r[x.a]) >> (r[x.b] & 31))
				}
			}
		case opMulHi64:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst], _ = bits.Mul64(r[x.a], r[x.b])
			}
		case opAdd32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(uint32(r[x.a] + r[x.b]))
			}
		case opSub32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(uint32(r[x.a] - r[x.b]))
			}
		case opMul32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(uint32(r[x.a]) * uint32(r[x.b]))
			}
		case opAdd64:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = r[x.a] + r[x.b]
			}
		case opSub64:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = r[x.a] - r[x.b]
			}
		case opMul64:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = r[x.a] * r[x.b]
			}
		case opAnd:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = r[x.a] & r[x.b]
			}
		case opOr:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = r[x.a] | r[x.b]
			}
		case opXor:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = r[x.a] ^ r[x.b]
			}
		case opMulHi32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = r[x.a] * r[x.b] >> 32
			}
		case opEq:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = truth(r[x.a] == r[x.b])
			}
		case opNe:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = truth(r[x.a] != r[x.b])
			}
		case opLtU:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = truth(r[x.a] < r[x.b])
			}
		case opLeU:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = truth(r[x.a] <= r[x.b])
			}
		case opLtI32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = truth(int32(r[x.a]) < int32(r[x.b]))
			}
		case opLeI32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = truth(int32(r[x.a]) <= int32(r[x.b]))
			}
		case opMin32, opMin64:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = min(r[x.a], r[x.b])
			}
		case opMax32, opMax64:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = max(r[x.a], r[x.b])
			}
		case opMov:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = r[x.a]
			}
		case opConst:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = x.imm
			}
		case opNot32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(^uint32(r[x.a]))
			}
		case opNotBool:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = r[x.a] ^ 1
			}
		case opBool:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = truth(r[x.a] != 0)
			}
		case opLow8:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(uint8(r[x.a]))
			}
		case opLow16:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(uint16(r[x.a]))
			}
		case opLow32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(uint32(r[x.a]))
			}
		case opWiden32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(int64(int32(r[x.a])))
			}
		case opU32ToF32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(math.Float32bits(float32(uint32(r[x.a]))))
			}
		case opI32ToF32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = uint64(math.Float32bits(float32(int32(r[x.a]))))
			}
		case opAddF32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = bits32(float32(f32(r[x.a]) + f32(r[x.b])))
			}
		case opSubF32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = bits32(float32(f32(r[x.a]) - f32(r[x.b])))
			}
		case opMulF32:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = bits32(float32(f32(r[x.a]) * f32(r[x.b])))
			}
		case opPtrAdd:
			for i := lo; i < hi; i++ {
				r := g.record(i * n)
				r[x.dst] = moved(x, r[x.a], r[x.b])
			}
		}
		m.steps += int64(hi - lo)
		pc = next
	}
}

// loads runs a load of 4 or 8 bytes for the threads from lo on, and returns the first for which it is no plain load of quiet memory.
func (m *machine) loads(g *group, x *inst, lo, hi int) int {
	for i := lo; i < hi; i++ {
		r := g.record(i * m.stride)
		p := r[x.a]
		if !m.quiet(p) {
			return i
		}
		o := &m.objects[p>>ir.OffsetBits]
		off := offset(x, p, r[x.b])
		if x.op == opLoad4 {
			if off+4 > uint64(len(o.b)) || (off+o.base)&3 != 0 || o.want != nil && binary.LittleEndian.Uint32(o.want[off:]) != 0x01010101 {
				return i
			}
			r[x.dst] = uint64(binary.LittleEndian.Uint32(o.b[off:]))
			continue
		}
		if off+8 > uint64(len(o.b)) || (off+o.base)&7 != 0 || o.want != nil && binary.LittleEndian.Uint64(o.want[off:]) != 0x0101010101010101 {
			return i
		}
		r[x.dst] = binary.LittleEndian.Uint64(o.b[off:])
	}
	return hi
}
