package complex

import (
	"gamma/kernels"
	"gamma/kernels/dd"
)

// DD is a complex number of double words.
type DD[T kernels.Float] struct{ Re, Im dd.DD[T] }

// Plus returns x + y.
//
// Error:  3u²/(1-4u) of each part by itself.
// Source: [JMP 2017] Algorithm 6, twice; [MR 2022].
func (x DD[T]) Plus(y DD[T]) DD[T] {
	return DD[T]{x.Re.AccuratePlus(y.Re), x.Im.AccuratePlus(y.Im)}
}

// Times1 returns x·y by dd.Times1 and dd.AccuratePlus.
//
// Error:  (5√2+3)u²·|x·y| of the norm, and terms of u³. A part that cancels may have no correct digit beyond that.
// Source: [Gamma W6], ComplexDW1.
func (x DD[T]) Times1(y DD[T]) DD[T] {
	return DD[T]{
		x.Re.Times1(y.Re).AccuratePlus(x.Im.Times1(y.Im).Neg()),
		x.Re.Times1(y.Im).AccuratePlus(x.Im.Times1(y.Re)),
	}
}

// Times2 returns x·y by dd.Times2 and dd.AccuratePlus.
//
// Error:  (5√2+3)u²·|x·y| of the norm, and terms of u³.
// Source: [Gamma W6], ComplexDW2.
func (x DD[T]) Times2(y DD[T]) DD[T] {
	return DD[T]{
		x.Re.Times2(y.Re).AccuratePlus(x.Im.Times2(y.Im).Neg()),
		x.Re.Times2(y.Im).AccuratePlus(x.Im.Times2(y.Re)),
	}
}

// Times3 returns x·y by dd.Times3 and dd.AccuratePlus.
//
// Error:  (4√2+3)u²·|x·y| of the norm, and terms of u³.
// Source: [Gamma W6], ComplexDW3.
func (x DD[T]) Times3(y DD[T]) DD[T] {
	return DD[T]{
		x.Re.Times3(y.Re).AccuratePlus(x.Im.Times3(y.Im).Neg()),
		x.Re.Times3(y.Im).AccuratePlus(x.Im.Times3(y.Re)),
	}
}

// at returns the number whose four words x begins with.
func at[T kernels.Float](x []T) DD[T] {
	_ = x[3]
	return DD[T]{dd.DD[T]{Hi: x[0], Lo: x[1]}, dd.DD[T]{Hi: x[2], Lo: x[3]}}
}

// put writes the number's four words to the front of dst.
func (x DD[T]) put(dst []T) {
	_ = dst[3]
	dst[0], dst[1], dst[2], dst[3] = x.Re.Hi, x.Re.Lo, x.Im.Hi, x.Im.Lo
}

// AddDD sets dst to the sums of the complex double words of x and y, by DD.Plus.
func AddDD[T kernels.Float](dst, x, y []T) {
	fits(dst, x, y, 4, 4)
	for i := 0; i < len(dst); i += 4 {
		at(x[i:]).Plus(at(y[i:])).put(dst[i:])
	}
}
