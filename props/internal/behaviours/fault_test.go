package behaviours_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gamma/model"
	"gamma/props"
	"gamma/props/internal/platform"
)

// A fault is how a kernel misbehaves. Where it does depends on the input alone, but for stateful, third, flaky and chance: each kind says what
// triggers it, so that a reducer has something to find.
const (
	right     = "right"     // none
	wrong     = "wrong"     // another result
	panics    = "panics"    // panics
	hangs     = "hangs"     // never returns
	exits     = "exits"     // ends the process with status 7
	fails     = "fails"     // returns an error
	nanOnly   = "nan"       // returns nothing but NaNs
	short     = "short"     // leaves the last of its results unwritten
	writes    = "writes"    // writes to its input
	keeps     = "keeps"     // writes to its input in the call after
	stateful  = "stateful"  // another result in every call but the first
	third     = "third"     // another result in the third call alone
	flaky     = "flaky"     // another result in the first call alone
	chance    = "chance"    // another result in one call of four, of those that trigger it
	long      = "long"      // panics on more than longest elements
	digests   = "digests"   // none, and the test prints a hash of all inputs
	tells     = "tells"     // none, and the process that runs the kernel writes its number into a file
	rounds    = "rounds"    // leaves the processor rounding toward zero
	restores  = "restores"  // none: it rounds toward zero inside of a call, and puts that back
	suffers   = "suffers"   // none of its own: it computes on threads that another kernel has left rounding toward zero
	spreads   = "spreads"   // goroutines that the kernel starts leave their threads rounding toward zero
	once      = "once"      // another result in the process that comes first in a directory
	beside    = "beside"    // panics in its first calls; in those after, another subject panics while it runs
	lawPanics = "lawpanics" // none, and a law of the subject's own panics
	onDevice  = "device"    // none, on a device, and the test prints the behaviours of the first runs
)

// longest is how many elements a long kernel takes.
const longest = 16

// pidFile is where a kernel that tells writes.
const pidFile = "pids"

// kernel is a kernel with a fault, whatever its kind.
type kernel struct {
	fault     string
	triggered int // calls
	digest    uint64
	told      bool
	first     int // calls in which a kernel beside panics
	met       int // how often a kernel that suffers was asked what it does
	order     []model.Behaviour
}

// enter is called first by each kernel.
func (k *kernel) enter(trigger bool, n int) error {
	if trigger {
		k.triggered++
	}
	switch {
	case k.fault == tells:
		k.tell()
	case k.fault == spreads:
		spread()
	case k.fault == restores:
		defer platform.ReadEnvironment().Write()
		towardZero()
	case k.fault == long && n > longest:
		panic(fmt.Sprintf("%d elements", n))
	case k.fault == hangs: // on every input: under load a run that only starts slowly would look the same
		k.tell()
		for {
			time.Sleep(time.Hour)
		}
	case !trigger:
	case k.fault == rounds:
		towardZero()
	case k.fault == beside && k.triggered > k.first:
		elsewhere()
	case k.fault == panics || k.fault == beside:
		k.explode()
	case k.fault == exits:
		os.Exit(7)
	case k.fault == fails:
		return errors.New("the queue is full")
	}
	return nil
}

// towardZero changes how the thread rounds, as code in C does by fesetround.
func towardZero() {
	rounding := platform.Environment(3 << 13)
	if runtime.GOARCH == "arm64" {
		rounding = 3 << 22
	}
	(platform.ReadEnvironment() | rounding).Write()
}

// spread leaves some threads rounding toward zero, of which the caller's is none.
func spread() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all sync.WaitGroup
	for range 4 {
		all.Go(towardZero)
	}
	all.Wait()
}

// undisturbed reports whether the threads of some goroutines round as Go does.
func undisturbed() bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var wrong atomic.Bool
	var all, met sync.WaitGroup
	met.Add(4)
	for range 4 {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			met.Done()
			met.Wait()
			if e := platform.ReadEnvironment(); e != e.Go() {
				wrong.Store(true)
			}
		})
	}
	all.Wait()
	return !wrong.Load()
}

// explode stands for the place in a kernel that panics: reports name it.
func (k *kernel) explode() { panic("boom") }

// spoils reports whether the result of the call is to be another than the right one.
func (k *kernel) spoils(trigger bool) bool {
	switch k.fault {
	case wrong:
		return trigger
	case suffers:
		k.met++ // an element of a vector may call
		return trigger && k.met < 20 && !undisturbed()
	case stateful:
		return trigger && k.triggered > 1
	case third:
		return trigger && k.triggered == 3
	case flaky:
		return trigger && k.triggered == 1
	case chance:
		return trigger && rand.IntN(4) == 0
	case once:
		return trigger && k.isFirst()
	}
	return false
}

// isFirst reports whether this process is the first to ask here.
func (k *kernel) isFirst() bool {
	const mark = "first"
	if text, err := os.ReadFile(mark); err == nil {
		return string(text) == fmt.Sprint(os.Getpid())
	}
	if err := os.WriteFile(mark, fmt.Append(nil, os.Getpid()), 0o644); err != nil {
		panic(err)
	}
	return true
}

// see adds words of an input to the digest.
func (k *kernel) see(words ...uint64) {
	if k.fault != digests {
		return
	}
	h := fnv.New64a()
	fmt.Fprint(h, k.digest, words)
	k.digest = h.Sum64()
}

// tell writes the number of the process, once.
func (k *kernel) tell() {
	if k.told {
		return
	}
	k.told = true
	f, err := os.OpenFile(pidFile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(f, os.Getpid())
	if err := f.Close(); err != nil {
		panic(err)
	}
}

// ran notes the behaviour of a run on a device, if it is another than that of the run before.
func (k *kernel) ran(at props.Setting) {
	b := at.Behaviour
	b.Seed = 0
	if n := len(k.order); n == 0 || k.order[n-1] != b {
		k.order = append(k.order, b)
	}
}

// admitted is what the claims of kernels on a device admit: each field alone, and all at once, is singles of it.
var admitted = props.DeviceClaim{Admits: model.Behaviour{Order: "accesses", Poison: true, ULP: true}, Cost: 1}

// singles are the behaviours that a law's first cases go through, in any order.
var singles = []model.Behaviour{{}, {Order: "accesses"}, {Poison: true}, {ULP: true}, admitted.Admits}
