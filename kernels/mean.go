package kernels

import (
	"math"

	"gamma/model"
)

func means() []Kernel {
	mean := func(c model.Claim) model.Claim {
		c.Mean, c.SignedZero = true, true
		return c
	}
	b32 := model.Binary32
	return []Kernel{
		{Name: "kernels.Mean", Claim: mean(plain(b32, "lanes/8")), Sum32: Mean},
		{Name: "kernels.MeanPairwise", Claim: mean(plain(b32, "pairwise/128")), Sum32: MeanPairwise},
		{Name: "kernels.MeanSerial", Claim: mean(plain(b32, "left")), Sum32: MeanSerial},
	}
}

// divide returns s/n rounded once to binary32.
//
// Rounding: n may have more than 24 bits, so the quotient is rounded to odd in binary64 first;
// the remainder s - q·n is a binary64 number, whose sign tells on which side of q the exact quotient is.
// Special: 0/0 is NaN.
func divide(s float64, n int) float32 {
	d := float64(n)
	q := s / d
	if q == 0 || !finite(q) {
		return float32(q)
	}
	return float32(roundOdd(q, math.FMA(-q, d, s)))
}

// Mean returns SumLanes(x) divided by the number of leaves.
//
// Shape: fewer than 2^53 leaves.
// Rounding: one more than the sum has, for any length of x.
// Special: the mean of no leaves is NaN, as 0/0 is; the sum overflows where SumLanes does.
func Mean(x []float32) float32 { return divide(float64(SumLanes(x)), len(x)) }

// MeanPairwise returns SumPairwise128(x) divided by the number of leaves; see Mean.
func MeanPairwise(x []float32) float32 { return divide(float64(SumPairwise128(x)), len(x)) }

// MeanSerial returns SumSerial(x) divided by the number of leaves; see Mean.
func MeanSerial(x []float32) float32 { return divide(float64(SumSerial(x)), len(x)) }
