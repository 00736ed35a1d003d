package montgomery

import (
	"fmt"
	"math/bits"
)

// Barrett64 is a modulus q from 2 to 2^63, even or odd, for Barrett's reduction of words of 64 bits; R = 2^64. It is made by
// NewBarrett64 and then read only.
//
// All its methods take any words and return reduced ones, in [0, q), and no domain is involved.
type Barrett64 struct {
	q    uint64
	h, l uint64 // μ = ⌊(R²-1)/q⌋ = h·R+l; so h = ⌊(R-1)/q⌋
}

// NewBarrett64 returns the modulus q.
//
// Domain: q from 2 to 2^63; an error otherwise.
func NewBarrett64(q uint64) (*Barrett64, error) {
	if err := checkBarrett("Barrett64", q, 1<<63); err != nil {
		return nil, err
	}
	h, r := ^uint64(0)/q, ^uint64(0)%q
	l, _ := bits.Div64(r, ^uint64(0), q)
	return &Barrett64{q: q, h: h, l: l}, nil
}

// Q returns q.
func (m *Barrett64) Q() uint64 { return m.q }

// Reduce returns a modulo q, for any word a.
//
// With h = ⌊(R-1)/q⌋ = R/q-ε, 0 < ε <= 1, the quotient k = ⌊a·h/R⌋ is a/q-a·ε/R-δ, 0 <= δ < 1. So a-k·q = q·(a·ε/R+δ) is at least
// 0 and below 2q, and at most a, so that it is a word for every q: one subtraction is enough.
//
// Source: [Barrett 1986], with the quotient to a whole word.
func (m *Barrett64) Reduce(a uint64) uint64 {
	k, _ := bits.Mul64(a, m.h)
	r, borrow := bits.Sub64(a-k*m.q, m.q, 0)
	return r + m.q&-borrow
}

// ReduceWide returns h·R+l modulo q, for any words h and l.
//
// With x = h·R+l < R² and μ = R²/q-ε, 0 < ε <= 1, the quotient k = ⌊x·μ/R²⌋ is x/q-x·ε/R²-δ, 0 <= δ < 1. So x-k·q = q·(x·ε/R²+δ)
// is at least 0 and below 2q <= R: its low word is all of it, and one subtraction is enough. k itself is taken modulo R, which
// changes k·q by a multiple of R. For q above 2^63 the difference may have a bit more than a word, which would be lost: that is
// the limit of q.
//
// Cost: four products for the quotient, one for its multiple.
// Source: [Barrett 1986], with the quotient to two whole words.
func (m *Barrett64) ReduceWide(h, l uint64) uint64 {
	carry, _ := bits.Mul64(l, m.l)
	ah, al := bits.Mul64(l, m.h)
	bh, bl := bits.Mul64(h, m.l)
	s, c := bits.Add64(carry, al, 0)
	k, _ := bits.Add64(h*m.h, ah, c)
	_, c = bits.Add64(s, bl, 0)
	k, _ = bits.Add64(k, bh, c)
	r, borrow := bits.Sub64(l-k*m.q, m.q, 0)
	return r + m.q&-borrow
}

// Mul returns a·b modulo q, for any words a and b.
func (m *Barrett64) Mul(a, b uint64) uint64 { return m.ReduceWide(bits.Mul64(a, b)) }

// checkBarrett returns an error unless q is a modulus from 2 to limit.
func checkBarrett(kind string, q, limit uint64) error {
	if q < 2 {
		return fmt.Errorf("montgomery: %s: modulus %d: a modulus is 2 or more", kind, q)
	}
	return checkLimit(kind, q, limit, "use Montgomery's product for an odd modulus, or a wider word")
}
