package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"gamma/metal/internal/emit"
)

// Backend compiles kernels, has memory, and runs work. It may be called from many goroutines; nothing is called after Close.
type Backend interface {
	// Build compiles and loads a kernel.
	Build(s *Source) (Shape, error)
	// Allocate returns memory of length bytes that holds a copy of data if that is not nil.
	Allocate(length int, data []byte) (Memory, error)
	// Work returns the empty work of a command buffer.
	Work() Work
	// Close frees everything, when the work that was started has ended.
	Close()
}

// Memory is what a buffer holds. Offsets are inside, and lengths are positive.
type Memory interface {
	Write(offset int, data []byte) error
	Read(offset int, dst []byte) error
	Free()
}

// Work is what a command buffer has to do. Add and Start are called by one goroutine, the others, after Start, by any.
type Work interface {
	// Add notes a dispatch. It is the Device's again when Add returns.
	Add(d *Dispatch)
	// Start begins the work, behind all that was started before. bytes are what was given to SetBytes.
	Start(bytes []byte)
	// Wait waits for the end, and returns what stopped the work.
	Wait() error
	// Ended reports whether the work has ended, and what stopped it.
	Ended() (bool, error)
	// Time is how long the work took on the device; it may wait for it.
	Time() time.Duration
}

// Source is a printed kernel, to be built.
type Source struct {
	Name, Entry, Text string
	Flags             []string
	Params            []emit.Param
	Barriers          bool // the kernel has barriers of a threadgroup
	Key               string
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
	// Registers and Local are what a thread takes: registers, and bytes of memory of its own. 0 where the backend does not know.
	Registers, Local int
}

// ArgKind says what is bound for an argument.
type ArgKind uint8

const (
	None        ArgKind = iota // nothing, for an argument that may be left out
	Buffer                     // Memory from byte Offset on
	Bytes                      // what was given to SetBytes, from byte Offset on of all such bytes together
	Threadgroup                // Length bytes of threadgroup memory, Offset bytes behind the first of all arguments in it
)

// Arg is what is bound for an argument. Length is the bytes from Offset on.
type Arg struct {
	Kind           ArgKind
	Memory         Memory
	Offset, Length int
}

// Dispatch is a dispatch whose arguments and sizes have been checked.
type Dispatch struct {
	Source *Source
	Shape  Shape
	// Grid is in threads, Groups in threadgroups, and Threads is the size of a threadgroup that is not at an edge.
	Grid, Groups, Threads [3]int
	// Threadgroup is the bytes of all arguments in threadgroup memory.
	Threadgroup int
	Args        []Arg // of each argument of the kernel, in their order
}

// Number returns the value of a parameter that is a number.
func (d *Dispatch) Number(p emit.Param) uint64 {
	switch p.Kind {
	case emit.BufferLength:
		return uint64(d.Args[p.Index].Length)
	case emit.ThreadgroupOffset:
		if a := &d.Args[p.Index]; a.Kind == Threadgroup {
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
		for i, n := range d.Grid {
			if n%d.Threads[i] != 0 {
				return 0
			}
		}
		return 1
	}
	return 0 // GridOrigin: no dispatch of the interface has another
}
