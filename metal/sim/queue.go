package sim

import (
	"sync"

	"gamma/metal"
)

// queue is a metal.CommandQueue.
type queue struct {
	thing
	mu sync.Mutex // held while a command buffer runs
}

// NewCommandQueue returns a queue whose command buffers run under d's behaviour.
func (d *Device) NewCommandQueue() (metal.CommandQueue, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	return &queue{thing: thing{d: d}}, nil
}

// CommandBuffer returns an empty command buffer.
func (q *queue) CommandBuffer() (metal.CommandBuffer, error) {
	if err := q.usable(q.d.s, "command queue"); err != nil {
		return nil, err
	}
	return &commandBuffer{q: q}, nil
}

// Release ends the queue; command buffers that it made may still be committed.
func (q *queue) Release() { q.ended.Store(true) }
