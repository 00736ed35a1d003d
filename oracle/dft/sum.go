package dft

import (
	"math"
	"sync"
)

// Circle holds the roots exp(-2πi·k/n) as products of two of about √n each: what relations between the results of transforms need, of lengths too, whose plan would
// take long. It may be used by several goroutines.
type Circle struct {
	n, m         int
	fine, coarse []root
}

// circles holds those that were made: they are constants.
var circles sync.Map

// CircleOf returns the circle of n points, n >= 1.
//
// Cost: 2√n roots by series, once for each n.
func CircleOf(n int) *Circle {
	if c, ok := circles.Load(n); ok {
		return c.(*Circle)
	}
	if n < 1 {
		panic(panicPoints)
	}
	c := &Circle{n: n, m: max(1, int(math.Sqrt(float64(n))))}
	for b := range c.m {
		w := exactRoot(b, n)
		c.fine = append(c.fine, w.conj())
	}
	for k := 0; k < n; k += c.m {
		w := exactRoot(k, n)
		c.coarse = append(c.coarse, w.conj())
	}
	circles.Store(n, c)
	return c
}

// at returns exp(-2πi·k/n), 0 <= k < n, with parts within 50·2^-190, as [roots] does.
func (c *Circle) at(k int) root {
	a, b := k/c.m, k%c.m
	switch {
	case b == 0:
		return c.coarse[a]
	case a == 0:
		return c.fine[b]
	}
	x, y := c.coarse[a].parts()
	return newRoot(c.fine[b].times(x, y))
}

// Number is a complex number whose parts have one word or two: re, im, reLo, imLo.
type Number [4]float64

// Sum adds up complex numbers, some of them turned, in fixed point: what is left of a relation between results of transforms that have to be equal but for their errors.
type Sum struct {
	re, im fixed
	unit   int
	terms  int
	far    bool // a number was infinite, NaN, or beyond the units
}

// Start empties the sum for at most eight terms whose parts lie below 2^top.
func (s *Sum) Start(top int) { *s = Sum{unit: 184 - top} }

// Add adds z·exp(-2πi·k/n) for any k; a nil c does not turn.
//
// Error:  each part of z errs by two units at most, one for each word, and by 201 more if it is turned: see root.times. Parts below
// 2^186 units lie in its domain, and eight terms below 2^190.
func (s *Sum) Add(z *Number, c *Circle, k int) {
	a, b, ok := s.parts(z)
	if s.terms++; !ok {
		s.far = true
		return
	}
	if c != nil {
		if k %= c.n; k < 0 {
			k += c.n
		}
		w := c.at(k)
		a, b = w.times(a, b)
	}
	s.re, s.im = add(s.re, a), add(s.im, b)
}

// Sub is Add of -z.
func (s *Sum) Sub(z *Number, c *Circle, k int) {
	s.Add(&Number{-z[0], -z[1], -z[2], -z[3]}, c, k)
}

// parts converts a number.
func (s *Sum) parts(z *Number) (a, b fixed, ok bool) {
	var v [4]fixed
	for i, x := range z {
		if x != 0 && exponent(x)+s.unit > 185 || x-x != 0 {
			return a, b, false
		}
		v[i], _ = fromFloat(x, s.unit)
	}
	return add(v[0], v[2]), add(v[1], v[3]), true
}

// Parts returns the sum, times 2^shift; NaN if a term was no number or too large.
//
// Error:  2^-52 of each part, and [Sum.Err] of the complex number.
func (s *Sum) Parts(shift int) (re, im float64) {
	if s.far {
		return math.NaN(), math.NaN()
	}
	return s.re.float(s.unit - shift), s.im.float(s.unit - shift)
}

// Err bounds the error of the sum, times 2^shift: 204 units a term.
func (s *Sum) Err(shift int) float64 { return math.Ldexp(float64(204*s.terms), shift-s.unit) }
