package mutants

import (
	"gamma/kernels"
	"gamma/model"
)

// means returns means that divide by something other than the number of leaves.
func means() []Mutant {
	mean := claim("")
	mean.Mean = true
	tree := claim("left")
	tree.Mean = true
	plain := kernels.SumSerial[float32]
	return []Mutant{
		sum32("MeanHalfCount", "the count is kept in binary16: 65520 leaves and more have mean 0", model.SumEnclosure, 2049, mean, func(x []float32) float32 {
			return plain(x) / half(float32(len(x)))
		}),
		sum32("MeanCountMod65536", "the count is kept in 16 bits", model.SumEnclosure, 1<<16, mean, func(x []float32) float32 {
			return plain(x) / float32(uint16(len(x)))
		}),
		sum32("MeanByReciprocal", "the sum is multiplied by 1/n, which is rounded", model.SumTree, 3, tree, func(x []float32) float32 {
			return float32(plain(x) * (1 / float32(len(x))))
		}, model.SumSpecial, model.SumRepeat),
		sum32("MeanOfQuotients", "every leaf is divided by n before it is added", model.SumTree, 3, tree, func(x []float32) float32 {
			n := float32(len(x))
			if n == 0 {
				return plain(x) / n
			}
			return plain(mapped(x, func(v float32) float32 { return v / n }))
		}, model.SumRepeat),
		sum32("MeanByNMinusOne", "the sum is divided by n-1", model.SumEnclosure, 2, mean, func(x []float32) float32 {
			if len(x) < 2 {
				return kernels.MeanSerial(x)
			}
			return plain(x) / float32(len(x)-1)
		}, model.SumRepeat),
	}
}
