// Package ir is the intermediate representation of Metal kernels: one structured function of scalar
// registers a kernel, with every call inlined, every template resolved and every conversion explicit.
//
// Start here: Kernel, then Instr and Op. The table of operations (Ops) gives each instruction its meaning;
// engines and printers are tested against it operation by operation.
package ir
