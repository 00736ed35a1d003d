package montgomery

import "math/bits"

// NewLazy64 returns the modulus q for lazy products and butterflies.
//
// Domain: odd q from 3 to 2^62-1; an error otherwise.
func NewLazy64(q uint64) (*Lazy64, error) {
	m, err := NewModulus64(q)
	if err != nil {
		return nil, err
	}
	return m.Lazy()
}

// Lazy64 is an odd modulus below 2^62: four times it fits a word. Methods whose names end in Lazy take and return words that are not
// reduced; each gives their range.
type Lazy64 struct{ Short64 }

// MulLazy returns a word ≡ a·b/R (mod q): Montgomery's sum without the last subtraction.
//
// Range: [0, 2q), in and out; also a in [0, 4q) with b in [0, q).
//
// (a·b+k·q)/R < (4q²+R·q)/R = q·(1+4q/R) <= 2q, since 4q <= R.
//
// Source: [Montgomery 1985], [Harvey 2014].
func (m *Lazy64) MulLazy(a, b uint64) uint64 {
	h, l := bits.Mul64(a, b)
	k, _ := bits.Mul64(l*m.negative, m.q)
	_, c := bits.Sub64(0, l, 0)
	return h + k + c
}

// AddLazy returns a word ≡ a+b (mod q).
//
// Range: [0, 2q), in and out.
func (m *Lazy64) AddLazy(a, b uint64) uint64 {
	s := a + b
	d, borrow := bits.Sub64(s, 2*m.q, 0)
	return d + (2*m.q)&-borrow
}

// SubLazy returns a word ≡ a-b (mod q).
//
// Range: [0, 2q), in and out.
func (m *Lazy64) SubLazy(a, b uint64) uint64 {
	d, borrow := bits.Sub64(a, b, 0)
	return d + (2*m.q)&-borrow
}

// ReduceTwice returns a modulo q for a in [0, 2q): range 2, reduced to range 1.
func (m *Lazy64) ReduceTwice(a uint64) uint64 {
	d, borrow := bits.Sub64(a, m.q, 0)
	return d + m.q&-borrow
}

// ReduceFour returns a modulo q for a in [0, 4q): range 4, reduced to range 1.
func (m *Lazy64) ReduceFour(a uint64) uint64 {
	d, borrow := bits.Sub64(a, 2*m.q, 0)
	return m.ReduceTwice(d + (2*m.q)&-borrow)
}

// ForwardLazy returns words ≡ (x+w·y, x-w·y) (mod q) for a w in the domain; x and y are both plain or both in the domain.
//
// Range:  x and y in [0, 4q), w in [0, q); results in [0, 4q).
// Source: [Harvey 2014] Algorithm 4 and §5, with Montgomery's product.
func (m *Lazy64) ForwardLazy(x, y, w uint64) (s, d uint64) {
	x, borrow := bits.Sub64(x, 2*m.q, 0)
	x += (2 * m.q) & -borrow
	t := m.MulLazy(y, w)
	return x + t, x + 2*m.q - t
}

// BackwardLazy returns words ≡ (x+y, (x-y)·w) (mod q) for a w in the domain; x and y are both plain or both in the domain.
//
// Range:  x and y in [0, 2q), w in [0, q); results in [0, 2q).
// Source: [Harvey 2014] Algorithm 3 and §5, with Montgomery's product.
func (m *Lazy64) BackwardLazy(x, y, w uint64) (s, d uint64) {
	return m.AddLazy(x, y), m.MulLazy(x+2*m.q-y, w)
}

// ForwardShoupLazy returns words ≡ (x+w·y, x-w·y) (mod q) for a plain w whose Shoup quotient is quotient.
//
// Range:  x and y in [0, 4q), w in [0, q); results in [0, 4q).
// Source: [Harvey 2014] Algorithm 4.
func (m *Lazy64) ForwardShoupLazy(x, y, w, quotient uint64) (s, d uint64) {
	x, borrow := bits.Sub64(x, 2*m.q, 0)
	x += (2 * m.q) & -borrow
	t := MulShoupLazy64(y, w, quotient, m.q)
	return x + t, x + 2*m.q - t
}

// BackwardShoupLazy returns words ≡ (x+y, (x-y)·w) (mod q) for a plain w whose Shoup quotient is quotient.
//
// Range:  x and y in [0, 2q), w in [0, q); results in [0, 2q).
// Source: [Harvey 2014] Algorithm 3.
func (m *Lazy64) BackwardShoupLazy(x, y, w, quotient uint64) (s, d uint64) {
	return m.AddLazy(x, y), MulShoupLazy64(x+2*m.q-y, w, quotient, m.q)
}
