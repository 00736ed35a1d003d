package dd

import "gamma/kernels"

// DD is a double word, the number Hi + Lo.
type DD[T kernels.Float] struct{ Hi, Lo T }

// DD32 has at least 48 bits in two words of 24, and DD64 106 in two of 53.
type (
	DD32 = DD[float32]
	DD64 = DD[float64]
)

// FromWord returns v as a double word.
func FromWord[T kernels.Float](v T) DD[T] { return DD[T]{Hi: v} }

// FromPair returns a + b, exactly and normalised, for a and b in any order and of any size.
//
// Special: if RN(a+b) is not finite, the words are that and 0.
func FromPair[T kernels.Float](a, b T) DD[T] {
	if magnitude(a) < magnitude(b) {
		a, b = b, a
	}
	if b == 0 { // so that -0 stays -0
		return DD[T]{Hi: a}
	}
	return fromParts(a, b)
}

// Renormalise returns the double word with the value of x, exactly: FromPair of its words.
func (x DD[T]) Renormalise() DD[T] { return FromPair(x.Hi, x.Lo) }

// Normal reports whether x is finite and normalised: Hi = RN(Hi+Lo).
func (x DD[T]) Normal() bool { return x.Finite() && x.Hi+x.Lo == x.Hi }

// Finite reports whether both words and their rounded sum are.
func (x DD[T]) Finite() bool {
	s := x.Hi + x.Lo
	return x.Hi-x.Hi == 0 && x.Lo-x.Lo == 0 && s-s == 0
}

// Neg returns -x.
func (x DD[T]) Neg() DD[T] { return DD[T]{-x.Hi, -x.Lo} }

// Abs returns |x| for any pair: the sign is that of Hi+Lo. |-0| is +0.
func (x DD[T]) Abs() DD[T] {
	s := x.Hi + x.Lo
	switch {
	case s < 0:
		return x.Neg()
	case s == 0 && x.Hi == 0: // Lo is 0 too, and a word may be -0
		return DD[T]{}
	}
	return x
}

// Cmp returns -1, 0 or 1 as x is less than, equal to or greater than y, exactly, for pairs of any kind.
//
// Special: as in package cmp, a NaN is less than all numbers and equal to a NaN, and -0 is equal to +0. Infinities of one sign
// are equal, with any low words.
//
// Rounding is monotone, so that normalised pairs have the order of their high words, and of their low words where those are equal.
func (x DD[T]) Cmp(y DD[T]) int {
	x, y = x.Renormalise(), y.Renormalise()
	switch {
	case x.Hi != x.Hi && y.Hi != y.Hi:
		return 0
	case x.Hi != x.Hi:
		return -1
	case y.Hi != y.Hi:
		return 1
	case x.Hi < y.Hi:
		return -1
	case x.Hi > y.Hi:
		return 1
	case x.Lo < y.Lo:
		return -1
	case x.Lo > y.Lo:
		return 1
	}
	return 0
}

// magnitude returns |v|.
func magnitude[T kernels.Float](v T) T {
	if v < 0 {
		return -v
	}
	return v
}
