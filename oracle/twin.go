package oracle

import "math/big"

// The twins of the accumulators share no code with them: they add with math/big, with a precision
// that makes every addition exact. All elements must be finite.

const (
	// Sums of n binary32 numbers, and of n of their products, are multiples of 2^-298 below
	// 2^(256 + log2 n).
	twinPrec32 = 640
	// Sums of n products of binary64 numbers are multiples of 2^-2148 below 2^(2048 + log2 n).
	twinPrec64 = 4300
)

// SumTwin returns the exact sum of x.
//
// Cost: about 100 ns an element.
func SumTwin(x []float32) *big.Float {
	s := new(big.Float).SetPrec(twinPrec32)
	var t big.Float
	for _, v := range x {
		s.Add(s, t.SetFloat64(float64(v)))
	}
	return s
}

// DotTwin returns the exact sum of the x[i]·y[i].
func DotTwin(x, y []float32) *big.Float {
	s := new(big.Float).SetPrec(twinPrec32)
	var p, q big.Float
	t := new(big.Float).SetPrec(64)
	for i, v := range x {
		s.Add(s, t.Mul(p.SetFloat64(float64(v)), q.SetFloat64(float64(y[i]))))
	}
	return s
}

// SumTwin64 returns the exact sum of x.
func SumTwin64(x []float64) *big.Float {
	s := new(big.Float).SetPrec(twinPrec64)
	var t big.Float
	for _, v := range x {
		s.Add(s, t.SetFloat64(v))
	}
	return s
}

// DotTwin64 returns the exact sum of the x[i]·y[i].
func DotTwin64(x, y []float64) *big.Float {
	s := new(big.Float).SetPrec(twinPrec64)
	var p, q big.Float
	t := new(big.Float).SetPrec(128)
	for i, v := range x {
		s.Add(s, t.Mul(p.SetFloat64(v), q.SetFloat64(y[i])))
	}
	return s
}
