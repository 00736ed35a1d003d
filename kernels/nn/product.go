package nn

import (
	"gamma/kernels"
	"gamma/model"
	"gamma/model/formula"
)

// The formulas of matrix products: of a, m rows of k elements, and b, k rows of n.
var (
	MatMulFormula     = formula.MatMul(formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), "k")
	MatMulHalfFormula = formula.MatMul(halves("a", "m", "k"), halves("b", "k", "n"), "k")
)

func halves(name, rows, columns string) *formula.Expr {
	return formula.Input(name, formula.Float(model.Binary16), rows, columns)
}

func products() []Kernel {
	return []Kernel{
		{Name: "nn.MatMul", Formula: MatMulFormula, Run: Product(MatMul)},
		{Name: "nn.MatMulTiled", Formula: MatMulFormula, Run: Product(MatMulTiled)},
		{Name: "nn.MatMulSplitK", Formula: MatMulFormula, Run: Product(MatMulSplitK)},
		{Name: "nn.MatMulHalf", Formula: MatMulHalfFormula, Run: func(a Arrays) {
			MatMulHalf(a.Float32("dst"), a.Encodings("a"), a.Encodings("b"), a.Size("m"), a.Size("n"), a.Size("k"))
		}},
	}
}

// Product returns the Run of a matrix product.
func Product(f func(dst, a, b []float32, m, n, k int)) func(Arrays) {
	return func(a Arrays) {
		f(a.Float32("dst"), a.Float32("a"), a.Float32("b"), a.Size("m"), a.Size("n"), a.Size("k"))
	}
}

func checkProduct(dst, a, b, m, n, k int) {
	sameLength("dst", dst, m*n)
	sameLength("a", a, m*k)
	sameLength("b", b, k*n)
}

// MatMul writes Σ_l a_il·b_lj to dst_ij, each sum from left to right.
//
// Shape:   dst is m by n, a m by k, b k by n, by rows; it panics otherwise.
// Error:   k·u·Σ|a_il·b_lj|.
// Special: as in IEEE 754.
// Alias:   dst overlaps neither a nor b.
// Source:  [Jeannerod-Rump 2013].
func MatMul(dst, a, b []float32, m, n, k int) {
	checkProduct(len(dst), len(a), len(b), m, n, k)
	for i := range m {
		for j := range n {
			var s float32
			for l := range k {
				s += float32(a[i*k+l] * b[l*n+j])
			}
			dst[i*n+j] = s
		}
	}
}

// tile is the side of MatMulTiled's tiles.
const tile = 32

// MatMulTiled is MatMul in tiles of 32 by 32 by 32: each result is read and written once a tile, and its sum is from left to right.
//
// Shape, Error, Special, Alias: as MatMul's.
func MatMulTiled(dst, a, b []float32, m, n, k int) {
	checkProduct(len(dst), len(a), len(b), m, n, k)
	clear(dst)
	for i0 := 0; i0 < m; i0 += tile {
		for l0 := 0; l0 < k; l0 += tile {
			for j0 := 0; j0 < n; j0 += tile {
				addTile(dst, a, b, n, k, [3]int{i0, j0, l0}, [3]int{min(i0+tile, m), min(j0+tile, n), min(l0+tile, k)})
			}
		}
	}
}

// addTile adds the products of rows, columns and terms from lo to hi.
func addTile(dst, a, b []float32, n, k int, lo, hi [3]int) {
	for i := lo[0]; i < hi[0]; i++ {
		for l := lo[2]; l < hi[2]; l++ {
			v := a[i*k+l]
			for j := lo[1]; j < hi[1]; j++ {
				dst[i*n+j] += float32(v * b[l*n+j])
			}
		}
	}
}

// splits is into how many parts MatMulSplitK cuts sums.
const splits = 4

// MatMulSplitK is MatMul with each sum in four parts, as cores do that share few rows: the parts' sums are added at the end.
//
// Shape, Error, Special, Alias: as MatMul's.
func MatMulSplitK(dst, a, b []float32, m, n, k int) {
	checkProduct(len(dst), len(a), len(b), m, n, k)
	clear(dst)
	part := make([]float32, m*n)
	for p := range splits {
		clear(part)
		addTile(part, a, b, n, k, [3]int{0, 0, p * k / splits}, [3]int{m, n, (p + 1) * k / splits})
		for i, v := range part {
			dst[i] += v
		}
	}
}

// MatMulHalf is MatMul of binary16 numbers, with products, which are exact, and sums in binary32.
//
// Shape, Special, Alias: as MatMul's.
// Error: (k-1)·u·Σ|a_il·b_lj|.
func MatMulHalf(dst []float32, a, b []uint16, m, n, k int) {
	checkProduct(len(dst), len(a), len(b), m, n, k)
	for i := range m {
		for j := range n {
			var s float32
			for l := range k {
				s += float32(kernels.HalfToFloat32(a[i*k+l]) * kernels.HalfToFloat32(b[l*n+j]))
			}
			dst[i*n+j] = s
		}
	}
}
