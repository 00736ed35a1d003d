package montgomery

import "math/bits"

// Goldilocks is the prime 2^64-2^32+1. Its 2-adicity is 32, and 7 is its least primitive root. Since 2^64 ≡ 2^32-1 and 2^96 ≡ -1
// modulo it, a number of two words is reduced by shifts, sums and one short product, without a domain.
//
// Functions without a word on ranges in their name take and return reduced words, in [0, Goldilocks). Those that end in Lazy take
// any words and return any word: 2^64 is below 2·Goldilocks, so that is range 2, cut off at R.
const Goldilocks uint64 = 0xffffffff00000001

// epsilon is R mod Goldilocks: 2^32-1.
const epsilon = 0xffffffff

// GoldilocksReduce returns a modulo Goldilocks for any word a.
func GoldilocksReduce(a uint64) uint64 {
	d, borrow := bits.Sub64(a, Goldilocks, 0)
	return d + Goldilocks&-borrow
}

// GoldilocksAdd returns a+b, reduced words in and out.
func GoldilocksAdd(a, b uint64) uint64 {
	s, borrow := bits.Sub64(a, Goldilocks-b, 0)
	return s - epsilon&-borrow // + Goldilocks, modulo R
}

// GoldilocksSub returns a-b, reduced words in and out.
func GoldilocksSub(a, b uint64) uint64 {
	d, borrow := bits.Sub64(a, b, 0)
	return d - epsilon&-borrow // + Goldilocks, modulo R
}

// GoldilocksNeg returns -a, reduced words in and out.
func GoldilocksNeg(a uint64) uint64 {
	if a == 0 {
		return 0
	}
	return Goldilocks - a
}

// GoldilocksAddLazy returns a word ≡ a+b (mod Goldilocks).
//
// Domain: a any word; b reduced, in [0, Goldilocks).
// Range:  any word.
//
// A carry is worth R ≡ epsilon. Where there is one, the word left is below b <= R-epsilon-1, so that adding epsilon carries no more.
// With two words that are both not reduced it may.
func GoldilocksAddLazy(a, b uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	return s + epsilon&-carry
}

// GoldilocksSubLazy returns a word ≡ a-b (mod Goldilocks).
//
// Domain: a any word; b reduced, in [0, Goldilocks).
// Range:  any word.
//
// A borrow is worth -R ≡ -epsilon. Where there is one, the word left is at least R-b >= epsilon: subtracting epsilon borrows no more.
func GoldilocksSubLazy(a, b uint64) uint64 {
	d, borrow := bits.Sub64(a, b, 0)
	return d - epsilon&-borrow
}

// GoldilocksReduce128Lazy returns a word ≡ h·2^64+l (mod Goldilocks), for any words h and l.
//
// Range: any word.
//
// With h = u·2^32+v, the double word is ≡ l-u+v·(2^32-1). The difference l-u may borrow, worth -epsilon; the word is then at least
// R-u > epsilon, so that this is the only borrow. The product is at most (2^32-1)², and adding it may carry, worth epsilon; the word
// is then below (2^32-1)² = R-2^33+1, so that this is the only carry.
func GoldilocksReduce128Lazy(h, l uint64) uint64 {
	r, borrow := bits.Sub64(l, h>>32, 0)
	r -= epsilon & -borrow
	v := h & epsilon
	r, carry := bits.Add64(r, v<<32-v, 0)
	return r + epsilon&-carry
}

// GoldilocksReduce128 returns h·2^64+l modulo Goldilocks, for any words h and l.
//
// Range: [0, Goldilocks).
func GoldilocksReduce128(h, l uint64) uint64 {
	return GoldilocksReduce(GoldilocksReduce128Lazy(h, l))
}

// GoldilocksMulLazy returns a word ≡ a·b (mod Goldilocks), for any words a and b.
//
// Range: any word.
func GoldilocksMulLazy(a, b uint64) uint64 {
	h, l := bits.Mul64(a, b)
	r, borrow := bits.Sub64(l, h>>32, 0)
	r -= epsilon & -borrow
	v := h & epsilon
	r, carry := bits.Add64(r, v<<32-v, 0)
	return r + epsilon&-carry
}

// GoldilocksMul returns a·b modulo Goldilocks, for any words a and b.
//
// Range: [0, Goldilocks).
func GoldilocksMul(a, b uint64) uint64 {
	h, l := bits.Mul64(a, b)
	r, borrow := bits.Sub64(l, h>>32, 0)
	r -= epsilon & -borrow
	v := h & epsilon
	r, carry := bits.Add64(r, v<<32-v, 0)
	r += epsilon & -carry
	if r >= Goldilocks {
		r -= Goldilocks
	}
	return r
}

// GoldilocksPow returns a^e modulo Goldilocks, for any words a and e; 0^0 is 1.
//
// Range: [0, Goldilocks).
func GoldilocksPow(a, e uint64) uint64 {
	r := uint64(1)
	for i := bits.Len64(e) - 1; i >= 0; i-- {
		r = GoldilocksMulLazy(r, r)
		if e>>i&1 == 1 {
			r = GoldilocksMulLazy(r, a)
		}
	}
	return GoldilocksReduce(r)
}

// GoldilocksInverse returns 1/a modulo Goldilocks, as a^(Goldilocks-2), for any word a; of a multiple of Goldilocks, which has no
// inverse, 0 and ok = false.
//
// Range: [0, Goldilocks).
//
// Goldilocks-2 is 2^64-2^32-1: 31 ones, a zero and 32 ones in binary. Runs of ones are built by doubling their length.
func GoldilocksInverse(a uint64) (x uint64, ok bool) {
	run := func(r, s uint64, n int) uint64 { // r^(2^n)·s: the ones of s after those of r
		for range n {
			r = GoldilocksMulLazy(r, r)
		}
		return GoldilocksMulLazy(r, s)
	}
	r2 := run(a, a, 1)
	r3 := run(r2, a, 1)
	r6 := run(r3, r3, 3)
	r12 := run(r6, r6, 6)
	r24 := run(r12, r12, 12)
	r30 := run(r24, r6, 6)
	r31 := run(r30, a, 1)
	r32 := run(r31, a, 1)
	x = GoldilocksReduce(run(r31, r32, 33))
	return x, x != 0
}
