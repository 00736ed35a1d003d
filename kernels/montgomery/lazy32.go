package montgomery

// NewLazy32 returns the modulus q for lazy products and butterflies.
//
// Domain: odd q from 3 to 2^30-1; an error otherwise.
func NewLazy32(q uint32) (*Lazy32, error) {
	m, err := NewModulus32(q)
	if err != nil {
		return nil, err
	}
	return m.Lazy()
}

// Lazy32 is an odd modulus below 2^30: four times it fits a word. Methods whose names end in Lazy take and return words that are not
// reduced; each gives their range.
type Lazy32 struct{ Short32 }

// MulLazy returns a word ≡ a·b/R (mod q): Montgomery's sum without the last subtraction.
//
// Range: [0, 2q), in and out; also a in [0, 4q) with b in [0, q).
//
// (a·b+k·q)/R < (4q²+R·q)/R = q·(1+4q/R) <= 2q, since 4q <= R.
//
// Source: [Montgomery 1985], [Harvey 2014].
func (m *Lazy32) MulLazy(a, b uint32) uint32 {
	t := uint64(a) * uint64(b)
	return uint32((t + uint64(uint32(t)*m.negative)*uint64(m.q)) >> 32)
}

// AddLazy returns a word ≡ a+b (mod q).
//
// Range: [0, 2q), in and out.
func (m *Lazy32) AddLazy(a, b uint32) uint32 {
	s := a + b
	if s >= 2*m.q {
		s -= 2 * m.q
	}
	return s
}

// SubLazy returns a word ≡ a-b (mod q).
//
// Range: [0, 2q), in and out.
func (m *Lazy32) SubLazy(a, b uint32) uint32 {
	d := a - b
	if a < b {
		d += 2 * m.q
	}
	return d
}

// ReduceTwice returns a modulo q for a in [0, 2q): range 2, reduced to range 1.
func (m *Lazy32) ReduceTwice(a uint32) uint32 {
	if a >= m.q {
		a -= m.q
	}
	return a
}

// ReduceFour returns a modulo q for a in [0, 4q): range 4, reduced to range 1.
func (m *Lazy32) ReduceFour(a uint32) uint32 {
	if a >= 2*m.q {
		a -= 2 * m.q
	}
	return m.ReduceTwice(a)
}

// ForwardLazy returns words ≡ (x+w·y, x-w·y) (mod q) for a w in the domain; x and y are both plain or both in the domain.
//
// Range:  x and y in [0, 4q), w in [0, q); results in [0, 4q).
// Source: [Harvey 2014] Algorithm 4 and §5, with Montgomery's product.
func (m *Lazy32) ForwardLazy(x, y, w uint32) (s, d uint32) {
	if x >= 2*m.q {
		x -= 2 * m.q
	}
	t := m.MulLazy(y, w)
	return x + t, x + 2*m.q - t
}

// BackwardLazy returns words ≡ (x+y, (x-y)·w) (mod q) for a w in the domain; x and y are both plain or both in the domain.
//
// Range:  x and y in [0, 2q), w in [0, q); results in [0, 2q).
// Source: [Harvey 2014] Algorithm 3 and §5, with Montgomery's product.
func (m *Lazy32) BackwardLazy(x, y, w uint32) (s, d uint32) {
	return m.AddLazy(x, y), m.MulLazy(x+2*m.q-y, w)
}

// ForwardShoupLazy returns words ≡ (x+w·y, x-w·y) (mod q) for a plain w whose Shoup quotient is quotient.
//
// Range:  x and y in [0, 4q), w in [0, q); results in [0, 4q).
// Source: [Harvey 2014] Algorithm 4.
func (m *Lazy32) ForwardShoupLazy(x, y, w, quotient uint32) (s, d uint32) {
	if x >= 2*m.q {
		x -= 2 * m.q
	}
	t := MulShoupLazy32(y, w, quotient, m.q)
	return x + t, x + 2*m.q - t
}

// BackwardShoupLazy returns words ≡ (x+y, (x-y)·w) (mod q) for a plain w whose Shoup quotient is quotient.
//
// Range:  x and y in [0, 2q), w in [0, q); results in [0, 2q).
// Source: [Harvey 2014] Algorithm 3.
func (m *Lazy32) BackwardShoupLazy(x, y, w, quotient uint32) (s, d uint32) {
	return m.AddLazy(x, y), MulShoupLazy32(x+2*m.q-y, w, quotient, m.q)
}
