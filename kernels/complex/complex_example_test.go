package complex_test

import (
	"fmt"

	"gamma/kernels/complex"
)

func ExampleComplexMultiplyExtended() {
	u := []float32{1, 0x1p-30, 1, 0} // (1 + 2^-30) + i
	k := []float32{1, 0, 1, 0}       // 1 + i
	z := make([]float32, 2)
	complex.ComplexMultiplyExtended(z, u, k)
	fmt.Printf("%x\n", z)
	// Output: [0x1p-30 0x1p+01]
}

func ExampleFFTScaleExtended() {
	z := make([]float32, 1)
	complex.FFTScaleExtended(z, []float32{1, 0}, 3)
	fmt.Println(z[0])
	// Output: 0.33333334
}

func ExampleDepthwise3Extended() {
	x := []float32{1, 0x1p-30, -1}
	y := make([]float32, 3)
	complex.Depthwise3Extended(y, x, []float32{1, 1, 1})
	fmt.Println(y[1] == 0x1p-30)
	// Output: true
}
