package fft

import (
	"sync"

	"gamma/kernels"
	"gamma/kernels/dd"
)

// wide takes and returns binary32 numbers and computes in binary64 between: each part of a result is rounded once from the binary64 transform.
type wide struct {
	inner   runner[single[float64]]
	scratch sync.Pool
}

func newWide(n int, inner runner[single[float64]]) *wide {
	t := &wide{inner: inner}
	t.scratch.New = func() any { x := make([]single[float64], n); return &x }
	return t
}

func (t *wide) run(dst, src []single[float32]) {
	buffer := t.scratch.Get().(*[]single[float64])
	x := *buffer
	for i, v := range src {
		x[i] = single[float64]{float64(v.re), float64(v.im)}
	}
	t.inner.run(x, x)
	for i, v := range x {
		dst[i] = single[float32]{float32(v.re), float32(v.im)}
	}
	t.scratch.Put(buffer)
}

// direct computes a transform by its definition: the 2n products of each part are rounded to binary64 and added by Kahan's scheme.
type direct[F kernels.Float] struct {
	roots   []single[float64]
	factor  float64
	scratch sync.Pool
}

func newDirect[F kernels.Float](n int, inverse bool, scale dd.DD64) *direct[F] {
	t := &direct[F]{roots: roots(n, inverse, singleFrom[float64]), factor: scale.Hi}
	t.scratch.New = func() any { x := make([]single[F], n); return &x }
	return t
}

func (t *direct[F]) run(dst, src []single[F]) {
	buffer := t.scratch.Get().(*[]single[F])
	x := *buffer
	for k := range x {
		var re, im kahan
		at := 0
		for _, v := range src {
			w := t.roots[at]
			a, b := float64(v.re), float64(v.im)
			re.add(float64(a * w.re))
			re.add(-float64(b * w.im))
			im.add(float64(a * w.im))
			im.add(float64(b * w.re))
			if at += k; at >= len(x) {
				at -= len(x)
			}
		}
		x[k] = single[F]{F(float64(re.sum * t.factor)), F(float64(im.sum * t.factor))}
	}
	copy(dst, x)
	t.scratch.Put(buffer)
}

// kahan is a sum with its compensation.
type kahan struct{ sum, lost float64 }

// add adds v.
//
// Source: [Knuth 1997], exercise 4.2.2-19.
func (s *kahan) add(v float64) {
	y := v - s.lost
	sum := s.sum + y
	s.lost = (sum - s.sum) - y
	s.sum = sum
}
