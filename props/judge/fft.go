package judge

import (
	"gamma/model/fourier"
	"gamma/props/internal/engine"
	"gamma/props/internal/spectra"
)

// FFT is a discrete Fourier transform to be judged. Set Name and one of the functions.
//
// A function gets src, which it must neither keep nor change, and writes every element of dst; the judge notices if it does not. Those of one
// transform have its length from len(src), or where real numbers come out from len(dst).
type FFT struct {
	// Name is package and function, such as "mykernel.FFT"; reports and case files use it.
	Name string
	// Claim is what the transform promises. The zero value: forward, unscaled, of any power of two, with errors of independent roundings.
	Claim fourier.Claim

	// Run and those after it are one transform, of sign Claim.Sign and of the scale that Claim.Norm has for it.
	Run      func(dst, src []complex64)
	Run64    func(dst, src []complex128)
	RunSplit func(dstRe, dstIm, srcRe, srcIm []float32)
	RunReal  func(dst []complex64, src []float32)
	// RunReal64 takes real numbers to values 0 … ⌊N/2⌋, as RunReal does.
	RunReal64 func(dst []complex128, src []float64)
	// Plan makes a transform ready that the claim offers, or says why it does not. It is asked once for each.
	Plan   func(t fourier.Transform) (func(dst, src []complex64) error, error)
	Plan64 func(t fourier.Transform) (func(dst, src []complex128) error, error)
	// Call is for all others: real data both ways, other layouts, double words, rows of transforms.
	Call func(c *FFTCall) error
	// CallOn runs on a device as at says, and may return a model.Findings.
	CallOn func(at Setting, c *FFTCall) error
	// Device goes with CallOn. Its Under and Schedule are not for transforms.
	Device DeviceClaim

	// Twiddles returns the kernel's table of exp(-2πi·k/n) for k = 0, 1, …, as far as it has one: law fft.twiddle judges it.
	Twiddles func(n int) []complex128
	// Laws are theorems of the user's own, judged beside the built-in ones.
	Laws []FFTLaw
}

// Judged checks the fields and names the one that is wrong.
func (f FFT) Judged(set engine.Settings) (engine.Judged, error) { return spectra.FFT(f).Judged(set) }
