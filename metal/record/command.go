package record

import (
	"runtime"
	"time"

	"gamma/metal"
)

// queue is a metal.CommandQueue. All queues of a device share the order of their commits.
type queue struct{ thing }

// NewCommandQueue returns a queue.
func (d *Device) NewCommandQueue() (metal.CommandQueue, error) {
	release, err := d.Hold()
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
	return &commandBuffer{d: q.d, work: q.d.c.Backend.Work()}, nil
}

// Release ends the queue; command buffers that it made may still be committed.
func (q *queue) Release() { q.ended.Store(true) }

// commandBuffer is a metal.CommandBuffer.
type commandBuffer struct {
	d     *Device
	open  *encoder // that has not ended
	work  Work
	bytes []byte // of all SetBytes
	sent  bool
	held  *held
}

// held are the buffers of dispatches that are not committed, one for each time that it is bound to one.
type held struct{ buffers []*buffer }

// keep holds b until the command buffer is committed, or nobody can commit it any more.
func (c *commandBuffer) keep(b *buffer) {
	if c.held == nil {
		c.held = &held{}
		// Freeing may wait for work on the device, which cleanups of others need not wait for.
		runtime.AddCleanup(c, func(h *held) { go h.abandon() }, c.held)
	}
	b.hold()
	c.held.buffers = append(c.held.buffers, b)
}

// drop takes the holds back; the device is held.
func (h *held) drop() {
	if h == nil {
		return
	}
	for _, b := range h.buffers {
		b.unhold()
	}
	h.buffers = nil
}

// abandon is drop for a command buffer that nobody has any more.
func (h *held) abandon() {
	if len(h.buffers) == 0 {
		return
	}
	if release, err := h.buffers[0].d.Hold(); err == nil { // else they went with the device
		defer release()
		h.drop()
	}
}

var _ metal.CommandBuffer = (*commandBuffer)(nil)

// ComputeCommandEncoder begins a pass. A concurrent one runs its dispatches in their order, which is allowed.
func (c *commandBuffer) ComputeCommandEncoder(t metal.DispatchType) (metal.ComputeCommandEncoder, error) {
	switch {
	case c.sent:
		return nil, c.d.errorf("ComputeCommandEncoder: the command buffer was committed; take a new one from the queue")
	case c.open != nil:
		return nil, c.d.errorf("ComputeCommandEncoder: the command buffer's last encoder is still open; call its EndEncoding first")
	case t > metal.Concurrent:
		return nil, c.d.errorf("ComputeCommandEncoder: there is no DispatchType(%d); use Serial or Concurrent", t)
	case c.d.ended.Load():
		return nil, c.d.errorf("ComputeCommandEncoder: the device was released; open another by Open")
	}
	c.open = &encoder{c: c}
	return c.open, nil
}

// Commit hands the work to the Backend, behind all that was committed before.
func (c *commandBuffer) Commit() error {
	switch {
	case c.sent:
		return c.d.errorf("Commit: the command buffer was committed before; take a new one from the queue")
	case c.open != nil:
		return c.d.errorf("Commit: an encoder of the command buffer is still open; call its EndEncoding first")
	}
	release, err := c.d.Hold()
	if err != nil {
		return err
	}
	defer release()
	c.sent = true
	c.work.Start(c.bytes)
	c.held.drop() // memory is freed behind the work that was started
	return nil
}

// WaitUntilCompleted waits for the end of the work.
func (c *commandBuffer) WaitUntilCompleted() error {
	if !c.sent {
		return c.d.errorf("WaitUntilCompleted: the command buffer was not committed; call Commit first")
	}
	return c.work.Wait()
}

// Status says how far the work is.
func (c *commandBuffer) Status() metal.Status {
	if !c.sent {
		return metal.NotEnqueued
	}
	switch over, err := c.work.Ended(); {
	case !over:
		return metal.Committed
	case err != nil:
		return metal.Failed
	}
	return metal.Completed
}

// Error returns what stopped the work, and nil before the end.
func (c *commandBuffer) Error() error {
	if !c.sent {
		return nil
	}
	_, err := c.work.Ended()
	return err
}

// GPUTime is the time that the work took on the device.
func (c *commandBuffer) GPUTime() time.Duration {
	if c.sent {
		if over, _ := c.work.Ended(); over {
			return c.work.Time()
		}
	}
	return 0
}
