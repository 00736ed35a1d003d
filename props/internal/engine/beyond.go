package engine

import (
	"time"

	"gamma/props/internal/draw"
	"gamma/props/internal/verdict"
)

// beyonder is a source with inputs that none of its draws reaches: each admitted behaviour alone on full batches, exponents from the
// whole range, more rows than an index of 8 or 16 bits counts. They come after the draws, so that a seed draws what it always did.
type beyonder[I any] interface {
	// Round returns how many inputs go once through all there is, and Beyond makes number k of any; ok is false where there is no such
	// input. It is valid until the next. far: no law of the subject has yet seen more rows than 16 bits count, which take long.
	Round() int
	Beyond(k int, far bool, rng *draw.Splitmix) (in I, ok bool)
}

// beyondShare says which part of the budget these inputs may take beside it: a fifth. At level thorough there are thoroughRounds rounds
// of them.
const (
	beyondShare    = 5
	thoroughRounds = 10
)

// beyond judges inputs beyond those that are drawn, until one fails, the rounds are over, or the share of the budget is spent.
func (e *Engine) beyond(l *AnyLaw, src *source, trial *trial, st *LawStats) (found any, v verdict.Verdict, fails bool) {
	if src.beyond == nil {
		return found, v, false
	}
	s, rounds := e.Base(), 1
	if s.Set.Thorough {
		rounds = thoroughRounds
	}
	seed, end := s.Set.SeedFor("beyond "+string(l.ID), s.Name), time.Now().Add(s.Set.Budget/beyondShare)
	more := &LawStats{}
	for k := 0; k < rounds*src.round() && !fails && time.Now().Before(end); k++ {
		rng := draw.Splitmix(draw.Mix(seed + uint64(k)))
		in, ok := src.beyond(k, !s.wentFar, &rng)
		if !ok {
			continue
		}
		v = e.Judge(trial, l, in)
		trial.Count(more, &v, in)
		if fails = v.Fails(); fails {
			found = trial.Kept(in)
		}
	}
	s.wentFar = s.wentFar || more.Cases > 0
	st.join(more, fails)
	return found, v, fails
}

// join adds what a search learnt beyond its draws. Of inputs that were not drawn it counts how many there were, apart, so that vacuity
// is judged by the draws; with fails, where the search ends, they are cases like all others.
func (s *LawStats) join(more *LawStats, fails bool) {
	if more.MaxRatio > s.MaxRatio {
		s.MaxRatio, s.MaxBound, s.MaxFamily, s.MaxN = more.MaxRatio, more.MaxBound, more.MaxFamily, more.MaxN
	}
	if !fails {
		s.Beyond += more.Cases
		return
	}
	s.Cases, s.Holds, s.Vacuous = s.Cases+more.Cases, s.Holds+more.Holds, s.Vacuous+more.Vacuous
	s.Seen = more.Seen
}
