package mutants

import (
	"math"

	"gamma/kernels"
	"gamma/model"
)

// twoSum returns a + b and its error.
func twoSum(a, b float32) (s, e float32) {
	s = a + b
	bv := s - a
	return s, (a - (s - bv)) + (b - bv)
}

// fastTwoSum returns a + b and, only if |a| >= |b|, its error.
func fastTwoSum(a, b float32) (s, e float32) {
	s = a + b
	return s, (a - s) + b
}

// sum2 returns the running sum of x and the sum of the errors that two returns.
func sum2(x []float32, two func(a, b float32) (s, e float32)) (s, c float32) {
	if len(x) == 0 {
		return 0, 0
	}
	s = x[0]
	for _, v := range x[1:] {
		var e float32
		s, e = two(s, v)
		c += e
	}
	return s, c
}

// repaid returns s + c, or s where c is zero or not finite.
func repaid(s, c float32) float32 {
	if c == 0 || c-c != 0 {
		return s
	}
	return s + c
}

// schemes returns compensated sums that compensate less than they claim.
func schemes() []Mutant {
	k3, fab, fab64 := scheme(model.SumK), scheme(model.FABsum), scheme(model.FABsum)
	k3.Folds, fab.Block, fab64.Block = 3, 4, 64
	plain := kernels.SumSerial[float32]
	survives := []model.LawID{model.SumIntegers, model.SumSpecial, model.SumRepeat}
	return []Mutant{
		sum32("SumKahanWrongSign", "Kahan's correction is added to the next leaf, not subtracted", model.SumCompensated, 3, scheme(model.Kahan), func(x []float32) float32 {
			if len(x) == 0 {
				return 0
			}
			s, c := x[0], float32(0)
			for _, v := range x[1:] {
				y := v
				if c != 0 { // -0 stays as it is
					y += c
				}
				t := s + y
				c = (t - s) - y
				s = t
			}
			if s-s != 0 {
				return plain(x)
			}
			return s
		}, survives...),
		sum32("SumKahanSimplified", "an optimiser turns (t-s)-y into 0", model.SumCompensated, 4, scheme(model.Kahan), plain, survives...),
		sum32("SumKahanAsSum2", "Kahan's sum claims the bound of Sum2", model.SumCompensated, 3, scheme(model.Sum2), kernels.SumKahan[float32], survives...),
		sum32("SumNeumaierNoBranch", "Neumaier's branch on the larger operand is missing", model.SumCompensated, 3, scheme(model.Sum2), func(x []float32) float32 {
			return repaid(sum2(x, fastTwoSum))
		}, survives...),
		sum32("SumNeumaierBranchSwapped", "Neumaier's branch takes the smaller operand for the larger", model.SumCompensated, 3, scheme(model.Sum2), func(x []float32) float32 {
			return repaid(sum2(x, func(a, b float32) (s, e float32) {
				if math.Abs(float64(a)) < math.Abs(float64(b)) {
					return fastTwoSum(a, b)
				}
				return fastTwoSum(b, a)
			}))
		}, survives...),
		sum32("Sum2DropsCorrection", "the errors are collected, and not added at the end", model.SumCompensated, 3, scheme(model.Sum2), func(x []float32) float32 {
			s, _ := sum2(x, twoSum)
			return s
		}, survives...),
		sum32("Sum2DropsLastError", "the error of the last addition is not collected", model.SumCompensated, 3, scheme(model.Sum2), func(x []float32) float32 {
			if len(x) < 2 {
				return plain(x)
			}
			s, c := sum2(x[:len(x)-1], twoSum)
			return repaid(s+x[len(x)-1], c)
		}, survives...),
		sum32("SumKleinAsSumK", "Klein's sum, which adds c to cc before s, claims the bound of SumK with three folds", model.SumCompensated, 4, k3, kernels.SumKlein[float32], survives...),
		sum32("Sum2AsSumK", "two folds claim to be three", model.SumCompensated, 4, k3, kernels.Sum2[float32], survives...),
		sum32("SumFABPlain", "the sums of FABsum's blocks of 64 are added plainly", model.SumCompensated, 129, fab64, kernels.SumBlocked[float32], survives...),
		sum32("SumFABWithoutBlocks", "FABsum in blocks of 4 forms no blocks and adds all leaves plainly", model.SumCompensated, 6, fab, plain, survives...),
	}
}
