// Package foreign judges kernels in shared libraries by the C ABI: functions of C, C++, Fortran, Rust, Zig. It needs no cgo and no glue. Start here:
//
//	lib := foreign.Load(t, "./libmine.so")
//	props.Reduction{Name: "mine.sum", RunErr: lib.Sum("float my_sum(const float *x, size_t n)")}.Check(t)
//
// The C source stays out of the test's directory, where go test would want cgo for it.
//
// A function is named by its declaration, as the header has it. Each kind of subject has a method here that makes a Go function of a declaration, by
// what its parameters are called and of which type they are; the method says how. A declaration that is wrong (no such symbol, a type that is not one of
// C's numbers, a parameter of which nobody knows what it is for) fails the test, or is an error of the method's twin without a test. That the library
// has the function with these parameters is believed: a symbol does not say.
//
// # Isolation
//
// The library is loaded in another process: this program once more, which serves the calls by the frames of package process, through shared memory where
// the system has it. A function that crashes, hangs, writes where it must not or leaves the rounding mode changed so breaks alone, and is named; the
// next call gets a new process. [Here] loads it into this process instead: faster for short vectors, and debuggers and profilers see it, but a crash ends
// the test.
//
// In either case arrays are copies that begin at different places of a line of memory, and what a function does to an input, or writes outside, is found.
//
// Types: float, double, bool, and integers by any of C's names. Numbers of 16 and 8 bits other than integers (_Float16, __bf16) are arrays of
// uint16_t. Structs, callbacks, strings and long double are not supported. Libraries are loaded on Linux, macOS and FreeBSD; this package links purego,
// which makes a program dynamically linked, so that no other package of the judge imports it.
package foreign
