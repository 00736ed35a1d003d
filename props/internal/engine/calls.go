package engine

import (
	"fmt"
	"slices"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/reduce"
	"gamma/props/internal/verdict"
)

// A kernel that keeps state between calls fails on an input only after others. The recorder remembers the last of these, and what does not
// fail alone in a new process is judged there after them: as few as will do are saved with the case, and made again when it is replayed.

// earlier is an input that the kernel was called with before another, by the law that judged it.
type earlier struct {
	law   *AnyLaw
	in    any
	body  corpus.Body
	place int // among those that are remembered
}

// earlierOf returns the calls that a file lists before its own.
func (e *Engine) earlierOf(bodies []corpus.Body) (list []earlier, err error) {
	for _, b := range bodies {
		f := &CaseFile{Path: "a call before", Body: b}
		l, err := e.LawOf(f)
		if err != nil {
			return nil, err
		}
		pieces, err := e.Pieces(l, f)
		if err != nil {
			return nil, err
		}
		for _, p := range pieces {
			if err := e.Accepts(l, p.In); err != nil {
				return nil, err
			}
			list = append(list, earlier{l, p.In, b, len(list)})
		}
	}
	return list, nil
}

// listed returns the calls that a file of the subject lists before its own.
func (e *Engine) listed(f *CaseFile) ([]earlier, error) {
	list := f.Body.Head().Before
	for _, b := range list {
		if !e.Owns(&CaseFile{Path: f.Path, Body: b}) {
			return nil, fmt.Errorf("a call that it lists before its own is not one of %s", e.Base().Name)
		}
	}
	return e.earlierOf(list)
}

// remembered returns the last calls before the one that was recorded last, the oldest first.
func (e *Engine) remembered() (list []earlier) {
	records := e.Base().Rec.past()
	for i := len(records) - 1; i > 0; i-- { // the first is the last call's own
		_, _, body, err := ParseRecord(records[i], e.Recall)
		if err != nil {
			list = nil // those before it would not come right before the others
			continue
		}
		some, err := e.earlierOf([]corpus.Body{body})
		if err != nil {
			list = nil
			continue
		}
		list = append(list, some...)
	}
	for i := range list {
		list[i].place = i
	}
	return list
}

// afresh is a subject whose kernel runs in a new process, where calls are made before an input is judged.
type afresh struct {
	*Engine
	trial  *trial
	before []earlier
	ask    Asker
	// What was asked for the input that was judged, and the replies: a report judges it again, when the kernel is in another state.
	keeps, plays bool
	asked        []string
	replies      []*Reply
	next         int
}

// afresh starts a process for some calls and one input; stop ends it.
func (e *Engine) afresh(before []earlier) (a *afresh, stop func()) {
	s := e.Base()
	iso := NewIsolation(s.Sum.Test, s.Name, s.Set.Timeout)
	a = &afresh{before: before, ask: iso.Ask}
	a.Engine = &Engine{anyKind: e.Isolated(a.reply)}
	a.trial = a.Trial()
	return a, iso.Stop
}

// judge makes the calls before an input, and judges it.
func (a *afresh) judge(l *AnyLaw, in any) verdict.Verdict {
	for i := range a.before {
		a.trial.Judge(a.before[i].law, a.before[i].in)
	}
	a.keeps = true
	v := a.trial.Judge(l, in)
	a.keeps, a.plays = false, true
	return v
}

// reply asks the process, or once the input is judged gives the replies that there were for it.
func (a *afresh) reply(q *Call) *Reply {
	key := ""
	if a.keeps || a.plays {
		key = fmt.Sprint(*q)
	}
	for i := range a.asked {
		if k := (a.next + i) % len(a.asked); a.plays && a.asked[k] == key {
			a.next = k + 1
			return a.replies[k]
		}
	}
	r := a.ask(q)
	if a.keeps {
		a.asked, a.replies = append(a.asked, key), append(a.replies, r)
	}
	return r
}

// Bounds of what is tried to find out on which calls an input's failure depends: the time for it, of which half for smaller inputs of these calls, how
// many lists of calls and smaller inputs of each are tried, and how often the
// input must fail after them, and pass alone, each time in a new process. Two inputs are tried at most: what is left of a case, and the case as it was
// drawn. A kernel that fails by chance, whatever was called before, passes this once in 4096 times at most for each: p⁶·(1-p)⁶ <= 2^-12.
const (
	callsTime  = 30 * time.Second
	callsTries = 40
	agreements = 6
)

// lists is what a reduction asks of lists of calls.
type lists struct{}

func (lists) Setting(list []earlier) (verdict.Setting, int) {
	return verdict.Setting{}, len(list)
}

func (lists) Under(list []earlier, _ verdict.Setting) []earlier {
	return list
}

func (lists) Record(b []byte, list []earlier) []byte {
	for i := range list {
		b = AppendWords(b, uint64(list[i].place))
	}
	return b
}

// dependsOn returns the calls after which an input fails in a new process, where it passes alone: as few of some as will do, and none if it
// does not fail after these.
func (e *Engine) dependsOn(all []earlier, l *AnyLaw, in any) []earlier {
	late := time.Now().Add(callsTime)
	fails := func(before []earlier) bool {
		a, stop := e.afresh(before)
		defer stop()
		v := a.judge(l, in)
		return v.Fails() && !v.Cause.Isolated() && v.Cause != verdict.NotRun
	}
	r := reduce.New(all, lists{}, fails, reduce.Options[[]earlier]{MaxEvals: callsTries, Deadline: late})
	few, st := r.Run(func() {
		for n := 1; n < len(all) && !r.Try(all[len(all)-n:]); n *= 2 {
		}
		r.Until(func() {
			base := r.Cur
			r.Rows(len(base), len(base)-1, func(drop []bool) []earlier { return reduce.Without(base, 1, drop) })
		})
	})
	if len(few) == 0 || !st.Reproduced || st.Flaky {
		return nil
	}
	few = e.smaller(few, fails, late.Add(-callsTime/2))
	for range agreements {
		if time.Now().After(late) || !fails(few) || fails(nil) {
			return nil
		}
	}
	return few
}

// smaller makes the inputs of calls smaller, the last one first, while an input fails after them.
func (e *Engine) smaller(calls []earlier, fails func(before []earlier) bool, late time.Time) []earlier {
	for i := len(calls) - 1; i >= 0; i-- {
		call := calls[i]
		with := func(in any) []earlier {
			next := slices.Clone(calls)
			next[i].in, next[i].body = in, e.Body(call.law, in)
			return next
		}
		after := func(in any) bool { return e.Accepts(call.law, in) == nil && fails(with(in)) }
		if in, st := e.shrink(call.law, call.in, after, callsTries, late); st.Accepted > 0 && !st.Flaky {
			calls = with(in)
		}
	}
	return calls
}

// reproduced executes the line of a report before it is printed. If the case does not fail so, in a new process, the calls after which it does
// are looked for among the last, and saved with it. A case that failed once and then no more is tried as it was drawn.
func (e *Engine) reproduced(l *AnyLaw, in any, f Failure, st *LawStats) Failure {
	s, c, start := e.Base(), f.Common(), time.Now()
	if !s.executes(c) {
		return f
	}
	defer func() { s.executed += time.Since(start) }()
	if !c.Flaky {
		if c.AfterCalls = s.PassesAfresh(c, l.ID); !c.AfterCalls {
			return f
		}
	}
	all := e.remembered()
	if c.tried = len(all); c.tried == 0 {
		return f
	}
	if small, err := e.Pieces(l, &CaseFile{Path: "the case", Body: c.body}); !c.Flaky && err == nil && len(small) == 1 {
		if calls := e.dependsOn(all, l, small[0].In); len(calls) > 0 {
			s.saveAfter(c, l.ID, bodies(calls))
			return f
		}
	}
	calls := e.dependsOn(all, l, in)
	if len(calls) == 0 {
		return f
	}
	a, stop := e.afresh(calls)
	defer stop()
	v := a.judge(l, in)
	if !v.Fails() {
		return f
	}
	drawn := a.Failure(l, in, v, a.trial)
	d := drawn.Common()
	d.Cases = st.Cases
	c.takeBack()
	s.Save(d, e.Body(l, in), "the case", nil)
	s.saveAfter(d, l.ID, bodies(calls))
	return drawn
}

// bodies returns calls as a file lists them.
func bodies(calls []earlier) (list []corpus.Body) {
	for i := range calls {
		list = append(list, calls[i].body)
	}
	return list
}

// saveAfter saves a case with the calls that come before it, in the place of what is saved without them, and executes the line that its
// report prints.
func (s *Session) saveAfter(f *Violation, law model.LawID, calls []corpus.Body) {
	list := func(before []corpus.Body) {
		h := f.body.Head()
		h.Before = before
		f.body.SetHead(h)
		f.takeBack()
		s.write(f, f.body)
	}
	f.AfterCalls, f.Calls = true, len(calls)
	if list(calls); f.File == "" && s.Set.Save != "off" { // the file would be too large
		list(nil)
	}
	if s.PassesAfresh(f, law) {
		f.Calls = 0
	}
}

// takeBack takes back what is saved of a failure.
func (f *Violation) takeBack() {
	if f.undo != nil {
		_ = f.undo() // a case that is left holds
		f.undo, f.File = nil, ""
	}
}
