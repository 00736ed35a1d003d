// Package metal is the device interface, in Metal's own words: devices, libraries, functions, pipelines, buffers, command
// queues and compute encoders. Package metal/sim implements it in Go; devices that run on hardware are packages beside it.
//
// Start here: Device. The order of calls is Metal's: a library from source, a function of it, a pipeline; buffers; a command queue, a
// command buffer, a compute encoder, dispatches, EndEncoding, Commit, WaitUntilCompleted.
//
// Every method that can fail returns an error that names the place and the fix; a call out of order is such an error, not a crash.
// Objects may be used from many goroutines, except command buffers and encoders, which belong to one at a time.
//
// # Devices
//
// The rules of the protocol (lifetimes, limits, order of calls, what has to be bound) and their messages are in one package,
// metal/internal/protocol. Each device is a backend of it that compiles, has memory and runs lists of checked dispatches, and all
// are held to one suite, metal/internal/protocoltest. An encoder only records; so all that can be wrong with a dispatch is an error of the call
// that encodes it, on every device.
//
// Apple (metal/apple), through Metal.framework and the Objective-C runtime by purego. Objects hold one retained id each, which Release gives back. An
// autorelease pool belongs to one operating system thread, and a goroutine may move between two calls: so Commit locks the thread, opens a pool,
// plays the dispatches to Metal, commits and closes the pool. Nobody has run it on a Mac yet.
//   - NewLibrary is newLibraryWithSource:options:error: with Headers pasted in; mathMode and mathFloatingPointFunctions are always both set
//     (fastMathEnabled before macOS 15), and LanguageVersion is MTLLanguageVersion's number. The diagnostics say program_source, which
//     is replaced by FileName.
//   - FunctionConstants go to MTLFunctionConstantValues by index or name; the Go type gives the MTLDataType, Half and BFloat included.
//   - Arguments come from metal/msl, which reads the same source.
//   - Buffers have shared storage: Read and Write copy from and to contents, and wait for nothing.
//   - WaitUntilCompleted, Status, Error and GPUTime are Metal's; no block is needed. MemoryBarrier is memoryBarrierWithScope: of buffers, and
//     nothing in a serial encoder.
//   - Properties.Behaviour is what probes found: flushing, rounding, whether contraction happens.
//
// CUDA (metal/cuda), through libcuda and NVRTC. The device is a primary context; each sequence of calls locks its thread and makes the context current.
//   - NewLibrary runs the front end of metal/msl, so that errors are its own. NewFunction fixes the constants and lowers to the IR, which has
//     the Arguments. NewComputePipelineState prints CUDA C++, compiles it by NVRTC and loads it; the rewrites of relaxed and
//     fast mode are made on the IR before, since CUDA never reassociates.
//   - The limits of a pipeline are the function's attributes: threads of a block, static shared memory.
//   - Threadgroup arguments share the dynamic shared memory, at offsets that the host passes. SetBytes goes through
//     an arena on the device.
//   - DispatchThreads launches whole blocks and passes the grid; threads beyond it return at once, which does not hold up barriers there, and
//     the sizes of threadgroups at the edges are computed from it.
//   - One stream serves all queues. A serial encoder is its order, and so is a concurrent one: an order that is allowed. GPUTime is between two events.
//   - A kernel that faults ruins the context: that command buffer's Error says so, and every later call repeats it, until a new Device.
//
// OpenCL (metal/opencl), through libOpenCL, is as CUDA, with OpenCL C and the driver's own compiler. What both share, from the search for the
// vendor's library to the child process that isolates faults, is in metal/internal/offload.
//
// Of these only the simulator has textures and buffers with a GPUAddress, and implements Checker. Absent hardware is an error of their constructors, which are not part of this interface.
package metal
