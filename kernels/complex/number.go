package complex

import (
	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/eft"
)

// Number is a complex number of single words.
type Number[T kernels.Float] struct{ Re, Im T }

// TimesPlain returns x·y by four products and two additions, each rounded.
//
// Error:  √5·u·|x·y|, of the norm.
// Source: [BPZ 2007] Theorem 1, ComplexPlain.
func (x Number[T]) TimesPlain(y Number[T]) Number[T] {
	return Number[T]{
		T(x.Re*y.Re) - T(x.Im*y.Im),
		T(x.Re*y.Im) + T(x.Im*y.Re),
	}
}

// TimesFMA returns x·y by two products and two fused multiply-adds.
//
// Error:  2u·|x·y|, of the norm.
// Source: [JKLM 2017], ComplexFMA.
func (x Number[T]) TimesFMA(y Number[T]) Number[T] {
	return Number[T]{
		eft.FMA(x.Re, y.Re, -T(x.Im*y.Im)),
		eft.FMA(x.Re, y.Im, T(x.Im*y.Re)),
	}
}

// TimesKahan returns x·y with the rounding error of one product of each part compensated.
//
// Error:  2u of each part by itself.
// Source: [JLM 2013], ComplexKahan.
func (x Number[T]) TimesKahan(y Number[T]) Number[T] {
	w := T(x.Im * y.Im)
	e := eft.FMA(x.Im, y.Im, -w)
	f := eft.FMA(x.Re, y.Re, -w)
	v := T(x.Im * y.Re)
	g := eft.FMA(x.Im, y.Re, -v)
	h := eft.FMA(x.Re, y.Im, v)
	return Number[T]{f - e, h + g}
}

// TimesExtended returns x·y, each part computed in double words and rounded once, at the end.
//
// Error:  u+3u²·(1+u)/(1-4u) of each part by itself.
// Source: [JMP 2017] Algorithms 3 and 6, ComplexExtended.
func (x Number[T]) TimesExtended(y Number[T]) Number[T] {
	product := func(a, b T) dd.DD[T] {
		p, e := eft.TwoProductFMA(a, b)
		return dd.DD[T]{Hi: p, Lo: e}
	}
	return Number[T]{
		product(x.Re, y.Re).AccuratePlus(product(x.Im, y.Im).Neg()).Hi,
		product(x.Re, y.Im).AccuratePlus(product(x.Im, y.Re)).Hi,
	}
}

// Times3 returns x·y by three products and five additions, as Gauss found. No bound is published; the error of the norm is more
// than twice that of TimesPlain.
func (x Number[T]) Times3(y Number[T]) Number[T] {
	k1 := T(y.Re * (x.Re + x.Im))
	k2 := T(x.Re * (y.Im - y.Re))
	k3 := T(x.Im * (y.Re + y.Im))
	return Number[T]{k1 - k3, k1 + k2}
}

// MultiplyPlain sets dst to the products of x and y, number by number, by TimesPlain.
func MultiplyPlain[T kernels.Float](dst, x, y []T) {
	fits(dst, x, y, 2, 2)
	x, y = x[:len(dst)], y[:len(dst)]
	for i := 1; i < len(dst); i += 2 {
		a, b, c, d := x[i-1], x[i], y[i-1], y[i]
		dst[i-1] = T(a*c) - T(b*d)
		dst[i] = T(a*d) + T(b*c)
	}
}

// MultiplyFMA sets dst to the products of x and y by TimesFMA.
func MultiplyFMA[T kernels.Float](dst, x, y []T) { multiply(dst, x, y, Number[T].TimesFMA) }

// MultiplyKahan sets dst to the products of x and y by TimesKahan.
func MultiplyKahan[T kernels.Float](dst, x, y []T) { multiply(dst, x, y, Number[T].TimesKahan) }

// Multiply3 sets dst to the products of x and y by Times3.
func Multiply3[T kernels.Float](dst, x, y []T) { multiply(dst, x, y, Number[T].Times3) }

func multiply[T kernels.Float](dst, x, y []T, times func(x, y Number[T]) Number[T]) {
	fits(dst, x, y, 2, 2)
	for i := 0; i+1 < len(dst); i += 2 {
		z := times(Number[T]{x[i], x[i+1]}, Number[T]{y[i], y[i+1]})
		dst[i], dst[i+1] = z.Re, z.Im
	}
}
