// Package emit prints kernels of package ir as source text for other compilers: CUDA C++ and OpenCL C, from one printer.
//
// Start here: Print gives a Program, whose Text is one kernel function with all that it needs before it. Every operation of
// ir.Ops is printed with the meaning of ir.Eval, or refused by an error that names the place and the operation.
package emit
