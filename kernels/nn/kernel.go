package nn

import (
	"slices"
	"sync"

	"gamma/model/formula"
)

// Arrays is what a kernel runs on: arrays and sizes of axes by their names in the formula, and dst for the result. Numbers of formats for which
// Go has no type are encodings.
type Arrays interface {
	Size(axis string) int
	Float32(name string) []float32
	Float64(name string) []float64
	Encodings(name string) []uint16
	Int8(name string) []int8
	Int32(name string) []int32
}

// Kernel is one kernel with its formula and claim.
type Kernel struct {
	Name    string // "nn.Softmax"
	Formula *formula.Expr
	Claim   formula.Claim
	Out     formula.Type   // of the results; the zero value is the formula's own, binary32 for real numbers
	Min     map[string]int // the least sizes of axes that are claimed; 0 where none is set
	// Max and Fixed are the greatest sizes that are claimed, and the only ones.
	Max, Fixed map[string]int
	// InPlace names the inputs whose memory dst may be, each alone.
	InPlace []string
	// Run computes the array dst from those that are called as the formula's inputs are.
	Run func(a Arrays)
}

// All returns every kernel, family by family, but for those of Float16 and BFloat16, which are made of some, and of Binary64.
func All() []Kernel {
	var all []Kernel
	for _, family := range [][]Kernel{activations(), softmaxes(), norms(), products(), attentions(), scans(), quantised(), embeddings()} {
		for _, k := range family {
			if k.Claim.Functions.Name == "" {
				k.Claim.Functions = Rounded
			}
			k.InPlace = likeResult(&k)
			all = append(all, k)
		}
	}
	return all
}

// likeResult returns the inputs that have the axes and the type of a result of binary32 numbers: dst may be any of them, as the package's comment says.
func likeResult(k *Kernel) (names []string) {
	for _, in := range k.Formula.Inputs() {
		if k.Formula.Type().IsReal() && k.Formula.Type().Float.IsZero() && k.Out == (formula.Type{}) && slices.Equal(in.Axes(), k.Formula.Axes()) {
			names = append(names, in.Node().Name)
		}
	}
	return names
}

// named has all kernels by name: to write their formulas down takes longer than some judgements of them.
var named = sync.OnceValue(func() map[string]Kernel {
	all := map[string]Kernel{}
	for _, k := range slices.Concat(All(), Float16(), BFloat16(), Binary64(), DoubleWord()) {
		all[k.Name] = k
	}
	return all
})

// Find returns the kernel called name, and ok = false if there is none.
func Find(name string) (k Kernel, ok bool) {
	k, ok = named()[name]
	return k, ok
}

// vectors returns the Run of a kernel that computes a vector from a vector.
func vectors(f func(dst, x []float32)) func(Arrays) {
	return func(a Arrays) { f(a.Float32("dst"), a.Float32("x")) }
}

// scalar returns the Run of a kernel that computes one number from a vector.
func scalar(f func(x []float32) float32) func(Arrays) {
	return func(a Arrays) { a.Float32("dst")[0] = f(a.Float32("x")) }
}

// oneOf says that axes have an element or more.
func oneOf(axes ...string) map[string]int {
	least := map[string]int{}
	for _, a := range axes {
		least[a] = 1
	}
	return least
}
