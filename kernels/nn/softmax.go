package nn

import (
	"math"

	"gamma/kernels"
	"gamma/model/formula"
)

// The formulas of softmax and of its logarithmic sum, of a vector x.
var (
	SoftmaxFormula   = formula.Softmax(formula.Vector("x"))
	LogSumExpFormula = formula.LogSumExp(formula.Vector("x"))
)

func softmaxes() []Kernel {
	return []Kernel{
		{Name: "nn.Softmax", Formula: SoftmaxFormula, Run: vectors(Softmax)},
		{Name: "nn.SoftmaxOnline", Formula: SoftmaxFormula, Run: vectors(SoftmaxOnline)},
		{Name: "nn.LogSumExp", Formula: LogSumExpFormula, Run: scalar(LogSumExp)},
	}
}

// greatest returns the greatest element of x, NaN if one is NaN, and -Inf if there is none.
func greatest(x []float32) float32 {
	m := float32(math.Inf(-1))
	for _, v := range x {
		m = max(m, v)
	}
	return m
}

// Softmax writes exp(x_i-m)/Σ exp(x_j-m), m being the greatest x_i: one pass for m, one for the exponentials, whose sum is that of
// kernels.SumLanes, and one that divides.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   an ulp of each exponential, x_i-m rounded, (n/8+3)·u of the sum and one rounding.
// Special: +Inf or NaN make all results NaN, as do elements that are all -Inf; otherwise -Inf gives 0.
func Softmax(dst, x []float32) {
	sameLength("dst", len(dst), len(x))
	m := greatest(x)
	for i, v := range x {
		dst[i] = exp(v - m)
	}
	s := kernels.SumLanes(dst)
	for i, e := range dst {
		dst[i] = e / s
	}
}

// SoftmaxOnline is Softmax in two passes: the first finds the greatest element and the sum together, and multiplies the sum by a power of e
// whenever a greater one comes.
//
// That sum is in binary64: in binary32 every new maximum would add an error of up to 1.5 ulp to it, n of them in an ascending row, which no order
// of the formula's additions explains.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   an ulp of each exponential, x_i-m rounded, and two roundings.
// Special: as Softmax's.
func SoftmaxOnline(dst, x []float32) {
	sameLength("dst", len(dst), len(x))
	if len(x) == 0 {
		return
	}
	m, s := online(x)
	for i, v := range x {
		dst[i] = exp(v-m) / float32(s)
	}
}

// online returns the greatest element m of x, which is not empty, and Σ exp(x_i-m), in one pass.
func online(x []float32) (m float32, s float64) {
	m, s = x[0], weight(x[0])
	for _, v := range x[1:] {
		m, s = rescaled(m, s, v)
	}
	return m, s
}

// weight returns 1, that of an element which is itself the greatest; NaN for +Inf, as +Inf-(+Inf) is. A row may begin with -Inf:
// whatever its weight, the first greater element makes it 0.
func weight(v float32) float64 {
	if v == float32(math.Inf(1)) {
		return math.NaN()
	}
	return 1
}

// rescaled returns the greatest element and the sum of exponentials after v.
func rescaled(m float32, s float64, v float32) (float32, float64) {
	switch {
	case v == m:
		return m, s + weight(v)
	case v > m:
		return v, float64(s*math.Exp(float64(m)-float64(v))) + weight(v)
	}
	return m, s + math.Exp(float64(v)-float64(m))
}

// LogSumExp returns m + ln(Σ exp(x_i-m)), m being the greatest x_i.
//
// Error:   an ulp of the logarithm, the sum's (n/8+4)·u, absolute, and one rounding.
// Special: +Inf, NaN, or nothing but -Inf gives NaN, as Inf-Inf is.
func LogSumExp(x []float32) float32 {
	m := greatest(x)
	e := make([]float32, len(x))
	for i, v := range x {
		e[i] = exp(v - m)
	}
	return m + log(kernels.SumLanes(e))
}
