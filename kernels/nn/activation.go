package nn

import (
	"math"

	"gamma/model/formula"
)

// The formulas of the activations, each of a vector x.
var (
	ReLUFormula       = formula.ReLU(formula.Vector("x"))
	LeakyReLUFormula  = formula.LeakyReLU(formula.Vector("x"), formula.Const(0.01))
	ELUFormula        = formula.ELU(formula.Vector("x"), formula.Const(1))
	SigmoidFormula    = formula.Sigmoid(formula.Vector("x"))
	TanhFormula       = formula.Tanh(formula.Vector("x"))
	SiLUFormula       = formula.SiLU(formula.Vector("x"))
	GELUFormula       = formula.GELU(formula.Vector("x"))
	GELUTanhFormula   = formula.GELUTanh(formula.Vector("x"))
	TanhGradFormula   = tanhGrad(formula.Vector("x"))
	GELUGradFormula   = geluGrad(formula.Vector("x"))
	TanhShrinkFormula = formula.Sub(formula.Vector("x"), formula.Tanh(formula.Vector("x")))
)

func tanhGrad(x *formula.Expr) *formula.Expr {
	t := formula.Tanh(x)
	return formula.Sub(formula.Const(1), formula.Mul(t, t))
}

func geluGrad(x *formula.Expr) *formula.Expr {
	half := formula.Const(0.5)
	cdf := formula.Mul(half, formula.Add(formula.Const(1), formula.Erf(formula.Mul(x, formula.Const(math.Sqrt2/2)))))
	bell := formula.Exp(formula.Neg(formula.Mul(half, formula.Mul(x, x))))
	return formula.Add(cdf, formula.Mul(formula.Mul(x, bell), formula.Const(rootTwoPi)))
}

const rootTwoPi = 0.3989422804014327 // 1/√(2π)

func activations() []Kernel {
	return []Kernel{
		{Name: "nn.ReLU", Formula: ReLUFormula, Run: vectors(ReLU)},
		{Name: "nn.LeakyReLU", Formula: LeakyReLUFormula, Run: vectors(LeakyReLU)},
		{Name: "nn.ELU", Formula: ELUFormula, Run: vectors(ELU)},
		{Name: "nn.Sigmoid", Formula: SigmoidFormula, Run: vectors(Sigmoid)},
		{Name: "nn.Tanh", Formula: TanhFormula, Run: vectors(Tanh)},
		{Name: "nn.SiLU", Formula: SiLUFormula, Run: vectors(SiLU)},
		{Name: "nn.GELU", Formula: GELUFormula, Run: vectors(GELU)},
		{Name: "nn.GELUTanh", Formula: GELUTanhFormula, Run: vectors(GELUTanh)},
		{Name: "nn.TanhGrad", Formula: TanhGradFormula, Run: vectors(TanhGrad)},
		{Name: "nn.GELUGrad", Formula: GELUGradFormula, Run: vectors(GELUGrad)},
		{Name: "nn.TanhShrink", Formula: TanhShrinkFormula, Run: vectors(TanhShrink)},
	}
}

// Map returns the kernel that writes f of each element of x to dst.
//
// Shape: len(dst) = len(x); it panics otherwise.
func Map(f func(float32) float32) func(dst, x []float32) {
	return func(dst, x []float32) {
		sameLength("dst", len(dst), len(x))
		for i, v := range x {
			dst[i] = f(v)
		}
	}
}

// ReLU writes max(x_i, 0).
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   none.
// Special: NaN gives NaN.
func ReLU(dst, x []float32) { relu(dst, x) }

var relu = Map(func(x float32) float32 { return max(x, 0) })

// LeakyReLU writes x_i where x_i > 0, and x_i/100 elsewhere.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   2 roundings, one of them that of the slope.
// Special: NaN gives NaN.
func LeakyReLU(dst, x []float32) { leakyReLU(dst, x) }

var leakyReLU = Map(func(x float32) float32 {
	if x > 0 {
		return x
	}
	return float32(0.01 * x)
})

// ELU writes x_i where x_i > 0, and exp(x_i) - 1 elsewhere, by expm1, which has no cancellation near 0.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   one ulp.
// Special: NaN gives NaN, -Inf gives -1.
func ELU(dst, x []float32) { elu(dst, x) }

var elu = Map(func(x float32) float32 {
	if x > 0 {
		return x
	}
	return expm1(x)
})

// Sigmoid writes 1/(1 + exp(-x_i)).
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   an ulp of the exponential and two roundings.
// Special: below about -88.7 the exponential overflows, and the result is 0. NaN gives NaN.
func Sigmoid(dst, x []float32) { sigmoids(dst, x) }

var sigmoids = Map(sigmoid)

func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }

// Tanh writes the hyperbolic tangent of x_i.
//
// Shape: len(dst) = len(x); it panics otherwise.
// Error: one ulp.
func Tanh(dst, x []float32) { tanhs(dst, x) }

var tanhs = Map(tanh)

// SiLU writes x_i/(1 + exp(-x_i)), as a product with Sigmoid.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   that of Sigmoid and one rounding.
// Special: -Inf·0 is NaN, as in the formula; NaN gives NaN.
func SiLU(dst, x []float32) { silu(dst, x) }

var silu = Map(func(x float32) float32 { return float32(x * sigmoid(x)) })

// GELU writes x_i/2·(1 + erf(x_i/√2)).
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   absolute, about x_i·2^-24: for x_i below -4 the sum 1 + erf cancels, and few digits or none are right.
// Special: -Inf·0 is NaN, as in the formula; NaN gives NaN.
func GELU(dst, x []float32) { gelu(dst, x) }

var gelu = Map(func(x float32) float32 {
	return float32(float32(0.5*x) * (1 + erf(float32(x*(math.Sqrt2/2)))))
})

// GELUTanh writes x_i/2·(1 + tanh(√(2/π)·(x_i + 0.044715·x_i³))), which is within 5·10^-4 of GELU.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   as GELU's.
// Special: as GELU's.
func GELUTanh(dst, x []float32) { geluTanh(dst, x) }

var geluTanh = Map(func(x float32) float32 {
	cube := float32(float32(x*x) * x)
	t := float32((math.Sqrt2 / math.SqrtPi) * (x + float32(0.044715*cube)))
	return float32(float32(0.5*x) * (1 + tanh(t)))
})

// TanhGrad writes 1 - tanh(x_i)², the derivative of tanh.
//
// Shape: len(dst) = len(x); it panics otherwise.
// Error: absolute, about 2^-23: for |x_i| above 9 no digit is right.
func TanhGrad(dst, x []float32) { tanhGrads(dst, x) }

var tanhGrads = Map(func(x float32) float32 {
	t := tanh(x)
	return 1 - float32(t*t)
})

// GELUGrad writes (1 + erf(x_i/√2))/2 + x_i·exp(-x_i²/2)/√(2π), the derivative of GELU.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   absolute, about 2^-24.
// Special: ±Inf·0 is NaN, as in the formula; NaN gives NaN.
func GELUGrad(dst, x []float32) { geluGrads(dst, x) }

var geluGrads = Map(func(x float32) float32 {
	cdf := float32(0.5 * (1 + erf(float32(x*(math.Sqrt2/2)))))
	bell := exp(-float32(0.5 * float32(x*x)))
	return cdf + float32(float32(x*bell)*rootTwoPi)
})

// TanhShrink writes x_i - tanh(x_i), in binary64 and rounded once, since the difference cancels near 0.
//
// Shape: len(dst) = len(x); it panics otherwise.
// Error: an ulp, and 2^-53·|x_i|. The claim's is that of binary32, 2^-24·|x_i|.
func TanhShrink(dst, x []float32) { tanhShrink(dst, x) }

var tanhShrink = Map(func(x float32) float32 { return float32(float64(x) - math.Tanh(float64(x))) })
