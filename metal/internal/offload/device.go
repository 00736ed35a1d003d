package offload

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/internal/protocol"
	"gamma/metal/msl/ir"
)

// Driver builds printed kernels, has memory and runs work, all in one order. It may be called from many goroutines; nothing is called after Close.
type Driver interface {
	// Build compiles and loads a kernel.
	Build(s *Source) (Shape, error)
	// Allocate returns memory of length bytes that holds a copy of data if that is not nil.
	Allocate(length int, data []byte) (Memory, error)
	// Work returns the empty work of a command buffer, which is given dispatches of Kernels.
	Work() protocol.Work
	// Close frees everything when the work that was started has ended.
	Close()
}

// Memory is what a buffer holds.
type Memory interface {
	protocol.Memory
	protocol.Freer
}

// Source is a printed kernel, to be built.
type Source struct {
	Name, Entry, Text string
	Flags             []string
	Params            []emit.Param
	Barriers          bool // the kernel has barriers of a threadgroup
	Key               string
	*Own
}

// Own is what a Source has that is the user's, in the driver's language, and not printed: Params are then the function's own, one each.
type Own struct {
	File     string
	Includes bool // it includes files, which may change: it is compiled each time
}

// key is a name of what was printed.
func key(p *emit.Program) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", p.Text, p.Entry, p.Flags))
	return hex.EncodeToString(sum[:])
}

// Shape is what a built kernel needs and allows.
type Shape struct {
	MaxThreads int // of a threadgroup
	Static     int // bytes of variables in threadgroup memory
	// Registers and Local are what a thread takes: registers, and bytes of memory of its own. 0 where the driver does not know.
	Registers, Local int
}

// Kernel is the Native of pipelines: a kernel that is built.
type Kernel struct {
	*Source
	Shape Shape
}

// KernelOf returns the kernel of a dispatch.
func KernelOf(d *protocol.Dispatch) *Kernel { return d.Pipeline.Native.(*Kernel) }

// KernelIn returns the kernel of a pipeline, nil if no device of this package made it.
func KernelIn(p metal.ComputePipelineState) *Kernel {
	if p := protocol.PipelineOf(p); p != nil {
		k, _ := p.Native.(*Kernel)
		return k
	}
	return nil
}

// Number returns the value of a kernel's parameter that is a number.
func Number(d *protocol.Dispatch, p emit.Param) uint64 {
	switch p.Kind {
	case emit.BufferLength:
		return uint64(d.Args[p.Index].Length)
	case emit.ThreadgroupOffset:
		if a := &d.Args[p.Index]; a.Kind == protocol.Threadgroup {
			return uint64(a.Offset)
		}
		return ^uint64(0) // a null pointer
	case emit.GridThreads:
		return uint64(d.Grid[p.Index])
	case emit.Threadgroups:
		return uint64(d.Groups[p.Index])
	case emit.ThreadsPerThreadgroup:
		return uint64(d.Threads[p.Index])
	case emit.Whole:
		if d.Whole() {
			return 1
		}
	}
	return 0 // GridOrigin: no dispatch of the interface has another
}

// Config says what a device stands on.
type Config struct {
	Name   protocol.Name
	Driver Driver
	// Print prints a kernel for the Driver.
	Print func(*ir.Kernel) (*emit.Program, error)
	// Read reads a source in the language of the Driver, in a file called so: the Native of its functions is a *Source without a Key. Nil: there is no such language.
	Read   func(text string, o metal.CompileOptions) (protocol.Library, error)
	Limits protocol.Limits
	Width  int // threads of a simdgroup
}

// New returns a device on a Driver, which it closes when it is released.
func New(c Config) *protocol.Device {
	return protocol.New(protocol.Config{Name: c.Name, Backend: &backend{protocol.NewFrontEnd(c.Name, nil), c}, Make: "Open", Limits: c.Limits})
}

// backend is a Driver as package protocol wants one.
type backend struct {
	*protocol.FrontEnd
	c Config
}

// Compile compiles a source in Metal, or reads one in the driver's language.
func (b *backend) Compile(text string, o metal.CompileOptions) (protocol.Library, error) {
	if protocol.IsCUDA(o) {
		return b.c.Read(text, o)
	}
	return b.FrontEnd.Compile(text, o)
}

// TakesCUDA reports whether the driver takes CUDA C++.
func (b *backend) TakesCUDA() bool { return b.c.Read != nil }

// builds counts sources with includes.
var builds atomic.Uint64

// own builds a function of a source in the driver's language.
func (b *backend) own(f *protocol.Function, s Source) (*protocol.Pipeline, error) {
	s.Key = key(&emit.Program{Text: s.Text, Entry: s.Entry, Flags: s.Flags})
	if s.Includes { // what they hold may have changed
		s.Key = fmt.Sprintf("%s-%d", s.Key, builds.Add(1))
	}
	shape, err := b.c.Driver.Build(&s)
	if err != nil {
		return nil, b.c.Name.Errorf("%s: %w", f.Title(), err)
	}
	return &protocol.Pipeline{MaxThreads: shape.MaxThreads, Width: b.c.Width, Static: shape.Static, Native: &Kernel{&s, shape}}, nil
}

// Pipeline prints a kernel, and has it compiled and loaded.
func (b *backend) Pipeline(f *protocol.Function) (*protocol.Pipeline, error) {
	if s, ok := f.Native.(*Source); ok {
		return b.own(f, *s)
	}
	p, err := b.c.Print(f.Kernel)
	if err != nil {
		return nil, err
	}
	for _, q := range p.Params {
		if q.Index < 0 || q.Kind <= emit.ThreadgroupOffset && q.Index >= len(f.Kernel.Buffers) || q.Kind > emit.ThreadgroupOffset && q.Index > 2 || q.Kind > emit.Whole {
			return nil, b.c.Name.Errorf("%s was printed with a parameter that cannot be, %+v; please report it", f.Title(), q)
		}
	}
	if most := b.c.Limits.Shared; p.Static > most { // with more padding than before it was printed
		return nil, b.c.Name.Errorf("%s needs %d bytes of threadgroup memory and the device has %d; use less", f.Title(), p.Static, most)
	}
	k := &Kernel{Source: &Source{
		Name: f.Name, Entry: p.Entry, Text: p.Text, Flags: p.Flags, Params: p.Params, Barriers: p.Barriers, Key: key(p),
	}}
	if k.Shape, err = b.c.Driver.Build(k.Source); err != nil {
		return nil, b.c.Name.Errorf("%s: %w", f.Title(), err)
	}
	// A driver may count less than the text declares.
	return &protocol.Pipeline{MaxThreads: k.Shape.MaxThreads, Width: b.c.Width, Static: max(p.Static, k.Shape.Static), Native: k}, nil
}

// Allocate returns memory of the device.
func (b *backend) Allocate(length int, data []byte) (protocol.Memory, error) {
	m, err := b.c.Driver.Allocate(length, data)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Queue returns a queue: all of a device share its order.
func (b *backend) Queue() (protocol.Queue, error) { return queue{b.c.Driver}, nil }

type queue struct{ Driver }

// Close closes the driver.
func (b *backend) Close() { b.c.Driver.Close() }

// Ended returns the status of work that has ended with err.
func Ended(err error) (metal.Status, error) {
	if err != nil {
		return metal.Failed, err
	}
	return metal.Completed, nil
}

// Names names the kernels of dispatches, for errors.
func Names(list []protocol.Dispatch) string {
	var names []string
	for i := range list {
		if name := KernelOf(&list[i]).Name; len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
		if len(names) == 5 {
			names[4] = "…"
			break
		}
	}
	return strings.Join(names, ", ")
}
