package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/internal/engine"
)

// Run is one run of a shader, in the hands of its host code. What it makes is released when the run ends. Dispatches are collected
// in one command buffer and run, in their order, when something is read.
type Run struct {
	// At is the behaviour and launch that the case asks for. Host code obeys the launch; the device has the behaviour.
	At props.Setting
	// N is the number of leaves.
	N int

	s       *shader
	on      *built
	dev     metal.Device // on.dev under the behaviour, of this run alone
	queue   metal.CommandQueue
	command metal.CommandBuffer
	encoder metal.ComputeCommandEncoder
	buffers []interface{ Release() } // and textures
	junk    *rand.PCG                // of what buffers without contents hold on hardware
	found   model.Findings
}

// Threadgroup is an argument of Dispatch: so many bytes of threadgroup memory, rounded up to a multiple of 16.
type Threadgroup int

// TextureAt and SamplerAt are arguments of Dispatch: a texture and a sampler with their own indices. They take no index of a buffer.
type (
	TextureAt struct {
		Index   int
		Texture metal.Texture
	}
	SamplerAt struct {
		Index   int
		Sampler metal.SamplerDescriptor
	}
)

// Floats and Words are arguments of Buffer and Dispatch, as []float32 and []uint32 are.
type (
	Floats []float32
	Words  []uint32
)

// dataWanted says of what buffers and the bytes of arguments are made.
const dataWanted = "a number of fixed size such as a uint32, or a slice of these such as a []byte, []float32 or []uint64"

// bytesOf returns an argument as bytes in memory, little endian.
func bytesOf(v any) ([]byte, bool) {
	switch x := v.(type) {
	case []byte:
		return x, true
	case Floats: // as the types that package binary knows without reflection
		v = []float32(x)
	case Words:
		v = []uint32(x)
	}
	t := reflect.TypeOf(v)
	if t != nil && t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t == nil || t.Kind() < reflect.Int8 || t.Kind() > reflect.Float64 { // no struct: Metal lays fields out in another way
		return nil, false
	}
	b, err := binary.Append(nil, binary.LittleEndian, v)
	return b, err == nil
}

func (s *shader) newRun(at props.Setting, n int) (*Run, error) {
	r := &Run{At: at, N: n, s: s, on: s.built}
	switch {
	case s.sim != nil:
		r.dev = s.sim.With(at.Behaviour)
	case at.Reference:
		b, err := s.beside()
		if err != nil {
			return nil, fmt.Errorf("device: %s %s, on the simulator beside %s: %w", s.kind, s.name, s.dev.Properties().Kind, err)
		}
		r.on, r.dev = b, b.sim.With(b.sim.Behaviour())
	default:
		r.dev = &watched{Device: s.dev}
		r.junk = rand.NewPCG(s.runs.Add(1), 0)
	}
	var err error
	r.queue, err = r.dev.NewCommandQueue()
	return r, err
}

// Device returns the device of this run, under the behaviour of its case, to make what Run has no method for. What is committed to its queues
// and not waited for is waited for when the run ends, and what its checkers find counts. Queues are for this run alone; libraries, functions,
// pipelines and buffers may be kept for later runs.
func (r *Run) Device() metal.Device { return r.dev }

// Launch returns the launch that the case asks for.
func (r *Run) Launch() model.Launch { return r.At.Launch }

// Threads returns the threads of a threadgroup, all dimensions together.
func (r *Run) Threads() int { t := r.At.Launch.Threads; return t.X * t.Y * t.Z }

// Buffer returns a buffer that holds data: a []byte, or a slice of numbers of fixed size such as a []float32 or []uint64. Of no data it is
// one of 16 bytes that were never written, since Metal has no empty buffers. label names it in findings.
func (r *Run) Buffer(label string, data any) (metal.Buffer, error) {
	b, ok := bytesOf(data)
	if !ok {
		return nil, fmt.Errorf("device: buffer %q cannot be made of a %T; use "+dataWanted, label, data)
	}
	if len(b) == 0 {
		return r.Empty(label, 16)
	}
	return r.keep(label)(r.dev.NewBufferWithBytes(b))
}

// Empty returns a buffer of so many bytes, which were never written. Where the simulator knows that host code reads one of them and neither a
// kernel nor host code wrote it, the law kernel.init says which. Hardware does not know that. There the buffer holds other junk in every run,
// so that a result that depends on it differs from run to run, and device.repeat finds it.
func (r *Run) Empty(label string, bytes int) (metal.Buffer, error) {
	if r.junk == nil || bytes < 1 {
		return r.keep(label)(r.dev.NewBuffer(bytes))
	}
	junk := make([]byte, 0, bytes+7)
	for len(junk) < bytes {
		junk = binary.LittleEndian.AppendUint64(junk, r.junk.Uint64())
	}
	return r.keep(label)(r.dev.NewBufferWithBytes(junk[:bytes]))
}

func (r *Run) keep(label string) func(metal.Buffer, error) (metal.Buffer, error) {
	return func(b metal.Buffer, err error) (metal.Buffer, error) {
		if err != nil {
			return nil, fmt.Errorf("buffer %q: %w", label, err)
		}
		b.SetLabel(label)
		r.buffers = append(r.buffers, b)
		return b, nil
	}
}

// UseResource makes b resident for what is dispatched before the next Read, where the kernel finds it by its GPUAddress.
func (r *Run) UseResource(b metal.Buffer, usage metal.ResourceUsage) error {
	e, err := r.open()
	if err != nil {
		return err
	}
	return e.UseResource(b, usage)
}

// Texture returns a texture whose texels are data, as metal.Texture has them; of no data they were never written. label names it in findings.
func (r *Run) Texture(label string, d metal.TextureDescriptor, data []byte) (metal.Texture, error) {
	t, err := r.dev.NewTexture(d)
	if err != nil {
		return nil, fmt.Errorf("texture %q: %w", label, err)
	}
	t.SetLabel(label)
	r.buffers = append(r.buffers, t)
	if len(data) > 0 {
		err = t.Write(data)
	}
	return t, err
}

// ReadTexture runs what was encoded, and copies all texels of t to dst. Texels that nobody wrote are a finding.
func (r *Run) ReadTexture(t metal.Texture, dst []byte) error {
	if err := r.finish(); err != nil {
		return err
	}
	return r.note(t.Read(dst))
}

// Dispatch encodes a dispatch of a kernel. args are bound at index 0, 1, …: a metal.Buffer, a Threadgroup length (at the next
// threadgroup index), a TextureAt or SamplerAt (at its own index), nil for nothing, or data for SetBytes: a number of fixed size such as a uint32, or a slice as for Buffer.
func (r *Run) Dispatch(function string, l model.Launch, args ...any) error {
	e, err := r.bind(function, args)
	if err != nil {
		return err
	}
	return e.DispatchThreadgroups(l.Groups, l.Threads)
}

// DispatchThreads is Dispatch of exactly so many threads, the threadgroups at the edges smaller.
func (r *Run) DispatchThreads(function string, grid, threads model.Size3, args ...any) error {
	e, err := r.bind(function, args)
	if err != nil {
		return err
	}
	return e.DispatchThreads(grid, threads)
}

// bind sets a kernel and its arguments.
func (r *Run) bind(function string, args []any) (metal.ComputeCommandEncoder, error) {
	e, err := r.kernel(function)
	if err != nil {
		return nil, err
	}
	at, group := 0, 0
	for _, a := range args {
		switch v := a.(type) {
		case Threadgroup:
			err = e.SetThreadgroupMemoryLength((int(v)+15)/16*16, group)
			group++
			at--
		case TextureAt:
			err = e.SetTexture(v.Texture, v.Index)
			at--
		case SamplerAt:
			err = e.SetSamplerState(v.Sampler, v.Index)
			at--
		case nil:
			err = e.SetBuffer(nil, 0, at)
		case metal.Buffer:
			err = e.SetBuffer(v, 0, at)
		default:
			b, ok := bytesOf(a)
			if !ok {
				return nil, fmt.Errorf("device: argument %d of %s is a %T; use a metal.Buffer, device.Threadgroup, device.TextureAt, device.SamplerAt, nil, or "+dataWanted, at, function, a)
			}
			err = e.SetBytes(b, at)
		}
		if err != nil {
			return nil, fmt.Errorf("argument %d of %s: %w", at, function, err)
		}
		at++
	}
	return e, nil
}

// kernel returns the encoder with a kernel set.
func (r *Run) kernel(function string) (metal.ComputeCommandEncoder, error) {
	p, err := r.on.pipeline(function)
	if err != nil {
		return nil, err
	}
	e, err := r.open()
	if err != nil {
		return nil, err
	}
	return e, e.SetComputePipelineState(p)
}

// open returns the encoder of the present command buffer.
func (r *Run) open() (metal.ComputeCommandEncoder, error) {
	if r.encoder != nil {
		return r.encoder, nil
	}
	var err error
	if r.command, err = r.queue.CommandBuffer(); err != nil {
		return nil, err
	}
	r.encoder, err = r.command.ComputeCommandEncoder(metal.Serial)
	return r.encoder, err
}

// finish runs what was encoded. Findings are kept, and are no error.
func (r *Run) finish() error {
	if r.encoder == nil {
		return nil
	}
	e := r.encoder
	r.encoder = nil
	if err := e.EndEncoding(); err != nil {
		return err
	}
	if err := r.command.Commit(); err != nil {
		return err
	}
	return r.note(r.command.WaitUntilCompleted())
}

// note keeps what is findings alone, and returns any other error.
func (r *Run) note(err error) error {
	var found model.Findings
	if _, joined := err.(interface{ Unwrap() []error }); joined || !errors.As(err, &found) { //nolint:errorlint // what is joined to findings matters
		return err
	}
	r.found = append(r.found, found...)
	return nil
}

// Read runs what was encoded, and copies from the start of b as much as fills dst: a []byte, or a slice of numbers of 16, 32 or 64 bits such
// as a []float32 or []uint64, which lie in the buffer little endian. Bytes that nobody wrote are a finding.
func (r *Run) Read(b metal.Buffer, dst any) error {
	if err := r.finish(); err != nil {
		return err
	}
	if raw, ok := dst.([]byte); ok {
		return r.note(b.Read(0, raw))
	}
	size := binary.Size(dst)
	if size < 0 {
		return fmt.Errorf("device: a buffer cannot be read into a %T; use a []byte or a slice of numbers of fixed size", dst)
	}
	raw := make([]byte, size)
	if err := r.note(b.Read(0, raw)); err != nil {
		return err
	}
	_, err := binary.Decode(raw, binary.LittleEndian, dst)
	return err
}

// Float runs what was encoded, and returns the float at an index of b. Bytes that nobody wrote are a finding.
func (r *Run) Float(b metal.Buffer, index int) (float32, error) {
	if err := r.finish(); err != nil {
		return 0, err
	}
	var word [4]byte
	err := r.note(b.Read(4*index, word[:]))
	return math.Float32frombits(binary.LittleEndian.Uint32(word[:])), err
}

// end waits for all that host code, which returned err, has committed and not waited for. It returns err with what stopped that work, and
// with what the checkers have found in all of the run.
func (r *Run) end(err error) error {
	if w, ok := r.dev.(*watched); ok {
		err = w.wait(err)
	}
	all := r.found
	if d, ok := r.dev.(*sim.Device); ok { // its work runs in Commit, and it keeps what it finds
		all = append(all, d.Findings()...)
		d.EndQueues()
	}
	known, _ := engine.SplitFindings(err)
	var more model.Findings
	for _, f := range all {
		same := func(g model.Finding) bool { return reflect.DeepEqual(f, g) }
		if !slices.ContainsFunc(known, same) && !slices.ContainsFunc(more, same) {
			more = append(more, f)
		}
	}
	switch {
	case len(more) == 0:
		return err
	case err == nil:
		return more
	}
	return errors.Join(err, more)
}

func (r *Run) release() {
	for _, b := range r.buffers {
		b.Release()
	}
	r.queue.Release()
}

// watched is hardware in one run, and remembers the command buffers that host code takes from queues of its own.
type watched struct {
	metal.Device
	mu       sync.Mutex
	over     bool
	commands []metal.CommandBuffer
}

// NewCommandQueue returns a queue for this run.
func (w *watched) NewCommandQueue() (metal.CommandQueue, error) {
	q, err := w.Device.NewCommandQueue()
	if err != nil {
		return nil, err
	}
	return &watchedQueue{q, w}, nil
}

// watchedQueue is a queue of watched hardware.
type watchedQueue struct {
	metal.CommandQueue
	w *watched
}

// CommandBuffer returns a command buffer that the run waits for.
func (q *watchedQueue) CommandBuffer() (metal.CommandBuffer, error) {
	q.w.mu.Lock()
	defer q.w.mu.Unlock()
	if q.w.over {
		return nil, errors.New("device: the command queue is of a run that has ended; make one in each run")
	}
	c, err := q.CommandQueue.CommandBuffer()
	if err == nil {
		q.w.commands = append(q.w.commands, c)
	}
	return c, err
}

// wait waits for what was committed, and returns err with what stopped it.
func (w *watched) wait(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	for _, c := range w.commands {
		if c.Status() < metal.Committed {
			continue
		}
		if e := c.WaitUntilCompleted(); e != nil && !errors.Is(err, e) {
			err = errors.Join(err, e)
		}
	}
	return err
}
