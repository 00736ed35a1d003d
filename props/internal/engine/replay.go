package engine

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/families"
	"gamma/props/internal/verdict"
)

// CaseFile is a file of cases and what it holds.
type CaseFile = corpus.File[corpus.Body]

// ReplayOptions lets corpus expand our recipes.
var ReplayOptions = corpus.Options{Expand: families.ExpandGen}

// SaveDirName is where a package's own cases live, beside its tests.
const SaveDirName = "testdata/gamma"

// embedded lists the paths of the files that package corpus carries, and those of each kernel.
var embedded = sync.OnceValue(func() (all embeddedFiles) {
	all.of = map[string][]string{}
	_ = fs.WalkDir(corpus.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := corpus.Files.ReadFile(path)
		if m := kernelLine.FindSubmatch(text); m != nil {
			all.paths = append(all.paths, path)
			all.of[string(m[1])] = append(all.of[string(m[1])], path)
		}
		return err
	})
	return all
})

type embeddedFiles struct {
	paths []string
	of    map[string][]string // by kernel
}

// kernelLine is in every case file, once: lines of the calls before a case begin with another word.
var kernelLine = regexp.MustCompile(`(?m)^kernel[ \t]+(\S.*?)[ \t]*$`)

// embeddedDir begins the paths of embedded files.
const embeddedDir = "corpus/"

// Embedded reads the files that package corpus carries for a kernel, or all if it is "". A process that judges one kernel does not make the values of
// all others, which takes a tenth of a second.
func Embedded(kernel string) (files []CaseFile) {
	paths := embedded().paths
	if kernel != "" {
		paths = embedded().of[kernel]
	}
	for _, path := range paths {
		files = append(files, readEmbedded(path))
	}
	return files
}

// readEmbedded reads one embedded file.
func readEmbedded(path string) CaseFile {
	text, err := corpus.Files.ReadFile(path)
	if err != nil {
		panic(err)
	}
	o := ReplayOptions
	o.File = embeddedDir + path
	b, err := corpus.Parse[corpus.Body](text, o)
	if err != nil {
		panic(err) // package corpus tests that there are no errors
	}
	return CaseFile{Path: o.File, Body: b}
}

// Piece is what one call of a file runs: an input, and what is expected of it.
type Piece[I any] struct {
	In     I
	Rows   int // cases, or rows, that it counts for
	Place  string
	Expect corpus.Expect
	// Reaches is the least error/bound that the input is on file for.
	Reaches float64
	calls   int // that come before it
}

// OnFile loads the files that are the subject's, of laws that are asked for: those below testdata/gamma and those of package corpus,
// or the one that -gamma.case names; none where all is judged afresh.
func (s *Session) OnFile(owns func(f *CaseFile) bool) (mine []CaseFile, errs []error) {
	if s.Set.Afresh {
		return nil, nil
	}
	if s.Set.CaseFile != "" {
		f, err := s.Set.NamedCase()
		if err != nil {
			return nil, []error{err}
		}
		if owns(f) {
			mine = append(mine, *f)
		}
		return mine, nil
	}
	files, errs := corpus.Load[corpus.Body](os.DirFS(SaveDirName), ReplayOptions)
	for i := range errs {
		errs[i] = fmt.Errorf("%s/%w", SaveDirName, errs[i])
	}
	for i := range files {
		files[i].Path = filepath.Join(SaveDirName, files[i].Path)
		noteOnFile(files[i])
	}
	for _, f := range append(files, Embedded(s.Name)...) {
		if strings.HasPrefix(string(f.Body.Head().Law), s.Set.Law) && owns(&f) {
			mine = append(mine, f)
		}
	}
	return mine, errs
}

// NamedCase loads the file that -gamma.case names: a file, or the one below testdata/gamma, or among the embedded ones, whose name
// ends so, with or without its extension.
func (s *Settings) NamedCase() (*CaseFile, error) {
	name := s.CaseFile
	if !IsFile(name) {
		found := FilesNamed(name)
		switch {
		case len(found) == 0:
			return nil, fmt.Errorf("props: -gamma.case is neither a file nor the end of the name of one below %s: %q", SaveDirName, name)
		case len(found) > 1:
			return nil, fmt.Errorf("props: -gamma.case is %q, and so end the names of %s: write more of the one that is meant", name, strings.Join(found, ", "))
		}
		name = found[0]
		if path, ok := strings.CutPrefix(name, embeddedDir); ok && !IsFile(name) {
			f := readEmbedded(path)
			return &f, nil
		}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("props: -gamma.case cannot be read: %w", err)
	}
	o := ReplayOptions
	o.File = name
	b, err := corpus.Parse[corpus.Body](text, o)
	if err != nil {
		return nil, err
	}
	return &CaseFile{Path: name, Body: b}, nil
}

// FilesNamed returns the files below testdata/gamma, and else the embedded ones, whose name ends so, with or without its extension.
func FilesNamed(name string) (found []string) {
	end := ""
	if slices.Contains(corpus.Extensions(), filepath.Ext(name)) {
		end = filepath.Ext(name)
	}
	matches := func(path string) bool {
		ext := filepath.Ext(path)
		return slices.Contains(corpus.Extensions(), ext) && (end == "" || end == ext) &&
			strings.HasSuffix("-"+strings.TrimSuffix(filepath.Base(path), ext), "-"+strings.TrimSuffix(name, end))
	}
	_ = filepath.WalkDir(SaveDirName, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && matches(path) {
			found = append(found, path)
		}
		return nil
	})
	if len(found) > 0 {
		return found
	}
	for _, path := range embedded().paths {
		if path = embeddedDir + path; matches(path) {
			found = append(found, path)
		}
	}
	return found
}

// WrongBody says that a file holds another kind of cases than the subject takes.
func WrongBody(f *CaseFile, want corpus.Body) error {
	return fmt.Errorf("it is a %T, and not a %T", f.Body, want)
}

// Bodies is what a kind embeds whose inputs are the bodies of case files as they are.
type Bodies[J, C, T any, B interface {
	*T
	corpus.Body
}] struct{ Lawful[J, C] }

// with returns a copy of a body with another header.
func (s *Bodies[J, C, T, B]) with(in B, change func(h *corpus.Header)) B {
	own := *in
	h := B(&own).Head()
	change(&h)
	B(&own).SetHead(h)
	return &own
}

func (s *Bodies[J, C, T, B]) Under(in B, at verdict.Setting) B {
	return s.with(in, func(h *corpus.Header) { h.Behaviour, h.Launch = at.Behaviour, at.Launch })
}

// At returns what an input runs under.
func (s *Bodies[J, C, T, B]) At(in B) verdict.Setting {
	h := in.Head()
	return verdict.Setting{Behaviour: h.Behaviour, Launch: h.Launch}
}

// Seed gives an input of n elements its seed, and on a device what it runs under, and returns it.
func (s *Bodies[J, C, T, B]) Seed(in B, n int, seed uint64) B {
	h, at := in.Head(), s.Device.DrawSetting(n, draw.Mix(seed))
	h.Seed, h.Behaviour, h.Launch = seed, at.Behaviour, at.Launch
	in.SetHead(h)
	return in
}

func (s *Bodies[J, C, T, B]) Body(l *LawOf[J, C], in B) corpus.Body {
	return s.with(in, func(h *corpus.Header) { h.Law, h.Kernel = l.ID, s.Name })
}

func (s *Bodies[J, C, T, B]) Owns(f *CaseFile) bool {
	b, ok := f.Body.(B)
	return ok && b.Head().Kernel == s.Name
}

func (s *Bodies[J, C, T, B]) Pieces(_ *LawOf[J, C], f *CaseFile) ([]Piece[B], error) {
	b, ok := f.Body.(B)
	if !ok {
		return nil, WrongBody(f, b)
	}
	return []Piece[B]{{In: b, Rows: 1, Place: f.Path, Expect: b.Head().Expect}}, nil
}

// RowPieces returns the rows of a file as pieces: each alone, or all in one call if they are a batch. of makes an input of the words of so many
// rows.
func RowPieces[I any](f *CaseFile, all []corpus.Row, batch bool, of func(words []uint64, rows int) (I, error)) (list []Piece[I], err error) {
	step := 1
	if batch {
		step = max(1, len(all))
	}
	for rows := range slices.Chunk(all, step) {
		p := Piece[I]{Rows: len(rows), Place: fmt.Sprintf("%s:%d", f.Path, rows[0].Line)}
		var words []uint64
		for _, row := range rows {
			words = append(words, row.Words...)
			p.Reaches = max(p.Reaches, row.Reaches)
			if row.Expect == corpus.ExpectViolated {
				p.Expect = row.Expect
			}
		}
		if p.In, err = of(words, len(rows)); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// Replay judges every case on file for the subject, inside parts, which may make it a subtest.
func (e *Engine) Replay(t TB, parts Subtests) {
	t.Helper()
	s := e.Base()
	files, errs := s.OnFile(e.Owns)
	for _, err := range errs {
		t.Error(err)
	}
	if len(files) == 0 {
		if s.Set.CaseFile != "" && len(errs) == 0 {
			t.Skipf("the case %s is not one of %s", s.Set.CaseFile, s.Name)
		}
		return
	}
	slices.SortStableFunc(files, func(a, b CaseFile) int { return cmp.Compare(e.rank(&a), e.rank(&b)) })
	parts("replay", func(t TB) {
		t.Helper()
		e.watched(t, func() {
			for i := range files {
				e.ReplayFile(t, &files[i])
			}
		})
		t.Log(s.Sum.replayedLine(s.unit))
	})
}

// LawOf returns the law of a file.
func (e *Engine) LawOf(f *CaseFile) (*AnyLaw, error) {
	id := f.Body.Head().Law
	if l := e.lawByID(id); l != nil {
		return l, nil
	}
	return nil, fmt.Errorf("no law of %s is called %q: if it was one of %s's own that is gone, delete the file", e.Base().What, id, e.Base().Name)
}

// lawByID returns a law of the subject, or nil.
func (e *Engine) lawByID(id model.LawID) *AnyLaw {
	for _, l := range e.Laws() {
		if l.ID == id {
			return l
		}
	}
	return nil
}

// rank puts files of laws about the findings of a device's checkers before others.
func (e *Engine) rank(f *CaseFile) int {
	if l, err := e.LawOf(f); err == nil && l.Found {
		return 0
	}
	return 1
}

// ReplayFile judges what one file holds.
func (e *Engine) ReplayFile(t TB, f *CaseFile) {
	t.Helper()
	s := e.Base()
	defer s.Guard.Own()()
	id := f.Body.Head().Law
	if why := s.Device.foreign(id); why != "" {
		s.Stats(id).leaveOut(why, corpus.Rows(f.Body))
		return
	}
	l, err := e.LawOf(f)
	if err == nil {
		if why := e.Applies(l); why != "" && (s.Device.OnHardware() || l.Thorough && !s.Set.Thorough) {
			s.Stats(id).leaveOut(why, corpus.Rows(f.Body))
			return
		} else if why != "" {
			err = fmt.Errorf("law %s says nothing about %s any more: %s. Claim it again, or delete the file", id, s.Name, why)
		}
	}
	var pieces []Piece[any]
	if err == nil {
		pieces, err = e.Pieces(l, f)
	}
	if err != nil {
		t.Errorf("%s: %v", f.Path, err)
		return
	}
	before, err := e.listed(f)
	if err != nil {
		t.Errorf("%s: %v", f.Path, err)
		return
	}
	own := e // a report runs the kernel again: it must do so where the kernel may hang
	if f.Body.Head().Isolate && !s.Set.Isolate {
		iso := NewIsolation(s.Sum.Test, s.Name, s.Set.Timeout)
		defer iso.Stop()
		own = &Engine{anyKind: e.Isolated(iso.Ask)}
	}
	trial := own.Trial()
	for i := range pieces {
		if len(before) == 0 {
			own.replayPiece(t, l, trial, &pieces[i], func(in any) verdict.Verdict {
				return Insist(l.Hardware && s.Set.CaseFile != "", func() verdict.Verdict { return JudgeRepeatedly(func() verdict.Verdict { return trial.Judge(l, in) }) })
			})
			continue
		}
		a, stop := e.afresh(before)
		pieces[i].calls = len(before)
		a.replayPiece(t, l, a.trial, &pieces[i], func(in any) verdict.Verdict { return a.judge(l, in) })
		stop()
	}
}

// notHere is why a case of an open fault is left out where hardware does not show it.
const notHere = "the case is on file as an open fault, which does not show there"

// replayPiece judges one input on file. It is an error if it cannot be judged, if what it says of the right result is wrong, or if it
// stands for an open fault that the kernel does not show.
func (e *Engine) replayPiece(t TB, l *AnyLaw, trial *trial, p *Piece[any], judge func(in any) verdict.Verdict) {
	t.Helper()
	s := e.Base()
	st := s.Stats(l.ID)
	at, n := e.Setting(p.In)
	if why := cmp.Or(s.settled, s.Device.leftOutOf(at, n)); why != "" {
		st.leaveOut(why, p.Rows)
		return
	}
	in := p.In
	if s.Device.OnHardware() {
		in = e.Under(in, s.Device.Setting(at))
	}
	if err := e.Accepts(l, in); err != nil {
		t.Errorf("%s: %v", p.Place, err)
		return
	}
	st.Replayed += p.Rows
	e.record(l, in)
	e.now = running{l, trial, in}
	v := judge(in)
	if trial.wants != nil {
		if err := trial.wants(in); err != nil {
			t.Errorf("%s: %v", p.Place, err)
			return
		}
	}
	s.settle(l.ID, &v)
	switch open := p.Expect == corpus.ExpectViolated; {
	case v.Cause == verdict.DeviceRefused:
		st.Replayed -= p.Rows
		st.leaveOut(v.Reason, p.Rows)
	case open && !v.Fails() && s.Device.OnHardware():
		st.leaveOut(notHere, p.Rows)
	case open && !v.Fails():
		t.Errorf("%s: the %s is on file as a known open fault, and the law does not fail it any more: %v. "+
			"If the fault is fixed, write %s in the place of %s", p.Place, s.unit, v, corpus.ExpectHolds, corpus.ExpectViolated)
	case open:
		s.Open[l.ID] = p.Place
		t.Logf("%s: still open: %v", p.Place, v)
	case v.Fails():
		f := e.Failure(l, in, v, trial)
		common := f.Common()
		common.File, common.Replayed = p.Place, true
		common.Calls = p.calls
		st.Violations++
		st.Failure = f
		PublishFailure(f)
		s.tell(t, f)
	case p.Reaches > 0 && v.Ratio < p.Reaches:
		t.Errorf("%s: the error is recorded to reach %g of its bound, and reaches %.17g of %s: the operation, or the bound, has changed", p.Place, p.Reaches, v.Ratio, v.Bound)
	}
}

// JudgeRepeatedly judges an input, and if it does not fail twice more, to see whether the kernel breaks: one that keeps its input and
// writes to it later shows that only when it is called again.
func JudgeRepeatedly(judge func() verdict.Verdict) verdict.Verdict {
	v := judge()
	for i := 0; i < 2 && !v.Fails(); i++ {
		if w := judge(); w.Outcome == verdict.Broken {
			return w
		}
	}
	return v
}

// ReduceTime bounds a reduction whose kernel is slow, or hangs until it is stopped.
const ReduceTime = 60 * time.Second
