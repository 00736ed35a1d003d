package fast

import (
	"sync/atomic"

	"gamma/metal/msl/ir"
)

// runAtomic runs an atomic operation, lane by lane.
func runAtomic(m *machine, in *inst) {
	for _, l := range m.all(&m.act) {
		old, swapped := m.atomic(in, int(l))
		if in.src.Dst != 0 {
			m.v[in.dst][l] = old
		}
		if in.src.Dst2 != 0 {
			m.v[in.dst2][l] = truth(swapped)
		}
	}
}

// atomic is an atomic operation of lane l: it returns the value before, and whether a compare-and-exchange stored.
func (m *machine) atomic(in *inst, l int) (old uint64, swapped bool) {
	op := in.src.Op
	a := m.at(in, l, op != ir.AtomicLoad)
	if a.o == nil {
		return 0, false
	}
	if op != ir.AtomicStore && !m.changes(&a) && m.beside {
		m.found.crossed = true // which of several threadgroups finds it so depends on their order
	}
	if a.o.shadow != nil {
		a.o.shadow.note(m, in, a.o, l, uint64(a.off), uint64(in.size)>>a.o.shadow.grain, nil, 0)
	}
	if x := m.shadow.device.messages; x != nil && a.o.shadow != nil {
		defer func() {
			stored := op != ir.AtomicLoad && (op != ir.AtomicCAS || swapped)
			x.atomic(atomicAt{a.o.shadow, uint64(a.o.cell) + uint64(a.off)>>a.o.shadow.grain}, l, op != ir.AtomicStore, stored)
		}()
	}
	v := m.value(in, 2, in.c, l)
	if m.beside && a.o.space == ir.Device {
		m.atomicBeside(in, &a, v)
		a.wrote()
		return 0, false
	}
	b, size := a.o.bytes[a.at:], int(in.size)
	old = get(b, size) & in.mask
	switch op {
	case ir.AtomicLoad:
		return old, false
	case ir.AtomicStore, ir.AtomicXchg:
		put(b, size, v)
	case ir.AtomicCAS:
		if old != m.value(in, 3, in.d, l) {
			return old, false
		}
		put(b, size, v)
		swapped = true
	default:
		put(b, size, m.apply(in, old, v))
	}
	a.wrote()
	return old, swapped
}

// apply returns what an atomic makes of old. Atomics wrap without a fault.
func (m *machine) apply(in *inst, old, v uint64) uint64 {
	r, _ := ir.Eval(ir.Ops[in.src.Op].Fold, in.src.Type, in.src.Type, in.src.FP, m.args.arith, old, v, 0, 0)
	return r
}

// atomicBeside changes memory that other workers change at the same time. Only operations that commute run so, and only where
// there are views: see Program.Run.
func (m *machine) atomicBeside(in *inst, a *access, v uint64) {
	if in.size == 8 {
		p := &a.o.whole.u64[(a.o.base+a.at)/8]
		for {
			old := atomic.LoadUint64(p)
			if atomic.CompareAndSwapUint64(p, old, m.apply(in, old, v)) {
				return
			}
		}
	}
	p := &a.o.whole.u32[(a.o.base+a.at)/4]
	for {
		old := atomic.LoadUint32(p)
		if atomic.CompareAndSwapUint32(p, old, uint32(m.apply(in, uint64(old), v))) {
			return
		}
	}
}
