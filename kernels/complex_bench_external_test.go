package kernels_test

import (
	"math"
	"math/rand/v2"
	"testing"

	product "gamma/kernels/complex" // whose name would hide the built-in function
	"gamma/kernels/dd"
)

// BenchmarkComplexMul times the product of two vectors of complex double words, in operations of float32 alone, beside the plain
// product of single words, on the same arrays: float32 takes its first words. complex64 is Go's own product, which computes in
// float64. ns/product is what to compare.
func BenchmarkComplexMul(b *testing.B) {
	const n = 1024
	rng := rand.New(rand.NewPCG(1, 5))
	draw := func() []float32 {
		var x []float32
		for range 2 * n {
			d := dd.FromFloat64[float32](math.Ldexp(rng.Float64()-0.5, rng.IntN(6)))
			x = append(x, d.Hi, d.Lo)
		}
		return x
	}
	x, y, dst := draw(), draw(), make([]float32, 4*n)
	u, v, w := make([]complex64, n), make([]complex64, n), make([]complex64, n)
	for i := range n {
		u[i], v[i] = complex(x[4*i], x[4*i+2]), complex(y[4*i], y[4*i+2])
	}
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"float32", func() { product.MultiplyPlain(dst[:2*n], x[:2*n], y[:2*n]) }},
		{"dd", func() { product.MultiplyDD(dst, x, y) }},
		{"dd-fma", func() { product.ComplexMultiplyExtendedDD(dst, x, y) }},
		{"complex64", func() {
			for i, a := range u {
				w[i] = a * v[i]
			}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/product")
		})
	}
}
