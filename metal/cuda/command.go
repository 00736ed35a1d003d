package cuda

import (
	"time"

	"gamma/metal"
)

// queue is a metal.CommandQueue. All queues of a device share its stream.
type queue struct{ thing }

// NewCommandQueue returns a queue.
func (d *Device) NewCommandQueue() (metal.CommandQueue, error) {
	release, err := d.ready()
	if err != nil {
		return nil, err
	}
	defer release()
	return &queue{thing{d: d}}, nil
}

// CommandBuffer returns an empty command buffer.
func (q *queue) CommandBuffer() (metal.CommandBuffer, error) {
	if err := q.usable(q.d, "command queue"); err != nil {
		return nil, err
	}
	return &commandBuffer{d: q.d}, nil
}

// Release ends the queue; command buffers that it made may still be committed.
func (q *queue) Release() { q.ended.Store(true) }

// commandBuffer is a metal.CommandBuffer.
type commandBuffer struct {
	d    *Device
	open *encoder // that has not ended
	job  job
	on   map[*store]int // number of a store in job.buffers
	sent bool
}

var _ metal.CommandBuffer = (*commandBuffer)(nil)

// ComputeCommandEncoder begins a pass. A concurrent one runs its dispatches in their order, which is allowed.
func (c *commandBuffer) ComputeCommandEncoder(t metal.DispatchType) (metal.ComputeCommandEncoder, error) {
	switch {
	case c.sent:
		return nil, errorf("ComputeCommandEncoder: the command buffer was committed; take a new one from the queue")
	case c.open != nil:
		return nil, errorf("ComputeCommandEncoder: the command buffer's last encoder is still open; call its EndEncoding first")
	case t > metal.Concurrent:
		return nil, errorf("ComputeCommandEncoder: there is no DispatchType(%d); use Serial or Concurrent", t)
	case c.d.ended.Load():
		return nil, errorf("ComputeCommandEncoder: the device was released; open another by Open")
	}
	c.open = &encoder{c: c}
	return c.open, nil
}

// Commit hands the work to the device, behind all that was committed before.
func (c *commandBuffer) Commit() error {
	switch {
	case c.sent:
		return errorf("Commit: the command buffer was committed before; take a new one from the queue")
	case c.open != nil:
		return errorf("Commit: an encoder of the command buffer is still open; call its EndEncoding first")
	}
	release, err := c.d.ready()
	if err != nil {
		return err
	}
	defer release()
	c.sent = true
	c.job.begin()
	c.d.engine.submit(&c.job)
	return nil
}

// WaitUntilCompleted waits for the end of the work.
func (c *commandBuffer) WaitUntilCompleted() error {
	if !c.sent {
		return errorf("WaitUntilCompleted: the command buffer was not committed; call Commit first")
	}
	c.job.wait()
	return c.job.err
}

// Status says how far the work is.
func (c *commandBuffer) Status() metal.Status {
	switch {
	case !c.sent:
		return metal.NotEnqueued
	case !c.job.done.Load():
		return metal.Committed
	case c.job.err != nil:
		return metal.Failed
	}
	return metal.Completed
}

// Error returns what stopped the work, an *Error if that was CUDA, and nil before the end.
func (c *commandBuffer) Error() error {
	if c.sent && c.job.done.Load() {
		return c.job.err
	}
	return nil
}

// GPUTime is the time between events before and after the work.
func (c *commandBuffer) GPUTime() time.Duration {
	if c.sent && c.job.done.Load() {
		c.job.timed.wait()
		return c.job.time
	}
	return 0
}

// number returns the number of s in the job.
func (c *commandBuffer) number(s *store) int {
	i, ok := c.on[s]
	if !ok {
		if c.on == nil {
			c.on = map[*store]int{}
		}
		i = len(c.job.buffers)
		c.on[s] = i
		c.job.buffers = append(c.job.buffers, s)
	}
	return i
}
