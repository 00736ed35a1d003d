package protocol

import (
	"runtime"
	"time"

	"gamma/metal"
)

// queue is a metal.CommandQueue.
type queue struct {
	object
	q Queue
}

// NewCommandQueue returns a queue.
func (d *Device) NewCommandQueue() (metal.CommandQueue, error) {
	release, err := d.hold()
	if err != nil {
		return nil, err
	}
	defer release()
	if d.closed.Load() {
		return nil, d.errorf("NewCommandQueue: the device's queues have ended; make one with another device")
	}
	q, err := d.c.Backend.Queue()
	if err != nil {
		return nil, err
	}
	return &queue{object: made(d, q), q: q}, nil
}

// CommandBuffer returns an empty command buffer.
func (q *queue) CommandBuffer() (metal.CommandBuffer, error) {
	if q.d.closed.Load() {
		return nil, q.d.errorf("CommandBuffer: the device's queues have ended; make one with another device")
	}
	c := &commandBuffer{d: q.d}
	if err := c.keep(&q.object, "command queue"); err != nil {
		return nil, err
	}
	c.work = q.q.Work()
	if k, ok := c.work.(metal.Checker); ok {
		return &checked{c, k}, nil
	}
	return c, nil
}

// commandBuffer is a metal.CommandBuffer.
type commandBuffer struct {
	d        *Device
	open     *encoder // that has not ended
	encoders int
	work     Work
	bytes    []byte // of all SetBytes
	sent     bool
	held     *held
}

// checked is a command buffer whose work looks for faults.
type checked struct {
	*commandBuffer
	metal.Checker
}

var _ metal.CommandBuffer = (*commandBuffer)(nil)

// Pending returns the work of a command buffer of d that is not committed, and the bytes given to SetBytes, for a look at it by call.
func Pending(d *Device, call string, c metal.CommandBuffer) (Work, []byte, error) {
	if k, ok := c.(*checked); ok {
		c = k.commandBuffer
	}
	cb, ok := c.(*commandBuffer)
	switch {
	case !ok:
		return nil, nil, d.foreign("command buffer", c)
	case cb.d.s != d.s:
		return nil, nil, d.errorf("the command buffer is of another device; make it with this one")
	case cb.sent:
		return nil, nil, d.errorf("%s: the command buffer was committed, and its buffers are no longer what they were; encode another", call)
	case cb.open != nil:
		return nil, nil, d.errorf("%s: an encoder of the command buffer is still open; call its EndEncoding first", call)
	}
	return cb.work, cb.bytes, nil
}

// ComputeCommandEncoder begins a pass.
func (c *commandBuffer) ComputeCommandEncoder(t metal.DispatchType) (metal.ComputeCommandEncoder, error) {
	const call = "ComputeCommandEncoder: "
	switch {
	case c.sent:
		return nil, c.d.errorf(call + "the command buffer was committed; take a new one from the queue")
	case c.open != nil:
		return nil, c.d.errorf(call + "the command buffer's last encoder is still open; call its EndEncoding first")
	case t > metal.Concurrent:
		return nil, c.d.errorf(call+"there is no DispatchType(%d); use Serial or Concurrent", t)
	}
	if err := c.d.ready(call); err != nil {
		return nil, err
	}
	c.encoders++
	c.open = &encoder{c: c}
	c.open.next.Encoder, c.open.next.Concurrent = c.encoders, t == metal.Concurrent
	return c.open, nil
}

// Commit hands the work to the backend, after all that was committed to the queue before. If it returns an error it may be called again.
func (c *commandBuffer) Commit() error {
	switch {
	case c.sent:
		return c.d.errorf("Commit: the command buffer was committed before; take a new one from the queue")
	case c.open != nil:
		return c.d.errorf("Commit: an encoder of the command buffer is still open; call its EndEncoding first")
	}
	release, err := c.d.hold()
	if err != nil {
		return err
	}
	defer release()
	if err := c.work.Start(c.bytes); err != nil {
		return err
	}
	c.sent = true
	c.held.drop() // what is freed now is freed after the work that was started
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
	s, _ := c.work.Status()
	return s
}

// Error returns what stopped the work, and nil before the end.
func (c *commandBuffer) Error() error {
	if !c.sent {
		return nil
	}
	_, err := c.work.Status()
	return err
}

// GPUTime is the time that the work took on the device, 0 before its end.
func (c *commandBuffer) GPUTime() time.Duration {
	if c.Status() < metal.Completed {
		return 0
	}
	return c.work.Time()
}

// held is what a command buffer keeps until it is committed.
type held struct{ objects []*object }

// keep holds o, if there is something to keep, until the command buffer is committed, or nobody can commit it any more. Errors call o what.
func (c *commandBuffer) keep(o *object, what string) error {
	if o.native == nil {
		return o.usable(c.d, what)
	}
	if err := o.hold(c.d, what); err != nil {
		return err
	}
	if c.held == nil {
		c.held = &held{}
		// Freeing may wait for work on the device, which cleanups of others need not wait for.
		runtime.AddCleanup(c, func(h *held) { go h.abandon() }, c.held)
	}
	c.held.objects = append(c.held.objects, o)
	return nil
}

// drop takes the holds back; the device is held.
func (h *held) drop() {
	if h == nil {
		return
	}
	for _, o := range h.objects {
		o.drop()
	}
	h.objects = nil
}

// abandon is drop for a command buffer that nobody has any more.
func (h *held) abandon() {
	if len(h.objects) == 0 {
		return
	}
	if release, err := h.objects[0].d.hold(); err == nil { // else they went with the device
		defer release()
		h.drop()
	}
}
