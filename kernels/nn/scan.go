package nn

import (
	"math"

	"gamma/model/formula"
)

// The formulas of scans and of the place of the greatest element, of a vector x.
var (
	CumSumFormula = formula.CumSum(formula.Vector("x")).Ordered(formula.Sequential)
	CumMaxFormula = formula.ScanMax(formula.Vector("x")).Meant(formula.PropagateNaN)
	ArgMaxFormula = formula.ArgMax(formula.Vector("x"))
)

func scans() []Kernel {
	return []Kernel{
		{Name: "nn.CumSum", Formula: CumSumFormula, Run: vectors(CumSum)},
		{Name: "nn.CumMax", Formula: CumMaxFormula, Run: vectors(CumMax)},
		{Name: "nn.ArgMax", Formula: ArgMaxFormula, Out: formula.Int(32), Min: oneOf("n"), Run: func(a Arrays) { a.Int32("dst")[0] = int32(ArgMax(a.Float32("x"))) }},
	}
}

// CumSum writes x_0 + … + x_i, each from left to right.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   i·u·Σ|x_j| up to i.
// Special: as in IEEE 754.
func CumSum(dst, x []float32) {
	sameLength("dst", len(dst), len(x))
	for i, v := range x {
		if i == 0 {
			dst[0] = v
			continue
		}
		dst[i] = dst[i-1] + v
	}
}

// CumMax writes the greatest of x_0 to x_i.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   none.
// Special: from the first NaN on results are NaN.
func CumMax(dst, x []float32) {
	sameLength("dst", len(dst), len(x))
	m := float32(math.Inf(-1))
	for i, v := range x {
		m = max(m, v)
		dst[i] = m
	}
}

// ArgMax returns the index of the greatest element of x, the first of several; 0 if there is none.
//
// Special: a NaN is never greater than another element.
func ArgMax(x []float32) int {
	at := 0
	for i, v := range x {
		if v > x[at] {
			at = i
		}
	}
	return at
}
