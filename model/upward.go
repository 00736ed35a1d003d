package model

import (
	"math"
	"math/big"
)

// Bounds are computed upward: every operation below returns at least the exact result of positive
// operands, with 256 bits of significand, so that even a bound of thousands of operations, with
// 1 subtracted from a power that is near 1, is above its formula by less than 2^-100 of it. One
// last rounding, upward, takes it to binary64.

const upwardPrec = 256

// newUpward returns 0 with the precision and the rounding of all bounds.
func newUpward() *big.Float {
	return new(big.Float).SetPrec(upwardPrec).SetMode(big.ToPositiveInf)
}

// exactly returns x.
func exactly(x float64) *big.Float { return newUpward().SetFloat64(x) }

// whole returns n.
func whole(n int) *big.Float { return newUpward().SetInt64(int64(n)) }

// twoTo returns 2^k.
func twoTo(k int) *big.Float { return newUpward().SetMantExp(whole(1), k) }

// add returns the sum of its operands, rounded up.
func add(x *big.Float, ys ...*big.Float) *big.Float {
	z := newUpward().Set(x)
	for _, y := range ys {
		z.Add(z, y)
	}
	return z
}

// mul returns the product of its operands, rounded up where none is negative.
func mul(x *big.Float, ys ...*big.Float) *big.Float {
	z := newUpward().Set(x)
	for _, y := range ys {
		z.Mul(z, y)
	}
	return z
}

// quo returns x/y, rounded up. An exact y keeps the quotient an upper bound.
func quo(x, y *big.Float) *big.Float { return newUpward().Quo(x, y) }

// power returns x^k, rounded up, for x >= 0 and k >= 0.
func power(x *big.Float, k int) *big.Float {
	z := whole(1)
	for s := newUpward().Set(x); k > 0; k >>= 1 {
		if k&1 == 1 {
			z.Mul(z, s)
		}
		if k > 1 {
			s.Mul(s, s)
		}
	}
	return z
}

// lessOne returns x-1, rounded up.
func lessOne(x *big.Float) *big.Float { return newUpward().Sub(x, whole(1)) }

// ceil returns the least binary64 number that is not below x >= 0: +Inf beyond the largest.
func ceil(x *big.Float) float64 {
	f, acc := x.Float64()
	if acc == big.Below {
		f = math.Nextafter(f, math.Inf(1))
	}
	return f
}
