package props

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/judge"
)

// TestFFTLayouts: of split numbers and of spectra in bit-reversed order no law finds anything in a right transform, and fft.error finds what is in another layout or order.
func TestFFTLayouts(t *testing.T) {
	split := func(swapped bool) FFT {
		return FFT{Name: "mine.Split", RunSplit: func(dstRe, dstIm, srcRe, srcIm []float32) {
			n := len(srcRe)
			x, y := make([]complex64, n), make([]complex64, n)
			for i := range x {
				x[i] = complex(srcRe[i], srcIm[i])
			}
			run, err := radix2{}.plan(fourier.Transform{N: n})
			if err == nil {
				err = run(y, x)
			}
			if err != nil {
				panic(err)
			}
			if swapped { // the parts of each pair of results are interleaved
				flat := slices.Concat(dstRe, dstIm)
				for i, z := range y {
					flat[2*i], flat[2*i+1] = real(z), imag(z)
				}
				copy(dstRe, flat[:n])
				copy(dstIm, flat[n:])
				return
			}
			for i, z := range y {
				dstRe[i], dstIm[i] = real(z), imag(z)
			}
		}, Claim: fourier.Claim{Repeats: true, MaxN: 256}}
	}
	ordered := func(left bool) FFT { // left: the inverse takes its input in natural order
		return FFT{Name: "mine.Reversed", Claim: fourier.Claim{Order: fourier.BitReversed, Repeats: true, MaxN: 256}, Plan: func(tr fourier.Transform) (func(dst, src []complex64) error, error) {
			turned := func(x []complex64) []complex64 {
				y := slices.Clone(x)
				for i := range y {
					y[i] = x[reversal(tr.N, i)]
				}
				return y
			}
			run, err := radix2{}.plan(tr)
			return func(dst, src []complex64) error {
				if tr.Sign == fourier.Inverse && !left {
					src = turned(src)
				}
				if err := run(dst, src); err != nil {
					return err
				}
				if tr.Sign == fourier.Forward {
					copy(dst, turned(dst))
				}
				return nil
			}, err
		}}
	}
	l, err := judge.LawByID(judge.FFTLaws(), model.FFTError)
	require.NoError(t, err)
	for name, of := range map[string]func(bool) FFT{"split": split, "bit-reversed": ordered} {
		t.Run(name, func(t *testing.T) {
			t.Run("right", func(t *testing.T) { of(false).Check(t) })
			_, n, v, err := judge.Search(l, of(true), 100)
			require.NoError(t, err)
			require.Equal(t, Violated, v.Outcome, "%v", v)
			t.Log(n, v.Reason)
		})
	}
}

// TestRefusesOwnBound: a bound that the claim states is of lengths that are claimed, and a right result of another length is not held to it.
func TestRefusesOwnBound(t *testing.T) {
	l, err := judge.LawByID(judge.FFTLaws(), model.FFTRefuses)
	require.NoError(t, err)
	f := FFT{
		Name: "plain.Definition",
		Plan: func(fourier.Transform) (func(dst, src []complex64) error, error) {
			return func(dst, src []complex64) error {
				x := slices.Clone(src)
				for k := range dst {
					sum := complex128(0)
					for j, v := range x {
						sum += complex128(complex128(v) * exactTwiddle(len(x), j*k%len(x)))
					}
					dst[k] = complex64(sum)
				}
				return nil
			}, nil
		},
		Claim: fourier.Claim{OneWay: true, MaxN: 16, Source: "[Gamma Y1]", Own: func(n int) float64 { return float64(1-n&(n-1)) * 0x1p-20 }},
	}
	c, judged, _, err := judge.Search(l, f, 40)
	require.NoError(t, err)
	require.NotZero(t, judged)
	require.Nil(t, c)
}
