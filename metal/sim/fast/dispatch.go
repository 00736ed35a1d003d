package fast

import (
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// dispatch is one dispatch that runs.
type dispatch struct {
	d      *engine.Dispatch
	groups model.Size3
	count  int64 // of threadgroups
	checks bool
	limit  int64
	steps  int64 // of all machines, atomically
	spent  atomic.Bool
	lost   atomic.Bool // a load met what is undefined
	next   int64       // threadgroup that nobody has taken yet, atomically
}

// groupAt returns the position of threadgroup g.
func (r *dispatch) groupAt(g int64) model.Size3 {
	x, y := int64(r.groups.X), int64(r.groups.Y)
	return model.Size3{X: int(g % x), Y: int(g / x % y), Z: int(g / x / y)}
}

const (
	maxGrid   = 1 << 32 // threads in each dimension: positions are 32 bits
	maxGroups = 1 << 40
	// maxMemory bounds what the machines of a dispatch need, in bytes.
	maxMemory = 1 << 31
)

// Run runs d, leaves the results in its Memories, and says what was found. The error is one of the launch: nothing has run then. A kernel that
// does not end is stopped when the budget of steps is used up, which is a finding, checks or no.
func (p *Program) Run(d *engine.Dispatch, o engine.Options) (engine.Result, error) {
	arith, err := arithmetic(o.Behaviour)
	if err != nil {
		return engine.Result{}, err
	}
	w, err := width(o)
	if err != nil {
		return engine.Result{}, err
	}
	w = p.k.Width(w)
	if err := p.check(d); err != nil {
		return engine.Result{}, fmt.Errorf("fast: kernel %s: %w", p.k.Name, err)
	}
	if o.Steps <= 0 {
		o.Steps = engine.DefaultSteps
	}
	md := mode{checks: o.Checks, arith: arith, memory: o.Checks && p.lost.Load()}
	res, lost, err := p.run(d, o, md, w)
	if lost {
		p.lost.Store(true)
		md.memory = true
		res, _, err = p.run(d, o, md, w)
	}
	return res, err
}

// newDispatch returns a dispatch that nothing of has run.
func newDispatch(d *engine.Dispatch, o engine.Options) *dispatch {
	g := d.Groups()
	return &dispatch{d: d, groups: g, count: int64(g.X) * int64(g.Y) * int64(g.Z), checks: o.Checks, limit: o.Steps}
}

// run runs d. If lost, a load met what is undefined and gives no flags in mode md: memory is as it was, and d has to be run in one in which it does.
func (p *Program) run(d *engine.Dispatch, o engine.Options, md mode, width int) (res engine.Result, lost bool, err error) {
	c, err := p.code(md)
	if err != nil {
		return res, false, err
	}
	r, workers := newDispatch(d, o), o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = int(min(int64(workers), r.count))
	if p.a.ordered || !little {
		workers = 1
	}
	plan, err := p.plan(r, c)
	if err != nil {
		return res, false, fmt.Errorf("fast: kernel %s: %w", p.k.Name, err)
	}
	workers = int(max(1, min(int64(workers), maxMemory/max(1, plan.bytes))))
	if workers > 1 && !plan.views {
		workers = 1 // atomics of several workers need views
	}
	var before [][2][]byte
	if r.checks && (workers > 1 || !md.memory && p.loses(plan)) {
		before = plan.save()
	}
	list := p.start(r, c, md, plan, workers, width)
	r.run(list)
	if workers > 1 && before != nil && !r.lost.Load() && (r.spent.Load() || crossed(list, plan)) {
		plan.restore(before)
		p.put(md, list)
		r = newDispatch(d, o)
		list = p.start(r, c, md, plan, 1, width)
		r.run(list)
	}
	if r.lost.Load() {
		plan.restore(before)
		p.put(md, list)
		return res, true, nil
	}
	res = engine.Result{Findings: merge(list), Steps: atomic.LoadInt64(&r.steps)}
	if r.spent.Load() && !slices.ContainsFunc(res.Findings, func(f model.Finding) bool { return f.Kind == model.FindingSteps }) {
		res.Findings = append(res.Findings[:min(len(res.Findings), engine.MaxFindings-1)], model.Finding{
			Kind: model.FindingSteps, Kernel: p.k.Name, Pos: p.k.Pos, Index: -1,
			Text: fmt.Sprintf("the dispatch took more than the %d instructions that Options.Steps allows", r.limit),
		})
	}
	for _, m := range list {
		if m.failed != nil {
			err = m.failed
		}
	}
	p.put(md, list)
	return res, false, err
}

// run lets the machines run all threadgroups.
func (r *dispatch) run(list []*machine) {
	if len(list) == 1 {
		r.work(list[0], r.count)
		return
	}
	chunk := max(1, r.count/int64(len(list)*16))
	var wg sync.WaitGroup
	for _, m := range list {
		wg.Go(func() { r.work(m, chunk) })
	}
	wg.Wait()
}

// work lets m run threadgroups until none is left. A panic, which would be a fault of this package, becomes the machine's failure.
func (r *dispatch) work(m *machine, chunk int64) {
	defer func() {
		if x := recover(); x != nil {
			m.failed, m.stop, m.broken = fmt.Errorf("fast: the simulator is at fault, not the kernel; report it: %v", x), true, true
		}
	}()
	for !m.stop && !r.lost.Load() {
		first := atomic.AddInt64(&r.next, chunk) - chunk
		if first >= r.count {
			break
		}
		for g := first; g < min(first+chunk, r.count) && !m.stop && !r.lost.Load(); g++ {
			m.runAlone(g)
		}
	}
	if atomic.AddInt64(&r.steps, m.steps) > r.limit {
		r.spent.Store(true)
	}
	m.steps = 0
}

// runAlone runs threadgroup g, under the race detector while no other does.
func (m *machine) runAlone(g int64) {
	if oneAtATime != nil {
		oneAtATime.Lock()
		defer oneAtATime.Unlock()
	}
	m.runGroup(g)
}

// crossed reports whether threadgroups disturbed one another.
func crossed(list []*machine, pl *plan) bool {
	for i, m := range list {
		if m.found.crossed {
			return true
		}
		for _, o := range list[:i] {
			for k := range pl.memories {
				if pl.memories[k].cells > 0 && m.shadow.memories[k].meets(o.shadow.memories[k]) {
					return true
				}
			}
		}
	}
	return false
}

// check looks at a launch that may be anything.
func (p *Program) check(d *engine.Dispatch) error {
	if d == nil {
		return errors.New("there is no dispatch")
	}
	for _, s := range []struct {
		what string
		n    model.Size3
	}{{"grid", d.Grid}, {"threadgroup", d.Group}} {
		if s.n.X <= 0 || s.n.Y <= 0 || s.n.Z <= 0 || s.n.X > maxGrid || s.n.Y > maxGrid || s.n.Z > maxGrid {
			return fmt.Errorf("a %s of %d·%d·%d threads cannot run; each size has to be from 1 to %d", s.what, s.n.X, s.n.Y, s.n.Z, int64(maxGrid))
		}
	}
	if n := volume(d.Group); n > MaxThreads {
		return fmt.Errorf("a threadgroup of %d·%d·%d threads cannot run; at most %d fit", d.Group.X, d.Group.Y, d.Group.Z, MaxThreads)
	}
	if n := volume(d.Groups()); n > maxGroups {
		g := d.Groups()
		return fmt.Errorf("%d·%d·%d threadgroups cannot run; at most %d may", g.X, g.Y, g.Z, int64(maxGroups))
	}
	if len(d.Args) != len(p.k.Buffers) {
		return fmt.Errorf("%d arguments are bound, and it has %d buffers", len(d.Args), len(p.k.Buffers))
	}
	for i, a := range d.Args {
		b := &p.k.Buffers[i]
		switch {
		case b.Space == ir.Threadgroup:
			if a.Length < 0 || a.Length > maxMemory {
				return fmt.Errorf("threadgroup memory %s has %d bytes", b.Name, a.Length)
			}
		case a.Mem == nil:
			if !b.Optional {
				return fmt.Errorf("buffer %s (index %d) is not bound", b.Name, b.Index)
			}
		case a.Offset < 0 || a.Offset > len(a.Mem.Bytes):
			return fmt.Errorf("buffer %s (index %d) is bound at byte %d of %d", b.Name, b.Index, a.Offset, len(a.Mem.Bytes))
		case a.Mem.Init != nil && len(a.Mem.Init) != len(a.Mem.Bytes):
			return fmt.Errorf("buffer %s (index %d) has %d bytes, and Init speaks of %d", b.Name, b.Index, len(a.Mem.Bytes), len(a.Mem.Init))
		case b.Whole && len(a.Mem.Bytes)-a.Offset < b.Elem:
			return fmt.Errorf("buffer %s (index %d) holds %d bytes from its offset, and a %s has %d", b.Name, b.Index, len(a.Mem.Bytes)-a.Offset, b.Type, b.Elem)
		}
	}
	return nil
}

// volume returns the product of three positive sizes, or the greatest number if it is larger.
func volume(s model.Size3) uint64 {
	hi, lo := bits.Mul64(uint64(s.X), uint64(s.Y))
	if hi != 0 {
		return ^uint64(0)
	}
	hi, lo = bits.Mul64(lo, uint64(s.Z))
	if hi != 0 {
		return ^uint64(0)
	}
	return lo
}
