package conv

// Spectrum returns the product of spectra of the first row, which has the factor of the forward transform, before the inverse: in binary64, of a profile
// that says FFT.
func Spectrum(p Profile, o Operands) ([]complex128, error) {
	steps, err := newSteps(p, o.N, words[float64](p, plainProduct[complex128]))
	if err != nil {
		return nil, err
	}
	l := newRun(steps, &o)
	filter := make([]complex128, len(l.spectrum))
	l.filter(filter, 0)
	l.convolve(filter, 0, 0)
	return l.spectrum, nil
}
