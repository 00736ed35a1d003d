package cuda

import (
	"time"

	"gamma/metal/internal/emit"
	"gamma/metal/record"
)

// source is a printed kernel, to be compiled.
type source = record.Source

// backend is the engine of this process, as package record wants one.
type backend struct{ e *local }

var _ record.Backend = backend{}

// Build compiles and loads a kernel.
func (b backend) Build(s *source) (record.Shape, error) {
	sh, err := b.e.build(s)
	return record.Shape{MaxThreads: sh.MaxThreads, Static: sh.Static, Registers: sh.Registers, Local: sh.Local}, err
}

// Allocate returns memory on the GPU.
func (b backend) Allocate(length int, data []byte) (record.Memory, error) {
	m := &memory{s: store{length: length}, e: b.e}
	if err := b.e.allocate(&m.s, data); err != nil {
		return nil, err
	}
	return m, nil
}

// Work returns an empty job.
func (b backend) Work() record.Work { return &work{e: b.e} }

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
	e  *local
	on map[*store]int // number of a store in job.buffers
}

// Add notes a launch: the words of its argument, in the order in which they were printed.
func (w *work) Add(d *record.Dispatch) {
	l := launch{src: d.Source, Shared: uint32(d.Threadgroup), Words: make([]word, len(d.Source.Params))}
	for i := range l.Grid {
		l.Grid[i], l.Block[i] = uint32(d.Groups[i]), uint32(d.Threads[i])
	}
	for i, p := range d.Source.Params {
		x := &l.Words[i]
		if p.Kind != emit.BufferAddress {
			x.Value = d.Number(p)
			continue
		}
		switch a := &d.Args[p.Index]; a.Kind {
		case record.Buffer:
			*x = word{Kind: bufferWord, At: w.number(&a.Memory.(*memory).s), Value: uint64(a.Offset)}
		case record.Bytes:
			*x = word{Kind: bytesWord, Value: uint64(a.Offset)}
		}
	}
	w.launches = append(w.launches, l)
}

// number returns the number of s in the job.
func (w *work) number(s *store) int {
	i, ok := w.on[s]
	if !ok {
		if w.on == nil {
			w.on = map[*store]int{}
		}
		i = len(w.buffers)
		w.on[s] = i
		w.buffers = append(w.buffers, s)
	}
	return i
}

// Start submits the job.
func (w *work) Start(bytes []byte) {
	w.bytes = bytes
	w.e.submit(&w.job)
}

// Wait waits for the job. What stopped it is an *Error if that was CUDA.
func (w *work) Wait() error {
	w.wait()
	return w.err
}

// Ended reports whether the job has ended.
func (w *work) Ended() (bool, error) {
	if !w.done.Load() {
		return false, nil
	}
	return true, w.err
}

// Time is the time between events before and after the work.
func (w *work) Time() time.Duration {
	w.timed.wait()
	return w.time
}
