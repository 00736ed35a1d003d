package sumtree

import "fmt"

// The sentences of this package's panics, each a programmer's mistake.
const (
	badShapeWidth = "sumtree: a shape's width, block, base or arity must be positive, and at least 2 for an arity"
	badShapeWarp  = "sumtree: the width of a shuffle must be a power of two, and the threads of simd a multiple of it"
	leafHasNoKind = "sumtree: a leaf has no kind, format, adder or name"
)

func badLeafCount(n int) string {
	return fmt.Sprintf("sumtree: a tree has 0 to %d leaves, not %d", maxRef, n)
}

func badPermutation(n int) string {
	return fmt.Sprintf("sumtree: Permute needs each of %d leaves once", n)
}

func wrongKind(want, got Kind) string {
	return fmt.Sprintf("sumtree: asked a node of kind %s for what only %s has", got, want)
}
