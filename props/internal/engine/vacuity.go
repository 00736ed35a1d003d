package engine

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"gamma/props/internal/draw"
	"gamma/props/internal/report"
)

// hardDraws is how many times as many inputs are drawn at most where a law was judged too rarely.
const hardDraws = 40

// directed is a source that can draw towards what met a law's hypotheses: from these families, or from all that it has if there are
// none, and of these sizes, if any.
type directed interface {
	Toward(families []string, sizes []int)
}

// learning is a source that draws from what met a law's hypotheses.
type learning[I any] interface {
	Learn(in I)
}

// harder draws on where a law was judged too rarely, towards what met its hypotheses, until as much is judged as should have been, or the
// budget is over.
func (e *Engine) harder(l *AnyLaw, src *source, trial *trial, st *LawStats) (found any, fails bool) {
	s, start := e.Base(), time.Now()
	spent := time.Duration(float64(time.Second) * st.Seconds)
	defer func() { st.Seconds += time.Since(start).Seconds() }()
	if d, ok := src.of.(directed); ok {
		d.Toward(slices.Sorted(maps.Keys(st.met)), slices.Sorted(maps.Keys(st.metSizes)))
	}
	rng := draw.Splitmix(s.Set.SeedFor("harder "+string(l.ID), s.Name))
	was, holds := st.Cases, st.Holds
	for most := hardDraws * st.Cases; st.Cases < most && st.Holds < st.Enough; {
		if spent+time.Since(start) > s.Set.Budget {
			st.OutOfTime = true
			break
		}
		in, _ := src.Next(&rng)
		v := e.Judge(trial, l, in)
		if trial.Count(st, &v, in); v.Fails() {
			found, fails = trial.Kept(in), true
			break
		}
		if src.learn != nil && st.Holds > holds {
			src.learn(trial.Kept(in))
		}
		holds = st.Holds
	}
	st.Harder = st.Cases - was
	return found, fails
}

// few reports whether a search drew too few inputs to say that a law is vacuous.
func few(src *source) bool {
	f, ok := src.of.(interface{ Few() bool })
	return ok && f.Few()
}

// lacking reports whether a law was judged too rarely, and might not have been.
func (e *Engine) lacking(l *AnyLaw, st *LawStats, src *source) bool {
	d := e.Base().Device
	return st.tooVacuous() && !l.Hardware && !l.Flushes && !few(src) && !(d.OnHardware() && (2*st.Refusals > st.Vacuous || !d.Own().Plain()))
}

// vacuity fails a search whose law was judged too rarely, though it drew on towards its hypotheses, unless there is a reason for that.
func (e *Engine) vacuity(t TB, l *AnyLaw, st *LawStats, src *source) {
	t.Helper()
	s := e.Base()
	if st.excused(t, s.Device) {
		return
	}
	switch text, fails := e.rare(l, st, src); {
	case fails:
		t.Error(text)
	case text != "":
		st.Remark(text)
	}
}

// rare says that a law was judged too rarely, or why it may be, and whether that is a failure; "" if it was not.
func (e *Engine) rare(l *AnyLaw, st *LawStats, src *source) (text string, fails bool) {
	s := e.Base()
	n := report.Plural(st.Cases, s.unit)
	switch {
	case l.Hardware && st.Holds == 0:
		return fmt.Sprintf("%s on %s judged none of %s, most often: %s", l.ID, s.Name, n, st.commonReason()), false
	case l.Hardware:
	case st.Unclaimed > 0 && st.Holds == 0 && 20*st.Unclaimed >= 19*st.Cases:
		return fmt.Sprintf("the claim of %s leaves %s nothing to judge, most often: %s", s.Name, l.ID, st.commonReason()), false
	case !st.tooVacuous():
	case few(src):
		return fmt.Sprintf("%s on %s judged %d of %s, too few to say whether its hypotheses are ever met: -gamma.checks is %d", l.ID, s.Name, st.Holds, n, s.Set.Checks), false
	case l.Flushes: // nothing may be flushed
	default:
		return fmt.Sprintf("props: %s on %s judged %d of %s, %d of them drawn towards its hypotheses; in the others one was not met, most often: %s",
			l.ID, s.Name, st.Holds, n, st.Harder, st.commonReason()), true
	}
	return "", false
}
