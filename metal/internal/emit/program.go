package emit

import "gamma/model"

// Dialect is the language of the printed text.
type Dialect uint8

const (
	CUDA   Dialect = iota // CUDA C++, as NVRTC takes it
	OpenCL                // OpenCL C
)

// String returns the language's name.
func (d Dialect) String() string {
	switch d {
	case CUDA:
		return "CUDA C++"
	case OpenCL:
		return "OpenCL C"
	}
	return "unknown dialect"
}

// Options say how to print a kernel.
type Options struct {
	Dialect Dialect
	// Behaviour has contraction, reassociation and flushing, as package sim has them.
	Behaviour model.Behaviour
	// Entry is the name of the printed function; "" makes one of the kernel's name.
	Entry string
}

// Program is a printed kernel.
type Program struct {
	Text, Entry string
	// Params are the 64-bit words of the struct that is the kernel's one argument, by value, in their order.
	Params []Param
	// Static is how many bytes of static threadgroup memory the text declares.
	Static int
	// Barriers says that the text has barriers of a threadgroup.
	Barriers bool
	// Flags are the compiler's flags that the text relies on.
	Flags []string
}

// ParamKind says what a word of the argument is.
type ParamKind uint8

const (
	BufferAddress         ParamKind = iota // device address of the first byte; 0 for none
	BufferLength                           // bytes
	ThreadgroupOffset                      // byte offset of a threadgroup argument in dynamic threadgroup memory
	GridThreads                            // threads of the grid
	Threadgroups                           // threadgroups of the grid
	ThreadsPerThreadgroup                  // nominal; those at the edge may be smaller
	GridOrigin
	Whole // 1 if every threadgroup has the nominal size, 0 if some at an edge are smaller; of the grid, so that Index is 0
	// Value is the first 8 bytes of what is bound for a buffer: an argument by value of a function that was not printed.
	Value
)

// Param is one word of the argument. Index is a number in ir.Kernel.Buffers for the first three kinds, an axis, 0 to 2, for
// the others.
type Param struct {
	Kind  ParamKind
	Index int
}
