package offload

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"gamma/metal"
	"gamma/metal/internal/protocol"
)

// Isolation is a Driver in a child process: this executable again. When a kernel faults or does not end, the child is dropped,
// the error reported, and the work goes on with another one. Memory is on the host; each piece of work takes its memory along and brings it back,
// so that after a fault buffers hold what they held before.
type Isolation struct {
	Device   string        // begins errors
	Variable string        // of the environment, which tells the child that it is one
	Options  []byte        // for the child's open
	Timeout  time.Duration // of one piece of work
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
func ServeChild(variable string, open func(options []byte) (d Driver, about []byte, err error)) {
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

// Serves makes this process a child of Isolate if it was started as one: open opens a Driver by the options, and says about it what the parent
// wants to know.
func Serves[O, A any](variable string, open func(O) (Driver, A, error)) {
	ServeChild(variable, func(options []byte) (Driver, []byte, error) { return Served(options, open) })
}

// Served opens a Driver by packed options.
func Served[O, A any](options []byte, open func(O) (Driver, A, error)) (Driver, []byte, error) {
	var o O
	if err := unpack(options, &o); err != nil {
		return nil, nil, err
	}
	d, about, err := open(o)
	if err != nil {
		return nil, nil, err
	}
	packed, err := pack(about)
	return d, packed, err
}

// Isolate opens a Driver in a child process.
func Isolate[O, A any](i Isolation, o O) (d Driver, about A, err error) {
	if i.Options, err = pack(o); err != nil {
		return nil, about, err
	}
	d, packed, err := i.Open()
	if err != nil {
		return nil, about, err
	}
	if err := unpack(packed, &about); err != nil {
		d.Close()
		return nil, about, err
	}
	return d, about, nil
}

func pack(v any) ([]byte, error) {
	var w bytes.Buffer
	err := gob.NewEncoder(&w).Encode(v)
	return w.Bytes(), err
}

func unpack(b []byte, v any) error { return gob.NewDecoder(bytes.NewReader(b)).Decode(v) }

// isolated is the Driver of an Isolation.
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

// Open starts a child, and returns its Driver and what its open said about it.
func (i Isolation) Open() (d Driver, about []byte, err error) {
	if i.Start == nil {
		i.Start = func() (*Child, error) { return Restart(i.Device, i.Variable) }
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

// gone is the error for a child that is gone.
func (e *isolated) gone(call, text, fix string) error {
	return &Error{Device: e.i.Device, Library: "child process", Call: call, Text: text, Fix: fix, Lost: true}
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
		return e.gone(doing, fmt.Sprintf("the child is gone (%v): %s", err, e.drop()), "the device goes on with another child")
	case <-timer.C:
		how := e.drop()
		<-done
		return e.gone(doing, fmt.Sprintf("there was no answer within %s, and the child was killed (%s)", limit, how),
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

// hostMemory is Memory of an isolated Driver.
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

// isolatedWork is work of an isolated Driver.
type isolatedWork struct {
	protocol.Recording
	e     *isolated
	bytes []byte
	done  chan struct{}
	over  atomic.Bool
	err   error
	time  time.Duration
}

// Work returns empty work.
func (e *isolated) Work() protocol.Work { return &isolatedWork{e: e, done: make(chan struct{})} }

// Start queues the work.
func (w *isolatedWork) Start(bytes []byte) error {
	w.bytes = bytes
	w.e.queue <- func() {
		w.err = w.e.run(w)
		w.over.Store(true)
		close(w.done)
	}
	return nil
}

// Wait waits for the end.
func (w *isolatedWork) Wait() error {
	<-w.done
	return w.err
}

// Status says whether the work has ended.
func (w *isolatedWork) Status() (metal.Status, error) {
	if !w.over.Load() {
		return metal.Committed, nil
	}
	return Ended(w.err)
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
	q := &request{Work: &wireWork{Bytes: w.bytes}}
	name := Names(w.Dispatches)
	var memory []*hostMemory
	on := map[*hostMemory]int{}
	for i := range w.Dispatches {
		d := &w.Dispatches[i]
		k := KernelOf(d)
		if !e.sent[k.Key] {
			q.Sources = append(q.Sources, k.Source)
			e.sent[k.Key] = true
		}
		x := wireDispatch{Key: k.Key, Shape: k.Shape, Grid: d.Grid, Groups: d.Groups, Threads: d.Threads, Threadgroup: d.Threadgroup}
		for _, a := range d.Args {
			y := wireArg{Kind: a.Kind, Offset: a.Offset, Length: a.Length}
			if a.Kind == protocol.Buffer {
				m := a.Memory.(*hostMemory)
				if m.gone {
					return Released(e.i.Device, name)
				}
				if _, ok := on[m]; !ok {
					on[m] = len(memory)
					memory = append(memory, m)
					q.Work.Memory = append(q.Work.Memory, m.bytes)
				}
				y.At = on[m]
			}
			x.Args = append(x.Args, y)
		}
		q.Work.Dispatches = append(q.Work.Dispatches, x)
	}
	a, err := e.ask(q, e.i.Timeout+compileTime+graceTime, "running "+name)
	if err != nil {
		return err
	}
	if err := a.err(); err != nil {
		return err
	}
	if len(a.Memory) != len(memory) {
		return e.gone("running "+name, fmt.Sprintf("the child was sent %d buffers and answered with %d", len(memory), len(a.Memory)), "report it")
	}
	for i, m := range memory {
		if len(a.Memory[i]) != len(m.bytes) {
			return e.gone("running "+name, fmt.Sprintf("the child was sent a buffer of %d bytes and answered with %d", len(m.bytes), len(a.Memory[i])), "report it")
		}
	}
	for i, m := range memory {
		m.bytes = a.Memory[i]
	}
	w.time = a.Time
	return nil
}

// Close ends the child.
func (e *isolated) Close() {
	close(e.queue)
	<-e.over
}
