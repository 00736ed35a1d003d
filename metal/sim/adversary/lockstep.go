package adversary

import (
	"math"

	"gamma/metal/msl/ir"
)

// A team is the threads of one threadgroup that run together: one instruction of all of them after the other, each on rows of registers.
// A dispatch is first run in this way, a threadgroup after the other, and watched. If the order of its accesses cannot be seen, every
// schedule gives the same, and this was one. Otherwise, and where anything happens that depends on the order or is to be
// reported, memory is put back and the schedule is run that was asked for.
type lockstep struct {
	m    *machine
	asm  *assembly
	code []inst
	w    *watch
	seen []view // of each pointer's number

	grain uint // binary logarithm
	g     *group
	n     int // threads
	width int // of a row
	rows  []uint64
	kinds []rowKind
	truth []uint64 // of comparisons before jumps

	active  []lanes // the threads that run, in ascending order
	count   int     // how many they are
	waiting []suspended
	next    int32 // the first instruction before which others wait
	spare   [][]lanes

	perturbed []uint32
	steps     int64
	diverged  int64 // steps of loops that some threads are in and others are not, in this barrier interval
}

// Limits of a team.
const (
	leastThreads = 8       // threads of a threadgroup
	maxRowWords  = 1 << 21 // words
	// maxDiverged bounds the steps of threads in a loop for which others wait. They may wait for them in turn.
	maxDiverged = 1 << 24
)

// lockstep runs the dispatch in teams, and reports whether that was good. If not, nothing has happened.
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

// begin makes threadgroup id the team's, and reports whether it can be.
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

// inputs writes what the threads are told when they begin.
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

// counts reports whether an input is one more in each thread than in the one before, in threadgroups of one row if flat.
func counts(in ir.Input, flat bool) bool {
	switch in.Kind {
	case ir.ThreadIndexInThreadgroup:
		return true
	case ir.ThreadPositionInThreadgroup, ir.ThreadPositionInGrid:
		return flat && in.Axis == 0
	}
	return false
}

// run runs the threadgroup to its end, and reports whether it came there.
func (t *lockstep) run() bool {
	pc := int32(0)
	for {
		if pc >= t.next {
			pc = t.reconverge(pc)
		}
		x := &t.code[pc]
		t.steps += int64(t.count)
		at, ok := pc, true
		pc++
		switch x.op {
		default:
			ok = t.compute(x, at)
		case opFence:
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

// back reports whether the threads that run may go back to the start of a loop.
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
