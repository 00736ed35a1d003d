package merge

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"gamma/props/internal/engine"
	"gamma/props/internal/report"
)

// Result is what shards come to.
type Result struct {
	// Problems are why there is no result, and Notes what is worth knowing all the same, each with its file.
	Problems, Notes []string
	Subjects        []*engine.SubjectSummary
	// Failures are the lines of failures.jsonl by law of a subject.
	Failures map[*engine.LawStats][]json.RawMessage
	Records  []json.RawMessage // of gamma check, in the order of kernels
	Blocks   int
	// Failed says that the tests of a shard failed, and no violation on file says why.
	Failed bool
}

// Files returns the files of shards among names, and below those of folders.
func Files(names []string) (list []string, err error) {
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			list = append(list, name)
			continue
		}
		was := len(list)
		err = filepath.WalkDir(name, func(path string, d fs.DirEntry, err error) error {
			if ok, _ := filepath.Match("blocks-*.jsonl", filepath.Base(path)); err == nil && ok && !d.IsDir() {
				list = append(list, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(list) == was {
			return nil, fmt.Errorf("%s has no file of a shard: they are called blocks-*.jsonl", name)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// run is what is known of the run of one program.
type run struct {
	head   engine.Shard
	file   string // that says it
	of     int
	shards map[int]*shard
	laws   map[engine.Where]*law
}

// shard is one part of a run.
type shard struct {
	files      []string
	ended      bool
	exit       int
	violations int
}

// law is what is known of a law on a subject.
type law struct {
	engine.Where
	work     *engine.Work
	place    string // of work
	order    int
	blocks   table
	stats    engine.LawStats
	below    []engine.Stat // of a block without a law
	first    int           // block of failures
	failures []json.RawMessage
	records  map[int]json.RawMessage
}

// seen is where a block is, and a hash of what it says; the zero value is none.
type seen struct {
	sum        uint64
	file, line uint32 // from 1 on
}

// table has what is known of blocks by number, in pages, so that a line with a wild number costs one.
type table struct {
	pages map[int]*[pageBlocks]seen
	size  int // one more than the greatest number
}

const pageBlocks = 1 << 10

// mostBlocks is how many blocks of a law are read.
const mostBlocks = 1 << 28

// at returns what is known of a block, to be changed.
func (t *table) at(k int) *seen {
	if t.pages == nil {
		t.pages = map[int]*[pageBlocks]seen{}
	}
	page := t.pages[k/pageBlocks]
	if page == nil {
		page = new([pageBlocks]seen)
		t.pages[k/pageBlocks] = page
	}
	t.size = max(t.size, k+1)
	return &page[k%pageBlocks]
}

// has reports whether there is a block of that number.
func (t *table) has(k int) bool {
	page := t.pages[k/pageBlocks]
	return page != nil && page[k%pageBlocks].sum != 0
}

// merger reads files.
type merger struct {
	mu     sync.Mutex
	files  []string
	runs   map[string]*run // by program
	result Result
}

// Read adds up what files of shards say.
func Read(files []string) *Result {
	m := &merger{files: files, runs: map[string]*run{}}
	for i, name := range files {
		if err := m.file(uint32(i+1), name); err != nil {
			m.problem("%s: %v", name, err)
		}
	}
	for _, program := range slices.Sorted(maps.Keys(m.runs)) {
		m.whole(m.runs[program])
	}
	if len(files) == 0 {
		m.problem("there is no file of a shard")
	}
	return &m.result
}

func (m *merger) problem(format string, args ...any) {
	m.result.Problems = append(m.result.Problems, fmt.Sprintf(format, args...))
}

func (m *merger) note(format string, args ...any) {
	m.result.Notes = append(m.result.Notes, fmt.Sprintf(format, args...))
}

// batch is some lines of a file, the first of which has this number.
type batch struct {
	first int
	text  []byte
}

// batchBytes is about how long a batch is.
const batchBytes = 1 << 18

// reading is a file that is read.
type reading struct {
	m      *merger
	index  uint32
	name   string
	of     *run
	shard  *shard
	head   engine.Shard
	blocks int // distinct ones
	end    *engine.End
	endAt  int // its line
	last   int // line that was read
}

// file reads one file, in batches of lines that all processors read.
func (m *merger) file(index uint32, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, batchBytes)
	line, err := in.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		if len(line) > 0 {
			return errors.New("1: the line is torn, and it is the first: nothing is known of the file")
		}
		return errors.New("the file is empty")
	} else if err != nil {
		return err
	}
	r := &reading{m: m, index: index, name: name}
	if err := r.begin(line); err != nil {
		return err
	}
	batches := make(chan batch, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			d := newDecoder()
			for b := range batches {
				r.lines(d, b)
			}
		})
	}
	number, torn := 2, false
	for err == nil {
		b := batch{number, make([]byte, batchBytes)}
		var n int
		n, err = io.ReadFull(in, b.text)
		if b.text = b.text[:n]; err == nil && b.text[n-1] != '\n' {
			var rest []byte
			rest, err = in.ReadBytes('\n')
			b.text = append(b.text, rest...)
		}
		lines := bytes.Count(b.text, []byte{'\n'})
		if whole := bytes.LastIndexByte(b.text, '\n') + 1; whole < len(b.text) {
			b.text, torn = b.text[:whole], true
		}
		number += lines
		batches <- b
	}
	close(batches)
	all.Wait()
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if torn {
		m.problem("%s:%d: the line is torn: its writer was killed, or its disk was full; start shard %s again, which goes on there", name, number, r.head.Shard)
	}
	r.close()
	return nil
}

// begin reads the first line.
func (r *reading) begin(line []byte) error {
	h, err := engine.KindOf(line)
	switch {
	case err != nil:
		return fmt.Errorf("1: %w", err)
	case h.Kind != engine.LineShard:
		return fmt.Errorf("1: the first line does not say which shard this is, but is a line of kind %q", h.Kind)
	}
	if err := json.Unmarshal(line, &r.head); err != nil {
		return fmt.Errorf("1: %w", err)
	}
	part, ok := engine.ParsePart(r.head.Shard)
	if !ok || !part.On() {
		return fmt.Errorf("1: the shard is %q, and not such as 3/16", r.head.Shard)
	}
	of := r.m.runs[r.head.Program]
	if of == nil {
		of = &run{head: r.head, file: r.name, of: part.Of, shards: map[int]*shard{}, laws: map[engine.Where]*law{}}
		r.m.runs[r.head.Program] = of
	}
	const other = "1: it is of another %s than %s: %s, and not %s; merge files of one run"
	switch {
	case r.head.Revision != of.head.Revision:
		return fmt.Errorf(other, "revision of "+r.head.Program, of.file, r.head.Revision, of.head.Revision)
	case r.head.Settings != of.head.Settings:
		return fmt.Errorf(other, "run of "+r.head.Program, of.file, r.head.Settings, of.head.Settings)
	case r.head.Run != of.head.Run:
		return fmt.Errorf(other, "run of "+r.head.Program, of.file, r.head.Run, of.head.Run)
	case part.Of != of.of:
		return fmt.Errorf(other, "number of shards", of.file, r.head.Shard, of.head.Shard)
	}
	s := of.shards[part.I]
	if s == nil {
		s = &shard{}
		of.shards[part.I] = s
	} else {
		r.m.note("%s: shard %s is there twice; the other file is %s. A block that is in both counts once", r.name, r.head.Shard, s.files[0])
	}
	s.files = append(s.files, r.name)
	r.of, r.shard = of, s
	return nil
}

// lines reads a batch.
func (r *reading) lines(d *decoder, b batch) {
	number := b.first
	for line := range bytes.Lines(b.text) {
		if err := r.line(d, number, line); err != nil {
			r.m.mu.Lock()
			r.m.problem("%s:%d: %v", r.name, number, err)
			r.m.mu.Unlock()
		}
		number++
	}
}

// line reads a line.
func (r *reading) line(d *decoder, number int, line []byte) error {
	if b, ok := d.read(line); ok && b.Version == engine.LedgerVersion && b.Kind == engine.LineBlock && b.Run == r.head.Run {
		return r.block(number, b, sumOf(b, line))
	}
	h, err := engine.KindOf(line)
	switch {
	case err != nil:
		return err
	case h.Run != r.head.Run:
		return fmt.Errorf("the line is of run %s, and the file of run %s", h.Run, r.head.Run)
	}
	switch h.Kind {
	case engine.LineWork:
		w := &engine.Work{}
		if err := json.Unmarshal(line, w); err != nil {
			return err
		}
		return r.work(number, w)
	case engine.LineBlock:
		b := &engine.Block{}
		if err := json.Unmarshal(line, b); err != nil {
			return err
		}
		if err := b.Unpack(); err != nil {
			return err
		}
		return r.block(number, b, sumOf(b, line))
	case engine.LineEnd:
		e := &engine.End{}
		if err := json.Unmarshal(line, e); err != nil {
			return err
		}
		r.m.mu.Lock()
		defer r.m.mu.Unlock()
		if number > r.endAt {
			r.end, r.endAt = e, number
		}
		r.last = max(r.last, number)
		return nil
	case engine.LineShard:
		return errors.New("the file has a second first line: two files were put together")
	default:
		return fmt.Errorf("the line is of kind %q, which is not known", h.Kind)
	}
}

// law returns what is known of a law.
func (r *reading) law(w engine.Where) *law {
	l := r.of.laws[w]
	if l == nil {
		l = &law{Where: w}
		l.stats.Law, l.stats.Subject = w.Law, w.Subject
		r.of.laws[w] = l
	}
	return l
}

// work notes how many blocks there are of a law.
func (r *reading) work(number int, w *engine.Work) error {
	if w.Of < 0 || w.Of > mostBlocks {
		return fmt.Errorf("the number of blocks is %d", w.Of)
	}
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	l := r.law(w.Where)
	if r.last = max(r.last, number); l.work == nil {
		l.work, l.place, l.order = w, fmt.Sprintf("%s:%d", r.name, number), number
		return nil
	}
	l.order = min(l.order, number)
	w.LineHead = l.work.LineHead
	if *w != *l.work {
		return fmt.Errorf("%s is described otherwise in %s", &w.Where, l.place)
	}
	return nil
}

// block adds a block.
func (r *reading) block(number int, b *engine.Block, sum uint64) error {
	if err := b.Check(); err != nil {
		return err
	}
	if b.Number < 0 || b.Number >= mostBlocks {
		return fmt.Errorf("the number of the block is %d", b.Number)
	}
	sum |= 1 // no block has none
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	r.last = max(r.last, number)
	l := r.law(b.Where())
	at := l.blocks.at(b.Number)
	if old := *at; old.sum != 0 {
		switch {
		case old.sum != sum:
			return fmt.Errorf("block %d of %s is there twice, and differs: the other is %s:%d", b.Number, &l.Where, r.m.files[old.file-1], old.line)
		case old.file != r.index:
			r.blocks++
		}
		return nil
	}
	*at = seen{sum, r.index, uint32(number)}
	r.blocks++
	r.m.result.Blocks++
	r.shard.violations += b.Violations
	l.stats.Merge(b.LawStats)
	l.below = append(l.below, b.Laws...)
	for i := range b.Laws {
		r.shard.violations += b.Laws[i].Violations
	}
	if b.Record != nil {
		if l.records == nil {
			l.records = map[int]json.RawMessage{}
		}
		l.records[b.Number] = b.Record
	}
	if len(b.Failures) > 0 && (l.failures == nil || b.Number < l.first) {
		l.failures, l.first = b.Failures, b.Number
	}
	return nil
}

// close looks at the end of a file.
func (r *reading) close() {
	if r.end == nil || r.last > r.endAt {
		return
	}
	if r.shard.ended, r.shard.exit = true, max(r.shard.exit, r.end.Exit); r.end.Blocks != r.blocks {
		r.m.problem("%s: its last line says that it has %s, and it has %d", r.name, report.Plural(r.end.Blocks, "block"), r.blocks)
	}
}

// mostNamed is how many problems of one sort are named.
const mostNamed = 20

// whole looks at what is missing of a run, and puts its statistics in order.
func (m *merger) whole(of *run) {
	gone := map[int]string{}
	for i := 1; i <= of.of; i++ {
		switch s := of.shards[i]; {
		case s == nil:
			gone[i] = fmt.Sprintf("shard %d/%d of %s is missing: no file is of it", i, of.of, of.head.Program)
		case !s.ended:
			gone[i] = fmt.Sprintf("%s: shard %d/%d of %s has not ended: it was killed, or its package has no TestMain that calls props.Main", s.files[0], i, of.of, of.head.Program)
		case s.exit != 0 && s.violations == 0:
			m.result.Failed = true
			m.note("%s: the tests of shard %d/%d ended with status %d, and no block has a violation: read what they printed", s.files[0], i, of.of, s.exit)
		}
	}
	laws := make([]*law, 0, len(of.laws))
	for _, l := range of.laws {
		laws = append(laws, l)
	}
	slices.SortFunc(laws, func(a, b *law) int {
		return cmp.Or(strings.Compare(a.Test, b.Test), strings.Compare(a.Device, b.Device), strings.Compare(a.Subject, b.Subject), cmp.Compare(a.order, b.order), strings.Compare(string(a.Law), string(b.Law)))
	})
	named := 0
	missing := map[int]int{}
	for _, l := range laws {
		switch {
		case l.work == nil:
			m.problem("%s:%d: no line says how many blocks there are of %s", m.files[l.anyBlock().file-1], l.anyBlock().line, &l.Where)
			continue
		case l.blocks.size > l.work.Of:
			s := *l.blocks.at(l.blocks.size - 1)
			m.problem("%s:%d: there is no block %d of %s, which has %d", m.files[s.file-1], s.line, l.blocks.size-1, &l.Where, l.work.Of)
			continue
		}
		hash := l.Hash()
		for k := range l.work.Of {
			if l.blocks.has(k) {
				continue
			}
			i := int((hash%uint64(of.of)+uint64(k))%uint64(of.of)) + 1
			if missing[i]++; gone[i] != "" {
				continue
			}
			if named++; named <= mostNamed {
				m.problem("%s: block %d of %s is missing, and the shard has ended: remove the file, and start shard %d/%d again", of.shards[i].files[0], k, &l.Where, i, of.of)
			}
		}
	}
	if named > mostNamed {
		m.problem("%d more blocks are missing", named-mostNamed)
	}
	for _, i := range slices.Sorted(maps.Keys(gone)) {
		m.problem("%s; %s of it missing", gone[i], blocksAre(missing[i]))
	}
	if len(m.result.Problems) == 0 {
		m.subjects(laws)
	}
}

// blocksAre returns "1 block is", "2 blocks are".
func blocksAre(n int) string {
	if n == 1 {
		return "1 block is"
	}
	return fmt.Sprintf("%d blocks are", n)
}

// anyBlock returns the last block that there is.
func (l *law) anyBlock() seen {
	return *l.blocks.at(l.blocks.size - 1)
}

// subjects makes the summaries of subjects, as a run makes them.
func (m *merger) subjects(laws []*law) {
	if m.result.Failures == nil {
		m.result.Failures = map[*engine.LawStats][]json.RawMessage{}
	}
	var sum *engine.SubjectSummary
	for i, l := range laws {
		if i == 0 || laws[i-1].Subject != l.Subject || laws[i-1].Device != l.Device || laws[i-1].Test != l.Test {
			sum = l.work.Summary()
			m.result.Subjects = append(m.result.Subjects, sum)
		}
		sum.Promise.Merge(&l.work.Promise)
		if l.Law != "" {
			m.add(sum, &l.stats, l.failures)
			continue
		}
		for _, k := range slices.Sorted(maps.Keys(l.records)) {
			m.result.Records = append(m.result.Records, l.records[k])
		}
		for i := range l.below {
			m.add(sum, l.below[i].LawStats, failuresOf(l.failures, l.below[i].LawStats))
		}
	}
	for _, s := range m.result.Subjects {
		s.NoteDefault()
	}
	// Kernels that gamma check has checked without a claim have records, and no laws.
	m.result.Subjects = slices.DeleteFunc(m.result.Subjects, func(s *engine.SubjectSummary) bool { return len(s.Laws) == 0 })
}

// add adds what is known of a law to a subject.
func (m *merger) add(sum *engine.SubjectSummary, st *engine.LawStats, failures []json.RawMessage) {
	i := slices.IndexFunc(sum.Laws, func(s *engine.LawStats) bool { return s.Law == st.Law })
	if i < 0 {
		sum.Laws, i = append(sum.Laws, st), len(sum.Laws)
	} else {
		sum.Laws[i].Merge(st)
	}
	if len(failures) > 0 {
		m.result.Failures[sum.Laws[i]] = append(m.result.Failures[sum.Laws[i]], failures...)
	}
}

// failuresOf returns the failures of one law.
func failuresOf(list []json.RawMessage, st *engine.LawStats) (own []json.RawMessage) {
	for _, line := range list {
		var f engine.JSONViolation
		if json.Unmarshal(line, &f) == nil && f.Law == string(st.Law) {
			own = append(own, line)
		}
	}
	return own
}
