package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/platform"
	"gamma/props/internal/verdict"
)

// Recorder keeps the input that is running in a file that survives the process, so that a kernel that hangs, overflows the stack or
// dies with the process leaves its input on file. Most inputs are recorded by their recipes or their words, in mapped memory, without
// a system call where the system can map files.
type Recorder struct {
	file *os.File
	mem  []byte // mapped; nil: written with WriteAt
	name string
	head string // the subject
	// last holds the records of the last inputs, in a ring: that of the last one is at place at.
	last [remembers + 1][]byte
	at   int
}

// remembers is how many inputs are remembered beside the last one.
const remembers = 16

// RecordSize is the size of a record.
const RecordSize = 1 << 16

// openRecorder makes the record of a subject, and looks for one that a dead process left: recall makes a file of its input.
func openRecorder(t TB, subject string, recall func(law model.LawID, text []byte) (corpus.Body, error)) *Recorder {
	t.Helper()
	r := &Recorder{}
	dir, err := RunDir()
	if err != nil {
		t.Logf("props: no record of the running case will survive: %v", err)
		return r
	}
	reportDead(t, dir, subject, recall)
	// A subject may be judged by two tests at once: a file of its own for each, which nobody else cuts off while it is mapped.
	r.file, err = os.CreateTemp(dir, fmt.Sprintf("running-%s-*-%d", slug(subject), os.Getpid()))
	if err != nil {
		t.Logf("props: no record of the running case will survive: %v", err)
		return &Recorder{}
	}
	r.name = r.file.Name()
	if err := r.file.Truncate(RecordSize); err == nil {
		r.mem, _ = platform.MapFile(r.file, RecordSize)
	}
	r.head = subject
	return r
}

// record records the input that runs next.
func (e *Engine) record(l *AnyLaw, in any) {
	r := e.Base().Rec
	if r.file == nil {
		return
	}
	b := r.headed(l.ID)
	at, _ := e.Setting(in)
	if short := e.Record(verdict.AppendSetting(append(b, "input\n"...), at), in); short != nil && len(short) <= RecordSize {
		b = short
	} else {
		b = append(append(b, "file\n"...), r.spill(e.Body(l, in))...)
	}
	r.write(b)
}

// Recall makes a file of what record wrote of an input.
func (e *Engine) Recall(law model.LawID, text []byte) (corpus.Body, error) {
	line, text, ok := bytes.Cut(text, []byte("\n"))
	if !ok {
		return nil, ErrCutOff
	}
	var at verdict.Setting
	if len(line) > 0 {
		if err := json.Unmarshal(line, &at); err != nil {
			return nil, err
		}
	}
	in, err := e.Recorded(text)
	if err != nil {
		return nil, err
	}
	l := e.lawByID(law)
	if l == nil { // a subject's own law that is gone
		l = e.named(law)
	}
	return e.Body(l, e.Under(in, at)), nil
}

// headed begins what is recorded next of a law.
func (r *Recorder) headed(law model.LawID) []byte {
	r.at = (r.at + 1) % len(r.last)
	b := append(r.last[r.at][:0], 0, 0, 0, 0) // length, written last
	b = append(b, law...)
	b = append(b, '\n')
	b = append(b, r.head...)
	return append(b, '\n')
}

// Note records in words what runs next, where it is no input; what does not fit is cut off.
func (r *Recorder) Note(law model.LawID, text func() string) {
	if r.file == nil {
		return
	}
	b := append(append(r.headed(law), "input\n"...), text()...)
	r.write(b[:min(len(b), RecordSize)])
}

// past returns the records of the last inputs, the last one first.
func (r *Recorder) past() (list [][]byte) {
	for i := range r.last {
		if b := r.last[(r.at+len(r.last)-i)%len(r.last)]; len(b) > 0 {
			list = append(list, b)
		}
	}
	return list
}

// write writes a record in the place of the one before.
func (r *Recorder) write(b []byte) {
	r.last[r.at] = b
	binary.LittleEndian.PutUint32(b, uint32(len(b)))
	if r.mem != nil {
		copy(r.mem, b)
		return
	}
	_, _ = r.file.WriteAt(b, 0)
}

// spilt ends the names of files of inputs, before their place in the ring.
const spilt = ".spilt"

// removeRecord removes a record and the files beside it.
func removeRecord(name string) {
	for _, f := range append(beginning(name+spilt), name) {
		_ = os.Remove(f)
	}
}

// beginning returns the files whose paths begin so; the directory may have any name.
func beginning(path string) (files []string) {
	dir, prefix := filepath.Split(path)
	list, _ := os.ReadDir(dir)
	for _, d := range list {
		if strings.HasPrefix(d.Name(), prefix) {
			files = append(files, dir+d.Name())
		}
	}
	return files
}

// spill writes an input that is too long for the record to a file beside it, and returns the file's name.
func (r *Recorder) spill(b corpus.Body) string {
	text, err := corpus.Format(b, ReplayOptions)
	if err != nil {
		return ""
	}
	name := fmt.Sprintf("%s%s%d", r.name, spilt, r.at)
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return ""
	}
	return name
}

// Close removes the record: the process lives.
func (r *Recorder) Close() {
	if r.file == nil {
		return
	}
	if r.mem != nil {
		_ = platform.Unmap(r.mem)
	}
	_ = r.file.Close()
	removeRecord(r.name)
	r.file = nil
}

// ErrCutOff says that a record does not have all that was written.
var ErrCutOff = errors.New("the record is cut off")

// AppendWords writes words to the end of a record, and CutWords reads all that are left.
func AppendWords(b []byte, words ...uint64) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}

// CutWords reads the words of a record, of eight bytes each; there are so many at least.
func CutWords(b []byte, least int) (words []uint64, err error) {
	if len(b)%8 != 0 || len(b)/8 < least {
		return nil, ErrCutOff
	}
	for ; len(b) > 0; b = b[8:] {
		words = append(words, binary.LittleEndian.Uint64(b))
	}
	return words, nil
}

// Unsavable is what ran when a process died, where it has no file.
type Unsavable struct{ What string }

func (u *Unsavable) Error() string { return u.What }

// ParseRecord returns the law, the subject and the file that a record holds.
func ParseRecord(b []byte, recall func(law model.LawID, text []byte) (corpus.Body, error)) (law, subject string, body corpus.Body, err error) {
	cut := func() (string, string, corpus.Body, error) {
		return law, subject, nil, ErrCutOff
	}
	if len(b) < 4 {
		return cut()
	}
	n := int(binary.LittleEndian.Uint32(b))
	if n < 4 || n > len(b) {
		return cut()
	}
	b = b[4:n]
	var lines [3]string
	for i := range lines {
		line, rest, ok := bytes.Cut(b, []byte("\n"))
		if !ok {
			return cut()
		}
		lines[i], b = string(line), rest
	}
	law, subject = lines[0], lines[1]
	if lines[2] == "file" {
		if b, err = os.ReadFile(string(b)); err == nil {
			body, err = corpus.Parse[corpus.Body](b, ReplayOptions)
		}
		return law, subject, body, err
	}
	body, err = recall(model.LawID(law), b)
	return law, subject, body, err
}

// reported keeps records of dead processes from being reported twice by one process.
var reported sync.Map

// reportDead reports cases of this subject during which an earlier process died, and saves them.
func reportDead(t TB, dir, subject string, recall func(law model.LawID, text []byte) (corpus.Body, error)) {
	t.Helper()
	for _, name := range beginning(filepath.Join(dir, "running-"+slug(subject)+"-")) {
		pid, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
		if err != nil || pid == os.Getpid() || platform.ProcessLives(pid) {
			continue
		}
		if _, seen := reported.LoadOrStore(name, true); seen {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		law, of, body, err := ParseRecord(b, recall)
		if of != "" && of != subject { // its name is slugged as ours is
			reported.Delete(name)
			continue
		}
		removeRecord(name)
		tell := func(what string) {
			// On the standard error too: a test that dies again prints none of its log.
			text := fmt.Sprintf("props: an earlier process died while law %s ran %s. %s", law, of, what)
			fmt.Fprintln(os.Stderr, text)
			t.Log(text)
		}
		if told := (*Unsavable)(nil); errors.As(err, &told) {
			tell("What ran: " + told.What)
			continue
		}
		if err != nil {
			continue
		}
		h := body.Head()
		h.Law, h.Kernel, h.Isolate = model.LawID(law), of, true
		h.Comments = append(h.Comments, fmt.Sprintf("Process %d died or was killed while this case ran.", pid))
		body.SetHead(h)
		saved, err := corpus.Save(filepath.Join(dir, "died"), body, ReplayOptions)
		if err != nil {
			t.Logf("props: an earlier process died while %s ran on %s, and its case could not be saved: %v", law, subject, err)
			continue
		}
		tell(fmt.Sprintf("The case is %s; replay it with -gamma.case=%s", saved, saved))
	}
}

// slug turns a subject's name into part of a file name. Names that differ may have the same.
func slug(s string) string {
	const most = 60
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '_'
	}, s[:min(len(s), most)])
}
