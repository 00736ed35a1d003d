package engine

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gamma/props/internal/platform"
)

// Child is a running child process, with a pipe to it and one from it. What it prints besides is kept, as far as its first lines.
type Child struct {
	To, From *os.File // calls, and what answers them

	cmd    *exec.Cmd
	stderr headBuffer
	exited chan struct{}
	calls  atomic.Uint64 // twice the calls that have returned, and 1 more while one runs
	late   atomic.Bool
	limit  atomic.Int64
	timer  *time.Timer
}

// ErrLate says that a child did not answer in time.
var ErrLate = errors.New("it did not answer in time")

// StartChild starts a command as the first of a group of processes. Calls come to it on its standard input and answers leave on its standard output,
// or with standard false by descriptors 3 and 4, so that what it prints is told apart. On Linux it does not outlive this process.
func StartChild(cmd *exec.Cmd, standard bool) (*Child, error) {
	callR, callW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answerR, answerW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, callR.Close(), callW.Close())
	}
	c := &Child{To: callW, From: answerR, cmd: cmd, exited: make(chan struct{})}
	if cmd.Stderr = &c.stderr; standard {
		cmd.Stdin, cmd.Stdout = callR, answerW
	} else {
		cmd.Stdout, cmd.ExtraFiles = cmd.Stderr, []*os.File{callR, answerW}
	}
	cmd.WaitDelay = time.Second // a process that the kernel started may hold its output open
	platform.OwnGroup(cmd)
	platform.EndWithThread(cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // until the child has ended, which ends with this thread
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(c.exited)
		}
		runtime.UnlockOSThread()
	}()
	if err := <-started; err != nil {
		return nil, errors.Join(err, callR.Close(), callW.Close(), answerR.Close(), answerW.Close())
	}
	_ = callR.Close()
	_ = answerW.Close()
	// A goroutine that is tied to its thread waits in the system, not for another thread to wake it.
	platform.Blocking(callW)
	platform.Blocking(answerR)
	c.timer = time.AfterFunc(time.Hour, c.watch)
	c.timer.Stop()
	return c, nil
}

// Await calls what sends a call to the child and reads the answer, and returns its error. Where that takes longer than patience has for limit, the
// child is ended, so that no goroutine goes on waiting, and the error is ErrLate.
func (c *Child) Await(call func() error, limit time.Duration) error {
	c.limit.Store(int64(limit))
	c.calls.Add(1)
	c.timer.Reset(limit / 8) // most calls return before
	err := call()
	c.timer.Stop()
	c.calls.Add(1)
	if c.late.Load() {
		<-c.exited
		return ErrLate
	}
	return err
}

// watch ends the child once the call that runs has had its limit.
func (c *Child) watch() {
	n, limit := c.calls.Load(), time.Duration(c.limit.Load())
	run := newPatience(c.cmd.Process.Pid)
	tick := time.NewTicker(max(limit/8, time.Millisecond))
	defer tick.Stop()
	for n&1 != 0 && c.calls.Load() == n {
		select {
		case <-c.exited:
			return
		case now := <-tick.C:
			if c.calls.Load() == n && run.over(now, limit) {
				c.late.Store(true)
				_ = platform.EndGroup(c.cmd.Process)
				return
			}
		}
	}
}

// End kills the child with what it has started, and what waits for its answer gets none.
func (c *Child) End() {
	select {
	case <-c.exited: // its number may be another's
	default:
		_ = platform.EndGroup(c.cmd.Process)
		<-c.exited
	}
	_ = c.To.Close()
	_ = c.From.Close()
}

// Exited is closed when the child has ended, and Obituary says how.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// Obituary returns how a child ended, the first lines that it printed, and the last, which of a traceback says what is wrong.
func (c *Child) Obituary() string {
	state := "it was killed"
	if s := c.cmd.ProcessState; s != nil {
		state = s.String()
	}
	if text := c.stderr.String(); text != "" {
		state += ": " + text
	}
	return state
}

// headBuffer keeps the first bytes that are written to it, and the last.
type headBuffer struct {
	mu         sync.Mutex
	text, last []byte
}

// headSize is how much of a dead child's output is kept.
const headSize = 2048

func (h *headBuffer) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), headSize-len(h.text))]...)
	h.last = append(h.last, p[max(0, len(p)-headSize):]...)
	h.last = h.last[max(0, len(h.last)-headSize):]
	return len(p), nil
}

// String returns the first few lines and the last, joined.
func (h *headBuffer) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	lines, last := linesOf(h.text), linesOf(h.last)
	if len(lines) <= 4 && len(h.text) < headSize || len(last) == 0 {
		return strings.Join(lines, "; ")
	}
	return strings.Join(append(lines[:min(3, len(lines))], "…", last[len(last)-1]), "; ")
}

// linesOf returns the lines of a text that are not blank, each without blanks around it.
func linesOf(text []byte) (list []string) {
	for _, l := range strings.Split(string(text), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			list = append(list, l)
		}
	}
	return list
}
