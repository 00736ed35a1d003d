package ntt_test

import (
	"fmt"

	"gamma/kernels/ntt"
	"gamma/model/modular"
)

func Example() {
	// (1 + 2x)·(3 + x^3) modulo x^4 + 1 and 12289: 3 + 6x + x^3 + 2x^4, and x^4 is -1.
	t, err := ntt.NewTransform(12289, 4, true)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := ntt.NewPlan(t)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := make([]uint64, 4)
	if err := p.Product(c, []uint64{1, 2, 0, 0}, []uint64{3, 0, 0, 1}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c)
	// Output: [1 6 0 1]
}

func ExamplePlan_Forward() {
	// 4 has order 4 modulo 17: the values at 1, 4, 16 and 13.
	p, err := ntt.NewPlan(modular.Transform{Modulus: 17, N: 4, Root: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	x := []uint64{1, 1, 0, 0}
	fmt.Println(p.Forward(x, x), x)
	fmt.Println(p.Inverse(x, x), x)
	fmt.Println(p.Forward(x, []uint64{1, 17, 0, 0}))
	// Output:
	// <nil> [2 5 0 14]
	// <nil> [1 1 0 0]
	// ntt.Plan.cyclic: word 1 is 17; it must be below q = 17
}

func ExampleFindRoot() {
	_, err := ntt.FindRoot(3329, 256, true)
	fmt.Println(err)
	// Output:
	// ntt: FindRoot: modulus 3329 has no root of order 512: q-1 = 2^8·13, so that negacyclic transforms have 128 points at most, not 256
}
