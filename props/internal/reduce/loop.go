package reduce

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"gamma/model"
	"gamma/props/internal/verdict"
)

// DefaultMaxEvals is the number of evaluations that a reduction spends at most if it is not told.
const DefaultMaxEvals = 2000

// Options bounds a reduction of inputs of type I. The zero value is ready.
type Options[I any] struct {
	MaxEvals int       // evaluations of the predicate in all; 0: DefaultMaxEvals
	Deadline time.Time // no evaluation starts after it; zero: none
	// Device is what the subject runs on: no candidate has another behaviour or launch than it accepts. Nil: any will do.
	Device Device
	// Progress, if not nil, is called with every smaller input that still fails. It must not change it.
	Progress func(in I, s Stats)
}

// Device is what a subject runs on, for what a reduction asks: an engine.DeviceClaim.
type Device interface {
	OnHardware() bool
	// Accepts says why n elements cannot run under a setting, and Fitted returns one under which they can.
	Accepts(n int, at verdict.Setting) error
	Fitted(n int, at verdict.Setting) verdict.Setting
	// Declared returns the launches that there are for n elements; nil if any will do.
	Declared(n int) []model.Launch
}

// anyDevice takes every behaviour and launch.
type anyDevice struct{}

func (anyDevice) OnHardware() bool                                 { return false }
func (anyDevice) Accepts(int, verdict.Setting) error               { return nil }
func (anyDevice) Fitted(_ int, at verdict.Setting) verdict.Setting { return at }
func (anyDevice) Declared(int) []model.Launch                      { return nil }

// Stats says what a reduction did.
type Stats struct {
	Evals    int // evaluations of the predicate
	Cached   int // candidates whose answer was known
	Accepted int // candidates that failed and were taken
	Panics   int // evaluations that panicked, counted as not failing
	Panic    string
	// Reproduced reports whether the input that was given failed at all; if not, it is the result.
	Reproduced bool
	// Flaky reports that the predicate gave two answers for one input.
	Flaky bool
	// Exhausted reports that the budget or the deadline ended the search.
	Exhausted bool
}

// Form is what a Loop asks of the inputs of a kind. An engine.Kind has it.
type Form[I any] interface {
	// Setting returns what an input runs under and how many elements it has for a device, and Under the input under another setting.
	Setting(in I) (at verdict.Setting, n int)
	Under(in I, at verdict.Setting) I
	// Record appends everything else that a predicate can depend on; nil for an input that is too large to be remembered.
	Record(b []byte, in I) []byte
}

// Loop is a reduction at work.
type Loop[I any] struct {
	Cur I // the smallest input that has failed
	Stats

	form  Form[I]
	fails func(I) bool
	opt   Options[I]
	past  []I // what Cur was before, the last maxPast of them after the first
	seen  map[[sha256.Size]byte]bool
	buf   []byte
	since int // Tries when a candidate was last accepted, or when the present phase began
}

// maxPast bounds the memory for going back when a predicate turns out to be flaky.
const maxPast = 16

// New returns a reduction of in, which fails must be true of; it must not change its argument.
func New[I any](in I, form Form[I], fails func(I) bool, o Options[I]) *Loop[I] {
	if o.MaxEvals <= 0 {
		o.MaxEvals = DefaultMaxEvals
	}
	if o.Device == nil {
		o.Device = anyDevice{}
	}
	return &Loop[I]{Cur: in, form: form, fails: fails, opt: o, seen: map[[sha256.Size]byte]bool{}}
}

// Run returns the smallest input that steps come to, which change Cur through the methods of r. It has failed when the predicate saw it,
// whatever the predicate is: that it is monotone is assumed only to choose what to try next. Nothing is evaluated twice except the result.
func (r *Loop[I]) Run(steps func()) (I, Stats) {
	if r.Reproduces() {
		steps()
		r.Exhausted = r.Done()
		r.confirm()
	}
	return r.Cur, r.Stats
}

// Reproduces evaluates the input that was given.
func (r *Loop[I]) Reproduces() bool {
	if r.late() {
		r.Exhausted = true
		return false
	}
	key, kept := r.key(r.Cur)
	r.Reproduced = r.ask(r.Cur, key, kept)
	return r.Reproduced
}

// Done reports whether the search must end; one evaluation is left for confirm.
func (r *Loop[I]) Done() bool { return r.Evals+1 >= r.opt.MaxEvals || r.late() }

func (r *Loop[I]) late() bool {
	return !r.opt.Deadline.IsZero() && time.Now().After(r.opt.Deadline)
}

// key returns a hash of an input, if it can be remembered.
func (r *Loop[I]) key(in I) (key [sha256.Size]byte, ok bool) {
	at, _ := r.form.Setting(in)
	b := r.form.Record(verdict.AppendSetting(r.buf[:0], at), in)
	if b == nil {
		return key, false
	}
	r.buf = b
	return sha256.Sum256(b), true
}

// eval asks the predicate, whatever the budget.
func (r *Loop[I]) eval(in I) (failed bool) {
	r.Evals++
	defer func() {
		if p := recover(); p != nil {
			failed = false
			if r.Panics++; r.Panic == "" {
				r.Panic = fmt.Sprint(p)
			}
		}
	}()
	return r.fails(in)
}

// Known returns the answer for an input, from memory or from the predicate, and false if the budget is spent.
func (r *Loop[I]) Known(in I) bool {
	key, kept := r.key(in)
	if failed, ok := r.seen[key]; ok && kept {
		r.Cached++
		return failed
	}
	if r.Done() {
		return false
	}
	return r.ask(in, key, kept)
}

// ask evaluates an input, and remembers the answer by its key if that is to be kept.
func (r *Loop[I]) ask(in I, key [sha256.Size]byte, kept bool) bool {
	failed := r.eval(in)
	if kept {
		r.seen[key] = failed
	}
	return failed
}

// Fitted returns an input under a launch that is declared for its size, if it is under another.
func (r *Loop[I]) Fitted(in I) I {
	at, n := r.form.Setting(in)
	if fit := r.opt.Device.Fitted(n, at); fit != at {
		return r.form.Under(in, fit)
	}
	return in
}

// Try makes an input the current one if it fails, with a launch that is declared for its size.
func (r *Loop[I]) Try(in I) bool {
	in = r.Fitted(in)
	if !r.Known(in) {
		return false
	}
	if r.past = append(r.past, r.Cur); len(r.past) > maxPast {
		r.past = slices.Delete(r.past, 1, 2)
	}
	r.Cur = in
	r.Accepted++
	r.since = r.Tries()
	if r.opt.Progress != nil {
		r.opt.Progress(in, r.Stats)
	}
	return true
}

// confirm evaluates the result once more. If it does not fail now, the predicate is flaky, and the last input that fails again becomes the
// result; if none does, Cur stays, which failed once.
func (r *Loop[I]) confirm() {
	may := func() bool { return r.Evals < r.opt.MaxEvals && !r.late() }
	if !may() || r.eval(r.Cur) {
		return
	}
	r.Flaky = true
	for i := len(r.past) - 1; i >= 0 && may(); i-- {
		if r.eval(r.past[i]) {
			r.Cur = r.past[i]
			return
		}
	}
}

// Bounds of what is tried without success where many items are left.
const (
	PhaseMisses = 300 // evaluations in a row that a phase spends without a smaller input
	StepMisses  = 100 // the same for one step of a phase
	ManyItems   = 64  // up to so many items, steps are not cut short
)

// Tired reports whether the last limit evaluations brought nothing, from start on.
func (r *Loop[I]) Tired(start, limit int) bool { return r.Tries()-max(start, r.since) >= limit }

// Tries returns how many candidates there were, an eighth of those whose answer was known: a large input without a number that is not 0 has as many equal candidates as
// places, and each of them has to be made.
func (r *Loop[I]) Tries() int { return r.Evals + r.Cached/8 }

// Until repeats steps until none of them gets further.
func (r *Loop[I]) Until(steps ...func()) {
	for before := -1; before != r.Accepted; {
		before = r.Accepted
		for _, step := range steps {
			if r.Done() {
				return
			}
			step()
		}
	}
}
