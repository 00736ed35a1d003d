package props

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"gamma/corpus"
	"gamma/model"
	"gamma/sumtree"
)

// With -gamma.isolate the kernel runs in a child process: the test binary itself, told by a variable
// to serve runs of one subject in place of judging it. A hang or a death of the child becomes a
// verdict, and the next run gets a new child. Two pipes join the processes: descriptor 3 brings
// cases, descriptor 4 takes results.

// childEnv is the variable that makes a test binary the child for one subject of one test.
const childEnv = "GAMMA_ISOLATED_SUBJECT"

// How a kernel's failure begins that only a child process survives.
const (
	reasonHang  = "the kernel did not return within"
	reasonDeath = "the kernel's process died: "
)

// needsIsolation reports whether a verdict came of a hang or a death.
func needsIsolation(v *Verdict) bool {
	return strings.HasPrefix(v.Reason, reasonHang) || strings.HasPrefix(v.Reason, reasonDeath)
}

// brokenRun is a kernel's failure that already has its sentence.
type brokenRun string

func (b brokenRun) Error() string { return string(b) }

// runRequest is one run of a kernel, runReply its results or how it broke.
type runRequest struct {
	At   Setting
	X, Y wireValues
	Tree string // "" if the kernel follows none
	N    int
	Rows int
}

// wireValues are Values as integers: gob sends a float32 as a float64, which quiets signaling NaNs.
type wireValues struct {
	Format model.Format
	B32    []uint32
	B64    []uint64
	B16    []uint16
}

func toWire(v corpus.Values) wireValues {
	w := wireValues{Format: v.Format, B16: v.Bits}
	for _, x := range v.F32 {
		w.B32 = append(w.B32, math.Float32bits(x))
	}
	for _, x := range v.F64 {
		w.B64 = append(w.B64, math.Float64bits(x))
	}
	return w
}

// values is the inverse of toWire. Vectors of no length have lost which slice they were, which is
// that of their format.
func (w wireValues) values() corpus.Values {
	v := corpus.NewValues(w.Format, len(w.B32)+len(w.B64)+len(w.B16))
	for i, b := range w.B32 {
		v.F32[i] = math.Float32frombits(b)
	}
	for i, b := range w.B64 {
		v.F64[i] = math.Float64frombits(b)
	}
	copy(v.Bits, w.B16)
	return v
}

type runReply struct {
	Results []uint64
	Reason  string
	Found   model.Findings
}

// child is a running child process.
type child struct {
	cmd    *exec.Cmd
	to     *gob.Encoder
	from   *gob.Decoder
	pipes  []io.Closer
	stderr *headBuffer
	exited chan struct{}
}

// isolation runs one subject's kernel in children.
type isolation struct {
	test, subject string
	timeout       time.Duration
	mu            sync.Mutex
	c             *child
}

// isolate replaces the subject's runner by one that asks a child process.
func isolate(test string, s *subject, timeout time.Duration) *isolation {
	iso := &isolation{test: test, subject: s.name, timeout: timeout}
	follows := s.follows
	s.run = func(at Setting, tree *sumtree.Tree, x, y corpus.Values, n int, dst []uint64) error {
		q := runRequest{At: at, X: toWire(x), Y: toWire(y), N: n, Rows: len(dst)}
		if follows {
			q.Tree = tree.String()
		}
		return iso.ask(&q, dst)
	}
	return iso
}

// ask sends one run to the child and waits for its results.
func (iso *isolation) ask(q *runRequest, dst []uint64) error {
	iso.mu.Lock()
	defer iso.mu.Unlock()
	if iso.c == nil {
		c, err := iso.start()
		if err != nil {
			return brokenRun("the child process could not be started: " + err.Error())
		}
		iso.c = c
	}
	c := iso.c
	done := make(chan error, 1)
	var reply runReply
	go func() {
		if err := c.to.Encode(q); err != nil {
			done <- err
			return
		}
		done <- c.from.Decode(&reply)
	}()
	timer := time.NewTimer(iso.timeout)
	defer timer.Stop()
	select {
	case err := <-done:
		if err != nil {
			iso.end()
			return brokenRun(reasonDeath + c.obituary())
		}
	case <-timer.C:
		iso.end()
		<-done
		return brokenRun(fmt.Sprintf("%s %v", reasonHang, iso.timeout))
	}
	if reply.Reason != "" {
		return brokenRun(reply.Reason)
	}
	if len(reply.Results) != len(dst) {
		return brokenRun("the child process sent no result")
	}
	copy(dst, reply.Results)
	if len(reply.Found) > 0 {
		return reply.Found
	}
	return nil
}

// start starts a child that serves the subject.
func (iso *isolation) start() (*child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	caseR, caseW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	resultR, resultW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, caseR.Close(), caseW.Close())
	}
	parts := strings.Split(iso.test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	c := &child{stderr: &headBuffer{}, exited: make(chan struct{})}
	c.cmd = exec.Command(exe, "-test.run="+strings.Join(parts, "/"), "-test.count=1", "-test.timeout=0")
	c.cmd.Env = append(os.Environ(), childEnv+"="+iso.test+"\n"+iso.subject)
	c.cmd.ExtraFiles = []*os.File{caseR, resultW}
	c.cmd.Stderr = c.stderr
	c.cmd.Stdout = c.stderr
	if err := c.cmd.Start(); err != nil {
		return nil, errors.Join(err, caseR.Close(), caseW.Close(), resultR.Close(), resultW.Close())
	}
	_ = caseR.Close()
	_ = resultW.Close()
	c.pipes = []io.Closer{caseW, resultR}
	c.to, c.from = gob.NewEncoder(caseW), gob.NewDecoder(bufio.NewReader(resultR))
	go func() {
		_ = c.cmd.Wait()
		close(c.exited)
	}()
	return c, nil
}

// end kills the child.
func (iso *isolation) end() {
	if iso.c == nil {
		return
	}
	_ = iso.c.cmd.Process.Kill()
	<-iso.c.exited
	for _, p := range iso.c.pipes {
		_ = p.Close()
	}
	iso.c = nil
}

// stop ends the isolation.
func (iso *isolation) stop() {
	iso.mu.Lock()
	defer iso.mu.Unlock()
	iso.end()
}

// obituary returns how a child ended and the first lines that it printed.
func (c *child) obituary() string {
	state := "it was killed"
	if s := c.cmd.ProcessState; s != nil {
		state = s.String()
	}
	if text := c.stderr.String(); text != "" {
		state += ": " + text
	}
	return state
}

// headBuffer keeps the first bytes that are written to it.
type headBuffer struct {
	mu   sync.Mutex
	text []byte
}

// headSize is how much of a dead child's output is kept.
const headSize = 2048

func (h *headBuffer) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), headSize-len(h.text))]...)
	return len(p), nil
}

// String returns the first few lines, joined.
func (h *headBuffer) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var lines []string
	for _, l := range strings.Split(string(h.text), "\n") {
		if l = strings.TrimSpace(l); l != "" && len(lines) < 3 {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "; ")
}

// isChildFor reports whether this process is the child for a subject of a test; other reports
// whether it is the child of any other.
func isChildFor(test, subject string) (mine, other bool) {
	v, ok := os.LookupEnv(childEnv)
	return ok && v == test+"\n"+subject, ok && v != test+"\n"+subject
}

// childStack is the most stack that a kernel may use in the child.
const childStack = 64 << 20

// serve runs cases for the parent until it closes the pipe.
func serve(s *subject) error {
	in, out := os.NewFile(3, "cases"), os.NewFile(4, "results")
	from, to := gob.NewDecoder(bufio.NewReader(in)), gob.NewEncoder(out)
	// An endless recursion ends sooner, and a kernel that needs much stack still runs alone.
	debug.SetMaxStack(childStack)
	t := newTrial(s)
	for {
		var q runRequest
		if err := from.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		reply := runReply{Results: make([]uint64, q.Rows)}
		x, y := q.X.values(), q.Y.values()
		t.c, t.n, t.rows = &corpus.Case{X: x, Y: y, Tree: q.Tree, Rows: q.Rows}, q.N, q.Rows
		t.at = q.At
		t.loadTree()
		if t.treeErr != nil {
			reply.Reason = t.treeErr.Error()
		} else {
			reply.Reason = t.run(x, y, reply.Results)
			reply.Found = t.found
		}
		if err := to.Encode(&reply); err != nil {
			return err
		}
	}
}
