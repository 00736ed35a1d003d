package ntt

import "math/bits"

// word31Code has the layers in assembly for one kind of registers. Factors are indexed by nodes, as in word31_layer.go, and the results
// are the same words as there.
type word31Code struct {
	// tail is the length of the pieces whose last layers run in registers. Two are done at a time, so n >= 2·tail.
	tail int
	// downFirst runs the layer of forward with one node; upLast that of inverse.
	downFirst, upLast func(x, w, s *uint32, n int, q uint32)
	// downPass runs the layers of forward with m and 2m nodes, m < n/tail; upPass those of inverse with 2m and m nodes.
	downPass, upPass func(x, w, s *uint32, n, m int, q uint32)
	// downTail runs the last layers of forward, from n/tail nodes, and the reduction; upTail the first ones of inverse.
	downTail, upTail func(x, w, s *uint32, n int, q uint32)
	// scale multiplies words by a factor.
	scale func(x *uint32, n int, w, s, q uint32)
}

var (
	word31Code512 = word31Code{
		tail:      32,
		downFirst: word31DownFirst512, downPass: word31DownPass512, downTail: word31DownTail512,
		upLast: word31UpLast512, upPass: word31UpPass512, upTail: word31UpTail512,
		scale: word31Scale512,
	}
	word31Code256 = word31Code{
		tail:      16,
		downFirst: word31DownFirst256, downPass: word31DownPass256, downTail: word31DownTail256,
		upLast: word31UpLast256, upPass: word31UpPass256, upTail: word31UpTail256,
		scale: word31Scale256,
	}
)

// word31CodeFor returns the fastest code for n words that the machine runs, or nil if that is Go.
func word31CodeFor(n int) *word31Code {
	switch {
	case cpu.AVX512 && n >= 2*word31Code512.tail:
		return &word31Code512
	case cpu.AVX2 && n >= 2*word31Code256.tail:
		return &word31Code256
	}
	return nil
}

// odd reports whether one layer is left over when those before the tail go in pairs.
func (c *word31Code) odd(n int) bool { return bits.TrailingZeros(uint(n/c.tail))%2 == 1 }

// word31Down runs the layers of forward with the factors f, and reduces.
func word31Down(x []uint32, f word31Factors, q uint32) {
	n := len(x)
	c := word31CodeFor(n)
	if c == nil {
		word31DownGo(x, f, q)
		return
	}
	m := 1
	if c.odd(n) {
		c.downFirst(&x[0], &f.w[0], &f.s[0], n, q)
		m = 2
	}
	for ; m < n/c.tail; m *= 4 {
		c.downPass(&x[0], &f.w[0], &f.s[0], n, m, q)
	}
	c.downTail(&x[0], &f.w[0], &f.s[0], n, q)
}

// word31Up runs the layers of inverse with the factors f.
func word31Up(x []uint32, f word31Factors, q uint32) {
	n := len(x)
	c := word31CodeFor(n)
	if c == nil {
		word31UpGo(x, f, q)
		return
	}
	c.upTail(&x[0], &f.w[0], &f.s[0], n, q)
	for m := n / c.tail / 4; m > 0; m /= 4 {
		c.upPass(&x[0], &f.w[0], &f.s[0], n, m, q)
	}
	if c.odd(n) {
		c.upLast(&x[0], &f.w[0], &f.s[0], n, q)
	}
}

// word31Scale multiplies each word by a factor w with its Shoup factor s.
func word31Scale(x []uint32, w, s, q uint32) {
	c := word31CodeFor(len(x))
	if c == nil {
		word31ScaleGo(x, w, s, q)
		return
	}
	c.scale(&x[0], len(x), w, s, q)
}

// With AVX-512 F: see the fields of word31Code.
//
//go:noescape
func word31DownFirst512(x, w, s *uint32, n int, q uint32)

//go:noescape
func word31DownPass512(x, w, s *uint32, n, m int, q uint32)

//go:noescape
func word31DownTail512(x, w, s *uint32, n int, q uint32)

//go:noescape
func word31UpTail512(x, w, s *uint32, n int, q uint32)

//go:noescape
func word31UpPass512(x, w, s *uint32, n, m int, q uint32)

//go:noescape
func word31UpLast512(x, w, s *uint32, n int, q uint32)

//go:noescape
func word31Scale512(x *uint32, n int, w, s, q uint32)

// With AVX2: see the fields of word31Code.
//
//go:noescape
func word31DownFirst256(x, w, s *uint32, n int, q uint32)

//go:noescape
func word31DownPass256(x, w, s *uint32, n, m int, q uint32)

//go:noescape
func word31DownTail256(x, w, s *uint32, n int, q uint32)

//go:noescape
func word31UpTail256(x, w, s *uint32, n int, q uint32)

//go:noescape
func word31UpPass256(x, w, s *uint32, n, m int, q uint32)

//go:noescape
func word31UpLast256(x, w, s *uint32, n int, q uint32)

//go:noescape
func word31Scale256(x *uint32, n int, w, s, q uint32)
