package main

import (
	"math"

	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/props/judge"
	"gamma/sumtree"
)

// ulps claims so many of the exact result, of each function that a formula has.
func ulps(f model.Format, n float64, ops ...formula.Op) formula.Claim {
	a := formula.Accuracy{Name: "as stated"}
	for _, op := range ops {
		a = a.With(op, formula.Promise{Ulps: n})
	}
	return formula.Claim{Format: f, Functions: a}
}

func array16(name string, axes ...string) *formula.Expr {
	return formula.Input(name, formula.Float(model.Binary16), axes...)
}

func arrayB16(name string, axes ...string) *formula.Expr {
	return formula.Input(name, formula.Float(model.BFloat16), axes...)
}

var ordered = formula.Order{Left: true}

// pairwiseHeight is the height of NumPy's tree: of 128 numbers in eight lanes fifteen additions and three, and one for each time that a range is halved.
func pairwiseHeight(n int) int {
	h := 18
	for n > 128 {
		n, h = (n+15)/16*8, h+1 // the greater half is at most a multiple of 8 above it
	}
	return h
}

// buffer is how many numbers NumPy hands to its inner loop at once (numpy.getbufsize).
const buffer = 8192

// buffered is the tree by which numpy.sum adds n numbers: the pairwise tree of each buffer, added to what came before.
func buffered(n int) *sumtree.Tree { return inBuffers(n, false) }

// buffered16 is buffered for numbers of binary16, which are added in binary32: what is kept from one buffer to the next is rounded to binary16.
func buffered16(n int) *sumtree.Tree { return inBuffers(n, true) }

func inBuffers(n int, half bool) *sumtree.Tree {
	var b sumtree.Builder
	b.Leaves(n)
	all := pairwise(&b, 0, min(buffer, n))
	for at := buffer; at < n; at += buffer {
		if half {
			all = b.Round(model.Binary16, all)
		}
		all = b.Add(all, pairwise(&b, at, min(buffer, n-at)))
	}
	t, err := b.Build(all)
	if err != nil {
		panic(err) // the tree is made above
	}
	return t
}

// pairwise is NumPy's tree of n numbers from one on: eight lanes in blocks of up to 128, and halves of a multiple of 8 above.
func pairwise(b *sumtree.Builder, from, n int) sumtree.Ref {
	leaf := func(i int) sumtree.Ref { return b.Leaf(from + i) }
	if n > 128 {
		half := n / 2 / 8 * 8
		return b.Add(pairwise(b, from, half), pairwise(b, from+half, n-half))
	}
	all, done := leaf(0), 1
	if n >= 8 {
		var lanes [8]sumtree.Ref
		for i := range lanes {
			lanes[i] = leaf(i)
		}
		for done = 8; done+8 <= n; done += 8 {
			for i := range lanes {
				lanes[i] = b.Add(lanes[i], leaf(done+i))
			}
		}
		pair := func(i int) sumtree.Ref { return b.Add(lanes[i], lanes[i+1]) }
		all = b.Add(b.Add(pair(0), pair(2)), b.Add(pair(4), pair(6)))
	}
	for ; done < n; done++ {
		all = b.Add(all, leaf(done))
	}
	return all
}

// scheduled is sum by the tree of n numbers.
func scheduled(c model.Claim, tree func(n int) *sumtree.Tree) maker {
	c.MinN = 1
	return func(name string, of *opened, kernel string) judge.Subject {
		r := sum(c)(name, of, kernel).(judge.Reduction)
		r.Schedule = tree
		return r
	}
}

func numpy() library {
	pairwiseSum := source{"\"often numpy will use a numerically better approach (partial pairwise summation)\"; the tree is that of its source, blocks of up to 128 numbers in eight lanes", "docstring of numpy.sum, Notes; numpy/core/src/umath, pairwise_sum"}
	tree8192 := source{pairwiseSum.Text + "; the iterator hands over 8192 numbers at a time", pairwiseSum.Where + "; numpy.getbufsize"}
	whole := source{pairwiseSum.Text + ", read as a statement about the whole array", pairwiseSum.Where}
	slow := source{"\"the improved precision is only used when the summation is along the fast axis in memory\"", "docstring of numpy.sum, Notes"}
	always := source{"\"This improved precision is always provided when no axis is given\", read as holding along any axis, which the same notes deny", "docstring of numpy.sum, Notes"}
	mean := source{"\"Compute the arithmetic mean along the specified axis\", of the sum in binary32 or finer", "docstring of numpy.mean"}
	spread := source{"\"The standard deviation is the square root of the average of the squared deviations from the mean\"", "docstrings of numpy.std and numpy.var, Notes"}
	product := source{"No error is documented; what products of vectors and matrices in any order promise is claimed", "docstrings of numpy.dot, numpy.einsum and numpy.matmul; [Higham 2002] §3.1"}
	scan := source{"\"Return the cumulative sum of the elements along a given axis\", each by one addition to the one before", "docstring of numpy.cumsum; ufunc.accumulate"}
	simd := source{"Functions of binary32 by vector instructions err by less than 4 ulp", "NumPy release notes 1.17 to 1.22, performance improvements"}
	root := source{"The square root is correctly rounded", "[IEEE 754-2019] §5.4.1"}
	fft := source{"The transform is the sum of its definition; the inverse is scaled by 1/n", "numpy.fft, Implementation details; [Higham 2002] §24.1"}
	x, x64 := array32("x", "n"), array64("x", "n")
	a, b := array32("a", "m", "k"), array32("b", "k", "n")
	b32, b64 := model.Claim{In: model.Binary32}, model.Claim{In: model.Binary64}
	b16 := model.Claim{In: model.Binary16, Acc: model.Binary32, Out: model.Binary16}
	tree := func(c model.Claim, tree string) model.Claim { c.Tree = tree; return c }
	mixed := formula.Dot(x, array32("y", "n"), "n") // as OpenBLAS computes it
	claims := []claim{
		{Name: "sum float32", Kernel: "np_sum", Make: scheduled(b32, buffered), Says: "the pairwise tree of each 8192 numbers, one after the other, bit by bit", From: tree8192},
		{Name: "sum float64", Kernel: "np_sum", Make: scheduled(b64, buffered), Says: "the same in binary64, bit by bit", From: tree8192},
		{Name: "sum float16", Kernel: "np_sum16", Make: scheduled(b16, buffered16), Says: "the pairwise tree of each 8192 numbers in binary32, one after the other, rounded to binary16 after each, bit by bit", From: tree8192},
		{Name: "sum of a column", Kernel: "np_sum_strided", Make: scheduled(b32, buffered), Says: "the same for elements that lie apart, bit by bit", From: tree8192},
		{Name: "sum float32 up to 8192", Kernel: "np_sum", Make: sum(tree(model.Claim{In: model.Binary32, MaxN: buffer}, "numpy")), Says: "the pairwise tree, bit by bit, of at most 8192 numbers", From: whole},
		{
			Name: "sum float32 of any length", Kernel: "np_sum", Make: sum(tree(b32, "numpy")), Says: "the pairwise tree, bit by bit, of any length", From: whole,
			Found: "Above 8192 numbers, the size of a buffer, it is the tree of each buffer, one after the other, as the first claim says: TestByHand/numpy.sum computes both.",
		},
		{Name: "sum along the slow axis", Kernel: "np_sum_slow", Make: sum(tree(b32, "left")), Says: "one after the other, bit by bit", From: slow},
		{
			Name: "sum along the slow axis, pairwise", Kernel: "np_sum_slow", Make: sum(model.Claim{In: model.Binary32, Height: pairwiseHeight}), Says: "within γ of the height of the pairwise tree", From: always,
			Found: "Along the slow axis numbers are added one after the other, as the claim above says and the documentation does: a column of ones stalls at 2^24. TestByHand/numpy.sum.slow computes it.",
		},
		{Name: "sum float32 dtype=float64", Kernel: "np_sum_as64", Make: sum(model.Claim{In: model.Binary32, Acc: model.Binary64, Out: model.Binary32}), Says: "a sum in binary64, rounded once", From: source{"\"it can be advisable to use dtype=\"float64\" to use a higher precision for the output\"", "docstring of numpy.sum, Notes"}},
		{Name: "mean float32", Kernel: "np_mean", Make: sum(model.Claim{In: model.Binary32, Mean: true}), Says: "a sum in any order, divided by n", From: mean},
		{Name: "mean float64", Kernel: "np_mean", Make: sum(model.Claim{In: model.Binary64, Mean: true}), Says: "a sum in any order in binary64, divided by n", From: mean},
		{Name: "var float32", Kernel: "np_var", Make: computes(formula.Variance(x), formula.Claim{}, least("n", 1)), Says: "the variance in two passes", From: spread},
		{Name: "std float32", Kernel: "np_std", Make: computes(formula.Sqrt(formula.Variance(x)), formula.Claim{}, least("n", 1)), Says: "the root of the variance in two passes", From: spread},
		{Name: "std float64", Kernel: "np_std", Make: computes(formula.Sqrt(formula.Variance(x64)), formula.Claim{Format: model.Binary64}, least("n", 1)), Says: "the root of the variance in two passes, in binary64", From: spread},
		{Name: "dot float32", Kernel: "np_dot", Make: computes(mixed, formula.Claim{}), Says: "a dot product in any order, in binary32 or finer", From: product},
		{Name: "dot float64", Kernel: "np_dot", Make: dot(fused64), Says: "a dot product in any order, in binary64", From: product},
		{Name: "vdot float32", Kernel: "np_vdot", Make: computes(mixed, formula.Claim{}), Says: "a dot product in any order, in binary32 or finer", From: product},
		{Name: "inner float32", Kernel: "np_inner", Make: computes(mixed, formula.Claim{}), Says: "a dot product in any order, in binary32 or finer", From: product},
		{Name: "einsum i,i->", Kernel: "np_einsum_dot", Make: dot(fused), Says: "a dot product in any order", From: product},
		{Name: "einsum i->", Kernel: "np_einsum_sum", Make: sum(b32), Says: "a sum in any order", From: product},
		{Name: "matmul float32", Kernel: "np_matmul", Make: computes(formula.MatMul(a, b, "k"), formula.Claim{}), Says: "a product of matrices in any order", From: product},
		{Name: "einsum ik,kj->ij", Kernel: "np_einsum_matmul", Make: computes(formula.MatMul(a, b, "k"), formula.Claim{}), Says: "a product of matrices in any order", From: product},
		{Name: "cumsum float32", Kernel: "np_cumsum", Make: computes(formula.CumSum(x).Ordered(ordered), formula.Claim{Exactly: true}), Says: "one after the other, bit by bit", From: scan},
		{Name: "cumsum float64", Kernel: "np_cumsum", Make: computes(formula.CumSum(x64).Ordered(ordered), formula.Claim{Exactly: true, Format: model.Binary64}), Says: "one after the other in binary64, bit by bit", From: scan},
		{Name: "linalg.norm float32", Kernel: "np_norm", Make: computes(formula.L2Norm(x), formula.Claim{}), Says: "the root of a sum of squares in any order", From: product},
		{Name: "exp float32", Kernel: "np_exp", Make: computes(formula.Exp(x), ulps(model.Binary32, 4, formula.OpExp)), Says: "within 4 ulp", From: simd},
		{Name: "log float32", Kernel: "np_log", Make: computes(formula.Log(x), ulps(model.Binary32, 4, formula.OpLog)), Says: "within 4 ulp", From: simd},
		{Name: "sin float32", Kernel: "np_sin", Make: computes(formula.Sin(x), ulps(model.Binary32, 4, formula.OpSin)), Says: "within 4 ulp", From: simd},
		{Name: "cos float32", Kernel: "np_cos", Make: computes(formula.Cos(x), ulps(model.Binary32, 4, formula.OpCos)), Says: "within 4 ulp", From: simd},
		{Name: "tanh float32", Kernel: "np_tanh", Make: computes(formula.Tanh(x), ulps(model.Binary32, 4, formula.OpTanh)), Says: "within 4 ulp", From: simd},
		{Name: "sqrt float32", Kernel: "np_sqrt", Make: computes(formula.Sqrt(x), formula.Claim{Exactly: true}), Says: "correctly rounded", From: root},
		{Name: "fft.fft float64", Kernel: "np_fft", Make: spectrum(fourier.Claim{In: fourier.Number{Format: model.Binary64}, Lengths: fourier.Smooth, Radix: 11, MaxN: 4096, Norm: fourier.NormBackward, Unchecked: true}), Says: "complex transforms of lengths with prime factors up to 11 in binary64, both ways", From: fft},
	}
	return library{Name: "NumPy", Probe: "np_here", Package: "python3-numpy", Python: "kernels.py", Version: dpkg("python3-numpy"), Claims: claims}
}

func scipy() library {
	stable := source{"The function is computed with the greatest element subtracted first; each operation errs as those of the format do, and exp and log by at most 4 ulp", "docstrings of scipy.special.logsumexp, softmax and log_softmax; NumPy release notes"}
	special := source{"The function of its name, in the type of its argument; no error is documented, and 4 ulp are claimed", "scipy.special reference"}
	x, x64 := array32("x", "n"), array64("x", "n")
	c := ulps(model.Binary32, 4, formula.OpExp, formula.OpLog)
	f, f64 := c, ulps(model.Binary64, 4, formula.OpExp, formula.OpLog)
	f.Finite, f64.Finite = true, true // of infinities the code takes another way, and returns no NaN
	c64 := ulps(model.Binary64, 4, formula.OpExp, formula.OpLog)
	fft := func(f model.Format) maker {
		return spectrum(fourier.Claim{In: fourier.Number{Format: f}, Lengths: fourier.Smooth, Radix: 11, MaxN: 4096, Norm: fourier.NormBackward, Unchecked: true})
	}
	transform := source{"The transform is the sum of its definition, in the precision of its argument; the inverse is scaled by 1/n", "scipy.fft tutorial; [Higham 2002] §24.1"}
	return library{Name: "SciPy", Probe: "sp_here", Package: "python3-scipy", Python: "kernels.py", Version: dpkg("python3-scipy"), Claims: []claim{
		{Name: "logsumexp float32", Kernel: "sp_logsumexp", Make: computes(formula.LogSumExp(x), f, least("n", 1)), Says: "m + log(Σ exp(x - m)), step by step", From: stable},
		{Name: "logsumexp float64", Kernel: "sp_logsumexp", Make: computes(formula.LogSumExp(x64), f64, least("n", 1)), Says: "the same in binary64", From: stable},
		{Name: "softmax float32", Kernel: "sp_softmax", Make: computes(formula.Softmax(x), c, least("n", 1)), Says: "exp(x - m)/Σ exp(x - m), step by step", From: stable},
		{Name: "softmax float64", Kernel: "sp_softmax", Make: computes(formula.Softmax(x64), c64, least("n", 1)), Says: "the same in binary64", From: stable},
		{Name: "log_softmax float32", Kernel: "sp_log_softmax", Make: computes(formula.LogSoftmax(x), f, least("n", 1)), Says: "x - m - log(Σ exp(x - m)), step by step", From: stable},
		{Name: "expit float32", Kernel: "sp_expit", Make: computes(formula.Sigmoid(x), c), Says: "1/(1 + exp(-x)), step by step", From: stable},
		{Name: "erf float32", Kernel: "sp_erf", Make: computes(formula.Erf(x), ulps(model.Binary32, 4, formula.OpErf)), Says: "within 4 ulp", From: special},
		{Name: "expm1 float32", Kernel: "sp_expm1", Make: computes(formula.Expm1(x), ulps(model.Binary32, 4, formula.OpExpm1)), Says: "within 4 ulp", From: special},
		{Name: "log1p float32", Kernel: "sp_log1p", Make: computes(formula.Log1p(x), ulps(model.Binary32, 4, formula.OpLog1p)), Says: "within 4 ulp", From: special},
		{Name: "exp2 float32", Kernel: "sp_exp2", Make: computes(formula.Exp2(x), ulps(model.Binary32, 4, formula.OpExp2)), Says: "within 4 ulp", From: special},
		{Name: "fft.fft float32", Kernel: "sp_fft", Make: fft(model.Binary32), Says: "complex transforms in binary32, both ways", From: transform},
		{Name: "fft.fft float64", Kernel: "sp_fft", Make: fft(model.Binary64), Says: "complex transforms in binary64, both ways", From: transform},
	}}
}

// offered is the maker of a function if a call of it by another one, which returns 0, does not end in an error; where it does, nothing can be said of the claim.
func offered(m maker, by string) maker {
	return func(name string, of *opened, kernel string) judge.Subject {
		if _, err := of.run.Sum64(by)([]float64{0}); err != nil {
			of.c.Fatalf("it is not offered: %v", err)
		}
		return m(name, of, kernel)
	}
}

// torch has PyTorch's operations. On processors it has no kernels in binary16 beside sums and means, which it says.
func torch() library {
	from := source{"Results are not guaranteed to be bitwise identical where formulas are mathematically identical; what the documented formula promises in any order, in binary32 or finer, is claimed", "PyTorch 1.13, Numerical accuracy; torch.nn.functional"}
	narrow := source{"The documented formula, computed in binary32 or finer and rounded once to the type of the input", "torch.nn.functional; PyTorch 1.13 names no other precision on CPUs"}
	steps := source{"The documented formula, each operation rounded to bfloat16 or finer, and subnormal numbers flushed or not", "torch.nn.functional"}
	moved := source{"The documented formula, or the same with x·r - mean·r in place of (x - mean)·r, r = 1/√(variance + 10⁻⁵)", "torch.nn.functional.layer_norm; aten/src/ATen/native/cpu/layer_norm_kernel.cpp"}
	polynomial := source{"The documented formula, with erf by a polynomial whose error is 1.5·10⁻⁷, formula 7.1.26 of Abramowitz and Stegun; with its roundings, 2^-20", "torch.nn.functional.gelu; aten/src/ATen/cpu/vec, erf"}
	var claims []claim
	for _, t := range []struct {
		prefix, type_ string
		in            arrays
		format        model.Format
		from          source
	}{
		{"t_", "float32", array32, model.Binary32, from},
		{"t_", "float64", array64, model.Binary64, from},
		{"t16_", "float16", array16, model.Binary16, narrow},
		{"tb16_", "bfloat16", arrayB16, model.BFloat16, narrow},
	} {
		x, vec, half, steps16 := t.in("x", "n"), model.Claim{In: t.format}, t.format.Bits() == 16, t.format == model.BFloat16
		c, shape := formula.Claim{}, []func(k *judge.Kernel){least("n", 1), gives(formula.Float(t.format))}
		if t.format == model.Binary64 {
			c.Format = t.format
		}
		if half {
			vec.Acc, vec.Out = model.Binary32, t.format
		}
		mean := vec
		mean.Mean = true
		add := func(name, more, says string, from source, m maker, found string) {
			if t.format == model.Binary16 {
				m = offered(m, t.prefix+"has_"+name)
			}
			claims = append(claims, claim{Name: name + " " + t.type_ + more, Kernel: t.prefix + name, Make: m, Says: says, From: from, Found: found})
		}
		of := func(name, says string, f *formula.Expr) { add(name, "", says, t.from, computes(f, c, shape...), "") }
		add("sum", "", "a sum in any order", t.from, sum(vec), "")
		add("mean", "", "a sum in any order, divided by n", t.from, sum(mean), map[bool]string{true: "The sum is rounded to binary16 and divided by n, rounded to binary16: of 65520 ones it is NaN. TestByHand/torch/mean."}[t.format == model.Binary16])
		// What is wrong in bfloat16 is right with operations in that format.
		loose := c
		if half {
			loose.Format = t.format
			loose.Flush, loose.Flush16 = model.Flush{In: true, Out: true}, model.Flush{In: true, Out: true} // as products of matrices do
		}
		both := func(name, says string, f *formula.Expr, found string) {
			if !steps16 {
				of(name, says, f)
				return
			}
			add(name, "", says, t.from, computes(f, c, shape...), found)
			add(name, ", in steps", says+", each step in bfloat16 or finer", steps, computes(f, loose, shape...), "")
		}
		of("softmax", "exp(x - m)/Σ exp(x - m)", formula.Softmax(x))
		both("log_softmax", "x - m - log(Σ exp(x - m))", formula.LogSoftmax(x), "The logarithm is rounded to bfloat16 before the subtraction: TestByHand/torch/log_softmax.")
		finite := c
		finite.Finite = true
		add("logsumexp", "", "m + log(Σ exp(x - m)) of finite numbers", t.from, computes(formula.LogSumExp(x), finite, shape...), map[bool]string{true: "The logarithm is rounded to bfloat16 before the addition: TestByHand/torch/logsumexp."}[steps16])
		both("matmul", "a product of matrices", formula.MatMul(t.in("a", "m", "k"), t.in("b", "k", "n"), "k"), "Each product and each sum is rounded to bfloat16: TestByHand/torch/matmul.")
		both("silu", "x/(1 + exp(-x))", formula.SiLU(x), "The sigmoid is rounded to bfloat16 before the product: TestByHand/torch/silu.")
		gamma, beta, eps := t.in("gamma", "n"), t.in("beta", "n"), formula.Const(1e-5)
		norm := formula.LayerNorm(x, gamma, beta, eps)
		add("layer_norm", "", "(x - mean)/√(variance + 10⁻⁵)·gamma + beta", t.from, computes(norm, c, shape...), map[bool]string{true: "It is computed as x·r - mean·r, so that rounding errors of x·r are left where x is the mean: TestByHand/torch/layer_norm."}[t.format != model.Binary16])
		if !half {
			r := formula.Rsqrt(formula.Add(formula.Variance(x), eps))
			other := c
			other.Finite = true
			other.AnyOf = []*formula.Expr{formula.Add(formula.Mul(formula.Sub(formula.Mul(x, r), formula.Mul(formula.Mean(x), r)), gamma), beta)}
			add("layer_norm", ", moved", "the same, or x·r - mean·r", moved, computes(norm, other, shape...), "Squares overflow: of 2^64 in binary32 and 2^512 in binary64 the result is NaN, although x is its mean, which is in range, as x·r is: TestByHand/torch/layer_norm.")
		}
		rough := c
		if t.format != model.Binary64 {
			rough.Functions = formula.Published.With(formula.OpErf, formula.Promise{Abs: 0x1p-20, Lo: math.Inf(-1), Hi: math.Inf(1)})
		}
		add("gelu", "", "x/2·(1 + erf(x/√2))", map[bool]source{true: from, false: polynomial}[t.format == model.Binary64], computes(formula.GELU(x), rough, shape...), map[bool]string{true: "The last elements of a vector are computed in steps of bfloat16, and of the least normal number the others give 0, so that a result depends on its place: TestByHand/torch/gelu."}[steps16])
		if steps16 {
			loose.Functions = rough.Functions
			add("gelu", ", in steps", "the same, each step in bfloat16 or finer", steps, computes(formula.GELU(x), loose, shape...), "")
		}
		of("cumsum", "sums of the first elements", formula.CumSum(x))
		if t.format == model.Binary64 {
			continue
		}
		of("relu", "max(x, 0)", formula.ReLU(x))
		of("sigmoid", "1/(1 + exp(-x))", formula.Sigmoid(x))
		of("tanh", "tanh x, as accurate as libraries publish", formula.Tanh(x))
		of("exp", "exp x, as accurate as libraries publish", formula.Exp(x))
	}
	return library{Name: "PyTorch", Probe: "t_here", Package: "python3-torch", Python: "kernels.py", Version: dpkg("python3-torch"), Claims: claims}
}
