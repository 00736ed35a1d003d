package fft

import (
	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/trig"
)

// roots returns exp(∓2πik/n) for all k < n, by the sign, each part rounded once to words of C. Only the first eighth of a turn is computed; the
// rest follows by exact symmetries where 8 divides n.
func roots[C any](n int, inverse bool, from func(cos, sin dd.DD64) C) []C {
	table := make([]C, n)
	set := func(k int, cos, sin dd.DD64) {
		if k %= n; !inverse {
			k = (n - k) % n
		}
		table[k] = from(cos, sin)
	}
	if n%8 != 0 {
		for k := range table {
			cos, sin := trig.Twiddle(k, n)
			set(k, cos, sin)
		}
		return table
	}
	q := n / 4
	for k := range n/8 + 1 {
		c, s := trig.Twiddle(k, n)
		set(k, c, s)
		set(q-k, s, c)
		set(q+k, negative(s), c)
		set(2*q-k, negative(c), s)
		set(2*q+k, negative(c), negative(s))
		set(3*q-k, negative(s), negative(c))
		set(3*q+k, s, negative(c))
		set(n-k, c, negative(s))
	}
	return table
}

// negative returns -x, and +0 for 0.
func negative(x dd.DD64) dd.DD64 {
	if x.Hi == 0 {
		return dd.DD64{}
	}
	return x.Neg()
}

// singleFrom rounds each part once.
func singleFrom[F kernels.Float](re, im dd.DD64) single[F] {
	return single[F]{narrow[F](re), narrow[F](im)}
}

// doubleFrom keeps both words.
func doubleFrom(re, im dd.DD64) double { return double{re, im} }

// narrow rounds x once, to binary64 or to binary32.
func narrow[F kernels.Float](x dd.DD64) F {
	if F(1)+F(0x1p-30) != 1 {
		return F(x.Hi)
	}
	return F(dd.Narrow(x))
}

// part returns, in its real part, cos(2πk/n) or sin(2πk/n) as which is 0 or 1.
func part[C any](from func(re, im dd.DD64) C, k, n, which int) C {
	cos, sin := trig.Twiddle(k, n)
	return from([]dd.DD64{cos, sin}[which], dd.DD64{})
}

// scaleOf returns 1/n or 1/√n.
func scaleOf(n int, root bool) dd.DD64 {
	x := dd.FromInt64[float64](int64(n))
	if root {
		x = x.Root()
	}
	return dd.FromWord(1.0).Over(x)
}
