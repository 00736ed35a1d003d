package montgomery

import "math/bits"

// ShoupQuotient64 returns ⌊w·2^64/q⌋, Shoup's factor of w, by a division; Modulus64.ShoupQuotient does without.
//
// Domain: w < q, q even or odd; an error otherwise.
func ShoupQuotient64(w, q uint64) (uint64, error) {
	if err := checkFactor(w, q); err != nil {
		return 0, err
	}
	quotient, _ := bits.Div64(w, 0, q)
	return quotient, nil
}

// MulShoupLazy64 returns a word ≡ a·w (mod q): a·w-⌊a·w'/R⌋·q, where w' = quotient = ⌊w·R/q⌋.
//
// Domain: any word a; w < q; q even or odd, from 2 to 2^63.
// Range:  [0, 2q); more precisely, below q·(1+a/R).
//
// With w' = w·R/q-ε, 0 <= ε < 1, the quotient ⌊a·w'/R⌋ is a·w/q-a·ε/R-δ, 0 <= δ < 1. So the result is q·(a·ε/R+δ), which is at
// least 0 and below q·(1+a/R) < 2q <= R: so that computing it modulo R does not change it. A little above the limit
// the word can wrap: for words of 8 bits, whose limit is 128, first at q = 131.
//
// Source: [Harvey 2014] §2, after V. Shoup's NTL.
func MulShoupLazy64(a, w, quotient, q uint64) uint64 {
	k, _ := bits.Mul64(a, quotient)
	return a*w - k*q
}

// MulShoup64 returns a·w modulo q: MulShoupLazy64 and a last subtraction.
//
// Domain: any word a; w < q and quotient = ⌊w·R/q⌋; q even or odd, from 2 to 2^63.
// Range:  [0, q).
func MulShoup64(a, w, quotient, q uint64) uint64 {
	k, _ := bits.Mul64(a, quotient)
	r, borrow := bits.Sub64(a*w-k*q, q, 0)
	return r + q&-borrow
}
