package props

import (
	"slices"
	"testing"
	"time"

	"gamma/corpus"
	"gamma/model"
)

// run is one subject's judgement in one test: its settings, its statistics, its record.
type run struct {
	sub *subject
	set settings
	rec *recorder
	sum *SubjectSummary
	// open holds, for laws with a known open fault, the file that shows it.
	open map[model.LawID]string
}

func newRun(t testing.TB, s *subject, set settings) *run {
	t.Helper()
	r := &run{sub: s, set: set, open: map[model.LawID]string{}, sum: &SubjectSummary{Subject: s.name, Device: s.device.where(), Op: s.op.String(), Seed: set.seedText, Test: t.Name()}}
	r.rec = openRecorder(t, s.name)
	publishFailure(nil)
	return r
}

// close writes the summary, says where it is, and removes the record of the running case: the process
// lives.
func (r *run) close(t testing.TB) {
	t.Helper()
	r.rec.close()
	file, err := publish(r.sum)
	if err != nil {
		t.Logf("seed %s; the summary could not be written: %v", r.set.seedText, err)
		return
	}
	t.Logf("seed %s; summary in %s", r.set.seedText, file)
}

// guard records the case that is about to run, so that it survives the process.
func (r *run) guard(c *corpus.Case) { r.rec.write(c) }

// stats returns the statistics of a law.
func (r *run) stats(id model.LawID) *lawStats {
	for _, st := range r.sum.Laws {
		if st.Law == id {
			return st
		}
	}
	st := &lawStats{Law: id, Subject: r.sub.name}
	r.sum.Laws = append(r.sum.Laws, st)
	return st
}

// fails returns the predicate of a reduction: the law fails the case as it did before. A kernel that
// broke is run more than once, since it may break when it is called again.
func (r *run) fails(l *Law, outcome Outcome) func(*corpus.Case) bool {
	// The record keeps the case that was found: its variants would each cost a file.
	trial := newTrial(r.sub)
	return func(c *corpus.Case) bool {
		if r.sub.accepts(c) != nil {
			return false
		}
		judge := trial.judge
		if outcome == Broken {
			judge = trial.judgeRepeated
		}
		v := judge(l, c)
		return v.Outcome == outcome
	}
}

// lawOf returns the law with the subject's operation in place of any.
func (s *subject) lawOf(l *Law) Law {
	own := *l
	own.Op = s.op
	return own
}

// reduceTime bounds a reduction whose kernel is slow, or hangs until it is stopped.
const reduceTime = 60 * time.Second

// examine reduces and explains a failing case, judges what is left once more, and saves it.
func (r *run) examine(l *Law, c *corpus.Case, st *lawStats) *Failure {
	first := newTrial(r.sub)
	v := insist(l.Hardware, func() Verdict { return first.judgeRepeated(l, c) })
	f := &Failure{Law: r.sub.lawOf(l), Subject: r.sub.name, Claim: first.claim, Original: c, Verdict: v, Seed: r.set.seedText, Test: r.sum.Test, Isolated: r.set.isolate}
	f.Device = r.sub.device.text()
	if st != nil {
		f.Cases, f.seen = st.Cases, st.seen
	}
	f.Found = slices.Clone(first.met)
	if !v.fails() {
		f.Flaky = true
		f.Case = c
		f.save(r.set)
		return f
	}
	fails := r.fails(l, v.Outcome)
	small, stats := Reduce(c, r.sub.device.kept(c, fails), ReduceOptions{Deadline: time.Now().Add(reduceTime)})
	small.Isolate = needsIsolation(&v)
	f.Case, f.Reduction = small, stats
	f.Flaky = stats.Flaky || !stats.Reproduced
	f.Explanation = Explain(small, fails, ExplainOptions{
		Deadline: time.Now().Add(reduceTime / 4), Accepts: r.sub.device.kept(c, func(c *corpus.Case) bool { return r.sub.accepts(c) == nil }),
	})
	t := newTrial(r.sub)
	if v := insist(l.Hardware, func() Verdict { return t.judgeRepeated(l, small) }); v.fails() {
		f.Verdict, f.Claim = v, t.claim
		f.noteSchedule(t)
	} else {
		f.Flaky = true
		if l.Hardware { // what was seen of the fault is of the case as it was drawn
			f.Case = c
		}
	}
	f.save(r.set)
	return f
}
