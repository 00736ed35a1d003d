package sim

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"gamma/metal"
	"gamma/metal/internal/protocol"
	"gamma/metal/sim/engine"
	"gamma/model"
)

// work is what a command buffer has to do. Start does it.
type work struct {
	q        *queue
	launches []launch
	encoder  int // of the last launch
	status   metal.Status
	err      error
	found    model.Findings
	time     time.Duration
}

var (
	_ protocol.Work = (*work)(nil)
	_ metal.Checker = (*work)(nil)
)

// launch is one dispatch.
type launch struct {
	k           *kernel
	grid, group metal.Size
	args        []engine.Arg
	memories    []*memory   // of args, nil where there is none
	bytes       []byteRange // of args that are bytes
	ordered     bool        // after all before it
}

// byteRange is where the bytes of an argument lie among the command buffer's.
type byteRange struct{ arg, offset, length int }

// Launching costs as many steps: a thread at least one instruction, a threadgroup as much as groupSteps.
const groupSteps = 64

// Add notes a launch that Options.Steps can suffice for.
func (w *work) Add(d *protocol.Dispatch) error {
	l := launch{
		k: d.Pipeline.Native.(*kernel), grid: size(d.Grid), group: size(d.Threads),
		ordered: !d.Concurrent || d.Barrier || d.Encoder != w.encoder,
		args:    make([]engine.Arg, len(d.Args)), memories: make([]*memory, len(d.Args)),
	}
	groups, ok := protocol.Volume(d.Groups)
	total, ok2 := protocol.Volume(d.Grid)
	if budget := uint64(w.q.b.o.budget(total)); !ok || !ok2 || total > budget || groups > budget/groupSteps {
		return fmt.Errorf("a grid of %s threads in threadgroups of %s would use up the budget of %d steps before it ends; make it smaller, or raise Options.Steps",
			text(l.grid), text(l.group), budget)
	}
	for i := range d.Args {
		switch a := &d.Args[i]; a.Kind {
		case protocol.Buffer:
			m := a.Memory.(*memory)
			m.bound(&l.k.code.Buffers[i], a.Offset)
			l.memories[i] = m
			l.args[i] = engine.Arg{Mem: &m.Memory, Offset: a.Offset}
		case protocol.Bytes:
			l.bytes = append(l.bytes, byteRange{i, a.Offset, a.Length})
		case protocol.Threadgroup:
			l.args[i].Length = a.Length
		}
	}
	for _, r := range d.Resources {
		m := r.Memory.(*memory)
		if i := m.address - 1; i >= 0 && i < len(l.args) && l.k.code.Buffers[i].Resource {
			if r.Usage&metal.UsageWrite != 0 {
				m.bound(&l.k.code.Buffers[i], 0)
			}
			l.memories[i] = m
			l.args[i] = engine.Arg{Mem: &m.Memory, ReadOnly: r.Usage&metal.UsageWrite == 0}
		}
	}
	w.encoder = d.Encoder
	w.launches = append(w.launches, l)
	return nil
}

func size(s [3]int) metal.Size { return metal.Size{X: s[0], Y: s[1], Z: s[2]} }

// text returns a size as x,y,z.
func text(s metal.Size) string { return fmt.Sprintf("%d,%d,%d", s.X, s.Y, s.Z) }

// passes are the launches that nothing orders, pass by pass, with what was given to SetBytes bound.
func (w *work) passes(bytes []byte) [][]launch {
	var list [][]launch
	from := 0
	for i := range w.launches {
		l := &w.launches[i]
		for _, b := range l.bytes {
			l.args[b.arg].Mem = &engine.Memory{Bytes: bytes[b.offset:][:b.length:b.length]}
		}
		if i+1 == len(w.launches) || w.launches[i+1].ordered {
			list = append(list, w.launches[from:i+1])
			from = i + 1
		}
	}
	return list
}

// Start runs the work. What goes wrong meanwhile is Status's business.
func (w *work) Start(bytes []byte) error {
	w.q.mu.Lock()
	defer w.q.mu.Unlock()
	defer lock(w.launches)()
	start := time.Now()
	err := w.run(w.passes(bytes))
	w.time = time.Since(start)
	w.status = metal.Completed
	if len(w.found) > 0 {
		w.q.b.found.add(w.found)
	}
	if faults := w.found.Faults(); faults != nil {
		w.err = faults
	}
	if err != nil && w.err != nil {
		w.err = errors.Join(w.err, err)
	} else if err != nil {
		w.err = err
	}
	if w.err != nil {
		w.status = metal.Failed
	}
	return nil
}

// Wait returns what stopped the work, or a model.Findings if the checks found a fault, or both, joined.
func (w *work) Wait() error { return w.err }

// Status is Completed, or Failed with what Wait returns.
func (w *work) Status() (metal.Status, error) { return w.status, w.err }

// Time returns how long the work took.
func (w *work) Time() time.Duration { return w.time }

// Findings returns what the checks found.
func (w *work) Findings() []model.Finding { return slices.Clone(w.found) }

// lock locks all memories of launches, and returns what unlocks them.
func lock(list []launch) (unlock func()) {
	var all []*memory
	for i := range list {
		for _, m := range list[i].memories {
			if m != nil {
				all = append(all, m)
			}
		}
	}
	slices.SortFunc(all, func(a, b *memory) int { return cmp.Compare(a.id, b.id) })
	all = slices.Compact(all)
	for _, m := range all {
		m.mu.Lock()
	}
	return func() {
		for _, m := range all {
			m.mu.Unlock()
		}
	}
}

// run runs passes.
func (w *work) run(passes [][]launch) error {
	b := w.q.b
	n := uint64(0)
	for i, pass := range passes {
		for _, at := range passOrder(b.o.Behaviour, i, len(pass)) {
			found, err := b.run(&pass[at], n)
			w.found = append(w.found, found[:min(len(found), MaxFindings-len(w.found))]...)
			if err != nil {
				return err
			}
			if spent(found) {
				return nil
			}
			n++
		}
	}
	return nil
}

// spent reports whether a run ended because it had used up its steps.
func spent(found []model.Finding) bool {
	return slices.ContainsFunc(found, func(f model.Finding) bool { return f.Kind == model.FindingSteps })
}

// passOrder returns the order in which n launches run that no barrier separates.
func passOrder(b model.Behaviour, pass, n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	switch b.Order {
	case "":
	case "reverse":
		slices.Reverse(list)
	default:
		rand.New(rand.NewPCG(b.Seed, uint64(pass))).Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	return list
}

// run runs one launch, the n-th of its command buffer. Its memories are locked.
func (b *backend) run(l *launch, n uint64) (found []model.Finding, err error) {
	defer name.Rescue("running "+l.k.title(), &err)
	v := b.variant()
	p, err := l.k.program(v)
	if err != nil {
		return nil, err
	}
	d := &engine.Dispatch{Kernel: p.code, Grid: l.grid, Group: l.group, Args: l.args}
	o := b.runOptions(v.engine, n, l.grid)
	if v.engine == Fast && b.o.Engine == Auto && b.o.Behaviour.Fair && waits(p.code.Body, false) {
		found, err = b.runFairly(l, p, d, o, n)
	} else {
		var res engine.Result
		res, err = p.Run(d, o)
		found = res.Findings
		b.steps.Add(res.Steps)
	}
	addLabels(found, d)
	return found, err
}

// fairSteps is the budget of the fast engine's run of a kernel that may wait, if that is a small part of the whole budget.
const fairSteps = 1 << 18

// runFairly runs a launch whose threads may wait for one another. The fast engine runs one threadgroup after the other, and looks for races; if
// one waits for a later one, its run does not end, and the adversarial engine takes its place.
func (b *backend) runFairly(l *launch, p *program, d *engine.Dispatch, o engine.Options, n uint64) ([]model.Finding, error) {
	restore := d.Keep()
	o.Steps = min(o.Steps/16, fairSteps)
	res, err := p.Run(d, o)
	b.steps.Add(res.Steps)
	if err != nil || !spent(res.Findings) {
		return res.Findings, err
	}
	restore()
	if p, err = l.k.program(variantOf(b.o.Behaviour, Adversarial)); err != nil {
		return nil, err
	}
	again, err := p.Run(d, b.runOptions(Adversarial, n, d.Grid))
	b.steps.Add(again.Steps)
	found := slices.DeleteFunc(res.Findings, func(f model.Finding) bool { return f.Kind == model.FindingSteps })
	return append(found, again.Findings...), err
}

// runOptions returns what the engine is told about the n-th launch of a command buffer, of such a grid.
func (b *backend) runOptions(e Engine, n uint64, grid model.Size3) engine.Options {
	behaviour := b.o.Behaviour
	if e == Fast {
		behaviour = model.Behaviour{Flush: behaviour.Flush, Flush16: behaviour.Flush16, SIMDWidth: behaviour.SIMDWidth}
	}
	behaviour.Seed += n * 0x9e3779b97f4a7c15
	return engine.Options{Checks: !b.o.NoChecks, Workers: b.o.Workers, SIMDWidth: b.o.width(b.o.Behaviour), Steps: b.o.budget(uint64(grid.X) * uint64(grid.Y) * uint64(grid.Z)), Behaviour: behaviour, FixedReductions: b.o.FixedReductions}
}
