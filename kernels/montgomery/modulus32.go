package montgomery

import "math/bits"

// Modulus32 is an odd modulus q from 3 to 2^32-1 with what Montgomery's arithmetic on words of 32 bits needs, R = 2^32. It is made
// by NewModulus32 and then read only; its zero value is not usable.
//
// A modulus of 31 bits is a Short32, too, whose products are a sum of two numbers below 2^63: for BabyBear, KoalaBear and 2^31-1
// there are functions with the modulus built in.
//
// Words are reduced, in [0, q), in and out, unless a method says otherwise. The operands of Add and Sub are both plain or both
// in the domain, and so are the results.
type Modulus32 struct {
	q        uint32
	inverse  uint32 // 1/q modulo R
	negative uint32 // -1/q modulo R
	one      uint32 // R mod q
	square   uint32 // R² mod q
	cube     uint32 // R³ mod q
}

// NewModulus32 returns the modulus q.
//
// Domain: odd q >= 3; an error otherwise.
func NewModulus32(q uint32) (*Modulus32, error) {
	if err := checkOdd("Modulus32", uint64(q)); err != nil {
		return nil, err
	}
	inverse := InverseNewton(q)
	m := &Modulus32{q: q, inverse: inverse, negative: -inverse, one: -q % q}
	// R² mod q is 2^32 in the domain: 2, squared five times.
	m.square = m.Add(m.one, m.one)
	for range 5 {
		m.square = m.Square(m.square)
	}
	m.cube = m.Square(m.square)
	return m, nil
}

// Q returns q.
func (m *Modulus32) Q() uint32 { return m.q }

// WordInverse returns 1/q modulo R.
func (m *Modulus32) WordInverse() uint32 { return m.inverse }

// NegativeInverse returns -1/q modulo R.
func (m *Modulus32) NegativeInverse() uint32 { return m.negative }

// One returns R mod q: 1 in the domain.
func (m *Modulus32) One() uint32 { return m.one }

// RSquared returns R² mod q: the factor that moves a word into the domain.
func (m *Modulus32) RSquared() uint32 { return m.square }

// Add returns a+b.
//
// It computes a-(q-b), which wraps exactly if a+b < q, and then adds q: so no sum exceeds a word, however large q is.
func (m *Modulus32) Add(a, b uint32) uint32 {
	s := a - (m.q - b)
	if a < m.q-b {
		s += m.q
	}
	return s
}

// Sub returns a-b.
func (m *Modulus32) Sub(a, b uint32) uint32 {
	d := a - b
	if a < b {
		d += m.q
	}
	return d
}

// Neg returns -a.
func (m *Modulus32) Neg(a uint32) uint32 {
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
func (m *Modulus32) Redc(h, l uint32) uint32 {
	k := uint32(uint64(l*m.inverse) * uint64(m.q) >> 32)
	r := h - k
	if h < k {
		r += m.q
	}
	return r
}

// Mul returns a·b/R modulo q: the product of words in the domain.
//
// Domain: b < q and a any word, or the other way round: then ⌊a·b/R⌋ < q, as Redc requires.
// Range:  [0, q).
func (m *Modulus32) Mul(a, b uint32) uint32 {
	t := uint64(a) * uint64(b)
	h, k := uint32(t>>32), uint32(uint64(uint32(t)*m.inverse)*uint64(m.q)>>32)
	r := h - k
	if h < k {
		r += m.q
	}
	return r
}

// MulCarry returns what Mul returns, by Montgomery's own sum: (a·b+k·q)/R with k = -a·b/q modulo R, less q if it is q or more.
//
// The sum is below q·R+R·q and so may pass R² where q > 0.618·R: its carry counts in the comparison. Products made for small
// moduli drop that carry.
//
// Domain: b < q and a any word, or the other way round.
// Range:  [0, q).
// Source: [Montgomery 1985].
func (m *Modulus32) MulCarry(a, b uint32) uint32 {
	t := uint64(a) * uint64(b)
	s, carry := bits.Add64(t, uint64(uint32(t)*m.negative)*uint64(m.q), 0)
	s = carry<<32 | s>>32
	if s >= uint64(m.q) {
		s -= uint64(m.q)
	}
	return uint32(s)
}

// Square returns a·a/R modulo q.
func (m *Modulus32) Square(a uint32) uint32 { return m.Mul(a, a) }

// ToMontgomery returns a·R modulo q: a, moved into the domain.
//
// Domain: any word a.
func (m *Modulus32) ToMontgomery(a uint32) uint32 { return m.Mul(a, m.square) }

// FromMontgomery returns a/R modulo q: a, taken out of the domain.
//
// Domain: any word a.
func (m *Modulus32) FromMontgomery(a uint32) uint32 { return m.Redc(0, a) }

// Reduce returns h·R+l modulo q, without a domain: Redc, and a product with R² that cancels its 1/R.
//
// Domain: h < q; l any word.
// Range:  [0, q).
func (m *Modulus32) Reduce(h, l uint32) uint32 { return m.Mul(m.Redc(h, l), m.square) }

// Pow returns a^e in the domain, by squares and products; a^0 is One, also for a = 0.
func (m *Modulus32) Pow(a uint32, e uint64) uint32 {
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
func (m *Modulus32) Inverse(a uint32) (x uint32, ok bool) {
	y, g := euclid(uint64(a), uint64(m.q))
	if g != 1 {
		return 0, false
	}
	return m.Mul(uint32(y), m.cube), true // a = y·R, x = 1/(y·R), and x·R³/R = R/y
}

// BatchInverse sets every dst[i] to 1/src[i] in the domain, at three products a word and one inverse in all. Zeros and other words
// without an inverse give 0; units counts the words that have one. See batchInverse for the method.
//
// Shape: len(dst) = len(src); an error otherwise.
// Domain: every word below q; an error otherwise, and dst is untouched.
// Alias: dst may be src; other overlaps are an error.
// Source: [Montgomery 1987].
func (m *Modulus32) BatchInverse(dst, src []uint32) (units int, err error) {
	return batchInverse(m, dst, src)
}

// ShoupQuotient returns ⌊w·R/q⌋, Shoup's factor of w, without a division: with r = w·R mod q, which is w in the domain, w·R-r is a
// multiple of q, and the quotient (w·R-r)/q ≡ -r/q (mod R).
//
// Domain: w < q.
func (m *Modulus32) ShoupQuotient(w uint32) uint32 { return m.ToMontgomery(w) * m.negative }

// Short returns m with the methods that need q < 2^31, or an error if q is not below that.
func (m *Modulus32) Short() (*Short32, error) {
	if err := checkLimit("Short32", uint64(m.q), limitShort(32), "use Modulus32's methods, which take every odd modulus"); err != nil {
		return nil, err
	}
	return &Short32{*m}, nil
}

// Lazy returns m with the methods that need q < 2^30, or an error if q is not below that.
func (m *Modulus32) Lazy() (*Lazy32, error) {
	if err := checkLimit("Lazy32", uint64(m.q), limitLazy(32), "use Short32 or Modulus32, whose results are reduced"); err != nil {
		return nil, err
	}
	return &Lazy32{Short32{*m}}, nil
}
