package oracle_test

import (
	"fmt"

	"gamma/model"
	"gamma/oracle"
)

func ExampleAcc32() {
	var a, b oracle.Acc32
	a.AddSlice([]float32{3e38, 3e38, 1})
	b.AddSlice([]float32{-3e38, -3e38})
	a.Merge(&b)
	fmt.Println(a.Float32())
	// Output: 1
}

// The exact sum of 1, 2^-24 and 2^-80 lies just above a tie of binary32.
func ExampleAcc32_Round() {
	var a oracle.Acc32
	a.AddSlice([]float32{1, 0x1p-24, 0x1p-80})
	for _, f := range []model.Format{model.Binary32, model.BFloat16} {
		fmt.Printf("%s: nearest %#x, up %#x\n", f, a.Round(f, model.NearestEven), a.Round(f, model.TowardPositive))
	}
	// Output:
	// binary32: nearest 0x3f800001, up 0x3f800001
	// bfloat16: nearest 0x3f80, up 0x3f81
}

// A verdict: enclosures first, exact numbers only where they cannot tell.
func ExampleDecide() {
	x := []float32{1, 0x1p-24, 0x1p-24}
	computed := float32(1) // what some kernel returned
	bound := model.Bound{A: 0x1p-23}

	var sum oracle.Acc32
	sum.AddSlice(x)
	e := oracle.Enclose(sum.Error(computed))
	s := oracle.Enclose(sum.Interval())
	a := oracle.Enclose(oracle.AbsInterval32(x))
	fmt.Println(oracle.Decide(e, s, a, oracle.Interval{}, bound))

	exact := sum.Dyadic()
	err := exact.Sub(oracle.FromFloat32(computed)).Abs()
	fmt.Println(oracle.Within(err, exact, exact, oracle.Dyadic{}, bound), err)
	// Output:
	// yes
	// true 0x1p-23 (1.19209e-07)
}
