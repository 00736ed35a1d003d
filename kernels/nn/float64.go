package nn

import (
	"math"
	"slices"

	"gamma/model"
	"gamma/model/formula"
)

// Binary64 returns kernels whose inputs, operations and results are in binary64, and the layers of package dd for binary64 numbers. Their names end in 64. Package math promises no figure for its
// exponential; that it is within the ulps of formula.Published is claimed, and judged.
func Binary64() []Kernel {
	list := []Kernel{
		{Name: "nn.Softmax64", Formula: SoftmaxFormula, Run: func(a Arrays) { Softmax64(a.Float64("dst"), a.Float64("x")) }},
		{Name: "nn.RMSNorm64", Formula: formula.RMSNorm(rowsOf("x"), formula.Vector("gamma"), formula.Const(epsilon), "n"), Run: func(a Arrays) {
			RMSNorm64(a.Float64("dst"), a.Float64("x"), a.Float64("gamma"), epsilon, a.Size("n"))
		}},
		{Name: "nn.LayerNorm64", Formula: LayerNormFormula, Run: func(a Arrays) {
			LayerNorm64(a.Float64("dst"), a.Float64("x"), a.Float64("gamma"), a.Float64("beta"), epsilon, a.Size("n"))
		}},
		{Name: "nn.MatMul64", Formula: MatMulFormula, Run: func(a Arrays) {
			MatMul64(a.Float64("dst"), a.Float64("a"), a.Float64("b"), a.Size("m"), a.Size("n"), a.Size("k"))
		}},
	}
	list = append(list, pairs64()...)
	for i := range list {
		k := &list[i]
		k.Out, k.Claim.Format = formula.Float(model.Binary64), model.Binary64
		k.Formula = reading(k.Formula, k.Out)
		if k.Claim.Within != nil {
			k.Claim.Within = reading(k.Claim.Within, k.Out)
		}
	}
	return list
}

// Softmax64 is Softmax in binary64, with the sum from left to right.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   that of math.Exp, x_i-m rounded, (n-1)·u of the sum and one rounding.
// Special: as Softmax's.
func Softmax64(dst, x []float64) {
	sameLength("dst", len(dst), len(x))
	if len(x) == 0 {
		return
	}
	m, s := slices.Max(x), 0.0
	for i, v := range x {
		dst[i] = math.Exp(v - m)
		s += dst[i]
	}
	for i := range dst {
		dst[i] /= s
	}
}

// RMSNorm64 writes x_i/√(Σx_j²/n+eps)·gamma_i for each row of n elements, in binary64.
//
// Shape:   len(dst) = len(x), rows of n; len(gamma) = n. It panics otherwise.
// Error:   4 roundings and half of n·u relative.
// Special: NaN makes its row NaN; an infinity makes its row 0 and itself NaN. Where squares overflow the row is 0.
// Alias:   dst may be x; it does not overlap gamma.
func RMSNorm64(dst, x, gamma []float64, eps float64, n int) {
	sameLength("dst", len(dst), len(x))
	sameLength("gamma", len(gamma), n)
	for r := range rows(len(x), n) {
		row, out := x[r*n:][:n], dst[r*n:][:n]
		scale := 1 / math.Sqrt(squares64(row)/float64(n)+eps)
		for i, v := range row {
			out[i] = float64(float64(v*scale) * gamma[i])
		}
	}
}

// LayerNorm64 is LayerNorm in binary64, with sums from left to right.
//
// Shape, Domain, Special, Alias: as LayerNorm's.
// Error:   the mean's, n·u·Σ|x_i|/n, absolute before the division, and 5 roundings and half of n·u relative.
func LayerNorm64(dst, x, gamma, beta []float64, eps float64, n int) {
	sameLength("dst", len(dst), len(x))
	sameLength("gamma", len(gamma), n)
	sameLength("beta", len(beta), n)
	for r := range rows(len(x), n) {
		row, out := x[r*n:][:n], dst[r*n:][:n]
		sum := 0.0
		for _, v := range row {
			sum += v
		}
		mean := sum / float64(n)
		for i, v := range row {
			out[i] = v - mean
		}
		scale := 1 / math.Sqrt(squares64(out)/float64(n)+eps)
		for i, d := range out {
			out[i] = float64(float64(d*scale)*gamma[i]) + beta[i]
		}
	}
}

// squares64 returns Σx_i², from left to right.
func squares64(x []float64) (s float64) {
	for _, v := range x {
		s += float64(v * v)
	}
	return s
}

// MatMul64 is MatMul in binary64.
//
// Shape, Error, Special, Alias: as MatMul's.
func MatMul64(dst, a, b []float64, m, n, k int) {
	checkProduct(len(dst), len(a), len(b), m, n, k)
	for i := range m {
		for j := range n {
			s := 0.0
			for l := range k {
				s += float64(a[i*k+l] * b[l*n+j])
			}
			dst[i*n+j] = s
		}
	}
}
