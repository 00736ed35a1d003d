package shaders_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/shaders"
)

// TestFFTTiled: tiles do the operations of a dispatch a stage in the same order, so that each launch gives the same bits, up to tiles of 2048 numbers; in place, too.
func TestFFTTiled(t *testing.T) {
	stages, ok := shaders.FindFFT("shaders/fft.metal#stages")
	require.True(t, ok)
	tiled, ok := shaders.FindFFT("shaders/fft.metal#tiled")
	require.True(t, ok)
	rng := rand.New(rand.NewPCG(1, 2))
	r := shaders.NewRunner(sim.New(sim.Options{Workers: 1}))
	defer r.Release()
	for n := 1; n <= 4096; n *= 2 {
		for _, sign := range []fourier.Sign{fourier.Forward, fourier.Inverse} {
			tr := stages.Claim.Transform(n, sign)
			src := make([]float32, 2*2*n)
			for i := range src {
				src[i] = float32(rng.NormFloat64())
			}
			want := make([]float32, len(src))
			require.NoError(t, stages.Run(r, model.Launch1D(1, 256), tr, want, src))
			for _, threads := range []int{1, 7, 96, 1024} {
				if threads < 96 && n > 512 {
					continue // small threadgroups are slow, and show all in small transforms
				}
				got := make([]float32, len(src))
				require.NoError(t, tiled.Run(r, model.Launch1D(1, threads), tr, got, src))
				require.Equal(t, want, got, "%s, %d threads", tr, threads)
				copy(got, src)
				require.NoError(t, tiled.Run(r, model.Launch1D(1, threads), tr, got, got))
				require.Equal(t, want, got, "%s, %d threads, in place", tr, threads)
			}
		}
	}
}

// TestFFTTwiddles: each factor is exp(-2πi·k/n), and the parts that are 0, 1 and -1 are so exactly.
func TestFFTTwiddles(t *testing.T) {
	for _, f := range shaders.FFTs() {
		for n := 2; n <= 1<<16; n *= 2 {
			w := f.Twiddles(n)
			require.Len(t, w, n/2)
			require.Equal(t, complex128(1), w[0])
			if n >= 4 {
				require.Equal(t, complex(0, -1), w[n/4])
			}
			for k := range w { // of a quarter of a turn, the parts of one half are those of the other
				if n >= 4 && k <= n/4 {
					require.Equal(t, real(w[k]), -imag(w[n/4-k]), "%d of %d", k, n)
				}
			}
		}
	}
}

// TestFFTRefuses: what is not claimed is refused by name, and dst keeps its numbers.
func TestFFTRefuses(t *testing.T) {
	r := shaders.NewRunner(sim.New(sim.Options{Workers: 1}))
	defer r.Release()
	f, ok := shaders.FindFFT("shaders/fft.metal#tiled")
	require.True(t, ok)
	of := f.Claim.Transform
	for _, c := range []struct {
		t        fourier.Transform
		l        model.Launch
		dst, src int
		want     string
	}{
		{fourier.Transform{}, model.Launch1D(1, 32), 0, 0, "has 1 point at least"},
		{of(6, fourier.Forward), model.Launch1D(1, 32), 12, 12, "6 points; use a power of two up to 268435456"},
		{of(1<<29, fourier.Forward), model.Launch1D(1, 32), 12, 12, "use a power of two"},
		{fourier.Transform{N: 8, Sign: fourier.Inverse}, model.Launch1D(1, 32), 16, 16, "the kernel computes the inverse DFT of 8 points, complex, times 1/N"},
		{fourier.Transform{N: 8, Data: fourier.RealInput}, model.Launch1D(1, 32), 16, 16, "the kernel computes"},
		{of(8, fourier.Forward), model.Launch1D(1, 32), 16, 32, "dst has 16 floats and src 32"},
		{of(8, fourier.Forward), model.Launch1D(1, 32), 0, 0, "not rows of 16 floats"},
		{of(8, fourier.Forward), model.Launch1D(1, 32), 24, 24, "24 floats are not rows of 16 floats"},
		{of(8, fourier.Forward), model.Launch1D(1, 0), 16, 16, "at least one threadgroup of one thread"},
		{of(8, fourier.Forward), model.Launch1D(1, 2048), 16, 16, "at most 1024"},
	} {
		dst := make([]float32, c.dst)
		for i := range dst {
			dst[i] = float32(math.Inf(1))
		}
		require.ErrorContains(t, f.Run(r, c.l, c.t, dst, make([]float32, c.src)), c.want)
		for _, v := range dst {
			require.Equal(t, float32(math.Inf(1)), v)
		}
	}
	_, ok = shaders.FindFFT("shaders/fft.metal#none")
	require.False(t, ok)
}
