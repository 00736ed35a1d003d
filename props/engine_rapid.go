package props

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"pgregory.net/rapid"
)

// errStopRapid unwinds rapid when it asks its test to stop.
var errStopRapid = errors.New("props: rapid stopped its test")

// quietTB takes rapid's report, so that the failure is reported once, by us, after our own
// reduction. It is what rapid calls a TB.
type quietTB struct {
	failed bool
	text   strings.Builder
}

func (q *quietTB) Helper()                  {}
func (q *quietTB) Name() string             { return "gamma" }
func (q *quietTB) Logf(string, ...any)      {}
func (q *quietTB) Log(...any)               {}
func (q *quietTB) Skipf(f string, a ...any) { q.Errorf(f, a...); q.SkipNow() }
func (q *quietTB) Skip(a ...any)            { q.Error(a...); q.SkipNow() }
func (q *quietTB) SkipNow()                 { panic(errStopRapid) }
func (q *quietTB) Errorf(f string, a ...any) {
	q.failed = true
	fmt.Fprintf(&q.text, f+"\n", a...)
}

func (q *quietTB) Error(a ...any) {
	q.failed = true
	fmt.Fprintln(&q.text, a...)
}
func (q *quietTB) Fatalf(f string, a ...any) { q.Errorf(f, a...); q.FailNow() }
func (q *quietTB) Fatal(a ...any)            { q.Error(a...); q.FailNow() }
func (q *quietTB) FailNow()                  { q.failed = true; panic(errStopRapid) }
func (q *quietTB) Fail()                     { q.failed = true }
func (q *quietTB) Failed() bool              { return q.failed }

var (
	genByte  = rapid.IntRange(0, 255)
	genSeed  = rapid.Uint64()
	genPlace = rapid.IntRange(0, 1<<16-1)
)

// shaped says that an input has a size and a shape of its own, which are drawn beside its family.
type shaped bool

// runRapid lets rapid draw for prop, which is true where an input violates, and returns what rapid said of a failure, or "".
func runRapid(checks int, with shaped, prop func(d draw) (violated bool)) string {
	return checkRapid(checks, func(rt *rapid.T) {
		d := draw{family: genPlace.Draw(rt, "family"), a: uint8(genByte.Draw(rt, "a")), b: uint8(genByte.Draw(rt, "b"))}
		if with {
			d.size = genPlace.Draw(rt, "size")
		}
		d.seed = genSeed.Draw(rt, "seed")
		if with {
			d.shape = genPlace.Draw(rt, "shape")
		}
		if prop(d) {
			rt.Fatalf("violated")
		}
	})
}

// checkRapid runs a property of rapid's, and returns what rapid said of a failure, or "".
func checkRapid(checks int, prop func(rt *rapid.T)) string {
	restore := setRapid(checks)
	defer restore()
	tb := &quietTB{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != errStopRapid { //nolint:errorlint // a sentinel of our own
				panic(p)
			}
		}()
		rapid.Check(tb, prop)
	}()
	return strings.TrimSpace(tb.text.String())
}

// rapidFlags guards rapid's settings, which are global: the first run in sets ours, the last one
// out puts back what was there.
var rapidFlags struct {
	sync.Mutex
	users int
	was   map[string]string
}

// setRapid gives rapid our settings, and returns what gives back the old ones. Rapid's own shrinking
// is off: our reducer does that work. Its seed is fixed, since ours enters every recipe.
func setRapid(checks int) (restore func()) {
	rapidFlags.Lock()
	defer rapidFlags.Unlock()
	rapidFlags.users++
	if rapidFlags.users == 1 {
		rapidFlags.was = map[string]string{}
		for name, value := range map[string]string{
			"rapid.checks": strconv.Itoa(checks), "rapid.seed": "1", "rapid.shrinktime": "0s",
			"rapid.nofailfile": "true", "rapid.failfile": "",
		} {
			f := flag.Lookup(name)
			if f == nil {
				panic(noRapidFlag(name))
			}
			rapidFlags.was[name] = f.Value.String()
			if err := f.Value.Set(value); err != nil {
				panic(err)
			}
		}
	}
	return func() {
		rapidFlags.Lock()
		defer rapidFlags.Unlock()
		if rapidFlags.users--; rapidFlags.users == 0 {
			for name, value := range rapidFlags.was {
				if err := flag.Lookup(name).Value.Set(value); err != nil {
					panic(err)
				}
			}
		}
	}
}
