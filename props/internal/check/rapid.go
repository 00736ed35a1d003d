package check

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"gamma/props/internal/engine"
)

// errStopRapid unwinds rapid when it asks its test to stop.
var errStopRapid = errors.New("props: rapid stopped its test")

// QuietTB takes rapid's report, so that the failure is reported once, by us, after our own
// reduction. It is what rapid calls a TB.
type QuietTB struct {
	HasFailed bool
	Text      strings.Builder
}

func (q *QuietTB) Helper() {}

func (q *QuietTB) Name() string { return "gamma" }

func (q *QuietTB) Logf(string, ...any) {}

func (q *QuietTB) Log(...any) {}

func (q *QuietTB) Skipf(f string, a ...any) { q.Errorf(f, a...); q.SkipNow() }

func (q *QuietTB) Skip(a ...any) { q.Error(a...); q.SkipNow() }

func (q *QuietTB) SkipNow() { panic(errStopRapid) }

func (q *QuietTB) Errorf(f string, a ...any) {
	q.HasFailed = true
	fmt.Fprintf(&q.Text, f+"\n", a...)
}

func (q *QuietTB) Error(a ...any) {
	q.HasFailed = true
	fmt.Fprintln(&q.Text, a...)
}

func (q *QuietTB) Fatalf(f string, a ...any) { q.Errorf(f, a...); q.FailNow() }

func (q *QuietTB) Fatal(a ...any) { q.Error(a...); q.FailNow() }

func (q *QuietTB) FailNow() { q.HasFailed = true; panic(errStopRapid) }

func (q *QuietTB) Fail() { q.HasFailed = true }

func (q *QuietTB) Failed() bool { return q.HasFailed }

var (
	genByte = rapid.IntRange(0, 255)
	genSeed = rapid.Uint64()
	// GenPlace draws a place in a table, of which the reader takes the remainder.
	GenPlace = rapid.IntRange(0, 1<<16-1)
)

// RunRapid lets rapid draw for prop, which is true where an input violates, and returns what rapid said of a failure, or "".
func RunRapid(checks int, with engine.Shaped, prop func(d engine.Draw) (violated bool)) string {
	return CheckRapid(checks, func(rt *rapid.T) {
		d := engine.Draw{Family: GenPlace.Draw(rt, "family"), A: uint8(genByte.Draw(rt, "a")), B: uint8(genByte.Draw(rt, "b"))}
		if with {
			d.Size = GenPlace.Draw(rt, "size")
		}
		d.Seed = genSeed.Draw(rt, "seed")
		if with {
			d.Shape = GenPlace.Draw(rt, "shape")
		}
		if prop(d) {
			rt.Fatalf("violated")
		}
	})
}

// CheckRapid runs a property of rapid's, and returns what rapid said of a failure, or "".
func CheckRapid(checks int, prop func(rt *rapid.T)) string {
	restore := setRapid(checks)
	defer restore()
	tb := &QuietTB{}
	func() {
		defer func() {
			if p := recover(); p != nil && p != errStopRapid { //nolint:errorlint // a sentinel of our own
				panic(p)
			}
		}()
		rapid.Check(tb, prop)
	}()
	return strings.TrimSpace(tb.Text.String())
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
		if testing.Short() { // a fifth of the checks, one of them at least
			checks = max(checks, 5)
		}
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

// The sentences of this package's panics, each a programmer's mistake.

func noRapidFlag(name string) string {
	return fmt.Sprintf("props: rapid has no flag %s; this version of rapid is not the one in go.mod", name)
}
