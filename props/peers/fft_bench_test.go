package main

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"gonum.org/v1/gonum/dsp/fourier"

	"gamma/kernels/fft"
	transforms "gamma/model/fourier"
)

// fftInput returns numbers with parts in [-1/2, 1/2), in both formats.
func fftInput(n int) ([]complex64, []complex128) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x, x64 := make([]complex64, n), make([]complex128, n)
	for i := range x {
		x[i] = complex(rng.Float32()-0.5, rng.Float32()-0.5)
		x64[i] = complex128(x[i])
	}
	return x, x64
}

// fftSide is a forward transform of n complex numbers, out of place, on one core.
type fftSide struct {
	name string
	make func(tb testing.TB, n int) func()
}

// fftSides are Gamma's in binary32, the same with binary64 inside and in double words, gonum's in binary64, which has no other, and FFTW's in
// binary32, planned with FFTW_MEASURE.
var fftSides = []fftSide{
	{"gamma", func(_ testing.TB, n int) func() {
		p, y := must(fft.New[complex64](transforms.Transform{N: n})), make([]complex64, n)
		x, _ := fftInput(n)
		return func() { must(0, p.Transform(y, x)) }
	}},
	{"wide", func(_ testing.TB, n int) func() {
		p, y := must(fft.New[complex64](transforms.Transform{N: n}, fft.Wide)), make([]complex64, n)
		x, _ := fftInput(n)
		return func() { must(0, p.Transform(y, x)) }
	}},
	{"dd", func(_ testing.TB, n int) func() {
		p, x, y := must(fft.New[fft.Double](transforms.Transform{N: n})), make([]fft.Double, n), make([]fft.Double, n)
		_, v := fftInput(n)
		for i := range x {
			x[i].Re.Hi, x[i].Im.Hi = real(v[i]), imag(v[i])
		}
		return func() { must(0, p.Transform(y, x)) }
	}},
	{"gonum", func(_ testing.TB, n int) func() {
		g, y := fourier.NewCmplxFFT(n), make([]complex128, n)
		_, x := fftInput(n)
		return func() { g.Coefficients(y, x) }
	}},
	{"fftw", func(tb testing.TB, n int) func() {
		x, _ := fftInput(n)
		return fftw(tb, n, x, make([]complex64, n))
	}},
}

// BenchmarkFFT times them one after the other. GFlops are 5·N·log2(N) operations, as benchFFT counts.
func BenchmarkFFT(b *testing.B) {
	for k := 10; k <= 18; k++ {
		n := 1 << k
		for _, side := range fftSides {
			b.Run(fmt.Sprintf("N=%d/%s", n, side.name), func(b *testing.B) {
				run := side.make(b, n)
				for b.Loop() {
					run()
				}
				b.ReportMetric(5*float64(n)*float64(bits.Len(uint(n))-1)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFlops")
			})
		}
	}
}

// TestFFTSpeed holds our transforms to gonum's, to FFTW's and to one another: the fastest of sixty runs of a millisecond, each pair taken in turn, so
// that other processes cost little.
func TestFFTSpeed(t *testing.T) {
	if os.Getenv("GAMMA_LEVEL") != "thorough" {
		t.Skip("it measures for a minute, and wants a machine at rest: set GAMMA_LEVEL=thorough")
	}
	t.Logf("%7s %-6s %-6s %12s %12s %7s", "N", "a", "b", "a ns", "b ns", "b/a")
	for k := 10; k <= 18; k++ {
		n := 1 << k
		for _, pair := range []struct {
			a, b  int
			least float64 // how many times the time of a that of b has to be
		}{{0, 3, 5}, {0, 4, 1 / 1.5}, {1, 3, 2}, {2, 0, 1. / 30}} {
			a, b := fftSides[pair.a], fftSides[pair.b]
			t.Run(fmt.Sprintf("N=%d/%s-%s", n, a.name, b.name), func(t *testing.T) {
				x, y := fastest(a.make(t, n), b.make(t, n))
				t.Logf("%7d %-6s %-6s %12.0f %12.0f %7.2f", n, a.name, b.name, x, y, y/x)
				if y/x < pair.least {
					t.Errorf("%s takes %.3f of the time of %s at %d points; at most %.3f is asked", a.name, x/y, b.name, n, 1/pair.least)
				}
			})
		}
	}
}

// fastest returns the least nanoseconds that a and b take.
func fastest(a, b func()) (x, y float64) {
	timed := func(f func(), reps int) float64 {
		start := time.Now()
		for range reps {
			f()
		}
		return float64(time.Since(start).Nanoseconds()) / float64(reps)
	}
	x, y = timed(a, 3), timed(b, 3)
	for range 60 {
		x, y = min(x, timed(a, max(1, int(1e6/x)))), min(y, timed(b, max(1, int(1e6/y))))
	}
	return x, y
}
