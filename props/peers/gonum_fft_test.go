package peers

import (
	"testing"

	gonum "gonum.org/v1/gonum/dsp/fourier"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/props"
)

// gonumClaim is what is claimed of gonum's Fourier transforms, which are FFTPACK's, by passes over the prime factors of a length. Of both Coefficients and
// Sequence the documentation says: "This transform is unnormalized; a call to Coefficients followed by a call of Sequence will multiply the input sequence by
// the length of the sequence". No accuracy is documented, nor what a length below 1 gives (Unchecked). Twiddle factors are cos and sin of the rounded angle fi·(ld·(2π/n)) < 2π, whose four roundings, of which that of 2π is
// 0.36u, make 3.36u·2π = 21.2u; cos and sin add less than an ulp each. A pass with a prime factor p costs p² steps: longer primes than MaxN allows take seconds.
var gonumClaim = fourier.Claim{
	In: fourier.Number{Format: model.Binary64}, Lengths: fourier.AnyLength, MaxN: 4096, Twiddle: 23, Norm: fourier.NormNone, Repeats: true, Unchecked: true,
}

// cmplxFFT may be in place: "It is safe to use the same slice for dst and seq".
func cmplxFFT() props.FFT {
	c := gonumClaim
	c.InPlace = true
	return props.FFT{Name: "gonum.fourier.CmplxFFT", Claim: c, Plan64: func(t fourier.Transform) (func(dst, src []complex128) error, error) {
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
func realFFT(name string, radix int) props.FFT {
	c := gonumClaim
	c.Real = true
	if radix > 0 {
		c.Lengths, c.Radix = fourier.Smooth, radix
	}
	return props.FFT{Name: name, Claim: c, Call: func(c *props.FFTCall) error {
		f := gonum.NewFFT(c.N)
		if c.Sign == fourier.Forward {
			f.Coefficients(c.Complex128("dst"), c.Float64("src"))
		} else {
			f.Sequence(c.Float64("dst"), c.Complex128("src"))
		}
		return nil
	}}
}

// TestPropGonumFFTs judges gonum's Fourier transforms: of real numbers those of lengths without a prime factor above 5, for which FFTPACK has passes of their own.
func TestPropGonumFFTs(t *testing.T) {
	for _, f := range []props.FFT{cmplxFFT(), realFFT("gonum.fourier.FFT", 5)} {
		t.Run(f.Name, f.Check)
	}
}

// TestReplayGonumFFTs replays what is not so of real numbers and a prime factor above 5: their pass (radfg) makes its factors by a recurrence, each from the one before, so that
// errors grow with the factor beyond what a table's sums have. Replays fail when one of them starts to pass.
func TestReplayGonumFFTs(t *testing.T) {
	f := realFFT("gonum.fourier.FFT(any)", 0)
	t.Run(f.Name, f.Replay)
}
