package nn

import (
	"math"

	"gamma/kernels"
	"gamma/model"
	"gamma/model/formula"
)

// epsilon is what the norms of All add under the root.
const epsilon = 1e-5

func rowsOf(name string) *formula.Expr { return formula.Matrix(name, "r", "n") }

// The formulas of the norms: of each row of a matrix x along n, with epsilon 10^-5; of the last three of a vector.
var (
	LayerNormFormula = formula.LayerNorm(rowsOf("x"), formula.Vector("gamma"), formula.Vector("beta"), formula.Const(epsilon), "n")
	// RMSNormFormula is of the sum of x and the residual.
	RMSNormFormula = formula.RMSNorm(formula.Add(rowsOf("x"), rowsOf("residual")), formula.Vector("gamma"), formula.Const(epsilon), "n")
	// RMSNormRotaryFormula has results in bfloat16.
	RMSNormRotaryFormula = formula.Rotary(formula.RMSNorm(rowsOf("x"), formula.Vector("gamma"), formula.Const(epsilon), "n"), rowsOf("cos"), rowsOf("sin"), "n")
	L2NormalizeFormula   = formula.Div(formula.Vector("x"), formula.L2Norm(formula.Vector("x")))
	L2NormFormula        = scaledNorm(formula.Vector("x"), formula.Integer(1))
	StdDevFormula        = stdDev(formula.Vector("x"))
)

// scaledNorm returns 2^e·√(Σ (x_i/2^e)²/n), where 2^e is the unit in the first place of max |x_i|, so that scaling is exact and no square
// overflows; 0 if all x_i are.
func scaledNorm(x, n *formula.Expr) *formula.Expr {
	u := formula.Ufp(formula.Max(formula.Abs(x)))
	r := formula.Div(x, formula.Select(formula.Equal(u, formula.Const(0)), formula.Const(1), u))
	return formula.Mul(u, formula.Sqrt(formula.Div(formula.Sum(formula.Mul(r, r)), n)))
}

func stdDev(x *formula.Expr) *formula.Expr {
	return scaledNorm(formula.Sub(x, formula.Mean(x)), formula.Len("n"))
}

func norms() []Kernel {
	return []Kernel{
		{Name: "nn.LayerNorm", Formula: LayerNormFormula, Run: layerNorms(LayerNorm)},
		{Name: "nn.LayerNormWelford", Formula: LayerNormFormula, Run: layerNorms(LayerNormWelford)},
		{Name: "nn.RMSNorm", Formula: RMSNormFormula, Run: func(a Arrays) {
			x := a.Float32("x")
			RMSNorm(a.Float32("dst"), make([]float32, len(x)), x, a.Float32("residual"), a.Float32("gamma"), epsilon, a.Size("n"))
		}},
		{Name: "nn.RMSNormRotary", Formula: RMSNormRotaryFormula, Out: formula.Float(model.BFloat16), Run: func(a Arrays) {
			RMSNormRotary(a.Encodings("dst"), a.Float32("x"), a.Float32("gamma"), a.Float32("cos"), a.Float32("sin"), epsilon, a.Size("n"))
		}},
		{Name: "nn.L2Normalize", Formula: L2NormalizeFormula, Run: vectors(L2Normalize)},
		{Name: "nn.L2Norm", Formula: L2NormFormula, Min: oneOf("n"), Run: scalar(L2Norm)},
		{Name: "nn.StdDev", Formula: StdDevFormula, Min: oneOf("n"), Run: scalar(StdDev)},
	}
}

func layerNorms(f func(dst, x, gamma, beta []float32, eps float32, n int)) func(Arrays) {
	return func(a Arrays) {
		f(a.Float32("dst"), a.Float32("x"), a.Float32("gamma"), a.Float32("beta"), epsilon, a.Size("n"))
	}
}

// LayerNorm writes (x_i-μ)/√(σ²+eps)·gamma_i + beta_i for each row of n elements, with the row's mean μ and variance σ² in two passes; sums are those of
// kernels.SumLanes.
//
// Shape:   len(dst) = len(x), rows of n; len(gamma) = len(beta) = n. It panics otherwise.
// Domain:  eps > 0.
// Error:   the mean's, (n/8+4)·u·Σ|x_i|/n, absolute before the division, and 5 roundings and half of (n/8+4)·u relative.
// Special: an element that is not finite makes its row NaN.
// Alias:   dst may be x; it overlaps neither gamma nor beta.
// Cost:    3 passes.
func LayerNorm(dst, x, gamma, beta []float32, eps float32, n int) {
	sameLength("dst", len(dst), len(x))
	sameLength("gamma", len(gamma), n)
	sameLength("beta", len(beta), n)
	checkEpsilon(eps)
	for r := range rows(len(x), n) {
		row, out := x[r*n:][:n], dst[r*n:][:n]
		mean := kernels.SumLanes(row) / float32(n)
		for i, v := range row {
			out[i] = v - mean
		}
		scale := rsqrt(kernels.SquaresLanes(out)/float32(n) + eps)
		for i, d := range out {
			out[i] = float32(float32(d*scale)*gamma[i]) + beta[i]
		}
	}
}

// LayerNormWelford is LayerNorm with mean and variance in one pass, by Welford's recurrence, in binary64.
//
// In binary32 the recurrence is off by first-order terms of each of n updates, which the enclosure of the formula in two passes has held on
// every row that was tried, though no theorem says so; in binary64 they are far below its bound.
//
// Shape, Domain, Special, Alias: as LayerNorm's.
// Error:   3 roundings after the deviation's and the root's.
// Cost:    2 passes, one division an element.
// Source:  [Welford 1962].
func LayerNormWelford(dst, x, gamma, beta []float32, eps float32, n int) {
	sameLength("dst", len(dst), len(x))
	sameLength("gamma", len(gamma), n)
	sameLength("beta", len(beta), n)
	checkEpsilon(eps)
	for r := range rows(len(x), n) {
		row, out := x[r*n:][:n], dst[r*n:][:n]
		var mean, squares float64
		for i, v := range row {
			d := float64(v) - mean
			mean += d / float64(i+1)
			squares += float64(d * (float64(v) - mean))
		}
		scale := float32(1 / math.Sqrt(squares/float64(n)+float64(eps)))
		for i, v := range row {
			d := float32(float64(v) - mean)
			out[i] = float32(float32(d*scale)*gamma[i]) + beta[i]
		}
	}
}

func checkEpsilon(eps float32) {
	if !(eps > 0) || eps-eps != 0 {
		panic(badEpsilon(eps))
	}
}

// RMSNorm writes h = x + residual to stream, and h_i/√(Σh_j²/n+eps)·gamma_i to dst, for each row of n elements.
//
// Shape:   len(dst) = len(stream) = len(x) = len(residual), rows of n; len(gamma) = n. It panics otherwise.
// Domain:  eps > 0.
// Error:   h rounded, 4 roundings and half of (n/8+4)·u relative.
// Special: NaN makes its row NaN; an infinity makes its row 0 and itself NaN. Where squares overflow the row is 0.
// Alias:   stream may be x or residual, and dst any of them but stream; neither overlaps gamma.
// Cost:    2 passes.
func RMSNorm(dst, stream, x, residual, gamma []float32, eps float32, n int) {
	sameLength("dst", len(dst), len(x))
	sameLength("stream", len(stream), len(x))
	sameLength("residual", len(residual), len(x))
	for i, v := range x {
		stream[i] = v + residual[i]
	}
	rmsNorm(dst, stream, gamma, eps, n)
}

func rmsNorm(dst, x, gamma []float32, eps float32, n int) {
	sameLength("gamma", len(gamma), n)
	checkEpsilon(eps)
	for r := range rows(len(x), n) {
		row, out := x[r*n:][:n], dst[r*n:][:n]
		scale := rsqrt(kernels.SquaresLanes(row)/float32(n) + eps)
		for i, v := range row {
			out[i] = float32(float32(v*scale) * gamma[i])
		}
	}
}

// RMSNormRotary writes, in bfloat16, y_i·cos_i - y_(i+n/2)·sin_i to the first half of each row and y_i·cos_i + y_(i-n/2)·sin_i to the second, where y is
// x_i/√(Σx_j²/n+eps)·gamma_i: a norm of queries or keys and their rotation by position. If n is odd, half is rounded down, and the partner of i is
// (i + half) mod n.
//
// Shape:   len(dst) = len(x) = len(cos) = len(sin), rows of n; len(gamma) = n. It panics otherwise.
// Domain:  eps > 0.
// Error:   RMSNorm's, 3 roundings of a sum that may cancel, and one to bfloat16.
// Special: as RMSNorm's.
func RMSNormRotary(dst []uint16, x, gamma, cos, sin []float32, eps float32, n int) {
	sameLength("dst", len(dst), len(x))
	sameLength("cos", len(cos), len(x))
	sameLength("sin", len(sin), len(x))
	y := make([]float32, len(x))
	rmsNorm(y, x, gamma, eps, n)
	for r := range rows(len(x), n) {
		row := y[r*n:][:n]
		for i, v := range row {
			partner := row[(i+n/2)%n]
			if i < n/2 {
				partner = -partner
			}
			at := r*n + i
			dst[at] = kernels.BFloatFromFloat32(float32(v*cos[at]) + float32(partner*sin[at]))
		}
	}
}

// L2Normalize writes x_i/√Σx_j².
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   3 roundings and half of (n/8+3)·u relative, while no square overflows or underflows.
// Special: zeros alone give NaN, as 0/0 is; see L2Norm for a sum that overflows.
func L2Normalize(dst, x []float32) {
	sameLength("dst", len(dst), len(x))
	norm := sqrt(kernels.SquaresLanes(x))
	for i, v := range x {
		dst[i] = v / norm
	}
}

// L2Norm returns √Σx_i², without squares that overflow or vanish: blocks of 64 elements are multiplied by a power of two each.
//
// Error:   2 roundings and half of (n+63)·u relative.
// Special: NaN gives NaN, as an infinity does: it is divided by itself.
func L2Norm(x []float32) float32 {
	s, e := scaledSquares(x)
	return ldexp(sqrt(s), e)
}

// StdDev returns √(Σ(x_i-μ)²/n), μ the mean: deviations are squared as L2Norm squares them.
//
// Error:   that of the mean, (n/8+4)·u·Σ|x_i|/n, absolute, and 3 roundings and half of (n+63)·u relative.
// Special: an element that is not finite gives NaN, as no element does.
func StdDev(x []float32) float32 {
	mean := kernels.SumLanes(x) / float32(len(x))
	d := make([]float32, len(x))
	for i, v := range x {
		d[i] = v - mean
	}
	s, e := scaledSquares(d)
	return ldexp(sqrt(s/float32(len(x))), e)
}

// block is how many elements share a power of two in scaledSquares.
const block = 64

// scaledSquares returns s and e such that s·2^2e is Σx_i²: the largest element of each block of 64 is brought to [1/2, 1), and what the
// blocks' sums are brought to in turn is exact.
func scaledSquares(x []float32) (s float32, e int) {
	e = math.MinInt32
	for len(x) > 0 {
		b := x[:min(block, len(x))]
		x = x[len(b):]
		t, k := blockSquares(b)
		switch {
		case t == 0:
		case k > e:
			s, e = ldexp(s, 2*max(e-k, -200))+t, k
		default:
			s += ldexp(t, 2*max(k-e, -200))
		}
	}
	if s == 0 {
		return 0, 0
	}
	return s, e
}

// blockSquares returns Σx_i² as t·2^2k.
func blockSquares(x []float32) (t float32, k int) {
	var top float32
	for _, v := range x {
		top = max(top, max(v, -v))
	}
	if top == 0 {
		return 0, 0
	}
	if top-top != 0 {
		return float32(math.NaN()), 0
	}
	_, k = math.Frexp(float64(top))
	for _, v := range x {
		r := ldexp(v, -k)
		t += float32(r * r)
	}
	return t, k
}

// ldexp returns x·2^k.
func ldexp(x float32, k int) float32 { return float32(math.Ldexp(float64(x), k)) }
