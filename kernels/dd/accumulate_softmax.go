package dd

import (
	"math"

	"gamma/kernels"
	"gamma/kernels/eft"
)

// Softmax writes exp(x_i-m)/Σexp(x_j-m), m being the largest x_i, each rounded once.
//
// The exponential e_i is math.Exp of a float64, corrected to first order for the part of x_i-m beyond the float64. Sum and quotient are of
// double words: SloppyPlus, since no term is negative, and Div2.
//
// Shape:   len(dst) = len(x); it panics otherwise.
// Error:   let ε = 2^-52 + 2^-53 + 2^-80 bound the relative error of e_i. Its first part is one ulp of math.Exp, as its
// documentation says: an assumption. With 1+ε' = (1+ε)(1+u²), a softmax p has
//
//	|result - p| <= (v + (1+v)·κ)·p + 8η,  1+κ = (1+ε')(1+15u²+56u³)/((1-ε')(1-3u²)^(n-1)) + n·u⁴
//
// because all terms are positive: numerator and each term of the sum err by ε, and by u² for the conversion to two words; each
// addition by 3u² of its result. For float32, κ is about (18+3n+3/16)u², or 2^-43.6 and 3nu²; for float64 it is 3·2^-52, so that
// a result may be 4 units of u off: the exponential has one word there. Terms that underflow lose a few η each, of a sum that is 1 or
// more: less than n·u⁴ of it. A result that underflows loses 8η: 2 in math.Exp, 1 in each of product, conversion and quotient, 2
// in the quotient's product, 1 in the last rounding.
// Special: a NaN or +Inf makes all results NaN, and so do numbers that are all -Inf; otherwise -Inf gives 0.
// Alias:   dst may be x; it panics if they overlap in any other way.
func Softmax[T kernels.Float](dst, x []T) {
	if len(dst) != len(x) {
		panic(lengthsDiffer(len(dst), len(x)))
	}
	if kernels.Overlap(dst, x) && &dst[0] != &x[0] {
		panic(resultOverlaps)
	}
	m := T(math.Inf(-1))
	for _, v := range x {
		if v != v || v-v != 0 && v > 0 {
			m = T(math.NaN())
			break
		}
		m = max(m, v)
	}
	if m-m != 0 {
		for i := range dst {
			dst[i] = T(math.NaN())
		}
		return
	}
	e := make([]DD[T], len(x))
	var s DD[T]
	for i, v := range x {
		e[i] = FromFloat64[T](exponential(v, m))
		if i == 0 {
			s = e[i]
		} else {
			s = s.SloppyPlus(e[i])
		}
	}
	for i := range dst {
		dst[i] = e[i].Div2(s).Hi
	}
}

// exponential returns exp(v-m) for v <= m, m finite.
//
// Error: that of math.Exp and 2^-53 + 2^-80, relative: h+l = v-m exactly, and |l| <= 2^-53·|h| with |h| <= 746 where the result is
// not 0, so that exp(l) = 1+l within 2^-87. The sum's rounding is the 2^-53; that of e·l is below 2^-95.
func exponential[T kernels.Float](v, m T) float64 {
	h, l := eft.TwoSum(float64(v), -float64(m))
	e := math.Exp(h)
	if l-l != 0 || e == 0 {
		return e
	}
	return e + float64(e*l)
}
