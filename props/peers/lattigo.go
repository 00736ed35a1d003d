package main

import (
	"fmt"

	"github.com/tuneinsight/lattigo/v6/ring"

	"gamma/model/modular"
	"gamma/props/judge"
)

// lattigoPlan makes the negacyclic transforms of Lattigo's ring, which takes a root of its own. lazy takes those that leave their
// results unreduced.
func lattigoPlan(lazy bool) func(t modular.Transform) (modular.Transforms, error) {
	return func(t modular.Transform) (modular.Transforms, error) {
		r, err := ring.NewRing(t.N, []uint64{t.Modulus})
		if err != nil {
			return modular.Transforms{}, err
		}
		s := r.SubRings[0]
		of := func(f func(p1, p2 []uint64)) func(dst, src []uint64) error {
			return func(dst, src []uint64) error {
				if len(src) != t.N || len(dst) != t.N { // Lattigo does not look
					return fmt.Errorf("lengths %d and %d of a transform of %d points", len(dst), len(src), t.N)
				}
				f(src, dst)
				return nil
			}
		}
		out := modular.Transforms{
			Root:    ring.ModExp(s.PrimitiveRoot, (t.Modulus-1)/s.NthRoot, t.Modulus),
			Forward: of(s.NTT), Inverse: of(s.INTT),
		}
		if lazy {
			out.Forward, out.Inverse = of(s.NTTLazy), of(s.INTTLazy)
		}
		return out, nil
	}
}

// lattigoClaim is what the documentation of package ring says: values in bit-reversed order, everything below so many times q.
func lattigoClaim(values, coefficients uint64, moduli modular.Moduli) modular.TransformClaim {
	moduli.Prime = true
	reduced := modular.Side{Range: 1}
	return modular.TransformClaim{
		Bits: 64, Negacyclic: true, OwnRoot: true, MinN: ring.MinimumRingDegreeForLoopUnrolledOperations, Moduli: moduli,
		Forward: modular.Direction{In: reduced, Out: modular.Side{Order: modular.BitReversed, Range: values}},
		Inverse: modular.Direction{In: modular.Side{Order: modular.BitReversed, Range: 1}, Out: modular.Side{Range: coefficients}},
	}
}

// below61 are the moduli for which Lattigo's transforms are right: conditional subtractions of 4q keep words below 8q.
var below61 = modular.Moduli{Max: 1<<61 - 1}

var lattigo = []judge.NTT{
	{Name: "lattigo.ring.NTT", Plan: lattigoPlan(false), Claim: lattigoClaim(1, 1, below61)},
	// NTTLazy's own documentation says [0, 2q-1]: see the cases on file. What holds is 6q.
	{Name: "lattigo.ring.NTTLazy", Plan: lattigoPlan(true), Claim: lattigoClaim(6, 2, below61)},
}
