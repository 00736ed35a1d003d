package foreign_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/model/word"
	"gamma/props"
	"gamma/props/foreign"
	"gamma/props/judge"
)

// compiled returns the shared library of testdata/kernels.c. It skips where no C compiler is.
func compiled(tb testing.TB) string {
	tb.Helper()
	return compiledFrom(tb, "testdata/kernels.c", "-lm")
}

// compiledFrom compiles a source in C to a library.
func compiledFrom(tb testing.TB, source string, flags ...string) string {
	tb.Helper()
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		tb.Skipf("no gcc here to compile %s: %v", source, err)
	}
	lib := filepath.Join(tb.TempDir(), "libkernels.so")
	args := append([]string{"-O2", "-ffp-contract=off", "-frounding-math", "-shared", "-fPIC", "-o", lib, source}, flags...)
	out, err := exec.Command(gcc, args...).CombinedOutput()
	require.NoError(tb, err, "%s", out)
	return lib
}

// few makes a whole check draw few inputs: these tests are about the way to a kernel.
func few(t *testing.T) {
	t.Helper()
	t.Setenv("GAMMA_CHECKS", "100")
	t.Setenv("GAMMA_BUDGET", "300ms")
}

// report returns the report of a law on the first failing input, and "" if there is none.
func report[J, C any](t *testing.T, list []judge.LawOf[J, C], id model.LawID, s judge.Subject) string {
	t.Helper()
	l, err := judge.LawByID(list, id)
	require.NoError(t, err)
	f, n, err := judge.Find(l, s, 2000)
	require.NoError(t, err)
	require.Positive(t, n)
	if f == nil {
		return ""
	}
	return strings.Join(strings.Fields(f.Text()), " ")
}

// TestLibraryRight judges right functions of each kind, in a process of their own.
func TestLibraryRight(t *testing.T) {
	few(t)
	path := compiled(t)
	lib := foreign.Load(t, path)
	t.Run("sum", props.Reduction{Name: "c.sum", RunErr: lib.Sum("float sum(const float *x, size_t n);")}.Check)
	t.Run("unnamed", props.Reduction{Name: "c.sum_unnamed", RunErr: lib.Sum("float sum(const float*, size_t)")}.Check)
	t.Run("sum64", props.Reduction{Name: "c.sum64", Run64Err: lib.Sum64("double sum64(const double *x, int n)")}.Check)
	t.Run("to", props.Reduction{Name: "c.sum_to", RunErr: lib.Sum("void sum_to(float *out, const float *x, unsigned long n)")}.Check)
	t.Run("strided", props.Reduction{Name: "c.sum_strided", RunStridedErr: lib.SumStrided("float sum_strided(int n, const float *x, int incx)")}.Check)
	t.Run("bfloat16", props.Reduction{
		Name: "c.sum_bfloat16", RunBitsErr: lib.SumBits("float sum_bfloat16(const uint16_t *x, size_t n)"),
		Claim: model.Claim{In: model.BFloat16, Acc: model.Binary32, Out: model.Binary32},
	}.Check)
	t.Run("print", props.Reduction{Name: "c.print", RunErr: lib.Sum("float print(const float *x, size_t n)")}.Check)
	const dot = "float dot_strided(int n, const float *x, int incx, const float *y, int incy)"
	t.Run("dot", props.Dot{Name: "c.dot", RunErr: lib.Dot(dot)}.Check)
	t.Run("dot_strided", props.Dot{Name: "c.dot_strided", RunStridedErr: lib.DotStrided(dot)}.Check)
	t.Run("two_sum", props.Operation{Name: "c.two_sum", RunErr: lib.Operation("void two_sum(float *dst, const float *src, size_t rows)", 2), Claim: word.Claim{Op: word.TwoSum}}.Check)
	t.Run("softmax", props.Kernel{
		Name: "c.softmax", Formula: formula.Softmax(formula.Vector("x")), Call: lib.Kernel("void softmax(const float *x, float *dst, int n)"),
	}.Check)
	t.Run("gemm", gemm(lib, "gemm").Check)
	t.Run("returned", props.Kernel{
		Name: "c.sum_returned", Formula: formula.Sum(formula.Vector("x")), Strided: map[string]string{"x": "n"},
		Call: lib.Kernel("float sum_strided(int n, const float *x, int incx)"),
	}.Check)
	one := gemm(lib, "gemm")
	one.Name, one.Formula = "c.gemm_one", formula.Add(formula.MatMul(formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), "k"), formula.Matrix("c", "m", "n"))
	one.Call = lib.Kernel("void gemm(int m, int n, int k, float alpha = 1, const float *a, int lda, const float *b, int ldb, float beta=0x1p0, float *c, int ldc)")
	t.Run("always", one.Check)
	t.Run("fft", props.FFT{
		Name: "c.fft", Plan: lib.FFT("int fft(float *dst, const float *src, size_t n, int sign)"), Claim: fourier.Claim{MaxN: 256},
	}.Check)
	here := foreign.Load(t, path, foreign.Here)
	t.Run("here", props.Reduction{Name: "c.sum_here", RunErr: here.Sum("float sum(const float *x, size_t n)")}.Check)
}

// gemm is a product of matrices as BLAS has it, whose rows lie apart.
func gemm(lib *foreign.Library, function string) props.Kernel {
	scalar := func(name string) *formula.Expr { return formula.Input(name, formula.Float(model.Binary32)) }
	a, b, c := formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), formula.Matrix("c", "m", "n")
	return props.Kernel{
		Name: "c." + function, Formula: formula.Add(formula.Mul(scalar("alpha"), formula.Dot(a, b, "k")), formula.Mul(scalar("beta"), c)),
		Strided: map[string]string{"a": "m", "b": "k", "dst": "m"},
		Call:    lib.Kernel("void " + function + "(int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)"),
	}
}

// TestLibraryWrong: wrong functions are found, and the report says what is wrong.
func TestLibraryWrong(t *testing.T) {
	lib := foreign.Load(t, compiled(t))
	sum := func(function string) judge.Reduction {
		return judge.Reduction{Name: "c." + function, RunErr: lib.Sum("float " + function + "(const float *x, size_t n)")}
	}
	for function, want := range map[string]string{
		"sum_without_last": "The result is what the sum without x[0] gives",
		"leave_upward":     "the kernel left the rounding mode at upward",
		"crash":            "SIGSEGV",
		"leave":            "exit status 7",
	} {
		t.Run(function, func(t *testing.T) {
			require.Contains(t, report(t, judge.Laws(), model.SumEnclosure, sum(function)), want)
			require.Empty(t, report(t, judge.Laws(), model.SumEnclosure, sum("sum")), "the library goes on with a right function")
		})
	}
	require.Contains(t, report(t, judge.Laws(), model.SumEnclosure, judge.Reduction{Name: "c.write_input", RunErr: lib.Sum("float write_input(const float *x, size_t n)")}), "changed element 0 of its input x")
	require.Contains(t, report(t, judge.Laws(), model.SumEnclosure, judge.Reduction{Name: "c.write_outside", RunErr: lib.Sum("void write_outside(float *out, const float *x, size_t n)")}), "wrote outside of its array out")
	require.Contains(t, report(t, judge.FormulaLaws(), model.FormulaEnclosure, judge.Kernel{
		Name: "c.softmax_naive", Formula: formula.Softmax(formula.Vector("x")), Call: lib.Kernel("void softmax_naive(const float *x, float *dst, int n)"),
	}), "is NaN")
	require.Contains(t, report(t, judge.FormulaLaws(), model.FormulaEnclosure, judge.Kernel(gemm(lib, "gemm_dense"))), "c.gemm_dense")
}

// TestLibraryEnv: the process of a library has the variables that it is opened with, and others have not.
func TestLibraryEnv(t *testing.T) {
	path := compiled(t)
	for want, options := range map[float32][]foreign.Option{3: {foreign.Env("GAMMA_TEST_FACTOR=3")}, 1: nil} {
		got, err := foreign.Load(t, path, options...).Sum("float sum_env(const float *x, size_t n)")([]float32{1})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// TestLibraryHangs: a function that does not return is ended, and named.
func TestLibraryHangs(t *testing.T) {
	t.Setenv("GAMMA_TIMEOUT", "400ms")
	lib := foreign.Load(t, compiled(t))
	began := time.Now()
	got := report(t, judge.Laws(), model.SumEnclosure, judge.Reduction{Name: "c.hang", RunErr: lib.Sum("float hang(const float *x, size_t n)")})
	require.Contains(t, got, "did not return within")
	require.Less(t, time.Since(began), 30*time.Second)
}

// TestLibraryErrors: what cannot be called is an error by name, before anything is judged.
func TestLibraryErrors(t *testing.T) {
	_, err := foreign.Open("./libabsent.so")
	require.ErrorContains(t, err, "libabsent.so")
	require.ErrorContains(t, err, "cannot be loaded")
	text := filepath.Join(t.TempDir(), "libtext.so")
	require.NoError(t, os.WriteFile(text, []byte("no library"), 0o600))
	_, err = foreign.Open(text, foreign.Here)
	require.ErrorContains(t, err, "libtext.so cannot be loaded")

	lacks := filepath.Join(t.TempDir(), "lacks.c")
	require.NoError(t, os.WriteFile(lacks, []byte("float absent_anywhere(float);\nfloat f(float x) { return absent_anywhere(x); }\n"), 0o600))
	_, err = foreign.Open(compiledFrom(t, lacks), foreign.Here)
	require.ErrorContains(t, err, "absent_anywhere; link it with the library that defines the symbol, such as -lm")

	lib, err := foreign.Open(compiled(t))
	require.NoError(t, err)
	t.Cleanup(lib.Close)
	for _, c := range []struct {
		bind func()
		want string
	}{
		{func() { lib.Sum("float sums(const float *x, size_t n)") }, "has no function sums; it has crash, dot_strided"},
		{func() { lib.Sum("float sum") }, "has no parameters"},
		{func() { lib.Sum("float sum(const float *x, size_t n") }, "does not end with )"},
		{func() { lib.Sum("float sum(const floot *x, size_t n)") }, `"floot" is no type`},
		{func() { lib.Sum("float sum(const float **x, size_t n)") }, "pointer to pointers"},
		{func() { lib.Sum("float sum(long double x, size_t n)") }, `"long double" is no type`},
		{func() { lib.Sum("float sum(const double *x, size_t n)") }, "reads x of float64, and the subject has arrays of float32"},
		{func() { lib.Sum("double sum(const float *x, size_t n)") }, "returns float64, and the subject's result is float32"},
		{func() { lib.Sum("float sum(const float *x)") }, "is given no length"},
		{func() { lib.Sum("float sum(const float *x, size_t n, int flags)") }, "a parameter flags of int32, and nobody knows"},
		{func() { lib.Sum("void sum(const float *x, size_t n)") }, "writes 0 arrays"},
		{func() { lib.Dot("float sum(const float *x, size_t n)") }, "reads 1 const arrays, and the subject passes 2"},
		{func() { lib.SumStrided("float sum(const float *x, size_t n)") }, "has 0 increments"},
		{func() { lib.Kernel("void softmax(const float *x, const float *y, int n)") }, "writes 0 arrays"},
		{func() { lib.Sum("float sum(const float *x, size_t n, char flags = 300)") }, "300 is no int8"},
		{func() { lib.Sum("float sum(const float *x = 1, size_t n)") }, "x is no number"},
	} {
		func() {
			defer func() {
				err, ok := recover().(error)
				require.True(t, ok, "%s", c.want)
				require.ErrorContains(t, err, c.want)
			}()
			c.bind()
		}()
	}
	k := judge.Kernel{Name: "c.softmax", Formula: formula.Softmax(formula.Vector("x")), Call: lib.Kernel("void softmax(const float *y, float *dst, int n)")}
	require.Contains(t, report(t, judge.FormulaLaws(), model.FormulaEnclosure, k), "no input is called y; there are x")
}
