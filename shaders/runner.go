package shaders

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"gamma/metal"
	"gamma/model"
)

// Runner runs programs on a device, and caches what it has compiled. It is safe for concurrent use.
type Runner struct {
	dev     metal.Device
	options *metal.CompileOptions

	mu        sync.Mutex
	queue     metal.CommandQueue
	libraries map[sourceKey]metal.Library
	functions map[functionKey]metal.ComputePipelineState
	released  []interface{ Release() } // in the order in which they were made
	over      bool
}

// sourceKey and functionKey name what is compiled; options are in print, since they hold maps.
type (
	sourceKey   struct{ source, options string }
	functionKey struct {
		sourceKey
		function string
	}
)

// NewRunner returns a runner on dev. Release it before dev.
func NewRunner(dev metal.Device) *Runner {
	return &Runner{dev: dev, libraries: map[sourceKey]metal.Library{}, functions: map[functionKey]metal.ComputePipelineState{}}
}

// NewRunnerWith returns a runner that compiles every program with options instead of the program's own. Headers are a part of the
// source: those of the program are kept unless options has others.
func NewRunnerWith(dev metal.Device, options metal.CompileOptions) *Runner {
	r := NewRunner(dev)
	r.options = &options
	return r
}

// Device returns the device.
func (r *Runner) Device() metal.Device { return r.dev }

// Release frees what r made, but not the device.
func (r *Runner) Release() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.released) - 1; i >= 0; i-- {
		r.released[i].Release()
	}
	r.released, r.queue, r.over = nil, nil, true
	clear(r.libraries)
	clear(r.functions)
}

// Pipeline returns a program, ready to run. It belongs to r.
func (r *Runner) Pipeline(p Program) (metal.ComputePipelineState, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, source := r.source(p)
	return r.pipeline(p, p.Function, o, source)
}

// source returns the options by which p is compiled, and its key.
func (r *Runner) source(p Program) (metal.CompileOptions, sourceKey) {
	o := p.Options
	if r.options != nil {
		headers := o.Headers
		if o = *r.options; o.Headers == nil {
			o.Headers = headers
		}
	}
	if o.FileName == "" {
		o.FileName = p.file()
	}
	return o, sourceKey{p.Source, fmt.Sprint(o)}
}

// pipeline is Pipeline of a function of p's source, with r locked.
func (r *Runner) pipeline(p Program, function string, o metal.CompileOptions, source sourceKey) (metal.ComputePipelineState, error) {
	if r.over {
		return nil, fmt.Errorf("%s: the runner was released; make another by NewRunner", p.Name)
	}
	key := functionKey{source, function}
	if s := r.functions[key]; s != nil {
		return s, nil
	}
	library := r.libraries[source]
	if library == nil {
		var err error
		if library, err = r.dev.NewLibrary(p.Source, o); err != nil {
			return nil, fmt.Errorf("%s: compiling: %w", p.Name, err)
		}
		r.libraries[source] = library
		r.released = append(r.released, library)
	}
	f, err := library.NewFunction(function, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: taking function %s: %w", p.Name, function, err)
	}
	r.released = append(r.released, f)
	s, err := r.dev.NewComputePipelineState(f)
	if err != nil {
		return nil, fmt.Errorf("%s: making a pipeline of %s: %w", p.Name, function, err)
	}
	r.released = append(r.released, s)
	r.functions[key] = s
	return s, nil
}

// commandBuffer returns a new command buffer and the pipelines of the dispatches.
func (r *Runner) commandBuffer(p Program, dispatches []Dispatch) (metal.CommandBuffer, []metal.ComputePipelineState, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var pipelines []metal.ComputePipelineState
	o, source := r.source(p)
	for _, d := range dispatches {
		f := d.Function
		if f == "" {
			f = p.Function
		}
		s, err := r.pipeline(p, f, o, source)
		if err != nil {
			return nil, nil, err
		}
		pipelines = append(pipelines, s)
	}
	if r.queue == nil {
		q, err := r.dev.NewCommandQueue()
		if err != nil {
			return nil, nil, fmt.Errorf("%s: making a command queue: %w", p.Name, err)
		}
		r.queue = q
		r.released = append(r.released, q)
	}
	c, err := r.queue.CommandBuffer()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: taking a command buffer: %w", p.Name, err)
	}
	return c, pipelines, nil
}

// Data is the content of a buffer. It is for one Run at a time.
type Data struct {
	Name   string
	Bytes  []byte // copied to the device; nil means Length undefined bytes
	Length int    // if Bytes is nil
	Read   bool   // copy the buffer to Bytes after the last dispatch

	buffer metal.Buffer
}

// Input returns data for the device.
func Input(name string, bytes []byte) *Data { return &Data{Name: name, Bytes: bytes} }

// Output returns data that the device writes.
func Output(name string, length int) *Data { return &Data{Name: name, Length: length, Read: true} }

// float returns the one number of d after a run that ended with err.
func (d *Data) float(err error) (float32, error) {
	if !Completed(err) {
		return 0, err
	}
	return math.Float32frombits(uint32At(d.Bytes, 0)), err
}

// Arg is an argument: data from an offset on, or a value.
type Arg struct {
	Data   *Data
	Offset int
	Value  []byte
}

// Uint returns the argument of a `constant uint&`.
func Uint(n int) Arg { return Arg{Value: binary.LittleEndian.AppendUint32(nil, uint32(n))} }

// Dispatch is one dispatch of a program.
type Dispatch struct {
	Function string // a function of the program's source; "" means the program's own
	Launch   model.Launch
	Args     []Arg // by index
	Shared   []int // bytes of threadgroup memory by index, rounded up to multiples of 16
}

// Completed reports whether a run that returned err ran to its end: err is nil or holds a checker's findings.
func Completed(err error) bool {
	var f model.Findings
	return err == nil || errors.As(err, &f)
}

// Run runs dispatches in order, each of which sees what those before it wrote, and reads back the data with Read set. It makes
// all buffers before and frees them after.
func (r *Runner) Run(p Program, dispatches ...Dispatch) error {
	c, pipelines, err := r.commandBuffer(p, dispatches)
	if err != nil {
		return err
	}
	var data []*Data
	defer func() {
		for _, d := range data {
			d.buffer.Release()
			d.buffer = nil
		}
	}()
	for _, ds := range dispatches {
		for _, a := range ds.Args {
			d := a.Data
			if d == nil || d.buffer != nil {
				continue
			}
			if d.buffer, err = r.upload(d); err != nil {
				return fmt.Errorf("%s: making buffer %s: %w", p.Name, d.Name, err)
			}
			d.buffer.SetLabel(d.Name)
			data = append(data, d)
		}
	}
	e, err := c.ComputeCommandEncoder(metal.Serial)
	if err != nil {
		return fmt.Errorf("%s: taking an encoder: %w", p.Name, err)
	}
	for i, d := range dispatches {
		if err := d.encode(e, pipelines[i]); err != nil {
			// The encoder is ended for the sake of devices that keep open ones; its error adds nothing.
			_ = e.EndEncoding()
			return fmt.Errorf("%s: encoding dispatch %d: %w", p.Name, i, err)
		}
	}
	if err := e.EndEncoding(); err != nil {
		return fmt.Errorf("%s: ending the encoder: %w", p.Name, err)
	}
	if err := c.Commit(); err != nil {
		return fmt.Errorf("%s: committing: %w", p.Name, err)
	}
	ran := c.WaitUntilCompleted()
	if !Completed(ran) {
		return fmt.Errorf("%s: running: %w", p.Name, ran)
	}
	if ran != nil {
		ran = fmt.Errorf("%s: running: %w", p.Name, ran)
	}
	for _, d := range data {
		if !d.Read {
			continue
		}
		bytes := make([]byte, d.buffer.Length())
		switch err := d.buffer.Read(0, bytes); {
		case !Completed(err):
			return fmt.Errorf("%s: reading buffer %s: %w", p.Name, d.Name, err)
		case err != nil:
			ran = errors.Join(ran, fmt.Errorf("%s: reading buffer %s: %w", p.Name, d.Name, err))
		}
		d.Bytes = bytes
	}
	return ran
}

func (r *Runner) upload(d *Data) (metal.Buffer, error) {
	if d.Bytes != nil {
		return r.dev.NewBufferWithBytes(d.Bytes)
	}
	return r.dev.NewBuffer(d.Length)
}

// encode binds and dispatches.
func (d *Dispatch) encode(e metal.ComputeCommandEncoder, s metal.ComputePipelineState) error {
	if err := e.SetComputePipelineState(s); err != nil {
		return err
	}
	for i, a := range d.Args {
		var err error
		switch {
		case a.Data != nil:
			err = e.SetBuffer(a.Data.buffer, a.Offset, i)
		case a.Value != nil:
			err = e.SetBytes(a.Value, i)
		}
		if err != nil {
			return err
		}
	}
	for i, n := range d.Shared {
		if err := e.SetThreadgroupMemoryLength((n+15)&^15, i); err != nil {
			return err
		}
	}
	return e.DispatchThreadgroups(d.Launch.Groups, d.Launch.Threads)
}
