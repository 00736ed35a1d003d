package adversary

import "math/bits"

// mix is a bijection of 64-bit words in which every bit of the result depends on every bit of x.
// Source: [Stafford 2011], variant 13 of MurmurHash3's finalizer.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// golden is 2^64 divided by the golden ratio, made odd.
const golden = 0x9e3779b97f4a7c15

// draw returns the word that belongs to a seed and some numbers: always the same for the same ones.
func draw(seed uint64, of ...uint64) uint64 {
	x := mix(seed + golden)
	for _, v := range of {
		x = mix(x ^ mix(v+golden))
	}
	return x
}

// source is a stream of words: word number n of it is a function of key and n alone.
type source struct{ key, n uint64 }

// Streams of a run.
const (
	streamOrder uint64 = iota + 1
	streamMemory
	streamLane
	streamReduce
	streamSpurious
	streamStyle
	streamUndef
	streamULP
	streamLag
	streamLayout
)

func newSource(seed, stream uint64) source { return source{key: draw(seed, stream)} }

func (s *source) next() uint64 {
	s.n++
	return mix(s.key + s.n*golden)
}

// below returns a number in [0, n), n > 0.
func (s *source) below(n int) int {
	hi, _ := bits.Mul64(s.next(), uint64(n))
	return int(hi)
}

// permutation is a bijection of [0, n) that needs no table: a Feistel network on the next power of four, walked until it
// falls into range.
type permutation struct {
	n, key uint64
	half   uint
}

func newPermutation(seed, n uint64) permutation {
	w := uint(bits.Len64(max(n, 2) - 1))
	return permutation{n: n, key: draw(seed, streamOrder, n), half: (w + 1) / 2}
}

func (p permutation) at(i uint64) uint64 {
	mask := uint64(1)<<p.half - 1
	for {
		l, r := i>>p.half, i&mask
		for round := range uint64(4) {
			l, r = r, l^mix(p.key^mix(r+golden*(round+1)))&mask
		}
		i = l<<p.half | r
		if i < p.n {
			return i
		}
	}
}

// junk returns eight bytes that look like what lies about in memory: NaNs, infinities, huge, tiny and plausible numbers of
// several formats, and plain noise.
func junk(w uint64) uint64 {
	r := mix(w)
	one := func(r uint64) uint64 {
		switch r >> 61 {
		case 0: // a NaN
			return 0x7fc00001 | r&0x8000ffff
		case 1: // huge
			return 0x7f000000 | r&0x807fffff
		case 2: // tiny
			return r & 0x80ffffff
		case 3: // a small whole number
			return r & 63
		case 4, 5: // about 1
			return 0x3f000000 | r&0x80ffffff
		case 6: // two halves, one a NaN
			return 0x7e003c00 | r&0x8001ffff
		}
		return r & 0xffffffff
	}
	if r&7 == 0 {
		return mix(r + golden)
	}
	return one(mix(r^golden))<<32 | one(r)
}
