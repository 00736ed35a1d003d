package montgomery

import "math/bits"

// Modulus64 is an odd modulus q from 3 to 2^64-1 with what Montgomery's arithmetic on words of 64 bits needs, R = 2^64. It is made
// by NewModulus64 and then read only; its zero value is not usable.
//
// Words are reduced, in [0, q), in and out, unless a method says otherwise. The operands of Add and Sub are both plain or both
// in the domain, and so are the results.
type Modulus64 struct {
	q        uint64
	inverse  uint64 // 1/q modulo R
	negative uint64 // -1/q modulo R
	one      uint64 // R mod q
	square   uint64 // R² mod q
	cube     uint64 // R³ mod q
}

// NewModulus64 returns the modulus q.
//
// Domain: odd q >= 3; an error otherwise.
func NewModulus64(q uint64) (*Modulus64, error) {
	if err := checkOdd("Modulus64", q); err != nil {
		return nil, err
	}
	inverse := InverseNewton(q)
	m := &Modulus64{q: q, inverse: inverse, negative: -inverse, one: -q % q}
	// R² mod q is 2^64 in the domain: 2, squared six times.
	m.square = m.Add(m.one, m.one)
	for range 6 {
		m.square = m.Square(m.square)
	}
	m.cube = m.Square(m.square)
	return m, nil
}

// Q returns q.
func (m *Modulus64) Q() uint64 { return m.q }

// WordInverse returns 1/q modulo R.
func (m *Modulus64) WordInverse() uint64 { return m.inverse }

// NegativeInverse returns -1/q modulo R.
func (m *Modulus64) NegativeInverse() uint64 { return m.negative }

// One returns R mod q: 1 in the domain.
func (m *Modulus64) One() uint64 { return m.one }

// RSquared returns R² mod q: the factor that moves a word into the domain.
func (m *Modulus64) RSquared() uint64 { return m.square }

// Add returns a+b.
//
// It computes a-(q-b), which wraps exactly if a+b < q, and then adds q: so no sum exceeds a word, however large q is.
func (m *Modulus64) Add(a, b uint64) uint64 {
	s, borrow := bits.Sub64(a, m.q-b, 0)
	return s + m.q&-borrow
}

// Sub returns a-b.
func (m *Modulus64) Sub(a, b uint64) uint64 {
	d, borrow := bits.Sub64(a, b, 0)
	return d + m.q&-borrow
}

// Neg returns -a.
func (m *Modulus64) Neg(a uint64) uint64 {
	if a == 0 {
		return 0
	}
	return m.q - a
}

// Redc returns (h·R+l)/R modulo q of a double word: Montgomery's reduction.
//
// Domain: h < q; l any word.
// Range:  [0, q).
//
// With k = l/q modulo R, k·q has the low word l: the low words cancel and (h·R+l-k·q)/R = h-⌊k·q/R⌋, the difference of two words
// below q. So q is added where it wraps, and no carry can be lost, however large q is.
//
// Source: [Montgomery 1985], with a difference instead of the sum.
func (m *Modulus64) Redc(h, l uint64) uint64 {
	k, _ := bits.Mul64(l*m.inverse, m.q)
	r, borrow := bits.Sub64(h, k, 0)
	return r + m.q&-borrow
}

// Mul returns a·b/R modulo q: the product of words in the domain.
//
// Domain: b < q and a any word, or the other way round: then ⌊a·b/R⌋ < q, as Redc requires.
// Range:  [0, q).
func (m *Modulus64) Mul(a, b uint64) uint64 {
	h, l := bits.Mul64(a, b)
	k, _ := bits.Mul64(l*m.inverse, m.q)
	r, borrow := bits.Sub64(h, k, 0)
	return r + m.q&-borrow
}

// MulCarry returns what Mul returns, by Montgomery's own sum: (a·b+k·q)/R with k = -a·b/q modulo R, less q if it is q or more.
//
// The sum is below q·R+R·q and so may pass R² where q > 0.618·R: its carry counts in the comparison. Products made for small
// moduli drop that carry.
//
// Domain: b < q and a any word, or the other way round.
// Range:  [0, q).
// Source: [Montgomery 1985].
func (m *Modulus64) MulCarry(a, b uint64) uint64 {
	h, l := bits.Mul64(a, b)
	kh, kl := bits.Mul64(l*m.negative, m.q)
	_, c := bits.Add64(l, kl, 0)
	s, c := bits.Add64(h, kh, c)
	d, borrow := bits.Sub64(s, m.q, 0)
	if c < borrow {
		return s
	}
	return d
}

// Square returns a·a/R modulo q.
func (m *Modulus64) Square(a uint64) uint64 { return m.Mul(a, a) }

// ToMontgomery returns a·R modulo q: a, moved into the domain.
//
// Domain: any word a.
func (m *Modulus64) ToMontgomery(a uint64) uint64 { return m.Mul(a, m.square) }

// FromMontgomery returns a/R modulo q: a, taken out of the domain.
//
// Domain: any word a.
func (m *Modulus64) FromMontgomery(a uint64) uint64 { return m.Redc(0, a) }

// Reduce returns h·R+l modulo q, without a domain: Redc, and a product with R² that cancels its 1/R.
//
// Domain: h < q; l any word.
// Range:  [0, q).
func (m *Modulus64) Reduce(h, l uint64) uint64 { return m.Mul(m.Redc(h, l), m.square) }

// Pow returns a^e in the domain, by squares and products; a^0 is One, also for a = 0.
func (m *Modulus64) Pow(a, e uint64) uint64 {
	r := m.one
	for i := bits.Len64(e) - 1; i >= 0; i-- {
		r = m.Square(r)
		if e>>i&1 == 1 {
			r = m.Mul(r, a)
		}
	}
	return r
}

// Inverse returns 1/a in the domain by Euclid's extended algorithm, for prime and composite q alike. An a that has a factor in
// common with q has no inverse: then it returns 0 and ok = false.
func (m *Modulus64) Inverse(a uint64) (x uint64, ok bool) {
	x, g := euclid(a, m.q)
	if g != 1 {
		return 0, false
	}
	return m.Mul(x, m.cube), true // a = y·R, x = 1/(y·R), and x·R³/R = R/y
}

// BatchInverse sets every dst[i] to 1/src[i] in the domain, at three products a word and one inverse in all. Zeros and other words
// without an inverse give 0; units counts the words that have one. See batchInverse for the method.
//
// Shape: len(dst) = len(src); an error otherwise.
// Domain: every word below q; an error otherwise, and dst is untouched.
// Alias: dst may be src; other overlaps are an error.
// Source: [Montgomery 1987].
func (m *Modulus64) BatchInverse(dst, src []uint64) (units int, err error) {
	return batchInverse(m, dst, src)
}

// ShoupQuotient returns ⌊w·R/q⌋, Shoup's factor of w, without a division: with r = w·R mod q, which is w in the domain, w·R-r is a
// multiple of q, and the quotient (w·R-r)/q ≡ -r/q (mod R).
//
// Domain: w < q.
func (m *Modulus64) ShoupQuotient(w uint64) uint64 { return m.ToMontgomery(w) * m.negative }

// Short returns m with the methods that need q < 2^63, or an error if q is not below that.
func (m *Modulus64) Short() (*Short64, error) {
	if err := checkLimit("Short64", m.q, limitShort(64), "use Modulus64's methods, which take every odd modulus"); err != nil {
		return nil, err
	}
	return &Short64{*m}, nil
}

// Lazy returns m with the methods that need q < 2^62, or an error if q is not below that.
func (m *Modulus64) Lazy() (*Lazy64, error) {
	if err := checkLimit("Lazy64", m.q, limitLazy(64), "use Short64 or Modulus64, whose results are reduced"); err != nil {
		return nil, err
	}
	return &Lazy64{Short64{*m}}, nil
}
