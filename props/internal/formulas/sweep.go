package formulas

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/engine"
	"gamma/props/internal/families"
)

// sweep is a source of all inputs of a kernel of one number, chunk by chunk in the order of their encodings, in the place of drawn ones. Law
// formula.special takes NaNs and infinities, and the others of sweptLaws what is finite, or the part of it that says all.
//
// How far it has come is on file, so that a sweep that was interrupted goes on where it ended. The file is one of the program that made it: another
// program, such as one with a changed kernel, begins anew.
type sweep struct {
	*drawer
	law        model.LawID
	part       engine.Part
	begin, end int // chunks of the part
	file       string
	size       int // numbers in a chunk
	started    time.Time
	said       time.Time
	terminal   io.WriteCloser // nil where there is none
}

// saveEvery is how many chunks lie between two notes on file: a few seconds.
const saveEvery = 256

// chunkSize returns how many inputs are judged at once: as many as have one sign and exponent, or a part of these, so that no chunk has both finite
// numbers and others. There are at most 2^16 chunks.
func (r *run) chunkSize() int {
	switch f := r.inputs[0].Type().Float; {
	case f.Bits() == 32:
		return 1 << 16
	case f.HasInf:
		return 1 << min(7, f.P-1)
	}
	return 1
}

// sweepable says why a kernel's inputs cannot be tried one by one, "" if they can.
func (r *run) sweepable() string {
	if r.k.Formula == nil {
		return "it has no formula"
	}
	if why := r.ofOneNumber(); why != "" {
		return why
	}
	switch {
	case r.inputs[0].Type().Float.Bits() > 32:
		return "its numbers have more than 32 bits"
	case !r.claimed(r.axes[0]).has(r.chunkSize()):
		return fmt.Sprintf("it does not claim axis %s of %d elements", r.axes[0], r.chunkSize())
	}
	return ""
}

// sweptLaws are the laws whose inputs a sweep tries one by one.
var sweptLaws = []model.LawID{model.FormulaEnclosure, model.FormulaSpecial, model.FormulaSymmetry, model.FormulaMonotone}

// swept returns the sweep for a law, or d where the law, the kernel or the part of all inputs has none.
func (r *run) swept(d *drawer, l *Law) (engine.Source[*corpus.Arrays], error) {
	if r.Set.Sweep.Of == 0 || !slices.Contains(sweptLaws, l.ID) || r.sweepable() != "" {
		return d, nil
	}
	dir, err := engine.RunDir()
	if err != nil {
		return nil, err
	}
	program, err := thisProgram()
	if err != nil {
		return nil, fmt.Errorf("props: -gamma.sweep has to know which program it is: %w", err)
	}
	s := &sweep{drawer: d, law: l.ID, part: r.Set.Sweep, size: r.chunkSize()}
	all := 1 << r.inputs[0].Type().Float.Bits() / s.size
	s.begin, s.end = all*(s.part.I-1)/s.part.Of, all*s.part.I/s.part.Of
	if !s.any() {
		return d, nil
	}
	s.file = filepath.Join(dir, fmt.Sprintf("sweep-%s-%s-%dof%d-%.8x.txt", r.Name, l.ID, s.part.I, s.part.Of, program))
	return s, nil
}

// any reports whether the law takes a chunk of the part.
func (s *sweep) any() bool {
	for k := s.begin; k < s.end; k++ {
		if s.takes(k) {
			return true
		}
	}
	return false
}

// takes reports whether the law says something of chunk k: of symmetry, that of positive numbers says all.
func (s *sweep) takes(k int) bool {
	t := s.r.inputs[0].Type()
	first, last := value(t, uint64(k*s.size)), value(t, uint64((k+1)*s.size-1))
	meets := func(r formula.Range) bool { return r.From <= max(first, last) && r.To >= min(first, last) }
	switch special := s.special(k); s.law {
	case model.FormulaSpecial:
		return special
	case model.FormulaSymmetry:
		return !special && !math.Signbit(first)
	case model.FormulaMonotone:
		return !special && (slices.ContainsFunc(s.r.k.Claim.Rising, meets) || slices.ContainsFunc(s.r.k.Claim.Falling, meets))
	default:
		return !special
	}
}

// thisProgram returns a hash of the program that runs.
func thisProgram() ([]byte, error) {
	name, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return h.Sum(nil), err
}

// Search judges the part's chunks from where an earlier run ended. It takes the time that it needs.
func (s *sweep) Search(try func(*corpus.Arrays) bool, _ func() bool) string {
	from, err := s.resume()
	if err != nil {
		return err.Error()
	}
	s.started = time.Now()
	s.terminal, _ = os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if s.terminal != nil {
		defer s.terminal.Close()
	}
	for k := from; k < s.end; k++ {
		if s.takes(k) && try(s.chunk(k)) {
			return ""
		}
		if done := k + 1; done == s.end || (done-s.begin)%saveEvery == 0 {
			if err := s.note(done); err != nil {
				return err.Error()
			}
			s.progress(from, done)
		}
	}
	// The next sweep begins anew.
	if err := os.Remove(s.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err.Error()
	}
	return ""
}

// chunk returns the inputs of chunk k.
func (s *sweep) chunk(k int) *corpus.Arrays {
	s.c.Axes[0].Size = s.size
	s.recipe(0, families.Recipe{Family: families.Consecutive().Name, N: s.size, A: uint8(k >> 8), B: uint8(k)})
	return s.r.Seed(s.c, s.r.greatest(s.c), uint64(k))
}

// special reports whether chunk k has NaNs or infinities.
func (s *sweep) special(k int) bool {
	f := s.r.inputs[0].Type().Float
	return uint64(k*s.size)&^f.SignBit() > f.MaxBits()
}

// resume returns the chunk that an earlier run of this program would have judged next.
func (s *sweep) resume() (int, error) {
	text, err := os.ReadFile(s.file)
	if errors.Is(err, fs.ErrNotExist) {
		return s.begin, nil
	}
	if err != nil {
		return 0, err
	}
	k, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || k < s.begin || k > s.end {
		return 0, fmt.Errorf("%s does not say how far a sweep has come: remove it, and the sweep begins anew", s.file)
	}
	return k, nil
}

// note writes how far the sweep has come, whole or not at all.
func (s *sweep) note(done int) error {
	next := s.file + ".next"
	if err := os.WriteFile(next, []byte(strconv.Itoa(done)+"\n"), 0o644); err != nil {
		return err
	}
	return os.Rename(next, s.file)
}

// progress tells a terminal how far the sweep has come, twice a second at most.
func (s *sweep) progress(from, done int) {
	if s.terminal == nil || time.Since(s.said) < time.Second/2 && done < s.end {
		return
	}
	s.said = time.Now()
	const cells = 30
	share := float64(done-s.begin) / float64(s.end-s.begin)
	each := time.Since(s.started) / time.Duration(done-from)
	full := int(share * cells)
	fmt.Fprintf(s.terminal, "\r%s %s [%s%s] %5.1f %%, %v left \x1b[K", s.r.Name, s.law, strings.Repeat("#", full), strings.Repeat(".", cells-full), float64(100*share),
		(each * time.Duration(s.end-done)).Round(time.Second))
	if done == s.end {
		fmt.Fprintln(s.terminal)
	}
}
