package mutants

import (
	"math"

	"gamma/model"
)

// leaves returns mutants that add the wrong leaves.
func leaves() []Mutant {
	enclosure := laws{model.SumEnclosure, model.SumIntegers}
	odd := mutant("odd_width", tree, 3, Case{Launch: model.Launch1D(1, 3), X: []float32{1, 2, 4}}, enclosure, kernelLaws())
	odd.Kernel.Schedule, odd.Kernel.Fits = nil, anyWidth
	odd.Kernel.Launches = groups(1, 2, 3, 5, 6, 7, 10, 32, 33)

	narrow := mutant("narrow_index", tree, 258, on(1, 256, 258), enclosure, kernelLaws())
	narrow.Kernel.Schedule, narrow.Kernel.Fits = nil, anyWidth
	narrow.Kernel.Launches = groups(64, 256)

	shift := mutant("wide_shift", tree, 32, on(1, 32, 32), enclosure, kernelLaws())
	limit(&shift, 32, 1, 8, 16, 32)

	nan := float32(math.NaN())
	zero := float32(math.Copysign(0, -1))
	return []Mutant{
		odd,
		shift,
		narrow,
		mutant("tail_ignored", tree, 1, on(1, 4, 5), enclosure, kernelLaws()),
		mutant("tail_clamped", tree, 1, on(1, 4, 5), enclosure, kernelLaws()),
		mutant("past_end", tree, 1, on(1, 4, 4), laws{model.KernelBounds}, kernelLaws(model.KernelBounds)),
		mutant("from_zero", tree, 1, Case{Launch: model.Launch1D(1, 2), X: []float32{zero, zero}}, laws{model.SumSpecial},
			append(kernelLaws(), model.SumEnclosure, model.SumHeight, model.SumIntegers)),
		mutant("half_accumulator", "shaders/sum.metal#half", 2, Case{Launch: model.Launch1D(1, 1), X: []float32{2048, 1, 1}},
			laws{model.SumTree, model.SumEnclosure}, kernelLaws()),
		mutant("nan_loop", atomic, 2, Case{Launch: model.Launch1D(1, 2), X: []float32{nan, 1}}, laws{model.SumSpecial}, kernelLaws()),
	}
}
