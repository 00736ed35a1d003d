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
// judged: no races, no access out of bounds, nothing read before it is written, barriers that all threads reach.
//
// [Reduction] is for sums and means, [Dot] for dot products, [Operation] for what computes row by row: error-free transforms, arithmetic of
// double words, complex products; [NTT] is for number-theoretic transforms, [ShaderNTT] and [NTTs] for those of package shaders. Host code of one's own is a function of a [Run], which allocates,
// dispatches and reads. [Shader] makes a subject from a kernel of package shaders, [Subjects] from all of them, [ShaderOperation] and [Operations] likewise.
// [Protocol] checks a device itself: any order of calls gives what Metal's rules say, and never a crash.
package device
