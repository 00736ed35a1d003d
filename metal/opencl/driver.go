package opencl

import "unsafe"

// result is an error code of OpenCL; 0 is success.
type result int32

// Handles of the library, and an address in shared virtual memory.
type (
	platformHandle uintptr
	deviceHandle   uintptr
	contextHandle  uintptr
	queueHandle    uintptr
	programHandle  uintptr
	kernelHandle   uintptr
	memoryHandle   uintptr
	eventHandle    uintptr
	address        uintptr
)

// driver is the part of OpenCL that is used: each method is the call of the same name, with cl before it, on one device.
type driver interface {
	GetPlatformIDs() ([]platformHandle, result)
	GetPlatformInfo(p platformHandle, what uint32) ([]byte, result)
	GetDeviceIDs(p platformHandle) ([]deviceHandle, result)
	GetDeviceInfo(d deviceHandle, what uint32) ([]byte, result)
	CreateContext(d deviceHandle) (contextHandle, result)
	ReleaseContext(c contextHandle) result
	CreateCommandQueue(c contextHandle, d deviceHandle) (queueHandle, result) // in order, with profiling
	ReleaseCommandQueue(q queueHandle) result
	CreateProgramWithSource(c contextHandle, text string) (programHandle, result)
	BuildProgram(p programHandle, d deviceHandle, options string) result
	GetProgramBuildLog(p programHandle, d deviceHandle) (string, result) // GetProgramBuildInfo
	ReleaseProgram(p programHandle) result
	CreateKernel(p programHandle, name string) (kernelHandle, result)
	ReleaseKernel(k kernelHandle) result
	GetKernelWorkGroupInfo(k kernelHandle, d deviceHandle, what uint32) (uint64, result)
	SetKernelArg(k kernelHandle, i uint32, bytes int, value unsafe.Pointer) result
	SetKernelArgSVMPointer(k kernelHandle, i uint32, p address) result
	CreateBuffer(c contextHandle, length int) (memoryHandle, result)
	CreateSubBuffer(m memoryHandle, offset, length int) (memoryHandle, result)
	ReleaseMemObject(m memoryHandle) result
	EnqueueReadBuffer(q queueHandle, m memoryHandle, offset int, dst []byte) result // these four block
	EnqueueWriteBuffer(q queueHandle, m memoryHandle, offset int, data []byte) result
	EnqueueSVMRead(q queueHandle, dst []byte, src address) result // EnqueueSVMMemcpy
	EnqueueSVMWrite(q queueHandle, dst address, data []byte) result
	SVMAlloc(c contextHandle, length int) address // 0 if there is none
	SVMFree(c contextHandle, p address)
	EnqueueNDRangeKernel(q queueHandle, k kernelHandle, offset, global, local [3]uint64) (eventHandle, result)
	Flush(q queueHandle) result
	GetEventStatus(e eventHandle) (int32, result) // GetEventInfo
	GetEventProfilingInfo(e eventHandle, what uint32) (uint64, result)
	ReleaseEvent(e eventHandle) result
	// SharedMemory reports whether the library has the calls of shared virtual memory, which came with OpenCL 2.0.
	SharedMemory() bool
}

// library is a driver, with where it was found.
type library struct {
	driver
	path string
}

// What is asked for, flags and results, by their numbers in CL/cl.h.
const (
	platformVersion = 0x0901
	platformName    = 0x0902

	deviceTypeAll        = 0xffffffff
	deviceMaxDimensions  = 0x1003
	deviceMaxGroup       = 0x1004
	deviceMaxItems       = 0x1005
	deviceMaxAllocation  = 0x1010
	deviceBaseAlign      = 0x1019 // bits
	deviceGlobalMemory   = 0x101f
	deviceLocalMemory    = 0x1023
	deviceLittleEndian   = 0x1026
	deviceAvailable      = 0x1027
	deviceCompiler       = 0x1028
	deviceName           = 0x102b
	driverVersion        = 0x102d
	deviceVersion        = 0x102f
	deviceDoubles        = 0x1032
	deviceSharedMemory   = 0x1053
	coarseGrained        = 1
	queueProfiling       = 2
	programLog           = 0x1183
	kernelGroup          = 0x11b0
	kernelLocal          = 0x11b2
	eventStatus          = 0x11d3
	profilingStart       = 0x1282
	profilingEnd         = 0x1283
	memoryReadWrite      = 1
	subBufferRegion      = 0x1220
	statusComplete       = 0
	success              = result(0)
	notFound             = result(-1)
	notAvailable         = result(-2)
	noCompiler           = result(-3)
	allocationFailed     = result(-4)
	outOfResources       = result(-5)
	outOfMemory          = result(-6)
	noProfiling          = result(-7)
	buildFailed          = result(-11)
	misaligned           = result(-13)
	invalidValue         = result(-30)
	invalidDevice        = result(-33)
	invalidContext       = result(-34)
	invalidKernelName    = result(-46)
	invalidArgSize       = result(-51)
	invalidGroupSize     = result(-54)
	invalidBufferSize    = result(-61)
	noPlatform           = result(-1001)
	invalidKernelArgs    = result(-52)
	invalidBuildOptions  = result(-43)
	invalidProgram       = result(-44)
	invalidExecutable    = result(-45)
	invalidQueue         = result(-36)
	invalidItemSize      = result(-55)
	invalidOperation     = result(-59)
	failedEventInList    = result(-14)
	invalidMemory        = result(-38)
	invalidPlatform      = result(-32)
	invalidQueueProperty = result(-35)
)

// names are the results' names in cl.h, without CL_.
var names = map[result]string{
	notFound: "DEVICE_NOT_FOUND", notAvailable: "DEVICE_NOT_AVAILABLE", noCompiler: "COMPILER_NOT_AVAILABLE", allocationFailed: "MEM_OBJECT_ALLOCATION_FAILURE",
	outOfResources: "OUT_OF_RESOURCES", outOfMemory: "OUT_OF_HOST_MEMORY", noProfiling: "PROFILING_INFO_NOT_AVAILABLE", buildFailed: "BUILD_PROGRAM_FAILURE",
	misaligned: "MISALIGNED_SUB_BUFFER_OFFSET", failedEventInList: "EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", invalidValue: "INVALID_VALUE",
	invalidPlatform: "INVALID_PLATFORM", invalidDevice: "INVALID_DEVICE", invalidContext: "INVALID_CONTEXT", invalidQueueProperty: "INVALID_QUEUE_PROPERTIES",
	invalidQueue: "INVALID_COMMAND_QUEUE", invalidMemory: "INVALID_MEM_OBJECT", invalidBuildOptions: "INVALID_BUILD_OPTIONS", invalidProgram: "INVALID_PROGRAM",
	invalidExecutable: "INVALID_PROGRAM_EXECUTABLE", invalidKernelName: "INVALID_KERNEL_NAME", invalidArgSize: "INVALID_ARG_SIZE",
	invalidKernelArgs: "INVALID_KERNEL_ARGS", invalidGroupSize: "INVALID_WORK_GROUP_SIZE", invalidItemSize: "INVALID_WORK_ITEM_SIZE",
	invalidOperation: "INVALID_OPERATION", invalidBufferSize: "INVALID_BUFFER_SIZE", noPlatform: "PLATFORM_NOT_FOUND_KHR",
}
