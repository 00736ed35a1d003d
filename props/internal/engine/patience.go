package engine

import (
	"time"

	"gamma/props/internal/platform"
)

// patience says when a call of a process has run for its limit: by the clock, but for a machine so busy that the process waits for a
// processor. There a right kernel takes as many times longer as there are processes to each processor, and is not accused of hanging.
type patience struct {
	pid   int
	since time.Time
	spent time.Duration // by all threads of the process before the call
	known bool          // the system says what is spent
}

const (
	// idle: a process that has run for less than this part of the time waits for something that is no processor.
	idle = 0.02
	// mostPatience is how many times its limit a call may last at most.
	mostPatience = 20
)

// newPatience returns the patience with a call that begins now.
func newPatience(pid int) patience {
	p := patience{pid: pid, since: time.Now()}
	p.spent, p.known = platform.ProcessTime(pid)
	return p
}

// over reports whether the call that has not returned now has had limit.
func (p *patience) over(now time.Time, limit time.Duration) bool {
	passed := now.Sub(p.since)
	if passed < limit || !p.known {
		return passed >= limit
	}
	spent, known := platform.ProcessTime(p.pid)
	return !known || enough(passed, spent-p.spent, limit)
}

// enough reports whether a call that has lasted for passed >= limit, of which its process has run for spent, has had its limit.
func enough(passed, spent, limit time.Duration) bool {
	return spent >= limit || float64(spent) < idle*float64(passed) || passed >= mostPatience*limit
}
