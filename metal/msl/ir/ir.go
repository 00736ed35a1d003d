package ir

import "gamma/model"

// Type is the type of a register or of a scalar in memory.
type Type uint8

const (
	Void Type = iota
	Bool
	I8
	U8
	I16
	U16
	I32
	U32
	I64
	U64
	F16
	BF16
	F32
	Ptr // an object and a byte offset into it; see Pointer
)

// Reg names a register of a kernel. Reg 0 is not a register.
type Reg int32

// A register holds a value of its type as 64 bits: the value's own bits at the low end and zeros above,
// for signed integers too (an I8 of -1 is 0xff). A Bool is 0 or 1.
//
// Registers are variables, not SSA values: an instruction may write one that was written before. Every
// register is written before it is read on every path, if only by Undef.

// A Pointer is 64 bits: the object's number plus one in the upper 16 bits, 0 being the null pointer's; the byte offset, signed,
// in the lower 48. Adding to a pointer never changes its object. Objects are numbered by the kernel: first
// Kernel.Buffers, then Kernel.Objects.
type Pointer uint64

// OffsetBits is the width of a pointer's offset.
const OffsetBits = 48

// MakePointer returns the pointer to byte off of object obj.
func MakePointer(obj int, off int64) Pointer {
	return Pointer(uint64(obj+1)<<OffsetBits | uint64(off)&(1<<OffsetBits-1))
}

// Object returns the object's number, -1 for the null pointer.
func (p Pointer) Object() int { return int(p>>OffsetBits) - 1 }

// Offset returns the byte offset.
func (p Pointer) Offset() int64 { return int64(p<<(64-OffsetBits)) >> (64 - OffsetBits) }

// The greatest and the least offset mean that the exact one fits no more. They lie outside every object.
const (
	maxOffset = 1<<(OffsetBits-1) - 1
	minOffset = -1 << (OffsetBits - 1)
)

// Add returns p moved by n bytes. Where the offset does not fit it is the greatest or the least, and no move brings that back.
func (p Pointer) Add(n int64) Pointer {
	off := p.Offset()
	if off == maxOffset || off == minOffset {
		return p
	}
	sum := max(minOffset, min(maxOffset, off+max(2*minOffset, min(-2*minOffset, n))))
	return p&^(1<<OffsetBits-1) | Pointer(sum)&(1<<OffsetBits-1)
}

// Space is the address space of an object.
type Space uint8

const (
	Device Space = iota
	Constant
	Threadgroup
	Thread // each thread has its own copy
)

// Kernel is one compute function, ready to run.
type Kernel struct {
	Name string // as the host asks for it: the host_name, or the function's own name
	Pos  model.Position

	Buffers []Buffer // what the host binds: device and constant buffers, and threadgroup arguments
	Inputs  []Input  // the thread's positions and sizes
	Objects []Object // variables in threadgroup and thread memory, and constant data

	Regs []Type // type of each register; Regs[0] is Void
	Body Block

	Places     []model.Position // of Instr.Pos
	Texts      []string         // of Assert and Note
	Statements int              // number of statements; Instr.Stmt counts from 1
	// MaxThreads is max_total_threads_per_threadgroup, 0 if not given.
	MaxThreads int
	// Names of registers that stand for variables, for dumps and reports. May be nil.
	Names map[Reg]string
}

// Buffer is an argument that the host binds at an index. The register Reg holds a pointer to its
// first byte when the kernel starts. A buffer that is optional and not bound gives the null pointer.
type Buffer struct {
	Name  string
	Index int   // [[buffer(Index)]] or [[threadgroup(Index)]]
	Space Space // Device, Constant or Threadgroup
	Reg   Reg
	// Elem is the size of what the pointer points to, in bytes, and Align its alignment. Whole: the argument is a
	// reference, so that a bound buffer has to hold at least Elem bytes.
	Elem, Align int
	Whole       bool
	ReadOnly    bool // const or constant: never written by the kernel
	WriteOnly   bool // access(write)
	Optional    bool // function_constant(…) left it out: it need not be bound
	// Resource: no parameter, but what an address in memory may lead to; see ResourceAddress. Kernels that follow pointers from buffers begin with Resources such.
	Resource bool
	// Coherent: declared so for the whole device. If not, a threadgroup need not see what another wrote, whatever fences there are.
	Coherent bool
	// Texture, if it has dimensions, or Sampler: the buffer stands for a texture, or for the word of a sampler, and Index is among those of its kind.
	Texture Texture
	Sampler bool
	Pos     model.Position
	Type    string // as a programmer would write it, for reports
}

// Resources is how many buffers at a time can have an address that kernels find in memory. Such kernels have as many Buffers more, before all others, so that
// an address is the same in each kernel; those that the host makes resident are bound.
const Resources = 31

// ResourceAddress returns the address of byte off of resource i, a Pointer.
func ResourceAddress(i int, off int64) uint64 { return uint64(MakePointer(i, off)) }

// Object is a variable in memory. Its bytes are uninitialised when the kernel starts, except for Data.
type Object struct {
	Name  string
	Space Space // Constant, Threadgroup or Thread
	Size  int   // bytes
	Align int
	Data  []byte // of Constant objects; len(Data) == Size
	Pos   model.Position
	Elem  int // size of an element of an array, for reports of indices; 0: Size
}

// Block is a sequence of nodes.
type Block []Node

// Node is a *Instr, *If, *Loop, *Scope or *Leave.
type Node interface{ node() }

// If runs Then in the threads whose Cond is true, Else in the others.
type If struct {
	Cond       Reg
	Then, Else Block
	Pos        int32
}

// Loop runs Body again and again until a Leave names it.
type Loop struct {
	Label int32
	Body  Block
	Pos   int32
}

// Scope runs Body once; a Leave that names it ends it early. A return of an inlined function, `continue`
// and `break` are Leaves. The kernel's own body is Scope 0, which Leave{0} ends for the thread.
type Scope struct {
	Label int32 // unique in the kernel, shared by no Loop; > 0
	Body  Block
}

// Leave goes to the end of the Loop or Scope that has Label and encloses it.
type Leave struct {
	Label int32
	Pos   int32
}

func (*If) node()    {}
func (*Loop) node()  {}
func (*Scope) node() {}
func (*Leave) node() {}
func (*Instr) node() {}

// FP is what the pragmas and options in force allow an instruction of floating point.
type FP uint16

const (
	// ContractOn allows fusing a multiplication and an addition of one statement; ContractFast of any statements.
	ContractOn FP = 1 << iota
	ContractFast
	Reassoc       // reassociation, and with it all that follows from real arithmetic
	NoSignedZeros // x+0 = x
	Reciprocal    // x/y = x·(1/y)
	NoNaNs
	NoInfs
	// FastFunctions: library functions, division and square root with the bounds of metal::fast. Otherwise precise.
	FastFunctions
)

// Instr is one instruction. Dst is 0 if it gives nothing.
type Instr struct {
	Op   Op
	Type Type // of the operands, unless the operation says otherwise
	From Type // of Convert and Bitcast: the operand's type, Type being the result's
	Dst  Reg
	// A, B, C and D are operands; 0 where there is none.
	A, B, C, D Reg
	Dst2       Reg // second result of AtomicCAS
	// Imm is a constant's bits; of memory operations the displacement in bytes (signed); of Barrier and Fence the mem_flags, with the scope of a Fence;
	// of SIMD operations 0 for simdgroups and 4 for quadgroups; of Assert and Note an index into Kernel.Texts.
	Imm   uint64
	Scale uint32 // of memory operations: bytes that one unit of the index B moves
	Align uint32 // of memory operations: required alignment of the address; 0: the type's own size
	Pos   int32  // index into Kernel.Places
	Stmt  int32  // statement of the source, unique for each inlining
	FP    FP
}
