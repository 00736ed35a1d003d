// Package cuda runs Metal kernels on NVIDIA GPUs: a metal.Device over libcuda and NVRTC, both loaded while the program runs.
//
// Start here: Open.
//
//	dev, err := cuda.Open(cuda.Options{})
//	if err != nil {
//		t.Skip(err) // no driver, no GPU, no NVRTC: the error says which, and what to set
//	}
//	defer dev.Release()
//
// A source goes through the front end of metal/msl, so that its errors are the same as on the simulator; a function with its constants is
// lowered to package ir; a pipeline prints it by package emit as CUDA C++, compiles that by NVRTC for the GPU at hand, and loads it.
//
// A source that CompileOptions.FileName calls .cu is CUDA C++ already, and goes to NVRTC as it is. Its extern "C" __global__ functions are read for their parameters alone, of which each is an argument: pointers to numbers are
// buffers, numbers are bound by SetBytes, and extern __shared__ arrays are threadgroup memory, at index 0.
//
// # Where it looks
//
// GAMMA_CUDA_PATH lists folders or files to look at before all others. Then come the loader's own places (LD_LIBRARY_PATH), CUDA_PATH
// and CUDA_HOME, the usual folders, and NVIDIA's packages beside python3. A compiled kernel is kept in memory and below the user's
// cache folder; GAMMA_CUDA_CACHE moves that, or turns it off. A cache that is broken or cannot be written to costs time only, and files that this
// package did not write are left alone. GAMMA_CUDA_DUMP names a folder for printed kernels; if it cannot be written to that is an error.
//
// A library that lacks a symbol, or whose version does not fit, is passed over. If none is left, the error lists what was tried, what was wrong
// with each, and what was wrong with entries of GAMMA_CUDA_PATH. On Linux this is tested with libraries made for it; nothing has run on Windows.
//
// # Threads, order, time
//
// One goroutine, locked to its operating system thread, owns the context, and makes all calls. All queues share one stream: command buffers
// run in the order of their commits, which every queue allows. Threads of a dispatch run in any order. GPUTime is between two events.
//
// # Speed
//
// TestCUDASpeed prints a table, and RESULTS.md has one of a GPU by name: kernels in double words that the GPU's memory bounds, their twins in
// float32, a sum in two passes, and an empty dispatch. What matters there: threadgroups of 256 threads or so; arrays of structures whose rows are multiples of
// 16 bytes, which are loaded and stored 16 bytes at once where the buffer is bound at such a multiple; grids that are multiples of the
// threadgroup, in which threads do not ask for an edge; a `constant uint&` read once, before stores that might change it; and, where a
// thread has little to do, several elements a thread, of consecutive addresses for consecutive threads. Of an empty dispatch's time about half
// lies between the two events on the GPU, as RESULTS.md has it; an event without a time, which comes before the timed one, ends the wait.
//
// # Faults
//
// A kernel that faults ruins the context of its process: that command buffer's error says so by library, call and code, and so does every later
// call of the device. A kernel that does not end within Options.Timeout does the same. For kernels that may be hostile there is
// Options.Isolate: then a child process, this executable again, does all calls of CUDA; when a kernel faults or does not end the child is
// dropped, the error reported, and the device goes on with another one. Buffers hold what they held before the command buffer.
//
// The child is started with GAMMA_CUDA_CHILD in its environment, which this package looks for when a program starts.
package cuda
