package fast

import (
	"sync/atomic"

	"gamma/metal/msl/ir"
)

// MaxThreads is the largest threadgroup that the engine runs.
const MaxThreads = 1 << laneBits

// level of nesting that may hold back lanes.
type hold struct {
	no, done, left  lanes
	pos, leave      int32
	yesRoom, noRoom []uint16
	room, leftRoom  []uint16
}

// machine runs threadgroups, one after the other.
type machine struct {
	p     *Program
	c     *code
	r     *dispatch
	size  int   // lanes of a nominal threadgroup
	bytes int64 // that it needs

	v      [][]uint64 // slots
	base   []uint64   // of slots of unit registers
	tmp    [6][]uint64
	iota   []uint16
	act    lanes
	holds  []hold
	pc     int32
	args   args
	idx    []uint64
	steps  int64 // since they were last added to the dispatch's
	limit  int64 // of steps before they are
	stop   bool
	failed error // what ended the dispatch
	broken bool  // it panicked: nobody uses it again
	width  int

	scratch, scratch2 []uint16

	seat       ir.Seat // of the threadgroup; its Thread changes as threads are told their inputs
	groupIndex int64
	lanes      int

	objects []object

	shadow shadows
	found  findings
	beside bool   // other workers run beside: atomics on device memory have to be atomic
	time   uint32 // counts threadgroups and barriers, for shadows
	inputs []input
	lane   laneRoom

	sources [256]source // of this threadgroup, by mark
	sourced bool        // one of them is known
}

// run runs one threadgroup.
func (m *machine) runGroup(index int64) {
	m.begin(index)
	code := m.c.insts
	for i := range m.c.group {
		in := &m.c.group[i]
		in.run(m, in)
	}
	m.pc = 0
	m.count(-1, int64(m.lanes))
	for m.pc >= 0 {
		in := &code[m.pc]
		m.pc++
		if in.count != 0 {
			if m.count(in.pos, int64(in.count)*int64(m.act.count())); m.pc < 0 {
				return
			}
		}
		in.run(m, in)
	}
}

func runNothing(*machine, *inst) {}

func runEnd(m *machine, _ *inst) { m.pc = -1 }

func runJump(m *machine, in *inst) { m.pc = in.target }

// runUnless goes on if a value is true, and elsewhere if it is not; where n is 1, the other way round.
func runUnless(m *machine, in *inst) {
	if (m.v[in.a][0] == 0) == (in.n == 0) {
		m.pc = in.target
	}
}

// runUnlessCompare is a comparison and runUnless.
func runUnlessCompare(m *machine, in *inst) {
	a, b := m.v[in.a][0], m.v[in.b][0]
	yes := false
	switch in.src.Op {
	case ir.Eq:
		yes = a == b
	case ir.Ne:
		yes = a != b
	case ir.Lt:
		yes = a < b
		if in.src.Type.IsSigned() {
			yes = int64(a<<in.shift) < int64(b<<in.shift)
		}
	default:
		yes = a <= b
		if in.src.Type.IsSigned() {
			yes = int64(a<<in.shift) <= int64(b<<in.shift)
		}
	}
	if yes == (in.n != 0) {
		m.pc = in.target
	}
}

func runIfEmpty(m *machine, in *inst) {
	if m.act.empty() {
		m.pc = in.target
	}
}

// count counts n steps that are about to be made.
func (m *machine) count(pos int32, n int64) {
	if m.steps += n; m.steps > m.limit {
		m.budget(pos, n)
	}
}

// budget adds the steps so far to the dispatch's, of which n are about to be made, and ends the threadgroup if there are too many.
func (m *machine) budget(pos int32, n int64) {
	total := atomic.AddInt64(&m.r.steps, m.steps)
	m.steps = 0
	if total > m.r.limit {
		m.r.spent.Store(true)
	}
	if m.r.spent.Load() {
		m.steps = -n // for they are not made
		m.stop, m.pc = true, -1
		if !m.act.empty() {
			m.exhausted(pos)
		}
	}
}

func runIf(m *machine, in *inst) {
	h := &m.holds[in.depth]
	t, f := m.split(m.v[in.a], h.yesRoom, h.noRoom)
	h.no, h.pos = f, in.pos
	m.act = t
	if t.empty() {
		m.pc = in.target
	}
}

func runElse(m *machine, in *inst) {
	h := &m.holds[in.depth]
	h.done = keep(m.act, h.yesRoom)
	m.act = h.no
	h.no = lanes{}
	if m.act.empty() {
		m.pc = in.target
	}
}

// runEndIf ends an if without an else part.
func runEndIf(m *machine, in *inst) {
	h := &m.holds[in.depth]
	if h.no.empty() {
		return
	}
	if m.act.list == nil && h.no.list == nil && m.act.hi == h.no.lo {
		m.act.hi = h.no.hi
	} else {
		m.act = m.join(m.act, h.no, h.room)
	}
	h.no = lanes{}
}

func runJoin(m *machine, in *inst) {
	h := &m.holds[in.depth]
	if !h.done.empty() {
		m.act = m.join(h.done, m.act, h.room)
	}
	h.done = lanes{}
}

func runEnter(m *machine, in *inst) {
	h := &m.holds[in.depth]
	h.left, h.pos, h.leave = lanes{}, in.pos, 0
}

func runLeave(m *machine, in *inst) {
	h := &m.holds[in.depth]
	h.left = m.join(h.left, m.act, h.leftRoom)
	h.leave = in.pos
	m.act = lanes{}
}

// runAgain ends the body of a loop.
func runAgain(m *machine, in *inst) {
	if m.act.empty() {
		return
	}
	m.pc = in.target
	m.count(in.pos, int64(m.act.count()))
}

func runExit(m *machine, in *inst) {
	h := &m.holds[in.depth]
	if !h.left.empty() {
		m.act = m.join(m.act, h.left, h.room)
	}
	h.left = lanes{}
}

// args are the operands of a loop: d is written, and the others are as long, or one value for all lanes where the loop says so.
type args struct {
	d, a, b, c, e []uint64
	in            *inst
	arith         ir.Arith
}

// loop computes d from the operands.
type loop func(x *args)

// guard reports whether an operation may have a fault in one of the lanes.
type guard func(x *args) bool

// runScalar computes one value for all lanes.
func runScalar(m *machine, in *inst) {
	x := &m.args
	x.in = in
	x.d, x.a, x.b, x.c, x.e = m.v[in.dst], m.v[in.a], m.v[in.b], m.v[in.c], m.v[in.d]
	if in.risk != nil && in.risk(x) {
		m.faults(in)
	}
	in.loop(x)
}

// operand returns slot s from lo to hi: one value if it is the same for all lanes, unless it is to be spread.
func (m *machine) operand(in *inst, k int, s int32, lo, hi int) []uint64 {
	v := m.v[s]
	if in.vec>>k&1 == 1 {
		return v[lo:hi]
	}
	if in.spread>>k&1 == 1 {
		t := m.tmp[k][:hi-lo]
		for i := range t {
			t[i] = v[0]
		}
		return t
	}
	return v
}

// runPure computes a value for each lane.
func runPure(m *machine, in *inst) {
	x := &m.args
	x.in = in
	s := &m.act
	lo, hi := s.lo, s.hi
	if s.list != nil && (!in.loose || 4*len(s.list) < hi-lo) {
		m.gather(in, x)
		return
	}
	x.d = m.v[in.dst][lo:hi]
	if in.vec&1 != 0 {
		x.a = m.v[in.a][lo:hi]
	} else {
		x.a = m.operand(in, 0, in.a, lo, hi)
	}
	if in.vec&2 != 0 {
		x.b = m.v[in.b][lo:hi]
	} else {
		x.b = m.operand(in, 1, in.b, lo, hi)
	}
	if in.vec|in.spread > 3 {
		x.c = m.operand(in, 2, in.c, lo, hi)
		x.e = m.operand(in, 3, in.d, lo, hi)
	} else {
		x.c = m.v[in.c]
	}
	if in.risk != nil && in.risk(x) {
		m.faults(in)
	}
	in.loop(x)
}

// gather computes for the lanes of a list alone.
func (m *machine) gather(in *inst, x *args) {
	list := m.act.list
	n := len(list)
	pick := func(k int, s int32) []uint64 {
		if in.vec>>k&1 == 0 {
			return m.operand(in, k, s, 0, n)
		}
		t, v := m.tmp[k][:n], m.v[s]
		for i, l := range list {
			t[i] = v[l]
		}
		return t
	}
	x.a, x.b, x.c, x.e = pick(0, in.a), pick(1, in.b), pick(2, in.c), pick(3, in.d)
	t := m.tmp[4][:n]
	x.d = t
	if in.risk != nil && in.risk(x) {
		m.faults(in)
	}
	in.loop(x)
	d := m.v[in.dst]
	for i, l := range list {
		d[l] = t[i]
	}
}

// value returns what slot s holds in lane l.
func (m *machine) value(in *inst, k int, s int32, l int) uint64 {
	if in.vec>>k&1 == 1 {
		return m.v[s][l]
	}
	return m.v[s][0]
}

// faults reports the first lane in which in has a fault.
func (m *machine) faults(in *inst) {
	for _, l := range m.all(&m.act) {
		l := int(l)
		i := in.src
		_, f := ir.Eval(i.Op, i.Type, i.From, i.FP, m.args.arith,
			m.value(in, 0, in.a, l), m.value(in, 1, in.b, l), m.value(in, 2, in.c, l), m.value(in, 3, in.d, l))
		if f != ir.NoFault && !m.undefined(in, l) {
			m.integer(in, l, f)
			return
		}
	}
}
