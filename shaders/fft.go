package shaders

import (
	_ "embed"
	"fmt"
	"math"
	"math/bits"

	"gamma/metal"
	"gamma/model"
	"gamma/model/fourier"
)

//go:embed fft.metal
var fftSource string

// FFT is a kernel of discrete Fourier transforms on a device, with its claim and the code that launches it. That code moves bits, and computes twiddle factors.
type FFT struct {
	Program
	// Claim holds for every launch that Fits and every behaviour that Admits allows, with what that flushes.
	Claim fourier.Claim
	// Admits, Strict and Widths are as in Kernel.
	Admits model.Behaviour
	Strict bool
	Widths []int

	// Run transforms rows of t.N complex numbers, each a real and an imaginary part, of one word or two as Claim.In says, from src to dst, which may be src: by as many threadgroups of l.Threads as that
	// takes. Real numbers have one part, and of their values those from 0 to t.N/2 have a place. If it fails, dst is unchanged.
	//
	// Errors:  a transform that is not claimed, slices that are not as many rows, a launch that does not fit, or that needs more threads than the device has.
	Run func(r *Runner, l model.Launch, t fourier.Transform, dst, src []float32) error
	// Twiddles returns the factors exp(-2πi·k/n), k < n/2, that forward transforms of n points take.
	Twiddles func(n int) []complex128

	// Launches returns launches for n points to try, of one threadgroup; Fits says why the claim does not hold for one.
	Launches func(n int) []model.Launch
	Fits     func(n int, l model.Launch) error

	suffix string // of the functions
	tiled  bool
	passes int // of fft_pass.metal; 0: the kernels are those of fft.metal
}

// FFTs returns every kernel of Fourier transforms.
func FFTs() []FFT {
	var list []FFT
	for _, k := range []struct {
		function, suffix, name string
		norm                   fourier.Norm
	}{
		{"fft_stage", "", "stages", fourier.NormBackward},
		{"fft_stage", "", "stages_ortho", fourier.NormOrtho},
		{"fft_tile", "", "tiled", fourier.NormBackward},
		{"fft_tile", "", "tiled_unscaled", fourier.NormNone},
		{"fft_stage", double, "stages_double", fourier.NormBackward},
		{"fft_tile", double, "tiled_double", fourier.NormNone},
		{"fft_real_apart", "", "real", fourier.NormBackward},
	} {
		f := FFT{
			// Factors are within √½·u, and what the host's cosine and sine in binary64 err by.
			Claim: fourier.Claim{
				Twiddle: 0.7072, Norm: k.norm, MaxN: greatestFFT, InPlace: true, Batched: true, Repeats: true,
			},
			Admits: anything(), Strict: true, Widths: widths, Twiddles: twiddles, Launches: rowGroups, Fits: anyThreads, tiled: k.function == "fft_tile", suffix: k.suffix,
		}
		if k.function == "fft_real_apart" {
			f.Claim.Real, f.Claim.Symmetric, f.Claim.MinN, f.Claim.InPlace = true, true, 2, false
		}
		if k.suffix == double { // both words of a factor are within √½·u², and what the host errs by is less than √½·u²·2^-2
			f.Claim.In, f.Claim.Twiddle = fourier.Number{Format: model.Binary32, Words: 2}, 0.9
			f.Twiddles = doubleTwiddles
		}
		f.Admits.Rounding = model.NearestEven // of other roundings the bounds say nothing
		list = append(list, f.Of(Program{
			Name: "shaders/fft.metal#" + k.name, Source: fftSource, Function: k.function + k.suffix, Options: metal.CompileOptions{Headers: Headers()},
		}))
	}
	return append(list, fftPasses()...)
}

// double is the suffix of functions of double words.
const double = "_double"

// FindFFT returns the kernel called name, and ok = false if there is none.
func FindFFT(name string) (f FFT, ok bool) {
	for _, f := range FFTs() {
		if f.Name == name {
			return f, true
		}
	}
	return FFT{}, false
}

// greatestFFT is the greatest number of points: indices of numbers have 32 bits.
const greatestFFT = 1 << 28

// Of returns f by another program, whose source has functions of the same names and arguments.
func (f FFT) Of(p Program) FFT {
	f.Program = p
	own := f
	f.Run = own.run
	return f
}

// Dispatches returns the dispatches of the transforms of src, for callers that run them themselves, and the data that hold the results afterwards.
//
// Errors:  those of Run.
func (f FFT) Dispatches(r *Runner, l model.Launch, t fourier.Transform, src []float32) (list []Dispatch, results *Data, err error) {
	if err := f.takes(r, l, t, nil, src); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	in, out := f.floats(t)
	rows := len(src) / in
	x, y := Input("src", floatBytes(src)), Output("dst", 4*rows*out)
	switch {
	case f.passes > 0:
		list = f.passDispatches(l, t, x, y, len(src)/2)
	case f.Claim.Real:
		list = f.realDispatches(l, t, x, y, rows)
	default:
		list = f.stageDispatches(l, t.N, t.Sign, scaleOf(t), x, y, rows)
	}
	return list, y, nil
}

func (f *FFT) run(r *Runner, l model.Launch, t fourier.Transform, dst, src []float32) error {
	if err := f.takes(r, l, t, dst, src); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	list, y, err := f.Dispatches(r, l, t, src)
	if err != nil {
		return err
	}
	err = r.Run(f.Program, list...)
	if Completed(err) {
		readFloats(dst, y.Bytes)
	}
	return err
}

// stageDispatches returns the dispatches of rows of complex transforms of n points, a stage each, or a tile's stages in one.
func (f *FFT) stageDispatches(l model.Launch, n int, sign fourier.Sign, by float32, x, y *Data, rows int) []Dispatch {
	width := f.parts()
	w := Input("w", floatBytes(factorParts(n, sign, f.suffix == double)))
	scale := Arg{Value: floatBytes([]float32{by})}
	over := func(threads int) model.Launch {
		l := l
		l.Groups = model.Size3{X: (threads + l.Threads.X - 1) / l.Threads.X, Y: rows, Z: 1}
		return l
	}
	var list []Dispatch
	tile := 1
	if f.tiled {
		tile = tileOf(n, l)
		groups := over(1)
		groups.Groups.X = n / tile
		list = append(list, Dispatch{
			Function: "fft_tile" + f.suffix, Launch: groups, Args: []Arg{{Data: x}, {Data: y}, {Data: w}, Uint(n), Uint(tile), scale}, Shared: []int{4 * width * tile},
		})
	} else {
		list = append(list, Dispatch{Function: "fft_bit_reverse" + f.suffix, Launch: over(n), Args: []Arg{{Data: x}, {Data: y}, Uint(n), scale}})
	}
	for span := tile; span < n; span *= 2 {
		list = append(list, Dispatch{Function: "fft_stage" + f.suffix, Launch: over(n / 2), Args: []Arg{{Data: y}, {Data: w}, Uint(n), Uint(span)}})
	}
	return list
}

// realDispatches returns the dispatches of rows of transforms of real numbers, or of the way back: those of half as many complex numbers, and one that takes their values apart, or puts them
// together.
func (f *FFT) realDispatches(l model.Launch, t fourier.Transform, x, y *Data, rows int) []Dispatch {
	m := t.N / 2
	z := &Data{Name: "z", Length: 8 * m * rows}
	w := Input("w of n points", floatBytes(factorParts(t.N, t.Sign, false)))
	l.Groups = model.Size3{X: m/2/l.Threads.X + 1, Y: rows, Z: 1}
	ends := func(function string, from, to *Data) Dispatch {
		return Dispatch{Function: function, Launch: l, Args: []Arg{{Data: from}, {Data: to}, {Data: w}, Uint(m)}}
	}
	if t.Sign == fourier.Forward {
		return append(f.stageDispatches(l, m, t.Sign, scaleOf(t), x, z, rows), ends("fft_real_apart", z, y))
	}
	return append([]Dispatch{ends("fft_real_together", x, z)}, f.stageDispatches(l, m, t.Sign, scaleOf(t), z, y, rows)...)
}

// floats returns how many floats a row of the input has, and one of the result.
func (f *FFT) floats(t fourier.Transform) (in, out int) {
	in, out = f.parts()*t.In(), f.parts()*t.Out()
	switch t.Data {
	case fourier.RealInput:
		in = t.N
	case fourier.RealOutput:
		out = t.N
	}
	return in, out
}

// parts returns how many floats a complex number has.
func (f *FFT) parts() int {
	if f.suffix == double {
		return 4
	}
	return 2
}

// takes returns an error unless the arguments are those of a transform that is claimed; dst is nil where there is none.
func (f *FFT) takes(r *Runner, l model.Launch, t fourier.Transform, dst, src []float32) error {
	if err := t.Check(); err != nil {
		return err
	}
	most := r.Device().Properties().MaxTotalThreads
	in, out := f.floats(t)
	switch want := f.Claim.Transform(t.N, t.Sign); {
	case !f.Claim.Has(t.N):
		return fmt.Errorf("a transform of %d points; use a power of two up to %d", t.N, f.Claim.MaxN)
	case t != want:
		return fmt.Errorf("a %s; the kernel computes the %s", t, want)
	case len(src) == 0 || len(src)%in != 0:
		return fmt.Errorf("%d floats are not rows of %d floats, of a %s", len(src), in, t)
	case dst != nil && len(dst) != len(src)/in*out:
		return fmt.Errorf("dst has %d floats and src %d; give rows of %d and %d", len(dst), len(src), out, in)
	case l.Threads.X > most:
		return fmt.Errorf("launch %s: the device has at most %d threads in a threadgroup; use fewer", l, most)
	}
	if err := f.Fits(t.N, l); err != nil {
		return err
	}
	return f.counts(len(src))
}

// tileOf returns the numbers of a transform of n points that a threadgroup holds: two a thread, rounded down to a power of two.
func tileOf(n int, l model.Launch) int { return min(n, 1<<bits.Len(uint(l.Threads.X))) }

// scaleOf returns the factor of a transform, rounded.
func scaleOf(t fourier.Transform) float32 {
	switch t.Scale {
	case fourier.ByN:
		return float32(1 / float64(t.N))
	case fourier.ByRootN:
		return float32(1 / math.Sqrt(float64(t.N)))
	}
	return 1
}

// turn returns exp(-2πi·k/n) for 0 <= k < n, rounded to binary64 but for a few ulps: k/n is reduced to an eighth of a turn in integers, so that the angle errs by roundings alone, and
// multiples of a quarter of a turn are exact.
func turn(k, n int) complex128 {
	eighth, rest := 8*k/n, 8*k%n // k/n is (eighth + rest/n)/8 of a turn
	if eighth&1 == 1 {
		eighth, rest = eighth+1, rest-n
	}
	sin, cos := math.Sincos(float64(float64(rest) / float64(n) * (math.Pi / 4)))
	switch eighth / 2 % 4 {
	case 1:
		return complex(-sin, -cos)
	case 2:
		return complex(-cos, sin)
	case 3:
		return complex(sin, cos)
	}
	return complex(cos, -sin)
}

// factorParts returns the parts of exp(∓2πi·k/n), k < n/2, rounded to binary32, or to double words of it; for one point, of which there are no butterflies, those of 1.
func factorParts(n int, s fourier.Sign, words bool) []float32 {
	w := make([]float32, 0, max(2*n, 4))
	for k := range max(n/2, 1) {
		z := turn(k, n)
		if s == fourier.Inverse {
			z = complex(real(z), -imag(z))
		}
		for _, x := range []float64{real(z), imag(z)} {
			high := float32(x)
			if w = append(w, high); words {
				w = append(w, float32(x-float64(high)))
			}
		}
	}
	return w
}

// twiddles and doubleTwiddles are the Twiddles of the kernels.
func twiddles(n int) []complex128 {
	w := factorParts(n, fourier.Forward, false)
	table := make([]complex128, len(w)/2)
	for k := range table {
		table[k] = complex(float64(w[2*k]), float64(w[2*k+1]))
	}
	return table
}

func doubleTwiddles(n int) []complex128 {
	w := factorParts(n, fourier.Forward, true)
	table := make([]complex128, len(w)/4)
	for k := range table {
		v := w[4*k:]
		table[k] = complex(float64(v[0])+float64(v[1]), float64(v[2])+float64(v[3]))
	}
	return table
}
