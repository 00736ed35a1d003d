package apple

import (
	"sync"
	"time"

	"gamma/metal"
)

// commandBuffer is a metal.CommandBuffer. Encoders record in Go; Commit plays the record to Metal on one thread. One goroutine at a time may
// encode and commit; from then on any number may ask and wait.
type commandBuffer struct {
	q      *queue
	open   *encoder
	passes []*encoder // that have ended
	held   []*object  // by what was recorded

	mu     sync.Mutex // not held while Metal waits
	status metal.Status
	err    error
	time   time.Duration
	object *object // the MTLCommandBuffer, from Commit until it is known to be completed
}

// ComputeCommandEncoder begins a pass.
func (c *commandBuffer) ComputeCommandEncoder(t metal.DispatchType) (metal.ComputeCommandEncoder, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.status != metal.NotEnqueued:
		return nil, errorf("ComputeCommandEncoder: the command buffer was committed; take a new one from the queue")
	case c.open != nil:
		return nil, errorf("ComputeCommandEncoder: the command buffer's last encoder is still open; call its EndEncoding first")
	case t > metal.Concurrent:
		return nil, errorf("ComputeCommandEncoder: there is no DispatchType(%d); use Serial or Concurrent", t)
	}
	if err := c.q.d.ready(); err != nil {
		return nil, err
	}
	c.open = &encoder{c: c, d: c.q.d, kind: t}
	return c.open, nil
}

// Commit hands what was recorded to Metal, behind all that was committed to the queue before. What goes wrong on the GPU is Error's business.
//
// A queue of Metal's has 64 command buffers, and its commandBuffer waits for one to complete while all are under way; then Commit waits too.
// To be seen on a Mac: that those do not count which have completed and whose end nobody has asked for.
func (c *commandBuffer) Commit() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.status != metal.NotEnqueued:
		return errorf("Commit: the command buffer was committed before; take a new one from the queue")
	case c.open != nil:
		return errorf("Commit: an encoder of the command buffer is still open; call its EndEncoding first")
	}
	d := c.q.d
	err := d.work(func(p *pool) error {
		x := p.send(msgCommandBuffer, c.q.ref).object()
		if x == 0 {
			return errorf("commandBuffer returned nil; wait for command buffers that were committed")
		}
		if err := p.understands(d.ref, x, "MTLCommandBuffer"); err != nil {
			return err
		}
		for _, e := range c.passes {
			if err := e.play(p, x); err != nil {
				return err // the pool frees a command buffer that was not committed
			}
		}
		p.send(msgRetain, x)
		c.object = d.adopt(x)
		p.send(msgCommit, x)
		return nil
	})
	if err != nil {
		return err // nothing runs: it may be tried again
	}
	c.status = metal.Committed
	c.letGo() // Metal keeps what a committed command buffer uses
	return nil
}

// letGo drops what the record held, and the queue.
func (c *commandBuffer) letGo() {
	for _, o := range c.held {
		o.drop()
	}
	c.held, c.passes = nil, nil
	c.q.drop()
}

// WaitUntilCompleted waits, and returns what Error does. Metal has no way to wait for less than the end: it counts on macOS to stop a kernel
// that runs for too long, which then is an *Error of code 2, or of code 1 with the reason in its text.
func (c *commandBuffer) WaitUntilCompleted() error {
	_, _, err := c.look(true)
	return err
}

// Status asks Metal.
func (c *commandBuffer) Status() metal.Status {
	s, _, _ := c.look(false)
	return s
}

// Error returns what stopped the work, an *Error: nil while it runs, and if it ended well.
func (c *commandBuffer) Error() error {
	_, _, err := c.look(false)
	return err
}

// GPUTime returns GPUEndTime - GPUStartTime, 0 before the end.
func (c *commandBuffer) GPUTime() time.Duration {
	_, t, _ := c.look(false)
	return t
}

// look learns how far the work is, after waiting for its end if wait is set. When it has ended, all is read that there is to know and the
// MTLCommandBuffer is released.
func (c *commandBuffer) look(wait bool) (metal.Status, time.Duration, error) {
	c.mu.Lock()
	o := c.object
	if o == nil {
		defer c.mu.Unlock()
		if wait && c.status == metal.NotEnqueued {
			return c.status, 0, errorf("WaitUntilCompleted: the command buffer was not committed; call Commit first")
		}
		return c.status, c.time, c.err
	}
	kept := o.hold() // or it went with the device, which work says
	c.mu.Unlock()

	status, span := metal.Committed, time.Duration(0)
	err := c.q.d.work(func(p *pool) error {
		if wait {
			p.send(msgWaitUntilCompleted, o.ref)
		}
		status = metal.Status(min(p.send(msgStatus, o.ref).word, statusError))
		if status < statusCompleted {
			if wait {
				return errorf("waitUntilCompleted returned at status %d; wait again", status)
			}
			return nil
		}
		start, end := p.send(msgGPUStartTime, o.ref).double, p.send(msgGPUEndTime, o.ref).double
		if ns := (end - start) * 1e9; ns > 0 && ns < 1e18 { // a NaN or a time that was not taken stays 0
			span = time.Duration(ns)
		}
		if status == metal.Failed {
			return p.failure("command buffer", p.send(msgError, o.ref).object())
		}
		return nil
	})
	if kept {
		o.drop()
	}
	if err != nil && c.q.d.ended.Load() && status < statusCompleted {
		status = metal.Failed
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.object != o { // another goroutine saw the end
		return c.status, c.time, c.err
	}
	c.status = max(c.status, status)
	if c.status < statusCompleted {
		return c.status, 0, err
	}
	c.err, c.time, c.object = err, span, nil
	o.drop()
	return c.status, c.time, c.err
}
