package props

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/fourier"
	"gamma/props/internal/spectra"
	"gamma/props/judge"
)

// factor is a twiddle factor of a pass over wide points, as kernels of this file compute it: number f of part p.
type factor func(wide, p, f int) complex128

func rightFactor(wide, p, f int) complex128 { return exactTwiddle(wide, p*f) }

// wrongAt returns factors one of which is off by 0.003, relative to it.
func wrongAt(wide, p, f int) factor {
	return func(w, q, g int) complex128 {
		z := rightFactor(w, q, g)
		if w == wide && q == p && g == f {
			z *= 1.003
		}
		return z
	}
}

// wrongEntry returns factors from one table of n points, whose entry k has the other sign.
func wrongEntry(n, k int) factor {
	return func(wide, p, f int) complex128 {
		z := rightFactor(wide, p, f)
		if p*f*n == k*wide {
			z = -z
		}
		return z
	}
}

func single(v, w complex128) complex128 {
	a, b := complex64(v), complex64(w)
	return complex128(complex(float32(real(a)*real(b))-float32(imag(a)*imag(b)), float32(real(a)*imag(b))+float32(imag(a)*real(b))))
}

func narrow(z complex128) complex128 { return complex128(complex64(z)) }

// byRadix is decimation in time or frequency by passes of one radix, and for what is left over by the least prime factor of what is. The butterflies are sums, one after the other, of products by constants
// exp(-2πi·k/r), or by others if there are any.
func byRadix(radix int, frequency bool, constants ...func(r, k int) complex128) func(x []complex128, w factor) []complex128 {
	constant := exactTwiddle
	if len(constants) > 0 {
		constant = constants[0]
	}
	var run func(x []complex128, w factor) []complex128
	run = func(x []complex128, w factor) []complex128 {
		n, r := len(x), radix
		if n == 1 {
			return x
		}
		if n%r != 0 {
			for r = 2; n%r != 0; r++ {
			}
		}
		d := n / r
		parts := make([][]complex128, r)
		y := make([]complex128, n)
		if frequency {
			for f := range d {
				for q := range r {
					sum := x[f]
					for p := 1; p < r; p++ {
						sum = narrow(sum + single(x[p*d+f], constant(r, p*q%r)))
					}
					if q > 0 && f > 0 {
						sum = single(sum, w(n, q, f))
					}
					parts[q] = append(parts[q], sum)
				}
			}
			for q := range r {
				for k, v := range run(parts[q], w) {
					y[k*r+q] = v
				}
			}
			return y
		}
		for p := range r {
			for k := p; k < n; k += r {
				parts[p] = append(parts[p], x[k])
			}
			parts[p] = run(parts[p], w)
		}
		for f := range d {
			for q := range r {
				sum := parts[0][f]
				for p := 1; p < r; p++ {
					v := parts[p][f]
					if f > 0 {
						v = single(v, w(n, p, f))
					}
					sum = narrow(sum + single(v, constant(r, p*q%r)))
				}
				y[q*d+f] = sum
			}
		}
		return y
	}
	return run
}

// splitRadix is decimation in time by passes of half the length, and two of a quarter.
func splitRadix(x []complex128, w factor) []complex128 {
	n := len(x)
	if n < 4 {
		return byRadix(2, false)(x, w)
	}
	take := func(from, step int) (part []complex128) {
		for k := from; k < n; k += step {
			part = append(part, x[k])
		}
		return splitRadix(part, w)
	}
	even, one, three := take(0, 2), take(1, 4), take(3, 4)
	y, d := make([]complex128, n), n/4
	for f := range d {
		a, b := one[f], three[f]
		if f > 0 {
			a, b = single(a, w(n, 1, f)), single(b, w(n, 3, f))
		}
		sum, off := narrow(a+b), narrow(a-b)
		off = complex(imag(off), -real(off))
		y[f], y[f+2*d] = narrow(even[f]+sum), narrow(even[f]-sum)
		y[f+d], y[f+3*d] = narrow(even[f+d]+off), narrow(even[f+d]-off)
	}
	return y
}

// oneWay makes a subject of forward transforms of n points.
func oneWay(name string, n int, run func(x []complex128) []complex128) FFT {
	return FFT{Name: "mutants." + name, Claim: fourier.Claim{MinN: n, MaxN: n, Lengths: fourier.AnyLength, WorstCase: true, Twiddle: 1}, Run: func(dst, src []complex64) {
		x := make([]complex128, len(src))
		for k, v := range src {
			x[k] = complex128(v)
		}
		for k, v := range run(x) {
			dst[k] = complex64(v)
		}
	}}
}

// joined makes values 0 … N/2 of the spectrum of N real numbers from one of N/2 complex ones; w are the factors.
func joined(z []complex128, w func(k int) complex128) []complex128 {
	m := len(z)
	y := make([]complex128, m+1)
	for k := range y {
		a, b := z[k%m], z[(m-k)%m]
		b = complex(real(b), -imag(b))
		odd := narrow(a - b)
		y[k] = narrow((a+b)/2 + single(complex(imag(odd)/2, -real(odd)/2), w(k)))
	}
	return y
}

// realWay makes a subject of forward transforms of n real numbers, in a layout.
func realWay(name string, n int, layout fourier.Layout, run func(x []complex128) []complex128) FFT {
	c := fourier.Claim{Real: true, OneWay: true, MinN: n, MaxN: n, Lengths: fourier.AnyLength, Layout: layout, WorstCase: true, Twiddle: 1}
	return FFT{Name: "mutants." + name, Claim: c, Call: func(c *FFTCall) error {
		dst, src := c.Float32("dst"), c.Float32("src")
		x := make([]complex128, n)
		for k, v := range src {
			x[k] = complex(float64(v), 0)
		}
		for k, z := range run(x)[:n/2+1] {
			switch re, im := float32(real(z)), float32(imag(z)); layout {
			case fourier.HalfComplex:
				if dst[k] = re; k > 0 && 2*k != n {
					dst[n-k] = im
				}
			case fourier.Split:
				dst[k], dst[n/2+1+k] = re, im
			default:
				dst[2*k], dst[2*k+1] = re, im
			}
		}
		return nil
	}}
}

// byHalves transforms real numbers as half as many complex ones.
func byHalves(run func(x []complex128, w factor) []complex128, w factor, joint func(k int) complex128) func(x []complex128) []complex128 {
	return func(x []complex128) []complex128 {
		var z []complex128
		for k := 0; k < len(x); k += 2 {
			z = append(z, complex(real(x[k]), real(x[k+1])))
		}
		return joined(run(z, w), joint)
	}
}

// backWay makes a subject of transforms of spectra to n real numbers; factors of the step that parts the spectrum are joint.
func backWay(name string, n int, w factor, joint func(k int) complex128) FFT {
	c := fourier.Claim{Real: true, OneWay: true, Sign: fourier.Inverse, Norm: fourier.NormNone, MinN: n, MaxN: n, WorstCase: true, Twiddle: 1}
	conj := func(z complex128) complex128 { return complex(real(z), -imag(z)) }
	return FFT{Name: "mutants." + name, Claim: c, Call: func(c *FFTCall) error {
		dst, src := c.Float32("dst"), c.Complex64("src")
		m := n / 2
		z := make([]complex128, m)
		for k := range z {
			a, b := complex128(src[k]), conj(complex128(src[m-k]))
			if k == 0 {
				a, b = complex(real(a), 0), complex(real(b), 0)
			}
			odd := single(narrow(a-b), conj(joint(k)))
			z[k] = conj(narrow(a + b + complex(-imag(odd), real(odd))))
		}
		for k, v := range byRadix(4, false)(z, w) {
			dst[2*k], dst[2*k+1] = float32(real(v)), float32(-imag(v))
		}
		return nil
	}}
}

// TestFFTOneFactor: reports of transforms one of whose twiddle factors is wrong name its number, whatever the algorithm, the layout, the length and the stage are; reports of
// transforms with other faults name no factor.
func TestFFTOneFactor(t *testing.T) {
	at := func(run func(x []complex128, w factor) []complex128, w factor) func(x []complex128) []complex128 {
		return func(x []complex128) []complex128 { return run(x, w) }
	}
	joint := func(n int, wrong ...int) func(k int) complex128 {
		return func(k int) complex128 {
			w := exactTwiddle(n, k)
			if slices.Contains(wrong, k) {
				w += 0.01
			}
			return w
		}
	}
	mirrored := func(wide, f int) factor {
		return func(w, p, g int) complex128 {
			z := rightFactor(w, p, g)
			if w == wide && g == f {
				z *= 1 + 0.003i
			} else if w == wide && g == wide/2-f {
				z *= 1 - 0.003i
			}
			return z
		}
	}
	doubled := func(k int, by complex128) func(x []complex128) []complex128 { // a result of a right transform that is wrong
		return func(x []complex128) []complex128 {
			y := byRadix(2, false)(x, rightFactor)
			y[k] *= by
			return y
		}
	}
	for _, m := range []struct {
		subject FFT
		cause   string
	}{
		{oneWay("Two256", 256, at(byRadix(2, false), wrongAt(256, 1, 77))), "number 77 of 256 points is off"},
		{oneWay("Two4096", 4096, at(byRadix(2, true), wrongAt(4096, 1, 1001))), "number 1001 of 4096 points is off"},
		{oneWay("Four2048", 2048, at(byRadix(4, false), wrongAt(512, 3, 100))), "number 300 of 512 points, in a pass of radix 4, is off"},
		{oneWay("Eight512", 512, at(byRadix(8, true), wrongAt(512, 5, 60))), "number 300 of 512 points, in a pass of radix 8, is off"},
		{oneWay("Table1024", 1024, at(byRadix(2, false), wrongEntry(1024, 96))), "number 96 of 1024 points is off"},
		{oneWay("FourTable1024", 1024, at(byRadix(4, true), wrongEntry(1024, 96))), "number 96 of 1024 points, in passes of radix 4, is off"},
		{oneWay("Three", 729, at(byRadix(3, false), wrongAt(243, 2, 40))), "number 80 of 243 points, in a pass of radix 3, is off"},
		{oneWay("Split256", 256, at(splitRadix, wrongAt(256, 3, 21))), "number 63 of 256 points, in a pass of radix 4, is off"},
		{oneWay("SplitInside", 1024, at(splitRadix, wrongAt(64, 1, 9))), "number 9 of 64 points, in a split-radix pass, is off"},
		{oneWay("SplitTable", 512, at(splitRadix, wrongEntry(512, 24))), "number 24 of 512 points, in split-radix passes, is off"},
		{realWay("RealJoint", 512, fourier.Interleaved, byHalves(byRadix(2, false), rightFactor, joint(512, 100))), "number 100 of 512 points, by which the spectra of even and odd numbers are joined, is off by 0.0"},
		{realWay("RealJointHalf", 256, fourier.HalfComplex, byHalves(byRadix(4, false), rightFactor, joint(256, 30))), "number 30 of 256 points, by which the spectra of even and odd numbers are joined, is off by 0.0"},
		{realWay("RealStage", 4096, fourier.Interleaved, byHalves(byRadix(4, true), wrongAt(2048, 1, 333), joint(4096))), "number 333 of 2048 points, in a pass of radix 4, in the transform of 2048 complex numbers, is off"},
		{realWay("RealSplit", 1024, fourier.Split, byHalves(splitRadix, wrongAt(128, 3, 5), joint(1024))), "number 15 of 128 points, in a split-radix pass, in the transform of 512 complex numbers, is off"},
		{realWay("RealWhole", 256, fourier.HalfComplex, at(byRadix(2, false), wrongAt(64, 1, 13))), "number 13 of 64 points is off"},
		{realWay("RealWholeFrequency", 256, fourier.Interleaved, at(byRadix(2, true), wrongAt(256, 1, 13))), "number 13 of 256 points is off"},
		{realWay("RealPasses", 512, fourier.HalfComplex, at(byRadix(2, false), mirrored(256, 13))), "number 13 of 256 points, in passes over real numbers, is off"},
		{backWay("BackJoint", 256, rightFactor, joint(256, 50)), "number 50 of 256 points, by which a spectrum is parted into those of even and odd numbers, is off"},
		{backWay("BackStage", 512, wrongAt(256, 3, 20), joint(512)), "number 60 of 256 points, in a pass of radix 4, in the transform of 256 complex numbers, is off"},
		{oneWay("OneResult", 512, doubled(100, 1.01)), ""},
		{realWay("OneRealResult", 512, fourier.Interleaved, doubled(100, 1.01)), ""},
		{realWay("TwoJoint", 512, fourier.Interleaved, byHalves(byRadix(2, false), rightFactor, joint(512, 100, 120))), ""},
		{oneWay("TwoFactors", 512, at(byRadix(2, false), func(w, p, f int) complex128 {
			return wrongAt(512, 1, 3)(w, p, f) * wrongAt(512, 1, 40)(w, p, f) / rightFactor(w, p, f)
		})), ""},
	} {
		t.Run(m.subject.Name, func(t *testing.T) {
			t.Setenv("GAMMA_SAVE", "off")
			l, err := judge.LawByID(judge.FFTLaws(), model.FFTError)
			require.NoError(t, err)
			start := time.Now()
			f, n, err := judge.Find(l, m.subject, 600)
			require.NoError(t, err)
			require.NotNil(t, f)
			cause := f.(*spectra.Failure).Cause
			t.Logf("after %d, %v: %s", n, time.Since(start).Round(time.Millisecond), cause)
			if m.cause == "" {
				require.Empty(t, cause)
			} else {
				require.Contains(t, cause, m.cause)
			}
		})
	}
}
