// Package shaders has the Metal kernels under test, with the Go code that launches them on any metal.Device and the claim of each: sums
// and dot products, error-free transforms, arithmetic of double words and of complex numbers, layers that add in double words,
// arithmetic modulo q, number-theoretic and Fourier transforms. Start here: All and Kernel for sums, Operations and Operation for what runs row
// by row, NTTs and NTT for transforms, FFTs and FFT for Fourier transforms, Modulars and Modular for residues, Formulas and Formula for softmax, norms, GELU and a matrix product, whose
// results a formula describes, NewRunner.
//
//	r := shaders.NewRunner(device)
//	defer r.Release()
//	k, _ := shaders.Find("shaders/sum.metal#tree")
//	s, err := k.Sum32(r, model.Launch1D(4, 64), x)
//
// Each source name.metal has its host code in name.go. Program runs a shader of yours that takes the same arguments in the same order;
// Runner.Run runs any other, dispatch by dispatch.
//
// # Words
//
// An Operation runs a batch: rows of operands, one after the other, into rows of results, as word.Op lays them out. It claims the
// bits of an algorithm of package word, and so every bound of that algorithm. eft.h and dd.h have the device functions, for
// sources of yours: Headers returns them for CompileOptions.Headers. Linear, MatMul, Variance, Softmax, LayerNorm and Depthwise3 are
// layers. BEHAVIOURS.md shows what remains of each claim without the pragmas.
//
// # Residues and transforms
//
// A Modular runs rows of residues, an NTT whole transforms: in one dispatch a stage, or several stages in tiles of threadgroup memory, or
// eight at a time, in two steps of radix 16 in registers, so that 2^16 points take two passes; of 64-bit words below 2^62, 2^63 and 2^64
// and of 32-bit ones below 2^31. They are exact, or return an error. A source with a field of its own includes modular.metal or ntt.metal from
// ModularHeaders, and NTTHost runs it.
//
// # Results and findings
//
// A device that checks kernels while it runs them, such as metal/sim, reports what it found as the error of a run that
// otherwise completed. Then the result is returned together with the error, in which errors.As finds a model.Findings.
// With any other error the result is zero. Errors name the kernel and the step that failed.
//
// A sum of no leaves is +0, without a dispatch.
//
// # Claims
//
// A claim holds for every launch that Fits, and for every behaviour of a device that Admits allows. The sources forbid contraction
// and the rewrites of relaxed and fast mode by pragmas, so that the bits do not depend on the options of the compiler or
// on its choices: such kernels are Strict. Rounding and flushing are the device's: the schedule is the same, and the bits follow the
// device's arithmetic. There a leaf may meet one more addition than Schedule shows, of -0, which flushes it if it is subnormal.
//
// # Mutants
//
// Package mutants holds shaders that are broken on purpose, each with the law that must find it.
package shaders
