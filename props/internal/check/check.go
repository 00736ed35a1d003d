package check

import (
	"cmp"
	"testing"

	"gamma/props/internal/engine"
)

// Check judges a subject: it replays the cases on file, then searches with rapid, law by law. The first violation of each law
// fails the test with a report, and is saved.
func Check(t *testing.T, make engine.Opener) {
	t.Helper()
	Judge(t, make, inTest(t), announces(t), RunRapid)
}

// Judge judges a subject by what propose draws, and returns what was found; nil where there was nothing to do. It announces how many laws it searches.
func Judge(t engine.TB, make engine.Opener, parts engine.Subtests, announce func(n int), propose engine.Proposer) *engine.SubjectSummary {
	t.Helper()
	j, end := begin(t, make)
	if j == nil {
		return nil
	}
	defer end()
	if j.Base().Set.Shard.On() {
		engine.CheckParts(t, j, parts, propose)
		return j.Base().Sum
	}
	j.Replay(t, parts)
	if j.Base().Set.CaseFile == "" { // else the case alone
		announce(j.Searches())
		j.Check(t, parts, propose)
	}
	return j.Base().Sum
}

// Replay judges the cases on file alone, without a search.
func Replay(t *testing.T, make engine.Opener) {
	t.Helper()
	j, end := begin(t, make)
	if j == nil {
		return
	}
	defer end()
	j.Replay(t, inTest(t))
}

// inTest runs parts as subtests of t.
func inTest(t *testing.T) engine.Subtests {
	return func(name string, part func(t engine.TB)) { t.Run(name, func(t *testing.T) { part(t) }) }
}

// Open reads the settings and makes a subject ready, and fails the test where either is wrong.
func Open(t engine.TB, make engine.Opener) engine.Judged {
	t.Helper()
	set, err := engine.ReadSettings()
	if err != nil {
		t.Error(err)
		return nil
	}
	j, err := engine.Named(set, make)
	if err != nil {
		t.Error(err)
		return nil
	}
	return j
}

// begin makes a subject ready in a test, in isolation if that is asked for, and returns what ends it. It returns no subject where
// there is nothing to do: its fields are wrong, or this process is a child that serves it, or another one, to a test that runs
// elsewhere.
func begin(t engine.TB, make engine.Opener) (j engine.Judged, end func()) {
	t.Helper()
	if j = Open(t, make); j == nil {
		return nil, nil
	}
	s := j.Base()
	if !s.Anywhere {
		s.Set.SkipElsewhere(t, s.Name, s.Device)
	}
	if mine, other := engine.IsChildFor(t.Name(), s.Name); mine {
		if err := engine.Serve(j.Served()); err != nil {
			t.Error(err)
		}
		return nil, nil
	} else if other {
		return nil, nil
	}
	if err := s.Unique(t.Name()); err != nil {
		t.Error(err)
		return nil, nil
	}
	s.Start(t, j.Recall)
	stop := func() {}
	if s.Set.Isolate {
		iso := engine.NewIsolation(t.Name(), s.Name, s.Set.Timeout)
		j.Isolate(iso.Ask)
		stop = iso.Stop
	}
	return j, func() {
		t.Helper()
		s.End(t)
		stop()
	}
}

// FuzzAll judges subjects of any kinds in one target: the first byte of an input chooses one.
func FuzzAll(f *testing.F, subjects ...engine.Opener) {
	f.Helper()
	var list []engine.Judged
	why, prefix := "", ""
	for _, make := range subjects {
		j := Open(f, make)
		if j == nil {
			return
		}
		s := j.Base()
		if mine, _ := engine.IsChildFor(f.Name(), s.Name); mine {
			if err := engine.Serve(j.Served()); err != nil {
				f.Error(err)
			}
			f.Skip("it served a kernel to another process")
		}
		prefix = s.Set.Law
		if why = cmp.Or(s.Set.Elsewhere(s.Name, s.Device), why); !s.Set.Runs(s.Device) || j.Targets() == 0 {
			continue
		}
		if err := s.Unique(f.Name()); err != nil {
			f.Fatal(err)
		}
		s.Start(f, j.Recall)
		f.Cleanup(func() { s.Rec.Close() })
		list = append(list, j)
	}
	engine.SkipAll(f, len(list), why)
	switch {
	case len(list) > 0:
	case prefix == "":
		f.Fatal("props: no law applies to what is fuzzed; look at the claims")
	case engine.LawBegins(prefix):
		f.Skipf("no law that begins with %q says anything about what is fuzzed", prefix)
	default:
		f.Fatal(engine.NoSuchLaw(prefix))
	}
	if set := list[0].Base().Set; set.CaseFile != "" {
		for _, j := range list {
			j.Replay(f, func(_ string, part func(t engine.TB)) { part(f) })
		}
		f.Skipf("the case %s alone was replayed, and nothing fuzzed", set.CaseFile)
	} else if set.Isolate {
		f.Log("props: a fuzz target runs kernels in Go's own worker processes; -gamma.isolate has no effect on it")
	}
	for _, seed := range list[0].Seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b := engine.Decoder(data)
		j := list[int(b.Byte())%len(list)]
		j.Fuzz(t, int(b.Byte())%j.Targets(), &b)
	})
}
