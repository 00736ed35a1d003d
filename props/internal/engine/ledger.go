package engine

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"gamma/model"
	"gamma/props/internal/platform"
)

// LedgerVersion is the version of the lines that ledgers have. What reads them refuses lines of another.
const LedgerVersion = 1

// The kinds of lines in a ledger, in the order in which they come first.
const (
	LineShard = "shard" // the first: of which run, and which part
	LineWork  = "work"  // a law of a subject, and how many blocks there are
	LineBlock = "block" // what one block gave
	LineEnd   = "end"   // the last: the tests have ended
)

// LineHead is what all lines of a ledger have: Run is a hash of program, revision and settings, so that lines of other runs are known.
type LineHead struct {
	Version int    `json:"v"`
	Kind    string `json:"kind"`
	Run     string `json:"run"`
}

// Shard says which part of which run a ledger holds.
type Shard struct {
	LineHead
	Shard    string `json:"shard"`   // I/N
	Program  string `json:"program"` // the name of the test binary, or gamma
	Revision string `json:"revision"`
	Settings string `json:"settings"`
}

// Where names a law of a subject in a run. Without a law it is what is judged of the subject as a whole: cases on file, and of a subject that is not cut all.
type Where struct {
	Test    string      `json:"test"`
	Device  string      `json:"device"`
	Subject string      `json:"subject"`
	Law     model.LawID `json:"law"`
}

// Hash returns what says, with a block's number, to which part the block belongs.
func (w *Where) Hash() uint64 { return HashOf(w.Test, w.Device, w.Subject, string(w.Law)) }

// String returns the names as people read them.
func (w *Where) String() string {
	text := w.Subject + " on " + w.Device
	if w.Law != "" {
		text = string(w.Law) + " on " + text
	}
	if w.Test != "" {
		text += " in " + w.Test
	}
	return text
}

// Work says how many blocks there are of a law.
type Work struct {
	LineHead
	Where
	Of       int    `json:"of"`
	Op       string `json:"op"`
	What     string `json:"what"`
	Seed     string `json:"seed"`
	MathMode string `json:"math_mode,omitempty"`
	// Promise is what the subject claims, beside its laws; of what is judged as a whole it is left out.
	Promise Promise `json:"promise,omitzero"`
}

// Summary begins the summary of the subject.
func (w *Work) Summary() *SubjectSummary {
	return &SubjectSummary{Subject: w.Subject, Device: w.Device, Op: w.Op, Test: w.Test, Seed: w.Seed, MathMode: w.MathMode, what: w.What}
}

// Block is what one block of a law gave. A block without a law has the statistics of each law in Laws.
type Block struct {
	LineHead
	Test   string `json:"test"`
	Device string `json:"device"`
	Number int    `json:"block"`
	Seed   uint64 `json:"seed"`
	Stat
	Laws []Stat `json:"laws,omitempty"`
	// Failures are lines of failures.jsonl: the case, its witness and the command that runs it again.
	Failures []json.RawMessage `json:"failures,omitempty"`
	// Record is what gamma check found of one kernel.
	Record json.RawMessage `json:"record,omitempty"`
}

// Stat is the statistics of a law with all that adding them up needs.
type Stat struct {
	*LawStats
	Tally
}

// Where returns what the block is one of.
func (b *Block) Where() Where { return Where{b.Test, b.Device, b.Subject, b.Law} }

// End says that the tests of a shard have ended, and how many blocks it has.
type End struct {
	LineHead
	Blocks int `json:"blocks"`
	Exit   int `json:"exit"` // the status that the tests ended with
}

// Ledger is the file that a part of a run appends its blocks to, a line each. What an earlier process has left in it is not judged again.
type Ledger struct {
	mu    sync.Mutex
	name  string
	head  LineHead
	file  *os.File
	size  int64
	err   error // of the first line that could not be written: no other is
	done  map[blockOf]*Block
	works map[Where]bool
	ended bool
}

// blockOf names a block.
type blockOf struct {
	Where
	number int
}

// ledgers are those of the process, by file.
var ledgers struct {
	sync.Mutex
	of     map[string]*Ledger
	failed map[string]error // of those that could not be opened, once for all subjects
}

// revision tells the program that runs from all others: by the ID that Go's linker has put at its beginning, the end of which is a hash of all of it, or by
// a hash where there is no such ID.
var revision = sync.OnceValues(func() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	begin := make([]byte, 1<<16)
	n, err := io.ReadFull(f, begin)
	if id := buildID(begin[:n]); id != nil {
		h.Write(id)
		return fmt.Sprintf("%.16x", h.Sum(nil)), nil
	} else if h.Write(begin[:n]); err == nil {
		_, err = io.Copy(h, f)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return fmt.Sprintf("%.16x", h.Sum(nil)), err
})

// buildID returns the ID in the beginning of a program, or nil: four parts with slashes between them, the last of which is a hash of the program.
func buildID(begin []byte) []byte {
	return regexp.MustCompile(`(?:[\w-]{20}/){3}[\w-]{20}`).Find(begin)
}

// programName returns the path of the package whose tests the program is, or of the program.
func programName() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		return info.Path
	}
	return filepath.Base(os.Args[0])
}

// text returns the settings that decide what is judged, and the tests that are chosen.
func (s *Settings) text() string {
	text := fmt.Sprintf("checks=%d seed=%d maxn=%d thorough=%t law=%s isolate=%t timeout=%v device=%s sweep=%t", s.Checks, s.Seed, s.MaxN, s.Thorough, s.Law, s.Isolate, s.Timeout,
		strings.Join(s.Devices, ","), s.Sweep)
	for _, name := range []string{"run", "skip", "short"} {
		if f := flag.Lookup("test." + name); f != nil {
			text += " " + name + "=" + f.Value.String()
		}
	}
	return text
}

// OpenLedger opens the ledger of a part of this program's run with such settings, in a folder.
func OpenLedger(dir, program, settings string, part Part) (*Ledger, error) {
	rev, err := revision()
	if err != nil {
		return nil, fmt.Errorf("props: what is judged in parts has to know which program it is: %w", err)
	}
	h := Shard{Shard: part.String(), Program: program, Revision: rev, Settings: settings}
	h.LineHead = LineHead{LedgerVersion, LineShard, fmt.Sprintf("%016x", HashOf(h.Program, h.Revision, h.Settings))}
	l := &Ledger{
		name: filepath.Join(dir, fmt.Sprintf("blocks-%dof%d-%s.jsonl", part.I, part.Of, h.Run)), head: h.LineHead,
		done: map[blockOf]*Block{}, works: map[Where]bool{},
	}
	if err := l.open(h); err != nil {
		return nil, fmt.Errorf("props: the blocks of shard %s: %w", part, err)
	}
	return l, nil
}

// ledger returns the ledger of a part of the process's run.
func (s *Session) ledger(part Part) (*Ledger, error) {
	if l := s.book[part]; l != nil {
		return l, nil
	}
	l, err := s.openLedger(part)
	if err == nil {
		if s.book == nil {
			s.book = map[Part]*Ledger{}
		}
		s.book[part] = l
	}
	return l, err
}

func (s *Session) openLedger(part Part) (*Ledger, error) {
	dir, err := RunDir()
	key := fmt.Sprintf("%s %s %s", dir, part, s.Set.text())
	ledgers.Lock()
	defer ledgers.Unlock()
	if l, failed := ledgers.of[key], ledgers.failed[key]; l != nil || failed != nil {
		return l, failed
	}
	if ledgers.of == nil {
		ledgers.of, ledgers.failed = map[string]*Ledger{}, map[string]error{}
	}
	var l *Ledger
	if err == nil {
		l, err = OpenLedger(dir, programName(), s.Set.text(), part)
	}
	if err != nil {
		ledgers.failed[key] = err
		return nil, err
	}
	ledgers.of[key] = l
	return l, nil
}

// lockPatience is how long a ledger waits for the process that has it.
const lockPatience = 5 * time.Second

// Name returns the name of the file.
func (l *Ledger) Name() string { return l.name }

// open reads what there is of the file, and drops a last line that is torn, since its writer was killed or its disk was full.
func (l *Ledger) open(h Shard) (err error) {
	if l.file, err = os.OpenFile(l.name, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644); err != nil {
		return err
	}
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		for end := time.Now().Add(lockPatience); platform.Locked(l.file); time.Sleep(lockPatience / 50) { // a process that was killed may not have ended yet
			if time.Now().After(end) {
				return errors.Join(fmt.Errorf("another process is at the same shard, and writes %s", l.name), l.file.Close())
			}
		}
		text, err := io.ReadAll(l.file)
		if err != nil {
			return err
		}
		whole := text[:bytes.LastIndexByte(text, '\n')+1]
		if len(whole) < len(text) {
			if err := l.file.Truncate(int64(len(whole))); err != nil {
				return err
			}
		}
		l.size = int64(len(whole))
		n := 0
		for line := range bytes.Lines(whole) {
			if n++; n == 1 {
				continue // the name of the file says the same
			}
			if err := l.read(line); err != nil {
				return fmt.Errorf("%s:%d: %w; remove the file, and what it holds is judged again", l.name, n, err)
			}
		}
	}
	if l.size == 0 {
		return l.write(h)
	}
	return nil
}

// KindOf returns what a line of a ledger says of itself.
func KindOf(line []byte) (h LineHead, err error) {
	// All lines begin with the head, which so is read without the rest.
	if i := bytes.Index(line, []byte(`","run":"`)); i > 0 && i+9+16+1 < len(line) {
		short := append(bytes.Clone(line[:i+9+16+1]), '}')
		if json.Unmarshal(short, &h) == nil {
			return h, h.check()
		}
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return h, fmt.Errorf("it is no line of a shard: %w", err)
	}
	return h, h.check()
}

// check says why a line is not read.
func (h *LineHead) check() error {
	switch {
	case h.Kind == "":
		return errors.New("it is no line of a shard: it has no kind")
	case h.Version != LedgerVersion:
		return fmt.Errorf("it is of version %d of the format, and this program reads version %d", h.Version, LedgerVersion)
	}
	return nil
}

// read notes a line of an earlier process.
func (l *Ledger) read(line []byte) error {
	h, err := KindOf(line)
	switch {
	case err != nil:
		return err
	case h.Run != l.head.Run:
		return fmt.Errorf("it is of run %s, and the file of run %s", h.Run, l.head.Run)
	}
	l.ended = h.Kind == LineEnd
	switch h.Kind {
	case LineWork:
		var w Work
		err = json.Unmarshal(line, &w)
		l.works[w.Where] = true
	case LineBlock:
		b := &Block{}
		if err = json.Unmarshal(line, b); err == nil {
			err = b.Unpack()
		}
		if err == nil {
			l.done[blockOf{b.Where(), b.Number}] = b
		}
	}
	return err
}

// write appends a line, whole or not at all, unless one could not be written before.
func (l *Ledger) write(v any) error {
	if l.err != nil {
		return l.err
	}
	line, err := LineOf(v)
	if err != nil {
		return err
	}
	n, err := l.file.Write(append(line, '\n'))
	if err != nil {
		if n > 0 { // a later line would be appended to what there is of this one
			err = errors.Join(err, l.file.Truncate(l.size))
		}
		l.err = fmt.Errorf("props: %s could not be written, and no other block is judged: %w", l.name, err)
		return l.err
	}
	l.size += int64(n)
	return nil
}

// Plan notes how many blocks there are of a law, once.
func (l *Ledger) Plan(w Work) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.works[w.Where] {
		return l.err
	}
	l.works[w.Where], l.ended = true, false
	w.LineHead = l.head
	w.Kind = LineWork
	return l.write(w)
}

// Find returns a block that is on file, or nil.
func (l *Ledger) Find(w Where, number int) *Block {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.done[blockOf{w, number}]
}

// Add appends a block.
func (l *Ledger) Add(b *Block) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b.LineHead = l.head
	b.Kind = LineBlock
	b.pack()
	if err := l.write(b); err != nil {
		return err
	}
	l.done[blockOf{b.Where(), b.Number}], l.ended = b, false
	return nil
}

// pack puts the tallies, which a summary leaves out, where a line has them.
func (b *Block) pack() {
	for _, s := range b.all() {
		s.Tally = s.LawStats.Tally
	}
}

// Unpack puts the tallies of a line back. It is an error if the block has no statistics.
func (b *Block) Unpack() error {
	for _, s := range b.all() {
		if s.LawStats == nil {
			return errors.New("the block has no statistics")
		}
		s.LawStats.Tally = s.Tally
	}
	return nil
}

// all returns the statistics of the block.
func (b *Block) all() []*Stat {
	list := []*Stat{&b.Stat}
	for i := range b.Laws {
		list = append(list, &b.Laws[i])
	}
	return list
}

// End says that the tests of the shard have ended with a status, and closes the file.
func (l *Ledger) End(exit int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.err
	if err == nil && !l.ended {
		h := l.head
		h.Kind = LineEnd
		err = l.write(End{h, len(l.done), exit})
	}
	if err == nil {
		err = l.file.Sync()
	}
	return errors.Join(err, l.file.Close())
}

// EndShards ends the ledgers of the process, whose tests have ended with a status.
func EndShards(exit int) error {
	ledgers.Lock()
	defer ledgers.Unlock()
	errs := slices.Collect(maps.Values(ledgers.failed))
	for _, l := range ledgers.of {
		errs = append(errs, l.End(exit))
	}
	ledgers.of, ledgers.failed = nil, nil
	return errors.Join(errs...)
}
