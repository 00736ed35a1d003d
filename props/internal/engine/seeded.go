package engine

import (
	"gamma/props/internal/draw"
)

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
