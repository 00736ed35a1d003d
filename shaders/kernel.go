package shaders

import (
	"gamma/model"
	"gamma/sumtree"
)

// Kernel is a kernel on a device, with its claim and the code that launches it. Exactly one of the fields from Sum32 to Dot32
// is set. That code moves bits and computes nothing, so that every operation rounds as the device does.
type Kernel struct {
	Program
	// Claim holds for every launch that Fits and every behaviour that Admits allows, in the arithmetic of the behaviour. Its Tree
	// is empty where the tree depends on the launch: see Schedule.
	Claim model.Claim

	Sum32   func(r *Runner, l model.Launch, x []float32) (float32, error)
	SumBits func(r *Runner, l model.Launch, x []uint16) (uint64, error) // encodings of Claim.In; the result is one of Claim.Out
	SumTree func(r *Runner, t *sumtree.Tree, x []float32) (float32, error)
	Rows32  func(r *Runner, l model.Launch, dst, x []float32, n int) error // len(dst) rows of n leaves, one sum a row
	Dot32   func(r *Runner, l model.Launch, x, y []float32) (float32, error)

	// Launches returns launches for n leaves to try, the smallest first. It is nil for SumTree.
	Launches func(n int) []model.Launch
	// Fits returns an error if the claim does not hold for n leaves in a launch, or the launch is invalid. It is nil for SumTree.
	Fits func(n int, l model.Launch) error
	// Schedule returns the tree of additions over n terms that a launch follows, where the terms of dot products are products
	// that are rounded or fused as Claim.Fusion says; see Tree. It is nil where the order is open, or the scheme is not a tree of additions.
	Schedule func(n int, l model.Launch) *sumtree.Tree

	// Admits is the most general behaviour for which the claim holds: each field may be plain or as here, and Order may be weaker.
	Admits model.Behaviour
	// Widths are the sizes of a simdgroup that are tried besides the device's own; the claim holds for all sizes.
	Widths []int
	// Strict: contraction and rewrites change nothing under any compiler options, since the source forbids them.
	Strict bool
	// MaxN is the length of the longest vector that is worth trying, since longer ones show nothing new; 0 means no limit.
	MaxN int
}

// IsDot reports whether k sums products.
func (k Kernel) IsDot() bool { return k.Dot32 != nil }

// Tree returns the schedule of n terms in a launch as the operations that are done: Schedule, and for dot products its
// leaves replaced by products, n slots of x before n slots of y. It is nil where Schedule is, or where fusion is open.
func (k Kernel) Tree(n int, l model.Launch) *sumtree.Tree {
	switch {
	case k.Schedule == nil:
		return nil
	case !k.IsDot():
		return k.Schedule(n, l)
	case k.Claim.Fusion == model.FusedAny:
		return nil
	}
	return k.Schedule(n, l).OverProducts(k.Claim.Fusion == model.FusedChain)
}

// All returns every kernel, source by source.
func All() []Kernel { return append(append(sums(), dots()...), accumulations()...) }

// Find returns the kernel called name, and ok = false if there is none.
func Find(name string) (k Kernel, ok bool) {
	for _, k := range All() {
		if k.Name == name {
			return k, true
		}
	}
	return Kernel{}, false
}

// widths are sizes of simdgroups that devices have.
var widths = []int{4, 8, 16, 64}

// anything returns what a strict kernel admits: all that a device may do.
func anything() model.Behaviour {
	return model.Behaviour{
		Rounding: model.TowardZero,
		Flush:    model.Flush{In: true, Out: true, AnySign: true},
		Flush16:  model.Flush{In: true, Out: true, AnySign: true},
		Contract: model.ContractFast,
		Rewrites: model.Rewrites{Reassociate: true, NoSignedZeros: true, Reciprocal: true, NoNaNs: true, NoInfs: true},
		Order:    "accesses",
		ULP:      true,
		Poison:   true,
	}
}

// integers returns what a kernel of integers alone admits: a device's freedom in floating point does not affect it, and
// is left out to save time.
func integers() model.Behaviour { return model.Behaviour{Order: "accesses", Poison: true} }

// plain returns the claim of a kernel whose bits follow from its schedule alone.
func plain() model.Claim {
	return model.Claim{In: model.Binary32, Repeats: true, SignedZero: true}
}
