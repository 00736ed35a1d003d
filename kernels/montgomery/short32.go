package montgomery

// NewShort32 returns the modulus q for sums without a carry.
//
// Domain: odd q from 3 to 2^31-1; an error otherwise.
func NewShort32(q uint32) (*Short32, error) {
	m, err := NewModulus32(q)
	if err != nil {
		return nil, err
	}
	return m.Short()
}

// Short32 is an odd modulus below 2^31: a sum of two reduced words is a word, and Montgomery's sum has no carry. Words are reduced,
// in and out, unless a method says otherwise.
type Short32 struct{ Modulus32 }

// Add returns a+b.
func (m *Short32) Add(a, b uint32) uint32 {
	s := a + b
	if s >= m.q {
		s -= m.q
	}
	return s
}

// MulSum returns a·b/R modulo q by Montgomery's sum (a·b+k·q)/R with k = -a·b/q modulo R, less q if it is q or more.
//
// The sum is at most (q-1)²+(R-1)·q < R² as long as q²+q·R <= R², which is q <= 0x9e3779b9, the golden ratio's part of R;
// q < 2^31 is inside.
//
// Range:  [0, q).
// Source: [Montgomery 1985].
func (m *Short32) MulSum(a, b uint32) uint32 {
	t := uint64(a) * uint64(b)
	s := uint32((t + uint64(uint32(t)*m.negative)*uint64(m.q)) >> 32)
	if s >= m.q {
		s -= m.q
	}
	return s
}

// MulShoup returns a·w modulo q for a factor w whose Shoup quotient is quotient; see the function MulShoup32.
func (m *Short32) MulShoup(a, w, quotient uint32) uint32 { return MulShoup32(a, w, quotient, m.q) }

// MulShoupLazy returns a word in [0, 2q) that is ≡ a·w (mod q); see the function MulShoupLazy32.
func (m *Short32) MulShoupLazy(a, w, quotient uint32) uint32 {
	return MulShoupLazy32(a, w, quotient, m.q)
}

// Forward returns (x+w·y, x-w·y) for a w in the domain; x and y are both plain or both in the domain, and so are the results.
//
// Range: [0, q), in and out.
func (m *Short32) Forward(x, y, w uint32) (s, d uint32) {
	t := m.MulSum(y, w)
	return m.Add(x, t), m.Sub(x, t)
}

// Backward returns (x+y, (x-y)·w) for a w in the domain; x and y are both plain or both in the domain, and so are the results.
//
// Range: [0, q), in and out.
func (m *Short32) Backward(x, y, w uint32) (s, d uint32) {
	return m.Add(x, y), m.MulSum(m.Sub(x, y), w)
}
