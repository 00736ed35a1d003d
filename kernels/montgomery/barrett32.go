package montgomery

import "math/bits"

// Barrett32 is a modulus q from 2 to 2^32-1, even or odd, for Barrett's reduction; R = 2^32. It is made by NewBarrett32 and then
// read only.
//
// All its methods take any words and return reduced ones, in [0, q), and no domain is involved.
type Barrett32 struct {
	q  uint32
	mu uint64 // ⌊(R²-1)/q⌋
}

// NewBarrett32 returns the modulus q.
//
// Domain: q from 2; an error otherwise.
func NewBarrett32(q uint32) (*Barrett32, error) {
	if err := checkBarrett("Barrett32", uint64(q), limitWord(32)); err != nil {
		return nil, err
	}
	return &Barrett32{q: q, mu: ^uint64(0) / uint64(q)}, nil
}

// Q returns q.
func (m *Barrett32) Q() uint32 { return m.q }

// Reduce64 returns a modulo q, for any a of 64 bits, as Barrett64.Reduce does; so every q of one word is allowed.
func (m *Barrett32) Reduce64(a uint64) uint32 {
	k, _ := bits.Mul64(a, m.mu)
	r := a - k*uint64(m.q)
	if r >= uint64(m.q) {
		r -= uint64(m.q)
	}
	return uint32(r)
}

// Reduce returns a modulo q, for any word a.
func (m *Barrett32) Reduce(a uint32) uint32 { return m.Reduce64(uint64(a)) }

// ReduceWide returns h·R+l modulo q, for any words h and l.
func (m *Barrett32) ReduceWide(h, l uint32) uint32 { return m.Reduce64(uint64(h)<<32 | uint64(l)) }

// Mul returns a·b modulo q, for any words a and b.
func (m *Barrett32) Mul(a, b uint32) uint32 { return m.Reduce64(uint64(a) * uint64(b)) }
