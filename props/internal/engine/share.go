package engine

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gamma/corpus"
)

// pool shares the time of a process among the searches of all laws, so that each gets as much as those that come after it: what one does not need is
// divided among the rest. How many there will be is known by the last run of the same tests, and without one guessed: each test function to come that the sources name
// is expected to have as many as those that have begun; where subjects are subtests, as many are expected to come as have begun.
type pool struct {
	mu        sync.Mutex
	spent     time.Duration // in which one search at least ran
	since     time.Time     // of the last change of active
	active    int
	begun     int
	expected  int // by the last run; 0: there was none
	announced int // by the tests that have begun
	subjects  int // that have begun
	names     map[string]bool
	tests     int  // functions that have begun and are to come; 0: not known
	looped    bool // a subject is a subtest, so that others may follow in its function
	read      bool
}

// searches is the pool of the process.
var searches pool

const (
	// leastRest is how many searches are expected at least where no run has said it.
	leastRest  = 8
	leastShare = 2 * time.Millisecond
	// leastCases is how many cases a search judges however small its share is, and at least one of them has to say something.
	leastCases = 8
)

// begin starts a search, and returns how long it may take, and what ends it. The share is never more than budget.
func (p *pool) begin(total, budget time.Duration) (share time.Duration, end func()) {
	if total == 0 {
		return budget, func() {}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.read {
		p.read, p.expected = true, readSearches()[searchesKey()]
	}
	p.change(1)
	rest := p.expected - p.begun
	if p.expected == 0 || rest <= 0 {
		rest = p.guess()
	}
	p.begun++
	share = (total - p.spent) * time.Duration(p.active) / time.Duration(max(rest, p.active))
	return min(budget, max(share, leastShare)), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.change(-1)
	}
}

// leastLoop is how many subjects are expected to follow the first in a function that has them as subtests.
const leastLoop = 7

// guess returns how many searches are to come where no run has said it.
func (p *pool) guess() int {
	own := p.announced - p.begun
	if p.subjects == 0 || p.tests == 0 {
		return max(2*own, leastRest)
	}
	rest := own + max(0, p.tests-len(p.names))*p.announced/len(p.names)
	if p.looped {
		rest += max(p.subjects, leastLoop) * p.announced / p.subjects
	}
	return rest
}

// Announce says that a test begins to judge a subject by so many searches, in a folder with so many test functions that judge; 0 where that is not known.
func Announce(test string, n, tests int) {
	function, _, sub := strings.Cut(test, "/")
	searches.mu.Lock()
	defer searches.mu.Unlock()
	if searches.names == nil {
		searches.names = map[string]bool{}
	}
	searches.names[function] = true
	searches.announced += n
	searches.subjects++
	searches.tests = tests
	searches.looped = searches.looped || sub
}

// change counts the time until now, and that more searches run.
func (p *pool) change(by int) {
	now := time.Now()
	if p.active > 0 {
		p.spent += now.Sub(p.since)
	}
	p.since, p.active = now, p.active+by
}

// searchesFile is where a run tells the next how many searches there were, beside the summary.
const searchesFile = "searches.json"

// searchesKey tells runs apart that judge something else.
func searchesKey() string {
	list := []string{OptLaw.String(), OptDevice.String()}
	for _, name := range []string{"test.run", "test.skip"} {
		if f := flag.Lookup(name); f != nil {
			list = append(list, f.Value.String())
		}
	}
	return strings.Join(list, " ")
}

// readSearches returns how many searches runs had; none if there is no file that says it.
func readSearches() map[string]int {
	of := map[string]int{}
	if dir, err := RunDir(); err == nil {
		if text, err := os.ReadFile(filepath.Join(dir, searchesFile)); err == nil && json.Unmarshal(text, &of) != nil {
			clear(of)
		}
	}
	return of
}

// keep writes how many searches there have been.
func (p *pool) keep(dir string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun == 0 {
		return nil
	}
	of := readSearches()
	of[searchesKey()] = p.begun
	text, err := json.Marshal(of)
	if err != nil {
		return err
	}
	return corpus.WriteFile(filepath.Join(dir, searchesFile), append(text, '\n'))
}
