package mutants

import (
	"gamma/metal"
	"gamma/model"
	"gamma/sumtree"
)

// claims returns mutants that promise what an order, or a compiler, does not guarantee.
func claims() []Mutant {
	ordered := mutant("simd_order", simd, 3,
		Case{Launch: model.Launch1D(1, 8), Behaviour: model.Behaviour{Order: "stages", Seed: 1}, X: append(ones(1), drift(7)...)},
		laws{model.SumTree}, append(kernelLaws(), model.SumEnclosure, model.SumIntegers, model.SumSpecial))
	// The butterfly by which the simulator adds in program order, within one simdgroup of its own width.
	ordered.Kernel.Schedule = func(n int, l model.Launch) *sumtree.Tree { return sumtree.Lanes(l.Threads.X).Tree(n) }
	limit(&ordered, 32, 1, 4, 8, 32)

	repeats := mutant("atomic_order", atomic, 3,
		Case{Launch: model.Launch1D(1, 8), Behaviour: model.Behaviour{Order: "accesses", Seed: 1}, X: append(ones(1), drift(7)...)},
		laws{model.KernelSchedule}, append(kernelLaws(), model.SumEnclosure, model.SumIntegers))
	repeats.Kernel.Claim.Repeats = true

	collapse := Case{
		Launch: model.Launch1D(1, 1), X: append(ones(1), drift(40)...),
		Behaviour: model.Behaviour{Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true}, Contract: model.ContractFast, Seed: 1},
	}
	compensated := laws{model.SumCompensated}
	safe := append(kernelLaws(), model.SumIntegers)
	kahan := fast(mutant("kahan_open", "shaders/sum.metal#kahan", 3, collapse, compensated, safe))
	twosum := fast(mutant("twosum_open", "shaders/sum.metal#twosum", 3, collapse, compensated, safe))

	fused := Case{
		Launch: model.Launch1D(1, 1), X: []float32{1 + 0x1p-11, 1 + 0x1p-12}, Y: []float32{-1, 1 + 0x1p-12},
		Behaviour: model.Behaviour{Contract: model.ContractStatement},
	}
	contracts := mutant("dot_contracts", "shaders/dot.metal#tree", 2, fused, laws{model.DotTree}, append(kernelLaws(), model.DotIntegers))
	// Flushing and rounding would hide in many cases what contraction alone shows.
	contracts.Kernel.Admits = model.Behaviour{Contract: model.ContractFast, Order: "accesses"}
	return []Mutant{
		mutant("from_right", tree, 3, Case{Launch: model.Launch1D(1, 1), X: []float32{1, 0x1p-24, 0x1p-24}}, laws{model.SumTree},
			append(kernelLaws(), model.SumEnclosure, model.SumIntegers, model.SumSpecial)),
		mutant("tile_group", "shaders/sum.metal#tiles", 17, Case{Launch: model.Launch1D(2, 1), X: append([]float32{0x1p24, -0x1p24}, append(make([]float32, 14), 1)...)},
			laws{model.SumTree}, append(kernelLaws(), model.SumEnclosure, model.SumIntegers)),
		mutant("assert_tail", tree, 1, on(1, 4, 5), laws{model.KernelAssert}, append(kernelLaws(model.KernelAssert), model.SumEnclosure, model.SumIntegers, model.SumTree)),
		ordered,
		repeats,
		kahan,
		twosum,
		contracts,
	}
}

// fast compiles m in fast mode.
func fast(m Mutant) Mutant {
	m.Kernel.Options.MathMode = metal.MathFast
	run(&m.Kernel)
	return m
}

// drift returns n times half an ulp of 1, which is lost when it is added to 1 alone.
func drift(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = 0x1p-24
	}
	return x
}
