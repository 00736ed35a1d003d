package oracle

import (
	"fmt"
	"math/bits"
)

// witnesses are bases for which the Miller-Rabin test, taken together, rejects every composite number below 318665857834031151167461
// ([Sorenson-Webster 2017], who call it ψ_12).
var witnesses = [...]uint64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}

// IsPrime reports whether q is prime. It is not probabilistic: it is right for every q.
func IsPrime(q uint64) bool {
	if q < 2 {
		return false
	}
	for _, p := range witnesses {
		if q%p == 0 {
			return q == p
		}
	}
	s := bits.TrailingZeros64(q - 1)
	d := (q - 1) >> s
next:
	for _, a := range witnesses {
		x := PowMod(a, d, q)
		if x == 1 || x == q-1 {
			continue
		}
		for range s - 1 {
			if x = MulMod(x, x, q); x == q-1 {
				continue next
			}
		}
		return false
	}
	return true
}

// HasOrder reports whether order is the least positive exponent e with root^e ≡ 1 (mod q).
//
// Domain:  any root, order and q.
// Cost:    an order with a prime factor p above 2 takes up to √p divisions more.
func HasOrder(root, order, q uint64) bool {
	if q < 2 || order == 0 || PowMod(root, order, q) != 1 {
		return false
	}
	rest := order
	for p := uint64(2); rest > 1; p++ {
		if p > rest/p {
			p = rest // what is left is prime
		}
		if rest%p != 0 {
			continue
		}
		for rest%p == 0 {
			rest /= p
		}
		if PowMod(root, order/p, q) == 1 {
			return false
		}
	}
	return true
}

// RootOfUnity returns a residue of the given order modulo q: c^((q-1)/order) for the least c for which that has the order.
//
// Domain:  q is prime; order is a power of two that divides q-1. Anything else is an error that says what is wrong.
// Range:   [1, q).
func RootOfUnity(order, q uint64) (uint64, error) {
	switch {
	case bits.OnesCount64(order) != 1:
		return 0, fmt.Errorf("order %d: it is not a power of two", order)
	case !IsPrime(q):
		return 0, fmt.Errorf("modulus %d: it is not a prime", q)
	case (q-1)%order != 0:
		return 0, fmt.Errorf("order %d: the largest power of two that is the order of a root modulo %d is 2^%d", order, q, bits.TrailingZeros64(q-1))
	case order == 1:
		return 1, nil
	}
	for c := uint64(2); ; c++ { // at least half of all c are not squares, and every such c works
		if root := PowMod(c, (q-1)/order, q); PowMod(root, order/2, q) == q-1 {
			return root, nil
		}
	}
}

// LargestPrime returns the largest prime p ≡ 1 (mod step) below a number, and whether there is one; below = 0 stands for 2^64.
//
// Domain:  step >= 1; ok is false for 0.
func LargestPrime(below, step uint64) (p uint64, ok bool) {
	most := below - 1
	if step == 0 || most < 2 {
		return 0, false
	}
	for p = most - (most-1)%step; p >= 2; p -= step {
		if IsPrime(p) {
			return p, true
		}
		if p < step {
			break
		}
	}
	return 0, false
}

// SmallestPrime returns the smallest prime p ≡ 1 (mod step) with from <= p < 2^64, and whether there is one.
//
// Domain:  step >= 1; ok is false for 0.
func SmallestPrime(from, step uint64) (p uint64, ok bool) {
	if step == 0 {
		return 0, false
	}
	for p, ok = firstAbove(max(from, 2), step); ok; p, ok = next(p, step) {
		if IsPrime(p) {
			return p, true
		}
	}
	return 0, false
}

// firstAbove returns the least number ≡ 1 (mod step) that is at least from, from >= 1, and whether it is below 2^64.
func firstAbove(from, step uint64) (uint64, bool) {
	if above := (from - 1) % step; above != 0 {
		return next(from, step-above)
	}
	return from, true
}

// next returns c+step, and whether it is below 2^64.
func next(c, step uint64) (uint64, bool) {
	sum, carry := bits.Add64(c, step, 0)
	return sum, carry == 0
}

// ProthPrime returns the smallest Proth prime p ≡ 1 (mod step) with from <= p < 2^64, and whether there is one. A Proth prime is
// k·2^e+1 with k < 2^e: the power of two accounts for at least half of its bits.
//
// Domain:  step >= 1; ok is false for 0.
func ProthPrime(from, step uint64) (p uint64, ok bool) {
	if step == 0 {
		return 0, false
	}
	from = max(from, 3)
	for e := 1; e < 64; e++ {
		each := uint64(1) << e // p-1 is a multiple of each and of step
		hi, lo := bits.Mul64(each/gcd(each, step), step)
		if hi != 0 {
			continue
		}
		for c, more := firstAbove(from, lo); more && (c-1)>>e < each && !(ok && c >= p); c, more = next(c, lo) {
			if (c-1)>>e&1 == 1 && IsPrime(c) {
				p, ok = c, true
			}
		}
	}
	return p, ok
}
