package fft

import (
	"fmt"

	"gamma/kernels/dd"
	"gamma/model/fourier"
)

// MaxN is the greatest length of a transform.
const MaxN = 1 << 26

// Option changes how a plan computes. Without one it computes in the format of its numbers.
type Option uint8

const (
	// Wide computes in binary64 what is taken and returned in binary32, and rounds each part of a result once.
	Wide Option = iota + 1
	// Direct computes by definition in binary64 with Kahan's sums: n² steps.
	Direct
)

// Algorithm says how a plan computes: what the bound of its error depends on.
type Algorithm struct {
	Radices []int // of the passes; their product is n, or Length
	Length  int   // the points of Bluestein's convolution, 0 if there is none
	Direct  bool  // by definition, with Kahan's sums
	Fused   bool  // complex products of the passes have fused multiply-adds: 2u in place of √5u; Bluestein's four, and those of the pass for real data, have not
}

// Plan is a transform of complex numbers. It is immutable and safe for concurrent use.
type Plan[T Number] struct {
	t         fourier.Transform
	algorithm Algorithm
	run       func(dst, src []T) // n numbers each
}

// New returns a plan of a transform of complex numbers: t.Data is fourier.Complex. NewReal is for real ones.
//
// Domain:  t.N from 1 to MaxN, for Direct to 2^16. Lengths with no prime factor above 7 have passes of radix 8, 7, 5, 4, 3 and 2; others are
// computed by Bluestein's convolution, in the same arithmetic.
// Otherwise it returns an error.
func New[T Number](t fourier.Transform, options ...Option) (*Plan[T], error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	if t.Data != fourier.Complex {
		return nil, fmt.Errorf("fft: a plan by New transforms complex numbers, and Transform.Data is %v; take NewReal", t.Data)
	}
	return newPlan[T](t, factorOf(t), options)
}

// newPlan returns the plan of a transform of t.N complex numbers, whatever t.Data, with the given factor.
func newPlan[T Number](t fourier.Transform, scale dd.DD64, options []Option) (*Plan[T], error) {
	if t.N > MaxN {
		return nil, fmt.Errorf("fft: Transform.N is %d; at most %d is supported", t.N, MaxN)
	}
	var option Option
	if len(options) > 1 {
		return nil, fmt.Errorf("fft: %d options; a plan takes one", len(options))
	} else if len(options) == 1 {
		option = options[0]
	}
	inverse := t.Sign == fourier.Inverse
	p := &Plan[T]{t: t}
	var x T
	_, is32 := any(x).(complex64)
	_, isDouble := any(x).(Double)
	switch {
	case option == Direct && t.N > maxDirect:
		return nil, fmt.Errorf("fft: Transform.N is %d; Direct takes at most %d", t.N, maxDirect)
	case option == Direct && isDouble:
		return nil, fmt.Errorf("fft: Direct computes in binary64, and the numbers of the plan are double words")
	case option == Wide && !is32:
		return nil, fmt.Errorf("fft: Wide is for complex64; the numbers of the plan are %T", x)
	case option > Direct:
		return nil, fmt.Errorf("fft: option %d is none; want Wide or Direct", option)
	case option == Direct && is32:
		p.set(newDirect[float32](t.N, inverse, scale), Algorithm{Direct: true})
	case option == Direct:
		p.set(newDirect[float64](t.N, inverse, scale), Algorithm{Direct: true})
	case option == Wide:
		inner, how := build(t.N, inverse, scale, singleFrom[float64])
		p.set(newWide(t.N, inner), how)
	case is32:
		p.set(build(t.N, inverse, scale, singleFrom[float32]))
	case isDouble:
		p.set(build(t.N, inverse, scale, doubleFrom))
	default:
		p.set(build(t.N, inverse, scale, singleFrom[float64]))
	}
	return p, nil
}

// maxDirect is the greatest length of a transform by definition.
const maxDirect = 1 << 16

// factorOf returns the factor of t in two words.
func factorOf(t fourier.Transform) dd.DD64 {
	if t.Scale == fourier.Unscaled || t.N == 1 {
		return one
	}
	return scaleOf(t.N, t.Scale == fourier.ByRootN)
}

// set takes a runner of whatever type of numbers.
func (p *Plan[T]) set(r any, how Algorithm) {
	p.algorithm = how
	switch r := r.(type) {
	case runner[single[float32]]:
		p.run = func(dst, src []T) { r.run(view[single[float32]](dst), view[single[float32]](src)) }
	case runner[single[float64]]:
		p.run = func(dst, src []T) { r.run(view[single[float64]](dst), view[single[float64]](src)) }
	case runner[double]:
		p.run = func(dst, src []T) { r.run(view[double](dst), view[double](src)) }
	}
}

// Spec returns the transform that p computes.
func (p *Plan[T]) Spec() fourier.Transform { return p.t }

// Algorithm returns how p computes.
func (p *Plan[T]) Algorithm() Algorithm { return p.algorithm }

// Transform sets dst to the transform of src.
//
// Shape:   len(dst) = len(src) = N.
// Error:   see the package.
// Alias:   dst is src, or does not overlap it.
// Otherwise it returns an error, and dst is unchanged.
func (p *Plan[T]) Transform(dst, src []T) error {
	if len(dst) != p.t.N || len(src) != p.t.N {
		return fmt.Errorf("fft: %v got dst of %d numbers and src of %d", p.t, len(dst), len(src))
	}
	if meeting(dst, src) == partly {
		return errOverlap
	}
	p.run(dst, src)
	return nil
}
