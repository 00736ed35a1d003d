package ir_test

import (
	"fmt"

	"gamma/metal/msl/ir"
)

func ExampleBuilder() {
	b := ir.NewBuilder("double")
	x := b.Buffer("x", 0, ir.Device, 4)
	i := b.Input(ir.ThreadPositionInGrid, 0, ir.U32)
	v := b.Load(ir.F32, x, i, 4, 0)
	b.Store(ir.F32, x, i, 4, 0, b.Op(ir.Add, ir.F32, v, v))
	k := b.Kernel()
	fmt.Println(ir.Verify(k))
	fmt.Print(k)
	// Output:
	// <nil>
	// kernel "double"
	// buffer %1 "x" index=0 device elem=4 align=4
	// input %2 u32 thread_position_in_grid.0
	// {
	//   %3:f32 = load [%1 + u32 %2*4]
	//   %4:f32 = add %3, %3
	//   store f32 [%1 + u32 %2*4], %4
	// }
}

func ExampleEval() {
	sum, fault := ir.Eval(ir.Add, ir.I8, ir.Void, 0, ir.Arith{}, 0x7f, 1, 0, 0)
	fmt.Printf("%#x: %s\n", sum, fault)
	// Output:
	// 0x80: signed overflow
}
