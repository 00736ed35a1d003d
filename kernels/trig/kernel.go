package trig

import (
	"gamma/kernels/nn"
	"gamma/model/formula"
)

// The formulas of the functions, each of a vector x.
var (
	SinFormula = formula.Sin(formula.Vector("x"))
	CosFormula = formula.Cos(formula.Vector("x"))
)

// TwoUlps is what the functions of binary32 promise: results within two units of the last place of the exact value, and never beyond 1.
var TwoUlps = formula.Accuracy{Name: "Cody and Waite, Payne and Hanek, polynomials of degree 7 and 8"}.
	With(formula.OpSin, formula.Promise{Ulps: 2, InRange: true}).
	With(formula.OpCos, formula.Promise{Ulps: 2, InRange: true})

// All returns every function of binary32 numbers, as a kernel that takes a vector.
func All() []nn.Kernel {
	claim := formula.Claim{Functions: TwoUlps}
	return []nn.Kernel{
		{Name: "trig.Sin32", Formula: SinFormula, Claim: claim, Run: of(Sin32)},
		{Name: "trig.Cos32", Formula: CosFormula, Claim: claim, Run: of(Cos32)},
	}
}

// of returns the Run of a function.
func of(f func(float32) float32) func(nn.Arrays) {
	vector := nn.Map(f)
	return func(a nn.Arrays) { vector(a.Float32("dst"), a.Float32("x")) }
}
