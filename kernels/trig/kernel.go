package trig

import (
	"math"

	"gamma/kernels/nn"
	"gamma/model/formula"
)

// The formulas of the functions, each of a vector x.
var (
	SinFormula = formula.Sin(formula.Vector("x"))
	CosFormula = formula.Cos(formula.Vector("x"))

	SinPiFormula = formula.SinPi(formula.Vector("x"))
	CosPiFormula = formula.CosPi(formula.Vector("x"))
)

// TwoUlps is what the functions of binary32 promise: results within two units of the last place of the exact value, and never beyond 1.
var TwoUlps = formula.Accuracy{Name: "Cody and Waite, Payne and Hanek, polynomials of degree 7 and 8"}.
	With(formula.OpSin, formula.Promise{Ulps: 2, InRange: true}).
	With(formula.OpCos, formula.Promise{Ulps: 2, InRange: true}).
	With(formula.OpSinPi, formula.Promise{Ulps: 2, InRange: true}).
	With(formula.OpCosPi, formula.Promise{Ulps: 2, InRange: true})

// All returns every function of binary32 numbers, as a kernel that takes a vector.
//
// Sines are odd and cosines are even, bit for bit, since every step is: rounding to nearest, also to an integer, does not know the sign. That Sin32 rises from
// -π/2 to π/2, and Cos32 from -π to 0 and falls from there to π, was found by comparing each result from 2^-13 on with the next, as it was of half turns; below,
// sines are products and cosines 1. Those that are correctly rounded rise and fall as the functions do. The ends are the numbers of binary64 before π/2 and π.
func All() []nn.Kernel {
	odd, even := formula.Claim{Functions: TwoUlps}, formula.Claim{Functions: TwoUlps}
	odd.Symmetry, odd.Rising = formula.Odd, []formula.Range{{From: -math.Pi / 2, To: math.Pi / 2}}
	even.Symmetry, even.Rising, even.Falling = formula.Even, []formula.Range{{From: -math.Pi, To: 0}}, []formula.Range{{From: 0, To: math.Pi}}
	oddTurns, evenTurns := odd, even
	oddTurns.Rising = []formula.Range{{From: -0.5, To: 0.5}}
	evenTurns.Rising, evenTurns.Falling = []formula.Range{{From: -1, To: 0}}, []formula.Range{{From: 0, To: 1}}
	nearest := func(c formula.Claim) formula.Claim {
		c.Functions, c.Exactly = formula.CorrectlyRounded, true
		return c
	}
	return []nn.Kernel{
		{Name: "trig.Sin32", Formula: SinFormula, Claim: odd, Run: of(Sin32)},
		{Name: "trig.Cos32", Formula: CosFormula, Claim: even, Run: of(Cos32)},
		{Name: "trig.SinPi32", Formula: SinPiFormula, Claim: oddTurns, Run: of(SinPi32)},
		{Name: "trig.CosPi32", Formula: CosPiFormula, Claim: evenTurns, Run: of(CosPi32)},
		{Name: "trig.SinNearest32", Formula: SinFormula, Claim: nearest(odd), Run: of(SinNearest32)},
		{Name: "trig.CosNearest32", Formula: CosFormula, Claim: nearest(even), Run: of(CosNearest32)},
	}
}

// of returns the Run of a function.
func of(f func(float32) float32) func(nn.Arrays) {
	vector := nn.Map(f)
	return func(a nn.Arrays) { vector(a.Float32("dst"), a.Float32("x")) }
}
