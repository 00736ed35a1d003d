package conv

import "gamma/kernels/fft"

// Spectrum returns the product of spectra of the first row, which has the factor of the forward transform, before the inverse: in binary64, of a profile
// that says FFT.
func Spectrum(p Profile, o Operands) ([]complex128, error) {
	return spectrum(p, o, words[float64](p, plainProduct[complex128]))
}

// SpectrumDouble is Spectrum in double words.
func SpectrumDouble(p Profile, o Operands) ([]fft.Double, error) { return spectrum(p, o, doubles(p)) }

func spectrum[F fft.Real, C fft.Number](p Profile, o Operands, a arithmetic[F, C]) ([]C, error) {
	steps, err := newSteps(p, o.N, a)
	if err != nil {
		return nil, err
	}
	l := newRun(steps, &o)
	filter := make([]C, len(l.spectrum))
	l.filter(filter, 0)
	l.convolve(filter, 0, 0)
	return l.spectrum, nil
}
