package transforms

import (
	"math/bits"

	"gamma/model/modular"
	"gamma/oracle"
)

// What a transform holds between two of its stages. There are two ways to part a transform into stages of butterflies, and every
// radix-2 algorithm has, up to order and factors that are units, the states of one of them:
//
//	by frequency: the polynomial a modulo each of the 2^s factors x^m - ζ^e of x^N ∓ 1, m = N/2^s; a butterfly takes c_j and
//	              ζ^(e/2)·c_(j+m/2), and gives their sum and difference: c_j modulo each of the two factors of x^m - ζ^e;
//	by time:      the transforms of 2^s points of each of the N/2^s subsequences a_r, a_(r+M), a_(r+2M), …, M = N/2^s; a
//	              butterfly takes E_k and ζ_k·O_k of two of them.
//
// So a number that is 0 modulo q after a stage is where a butterfly has added u to a t ≡ -u, or subtracted a t ≡ u; and so, of
// the inverse, is one before it.

// FactorsOf returns the exponents e of the 2^level factors x^m - ζ^e, in the order in which halving splits them.
func FactorsOf(t modular.Transform, level int) []uint64 {
	order := t.RootOrder()
	list := []uint64{0}
	if t.Negacyclic {
		list[0] = order / 2
	}
	for range level {
		next := make([]uint64, 0, 2*len(list))
		for _, e := range list {
			next = append(next, e/2, e/2+order/2)
		}
		list = next
	}
	return list
}

// powersOf returns root^0 to root^(order-1).
func powersOf(root, order, q uint64) []uint64 {
	p := make([]uint64, order)
	p[0] = 1 % q
	for i := 1; i < len(p); i++ {
		p[i] = oracle.MulMod(p[i-1], root, q)
	}
	return p
}

// ByFrequency takes coefficients to the state after so many stages, in place.
func ByFrequency(t modular.Transform, x []uint64, level int) {
	q := t.Modulus
	p := powersOf(t.Root, t.RootOrder(), q)
	for s := range level {
		m := t.N >> s
		for i, e := range FactorsOf(t, s) {
			w := p[e/2]
			b := x[i*m : (i+1)*m]
			for j := range m / 2 {
				u, v := b[j], oracle.MulMod(b[j+m/2], w, q)
				b[j], b[j+m/2] = oracle.AddMod(u, v, q), oracle.SubMod(u, v, q)
			}
		}
	}
}

// FromFrequency is the inverse of ByFrequency.
func FromFrequency(t modular.Transform, x []uint64, level int) {
	q := t.Modulus
	back, _ := oracle.InvMod(t.Root, q)
	p := powersOf(back, t.RootOrder(), q)
	half := q/2 + 1
	for s := level - 1; s >= 0; s-- {
		m := t.N >> s
		for i, e := range FactorsOf(t, s) {
			w := oracle.MulMod(p[e/2], half, q)
			b := x[i*m : (i+1)*m]
			for j := range m / 2 {
				u, v := b[j], b[j+m/2]
				b[j], b[j+m/2] = oracle.MulMod(oracle.AddMod(u, v, q), half, q), oracle.MulMod(oracle.SubMod(u, v, q), w, q)
			}
		}
	}
}

// subsequence is a transform of 2^level points that the stages by time have done.
func subsequence(t modular.Transform, level int) modular.Transform {
	m := uint64(t.N >> level)
	t.Root = oracle.PowMod(t.Root, m, t.Modulus)
	t.N = 1 << level
	return t
}

// ByTime takes coefficients to the state after so many stages: subsequence after subsequence.
func (tr *nttTrial) ByTime(t modular.Transform, x []uint64, level int) []uint64 {
	z, o, m := make([]uint64, len(x)), tr.sub(t, level), t.N>>level
	for r := range m {
		b := z[r<<level : (r+1)<<level]
		for i := range b {
			b[i] = x[r+i*m]
		}
		o.Forward(b, b)
	}
	return z
}

// FromTime is the inverse of ByTime.
func (tr *nttTrial) FromTime(t modular.Transform, x []uint64, level int) []uint64 {
	z, o, m := make([]uint64, len(x)), tr.sub(t, level), t.N>>level
	for r := range m {
		b := x[r<<level : (r+1)<<level]
		o.Inverse(b, b)
		for i, v := range b {
			z[r+i*m] = v
		}
	}
	return z
}

// sub returns the oracle's transform of a subsequence.
func (tr *nttTrial) sub(t modular.Transform, level int) *oracle.Transform {
	o, err := tr.transform(subsequence(t, level))
	if err != nil {
		panic(err.Error()) // a power of the root of a transform that the oracle has taken
	}
	return o
}

// Levels returns the stages of a transform.
func Levels(t modular.Transform) int { return bits.Len(uint(t.N)) - 1 }
