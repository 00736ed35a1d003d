package ntt

import (
	"fmt"
	"math/bits"
	"slices"

	"gamma/model/modular"
)

// word31MaxModulus is the greatest modulus of a word31Table: words of 32 bits hold [0, 2q), so q < 2^31.
const word31MaxModulus = 1<<31 - 1

// word31Table holds the factors of the transforms of one modulus, size and root, with words of 32 bits. A product with a factor w is Shoup's,
// x·w - ⌊x·w'/2^32⌋·q with w' = ⌊w·2^32/q⌋ stored with w, so words are plain residues; in Montgomery's domain, or any other, the
// transform is the same, since it is linear.
//
// The layers are those of shoupTable: node 1 is the whole vector, the halves of node b are the nodes 2b and 2b+1, and w_b is the factor of
// node b. Forward, node b turns its halves (x, y) into (x + w_b·y, x - w_b·y); inverse, into (x + y, (x - y)/w_b), twice that.
//
// Cyclic tables serve both decimations. forward is DIF, from natural to bit-reversed order; forwardDIT takes the layers
// of inverse with the factors of forward, which is the inverse, unscaled, for the root 1/ω: the forward transform for ω from bit-reversed to
// natural order. The same holds for inverseDIF.
//
// Source: [Harvey 2014], section 2 for the product.
type word31Table struct {
	q          uint32
	n          int
	negacyclic bool
	// w and inverse hold w_b and 1/w_b at place b, from 1 to n-1.
	w, inverseW word31Factors
	// scale is 1/n with its Shoup factor.
	scale, scaleS uint32
	// barrett is ⌊2^64/q⌋.
	barrett uint64
}

// word31Factors holds factors w < q, and s = ⌊w·2^32/q⌋ of each.
type word31Factors struct{ w, s []uint32 }

// word31Times returns x·w - ⌊x·s/2^32⌋·q, which is ≡ x·w (mod q).
//
// Domain: w < q < 2^31, s = ⌊w·2^32/q⌋; x any word.
// Range:  [0, q + x·q/2^32), so [0, 2q): with s = (w·2^32 - e)/q, 0 <= e < q, it is x·e/2^32 + q·(the fraction of x·s/2^32).
// Source: [Harvey 2014], section 2.
func word31Times(x, w, s, q uint32) uint32 {
	return x*w - uint32(uint64(x)*uint64(s)>>32)*q
}

// word31Reduce reduces [0, 2q) to [0, q): below q, x-q is x + 2^32 - q and the greater one.
func word31Reduce(x, q uint32) uint32 { return min(x, x-q) }

// word31Shoup returns ⌊w·2^32/q⌋ for w < q.
func word31Shoup(w, q uint32) uint32 { return uint32(uint64(w) << 32 / uint64(q)) }

// word31Barrett returns ⌊2^64/q⌋, for word31Product. Since q is odd, ⌊(2^64-1)/q⌋ is the same.
func word31Barrett(q uint32) uint64 { return ^uint64(0) / uint64(q) }

// word31Product returns x·y modulo q, by Barrett's quotient h = ⌊x·y·b/2^64⌋ with b = ⌊2^64/q⌋.
//
// Domain: 2 < q < 2^31, odd; b = word31Barrett(q).
// Range:  any words; the result is in [0, q). For b = 2^64/q - e, 0 <= e < 1, x·y·b/2^64 is x·y/q less x·y·e/2^64 < 1, so h is ⌊x·y/q⌋ or one less,
// and x·y - h·q in [0, 2q).
// Source: [Barrett 1986].
func word31Product(x, y, q uint32, b uint64) uint32 {
	xy := uint64(x) * uint64(y)
	h, _ := bits.Mul64(xy, b)
	return word31Reduce(uint32(xy-h*uint64(q)), q)
}

// newWord31Table returns the table of a transform, cyclic or negacyclic.
//
// Domain: an odd modulus q from 3 to 2^31 - 1 in which Root has the order that the transform needs, shown by Root^(order/2) = -1; with that
// the transform has its inverse, whether q is prime or not. N a power of two. It returns an error otherwise.
// Cost:   2N divisions of 64 by 32 bits and 2N products; 16·N bytes.
func newWord31Table(t modular.Transform) (*word31Table, error) {
	n := t.N
	switch {
	case n < 1 || n&(n-1) != 0:
		return nil, fmt.Errorf("ntt: %s: the number of points must be a power of two, at least 1", t)
	case t.Modulus < 3 || t.Modulus%2 == 0:
		return nil, fmt.Errorf("ntt: %s: the modulus must be odd, at least 3", t)
	case t.Modulus > word31MaxModulus:
		return nil, fmt.Errorf("ntt: %s: the modulus has %d bits; lazy words in [0, 2q) fit 32 bits up to 2^31 - 1", t, bits.Len64(t.Modulus))
	case t.Root == 0 || t.Root >= t.Modulus:
		return nil, fmt.Errorf("ntt: %s: the root must be reduced, from 1 to %d", t, t.Modulus-1)
	}
	q, root := uint32(t.Modulus), uint32(t.Root)
	// other is root^(order-1) = 1/root, and half root^(order/2): root^(2^k-1)·root^(2^k) = root^(2^(k+1)-1).
	barrett := word31Barrett(q)
	times := func(x, y uint32) uint32 { return word31Product(x, y, q, barrett) }
	other, half := uint32(1), root
	for o := t.RootOrder(); o > 1; o /= 2 {
		other = times(other, half)
		if o > 2 {
			half = times(half, half)
		}
	}
	if order := t.RootOrder(); order == 1 && root != 1 || order > 1 && half != q-1 {
		return nil, fmt.Errorf("ntt: %s: the root must have order %d, so that its power %d is -1", t, order, order/2)
	}
	words := make([]uint32, 4*n+1) // assembly loads the word after the last factor, and does not use it
	s := &word31Table{
		q: q, n: n, negacyclic: t.Negacyclic,
		w:        word31Factors{w: words[:n:n], s: words[n : 2*n : 2*n]},
		inverseW: word31Factors{w: words[2*n : 3*n : 3*n], s: words[3*n:]},
		scale:    1, barrett: barrett,
	}
	s.w.fill(root, q, t.Negacyclic)
	s.inverseW.fill(other, q, t.Negacyclic)
	for m := n; m > 1; m /= 2 {
		s.scale = s.scale/2 + s.scale%2*(q/2+1) // half of an odd v is (v+q)/2
	}
	s.scaleS = word31Shoup(s.scale, q)
	return s, nil
}

// fill writes the factors of the layers for a root. Those of a negacyclic transform are root^r(b), where r reads the log2 n bits of b
// backwards; of a cyclic one, those of the lowest layer are root^r(b) at place n/2 + b, where r reads log2 n - 1 bits backwards, and each
// layer above is the first half of the layer below.
func (f word31Factors) fill(root, q uint32, negacyclic bool) {
	n := len(f.w)
	base, period := 0, n
	if !negacyclic {
		base, period = n/2, n/2
	}
	rootS := word31Shoup(root, q)
	shift := 65 - bits.Len(uint(period))
	for power, e := uint32(1), 0; e < period; e++ {
		at := base + int(bits.Reverse64(uint64(e))>>shift)
		f.w[at], f.s[at] = power, word31Shoup(power, q)
		power = word31Reduce(word31Times(power, root, rootS, q), q)
	}
	if !negacyclic {
		for h := n / 4; h > 0; h /= 2 {
			copy(f.w[h:2*h], f.w[n/2:])
			copy(f.s[h:2*h], f.s[n/2:])
		}
	}
}

// forward transforms x in place, from natural to bit-reversed order.
//
// Shape:  n words; a caller's slice of another length is a programmer's mistake.
// Range:  words in [0, 2q); results in [0, q).
func (s *word31Table) forward(x []uint32) { word31Down(x[:s.n:s.n], s.w, s.q) }

// inverse transforms x in place, from bit-reversed to natural order, 1/n included.
//
// Range:  words in [0, q); results in [0, q).
func (s *word31Table) inverse(x []uint32) {
	s.inverseUnscaled(x)
	word31Scale(x[:s.n:s.n], s.scale, s.scaleS, s.q)
}

// inverseUnscaled is inverse without 1/n: the results are n times the coefficients.
//
// Range:  words in [0, q); results in [0, q).
func (s *word31Table) inverseUnscaled(x []uint32) { word31Up(x[:s.n:s.n], s.inverseW, s.q) }

// forwardDIT is the forward transform from bit-reversed to natural order, of a cyclic table.
//
// Range:  words in [0, q); results in [0, q).
func (s *word31Table) forwardDIT(x []uint32) { word31Up(x[:s.n:s.n], s.w, s.q) }

// inverseDIF is the inverse transform from natural to bit-reversed order, 1/n included, of a cyclic table.
//
// Range:  words in [0, 2q); results in [0, q).
func (s *word31Table) inverseDIF(x []uint32) {
	word31Down(x[:s.n:s.n], s.inverseW, s.q)
	word31Scale(x[:s.n:s.n], s.scale, s.scaleS, s.q)
}

// times multiplies the words of x by those of y, place by place.
//
// Range:  any words; results in [0, q).
func (s *word31Table) times(x, y []uint32) {
	q, b := s.q, s.barrett
	y = y[:len(x)]
	for i, v := range x {
		x[i] = word31Product(v, y[i], q, b)
	}
}

// forwardStage runs layer stage of forward, 0 to log2 n - 1.
//
// Range:  words in [0, 2q); results in [0, 2q). forward reduces them after the last layer.
func (s *word31Table) forwardStage(stage int, x []uint32) {
	word31DownLayer(x[:s.n:s.n], s.w, 1<<stage, s.q)
}

// forwardFinish is what comes after the last stage of forward: a reduction.
//
// Range:  words in [0, 2q); results in [0, q).
func (s *word31Table) forwardFinish(x []uint32) {
	for i, v := range x[:s.n] {
		x[i] = word31Reduce(v, s.q)
	}
}

// inverseStage runs layer stage of inverse, 0 to log2 n - 1.
//
// Range:  words in [0, q); results in [0, q).
func (s *word31Table) inverseStage(stage int, x []uint32) {
	word31UpLayer(x[:s.n:s.n], s.inverseW, s.n>>(stage+1), s.q)
}

// inverseFinish is what comes after the last stage of inverse: the product with 1/n.
//
// Range:  words in [0, 2q); results in [0, q).
func (s *word31Table) inverseFinish(x []uint32) { word31Scale(x[:s.n:s.n], s.scale, s.scaleS, s.q) }

// word31ForwardStages returns the recurrences of forward: log2 n butterflies, [0, 2q) to [0, 2q), and a reduction.
func word31ForwardStages(n int) []*modular.Recurrence {
	butterfly := &modular.Recurrence{
		In: []string{"x", "y", "w"},
		Steps: []modular.Step{
			{Op: modular.Reduce, A: 0, K: 1},
			{Op: modular.Shoup, A: 1, B: 2},
			{Op: modular.Reduce, A: 4, K: 1},
			{Op: modular.Add, A: 3, B: 5},
			{Op: modular.Subtract, A: 3, B: 5, K: 1},
		},
		Out: []int{6, 7},
	}
	last := &modular.Recurrence{In: []string{"x"}, Steps: []modular.Step{{Op: modular.Reduce, A: 0, K: 1}}, Out: []int{1}}
	return append(slices.Repeat([]*modular.Recurrence{butterfly}, bits.Len(uint(n))-1), last)
}

// word31InverseStages returns the recurrences of inverse: log2 n butterflies, [0, q) to [0, q), and the product with 1/n.
func word31InverseStages(n int) []*modular.Recurrence {
	butterfly := &modular.Recurrence{
		In: []string{"x", "y", "w"},
		Steps: []modular.Step{
			{Op: modular.Add, A: 0, B: 1},
			{Op: modular.Reduce, A: 3, K: 1},
			{Op: modular.Subtract, A: 0, B: 1, K: 1},
			{Op: modular.Shoup, A: 5, B: 2},
			{Op: modular.Reduce, A: 6, K: 1},
		},
		Out: []int{4, 7},
	}
	last := &modular.Recurrence{
		In:    []string{"x", "w"},
		Steps: []modular.Step{{Op: modular.Shoup, A: 0, B: 1}, {Op: modular.Reduce, A: 2, K: 1}},
		Out:   []int{3},
	}
	return append(slices.Repeat([]*modular.Recurrence{butterfly}, bits.Len(uint(n))-1), last)
}
