package eft

import (
	"math"

	"gamma/kernels"
)

// single reports whether T is float32. 2^-24 is half an ulp of 1 there, and a tie goes to even; compilers fold it.
func single[T kernels.Float]() bool { return T(1)+T(0x1p-24) == 1 }

// Precision returns p, the number of bits of T's significand: 24 or 53.
func Precision[T kernels.Float]() int {
	if single[T]() {
		return 24
	}
	return 53
}

// FMA returns a·b + c, rounded once.
//
// Special: as in IEEE 754.
// Cost:    one instruction or math.FMA's emulation for float64; kernels.FMA for float32.
func FMA[T kernels.Float](a, b, c T) T {
	if single[T]() {
		return T(kernels.FMA(float32(a), float32(b), float32(c)))
	}
	return T(math.FMA(float64(a), float64(b), float64(c))) // gamma:allow double-rounding: T is float64 here
}

// Sqrt returns √a, rounded once.
//
// Rounding: a binary32 root that is rounded to 53 bits and then to 24 is rounded as if once, since 53 >= 2·24+2.
// Source:   [Figueroa 1995].
func Sqrt[T kernels.Float](a T) T { return T(math.Sqrt(float64(a))) }
