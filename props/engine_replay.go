package props

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gamma/corpus"
)

// caseFile is a file of cases and what it holds.
type caseFile = corpus.File[corpus.Body]

// replayOptions lets corpus expand our recipes.
var replayOptions = corpus.Options{Expand: ExpandGen}

// saveDirName is where a package's own cases live, beside its tests.
const saveDirName = "testdata/gamma"

// embedded reads the files that package corpus carries, once.
var embedded = sync.OnceValue(func() []caseFile {
	files, _ := corpus.Load[corpus.Body](corpus.Files, replayOptions) // package corpus tests that there are no errors
	for i := range files {
		files[i].Path = "corpus/" + files[i].Path
	}
	return files
})

// piece is what one call of a file runs: an input, and what is expected of it.
type piece[I any] struct {
	in     I
	rows   int // cases, or rows, that it counts for
	place  string
	expect corpus.Expect
	// reaches is the least error/bound that the input is on file for.
	reaches float64
}

// onFile loads the files that are the subject's, of laws that are asked for: those below testdata/gamma and those of package corpus,
// or the one that -gamma.case names.
func (s *session) onFile(owns func(f *caseFile) bool) (mine []caseFile, errs []error) {
	if s.set.caseFile != "" {
		f, err := s.set.namedCase()
		if err != nil {
			return nil, []error{err}
		}
		if owns(f) {
			mine = append(mine, *f)
		}
		return mine, nil
	}
	files, errs := corpus.Load[corpus.Body](os.DirFS(saveDirName), replayOptions)
	for i := range errs {
		errs[i] = fmt.Errorf("%s/%w", saveDirName, errs[i])
	}
	for i := range files {
		files[i].Path = filepath.Join(saveDirName, files[i].Path)
		noteOnFile(files[i])
	}
	for _, f := range append(files, embedded()...) {
		if strings.HasPrefix(string(f.Body.Head().Law), s.set.law) && owns(&f) {
			mine = append(mine, f)
		}
	}
	return mine, errs
}

// namedCase loads the file that -gamma.case names: a file, or the one below testdata/gamma, or among the embedded ones, whose name
// ends so, with or without its extension.
func (s *settings) namedCase() (*caseFile, error) {
	name := s.caseFile
	if !isFile(name) {
		found := filesNamed(name)
		switch {
		case len(found) == 0:
			return nil, fmt.Errorf("props: -gamma.case is neither a file nor the end of the name of one below %s: %q", saveDirName, name)
		case len(found) > 1:
			return nil, fmt.Errorf("props: -gamma.case is %q, and so end the names of %s: write more of the one that is meant", name, strings.Join(found, ", "))
		}
		for _, f := range embedded() {
			if f.Path == found[0] {
				return &f, nil
			}
		}
		name = found[0]
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("props: -gamma.case cannot be read: %w", err)
	}
	o := replayOptions
	o.File = name
	b, err := corpus.Parse[corpus.Body](text, o)
	if err != nil {
		return nil, err
	}
	return &caseFile{Path: name, Body: b}, nil
}

// filesNamed returns the files below testdata/gamma, and else the embedded ones, whose name ends so, with or without its extension.
func filesNamed(name string) (found []string) {
	end := ""
	if slices.Contains(corpus.Extensions(), filepath.Ext(name)) {
		end = filepath.Ext(name)
	}
	matches := func(path string) bool {
		ext := filepath.Ext(path)
		return slices.Contains(corpus.Extensions(), ext) && (end == "" || end == ext) &&
			strings.HasSuffix("-"+strings.TrimSuffix(filepath.Base(path), ext), "-"+strings.TrimSuffix(name, end))
	}
	_ = filepath.WalkDir(saveDirName, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && matches(path) {
			found = append(found, path)
		}
		return nil
	})
	if len(found) > 0 {
		return found
	}
	for _, f := range embedded() {
		if matches(f.Path) {
			found = append(found, f.Path)
		}
	}
	return found
}

// wrongBody says that a file holds another kind of cases than the subject takes.
func wrongBody(f *caseFile, want corpus.Body) error {
	return fmt.Errorf("it is a %T, and not a %T", f.Body, want)
}

// replay judges every case on file for the subject, inside parts, which may make it a subtest.
func (e *engine[J, C, I]) replay(t TB, parts subtests) {
	t.Helper()
	s := e.base()
	files, errs := s.onFile(e.owns)
	for _, err := range errs {
		t.Error(err)
	}
	if len(files) == 0 {
		if s.set.caseFile != "" && len(errs) == 0 {
			t.Skipf("the case %s is not one of %s", s.set.caseFile, s.name)
		}
		return
	}
	parts("replay", func(t TB) {
		t.Helper()
		for i := range files {
			e.replayFile(t, &files[i])
		}
		t.Log(s.sum.replayedLine(s.unit))
	})
}

// lawOf returns the law of a file.
func (e *engine[J, C, I]) lawOf(f *caseFile) (LawOf[J, C], error) {
	id := f.Body.Head().Law
	for _, l := range e.laws() {
		if l.ID == id {
			return l, nil
		}
	}
	return LawOf[J, C]{}, fmt.Errorf("no law of %s is called %q: if it was one of %s's own that is gone, delete the file", e.base().what, id, e.base().name)
}

// replayFile judges what one file holds.
func (e *engine[J, C, I]) replayFile(t TB, f *caseFile) {
	t.Helper()
	s := e.base()
	id := f.Body.Head().Law
	if why := s.device.foreign(id); why != "" {
		s.stats(id).leaveOut(why, rowsOf(f.Body))
		return
	}
	l, err := e.lawOf(f)
	if err == nil {
		if why := e.applies(&l); why != "" && s.device.onHardware() {
			s.stats(id).leaveOut(why, rowsOf(f.Body))
			return
		} else if why != "" {
			err = fmt.Errorf("law %s says nothing about %s any more: %s. Claim it again, or delete the file", id, s.name, why)
		}
	}
	var pieces []piece[I]
	if err == nil {
		pieces, err = e.pieces(&l, f)
	}
	if err != nil {
		t.Errorf("%s: %v", f.Path, err)
		return
	}
	own := e // a report runs the kernel again: it must do so where the kernel may hang
	if f.Body.Head().Isolate && !s.set.isolate {
		iso := newIsolation(s.sum.Test, s.name, s.set.timeout)
		defer iso.stop()
		own = &engine[J, C, I]{kind: e.isolated(iso.ask)}
	}
	trial := own.trial()
	for i := range pieces {
		own.replayPiece(t, &l, trial, &pieces[i])
	}
}

// rowsOf returns how many cases, or rows, a body holds.
func rowsOf(b corpus.Body) int {
	switch b := b.(type) {
	case *corpus.Table:
		return len(b.Rows)
	case *corpus.Residues:
		return max(1, len(b.Rows))
	}
	return 1
}

// notHere is why a case of an open fault is left out where hardware does not show it.
const notHere = "the case is on file as an open fault, which does not show there"

// replayPiece judges one input on file. It is an error if it cannot be judged, if what it says of the right result is wrong, or if it
// stands for an open fault that the kernel does not show.
func (e *engine[J, C, I]) replayPiece(t TB, l *LawOf[J, C], trial trial[J, C, I], p *piece[I]) {
	t.Helper()
	s := e.base()
	st := s.stats(l.ID)
	at, n := e.setting(p.in)
	if why := s.device.leftOutOf(at, n); why != "" {
		st.leaveOut(why, p.rows)
		return
	}
	in := p.in
	if s.device.onHardware() {
		in = e.under(in, s.device.setting(at))
	}
	if err := e.accepts(l, in); err != nil {
		t.Errorf("%s: %v", p.place, err)
		return
	}
	st.Replayed += p.rows
	record(s.rec, e.kind, l, in)
	v := insist(l.Hardware && s.set.caseFile != "", func() Verdict { return judgeRepeatedly(trial, l, in) })
	if o, ok := trial.(interface{ checkWant(in I) error }); ok { // what the file states of the right result
		if err := o.checkWant(in); err != nil {
			t.Errorf("%s: %v", p.place, err)
			return
		}
	}
	switch open := p.expect == corpus.ExpectViolated; {
	case v.Cause == DeviceRefused:
		st.Replayed -= p.rows
		st.leaveOut(v.Reason, p.rows)
	case open && !v.fails() && s.device.onHardware():
		st.leaveOut(notHere, p.rows)
	case open && !v.fails():
		t.Errorf("%s: the %s is on file as a known open fault, and the law does not fail it any more: %v. "+
			"If the fault is mended, write %s in the place of %s", p.place, s.unit, v, corpus.ExpectHolds, corpus.ExpectViolated)
	case open:
		s.open[l.ID] = p.place
		t.Logf("%s: still open: %v", p.place, v)
	case v.fails():
		f := e.failure(l, in, v, trial)
		f.replayed(p.place)
		st.Violations++
		st.Failure = f
		publishFailure(f)
		t.Error("\n" + f.Text())
	case p.reaches > 0 && v.Ratio < p.reaches:
		t.Errorf("%s: the error is recorded to reach %g of its bound, and reaches %.17g of %s: the operation, or the bound, has changed", p.place, p.reaches, v.Ratio, v.Bound)
	}
}

// judgeRepeatedly judges an input, and if it does not fail twice more, to see whether the kernel breaks: one that keeps its input and
// writes to it later shows that only when it is called again.
func judgeRepeatedly[J, C, I any](t trial[J, C, I], l *LawOf[J, C], in I) Verdict {
	v := t.judge(l, in)
	for i := 0; i < 2 && !v.fails(); i++ {
		if w := t.judge(l, in); w.Outcome == Broken {
			return w
		}
	}
	return v
}
