// Package emit prints kernels of package ir as source text for other compilers: CUDA C++ and OpenCL C, from one printer.
//
// Start here: Print gives a Program, whose Text is one kernel function with all that it needs before it. Every operation of
// ir.Ops is printed with the meaning of ir.Eval, or refused by an error that names the place and the operation.
//
// In the code: print.go joins the parts; name.go names variables and finds those that are written once; point.go finds what pointers
// may point to; input.go prints what threads are told; flow.go prints blocks, and follows the active lanes where lane operations
// need them; expression.go and float.go print operations, memory.go loads, stores and atomics, vector.go those of neighbouring words, lane.go simdgroups; prelude.go has
// the helpers in text, which are the dialects' tables.
//
// # Floats
//
// Binary32 to nearest, unflushed, is the machine's own, by intrinsics that no compiler contracts. All else (half, bfloat16, flushing,
// rounding toward zero) is computed in binary64, rounded to odd, and narrowed once. A NaN may have any payload: nothing that ir.Eval
// defines, comparisons least of all, tells one NaN from another but Bitcast and what else shows bits.
package emit
