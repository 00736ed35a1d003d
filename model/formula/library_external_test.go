package formula_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

func f32(name string, axes ...string) *formula.Expr {
	return formula.Input(name, formula.Float(model.Binary32), axes...)
}

func first(q, _ *formula.Expr) *formula.Expr { return q }
func other(_, s *formula.Expr) *formula.Expr { return s }

// entry is a formula of the library with its text.
type entry struct {
	e    *formula.Expr
	text string
}

// library is a formula for each helper of the package.
func library() map[string]entry {
	all := rows()
	maps.Copy(all, products())
	maps.Copy(all, moves())
	return all
}

// rows is what works on rows, or element by element.
func rows() map[string]entry {
	x, xs := f32("x", "m", "n"), "x binary32[m, n]\n"
	gamma, beta, eps := f32("gamma", "n"), f32("beta", "n"), formula.Const(1e-5)
	label := formula.Input("label", formula.Int(32), "m")
	return map[string]entry{
		"Scalar":      {formula.Scalar("x"), "x binary32\nresult x\n"},
		"Vector":      {formula.Vector("x"), "x binary32[n]\nresult x\n"},
		"Matrix":      {formula.Matrix("x", "m", "n"), xs + "result x\n"},
		"Softmax":     {formula.Softmax(x), xs + "t1 = exp(sub(x, max(x, n)))\nresult div(t1, sum(t1, n))\n"},
		"SoftmaxAxis": {formula.Softmax(x, "m"), xs + "t1 = exp(sub(x, max(x, m)))\nresult div(t1, sum(t1, m))\n"},
		"SoftmaxExp2": {formula.SoftmaxExp2(x), xs + "t1 = exp2(mul(sub(x, max(x, n)), 1.4426950408889634))\nresult div(t1, sum(t1, n))\n"},
		"LogSoftmax":  {formula.LogSoftmax(x), xs + "t1 = sub(x, max(x, n))\nresult sub(t1, log(sum(exp(t1), n)))\n"},
		"LogSumExp":   {formula.LogSumExp(x), xs + "t1 = max(x, n)\nresult add(t1, log(sum(exp(sub(x, t1)), n)))\n"},
		"CrossEntropy": {
			formula.CrossEntropy(x, label, "n"), xs + "label int32[m]\nt1 = max(x, n)\n" +
				"result sub(add(t1, log(sum(exp(sub(x, t1)), n))), gather(x, label, -inf, n))\n",
		},
		"Mean":            {formula.Mean(x), xs + "result div(sum(x, n), len(n))\n"},
		"MeanOfAll":       {formula.Mean(x, "m", "n"), xs + "result div(sum(x, m, n), mul(len(m), len(n)))\n"},
		"Variance":        {formula.Variance(x), xs + "t1 = sub(x, div(sum(x, n), len(n)))\nresult div(sum(mul(t1, t1), n), len(n))\n"},
		"VarianceOnePass": {formula.VarianceOnePass(x), xs + "t1 = div(sum(x, n), len(n))\nresult sub(div(sum(mul(x, x), n), len(n)), mul(t1, t1))\n"},
		"LayerNorm": {
			formula.LayerNorm(x, gamma, beta, eps), xs + "gamma binary32[n]\nbeta binary32[n]\nt1 = sub(x, div(sum(x, n), len(n)))\n" +
				"result add(mul(mul(t1, rsqrt(add(div(sum(mul(t1, t1), n), len(n)), 1e-05))), gamma), beta)\n",
		},
		"RMSNorm": {
			formula.RMSNorm(x, gamma, eps), xs + "gamma binary32[n]\n" +
				"result mul(mul(x, rsqrt(add(div(sum(mul(x, x), n), len(n)), 1e-05))), gamma)\n",
		},
		"L2Norm":    {formula.L2Norm(x), xs + "result sqrt(sum(mul(x, x), n))\n"},
		"ReLU":      {formula.ReLU(x), xs + "result maximum(x, 0.0)\n"},
		"LeakyReLU": {formula.LeakyReLU(x, formula.Const(0.01)), xs + "result select(less(0.0, x), x, mul(0.01, x))\n"},
		"ELU":       {formula.ELU(x, formula.Const(1)), xs + "result select(less(0.0, x), x, mul(1.0, expm1(x)))\n"},
		"Sigmoid":   {formula.Sigmoid(x), xs + "result div(1.0, add(1.0, exp(neg(x))))\n"},
		"SiLU":      {formula.SiLU(x), xs + "result mul(x, div(1.0, add(1.0, exp(neg(x)))))\n"},
		"GELU":      {formula.GELU(x), xs + "result mul(mul(0.5, x), add(1.0, erf(mul(x, 0.7071067811865476))))\n"},
		"GELUTanh": {
			formula.GELUTanh(x), xs +
				"result mul(mul(0.5, x), add(1.0, tanh(mul(0.7978845608028654, add(x, mul(0.044715, mul(mul(x, x), x)))))))\n",
		},
	}
}

// products is matrix products, attention and convolutions.
func products() map[string]entry {
	x, xs := f32("x", "m", "n"), "x binary32[m, n]\n"
	a, b, c := f32("a", "m", "k"), f32("b", "k", "n"), f32("c", "m", "n")
	ab := "a binary32[m, k]\nb binary32[k, n]\n"
	q, k, v := f32("q", "h", "t", "d"), f32("k", "h", "s", "d"), f32("v", "h", "s", "e")
	qkv := "q binary32[h, t, d]\nk binary32[h, s, d]\nv binary32[h, s, e]\n"
	return map[string]entry{
		"MatMul": {formula.MatMul(a, b, "k"), ab + "result dot(a, b, k)\n"},
		"GEMM": {
			formula.GEMM(formula.Scalar("alpha"), a, b, formula.Scalar("beta"), c, "k"),
			"alpha binary32\n" + ab + "beta binary32\nc binary32[m, n]\nresult add(mul(alpha, dot(a, b, k)), mul(beta, c))\n",
		},
		"GEMV": {formula.GEMV(a, f32("x", "k")), "a binary32[m, k]\nx binary32[k]\nresult dot(a, x, k)\n"},
		"Attention": {
			formula.Attention(q, k, v, formula.Const(0.125), false), qkv + "t1 = mul(dot(q, k, d), 0.125)\n" +
				"t2 = exp(sub(t1, max(t1, s)))\nresult dot(div(t2, sum(t2, s)), v, s)\n",
		},
		"AttentionCausal": {
			formula.Attention(q, k, v, formula.Scalar("scale"), true),
			"q binary32[h, t, d]\nk binary32[h, s, d]\nscale binary32\nv binary32[h, s, e]\n" +
				"t1 = less(index(t), index(s))\nt2 = select(t1, -inf, mul(dot(q, k, d), scale))\n" +
				"t3 = exp(sub(t2, max(t2, s)))\nresult order(dot(div(t3, sum(t3, s)), select(t1, 0.0, v), s), h, t, e)\n",
		},
		"Rotary": {
			formula.Rotary(x, f32("c", "m", "n"), f32("s", "m", "n"), "n"), xs + "c binary32[m, n]\ns binary32[m, n]\nt1 = quo(len(n), 2)\n" +
				"t2 = gather(x, mod(add(index(n), t1), len(n)), 0.0, n)\n" +
				"result add(mul(x, c), mul(select(less(index(n), t1), neg(t2), t2), s))\n",
		},
		"DepthwiseConv": {
			formula.DepthwiseConv(f32("x", "t", "c"), f32("w", "j", "c"), "t", "j", 3),
			"x binary32[t, c]\nw binary32[j, c]\nresult dot(gather(x, sub(add(index(t), index(j)), 3), 0.0, t), w, j)\n",
		},
		"Conv2D": {
			formula.Conv2D(f32("x", "b", "h", "w", "c"), f32("f", "r", "s", "c", "o"), 1),
			"x binary32[b, h, w, c]\nf binary32[r, s, c, o]\n" +
				"result dot(gather(gather(x, sub(add(index(h), index(r)), 1), 0.0, h), sub(add(index(w), index(s)), 1), 0.0, w), f, r, s, c)\n",
		},
	}
}

// moves is scans, quantisation, and what moves elements.
func moves() map[string]entry {
	x, xs := f32("x", "m", "n"), "x binary32[m, n]\n"
	int8s := func(name string, axes ...string) *formula.Expr { return formula.Input(name, formula.Int(8), axes...) }
	e4m3 := formula.Float(model.E4M3)
	return map[string]entry{
		"CumSum":       {formula.CumSum(x), xs + "result scansum(x, n)\n"},
		"QuantizeRows": {first(formula.QuantizeRows(x, formula.Int(8), 1e-12, "n")), xs + "result store(div(x, div(maximum(max(abs(x), n), 1e-12), 127.0)), int8; saturate)\n"},
		"QuantizeRowsFP8": {
			other(formula.QuantizeRows(x, e4m3, 1e-12, "n")), xs + "result div(maximum(max(abs(x), n), 1e-12), 448.0)\n",
		},
		"QuantizeGroups": {
			first(formula.QuantizeGroups(x, formula.Int(8), 1e-12, "n", "g", 32)), xs +
				"t1 = gather(div(maximum(max(abs(gather(x, add(mul(index(quo(add(len(n), 31), 32), g), 32), index(32, n_in_g)), 0.0, n)), " +
				"n_in_g), 1e-12), 127.0), quo(index(n), 32), 0.0, g)\nresult store(div(x, t1), int8; saturate)\n",
		},
		"Dequantize": {formula.Dequantize(int8s("q", "m", "n"), f32("s", "m")), "q int8[m, n]\ns binary32[m]\nresult mul(q, s)\n"},
		"DequantizeGroups": {
			formula.DequantizeGroups(int8s("q", "m", "n"), f32("s", "m", "g"), "n", "g", 32),
			"q int8[m, n]\ns binary32[m, g]\nresult mul(q, gather(s, quo(index(n), 32), 0.0, g))\n",
		},
		"QuantizedMatMul": {
			formula.QuantizedMatMul(int8s("a", "m", "k"), int8s("b", "k", "n"), f32("sa", "m"), f32("sb", "n"), "k"),
			"a int8[m, k]\nb int8[k, n]\nsa binary32[m]\nsb binary32[n]\nresult mul(mul(store(dot(a, b, k), int32; wrap), sa), sb)\n",
		},
		"Slice":     {formula.Slice(x, "n", "j", formula.Integer(2), formula.Integer(5)), xs + "result gather(x, add(index(5, j), 2), 0.0, n)\n"},
		"Pad":       {formula.Pad(x, "n", "j", 1, 2, formula.Const(7)), xs + "result gather(x, sub(index(add(len(n), 3), j), 1), 7.0, n)\n"},
		"Shift":     {formula.Shift(x, "n", -1, formula.Const(0)), xs + "result gather(x, sub(index(n), -1), 0.0, n)\n"},
		"Reverse":   {formula.Reverse(x, "n"), xs + "result gather(x, sub(sub(len(n), 1), index(n)), 0.0, n)\n"},
		"SplitAxis": {formula.SplitAxis(x, "n", "g", "j", 4), xs + "result gather(x, add(mul(index(quo(add(len(n), 3), 4), g), 4), index(4, j)), 0.0, n)\n"},
		"JoinAxes": {
			formula.JoinAxes(x, "m", "n", formula.IndexOf("k", formula.Mul(formula.Len("m"), formula.Len("n")))), xs +
				"t1 = index(mul(len(m), len(n)), k)\nresult gather(gather(x, quo(t1, len(n)), 0.0, m), mod(t1, len(n)), 0.0, n)\n",
		},
	}
}

// TestLibrary holds each helper to its formula, which reads as its doc comment does.
func TestLibrary(t *testing.T) {
	for name, l := range library() {
		require.NoError(t, l.e.Err(), name)
		require.Equal(t, l.text, formula.Print(l.e), name)
	}
}

// TestFills: beyond its ends an array holds 0 or false, of its own type.
func TestFills(t *testing.T) {
	for name, want := range map[string]string{
		"int8": "gather(x, sub(sub(len(n), 1), index(n)), 0, n)",
		"bool": "gather(x, sub(sub(len(n), 1), index(n)), less(0, 0), n)",
		"e4m3": "gather(x, sub(sub(len(n), 1), index(n)), 0.0, n)",
	} {
		typ, err := formula.TypeByName(name)
		require.NoError(t, err)
		e := formula.Reverse(formula.Input("x", typ, "n"), "n")
		require.NoError(t, e.Err())
		require.Equal(t, want, e.String())
		require.Equal(t, typ, e.Type())
	}
}

func TestShapes(t *testing.T) {
	for name, want := range map[string]string{
		"Softmax": "real[m n]", "LogSumExp": "real[m]", "CrossEntropy": "real[m]", "MeanOfAll": "real[]", "MatMul": "real[m n]", "GEMV": "real[m]",
		"Attention": "real[h t e]", "AttentionCausal": "real[h t e]", "Conv2D": "real[b h w o]", "DepthwiseConv": "real[t c]",
		"QuantizeRows": "int8[m n]", "QuantizeRowsFP8": "real[m]", "QuantizeGroups": "int8[m n]", "DequantizeGroups": "real[m n]", "Slice": "binary32[m j]",
		"Pad": "binary32[m j]", "SplitAxis": "binary32[m g j]", "JoinAxes": "binary32[k]", "Reverse": "binary32[m n]", "CumSum": "real[m n]",
	} {
		e := library()[name].e
		require.Equal(t, want, e.Type().String()+axes(e), name)
	}
}

// TestHelpersReportMistakes: what is wrong with an operand is said of the helper that was called with it, at the place of the call.
func TestHelpersReportMistakes(t *testing.T) {
	x := f32("x", "m", "n")
	for _, c := range []struct {
		e    *formula.Expr
		want string
	}{
		{formula.Softmax(formula.Scalar("x")), "max: its operand has no axis"},
		{formula.Softmax(x, "k"), "max: its operand has no axis k; it has [m n]"},
		{formula.Mean(formula.Scalar("x")), "sum: its operand has no axis"},
		{formula.MatMul(x, f32("b", "k"), "n"), "dot: operand 2 of MatMul has no axis n; it has [k]"},
		{formula.GEMV(x, x), "dot: the vector of GEMV has one axis, not [m n]"},
		{formula.Attention(f32("q", "d"), x, x, formula.Const(1), false), "two axes or more, not [d]"},
		{formula.Attention(x, f32("k", "m", "n"), x, formula.Const(1), false), "both have the axis m before their last; rename one"},
		{formula.Conv2D(x, x, 0), "Conv2D takes an image [.., rows, columns, channels]"},
		{formula.SplitAxis(x, "n", "g", "j", 0), "groups of 1 or more elements, not of 0"},
		{formula.Slice(x, "k", "j", formula.Integer(0), formula.Integer(1)), "gather: its operand has no axis k; it has [m n]"},
		{formula.Slice(x, "n", "j", formula.Integer(0), formula.Const(1)), "index: the size of axis j is real[], and has to be an integer scalar"},
		{formula.CrossEntropy(x, x, "n"), "gather: its index is binary32, and has to be an integer"},
		{formula.Attention(nil, x, x, x, true), "operand 1 is nil"},
		{formula.Conv2D(nil, x, 0), "operand 1 is nil"},
		{formula.GEMV(x, nil), "operand 2 is nil"},
		{formula.Softmax(nil), "operand 1 is nil"},
		{formula.Reverse(nil, "n"), "operand 1 is nil"},
	} {
		require.ErrorContains(t, c.e.Err(), c.want)
		require.ErrorContains(t, c.e.Err(), "library_external_test.go:")
	}
}
