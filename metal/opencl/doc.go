// Package opencl runs Metal kernels on devices of OpenCL, such as PoCL's, which is the machine's own processor: a metal.Device over libOpenCL,
// loaded while the program runs. It is one more independent compiler where there is no GPU.
//
// Start here: Open.
//
//	dev, err := opencl.Open(opencl.Options{})
//	if err != nil {
//		t.Skip(err) // no library, no device, or one that gets kernels wrong: the error says which, and what to set
//	}
//	defer dev.Release()
//
// A source goes through the front end of metal/msl, so that its errors are the same as on the simulator; a function with its constants is
// lowered to package ir; a pipeline prints it by package emit as OpenCL C, and has the driver compile that. Package record does the rest that is no
// call of OpenCL. A compiled kernel is kept as long as the device, by its text; PoCL keeps its own on disk, too. GAMMA_OPENCL_DUMP
// names a folder for printed kernels.
//
// # Where it looks
//
// GAMMA_OPENCL_PATH lists folders or files to look at before all others. Then come the loader's own places (LD_LIBRARY_PATH) and the usual
// folders. OpenCL 1.2 is enough, but for kernels with fences, which take scopes and orders of atomics of 3.0. Which drivers the library has
// is its own business (/etc/OpenCL/vendors); Options.Platform and Options.Device choose.
//
// # What stands in the way
//
//   - Lane operations and simdgroup_barrier are refused by the printer: OpenCL C has neither Metal's active lanes nor a fixed width. So a
//     simdgroup has one thread, as far as ThreadExecutionWidth says anything.
//   - Pointers that may point into different address spaces are refused by the printer: OpenCL 1.2 has no generic ones.
//   - Halves, divisions, roots and flushing are computed in binary64; devices without it are refused.
//   - A buffer may be bound from any byte that its type allows. clSetKernelArg knows no such offset, but shared virtual memory (OpenCL 2.0,
//     coarse-grained) does. Without it parts of buffers are sub-buffers, whose offsets have to be multiples of the device's alignment; others
//     are refused when the work runs.
//   - Grids that are no multiple of the threadgroup: OpenCL 1.2 has none. Without barriers more threads are launched, which return at once. With
//     barriers the edges are launched alone, in up to eight parts.
//   - A threadgroup argument that may be left out is never a null pointer: OpenCL has none to local memory.
//
// # PoCL
//
// With its optimiser PoCL 3.1 compiles some kernels with barriers wrongly, in each of its ways to join the threads of a threadgroup: loopvec,
// its own choice, leaves out the body of a loop that halves a width, as in the usual tree of a sum; loops reads threadgroup memory too early in
// our ntt_inverse_tile_31, which returns before its barriers where there is nothing to do. So on PoCL kernels with barriers are built with
// -cl-opt-disable, which leaves the program as it was written until its threads are joined; then all are right. All other kernels are optimised.
// A small kernel with barriers is run at each opening, and a device that gets it wrong is refused.
//
// PoCL links kernels by the program ld, and ends a process in which it cannot. Where PATH has no ld, Open tries it in a child first, and the error says so.
//
// # Oclgrind
//
// Oclgrind, an interpreter of OpenCL C that looks for faults, is such a device, too, where OCL_ICD_VENDORS names a folder with a file of one line, the path of its liboclgrind-rt-icd.so:
//
//	OCL_ICD_VENDORS=folder OCLGRIND_NUM_THREADS=1 go test ./metal/sim -run '^$' -bench '(Sum|NTT)/n=65536/(checked|opencl)'
//
// # Self-test
//
// Open refuses, by name, a device whose kernels do not round to nearest even, flush or contract as asked, or round fma, division and sqrt
// once.
//
// # Threads, order, time
//
// One goroutine makes all calls. Command buffers run in the order of their commits, one after the other; threads of a dispatch in any order.
// GPUTime is from the start of the first kernel to the end of the last, by the device's clock.
//
// # Faults
//
// On a processor a kernel that writes outside its buffers may do anything to this process, and one that never ends cannot be stopped: after
// Options.Timeout its command buffer fails, the device is lost, and a thread of the driver goes on with it. For kernels that may be
// hostile there is Options.Isolate: then a child process, this executable again, does all calls; when a kernel faults or does not end the child is
// dropped, the error reported, and the device goes on with another one. Buffers hold what they held before the command buffer.
//
// The child is started with GAMMA_OPENCL_CHILD in its environment, which this package looks for when a program starts.
package opencl
