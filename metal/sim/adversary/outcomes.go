package adversary

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
)

// Limits of Outcomes.
const (
	// MaxOutcomeThreads is the largest number of threads whose schedules are enumerated.
	MaxOutcomeThreads = 1 << 10
	// MaxOutcomeBytes bounds the states that wait to be explored.
	MaxOutcomeBytes = 1 << 30
	// outcomeSteps is the budget of all schedules together where Options.Steps is 0.
	outcomeSteps = 1 << 30
)

// Outcomes explores every schedule of a tiny launch under o.Behaviour.Order ("stages" or "accesses"; the others have one schedule),
// and calls each once for every distinct content of the buffers at the end, in no particular order: mem[i] is what d.Args[i] is bound
// to, empty for threadgroup memory. The buffers of d stay as they are. If each returns false, the search ends.
//
// A state of the launch is registers that are still to be read, memory and the places of threads; states that were seen
// before are not explored again. Steps that touch no shared memory are not interleaved, as they commute with everything, nor are
// SIMD operations, which run as soon as no other thread can reach them; their sums keep program order. Under "accesses" a weak
// compare-and-exchange both works and fails wherever it may.
//
// complete is false if the search ended early: after limit states, out of steps or memory, or because each said so. Findings are
// not made.
func (p *Program) Outcomes(d *engine.Dispatch, o engine.Options, limit int, each func(mem []engine.Memory) bool) (complete bool, err error) {
	o.Checks, o.Behaviour.Fair = false, false
	if o.Steps == 0 {
		o.Steps = outcomeSteps
	}
	if d == nil {
		return false, p.errorf("there is no dispatch; give one")
	}
	copied, args := copyArgs(d)
	m, err := p.newMachine(copied, o, o.Behaviour.Order)
	if err != nil {
		return false, err
	}
	defer m.release()
	x := &explorer{m: m, each: each, args: args, seen: map[[16]byte]bool{}, ends: map[[32]byte]bool{}, limit: limit}
	if !m.drawn() {
		m.sequence(m.order == "reverse")
		if !m.over {
			x.end()
		}
		return !m.over && !x.stopped, nil
	}
	size, _ := product(d.Group)
	if m.groups > MaxOutcomeThreads || m.groups*size > MaxOutcomeThreads {
		return false, p.errorf("%d threadgroups of %s are too many to try every schedule; launch at most %d threads", m.groups, d.Group, MaxOutcomeThreads)
	}
	if m.groups*m.each > MaxState {
		return false, p.errorf("%d threadgroups need %d bytes each, and %d are possible together; make the launch smaller", m.groups, m.each, MaxState)
	}
	return x.explore(), nil
}

// copyArgs returns d with copies of its memories, and for each argument the copy.
func copyArgs(d *engine.Dispatch) (*engine.Dispatch, []*engine.Memory) {
	c := *d
	c.Args = append([]engine.Arg(nil), d.Args...)
	args := make([]*engine.Memory, len(d.Args))
	copies := map[*engine.Memory]*engine.Memory{}
	for i := range c.Args {
		mem := c.Args[i].Mem
		if mem == nil {
			continue
		}
		if copies[mem] == nil {
			copies[mem] = &engine.Memory{Bytes: bytes.Clone(mem.Bytes), Init: bytes.Clone(mem.Init), Name: mem.Name}
		}
		c.Args[i].Mem, args[i] = copies[mem], copies[mem]
	}
	return &c, args
}

// explorer is a search through all schedules.
type explorer struct {
	m        *machine
	each     func([]engine.Memory) bool
	args     []*engine.Memory
	memories [][]byte // each memory that may be written, once
	groups   []*group
	fine     bool // at every access
	current  int  // the threadgroup in the middle of a barrier interval, or -1
	seen     map[[16]byte]bool
	ends     map[[32]byte]bool
	limit    int
	held     int // bytes of the states on the stack
	stopped  bool
	early    bool
}

// transition is one step that a state allows.
type transition struct {
	group, thread int
	fails         bool // the compare-and-exchange that is next fails without reason
}

// frame is a state on the path of the search, with the transitions that are left to try.
type frame struct {
	state       []byte
	transitions []transition
}

func (x *explorer) explore() bool {
	m := x.m
	x.fine, x.current = m.order == "accesses", -1
	m.association = ""
	listed := map[*engine.Memory]bool{}
	for _, mem := range x.args {
		if mem != nil && !listed[mem] {
			listed[mem] = true
			x.memories = append(x.memories, mem.Bytes)
		}
	}
	for i := range m.objects {
		m.objects[i].init, m.objects[i].want = nil, nil
	}
	m.spurious = new(bool)
	for id := range m.groups {
		x.groups = append(x.groups, m.begin(id))
	}
	if x.fine {
		for _, g := range x.groups {
			x.advance(g)
		}
	}
	if m.over {
		return false
	}
	var stack []frame
	push := func() {
		state := x.snapshot()
		sum := sha256.Sum256(state)
		key := [16]byte(sum[:])
		if x.seen[key] {
			return
		}
		if len(x.seen) >= x.limit || x.held+len(state) > MaxOutcomeBytes {
			x.early = true
			return
		}
		x.seen[key] = true
		transitions := x.transitions()
		if len(transitions) == 0 {
			x.end()
			return
		}
		x.held += len(state)
		stack = append(stack, frame{state, transitions})
	}
	push()
	for len(stack) > 0 && !x.stopped && !m.over && !x.early {
		top := &stack[len(stack)-1]
		n := len(top.transitions) - 1
		t := top.transitions[n]
		x.restore(top.state)
		if top.transitions = top.transitions[:n]; n == 0 {
			x.held -= len(top.state)
			stack = stack[:len(stack)-1]
		}
		x.apply(t)
		if !m.over {
			push()
		}
	}
	return !x.stopped && !m.over && !x.early
}

// transitions lists the steps that the state allows.
func (x *explorer) transitions() []transition {
	var list []transition
	for n, g := range x.groups {
		if x.current >= 0 && n != x.current {
			continue
		}
		for i := range g.threads {
			if g.threads[i].status != ready {
				continue
			}
			list = append(list, transition{group: n, thread: i})
			if x.fine && g.threads[i].beforeAccess && x.m.at(g.threads[i].pc).Op == ir.AtomicCAS {
				list = append(list, transition{group: n, thread: i, fails: true})
			}
		}
	}
	return list
}

// apply runs one transition.
func (x *explorer) apply(t transition) {
	m, g := x.m, x.groups[t.group]
	*m.spurious = t.fails
	if x.fine {
		x.step(g, t.thread, 1)
		x.advance(g)
		return
	}
	x.current, g.stopped = t.group, false
	x.step(g, t.thread, 0)
	x.converge(g)
	for len(g.ready) == 0 && g.ends < len(g.threads) && !m.over && !g.stopped {
		m.unblock(g)
	}
	if g.stopped || g.ends == len(g.threads) {
		x.current = -1
	}
}

// advance runs the threads of g up to their next access, and what they wait for.
func (x *explorer) advance(g *group) {
	m := x.m
	for again := true; again && !m.over; {
		again = false
		for i := range g.threads {
			if t := &g.threads[i]; t.status == ready && !t.beforeAccess && !m.over {
				again = true
				x.step(g, i, 0)
			}
		}
		if x.converge(g) {
			again = true
		}
		if len(g.ready) == 0 && g.ends < len(g.threads) && !m.over {
			m.unblock(g)
			again = true
		}
	}
}

// converge runs the SIMD operations of g that no other thread can reach.
func (x *explorer) converge(g *group) bool {
	any := false
	for i := range g.threads {
		if g.threads[i].status == lanesWait && x.m.converge(g, i) {
			any = true
		}
	}
	return any
}

// step runs a thread, and clears what it will not read again, so that equal states look equal.
func (x *explorer) step(g *group, i, credit int) {
	m := x.m
	m.noises, m.reductions = 0, 0
	m.step(g, i, credit)
	t := &g.threads[i]
	saved := g.saved[i*m.stride : (i+1)*m.stride]
	if t.status == done {
		clear(saved)
		clear(g.own[i*m.perThread : (i+1)*m.perThread])
		return
	}
	for _, at := range m.asm.dead[t.pc] {
		saved[at] = 0
	}
}

// snapshot returns all that the rest of the run depends on.
func (x *explorer) snapshot() []byte {
	le := binary.LittleEndian
	s := le.AppendUint32(nil, uint32(x.current))
	for _, b := range x.memories {
		s = append(s, b...)
	}
	for _, g := range x.groups {
		s = append(append(s, g.mem...), g.own...)
		for _, v := range g.saved {
			s = le.AppendUint64(s, v)
		}
		for i := range g.threads {
			t := &g.threads[i]
			s = append(le.AppendUint32(le.AppendUint32(s, uint32(t.pc)), t.perturbed), byte(t.status), asByte(t.begun), asByte(t.beforeAccess))
		}
	}
	return s
}

func asByte(b bool) byte { return byte(truth(b)) }

// restore is the inverse of snapshot.
func (x *explorer) restore(s []byte) {
	le := binary.LittleEndian
	take := func(b []byte) { s = s[copy(b, s):] }
	x.current = int(int32(le.Uint32(s)))
	s = s[4:]
	for _, b := range x.memories {
		take(b)
	}
	for _, g := range x.groups {
		take(g.mem)
		take(g.own)
		for i := range g.saved {
			g.saved[i] = le.Uint64(s)
			s = s[8:]
		}
		g.ready, g.waiting, g.arrived, g.ends, g.stopped = g.ready[:0], 0, 0, 0, false
		for i := range g.threads {
			t := &g.threads[i]
			*t = thread{
				pc: int32(le.Uint32(s)), perturbed: le.Uint32(s[4:]), status: status(s[8]), begun: s[9] != 0, beforeAccess: s[10] != 0,
			}
			s = s[11:]
			g.place[i] = -1
			switch t.status {
			case ready:
				g.place[i] = int32(len(g.ready))
				g.ready = append(g.ready, int32(i))
			case lanesWait:
				g.waiting++
			case barrierWait:
				g.arrived++
			case done:
				g.ends++
			}
		}
	}
	x.m.now, x.m.current = nil, -1
}

// end hands the buffers over, unless they were like this before.
func (x *explorer) end() {
	h := sha256.New()
	for _, b := range x.args {
		if b != nil {
			h.Write(b.Bytes)
		}
	}
	key := [32]byte(h.Sum(nil))
	if x.ends[key] {
		return
	}
	x.ends[key] = true
	mem := make([]engine.Memory, len(x.args))
	for i, b := range x.args {
		if b != nil {
			mem[i] = engine.Memory{Bytes: bytes.Clone(b.Bytes), Name: b.Name}
		}
	}
	if !x.each(mem) {
		x.stopped = true
	}
}
