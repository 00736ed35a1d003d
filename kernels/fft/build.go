package fft

import "gamma/kernels/dd"

var one = dd.FromWord(1.0)

// build returns the transform of n points in the arithmetic of C, times the factor scale.
func build[C number[C]](n int, inverse bool, scale dd.DD64, from func(re, im dd.DD64) C) (runner[C], Algorithm) {
	radices := factors(n)
	switch {
	case n&(n-1) == 0:
		if t, radices := vectorised(n, inverse, scale, from); t != nil {
			return t, Algorithm{Radices: radices, Fused: true}
		}
	case radices == nil:
		t := newBluestein(n, inverse, scale, from)
		_, inner := build(t.m, false, one, from)
		inner.Length = t.m
		return t, inner
	}
	t := newStages(n, radices, inverse, from)
	t.factor, t.scaled = from(scale, dd.DD64{}), scale != one
	var c C
	_, fused := any(c).(double) // error-free products are fused
	return t, Algorithm{Radices: radices, Fused: fused}
}

// powerOfTwo is build for n that is one.
func powerOfTwo[C number[C]](n int, inverse bool, scale dd.DD64, from func(re, im dd.DD64) C) runner[C] {
	t, _ := build(n, inverse, scale, from)
	return t
}

// scaledFrom multiplies by scale before it rounds.
func scaledFrom[C any](scale dd.DD64, from func(re, im dd.DD64) C) func(re, im dd.DD64) C {
	if scale == one {
		return from
	}
	return func(re, im dd.DD64) C { return from(re.Times3(scale), im.Times3(scale)) }
}
