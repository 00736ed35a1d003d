package montgomery

import (
	"fmt"
	"math/bits"
)

// IsPrime reports whether q is prime, by the Miller-Rabin test to the first twelve prime bases.
//
// The test is exact for every q of 64 bits: the least composite that passes it is 318665857834031151167461.
//
// Source: [Sorenson-Webster 2017].
func IsPrime(q uint64) bool {
	bases := [...]uint64{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37}
	for _, p := range bases {
		if q%p == 0 {
			return q == p
		}
	}
	if q < 37*37 {
		return q > 1
	}
	m, err := NewModulus64(q)
	if err != nil {
		return false // not met: q is odd and above 37
	}
	twos := bits.TrailingZeros64(q - 1)
	least := m.Neg(m.One())
	passes := func(base uint64) bool {
		x := m.Pow(m.ToMontgomery(base), (q-1)>>twos)
		if x == m.One() || x == least {
			return true
		}
		for range twos - 1 {
			if x = m.Square(x); x == least {
				return true
			}
		}
		return false
	}
	for _, p := range bases {
		if !passes(p) {
			return false
		}
	}
	return true
}

// checkPrime returns an error if q is composite.
func checkPrime(kind string, q uint64) error {
	if IsPrime(q) {
		return nil
	}
	return fmt.Errorf("montgomery: %s: modulus %d is composite, by the Miller-Rabin test, exact for 64 bits; give a prime, or invert by Euclid's algorithm, which accepts composite moduli", kind, q)
}

// Field64 is an odd prime: every word but 0 has an inverse, which is a power.
type Field64 struct{ Modulus64 }

// NewField64 returns the prime q. It checks with IsPrime that q is prime.
//
// Domain: odd primes; an error otherwise.
func NewField64(q uint64) (*Field64, error) {
	m, err := NewModulus64(q)
	if err != nil {
		return nil, err
	}
	if err := checkPrime("Field64", q); err != nil {
		return nil, err
	}
	return &Field64{*m}, nil
}

// InversePower returns 1/a in the domain, as a^(q-2); for 0, which has no inverse, it returns 0 and ok = false. Its time does not depend on a.
func (m *Field64) InversePower(a uint64) (x uint64, ok bool) {
	x = m.Pow(a, m.q-2)
	return x, x != 0
}

// Field32 is an odd prime below 2^32.
type Field32 struct{ Modulus32 }

// NewField32 returns the prime q. It checks with IsPrime that q is prime.
//
// Domain: odd primes; an error otherwise.
func NewField32(q uint32) (*Field32, error) {
	m, err := NewModulus32(q)
	if err != nil {
		return nil, err
	}
	if err := checkPrime("Field32", uint64(q)); err != nil {
		return nil, err
	}
	return &Field32{*m}, nil
}

// InversePower returns 1/a in the domain, as a^(q-2); for 0, which has no inverse, it returns 0 and ok = false. Its time does not depend on a.
func (m *Field32) InversePower(a uint32) (x uint32, ok bool) {
	x = m.Pow(a, uint64(m.q)-2)
	return x, x != 0
}
