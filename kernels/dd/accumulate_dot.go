package dd

import (
	"gamma/kernels"
	"gamma/kernels/eft"
)

// dotted returns the sum of x_i·y_(i·stride) + bias in two words: both words of each product, and then the bias if there is one,
// are added by PlusFP.
//
// Special: where a step overflows, the result is plainDot's. The sum is -0 only if every term is.
func dotted[T kernels.Float](x, y []T, stride int, bias []T) DD[T] {
	var s DD[T]
	for i, v := range x {
		p, e := eft.TwoProductFMA(v, y[i*stride])
		if i == 0 {
			s = FromWord(p)
		} else {
			s = s.PlusFP(p)
		}
		s = s.PlusFP(e)
	}
	for _, v := range bias {
		if len(x) == 0 {
			return FromWord(v)
		}
		s = s.PlusFP(v)
	}
	if s.Finite() && s.Hi != 0 {
		return s
	}
	if !s.Finite() {
		return plainDot(x, y, stride, bias)
	}
	zeros := make([]T, 0, len(x)+len(bias))
	for i, v := range x {
		zeros = append(zeros, T(v*y[i*stride]))
	}
	return FromWord(zeroSum(append(zeros, bias...)))
}

// plainDot is used where dotted overflows: the rounded products are added from the left, then the bias, and then the rounding
// errors if they are finite, as in kernels.Dot2.
func plainDot[T kernels.Float](x, y []T, stride int, bias []T) DD[T] {
	terms := make([]T, 0, len(x)+len(bias))
	var words []T
	for i, v := range x {
		p, e := eft.TwoProductFMA(v, y[i*stride])
		terms, words = append(terms, p), append(words, e)
	}
	terms = append(terms, bias...)
	s := kernels.SumSerial(terms)
	if s-s != 0 {
		return FromWord(s)
	}
	if t := kernels.SumNeumaier(append(terms, words...)); t-t == 0 {
		s = t
	}
	return FromWord(s)
}

// Dot returns Σx_i·y_i rounded once: each product is split without error into two words, both of which are added to a double word
// by PlusFP.
//
// Shape:   len(x) = len(y); it panics otherwise.
// Error:   v·|S| + (1+v)·2(n-1)u²·(1+2v)·A + (1+v)·n·(1+6(n-1)u²)·η with A = Σ|x_i·y_i|. AccuratePlus of the pairs takes as many
// operations and has 3u²/(1-4u) instead of 2u²(1+2v).
// Special: the sum of no products is +0, and one of only -0 is -0. Where a step overflows, the result is that of plain additions,
// compensated if it is finite.
// Cost:    22 operations a product.
// Source:  model.DoubleWordDotBound, [Gamma W2].
func Dot[T kernels.Float](x, y []T) T {
	if len(x) != len(y) {
		panic(lengthsDiffer(len(x), len(y)))
	}
	return dotted(x, y, 1, nil).Hi
}

// Linear writes w·x + bias to dst, each number rounded once: w is a matrix of len(dst) rows, row after row, and bias is nil or has
// len(dst) numbers.
//
// Shape:   len(w) = len(dst)·len(x); it panics otherwise. Without x, dst is the bias.
// Error:   v·|y| + (1+v)·(2n-1)u²·((1+2v)·A + |b|) + (1+v)·n·(1+3(2n-1)u²)·η for a result y with bias b, which is one more leaf
// than in Dot.
// Special: as Dot, with the bias as the last term.
// Alias:   dst overlaps none of the others; it panics otherwise.
func Linear[T kernels.Float](dst, w, x, bias []T) {
	n := len(x)
	switch {
	case len(w) != len(dst)*n:
		panic(matrixDoesNotFit(len(w), len(dst), n))
	case bias != nil && len(bias) != len(dst):
		panic(biasDoesNotFit(len(bias), len(dst)))
	case kernels.Overlap(dst, w) || kernels.Overlap(dst, x) || kernels.Overlap(dst, bias):
		panic(resultOverlaps)
	}
	for i := range dst {
		var b []T
		if bias != nil {
			b = bias[i : i+1]
		}
		dst[i] = dotted(w[i*n:(i+1)*n], x, 1, b).Hi
	}
}

// MatMul writes the product of a, of rows×n, and b, of n×columns, to dst, of rows×columns, all row after row: each number is Dot
// of a row and a column.
//
// Shape:   no size is negative, and the slices have these lengths; it panics otherwise. With n = 0, dst is all +0.
// Error:   as Dot.
// Special: as Dot.
// Alias:   dst overlaps neither a nor b; it panics otherwise.
func MatMul[T kernels.Float](dst, a, b []T, rows, n, columns int) {
	switch {
	case rows < 0 || n < 0 || columns < 0:
		panic(sizeIsNegative(rows, n, columns))
	case len(a) != rows*n:
		panic(matrixDoesNotFit(len(a), rows, n))
	case len(b) != n*columns:
		panic(matrixDoesNotFit(len(b), n, columns))
	case len(dst) != rows*columns:
		panic(matrixDoesNotFit(len(dst), rows, columns))
	case kernels.Overlap(dst, a) || kernels.Overlap(dst, b):
		panic(resultOverlaps)
	}
	for i := range rows {
		for j := range columns {
			var column []T
			if n > 0 {
				column = b[j:]
			}
			dst[i*columns+j] = dotted(a[i*n:(i+1)*n], column, columns, nil).Hi
		}
	}
}
