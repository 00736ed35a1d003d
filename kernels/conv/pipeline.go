package conv

import (
	"errors"
	"fmt"
	"math/bits"

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
	narrow *steps[float32, complex64]  // one of these two
	wide   *steps[float64, complex128] // if the profile says FFT
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
	case p.FFT:
		l.wide, err = newSteps[float64](p, n, plainProduct[complex128])
	case p.Product:
		l.narrow, err = newSteps[float32](p, n, func(x, y complex64) complex64 { return complex64(plainProduct(complex128(x), complex128(y))) })
	default:
		l.narrow, err = newSteps[float32](p, n, plainProduct[complex64])
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
	if l.wide != nil {
		newRun(l.wide, &o).rows(dst)
	} else {
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

// plainProduct returns x·y with each operation rounded.
func plainProduct[C complex64 | complex128](x, y C) C {
	switch x := any(x).(type) {
	case complex64:
		y := any(y).(complex64)
		return any(complex(float32(real(x)*real(y))-float32(imag(x)*imag(y)), float32(real(x)*imag(y))+float32(imag(x)*real(y)))).(C)
	case complex128:
		y := any(y).(complex128)
		return any(complex(float64(real(x)*real(y))-float64(imag(x)*imag(y)), float64(real(x)*imag(y))+float64(imag(x)*real(y)))).(C)
	}
	panic("conv: no such type")
}

// steps are the transforms and the product of a pipeline, in the format F of all that is held between steps.
type steps[F float32 | float64, C complex64 | complex128] struct {
	Profile
	points  int
	forward *fft.RealPlan[F, C] // of rows
	filters *fft.RealPlan[F, C] // of filters, which have the forward factor
	back    *fft.RealPlan[F, C]
	product func(x, y C) C
}

func newSteps[F float32 | float64, C complex64 | complex128](p Profile, n int, product func(x, y C) C) (*steps[F, C], error) {
	points := Points(n)
	l := &steps[F, C]{Profile: p, points: points, product: product}
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
type run[F float32 | float64, C complex64 | complex128] struct {
	*steps[F, C]
	o        *Operands
	padded   []F // a row or a filter, and then what the inverse makes of it
	spectrum []C
}

func newRun[F float32 | float64, C complex64 | complex128](l *steps[F, C], o *Operands) *run[F, C] {
	return &run[F, C]{steps: l, o: o, padded: make([]F, l.points), spectrum: make([]C, fourier.Half(l.points))}
}

// rows computes all rows, channel by channel.
func (l *run[F, C]) rows(dst []float32) {
	filter := make([]C, len(l.spectrum))
	for c := range l.o.Width {
		l.filter(filter, c)
		for b := range l.o.Batch {
			l.convolve(filter, b*l.o.Width+c, c)
			l.finish(dst, b*l.o.Width+c, c)
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
	o, half := l.o, F(1)
	if l.Average {
		half = 0.5
	}
	clear(l.padded)
	for j, k := range o.Filter[c*o.N:][:o.N] {
		l.padded[j] = F(F(k) * half)
	}
	if o.Reverse == nil {
		l.transform(l.filters, dst)
		return
	}
	reverse := o.Reverse[c*o.N:][:o.N]
	if !l.Freq {
		for j, r := range reverse {
			l.padded[(l.points-j)%l.points] += F(F(r) * half)
		}
		l.transform(l.filters, dst)
		return
	}
	l.transform(l.filters, dst)
	clear(l.padded)
	for j, r := range reverse {
		l.padded[(l.points-j)%l.points] = F(F(r) * half)
	}
	l.transform(l.filters, l.spectrum)
	for i, r := range l.spectrum {
		dst[i] += r
	}
}

// stream sets padded to the stream of a row, and zeros after it.
func (l *run[F, C]) stream(row, c int) {
	o := l.o
	x := o.X[row*o.N:][:o.N]
	clear(l.padded[o.N:])
	if o.Taps == nil {
		for t, v := range x {
			l.padded[t] = F(v)
		}
		return
	}
	w := o.Taps[3*c:][:3]
	at := func(t int) float32 {
		if t < 0 {
			return 0
		}
		return x[t]
	}
	for t := range x {
		a, b, d := at(t-2), at(t-1), x[t]
		if l.Taps {
			l.padded[t] = F(float64(float64(w[0])*float64(a)) + float64(float64(w[1])*float64(b)) + float64(float64(w[2])*float64(d)))
		} else {
			l.padded[t] = F(float32(float32(w[0]*a)+float32(w[1]*b)) + float32(w[2]*d))
		}
	}
}

// convolve sets padded to the convolution of a row's stream with the filters.
func (l *run[F, C]) convolve(filter []C, row, c int) {
	l.stream(row, c)
	l.transform(l.forward, l.spectrum)
	for i, k := range filter {
		l.spectrum[i] = l.product(l.spectrum[i], k)
	}
	if err := l.back.C2R(l.padded, l.spectrum); err != nil {
		panic(err)
	}
}

// finish adds the bias, multiplies by the gate and rounds.
func (l *run[F, C]) finish(dst []float32, row, c int) {
	o := l.o
	bias := F(0)
	if o.Bias != nil {
		bias = F(o.Bias[c])
	}
	out := dst[row*o.N:][:o.N]
	for t := range out {
		y := l.padded[t] + bias
		if o.Gate != nil {
			y = F(y * F(o.Gate[row*o.N+t]))
		}
		out[t] = float32(y)
	}
}
