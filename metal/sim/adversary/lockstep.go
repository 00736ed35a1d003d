package adversary

import (
	"math"

	"gamma/metal/msl/ir"
)

// lockstep runs the threads of one threadgroup together, each instruction for all active threads at once, on rows of registers. Every
// dispatch is first run in this way, one threadgroup after the other, and watched. If no two accesses race, every schedule gives the
// same results, and this was one. Otherwise, and where something depends on the order or must be reported, memory is restored and the
// schedule is run that was asked for.
type lockstep struct {
	m    *machine
	asm  *assembly
	code []inst
	w    *watch
	seen []view // of each object, by the number in pointers

	grain uint // binary logarithm of the bytes of a cell
	g     *group
	n     int // threads
	width int // of a row
	rows  []uint64
	kinds []rowKind
	truth []uint64 // of comparisons before jumps

	active  []lanes // the active mask, in ascending order
	count   int     // how many threads are active
	waiting []suspended
	next    int32 // the earliest instruction at which threads wait
	spare   [][]lanes

	perturbed []uint32
	steps     int64
	diverged  int64 // steps of loops that some threads have left, since the last barrier
}

// Limits of lockstep runs.
const (
	leastThreads = 8       // threads of a threadgroup
	maxRowWords  = 1 << 21 // words
	// maxDiverged bounds the steps in a loop that some threads have left: those in it may be waiting for those that left.
	maxDiverged = 1 << 24
)

// lockstep runs the dispatch in lockstep, and reports whether every schedule gives what it gave. If not, memory is as it was.
func (m *machine) lockstep() bool {
	n, _ := product(m.d.Group)
	if n < leastThreads {
		return false
	}
	asm, err := m.p.code(mode{checks: m.checks, plain32: m.plain32})
	if err != nil || uint64(asm.size)*n > maxRowWords {
		return false
	}
	t := &lockstep{m: m, asm: asm, code: asm.code, w: watches.Get().(*watch), grain: m.p.grain(), width: int(n)}
	defer watches.Put(t.w)
	if !t.views() {
		return false
	}
	t.rows, t.kinds, t.truth = make([]uint64, asm.size*int(n)), make([]rowKind, asm.size), make([]uint64, n)
	t.perturbed = make([]uint32, n)
	t.set(0, 0)
	m.constants(asm, t.set)
	t.g = &group{}
	for id := range m.groups {
		if !t.begin(id) || !t.run() || t.steps > m.limit {
			t.w.undo()
			return false
		}
	}
	m.steps = t.steps
	return true
}

// begin starts threadgroup id, and reports whether it can be watched.
func (t *lockstep) begin(id uint64) bool {
	m, g := t.m, t.g
	t.n = m.locate(g, id)
	g.threads = sized(g.threads, t.n)
	m.memory(g, !m.o.Behaviour.Poison)
	if !t.w.enter(t.n) {
		return false
	}
	for i := range t.seen {
		v, o := &t.seen[i], &m.objects[i]
		switch {
		case v.own:
			v.b, v.init = g.own[m.layout[i]:], nil
			if m.checks {
				v.init, v.want = g.ownInit[m.layout[i]:], true
			}
		case o.space == ir.Threadgroup && o.held:
			lo := m.layout[i]
			v.b, v.floor = g.mem[lo:lo+v.size], t.w.group
			v.fresh = m.o.Behaviour.Poison
			if m.checks {
				v.init, v.want = g.memInit[lo:lo+v.size], true
			}
		}
	}
	clear(t.perturbed)
	t.inputs()
	t.active, t.count = append(t.active[:0], lanes{0, t.n}), t.n
	t.waiting, t.next, t.diverged = t.waiting[:0], math.MaxInt32, 0
	return true
}

// inputs writes the inputs of all threads.
func (t *lockstep) inputs() {
	m, g := t.m, t.g
	for j, b := range m.p.k.Buffers {
		if !m.p.uniform[b.Reg] {
			t.set(t.asm.target(b.Reg), m.pointer(j))
		}
	}
	flat := g.size.Y == 1 && g.size.Z == 1
	for _, in := range m.p.k.Inputs {
		if m.p.uniform[in.Reg] {
			continue
		}
		at := t.asm.target(in.Reg)
		if in.Kind.Level() != ir.PerThread {
			t.set(at, m.input(in, g, 0))
			continue
		}
		t.kinds[at] = varying
		row := t.row(at, lanes{0, t.n})
		if counts(in, flat) {
			v, mask := m.input(in, g, 0), m.p.k.Regs[in.Reg].Mask()
			for i := range row {
				row[i] = (v + uint64(i)) & mask
			}
			if at != nowhere && v <= mask-uint64(t.n) {
				t.kinds[at] = linear
			}
			continue
		}
		for i := range row {
			row[i] = m.input(in, g, i)
		}
	}
}

// counts reports whether an input grows by 1 from thread to thread. flat says that threadgroups extend along x alone.
func counts(in ir.Input, flat bool) bool {
	switch in.Kind {
	case ir.ThreadIndexInThreadgroup:
		return true
	case ir.ThreadPositionInThreadgroup, ir.ThreadPositionInGrid:
		return flat && in.Axis == 0
	}
	return false
}

// run runs the threadgroup, and reports whether it came to its end.
func (t *lockstep) run() bool {
	pc := int32(0)
	for {
		if pc >= t.next {
			pc = t.reconverge(pc)
		}
		x := &t.code[pc]
		t.steps += int64(t.count) * int64(x.count)
		at, ok := pc, true
		pc++
		switch x.op {
		default:
			ok = t.compute(x, at)
		case opFence:
		case opReport:
			ok = t.silent(x, at)
		case opJump:
			pc = x.target
		case opBack, opBackCount:
			if ok = t.back(x, at); ok {
				pc = x.target
			}
		case opUnless, opUnlessEq, opUnlessNe, opUnlessLtU, opUnlessLeU, opUnlessLtI32, opUnlessLeI32:
			pc = t.branch(x, binaryRows[x.op], at)
		case opLoad4, opLoad8, opLoad, opSoft:
			ok = t.load(x, at)
		case opStore4, opStore8, opStore:
			ok = t.store(x, at)
		case opCheck:
			ok = t.valued(x)
		case opAbsent:
			ok = t.absent(x, at)
		case opPass:
			ok = t.pass(x, at)
		case opBarrier:
			ok = t.count == t.n && t.sameIterations(at) && t.w.pass(t.n)
			t.diverged = 0
		case opEnd:
			if len(t.waiting) == 0 {
				return true
			}
			t.release(t.active)
			t.active, t.count = nil, 0
			pc = t.resumeEarliest()
		}
		if !ok {
			return false
		}
	}
}

// back counts an iteration of the active threads, and reports whether they may begin another.
func (t *lockstep) back(x *inst, at int32) bool {
	if t.steps > t.m.limit {
		return false
	}
	if t.count < t.n {
		if t.diverged += int64(t.count) * int64(at-x.target+1); t.diverged > maxDiverged {
			return false
		}
	}
	if x.op == opBackCount {
		t.increment(x.dst)
	}
	return true
}
