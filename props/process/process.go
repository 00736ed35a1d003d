package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"sync"
	"syscall"
	"time"

	"gamma/props/internal/engine"
	"gamma/props/internal/verdict"
)

// Process is a program that runs kernels for this one. Its methods may be called from many goroutines, which wait for one another.
type Process struct {
	command func() *exec.Cmd
	apart   bool // frames pass by descriptors 3 and 4, and through shared memory
	limit   time.Duration

	mu     sync.Mutex
	err    error                      // why it is not started any more
	waits  map[string]*engine.Waiting // by function
	child  *engine.Child
	link   link
	id     uint32
	buffer []byte
	answer frame
}

// TB is what a test is asked for: a *testing.T, a *testing.B or a *testing.F.
type TB interface {
	Helper()
	Cleanup(f func())
}

// Start returns a program that runs kernels, found and started as package exec does at the first call, and ends it with the test.
func Start(t TB, name string, args ...string) *Process {
	t.Helper()
	p := New(func() *exec.Cmd { return exec.Command(name, args...) })
	t.Cleanup(p.Close)
	return p
}

// New is Start outside of a test: command makes the command each time that the program is to be started, and Close ends it.
func New(command func() *exec.Cmd) *Process {
	set, err := engine.ReadSettings()
	// It is found to hang before the test that waits for it is.
	return &Process{command: command, limit: set.Timeout / 8 * 7, err: err, waits: map[string]*engine.Waiting{}}
}

// Apart is New for a program that serves by [Serve], as a child of this package's own: what it prints is no frame.
func Apart(command func() *exec.Cmd) *Process {
	p := New(command)
	p.apart = true
	return p
}

// Close ends the program.
func (p *Process) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

func (p *Process) end() {
	if p.child == nil {
		return
	}
	p.child.End()
	p.child = nil
	if p.link.memory != nil {
		p.link.memory.close()
		p.link.memory = nil
	}
}

// Open starts the program unless it runs. The error says why it does not serve, in words for its author.
func (p *Process) Open() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open()
}

// open is Open for one that holds the lock.
func (p *Process) open() error {
	if p.err == nil && p.child == nil {
		if p.err = p.start(); p.err != nil {
			p.end()
		}
	}
	return p.err
}

// startTime is how long a program may take until it says hello.
const startTime = 30 * time.Second

// start starts the program, and waits until it says hello.
func (p *Process) start() error {
	cmd := p.command()
	var m *memory
	if p.apart {
		made, name, err := newMemory()
		switch {
		case err == nil:
			m = made
			defer func() { _ = os.Remove(name) }()
			cmd.Env = append(cmd.Environ(), memoryEnv+"="+name)
		case !errors.Is(err, errors.ErrUnsupported):
			return verdict.Broke(verdict.KernelFailed, "no memory could be shared with the process %s: %v", cmd.Path, err)
		}
	}
	c, err := engine.StartChild(cmd, !p.apart)
	if err != nil {
		return verdict.Broke(verdict.KernelFailed, "the process could not be started: %v", err)
	}
	p.child = c
	p.link = link{to: c.To, from: c.From, words: p.link.words}
	err = c.Await(func() error { return p.link.receive(&p.answer) }, max(p.limit, startTime))
	if err == nil && p.answer.kind != hello {
		err = fmt.Errorf("it sent a frame of kind %d where a hello was to come", p.answer.kind)
	}
	if err != nil {
		return p.lost(err, "before it said hello")
	}
	if p.answer.text != "\x01" && m != nil {
		m.close()
		m = nil
	}
	p.link.memory = m
	return nil
}

// lost ends the program after a fault, and describes that.
func (p *Process) lost(err error, when string) *verdict.Breakage {
	c := p.child
	strange := p.link.strange
	died, patience := false, time.Duration(0)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		patience = 300 * time.Millisecond // it is about to end
	}
	select {
	case <-c.Exited():
		died = true
	case <-time.After(patience):
	}
	p.end()
	switch {
	case errors.Is(err, engine.ErrLate):
		return verdict.Broke(verdict.KernelHung, "the process did not say hello within %v", max(p.limit, startTime))
	case errors.Is(err, errNoFrame):
		return verdict.Broke(verdict.KernelFailed, "the process wrote %q to its standard output %s, where only frames belong; let it print to standard error", strange(), when)
	case died:
		return verdict.Broke(verdict.KernelDied, "the process ended %s: %s", when, c.Obituary())
	case errors.Is(err, io.EOF):
		return verdict.Broke(verdict.KernelDied, "the process closed its standard output %s", when)
	}
	return verdict.Broke(verdict.KernelFailed, "the process broke the protocol %s: %v", when, err)
}

// Call calls a function of the program, and copies its results to the elements of out, which says their types and lengths.
func (p *Process) Call(function string, in []Array, out ...Array) error {
	return p.call(function, in, func(got []Array) error {
		if len(got) != len(out) {
			return verdict.Spoilt("%s returned %d arrays, and not %d", function, len(got), len(out))
		}
		for i := range out {
			if err := take(function, &out[i], &got[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// take copies an array of a result.
func take(function string, want, got *Array) error {
	name, to, _ := code(want.Data)
	is, from, _ := code(got.Data)
	switch size := count(want.Data); {
	case name != is:
		return verdict.Spoilt("%s returned elements of type %s, and not %s", function, is, name)
	case len(to) != len(from):
		return verdict.Spoilt("%s returned %d elements, of shape %v, and not %d, of shape %v", function, count(got.Data), got.Dims, size, want.Dims)
	}
	copy(to, from)
	return nil
}

func count(data any) int { return reflect.ValueOf(data).Len() }

// call calls a function, and read is given its results, which are gone when it returns.
func (p *Process) call(function string, in []Array, read func(got []Array) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	var err error
	if p.buffer, err = appendFrame(p.buffer[:0], call, p.id+1, function, in); err != nil {
		return err
	}
	key := func() string { return string(p.buffer[headSize:]) }
	wait := p.waits[function]
	if wait == nil {
		wait = &engine.Waiting{Timeout: p.limit}
		p.waits[function] = wait
	}
	limit, b := wait.Before(key, false)
	if b != nil {
		return b
	}
	if err := p.open(); err != nil {
		return err
	}
	p.id++
	began := time.Now()
	err = p.child.Await(func() error {
		if err := p.link.send(p.buffer); err != nil {
			if errors.Is(err, syscall.EPIPE) {
				return io.EOF
			}
			return err
		}
		return p.link.receive(&p.answer)
	}, limit)
	took := time.Since(began)
	switch {
	case errors.Is(err, engine.ErrLate):
		p.end()
		return wait.Hung(key(), limit, took)
	case err == nil && p.answer.id != p.id:
		err = fmt.Errorf("it answered call %d with the result of call %d", p.id, p.answer.id)
	case err == nil && (p.answer.kind < results || p.answer.kind > Changed):
		err = fmt.Errorf("it answered with a frame of kind %d", p.answer.kind)
	}
	if err != nil {
		return p.lost(err, "in a call of "+function)
	}
	wait.Returned(key, took)
	switch p.answer.kind {
	case Failed:
		return errors.New(p.answer.text)
	case Refused:
		return verdict.Broke(verdict.KernelFailed, "%s", p.answer.text)
	case Spoilt:
		return verdict.Broke(verdict.KernelSpoilt, "%s", p.answer.text)
	case Changed:
		return verdict.Broke(verdict.KernelEnvironment, "%s", p.answer.text)
	}
	return read(p.answer.arrays)
}
