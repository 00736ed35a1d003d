package complex

import (
	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
)

// ComplexMultiplyExtended sets dst to the products of the complex double words of u and k, each part rounded once, at the end.
//
// Shape:    len(u) = len(k) = 4n, len(dst) = 2n.
// Rounding: the double-word product is normalised, so that its high words are the rounded parts.
// Error:    half an ulp of each part and (4√2+3)u²·|u·k| of the norm, with terms of u³.
// Alias:    dst may start at u's or k's first word.
func ComplexMultiplyExtended[T kernels.Float](dst, u, k []T) {
	fits(dst, u, k, 2, 4)
	for len(dst) > 0 {
		z := at(u).Times3(at(k))
		dst[0], dst[1] = z.Re.Hi, z.Im.Hi
		dst, u, k = dst[2:], u[4:], k[4:]
	}
}

// ComplexMultiplyExtendedDD sets dst to the products of the complex double words of u and k, in double words, by DD.Times3.
//
// Shape: all lengths are 4n.
// Alias: dst may be u or k.
func ComplexMultiplyExtendedDD[T kernels.Float](dst, u, k []T) {
	fits(dst, u, k, 4, 4)
	for len(dst) > 0 {
		at(u).Times3(at(k)).put(dst)
		dst, u, k = dst[4:], u[4:], k[4:]
	}
}

// FFTScaleExtended sets dst to the double words of x divided by n, each rounded once, at the end. Real and imaginary parts are
// scaled in the same way, so that x may hold any double words.
//
// Shape:  len(x) = 2·len(dst); n >= 1.
// Error:  half an ulp and 3u²·|x/n|; (15u²+56u³)·|x/n| instead of 3u² if n is not a word, as above 2^24 or 2^53; exact but for
// the rounding if n is a power of two and nothing underflows.
// Alias:  dst may start at x's first word.
// Source: [JMP 2017] Algorithm 15, or 17 if n is not a word. The reciprocal of n is never rounded.
func FFTScaleExtended[T kernels.Float](dst, x []T, n int) {
	divide := divisor[T](n, len(dst), len(x), 1)
	alias(dst, x, 1, 2)
	for len(dst) > 0 {
		dst[0] = divide(dd.DD[T]{Hi: x[0], Lo: x[1]}).Hi
		dst, x = dst[1:], x[2:]
	}
}

// FFTScaleExtendedDD sets dst to the double words of x divided by n, in double words; otherwise as FFTScaleExtended.
//
// Shape: len(x) = len(dst), even; n >= 1.
// Alias: dst may be x.
func FFTScaleExtendedDD[T kernels.Float](dst, x []T, n int) {
	divide := divisor[T](n, len(dst), len(x), 2)
	alias(dst, x, 2, 2)
	for len(dst) > 0 {
		z := divide(dd.DD[T]{Hi: x[0], Lo: x[1]})
		dst[0], dst[1] = z.Hi, z.Lo
		dst, x = dst[2:], x[2:]
	}
}

// divisor returns the division by n of a vector of x words into one of dst words, out words each; it panics if they do not fit.
func divisor[T kernels.Float](n, dst, x, out int) func(x dd.DD[T]) dd.DD[T] {
	if n < 1 {
		panic(badSize(n))
	}
	if x%2 != 0 || x/2*out != dst {
		panic(scaleDoesNotFit(dst, x, out))
	}
	d := dd.FromInt64[T](int64(n))
	if d.Lo != 0 {
		return func(x dd.DD[T]) dd.DD[T] { return x.Div2(d) }
	}
	return func(x dd.DD[T]) dd.DD[T] { return x.DivFP3(d.Hi) }
}

// Depthwise3Extended sets every row of dst to the row of x filtered by three taps of its own:
// dst[i] = w[0]·x[i-1] + w[1]·x[i] + w[2]·x[i+1], where x is 0 outside its row, added in double words and rounded once.
//
// Shape:  w holds three taps for each channel, x and dst one row for each channel, all of one length, which may be 0.
// Error:  see Dot3Extended.
// Alias:  dst may be x; it panics if they overlap otherwise, or if dst and w do.
func Depthwise3Extended[T kernels.Float](dst, x, w []T) {
	if len(dst) != len(x) || len(w)%3 != 0 || len(w) == 0 && len(x) != 0 || len(w) > 0 && len(x)%(len(w)/3) != 0 {
		panic(stencilDoesNotFit(len(dst), len(x), len(w)))
	}
	alias(dst, x, 1, 1)
	if kernels.Overlap(dst, w) {
		panic(stencilOverlaps)
	}
	if len(x) == 0 {
		return
	}
	n := len(x) / (len(w) / 3)
	for ; len(x) > 0; dst, x, w = dst[n:], x[n:], w[3:] {
		var left T // x[i-1] from before dst took its place
		for i, v := range x[:n] {
			var right T
			if i+1 < n {
				right = x[i+1]
			}
			dst[i] = Dot3Extended([3]T{left, v, right}, [3]T(w))
			left = v
		}
	}
}

// Dot3Extended returns x[0]·y[0] + x[1]·y[1] + x[2]·y[2]: exact products, two additions in double words, one rounding at the end.
//
// Error:  half an ulp, and (2a+a²)·Σ|x_i·y_i| with a = 3u²/(1-4u), for products of exponents that add up to emin+p-1 or more, or zero,
// and no overflow.
// Source: [JMP 2017] Algorithm 6, twice: the first sum errs by a·|x0y0+x1y1|, the second by a times a sum that includes that error.
func Dot3Extended[T kernels.Float](x, y [3]T) T {
	var p [3]dd.DD[T]
	for i := range p {
		p[i].Hi, p[i].Lo = eft.TwoProductFMA(x[i], y[i])
	}
	return p[0].AccuratePlus(p[1]).AccuratePlus(p[2]).Hi
}
