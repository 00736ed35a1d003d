package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/draw"
)

// blockChecks is how many checks a block of a search stands for: as many as a run draws where nobody says how many. The blocks of a search do not depend on
// how many parts there are, and neither does what is drawn in them.
const blockChecks = 2000

// divided is a source with an engine of its own whose inputs come in blocks: all that there are. Search goes through one block, that was said last.
type divided interface {
	Blocks() int
	Block(k int)
}

// enumerating is a source that begins with inputs which do not depend on its seed: they are those of block 0.
type enumerating interface{ Later() }

// cut is a law that is judged in blocks.
type cut struct {
	e      *Engine
	l      *AnyLaw
	part   Part
	own    *source // divided; nil: blocks are drawn
	of     int
	work   Work
	ledger *Ledger // nil: of one block alone, which is not kept
	filed  int     // blocks that were on file
	failed bool    // a block failed, and its report has been made
}

// CheckParts judges what the shard has of a subject.
func CheckParts(t TB, j Judged, parts Subtests, propose Proposer) {
	t.Helper()
	s := j.Base()
	_, cuts := j.(interface{ cuts() })
	if s.Set.Shard.Alone {
		j.Check(t, parts, propose)
		return
	}
	s.wholly(t, j, func(t TB) {
		if j.Replay(t, parts); !cuts {
			j.Check(t, parts, propose)
		}
	})
	if cuts {
		j.Check(t, parts, propose)
	}
}

// cuts says that check judges in blocks if the settings say so.
func (e *Engine) cuts() {}

// wholly judges what is not cut of a subject in one of the shards. The others look at cases on file alone that are known as open faults, since such a
// law is not searched.
func (s *Session) wholly(t TB, j Judged, all func(t TB)) {
	t.Helper()
	w := s.workOf("", 1)
	ledger, err := s.ledger(s.Set.Shard)
	if err == nil {
		err = ledger.Plan(w)
	}
	if err != nil {
		t.Error(err)
		return
	}
	old := ledger.Find(w.Where, 0)
	if old != nil {
		tellFiled(t, old)
		for i := range old.Laws {
			s.Stats(old.Laws[i].Law).Merge(old.Laws[i].LawStats)
		}
	}
	if !s.Set.Shard.Has(w.Hash(), 0) || old != nil {
		if laws := s.Sum.Laws; s.mayBeOpen() {
			j.Replay(silent{t}, func(_ string, part func(t TB)) { part(silent{t}) })
			s.Sum.Laws, s.settled = laws, ""
		}
		return
	}
	ended := false
	defer func() {
		if !ended {
			return // it panics
		}
		b := s.blockOf(w, 0, s.Set.Seed)
		b.LawStats = &LawStats{Subject: s.Name}
		for _, st := range s.Sum.Laws {
			b.add(st)
		}
		s.settled = ""
		if err := ledger.Add(b); err != nil {
			t.Error(err)
		}
	}()
	all(skipping{t, &ended})
	ended = true
}

// mayBeOpen reports whether a case on file for the subject may be one of an open fault. It looks for the word alone, since to read the files takes longer.
func (s *Session) mayBeOpen() (open bool) {
	see := func(text []byte, err error) {
		open = open || err != nil || bytes.Contains(text, []byte(corpus.ExpectViolated)) && bytes.Contains(text, []byte(s.Name))
	}
	for _, path := range embedded().of[s.Name] {
		see(corpus.Files.ReadFile(path))
	}
	_ = filepath.WalkDir(SaveDirName, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			see(os.ReadFile(path))
		}
		return nil
	})
	return open
}

// skipping is a test that notes that it is skipped, which ends its goroutine.
type skipping struct {
	TB
	ended *bool
}

func (s skipping) Skip(args ...any) {
	*s.ended = true
	s.TB.Skip(args...)
}

func (s skipping) Skipf(format string, args ...any) {
	*s.ended = true
	s.TB.Skipf(format, args...)
}

// silent is a test that hears nothing.
type silent struct{ TB }

func (silent) Log(...any)            {}
func (silent) Logf(string, ...any)   {}
func (silent) Error(...any)          {}
func (silent) Errorf(string, ...any) {}
func (silent) Skip(...any)           {}
func (silent) Skipf(string, ...any)  {}

// workOf describes the blocks of a law.
func (s *Session) workOf(id model.LawID, of int) Work {
	return Work{
		Where: Where{s.Sum.Test, s.Sum.Device, s.Name, id}, Of: of, Op: s.Sum.Op, What: s.Sum.what, Seed: s.Set.SeedText, MathMode: s.Sum.MathMode, Promise: s.Sum.Promise,
	}
}

// blockOf begins a block.
func (s *Session) blockOf(w Work, number int, seed uint64) *Block {
	return &Block{Test: w.Test, Device: w.Device, Number: number, Seed: seed}
}

// add adds the statistics of a law to a block without a law.
func (b *Block) add(st *LawStats) {
	b.Laws = append(b.Laws, Stat{LawStats: st})
	b.fail(st)
}

// fail keeps the line of a failure.
func (b *Block) fail(st *LawStats) {
	if st.Failure == nil {
		return
	}
	if line, err := st.Failure.JSON(); err == nil {
		b.Failures = append(b.Failures, line)
	}
}

// tellFiled fails a test with what is on file of a block's violations.
func tellFiled(t TB, b *Block) {
	t.Helper()
	for _, line := range b.Failures {
		var f JSONViolation
		if json.Unmarshal(line, &f) == nil {
			t.Errorf("%s, block %d on file: %s violates %s: %s\n%s", b.Where().Test, b.Number, f.Subject, f.Law, f.Reason, f.Command)
		}
	}
}

// cutting returns a law as it is judged in blocks, or nil where it is not: nobody has said so, or the law is not searched at all, which Search says.
func (e *Engine) cutting(l *AnyLaw) (*cut, error) {
	s := e.Base()
	part := s.Set.Shard
	if !part.On() && !s.Set.Sweep || s.Open[l.ID] != "" || s.settled != "" {
		return nil, nil
	}
	src, err := e.Source(l, false)
	if err != nil {
		return nil, nil //nolint:nilerr // Search says it
	}
	c := &cut{e: e, l: l, part: part, of: (s.Set.Checks + blockChecks - 1) / blockChecks}
	if own, ok := src.of.(divided); ok {
		c.own, c.of = src, own.Blocks()
		if !part.On() {
			c.part = Part{I: 1, Of: 1}
		}
	} else if !part.On() {
		return nil, nil
	}
	c.work = s.workOf(l.ID, c.of)
	if c.part.Alone {
		return c, nil
	}
	if c.ledger, err = s.ledger(c.part); err != nil {
		return nil, err
	}
	return c, c.ledger.Plan(c.work)
}

// judge judges the blocks that are the part's, those on file aside.
func (c *cut) judge(t TB) {
	t.Helper()
	s := c.e.Base()
	hash, total := c.work.Hash(), s.Stats(c.l.ID)
	var mine []int
	for k := range c.of {
		if c.part.Has(hash, k) {
			mine = append(mine, k)
		}
	}
	bar := newProgress(fmt.Sprintf("%s %s", s.Name, c.l.ID), len(mine))
	defer bar.end()
	for i, k := range mine {
		b := (*Block)(nil)
		if c.ledger != nil {
			b = c.ledger.Find(c.work.Where, k)
		}
		if b != nil {
			c.filed++
			tellFiled(t, b)
			total.Merge(b.LawStats)
			bar.skip()
			continue
		}
		if b = c.block(t, k); c.ledger != nil {
			if err := c.ledger.Add(b); err != nil {
				t.Error(err)
				return
			}
		}
		total.Merge(b.LawStats)
		bar.show(i + 1)
	}
	t.Logf("%s; blocks of shard %s: %d of %d, %d of them on file", total.Line(), c.part, len(mine), c.of, c.filed)
	s.remarks(t, total)
	s.Guard.remark(t, s.Name)
}

// block judges block k, as a search of its own with a seed of its own.
func (c *cut) block(t TB, k int) *Block {
	t.Helper()
	e, s := c.e, c.e.Base()
	set, laws, far := s.Set, s.Sum.Laws, s.wentFar
	seed := draw.Mix(set.Seed + uint64(k)*0x9e3779b97f4a7c15)
	s.Sum.Laws, s.settled, s.looked = nil, "", k > 0
	s.Set.Seed = seed
	s.block = fmt.Sprintf("@%d", k)
	if c.own == nil {
		s.Set.Checks = min(blockChecks, set.Checks-k*blockChecks)
	}
	s.wentFar = k > 0 || set.Shard.On() && !c.first()
	e.watched(t, func() { c.search(t, k) })
	st := s.Stats(c.l.ID)
	if k == 0 && set.Shard.On() {
		e.judgeDefault(c.l, st)
	}
	isolated := s.Set.Isolate && !set.Isolate
	s.Set, s.Sum.Laws, s.wentFar, s.block = set, laws, far, ""
	if isolated { // the kernel hung: in another process it can be stopped
		s.Set.Isolate = true
		iso := NewIsolation(s.Sum.Test, s.Name, s.Set.Timeout)
		e.Isolate(iso.Ask)
		s.stop = iso.Stop
	}
	s.settled = ""
	b := s.blockOf(c.work, k, seed)
	b.LawStats = st
	st.Seconds = math.Round(float64(st.Seconds*1e6)) / 1e6
	b.fail(st)
	return b
}

// first reports whether the law is the first of those with inputs beyond what is drawn: the others do without the longest of them.
func (c *cut) first() bool {
	for _, l := range c.e.inOrder() {
		if src, err := c.e.Source(l, false); err == nil && src.beyond != nil {
			return l.ID == c.l.ID
		}
	}
	return true
}

// search searches a block.
func (c *cut) search(t TB, k int) {
	t.Helper()
	e, s, l := c.e, c.e.Base(), c.l
	defer s.Guard.Own()()
	src := c.own
	if src != nil {
		src.of.(divided).Block(k)
	} else {
		var err error
		if src, err = e.Source(l, false); err != nil {
			t.Errorf("%v", err)
			return
		}
	}
	if b, ok := src.of.(enumerating); ok && k > 0 {
		b.Later()
	}
	st, trial := s.Stats(l.ID), e.Trial()
	found, fails, stopped := e.seek(l, src, trial, st, ProposeFrom(s.Set.Seed), k == 0)
	switch {
	case fails && c.failed: // one report of a law is enough
		v, reason := trial.Judge(l, found), ""
		if st.Violations++; v.Fails() {
			reason = v.Reason
		} else {
			reason = FlakyText("an input", st.Seen)
		}
		t.Errorf("also: block %d of %s: %s", k, &c.work.Where, reason)
	case fails:
		c.failed = true
		e.fail(t, l, found, st)
	case stopped != "":
		t.Errorf("props: %s on %s: the engine stopped: %s", l.ID, s.Name, stopped)
	case c.own == nil:
		_, st.Lacks = e.rare(l, st, src)
		st.Lacks = st.Lacks && !s.Device.OnHardware()
	}
	measure(trial.of, st)
}

// progress tells a terminal how far the blocks of a law are, twice a second at most.
type progress struct {
	terminal      io.WriteCloser // nil where there is none
	name          string
	of, skipped   int
	started, said time.Time
}

func newProgress(name string, of int) *progress {
	p := &progress{name: name, of: of, started: time.Now()}
	if f, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil && of > 1 {
		p.terminal = f
	}
	return p
}

// skip notes a block that took no time.
func (p *progress) skip() { p.skipped++ }

func (p *progress) show(done int) {
	if p.terminal == nil || time.Since(p.said) < time.Second/2 && done < p.of {
		return
	}
	p.said = time.Now()
	const cells = 30
	share := float64(done) / float64(p.of)
	each := time.Since(p.started) / time.Duration(max(done-p.skipped, 1))
	full := int(float64(share * cells))
	fmt.Fprintf(p.terminal, "\r%s [%s%s] %5.1f %%, %v left \x1b[K", p.name, strings.Repeat("#", full), strings.Repeat(".", cells-full), float64(100*share),
		(each * time.Duration(p.of-done)).Round(time.Second))
	if done == p.of {
		fmt.Fprintln(p.terminal)
	}
}

func (p *progress) end() {
	if p.terminal != nil {
		_ = p.terminal.Close()
	}
}
