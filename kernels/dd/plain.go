package dd

import (
	"gamma/kernels"
	"gamma/kernels/eft"
)

// Round returns Hi + Lo rounded once to a word; for a normalised pair that is Hi, -0 too.
func (x DD[T]) Round() T {
	if x.Lo == 0 {
		return x.Hi
	}
	return x.Hi + x.Lo
}

// Plus returns x + y by AccuratePlus, which has the sharpest bound.
//
// Special: where a step overflows although the sum does not, the sum is computed from sixteenths of the operands, and bits of low words below 16
// times the smallest number are lost. A sum that overflows is infinite with low word 0; infinities and NaN give the result of + for
// the rounded operands, with low word 0.
func (x DD[T]) Plus(y DD[T]) DD[T] {
	z := x.AccuratePlus(y)
	if z.Finite() {
		return z
	}
	if z = sixteenth(x).AccuratePlus(sixteenth(y)); z.Finite() {
		return sixteenfold(z)
	}
	return DD[T]{Hi: x.Round() + y.Round()}
}

// Minus returns x - y, as Plus of x and -y.
func (x DD[T]) Minus(y DD[T]) DD[T] { return x.Plus(y.Neg()) }

// Times returns x·y by Times3, which has the sharpest bound.
//
// Special: a product is infinite if that of the high words overflows, or the result's own rounding does; otherwise infinities, NaN
// and zeros give the result of * for the rounded operands. The low word is then 0.
func (x DD[T]) Times(y DD[T]) DD[T] {
	z := x.Times3(y)
	switch {
	case z.Finite():
		return z
	case z.Hi == z.Hi:
		return DD[T]{Hi: z.Hi}
	}
	return DD[T]{Hi: T(x.Round() * y.Round())}
}

// Over returns x/y by Div2. Div3 has a sharper bound, but underflows in the reciprocal of a large y.
//
// Special: where a step overflows although the quotient does not, the quotient of x/16 is multiplied by 16. Zero divisors,
// infinities and NaN give the result of / for the rounded operands, with low word 0.
func (x DD[T]) Over(y DD[T]) DD[T] {
	z := x.Div2(y)
	if z.Finite() {
		return z
	}
	q := x.Round() / y.Round()
	if q-q != 0 || q == 0 {
		return DD[T]{Hi: q}
	}
	return sixteenfold(sixteenth(x).Div2(y))
}

// Root returns √x by Sqrt.
//
// Special: √±0 = ±0, √+Inf = +Inf, and the root of a negative number or NaN is NaN; the low word is then 0.
func (x DD[T]) Root() DD[T] {
	if z := x.Sqrt(); z.Finite() {
		return z
	}
	return DD[T]{Hi: eft.Sqrt(x.Round())}
}

// sixteenth returns x/16.
func sixteenth[T kernels.Float](x DD[T]) DD[T] {
	return DD[T]{T(x.Hi * (1.0 / 16)), T(x.Lo * (1.0 / 16))}
}

// sixteenfold returns 16·x, and an infinity with low word 0 if that overflows.
func sixteenfold[T kernels.Float](x DD[T]) DD[T] {
	z := DD[T]{T(x.Hi * 16), T(x.Lo * 16)}
	if !z.Finite() {
		return DD[T]{Hi: z.Hi}
	}
	return z
}
