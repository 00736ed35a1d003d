package eft_test

import (
	"fmt"

	"gamma/kernels/eft"
)

func ExampleTwoSum() {
	s, e := eft.TwoSum[float32](1, 0x1p-30)
	fmt.Printf("%x %x\n", s, e)
	// Output: 0x1p+00 0x1p-30
}

func ExampleTwoProductFMA() {
	p, e := eft.TwoProductFMA[float32](1+0x1p-23, 1+0x1p-23)
	fmt.Printf("%x %x\n", p, e)
	// Output: 0x1.000004p+00 0x1p-46
}
