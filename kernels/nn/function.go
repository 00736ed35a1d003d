package nn

import (
	"math"

	"gamma/model/formula"
)

// Rounded is what this package's elementary functions promise: within one ulp, and the reciprocal root, of two roundings, within two.
//
// Package math promises no figure in its documentation. Each result is that of its binary64 function rounded once, so half an ulp is the
// rounding's, and the other half leaves that function 2^28 of its own ulps. Results keep to the function's range.
var Rounded = formula.Accuracy{Name: "binary64 functions of package math, rounded once"}.
	With(formula.OpExp, within(1)).
	With(formula.OpExpm1, within(1)).
	With(formula.OpLog, within(1)).
	With(formula.OpTanh, within(1)).
	With(formula.OpErf, within(1)).
	With(formula.OpRsqrt, within(2))

func within(ulps float64) formula.Promise { return formula.Promise{Ulps: ulps, InRange: true} }

func exp(x float32) float32   { return float32(math.Exp(float64(x))) }
func expm1(x float32) float32 { return float32(math.Expm1(float64(x))) }
func log(x float32) float32   { return float32(math.Log(float64(x))) }
func tanh(x float32) float32  { return float32(math.Tanh(float64(x))) }
func erf(x float32) float32   { return float32(math.Erf(float64(x))) }

// sqrt returns √x, rounded once: the square root of binary64 has more than 2·24+2 bits, so that rounding it again changes nothing.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// rsqrt returns 1/√x in two roundings: less than 1.5 ulp and a little.
func rsqrt(x float32) float32 { return 1 / sqrt(x) }
