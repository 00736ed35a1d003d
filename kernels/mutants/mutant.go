package mutants

import (
	"gamma/kernels"
	"gamma/model"
)

// Mutant is a kernel with one fault.
type Mutant struct {
	Kernel kernels.Kernel
	Fault  string      // what is wrong, in a few words
	Kills  model.LawID // the law that must find it
	// Survives lists laws of the family that the mutant passes by construction, on every input, as
	// its comment shows: they show what Kills adds. The list need not be complete.
	Survives []model.LawID
	// MinN is the length of the shortest vector on which the fault can show.
	MinN int
}

// All returns every mutant, family by family.
func All() []Mutant {
	var all []Mutant
	for _, family := range [][]Mutant{leaves(), orders(), formats(), specials(), schemes(), means(), dots(), doubleWords(), states()} {
		all = append(all, family...)
	}
	return all
}

// Find returns the mutant whose kernel is called name, and ok = false if there is none.
func Find(name string) (m Mutant, ok bool) {
	for _, m := range All() {
		if m.Kernel.Name == name {
			return m, true
		}
	}
	return Mutant{}, false
}

// claim returns the claim of a plain binary32 kernel that follows tree; "" means any order.
func claim(tree string) model.Claim {
	return model.Claim{In: model.Binary32, Tree: tree, Repeats: true, SignedZero: true}
}

// scheme returns the claim of a binary32 sum with compensation c.
func scheme(c model.Compensation) model.Claim {
	k := claim("")
	k.Compensation = c
	return k
}

// sum32 returns a mutant of a binary32 sum.
func sum32(name, fault string, kills model.LawID, minN int, c model.Claim, f func([]float32) float32, survives ...model.LawID) Mutant {
	return Mutant{
		Kernel: kernels.Kernel{Name: "mutants." + name, Claim: c, Sum32: f},
		Fault:  fault, Kills: kills, Survives: survives, MinN: minN,
	}
}

// dot32 returns a mutant of a binary32 dot product.
func dot32(name, fault string, kills model.LawID, minN int, c model.Claim, f func(x, y []float32) float32, survives ...model.LawID) Mutant {
	return Mutant{
		Kernel: kernels.Kernel{Name: "mutants." + name, Claim: c, Dot32: f},
		Fault:  fault, Kills: kills, Survives: survives, MinN: minN,
	}
}
