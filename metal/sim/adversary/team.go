package adversary

import (
	"encoding/binary"
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

// lanes is the threads from lo to hi.
type lanes struct{ lo, hi int }

// suspended is threads that wait, after a branch, for those that are at earlier instructions.
type suspended struct {
	pc    int32
	count int
	who   []lanes
}

// rowKind says what is known of a row.
type rowKind uint8

const (
	varying    rowKind = iota
	linear             // every word is one more than the one before, and none wraps
	uniform            // all threads have one value, and only the first word holds it
	replicated         // all threads have one value, and all words hold it
)

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
	t.fixed()
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

// row returns the words of the threads from lo to hi at a place.
func (t *lockstep) row(place uint16, s lanes) []uint64 {
	at := int(place) * t.width
	return t.rows[at+s.lo : at+s.hi]
}

// set gives all threads one value.
func (t *lockstep) set(place uint16, v uint64) {
	t.rows[int(place)*t.width] = v
	t.kinds[place] = uniform
}

// fixed writes what is the same in the whole dispatch.
func (t *lockstep) fixed() {
	p, m := t.m.p, t.m
	t.set(0, 0)
	for _, c := range t.asm.consts {
		t.set(c.place, c.value)
	}
	for i, b := range p.k.Buffers {
		if p.uniform[b.Reg] {
			t.set(t.asm.place[b.Reg], m.pointer(i))
		}
	}
	for _, in := range p.k.Inputs {
		if p.uniform[in.Reg] {
			t.set(t.asm.place[in.Reg], m.input(in, nil, 0))
		}
	}
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
	put := func(r ir.Reg) uint16 {
		if at := t.asm.place[r]; at != 0 {
			return at
		}
		return nowhere
	}
	for j, b := range m.p.k.Buffers {
		if !m.p.uniform[b.Reg] {
			t.set(put(b.Reg), m.pointer(j))
		}
	}
	flat := g.size.Y == 1 && g.size.Z == 1
	for _, in := range m.p.k.Inputs {
		if m.p.uniform[in.Reg] {
			continue
		}
		at := put(in.Reg)
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

// replicate gives all threads the value of a row that has one.
func (t *lockstep) replicate(place uint16) {
	if t.kinds[place] != uniform {
		return
	}
	row := t.rows[int(place)*t.width:][:t.width]
	v := row[0]
	for i := range row {
		row[i] = v
	}
	t.kinds[place] = replicated
}

// allUniform reports whether an instruction with these operands is run once for all threads.
func (t *lockstep) allUniform(operands ...uint16) bool {
	if t.count < t.n {
		return false
	}
	for _, p := range operands {
		if t.kinds[p] < uniform {
			return false
		}
	}
	return true
}

// prepare readies the row of a result that only the threads that run get.
func (t *lockstep) prepare(place uint16) {
	if t.count < t.n {
		t.replicate(place)
	}
	t.kinds[place] = varying
}

// compute runs an instruction that gives a row of results from rows of operands, and reports whether it could.
func (t *lockstep) compute(x *inst, at int32) bool {
	if f := binaryRows[x.op]; f != nil {
		for _, s := range t.computedLanes(x.dst, x.a, x.b) {
			f(t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s))
		}
		return true
	}
	if f := unaryRows[x.op]; f != nil {
		for _, s := range t.computedLanes(x.dst, x.a) {
			f(t.row(x.dst, s), t.row(x.a, s))
		}
		return true
	}
	if f := partialRows[x.op]; f != nil {
		for _, s := range t.computedLanes(x.dst, x.a, x.b) {
			if !f(t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s)) {
				return false
			}
		}
		return true
	}
	switch x.op {
	case opEval, opLibrary:
		return t.eval(x, at)
	case opUndef:
		if t.m.o.Behaviour.Poison {
			return false
		}
		t.constant(x.dst, 0)
	case opConst:
		t.constant(x.dst, x.imm)
	case opSelect:
		t.selectRow(x)
	case opFmaF32:
		t.fma(x)
	case opPtrAdd:
		t.movePointer(x)
	default:
		return false
	}
	return true
}

func (t *lockstep) constant(place uint16, v uint64) {
	if t.count == t.n {
		t.set(place, v)
		return
	}
	t.prepare(place)
	for _, s := range t.active {
		for i, row := 0, t.row(place, s); i < len(row); i++ {
			row[i] = v
		}
	}
}

func (t *lockstep) increment(place uint16) {
	if t.allUniform(place) {
		t.rows[int(place)*t.width]++
		t.kinds[place] = uniform
		return
	}
	t.prepare(place)
	for _, s := range t.active {
		for i, row := 0, t.row(place, s); i < len(row); i++ {
			row[i]++
		}
	}
}

// computedLanes returns the threads of which one instruction's results are to be computed: only the first if all have the same operands.
func (t *lockstep) computedLanes(dst uint16, operands ...uint16) []lanes {
	if t.allUniform(operands...) {
		t.kinds[dst] = uniform
		return firstLane
	}
	for _, p := range operands {
		t.replicate(p)
	}
	t.prepare(dst)
	return t.active
}

var firstLane = []lanes{{0, 1}}

func (t *lockstep) selectRow(x *inst) {
	for _, s := range t.computedLanes(x.dst, x.a, x.b, x.c) {
		d, a, b, c := t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s), t.row(x.c, s)
		a, b, c = a[:len(d)], b[:len(d)], c[:len(d)]
		for i := range d {
			v, w := c[i], b[i]
			if a[i] != 0 {
				v = w
			}
			d[i] = v
		}
	}
}

func (t *lockstep) fma(x *inst) {
	for _, s := range t.computedLanes(x.dst, x.a, x.b, x.c) {
		d, a, b, c := t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s), t.row(x.c, s)
		for i := range d {
			d[i] = bits32(ir.Fma32(f32(a[i]), f32(b[i]), f32(c[i])))
		}
	}
}

func (t *lockstep) movePointer(x *inst) {
	for _, s := range t.computedLanes(x.dst, x.a, x.b) {
		d, a, b := t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s)
		for i := range d {
			d[i] = moved(x, a[i], b[i])
		}
	}
}

// eval runs an instruction by the reference, and reports whether there was no fault to report.
func (t *lockstep) eval(x *inst, pc int32) bool {
	m, flat := t.m, t.asm.from[pc]
	in := m.p.flat[flat].in
	errs := x.op == opLibrary && m.o.Behaviour.ULP
	who := t.active
	if errs {
		for _, p := range [...]uint16{x.a, x.b, x.c, x.d} {
			t.replicate(p)
		}
		t.prepare(x.dst)
	} else {
		who = t.computedLanes(x.dst, x.a, x.b, x.c, x.d)
	}
	for _, s := range who {
		dst, a, b, c, d := t.row(x.dst, s), t.row(x.a, s), t.row(x.b, s), t.row(x.c, s), t.row(x.d, s)
		for i := range dst {
			args := [...]uint64{a[i], b[i]}
			r, fault := ir.Eval(in.Op, in.Type, in.From, in.FP, m.arith, args[0], args[1], c[i], d[i])
			if fault != ir.NoFault && m.checks {
				return false
			}
			if errs {
				t.perturbed[s.lo+i]++
				r = m.perturb(in, flat, t.g.id, s.lo+i, t.perturbed[s.lo+i], args, r)
			}
			dst[i] = r
		}
	}
	return true
}

// sameIterations reports whether all threads have gone round the loops around instruction pc equally often. As those behind in the text run
// first, it is true whenever all of them come to a barrier; what follows relies on it.
func (t *lockstep) sameIterations(pc int32) bool {
	for _, s := range t.m.p.paths[t.m.p.flat[t.asm.from[pc]].path] {
		if s.arm >= 0 {
			continue
		}
		at := t.asm.place[s.counter]
		if t.kinds[at] >= uniform {
			continue
		}
		row := t.row(at, lanes{0, t.n})
		for _, v := range row {
			if v != row[0] {
				return false
			}
		}
	}
	return true
}

// branch runs a jump that is taken unless f holds, or register a does, and returns what comes next. Those who come later in the text wait.
func (t *lockstep) branch(x *inst, f func(d, a, b []uint64), pc int32) int32 {
	v, first := t.truth, lanes{0, 1}
	switch {
	case f == nil && t.kinds[x.a] >= uniform:
		if t.row(x.a, first)[0] != 0 {
			return pc + 1
		}
		return x.target
	case f == nil:
		v = t.row(x.a, lanes{0, t.n})
	case t.kinds[x.a] >= uniform && t.kinds[x.b] >= uniform:
		if f(v[:1], t.row(x.a, first), t.row(x.b, first)); v[0] != 0 {
			return pc + 1
		}
		return x.target
	default:
		if lo, hi, ok := t.takenRange(x); ok {
			yes, no, count := t.partitionRange(lo, hi)
			return t.diverge(x, pc, yes, no, count)
		}
		t.replicate(x.a)
		t.replicate(x.b)
		for _, s := range t.active {
			f(v[s.lo:s.hi], t.row(x.a, s), t.row(x.b, s))
		}
	}
	yes, no, count := t.partition(v)
	return t.diverge(x, pc, yes, no, count)
}

// diverge lets the threads in yes go on behind the jump at pc, and those in no at its target, and returns what comes next.
func (t *lockstep) diverge(x *inst, pc int32, yes, no []lanes, count int) int32 {
	rest := t.count - count
	if rest == 0 || count == 0 || x.target == pc+1 { // all go on together
		t.release(no)
		t.release(yes)
		if rest == 0 {
			return pc + 1
		}
		return x.target
	}
	t.release(t.active)
	t.active, t.count = yes, count
	t.suspend(x.target, no, rest)
	return pc + 1
}

// partition divides the threads that run into those whose word of v is not 0 and the others, and counts the first.
func (t *lockstep) partition(v []uint64) (yes, no []lanes, count int) {
	yes, no = t.emptyLanes(), t.emptyLanes()
	for _, s := range t.active {
		for i := s.lo; i < s.hi; {
			from, is := i, v[i] != 0
			for i++; i < s.hi && (v[i] != 0) == is; i++ {
			}
			if is {
				yes = append(yes, lanes{from, i})
				count += i - from
			} else {
				no = append(no, lanes{from, i})
			}
		}
	}
	return yes, no, count
}

// takenRange returns the threads from lo to hi that go on behind a jump which compares a row that rises with one value, if it is one.
func (t *lockstep) takenRange(x *inst) (lo, hi int, ok bool) {
	a, b := t.rows[int(x.a)*t.width], t.rows[int(x.b)*t.width]
	n := uint64(t.n)
	up := t.kinds[x.a] == linear && t.kinds[x.b] >= uniform // base+i on the left
	if !up && (t.kinds[x.b] != linear || t.kinds[x.a] < uniform) {
		return 0, 0, false
	}
	base, v := a, b
	if !up {
		base, v = b, a
	}
	op := x.op
	if op == opUnlessLtI32 || op == opUnlessLeI32 {
		if base+n > 1<<31 || v >= 1<<31 {
			return 0, 0, false
		}
	}
	// below and upto are how many threads have less than v, and no more.
	below, upto := uint64(0), uint64(0)
	if v >= base {
		below, upto = min(v-base, n), min(v-base, n-1)+1
	}
	switch op {
	case opUnlessEq:
		return int(below), int(upto), true
	case opUnlessLtU, opUnlessLtI32:
		if up {
			return 0, int(below), true
		}
		return int(upto), t.n, true
	case opUnlessLeU, opUnlessLeI32:
		if up {
			return 0, int(upto), true
		}
		return int(below), t.n, true
	}
	return 0, 0, false
}

// partitionRange is split for the threads from lo to hi.
func (t *lockstep) partitionRange(lo, hi int) (yes, no []lanes, count int) {
	yes, no = t.emptyLanes(), t.emptyLanes()
	for _, s := range t.active {
		from, to := min(max(lo, s.lo), s.hi), max(min(hi, s.hi), s.lo)
		if from >= to {
			no = append(no, s)
			continue
		}
		yes = append(yes, lanes{from, to})
		count += to - from
		if s.lo < from {
			no = append(no, lanes{s.lo, from})
		}
		if to < s.hi {
			no = append(no, lanes{to, s.hi})
		}
	}
	return yes, no, count
}

// emptyLanes returns an empty list, release gives one back.
func (t *lockstep) emptyLanes() []lanes {
	if n := len(t.spare); n > 0 {
		s := t.spare[n-1]
		t.spare = t.spare[:n-1]
		return s[:0]
	}
	return make([]lanes, 0, 8)
}

func (t *lockstep) release(s []lanes) { t.spare = append(t.spare, s) }

// suspend lets threads wait before pc.
func (t *lockstep) suspend(pc int32, who []lanes, count int) {
	for i := range t.waiting {
		if p := &t.waiting[i]; p.pc == pc {
			both := t.mergeLanes(p.who, who)
			t.release(p.who)
			t.release(who)
			p.who = both
			p.count += count
			return
		}
	}
	t.waiting = append(t.waiting, suspended{pc, count, who})
	t.next = min(t.next, pc)
}

// reconverge is called when the threads that run come to others, or past them, and returns where to go on.
func (t *lockstep) reconverge(pc int32) int32 {
	t.suspend(pc, t.active, t.count)
	return t.resumeEarliest()
}

// resumeEarliest lets those run that are behind all others, and returns where they are.
func (t *lockstep) resumeEarliest() int32 {
	at := 0
	for i := range t.waiting {
		if t.waiting[i].pc < t.waiting[at].pc {
			at = i
		}
	}
	p := t.waiting[at]
	last := len(t.waiting) - 1
	t.waiting[at] = t.waiting[last]
	t.waiting = t.waiting[:last]
	t.next = math.MaxInt32
	for i := range t.waiting {
		t.next = min(t.next, t.waiting[i].pc)
	}
	t.active, t.count = p.who, p.count
	return p.pc
}

// mergeLanes merges two lists that share no threads.
func (t *lockstep) mergeLanes(a, b []lanes) []lanes {
	out := t.emptyLanes()
	for len(a) > 0 || len(b) > 0 {
		from := &a
		if len(a) == 0 || len(b) > 0 && b[0].lo < a[0].lo {
			from = &b
		}
		s := (*from)[0]
		*from = (*from)[1:]
		if n := len(out); n > 0 && out[n-1].hi == s.lo {
			out[n-1].hi = s.hi
		} else {
			out = append(out, s)
		}
	}
	return out
}

// reach is what is known of an instruction's access to memory.
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

// reach returns what is known of instruction pc, and whether that is enough.
func (t *lockstep) reach(x *inst, pc int32) (r reach, ok bool) {
	in := t.m.p.flat[t.asm.from[pc]].in
	size := in.Type.Size()
	align := int(in.Align)
	if align == 0 {
		align = size
	}
	return reach{
		size: uint64(size), align: uint64(align - 1), mask: in.Type.Mask(), cells: size >> t.grain, wide: x.d >= wide,
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
		return t.loadWords(x, &r, v)
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
			if v.want && x.op != opSoft && !written(v.init[off:off+r.size]) {
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

// plain returns the view of an access of all threads to words of one grain in one memory that they share, by indices that differ;
// nil if it is another one.
func (t *lockstep) plain(x *inst, r *reach) *view {
	if r.size != 4 || r.cells != 1 || r.wide || r.align != 3 || t.kinds[x.a] < uniform || t.kinds[x.b] >= uniform || x.op == opSoft {
		return nil
	}
	k := t.rows[int(x.a)*t.width] >> ir.OffsetBits
	if k >= uint64(len(t.seen)) || t.seen[k].cells == nil {
		return nil
	}
	return &t.seen[k]
}

// loadWords is load for plain accesses.
func (t *lockstep) loadWords(x *inst, r *reach, v *view) bool {
	start := t.rows[int(x.a)*t.width] + r.imm
	t.prepare(x.dst)
	w, b, size, grain, floor, signed, scale := t.w, v.b, uint64(v.size), t.grain, v.floor, r.signed, r.scale
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
			if off+4 > size || (off+v.base)&3 != 0 {
				return false
			}
			c := &v.cells[(off+v.base)>>grain]
			if !w.reads(c, me, floor) || v.fresh && c.write < floor {
				return false
			}
			if v.want && binary.LittleEndian.Uint32(v.init[off:]) != 0x01010101 {
				return false
			}
			d[i] = uint64(binary.LittleEndian.Uint32(b[off:]))
			me++
		}
	}
	return true
}

// storeWords is store for plain accesses to memory of the threadgroup.
func (t *lockstep) storeWords(x *inst, r *reach, v *view) bool {
	start := t.rows[int(x.a)*t.width] + r.imm
	t.replicate(x.c)
	w, b, size, grain, floor, signed, scale := t.w, v.b, uint64(v.size), t.grain, v.floor, r.signed, r.scale
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
			if off+4 > size || (off+v.base)&3 != 0 {
				return false
			}
			if !w.writes(&v.cells[(off+v.base)>>grain], me, floor) {
				return false
			}
			binary.LittleEndian.PutUint32(b[off:], uint32(vs[i]))
			if v.init != nil {
				binary.LittleEndian.PutUint32(v.init[off:], 0x01010101)
			}
			me++
		}
	}
	return true
}

// written reports whether all bytes were written.
func written(init []byte) bool {
	for _, v := range init {
		if v == 0 {
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
	if v := t.plain(x, &r); v != nil && v.mem == nil && !v.fixed {
		return t.storeWords(x, &r, v)
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
					if !w.writes(&v.cells[at+uint64(c)], me, v.floor) {
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
			d[i] = absence(marks)
		}
	}
	return true
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
			if !ok || v.mem != nil {
				return false
			}
			lay(marks, flag)
		}
	}
	return true
}
