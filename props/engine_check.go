package props

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"gamma/model"
)

// check judges a subject: it replays the cases on file, then searches with rapid, law by law. The first violation of each law
// fails the test with a report, and is saved.
func check(t *testing.T, make opener) {
	t.Helper()
	j, end := begin(t, make)
	if j == nil {
		return
	}
	defer end()
	j.replay(t, inTest(t))
	if j.base().set.caseFile == "" { // else the case alone
		j.check(t, inTest(t), runRapid)
	}
}

// replay judges the cases on file alone, without a search.
func replay(t *testing.T, make opener) {
	t.Helper()
	j, end := begin(t, make)
	if j == nil {
		return
	}
	defer end()
	j.replay(t, inTest(t))
}

// inTest runs parts as subtests of t.
func inTest(t *testing.T) subtests {
	return func(name string, part func(t TB)) { t.Run(name, func(t *testing.T) { part(t) }) }
}

// open reads the settings and makes a subject ready, and fails the test where either is wrong.
func open(t TB, make opener) judged {
	t.Helper()
	set, err := readSettings()
	if err != nil {
		t.Error(err)
		return nil
	}
	j, err := make(set)
	if err != nil {
		t.Error(err)
		return nil
	}
	j.base().begins = lawBegins
	return j
}

// begin makes a subject ready in a test, in isolation if that is asked for, and returns what ends it. It returns no subject where
// there is nothing to do: its fields are wrong, or this process is a child that serves it, or another one, to a test that runs
// elsewhere.
func begin(t *testing.T, make opener) (j judged, end func()) {
	t.Helper()
	if j = open(t, make); j == nil {
		return nil, nil
	}
	s := j.base()
	if !s.anywhere {
		s.set.skipElsewhere(t, s.name, s.device)
	}
	if mine, other := isChildFor(t.Name(), s.name); mine {
		if err := serve(j.served()); err != nil {
			t.Error(err)
		}
		return nil, nil
	} else if other {
		return nil, nil
	}
	s.start(t, j.recall)
	stop := func() {}
	if s.set.isolate {
		iso := newIsolation(t.Name(), s.name, s.set.timeout)
		j.isolate(iso.ask)
		stop = iso.stop
	}
	return j, func() {
		t.Helper()
		s.end(t)
		stop()
	}
}

// fuzzAll judges subjects of any kinds in one target: the first byte of an input chooses one.
func fuzzAll(f *testing.F, subjects ...opener) {
	f.Helper()
	var list []judged
	why, prefix := "", ""
	for _, make := range subjects {
		j := open(f, make)
		if j == nil {
			return
		}
		s := j.base()
		prefix = s.set.law
		if why = cmp.Or(s.set.elsewhere(s.name, s.device), why); !s.set.runs(s.device) || j.targets() == 0 {
			continue
		}
		s.start(f, j.recall)
		f.Cleanup(func() { s.rec.close() })
		list = append(list, j)
	}
	skipAll(f, len(list), why)
	switch {
	case len(list) > 0:
	case prefix == "":
		f.Fatal("props: no law applies to what is fuzzed; look at the claims")
	case lawBegins(prefix):
		f.Skipf("no law that begins with %q says anything about what is fuzzed", prefix)
	default:
		f.Fatal(noSuchLaw(prefix))
	}
	if set := list[0].base().set; set.caseFile != "" {
		for _, j := range list {
			j.replay(f, func(_ string, part func(t TB)) { part(f) })
		}
		f.Skipf("the case %s alone was replayed, and nothing fuzzed", set.caseFile)
	} else if set.isolate {
		f.Log("props: a fuzz target runs kernels in Go's own worker processes; -gamma.isolate has no effect on it")
	}
	for _, seed := range list[0].seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := decoder(data)
		j := list[int(b.byte())%len(list)]
		j.fuzz(t, int(b.byte())%j.targets(), &b)
	})
}

// lawBegins reports whether a law of any kind begins so.
func lawBegins(prefix string) bool {
	begins := func(id model.LawID) bool { return strings.HasPrefix(string(id), prefix) }
	return hasLaw(laws, begins) || hasLaw(wordLaws, begins) || hasLaw(modularLaws, begins) || hasLaw(nttLaws, begins) || slices.ContainsFunc(wrappingIDs, begins) ||
		slices.ContainsFunc(scalarIDs, begins)
}

func hasLaw[J, C any](list []LawOf[J, C], is func(id model.LawID) bool) bool {
	return slices.ContainsFunc(list, func(l LawOf[J, C]) bool { return is(l.ID) })
}

// wrappingIDs are the IDs of the laws of sums modulo 2^k, whose room stands above this one.
var wrappingIDs = []model.LawID{model.WrapExact, model.WrapPermute, model.WrapSplit, model.WrapRepeat}
