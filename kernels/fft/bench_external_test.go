package fft_test

import (
	"fmt"
	"math/bits"
	"testing"

	"gamma/kernels/fft"
	"gamma/model/fourier"
)

// bench times a plan on x, out of place, and reports 5·N·log2(N) operations as GFlops, as benchFFT does.
func bench[T fft.Number](b *testing.B, name string, n int, x []T, options ...fft.Option) {
	b.Run(name, func(b *testing.B) {
		p, err := fft.New[T](fourier.Transform{N: n}, options...)
		if err != nil {
			b.Fatal(err)
		}
		y := make([]T, n)
		for b.Loop() {
			_ = p.Transform(y, x)
		}
		flops := 5 * float64(n) * float64(bits.Len(uint(n))-1)
		b.ReportMetric(flops*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFlops")
	})
}

func BenchmarkFFT(b *testing.B) {
	for k := 10; k <= 20; k += 2 {
		n := 1 << k
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			x, y, z := make([]complex64, n), make([]complex128, n), make([]fft.Double, n)
			for i := range x {
				re, im := float64(i%7)-3, float64(i%11)/8-0.7
				y[i] = complex(re, im)
				x[i] = complex64(y[i])
				z[i].Re.Hi, z[i].Im.Hi = re, im
			}
			bench(b, "float32", n, x)
			bench(b, "wide", n, x, fft.Wide)
			bench(b, "float64", n, y)
			bench(b, "dd", n, z)
		})
	}
}
