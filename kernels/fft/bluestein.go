package fft

import (
	"math/bits"
	"sync"

	"gamma/kernels/dd"
)

// bluestein is a transform of any length n by a cyclic convolution of m points, a power of two: j·k is (j² + k² - (k-j)²)/2, so that
//
//	X_k = c_k·Σ_j (x_j·c_j)·conj c_(k-j),   c_j = exp(∓πi·j²/n).
//
// Source: [Bluestein 1970].
type bluestein[C number[C]] struct {
	n, m          int
	before, after []C // c_j, and c_k times the factor of the transform
	kernel        []C // the transform of conj c, divided by m
	forward, back runner[C]
	scratch       sync.Pool
}

// bluesteinLength returns m for n points.
func bluesteinLength(n int) int { return 1 << bits.Len(uint(2*n-2)) }

// chirp returns the n numbers c_j: j² modulo 2n is exact.
func chirp[C any](n int, inverse bool, from func(re, im dd.DD64) C) []C {
	table := roots(2*n, inverse, from)
	list := make([]C, n)
	for j, square := 0, 0; j < n; j++ {
		list[j] = table[square]
		square = (square + 2*j + 1) % (2 * n)
	}
	return list
}

// bluesteinKernel returns the transform of conj c, in double words, divided by m.
func bluesteinKernel(n, m int, inverse bool) []double {
	x := make([]double, m)
	for j, c := range chirp(n, !inverse, doubleFrom) {
		x[j] = c
		x[(m-j)%m] = c
	}
	powerOfTwo[double](m, false, scaleOf(m, false), doubleFrom).run(x, x)
	return x
}

func newBluestein[C number[C]](n int, inverse bool, scale dd.DD64, from func(re, im dd.DD64) C) *bluestein[C] {
	m := bluesteinLength(n)
	t := &bluestein[C]{
		n: n, m: m, before: chirp(n, inverse, from), after: chirp(n, inverse, scaledFrom(scale, from)),
		forward: powerOfTwo(m, false, one, from), back: powerOfTwo(m, true, one, from),
	}
	for _, x := range bluesteinKernel(n, m, inverse) {
		t.kernel = append(t.kernel, from(x.re, x.im))
	}
	t.scratch.New = func() any { x := make([]C, m); return &x }
	return t
}

func (t *bluestein[C]) run(dst, src []C) {
	buffer := t.scratch.Get().(*[]C)
	x := *buffer
	for j, c := range t.before {
		x[j] = src[j].times(c)
	}
	clear(x[t.n:])
	t.forward.run(x, x)
	for k, c := range t.kernel {
		x[k] = x[k].times(c)
	}
	t.back.run(x, x)
	for k, c := range t.after {
		dst[k] = x[k].times(c)
	}
	t.scratch.Put(buffer)
}
