package metal

import (
	"fmt"
	"io/fs"
	"reflect"
	"time"

	"gamma/model"
)

// Size is a size in three dimensions, MTLSize.
type Size = model.Size3

// Properties says what a device is and what its limits are.
type Properties struct {
	Kind string // "sim", "metal", "cuda" or "opencl"
	Name string // for instance "Apple M4 Max"
	// Detail holds what a report should record beside the name: family, build of the operating system, driver.
	Detail string
	// ThreadExecutionWidth is the number of threads in a simdgroup.
	ThreadExecutionWidth       int
	MaxThreadsPerThreadgroup   Size // and their product is at most MaxTotalThreads
	MaxTotalThreads            int
	MaxThreadgroupMemoryLength int // bytes
	MaxBufferLength            int // bytes
	// Behaviour is what is known of the device's arithmetic and order: found by probes on hardware, chosen on the simulator.
	Behaviour model.Behaviour
}

// Device makes everything else.
type Device interface {
	Properties() Properties
	// NewLibrary compiles source. The error lists diagnostics as file:line:column: text.
	NewLibrary(source string, options CompileOptions) (Library, error)
	NewComputePipelineState(f Function) (ComputePipelineState, error)
	// NewBuffer returns a buffer of length > 0 bytes whose contents are undefined; NewBufferWithBytes one that holds a copy.
	NewBuffer(length int) (Buffer, error)
	NewBufferWithBytes(data []byte) (Buffer, error)
	// NewTexture returns a texture whose texels are undefined. Of the devices here the simulator has textures; the others refuse.
	NewTexture(d TextureDescriptor) (Texture, error)
	NewCommandQueue() (CommandQueue, error)
	// Release frees the device and all that it made.
	Release()
}

// MathMode is MTLMathMode.
type MathMode uint8

const (
	MathSafe MathMode = iota
	MathRelaxed
	MathFast
)

// String returns safe, relaxed or fast.
func (m MathMode) String() string {
	switch m {
	case MathSafe:
		return "safe"
	case MathRelaxed:
		return "relaxed"
	case MathFast:
		return "fast"
	}
	return fmt.Sprintf("MathMode(%d)", uint8(m))
}

// MathFunctions is MTLMathFloatingPointFunctions.
type MathFunctions uint8

const (
	FunctionsPrecise MathFunctions = iota
	FunctionsFast
)

// CompileOptions is MTLCompileOptions. The zero value is safe mode with precise functions, in the newest language; Metal's own
// default is fast. Contraction has no option in Metal: say it in the source, by a pragma.
type CompileOptions struct {
	MathMode        MathMode
	MathFunctions   MathFunctions
	LanguageVersion LanguageVersion
	Macros          map[string]string // preprocessorMacros
	Headers         map[string]string // for #include "name"; devices that know none paste them in
	HeaderFiles     fs.FS             // holds the headers that Headers has not, such as os.DirFS("shaders"); nil: there are none
	FileName        string            // of the source, for diagnostics; "" is program_source

	// What devices that compile with Gamma's own front end may spend: templates that one source instantiates, 100,000 if it is 0, and
	// instructions of one kernel with its calls inlined, 5,000,000 if it is 0.
	MaxInstances, MaxInstructions int
}

// LanguageVersion is MTLLanguageVersion, major<<16 | minor; 0 is the newest that the device knows.
type LanguageVersion uint32

const (
	Version24 LanguageVersion = 2<<16 | 4
	Version30 LanguageVersion = 3 << 16
	Version31 LanguageVersion = 3<<16 | 1
	Version32 LanguageVersion = 3<<16 | 2
	Version40 LanguageVersion = 4 << 16
)

// Library holds compiled functions.
type Library interface {
	FunctionNames() []string
	// NewFunction returns the function called name, with its function constants given by index or name.
	NewFunction(name string, constants FunctionConstants) (Function, error)
	Release()
}

// FunctionConstants gives values to [[function_constant(n)]]: bool, int8…int64, uint8…uint64, float32, or Half and BFloat as bits; an array of 2 to 4
// of them for a vector. Keys are int (the index) or string (the name).
type FunctionConstants map[any]any

// Components returns the elements of an array that is the value of a function constant, and any other value alone.
func Components(value any) []any {
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Array {
		return []any{value}
	}
	list := make([]any, v.Len())
	for i := range list {
		list[i] = v.Index(i).Interface()
	}
	return list
}

// Half is a binary16 by its bits, and BFloat a bfloat16, as values of function constants.
type (
	Half   uint16
	BFloat uint16
)

// Function is a kernel with its constants fixed.
type Function interface {
	Name() string
	Arguments() []Argument
	Release()
}

// Argument describes what a kernel wants bound.
type Argument struct {
	Name        string
	Index       int
	Threadgroup bool // threadgroup memory: bind a length
	ReadOnly    bool
	Optional    bool
	ElementSize int // bytes
	TypeName    string
	// Of a texture: its type, and the format that holds all that its texels may be. Sampler: it is a sampler. Each has indices of its own.
	Texture TextureType
	Format  PixelFormat
	Sampler bool
	// Members are those of the structure that it is, or points at, if there are pointers among them: an argument buffer.
	Members []Member
}

// Member is a member of a structure with pointers, which is no structure itself. A pointer has 8 bytes: a Buffer's GPUAddress, or that with bytes added.
type Member struct {
	Name        string // with those of the members that it is in, and the index of a pointer in an array: "layers.weights[2]"
	Offset      int    // bytes from the structure's first one
	ElementSize int    // bytes, of what a pointer points at
	TypeName    string // of a pointer with a star
	ReadOnly    bool
	Nested      bool // it points at a structure that holds pointers, too
}

// ComputePipelineState is a kernel ready to run.
type ComputePipelineState interface {
	MaxTotalThreadsPerThreadgroup() int
	ThreadExecutionWidth() int
	StaticThreadgroupMemoryLength() int
	Release()
}

// Buffer is memory on a device.
type Buffer interface {
	Length() int
	// Write copies data to byte offset; Read copies len(dst) bytes from it, and where a device that looks for faults knows that nobody wrote
	// some of them, returns model.Findings that say which, after the copy. Both wait for nothing: call them
	// before Commit or after WaitUntilCompleted.
	Write(offset int, data []byte) error
	Read(offset int, dst []byte) error
	// GPUAddress returns the address of the first byte, which a kernel can use that finds it in another buffer: in a structure with pointers, an argument
	// buffer. A dispatch that uses it needs UseResource. The simulator has 31 addresses at a time; other devices refuse.
	GPUAddress() (uint64, error)
	SetLabel(label string)
	Label() string
	Release()
}

// CommandQueue makes command buffers, which run in the order in which they are committed.
type CommandQueue interface {
	CommandBuffer() (CommandBuffer, error)
	Release()
}

// DispatchType says how the dispatches of one encoder are ordered.
type DispatchType uint8

const (
	// Serial: each dispatch sees all that those before it wrote.
	Serial DispatchType = iota
	// Concurrent: only those before the last MemoryBarrier.
	Concurrent
)

// ResourceUsage is MTLResourceUsage: UsageRead, UsageWrite, or both by |.
type ResourceUsage uint8

const (
	UsageRead  ResourceUsage = 1 // the kernel reads the buffer
	UsageWrite ResourceUsage = 2 // the kernel writes to it
)

// Status is MTLCommandBufferStatus.
type Status uint8

const (
	NotEnqueued Status = iota
	Enqueued
	Committed
	Scheduled
	Completed
	Failed // MTLCommandBufferStatusError
)

// CommandBuffer is a list of encoders' work, to be committed once.
type CommandBuffer interface {
	ComputeCommandEncoder(t DispatchType) (ComputeCommandEncoder, error)
	Commit() error
	// WaitUntilCompleted waits, and returns what Error does.
	WaitUntilCompleted() error
	Status() Status
	// Error says what stopped the work: nil when Completed.
	Error() error
	// GPUTime is the time from the start to the end on the device.
	GPUTime() time.Duration
}

// ComputeCommandEncoder binds arguments and dispatches kernels. Bindings stay until they are changed.
type ComputeCommandEncoder interface {
	SetComputePipelineState(p ComputePipelineState) error
	// SetBuffer binds b from byte offset at index 0 to 30; a nil b unbinds.
	SetBuffer(b Buffer, offset, index int) error
	// SetBytes binds a copy of at most 4096 bytes.
	SetBytes(data []byte, index int) error
	// SetTexture binds t at index 0 to 127; a nil t unbinds. SetSamplerState binds a sampler at index 0 to 15.
	SetTexture(t Texture, index int) error
	SetSamplerState(s SamplerDescriptor, index int) error
	// UseResource makes b resident: the dispatches that follow in this encoder may reach it by its GPUAddress, and do with it what usage says.
	UseResource(b Buffer, usage ResourceUsage) error
	// SetThreadgroupMemoryLength sets the bytes, a multiple of 16, of the threadgroup argument at index.
	SetThreadgroupMemoryLength(length, index int) error
	// DispatchThreadgroups runs groups·threads threads; DispatchThreads exactly grid threads, the groups at the edges smaller.
	DispatchThreadgroups(groups, threads Size) error
	DispatchThreads(grid, threads Size) error
	// MemoryBarrier orders buffers between concurrent dispatches.
	MemoryBarrier() error
	EndEncoding() error
}

// Checker is a device, or a command buffer, that looks for faults while it runs: the simulator.
type Checker interface {
	// Findings returns what was found: by a device in all that it ran since it was made or ResetFindings was called.
	Findings() []model.Finding
}

// MaxSetBytes is the largest argument of SetBytes, MaxBufferIndex the largest index of a buffer.
const (
	MaxSetBytes    = 4096
	MaxBufferIndex = 30
)
