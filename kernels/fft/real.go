package fft

import (
	"fmt"
	"slices"
	"sync"

	"gamma/kernels/dd"
	"gamma/model/fourier"
)

// RealPlan is a transform from or to real numbers. It is immutable and safe for concurrent use.
//
// Of even N it is a transform of N/2 complex numbers, and a pass that joins or parts those of even and odd indices; of odd N it is one of N
// complex numbers.
type RealPlan[R Real, T Number] struct {
	t         fourier.Transform
	algorithm Algorithm
	forward   func(dst []T, src []R)
	back      func(dst []R, src []T)
}

// NewReal returns a plan of a transform whose input or output is real: t.Data is fourier.RealInput or fourier.RealOutput.
//
// Domain:  R is the type of T's parts; N and options as for New.
// Otherwise it returns an error.
func NewReal[R Real, T Number](t fourier.Transform, options ...Option) (*RealPlan[R, T], error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.Data == fourier.Complex {
		return nil, fmt.Errorf("fft: a plan by NewReal has real numbers on one side, and Transform.Data is %v; take New", t.Data)
	}
	p := &RealPlan[R, T]{t: t}
	if z, ok := any(p).(*RealPlan[float32, complex64]); ok && slices.Equal(options, []Option{Wide}) {
		if err := z.setWide(); err != nil {
			return nil, err
		}
		return p, nil
	}
	even := t.N%2 == 0 && !slices.Contains(options, Direct)
	inner, scale := t, factorOf(t)
	if even {
		inner.N /= 2
	}
	innerScale := scale
	if even && t.Data == fourier.RealInput {
		innerScale = one
	}
	plan, err := newPlan[T](inner, innerScale, options)
	if err != nil {
		return nil, err
	}
	p.algorithm = plan.algorithm
	switch z := any(p).(type) {
	case *RealPlan[float32, complex64]:
		setReal(z, any(plan).(*Plan[complex64]), even, scale, singleFrom[float32])
	case *RealPlan[float64, complex128]:
		setReal(z, any(plan).(*Plan[complex128]), even, scale, singleFrom[float64])
	case *RealPlan[dd.DD64, Double]:
		setReal(z, any(plan).(*Plan[Double]), even, scale, doubleFrom)
	default:
		var r R
		var x T
		return nil, fmt.Errorf("fft: the parts of %T are not %T", x, r)
	}
	return p, nil
}

// setReal makes p's way from or to reals out of a plan of N/2 points if even, and otherwise of N.
func setReal[R Real, T Number, C number[C]](p *RealPlan[R, T], plan *Plan[T], even bool, scale dd.DD64, from func(re, im dd.DD64) C) {
	n := p.t.N
	scratch := &sync.Pool{New: func() any { x := make([]T, n); return &x }}
	complete := func(run func(x []T)) {
		x := scratch.Get().(*[]T)
		run(*x)
		scratch.Put(x)
	}
	if !even {
		p.forward = func(dst []T, src []R) {
			complete(func(x []T) {
				words := view[R](x)
				clear(words)
				for j, v := range src {
					words[2*j] = v
				}
				plan.run(x, x)
				copy(dst, x)
				z := view[C](dst)
				z[0] = z[0].onlyReal()
			})
		}
		p.back = func(dst []R, src []T) {
			complete(func(x []T) {
				z, y := view[C](x), view[C](src)
				z[0] = y[0].onlyReal()
				for k := 1; 2*k <= n; k++ {
					z[k], z[n-k] = y[k], y[k].conj()
				}
				if n%2 == 0 {
					z[n/2] = y[n/2].onlyReal()
				}
				plan.run(x, x)
				words := view[R](x)
				for j := range dst {
					dst[j] = words[2*j]
				}
			})
		}
		return
	}
	joint := newJoint(n, p.t.Sign == fourier.Inverse, scale, from)
	p.forward = func(dst []T, src []R) {
		plan.run(dst[:n/2], view[T](src))
		joint.forward(view[C](dst))
	}
	p.back = func(dst []R, src []T) {
		complete(func(x []T) {
			joint.back(view[C](x)[:n/2], view[C](src))
			plan.run(view[T](dst), x[:n/2])
		})
	}
}

// joint is the pass between a transform of m = n/2 complex numbers and the half spectrum of n real ones.
type joint[C number[C]] struct {
	m            int
	w            []C // exp(∓2πik/n) for k <= m/2
	factor, half C   // the factor of a transform from reals, and half of it
}

func newJoint[C number[C]](n int, inverse bool, scale dd.DD64, from func(re, im dd.DD64) C) *joint[C] {
	halved := dd.DD64{Hi: scale.Hi / 2, Lo: scale.Lo / 2}
	return &joint[C]{
		m: n / 2, w: roots(n, inverse, from)[:n/4+1],
		factor: from(scale, dd.DD64{}), half: from(halved, dd.DD64{}),
	}
}

// forward replaces the transform Z of m numbers x_2j + i·x_(2j+1) by m+1 values of the transform of x, where half is 1/2 or the factor over 2:
//
//	X_k = (Z_k + conj Z_(m-k))·half - i·w^k·(Z_k - conj Z_(m-k))·half,   X_(m-k) = conj of the same with the other sign before i.
func (t *joint[C]) forward(z []C) {
	m := t.m
	re, im := z[0].onlyReal(), z[0].turned().onlyReal()
	z[0], z[m] = re.plus(im).scaled(t.factor), re.minus(im).scaled(t.factor)
	if quickly(t, z, nil) {
		return
	}
	for k := 1; 2*k <= m; k++ {
		other := z[m-k].conj()
		sum, difference := z[k].plus(other).scaled(t.half), z[k].minus(other).turned().scaled(t.half).times(t.w[k])
		z[k] = sum.plus(difference)
		if 2*k < m {
			z[m-k] = sum.minus(difference).conj()
		}
	}
}

// back sets z to the m numbers whose transform is x_2j + i·x_(2j+1), for the half spectrum y of real x: with S = y_k + conj y_(m-k) and
// T = w^k·(y_k - conj y_(m-k)) they are S + iT at k and conj(S - iT) at m-k.
func (t *joint[C]) back(z, y []C) {
	m := t.m
	first, last := y[0].onlyReal(), y[m].onlyReal()
	z[0] = first.plus(last).minus(first.minus(last).turned())
	if quickly(t, z, y) {
		return
	}
	for k := 1; 2*k <= m; k++ {
		other := y[m-k].conj()
		sum, difference := y[k].plus(other), y[k].minus(other).times(t.w[k]).turned()
		z[k] = sum.minus(difference)
		if 2*k < m {
			z[m-k] = sum.plus(difference).conj()
		}
	}
}

// setWide makes the way of a plan of binary32 numbers out of one of binary64 numbers.
func (p *RealPlan[R, T]) setWide() error {
	inner, err := NewReal[float64, complex128](p.t)
	if err != nil {
		return err
	}
	z := any(p).(*RealPlan[float32, complex64])
	z.algorithm = inner.algorithm
	type buffers struct {
		real    []float64
		complex []complex128
	}
	scratch := &sync.Pool{New: func() any {
		return &buffers{make([]float64, z.t.N), make([]complex128, fourier.Half(z.t.N))}
	}}
	z.forward = func(dst []complex64, src []float32) {
		b := scratch.Get().(*buffers)
		for i, v := range src {
			b.real[i] = float64(v)
		}
		inner.forward(b.complex, b.real)
		for i, v := range b.complex {
			dst[i] = complex64(v)
		}
		scratch.Put(b)
	}
	z.back = func(dst []float32, src []complex64) {
		b := scratch.Get().(*buffers)
		for i, v := range src {
			b.complex[i] = complex128(v)
		}
		inner.back(b.real, b.complex)
		for i, v := range b.real {
			dst[i] = float32(v)
		}
		scratch.Put(b)
	}
	return nil
}

// Spec returns the transform that p computes.
func (p *RealPlan[R, T]) Spec() fourier.Transform { return p.t }

// Algorithm returns how p computes the complex transform that is the most of its work.
func (p *RealPlan[R, T]) Algorithm() Algorithm { return p.algorithm }

// R2C sets dst to the half spectrum of src; p is of real input.
//
// Shape:   len(dst) = ⌊N/2⌋+1, len(src) = N.
// Special: the imaginary parts of X_0 and, for even N, X_(N/2) are 0.
// Alias:   dst and src do not overlap, or start at the same place.
// Otherwise it returns an error, and dst is unchanged.
func (p *RealPlan[R, T]) R2C(dst []T, src []R) error {
	if err := realCheck(p.t, fourier.RealInput, dst, src); err != nil {
		return err
	}
	p.forward(dst, src)
	return nil
}

// C2R sets dst to the real numbers whose half spectrum is src; p is of real output.
//
// Shape:   len(dst) = N, len(src) = ⌊N/2⌋+1.
// Special: the imaginary parts of X_0 and, for even N, X_(N/2) are not read.
// Alias:   dst and src do not overlap, or start at the same place.
// Otherwise it returns an error, and dst is unchanged.
func (p *RealPlan[R, T]) C2R(dst []R, src []T) error {
	if err := realCheck(p.t, fourier.RealOutput, dst, src); err != nil {
		return err
	}
	p.back(dst, src)
	return nil
}

// realCheck returns an error unless the plan is for such data and dst and src fit.
func realCheck[D, S any](t fourier.Transform, data fourier.Data, dst []D, src []S) error {
	switch {
	case t.Data != data:
		return fmt.Errorf("fft: a plan of %v was called for %v", t, data)
	case len(dst) != t.Out() || len(src) != t.In():
		return fmt.Errorf("fft: %v got dst of %d numbers and src of %d; want %d and %d", t, len(dst), len(src), t.Out(), t.In())
	case meeting(dst, src) == partly:
		return errOverlap
	}
	return nil
}

// BatchR2C is R2C of howMany rows. What lies between rows is left as it is.
//
// Alias:   dst and src do not overlap.
func (p *RealPlan[R, T]) BatchR2C(dst []T, src []R, howMany int, to, from Rows) error {
	if p.t.Data != fourier.RealInput {
		return fmt.Errorf("fft: a plan of %v was called for %v", p.t, fourier.RealInput)
	}
	return batched(p.t, dst, src, howMany, to, from, p.forward)
}

// BatchC2R is C2R of howMany rows. What lies between rows is left as it is.
//
// Alias:   dst and src do not overlap.
func (p *RealPlan[R, T]) BatchC2R(dst []R, src []T, howMany int, to, from Rows) error {
	if p.t.Data != fourier.RealOutput {
		return fmt.Errorf("fft: a plan of %v was called for %v", p.t, fourier.RealOutput)
	}
	return batched(p.t, dst, src, howMany, to, from, p.back)
}
