package mutants

import (
	"embed"
	"slices"
	"strings"

	"gamma/model"
	"gamma/shaders"
)

//go:embed *.metal
var sources embed.FS

// Mutant is a kernel with one fault.
type Mutant struct {
	Kernel shaders.Kernel
	Twin   string // the name of the sound kernel in package shaders
	Fault  string // what is wrong, as the source says
	// Kills lists the laws that must find the fault, each of them, given time.
	Kills []model.LawID
	// Survives lists laws that the mutant passes by construction, on every input: they show what Kills adds. The list need not be complete.
	Survives []model.LawID
	// MinN is the length of the shortest vector on which the fault can show.
	MinN int
	// Shows is a case on which it shows.
	Shows Case
}

// Case is an input of a mutant.
type Case struct {
	Launch    model.Launch
	Behaviour model.Behaviour
	X, Y      []float32 // leaves, representable in the format; Y for dot products
	Row       int       // leaves of a row, for kernels with rows
}

// All returns every mutant, by the kind of its fault.
func All() []Mutant { return slices.Concat(orders(), leaves(), widths(), claims()) }

// Find returns the mutant whose kernel is called name, and ok = false if there is none.
func Find(name string) (m Mutant, ok bool) {
	for _, m := range All() {
		if m.Kernel.Name == name {
			return m, true
		}
	}
	return Mutant{}, false
}

// kernelLaws returns the laws of kernels without those given.
func kernelLaws(less ...model.LawID) []model.LawID {
	all := []model.LawID{model.KernelRace, model.KernelBounds, model.KernelInit, model.KernelBarrier, model.KernelIntegers, model.KernelAssert}
	return slices.DeleteFunc(all, func(id model.LawID) bool { return slices.Contains(less, id) })
}

// mutant returns the mutant in name.metal of a kernel of sum.metal or dot.metal, with the twin's claim.
func mutant(name, twin string, minN int, shows Case, kills, survives []model.LawID) Mutant {
	k, ok := shaders.Find(twin)
	if !ok {
		panic(noTwin(name, twin))
	}
	text, err := sources.ReadFile(name + ".metal")
	if err != nil {
		panic(noSource(name, err))
	}
	p := shaders.Program{
		Name: "shaders/mutants/" + name + ".metal#" + twin[strings.IndexByte(twin, '#')+1:], Source: string(text), Function: k.Function,
	}
	k.Program = p
	run(&k)
	return Mutant{Kernel: k, Twin: twin, Fault: fault(string(text)), Kills: kills, Survives: survives, MinN: minN, Shows: shows}
}

// run makes k's function run its program in any launch, since a mutant's launches may differ from its twin's.
func run(k *shaders.Kernel) {
	p := k.Program
	switch {
	case k.Sum32 != nil && k.Function == "sum_atomic":
		k.Sum32 = p.Accumulate
	case k.Sum32 != nil:
		k.Sum32 = p.Sum
	case k.SumBits != nil:
		k.SumBits = p.SumBits
	case k.Rows32 != nil:
		k.Rows32 = p.Rows
	case k.Dot32 != nil:
		k.Dot32 = p.Dot
	}
}

// fault returns the comment at the head of a source.
func fault(source string) string {
	var text []string
	for line := range strings.Lines(source) {
		words, ok := strings.CutPrefix(line, "// ")
		if !ok {
			break
		}
		text = append(text, strings.TrimSpace(words))
	}
	return strings.Join(text, " ")
}
