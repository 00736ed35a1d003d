package mutants

import (
	"math"
	"slices"

	"gamma/kernels/dd"
	"gamma/kernels/fft"
	"gamma/kernels/trig"
	"gamma/model"
	"gamma/model/fourier"
)

// Faults of transforms of rows, of other arithmetic than that of their numbers, and of real input.

// rowsFFT returns a mutant that takes rows.
func rowsFFT(name, fault string, kills model.LawID, f fftFault) FFT {
	plan := checkedFFT(plainFFT[float32](fftSound), view32)
	return FFT{
		Name: "mutants.FFT" + name, Fault: fault, Kills: kills, Rows: true,
		Plan: func(t fourier.Transform) (func(dst, src []complex64) error, error) {
			run, err := plan(t)
			if err != nil {
				return nil, err
			}
			n := t.N
			return func(dst, src []complex64) error {
				if len(dst) != len(src) || len(src) == 0 || len(src)%n != 0 {
					return errFFTShape
				}
				var left complex64
				for i := 0; i < len(src); i += n {
					row := slices.Clone(src[i : i+n])
					last := i+n == len(src)
					switch {
					case f == nanLeaks:
						// Products with 0 are written out: those of complex numbers would spread.
						row[0] += complex(float32(real(left)*0), float32(imag(left)*0))
						left = 0
						for _, v := range row {
							left += v
						}
					case f == lastRow && last && i > 0:
						copy(dst[i:], row)
						continue
					}
					if err := run(dst[i:i+n], row); err != nil {
						return err
					}
					if f == rowBeyond && i > 0 {
						dst[i] += dst[i-1]
					}
				}
				return nil
			}, nil
		},
	}
}

// wideFFT returns a mutant that claims binary64 inside.
func wideFFT(name, fault string, kills model.LawID, f fftFault) FFT {
	m := FFT{Name: "mutants.FFT" + name, Fault: fault, Kills: kills, Wide: true}
	m.Plan = checkedFFT(plainFFT[float64](f), func(x complex64) pair[float64] { return view64(complex128(x)) })
	if f == wideNever {
		m.Plan = checkedFFT(plainFFT[float32](fftSound), view32)
	}
	return m
}

// doubleFFT returns a mutant of double words.
func doubleFFT(name, fault string, kills model.LawID, f fftFault) FFT {
	return FFT{
		Name: "mutants.FFT" + name, Fault: fault, Kills: kills,
		Double: func(t fourier.Transform) (func(dst, src []fft.Double) error, error) {
			if err := powerOfTwo(t); err != nil {
				return nil, err
			}
			n := t.N
			w := make([]fft.Double, max(1, n/2))
			for k := range w {
				cos, sin := trig.Twiddle(k, n)
				if t.Sign == fourier.Forward {
					sin = sin.Neg()
				}
				w[k] = fft.Double{Re: cos, Im: sin}
				if f == ddTwiddles {
					w[k] = highWords(w[k])
				}
			}
			return func(dst, src []fft.Double) error {
				if len(dst) != n || len(src) != n {
					return errFFTShape
				}
				x := slices.Clone(src)
				if f == ddInput {
					for i, v := range x {
						x[i] = highWords(v)
					}
				}
				permuteBits(x, 1)
				for half := 1; half < n; half *= 2 {
					doubleStage(x, w, half, f)
				}
				doubleScale(x, t)
				copy(dst, x)
				return nil
			}, nil
		},
	}
}

func highWords(x fft.Double) fft.Double {
	return fft.Double{Re: dd.FromWord(x.Re.Hi), Im: dd.FromWord(x.Im.Hi)}
}

// doubleStage combines blocks of half numbers.
func doubleStage(x, w []fft.Double, half int, f fftFault) {
	for i := 0; i < len(x); i += 2 * half {
		for k := range half {
			a, b := x[i+k], x[i+k+half]
			if f == ddProducts {
				b = highWords(b)
			}
			if k > 0 {
				b = b.Times3(w[k*(len(x)/(2*half))])
			}
			sum, difference := a.Plus(b), a.Plus(fft.Double{Re: b.Re.Neg(), Im: b.Im.Neg()})
			if f == ddSums {
				sum, difference = highWords(sum), highWords(difference)
			}
			x[i+k], x[i+k+half] = sum, difference
		}
	}
}

// doubleScale multiplies by the factor of t.
func doubleScale(x []fft.Double, t fourier.Transform) {
	if t.Scale == fourier.Unscaled || t.N == 1 {
		return
	}
	n := dd.FromInt64[float64](int64(t.N))
	if t.Scale == fourier.ByRootN {
		n = n.Root()
	}
	factor := dd.FromWord(1.0).Over(n)
	for i, v := range x {
		x[i] = fft.Double{Re: v.Re.Times3(factor), Im: v.Im.Times3(factor)}
	}
}

// directFFT returns a mutant that computes by definition.
func directFFT(name, fault string, kills model.LawID, f fftFault) FFT {
	plan := func(t fourier.Transform) passes[float64] {
		return func(x []pair[float64]) {
			old := slices.Clone(x)
			for k := range x {
				var re, im, lostRe, lostIm float64
				add := func(sum, lost *float64, v float64) {
					y := v - *lost
					switch f {
					case kahanSign:
						y = v + *lost
					case kahanDropped:
						*sum = float64(float32(*sum) + float32(v))
						return
					}
					z := *sum + y
					*lost = (z - *sum) - y
					*sum = z
				}
				for j, v := range old {
					w := trig.Twiddle64(j*k%t.N, t.N)
					if f == directUnreduced {
						angle := float64(float32(float32(2*math.Pi)*float32(j*k)) / float32(t.N))
						w = complex(math.Cos(angle), math.Sin(angle))
					}
					cos, sin := real(w), imag(w)
					if t.Sign == fourier.Forward {
						sin = -sin
					}
					add(&re, &lostRe, float64(v.re*cos))
					add(&re, &lostRe, -float64(v.im*sin))
					add(&im, &lostIm, float64(v.re*sin))
					add(&im, &lostIm, float64(v.im*cos))
				}
				x[k] = pair[float64]{re, im}
			}
			fftScale(x, t, fftSound)
		}
	}
	return FFT{Name: "mutants.FFT" + name, Fault: fault, Kills: kills, Direct: true, Plan64: checkedFFT(plan, view64)}
}

// halfSpectrum returns X_0 … X_(N/2) of real numbers.
func halfSpectrum(run passes[float32], src []float32, f fftFault) []pair[float32] {
	n := len(src)
	x := make([]pair[float32], n)
	for i, v := range src {
		x[i].re = v
	}
	run(x)
	x = x[:n/2+1]
	x[0].im, x[n/2].im = 0, 0
	if n < 8 {
		return x
	}
	switch f {
	case realMiddle:
		x[n/4].im = -x[n/4].im
	case realLast:
		x[n/2] = pair[float32]{}
	case realPacked:
		x[0].im = x[n/2].re
	case realConjugated:
		for k := n/4 + 1; k < n/2; k++ {
			x[k].im = -x[k].im
		}
	}
	return x
}

// realFFT returns a mutant of real input.
func realFFT(name, fault string, kills model.LawID, f fftFault) FFT {
	return FFT{
		Name: "mutants.FFT" + name, Fault: fault, Kills: kills,
		Real: func(t fourier.Transform) (func(dst []complex64, src []float32) error, error) {
			if err := powerOfTwo(t); err != nil || t.Data != fourier.RealInput || t.N < 2 {
				return nil, errFFTShape
			}
			run := plainFFT[float32](fftSound)(t)
			return func(dst []complex64, src []float32) error {
				if len(dst) != t.Out() || len(src) != t.N {
					return errFFTShape
				}
				for k, v := range halfSpectrum(run, src, f) {
					dst[k] = v.complex64()
				}
				return nil
			}, nil
		},
	}
}

// halfFFT returns a mutant of real input, whose results are in half-complex order.
func halfFFT(name, fault string, kills model.LawID, f fftFault) FFT {
	return FFT{
		Name: "mutants.FFT" + name, Fault: fault, Kills: kills,
		Half: func(t fourier.Transform) (func(dst, src []float32) error, error) {
			if err := powerOfTwo(t); err != nil || t.Data != fourier.RealInput || t.N < 2 {
				return nil, errFFTShape
			}
			run, n := plainFFT[float32](fftSound)(t), t.N
			return func(dst, src []float32) error {
				if len(dst) != n || len(src) != n {
					return errFFTShape
				}
				x := halfSpectrum(run, src, f)
				for k, v := range x {
					dst[k] = v.re
				}
				for k := 1; k < n/2; k++ {
					at := n - k
					switch f {
					case halfShifted:
						at = n/2 + 1 + (n/2-k)%(n/2-1)
					case halfForward:
						at = n/2 + k
					}
					dst[at] = x[k].im
				}
				return nil
			}, nil
		},
	}
}
