package montgomery

import "math/bits"

// NewShort64 returns the modulus q for sums without a carry.
//
// Domain: odd q from 3 to 2^63-1; an error otherwise.
func NewShort64(q uint64) (*Short64, error) {
	m, err := NewModulus64(q)
	if err != nil {
		return nil, err
	}
	return m.Short()
}

// Short64 is an odd modulus below 2^63: a sum of two reduced words is a word, and Montgomery's sum has no carry. Words are reduced,
// in and out, unless a method says otherwise.
type Short64 struct{ Modulus64 }

// Add returns a+b.
func (m *Short64) Add(a, b uint64) uint64 {
	s := a + b
	d, borrow := bits.Sub64(s, m.q, 0)
	return d + m.q&-borrow
}

// MulSum returns a·b/R modulo q by Montgomery's sum (a·b+k·q)/R with k = -a·b/q modulo R, less q if it is q or more.
//
// The sum is at most (q-1)²+(R-1)·q < R² as long as q²+q·R <= R², which is q <= 0x9e3779b97f4a7c15, the golden ratio's part of R;
// q < 2^63 is inside. The low word of the sum is 0, so its carry is 1 exactly if the low word of a·b is not 0.
//
// Range:  [0, q).
// Source: [Montgomery 1985].
func (m *Short64) MulSum(a, b uint64) uint64 {
	h, l := bits.Mul64(a, b)
	k, _ := bits.Mul64(l*m.negative, m.q)
	_, c := bits.Sub64(0, l, 0)
	s := h + k + c
	d, borrow := bits.Sub64(s, m.q, 0)
	return d + m.q&-borrow
}

// MulShoup returns a·w modulo q for a factor w whose Shoup quotient is quotient; see the function MulShoup64.
func (m *Short64) MulShoup(a, w, quotient uint64) uint64 { return MulShoup64(a, w, quotient, m.q) }

// MulShoupLazy returns a word in [0, 2q) that is ≡ a·w (mod q); see the function MulShoupLazy64.
func (m *Short64) MulShoupLazy(a, w, quotient uint64) uint64 {
	return MulShoupLazy64(a, w, quotient, m.q)
}

// Forward returns (x+w·y, x-w·y) for a w in the domain; x and y are both plain or both in the domain, and so are the results.
//
// Range: [0, q), in and out.
func (m *Short64) Forward(x, y, w uint64) (s, d uint64) {
	t := m.MulSum(y, w)
	return m.Add(x, t), m.Sub(x, t)
}

// Backward returns (x+y, (x-y)·w) for a w in the domain; x and y are both plain or both in the domain, and so are the results.
//
// Range: [0, q), in and out.
func (m *Short64) Backward(x, y, w uint64) (s, d uint64) {
	return m.Add(x, y), m.MulSum(m.Sub(x, y), w)
}
