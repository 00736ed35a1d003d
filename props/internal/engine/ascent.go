package engine

import (
	"cmp"
	"slices"
	"time"

	"gamma/props/internal/verdict"
)

// ascent is a source that attacks a bound: after the draws it changes inputs to come nearer to it. judge returns how near one came, and whether
// that is enough. An input is kept as it is for as long as the attack needs it.
type ascent[I any] interface {
	Climb(judge func(in I) (ratio float64, enough bool))
}

// attackShare says which part of the budget an attack may take beside it: a fifth.
const attackShare = 5

// attack lets a source attack the bound of a law, until an input fails or its share of the budget is spent. What it reaches is counted apart from
// what drawn inputs reach. A trial with a method Near says itself how near an input came to its bound.
func (e *Engine) attack(l *AnyLaw, src *source, trial *trial, st *LawStats) (found any, fails bool) {
	if src.climb == nil {
		return found, false
	}
	own, _ := trial.of.(interface{ Near() float64 })
	end, more := time.Now().Add(e.Base().Set.Budget/attackShare), &LawStats{}
	src.climb(func(in any) (float64, bool) {
		v := e.Judge(trial, l, in)
		trial.Count(more, &v, in)
		near := -1.0 // of an input that nothing is said of
		switch {
		case v.Fails():
			found, fails = trial.Kept(in), true
		case v.Outcome == verdict.Holds && own != nil:
			near = own.Near()
		case v.Outcome == verdict.Holds:
			near = v.Ratio
		}
		st.AttackRatio = max(st.AttackRatio, near)
		return near, fails || time.Now().After(end)
	})
	st.Attacks = more.Cases
	if fails {
		st.join(more, true)
	}
	return found, fails
}

// Ascent is how an attack goes: of so many starts it takes those nearest to the bound, and changes each for so many steps.
type Ascent struct{ Starts, Climbs, Steps int }

// Attack goes on from an input to what comes as near to the bound or nearer. start returns ok = false where it finds no input.
func Attack[I any](a Ascent, start func() (in I, ok bool), change func(in I) I, judge func(in I) (ratio float64, enough bool)) {
	type climber struct {
		in    I
		ratio float64
	}
	var list []climber
	for range a.Starts {
		in, ok := start()
		if !ok {
			break
		}
		ratio, enough := judge(in)
		if enough {
			return
		}
		list = append(list, climber{in, ratio})
	}
	slices.SortStableFunc(list, func(a, b climber) int { return cmp.Compare(b.ratio, a.ratio) })
	for _, c := range list[:min(a.Climbs, len(list))] {
		for range a.Steps {
			next := change(c.in)
			ratio, enough := judge(next)
			if enough {
				return
			}
			if ratio >= c.ratio {
				c = climber{next, ratio}
			}
		}
	}
}
