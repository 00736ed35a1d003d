package sim

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"gamma/metal"
	"gamma/metal/sim/run"
	"gamma/model"
)

// commandBuffer is a metal.CommandBuffer and a metal.Checker.
type commandBuffer struct {
	q      *queue
	open   *encoder   // that has not ended
	passes [][]launch // launches that no barrier separates, pass by pass
	status metal.Status
	err    error
	found  model.Findings
	time   time.Duration
}

var (
	_ metal.CommandBuffer = (*commandBuffer)(nil)
	_ metal.Checker       = (*commandBuffer)(nil)
)

// launch is one dispatch, ready to run.
type launch struct {
	k           *kernel
	grid, group metal.Size
	args        []run.Arg
	buffers     []*buffer // of args, nil where there is none
}

// ComputeCommandEncoder begins a pass.
func (c *commandBuffer) ComputeCommandEncoder(t metal.DispatchType) (metal.ComputeCommandEncoder, error) {
	switch {
	case c.status != metal.NotEnqueued:
		return nil, errorf("ComputeCommandEncoder: the command buffer was committed; take a new one from the queue")
	case c.open != nil:
		return nil, errorf("ComputeCommandEncoder: the command buffer's last encoder is still open; call its EndEncoding first")
	case t > metal.Concurrent:
		return nil, errorf("ComputeCommandEncoder: there is no DispatchType(%d); use Serial or Concurrent", t)
	case c.q.d.life.over():
		return nil, errorf("ComputeCommandEncoder: the device was released; make another by New")
	}
	c.open = &encoder{c: c, concurrent: t == metal.Concurrent}
	return c.open, nil
}

// Commit runs what was encoded, after all that was committed to the queue before. What goes wrong meanwhile is Error's business.
func (c *commandBuffer) Commit() error {
	switch {
	case c.status != metal.NotEnqueued:
		return errorf("Commit: the command buffer was committed before; take a new one from the queue")
	case c.open != nil:
		return errorf("Commit: an encoder of the command buffer is still open; call its EndEncoding first")
	case c.q.d.life.over():
		return errorf("Commit: the device was released; make another by New")
	}
	c.q.mu.Lock()
	defer c.q.mu.Unlock()
	defer hold(c.launches())()
	start := time.Now()
	err := c.run()
	c.time = time.Since(start)
	c.status, c.err = metal.Completed, nil
	if len(c.found) > 0 {
		c.err = c.found
		c.q.d.found.add(c.found)
	}
	if err != nil && c.err != nil {
		c.err = errors.Join(c.err, err)
	} else if err != nil {
		c.err = err
	}
	if c.err != nil {
		c.status = metal.Failed
	}
	return nil
}

// WaitUntilCompleted returns what Error does; the work was done by Commit.
func (c *commandBuffer) WaitUntilCompleted() error {
	if c.status == metal.NotEnqueued {
		return errorf("WaitUntilCompleted: the command buffer was not committed; call Commit first")
	}
	return c.err
}

// Status is NotEnqueued before Commit, and then Completed, or Failed if Error gives something.
func (c *commandBuffer) Status() metal.Status { return c.status }

// Error returns what stopped the work, or a model.Findings if the checks found something, or both, joined.
func (c *commandBuffer) Error() error { return c.err }

// GPUTime returns how long the work took.
func (c *commandBuffer) GPUTime() time.Duration { return c.time }

// Findings returns what the checks found.
func (c *commandBuffer) Findings() []model.Finding { return slices.Clone(c.found) }

func (c *commandBuffer) launches() []launch { return slices.Concat(c.passes...) }

// hold locks all buffers of launches, and returns what unlocks them.
func hold(list []launch) (release func()) {
	var all []*buffer
	for i := range list {
		for _, b := range list[i].buffers {
			if b != nil {
				all = append(all, b)
			}
		}
	}
	slices.SortFunc(all, func(a, b *buffer) int { return cmp.Compare(a.id, b.id) })
	all = slices.Compact(all)
	for _, b := range all {
		b.mu.Lock()
	}
	return func() {
		for _, b := range all {
			b.mu.Unlock()
		}
	}
}

// run runs the launches.
func (c *commandBuffer) run() error {
	d := c.q.d
	n := uint64(0)
	for i, pass := range c.passes {
		for _, at := range passOrder(d.o.Behaviour, i, len(pass)) {
			found, err := d.run(&pass[at], n)
			c.found = append(c.found, found[:min(len(found), MaxFindings-len(c.found))]...)
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

// run runs one launch, the n-th of its command buffer. Its buffers are held.
func (d *Device) run(l *launch, n uint64) (found []model.Finding, err error) {
	defer rescue("running "+l.k.title(), &err)
	v := d.variant()
	p, err := l.k.program(v)
	if err != nil {
		return nil, err
	}
	work := &run.Dispatch{Kernel: p.code, Grid: l.grid, Group: l.group, Args: l.args}
	res, err := p.Run(work, d.runOptions(v.engine, n))
	if err != nil {
		return nil, err
	}
	name(res.Findings, work)
	return res.Findings, nil
}

// runOptions returns what the engine is told about the n-th launch of a command buffer.
func (d *Device) runOptions(e Engine, n uint64) run.Options {
	b := d.o.Behaviour
	if e == Fast {
		b = model.Behaviour{Flush: b.Flush, Flush16: b.Flush16, SIMDWidth: b.SIMDWidth}
	}
	b.Seed += n * 0x9e3779b97f4a7c15
	return run.Options{Checks: !d.o.NoChecks, Workers: d.o.Workers, SIMDWidth: d.width(), Steps: d.o.Steps, Behaviour: b}
}
