package mutants

import (
	"gamma/metal"
	"gamma/model"
	"gamma/shaders"
)

// Operation is an operation on words with one fault.
type Operation struct {
	Operation shaders.Operation
	Twin      string // the name of the sound operation in package shaders
	Fault     string // what is wrong, as the source says
	// Kills lists the laws that must find the fault, each of them, given time.
	Kills []model.LawID
	// Survives lists laws that the mutant passes by construction, on every row. The list need not be complete.
	Survives []model.LawID
	// Row shows the fault, under Behaviour and in launch Launch.
	Row       []float32
	Behaviour model.Behaviour
	Launch    model.Launch
}

// Operations returns every mutant of an operation.
func Operations() []Operation {
	const (
		eft, dd, complexes = "shaders/eft.metal#", "shaders/dd.metal#", "shaders/complex.metal#"
		taps               = "shaders/layers.metal#depthwise3_extended"
	)
	fused := model.Behaviour{Contract: model.ContractFast}
	algebra := model.Behaviour{Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true}}
	program := func(l ...model.LawID) laws { return append(laws{model.WordProgram}, l...) }
	safe := kernelLaws()
	guard := operation("dd_no_guard", dd+"plus_dw", laws{model.KernelBounds}, append(kernelLaws(model.KernelBounds, model.KernelInit, model.KernelRace), model.DDAdd, model.WordProgram),
		1, 0, 1, 0)
	guard.Launch = model.Launch1D(1, 32)
	return []Operation{
		operation("dd_not_normalised", dd+"plus_fp", program(model.DDNormal), append(safe, model.DDAddFP), 1, 0x1p-24-0x1p-48, -1+0x1p-23),
		operation("dd_crossed", dd+"times_dw3", program(model.DDMul), safe, 1, 0x1p-25, 2, 0),
		operation("eft_unfused", eft+"two_prod", program(model.EFTProduct), safe, 1+0x1p-23, 1+0x1p-23),
		guard,
		operation("fft_scale_reciprocal", dd+"fft_scale_extended", laws{model.DDRounded}, safe, 41, 0, 41),
		operation("dd_sloppy", dd+"plus_dw", program(model.DDAdd), safe, 1+0x1p-21, -0x1p-24, -1-6*0x1p-24, -0x1p-24+0x1p-48),
		operation("taps_edge", taps, laws{model.DDRounded}, safe, 1, 2, 4, 1, 1, 1),
		open(operation("eft_open", eft+"two_sum", program(model.EFTSum), safe, 1, 0x1p-30), algebra),
		open(operation("dd_open", dd+"times_dw1", program(model.DDMul), safe, 1+0x1p-23, 0, 1+0x1p-23, 0), fused),
		operation("eft_unordered", eft+"two_sum", program(model.EFTSum), safe, 0x1p-24, 1+0x1p-23),
		operation("eft_splitter", eft+"split", program(model.EFTSplit), safe, 1+0x1p-12),
		operation("complex_conjugate", complexes+"fma", program(model.ComplexMul), safe, 1, 1, 1, 1),
		operation("complex_rounded", complexes+"extended", program(model.ComplexMul), safe, 1, 1+0x1p-12, 1+0x1p-12, -1-0x1p-11),
		operation("complex_twice", complexes+"multiply_extended", laws{model.ComplexRounded}, safe, 1, 0x1p-24, 0, 0, 1+0x1p-23, 0, 0, 0),
	}
}

// FindOperation returns the mutant whose operation is called name, and ok = false if there is none.
func FindOperation(name string) (m Operation, ok bool) {
	for _, m := range Operations() {
		if m.Operation.Name == name {
			return m, true
		}
	}
	return Operation{}, false
}

// operation returns the mutant in name.metal of an operation of package shaders, with the twin's claim.
func operation(name, twin string, kills, survives []model.LawID, row ...float32) Operation {
	o, ok := shaders.FindOperation(twin)
	if !ok {
		panic(noTwin(name, twin))
	}
	text, err := sources.ReadFile(name + ".metal")
	if err != nil {
		panic(noSource(name, err))
	}
	o.Program = shaders.Program{
		Name: "shaders/mutants/" + name + ".metal#" + o.Function, Source: string(text), Function: o.Function, Options: o.Options,
	}
	if o.Host != nil {
		o.Host = o.Program.Taps
	}
	return Operation{Operation: o, Twin: twin, Fault: fault(string(text)), Kills: kills, Survives: survives, Row: row, Launch: model.Launch1D(1, 1)}
}

// open compiles m in fast mode, and shows it under a behaviour. The claim stays strict, which is false. Other causes of different
// bits would hide the fault in many cases.
func open(m Operation, b model.Behaviour) Operation {
	m.Operation.Options.MathMode = metal.MathFast
	m.Behaviour = b
	m.Operation.Admits = b
	return m
}
