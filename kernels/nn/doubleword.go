package nn

import (
	"math"

	"gamma/kernels/dd"
	"gamma/model"
	"gamma/model/formula"
)

// nearPair is a format that double words of binary32 are finer than: 26 bits, with a range that ends where the low word has no bits left to lose.
//
// Every operation of package dd errs by at most 15u²+56u³ of its result, u = 2^-24, and some η = 2^-150, which is far less than half an ulp of this format:
// 2^-27 of the result, 2^-146 below 2^-120. Formats of more than 26 bits are not judged.
var nearPair = model.Format{Name: "26 bits", P: 26, Emin: -120, Emax: 127, ExpBits: 8, MaxFinite: 1<<26 - 1, HasInf: true}

// inPairs is the order of sums of double words: the error of n additions, 3(n-1)·u²·Σ|x_i| at most, and that of dot products, (2n-1)·2u²(1+2v)·Σ|x_i·y_i|, is
// less than that of two additions of 26 bits, ((1+v')²-1)·Σ|x_i| > 2^-25.1·Σ|x_i|, while n <= 2^20.
//
// Source: [Gamma W1], [Gamma W2]; [MR 2022] for sums of one sign.
var inPairs = formula.Order{Block: 1 << 20, Extra: 1}

// pairwise returns e with its sums as accurate as those of double words.
func pairwise(e *formula.Expr) *formula.Expr {
	return e.Replace(func(e *formula.Expr) *formula.Expr {
		if op := e.Node().Op; op == formula.OpSum || op == formula.OpDot {
			return e.Ordered(inPairs)
		}
		return nil
	})
}

// pairs is what double words promise: a quotient, a root or an exponential may miss a number of 26 bits that it could hit, by less than half an ulp.
var pairs = formula.Claim{
	Format: nearPair,
	Functions: formula.Accuracy{Name: "double words"}.
		With(formula.OpDiv, formula.Promise{Ulps: 0.5}).
		With(formula.OpSqrt, formula.Promise{Ulps: 0.5}).
		With(formula.OpRsqrt, formula.Promise{Ulps: 0.5}).
		With(formula.OpExp, formula.Promise{Ulps: 0.5, InRange: true}),
}

// DoubleWord returns the layers of package dd for binary32 numbers: each operation is more accurate than one of 26 bits, and results are rounded to binary32
// once. Their names end in 32: dd.Sums has kernels without. Their own theorems are tighter, and kernels that add are also judged by these: see dd.Sums.
func DoubleWord() []Kernel {
	x, w, n := formula.Vector("x"), formula.Matrix("w", "m", "n"), formula.Len("n")
	d := formula.Sub(x, formula.Mean(x))
	squares := formula.Sum(formula.Mul(d, d))
	const eps = float64(float32(epsilon))
	list := []Kernel{
		{Name: "dd.Mean32", Formula: formula.Mean(x), Min: oneOf("n"), Run: scalar(dd.Mean[float32])},
		{Name: "dd.Variance32", Formula: formula.Variance(x), Min: oneOf("n"), Run: scalar(dd.Variance[float32])},
		{Name: "dd.SampleVariance32", Formula: formula.Div(squares, formula.Sub(n, formula.Integer(1))), Min: map[string]int{"n": 2}, Run: scalar(dd.SampleVariance[float32])},
		{Name: "dd.Softmax32", Formula: SoftmaxFormula, InPlace: []string{"x"}, Run: vectors(dd.Softmax[float32])},
		{Name: "dd.LayerNorm32", Formula: formula.LayerNorm(x, formula.Vector("gamma"), formula.Vector("beta"), formula.Const(eps)), Run: func(a Arrays) {
			dd.LayerNorm(a.Float32("dst"), a.Float32("x"), a.Float32("gamma"), a.Float32("beta"), epsilon)
		}},
		{Name: "dd.Linear32", Formula: formula.Add(formula.Dot(w, x, "n"), formula.Input("bias", formula.Float(model.Binary32), "m")), Run: func(a Arrays) {
			dd.Linear(a.Float32("dst"), a.Float32("w"), a.Float32("x"), a.Float32("bias"))
		}},
		{Name: "dd.MatMul32", Formula: MatMulFormula, Run: func(a Arrays) {
			dd.MatMul(a.Float32("dst"), a.Float32("a"), a.Float32("b"), a.Size("m"), a.Size("k"), a.Size("n"))
		}},
	}
	for i := range list {
		k := &list[i]
		k.Formula, k.Claim, k.Out = pairwise(k.Formula), pairs, formula.Float(model.Binary32)
	}
	return list
}

// pairs64 returns layers of package dd for binary64 numbers. Sums and dot products keep to their theorems: the exact value, off by a few u² of the terms' magnitudes,
// u = 2^-53, is rounded once. Of the others it is claimed that each operation is in binary64 or finer.
//
// Source: [Gamma W2], [Gamma W3]: before its rounding a mean is off by (3+n-2)u²·Σ|x_i|/n + η, and w·x + b by (2n-1)u²((1+2v)·Σ|w_i·x_i| + |b|) + n(1+…)η, where
// n < 2^52, and η = 2^-1075.
func pairs64() []Kernel {
	x, w, bias, n := formula.Vector("x"), formula.Matrix("w", "m", "n"), formula.Input("bias", formula.Float(model.Binary64), "m"), formula.Len("n")
	within := func(times, size, terms *formula.Expr) formula.Claim {
		squared, least := formula.Const(0x1p-106), formula.Const(math.SmallestNonzeroFloat64)
		return formula.Claim{Finite: true, Within: formula.Add(formula.Mul(squared, formula.Mul(times, size)), formula.Mul(terms, least))}
	}
	dot := func(a, b *formula.Expr, axis string, more func(*formula.Expr) *formula.Expr) formula.Claim {
		n := formula.Len(axis)
		return within(formula.Add(formula.Add(n, n), formula.Integer(1)), more(formula.Dot(formula.Abs(a), formula.Abs(b), axis)), n)
	}
	a, b := formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n")
	return []Kernel{
		{
			Name: "dd.MeanRounded64", Formula: formula.Mean(x), Min: oneOf("n"), Run: func(a Arrays) { a.Float64("dst")[0] = dd.Mean(a.Float64("x")) },
			Claim: within(formula.Div(formula.Add(n, formula.Integer(3)), n), formula.Sum(formula.Abs(x)), formula.Integer(1)),
		},
		{
			Name: "dd.Linear64", Formula: formula.Add(formula.Dot(w, x, "n"), bias), Run: func(a Arrays) {
				dd.Linear(a.Float64("dst"), a.Float64("w"), a.Float64("x"), a.Float64("bias"))
			},
			Claim: dot(w, x, "n", func(e *formula.Expr) *formula.Expr { return formula.Add(e, formula.Abs(bias)) }),
		},
		{
			Name: "dd.MatMul64", Formula: MatMulFormula, Run: func(a Arrays) {
				dd.MatMul(a.Float64("dst"), a.Float64("a"), a.Float64("b"), a.Size("m"), a.Size("k"), a.Size("n"))
			},
			Claim: dot(a, b, "k", func(e *formula.Expr) *formula.Expr { return e }),
		},
		{Name: "dd.Variance64", Formula: formula.Variance(x), Min: oneOf("n"), Run: func(a Arrays) { a.Float64("dst")[0] = dd.Variance(a.Float64("x")) }},
		{Name: "dd.Softmax64", Formula: SoftmaxFormula, Run: func(a Arrays) { dd.Softmax(a.Float64("dst"), a.Float64("x")) }},
		{Name: "dd.LayerNorm64", Formula: formula.LayerNorm(x, formula.Vector("gamma"), formula.Vector("beta"), formula.Const(epsilon)), Run: func(a Arrays) {
			dd.LayerNorm(a.Float64("dst"), a.Float64("x"), a.Float64("gamma"), a.Float64("beta"), epsilon)
		}},
	}
}
