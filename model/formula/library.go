package formula

import (
	"math"
	"slices"

	"gamma/model"
)

// Scalar returns an input of one binary32 number.
func Scalar(name string) *Expr { return Input(name, Float(model.Binary32)) }

// Vector returns an input of n binary32 numbers, along an axis called n.
func Vector(name string) *Expr { return Input(name, Float(model.Binary32), "n") }

// Matrix returns an input of binary32 numbers with two axes, slowest first.
func Matrix(name, rows, columns string) *Expr {
	return Input(name, Float(model.Binary32), rows, columns)
}

// along returns axes, or the last axis of x if none is named.
func along(x *Expr, axes []string) []string {
	if len(axes) == 0 && x.Err() == nil && len(x.axes) > 0 {
		return x.axes[len(x.axes)-1:]
	}
	return axes
}

// elements returns how many elements the axes have together.
func elements(axes []string) *Expr {
	n := Integer(1)
	for i, a := range axes {
		if n = Mul(n, Len(a)); i == 0 {
			n = Len(a)
		}
	}
	return n
}

// Softmax returns e^(x_i - m)/Σ_j e^(x_j - m), m = max_j x_j, along axes, x's last if none is named.
func Softmax(x *Expr, axes ...string) *Expr {
	axes = along(x, axes)
	e := Exp(Sub(x, Max(x, axes...)))
	return Div(e, Sum(e, axes...))
}

// SoftmaxExp2 is Softmax by powers of two, 2^((x_i - m)·log2(e)): an alternative for Claim.AnyOf, since the product's rounding counts
// |x_i - m| times.
func SoftmaxExp2(x *Expr, axes ...string) *Expr {
	axes = along(x, axes)
	e := Exp2(Mul(Sub(x, Max(x, axes...)), Const(math.Log2E)))
	return Div(e, Sum(e, axes...))
}

// LogSoftmax returns x_i - m - ln(Σ_j e^(x_j - m)), m = max_j x_j, along axes, x's last if none is named.
func LogSoftmax(x *Expr, axes ...string) *Expr {
	axes = along(x, axes)
	d := Sub(x, Max(x, axes...))
	return Sub(d, Log(Sum(Exp(d), axes...)))
}

// LogSumExp returns m + ln(Σ_j e^(x_j - m)), m = max_j x_j, along axes, x's last if none is named.
func LogSumExp(x *Expr, axes ...string) *Expr {
	axes = along(x, axes)
	m := Max(x, axes...)
	return Add(m, Log(Sum(Exp(Sub(x, m)), axes...)))
}

// CrossEntropy returns LogSumExp(x) - x[label] for each row: the loss of a row of logits x, along axis, whose right class is label, an
// integer; +∞ if there is no such class. Its mean is another step: Mean.
func CrossEntropy(x, label *Expr, axis string) *Expr {
	return Sub(LogSumExp(x, axis), Gather(x, axis, label, Const(math.Inf(-1))))
}

// Mean returns (Σ x_i)/n along axes, x's last if none is named.
func Mean(x *Expr, axes ...string) *Expr {
	axes = along(x, axes)
	return Div(Sum(x, axes...), elements(axes))
}

// square returns x·x, x computed once.
func square(x *Expr) *Expr { return Mul(x, x) }

// Variance returns (Σ (x_i - μ)²)/n, μ the mean, along axes, x's last if none is named: that of a population, in two passes.
func Variance(x *Expr, axes ...string) *Expr {
	axes = along(x, axes)
	return Mean(square(Sub(x, Mean(x, axes...))), axes...)
}

// VarianceOnePass returns (Σ x_i²)/n - μ², which equals Variance but for rounding, and may be negative with it.
func VarianceOnePass(x *Expr, axes ...string) *Expr {
	axes = along(x, axes)
	return Sub(Mean(square(x), axes...), square(Mean(x, axes...)))
}

// Normalize returns d·(1/√(variance + eps))·gamma + beta, where d is x less its mean. A promise of 1.5 ulp or more for rsqrt, as in
// Published, also covers a division by the rounded root, and a product with the rounded reciprocal of it.
func Normalize(d, variance, gamma, beta, eps *Expr) *Expr {
	return Add(Mul(Mul(d, Rsqrt(Add(variance, eps))), gamma), beta)
}

// LayerNorm returns (x_i - μ)/√(σ² + eps)·gamma_i + beta_i along axes, x's last if none is named, with the mean μ and the variance σ²
// in two passes.
func LayerNorm(x, gamma, beta, eps *Expr, axes ...string) *Expr {
	axes = along(x, axes)
	d := Sub(x, Mean(x, axes...))
	return Normalize(d, Mean(square(d), axes...), gamma, beta, eps)
}

// RMSNorm returns x_i/√((Σ x_j²)/n + eps)·gamma_i along axes, x's last if none is named.
func RMSNorm(x, gamma, eps *Expr, axes ...string) *Expr {
	axes = along(x, axes)
	return Mul(Mul(x, Rsqrt(Add(Mean(square(x), axes...), eps))), gamma)
}

// L2Norm returns √(Σ x_i²) along axes, x's last if none is named.
func L2Norm(x *Expr, axes ...string) *Expr {
	return Sqrt(Sum(square(x), along(x, axes)...))
}

// ReLU returns max(x, 0).
func ReLU(x *Expr) *Expr { return Maximum(x, Const(0)) }

// LeakyReLU returns x where x > 0, and slope·x elsewhere.
func LeakyReLU(x, slope *Expr) *Expr { return Select(Less(Const(0), x), x, Mul(slope, x)) }

// ELU returns x where x > 0, and alpha·(e^x - 1) elsewhere.
func ELU(x, alpha *Expr) *Expr { return Select(Less(Const(0), x), x, Mul(alpha, Expm1(x))) }

// Sigmoid returns 1/(1 + e^-x).
func Sigmoid(x *Expr) *Expr { return Div(Const(1), Add(Const(1), Exp(Neg(x)))) }

// SiLU returns x·Sigmoid(x).
func SiLU(x *Expr) *Expr { return Mul(x, Sigmoid(x)) }

// GELU returns x/2·(1 + erf(x/√2)).
func GELU(x *Expr) *Expr {
	return Mul(Mul(Const(0.5), x), Add(Const(1), Erf(Mul(x, Const(math.Sqrt2/2)))))
}

// GELUTanh returns x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), which differs from GELU by up to 5·10^-4.
func GELUTanh(x *Expr) *Expr {
	cubic := Add(x, Mul(Const(0.044715), Mul(square(x), x)))
	return Mul(Mul(Const(0.5), x), Add(Const(1), Tanh(Mul(Const(math.Sqrt2/math.SqrtPi), cubic))))
}

// MatMul returns Σ a·b along one axis that both have: a[m, k] and b[k, n] give [m, n]. Further axes that both have are batches.
func MatMul(a, b *Expr, axis string) *Expr {
	for i, e := range []*Expr{a, b} {
		if e.Err() == nil && !slices.Contains(e.axes, axis) {
			return wrong(Node{Op: OpDot, Args: []*Expr{a, b}}, "operand %d of MatMul has no axis %s; it has %v", i+1, axis, e.axes)
		}
	}
	return Dot(a, b, axis)
}

// GEMM returns alpha·(Σ a·b) + beta·c along axis.
func GEMM(alpha, a, b, beta, c *Expr, axis string) *Expr {
	return Add(Mul(alpha, MatMul(a, b, axis)), Mul(beta, c))
}

// GEMV returns Σ a·x along the axis of the vector x: a[m, k] and x[k] give [m].
func GEMV(a, x *Expr) *Expr {
	switch {
	case x.Err() != nil:
		return Mul(a, x)
	case len(x.axes) != 1:
		return wrong(Node{Op: OpDot, Args: []*Expr{a, x}}, "the vector of GEMV has one axis, not %v", x.axes)
	}
	return MatMul(a, x, x.axes[0])
}

// Attention returns Σ_s p[t, s]·v[s, e], p the Softmax along s of scale·Σ_d q[t, d]·k[s, d]. The last two axes of q and k are those of
// t and d, of s and d; v has s and e; further axes, such as heads, are batches. If it is causal, the scores where s > t are -∞ and the values there 0, so that
// neither matters, NaN or not.
func Attention(q, k, v, scale *Expr, causal bool) *Expr {
	for _, e := range []*Expr{q, k} {
		if e.Err() == nil && len(e.axes) < 2 {
			return wrong(Node{Op: OpDot, Args: []*Expr{q, k}}, "the queries and keys of Attention have two axes or more, not %v", e.axes)
		}
	}
	if q.Err() != nil || k.Err() != nil {
		return Dot(q, k, "d")
	}
	depth, time, source := q.axes[len(q.axes)-1], q.axes[len(q.axes)-2], k.axes[len(k.axes)-2]
	if time == source {
		return wrong(Node{Op: OpDot, Args: []*Expr{q, k}}, "queries and keys both have the axis %s before their last; rename one", time)
	}
	scores := Mul(MatMul(q, k, depth), scale)
	if !causal || v.Err() != nil {
		return MatMul(Softmax(scores, source), v, source)
	}
	later := Less(Index(time), Index(source))
	p := Softmax(Select(later, Const(math.Inf(-1)), scores), source)
	return InOrder(MatMul(p, Select(later, zero(v), v), source), MatMul(p, v, source).Axes()...)
}

// Rotary returns x rotated by position: x_i·cos_i + r_i·sin_i along axis, of size n, where r_i = -x_(i+n/2) in the first half, and
// x_(i-n/2) in the second. What cos and sin are is the kernel's to say: an input, or a formula.
func Rotary(x, cos, sin *Expr, axis string) *Expr {
	half := Quo(Len(axis), Integer(2))
	turned := Gather(x, axis, Mod(Add(Index(axis), half), Len(axis)), Const(0))
	signed := Select(Less(Index(axis), half), Neg(turned), turned)
	return Add(Mul(x, cos), Mul(signed, sin))
}

// DepthwiseConv returns Σ_j x[i + j - before]·w[j] along axis for each of the other axes, such as a channel that x and w both have,
// with x = 0 beyond its ends; j goes along tap, an axis of w. A causal one has before = (size of tap) - 1.
func DepthwiseConv(x, w *Expr, axis, tap string, before int) *Expr {
	at := Sub(Add(Index(axis), Index(tap)), Integer(int64(before)))
	return MatMul(Gather(x, axis, at, zero(x)), w, tap)
}

// Conv2D returns Σ x[i + r - pad, j + s - pad, c]·w[r, s, c, o] over r, s and c, with x = 0 beyond its edges, and as many rows and columns
// as x has. The last three axes of x are rows, columns and channels; w has four: its own rows and columns, channels, and those of the
// result, [rows, columns, o]. Further axes of x are batches.
func Conv2D(x, w *Expr, pad int) *Expr {
	if x.Err() != nil || w.Err() != nil {
		return Mul(x, w)
	}
	n := len(x.axes)
	if n < 3 || len(w.axes) != 4 || x.axes[n-1] != w.axes[2] {
		return wrong(Node{Op: OpDot, Args: []*Expr{x, w}}, "Conv2D takes an image [.., rows, columns, channels] and a kernel [r, s, channels, o], not %v and %v", x.axes, w.axes)
	}
	window := x
	for i, axis := range x.axes[n-3 : n-1] {
		at := Sub(Add(Index(axis), Index(w.axes[i])), Integer(int64(pad)))
		window = Gather(window, axis, at, zero(x))
	}
	return Dot(window, w, w.axes[0], w.axes[1], w.axes[2])
}

// CumSum returns the sums of x's first 1, 2, … elements along axis, x's last if none is named. It is ScanSum.
func CumSum(x *Expr, axis ...string) *Expr { return ScanSum(x, axis...) }

// greatest returns the greatest number of a type.
func greatest(t Type) float64 {
	if t.Int {
		_, hi := t.Range()
		return hi
	}
	return math.Ldexp(float64(t.Float.MaxFinite), t.Float.Emax-t.Float.P+1)
}

// QuantizeRows returns x in a narrow type t, such as Int(8) or Float(model.E4M3), and the scale of each row along axis:
//
//	scale = max(max_j |x_j|, least)/g    q_i = x_i/scale, rounded to t, and saturated
//
// where g is the greatest number of t. A least above 0 keeps rows of zeros from being divided by 0.
func QuantizeRows(x *Expr, t Type, least float64, axis string) (q, scale *Expr) {
	scale = scaleOf(x, t, least, axis)
	return Store(Div(x, scale), t, Saturate), scale
}

func scaleOf(x *Expr, t Type, least float64, axis string) *Expr {
	return Div(Maximum(Max(Abs(x), axis), Const(least)), Const(greatest(t)))
}

// QuantizeGroups is QuantizeRows for each group of so many elements along axis: the scales lie along a new axis called groups.
func QuantizeGroups(x *Expr, t Type, least float64, axis, groups string, size int) (q, scale *Expr) {
	scale = scaleOf(SplitAxis(x, axis, groups, axis+"_in_"+groups, size), t, least, axis+"_in_"+groups)
	return Store(Div(x, scaleAt(scale, axis, groups, size)), t, Saturate), scale
}

// scaleAt returns the scale of each element along axis.
func scaleAt(scale *Expr, axis, groups string, size int) *Expr {
	return Gather(scale, groups, Quo(Index(axis), Integer(int64(size))), Const(0))
}

// Dequantize returns q·scale: what QuantizeRows gave, as real numbers.
func Dequantize(q, scale *Expr) *Expr { return Mul(q, scale) }

// DequantizeGroups returns q·scale, where the scale is that of the element's group along axis.
func DequantizeGroups(q, scale *Expr, axis, groups string, size int) *Expr {
	return Mul(q, scaleAt(scale, axis, groups, size))
}

// QuantizedMatMul returns (Σ a·b)·scaleA·scaleB along axis, for integers a and b: the sum is exact, and wraps in an accumulator of 32
// bits if it is beyond.
func QuantizedMatMul(a, b, scaleA, scaleB *Expr, axis string) *Expr {
	return Mul(Mul(Store(MatMul(a, b, axis), Int(32), Wrap), scaleA), scaleB)
}
