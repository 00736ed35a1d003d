package device

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"gamma/metal"
	"gamma/model"
	"gamma/props"
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
	queue   metal.CommandQueue
	command metal.CommandBuffer
	encoder metal.ComputeCommandEncoder
	buffers []metal.Buffer
	found   model.Findings
}

// Threadgroup is an argument of Dispatch: so many bytes of threadgroup memory, rounded up to a multiple of 16.
type Threadgroup int

// Floats, Bits, Words and Longs are arguments of Buffer and Dispatch: arrays, as their bytes in memory.
type (
	Floats []float32
	Bits   []uint16
	Words  []uint32
	Longs  []uint64
)

// bytes returns an argument as bytes in memory, little endian.
func bytesOf(v any) ([]byte, bool) {
	var b []byte
	switch v := v.(type) {
	case []byte:
		b = v
	case Floats:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
	case Bits:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
	case Words:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
	case Longs:
		for _, x := range v {
			b = binary.LittleEndian.AppendUint64(b, x)
		}
	case uint32:
		b = binary.LittleEndian.AppendUint32(b, v)
	case uint64:
		b = binary.LittleEndian.AppendUint64(b, v)
	case int32:
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	case float32:
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	default:
		return nil, false
	}
	return b, true
}

func (s *shader) newRun(at props.Setting, n int) (*Run, error) {
	r := &Run{At: at, N: n, s: s, on: s.built}
	dev := s.dev
	switch {
	case s.sim != nil:
		dev = s.sim.With(at.Behaviour)
	case at.Reference:
		b, err := s.beside()
		if err != nil {
			return nil, fmt.Errorf("device: %s %s, on the simulator beside %s: %w", s.kind, s.name, s.dev.Properties().Kind, err)
		}
		r.on, dev = b, b.dev
	}
	var err error
	r.queue, err = dev.NewCommandQueue()
	return r, err
}

// Device returns the device, to make what Run has no method for.
func (r *Run) Device() metal.Device { return r.on.dev }

// Launch returns the launch that the case asks for.
func (r *Run) Launch() model.Launch { return r.At.Launch }

// Threads returns the threads of a threadgroup, all dimensions together.
func (r *Run) Threads() int { t := r.At.Launch.Threads; return t.X * t.Y * t.Z }

// Buffer returns a buffer that holds data: []byte, Floats, Bits, Words or Longs. Of no data it is one of 16 bytes that were never
// written, since Metal has no empty buffers. label names it in findings.
func (r *Run) Buffer(label string, data any) (metal.Buffer, error) {
	b, ok := bytesOf(data)
	if !ok {
		return nil, fmt.Errorf("device: buffer %q cannot be made of a %T; use []byte, device.Floats, device.Bits, device.Words or device.Longs", label, data)
	}
	if len(b) == 0 {
		return r.Empty(label, 16)
	}
	return r.keep(label)(r.on.dev.NewBufferWithBytes(b))
}

// Empty returns a buffer of so many bytes, which were never written.
func (r *Run) Empty(label string, bytes int) (metal.Buffer, error) {
	return r.keep(label)(r.on.dev.NewBuffer(bytes))
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

// Dispatch encodes a dispatch of a kernel. args are bound at index 0, 1, …: a metal.Buffer, a Threadgroup length (at the next
// threadgroup index), nil for nothing, or data for SetBytes: []byte, Floats, Bits, Words, Longs, uint32, uint64, int32, float32.
func (r *Run) Dispatch(function string, l model.Launch, args ...any) error {
	e, err := r.kernel(function)
	if err != nil {
		return err
	}
	at, group := 0, 0
	for _, a := range args {
		switch v := a.(type) {
		case Threadgroup:
			err = e.SetThreadgroupMemoryLength((int(v)+15)/16*16, group)
			group++
			at--
		case nil:
			err = e.SetBuffer(nil, 0, at)
		case metal.Buffer:
			err = e.SetBuffer(v, 0, at)
		default:
			b, ok := bytesOf(a)
			if !ok {
				return fmt.Errorf("device: argument %d of %s is a %T; use a metal.Buffer, device.Threadgroup, data or nil", at, function, a)
			}
			err = e.SetBytes(b, at)
		}
		if err != nil {
			return fmt.Errorf("argument %d of %s: %w", at, function, err)
		}
		at++
	}
	return e.DispatchThreadgroups(l.Groups, l.Threads)
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
	err := r.command.WaitUntilCompleted()
	var found model.Findings
	if _, joined := err.(interface{ Unwrap() []error }); joined || !errors.As(err, &found) { //nolint:errorlint // what is joined to findings matters
		return err
	}
	r.found = append(r.found, found...)
	return nil
}

// Read runs what was encoded, and copies from the start of b as much as fills dst: a []byte, or a slice of numbers of 16, 32 or 64 bits such
// as a []float32 or []uint64, which lie in the buffer little endian.
func (r *Run) Read(b metal.Buffer, dst any) error {
	if err := r.finish(); err != nil {
		return err
	}
	if raw, ok := dst.([]byte); ok {
		return b.Read(0, raw)
	}
	size := binary.Size(dst)
	if size < 0 {
		return fmt.Errorf("device: a buffer cannot be read into a %T; use a []byte or a slice of numbers of fixed size", dst)
	}
	raw := make([]byte, size)
	if err := b.Read(0, raw); err != nil {
		return err
	}
	_, err := binary.Decode(raw, binary.LittleEndian, dst)
	return err
}

// Float runs what was encoded, and returns the float at an index of b.
func (r *Run) Float(b metal.Buffer, index int) (float32, error) {
	if err := r.finish(); err != nil {
		return 0, err
	}
	var word [4]byte
	err := b.Read(4*index, word[:])
	return math.Float32frombits(binary.LittleEndian.Uint32(word[:])), err
}

// foundError returns what the checkers found, nil if nothing.
func (r *Run) foundError() error {
	if len(r.found) == 0 {
		return nil
	}
	return r.found
}

func (r *Run) release() {
	for _, b := range r.buffers {
		b.Release()
	}
	r.queue.Release()
}
