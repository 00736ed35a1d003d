package main

import (
	"gamma/model"
	"gamma/model/fourier"
)

const fftDeclaration = "(%s *dst, const %s *src, size_t n, int sign)"

func fftwTransforms() library {
	from := source{"\"FFTW computes an unnormalized transform\"; no error is documented, so that the proven bound of passes by factors up to 13 is claimed, with twiddle factors within 3.7u", "FFTW 3.3.10 manual, What FFTW Really Computes, and Complex DFTs; [Higham 2002] §24.1"}
	c := func(f model.Format) fourier.Claim {
		c := fourier.Claim{In: fourier.Number{Format: f}, Lengths: fourier.Smooth, Radix: 13, MaxN: 1 << 14, Twiddle: 3.7, Norm: fourier.NormNone, Unchecked: true}
		return c
	}
	return library{Name: "FFTW", Package: "libfftw3-dev", Shim: "fftw.c", Link: []string{"-lfftw3f", "-lfftw3"}, Version: dpkg("libfftw3-double3"), Claims: []claim{
		{Name: "fftwf_plan_dft_1d", Kernel: "int fft_float" + typed(fftDeclaration, "float"), Make: spectrum(c(model.Binary32)), Says: "complex transforms in binary32, both ways", From: from},
		{Name: "fftw_plan_dft_1d", Kernel: "int fft_double" + typed(fftDeclaration, "double"), Make: spectrum(c(model.Binary64)), Says: "complex transforms in binary64, both ways", From: from},
	}}
}

func kissfftTransforms() library {
	from := source{"\"neither forward nor inverse scales\"; no error is documented, so that the proven bound of any length is claimed", "kissfft 131.1.0, README"}
	c := fourier.Claim{Lengths: fourier.AnyLength, MaxN: 1 << 12, Norm: fourier.NormNone, Repeats: true, Unchecked: true}
	return library{Name: "kissfft", Package: "libkissfft-dev", Shim: "kissfft.c", Link: []string{"-I/usr/include/kissfft", "-lkissfft-float"}, Version: dpkg("libkissfft-float131"), Claims: []claim{
		{Name: "kiss_fft", Kernel: "int fft_float" + typed(fftDeclaration, "float"), Make: spectrum(c), Says: "complex transforms in binary32, both ways", From: from},
	}}
}
