package props

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gamma/corpus"
	"gamma/model"
)

// recorder keeps the case that is running in a file that survives the process, so that a kernel that
// hangs, overflows the stack or dies with the process leaves its input behind. A case that came of a
// recipe is recorded by the recipe: some words in mapped memory, without a system call where the
// system can map files.
type recorder struct {
	file *os.File
	mem  []byte // mapped; nil: written with WriteAt
	name string
	head string
	buf  []byte
}

// recordSize is the size of a record: header line, recipe line, case text if there is no recipe.
const recordSize = 1 << 12

// openRecorder makes the record of a subject, and looks for one that a dead process left behind.
func openRecorder(t testing.TB, subject string) *recorder {
	t.Helper()
	r := &recorder{}
	dir, err := runDir()
	if err != nil {
		t.Logf("props: no record of the running case will survive: %v", err)
		return r
	}
	reportDead(t, dir, subject)
	r.name = filepath.Join(dir, fmt.Sprintf("running-%s-%d", slug(subject), os.Getpid()))
	r.file, err = os.OpenFile(r.name, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o644)
	if err != nil {
		t.Logf("props: no record of the running case will survive: %v", err)
		return &recorder{}
	}
	if err := r.file.Truncate(recordSize); err == nil {
		r.mem, _ = mapFile(r.file, recordSize)
	}
	r.head = subject
	return r
}

// write records the case that runs next.
func (r *recorder) write(c *corpus.Case) {
	if r.file == nil {
		return
	}
	b := append(r.buf[:0], 0, 0) // length, written last
	b = append(b, c.Law...)
	b = append(b, '\n')
	b = append(b, r.head...)
	b = append(b, '\n')
	if c.Gen != "" {
		b = append(b, c.X.Format.Name...)
		b = append(b, '\n')
		b = append(b, c.Gen...)
		b = append(b, '\n')
		b = append(b, c.Tree[:min(len(c.Tree), recordSize/2)]...)
		b = append(b, '\n')
		b = strconv.AppendUint(b, c.Seed, 10)
	} else {
		b = append(b, "file\n"...)
		b = append(b, r.spill(c)...)
	}
	if len(b) > recordSize {
		b = b[:recordSize]
	}
	r.buf = b
	binary.LittleEndian.PutUint16(b, uint16(len(b)))
	if r.mem != nil {
		copy(r.mem, b)
		return
	}
	_, _ = r.file.WriteAt(b, 0)
}

// spill writes a case that has no recipe to a file beside the record, and returns the file's name.
func (r *recorder) spill(c *corpus.Case) string {
	text, err := corpus.Format(c, replayOptions)
	if err != nil {
		return ""
	}
	name := r.name + ".case"
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return ""
	}
	return name
}

// close removes the record: the process lives.
func (r *recorder) close() {
	if r.file == nil {
		return
	}
	if r.mem != nil {
		_ = unmapFile(r.mem)
	}
	_ = r.file.Close()
	_ = os.Remove(r.name)
	_ = os.Remove(r.name + ".case")
	r.file = nil
}

// parseRecord returns the case that a record holds.
func parseRecord(b []byte) (*corpus.Case, error) {
	if len(b) < 2 {
		return nil, fmt.Errorf("the record is empty")
	}
	n := int(binary.LittleEndian.Uint16(b))
	if n < 2 || n > len(b) {
		return nil, fmt.Errorf("the record is cut off")
	}
	lines := strings.Split(string(b[2:n]), "\n")
	if len(lines) < 4 {
		return nil, fmt.Errorf("the record is cut off")
	}
	law, subject := lines[0], lines[1]
	if lines[2] == "file" {
		text, err := os.ReadFile(lines[3])
		if err != nil {
			return nil, err
		}
		return corpus.Parse[*corpus.Case](text, replayOptions)
	}
	if len(lines) < 6 {
		return nil, fmt.Errorf("the record is cut off")
	}
	f, err := model.FormatByName(lines[2])
	if err != nil {
		return nil, err
	}
	rec, err := ParseRecipe(lines[3])
	if err != nil {
		return nil, err
	}
	c := &corpus.Case{Law: model.LawID(law), Kernel: subject, Gen: lines[3], Tree: lines[4]}
	if rec.Rows > 1 {
		c.Rows = rec.Rows
	}
	if c.Seed, err = strconv.ParseUint(lines[5], 10, 64); err != nil {
		return nil, err
	}
	c.X, c.Y = rec.Expand(f)
	return c, nil
}

// reported keeps records of dead processes from being reported twice by one process.
var reported sync.Map

// reportDead reports cases of this subject during which an earlier process died, and saves them.
func reportDead(t testing.TB, dir, subject string) {
	t.Helper()
	names, _ := filepath.Glob(filepath.Join(dir, "running-"+slug(subject)+"-*"))
	for _, name := range names {
		pid, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
		if err != nil || pid == os.Getpid() || processLives(pid) {
			continue
		}
		if _, seen := reported.LoadOrStore(name, true); seen {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		_ = os.Remove(name)
		c, err := parseRecord(b)
		_ = os.Remove(name + ".case")
		if err != nil || c.Kernel != subject {
			continue
		}
		c.Isolate = true
		c.Comments = append(c.Comments, fmt.Sprintf("Process %d died or was killed while this case ran.", pid))
		saved, err := corpus.Save(filepath.Join(dir, "died"), c, replayOptions)
		if err != nil {
			t.Logf("props: an earlier process died while %s ran on %s, and its case could not be saved: %v", c.Law, subject, err)
			continue
		}
		// On the standard error too: a test that dies again prints none of its log.
		text := fmt.Sprintf("props: an earlier process died while law %s ran %s. The case is %s; replay it with -gamma.case=%s", c.Law, subject, saved, saved)
		fmt.Fprintln(os.Stderr, text)
		t.Log(text)
	}
}

// slug turns a subject's name into part of a file name.
func slug(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		}
		return '_'
	}, s)
}
