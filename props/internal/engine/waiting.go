package engine

import (
	"fmt"
	"time"

	"gamma/props/internal/verdict"
)

// Waiting says how long to wait for the calls of a kernel that runs in another process.
//
// Once a call has hung, only its report is left to be made: for that other inputs are tried, each for a shorter time, and all of them together no
// longer than the first, or than leastWait.
type Waiting struct {
	Timeout time.Duration

	longest  time.Duration                // of the calls that returned
	hung     map[string]*verdict.Breakage // calls that did not
	returned map[string]bool              // calls that did, since then
	waited   time.Duration                // for those that hung after the first
}

const (
	leastLimit = 100 * time.Millisecond
	leastWait  = 2 * time.Second
)

// Before returns for how long to wait for a call, which key tells from others, or why not to run it at all. follows says that the call depends on
// those before it, so that it may return though it has hung.
func (w *Waiting) Before(key func() string, follows bool) (limit time.Duration, b *verdict.Breakage) {
	if len(w.hung) == 0 {
		return w.Timeout, nil
	}
	if b := w.hung[key()]; b != nil && !follows {
		return 0, b
	}
	if w.waited > max(leastWait, w.Timeout) && !w.returned[key()] {
		return 0, verdict.Broke(verdict.NotRun, "it was not run: other inputs hung for %v", w.waited.Round(time.Second))
	}
	return min(w.Timeout, max(leastLimit, w.Timeout/10, 20*w.longest)), nil
}

// Hung notes that a call took that long and did not return within its limit, and describes it.
func (w *Waiting) Hung(key string, limit, took time.Duration) *verdict.Breakage {
	if w.hung == nil {
		w.hung, w.returned = map[string]*verdict.Breakage{}, map[string]bool{}
	} else {
		w.waited += took
	}
	text := ""
	if limit < w.Timeout {
		text = fmt.Sprintf(", nor within %v on the input as it was drawn", w.Timeout)
	}
	b := verdict.Broke(verdict.KernelHung, "the kernel did not return within %v%s", limit, text)
	w.hung[key] = b
	return b
}

// Returned notes that a call returned after that time.
func (w *Waiting) Returned(key func() string, took time.Duration) {
	if w.longest = max(w.longest, took); len(w.hung) > 0 {
		w.returned[key()] = true
	}
}
