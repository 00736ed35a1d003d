package props

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gamma/corpus"
)

// replayOptions lets corpus expand our recipes.
var replayOptions = corpus.Options{Expand: ExpandGen}

// Replay judges the cases on file alone, without a search: those below testdata/gamma that name the
// subject, and those embedded in package corpus.
func (r Reduction) Replay(t *testing.T) { t.Helper(); replay(t, r) }

// Replay judges the cases on file, as Reduction.Replay does.
func (d Dot) Replay(t *testing.T) { t.Helper(); replay(t, d) }

func replay(t *testing.T, s Subject) {
	t.Helper()
	sub, set, ok := open(t, s)
	if !ok {
		return
	}
	run := newRun(t, sub, set)
	defer run.close()
	run.replay(t)
}

// replay judges every case on file for the subject, those of the option -gamma.case alone if set.
func (r *run) replay(t *testing.T) {
	t.Helper()
	files, errs := r.casesOnFile()
	for _, err := range errs {
		t.Error(err)
	}
	if len(files) == 0 {
		return
	}
	t.Run("replay", func(t *testing.T) {
		for _, f := range files {
			r.replayFile(t, f)
		}
		t.Logf("replayed %d cases on file", len(files))
	})
}

// casesOnFile loads the cases that name the subject and a law that is asked for.
func (r *run) casesOnFile() (mine []corpus.File, errs []error) {
	if name := r.set.caseFile; name != "" {
		name = findCase(name)
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, []error{err}
		}
		o := replayOptions
		o.File = name
		c, err := corpus.Parse(text, o)
		if err != nil {
			return nil, []error{err}
		}
		if c.Kernel == r.sub.name {
			mine = append(mine, corpus.File{Path: name, Case: c})
		}
		return mine, nil
	}
	files, errs := corpus.Load(os.DirFS(saveDirName), replayOptions)
	for i := range files {
		files[i].Path = filepath.Join(saveDirName, files[i].Path)
	}
	for _, f := range append(files, embedded()...) {
		if f.Case.Kernel == r.sub.name {
			mine = append(mine, f)
		}
	}
	return mine, errs
}

// saveDirName is where a package's own cases live, beside its tests.
const saveDirName = "testdata/gamma"

func (r *run) replayFile(t *testing.T, f corpus.File) {
	t.Helper()
	l, err := r.lawFor(f.Case)
	if err != nil {
		t.Errorf("%s: %v", f.Path, err)
		return
	}
	if err := r.sub.accepts(f.Case); err != nil {
		t.Errorf("%s: %v", f.Path, err)
		return
	}
	st := r.stats(l.ID)
	st.Replayed++
	trial := newTrial(r.sub)
	trial.guard = r.guard
	v := trial.judgeRepeated(&l, f.Case)
	if err := trial.checkWant(f.Case); err != nil {
		t.Errorf("%s: %v", f.Path, err)
		return
	}
	switch open := f.Case.Expect == corpus.ExpectViolated; {
	case open && !v.fails():
		t.Errorf("%s: the case is on file as a known open fault, and the law does not fail it any more: %v. "+
			"If the fault is mended, change the file to 'expect holds'.", f.Path, v)
	case open:
		r.open[l.ID] = f.Path
		t.Logf("%s: still open: %v", f.Path, v)
	case v.fails():
		st.Violations++
		fl := &Failure{
			Law: l, Subject: r.sub.name, Claim: r.sub.claim, Case: f.Case, Original: f.Case, Verdict: v,
			Seed: r.set.seedText, File: f.Path, Replayed: true, Test: r.sum.Test,
		}
		fl.noteSchedule(trial)
		st.Failure = fl
		publishFailure(fl)
		t.Error("\n" + fl.Text())
	}
}

// lawFor finds the law of a case among the built-in ones and the subject's own.
func (r *run) lawFor(c *corpus.Case) (Law, error) {
	for _, l := range append(Laws(), r.sub.laws...) {
		if l.ID != c.Law {
			continue
		}
		if why := r.sub.applies(&l); why != "" {
			return l, fmt.Errorf("law %s says nothing about %s: %s", l.ID, r.sub.name, why)
		}
		return l, nil
	}
	return Law{}, fmt.Errorf("no law is called %q", c.Law)
}

// checkWant compares the right result that a case states with the oracle's, and for rows that hold,
// nothing else: the law judges the kernel.
func (t *Trial) checkWant(c *corpus.Case) error {
	if c.Want == "" || t.n == 0 && t.sub.claim.Mean {
		return nil
	}
	out := t.sub.claim.Out
	want, err := corpus.ParseValue(out, c.Want)
	if err != nil {
		return fmt.Errorf("want: %w", err)
	}
	t.selectRow(0)
	if got := t.roundedExact(); !sameResult(out, false, got, want) {
		return fmt.Errorf("the case wants %s and the oracle says %s", describe(out, want), describe(out, got))
	}
	return nil
}
