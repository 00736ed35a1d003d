package montgomery

import (
	"math/bits"
	"unsafe"
)

// Word is a machine word of b = 8, 16, 32 or 64 bits; R = 2^b.
type Word interface {
	uint8 | uint16 | uint32 | uint64
}

// bitsOf returns b.
func bitsOf[W Word]() int { return int(8 * unsafe.Sizeof(W(0))) }

// InverseNewton returns 1/q modulo R by Newton's iteration x ← x·(2-q·x).
//
// If q·x = 1+e·2^k, the next q·x is (1+e·2^k)·(1-e·2^k) = 1-e²·2^2k: the number of correct bits doubles. The first x = 3q XOR 2 has five of
// them, so four steps give 80.
//
// Domain: odd q; for even q, which has no inverse, the result is meaningless.
// Source: [Montgomery 1985] for its use.
func InverseNewton[W Word](q W) W {
	x := 3*q ^ 2
	for range 4 {
		x *= 2 - q*x
	}
	return x
}

// InverseEuclid returns 1/q modulo R by Euclid's extended algorithm on R and q.
//
// Domain: odd q; for even q, which has no inverse, the result is meaningless.
func InverseEuclid[W Word](q W) W {
	if q <= 1 {
		return q
	}
	b := bitsOf[W]()
	// The first step of Euclid's algorithm by hand, since R itself is not a word: R = k·q + r.
	var k, r uint64
	if b == 64 {
		k, r = bits.Div64(1, 0, uint64(q))
	} else {
		k, r = 1<<b/uint64(q), 1<<b%uint64(q)
	}
	// r0 ≡ ±t0·q and r1 ≡ ∓t1·q (mod R), with the upper signs after an even number of steps.
	r0, r1, t0, t1, even := uint64(q), r, uint64(1), k, true
	for r1 != 0 {
		k := r0 / r1
		r0, r1 = r1, r0-k*r1
		t0, t1 = t1, t0+k*t1 // t1 ends as R, which may wrap to 0; it is not used then
		even = !even
	}
	if even {
		return W(t0)
	}
	return -W(t0)
}

// euclid returns the greatest common divisor g of a and q and, if g is 1, the x below q with a·x ≡ 1 (mod q).
//
// The coefficients that it keeps are at most q in magnitude and alternate in sign, so that unsigned words hold them.
func euclid(a, q uint64) (x, g uint64) {
	r0, r1, t0, t1, negative := q, a, uint64(0), uint64(1), true
	for r1 != 0 {
		k := r0 / r1
		r0, r1 = r1, r0-k*r1
		t0, t1 = t1, t0+k*t1
		negative = !negative
	}
	if negative && t0 != 0 {
		t0 = q - t0
	}
	return t0, r0
}
