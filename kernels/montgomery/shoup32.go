package montgomery

// ShoupQuotient32 returns ⌊w·2^32/q⌋, Shoup's factor of w, by a division; Modulus32.ShoupQuotient does without.
//
// Domain: w < q, q even or odd; an error otherwise.
func ShoupQuotient32(w, q uint32) (uint32, error) {
	if err := checkFactor(uint64(w), uint64(q)); err != nil {
		return 0, err
	}
	return uint32(uint64(w) << 32 / uint64(q)), nil
}

// MulShoupLazy32 returns a word ≡ a·w (mod q): a·w-⌊a·w'/R⌋·q, where w' = quotient = ⌊w·R/q⌋.
//
// Domain: any word a; w < q; q even or odd, from 2 to 2^31.
// Range:  [0, 2q); more precisely, below q·(1+a/R).
//
// With w' = w·R/q-ε, 0 <= ε < 1, the quotient ⌊a·w'/R⌋ is a·w/q-a·ε/R-δ, 0 <= δ < 1. So the result is q·(a·ε/R+δ), which is at
// least 0 and below q·(1+a/R) < 2q <= R: so that computing it modulo R does not change it. A little above the limit
// the word can wrap: for words of 8 bits, whose limit is 128, first at q = 131.
//
// Source: [Harvey 2014] §2, after V. Shoup's NTL.
func MulShoupLazy32(a, w, quotient, q uint32) uint32 {
	k := uint32(uint64(a) * uint64(quotient) >> 32)
	return a*w - k*q
}

// MulShoup32 returns a·w modulo q: MulShoupLazy32 and a last subtraction.
//
// Domain: any word a; w < q and quotient = ⌊w·R/q⌋; q even or odd, from 2 to 2^31.
// Range:  [0, q).
func MulShoup32(a, w, quotient, q uint32) uint32 {
	k := uint32(uint64(a) * uint64(quotient) >> 32)
	r := a*w - k*q
	if r >= q {
		r -= q
	}
	return r
}
