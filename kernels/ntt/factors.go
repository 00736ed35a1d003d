package ntt

import "math/bits"

// factors are residues that words are multiplied by, in the form that a plan's loops need: in Montgomery's domain, or the
// residues themselves with Shoup's quotients ⌊w·R/q⌋ beside them.
type factors struct {
	w, s []uint64
}

// maker makes factors.
type maker struct {
	*field
	one   uint64 // 1 as a factor: R mod q in Montgomery's domain, else 1
	shoup bool   // with quotients
}

// quotients adds Shoup's quotients if the maker has them.
func (m *maker) quotients(w []uint64) factors {
	if !m.shoup {
		return factors{w: w}
	}
	s := make([]uint64, len(w))
	for i, v := range w {
		s[i], _ = bits.Div64(v, 0, m.q)
	}
	return factors{w, s}
}

// powers fills w with start, start·step, start·step², …, where step is in Montgomery's domain.
func (m *maker) powers(w []uint64, start, step uint64) {
	for i := range w {
		w[i] = start
		start = m.mul(start, step)
	}
}

// twiddles returns the table of a transform of n points: at t+k, for t = 1, 2, 4, …, n/2 and k < t, is
//
//	cyclic:      ω^(n/2t·k)          root = ω of order n
//	negacyclic:  ψ^(n/2t·(2k+1))     root = ψ of order 2n
//
// and if reversed, at t+k the factor for k with its bits reversed. The root is in Montgomery's domain. Place 0 is unused.
//
// Cost:    less than n products.
func (m *maker) twiddles(n int, root uint64, negacyclic, reversed bool) factors {
	w := make([]uint64, n)
	g := root
	for t := n / 2; t > 0; t /= 2 {
		start, step := m.one, g
		if negacyclic {
			start, step = m.mul(m.one, g), m.mul(g, g)
		}
		level := w[t : 2*t]
		m.powers(level, start, step)
		if reversed {
			permute(level)
		}
		g = m.mul(g, g)
	}
	return m.quotients(w)
}

// turns returns the n powers start, start·root, …, in bit-reversed order if reversed.
func (m *maker) turns(n int, start, root uint64, reversed bool) factors {
	w := make([]uint64, n)
	m.powers(w, start, root)
	if reversed {
		permute(w)
	}
	return m.quotients(w)
}
