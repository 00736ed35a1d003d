package peers

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"

	"gamma/kernels/fft"
	transforms "gamma/model/fourier"
)

// BenchmarkFFT times forward transforms of complex numbers, out of place, on one core: Gamma's and FFTW's in binary32, FFTW's planned with FFTW_MEASURE,
// Gamma's with binary64 inside, and gonum's in binary64, which has no other. GFlops are 5·N·log2(N) operations, as benchFFT counts.
func BenchmarkFFT(b *testing.B) {
	for k := 10; k <= 18; k++ {
		n := 1 << k
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			x, y := make([]complex64, n), make([]complex64, n)
			x64, y64 := make([]complex128, n), make([]complex128, n)
			for i := range x {
				x[i] = complex(rng.Float32()-0.5, rng.Float32()-0.5)
				x64[i] = complex128(x[i])
			}
			side := func(name string, run func()) {
				b.Run(name, func(b *testing.B) {
					for b.Loop() {
						run()
					}
					b.ReportMetric(5*float64(n)*float64(bits.Len(uint(n))-1)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFlops")
				})
			}
			t := transforms.Transform{N: n}
			p, wide := must(fft.New[complex64](t)), must(fft.New[complex64](t, fft.Wide))
			side("gamma", func() { must(0, p.Transform(y, x)) })
			side("wide", func() { must(0, wide.Transform(y, x)) })
			g := fourier.NewCmplxFFT(n)
			side("gonum", func() { g.Coefficients(y64, x64) })
			b.Run("fftw", func(b *testing.B) {
				run := fftw(b, n, x, y)
				for b.Loop() {
					run()
				}
				b.ReportMetric(5*float64(n)*float64(bits.Len(uint(n))-1)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFlops")
			})
		})
	}
}
