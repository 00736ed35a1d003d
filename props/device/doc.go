// Package device joins judge and devices: it makes subjects of package props from Metal shaders, run on the simulator or on any
// other metal.Device. Start here.
//
// A shader with one input, one output and its length needs no host code at all:
//
//	//go:embed mysum.metal
//	var source string
//
//	var sum = device.Reduction{Name: "mysum.metal#sum", Source: source, Function: "sum"}
//
//	func TestPropSum(t *testing.T) { sum.Check(t) }
//	func FuzzPropSum(f *testing.F) { sum.Fuzz(f) }
//
// It runs on the simulator, checks on, under every behaviour that Metal allows a device in the shader's math mode: orders of
// threads, sizes of simdgroups, contraction, flushing, rounding toward zero. Admits says otherwise. The claim is
// judged as each behaviour leaves it; a report names the behaviour that breaks it. Beside the laws of sums, those of kernels are
// judged: no races, no access out of bounds, nothing read before it is written (by the kernel, or by host code from a buffer), barriers that
// all threads reach.
//
// [Reduction] is for sums and means, [Dot] for dot products, [Operation] for what computes row by row (error-free transforms,
// arithmetic of double words, complex products), [Modular] for operations on residues, [NTT] for number-theoretic transforms, [FFT] for Fourier transforms, [Kernel] for what a formula
// describes (softmax, norms, matrix products), and for any shader without one, of which only races, bounds and the like are judged. Host code
// of one's own is a function of a [Run], which allocates, dispatches and reads. [Props] makes a literal a subject of package props.
// Gamma's own shaders are subjects by package builtin, which this one does not link.
// [Protocol] checks a device itself: any order of calls gives what Metal's rules say, and never a crash.
//
// # Math modes
//
// Options.MathMode is safe unless the literal says otherwise, and Metal's own default is fast. So the summary line of a shader says in which mode it
// was judged, and what a few cases show of mode fast, with all that is claimed and under all that this mode lets a compiler do: the first law that
// fails, or that none does. For one case in twenty that a search judges there is at most one of these, and none fails a test. With BothModes the claim has to
// hold in both modes: a search in each, as a subtest, and the kernel is called Name@fast in the second. A source whose pragmas ask for safe arithmetic passes
// both. Of hardware nothing is said of mode fast unless BothModes is set, and of arithmetic of integers, which no mode changes, nothing at all.
//
// # CUDA C++
//
// A literal whose Name says that its source is in a file ending with .cu has kernels in CUDA C++. They go to NVRTC as they are, on a device of metal/cuda; other devices refuse them, which skips a test. A kernel is an
// extern "C" __global__ function whose parameters are numbers and pointers to numbers; the arrays that it declares extern __shared__ are threadgroup memory. Options have the
// macros, and MathMode: safe are NVRTC's defaults, with products fused into additions, and fast is --use_fast_math. Headers are found in the source's folder and in the toolkit beside NVRTC; those of the host's C library
// are left out. There is no simulator to compare with.
//
// # On hardware
//
// A literal without Device is judged on each device that -gamma.device (or GAMMA_DEVICE) chooses: without it on the simulator and on every
// kind of hardware that is linked in, by a blank import of its package, and present; "opencl" has to be named. On the simulator tests have the names that they had; on another device
// its kind stands between the test and the law. A device is opened once in a process, shared, and kept open. Fuzz takes the first device
// chosen, Replay each.
//
// Hardware, which is all that is no *sim.Device, behaves as it does: Properties().Behaviour says what it was found to do, every case runs so,
// and the claim is what that leaves of it. No order, no junk and no seed can be imposed. Behaviour.ULP of hardware says that its quotients or
// square roots are not correctly rounded, which are the only library functions whose errors the claims here know of: exp, log and their like
// err inside the limits of the language on every device, and no claim says which bits they give.
//
// Beside hardware stands a plain simulator in the same arithmetic: a run whose Setting says Reference is there, with the same source and host
// code. The laws device.equal, device.repeat and device.order use it.
package device
