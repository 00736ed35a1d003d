package main

import (
	gonum "gonum.org/v1/gonum/dsp/fourier"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/judge"
)

// gonumClaim is what is claimed of gonum's Fourier transforms, which are FFTPACK's, by passes over the prime factors of a length. Of both Coefficients and
// Sequence the documentation says: "This transform is unnormalized; a call to Coefficients followed by a call of Sequence will multiply the input sequence by
// the length of the sequence". No accuracy is documented, nor what a length below 1 gives (Unchecked). Twiddle factors are cos and sin of the rounded angle fi·(ld·(2π/n)) < 2π, whose four roundings, of which that of 2π is
// 0.36u, make 3.36u·2π = 21.2u; cos and sin add less than an ulp each. A pass with a prime factor p costs p² steps: longer primes than MaxN allows take seconds.
var gonumClaim = fourier.Claim{
	In: fourier.Number{Format: model.Binary64}, Lengths: fourier.AnyLength, MaxN: 4096, Twiddle: 23, Norm: fourier.NormNone, Repeats: true, Unchecked: true,
}

// cmplxFFT may be in place: "It is safe to use the same slice for dst and seq".
func cmplxFFT() judge.FFT {
	c := gonumClaim
	c.InPlace = true
	return judge.FFT{Name: "gonum.fourier.CmplxFFT", Claim: c, Plan64: func(t fourier.Transform) (func(dst, src []complex128) error, error) {
		f := gonum.NewCmplxFFT(t.N)
		return func(dst, src []complex128) error {
			if t.Sign == fourier.Forward {
				f.Coefficients(dst, src)
			} else {
				f.Sequence(dst, src)
			}
			return nil
		}, nil
	}}
}

// realFFT is gonum's transform of real numbers, for lengths whose prime factors are at most radix, 0 for any.
func realFFT(name string, radix int) judge.FFT {
	c := gonumClaim
	c.Real = true
	if radix > 0 {
		c.Lengths, c.Radix = fourier.Smooth, radix
	}
	return judge.FFT{Name: name, Claim: c, Call: func(c *judge.FFTCall) error {
		f := gonum.NewFFT(c.N)
		if c.Sign == fourier.Forward {
			f.Coefficients(c.Complex128("dst"), c.Float64("src"))
		} else {
			f.Sequence(c.Float64("dst"), c.Complex128("src"))
		}
		return nil
	}}
}
