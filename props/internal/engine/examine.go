package engine

import (
	"time"

	"gamma/props/internal/reduce"
	"gamma/props/internal/verdict"
)

// Examination is what is found out about a failing input: the verdict on it when it was judged again, what is left of it, and the
// verdict on that.
type Examination[J, C, I any] struct {
	reduce.Stats
	First, Last verdict.Verdict
	Small       I

	kind  Kind[J, C, I]
	trial Trial[J, C, I]
	law   *LawOf[J, C]
}

// Examine judges a failing input again. The trial holds what it saw.
func Examine[J, C, I any](k Kind[J, C, I], t Trial[J, C, I], l *LawOf[J, C], in I) *Examination[J, C, I] {
	x := &Examination[J, C, I]{kind: k, trial: t, law: l}
	x.First = x.Judge(in)
	return x
}

// Judge judges an input, as what is left or before.
func (x *Examination[J, C, I]) Judge(in I) verdict.Verdict {
	x.Small = in
	x.Last = Insist(x.law.Hardware, func() verdict.Verdict { return x.repeatedly(in) })
	return x.Last
}

// repeatedly judges an input more than once, if the kernel does not break before.
func (x *Examination[J, C, I]) repeatedly(in I) verdict.Verdict {
	return JudgeRepeatedly(func() verdict.Verdict { return x.trial.Judge(x.law, in) })
}

// Fails returns the predicate of a reduction: the subject accepts an input, and the law fails it as it did at first. A kernel that broke is
// run more than once, since it may break when it is called again.
func (x *Examination[J, C, I]) Fails(in I) bool {
	if x.kind.Accepts(x.law, in) != nil {
		return false
	}
	if x.First.Outcome == verdict.Broken {
		return x.repeatedly(in).Outcome == verdict.Broken
	}
	v := x.trial.Judge(x.law, in)
	return v.Outcome == x.First.Outcome
}

// Reduce makes the input smaller by steps, and judges what is left. One that has not failed again stays as it is.
func (x *Examination[J, C, I]) Reduce(maxEvals int, steps func(r *reduce.Loop[I])) {
	if !x.First.Fails() {
		return
	}
	o := reduce.Options[I]{MaxEvals: maxEvals, Deadline: time.Now().Add(ReduceTime), Device: x.kind.Base().Device}
	r := reduce.New(x.Small, x.kind, x.Fails, o)
	x.Small, x.Stats = r.Run(func() { steps(r) })
	x.Judge(x.Small)
}

// Flaky reports whether the input, or what is left of it, failed at one time and passed at another.
func (x *Examination[J, C, I]) Flaky() bool {
	return !x.Last.Fails() || x.Stats.Flaky || !x.Reproduced
}
