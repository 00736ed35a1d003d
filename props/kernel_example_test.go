package props_test

import (
	"fmt"
	"math"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props"
	"gamma/props/judge"
)

// A softmax without the greatest element subtracted, which overflows: no bound was chosen, the formula says what is possible.
func ExampleKernel() {
	x := formula.Vector("x")
	softmax := props.Kernel{
		Name: "mykernel.Softmax", Formula: formula.Softmax(x, "n"),
		Run: func(dst, x []float32) {
			s := float32(0)
			for i, v := range x {
				dst[i] = float32(math.Exp(float64(v)))
				s += dst[i]
			}
			for i := range dst {
				dst[i] /= s
			}
		},
	}
	// In a test: func TestPropSoftmax(t *testing.T) { softmax.Check(t) }
	law, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _, err := judge.Find(law, softmax, 1000)
	if err != nil || f == nil {
		fmt.Println("nothing was found:", err)
		return
	}
	fmt.Println(f.Common().Verdict.Reason)
	// Output:
	// element 0 of 1 is NaN, and the formula allows numbers alone: 0.99999905 to 1.000001
}

// A norm in binary64 whose mean is kept in binary32: about 2^29 ulps off, which no tolerance that is chosen for binary32 sees.
func ExampleKernel_binary64() {
	x := formula.Input("x", formula.Float(model.Binary64), "n")
	centred := props.Kernel{
		Name: "mykernel.Centre", Formula: formula.Sub(x, formula.Mean(x)),
		Claim: formula.Claim{Format: model.Binary64},
		Run64: func(dst, x []float64) {
			s := 0.0
			for _, v := range x {
				s += v
			}
			mean := float32(s / float64(len(x)))
			for i, v := range x {
				dst[i] = v - float64(mean)
			}
		},
	}
	law, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, _, err := judge.Find(law, centred, 1000)
	if err != nil || f == nil {
		fmt.Println("nothing was found:", err)
		return
	}
	fmt.Println(f.Common().Verdict.Reason)
	// Output:
	// element 0 of 1 is 5.960464477539063e-08, and the formula allows 0 alone
}
