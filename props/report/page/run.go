package page

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gamma/model"
	"gamma/props/internal/engine"
)

// maxLine is the longest line that is read: a report with its case has some thousand bytes, and a case a million at most.
const maxLine = 16 << 20

// newestVersion is the newest version of the format of lines that this program reads. Lines without a version are of the first.
const newestVersion = 1

// Run is what was read of a run.
type Run struct {
	Files    []string
	Subjects []*Subject
	Problems []Problem

	of    map[subjectKey]*Subject // the last of each
	lines map[[32]byte]string     // where lines stand, by what they say
}

// Problem is something that could not be read or drawn, and where.
type Problem struct{ Where, Text string }

func (p Problem) String() string { return p.Where + ": " + p.Text }

// Subject is a kernel with its claim on one device, and what its laws said.
type Subject struct {
	Name, Device, Seed, MathMode string
	DefaultMode                  string // what a few inputs show of the mode that a shader is compiled in where nobody says which
	Promise                      engine.Promise
	Laws                         []*Law

	nth int // of those of its name on this device, such as one operation in several formats
}

// Law is what a law said of a subject.
type Law struct {
	engine.LawStats
	Failures []*Failure
}

// subjectKey tells subjects apart.
type subjectKey struct{ name, device, seed, mode string }

// line is one of summary.jsonl. What tells a line from one of another program or version comes first.
type line struct {
	Version int    `json:"v"`
	Kind    string `json:"kind"`

	Seed     string `json:"seed"`
	Device   string `json:"device"`
	MathMode string `json:"math_mode"`
	Default  string `json:"default_mode"`
	engine.LawStats
	Promise  *engine.Promise   `json:"promise"`
	Failures []json.RawMessage `json:"failures"`
}

// Read reads the files of one run: a folder stands for all files called summary.jsonl below it. Files and lines that cannot be read are problems of the
// run; the rest is read. It is an error if nothing at all can be shown.
func Read(names ...string) (*Run, error) {
	r := &Run{of: map[subjectKey]*Subject{}, lines: map[[32]byte]string{}}
	for _, name := range names {
		for _, file := range r.expand(name) {
			r.file(file)
		}
	}
	if len(r.Subjects) == 0 {
		list := []error{errors.New("no law was judged in what was read, so that there is nothing to report")}
		for _, p := range r.Problems {
			list = append(list, errors.New(p.String()))
		}
		return r, errors.Join(list...)
	}
	return r, nil
}

// expand returns the files that an argument names.
func (r *Run) expand(name string) (files []string) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}
	}
	err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			r.problem(path, "%v", err)
			return nil
		}
		if !d.IsDir() && d.Name() == "summary.jsonl" {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		r.problem(name, "%v", err)
	} else if len(files) == 0 {
		r.problem(name, "there is no summary.jsonl in this folder or below it; GAMMA_DIR says where tests write theirs")
	}
	return files
}

func (r *Run) problem(where, format string, args ...any) {
	r.Problems = append(r.Problems, Problem{where, fmt.Sprintf(format, args...)})
}

// file reads one file.
func (r *Run) file(name string) {
	f, err := os.Open(name)
	if err != nil {
		r.problem(name, "it cannot be read: %v", errors.Unwrap(err))
		return
	}
	defer f.Close()
	r.Files = append(r.Files, name)
	r.readLines(name, f)
}

// readLines reads the lines of a file.
func (r *Run) readLines(name string, from io.Reader) {
	b := bufio.NewReader(from)
	read := 0
	for n := 1; ; n++ {
		text, whole, err := nextLine(b)
		if err != nil && !errors.Is(err, io.EOF) {
			r.problem(name, "reading stopped at line %d: %v", n, err)
			return
		}
		place := fmt.Sprintf("%s:%d", name, n)
		switch text = bytes.TrimSpace(text); {
		case len(text) > maxLine:
			r.problem(place, "the line has more than %d bytes and is left out", maxLine)
		case len(text) > 0:
			why := r.line(text, place)
			switch {
			case why != nil && !whole:
				r.problem(place, "the line is torn: the file ends inside it, as when a run is killed while it writes (%v)", why)
			case why != nil:
				r.problem(place, "%v", why)
			default:
				read++
			}
		}
		if err != nil {
			break
		}
	}
	if read == 0 {
		r.problem(name, "no law was judged in it")
	}
}

// nextLine reads up to the end of a line, of which it keeps no more than tells that it is too long; whole says that the end was there.
func nextLine(b *bufio.Reader) (text []byte, whole bool, err error) {
	for {
		part, err := b.ReadSlice('\n')
		if len(text) <= maxLine {
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err == nil, err
		}
	}
}

// line reads one line, whose place is for messages.
func (r *Run) line(text []byte, place string) error {
	hash := sha256.Sum256(text)
	if at := r.lines[hash]; at != "" {
		return fmt.Errorf("it is the same as %s, and left out", at)
	}
	r.lines[hash] = place
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return fmt.Errorf("it is not a line of summary.jsonl: %v", err)
	}
	switch {
	case l.Version > newestVersion || l.Version < 0:
		return fmt.Errorf("it is of version %d of the format, and this program reads up to version %d", l.Version, newestVersion)
	case l.Kind != "":
		return fmt.Errorf("it is a line of a part of a run (%q): merge the parts with `gamma merge`, and report what that writes", l.Kind)
	case l.Law == "" || l.Subject == "":
		return errors.New("it is not a line of summary.jsonl: it names no law and subject")
	}
	if err := cmp.Or(l.Check(), drawable(l.Profile)); err != nil {
		return fmt.Errorf("%s %s: no search gives these numbers: %w", l.Subject, l.Law, err)
	}
	key := subjectKey{l.Subject, l.Device, l.Seed, l.MathMode}
	// A subject's lines follow each other, and the first says what it promises.
	s := r.of[key]
	if s == nil || l.Promise != nil || s.law(l.Law) != nil {
		next := &Subject{Name: l.Subject, Device: l.Device, Seed: l.Seed, MathMode: l.MathMode, DefaultMode: l.Default}
		if s != nil {
			next.nth = s.nth + 1
		}
		if l.Promise != nil {
			next.Promise = *l.Promise
		}
		s, r.of[key] = next, next
		r.Subjects = append(r.Subjects, s)
	}
	law := &Law{LawStats: l.LawStats}
	for i, text := range l.Failures {
		f, err := readFailure(text)
		if err != nil {
			r.problem(place, "report %d of a failure: %v", i+1, err)
			continue
		}
		law.Failures = append(law.Failures, f)
	}
	s.Laws = append(s.Laws, law)
	return nil
}

// drawable says which numbers of a profile, which are those of a search, cannot be drawn. Bounds that are too large for a picture are left out.
func drawable(p *engine.Profile) error {
	if p == nil {
		return nil
	}
	const most = 0x1p300 // of an error in its unit; sizes end far below 2^40
	for _, b := range p.Bands {
		if max(b.N, b.At) > 1<<40 || max(b.Error, b.Ratio) > most {
			return fmt.Errorf("sizes from %d on have error/bound %g and error %g at %d", b.N, b.Ratio, b.Error, b.At)
		}
		for name, limit := range b.Limits {
			if limit > most { // (1+u)^h-1 of 70,000 bfloat16 terms is 10^118, too far away to be drawn
				delete(b.Limits, name)
			}
		}
	}
	return nil
}

// law returns what a law said of the subject, nil if it was not judged.
func (s *Subject) law(id model.LawID) *Law {
	i := slices.IndexFunc(s.Laws, func(l *Law) bool { return l.Law == id })
	if i < 0 {
		return nil
	}
	return s.Laws[i]
}

// Title names the subject with what tells it from others of its name.
func (s *Subject) Title() string {
	text := s.Name
	if s.Device != "" && s.Device != "cpu" {
		text += " on " + s.Device
	}
	if s.MathMode != "" && s.MathMode != "safe" && !strings.Contains(s.Name, s.MathMode) {
		text += " (" + s.MathMode + ")"
	}
	if s.nth > 0 {
		text += fmt.Sprintf(" (%d)", s.nth+1)
	}
	return text
}

// Verdict is what the search of a law came to.
type Verdict string

const (
	Holds    Verdict = "holds"
	Violated Verdict = "violated"
	Vacuous  Verdict = "says nothing" // no case met the hypotheses
	Replayed Verdict = "replayed"     // cases on file alone
)

// Verdict returns what the law's search came to.
func (l *Law) Verdict() Verdict {
	switch {
	case l.Violations > 0 || len(l.Failures) > 0:
		return Violated
	case l.Holds > 0:
		return Holds
	case l.Cases == 0 && l.Replayed > 0:
		return Replayed
	}
	return Vacuous
}

// VacuousShare is the part of the cases that did not meet a hypothesis.
func (l *Law) VacuousShare() float64 {
	if l.Cases == 0 {
		return 0
	}
	return float64(l.Vacuous) / float64(l.Cases)
}

// Ratio is the largest error/bound that draws or an attack reached.
func (l *Law) Ratio() float64 { return max(l.MaxRatio, l.AttackRatio) }
