package record

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

// Isolation is a Backend in a child process: this executable again. When a kernel faults or does not end, the child is dropped,
// the error reported, and the work goes on with another one. Memory is on the host; each piece of work takes its memory along and brings it back,
// so that after a fault buffers hold what they held before.
type Isolation struct {
	Kind     string        // begins errors
	Variable string        // of the environment, which tells the child that it is one
	Options  []byte        // for the child's open
	Timeout  time.Duration // of one piece of work
	// Gone makes the error for a child that is gone.
	Gone func(call, text, mend string) error
	// Start starts a child that calls Serve; nil: this executable.
	Start func() (*Child, error)
}

// Child is a running child.
type Child struct {
	In   io.WriteCloser
	Out  io.Reader
	Kill func() string // ends it, and tells how it ended
}

// token is the value of an Isolation's variable; any other is an accident.
const token = "gamma-child-1"

// ServeChild makes this process the child of an Isolation if it was started as one, and then does not return. Programs do not know that they are
// started as a child; so a device's package calls it in init, before main.
func ServeChild(variable string, open func(options []byte) (b Backend, about []byte, err error)) {
	if os.Getenv(variable) != token {
		return
	}
	out := os.Stdout
	os.Stdout = os.Stderr // whatever else the program prints while it starts is no answer
	if err := Serve(os.Stdin, out, open); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// isolated is the Backend of an Isolation.
type isolated struct {
	i     Isolation
	about []byte
	queue chan func()
	over  chan struct{}

	// Of the goroutine that serves the queue:
	c    *Child
	enc  *gob.Encoder
	dec  *gob.Decoder
	sent map[string]bool // sources that the child has
}

// Times that a child has beside the timeout of the work itself.
const (
	startTime   = 60 * time.Second
	compileTime = 120 * time.Second
	graceTime   = 10 * time.Second
	mostNoise   = 64 << 10 // bytes before the greeting
)

// Open starts a child, and returns its Backend and what its open said about it.
func (i Isolation) Open() (b Backend, about []byte, err error) {
	if i.Start == nil {
		i.Start = func() (*Child, error) { return Again(i.Kind, i.Variable) }
	}
	e := &isolated{i: i, queue: make(chan func(), 256), over: make(chan struct{})}
	go func() {
		defer close(e.over)
		for f := range e.queue {
			f()
		}
		e.drop()
	}()
	e.do(func() { err = e.ready() })
	if err != nil {
		e.Close()
		return nil, nil, err
	}
	return e, e.about, nil
}

func (e *isolated) do(f func()) {
	done := make(chan struct{})
	e.queue <- func() { f(); close(done) }
	<-done
}

// ready makes sure of a child with an open device.
func (e *isolated) ready() error {
	if e.c != nil {
		return nil
	}
	c, err := e.i.Start()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(c.Out, 64<<10)
	e.c, e.enc, e.dec, e.sent = c, gob.NewEncoder(c.In), gob.NewDecoder(r), map[string]bool{}
	if err := e.within(startTime, "starting", func() error { return greet(r) }); err != nil {
		return err
	}
	a, err := e.ask(&request{Open: true, Options: e.i.Options}, startTime, "opening the device")
	if err == nil {
		err = a.err()
	}
	if err != nil {
		e.drop()
		return err
	}
	e.about = a.About
	return nil
}

// greet reads up to the greeting.
func greet(r *bufio.Reader) error {
	noise := 0
	for {
		line, err := r.ReadSlice('\n')
		if bytes.HasSuffix(line, []byte(greeting)) {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if noise += len(line); noise > mostNoise {
			return errors.New("it prints, and does not greet")
		}
	}
}

// within runs f, which talks with the child, and kills the child if that takes too long or fails.
func (e *isolated) within(limit time.Duration, doing string, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		if err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond) // its last words may still be on their way
		return e.i.Gone(doing, fmt.Sprintf("the child is gone (%v): %s", err, e.drop()), "the device goes on with another child")
	case <-timer.C:
		how := e.drop()
		<-done
		return e.i.Gone(doing, fmt.Sprintf("there was no answer within %s, and the child was killed (%s)", limit, how),
			"the device goes on with another child; raise Options.Timeout if the work is only long")
	}
}

// ask sends a request and waits for the answer. A child whose device is lost is dropped.
func (e *isolated) ask(q *request, limit time.Duration, doing string) (a reply, err error) {
	err = e.within(limit, doing, func() error {
		if err := e.enc.Encode(q); err != nil {
			return err
		}
		return e.dec.Decode(&a)
	})
	if err == nil && a.Lost {
		e.drop()
	}
	return a, err
}

// drop ends the child, and tells how it ended.
func (e *isolated) drop() string {
	if e.c == nil {
		return ""
	}
	how := e.c.Kill()
	e.c = nil
	return how
}

// Build has the child compile a kernel.
func (e *isolated) Build(s *Source) (sh Shape, err error) {
	e.do(func() {
		if err = e.ready(); err != nil {
			return
		}
		var a reply
		if a, err = e.ask(&request{Build: s}, compileTime, "compiling kernel "+s.Name); err != nil {
			return
		}
		sh, err = a.Shape, a.err()
	})
	return sh, err
}

// hostMemory is Memory of an isolated Backend.
type hostMemory struct {
	e     *isolated
	bytes []byte
	gone  bool
}

// Allocate returns memory of the host.
func (e *isolated) Allocate(length int, data []byte) (Memory, error) {
	m := &hostMemory{e: e, bytes: make([]byte, length)}
	copy(m.bytes, data)
	return m, nil
}

func (m *hostMemory) Write(offset int, data []byte) error {
	m.e.do(func() { copy(m.bytes[offset:], data) })
	return nil
}

func (m *hostMemory) Read(offset int, dst []byte) error {
	m.e.do(func() { copy(dst, m.bytes[offset:]) })
	return nil
}

func (m *hostMemory) Free() { m.e.do(func() { m.bytes, m.gone = nil, true }) }

// isolatedWork is Work of an isolated Backend.
type isolatedWork struct {
	e          *isolated
	sources    []*Source
	dispatches []wireDispatch
	memory     []*hostMemory
	on         map[*hostMemory]int
	bytes      []byte
	done       chan struct{}
	over       atomic.Bool
	err        error
	time       time.Duration
}

// Work returns empty work.
func (e *isolated) Work() Work {
	return &isolatedWork{e: e, done: make(chan struct{}), on: map[*hostMemory]int{}}
}

// Add notes a dispatch.
func (w *isolatedWork) Add(d *Dispatch) {
	x := wireDispatch{Key: d.Source.Key, Shape: d.Shape, Grid: d.Grid, Groups: d.Groups, Threads: d.Threads, Threadgroup: d.Threadgroup}
	for _, a := range d.Args {
		y := wireArg{Kind: a.Kind, Offset: a.Offset, Length: a.Length}
		if a.Kind == Buffer {
			m := a.Memory.(*hostMemory)
			at, ok := w.on[m]
			if !ok {
				at = len(w.memory)
				w.on[m] = at
				w.memory = append(w.memory, m)
			}
			y.At = at
		}
		x.Args = append(x.Args, y)
	}
	w.sources = append(w.sources, d.Source)
	w.dispatches = append(w.dispatches, x)
}

// Start queues the work.
func (w *isolatedWork) Start(bytes []byte) {
	w.bytes = bytes
	w.e.queue <- func() {
		w.err = w.e.run(w)
		w.over.Store(true)
		close(w.done)
	}
}

// Wait waits for the end.
func (w *isolatedWork) Wait() error {
	<-w.done
	return w.err
}

// Ended reports whether the work has ended.
func (w *isolatedWork) Ended() (bool, error) {
	if !w.over.Load() {
		return false, nil
	}
	return true, w.err
}

// Time is what the child measured.
func (w *isolatedWork) Time() time.Duration {
	<-w.done
	return w.time
}

// run has the child do w.
func (e *isolated) run(w *isolatedWork) error {
	if err := e.ready(); err != nil {
		return err
	}
	q := &request{Work: &wireWork{Dispatches: w.dispatches, Bytes: w.bytes}}
	name := named(w.sources)
	for _, s := range w.sources {
		if !e.sent[s.Key] {
			q.Sources = append(q.Sources, s)
			e.sent[s.Key] = true
		}
	}
	for _, m := range w.memory {
		if m.gone {
			return fmt.Errorf("%s: kernel %s: a buffer that it was given has been released; keep it until the work has ended", e.i.Kind, name)
		}
		q.Work.Memory = append(q.Work.Memory, m.bytes)
	}
	a, err := e.ask(q, e.i.Timeout+compileTime+graceTime, "running "+name)
	if err != nil {
		return err
	}
	if err := a.err(); err != nil {
		return err
	}
	if len(a.Memory) != len(w.memory) {
		return e.i.Gone("running "+name, fmt.Sprintf("the child was sent %d buffers and answered with %d", len(w.memory), len(a.Memory)), "report it")
	}
	for i, m := range w.memory {
		if len(a.Memory[i]) != len(m.bytes) {
			return e.i.Gone("running "+name, fmt.Sprintf("the child was sent a buffer of %d bytes and answered with %d", len(m.bytes), len(a.Memory[i])), "report it")
		}
	}
	for i, m := range w.memory {
		m.bytes = a.Memory[i]
	}
	w.time = a.Time
	return nil
}

// named names the kernels of sources, for errors.
func named(sources []*Source) string {
	var list []string
	for _, s := range sources {
		if len(list) == 0 || list[len(list)-1] != s.Name {
			list = append(list, s.Name)
		}
		if len(list) == 5 {
			list[4] = "…"
			break
		}
	}
	return strings.Join(list, ", ")
}

// Close ends the child.
func (e *isolated) Close() {
	close(e.queue)
	<-e.over
}
