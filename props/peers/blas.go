package main

import (
	"math"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props/foreign"
	"gamma/props/judge"
)

// What BLAS computes is in the comments of its reference implementation.
func blasSource(routine, text string) source {
	return source{text + "; no error is documented, so that the bounds of sums and products in any order are claimed", "reference BLAS 3.12, comments of " + routine + ".f"}
}

// gemv is alpha·A·x + beta·y, and gemm alpha·A·B + beta·C.
func gemv(in arrays) *formula.Expr {
	return formula.Add(formula.Mul(in("alpha"), formula.Dot(in("a", "m", "n"), in("x", "n"), "n")), formula.Mul(in("beta"), in("y", "m")))
}

func gemm(in arrays) *formula.Expr {
	return formula.GEMM(in("alpha"), in("a", "m", "k"), in("b", "k", "n"), in("beta"), in("c", "m", "n"), "k")
}

// arrays makes inputs of one type.
type arrays = func(name string, axes ...string) *formula.Expr

// gamma is what holds of alpha·Σ a·b + beta·c in any order, whether alpha is multiplied by a, by b, by the sum or by parts of it: γ_(n+2) times the same of magnitudes, since a term
// goes through two products and at most n additions, and as much as products lose that underflow: η/2 each, in n products of two factors, times at most the third, and 1+n others.
// Where alpha times an operand overflows, nothing is claimed.
func gamma(f model.Format, axis string, alpha, a, b, beta, c *formula.Expr) formula.Claim {
	whole := func(v float64) *formula.Expr { return formula.Const(v) }
	u := formula.Div(whole(1), whole(math.Ldexp(1, f.P)))
	terms := formula.Add(formula.Len(axis), formula.Integer(2))
	nu := formula.Mul(terms, u)
	of := func(e *formula.Expr) *formula.Expr { return formula.Abs(e) }
	size := formula.Add(formula.Mul(of(alpha), formula.Dot(of(a), of(b), axis)), formula.Mul(of(beta), of(c)))
	eta := formula.Mul(formula.Const(math.Ldexp(1, f.Emin-f.P+1+60)), formula.Const(math.Ldexp(1, -60)))
	lost := formula.Add(formula.Add(formula.Mul(terms, formula.Add(whole(1), of(alpha))), formula.Sum(of(a), axis)), formula.Sum(of(b), axis))
	within := formula.Add(formula.Mul(formula.Div(nu, formula.Sub(whole(1), nu)), size), formula.Mul(eta, lost))
	most := formula.Const(math.Ldexp(1, f.Emax))
	over := func(e *formula.Expr) *formula.Expr {
		return formula.Less(most, formula.Mul(of(alpha), formula.Max(of(e), axis)))
	}
	return formula.Claim{Format: f, Finite: true, Within: formula.Select(formula.Or(over(a), over(b)), formula.Const(math.Inf(1)), within)}
}

// gemvClaim and gemmClaim are gamma of these.
func gemvClaim(f model.Format, in arrays) formula.Claim {
	return gamma(f, "n", in("alpha"), in("a", "m", "n"), in("x", "n"), in("beta"), in("y", "m"))
}

func gemmClaim(f model.Format, in arrays) formula.Claim {
	return gamma(f, "k", in("alpha"), in("a", "m", "k"), in("b", "k", "n"), in("beta"), in("c", "m", "n"))
}

func array32(name string, axes ...string) *formula.Expr {
	return formula.Input(name, formula.Float(model.Binary32), axes...)
}

// normClaim is what holds of the root of a sum of squares by each way that libraries take: of squares as they are, or of squares of quotients by the greatest magnitude so far, where
// a step takes two roundings of a term and one addition, and where that magnitude grows four and one of what was added before. After n steps that is at most 5n+3, and the root halves it;
// γ_(5n+8) is above that with the root's rounding and the last product's. Squares that underflow lose η/2 each, which the root makes √(n·η/2) at most.
func normClaim(f model.Format, x *formula.Expr) formula.Claim {
	n := formula.Len("n")
	nu := formula.Mul(formula.Add(formula.Mul(formula.Integer(5), n), formula.Integer(8)), formula.Const(math.Ldexp(1, -f.P)))
	lost := formula.Mul(formula.Sqrt(n), formula.Const(math.Ldexp(1, (f.Emin-f.P+1)/2)))
	return formula.Claim{Format: f, Finite: true, Within: formula.Add(formula.Mul(formula.Div(nu, formula.Sub(formula.Const(1), nu)), formula.L2Norm(x)), lost)}
}

// blasClaims are those of a library that has C's interface to BLAS; sdot makes the subject of the product in binary32.
func blasClaims(sdot maker) []claim {
	const (
		gemvArgs = "(int order = 101, int trans = 111, int m, int n, %s alpha, const %s *a, int lda, const %s *x, int incx, %s beta, %s *y, int incy)"
		gemmArgs = "(int order = 101, int transa = 111, int transb = 111, int m, int n, int k, %s alpha, const %s *a, int lda, const %s *b, int ldb, %s beta, %s *c, int ldc)"
	)
	norm := blasSource("snrm2", `"SNRM2 returns the euclidean norm of a vector"`)
	gemvSource := blasSource("sgemv", `"y := alpha*A*x + beta*y"`)
	gemmSource := blasSource("sgemm", `"C := alpha*op( A )*op( B ) + beta*C"`)
	asum := blasSource("sasum", `"SASUM takes the sum of the absolute values"`)
	product := blasSource("sdot", `"SDOT forms the dot product of two vectors"`)
	// The reference returns at once where n is 0, and leaves y as it is.
	spaced := func(k *judge.Kernel) {
		k.Strided, k.Min = map[string]string{"a": "m", "x": "n", "dst": "m"}, map[string]int{"n": 1}
	}
	leading := func(k *judge.Kernel) { // which are at least 1, also of empty matrices
		k.Strided, k.Min = map[string]string{"a": "m", "b": "k", "dst": "m"}, map[string]int{"m": 1, "n": 1, "k": 1}
	}
	return []claim{
		{Name: "cblas_sdot", Kernel: "float cblas_sdot(int n, const float *x, int incx, const float *y, int incy)", Make: sdot, Says: "a dot product in any order, in binary32 or finer", From: product},
		{Name: "cblas_ddot", Kernel: "double cblas_ddot(int n, const double *x, int incx, const double *y, int incy)", Make: dot(fused), Says: "a dot product in any order, in binary64", From: product},
		{Name: "cblas_sasum", Kernel: "float cblas_sasum(int n, const float *x, int incx)", Make: sumOfMagnitudes(model.Claim{}), Says: "a sum of magnitudes in any order", From: asum},
		{Name: "cblas_dasum", Kernel: "double cblas_dasum(int n, const double *x, int incx)", Make: sumOfMagnitudes(model.Claim{}), Says: "a sum of magnitudes in any order, in binary64", From: asum},
		{Name: "cblas_snrm2", Kernel: "float cblas_snrm2(int n, const float *x, int incx)", Make: computes(formula.L2Norm(array32("x", "n")), normClaim(model.Binary32, array32("x", "n")), apart("x n")), Says: "the root of a sum of squares, within γ_(5n+8)", From: norm},
		{Name: "cblas_dnrm2", Kernel: "double cblas_dnrm2(int n, const double *x, int incx)", Make: computes(formula.L2Norm(array64("x", "n")), normClaim(model.Binary64, array64("x", "n")), apart("x n")), Says: "the same in binary64", From: norm},
		{Name: "cblas_sgemv", Kernel: "void cblas_sgemv" + typed(gemvArgs, "float"), Make: computes(gemv(array32), gemvClaim(model.Binary32, array32), spaced), Says: "alpha·A·x + beta·y with leading dimensions and increments, in any order", From: gemvSource},
		{Name: "cblas_dgemv", Kernel: "void cblas_dgemv" + typed(gemvArgs, "double"), Make: computes(gemv(array64), gemvClaim(model.Binary64, array64), spaced), Says: "the same in binary64", From: gemvSource},
		{Name: "cblas_sgemm", Kernel: "void cblas_sgemm" + typed(gemmArgs, "float"), Make: computes(gemm(array32), gemmClaim(model.Binary32, array32), leading), Says: "alpha·A·B + beta·C with leading dimensions, in any order", From: gemmSource},
		{Name: "cblas_dgemm", Kernel: "void cblas_dgemm" + typed(gemmArgs, "double"), Make: computes(gemm(array64), gemmClaim(model.Binary64, array64), leading), Says: "the same in binary64", From: gemmSource},
	}
}

// blases are the libraries with C's interface to BLAS.
func blases() (list []library) {
	// OpenBLAS adds what is left of a vector's last elements in binary64, and the rest in binary32.
	mixed := computes(formula.Dot(array32("x", "n"), array32("y", "n"), "n"), formula.Claim{}, apart("x n", "y n"))
	same := claim{
		Name: "cblas_ddot, bits of 1 thread", Kernel: "double cblas_ddot(int n, const double *x, int incx, const double *y, int incy)", Make: bitsOfOneThread, Says: "the same bits as with one thread, of more than 10000 numbers",
		From:  source{"Nobody promises it; it is tried here, since results that differ from machine to machine are often put down to it", "OpenBLAS, interface/dot.c, starts threads above 10000 numbers"},
		Found: "Each thread adds a part of the numbers, so that the order is another one. Both results stay inside the bound of any order: TestByHand/openblas.",
	}
	for _, threads := range []string{"1", "2"} {
		setting := threads + " thread"
		if threads != "1" {
			setting += "s"
		}
		openblas := blasClaims(mixed)
		if threads != "1" {
			openblas = append(openblas, same)
		}
		list = append(list,
			library{Name: "OpenBLAS", Setting: setting, Package: "libopenblas-dev", File: "libopenblas.so.0", Env: []string{"OPENBLAS_NUM_THREADS=" + threads}, Version: dpkg("libopenblas0-pthread"), Claims: openblas},
			library{Name: "BLIS", Setting: setting, Package: "libblis-dev", File: "libblis.so.4", Env: []string{"BLIS_NUM_THREADS=" + threads}, Version: dpkg("libblis4"), Claims: blasClaims(dot(fused))})
	}
	return list
}

// gsl has GSL's interface to BLAS, and its statistics. A mean is computed in long double by mean += (x - mean)/(i + 1): four roundings a step of numbers of at most twice the greatest
// magnitude, whose errors later steps do not enlarge.
func gsl() library {
	within := func(in arrays) *formula.Expr {
		x := in("x", "n")
		return formula.Mul(formula.Mul(formula.Const(0x1p-61), formula.Len("n")), formula.Max(formula.Abs(x), "n"))
	}
	mean := source{"\"This function returns the arithmetic mean of data\"; no error is documented, so that that of its recurrence in long double is claimed", "GSL 2.7 manual, Statistics"}
	claims := append(blasClaims(dot(fused)),
		claim{
			Name: "gsl_stats_mean", Kernel: "double gsl_stats_mean(const double *x, size_t stride_x, size_t n)", Says: "the mean, off by 8n·2^-64 of the greatest magnitude, and rounded once", From: mean,
			Make: computes(formula.Mean(array64("x", "n")), formula.Claim{Format: model.Binary64, Finite: true, Within: within(array64)}, apart("x n"), least("n", 1)),
		},
		claim{
			Name: "gsl_stats_float_mean", Kernel: "double gsl_stats_float_mean(const float *x, size_t stride_x, size_t n)", Says: "the same of binary32 numbers", From: mean,
			Make: computes(formula.Mean(array32("x", "n")), formula.Claim{Format: model.Binary64, Finite: true, Within: within(array32)}, apart("x n"), least("n", 1), gives(formula.Float(model.Binary64))),
		})
	return library{Name: "GSL", Package: "libgsl-dev", File: "libgsl.so.27", Version: dpkg("libgsl27"), Claims: claims}
}

// gslFunctions has GSL's special functions, whose errors are stated with each result.
func gslFunctions() library {
	from := source{"\"The field val contains the value and the field err contains an estimate of the absolute error in the value\"", "GSL 2.7 manual, Special Functions, The gsl_sf_result struct"}
	l := library{Name: "GSL", Setting: "special functions", Package: "libgsl-dev", Shim: "gsl.c", Link: []string{"-lgsl", "-lgslcblas", "-lm"}, Version: dpkg("libgsl27")}
	trigonometric := "Of large arguments and next to zeros the error that is stated is too small: TestByHand/gsl."
	for _, f := range []struct {
		function
		found string
	}{
		{function{name: "exp", of: formula.Exp, op: formula.OpExp}, ""},
		{function{name: "expm1", of: formula.Expm1, op: formula.OpExpm1}, "Of 1/16 the error is larger than the one that is stated: TestByHand/gsl."},
		{function{name: "log", of: formula.Log, op: formula.OpLog}, ""},
		{function{name: "log_1plusx", of: formula.Log1p, op: formula.OpLog1p}, ""},
		{function{name: "erf", of: formula.Erf, op: formula.OpErf}, "Of 2^205 the result and its error are NaN, and erf is 1 there to 2^-1000: TestByHand/gsl."},
		{function{name: "sin", of: formula.Sin, op: formula.OpSin}, trigonometric},
		{function{name: "cos", of: formula.Cos, op: formula.OpCos}, trigonometric},
	} {
		// What the shim returns is no further from a result within val ± err than glibc's, of which 1 ulp from the rounded result is judged.
		f.name, f.promise = "gsl_sf_"+f.name+"_e", formula.Promise{Ulps: 1, OfRounded: true}
		c := elementary(f.function, model.Binary64, from, func(c *formula.Claim) { c.Finite = true })
		c.Says, c.Found = "of finite numbers for which it reports no error val ± err holds the exact result, or comes within 1.5 ulp of it", f.found
		l.Claims = append(l.Claims, c)
	}
	return l
}

// fused are products that may be fused with additions, as compilers and vector instructions do.
var (
	fused   = model.Claim{Fusion: model.FusedAny}
	fused64 = model.Claim{In: model.Binary64, Fusion: model.FusedAny}
)

// bitsOfOneThread makes the difference of a dot product by the library as it is opened and by one thread, which is to be 0.
func bitsOfOneThread(name string, of *opened, kernel string) judge.Subject {
	two, one := of.lib.Dot64(kernel), foreign.Load(of.c, of.file, foreign.Env("OPENBLAS_NUM_THREADS=1")).Dot64(kernel)
	nothing := formula.Mul(formula.Const(0), formula.Dot(array64("x", "n"), array64("y", "n"), "n"))
	return judge.Kernel{
		Name: name, Formula: nothing, Claim: formula.Claim{Format: model.Binary64, Finite: true, Within: formula.Const(0)}, Min: map[string]int{"n": 10001},
		Call: func(c *judge.KernelCall) error {
			x, y := c.Float64("x"), c.Float64("y")
			a, err := two(x, y)
			if err != nil {
				return err
			}
			b, err := one(x, y)
			c.Float64("dst")[0] = a - b
			of.results++
			return err
		},
	}
}
