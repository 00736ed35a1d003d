package protocol

import (
	"time"

	"gamma/metal"
	"gamma/metal/msl/ir"
)

// Backend compiles kernels, has memory and runs work. It may be called from many goroutines; nothing is called after Close.
type Backend interface {
	// Compile compiles a source.
	Compile(source string, o metal.CompileOptions) (Library, error)
	// Pipeline makes a function ready to run.
	Pipeline(f *Function) (*Pipeline, error)
	// Allocate returns memory of length bytes that holds a copy of data; if data is nil, it holds anything.
	Allocate(length int, data []byte) (Memory, error)
	Queue() (Queue, error)
	// Close frees everything when the work that was started has ended.
	Close()
}

// Freer is what of a backend has to be given back. If a Library, Memory, Queue or the Native of a Function or Pipeline is a Freer, then Free is
// called once: when its user has released the object and no command buffer that may still be committed needs it. The Device's Release calls Close
// alone, which frees the rest.
type Freer interface{ Free() }

// Library is a compiled source.
type Library interface {
	// Names returns the names of the kernels.
	Names() []string
	// Function returns the kernel called name, which is one of Names.
	Function(name string, constants metal.FunctionConstants) (*Function, error)
}

// Function is a kernel with its constants fixed.
type Function struct {
	Name   string
	Kernel *ir.Kernel // nil where only the backend's own compiler takes the source: then nobody knows what is to be bound
	Native any        // the backend's own
	// Members are as those of a metal.Argument, by its name.
	Members map[string][]metal.Member
}

// Pipeline is a kernel ready to run.
type Pipeline struct {
	Function   *Function // set by the Device
	MaxThreads int       // of a threadgroup, on this device
	Width      int       // threads of a simdgroup
	Static     int       // bytes of variables in threadgroup memory
	Native     any       // the backend's own
}

// Memory is what a buffer holds. Offsets are inside, and lengths are positive. A Memory with a method SetLabel(string) is told the buffer's label; one with a
// method GPUAddress() (uint64, error) has an address, by which kernels reach it where the buffer is among a Dispatch's Resources.
type Memory interface {
	Write(offset int, data []byte) error
	Read(offset int, dst []byte) error
}

// Queue makes the work of command buffers. The work of one queue runs in the order in which it is started.
type Queue interface {
	// Work returns the empty work of a command buffer.
	Work() Work
}

// Work is what a command buffer has to do. Add and Start are called by one goroutine, the others, after Start, by any. A Work that is a
// metal.Checker makes its command buffer one.
type Work interface {
	// Add notes a dispatch, or says why this backend cannot run it. d is the Device's again when Add returns.
	Add(d *Dispatch) error
	// Start begins the work, after all that was started before. bytes are what was given to SetBytes. If it returns an error nothing has begun.
	Start(bytes []byte) error
	// Wait waits for the end, and returns what stopped the work.
	Wait() error
	// Status says how far the work is, and at its end what stopped it.
	Status() (metal.Status, error)
	// Time is how long the work took on the device, once it has ended.
	Time() time.Duration
}

// Kind of what is bound for an argument.
type Kind uint8

const (
	None        Kind = iota // nothing, for an argument that may be left out
	Buffer                  // Memory from byte Offset on
	Bytes                   // what was given to SetBytes, from byte Offset on of all such bytes together
	Threadgroup             // Length bytes of threadgroup memory, Offset bytes after the first of all arguments in it
)

// Arg is what is bound for an argument. Length is the bytes from Offset on, and Index the argument's in the source.
type Arg struct {
	Kind           Kind
	Memory         Memory
	Offset, Length int
	Index          int
}

// Dispatch is a dispatch whose arguments and sizes have been checked.
type Dispatch struct {
	Pipeline *Pipeline
	// Grid is in threads, Groups in threadgroups, and Threads is the size of a threadgroup that is not at an edge.
	Grid, Groups, Threads [3]int
	// Encoder numbers the encoders of a command buffer, from 1.
	Encoder int
	// Concurrent says that the encoder orders the dispatch only after those before its last MemoryBarrier, and Barrier that one came since the
	// dispatch before. Other dispatches come after all before them.
	Concurrent, Barrier bool
	// Threadgroup is the bytes of all arguments in threadgroup memory.
	Threadgroup int
	// Args are those of the kernel's arguments, in their order. If Function.Kernel is nil they are all that is bound.
	Args []Arg
	// Resources are what is resident; of ir.Buffers that are such, Args have None.
	Resources []Resource
}

// Resource is memory that a dispatch may reach by its address alone.
type Resource struct {
	Memory Memory
	Usage  metal.ResourceUsage
}

// Recording notes dispatches, for a Work that looks at them when it starts.
type Recording struct{ Dispatches []Dispatch }

// Add notes d.
func (r *Recording) Add(d *Dispatch) error {
	c := *d
	c.Args = append([]Arg(nil), d.Args...)
	c.Resources = append([]Resource(nil), d.Resources...)
	r.Dispatches = append(r.Dispatches, c)
	return nil
}

// Whole reports whether all threadgroups have the same size.
func (d *Dispatch) Whole() bool {
	for i, n := range d.Grid {
		if n%d.Threads[i] != 0 {
			return false
		}
	}
	return true
}
