package engine

import (
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"gamma/props/internal/platform"
	"gamma/props/internal/verdict"
)

// Guard guards the calls of one kernel. Each runs in the floating-point environment that Go computes in, and what the kernel leaves changed
// is put back and named: otherwise all that runs on the thread later, the judge and other kernels, would round and flush as it left it.
// Goroutines that the kernel starts leave their own threads changed: these are looked at once for a subject, and when an input fails, and an input
// that passes once they are put back is no failure. With several subjects at once nobody is named: Go runs any goroutine on any thread, and a changed thread does
// not say whose ran there.
//
// Threads that a library in another language has made for itself are out of reach. One that such a library shares among kernels, and that one of these
// leaves changed, computes for the others as it was left: -gamma.isolate=true gives each subject a process of its own.
//
// The zero value guards the calls of a Go function from any goroutine.
type Guard struct {
	// device: the kernel runs on a device, whose host code waits for others, and whose driver may change the environment: what it leaves
	// is put back, and nobody is blamed.
	device bool
	owned  int // goroutines that hold their threads, which one goroutine does after the other
	begun  uint64
	// running is the number of the call that runs, 0 between calls, and abandoned if nobody waits any more for the one that ran.
	running atomic.Uint64
	// met names what the judge found changed on a thread that it came to: a goroutine of a kernel, or an init function, left it so.
	met string
	// sweeps: calls are followed by a look at the threads on which goroutines of the kernel may have run, as of a case that is run alone: the first few,
	// since goroutines of the kernel may have been there before, and those in which goroutines were started.
	sweeps  bool
	looked  int
	created uint64 // goroutines of the process when the call began
}

// firstLooks is how many calls are followed by a look whatever they start.
const firstLooks = 8

// judging is how many goroutines judge at the moment.
var judging atomic.Int32

// sweptTogether is when threads were last looked at while several were judged, in nanoseconds of the clock, and togetherEvery how often they are at most:
// nobody is blamed then, and with the threads of many tests one look at all takes some hundredth of a second.
var sweptTogether atomic.Int64

const togetherEvery = time.Second

// worthALook reports whether threads should be looked at although nothing has failed.
func worthALook() bool {
	if judging.Load() <= 1 {
		return true
	}
	last, now := sweptTogether.Load(), time.Now().UnixNano()
	return now-last > int64(togetherEvery) && sweptTogether.CompareAndSwap(last, now)
}

// Spread names what goroutines have left changed on their threads, and puts it back; "" if nothing. From then on each call of the kernel is followed by
// a look, unless others are judged at the same time: then nobody is blamed.
func (c *Guard) Spread() (left string) {
	left, c.looked = c.sweep(), 0
	c.sweeps = c.sweeps || left != "" && judging.Load() <= 1
	return left
}

// acquit ends the looks after Spread: the kernel has not left that. It takes milliseconds a call.
func (c *Guard) acquit(left string) {
	c.note(left)
	c.sweeps = false
}

// looks is how often the threads are visited: one that has just run a goroutine, and that the system does not let go on, is no idle one yet.
const looks = 3

// sweep puts all of Go's threads that have nothing to do into Go's environment, and names what was changed on one; "" if nothing was.
func (c *Guard) sweep() (left string) {
	if !platform.HasEnvironment || c.device {
		return ""
	}
	for look := range looks {
		if look > 0 {
			time.Sleep(time.Millisecond)
		}
		platform.VisitThreads(func() {
			e := platform.ReadEnvironment()
			if g := e.Go(); g != e {
				left = e.Left(g)
				g.Write()
			}
		})
	}
	return left
}

// NewGuard returns what guards the calls of a kernel on d, which is nil for a Go function.
func NewGuard(d *DeviceClaim) *Guard { return &Guard{device: d != nil} }

// Own ties the calling goroutine to its thread until release is called, in the environment that Go computes in: so nothing else runs there
// that could change it. The judge computes between the two.
func (c *Guard) Own() (release func()) {
	if !platform.HasEnvironment {
		return func() {}
	}
	runtime.LockOSThread()
	if c.owned++; c.owned == 1 {
		judging.Add(1)
	}
	c.restore()
	return c.release
}

func (c *Guard) release() {
	if c.owned--; c.owned == 0 {
		judging.Add(-1)
	}
	runtime.UnlockOSThread()
}

// restore puts the thread into Go's environment, and keeps what it was in.
func (c *Guard) restore() platform.Environment {
	e := platform.ReadEnvironment()
	if g := e.Go(); g != e {
		c.note(e.Left(g))
		g.Write()
		return g
	}
	return e
}

// note keeps what a thread was found in.
func (c *Guard) note(left string) {
	if c.met == "" {
		c.met = left
	}
}

// remark says once what was found changed.
func (c *Guard) remark(t TB, name string) {
	t.Helper()
	if c.met != "" {
		t.Logf("%s: a thread had %s when the judge came to it, and was put back: an init function left it so, a law, or a goroutine of a kernel", name, c.met)
		c.met = ""
	}
}

// Begin stands before a call of the kernel, and returns what End wants after it.
func (c *Guard) Begin() platform.Environment {
	c.begun++
	c.running.Store(c.begun)
	if c.device {
		// Workers of a device take over faster from a goroutine that is tied to no thread.
		if c.owned > 0 {
			runtime.UnlockOSThread()
		}
		return 0
	}
	if c.sweeps {
		if c.looked < firstLooks {
			c.sweep()
		}
		c.created = platform.GoroutinesCreated()
	}
	return c.restore()
}

// End stands after a call, deferred, so that it is reached when the kernel panics. Where the kernel has left the environment changed, it is
// put back, and err becomes the breakage that says so.
func (c *Guard) End(before platform.Environment, err *error) {
	if c.running.Swap(0) == abandoned {
		select {} // the verdict is that it hangs, and all else that this goroutine would write to is in use
	}
	if c.device {
		if c.owned > 0 {
			runtime.LockOSThread()
		}
		e := platform.ReadEnvironment()
		if g := e.Go(); g != e {
			g.Write()
		}
		return
	}
	if e := platform.ReadEnvironment(); e != before {
		before.Write()
		*err = verdict.Broke(verdict.KernelEnvironment, "the kernel left %s", e.Left(before))
	} else if c.sweeps && (c.looked < firstLooks || platform.GoroutinesCreated() != c.created) {
		c.looked++
		if left := c.sweep(); left != "" {
			*err = verdict.Broke(verdict.KernelEnvironment, "the kernel left %s, on the thread of a goroutine that it had started", left)
		}
	}
}

// abandoned stands in place of the number of a call.
const abandoned = ^uint64(0)

// Watch calls f in a goroutine of its own, and returns when f does, or when one call of the kernel has run for limit, as patience counts:
// then the goroutine is left to itself, and hung is true. A call that returns after all leads nowhere.
func (c *Guard) Watch(limit time.Duration, f func()) (hung bool) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	tick := time.NewTicker(max(limit/8, time.Millisecond))
	defer tick.Stop()
	var call uint64
	var run patience
	for {
		select {
		case <-done:
			return false
		case now := <-tick.C:
			switch is := c.running.Load(); {
			case is == 0 || is != call:
				call, run = is, newPatience(os.Getpid())
			case run.over(now, limit) && c.running.CompareAndSwap(call, abandoned):
				return true
			}
		}
	}
}

// Do calls a function of the kernel.
func (c *Guard) Do(f func() error) (err error) {
	defer c.End(c.Begin(), &err)
	return f()
}
