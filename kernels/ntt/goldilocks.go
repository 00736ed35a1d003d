package ntt

import (
	"fmt"
	"math/bits"

	"gamma/model/modular"
)

// goldilocks is the prime 2^64 - 2^32 + 1. Modulo it 2^64 is 2^32 - 1 and 2^96 is -1, so a product needs no second product to be reduced.
const goldilocks = 1<<64 - 1<<32 + 1

// goldilocksTable holds what the transforms modulo 2^64 - 2^32 + 1 of one size and root need, with words of 64 bits. Words are plain
// residues, reduced in each layer: no word is ever lazy, so there is no range to declare but [0, q).
//
// Layers, nodes, factors and the two decimations are those of word31Table.
type goldilocksTable struct {
	n          int
	negacyclic bool
	// w and inverseW hold w_b and 1/w_b at place b, from 1 to n-1.
	w, inverseW []uint64
	scale       uint64 // 1/n
}

// goldilocksTimes returns x·y modulo q = 2^64 - 2^32 + 1.
//
// With x·y = l + 2^64·a + 2^96·b for a, b < 2^32, it is ≡ (l - b) + (2^32-1)·a. First u = l - b, plus q if that is negative, is in [0, 2^64):
// if it is negative, u < q. Then v = (2^32-1)·a is at most (2^32-1)² = q - 2^32, so u + v - q is at most 2^64 - 1 - 2^32 = q - 2; and it is
// at least -q, where q is added. Each time, adding q is subtracting 2^32 - 1 modulo 2^64: the borrow as a mask of 32 bits.
//
// Range:  any words; the result is in [0, q).
func goldilocksTimes(x, y uint64) uint64 {
	h, l := bits.Mul64(x, y)
	u, borrow := bits.Sub64(l, h>>32, 0)
	u -= uint64(uint32(-borrow))
	r, borrow := bits.Sub64(u, goldilocks-(h<<32-uint64(uint32(h))), 0)
	return r - uint64(uint32(-borrow))
}

// goldilocksAdd returns x + y modulo q, as x - (q - y).
//
// Range:  x and y in [0, q); so is the result.
func goldilocksAdd(x, y uint64) uint64 {
	r, borrow := bits.Sub64(x, goldilocks-y, 0)
	return r - uint64(uint32(-borrow))
}

// goldilocksSub returns x - y modulo q.
//
// Range:  x and y in [0, q); so is the result.
func goldilocksSub(x, y uint64) uint64 {
	r, borrow := bits.Sub64(x, y, 0)
	return r - uint64(uint32(-borrow))
}

// newGoldilocksTable returns the table of a transform, cyclic or negacyclic.
//
// Domain: the modulus 2^64 - 2^32 + 1, a Root of the order that the transform needs, N a power of two: up to 2^32 if cyclic, up to 2^31 if
// negacyclic. It returns an error otherwise.
// Cost:   2N products; 16·N bytes.
func newGoldilocksTable(t modular.Transform) (*goldilocksTable, error) {
	n := t.N
	switch {
	case n < 1 || n&(n-1) != 0:
		return nil, fmt.Errorf("ntt: %s: the number of points must be a power of two, at least 1", t)
	case t.Modulus != goldilocks:
		return nil, fmt.Errorf("ntt: %s: the modulus must be 2^64 - 2^32 + 1 = %d", t, uint64(goldilocks))
	case t.Root == 0 || t.Root >= goldilocks:
		return nil, fmt.Errorf("ntt: %s: the root must be reduced, from 1 to %d", t, uint64(goldilocks-1))
	}
	// As in newWord31Table.
	other, half := uint64(1), t.Root
	for o := t.RootOrder(); o > 1; o /= 2 {
		other = goldilocksTimes(other, half)
		if o > 2 {
			half = goldilocksTimes(half, half)
		}
	}
	if order := t.RootOrder(); order == 1 && t.Root != 1 || order > 1 && half != goldilocks-1 {
		return nil, fmt.Errorf("ntt: %s: the root must have order %d, so that its power %d is -1", t, order, order/2)
	}
	words := make([]uint64, 2*n)
	s := &goldilocksTable{n: n, negacyclic: t.Negacyclic, w: words[:n:n], inverseW: words[n:], scale: 1}
	goldilocksFill(s.w, t.Root, t.Negacyclic)
	goldilocksFill(s.inverseW, other, t.Negacyclic)
	for m := n; m > 1; m /= 2 {
		s.scale = s.scale/2 + s.scale%2*(goldilocks/2+1) // half of an odd v is (v+q)/2
	}
	return s, nil
}

// goldilocksFill writes the factors of the layers, as word31Factors.fill does.
func goldilocksFill(w []uint64, root uint64, negacyclic bool) {
	n := len(w)
	base, period := 0, n
	if !negacyclic {
		base, period = n/2, n/2
	}
	shift := 65 - bits.Len(uint(period))
	for power, e := uint64(1), 0; e < period; e++ {
		w[base+int(bits.Reverse64(uint64(e))>>shift)] = power
		power = goldilocksTimes(power, root)
	}
	if !negacyclic {
		for h := n / 4; h > 0; h /= 2 {
			copy(w[h:2*h], w[n/2:])
		}
	}
}

// forward transforms x in place, from natural to bit-reversed order.
//
// Shape:  n words; a caller's slice of another length is a programmer's mistake.
// Range:  words in [0, q); results in [0, q).
func (s *goldilocksTable) forward(x []uint64) { goldilocksDown(x[:s.n:s.n], s.w) }

// inverse transforms x in place, from bit-reversed to natural order, 1/n included.
//
// Range:  words in [0, q); results in [0, q).
func (s *goldilocksTable) inverse(x []uint64) {
	s.inverseUnscaled(x)
	s.inverseFinish(x)
}

// inverseUnscaled is inverse without 1/n: the results are n times the coefficients.
//
// Range:  words in [0, q); results in [0, q).
func (s *goldilocksTable) inverseUnscaled(x []uint64) { goldilocksUp(x[:s.n:s.n], s.inverseW) }

// forwardDIT is the forward transform from bit-reversed to natural order, of a cyclic table.
//
// Range:  words in [0, q); results in [0, q).
func (s *goldilocksTable) forwardDIT(x []uint64) { goldilocksUp(x[:s.n:s.n], s.w) }

// inverseDIF is the inverse transform from natural to bit-reversed order, 1/n included, of a cyclic table.
//
// Range:  words in [0, q); results in [0, q).
func (s *goldilocksTable) inverseDIF(x []uint64) {
	goldilocksDown(x[:s.n:s.n], s.inverseW)
	s.inverseFinish(x)
}

// forwardStage runs layer stage of forward, 0 to log2 n - 1.
//
// Range:  words in [0, q); results in [0, q).
func (s *goldilocksTable) forwardStage(stage int, x []uint64) {
	goldilocksDownLayer(x[:s.n:s.n], s.w, 1<<stage)
}

// inverseStage runs layer stage of inverse, 0 to log2 n - 1.
//
// Range:  words in [0, q); results in [0, q).
func (s *goldilocksTable) inverseStage(stage int, x []uint64) {
	goldilocksUpLayer(x[:s.n:s.n], s.inverseW, s.n>>(stage+1))
}

// inverseFinish is what comes after the last stage of inverse: the product with 1/n.
//
// Range:  any words; results in [0, q).
func (s *goldilocksTable) inverseFinish(x []uint64) { goldilocksScale(x[:s.n:s.n], s.scale) }
