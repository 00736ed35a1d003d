package dd

import (
	"math"

	"gamma/kernels"
	"gamma/kernels/eft"
	"gamma/model"
)

// Sums returns the kernels of this package that the laws of sums and of dot products judge: Sum, Mean and Dot of both formats.
// Package kernels cannot list them in its All, since this package imports it.
func Sums() []kernels.Kernel {
	claim := func(in model.Format) model.Claim {
		return model.Claim{In: in, Compensation: model.DoubleWord, Repeats: true, SignedZero: true}
	}
	mean := func(in model.Format) model.Claim {
		c := claim(in)
		c.Mean = true
		return c
	}
	b32, b64 := model.Binary32, model.Binary64
	return []kernels.Kernel{
		{Name: "dd.Sum", Claim: claim(b32), Sum32: Sum[float32]},
		{Name: "dd.Sum64", Claim: claim(b64), Sum64: Sum[float64]},
		{Name: "dd.Mean", Claim: mean(b32), Sum32: Mean[float32]},
		{Name: "dd.Mean64", Claim: mean(b64), Sum64: Mean[float64]},
		{Name: "dd.Dot", Claim: claim(b32), Dot32: Dot[float32]},
		{Name: "dd.Dot64", Claim: claim(b64), Dot64: Dot[float64]},
	}
}

// Total returns the sum of x in two words: its numbers are added from the left by PlusFP.
//
// Error:   (n-2)·u²·Σ|x_i|, any n >= 2; one number or two are exact. Each addition errs by 2u² of its result, and by u² of Σ|x_i|.
// Special: the sum of nothing is +0, and one of only -0 is -0. Where a step overflows, the result is kernels.SumNeumaier and 0:
// the infinity or NaN of plain additions, or their compensated sum.
// Cost:    10 additions a number.
// Source:  model.DoubleWordSumBound, [Gamma W1]; [JMP 2017] Algorithm 4.
func Total[T kernels.Float](x []T) DD[T] {
	if len(x) == 0 {
		return DD[T]{}
	}
	s := FromWord(x[0])
	for _, v := range x[1:] {
		s = s.PlusFP(v)
	}
	switch {
	case !s.Finite():
		return FromWord(kernels.SumNeumaier(x))
	case s.Hi == 0: // PlusFP makes +0 of two -0
		return FromWord(zeroSum(x))
	}
	return s
}

// zeroSum returns the zero that x sums to: -0 if all are -0, and +0 otherwise.
func zeroSum[T kernels.Float](x []T) T {
	if len(x) == 0 {
		return 0
	}
	for _, v := range x {
		if v != 0 || !math.Signbit(float64(v)) {
			return 0
		}
	}
	return T(math.Copysign(0, -1))
}

// Sum returns Total rounded once.
//
// Error:   v·|S| + (1+v)·(n-2)·u²·Σ|x_i|.
// Special: as Total.
func Sum[T kernels.Float](x []T) T { return Total(x).Hi }

// divided returns s/n for n >= 1: DivFP3, or a quotient of float64 where n has more bits than a float32.
//
// Error:  3u²·|s/n|, and one unit η of underflow in the low word. The float64 quotient errs by 2^-52 = u²/16, and its conversion
// by u².
func (x DD[T]) divided(n int) DD[T] {
	if d := T(n); int64(d) == int64(n) {
		return x.DivFP3(d)
	}
	return FromFloat64[T](x.Float64() / float64(n))
}

// scales are the exponents by which the kernels of this package avoid underflow and overflow.
type scales struct {
	tiny, lift int // what is below 2^tiny is multiplied by 2^lift
	huge, drop int // n numbers, where n times the largest is 2^huge or more, are multiplied by 2^-drop
	low, high  int // deviations between 2^low and 2^high are squared as they are, and others are scaled to 2^high
	smallest   int // the exponent of the smallest number
	normal     int // and of the smallest normal one
}

func scalesOf[T kernels.Float]() scales {
	if eft.Precision[T]() == 24 {
		return scales{tiny: -40, lift: 100, huge: 120, drop: 64, low: -20, high: 40, smallest: -149, normal: -126}
	}
	return scales{tiny: -300, lift: 600, huge: 1020, drop: 64, low: -200, high: 300, smallest: -1074, normal: -1022}
}

// Mean returns Total divided by n as a double word, and rounded once.
//
// Error:   |n·result - S| <= ((1+v)(1+3u²)-1)·|S| + (1+v)(1+3u²)·(n-2)u²·Σ|x_i| + n(2+v)η, with 0 for 3u² if n is a power of two.
// Special: the mean of nothing is NaN. Otherwise as Total, whose infinities, NaN and signed zeros are the result. A sum below
// 2^-40 (2^-300 for float64) is multiplied by 2^100 (2^600) before the division, so that no product underflows.
// Source:  model.DoubleWordMeanBound, [Gamma W3].
func Mean[T kernels.Float](x []T) T {
	n := len(x)
	s := Total(x)
	switch {
	case n == 0:
		return T(math.NaN())
	case s.Hi == 0 || s.Hi-s.Hi != 0:
		return s.Hi
	}
	c := scalesOf[T]()
	if math.Abs(float64(s.Hi)) < math.Ldexp(1, c.tiny) {
		return s.scaled(c.lift).divided(n).settled(-c.lift)
	}
	if q := s.divided(n); q.Finite() {
		return q.Hi
	}
	return sixteenfold(sixteenth(s).divided(n)).Hi // the product of quotient and n overflowed
}

// scaled returns x·2^k, exactly unless it underflows.
func (x DD[T]) scaled(k int) DD[T] {
	return DD[T]{scaledWord(x.Hi, k), scaledWord(x.Lo, k)}
}

func scaledWord[T kernels.Float](v T, k int) T { return T(math.Ldexp(float64(v), k)) }

// settled returns x·2^k rounded once, even where that is subnormal.
//
// Rounding: x.Hi is x rounded, and rounding it again is wrong only where x.Hi·2^k is a tie and x.Lo is not 0. Then x.Lo decides.
func (x DD[T]) settled(k int) T {
	c := scalesOf[T]()
	r := scaledWord(x.Hi, k)
	if x.Lo == 0 || math.Abs(float64(r)) > math.Ldexp(1, c.normal) {
		return r
	}
	rest := float64(x.Hi) - math.Ldexp(float64(r), -k) // exact: less than one unit of r, and a multiple of one of x.Hi
	if math.Abs(rest) == math.Ldexp(1, c.smallest-k-1) && (rest > 0) == (x.Lo > 0) {
		r += T(math.Copysign(math.Ldexp(1, c.smallest), rest))
	}
	return r
}
