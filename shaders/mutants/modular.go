package mutants

import (
	"math/bits"

	"gamma/metal"
	"gamma/model"
	"gamma/shaders"
)

// Modular is an operation on residues with one fault.
type Modular struct {
	Modular shaders.Modular
	Twin    string // the name of the sound operation in package shaders
	Fault   string // what is wrong, as the source says
	// Kills and Survives are as in Operation.
	Kills, Survives []model.LawID
	// Row shows the fault modulo Modulus in launch Launch.
	Row     []uint64
	Modulus uint64
	Launch  model.Launch
}

// seedModulus is 2^60-98303; halfModulus and wideModulus are the largest primes below 2^63 and 2^64.
const (
	seedModulus = 1152921504606748673
	halfModulus = 1<<63 - 25
	wideModulus = 1<<64 - 59
)

// Modulars returns every mutant of an operation on residues.
func Modulars() []Modular {
	const file = "shaders/modular.metal#"
	value, within, safe := laws{model.MontValue}, laws{model.MontRange}, kernelLaws()
	reduced := append(kernelLaws(), model.MontRange)
	const q = seedModulus
	const most, w = q - 1, q / 3
	guard := residues("mod_shoup_no_guard", file+"shoup_mul", "shoup_mul", laws{model.KernelBounds},
		append(kernelLaws(model.KernelBounds, model.KernelInit, model.KernelRace), model.MontValue, model.MontRange), q, most, w, shoup(w, q))
	guard.Launch = model.Launch1D(1, 32)
	return []Modular{
		residues("mod_carry_dropped", file+"mont_mul", "mont_mul", append(value, model.MontDistributes), safe, q, most, most),
		residues("mod_carry_wrong", file+"mont_mul", "mont_mul", append(value, model.MontDistributes), safe, q, most, most),
		residues("mod_partial_products", file+"mod_mul", "mont_mul", append(value, model.MontDistributes), reduced, q, most, most),
		residues("mod_radix_squared", file+"mod_mul", "mont_mul", append(value, model.MontDistributes), reduced, q, most, most),
		residues("mod_no_subtraction", file+"mont_mul", "mont_mul", within, append(kernelLaws(), model.MontValue), halfModulus, halfModulus-1, halfModulus-1),
		residues("mod_sum_greater", file+"mod_add", "mod_add", within, append(kernelLaws(), model.MontValue), q, 1, most),
		residues("mod_difference_greater", file+"mod_sub", "mod_sub", within, append(kernelLaws(), model.MontValue), q, 7, 7),
		residues("mod_narrow_sum", file+"mod_add_wide", "mod_add", value, safe, wideModulus, wideModulus-1, wideModulus-1),
		residues("mod_shoup_open", file+"shoup_inverse_butterfly_lazy_2q", "shoup_inverse_butterfly_lazy_2q", within,
			append(kernelLaws(), model.MontValue), q, q+most, q+most, w, shoup(w, q)),
		guard,
	}
}

// FindModular returns the mutant whose operation is called name, and ok = false if there is none.
func FindModular(name string) (m Modular, ok bool) {
	for _, m := range Modulars() {
		if m.Modular.Name == name {
			return m, true
		}
	}
	return Modular{}, false
}

// shoup returns ⌊w·2^64/q⌋.
func shoup(w, q uint64) uint64 {
	f, _ := bits.Div64(w, 0, q)
	return f
}

// residues returns the mutant of an operation of package shaders by a function of name.metal, with the twin's claim.
func residues(name, twin, function string, kills, survives laws, modulus uint64, row ...uint64) Modular {
	o, ok := shaders.FindModular(twin)
	if !ok {
		panic(noTwin(name, twin))
	}
	o.Program = modularProgram(name, function)
	o.Run = o.Residues(o.Claim)
	return Modular{
		Modular: o, Twin: twin, Fault: fault(o.Source), Kills: kills, Survives: survives, Row: row, Modulus: modulus, Launch: model.Launch1D(1, 1),
	}
}

// modularProgram returns a function of name.metal.
func modularProgram(name, function string) shaders.Program {
	text, err := sources.ReadFile(name + ".metal")
	if err != nil {
		panic(noSource(name, err))
	}
	return shaders.Program{
		Name: "shaders/mutants/" + name + ".metal#" + function, Source: string(text), Function: function,
		Options: metal.CompileOptions{Headers: shaders.ModularHeaders()},
	}
}
