package ranges

import (
	"fmt"
	"maps"
	"math/big"
	"strings"

	"gamma/metal/msl/ir"
	"gamma/model"
)

// slot is a place of memory that has one bound: a field of all elements of an array, or a variable of a thread.
type slot struct{ object, field int }

// anyField stands for the fields that an address of which little is known may mean.
const anyField = -1

// content is what a slot holds.
type content struct {
	lo, hi *big.Int
	v      *value // if it is one value, as in a thread's own variable
	t      ir.Type
	wrap   *value // what left its type on the way here, or nil
}

// state is what is known at a point of the text. A nil state is of a point that is never reached.
type state struct {
	regs   map[ir.Reg]*value
	memory map[slot]content
	epoch  int // changes with every store and barrier
	// wild: something was stored at an address of which nothing is known, so that nothing is known of what can be written.
	wild bool
}

func (s *state) clone() *state {
	return &state{maps.Clone(s.regs), maps.Clone(s.memory), s.epoch, s.wild}
}

// reader finds slots.
type reader struct {
	k      *ir.Kernel
	facts  *Facts
	stride []int // by object
}

func newReader(k *ir.Kernel, f *Facts) *reader {
	r := &reader{k: k, facts: f}
	for i, b := range k.Buffers {
		s := b.Elem
		if a, ok := f.array(&k.Buffers[i]); ok && a.Stride != 0 {
			s = a.Stride
		}
		r.stride = append(r.stride, max(s, 1))
	}
	for _, o := range k.Objects {
		s := o.Elem
		if s == 0 || o.Space == ir.Thread {
			s = max(o.Size, 1)
		}
		r.stride = append(r.stride, s)
	}
	return r
}

// constant reports whether the kernel cannot write an object.
func (r *reader) constant(object int) bool {
	if n := len(r.k.Buffers); object < n {
		return r.k.Buffers[object].ReadOnly
	}
	return r.space(object) == ir.Constant
}

func (r *reader) space(object int) ir.Space {
	if n := len(r.k.Buffers); object >= n {
		return r.k.Objects[object-n].Space
	}
	return r.k.Buffers[object].Space
}

// address is where an instruction reads or writes.
type address struct {
	objects []int // nil: anything
	offset  form
	known   bool // offset is the offset
}

// address returns the address of a memory operation, PtrAdd or its like.
func (m *maker) address(s *state, in *ir.Instr) address {
	p := s.regs[in.A]
	if p == nil || p.t != ir.Ptr || p.objects == nil {
		return address{}
	}
	a := address{objects: p.objects, offset: p.form, known: len(p.objects) == 1}
	if in.B != 0 {
		b := s.regs[in.B]
		if b == nil {
			return address{objects: p.objects}
		}
		a.offset = a.offset.plus(integer(b), big.NewInt(int64(in.Scale)))
	}
	a.offset = a.offset.plus(constant(big.NewInt(int64(in.Imm))), big.NewInt(1))
	return a
}

// slot returns the slot of an address in object, and the number of its element as text. exact: it is this place and no other.
func (r *reader) slot(a address, object int) (s slot, index string, exact bool) {
	s = slot{object, anyField}
	if !a.known {
		return s, "", false
	}
	stride := big.NewInt(int64(r.stride[object]))
	for _, t := range a.offset.terms {
		if new(big.Int).Rem(t.k, stride).Sign() != 0 {
			return s, "", false
		}
	}
	q, field := new(big.Int).DivMod(a.offset.c, stride, new(big.Int))
	s.field = int(field.Int64())
	var b strings.Builder
	fmt.Fprint(&b, q)
	for _, t := range a.offset.terms {
		fmt.Fprintf(&b, " %v*%d", new(big.Int).Quo(t.k, stride), t.v.id)
	}
	return s, b.String(), len(a.offset.terms) == 0 && r.space(object) == ir.Thread
}

// load returns what an instruction loads.
func (m *maker) load(r *reader, s *state, in *ir.Instr, pos model.Position) *value {
	a := m.address(s, in)
	if !in.Type.IsInteger() && in.Type != ir.Bool || a.objects == nil {
		return m.unknown(in.Type, pos)
	}
	var lo, hi *big.Int
	var from *loaded
	var wrap *value
	for _, o := range a.objects {
		at, index, exact := r.slot(a, o)
		if bytes := r.bytes(o); bytes != nil {
			if v, ok := readConstant(bytes, a, in.Type); ok {
				return m.constant(in.Type, v)
			}
			return m.unknown(in.Type, pos)
		}
		if s.wild && !r.constant(o) {
			return m.unknown(in.Type, pos)
		}
		if c, ok := s.memory[at]; ok && exact && c.v != nil && c.t == in.Type {
			return c.v
		}
		c := s.read(at, in.Type, r.space(o) == ir.Device || r.space(o) == ir.Constant)
		if lo == nil || c.lo.Cmp(lo) < 0 {
			lo = c.lo
		}
		if hi == nil || c.hi.Cmp(hi) > 0 {
			hi = c.hi
		}
		if c.wrap != nil {
			wrap = c.wrap
		}
		if o < len(r.k.Buffers) && r.space(o) != ir.Threadgroup && len(a.objects) == 1 && at.field != anyField {
			from = &loaded{Place{r.k.Buffers[o].Index, at.field}, index}
		}
	}
	make := func() *value {
		v := m.fresh(ir.Load, in.Type, pos, lo, hi)
		v.loaded, v.args[0] = from, wrap
		return v
	}
	if from == nil {
		return make()
	}
	// Two loads of one place, without a store or a barrier between them, give one value.
	return m.intern(fmt.Sprintf("load %d %v %s %d %v %v", in.Type, from.place, from.index, s.epoch, lo, hi), make)
}

// read returns what a slot holds as words of type t.
func (s *state) read(at slot, t ir.Type, host bool) content {
	all := anything(t)
	if at.field != anyField {
		if rest, ok := s.memory[slot{at.object, anyField}]; ok {
			if c, ok := s.memory[at]; ok && c.t == t && rest.t == t {
				return join(c, rest)
			}
			return all
		}
		if c, ok := s.memory[at]; ok && c.t == t {
			return c
		}
		return all
	}
	if host {
		return all // some of its fields may be nobody's
	}
	var sum *content
	for k, c := range s.memory {
		if k.object != at.object {
			continue
		}
		if c.t != t {
			return all
		}
		if sum == nil {
			sum = &c
		} else {
			j := join(*sum, c)
			sum = &j
		}
	}
	if sum == nil {
		return all
	}
	return *sum
}

func join(a, b content) content {
	if a.v != b.v {
		a.v = nil
	}
	if b.lo.Cmp(a.lo) < 0 {
		a.lo = b.lo
	}
	if b.hi.Cmp(a.hi) > 0 {
		a.hi = b.hi
	}
	if a.wrap == nil {
		a.wrap = b.wrap
	}
	return a
}

// store stores v.
func (m *maker) store(r *reader, s *state, a address, v *value) {
	s.epoch = m.newEpoch()
	c := content{lo: v.lo, hi: v.hi, v: v, t: v.t, wrap: cause(v)}
	if a.objects == nil {
		s.wild = true
		return
	}
	for _, o := range a.objects {
		at, _, exact := r.slot(a, o)
		if exact && len(a.objects) == 1 {
			for k := range s.memory {
				// A value that overlaps this one is gone.
				if k.object == o && k != at && k.field != anyField && k.field < at.field+v.t.Size() && at.field < k.field+s.memory[k].t.Size() {
					delete(s.memory, k)
				}
			}
			s.memory[at] = c
			continue
		}
		c.v = nil
		if at.field != anyField && at.field+v.t.Size() > r.stride[o] {
			at.field = anyField
		}
		for k, old := range s.memory {
			switch {
			case k.object != o || k == at:
			case at.field == anyField || k.field == anyField:
				s.memory[k] = joinTyped(old, c)
			case k.field < at.field+v.t.Size() && at.field < k.field+old.t.Size():
				s.memory[k] = anything(old.t)
			}
		}
		if old, ok := s.memory[at]; ok {
			s.memory[at] = joinTyped(old, c)
		} else if sp := r.space(o); sp == ir.Device || sp == ir.Constant {
			s.memory[at] = anything(v.t) // the host may have left anything there
		} else {
			s.memory[at] = c
		}
	}
}

// anything is content of which nothing is known but its type.
func anything(t ir.Type) content {
	w := ir.Interval{Lo: new(big.Int), Hi: new(big.Int)}
	if t.IsInteger() || t == ir.Bool {
		w = ir.Whole(t)
	}
	return content{lo: w.Lo, hi: w.Hi, t: t}
}

func (m *maker) newEpoch() int { m.next++; return m.next }

// bytes returns what an object holds for good, or nil.
func (r *reader) bytes(object int) []byte {
	if n := len(r.k.Buffers); object >= n {
		if o := r.k.Objects[object-n]; o.Space == ir.Constant {
			return o.Data
		}
		return nil
	}
	b := r.k.Buffers[object]
	if !b.ReadOnly {
		return nil
	}
	return r.facts.Constants[b.Index]
}

// readConstant reads a word at a known offset.
func readConstant(bytes []byte, a address, t ir.Type) (uint64, bool) {
	if !a.known || len(a.offset.terms) > 0 || !a.offset.c.IsInt64() {
		return 0, false
	}
	off := a.offset.c.Int64()
	if off < 0 || off+int64(t.Size()) > int64(len(bytes)) {
		return 0, false
	}
	v := uint64(0)
	for i := t.Size() - 1; i >= 0; i-- {
		v = v<<8 | uint64(bytes[off+int64(i)])
	}
	return v, true
}
