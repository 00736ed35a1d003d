package engine

import (
	"gamma/props/internal/draw"
)

// Propose draws for prop from numbers alone, in the place of an engine of tests.
var Propose = ProposeFrom(FixedSeed)

// ProposeFrom returns what draws from numbers that follow from a seed.
func ProposeFrom(seed uint64) Proposer {
	return func(checks int, _ Shaped, prop func(d Draw) (violated bool)) string {
		rng := draw.Splitmix(seed)
		below := func(n int) int { return int(rng.Next() % uint64(n)) }
		for range checks {
			if prop(Draw{Family: below(1 << 16), Size: below(1 << 16), Shape: below(1 << 16), A: uint8(below(1 << 8)), B: uint8(below(1 << 8)), Seed: rng.Next()}) {
				break
			}
		}
		return ""
	}
}

// Seeded is what a source embeds whose inputs are each drawn from one number.
type Seeded[I any] struct {
	// N is how often an engine draws, and Every of how many draws one is judged; 0: of each.
	N, Every int
	// From draws an input, which is valid until the next.
	From func(seed uint64) I
	made int
}

func (s *Seeded[I]) Draws() int { return s.N }

func (s *Seeded[I]) Make(w Draw, _ int) (in I, ok bool) {
	if s.made++; s.made%max(1, s.Every) != 0 {
		return in, false
	}
	return s.From(w.Seed ^ uint64(w.Family)<<48 ^ uint64(w.A)<<40 ^ uint64(w.B)<<32), true
}

func (s *Seeded[I]) Next(rng *draw.Splitmix) (I, int) { return s.From(rng.Next()), 1 }
