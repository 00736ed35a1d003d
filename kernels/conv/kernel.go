package conv

import (
	"gamma/kernels/nn"
	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
)

func array(name string, axes ...string) *formula.Expr {
	return formula.Input(name, formula.Float(model.Binary32), axes...)
}

var (
	x, gate = array("x", "b", "c", "n"), array("gate", "b", "c", "n")
	k, r    = array("k", "c", "n"), array("r", "c", "n")
	bias, w = array("bias", "c"), array("w", "c", "tap")
	length  = formula.Len("n")
)

// SumFormula and AverageFormula are what pipelines compute, by definition; the package says it in a line.
var (
	SumFormula     = direct(formula.Add(lag(k, "n", "s"), lag(r, "s", "n")))
	AverageFormula = direct(formula.Mul(formula.Add(lag(k, "n", "s"), lag(r, "s", "n")), formula.Const(0.5)))
)

// lag returns f at from - to, and 0 where that is negative.
func lag(f *formula.Expr, from, to string) *formula.Expr {
	return formula.Gather(f, "n", formula.Sub(formula.Index(from), formula.Index(to)), formula.Const(0))
}

// direct returns the pipeline's formula for a filter of the axes c, n and s.
func direct(filter *formula.Expr) *formula.Expr {
	v := formula.DepthwiseConv(x, w, "n", "tap", 2)
	y := formula.Dot(filter, formula.Rename(v, "n", "s"), "s")
	return formula.InOrder(formula.Mul(formula.Add(y, bias), gate), "b", "c", "n")
}

// Within returns how far results may be from their exact values before they are rounded, where u is the unit roundoff of what a pipeline holds:
//
//	|gate|·((13·log2 n + 66)·u·V·H + 3u·|bias| + underflow),
//
// and for u = 2^-106, in double words of binary64, |gate|·((300·log2 n + 660)·u·V·H + 5u·|bias|).
//
// Proof. Let N < 4n be the points, L = log2 n, A = V·H, and η bound the relative error of a transform of real numbers in the 2-norm. A stage errs by a factor of 1 + σ, σ <= 3.95u:
// a sum u, a product √5·u [BPZ 2007], and 0.7072u of a twiddle factor whose parts are rounded to nearest [BJMNP 2020]. There are log2 N <= L + 2 of them, and one sum more: η <=
// (L + 2)·σ + u. What is of second order comes last.
//
//   - The taps: three roundings of each v_t, 3u·V in the 2-norm, for A·3u.
//   - The spectra: ‖X' - X‖₂ <= η·√N·V, and the same of filters with H, where ‖X‖₂ = √N·‖v‖₂. By Cauchy's inequality ‖X'K' - XK‖₁ <= 2η·N·A.
//   - Sums of filters u, a product √5·u of each value, and a factor 1/√N for both transforms of ortho 4u: with them ‖δP‖₁ <= (2η + 7.3u)·N·A.
//   - The inverse makes of P_f and P_(m-f), m = N/2, two of m numbers, S ± iT with S = P_f + conj P_(m-f) and T = w·(P_f - conj P_(m-f)). With Q² = |P_f|² + |P_(m-f)|²
//     both |S|² + |T|² and (|S+iT|² + |S-iT|²)/2 are 2Q² at most, so that these two have magnitudes of 2√2·Q together, and errors of 2u·(|S| + |T|) + 2·2.95u·|T| + 2√2·u·Q <=
//     15.2u·Q, where four values of P, |P_f| twice, have 2Q at least. So they make √2·‖P‖₁ together, and err by 7.6u·‖P‖₁. Each result is a sum of all m, with one factor 1 + σ for each of log2(N) - 1
//     stages, over N: it errs by (√2·(L + 1)·σ + 7.6u)·‖P‖₁/N, where ‖P‖₁ <= N·A, and by ‖δP‖₁/N from before.
//   - The bias: u·(A + |bias|); the gate, in binary64: the same.
//
// Together 2η + 5.59·(L + 1)·u + 19.9u < (13.5·L + 43.3)·u < (13·L + 66)·u for L <= 40, and what is of second order is less than 10^-3 of that up to n = 2^20 in binary32.
//
// By definition, with Kahan's sums in binary64, each value errs by less than 4.5·2^-53 times the 1-norm of its input, √n times the 2-norm at most, and is rounded once: with 4.5·√n·u in the place of η, and
// 4.5u in that of the inverse's factor, it is (9·√n + 16.8)·u, which is below (13·L + 66)·u for the n <= 256 that are transformed so.
//
// In double words, with u for the square of binary64's, the same steps have other constants. A sum of SloppyPlus errs by 3u·(|x| + |y|) and a product by 13√2·u·|x·y| (package
// fft), a twiddle factor by 2^-100 = 64u (trig.Twiddle): both outputs of a sum together by 3√2·u, and a stage by σ = (3√2 + 13√2 + 64)·u < 87u. What the passes of radix 8 do inside is less.
//
//   - The taps: three exact products, an exact sum of two and one PlusFP, A·2u.
//   - The spectra: η <= (L + 2)·σ + 3√2·u. Filters meet in time at k_0 + r_0 alone, which is exact, and in frequency with 3u·(1 + 2^-50); a product errs by (4√2 + 3)u, and
//     for ortho two factors by 5u each: ‖δP‖₁ <= (2η + 22u)·N·A.
//   - The inverse: P_f + conj P_(m-f) and P_f - conj P_(m-f) err by 3√2·u·Q each, the product by (13√2 + 64)·u·√2·Q, and S ± iT by 3u·(|S| + |T|) <= 6u·Q: both numbers by 2·(6√2 +
//     117 + 6)·u·Q < 263u·Q, which is 132u·‖P‖₁. The stages add their σ of the 1-norm of what they are given, which is √2·‖P‖₁: (√2·(L + 1)·σ + 132u)·‖P‖₁/N.
//   - The bias and the gate: PlusFP and TimesFP3, 2u·(A + |bias|) each.
//
// Together (2 + 2·((L + 2)·87 + 4.3) + 22 + 124·(L + 1) + 132 + 4)·u = (298·L + 641)·u of A, and 4u of |bias|. What is of second order is below 2^-40 of that. Nothing
// underflows: A is 0 or at least 2^-447, and 2^-106 of that times a gate of 2^-149 is far above 2^-1074. The result is rounded once from both words.
//
// Underflow in binary32: each product of a transform is off by 2^-148 more, and N·(log2 N + 2) of them meet in a value; the factor 1/N may come before
// another transform's sum of N. Less than n³·(log2 n + 4)·2^-142·(V + H + 2) is lost. In binary64 nothing underflows.
//
// Overflow: N² <= 16n² times A bounds all that a transform holds, and is in the text so that Finite excludes it.
func Within(u float64, average bool) *formula.Expr {
	var (
		add, mul, constant = formula.Add, formula.Mul, formula.Const
		norm               = func(e *formula.Expr) *formula.Expr { return formula.Sqrt(formula.Sum(formula.Mul(e, e), "n")) }
		log                = formula.Log2(length)
		v                  = norm(formula.DepthwiseConv(formula.Abs(x), formula.Abs(w), "n", "tap", 2))
		h                  = add(norm(k), norm(r))
		square             = formula.Mul(length, length)
	)
	if average {
		h = mul(h, constant(0.5))
	}
	points := mul(constant(16), square)
	a := formula.Div(mul(points, mul(v, h)), points)
	stage, rest, last := 13.0, 66.0, 3.0
	if u == double {
		stage, rest, last = 300, 660, 5
	}
	e := add(mul(mul(add(mul(constant(stage), log), constant(rest)), constant(u)), a), mul(constant(float64(last*u)), formula.Abs(bias)))
	if u == narrow {
		lost := mul(mul(mul(square, length), add(log, constant(4))), constant(0x1p-142))
		e = add(e, mul(lost, add(add(v, h), constant(2))))
	}
	return formula.InOrder(mul(formula.Abs(gate), e), "b", "c", "n")
}

// The unit roundoffs of binary32 and binary64, and the square of the latter.
const (
	narrow = 0x1p-24
	wide   = 0x1p-53
	double = 0x1p-106
)

// All returns the kernels of the embedded profiles, and of others that differ from them in what those do not cover.
func All() []nn.Kernel {
	var list []nn.Kernel
	for _, name := range Profiles() {
		p, err := Load(name)
		if err != nil {
			panic(err) // a test loads them all
		}
		list = append(list, p.Kernel())
	}
	for _, p := range []Profile{
		{Name: "freq_ortho", Freq: true, Norm: fourier.NormOrtho, Average: true},
		{Name: "extended_freq", Freq: true, Product: true, Taps: true, FFT: true},
		{Name: "double_double_ortho", Freq: true, Average: true, Norm: fourier.NormOrtho, Product: true, Taps: true, FFT: true, Double: true},
	} {
		list = append(list, p.Kernel())
	}
	return list
}

// Kernel returns the pipeline with its formula and claim, called "conv." and then the profile's name.
func (p Profile) Kernel() nn.Kernel {
	f, u := SumFormula, float64(narrow)
	if p.Average {
		f = AverageFormula
	}
	switch {
	case !p.FFT, !p.Taps: // the stream's, if nothing else
	case p.Double:
		u = double
	default:
		u = wide
	}
	return nn.Kernel{
		Name: "conv." + p.Name, Formula: f,
		Claim: formula.Claim{Finite: true, Within: Within(u, p.Average), Points: p.points()},
		Min:   map[string]int{"b": 1, "c": 1, "n": 1}, Fixed: map[string]int{"tap": 3}, Max: map[string]int{"b": 2, "c": 3, "n": 48},
		InPlace: []string{"x", "gate"},
		Run: func(a nn.Arrays) {
			o := Operands{
				Batch: a.Size("b"), Width: a.Size("c"), N: a.Size("n"),
				X: a.Float32("x"), Filter: a.Float32("k"), Reverse: a.Float32("r"), Taps: a.Float32("w"), Bias: a.Float32("bias"), Gate: a.Float32("gate"),
			}
			if err := p.Run(a.Float32("dst"), o); err != nil {
				panic(err)
			}
		},
	}
}

// points returns an input for each step but the last: rows of two numbers, of which transforms of four points have no twiddle factors but ±1 and ±i. All steps
// give binary32 numbers but
// the one, and those after it if they are held as wide: 2^24 + 1 and 4097² are not such numbers, nor is what rounding them makes of three times their value
// the same.
func (p Profile) points() []formula.Point {
	rounds := map[string]bool{}
	for _, step := range p.Roundings(true, true) {
		rounds[step] = true
	}
	one := float32(1)
	if p.Average {
		one = 2
	}
	point := func(name string, x, k, r, w []float32, bias, gate float32) formula.Point {
		for _, f := range [][]float32{k, r} {
			for i := range f {
				f[i] = float32(f[i] * one)
			}
		}
		return formula.Point{
			Name: name, Rounds: rounds[name], Sizes: map[string]int{"b": 1, "c": 1, "n": 2, "tap": 3},
			Arrays: map[string][]float32{"x": x, "k": k, "r": r, "w": w, "bias": {bias}, "gate": {gate, gate}},
		}
	}
	plain := []float32{0, 0, 1}
	return []formula.Point{
		// v_1 = 2^24·1 + 1·1
		point("taps", []float32{1 << 24, 1}, []float32{1, 0}, []float32{0, 0}, []float32{0, 1, 1}, 0, 3),
		// X_0 = 2^24 + 1, of which y_1 has a quarter
		point("rfft", []float32{1 << 24, 1}, []float32{1, 0}, []float32{0, 0}, plain, 0, 1),
		// P_f = 4097² = 2^24 + 2^13 + 1
		point("product", []float32{4097, 0}, []float32{4097, 0}, []float32{0, 0}, plain, 0, 3),
		// P = 4097·4098, 2^24 - 2^12·i, 4095·4094, and y_0 = 2^24 + 1
		point("irfft", []float32{1 << 12, 1}, []float32{1 << 12, 1}, []float32{0, 1}, plain, 0, 3),
		// y_0 + bias = 2^24 + 1
		point("bias", []float32{1 << 24, 0}, []float32{1, 0}, []float32{0, 0}, plain, 1, 3),
	}
}
