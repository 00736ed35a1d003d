package mutants

import (
	"errors"
	"math"
	"math/bits"
	"slices"

	"gamma/kernels"
	"gamma/kernels/fft"
	"gamma/kernels/trig"
	"gamma/model"
	"gamma/model/fourier"
)

// FFT is a discrete Fourier transform with one fault. One of its plans is set, by the numbers that it takes; lengths are powers of two. A sound transform of its kind
// computes in the format of its numbers, by passes of radix 2 with twiddle factors rounded to nearest, and by rounded products; dst may be src.
type FFT struct {
	Name  string
	Fault string // what is wrong, in a few words
	Kills model.LawID

	Plan   FFTPlan[complex64]
	Plan64 FFTPlan[complex128]
	Double FFTPlan[fft.Double]
	// Wide claims that complex64 numbers are computed with in binary64, and rounded once.
	Wide bool
	// Direct claims sums by the definition, in binary64, by Kahan's scheme.
	Direct bool
	// Rows claims that a call takes any number of rows, one after the other.
	Rows bool
	// Real takes N real numbers to N/2+1 complex ones, and Half to half-complex order: re 0 … re N/2, im N/2-1 … im 1.
	Real func(t fourier.Transform) (func(dst []complex64, src []float32) error, error)
	Half FFTPlan[float32]
}

// FFTPlan makes a transform.
type FFTPlan[T any] func(t fourier.Transform) (func(dst, src []T) error, error)

// fftFault is a fault of the plain transforms below.
type fftFault uint8

const (
	fftSound fftFault = iota
	stageMissing
	stageTwice
	oneTwiddle
	conjugated
	signIgnored
	scaleMissing
	scaleTwice
	scaleRoot
	reversalMissing
	digitsReversed
	leftTransposed
	halvesSwapped
	outputReversed
	aliasBroken
	sourceWritten
	radixPass
	angle32
	recurrence
	twiddles20
	butterflyLeft
	subnormalsLost
	nanZero
	lastKept
	twiddles32
	wideTwice
	wideNever
	lastRow
	rowBeyond
	nanLeaks
	ddInput
	ddTwiddles
	ddSums
	ddProducts
	kahanSign
	kahanDropped
	directUnreduced
	realMiddle
	realLast
	realPacked
	realConjugated
	halfShifted
	halfForward
)

// FFTs returns every mutant of the transforms.
func FFTs() []FFT {
	const (
		exceeds, typical, exact, roundtrip = "fft.error", "fft.typical", "fft.exact", "fft.roundtrip"
		special, pure, independent         = "fft.special", "fft.pure", "fft.independent"
	)
	return []FFT{
		complexFFT("StageMissing", "the last stage is missing", exceeds, stageMissing),
		complexFFT("StageTwice", "the first stage runs twice", exceeds, stageTwice),
		complexFFT("OneTwiddle", "one twiddle of the last stage is its neighbour", exceeds, oneTwiddle),
		complexFFT("Conjugated", "the result is conjugated", exceeds, conjugated),
		complexFFT("SignIgnored", "the inverse is the forward transform", exceeds, signIgnored),
		complexFFT("ScaleMissing", "the factor is missing", exceeds, scaleMissing),
		complexFFT("ScaleTwice", "the factor is applied twice", exceeds, scaleTwice),
		complexFFT("ScaleRoot", "1/√N for 1/N", exceeds, scaleRoot),
		complexFFT("ReversalMissing", "no bit reversal", exceeds, reversalMissing),
		complexFFT("DigitsReversed", "results are in the order of reversed digits of base 4", exceeds, digitsReversed),
		complexFFT("LeftTransposed", "results are left as a transposed matrix", exceeds, leftTransposed),
		complexFFT("HalvesSwapped", "the zero frequency is in the middle", exceeds, halvesSwapped),
		complexFFT("OutputReversed", "the inverse by reversed results, with index N-1-k for N-k", exceeds, outputReversed),
		complexFFT("AliasBroken", "dst = src is permuted while it is read", pure, aliasBroken),
		complexFFT("SourceWritten", "src is used as scratch", pure, sourceWritten),
		complexFFT("RadixPass", "i for -i inside the first pass of radix 4", exceeds, radixPass),
		complexFFT("Angle32", "angles are rounded to binary32", typical, angle32),
		complexFFT("Recurrence", "each twiddle is the one before times the first", typical, recurrence),
		complexFFT("Twiddles20", "twiddles have 20 bits", typical, twiddles20),
		complexFFT("ButterflyLeft", "the last butterfly of each block of 16 is left out in the fourth stage", exceeds, butterflyLeft),
		complexFFT("SubnormalsLost", "subnormal inputs count as 0", exceeds, subnormalsLost),
		complexFFT("NaNZero", "NaN counts as 0", special, nanZero),
		complexFFT("LastKept", "the result of the last call is kept for inputs that start alike", exceeds, lastKept),
		rowsFFT("LastRow", "the last row of a batch is copied", exceeds, lastRow),
		rowsFFT("RowBeyond", "the last value of a row is added to the first of the next", independent, rowBeyond),
		rowsFFT("NaNLeaks", "what a row leaves in the scratch is multiplied by 0 and added to the next", special, nanLeaks),
		{Name: "mutants.FFTTwiddles32", Fault: "binary32 twiddles in a binary64 transform", Kills: exceeds, Plan64: checkedFFT(plainFFT[float64](twiddles32), view64)},
		wideFFT("WideTwice", "values are rounded to binary32 in the middle, too", typical, wideTwice),
		wideFFT("WideNever", "all is computed in binary32", exceeds, wideNever),
		doubleFFT("DoubleInput", "low words of the input are dropped", exceeds, ddInput),
		doubleFFT("DoubleTwiddles", "twiddles have one word", exceeds, ddTwiddles),
		doubleFFT("DoubleSums", "low words of sums are dropped", exceeds, ddSums),
		doubleFFT("DoubleProducts", "products are of high words", exceeds, ddProducts),
		directFFT("KahanSign", "Kahan's compensation has the other sign", typical, kahanSign),
		directFFT("KahanDropped", "sums in binary32 without compensation", exceeds, kahanDropped),
		directFFT("DirectUnreduced", "the angle 2πjk/N is computed in binary32, and not reduced", exceeds, directUnreduced),
		realFFT("RealMiddle", "of X_(N/4), which is its own partner, the imaginary part has the other sign", exceeds, realMiddle),
		realFFT("RealLast", "X_(N/2) is not written", exceeds, realLast),
		realFFT("RealPacked", "X_(N/2) is the imaginary part of X_0", exceeds, realPacked),
		realFFT("RealConjugated", "values above N/4 are not conjugated", exceeds, realConjugated),
		halfFFT("HalfShifted", "imaginary parts are one place late", exceeds, halfShifted),
		halfFFT("HalfForward", "imaginary parts ascend", exceeds, halfForward),
	}
}

// SoundFFTs returns the plain transforms without a fault: laws that find one in them are wrong.
func SoundFFTs() []FFT {
	return []FFT{
		complexFFT("Sound", "", "", fftSound), rowsFFT("SoundRows", "", "", fftSound),
		{Name: "mutants.FFTSound64", Plan64: checkedFFT(plainFFT[float64](fftSound), view64)},
		wideFFT("SoundWide", "", "", fftSound), doubleFFT("SoundDouble", "", "", fftSound), directFFT("SoundDirect", "", "", fftSound),
		realFFT("SoundReal", "", "", fftSound), halfFFT("SoundHalf", "", "", fftSound),
	}
}

// FindFFT returns the mutant called name, and ok = false if there is none.
func FindFFT(name string) (m FFT, ok bool) {
	for _, m := range FFTs() {
		if m.Name == name {
			return m, true
		}
	}
	return FFT{}, false
}

// pair is a complex number of words.
type pair[F kernels.Float] struct{ re, im F }

func (x pair[F]) plus(y pair[F]) pair[F]  { return pair[F]{x.re + y.re, x.im + y.im} }
func (x pair[F]) minus(y pair[F]) pair[F] { return pair[F]{x.re - y.re, x.im - y.im} }
func (x pair[F]) times(y pair[F]) pair[F] {
	return pair[F]{F(x.re*y.re) - F(x.im*y.im), F(x.re*y.im) + F(x.im*y.re)}
}

func view32(x complex64) pair[float32]   { return pair[float32]{real(x), imag(x)} }
func view64(x complex128) pair[float64]  { return pair[float64]{real(x), imag(x)} }
func (x pair[F]) complex64() complex64   { return complex(float32(x.re), float32(x.im)) }
func (x pair[F]) complex128() complex128 { return complex(float64(x.re), float64(x.im)) }

var errFFTShape = errors.New("mutants: a transform's lengths are powers of two, those of dst and src what it says")

// powerOfTwo returns an error unless t is a transform of a power of two of points.
func powerOfTwo(t fourier.Transform) error {
	if err := t.Check(); err != nil {
		return err
	}
	if t.N&(t.N-1) != 0 || t.N > 1<<20 {
		return errFFTShape
	}
	return nil
}

// passes is a transform in place; src is what the caller gave.
type passes[F kernels.Float] func(x []pair[F])

// checkedFFT makes a plan whose transforms copy their input, check lengths and run.
func checkedFFT[T any, F kernels.Float](plan func(t fourier.Transform) passes[F], from func(T) pair[F]) FFTPlan[T] {
	return func(t fourier.Transform) (func(dst, src []T) error, error) {
		if err := powerOfTwo(t); err != nil {
			return nil, err
		}
		run := plan(t)
		return func(dst, src []T) error {
			if len(dst) != t.N || len(src) != t.N {
				return errFFTShape
			}
			x := make([]pair[F], t.N)
			for i, v := range src {
				x[i] = from(v)
			}
			run(x)
			for i, v := range x {
				switch z := any(&dst[i]).(type) {
				case *complex64:
					*z = v.complex64()
				case *complex128:
					*z = v.complex128()
				}
			}
			return nil
		}, nil
	}
}

// plainFFT returns plans of radix 2, by decimation in time, with a fault.
func plainFFT[F kernels.Float](f fftFault) func(t fourier.Transform) passes[F] {
	return func(t fourier.Transform) passes[F] {
		n := t.N
		w := fftTwiddles[F](t, f)
		stages := bits.Len(uint(n)) - 1
		return func(x []pair[F]) {
			fftInput(x, f)
			if f != reversalMissing {
				permuteBits(x, 1)
			}
			for s := range stages {
				switch {
				case f == stageMissing && s == stages-1:
				case f == stageTwice && s == 0:
					fftStage(x, w, s, f)
					fftStage(x, w, s, f)
				case f == wideTwice && s == stages/2:
					fftStage(x, w, s, f)
					for i, v := range x {
						x[i] = pair[F]{F(float32(v.re)), F(float32(v.im))}
					}
				default:
					fftStage(x, w, s, f)
				}
			}
			fftScale(x, t, f)
			fftOutput(x, t, f)
		}
	}
}

// fftInput does to the input what a fault does.
func fftInput[F kernels.Float](x []pair[F], f fftFault) {
	for i, v := range x {
		for _, p := range [2]*F{&v.re, &v.im} {
			switch {
			case f == subnormalsLost && math.Abs(float64(*p)) < 0x1p-126, f == nanZero && *p != *p:
				*p = 0
			}
		}
		x[i] = v
	}
}

// fftTwiddles returns exp(∓2πik/n) for k < n/2.
func fftTwiddles[F kernels.Float](t fourier.Transform, f fftFault) []pair[F] {
	n := t.N
	w := make([]pair[F], max(1, n/2))
	for k := range w {
		cos, sin := trig.Twiddle(k, n)
		v := pair[F]{F(cos.Hi), F(sin.Hi)}
		if z, ok := any(&v).(*pair[float32]); ok {
			r := trig.Twiddle32(k, n)
			*z = pair[float32]{real(r), imag(r)}
		}
		switch f {
		case angle32:
			angle := float64(float32(float64(2*math.Pi*float64(k)) / float64(n)))
			v = pair[F]{F(math.Cos(angle)), F(math.Sin(angle))}
		case recurrence:
			if k > 1 {
				v = pair[F]{w[k-1].re, -w[k-1].im}
				if t.Sign == fourier.Inverse {
					v.im = -v.im
				}
				cos, sin := trig.Twiddle(1, n)
				v = v.times(pair[F]{F(cos.Hi), F(sin.Hi)})
			}
		case twiddles20:
			v = pair[F]{F(math.RoundToEven(float64(float64(v.re)*0x1p20)) * 0x1p-20), F(math.RoundToEven(float64(float64(v.im)*0x1p20)) * 0x1p-20)}
		case twiddles32:
			v = pair[F]{F(float32(v.re)), F(float32(v.im))}
		}
		if t.Sign == fourier.Forward || f == signIgnored {
			v.im = -v.im
		}
		w[k] = v
	}
	if f == oneTwiddle && n >= 16 {
		w[n/4+1] = w[n/4+2]
	}
	return w
}

// fftStage combines blocks of 2^s numbers.
func fftStage[F kernels.Float](x []pair[F], w []pair[F], s int, f fftFault) {
	half := 1 << s
	step := len(x) / (2 * half)
	for i := 0; i < len(x); i += 2 * half {
		for k := range half {
			if f == butterflyLeft && s == 3 && k == half-1 {
				continue
			}
			factor := w[k*step]
			if f == radixPass && s == 1 && k == 1 {
				factor.im = -factor.im
			}
			a, b := x[i+k], x[i+k+half]
			if k > 0 {
				b = b.times(factor)
			}
			x[i+k], x[i+k+half] = a.plus(b), a.minus(b)
		}
	}
}

// fftScale multiplies by the factor of t.
func fftScale[F kernels.Float](x []pair[F], t fourier.Transform, f fftFault) {
	if t.Scale == fourier.Unscaled || f == scaleMissing {
		return
	}
	factor := F(1 / float64(t.N))
	if t.Scale == fourier.ByRootN || f == scaleRoot {
		factor = F(1 / math.Sqrt(float64(t.N)))
	}
	if f == scaleTwice {
		factor = F(factor * factor)
	}
	for i, v := range x {
		x[i] = pair[F]{F(v.re * factor), F(v.im * factor)}
	}
}

// fftOutput does to the result what a fault does.
func fftOutput[F kernels.Float](x []pair[F], t fourier.Transform, f fftFault) {
	n := len(x)
	old := slices.Clone(x)
	log := bits.Len(uint(n)) - 1
	for i, v := range old {
		switch {
		case f == conjugated:
			x[i].im = -v.im
		case f == halvesSwapped:
			x[(i+n/2)%n] = v
		case f == outputReversed && t.Sign == fourier.Inverse:
			x[(n-i)%n] = old[(n-i-1+n)%n]
		case f == leftTransposed:
			rows := 1 << (log / 2)
			x[i%rows*(n/rows)+i/rows] = v
		}
	}
	if f == digitsReversed {
		permuteBits(x, 2)
	}
}

// permuteBits permutes x by the order of reversed digits of so many bits; a digit that is left over stays in front.
func permuteBits[T any](x []T, digit int) {
	log := bits.Len(uint(len(x))) - 1
	for i := range x {
		j, rest := 0, i
		for range log / digit {
			j = j<<digit | rest&(1<<digit-1)
			rest >>= digit
		}
		j |= rest << (log / digit * digit)
		if j > i {
			x[i], x[j] = x[j], x[i]
		}
	}
}

// complexFFT returns a mutant of binary32.
func complexFFT(name, fault string, kills model.LawID, f fftFault) FFT {
	m := FFT{Name: "mutants.FFT" + name, Fault: fault, Kills: kills, Plan: checkedFFT(plainFFT[float32](f), view32)}
	plan := m.Plan
	switch f {
	case aliasBroken, sourceWritten, lastKept:
		m.Plan = func(t fourier.Transform) (func(dst, src []complex64) error, error) {
			run, err := plan(t)
			if err != nil {
				return nil, err
			}
			return fftMemory(run, f), nil
		}
	}
	return m
}

// fftMemory returns run with a fault in what it reads, writes and keeps.
func fftMemory(run func(dst, src []complex64) error, f fftFault) func(dst, src []complex64) error {
	var seen, result []complex64
	return func(dst, src []complex64) error {
		n := len(src)
		switch {
		case len(dst) != n || n < 2:
			return run(dst, src)
		case f == aliasBroken && &dst[0] == &src[0]:
			for i := range n / 2 { // as if dst[i] were written before src[n-1-i] is read
				src[n-1-i] = src[i]
			}
		case f == sourceWritten && &dst[0] != &src[0]:
			err := run(dst, src)
			src[n-1] = dst[n-1]
			return err
		case f == lastKept && len(seen) == n && seen[0] == src[0] && seen[1] == src[1]:
			copy(dst, result)
			return nil
		}
		if f == lastKept {
			seen = append(seen[:0], src...)
		}
		err := run(dst, src)
		result = append(result[:0], dst...)
		return err
	}
}
