package mutants

import (
	"gamma/kernels"
	"gamma/model"
)

// plusFP returns (h, l) + v as dd.PlusFP does, with two instead of its 2Sum.
func plusFP(h, l, v float32, two func(a, b float32) (s, e float32)) (zh, zl float32) {
	s, e := two(h, v)
	return fastTwoSum(s, l+e)
}

// totalBy returns the double word that step computes from x, or the plain sum if that is zero or not finite.
func totalBy(x []float32, step func(h, l, v float32) (zh, zl float32)) (h, l float32) {
	if len(x) == 0 {
		return 0, 0
	}
	h = x[0]
	for _, v := range x[1:] {
		h, l = step(h, l, v)
	}
	if s := h + l; s-s != 0 || s == 0 {
		return kernels.SumNeumaier(x), 0
	}
	return h, l
}

// doubleWords returns sums, means and dot products that are less accurate than the double words they claim.
func doubleWords() []Mutant {
	c := scheme(model.DoubleWord)
	mean := c
	mean.Mean = true
	high := func(step func(h, l, v float32) (zh, zl float32)) func([]float32) float32 {
		return func(x []float32) float32 {
			h, _ := totalBy(x, step)
			return h
		}
	}
	right := func(h, l, v float32) (zh, zl float32) { return plusFP(h, l, v, twoSum) }
	return []Mutant{
		sum32("DDSumDropsLow", "the low word is dropped after every addition", model.SumCompensated, 3, c, kernels.SumSerial[float32],
			model.SumIntegers, model.SumSpecial, model.SumRepeat),
		sum32("DDSumFastTwoSum", "Fast2Sum stands for 2Sum, though leaves may be larger than the sum", model.SumCompensated, 3, c, high(func(h, l, v float32) (zh, zl float32) {
			return plusFP(h, l, v, fastTwoSum)
		}), model.SumRepeat),
		sum32("DDSumUnnormalised", "the last Fast2Sum is missing, so that the high word is not the rounded sum", model.SumCompensated, 3, c, high(func(h, l, v float32) (zh, zl float32) {
			s, e := twoSum(h, v)
			return s, l + e
		}), model.SumRepeat),
		sum32("DDSumWrongSign", "the error of the 2Sum is subtracted from the low word", model.SumCompensated, 2, c, high(func(h, l, v float32) (zh, zl float32) {
			s, e := twoSum(h, v)
			return fastTwoSum(s, l-e)
		}), model.SumRepeat),
		sum32("DDSumRoundsEighths", "after every eight leaves the double word is rounded to a word", model.SumCompensated, 9, c, func(x []float32) float32 {
			if len(x) <= 8 {
				return high(right)(x)
			}
			n := 0
			return high(func(h, l, v float32) (zh, zl float32) {
				if n++; n%8 == 0 {
					l = 0
				}
				return right(h, l, v)
			})(x)
		}, model.SumRepeat),
		sum32("DDSumOfPartials", "two halves are summed in double words, each is rounded, and they are added", model.SumCompensated, 4, c, func(x []float32) float32 {
			if len(x) < 4 {
				return high(right)(x)
			}
			return kernels.SumNeumaier([]float32{high(right)(x[:len(x)/2]), high(right)(x[len(x)/2:])})
		}, model.SumRepeat),
		sum32("DDSumInfinity", "where a step overflows, what the words hold is the result", model.SumSpecial, 1, c, func(x []float32) float32 {
			if len(x) == 0 {
				return 0
			}
			h, l := x[0], float32(0)
			for _, v := range x[1:] {
				h, l = right(h, l, v)
			}
			if h == 0 {
				return kernels.SumNeumaier(x)
			}
			return h
		}, model.SumEnclosure, model.SumCompensated, model.SumIntegers, model.SumRepeat),
		sum32("DDMeanRoundsTwice", "the double word is rounded before it is divided, and the quotient after", model.SumCompensated, 3, mean, func(x []float32) float32 {
			h, _ := totalBy(x, right)
			return h / float32(len(x))
		}, model.SumRepeat),
		dot32("DDDotDropsLow", "the low words of the products are dropped", model.DotCompensated, 2, c, func(x, y []float32) float32 {
			return high(right)(products(x, y))
		}, model.DotRepeat),
		dot32("DDDotRoundsWords", "a product's words are added to each other before the sum, which rounds them", model.DotCompensated, 2, c, func(x, y []float32) float32 {
			h, _ := totalBy(products(x, y), right)
			s, e := dot2(x, y, true, false)
			if s-s != 0 || e-e != 0 || e == 0 {
				return h
			}
			return h + e // h is rounded already
		}, model.DotRepeat),
	}
}
