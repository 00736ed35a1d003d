package oracle

import (
	"math"
	"math/rand/v2"
	"testing"
)

// wide returns n random finite binary32 bit patterns.
func wide(n int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 32))
	x := make([]float32, n)
	for i := range x {
		for {
			x[i] = math.Float32frombits(r.Uint32())
			if x[i]-x[i] == 0 {
				break
			}
		}
	}
	return x
}

var (
	sink32 float32
	sink64 float64
)

func perElement(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
}

func BenchmarkSum(b *testing.B) {
	for _, c := range []struct {
		name string
		n    int
	}{{"n=64", 64}, {"n=256", 256}, {"n=1024", 1024}, {"n=1000000", 1_000_000}} {
		b.Run(c.name, func(b *testing.B) {
			x := wide(c.n, 1)
			for b.Loop() {
				sink32 = SumFloat32(x)
			}
			perElement(b, c.n)
		})
	}
}

func BenchmarkSumTwin(b *testing.B) {
	b.Run("n=1024", func(b *testing.B) {
		x := wide(1024, 1)
		for b.Loop() {
			sink64, _ = SumTwin(x).Float64()
		}
		perElement(b, 1024)
	})
}
