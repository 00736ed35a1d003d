package oracle

import "math/bits"

// MulMod returns a·b mod q.
//
// Domain:  any a and b; q >= 1, it panics for 0.
// Range:   [0, q).
// Cost:    one division; two if neither a nor b is reduced.
func MulMod(a, b, q uint64) uint64 {
	positive(q)
	hi, lo := bits.Mul64(a, b)
	if hi >= q { // not so if a or b is reduced
		hi %= q
	}
	_, r := bits.Div64(hi, lo, q)
	return r
}

// AddMod returns a+b mod q.
//
// Domain:  any a and b; q >= 1, it panics for 0.
// Range:   [0, q).
// Cost:    two divisions.
func AddMod(a, b, q uint64) uint64 {
	positive(q)
	lo, hi := bits.Add64(a, b, 0) // the sum has 65 bits
	_, r := bits.Div64(hi%q, lo, q)
	return r
}

// SubMod returns a-b mod q.
//
// Domain:  any a and b; q >= 1, it panics for 0.
// Range:   [0, q).
// Cost:    three divisions.
func SubMod(a, b, q uint64) uint64 {
	positive(q)
	a, b = a%q, b%q
	if a >= b {
		return a - b
	}
	return q - (b - a)
}

// PowMod returns a^e mod q, where 0^0 = 1.
//
// Domain:  any a and e; q >= 1, it panics for 0.
// Range:   [0, q).
// Cost:    two products for each bit of e.
func PowMod(a, e, q uint64) uint64 {
	positive(q)
	r := 1 % q
	for square := a % q; e != 0; e >>= 1 {
		if e&1 == 1 {
			r = MulMod(r, square, q)
		}
		square = MulMod(square, square, q)
	}
	return r
}

// InvMod returns the inverse of a modulo q, and whether there is one, by Euclid's algorithm.
//
// Domain:  any a; q >= 1, it panics for 0.
// Range:   [0, q).
func InvMod(a, q uint64) (inverse uint64, ok bool) {
	positive(q)
	// old ≡ s·a and rest ≡ t·a (mod q)
	old, rest := q, a%q
	s, t := uint64(0), 1%q
	for rest != 0 {
		k := old / rest
		old, rest = rest, old%rest
		s, t = t, SubMod(s, MulMod(k, t, q), q)
	}
	if old != 1 {
		return 0, false
	}
	return s, true
}

// gcd returns the greatest common divisor of a and b.
func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func positive(q uint64) {
	if q == 0 {
		panic(zeroModulus)
	}
}
