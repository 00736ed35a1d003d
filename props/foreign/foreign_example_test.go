package foreign_test

import (
	"testing"

	"gamma/model/formula"
	"gamma/props"
	"gamma/props/foreign"
)

// t stands for the test that the lines of an example are in.
var t *testing.T

func ExampleLoad() {
	lib := foreign.Load(t, "./libmine.so")
	props.Reduction{Name: "mine.sum", RunErr: lib.Sum("float my_sum(const float *x, size_t n)")}.Check(t)
}

// A product of matrices as BLAS has it: leading dimensions, alpha and beta, and C both read and written.
func ExampleLibrary_Kernel() {
	a, b, c := formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), formula.Matrix("c", "m", "n")
	lib := foreign.Load(t, "./libmine.so")
	props.Kernel{
		Name:    "mine.gemm",
		Formula: formula.Add(formula.Mul(formula.Scalar("alpha"), formula.Dot(a, b, "k")), formula.Mul(formula.Scalar("beta"), c)),
		Strided: map[string]string{"a": "m", "b": "k", "dst": "m"},
		Call:    lib.Kernel("void gemm(int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc)"),
	}.Check(t)
}

// Increments, as BLAS has them.
func ExampleLibrary_DotStrided() {
	lib := foreign.Load(t, "libcblas.so.3")
	props.Dot{Name: "cblas.sdot", RunStridedErr: lib.DotStrided("float cblas_sdot(int n, const float *x, int incx, const float *y, int incy)")}.Check(t)
}
