package props

import (
	"fmt"
	"io/fs"
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
		t.Log(r.sum.replayedLine(len(files), "case"))
	})
}

// casesOnFile loads the cases that name the subject and a law that is asked for.
func (r *run) casesOnFile() (mine []corpus.File[*corpus.Case], errs []error) {
	if r.set.caseFile != "" {
		name, err := r.set.namedCase(".case")
		if name == "" {
			return nil, onlyErr(err)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, []error{fmt.Errorf("props: -gamma.case cannot be read: %w", err)}
		}
		o := replayOptions
		o.File = name
		c, err := corpus.Parse[*corpus.Case](text, o)
		if err != nil {
			return nil, []error{err}
		}
		if c.Kernel == r.sub.name {
			mine = append(mine, corpus.File[*corpus.Case]{Path: name, Body: c})
		}
		return mine, nil
	}
	files, errs := corpus.Load[*corpus.Case](os.DirFS(saveDirName), replayOptions)
	for i := range errs {
		errs[i] = fmt.Errorf("%s/%w", saveDirName, errs[i])
	}
	for i := range files {
		files[i].Path = filepath.Join(saveDirName, files[i].Path)
		noteOnFile(files[i])
	}
	for _, f := range append(files, embedded()...) {
		if f.Body.Kernel == r.sub.name && strings.HasPrefix(string(f.Body.Law), r.set.law) {
			mine = append(mine, f)
		}
	}
	return mine, errs
}

// caseKinds are the ends of the names of files with cases.
var caseKinds = corpus.Extensions()

// namedCase returns the file of one kind that -gamma.case names: a file, or the one below testdata/gamma whose name ends so, with or
// without the end of the kind. It is "" where the name is that of another kind's file; no file of any kind is an error.
func (s *settings) namedCase(kind string) (string, error) {
	name := s.caseFile
	end := ""
	if slices.Contains(caseKinds, filepath.Ext(name)) {
		end = filepath.Ext(name)
	}
	if isFile(name) {
		if end == kind || end == "" && kind == ".case" {
			return name, nil
		}
		return "", nil
	}
	var mine []string
	others := false
	note := func(path string) {
		ext := filepath.Ext(path)
		switch {
		case !slices.Contains(caseKinds, ext) || end != "" && end != ext:
		case !strings.HasSuffix("-"+strings.TrimSuffix(filepath.Base(path), ext), "-"+strings.TrimSuffix(name, end)):
		case ext == kind:
			mine = append(mine, path)
		default:
			others = true
		}
	}
	_ = filepath.WalkDir(saveDirName, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			note(path)
		}
		return nil
	})
	if hexName.MatchString(name) && kind != ".residues" { // digits name residues of package corpus, too
		for _, f := range embeddedResidues() {
			note(f.Path)
		}
	}
	switch {
	case len(mine) == 1:
		return mine[0], nil
	case len(mine) > 1:
		return "", fmt.Errorf("props: -gamma.case is %q, and so end the names of %s: write more of the one that is meant", name, strings.Join(mine, ", "))
	case others:
		return "", nil
	}
	return "", fmt.Errorf("props: -gamma.case is neither a file nor the end of the name of one below %s: %q", saveDirName, name)
}

// onlyErr returns err as a list, nil for none.
func onlyErr(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}

// saveDirName is where a package's own cases live, beside its tests.
const saveDirName = "testdata/gamma"

// replayed is a case on file and how it was judged.
type replayed struct {
	law   Law
	trial *Trial
	v     Verdict
}

// replayCase judges the case that -gamma.case names, if it is the subject's, for a fuzz target.
func (r *run) replayCase(t testing.TB) {
	t.Helper()
	files, errs := r.casesOnFile()
	for _, err := range errs {
		t.Error(err)
	}
	for _, f := range files {
		r.replayFile(t, f)
	}
}

func (r *run) replayFile(t testing.TB, f corpus.File[*corpus.Case]) {
	t.Helper()
	if why := r.sub.device.foreign(f.Body.Law); why != "" {
		r.stats(f.Body.Law).leaveOut(why, 1)
		return
	}
	if d := r.sub.device; d.onHardware() {
		if why := r.leftOut(f.Body); why != "" {
			r.stats(f.Body.Law).leaveOut(why, 1)
			return
		}
		own := *f.Body
		own.Behaviour = d.own()
		f.Body = &own
	}
	j, err := r.judgeFile(f)
	switch {
	case err != nil:
		t.Error(err)
	case strings.HasPrefix(j.v.Reason, reasonRefused):
		st := r.stats(j.law.ID)
		st.Replayed--
		st.leaveOut(j.v.Reason, 1)
	case f.Body.Expect == corpus.ExpectViolated && !j.v.fails(): // left out
	case f.Body.Expect == corpus.ExpectViolated:
		r.open[j.law.ID] = f.Path
		t.Logf("%s: still open: %v", f.Path, j.v)
	case j.v.fails():
		st := r.stats(j.law.ID)
		st.Violations++
		fl := &Failure{
			Law: r.sub.lawOf(&j.law), Subject: r.sub.name, Claim: j.trial.claim, Case: f.Body, Original: f.Body, Verdict: j.v,
			Seed: r.set.seedText, File: f.Path, Replayed: true, Device: r.sub.device.text(), Test: r.sum.Test, Isolated: r.set.isolate,
		}
		fl.noteSchedule(j.trial)
		st.Failure = fl
		publishFailure(fl)
		t.Error(fl.Text())
	}
}

// judgeFile judges a case on file. It is an error if the case cannot be judged, if what it says of
// the right result is wrong, or if it stands for an open fault that the kernel does not show.
func (r *run) judgeFile(f corpus.File[*corpus.Case]) (replayed, error) {
	l, err := r.lawFor(f.Body)
	if err == nil {
		err = r.sub.accepts(f.Body)
	}
	if err != nil {
		return replayed{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	r.stats(l.ID).Replayed++
	sub := r.sub
	if f.Body.Isolate && !r.set.isolate {
		own := *r.sub
		sub = &own
		defer isolate(r.sum.Test, sub, r.set.timeout).stop()
	}
	trial := newTrial(sub)
	trial.guard = r.guard
	v := insist(l.Hardware && r.set.caseFile != "", func() Verdict { return trial.judgeRepeated(&l, f.Body) })
	if err := trial.checkWant(f.Body); err != nil {
		return replayed{}, fmt.Errorf("%s: %w", f.Path, err)
	}
	if f.Body.Expect == corpus.ExpectViolated && !v.fails() {
		if r.sub.device.onHardware() {
			r.stats(l.ID).leaveOut(notHere, 1)
			return replayed{l, trial, v}, nil
		}
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
			return l, fmt.Errorf("law %s says nothing about %s any more: %s. Claim it again, or delete the case", l.ID, r.sub.name, why)
		}
		return l, nil
	}
	return Law{}, fmt.Errorf("no law is called %q: if it was one of %s's own that is gone, delete the case", c.Law, r.sub.name)
}

// checkWant compares the right result that a case states with the oracle's, and for rows that hold,
// nothing else: the law judges the kernel.
func (t *Trial) checkWant(c *corpus.Case) error {
	if c.Want == "" || t.n == 0 && t.claim.Mean {
		return nil
	}
	out := t.claim.Out
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
