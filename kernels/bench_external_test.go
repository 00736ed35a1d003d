package kernels_test

import (
	"testing"

	"gamma/kernels"
	"gamma/sumtree"
)

// BenchmarkKernel times every kernel on one vector that fits the cache; ns/leaf is what to compare.
func BenchmarkKernel(b *testing.B) {
	const n = 4096
	rng := source(21)
	x, y := spread(rng, n, 8), spread(rng, n, 8)
	wide, wideY := widen(x), widen(y)
	tree := sumtree.Pairwise(8).Tree(n)
	dst := make([]float32, 16)
	for _, k := range kernels.All() {
		bits, bitsY := encode(k.Claim.In, wide), encode(k.Claim.In, wideY)
		var run func()
		switch {
		case k.Sum32 != nil:
			run = func() { k.Sum32(x) }
		case k.Sum64 != nil:
			run = func() { k.Sum64(wide) }
		case k.SumBits != nil:
			run = func() { k.SumBits(bits) }
		case k.SumTree != nil:
			run = func() { k.SumTree(tree, x) }
		case k.Rows32 != nil:
			run = func() { k.Rows32(dst, x, n/len(dst)) }
		case k.Dot32 != nil:
			run = func() { k.Dot32(x, y) }
		case k.Dot64 != nil:
			run = func() { k.Dot64(wide, wideY) }
		case k.DotBits != nil:
			run = func() { k.DotBits(bits, bitsY) }
		case k.Squares32 != nil:
			run = func() { k.Squares32(x) }
		}
		b.Run(k.Name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/leaf")
		})
	}
}
