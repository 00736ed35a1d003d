package cuda

import (
	"time"

	"gamma/metal"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
)

// source is a printed kernel, to be compiled, and shape what it then needs and allows.
type (
	source = offload.Source
	shape  = offload.Shape
)

// backend is the engine of this process, as package offload wants one.
type backend struct{ e *local }

var _ offload.Driver = backend{}

// Build compiles and loads a kernel.
func (b backend) Build(s *source) (shape, error) { return b.e.build(s) }

// Allocate returns memory on the GPU.
func (b backend) Allocate(length int, data []byte) (offload.Memory, error) {
	m := &memory{s: store{length: length}, e: b.e}
	if err := b.e.allocate(&m.s, data); err != nil {
		return nil, err
	}
	return m, nil
}

// Work returns an empty job.
func (b backend) Work() protocol.Work { return &work{e: b.e} }

// Close ends the engine.
func (b backend) Close() { b.e.close() }

// memory is a store of the engine.
type memory struct {
	s store
	e *local
}

func (m *memory) Write(offset int, data []byte) error { return m.e.write(&m.s, offset, data) }
func (m *memory) Read(offset int, dst []byte) error   { return m.e.read(&m.s, offset, dst) }
func (m *memory) Free()                               { m.e.free(&m.s) }

// work is a job of the engine.
type work struct {
	job
	e *local
}

// Start submits the job.
func (w *work) Start(bytes []byte) error {
	w.bytes = bytes
	w.e.submit(&w.job)
	return nil
}

// Wait waits for the job. What stopped it is an *Error if that was CUDA.
func (w *work) Wait() error {
	w.wait()
	return w.err
}

// Status says whether the job has ended.
func (w *work) Status() (metal.Status, error) {
	if !w.done.Load() {
		return metal.Committed, nil
	}
	return offload.Ended(w.err)
}

// Time is the time between events before and after the work.
func (w *work) Time() time.Duration {
	w.timed.wait()
	return w.time
}
