package conv

import (
	"errors"
	"fmt"
	"math/bits"

	"gamma/kernels/dd"
	"gamma/kernels/fft"
	"gamma/model/fourier"
)

// Operands are what a pipeline runs on: Batch times Width rows of N numbers, row b·Width + c of channel c.
type Operands struct {
	Batch, Width, N int

	X       []float32 // Batch·Width rows of N
	Filter  []float32 // k, Width rows of N: how an element acts on those from it on
	Reverse []float32 // r, the same: how it acts on those up to it; nil for zeros
	Taps    []float32 // w, Width rows of 3; nil for a stream that is x itself
	Bias    []float32 // Width numbers; nil for zeros
	Gate    []float32 // as X; nil for ones
}

// check names the array that does not fit.
func (o *Operands) check(dst []float32) error {
	const most = fft.MaxN / 2
	switch {
	case o.Batch < 1 || o.Width < 1 || o.N < 1:
		return fmt.Errorf("conv: a batch of %d rows times %d channels of %d numbers; each is 1 at least", o.Batch, o.Width, o.N)
	case o.N > most || o.Batch > most || o.Width > most || o.Batch*o.Width > 1<<40/o.N:
		return fmt.Errorf("conv: %d times %d rows of %d numbers are too many; a row has %d at most", o.Batch, o.Width, o.N, most)
	}
	rows := o.Batch * o.Width * o.N
	for _, a := range []struct {
		name     string
		x        []float32
		n        int
		optional bool
	}{
		{"dst", dst, rows, false},
		{"X", o.X, rows, false},
		{"Filter", o.Filter, o.Width * o.N, false},
		{"Reverse", o.Reverse, o.Width * o.N, true},
		{"Taps", o.Taps, o.Width * 3, true},
		{"Bias", o.Bias, o.Width, true},
		{"Gate", o.Gate, rows, true},
	} {
		if len(a.x) != a.n && (!a.optional || a.x != nil) {
			return fmt.Errorf("conv: %s has %d numbers, and %d times %d rows of %d need %d", a.name, len(a.x), o.Batch, o.Width, o.N, a.n)
		}
	}
	return nil
}

// Points returns the length of the transforms for rows of n numbers, 2^⌈log2 2n⌉.
func Points(n int) int { return 1 << bits.Len(uint(2*n-1)) }

// Pipeline computes rows of one length by one profile. It is immutable and safe for concurrent use.
type Pipeline struct {
	n      int
	narrow *steps[float32, complex64]  // one of these three
	wide   *steps[float64, complex128] // if the profile says FFT
	double *steps[dd.DD64, fft.Double] // if it says Double
}

// New returns the pipeline of a profile for rows of n numbers, with the tables of its transforms.
//
// Domain:  n from 1 to fft.MaxN/2. Otherwise it returns an error, and so for a profile that cannot be.
func New(p Profile, n int) (*Pipeline, error) {
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("conv: profile %s: %w", p.Name, err)
	}
	if n < 1 || n > fft.MaxN/2 {
		return nil, fmt.Errorf("conv: rows of %d numbers; a row has 1 at least and %d at most", n, fft.MaxN/2)
	}
	l, err := &Pipeline{n: n}, error(nil)
	switch {
	case p.Double:
		l.double, err = newSteps(p, n, doubles(p))
	case p.FFT:
		l.wide, err = newSteps(p, n, words[float64](p, plainProduct[complex128]))
	case p.Product:
		l.narrow, err = newSteps(p, n, words[float32](p, func(x, y complex64) complex64 { return complex64(plainProduct(complex128(x), complex128(y))) }))
	default:
		l.narrow, err = newSteps(p, n, words[float32](p, plainProduct[complex64]))
	}
	if err != nil {
		return nil, err
	}
	return l, nil
}

// Run sets dst to the gated convolutions of the rows of X; the package says what that is.
//
// Shape:   len(dst) = Batch·Width·N, and N is that of New.
// Error:   see the package.
// Special: a NaN or an infinity in X or Gate spoils its own row, in a filter, taps or bias the rows of its channel.
// Alias:   dst may be X or Gate. That it overlaps nothing in another way is not checked.
// Cost:    one or two transforms of Points(N) numbers a channel, and two a row.
// Otherwise it returns an error, and dst is unchanged.
func (l *Pipeline) Run(dst []float32, o Operands) error {
	if err := o.check(dst); err != nil {
		return err
	}
	if o.N != l.n {
		return fmt.Errorf("conv: rows of %d numbers, and the pipeline is for rows of %d", o.N, l.n)
	}
	switch {
	case l.double != nil:
		newRun(l.double, &o).rows(dst)
	case l.wide != nil:
		newRun(l.wide, &o).rows(dst)
	default:
		newRun(l.narrow, &o).rows(dst)
	}
	return nil
}

// Run is that of a new Pipeline, whose tables it makes for this call alone.
func (p Profile) Run(dst []float32, o Operands) error {
	if err := o.check(dst); err != nil {
		return err
	}
	l, err := New(p, o.N)
	if err != nil {
		return err
	}
	return l.Run(dst, o)
}

// steps are the transforms and the arithmetic of a pipeline, in the format F of all that is held between steps.
type steps[F fft.Real, C fft.Number] struct {
	Profile
	arithmetic[F, C]
	points  int
	forward *fft.RealPlan[F, C] // of rows
	filters *fft.RealPlan[F, C] // of filters, which have the forward factor
	back    *fft.RealPlan[F, C]
}

func newSteps[F fft.Real, C fft.Number](p Profile, n int, a arithmetic[F, C]) (*steps[F, C], error) {
	points := Points(n)
	l := &steps[F, C]{Profile: p, points: points, arithmetic: a}
	var options []fft.Option
	if p.Strict && points <= StrictN {
		options = append(options, fft.Direct)
	}
	// The convolution has one factor of 1/N: that of the filters, of the inverse, or of both a half. Rows have none.
	var errs [3]error
	l.forward, errs[0] = fft.NewReal[F, C](fourier.Transform{N: points, Data: fourier.RealInput}, options...)
	l.filters, errs[1] = fft.NewReal[F, C](fourier.Transform{N: points, Data: fourier.RealInput, Scale: p.Norm.Scale(fourier.Forward)}, options...)
	l.back, errs[2] = fft.NewReal[F, C](fourier.Transform{N: points, Data: fourier.RealOutput, Sign: fourier.Inverse, Scale: p.Norm.Scale(fourier.Inverse)}, options...)
	return l, errors.Join(errs[:]...)
}

// run is one call of a pipeline, with its memory.
type run[F fft.Real, C fft.Number] struct {
	*steps[F, C]
	o        *Operands
	padded   []F // a row or a filter, and then what the inverse makes of it
	spectrum []C
}

func newRun[F fft.Real, C fft.Number](l *steps[F, C], o *Operands) *run[F, C] {
	return &run[F, C]{steps: l, o: o, padded: make([]F, l.points), spectrum: make([]C, fourier.Half(l.points))}
}

// rows computes all rows, channel by channel.
func (l *run[F, C]) rows(dst []float32) {
	o := l.o
	filter := make([]C, len(l.spectrum))
	for c := range o.Width {
		l.filter(filter, c)
		for b := range o.Batch {
			row := b*o.Width + c
			l.convolve(filter, row, c)
			var gate []float32
			if o.Gate != nil {
				gate = o.Gate[row*o.N:][:o.N]
			}
			bias := float32(0)
			if o.Bias != nil {
				bias = o.Bias[c]
			}
			l.finish(dst[row*o.N:][:o.N], l.padded, bias, gate)
		}
	}
}

// transform sets dst to the spectrum of padded. Shapes fit by construction.
func (l *run[F, C]) transform(plan *fft.RealPlan[F, C], dst []C) {
	if err := plan.R2C(dst, l.padded); err != nil {
		panic(err)
	}
}

// filter sets dst to the spectrum of channel c's filters, with the factor of the forward transform: k_j stands at j, and r_j at -j modulo N.
func (l *run[F, C]) filter(dst []C, c int) {
	o := l.o
	clear(l.padded)
	l.earlier(l.padded, o.Filter[c*o.N:][:o.N], l.Average)
	if o.Reverse == nil {
		l.transform(l.filters, dst)
		return
	}
	reverse := o.Reverse[c*o.N:][:o.N]
	if !l.Freq {
		l.later(l.padded, reverse, l.Average)
		l.transform(l.filters, dst)
		return
	}
	l.transform(l.filters, dst)
	clear(l.padded)
	l.later(l.padded, reverse, l.Average)
	l.transform(l.filters, l.spectrum)
	l.sums(dst, l.spectrum)
}

// convolve sets padded to the convolution of a row's stream with the filters.
func (l *run[F, C]) convolve(filter []C, row, c int) {
	o := l.o
	clear(l.padded[o.N:])
	if x := o.X[row*o.N:][:o.N]; o.Taps == nil {
		l.held(l.padded, x)
	} else {
		l.stream(l.padded, x, [3]float32(o.Taps[3*c:]))
	}
	l.transform(l.forward, l.spectrum)
	l.products(l.spectrum, filter)
	if err := l.back.C2R(l.padded, l.spectrum); err != nil {
		panic(err)
	}
}
