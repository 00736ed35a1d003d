package engine

import (
	"bufio"
	"cmp"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"gamma/model"
	"gamma/props/internal/platform"
	"gamma/props/internal/verdict"
)

// With -gamma.isolate the kernel runs in a child process: the test binary itself, told by a variable
// to serve runs of one subject in place of judging it. A hang or a death of the child becomes a
// verdict, and the next run gets a new child. Two pipes join the processes: descriptor 3 brings
// calls, descriptor 4 takes results.

// childEnv is the variable that makes a test binary the child for one subject of one test.
const childEnv = "GAMMA_ISOLATED_SUBJECT"

// Call is one call of a kernel of any kind, as it passes between processes: vectors are encodings or words, since gob sends a
// float32 as a float64, which quiets signaling NaNs.
type Call struct {
	At      verdict.Setting
	What    string   // which function of the kernel; "" of those that have one
	Tree    string   // "" if the kernel follows none
	Numbers []uint64 // a modulus, a transform
	In      [][]uint64
	Out     int  // results
	N       int  // leaves of a row
	InPlace bool // results are written over the operands
	// Follows: the call depends on those before it, so that it may hang in one place and not in another.
	Follows bool
}

// Reply is what a call gave: its results, or how it broke, or the kernel's error.
type Reply struct {
	Numbers []uint64
	Out     []uint64
	Broke   *verdict.Breakage
	Err     string
	Found   model.Findings
	Verdict *verdict.Verdict // of a law that calls the kernel itself
}

// OwnVerdict returns the verdict of another process, or how that broke.
func (r *Reply) OwnVerdict() verdict.Verdict {
	if err := r.Error(); err != nil || r.Verdict == nil {
		return verdict.Breaks(verdict.BreakageOf("the child process", cmp.Or(err, errNoVerdict)))
	}
	return *r.Verdict
}

var errNoVerdict = errors.New("it sent no verdict")

// Error returns what the kernel returned, with what the device's checkers found.
func (r *Reply) Error() error {
	switch {
	case r.Broke != nil:
		return r.Broke
	case r.Err != "" && len(r.Found) > 0:
		return errors.Join(r.Found, errors.New(r.Err))
	case r.Err != "":
		return errors.New(r.Err)
	case len(r.Found) > 0:
		return r.Found
	}
	return nil
}

// Answer makes the reply of what a kernel returned.
func Answer(out []uint64, err error) *Reply {
	r := &Reply{Out: out}
	var rest error
	if r.Found, rest = SplitFindings(err); rest != nil && !errors.As(rest, &r.Broke) {
		if r.Err = rest.Error(); verdict.Refused(rest) {
			r.Broke = verdict.BreakageOf("the kernel", rest)
		}
	}
	return r
}

// Asker sends a call to the process that runs the kernel, and server runs it there.
type (
	Asker  func(c *Call) *Reply
	Server func(c *Call) *Reply
)

// child is a running child process that serves a subject.
type child struct {
	*Child
	to   *gob.Encoder
	from *gob.Decoder
}

// isolation runs one subject's kernel in children.
type isolation struct {
	test, subject string
	Waiting
	mu sync.Mutex
	c  *child
}

// NewIsolation returns what asks a child process that runs the subject of a test; the child is started at the first call. 0 as timeout is none.
func NewIsolation(test, subject string, timeout time.Duration) *isolation {
	return &isolation{test: test, subject: subject, Waiting: Waiting{Timeout: timeout}}
}

// Ask sends one call to the child and waits for its results.
func (iso *isolation) Ask(q *Call) *Reply {
	iso.mu.Lock()
	defer iso.mu.Unlock()
	failed := func(c verdict.Cause, format string, args ...any) *Reply {
		return &Reply{Broke: verdict.Broke(c, format, args...)}
	}
	key := func() string { return fmt.Sprint(*q) }
	limit, b := iso.Before(key, q.Follows)
	if b != nil {
		return &Reply{Broke: b}
	}
	if iso.c == nil {
		c, err := iso.start()
		if err != nil {
			return failed(verdict.KernelFailed, "the child process could not be started: %v", err)
		}
		iso.c = c
		if err := c.Await(func() error { return c.from.Decode(&Reply{}) }, max(iso.Timeout, startTime)); err != nil {
			iso.end()
			return failed(verdict.KernelDied, "the process that was to run the kernel came to no call: %s", c.Obituary())
		}
	}
	c, r, began := iso.c, Reply{}, time.Now()
	err := c.Await(func() error {
		if err := c.to.Encode(q); err != nil {
			return err
		}
		return c.from.Decode(&r)
	}, limit)
	switch took := time.Since(began); {
	case errors.Is(err, ErrLate):
		iso.end()
		return &Reply{Broke: iso.Hung(key(), limit, took)}
	case err != nil:
		iso.end()
		return failed(verdict.KernelDied, "the kernel's process died: %s", c.Obituary())
	default:
		iso.Returned(key, took)
	}
	if r.Broke == nil && r.Err == "" && len(r.Out) != q.Out {
		return failed(verdict.KernelDied, "the child process sent no result")
	}
	return &r
}

// startTime is how long a child may take until it serves the subject: it runs the test up to there.
const startTime = 30 * time.Second

// start starts a child that serves the subject.
func (iso *isolation) start() (*child, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(exe, "-test.run="+exactly(iso.test), "-test.count=1", "-test.timeout=0")
	cmd.Env = append(os.Environ(), childEnv+"="+iso.test+"\n"+iso.subject)
	c, err := StartChild(cmd, false)
	if err != nil {
		return nil, err
	}
	return &child{c, gob.NewEncoder(c.To), gob.NewDecoder(bufio.NewReader(c.From))}, nil
}

// end kills the child.
func (iso *isolation) end() {
	if iso.c == nil {
		return
	}
	iso.c.End()
	iso.c = nil
}

// Stop ends the isolation.
func (iso *isolation) Stop() {
	iso.mu.Lock()
	defer iso.mu.Unlock()
	iso.end()
}

// IsChildFor reports whether this process is the child for a subject of a test; other reports
// whether it is the child of any other.
func IsChildFor(test, subject string) (mine, other bool) {
	v, ok := os.LookupEnv(childEnv)
	return ok && v == test+"\n"+subject, ok && v != test+"\n"+subject
}

// IsChild reports whether this process serves a subject to another.
func IsChild() bool {
	_, ok := os.LookupEnv(childEnv)
	return ok
}

// childStack is the most stack that a kernel may use in the child.
const childStack = 64 << 20

// Serve runs calls for the parent until it closes the pipe.
func Serve(run Server) error {
	in, out := os.NewFile(3, "calls"), os.NewFile(4, "results")
	from, to := gob.NewDecoder(bufio.NewReader(in)), gob.NewEncoder(out)
	// An endless recursion ends sooner, and a kernel that needs much stack still runs alone.
	debug.SetMaxStack(childStack)
	defer (&Guard{}).Own()()
	calls, end := make(chan *Call), make(chan error)
	go func() {
		for {
			q := new(Call)
			if err := from.Decode(q); err != nil {
				select {
				case end <- err:
				case <-time.After(time.Second): // the parent is gone, and a call hangs
					os.Exit(1)
				}
				return
			}
			calls <- q
		}
	}()
	if err := to.Encode(&Reply{}); err != nil { // it serves from now on
		return err
	}
	for {
		select {
		case q := <-calls:
			if err := to.Encode(run(q)); err != nil {
				return err
			}
		case err := <-end:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// freshTime bounds what a report may spend on running itself again.
const freshTime = 5 * time.Second

// reproducing is the variable that tells a process that it is run to see whether a report's line fails.
const reproducing = "GAMMA_REPRODUCING"

// executes reports whether what a report says to run is run before it is printed: what hangs or dies is not, nor what is on hardware, nor of a
// fuzz target what Go's fuzzer has yet to save, or what fails after many others.
func (s *Session) executes(f *Violation) bool {
	return f.Test != "" && (f.File != "" && s.executed < freshTime || !strings.HasPrefix(f.Test, "Fuzz")) && f.Culprit() == "" && !f.Verdict.Cause.Isolated() && !s.Device.OnHardware() && os.Getenv(reproducing) == ""
}

// PassesAfresh runs what the report says to run, in a new process, and reports whether it passes there, where no calls come before it. What
// hangs or dies, and what needs more time than there is, is taken to fail there, too.
func (s *Session) PassesAfresh(f *Violation, law model.LawID) bool {
	if f.Flaky || !s.executes(f) {
		return false
	}
	exe, err := os.Executable()
	if err != nil {
		return false
	}
	dir, err := os.MkdirTemp("", "gamma-")
	if err != nil {
		return false
	}
	defer func() { _ = os.RemoveAll(dir) }()
	cmd := exec.Command(exe, append([]string{"-test.run=" + exactly(f.Test), "-test.count=1"}, f.arguments(law).list()...)...)
	cmd.Env = append(os.Environ(), reproducing+"=1", OptDir.Env()+"="+dir, OptSave.Env()+"=off")
	cmd.WaitDelay = time.Second
	platform.OwnGroup(cmd)
	return runPatiently(cmd, freshTime) == nil
}

// runPatiently runs a command, and ends it and its children when it has had limit, as patience counts.
func runPatiently(cmd *exec.Cmd, limit time.Duration) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(limit / 50)
	defer tick.Stop()
	for run := newPatience(cmd.Process.Pid); ; {
		select {
		case err := <-ended:
			return err
		case now := <-tick.C:
			if run.over(now, limit) {
				_ = platform.EndGroup(cmd.Process)
				return errors.Join(fmt.Errorf("it has not ended within %v", limit), <-ended)
			}
		}
	}
}

// exactly returns what -test.run wants for one test.
func exactly(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
