package check

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"gamma/props/internal/engine"
)

// Bench is what a subject is judged on in place of a test: it keeps what is wrong.
type Bench struct {
	Errors  []string
	Skipped string
}

func (b *Bench) Helper()             {}
func (b *Bench) Name() string        { return "" } // there is no test to run again
func (b *Bench) Log(...any)          {}
func (b *Bench) Logf(string, ...any) {}
func (b *Bench) Error(args ...any) {
	b.Errors = append(b.Errors, strings.TrimSpace(fmt.Sprintln(args...)))
}
func (b *Bench) Errorf(format string, a ...any) { b.Error(fmt.Sprintf(format, a...)) }
func (b *Bench) Fatal(args ...any)              { b.Error(args...); runtime.Goexit() }
func (b *Bench) Skip(args ...any) {
	b.Skipped = strings.TrimSpace(fmt.Sprintln(args...))
	runtime.Goexit()
}
func (b *Bench) Skipf(format string, args ...any) { b.Skip(fmt.Sprintf(format, args...)) }

// alone runs a part that may end early.
func (b *Bench) alone(part func(t engine.TB)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		part(b)
	}()
	<-done
}

// Alone judges a subject where there is no test, with so much time for all its laws together, and returns what was found, and for each law what was wrong or left out.
// The error says why nothing was judged.
func Alone(open engine.Opener, limit time.Duration) (sum *engine.SubjectSummary, parts map[string]*Bench, err error) {
	shared := func(set engine.Settings) (engine.Judged, error) {
		set.Total = 0
		e, err := open(set)
		if err == nil {
			set.Budget = limit / time.Duration(max(e.Searches(), 1))
			e, err = open(set)
		}
		return e, err
	}
	b, parts := &Bench{}, map[string]*Bench{}
	b.alone(func(t engine.TB) {
		sum = Judge(t, shared, func(name string, part func(t engine.TB)) {
			parts[name] = &Bench{}
			parts[name].alone(part)
		}, func(int) {}, engine.Propose)
	})
	if sum == nil || len(b.Errors) > 0 {
		return nil, nil, errors.New(strings.Join(append(b.Errors, b.Skipped), "; "))
	}
	return sum, parts, nil
}
