package mutants

import "gamma/model"

// widths returns mutants with faults of simdgroups.
func widths() []Mutant {
	enclosure := laws{model.SumEnclosure, model.SumIntegers}
	fixed := on(1, 64, 64)
	fixed.Behaviour.SIMDWidth = 16
	lane := mutant("inactive_lane", simd, 1, on(1, 32, 20), laws{model.KernelIntegers}, kernelLaws(model.KernelIntegers))
	limit(&lane, 32, 32)
	return []Mutant{
		lane,
		mutant("last_simdgroup", simd, 1, on(1, 64, 64), enclosure, kernelLaws()),
		mutant("simd_scope", simd, 1, on(1, 256, 256), enclosure, kernelLaws()),
		mutant("width_32", simd, 1, fixed, enclosure, laws{model.KernelRace, model.KernelBounds, model.KernelBarrier}),
	}
}
