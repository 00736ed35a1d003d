package cuda

import "unsafe"

// result is a CUresult or an nvrtcResult; 0 is success.
type result int32

// Handles of the two libraries, and an address on the device.
type (
	contextHandle  uintptr
	moduleHandle   uintptr
	functionHandle uintptr
	streamHandle   uintptr
	eventHandle    uintptr
	programHandle  uintptr
	address        uint64
)

// driver is the part of libcuda that is used: each method is the call of the same name, with cu before it. Calls are made on one thread.
type driver interface {
	Init(flags uint32) result
	DriverGetVersion() (int32, result)
	DeviceGetCount() (int32, result)
	DeviceGet(ordinal int32) (int32, result)
	DeviceGetName(dev int32) (string, result)
	DeviceGetAttribute(attribute, dev int32) (int32, result)
	DeviceTotalMem(dev int32) (uint64, result)
	DevicePrimaryCtxSetFlags(dev int32, flags uint32) result
	DevicePrimaryCtxRetain(dev int32) (contextHandle, result)
	DevicePrimaryCtxRelease(dev int32) result
	CtxSetCurrent(c contextHandle) result
	ModuleLoadDataEx(image []byte) (moduleHandle, result)
	ModuleUnload(m moduleHandle) result
	ModuleGetFunction(m moduleHandle, name string) (functionHandle, result)
	FuncGetAttribute(attribute int32, f functionHandle) (int32, result)
	FuncSetAttribute(f functionHandle, attribute, value int32) result
	MemAlloc(bytes int) (address, result)
	MemFree(a address) result
	MemAllocHost(bytes int) (unsafe.Pointer, result) // pinned
	MemFreeHost(p unsafe.Pointer) result
	MemcpyHtoDAsync(dst address, src []byte, s streamHandle) result
	MemcpyDtoHAsync(dst []byte, src address, s streamHandle) result
	MemcpyDtoDAsync(dst, src address, bytes int, s streamHandle) result
	StreamCreate(flags uint32) (streamHandle, result)
	StreamDestroy(s streamHandle) result
	StreamSynchronize(s streamHandle) result
	EventCreate(flags uint32) (eventHandle, result)
	EventDestroy(e eventHandle) result
	EventRecord(e eventHandle, s streamHandle) result
	EventQuery(e eventHandle) result
	EventElapsedTime(from, to eventHandle) (milliseconds float32, r result)
	LaunchKernel(f functionHandle, grid, block [3]uint32, shared uint32, s streamHandle, words []uint64, each bool) result // each an argument, or all one
	GetErrorName(r result) string
	GetErrorString(r result) string
}

// compiler is the part of NVRTC that is used, with nvrtc before each name.
type compiler interface {
	Version() (major, minor int32, r result)
	SupportedArchs() ([]int32, result) // GetNumSupportedArchs and GetSupportedArchs
	CreateProgram(text, name string) (programHandle, result)
	CompileProgram(p programHandle, flags []string) result
	ProgramLog(p programHandle) (string, result) // GetProgramLogSize and GetProgramLog
	CUBIN(p programHandle) ([]byte, result)      // GetCUBINSize and GetCUBIN
	PTX(p programHandle) ([]byte, result)        // GetPTXSize and GetPTX
	DestroyProgram(p programHandle) result
	ErrorString(r result) string // GetErrorString
}

// libraries are the two, with where they were found.
type libraries struct {
	driver                   driver
	compiler                 compiler
	driverPath, compilerPath string
}

// Attributes of devices and functions, flags and results, by their numbers in cuda.h.
const (
	attrMaxThreads      = 1 // per block
	attrMaxBlockX       = 2
	attrMaxBlockY       = 3
	attrMaxBlockZ       = 4
	attrMaxGridX        = 5
	attrMaxGridY        = 6
	attrMaxGridZ        = 7
	attrMaxShared       = 8 // per block, bytes
	attrWarpSize        = 10
	attrMultiprocessors = 16
	attrMajor           = 75
	attrMinor           = 76
	attrMaxSharedOptin  = 97

	funcMaxThreads  = 0
	funcStatic      = 1 // bytes of static shared memory
	funcLocal       = 3 // bytes of local memory of a thread
	funcRegisters   = 4
	funcMaxDynamic  = 8 // settable
	schedSpin       = 1
	eventDefault    = 0
	eventUntimed    = 2        // CU_EVENT_DISABLE_TIMING: it is there sooner, and costs a third
	streamFree      = 1        // CU_STREAM_NON_BLOCKING: nothing uses the default stream
	defaultShared   = 48 << 10 // bytes that need no FuncSetAttribute
	success         = result(0)
	invalidValue    = result(1)
	notReady        = result(600)
	noBinary        = result(209)
	outOfMemory     = result(2)
	nvrtcCompile    = result(6)
	notFound        = result(500)
	unsupportedPTX  = result(222)
	invalidImage    = result(200)
	notPermitted    = result(800)
	noDevice        = result(100)
	driverMismatch  = result(803)
	insufficient    = result(36)
	stubLibrary     = result(34)
	unavailable     = result(46)
	invalidDevice   = result(101)
	osCall          = result(304)
	notCompatible   = result(804)
	implausible     = result(-2) // not NVRTC's: a size that cannot be
	illegalAddress  = result(700)
	launchTimeout   = result(702)
	launchFailed    = result(719)
	unknownError    = result(999)
	systemNotReady  = result(802)
	illegalInstr    = result(715)
	misaligned      = result(716)
	assertion       = result(710)
	hardwareStack   = result(714)
	invalidSpace    = result(717)
	invalidPC       = result(718)
	launchResources = result(701)
)

// sticky reports whether a result means that the context cannot be used any more.
func sticky(r result) bool {
	switch r {
	case illegalAddress, launchTimeout, assertion, hardwareStack, illegalInstr, misaligned, invalidSpace, invalidPC, launchFailed, unknownError:
		return true
	}
	return false
}
