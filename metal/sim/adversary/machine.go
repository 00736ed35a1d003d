package adversary

import (
	"math/bits"
	"slices"
	"sync"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// machine runs one dispatch.
type machine struct {
	p    *Program
	asm  *assembly
	code []inst
	d    *engine.Dispatch
	o    engine.Options

	// regs holds what is the same for all threads, and the registers of the thread that runs.
	regs    *[fileSize]uint64
	stride  int // words that are saved of each thread
	objects []object
	steps   int64
	limit   int64
	checks  bool
	plain32 bool
	arith   ir.Arith
	seed    uint64
	width   int // of simdgroups
	order   string
	// association is the order in which the values of lanes are combined.
	association string

	grid      model.Size3 // in threadgroups
	groups    uint64
	perThread int // bytes of memory of a thread
	perGroup  int // of a threadgroup
	layout    []int
	// residents is how many threadgroups may be resident.
	residents int
	each      uint64 // bytes of a threadgroup

	picks, weak source
	noises      uint64
	reductions  uint64
	spurious    *bool // whether AtomicCAS fails spuriously, if Outcomes decides it
	// perturbed counts the library functions that the thread has run, and changes what atomic operations have changed.
	perturbed uint32
	changes   uint64
	spin      spin
	stuck     int // how many threads in a row were found to wait for others

	now      *group // whose registers and memory are in place
	current  int    // the thread
	subject  threadRef
	lane     laneSet
	seat     ir.Seat // of the thread that is told an input
	findings findings
	idle     []*group
	over     bool       // the budget of steps is used up
	lost     bool       // a load met what is undefined, and has no flag
	blanks   [256]blank // by mark
}

// Limits of what one dispatch may ask for.
const (
	// Resident is the largest number of threadgroups that have begun and not ended.
	Resident = 64
	// MaxThreads is the largest number of threads in a threadgroup.
	MaxThreads = 1 << 16
	// MaxState bounds the bytes of registers and memory of all resident threadgroups.
	MaxState = 1 << 28
)

// maxSize is the largest grid in each dimension: positions have 32 bits.
const maxSize = 1 << 32

// status is what a thread does.
type status uint8

const (
	ready status = iota
	lanesWait
	barrierWait
	done
)

// thread is a thread of a threadgroup that was begun.
type thread struct {
	pc           int32
	status       status
	begun        bool
	beforeAccess bool // an access to shared memory is next
	lags         bool // it is seldom its turn
	perturbed    uint32
	regs         []uint64 // all registers, where it stopped in a loop: there others live than at other stops
}

// group is a threadgroup that was begun.
type group struct {
	id      uint64
	pos     model.Size3
	size    model.Size3
	threads []thread
	saved   []uint64 // the places of each thread that outlive stops
	own     []byte   // the memory of each thread
	ownInit []byte
	mem     []byte // threadgroup memory
	memInit []byte
	ready   []int32 // the threads that can go on
	place   []int32 // of each thread in ready, or -1
	waiting int     // threads at SIMD operations
	arrived int     // threads at barriers
	ends    int     // threads that have ended
	lags    bool    // it is seldom its turn
	stopped bool    // a barrier interval has ended
}

// newMachine prepares a dispatch, or says what is wrong with it.
func (p *Program) newMachine(d *engine.Dispatch, o engine.Options, order string) (*machine, error) {
	b := o.Behaviour
	switch {
	case d == nil:
		return nil, p.errorf("there is no dispatch; give one")
	case b.Rounding != model.NearestEven && b.Rounding != model.TowardZero:
		return nil, p.errorf("a Metal device rounds to nearest even or toward zero, not %s; use one of these", b.Rounding)
	case order != "" && order != "reverse" && order != "stages" && order != "accesses":
		return nil, p.errorf("no order is called %q; use reverse, stages or accesses, or leave it empty", order)
	}
	m := &machine{p: p, d: d, o: o, order: order, checks: o.Checks, arith: ir.ArithOf(b), seed: b.Seed, limit: o.Steps, width: b.SIMDWidth}
	if m.association = order; o.FixedReductions {
		m.association = ""
	}
	if m.width == 0 {
		m.width = o.SIMDWidth
	}
	if m.width == 0 {
		m.width = 32
	}
	if m.limit <= 0 {
		m.limit = engine.DefaultSteps
	}
	if m.width < 1 || m.width > 1024 {
		return nil, p.errorf("a simdgroup has 1 to 1024 lanes, not %d; change SIMDWidth", m.width)
	}
	m.width = p.k.Width(m.width)
	if m.association != "" {
		s := newSource(m.seed, streamLayout)
		m.seat.Layout = ir.DrawMatrixLayout(s.below)
	}
	if err := m.geometry(); err != nil {
		return nil, err
	}
	var err error
	m.plain32 = b.Rounding == model.NearestEven && !b.Flush.Any()
	if m.asm, err = p.code(mode{accesses: order == "accesses", checks: o.Checks, plain32: m.plain32}); err != nil {
		return nil, err
	}
	m.code = m.asm.code
	if err := m.bind(); err != nil {
		return nil, err
	}
	m.picks, m.weak = newSource(m.seed, streamOrder), newSource(m.seed, streamSpurious)
	m.regs = files.Get().(*[fileSize]uint64)
	m.constants(m.asm, func(place uint16, v uint64) { m.regs[place] = v })
	return m, nil
}

// constants calls set for each place that holds one value in the whole dispatch.
func (m *machine) constants(asm *assembly, set func(place uint16, v uint64)) {
	for _, c := range asm.consts {
		set(c.place, c.value)
	}
	for i, b := range m.p.k.Buffers {
		if m.p.uniform[b.Reg] {
			set(asm.place[b.Reg], m.pointer(i))
		}
	}
	for _, in := range m.p.k.Inputs {
		if m.p.uniform[in.Reg] {
			set(asm.place[in.Reg], m.input(in, nil, 0))
		}
	}
}

// files keeps register files, which are large and need not be cleared: a kernel reads no register that it has not written, and
// place 0 is never written.
var files = sync.Pool{New: func() any { return new([fileSize]uint64) }}

// release gives the register file back.
func (m *machine) release() {
	files.Put(m.regs)
	m.regs = nil
}

// geometry checks the sizes of the launch.
func (m *machine) geometry() error {
	d := m.d
	for _, s := range [...]model.Size3{d.Grid, d.Group} {
		if s.X < 1 || s.Y < 1 || s.Z < 1 || s.X > maxSize || s.Y > maxSize || s.Z > maxSize {
			return m.p.errorf("a grid of %s threads in groups of %s has a size that is not between 1 and 2^32; change it", d.Grid, d.Group)
		}
	}
	n, ok := product(d.Group)
	if limit := uint64(MaxThreads); !ok || n > limit {
		return m.p.errorf("a threadgroup of %s has more than %d threads; make it smaller", d.Group, limit)
	}
	if most := m.p.k.MaxThreads; most > 0 && n > uint64(most) {
		return m.p.errorf("a threadgroup of %s has more threads than max_total_threads_per_threadgroup, %d; make it smaller", d.Group, most)
	}
	m.grid = d.Groups()
	if m.groups, ok = product(m.grid); !ok || m.groups >= 1<<62 {
		return m.p.errorf("a grid of %s threads has too many threadgroups to count; make it smaller", d.Grid)
	}
	return nil
}

func product(s model.Size3) (uint64, bool) {
	hi, lo := bits.Mul64(uint64(s.X), uint64(s.Y))
	hi2, lo2 := bits.Mul64(lo, uint64(s.Z))
	return lo2, hi == 0 && hi2 == 0
}

// bind makes the table of objects, and counts what threads and threadgroups need.
func (m *machine) bind() error {
	k := m.p.k
	if len(m.d.Args) != len(k.Buffers) {
		return m.p.errorf("%d arguments for %d buffers; bind each", len(m.d.Args), len(k.Buffers))
	}
	writable := map[*engine.Memory]bool{}
	for i, b := range k.Buffers {
		if !b.ReadOnly && b.Space == ir.Device {
			writable[m.d.Args[i].Mem] = true
		}
	}
	m.objects = make([]object, 1+len(k.Buffers)+len(k.Objects))
	m.layout = make([]int, len(m.objects))
	filled := map[*engine.Memory]bool{}
	for i, b := range k.Buffers {
		arg := m.d.Args[i]
		o := object{name: arg.Name(&b), elem: b.Elem, space: b.Space, texture: b.Texture, fixed: b.ReadOnly || b.Space == ir.Constant || arg.ReadOnly}
		switch {
		case b.Space == ir.Threadgroup:
			if arg.Length < 0 || arg.Length > MaxState {
				return m.p.errorf("threadgroup memory %s (%d) has %d bytes; between 0 and %d are possible", b.Name, b.Index, arg.Length, MaxState)
			}
			if b.Whole && arg.Length < b.Elem {
				return m.p.errorf("threadgroup memory %s (%d) has %d bytes and needs %d; set its length", b.Name, b.Index, arg.Length, b.Elem)
			}
			o.held = arg.Length > 0 || !b.Optional
			m.place(&o, i+1, arg.Length, max(b.Align, 16))
		case arg.Mem == nil:
			if !b.Optional {
				return m.p.errorf("nothing is bound at buffer %s (%d); bind a buffer", b.Name, b.Index)
			}
		default:
			mem := arg.Mem
			switch {
			case arg.Offset < 0 || arg.Offset > len(mem.Bytes):
				return m.p.errorf("buffer %s (%d) starts at byte %d of %d; change the offset", b.Name, b.Index, arg.Offset, len(mem.Bytes))
			case mem.Init != nil && len(mem.Init) != len(mem.Bytes):
				return m.p.errorf("buffer %s (%d) has %d bytes and %d marks of what was written; give one a byte", b.Name, b.Index, len(mem.Bytes), len(mem.Init))
			case b.Whole && len(mem.Bytes)-arg.Offset < b.Elem:
				return m.p.errorf("buffer %s (%d) has %d bytes from its offset and needs %d; bind a larger one", b.Name, b.Index, len(mem.Bytes)-arg.Offset, b.Elem)
			case len(mem.Bytes) >= 1<<(ir.OffsetBits-1):
				return m.p.errorf("buffer %s (%d) has %d bytes, too many for a pointer; bind a smaller one", b.Name, b.Index, len(mem.Bytes))
			}
			if mem.Init != nil && !filled[mem] {
				filled[mem] = true
				m.fill(mem.Bytes, mem.Init, uint64(i))
			}
			o.held = true
			o.b, o.base = mem.Bytes[arg.Offset:], uint64(arg.Offset)
			if mem.Init != nil {
				o.init = mem.Init[arg.Offset:]
			}
			o.shared = writable[mem]
			o.label = mem.Name
		}
		m.objects[i+1] = o
	}
	for i, v := range k.Objects {
		o := object{name: v.Name, elem: v.Elem, space: v.Space, held: true, fixed: v.Space == ir.Constant}
		if o.elem == 0 {
			o.elem = v.Size
		}
		if v.Size > MaxState {
			return m.p.errorf("variable %s has %d bytes; at most %d are possible", v.Name, v.Size, MaxState)
		}
		at := i + 1 + len(k.Buffers)
		switch v.Space {
		case ir.Constant:
			o.b = v.Data
		default:
			m.place(&o, at, v.Size, max(v.Align, 16))
		}
		m.objects[at] = o
	}
	for i := range m.objects {
		if m.checks {
			m.objects[i].want = m.objects[i].init
		}
	}
	n, _ := product(m.d.Group)
	marks := 1
	if m.checks {
		marks = 2
	}
	each := uint64(m.perThread*marks+8*(m.asm.saved-1)+16)*n + uint64(m.perGroup*marks)
	if each > MaxState {
		return m.p.errorf("a threadgroup of %s needs %d bytes for registers and memory, and %d are possible; make it smaller", m.d.Group, each, MaxState)
	}
	m.stride, m.each = m.asm.saved+1, each
	// Few enough threads that they stay in the processor's cache, and two threadgroups if they fit.
	m.residents = int(min(uint64(Resident), max(2, 4096/n), max(1, MaxState/each)))
	return nil
}

// place gives a variable its place in the memory of threads or threadgroups.
func (m *machine) place(o *object, at, size, align int) {
	sum := &m.perGroup
	if o.space == ir.Thread {
		sum = &m.perThread
	} else {
		o.shared = true
	}
	*sum = min((*sum+align-1)/align*align, 1<<40)
	m.layout[at] = *sum
	*sum = min(*sum+size, 1<<40)
	o.b = nil
	o.base = 0
}

// size returns the bytes of the variable or argument at index i of the objects.
func (m *machine) size(i int) int {
	if i <= len(m.p.k.Buffers) {
		return m.d.Args[i-1].Length
	}
	return m.p.k.Objects[i-1-len(m.p.k.Buffers)].Size
}

// pointer returns the pointer to the first byte of what is bound at buffer i.
func (m *machine) pointer(i int) uint64 {
	if !m.objects[i+1].held {
		return 0
	}
	return uint64(ir.MakePointer(i, 0))
}

// begin starts the threadgroup of number id.
func (m *machine) begin(id uint64) *group {
	var g *group
	if n := len(m.idle); n > 0 {
		g, m.idle = m.idle[n-1], m.idle[:n-1]
	} else {
		g = &group{}
	}
	n := m.locate(g, id)
	g.threads = sized(g.threads, n)
	clear(g.threads)
	if m.order == "accesses" {
		for i := range g.threads {
			g.threads[i].lags = draw(m.seed, streamLag, id<<16^uint64(i))&7 == 0
		}
	}
	g.saved = sized(g.saved, n*m.stride)
	m.memory(g, true)
	g.ready, g.place = sized(g.ready, n), sized(g.place, n)
	g.waiting, g.arrived, g.ends, g.stopped = 0, 0, 0, false
	g.lags = draw(m.seed, streamLag, id)&7 == 0
	m.start(g)
	return g
}

// start makes every thread of g ready.
func (m *machine) start(g *group) {
	g.ready = g.ready[:len(g.threads)]
	for i := range g.ready {
		g.ready[i], g.place[i] = int32(i), int32(i)
	}
}

// locate makes g threadgroup id of the grid, and returns how many threads it has.
func (m *machine) locate(g *group, id uint64) int {
	x, y := uint64(m.grid.X), uint64(m.grid.Y)
	g.id = id
	g.pos = model.Size3{X: int(id % x), Y: int(id / x % y), Z: int(id / x / y)}
	g.size = m.d.GroupSize(g.pos)
	return g.size.X * g.size.Y * g.size.Z
}

// memory makes the memory of g and its threads what it is when they begin. If not filled, threadgroup memory holds anything, and is not to be
// read before it is written.
func (m *machine) memory(g *group, filled bool) {
	g.own, g.mem = sized(g.own, len(g.threads)*m.perThread), sized(g.mem, m.perGroup)
	m.fill(g.own, nil, streamLane, g.id)
	if filled {
		m.fill(g.mem, nil, streamMemory, g.id)
	}
	if m.checks {
		g.ownInit, g.memInit = sized(g.ownInit, len(g.own)), sized(g.memInit, len(g.mem))
		clear(g.ownInit)
		clear(g.memInit)
	}
}

func sized[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n)
}

// enter puts g's memory in place.
func (m *machine) enter(g *group) {
	if m.now == g {
		return
	}
	m.now, m.current = g, -1
	for i := range m.objects {
		o := &m.objects[i]
		if o.space == ir.Threadgroup && o.held {
			lo := m.layout[i]
			hi := lo + m.size(i)
			o.b = g.mem[lo:hi:hi]
			if m.checks {
				o.init = g.memInit[lo:hi:hi]
				o.want = o.init
			}
		}
	}
}

// few is up to how many places a loop copies faster than a call.
const few = 12

// copyPlaces copies the places from first on.
func copyPlaces(to, from []uint64) {
	from = from[:len(to)]
	if len(to) > few {
		copy(to[first:], from[first:])
		return
	}
	for k := first; k < len(to); k++ {
		to[k] = from[k]
	}
}

// resume puts thread i of g into the machine.
func (m *machine) resume(g *group, i int) {
	if m.now != g {
		m.enter(g)
	}
	t := &g.threads[i]
	if t.begun {
		copyPlaces(m.regs[:m.stride], g.saved[i*m.stride:])
		copy(m.regs[first:], t.regs)
		t.regs = nil
	} else {
		t.begun = true
		m.setInputs(g, i)
	}
	if m.perThread > 0 && m.current != i {
		m.variables(g, i)
	}
	m.current = i
	m.subject = threadRef{g, i}
}

// variables puts the memory of thread i in place.
func (m *machine) variables(g *group, i int) {
	for j := range m.objects {
		o := &m.objects[j]
		if o.space == ir.Thread {
			lo := i*m.perThread + m.layout[j]
			hi := lo + m.size(j)
			o.b = g.own[lo:hi:hi]
			if m.checks {
				o.init = g.ownInit[lo:hi:hi]
				o.want = o.init
			}
		}
	}
}

// setInputs writes the inputs of thread i of g.
func (m *machine) setInputs(g *group, i int) {
	for j, b := range m.p.k.Buffers {
		if !m.p.uniform[b.Reg] {
			m.regs[m.asm.target(b.Reg)] = m.pointer(j)
		}
	}
	for _, in := range m.p.k.Inputs {
		if !m.p.uniform[in.Reg] {
			m.regs[m.asm.target(in.Reg)] = m.input(in, g, i)
		}
	}
}

// threadPos returns the place of thread i in its threadgroup.
func threadPos(g *group, i int) model.Size3 {
	if i < g.size.X {
		return model.Size3{X: i}
	}
	return model.Size3{X: i % g.size.X, Y: i / g.size.X % g.size.Y, Z: i / g.size.X / g.size.Y}
}

// gridPos returns the place of thread i of g in the grid.
func (m *machine) gridPos(g *group, i int) model.Size3 {
	t := threadPos(g, i)
	return model.Size3{X: g.pos.X*m.d.Group.X + t.X, Y: g.pos.Y*m.d.Group.Y + t.Y, Z: g.pos.Z*m.d.Group.Z + t.Z}
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// input returns an input of thread i of g; g is nil for an input of the whole dispatch.
func (m *machine) input(in ir.Input, g *group, i int) uint64 {
	m.seat = ir.Seat{Grid: m.d.Grid, Nominal: m.d.Group, Thread: i, SIMDWidth: m.width, Layout: m.seat.Layout}
	if g != nil {
		m.seat.Group, m.seat.At = g.size, g.pos
	}
	return uint64(m.seat.Input(in)) & m.p.k.Regs[in.Reg].Mask()
}

// keepCounters saves the iteration counters of the loops that thread i, which has ended, returned from; see returned.
func (m *machine) keepCounters(g *group, i int) {
	if !m.checks {
		return
	}
	_, path := m.where(g, i)
	for _, s := range path {
		if s.arm < 0 {
			c := int(m.asm.place[s.counter])
			g.saved[i*m.stride+c] = m.regs[c]
		}
	}
}

// step runs thread i of g to its next stop and notes what it waits for.
func (m *machine) step(g *group, i, credit int) reason {
	m.resume(g, i)
	t := &g.threads[i]
	m.perturbed = t.perturbed
	pc, why := m.exec(t.pc, credit)
	t.pc, t.perturbed, t.beforeAccess = pc, m.perturbed, false
	if why != starving {
		m.stuck = 0
	}
	switch why {
	case ended:
		t.status = done
		g.ends++
		m.keepCounters(g, i)
		m.block(g, i)
		if m.steps > m.limit {
			m.exhausted(g, i)
		}
		return why
	case exhausted:
		m.exhausted(g, i)
		return why
	case starving:
		if !m.starved(g, i) {
			return exhausted
		}
		t.regs = slices.Clone(m.regs[first:m.asm.size])
	case atBarrier:
		t.status = barrierWait
		g.arrived++
		m.block(g, i)
	case atConvergence:
		t.status = lanesWait
		g.waiting++
		m.block(g, i)
	case atAccess:
		t.beforeAccess = true
	}
	copyPlaces(g.saved[i*m.stride:][:m.stride], m.regs[:])
	if m.steps > m.limit {
		m.exhausted(g, i)
		return exhausted
	}
	return why
}

// block removes thread i from the ready ones; wake puts it back.
func (m *machine) block(g *group, i int) {
	at, last := g.place[i], int32(len(g.ready)-1)
	moved := g.ready[last]
	g.ready[at], g.place[moved] = moved, at
	g.ready = g.ready[:last]
	g.place[i] = -1
}

func (m *machine) wake(g *group, i int) {
	t := &g.threads[i]
	switch t.status {
	case lanesWait:
		g.waiting--
	case barrierWait:
		g.arrived--
	}
	t.pc++
	t.status = ready
	g.place[i] = int32(len(g.ready))
	g.ready = append(g.ready, int32(i))
}
