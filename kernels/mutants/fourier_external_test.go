package mutants_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/fft"
	"gamma/kernels/mutants"
	"gamma/model/fourier"
)

// runFFT runs a mutant on numbers that seed draws, and returns its results as words: of three calls where there may be so many, the second with one number changed, and the third
// in place.
func runFFT(t *testing.T, m mutants.FFT, s fourier.Transform, seed uint64) []float64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	word := func() float64 {
		switch v := rng.Float64() - 0.5; {
		case seed%4 == 3:
			return v * 0x1p-127
		case seed%4 == 2 && rng.IntN(150) == 0:
			return math.NaN()
		default:
			return v
		}
	}
	complexes := func(n int) []complex128 {
		x := make([]complex128, n)
		for i := range x {
			x[i] = complex(word(), word())
		}
		return x
	}
	var all []float64
	put := func(x ...float64) { all = append(all, x...) }
	switch {
	case m.Plan != nil:
		f, err := m.Plan(s)
		require.NoError(t, err)
		n := s.N
		if m.Rows {
			n *= 3
		}
		var x []complex64
		for _, v := range complexes(n) {
			x = append(x, complex64(v))
		}
		y := make([]complex64, n)
		require.NoError(t, f(y, x))
		x[n-1]++
		z := make([]complex64, n)
		require.NoError(t, f(z, x))
		require.NoError(t, f(x, x))
		for i := range y {
			for _, v := range [3]complex64{x[i], y[i], z[i]} {
				put(float64(real(v)), float64(imag(v)))
			}
		}
		require.Error(t, f(y[1:], x))
	case m.Plan64 != nil:
		f, err := m.Plan64(s)
		require.NoError(t, err)
		x := complexes(s.N)
		require.NoError(t, f(x, x))
		for _, v := range x {
			put(real(v), imag(v))
		}
		require.Error(t, f(x[1:], x))
	case m.Double != nil:
		f, err := m.Double(s)
		require.NoError(t, err)
		x := make([]fft.Double, s.N)
		for i, v := range complexes(s.N) {
			x[i].Re.Hi, x[i].Im.Hi = real(v), imag(v)
			x[i].Re.Lo, x[i].Im.Lo = real(v)*0x1p-54, imag(v)*0x1p-55
		}
		require.NoError(t, f(x, x))
		for _, v := range x {
			put(v.Re.Hi, v.Re.Lo, v.Im.Hi, v.Im.Lo)
		}
		require.Error(t, f(x[1:], x))
	default:
		x := make([]float32, s.N)
		for i := range x {
			x[i] = float32(word())
		}
		s.Data = fourier.RealInput
		if m.Half != nil {
			f, err := m.Half(s)
			require.NoError(t, err)
			require.NoError(t, f(x, x))
			for _, v := range x {
				put(float64(v))
			}
			require.Error(t, f(x[1:], x))
			break
		}
		f, err := m.Real(s)
		require.NoError(t, err)
		y := make([]complex64, s.Out())
		require.NoError(t, f(y, x))
		for _, v := range y {
			put(float64(real(v)), float64(imag(v)))
		}
		require.Error(t, f(y[1:], x))
	}
	return all
}

// kindOf names the sound transform of a mutant's kind.
func kindOf(m mutants.FFT) string {
	return fmt.Sprint(m.Plan != nil, m.Plan64 != nil, m.Double != nil, m.Wide, m.Direct, m.Rows, m.Real != nil, m.Half != nil)
}

// TestEveryFFTFaultShows compares each mutant with the sound transform of its kind, bit by bit, and those with package fft.
func TestEveryFFTFaultShows(t *testing.T) {
	sound := map[string]mutants.FFT{}
	for _, m := range mutants.SoundFFTs() {
		sound[kindOf(m)] = m
	}
	require.Len(t, sound, 8)
	names := map[string]bool{}
	for _, m := range mutants.FFTs() {
		require.NotEmpty(t, m.Fault)
		require.NotEmpty(t, m.Kills)
		require.False(t, names[m.Name], m.Name)
		names[m.Name] = true
		right, ok := sound[kindOf(m)]
		require.True(t, ok, m.Name)
		shows := 0
		for seed := range uint64(8) {
			for _, s := range []fourier.Transform{{N: 32}, {N: 64, Sign: fourier.Inverse, Scale: fourier.ByN}, {N: 32, Scale: fourier.ByRootN}} {
				a, b := runFFT(t, m, s, seed), runFFT(t, right, s, seed)
				for i := range a {
					if math.Float64bits(a[i]) != math.Float64bits(b[i]) && (a[i] == a[i] || b[i] == b[i]) {
						shows++
						break
					}
				}
			}
		}
		require.Positive(t, shows, m.Name)
		found, ok := mutants.FindFFT(m.Name)
		require.True(t, ok && found.Fault == m.Fault)
	}
	require.GreaterOrEqual(t, len(names), 25)
	_, ok := mutants.FindFFT("mutants.Nothing")
	require.False(t, ok)
}

// TestSoundFFTs holds the sound ones to package fft: words differ by roundings alone.
func TestSoundFFTs(t *testing.T) {
	for _, s := range []fourier.Transform{{N: 2}, {N: 8}, {N: 64, Sign: fourier.Inverse, Scale: fourier.ByN}, {N: 32, Scale: fourier.ByRootN}} {
		p, err := fft.New[complex64](s)
		require.NoError(t, err)
		ours := mutants.FFT{Plan: func(fourier.Transform) (func(dst, src []complex64) error, error) { return p.Transform, nil }}
		want := runFFT(t, ours, s, 1)
		for _, m := range mutants.SoundFFTs() {
			if m.Plan == nil || m.Rows {
				continue
			}
			for i, v := range runFFT(t, m, s, 1) {
				require.Less(t, math.Abs(v-want[i]), 0x1p-18, "%s, %v", m.Name, s)
			}
		}
	}
	for _, m := range mutants.SoundFFTs() {
		for _, n := range []int{0, 3, -2} {
			bad := fourier.Transform{N: n, Data: fourier.RealInput}
			var err error
			switch {
			case m.Plan != nil:
				_, err = m.Plan(bad)
			case m.Plan64 != nil:
				_, err = m.Plan64(bad)
			case m.Double != nil:
				_, err = m.Double(bad)
			case m.Half != nil:
				_, err = m.Half(bad)
			default:
				_, err = m.Real(bad)
			}
			require.Error(t, err, "%s of %d points", m.Name, n)
		}
	}
}
