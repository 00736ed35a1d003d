package ntt

import "math/bits"

// The layers in assembly, for registers of 64 and of 32 bytes. Factors are indexed by nodes, as in word31_layer.go, and the results are the same
// words as there.
const (
	// word31Least512 and word31Least256 are the least sizes of a transform.
	word31Least512, word31Least256 = 128, 32
	// word31Tail512 and word31Tail256 are the lengths of blocks whose layers run in the tail, in registers.
	word31Tail512, word31Tail256 = 64, 16
	// word31Cached is how many words are taken at a time through all the layers that are left: their 32 KB are in the first cache.
	word31Cached = 1 << 13
)

// word31Down runs the layers of forward with the factors f, and reduces.
func word31Down(x []uint32, f word31Factors, q uint32) {
	n := len(x)
	switch {
	case cpu.AVX512 && n >= word31Least512:
		word31Down512(x, f, q)
	case cpu.AVX2 && n >= word31Least256:
		m := 1
		if word31Odd256(n) {
			word31DownFirst256(&x[0], &f.w[0], &f.s[0], n, q)
			m = 2
		}
		for ; m < n/word31Tail256; m *= 4 {
			word31DownPass256(&x[0], &f.w[0], &f.s[0], n, m, q)
		}
		word31DownTail256(&x[0], &f.w[0], &f.s[0], n, q)
	default:
		word31DownGo(x, f, q)
	}
}

// word31Up runs the layers of inverse with the factors f.
func word31Up(x []uint32, f word31Factors, q uint32) {
	n := len(x)
	switch {
	case cpu.AVX512 && n >= word31Least512:
		word31Up512(x, f, q)
	case cpu.AVX2 && n >= word31Least256:
		word31UpTail256(&x[0], &f.w[0], &f.s[0], n, q)
		for m := n / word31Tail256 / 4; m > 0; m /= 4 {
			word31UpPass256(&x[0], &f.w[0], &f.s[0], n, m, q)
		}
		if word31Odd256(n) {
			word31UpLast256(&x[0], &f.w[0], &f.s[0], n, q)
		}
	default:
		word31UpGo(x, f, q)
	}
}

// word31Odd256 reports whether one layer is left over when those before the tail go in pairs.
func word31Odd256(n int) bool { return bits.TrailingZeros(uint(n/word31Tail256))%2 == 1 }

// word31Down512 makes passes of two layers until a block is in the cache, and then all other layers of one block after another. A first pass that is all of
// one block pays even there: of the four factors of a cyclic table three are 1.
func word31Down512(x []uint32, f word31Factors, q uint32) {
	n, nodes, layers := len(x), 1, 1
	for ; n/nodes > word31Cached; nodes *= 4 {
		word31DownPass512(&x[0], &f.w[0], &f.s[0], n, nodes, q)
	}
	if nodes == 1 && n > 2*word31Tail512 {
		word31DownPass512(&x[0], &f.w[0], &f.s[0], n, 1, q)
		layers = 4
	}
	for b, words := 0, n/nodes; b < nodes; b++ {
		at := b * words
		if words/layers > word31Tail512 {
			word31DownLayers512(&x[at], &f.w[0], &f.s[0], (nodes+b)*layers, layers, words/layers/2, q)
		}
		word31DownTail512(&x[at], &f.w[0], &f.s[0], n+at, words, q)
	}
}

// word31Up512 is word31Down512 in the other order.
func word31Up512(x []uint32, f word31Factors, q uint32) {
	n, nodes := len(x), 1
	for n/nodes > word31Cached {
		nodes *= 4
	}
	for b, words := 0, n/nodes; b < nodes; b++ {
		at := b * words
		word31UpTail512(&x[at], &f.w[0], &f.s[0], n+at, words, q)
		for m := words / word31Tail512 / 2; m > 0; m /= 2 {
			first := (nodes + b) * m
			word31UpLayer512(&x[at], &f.w[first], &f.s[first], m, words/m/2, q)
		}
	}
	for nodes /= 4; nodes > 0; nodes /= 4 {
		word31UpPass512(&x[0], &f.w[0], &f.s[0], n, nodes, q)
	}
}

// word31Scale multiplies each word by a factor w with its Shoup factor s.
func word31Scale(x []uint32, w, s, q uint32) {
	switch {
	case cpu.AVX512 && len(x) >= word31Least512:
		word31Scale512(&x[0], len(x), w, s, q)
	case cpu.AVX2 && len(x) >= word31Least256:
		word31Scale256(&x[0], len(x), w, s, q)
	default:
		word31ScaleGo(x, w, s, q)
	}
}

// With AVX-512 F. word31DownLayers512 runs a layer of forward, or some blocks of it, whose factors are from place first on, and those after it before the tail;
// word31UpLayer512 runs one of inverse, with the factors from w and s on.
//
//go:noescape
func word31DownLayers512(x, w, s *uint32, first, blocks, half int, q uint32)

//go:noescape
func word31UpLayer512(x, w, s *uint32, blocks, half int, q uint32)

// word31DownPass512 runs the layers of forward with m and 2m nodes; word31UpPass512 those of inverse with 2m and m nodes.
//
//go:noescape
func word31DownPass512(x, w, s *uint32, n, m int, q uint32)

//go:noescape
func word31UpPass512(x, w, s *uint32, n, m int, q uint32)

// word31DownTail512 runs the last layers of forward, those of blocks of word31Tail512 words and less, and the reduction; word31UpTail512 the first ones of
// inverse. place is the size of the transform and the number of the first of n words.
//
//go:noescape
func word31DownTail512(x, w, s *uint32, place, n int, q uint32)

//go:noescape
func word31UpTail512(x, w, s *uint32, place, n int, q uint32)

//go:noescape
func word31Scale512(x *uint32, n int, w, s, q uint32)

// With AVX2. word31DownFirst256 runs the layer of forward with one node, word31UpLast256 that of inverse; the others are as above, of a whole transform.
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
