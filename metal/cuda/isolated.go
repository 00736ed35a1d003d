package cuda

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"time"

	"gamma/metal/record"
)

// ChildVariable makes a program that has this package the child of an isolated device.
const ChildVariable = "GAMMA_CUDA_CHILD"

// childToken is the value of the variable; any other is an accident.
const childToken = "gamma-cuda-child-1"

// A test binary or a program does not know that it is started as a child; so the child begins here, before main, and never gets there.
func init() {
	if os.Getenv(ChildVariable) != childToken {
		return
	}
	out := os.Stdout
	os.Stdout = os.Stderr // whatever else the program prints while it starts is no answer
	err := serve(os.Stdin, out, func(o Options) (engine, error) {
		l, err := load()
		if err != nil {
			return nil, err
		}
		return openLocal(l, o, newImages(os.Getenv))
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// startChild starts this executable again.
func startChild() (*record.Child, error) {
	return record.Again("cuda", ChildVariable+"="+childToken)
}

// isolated is the engine that works through a child. Buffers are on the host; a job takes them along and brings them back.
type isolated struct {
	o     Options
	start func() (*record.Child, error)
	info  about
	queue chan func()
	over  chan struct{}

	// Of the goroutine that serves the queue:
	c    *record.Child
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

func openIsolated(o Options, start func() (*record.Child, error)) (*isolated, error) {
	e := &isolated{o: o, start: start, queue: make(chan func(), 256), over: make(chan struct{})}
	go func() {
		defer close(e.over)
		for f := range e.queue {
			f()
		}
		e.drop()
	}()
	var err error
	e.do(func() { err = e.ready() })
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

func (e *isolated) do(f func()) {
	var s signal
	e.queue <- func() { f(); s.set() }
	s.sleep()
}

func (e *isolated) about() about { return e.info }

// ready makes sure of a child with an open device.
func (e *isolated) ready() error {
	if e.c != nil {
		return nil
	}
	c, err := e.start()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(c.Out, 64<<10)
	e.c, e.enc, e.dec, e.sent = c, gob.NewEncoder(c.In), gob.NewDecoder(r), map[string]bool{}
	if err := e.within(startTime, "starting", func() error { return greet(r) }); err != nil {
		return err
	}
	o := e.o
	o.Isolate = false
	a, err := e.ask(&request{Open: &o}, startTime, "opening the device")
	if err == nil {
		err = a.err()
	}
	if err != nil {
		e.drop()
		return err
	}
	e.info = a.Info
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
	var err error
	select {
	case err = <-done:
		if err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond) // its last words may still be on their way
		return &Error{Library: "child process", Call: doing, Code: -1, Lost: true, Text: fmt.Sprintf("the child is gone (%v): %s", err, e.drop()), Mend: "the device goes on with another child"}
	case <-timer.C:
		how := e.drop()
		<-done
		return &Error{Library: "child process", Call: doing, Code: -1, Lost: true, Text: fmt.Sprintf("there was no answer within %s, and the child was killed (%s)", limit, how), Mend: "the device goes on with another child; raise Options.Timeout if the work is only long"}
	}
}

// ask sends a request and waits for the answer.
func (e *isolated) ask(q *request, limit time.Duration, doing string) (a reply, err error) {
	err = e.within(limit, doing, func() error {
		if err := e.enc.Encode(q); err != nil {
			return err
		}
		return e.dec.Decode(&a)
	})
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

func (e *isolated) build(s *source) (sh shape, err error) {
	e.do(func() {
		if err = e.ready(); err != nil {
			return
		}
		var a reply
		if a, err = e.ask(&request{Build: s}, compileTime, "compiling kernel "+s.Name); err != nil {
			return
		}
		sh, err = a.Shape, a.err()
		e.judge(err)
	})
	return sh, err
}

// judge drops a child whose context is lost.
func (e *isolated) judge(err error) {
	var c *Error
	if errors.As(err, &c) && c.Lost {
		e.drop()
	}
}

func (e *isolated) allocate(s *store, data []byte) error {
	s.host = make([]byte, s.length)
	copy(s.host, data)
	return nil
}

func (e *isolated) free(s *store) {
	e.do(func() { s.host, s.gone = nil, true })
}

func (e *isolated) write(s *store, offset int, data []byte) error {
	e.do(func() { copy(s.host[offset:], data) })
	return nil
}

func (e *isolated) read(s *store, offset int, dst []byte) error {
	e.do(func() { copy(dst, s.host[offset:]) })
	return nil
}

func (e *isolated) submit(j *job) {
	e.queue <- func() {
		j.err = e.run(j)
		j.set()
		j.timed.set()
	}
}

func (e *isolated) run(j *job) error {
	if err := e.ready(); err != nil {
		return err
	}
	q := &request{Job: &wireJob{Bytes: j.bytes}}
	for _, l := range j.launches {
		if !e.sent[l.src.Key] {
			q.Sources = append(q.Sources, l.src)
			e.sent[l.src.Key] = true
		}
		q.Job.Launches = append(q.Job.Launches, wireLaunch{l.src.Key, l})
	}
	for _, s := range j.buffers {
		if s.gone {
			return errorf("kernel %s: a buffer that it was given has been released; keep it until the work has ended", j.kernels())
		}
		q.Job.Memory = append(q.Job.Memory, s.host)
	}
	a, err := e.ask(q, e.o.Timeout+compileTime+graceTime, "running "+j.kernels())
	if err != nil {
		return err
	}
	if err := a.err(); err != nil {
		e.judge(err)
		return err
	}
	if len(a.Memory) != len(j.buffers) {
		return &Error{Library: "child process", Call: "running " + j.kernels(), Code: -1, Text: fmt.Sprintf("it was sent %d buffers and answered with %d", len(j.buffers), len(a.Memory)), Mend: "report it"}
	}
	for i, s := range j.buffers {
		if len(a.Memory[i]) != s.length {
			return &Error{Library: "child process", Call: "running " + j.kernels(), Code: -1, Text: fmt.Sprintf("it was sent a buffer of %d bytes and answered with %d", s.length, len(a.Memory[i])), Mend: "report it"}
		}
	}
	for i, s := range j.buffers {
		s.host = a.Memory[i]
	}
	j.time = a.Time
	return nil
}

func (e *isolated) close() {
	close(e.queue)
	<-e.over
}
