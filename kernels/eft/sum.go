package eft

import "gamma/kernels"

// TwoSum returns s = fl(a+b) and e with s + e = a + b exactly, in six additions, as Knuth writes them: a' = s-b, b' = s-a'.
//
// Domain:  any a and b in any order, subnormal ones too, if s and s-b are finite; s-b can overflow beside a finite s only where
// |a| is the largest number, and then e is NaN.
// Special: if s is not finite, e is NaN or infinite.
// Source:  [Knuth 1997] Theorem B.
func TwoSum[T kernels.Float](a, b T) (s, e T) {
	s = a + b
	a1 := s - b
	b1 := s - a1
	da := a - a1
	db := b - b1
	return s, da + db
}

// TwoSumLeft is TwoSum as Metal shaders write it, v = s-a and (a - (s-v)) + (b-v): the operands' parts are exchanged.
//
// Domain: as TwoSum, with s-a instead of s-b: e can be wrong only if |b| is the largest number.
// Source: [Knuth 1997] Theorem B, a and b exchanged.
func TwoSumLeft[T kernels.Float](a, b T) (s, e T) {
	s = a + b
	v := s - a
	return s, (a - (s - v)) + (b - v)
}

// FastTwoSum returns s = fl(a+b) and e = b - (s-a), in three additions; s + e = a + b exactly in its domain.
//
// Domain:  a = 0, or |a| >= |b|, or the exponent of a at least that of b; s finite. No step overflows then.
// Special: if s is not finite, e is NaN or infinite; outside the domain e is finite and may be wrong.
// Source:  [Dekker 1971].
func FastTwoSum[T kernels.Float](a, b T) (s, e T) {
	s = a + b
	z := s - a
	return s, b - z
}
