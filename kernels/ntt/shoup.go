package ntt

import (
	"fmt"
	"math/bits"

	"gamma/model/modular"
)

// shoupMaxModulus is the greatest modulus of a shoupTable: lazy words are in [0, 4q), so 4q <= 2^64. The recurrences timeRecurrence and
// frequencyRecurrence of the layers prove it; a test compares it with modular.MaxModulus.
const shoupMaxModulus = 1<<62 - 1

// shoupLeaf is the length of the pieces whose last three layers run in one pass, on the path in Go.
const shoupLeaf = 8

// shoupCached is the length up to which a piece is transformed layer by layer: 16 KiB and their factors stay in the cache closest
// to a core. Longer pieces are transformed depth first.
const shoupCached = 1 << 11

// shoupTable holds the factors of the transforms of one modulus, size and root, with words of 64 bits. A product with a factor w is Shoup's:
// x·w - ⌊x·w'/2^64⌋·q with w' = ⌊w·2^64/q⌋ stored with w; it is in [0, 2q) for each x < 2^64.
//
// The layers form a binary tree: node 1 is the whole vector, and the halves of node b are the nodes 2b and 2b+1. Forward, node b turns its
// halves (x, y) into (x + w_b·y, x - w_b·y): it reduces a polynomial modulo X^(2t) - w_b² to its residues modulo X^t - w_b and X^t + w_b.
// Inverse, it turns (x, y) into (x + y, (x - y)/w_b), twice the operands of forward. For a negacyclic transform w_1² = -1, for a cyclic one w_1² = 1.
//
// Source: [Harvey 2014], Algorithms 3 and 4.
type shoupTable struct {
	q uint64
	n int
	// forwardW and inverseW hold w_b and 1/w_b at place b, from 1 to n-1, and forwardS and inverseS Shoup's factors of them.
	forwardW, forwardS []uint64
	inverseW, inverseS []uint64
	// scale is 1/n, and scaleLast 1/(n·w_1), each with Shoup's factor.
	scale, scaleLast shoupFactor
	// path says which code runs; newShoupTable takes the fastest.
	path shoupPath
}

// shoupFactor is a factor w < q with s = ⌊w·2^64/q⌋.
type shoupFactor struct{ w, s uint64 }

// shoupPath says which code runs a transform. All paths give the same words, forwardLazy and inverseLazy included.
type shoupPath uint8

const (
	shoupGo     shoupPath = iota // Go
	shoupAVX2                    // assembly for x86-64 with AVX2
	shoupAVX512                  // assembly for x86-64 with AVX-512 F, DQ and IFMA
)

// String returns "Go", "AVX2" or "AVX-512".
func (p shoupPath) String() string { return [...]string{"Go", "AVX2", "AVX-512"}[p] }

// newShoupFactor returns w with ⌊w·2^64/q⌋, for w < q.
func newShoupFactor(w, q uint64) shoupFactor {
	s, _ := bits.Div64(w, 0, q)
	return shoupFactor{w: w, s: s}
}

// times returns x·w - ⌊x·w'/2^64⌋·q, which is ≡ x·w (mod q).
//
// Domain: w < q <= 2^62 - 1 and w' = ⌊w·2^64/q⌋; x any word.
// Range:  [0, q + x·q/2^64), so [0, 2q).
// Source: [Harvey 2014], section 2.
func (f shoupFactor) times(x, q uint64) uint64 { return shoupTimes(x, f.w, f.s, q) }

// reducedTimes is times, reduced to [0, q).
func (f shoupFactor) reducedTimes(x, q uint64) uint64 { return shoupReduce(f.times(x, q), q) }

// newShoupTable returns the table of a transform, cyclic or negacyclic.
//
// Domain: an odd modulus q from 3 to 2^62 - 1 in which Root has the order that the transform needs, shown by Root^(order/2) = -1; with that
// the transform has its inverse, whether q is prime or not. N a power of two. It returns an error otherwise.
// Cost:   2N divisions of 128 by 64 bits and 2N products; 32·N bytes.
func newShoupTable(t modular.Transform) (*shoupTable, error) {
	q, n := t.Modulus, t.N
	switch {
	case n < 1 || n&(n-1) != 0:
		return nil, fmt.Errorf("ntt: %s: the number of points must be a power of two, at least 1", t)
	case q < 3 || q%2 == 0:
		return nil, fmt.Errorf("ntt: %s: the modulus must be odd, at least 3", t)
	case q > shoupMaxModulus:
		return nil, fmt.Errorf("ntt: %s: the modulus has %d bits; lazy words in [0, 4q) fit 64 bits up to 2^62 - 1", t, bits.Len64(q))
	case t.Root == 0 || t.Root >= q:
		return nil, fmt.Errorf("ntt: %s: the root must be reduced, from 1 to %d", t, q-1)
	}
	order, half := t.RootOrder(), t.Root
	root := newShoupFactor(t.Root, q)
	for o := order; o > 2; o /= 2 {
		half = newShoupFactor(half, q).reducedTimes(half, q)
	}
	if order == 1 && t.Root != 1 || order > 1 && half != q-1 {
		return nil, fmt.Errorf("ntt: %s: the root must have order %d, so that its power %d is -1", t, order, order/2)
	}
	s := &shoupTable{q: q, n: n, path: shoupFastest()}
	words := make([]uint64, 4*n)
	s.forwardW, s.forwardS = words[:n:n], words[n:2*n:2*n]
	s.inverseW, s.inverseS = words[2*n:3*n:3*n], words[3*n:]
	// The powers of the root from 0 to period-1, bit-reversed, are the factors of the lowest layer if cyclic, and of all layers, one
	// after the other, if negacyclic. Since root^period = -1, the inverse of power e is minus power period - e.
	period, base := n, 0
	if !t.Negacyclic {
		period, base = n/2, n/2
	}
	power := uint64(1)
	for e := range period {
		at, opposite, minus := base+modular.BitReversed.Place(e, period), base, uint64(1)
		if e > 0 {
			opposite, minus = base+modular.BitReversed.Place(period-e, period), q-power
		}
		f, g := newShoupFactor(power, q), newShoupFactor(minus, q)
		s.forwardW[at], s.forwardS[at] = f.w, f.s
		s.inverseW[opposite], s.inverseS[opposite] = g.w, g.s
		power = root.reducedTimes(power, q)
	}
	if !t.Negacyclic {
		for h := n / 4; h > 0; h /= 2 {
			for _, layers := range [...][]uint64{s.forwardW, s.forwardS, s.inverseW, s.inverseS} {
				copy(layers[h:2*h], layers[n/2:])
			}
		}
	}
	// Half of an odd number v is (v + q)/2.
	inverse := uint64(1)
	for m := n; m > 1; m /= 2 {
		inverse = inverse/2 + inverse%2*(q/2+1)
	}
	s.scale, s.scaleLast = newShoupFactor(inverse, q), newShoupFactor(inverse, q)
	if n > 1 {
		s.scaleLast = newShoupFactor(s.scale.reducedTimes(s.inverseW[1], q), q)
	}
	return s, nil
}

// forward transforms x in place, from coefficients in natural order to values in bit-reversed order.
//
// Range: words in [0, 4q); results in [0, q).
func (s *shoupTable) forward(x []uint64) { s.transform(x, true) }

// forwardLazy is forward without the last reduction.
//
// Range: words in [0, 4q); results in [0, 4q), the same on each path.
func (s *shoupTable) forwardLazy(x []uint64) { s.transform(x, false) }

// inverse transforms x in place, from values in bit-reversed order to coefficients in natural order, 1/n included.
//
// Range: words in [0, 2q); results in [0, q).
func (s *shoupTable) inverse(x []uint64) { s.untransform(x, true) }

// inverseLazy is inverse without the last reduction.
//
// Range: words in [0, 2q); results in [0, 2q), the same on each path. They may differ by q from those of separate stages: the last
// layer has 1/n in its factors, and the last stage does not.
func (s *shoupTable) inverseLazy(x []uint64) { s.untransform(x, false) }

// stages returns the number of layers: log2 n.
func (s *shoupTable) stages() int { return bits.Len(uint(s.n)) - 1 }

// forwardStage runs one layer of forward, whose butterflies take the steps of timeRecurrence; the first is 0.
//
// Range: words in [0, 4q); results in [0, 4q).
func (s *shoupTable) forwardStage(stage int, x []uint64) {
	nodes := 1 << stage
	shoupForwardLayer(x[:s.n:s.n], s.forwardW[nodes:2*nodes], s.forwardS[nodes:2*nodes], s.q)
}

// forwardFinish is what forward does after its last layer: it reduces words in [0, 4q) to [0, q).
func (s *shoupTable) forwardFinish(x []uint64) {
	for i, v := range x {
		x[i] = shoupReduce(shoupReduce(v, 2*s.q), s.q)
	}
}

// inverseStage runs one layer of inverse, whose butterflies take the steps of frequencyRecurrence; the first is 0. The results of all
// layers are n times those of inverse.
//
// Range: words in [0, 2q); results in [0, 2q).
func (s *shoupTable) inverseStage(stage int, x []uint64) {
	nodes := s.n >> (stage + 1)
	shoupInverseLayer(x[:s.n:s.n], s.inverseW[nodes:2*nodes], s.inverseS[nodes:2*nodes], s.q)
}

// inverseFinish multiplies words in [0, 2q) by 1/n and reduces them to [0, q).
func (s *shoupTable) inverseFinish(x []uint64) {
	for i, v := range x {
		x[i] = s.scale.reducedTimes(v, s.q)
	}
}

// shoupForwardStages returns the recurrences of forward: words in [0, 4q) stay there, and the last one reduces them to [0, q).
func shoupForwardStages(n int) []*modular.Recurrence {
	return stages(n, modular.Shoup, true, false, true)
}

// shoupInverseStages returns the recurrences of inverse: words in [0, 2q) stay there, and the last one multiplies by 1/n and reduces
// to [0, q).
func shoupInverseStages(n int) []*modular.Recurrence {
	return stages(n, modular.Shoup, false, true, true)
}

// transform runs the layers of forward.
func (s *shoupTable) transform(x []uint64, reduce bool) {
	x = x[:s.n:s.n]
	switch {
	case s.transformVector(x, reduce):
	case s.n >= shoupLeaf:
		s.descend(x, 1, reduce)
	default:
		for stage := range s.stages() {
			s.forwardStage(stage, x)
		}
		if reduce {
			s.forwardFinish(x)
		}
	}
}

// untransform runs the layers of inverse.
func (s *shoupTable) untransform(x []uint64, reduce bool) {
	x = x[:s.n:s.n]
	switch {
	case s.n == 1:
		if reduce {
			x[0] = shoupReduce(x[0], s.q)
		}
		return
	case s.untransformVector(x, reduce):
		return
	case s.n >= shoupLeaf:
		s.ascend(x, 1)
	default:
		for stage := range s.stages() - 1 {
			s.inverseStage(stage, x)
		}
	}
	shoupScaleLayer(x, s.scale, s.scaleLast, s.q, reduce)
}
