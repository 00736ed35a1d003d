// Package ir is the intermediate representation of Metal kernels: one structured function of scalar
// registers a kernel, with every call inlined, every template resolved and every conversion explicit.
//
// Start here: Kernel, then Instr and Op. The table of operations (Ops) gives each instruction its operands and
// effects, Eval its meaning and faults, Bounds its range, LimitULP and Perturb what else a device may give; engines and printers are
// tested against them operation by operation.
//
//	k, err := ir.Parse(text)   // or ir.NewBuilder, or package lower from source
//	err = ir.Verify(k)         // what passes makes no engine panic
//	ir.Optimise(k)             // the same under every behaviour, with less
//	same := ir.Uniform(k)      // which registers hold one value for all threads of a threadgroup
//	fmt.Print(k)               // as Parse reads it
//
// Nothing here is shared with the judge's arithmetic (package model/round): floats are rounded by rounding to odd in binary64.
package ir
