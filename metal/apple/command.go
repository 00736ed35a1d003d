package apple

import (
	"time"

	"gamma/metal"
)

// commandBuffer is a metal.CommandBuffer. Encoders record in Go; Commit plays the record to Metal on one thread.
type commandBuffer struct {
	q      *queue
	open   *encoder
	passes []*encoder // that have ended
	held   []*object  // by what was recorded
	status metal.Status
	err    error
	time   time.Duration
	object *object // the MTLCommandBuffer, from Commit until it is known to be completed
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
	}
	if err := c.q.d.ready(); err != nil {
		return nil, err
	}
	c.open = &encoder{c: c, d: c.q.d, kind: t}
	return c.open, nil
}

// Commit hands what was recorded to Metal, behind all that was committed to the queue before. What goes wrong on the GPU is Error's business.
func (c *commandBuffer) Commit() error {
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

// WaitUntilCompleted waits, and returns what Error does.
func (c *commandBuffer) WaitUntilCompleted() error {
	if c.status == metal.NotEnqueued {
		return errorf("WaitUntilCompleted: the command buffer was not committed; call Commit first")
	}
	c.look(true)
	return c.err
}

// Status asks Metal.
func (c *commandBuffer) Status() metal.Status {
	c.look(false)
	return c.status
}

// Error returns what stopped the work, an *Error: nil while it runs, and if it ended well.
func (c *commandBuffer) Error() error {
	c.look(false)
	return c.err
}

// GPUTime returns GPUEndTime - GPUStartTime, 0 before the end.
func (c *commandBuffer) GPUTime() time.Duration {
	c.look(false)
	return c.time
}

// look learns how far the work is, after waiting for its end if wait is set. When it has ended, all is read that there is to know and the
// MTLCommandBuffer is released.
func (c *commandBuffer) look(wait bool) {
	if c.object == nil {
		return
	}
	x := c.object.ref
	err := c.q.d.work(func(p *pool) error {
		if wait {
			p.send(msgWaitUntilCompleted, x)
		}
		c.status = metal.Status(min(p.send(msgStatus, x).word, statusError))
		if c.status < statusCompleted {
			return nil
		}
		start, end := p.send(msgGPUStartTime, x).double, p.send(msgGPUEndTime, x).double
		if ns := (end - start) * 1e9; ns > 0 && ns < 1e18 { // a NaN or a time that was not taken stays 0
			c.time = time.Duration(ns)
		}
		if c.status == metal.Failed {
			return p.failure("command buffer", p.send(msgError, x).object())
		}
		return nil
	})
	c.err = err
	if err != nil {
		c.status = metal.Failed
	} else if c.status < statusCompleted {
		if wait {
			c.err = errorf("waitUntilCompleted returned at status %d; wait again", c.status)
		}
		return
	}
	o := c.object
	c.object = nil
	o.drop()
}
