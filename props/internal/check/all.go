package check

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamma/props/internal/engine"
)

// CheckAll judges subjects in one test, as many at a time as tests run in parallel, and prints a line of each as it ends. What -run and -skip say of
// subtests holds for subjects, by their names: "TestPropSum/^kernels.SumKahan$".
func CheckAll(t *testing.T, subjects ...engine.Opener) {
	t.Helper()
	set, err := engine.ReadSettings()
	if err != nil {
		t.Error(err)
		return
	}
	r := &roster{t: t, began: time.Now(), skipped: map[string]int{}}
	names := map[string]int{}
	for _, make := range subjects {
		j, err := engine.Named(set, make)
		if err != nil {
			t.Error(err)
			continue
		}
		name := j.Base().Name
		test := t.Name() + "/" + strings.ReplaceAll(name, " ", "_")
		if names[test]++; names[test] > 1 {
			test = fmt.Sprintf("%s#%02d", test, names[test]-1)
		}
		if chosen(test) {
			r.list = append(r.list, entry{name, test, make})
			if set.CaseFile == "" && j.Base().Set.Runs(j.Base().Device) {
				announces(t)(j.Searches())
			}
		}
	}
	release := engine.HoldSummaries()
	r.run()
	file, err := release()
	if err != nil {
		t.Logf("the summary could not be written: %v", err)
	} else if r.judged.Load() > 0 {
		t.Logf("%s in %.1f s; seed %s; all laws are in %s", count(int(r.judged.Load())), time.Since(r.began).Seconds(), set.SeedText, file)
	}
	for _, why := range slices.Sorted(maps.Keys(r.skipped)) {
		t.Logf("left out: %s, since each %s", count(r.skipped[why]), why)
	}
	for _, line := range r.failed { // last, too
		t.Error(line)
	}
	switch {
	case t.Failed() || r.judged.Load() > 0:
	case len(r.skipped) > 0:
		t.Skip("no subject is judged here")
	case len(r.list) == 0 && len(subjects) > 0 && !engine.IsChild():
		t.Skipf("-run and -skip choose none of %s", count(len(subjects)))
	}
}

// count returns "1 subject", "2 subjects".
func count(n int) string {
	if n == 1 {
		return "1 subject"
	}
	return fmt.Sprint(n, " subjects")
}

// roster is what a test judges.
type roster struct {
	t      *testing.T
	list   []entry
	next   atomic.Int64
	judged atomic.Int64
	began  time.Time

	mu      sync.Mutex
	failed  []string
	skipped map[string]int // reasons
}

type entry struct {
	name, test string // test: as if the subject were a subtest
	make       engine.Opener
}

// run judges all.
func (r *roster) run() {
	together := runtime.GOMAXPROCS(0)
	if f := flag.Lookup("test.parallel"); f != nil {
		if n, err := strconv.Atoi(f.Value.String()); err == nil {
			together = n
		}
	}
	stop := r.progress()
	defer stop()
	var all sync.WaitGroup
	for range min(together, len(r.list)) {
		all.Go(func() {
			for i := r.next.Add(1) - 1; int(i) < len(r.list); i = r.next.Add(1) - 1 {
				r.judge(r.list[i])
			}
		})
	}
	all.Wait()
}

// judge judges one subject.
func (r *roster) judge(e entry) {
	tb := &quiet{t: r.t, name: e.test}
	var sum *engine.SubjectSummary
	tb.alone(func(t engine.TB) {
		sum = Judge(t, e.make, func(name string, part func(t engine.TB)) {
			law := &quiet{t: r.t, name: e.test + "/" + name}
			if !chosen(law.name) {
				return
			}
			law.alone(part)
			tb.failed = tb.failed || law.failed
			if law.skipped != "" && !tb.failed {
				r.t.Logf("%s: %s", law.name, law.skipped)
			}
		}, func(int) {}, RunRapid)
	})
	if sum != nil {
		r.judged.Add(1)
		r.t.Log(sum.Line())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if tb.skipped != "" {
		r.skipped[strings.TrimPrefix(tb.skipped, e.name+" ")]++
	}
	if tb.failed {
		line := e.test + " fails"
		if sum != nil {
			line = sum.Line()
		}
		r.failed = append(r.failed, line)
	}
}

// progress says on a terminal how far the test is, until it is stopped.
func (r *roster) progress() (stop func()) {
	terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil || testing.Verbose() { // -v says it
		return func() {}
	}
	done, all := make(chan struct{}), sync.WaitGroup{}
	all.Go(func() {
		tick := time.NewTicker(time.Second / 2)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				fmt.Fprintf(terminal, "\r\x1b[K%s: %d of %d subjects, %.0f s", r.t.Name(), r.judged.Load(), len(r.list), time.Since(r.began).Seconds())
			case <-done:
				fmt.Fprint(terminal, "\r\x1b[K")
				_ = terminal.Close()
				return
			}
		}
	})
	return func() {
		close(done)
		all.Wait()
	}
}

// quiet is a part of a test: what it logs is told if it fails, and else nobody.
type quiet struct {
	t       *testing.T
	name    string
	mu      sync.Mutex
	logs    []string
	failed  bool
	skipped string // why
}

// alone runs a part in a goroutine of its own, which Fatal and Skip end.
func (q *quiet) alone(part func(t engine.TB)) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		part(q)
	}()
	<-done
}

func (q *quiet) Helper() {}

// Together says that the subject is one of several.
func (q *quiet) Together() {}

func (q *quiet) Name() string { return q.name }

func (q *quiet) Log(args ...any) { q.note(fmt.Sprintln(args...)) }

func (q *quiet) Logf(format string, args ...any) { q.note(fmt.Sprintf(format, args...)) }

// note keeps what is logged, until the part fails.
func (q *quiet) note(text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed {
		q.t.Log(strings.TrimRight(text, "\n"))
		return
	}
	q.logs = append(q.logs, text)
}

func (q *quiet) Error(args ...any) { q.fail(fmt.Sprintln(args...)) }

func (q *quiet) Errorf(format string, args ...any) { q.fail(fmt.Sprintf(format, args...)) }

// fail tells what is wrong, and what was logged before.
func (q *quiet) fail(text string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.failed = true
	for _, line := range q.logs {
		q.t.Log(strings.TrimRight(line, "\n"))
	}
	q.logs = nil
	q.t.Error(strings.TrimRight(text, "\n"))
}

func (q *quiet) Fatal(args ...any) {
	q.Error(args...)
	runtime.Goexit()
}

func (q *quiet) Skip(args ...any) {
	q.skipped = strings.TrimSpace(fmt.Sprintln(args...))
	runtime.Goexit()
}

func (q *quiet) Skipf(format string, args ...any) { q.Skip(fmt.Sprintf(format, args...)) }

// chosen reports whether -run and -skip, read as for subtests, choose a test.
func chosen(test string) bool {
	return matches("test.run", test, true) && !matches("test.skip", test, false)
}

// matches reports whether the pattern of a flag matches a test, and fits says whether a pattern for tests above it, or none, does. The pattern has a
// regular expression for each level, with a slash between them, and such lists with a bar between them.
func matches(flagName, test string, fits bool) bool {
	f := flag.Lookup(flagName)
	if f == nil || f.Value.String() == "" {
		return fits
	}
	levels := strings.Split(test, "/")
	for _, list := range splitPattern(f.Value.String(), '|') {
		elements := splitPattern(list, '/')
		if !fits && len(elements) > len(levels) {
			continue // it skips what lies below
		}
		all := true
		for i, element := range elements[:min(len(elements), len(levels))] {
			re := compiled(element)
			all = all && re != nil && re.MatchString(levels[i])
		}
		if all {
			return true
		}
	}
	return false
}

// patterns are the regular expressions of flags, which each subject is asked for.
var patterns sync.Map

// compiled returns a regular expression, or nil of what is none.
func compiled(text string) *regexp.Regexp {
	if re, ok := patterns.Load(text); ok {
		return re.(*regexp.Regexp)
	}
	re, _ := regexp.Compile(text)
	patterns.Store(text, re)
	return re
}

// splitPattern splits a pattern at a separator outside of brackets and parentheses. A bar between whole patterns splits them alone if one has levels,
// as in package testing: a bar inside of one level gives the same either way.
func splitPattern(pattern string, at byte) (list []string) {
	depth, from := 0, 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case at:
			if depth == 0 {
				list, from = append(list, pattern[from:i]), i+1
			}
		}
	}
	return append(list, pattern[from:])
}
