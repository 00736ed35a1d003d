package props

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	run, end := begin(t, s)
	if run == nil {
		return
	}
	defer end()
	run.replay(t)
}

// replay judges every case on file for the subject, those of the option -gamma.case alone if set.
func (r *run) replay(t *testing.T) {
	t.Helper()
	files, errs := r.casesOnFile()
	for _, err := range errs {
		t.Error(err)
	}
	if text := r.unlinked(); text != "" {
		t.Log(text)
	}
	if len(files) == 0 {
		if r.set.caseFile != "" && len(errs) == 0 {
			t.Skipf("the case %s is not one of %s", r.set.caseFile, r.sub.name)
		}
		return
	}
	t.Run("replay", func(t *testing.T) {
		for _, f := range files {
			r.replayFile(t, f)
		}
		t.Logf("replayed %d cases on file", len(files))
	})
}

// unlinked counts and names the kernels of cases on file that are not this subject's, so that a case
// whose kernel was renamed is not forgotten; "" if there are none.
func (r *run) unlinked() string {
	if len(r.others) == 0 {
		return ""
	}
	names := make([]string, 0, len(r.others))
	total := 0
	for name, n := range r.others {
		names = append(names, name)
		total += n
	}
	slices.Sort(names)
	if total == 1 {
		return "1 case on file names another kernel: " + names[0]
	}
	return fmt.Sprintf("%d cases on file name other kernels: %s", total, strings.Join(names, ", "))
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
		} else {
			r.others = map[string]int{c.Kernel: 1}
		}
		return mine, nil
	}
	files, errs := corpus.Load(os.DirFS(saveDirName), replayOptions)
	for i := range errs {
		errs[i] = fmt.Errorf("%s/%w", saveDirName, errs[i])
	}
	r.others = map[string]int{}
	for i := range files {
		files[i].Path = filepath.Join(saveDirName, files[i].Path)
		if k := files[i].Case.Kernel; k != r.sub.name {
			r.others[k]++
		}
	}
	for _, f := range append(files, embedded()...) {
		if f.Case.Kernel == r.sub.name && strings.HasPrefix(string(f.Case.Law), r.set.law) {
			mine = append(mine, f)
		}
	}
	return mine, errs
}

// saveDirName is where a package's own cases live, beside its tests.
const saveDirName = "testdata/gamma"

// replayed is a case on file and how it was judged.
type replayed struct {
	law   Law
	trial *Trial
	v     Verdict
}

func (r *run) replayFile(t *testing.T, f corpus.File) {
	t.Helper()
	j, err := r.judgeFile(f)
	switch {
	case err != nil:
		t.Error(err)
	case f.Case.Expect == corpus.ExpectViolated:
		r.open[j.law.ID] = f.Path
		t.Logf("%s: still open: %v", f.Path, j.v)
	case j.v.fails():
		st := r.stats(j.law.ID)
		st.Violations++
		fl := &Failure{
			Law: j.law, Subject: r.sub.name, Claim: r.sub.claim, Case: f.Case, Original: f.Case, Verdict: j.v,
			Seed: r.set.seedText, File: f.Path, Replayed: true, Test: r.sum.Test,
		}
		fl.noteSchedule(j.trial)
		st.Failure = fl
		publishFailure(fl)
		t.Error(fl.Text())
	}
}

// judgeFile judges a case on file. It is an error if the case cannot be judged, if what it says of
// the right result is wrong, or if it stands for an open fault that the kernel does not show.
func (r *run) judgeFile(f corpus.File) (replayed, error) {
	l, err := r.lawFor(f.Case)
	if err == nil {
		err = r.sub.accepts(f.Case)
	}
	if err != nil {
		return replayed{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	r.stats(l.ID).Replayed++
	trial := newTrial(r.sub)
	trial.guard = r.guard
	v := trial.judgeRepeated(&l, f.Case)
	if err := trial.checkWant(f.Case); err != nil {
		return replayed{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	if f.Case.Expect == corpus.ExpectViolated && !v.fails() {
		return replayed{}, fmt.Errorf("%s: the case is on file as a known open fault, and the law does not fail it any more: %v. "+
			"If the fault is mended, change the file to 'expect holds'", f.Path, v)
	}
	return replayed{l, trial, v}, nil
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
