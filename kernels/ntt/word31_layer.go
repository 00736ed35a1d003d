package ntt

import "math/bits"

// This file holds the layers in Go. A layer with m nodes is m blocks of n/m words, and block b has the factor of place m + b. Two layers
// run in one pass where they can: a block is read in quarters, and every word is read and written once.

// word31Forward is a butterfly of forward: (x + w·y, x - w·y).
//
// Range:  x and y in [0, 2q); results in [0, 2q), which fit 32 bits since q < 2^31. Both x and w·y are reduced before they meet.
func word31Forward(x, y, w, s, q uint32) (uint32, uint32) {
	x = word31Reduce(x, q)
	y = word31Reduce(word31Times(y, w, s, q), q)
	return x + y, x + q - y
}

// word31Inverse is a butterfly of inverse: (x + y, (x - y)·w).
//
// Range:  x and y in [0, q); results in [0, q).
func word31Inverse(x, y, w, s, q uint32) (uint32, uint32) {
	return word31Reduce(x+y, q), word31Reduce(word31Times(x+q-y, w, s, q), q)
}

// word31DownLayer runs the layer of forward with m nodes.
func word31DownLayer(x []uint32, f word31Factors, m int, q uint32) {
	half := len(x) / m / 2
	for b := range m {
		w, s := f.w[m+b], f.s[m+b]
		block := x[2*b*half : (2*b+2)*half]
		lower, upper := block[:half], block[half:]
		upper = upper[:len(lower)]
		for i := range lower {
			lower[i], upper[i] = word31Forward(lower[i], upper[i], w, s, q)
		}
	}
}

// word31UpLayer runs the layer of inverse with m nodes.
func word31UpLayer(x []uint32, f word31Factors, m int, q uint32) {
	half := len(x) / m / 2
	for b := range m {
		w, s := f.w[m+b], f.s[m+b]
		block := x[2*b*half : (2*b+2)*half]
		lower, upper := block[:half], block[half:]
		upper = upper[:len(lower)]
		for i := range lower {
			lower[i], upper[i] = word31Inverse(lower[i], upper[i], w, s, q)
		}
	}
}

// word31DownGo runs all layers of forward and the reduction after them.
func word31DownGo(x []uint32, f word31Factors, q uint32) {
	n, m := len(x), 1
	if word31Odd(n) {
		word31DownLayer(x, f, 1, q)
		m = 2
	}
	for ; m < n/4; m *= 4 {
		word31DownPass(x, f, m, q)
	}
	if n < 4 {
		for i, v := range x {
			x[i] = word31Reduce(v, q)
		}
		return
	}
	// The last pass, whose blocks are four words.
	w1, s1 := f.w[m:2*m], f.s[m:2*m]
	w2, s2 := f.w[2*m:4*m], f.s[2*m:4*m]
	for b := range w1 {
		v := (*[4]uint32)(x[4*b:])
		w, s := w1[b], s1[b]
		x0, x2 := word31Forward(v[0], v[2], w, s, q)
		x1, x3 := word31Forward(v[1], v[3], w, s, q)
		x0, x1 = word31Forward(x0, x1, w2[2*b], s2[2*b], q)
		x2, x3 = word31Forward(x2, x3, w2[2*b+1], s2[2*b+1], q)
		v[0], v[1] = word31Reduce(x0, q), word31Reduce(x1, q)
		v[2], v[3] = word31Reduce(x2, q), word31Reduce(x3, q)
	}
}

// word31DownPass runs the layers of forward with m and 2m nodes.
func word31DownPass(x []uint32, f word31Factors, m int, q uint32) {
	quarter := len(x) / m / 4
	for b := range m {
		w1, s1 := f.w[m+b], f.s[m+b]
		w2, s2 := f.w[2*m+2*b], f.s[2*m+2*b]
		w3, s3 := f.w[2*m+2*b+1], f.s[2*m+2*b+1]
		v0, v1, v2, v3 := word31Quarters(x[4*b*quarter:], quarter)
		for i := range v0 {
			x0, x2 := word31Forward(v0[i], v2[i], w1, s1, q)
			x1, x3 := word31Forward(v1[i], v3[i], w1, s1, q)
			v0[i], v1[i] = word31Forward(x0, x1, w2, s2, q)
			v2[i], v3[i] = word31Forward(x2, x3, w3, s3, q)
		}
	}
}

// word31UpGo runs all layers of inverse.
func word31UpGo(x []uint32, f word31Factors, q uint32) {
	n := len(x)
	if n >= 4 {
		// The first pass, whose blocks are four words.
		m := n / 4
		w1, s1 := f.w[m:2*m], f.s[m:2*m]
		w2, s2 := f.w[2*m:4*m], f.s[2*m:4*m]
		for b := range w1 {
			v := (*[4]uint32)(x[4*b:])
			x0, x1 := word31Inverse(v[0], v[1], w2[2*b], s2[2*b], q)
			x2, x3 := word31Inverse(v[2], v[3], w2[2*b+1], s2[2*b+1], q)
			w, s := w1[b], s1[b]
			v[0], v[2] = word31Inverse(x0, x2, w, s, q)
			v[1], v[3] = word31Inverse(x1, x3, w, s, q)
		}
	}
	for m := n / 16; m > 0; m /= 4 {
		word31UpPass(x, f, m, q)
	}
	if word31Odd(n) {
		word31UpLayer(x, f, 1, q)
	}
}

// word31UpPass runs the layers of inverse with 2m and m nodes.
func word31UpPass(x []uint32, f word31Factors, m int, q uint32) {
	quarter := len(x) / m / 4
	for b := range m {
		w1, s1 := f.w[m+b], f.s[m+b]
		w2, s2 := f.w[2*m+2*b], f.s[2*m+2*b]
		w3, s3 := f.w[2*m+2*b+1], f.s[2*m+2*b+1]
		v0, v1, v2, v3 := word31Quarters(x[4*b*quarter:], quarter)
		for i := range v0 {
			x0, x1 := word31Inverse(v0[i], v1[i], w2, s2, q)
			x2, x3 := word31Inverse(v2[i], v3[i], w3, s3, q)
			v0[i], v2[i] = word31Inverse(x0, x2, w1, s1, q)
			v1[i], v3[i] = word31Inverse(x1, x3, w1, s1, q)
		}
	}
}

// word31ScaleGo multiplies each word by a factor w with its Shoup factor s.
//
// Range:  any words; results in [0, q).
func word31ScaleGo(x []uint32, w, s, q uint32) {
	for i, v := range x {
		x[i] = word31Reduce(word31Times(v, w, s, q), q)
	}
}

// word31Quarters cuts the first four quarters off x.
func word31Quarters(x []uint32, quarter int) (v0, v1, v2, v3 []uint32) {
	v0, v1, v2, v3 = x[:quarter], x[quarter:2*quarter], x[2*quarter:3*quarter], x[3*quarter:4*quarter]
	return v0, v1[:len(v0)], v2[:len(v0)], v3[:len(v0)]
}

// word31Odd reports whether log2 n is odd.
func word31Odd(n int) bool { return bits.TrailingZeros(uint(n))%2 == 1 }
