package kernels

import (
	"gamma/model"
	"gamma/sumtree"
)

// Float is a type of floating-point numbers that Go adds natively.
type Float interface{ float32 | float64 }

// Kernel is one kernel with its claim. Exactly one of the function fields is set.
type Kernel struct {
	Name  string // import path's last element and function: "kernels.SumPairwise"
	Claim model.Claim

	Sum32   func(x []float32) float32
	Sum64   func(x []float64) float64
	SumBits func(x []uint16) uint64 // encodings of Claim.In; the result is one of Claim.Out
	SumTree func(t *sumtree.Tree, x []float32) float32
	Rows32  func(dst, x []float32, n int) // len(dst) rows of n leaves, one sum a row

	Dot32     func(x, y []float32) float32
	Dot64     func(x, y []float64) float64
	DotBits   func(x, y []uint16) uint64
	Squares32 func(x []float32) float32        // the dot product of x with itself
	DotRows32 func(dst, a, x []float32, n int) // len(dst) rows of a of n elements, each times x
}

// IsDot reports whether k sums products, of two vectors or of one with itself.
func (k Kernel) IsDot() bool {
	return k.Dot32 != nil || k.Dot64 != nil || k.DotBits != nil || k.Squares32 != nil || k.DotRows32 != nil
}

// All returns every kernel, family by family.
func All() []Kernel {
	var all []Kernel
	for _, family := range [][]Kernel{
		sums(), compensated(), exacts(), parallel(), halves(), means(), dots(),
	} {
		all = append(all, family...)
	}
	return all
}

// Find returns the kernel called name, and ok = false if there is none.
func Find(name string) (k Kernel, ok bool) {
	for _, k := range All() {
		if k.Name == name {
			return k, true
		}
	}
	return Kernel{}, false
}

// plain returns the claim of a sum that follows the shape tree by itself: its bits repeat, and
// only negative zeros give a negative zero.
func plain(in model.Format, tree string) model.Claim {
	return model.Claim{In: in, Tree: tree, Repeats: true, SignedZero: true}
}

// scheme returns the claim of a sum in leaf order with compensation c.
func scheme(in model.Format, c model.Compensation) model.Claim {
	return model.Claim{In: in, Compensation: c, Repeats: true, SignedZero: true}
}
