package sumtree_test

import (
	"math/rand/v2"
	"testing"

	"gamma/sumtree"
	"gamma/sumtree/eval"
)

// BenchmarkRandomTree builds and evaluates a random tree.
func BenchmarkRandomTree(b *testing.B) {
	const n = 1_000_000
	x := make([]float32, n)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range x {
		x[i] = rng.Float32() - 0.5
	}
	scratch := make([]float32, n)
	for _, c := range []struct {
		name  string
		shape func(seed uint64) sumtree.Shape
	}{
		{"n=1000000/splits", sumtree.RandomSplits},
		{"n=1000000/shapes", sumtree.RandomShapes},
	} {
		b.Run(c.name, func(b *testing.B) {
			seed := uint64(0)
			for b.Loop() {
				seed++
				_, scratch, _ = eval.Float32(c.shape(seed).Tree(n), x, scratch)
			}
		})
	}
}
