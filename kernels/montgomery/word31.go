package montgomery

import "math/bits"

// BabyBear and KoalaBear are primes of 31 bits with many powers of two in q-1: their 2-adicities are 27 and 24, and 31 and 3 are
// their least primitive roots. Their functions use Montgomery's products with R = 2^32 and the modulus built in.
//
// Mersenne31 is the prime 2^31-1; 7 is its least primitive root. 2^31 ≡ 1 modulo it, so that a number is reduced by adding its
// digits to the base 2^31, without a domain.
//
// Words are reduced, in [0, q), in and out, unless a function says otherwise.
const (
	BabyBear   uint32 = 15<<27 + 1  // 0x78000001, 2013265921
	KoalaBear  uint32 = 127<<24 + 1 // 0x7f000001, 2130706433
	Mersenne31 uint32 = 1<<31 - 1   // 0x7fffffff, 2147483647
)

// BabyBearNegativeInverse and the others are what Modulus32 holds for these primes: -1/q modulo R, R mod q, R² mod q.
const (
	BabyBearNegativeInverse  uint32 = 0x77ffffff // 2013265919
	BabyBearOne              uint32 = 0x0ffffffe // 268435454
	BabyBearRSquared         uint32 = 0x45dddde3 // 1172168163
	KoalaBearNegativeInverse uint32 = 0x7effffff // 2130706431
	KoalaBearOne             uint32 = 0x01fffffe // 33554430
	KoalaBearRSquared        uint32 = 0x17f7efe4 // 402124772
)

// BabyBearAdd returns a+b.
func BabyBearAdd(a, b uint32) uint32 {
	s := a + b
	if s >= BabyBear {
		s -= BabyBear
	}
	return s
}

// BabyBearSub returns a-b.
func BabyBearSub(a, b uint32) uint32 {
	d := a - b
	if a < b {
		d += BabyBear
	}
	return d
}

// BabyBearNeg returns -a.
func BabyBearNeg(a uint32) uint32 {
	if a == 0 {
		return 0
	}
	return BabyBear - a
}

// BabyBearMul returns a·b/R modulo BabyBear: the product of words in the domain.
//
// Domain: b < BabyBear and a any word, or the other way round; the sum is then below R·q+R·q < R².
// Range:  [0, BabyBear).
func BabyBearMul(a, b uint32) uint32 {
	t := uint64(a) * uint64(b)
	s := uint32((t + uint64(uint32(t)*BabyBearNegativeInverse)*uint64(BabyBear)) >> 32)
	if s >= BabyBear {
		s -= BabyBear
	}
	return s
}

// BabyBearToMontgomery returns a·R modulo BabyBear, for any word a.
func BabyBearToMontgomery(a uint32) uint32 { return BabyBearMul(a, BabyBearRSquared) }

// BabyBearFromMontgomery returns a/R modulo BabyBear, for any word a.
func BabyBearFromMontgomery(a uint32) uint32 { return BabyBearMul(a, 1) }

// BabyBearPow returns a^e in the domain; a^0 is BabyBearOne, also for a = 0.
func BabyBearPow(a uint32, e uint64) uint32 {
	r := BabyBearOne
	for i := bits.Len64(e) - 1; i >= 0; i-- {
		r = BabyBearMul(r, r)
		if e>>i&1 == 1 {
			r = BabyBearMul(r, a)
		}
	}
	return r
}

// BabyBearInverse returns 1/a in the domain, as a^(BabyBear-2); for 0, which has no inverse, it returns 0 and ok = false.
func BabyBearInverse(a uint32) (x uint32, ok bool) {
	x = BabyBearPow(a, uint64(BabyBear)-2)
	return x, x != 0
}

// KoalaBearAdd returns a+b.
func KoalaBearAdd(a, b uint32) uint32 {
	s := a + b
	if s >= KoalaBear {
		s -= KoalaBear
	}
	return s
}

// KoalaBearSub returns a-b.
func KoalaBearSub(a, b uint32) uint32 {
	d := a - b
	if a < b {
		d += KoalaBear
	}
	return d
}

// KoalaBearNeg returns -a.
func KoalaBearNeg(a uint32) uint32 {
	if a == 0 {
		return 0
	}
	return KoalaBear - a
}

// KoalaBearMul returns a·b/R modulo KoalaBear: the product of words in the domain.
//
// Domain: b < KoalaBear and a any word, or the other way round; the sum is then below R·q+R·q < R².
// Range:  [0, KoalaBear).
func KoalaBearMul(a, b uint32) uint32 {
	t := uint64(a) * uint64(b)
	s := uint32((t + uint64(uint32(t)*KoalaBearNegativeInverse)*uint64(KoalaBear)) >> 32)
	if s >= KoalaBear {
		s -= KoalaBear
	}
	return s
}

// KoalaBearToMontgomery returns a·R modulo KoalaBear, for any word a.
func KoalaBearToMontgomery(a uint32) uint32 { return KoalaBearMul(a, KoalaBearRSquared) }

// KoalaBearFromMontgomery returns a/R modulo KoalaBear, for any word a.
func KoalaBearFromMontgomery(a uint32) uint32 { return KoalaBearMul(a, 1) }

// KoalaBearPow returns a^e in the domain; a^0 is KoalaBearOne, also for a = 0.
func KoalaBearPow(a uint32, e uint64) uint32 {
	r := KoalaBearOne
	for i := bits.Len64(e) - 1; i >= 0; i-- {
		r = KoalaBearMul(r, r)
		if e>>i&1 == 1 {
			r = KoalaBearMul(r, a)
		}
	}
	return r
}

// KoalaBearInverse returns 1/a in the domain, as a^(KoalaBear-2); for 0, which has no inverse, it returns 0 and ok = false.
func KoalaBearInverse(a uint32) (x uint32, ok bool) {
	x = KoalaBearPow(a, uint64(KoalaBear)-2)
	return x, x != 0
}

// Mersenne31Reduce returns a modulo Mersenne31, for any number a of 64 bits.
//
// Range: [0, Mersenne31).
//
// Its three digits to the base 2^31 add up to less than 2^33; the two digits of that, to less than 2^31+4.
func Mersenne31Reduce(a uint64) uint32 {
	a = a&uint64(Mersenne31) + a>>31&uint64(Mersenne31) + a>>62
	s := uint32(a&uint64(Mersenne31) + a>>31)
	if s >= Mersenne31 {
		s -= Mersenne31
	}
	return s
}

// Mersenne31Add returns a+b.
func Mersenne31Add(a, b uint32) uint32 {
	s := a + b
	if s >= Mersenne31 {
		s -= Mersenne31
	}
	return s
}

// Mersenne31Sub returns a-b.
func Mersenne31Sub(a, b uint32) uint32 {
	d := a - b
	if a < b {
		d += Mersenne31
	}
	return d
}

// Mersenne31Neg returns -a.
func Mersenne31Neg(a uint32) uint32 {
	if a == 0 {
		return 0
	}
	return Mersenne31 - a
}

// Mersenne31Mul returns a·b modulo Mersenne31.
//
// Domain: a and b in [0, 2^31), so that either may be Mersenne31 itself.
// Range:  [0, Mersenne31).
//
// The product is at most (2^31-1)² = (2^31-2)·2^31+1. So the sum of its two digits to the base 2^31 is at most
// (2^31-2)+(2^31-1) < 2·Mersenne31, and a single subtraction is enough.
func Mersenne31Mul(a, b uint32) uint32 {
	t := uint64(a) * uint64(b)
	s := uint32(t)&Mersenne31 + uint32(t>>31)
	if s >= Mersenne31 {
		s -= Mersenne31
	}
	return s
}

// Mersenne31Pow returns a^e modulo Mersenne31; 0^0 is 1.
func Mersenne31Pow(a uint32, e uint64) uint32 {
	r := uint32(1)
	for i := bits.Len64(e) - 1; i >= 0; i-- {
		r = Mersenne31Mul(r, r)
		if e>>i&1 == 1 {
			r = Mersenne31Mul(r, a)
		}
	}
	return r
}

// Mersenne31Inverse returns 1/a modulo Mersenne31, as a^(Mersenne31-2); for 0, which has no inverse, it returns 0 and ok = false.
func Mersenne31Inverse(a uint32) (x uint32, ok bool) {
	x = Mersenne31Pow(a, uint64(Mersenne31)-2)
	return x, x != 0
}
