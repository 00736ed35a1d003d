package vectors

import (
	"testing"
)

// BenchmarkReduce reduces 65,536 random leaves of which one, or five together, make a sum wrong; every
// other iteration they must keep exactly their values. It counts evaluations: evals/op is the mean.
func BenchmarkReduce(b *testing.B) {
	const n = 65536
	for _, bb := range []struct {
		name string
		k    int
	}{{"n=65536/one", 1}, {"n=65536/five", 5}} {
		b.Run(bb.name, func(b *testing.B) {
			sum, most, seed := 0, 0, uint64(0)
			for b.Loop() {
				b.StopTimer()
				c, fails, at := planted(1000+seed, n, bb.k, seed%2 == 1)
				seed++
				b.StartTimer()
				got, s := Reduce(c, fails, ReduceOptions{})
				if k := nonzero(got); k != bb.k || got.N() != at[bb.k-1]+1 {
					b.Fatalf("reduced to %d leaves of %d", k, got.N())
				}
				sum += s.Evals
				most = max(most, s.Evals)
			}
			b.ReportMetric(float64(sum)/float64(seed), "evals/op")
			b.ReportMetric(float64(most), "max-evals")
		})
	}
}
