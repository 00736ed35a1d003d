package fft

import (
	"unsafe"

	"gamma/kernels"
	"gamma/kernels/complex"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
)

// Number is a complex number of a transform: two binary32 words, two of binary64, or two double words of binary64.
type Number interface {
	complex64 | complex128 | Double
}

// Double is a complex number of double words.
type Double = complex.DD[float64]

// Real is a real number of a transform: a word, or a double word.
type Real interface {
	float32 | float64 | dd.DD64
}

// number is what a pass computes with.
type number[C any] interface {
	plus(C) C
	minus(C) C
	times(w C) C  // the complex product
	scaled(f C) C // each part times the real part of f
	turned() C    // the product with -i, exact
	conj() C      // exact
	onlyReal() C  // with imaginary part +0
}

// single is a complex number of words. Its memory is that of complex64 or complex128.
type single[F kernels.Float] struct{ re, im F }

func (x single[F]) plus(y single[F]) single[F]  { return single[F]{x.re + y.re, x.im + y.im} }
func (x single[F]) minus(y single[F]) single[F] { return single[F]{x.re - y.re, x.im - y.im} }
func (x single[F]) turned() single[F]           { return single[F]{x.im, -x.re} }
func (x single[F]) conj() single[F]             { return single[F]{x.re, -x.im} }

func (x single[F]) onlyReal() single[F] { return single[F]{re: x.re} }

// times is complex.Number's TimesPlain.
func (x single[F]) times(w single[F]) single[F] {
	return single[F]{F(x.re*w.re) - F(x.im*w.im), F(x.re*w.im) + F(x.im*w.re)}
}

func (x single[F]) scaled(f single[F]) single[F] { return single[F]{F(x.re * f.re), F(x.im * f.re)} }

// double is a complex number of double words. Its memory is that of Double.
type double struct{ re, im dd.DD64 }

// plus returns x + y by SloppyPlus.
//
// Error:  of each part 3u²·(|x|+|y|) and terms of u³: v and w round once each, w of at most 2u·(|x|+|y|).
// The last FastTwoSum is exact, since where w is larger, sh is a multiple of w's last bit.
// Source: [JMP 2017] Algorithm 5.
func (x double) plus(y double) double { return double{x.re.SloppyPlus(y.re), x.im.SloppyPlus(y.im)} }

func (x double) minus(y double) double { return x.plus(double{y.re.Neg(), y.im.Neg()}) }
func (x double) turned() double        { return double{x.im, x.re.Neg()} }
func (x double) conj() double          { return double{x.re, x.im.Neg()} }
func (x double) onlyReal() double      { return double{re: x.re} }

// times returns x·w.
//
// Error:  that of twoProducts for each part, whose |a·b| + |c·d| is at most |x|·|w|.
func (x double) times(w double) double {
	return double{twoProducts(x.re, w.re, x.im.Neg(), w.im), twoProducts(x.re, w.im, x.im, w.re)}
}

// twoProducts returns a·b + c·d: the products and the sum of high words without error, all else in one word.
//
// Error:  13u²·(|a·b| + |c·d|), and terms of u³. The low part is a sum of t, of the errors of two products, and of four products of a high word by a
// low one, each at most u·|a·b| or u·|c·d|, t u times the sum of both. The additions round sums of at most 2 and 3 such units of each product,
// and then of 3 and 4 of both; the products of low words, 1, are left out: 2+3+3+4+1.
func twoProducts(a, b, c, d dd.DD64) dd.DD64 {
	p, e := eft.TwoProductFMA(a.Hi, b.Hi)
	q, f := eft.TwoProductFMA(c.Hi, d.Hi)
	s, t := eft.TwoSum(p, q)
	low := eft.FMA(a.Hi, b.Lo, e)
	low = eft.FMA(a.Lo, b.Hi, low)
	other := eft.FMA(c.Hi, d.Lo, f)
	other = eft.FMA(c.Lo, d.Hi, other)
	low = low + other
	h, l := eft.FastTwoSum(s, t+low)
	return dd.DD64{Hi: h, Lo: l}
}

func (x double) scaled(f double) double { return double{x.re.Times3(f.re), x.im.Times3(f.re)} }

// view returns the memory of x as numbers of another type: C may be larger or smaller, where what x holds is whole numbers C.
func view[C, T any](x []T) []C {
	var c C
	var t T
	return unsafe.Slice((*C)(unsafe.Pointer(unsafe.SliceData(x))), uintptr(len(x))*unsafe.Sizeof(t)/unsafe.Sizeof(c))
}

// meet says how slices share memory.
type meet uint8

const (
	apart meet = iota
	same       // they start at the same byte
	partly
)

// meeting tells how x and y meet. Slices are contiguous, and heap objects do not move, so that addresses can be compared.
func meeting[X, Y any](x []X, y []Y) meet {
	if len(x) == 0 || len(y) == 0 {
		return apart
	}
	a, b := uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0]))
	switch {
	case a == b:
		return same
	case a < b && b-a < uintptr(len(x))*unsafe.Sizeof(x[0]), b < a && a-b < uintptr(len(y))*unsafe.Sizeof(y[0]):
		return partly
	}
	return apart
}
