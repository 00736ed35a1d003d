package round_test

import (
	"fmt"
	"math/big"

	"gamma/model"
	"gamma/model/round"
)

func ExampleArith() {
	half := round.Arith{F: model.Binary16}
	half1, least := uint64(0x3c00), uint64(0x1000) // 1 and 2^-11
	fmt.Printf("%#x\n", half.Add(half1, least))    // a tie, to the even 1
	half.R = model.TowardPositive
	fmt.Printf("%#x\n", half.Add(half1, least))
	// Output:
	// 0x3c00
	// 0x3c01
}

func ExampleConvert() {
	e4m3 := round.Arith{F: model.E4M3}
	for _, x := range []uint64{0x3fc00000, 0x43e80000, 0x43e88000, 0x7f800000} { // 1.5, 464, 465, +Inf
		fmt.Printf("%#x ", round.Convert(e4m3, model.Binary32, x))
	}
	// Output: 0x3c 0x7e 0x7f 0x7f
}

func ExampleArith_FromRat() {
	third := big.NewRat(1, 3)
	fmt.Printf("%#x\n", round.Arith{F: model.Binary32}.FromRat(third))
	fmt.Printf("%#x\n", round.Arith{F: model.Binary32, R: model.TowardZero}.FromRat(third))
	// Output:
	// 0x3eaaaaab
	// 0x3eaaaaaa
}
