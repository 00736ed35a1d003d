package kernels_test

import (
	"fmt"

	"gamma/kernels"
	"gamma/sumtree"
)

func Example() {
	x := []float32{1, 0x1p-24, 0x1p-24, -1}
	for _, name := range []string{"kernels.SumSerial", "kernels.SumPairwise", "kernels.SumKahan", "kernels.SumExact"} {
		k, _ := kernels.Find(name)
		fmt.Printf("%s %x\n", name, k.Sum32(x))
	}
	// Output:
	// kernels.SumSerial 0x0p+00
	// kernels.SumPairwise 0x1p-24
	// kernels.SumKahan 0x1p-23
	// kernels.SumExact 0x1p-23
}

func ExampleSumFollowing() {
	x := []float32{3, 1e8, -1e8, 3}
	fmt.Println(kernels.SumFollowing(sumtree.Left().Tree(4), x), kernels.SumFollowing(sumtree.Pairwise(1).Tree(4), x))
	// Output: 3 0
}

func ExampleBinned() {
	var left, right kernels.Binned
	left.Add([]float32{1e10, 1})
	right.Add([]float32{-1e10, 2})
	left.Merge(&right)
	fmt.Println(left.Float32())
	// Output: 3
}
