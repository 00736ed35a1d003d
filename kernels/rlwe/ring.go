package rlwe

import (
	"errors"
	"fmt"
	"math/bits"

	"gamma/kernels/montgomery"
	"gamma/kernels/ntt"
	"gamma/model/modular"
)

// Ring multiplies polynomials modulo x^N+1 and q by any negacyclic transforms: it reads their orders, domains and
// ranges from their claim.
type Ring struct {
	t          modular.Transform
	claim      modular.TransformClaim
	transforms modular.Transforms
	m          *montgomery.Modulus64
	// factors that take words between what transforms hold and plain residues, in Montgomery's domain of 64 bits; One if they are the same.
	intoForward, outOfForward, intoInverse, outOfInverse uint64
}

// NewRing returns the ring of transforms that a kernel offers for t, such as a shader on a device.
//
// Domain:  t negacyclic and admitted by the claim; the claim and the transforms offer Forward and Inverse. It returns an error otherwise.
func NewRing(t modular.Transform, c modular.TransformClaim, transforms modular.Transforms) (*Ring, error) {
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("rlwe: %w", err)
	}
	if err := c.Moduli.Admits(t.Modulus, c.Bits); err != nil {
		return nil, fmt.Errorf("rlwe: %w", err)
	}
	switch {
	case !t.Negacyclic || !c.Negacyclic:
		return nil, errors.New("rlwe: the transforms are cyclic; they must be negacyclic")
	case t.N < 1 || t.N&(t.N-1) != 0:
		return nil, fmt.Errorf("rlwe: N is %d; it must be a power of two", t.N)
	case !c.Forward.Offered() || !c.Inverse.Offered() || transforms.Forward == nil || transforms.Inverse == nil:
		return nil, errors.New("rlwe: both the forward and the inverse transform are needed")
	}
	m, err := montgomery.NewModulus64(t.Modulus)
	if err != nil {
		return nil, fmt.Errorf("rlwe: %w", err)
	}
	r := &Ring{t: t, claim: c, transforms: transforms, m: m}
	radix := bits.Rem64(1, 0, t.Modulus) // R modulo q, of the transforms' words
	if c.Bits < 64 {
		radix = 1 << c.Bits % t.Modulus
	}
	radix = m.ToMontgomery(radix)
	back, _ := m.Inverse(radix)
	r.intoForward, r.outOfForward = m.Pow(radix, uint64(c.Forward.In.Power)), m.Pow(back, uint64(c.Forward.Out.Power))
	r.intoInverse, r.outOfInverse = m.Pow(radix, uint64(c.Inverse.In.Power)), m.Pow(back, uint64(c.Inverse.Out.Power))
	if c.Inverse.Unscaled {
		share, ok := m.Inverse(m.ToMontgomery(uint64(t.N) % t.Modulus))
		if !ok {
			return nil, fmt.Errorf("rlwe: N = %d has no inverse modulo %d", t.N, t.Modulus)
		}
		r.outOfInverse = m.Mul(r.outOfInverse, share)
	}
	return r, nil
}

// newPlanRing returns the ring of kernels/ntt, with bit-reversed values; the fastest for q.
func newPlanRing(n int, q uint64) (*Ring, error) {
	t, err := ntt.NewTransform(q, n, true)
	if err != nil {
		return nil, err
	}
	p, err := ntt.NewShoup(t, ntt.DITNR)
	if q >= 1<<62 {
		p, err = ntt.NewMontgomery(t, ntt.DITNR)
	}
	if err != nil {
		return nil, err
	}
	return NewRing(t, p.Claim(), p.Transforms())
}

// place permutes x from one order to another.
func place(x []uint64, from, to modular.Order) {
	if from != to { // bit reversal is its own inverse
		_ = ntt.BitReverse(x) // a length that is not a power of two was rejected
	}
}

// scale multiplies each x by f, where f is in Montgomery's domain.
func (r *Ring) scale(x []uint64, f uint64) {
	if f == r.m.One() {
		return
	}
	for i, v := range x {
		x[i] = r.m.Mul(v, f)
	}
}

// values transforms the reduced coefficients x, in natural order, to reduced values in the order that inverse transforms take.
func (r *Ring) values(x []uint64) error {
	c := &r.claim.Forward
	place(x, modular.Natural, c.In.Order)
	r.scale(x, r.intoForward)
	if err := r.transforms.Forward(x, x); err != nil {
		return fmt.Errorf("rlwe: forward transform: %w", err)
	}
	if err := r.reduce(x, c.Out, "forward"); err != nil {
		return err
	}
	r.scale(x, r.outOfForward)
	place(x, c.Out.Order, r.claim.Inverse.In.Order)
	return nil
}

// coefficients transforms reduced values back.
func (r *Ring) coefficients(x []uint64) error {
	c := &r.claim.Inverse
	r.scale(x, r.intoInverse)
	if err := r.transforms.Inverse(x, x); err != nil {
		return fmt.Errorf("rlwe: inverse transform: %w", err)
	}
	if err := r.reduce(x, c.Out, "inverse"); err != nil {
		return err
	}
	r.scale(x, r.outOfInverse)
	place(x, c.Out.Order, modular.Natural)
	return nil
}

// reduce reduces words of a side to [0, q), or returns an error that names one that is not in the side's range.
func (r *Ring) reduce(x []uint64, s modular.Side, name string) error {
	q := r.t.Modulus
	hi, bound := bits.Mul64(s.Range, q)
	for i, v := range x {
		if v < q {
			continue
		}
		if hi == 0 && v >= bound {
			return fmt.Errorf("rlwe: the %s transform gave %d at place %d, which is not in [0, %d·q) as claimed", name, v, i, s.Range)
		}
		x[i] = v % q
	}
	return nil
}

// times sets the values x to x·y.
func (r *Ring) times(x, y []uint64) {
	for i, v := range y {
		x[i] = r.m.Mul(x[i], r.m.ToMontgomery(v))
	}
}

// plus sets x to x+y.
func (r *Ring) plus(x, y []uint64) {
	for i, v := range y {
		x[i] = r.m.Add(x[i], v)
	}
}

// lift returns the residues of small integers.
func (r *Ring) lift(k []int64) []uint64 {
	x := make([]uint64, len(k))
	for i, v := range k {
		x[i] = uint64(v)
		if v < 0 {
			x[i] += r.t.Modulus
		}
	}
	return x
}
