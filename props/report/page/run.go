package page

import (
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
	"gamma/props/internal/lines"
)

// maxName is the longest name of a subject, law, device, seed or mode that is read.
const maxName = 1000

// maxBad is how many lines of a file that cannot be read are named.
const maxBad = 20

// again is what to do with a line that cannot be read.
const again = "take the line out, or make the file again with the tests that wrote it"

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
	r.Problems = append(r.Problems, Problem{lines.Printable(where), lines.Printable(fmt.Sprintf(format, args...))})
}

// file reads one file.
func (r *Run) file(name string) {
	f, err := os.Open(name)
	if err != nil {
		r.problem(name, "it cannot be read: %v; name a file that is there, and that you may read", errors.Unwrap(err))
		return
	}
	defer f.Close()
	r.Files = append(r.Files, name)
	r.readLines(name, f)
}

// readLines reads the lines of a file.
func (r *Run) readLines(name string, from io.Reader) {
	read, bad := 0, 0
	err := lines.Each(from, func(l lines.Line) {
		place := fmt.Sprintf("%s:%d", name, l.Number)
		if why := r.line(l, place); why == nil {
			read++
		} else if bad++; bad <= maxBad {
			r.problem(place, "%v", why)
		}
	})
	if bad > maxBad {
		r.problem(name, "%d more lines of it cannot be read", bad-maxBad)
	}
	if err != nil {
		r.problem(name, "%v", err)
	}
	if read == 0 {
		r.problem(name, "no law was judged in it; give files called summary.jsonl, which tests leave below GAMMA_DIR")
	}
}

// line reads one line, whose place is for messages.
func (r *Run) line(from lines.Line, place string) error {
	var l line
	if err := from.Decode(&l); err != nil {
		return fmt.Errorf("it is not a line of summary.jsonl: %w; %s", err, again)
	}
	hash := sha256.Sum256(from.Text)
	if at := r.lines[hash]; at != "" {
		return fmt.Errorf("it is the same as %s, and left out; name each file once", at)
	}
	r.lines[hash] = place
	switch {
	case l.Version > newestVersion || l.Version < 0:
		return fmt.Errorf("it is of version %d of the format, and this program reads up to version %d; use the report of the Gamma that wrote it", l.Version, newestVersion)
	case l.Kind != "":
		return fmt.Errorf("it is a line of a part of a run (%q): merge the parts with `gamma merge`, and report what that writes", l.Kind)
	case l.Law == "" || l.Subject == "":
		return fmt.Errorf("it is not a line of summary.jsonl: it names no law and subject; %s", again)
	}
	for _, name := range []string{l.Subject, string(l.Law), l.Device, l.Seed, l.MathMode, l.Default} {
		if len(name) > maxName {
			return fmt.Errorf("it has a name of %d bytes, %.20q…, and a name has at most %d; %s", len(name), name, maxName, again)
		}
	}
	if err := cmp.Or(l.Check(), drawable(l.Profile)); err != nil {
		return fmt.Errorf("%s %s: no search gives these numbers: %w; %s", l.Subject, l.Law, err, again)
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
			r.problem(place, "report %d of a failure: %v; %s", i+1, err, again)
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
