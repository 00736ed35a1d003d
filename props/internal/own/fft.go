package own

import (
	"unsafe"

	"gamma/kernels/dd"
	"gamma/kernels/fft"
	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/judge"
)

// planOf returns a function that makes plans of complex numbers.
func planOf[T fft.Number](options ...fft.Option) func(t fourier.Transform) (func(dst, src []T) error, error) {
	return func(t fourier.Transform) (func(dst, src []T) error, error) {
		p, err := fft.New[T](t, options...)
		if err != nil {
			return nil, err
		}
		return p.Transform, nil
	}
}

// DoubleWords returns the memory of words as numbers of another type, of double words.
func DoubleWords[T any](words []float64) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*8/int(unsafe.Sizeof(t)))
}

// FFTs returns the transforms of package kernels/fft, complex and real, with every format, method and norm.
func FFTs() []judge.FFT {
	any7 := fourier.Claim{Lengths: fourier.AnyLength, Radix: 7, InPlace: true, Repeats: true}
	claim := func(change func(c *fourier.Claim)) fourier.Claim {
		c := any7
		change(&c)
		return c
	}
	wide := fourier.Number{Format: model.Binary64}
	double := fourier.Number{Format: model.Binary64, Words: 2}
	inDoubles := func(c *fourier.Claim) { c.In, c.Twiddle, c.Sum, c.Product = double, 64, 3, 13 }
	direct := func(c *fourier.Claim) {
		c.Inside, c.Radix, c.Method, c.Compensated, c.MaxN = wide, 0, fourier.Direct, true, 512
	}
	rows := fft.Rows{Stride: 1}
	return []judge.FFT{
		{Name: "fft.Complex64", Claim: any7, Plan: planOf[complex64]()},
		{Name: "fft.Complex128", Claim: claim(func(c *fourier.Claim) { c.Norm = fourier.NormOrtho }), Plan64: planOf[complex128]()},
		{Name: "fft.Wide", Claim: claim(func(c *fourier.Claim) { c.Inside, c.Norm = wide, fourier.NormForward }), Plan: planOf[complex64](fft.Wide)},
		{Name: "fft.Direct", Claim: claim(direct), Plan: planOf[complex64](fft.Direct)},
		{Name: "fft.Direct128", Claim: claim(direct), Plan64: planOf[complex128](fft.Direct)},
		{Name: "fft.Double", Claim: claim(inDoubles), Call: func(c *judge.FFTCall) error {
			p, err := fft.New[fft.Double](c.Transform)
			if err != nil {
				return err
			}
			return p.Transform(DoubleWords[fft.Double](c.Float64("dst")), DoubleWords[fft.Double](c.Float64("src")))
		}},
		{Name: "fft.Batch", Claim: claim(func(c *fourier.Claim) { c.Batched, c.Norm = true, fourier.NormNone }), Call: func(c *judge.FFTCall) error {
			p, err := fft.New[complex64](c.Transform)
			if err != nil {
				return err
			}
			r := rows
			r.Distance = c.N
			return p.Batch(c.Complex64("dst"), c.Complex64("src"), c.Rows, r, r)
		}},
		{Name: "fft.Real32", Claim: claim(func(c *fourier.Claim) { c.Real, c.InPlace = true, false }), Call: func(c *judge.FFTCall) error {
			p, err := fft.NewReal[float32, complex64](c.Transform)
			if err != nil {
				return err
			}
			if c.Data == fourier.RealInput {
				return p.R2C(c.Complex64("dst"), c.Float32("src"))
			}
			return p.C2R(c.Float32("dst"), c.Complex64("src"))
		}},
		{Name: "fft.Real64", Claim: claim(func(c *fourier.Claim) { c.In, c.Real, c.InPlace, c.Norm = wide, true, false, fourier.NormOrtho }), Call: func(c *judge.FFTCall) error {
			p, err := fft.NewReal[float64, complex128](c.Transform)
			if err != nil {
				return err
			}
			if c.Data == fourier.RealInput {
				return p.R2C(c.Complex128("dst"), c.Float64("src"))
			}
			return p.C2R(c.Float64("dst"), c.Complex128("src"))
		}},
		{Name: "fft.RealDouble", Claim: claim(func(c *fourier.Claim) { inDoubles(c); c.Real, c.InPlace = true, false }), Call: func(c *judge.FFTCall) error {
			p, err := fft.NewReal[dd.DD64, fft.Double](c.Transform)
			if err != nil {
				return err
			}
			if c.Data == fourier.RealInput {
				return p.R2C(DoubleWords[fft.Double](c.Float64("dst")), DoubleWords[dd.DD64](c.Float64("src")))
			}
			return p.C2R(DoubleWords[dd.DD64](c.Float64("dst")), DoubleWords[fft.Double](c.Float64("src")))
		}},
	}
}
