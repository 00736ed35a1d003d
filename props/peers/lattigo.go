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

// said is a transform with what is said of it, and what was found.
type said struct {
	judge.NTT
	says, text, found string
}

// lattigoWrong is what Lattigo's documentation says and its transforms do not do.
func lattigoWrong() []said {
	return []said{
		{
			judge.NTT{Name: "lattigo.ring.NTT(any)", Plan: lattigoPlan(false), Claim: lattigoClaim(1, 1, modular.Moduli{})},
			"the negacyclic transform, exactly, modulo any prime of 64 bits that NewRing accepts", "NewRing returns an error for moduli that it does not support, and none for primes of 62 and 63 bits",
			"Words reach 8q, which leaves 64 bits above 2^61: TestReplayLattigo has cases on file, which Gamma's slow transform by division confirms. For the modulus 0 NewRing panics.",
		},
		{
			judge.NTT{Name: "lattigo.ring.NTTLazy(2q)", Plan: lattigoPlan(true), Claim: lattigoClaim(2, 2, modular.Moduli{Max: below61.Max, Unchecked: true})},
			"the negacyclic transform with values below 2q", "\"Returns values in the range [0, 2q-1]\"",
			"Values reach almost 6q: TestReplayLattigo has a case on file.",
		},
	}
}
