package ntt

import "math/bits"

// word31Tail is the length of the pieces whose last layers run in one pass with AVX-512, and word31Vector the least length of a vector, two of
// them; shorter vectors are left to Go.
const (
	word31Tail   = 32
	word31Vector = 2 * word31Tail
)

// The layers in assembly, with AVX-512 F. Factors are read at places of nodes, as in word31_layer.go; results are the same words.

// word31DownFirst512 runs the layer of forward with one node, n >= 64.
//
//go:noescape
func word31DownFirst512(x, w, s *uint32, n int, q uint32)

// word31DownPass512 runs the layers of forward with m and 2m nodes, n >= 64m.
//
//go:noescape
func word31DownPass512(x, w, s *uint32, n, m int, q uint32)

// word31DownTail512 runs the last five layers of forward and the reduction, n >= 64.
//
//go:noescape
func word31DownTail512(x, w, s *uint32, n int, q uint32)

// word31UpTail512 runs the first five layers of inverse, n >= 64.
//
//go:noescape
func word31UpTail512(x, w, s *uint32, n int, q uint32)

// word31UpPass512 runs the layers of inverse with 2m and m nodes, n >= 64m.
//
//go:noescape
func word31UpPass512(x, w, s *uint32, n, m int, q uint32)

// word31UpLast512 runs the layer of inverse with one node, n >= 64.
//
//go:noescape
func word31UpLast512(x, w, s *uint32, n int, q uint32)

// word31Scale512 multiplies words by a factor, n a multiple of 32 and not 0.
//
//go:noescape
func word31Scale512(x *uint32, n int, w, s, q uint32)

// word31Down runs the layers of forward with the factors f, and reduces.
func word31Down(x []uint32, f word31Factors, q uint32) {
	n := len(x)
	if !cpu.avx512 || n < word31Vector {
		word31DownGo(x, f, q)
		return
	}
	m := 1
	if bits.TrailingZeros(uint(n/word31Tail))%2 == 1 {
		word31DownFirst512(&x[0], &f.w[0], &f.s[0], n, q)
		m = 2
	}
	for ; m < n/word31Tail; m *= 4 {
		word31DownPass512(&x[0], &f.w[0], &f.s[0], n, m, q)
	}
	word31DownTail512(&x[0], &f.w[0], &f.s[0], n, q)
}

// word31Up runs the layers of inverse with the factors f.
func word31Up(x []uint32, f word31Factors, q uint32) {
	n := len(x)
	if !cpu.avx512 || n < word31Vector {
		word31UpGo(x, f, q)
		return
	}
	word31UpTail512(&x[0], &f.w[0], &f.s[0], n, q)
	m := n / word31Tail / 4
	for ; m > 0; m /= 4 {
		word31UpPass512(&x[0], &f.w[0], &f.s[0], n, m, q)
	}
	if bits.TrailingZeros(uint(n/word31Tail))%2 == 1 {
		word31UpLast512(&x[0], &f.w[0], &f.s[0], n, q)
	}
}

// word31Scale multiplies each word by a factor w with its Shoup factor s.
func word31Scale(x []uint32, w, s, q uint32) {
	if !cpu.avx512 || len(x) < word31Vector {
		word31ScaleGo(x, w, s, q)
		return
	}
	word31Scale512(&x[0], len(x), w, s, q)
}
