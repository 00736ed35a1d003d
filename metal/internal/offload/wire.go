package offload

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"time"

	"gamma/metal/internal/protocol"
)

// request is what the parent asks of a child: to open the device, to build a kernel, or to run work.
type request struct {
	Open    bool
	Options []byte
	Build   *Source
	Work    *wireWork
	Sources []*Source // that the child does not have yet
}

// wireWork is work with all that it needs.
type wireWork struct {
	Dispatches []wireDispatch
	Memory     [][]byte
	Bytes      []byte
}

// wireDispatch is a Dispatch with the key of its source.
type wireDispatch struct {
	Key                   string
	Shape                 Shape
	Grid, Groups, Threads [3]int
	Threadgroup           int
	Args                  []wireArg
}

// wireArg is an Arg with the number of its memory.
type wireArg struct {
	Kind               protocol.Kind
	At, Offset, Length int
}

// reply is what the child answers.
type reply struct {
	About  []byte
	Shape  Shape
	Memory [][]byte
	Time   time.Duration
	// Text is an error's, and Inner the Error in it, if there is one.
	Text  string
	Inner *Error
	Lost  bool
}

// fail puts an error into the reply.
func (r *reply) fail(err error) {
	if errors.As(err, &r.Inner) {
		r.Lost = r.Inner.Lost
	}
	r.Text = err.Error()
}

// err takes it out.
func (r *reply) err() error {
	switch {
	case r.Inner != nil && r.Inner.Error() == r.Text:
		return r.Inner
	case r.Inner != nil:
		return &wrapped{r.Text, r.Inner}
	case r.Text != "":
		return errors.New(r.Text)
	}
	return nil
}

// wrapped is an error of the child whose text says more than the error in it.
type wrapped struct {
	text  string
	inner error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.inner }

// greeting comes first from a child, after whatever else the program prints when it starts.
const greeting = "\x00gamma child 1\n"

// Serve is the child: it answers requests until there are none.
func Serve(in io.Reader, out io.Writer, open func(options []byte) (d Driver, about []byte, err error)) error {
	if _, err := io.WriteString(out, greeting); err != nil {
		return err
	}
	dec, enc := gob.NewDecoder(in), gob.NewEncoder(out)
	var b Driver
	sources := map[string]*Source{}
	for {
		var q request
		if err := dec.Decode(&q); errors.Is(err, io.EOF) {
			if b != nil {
				b.Close()
			}
			return nil
		} else if err != nil {
			return err
		}
		for _, s := range q.Sources {
			sources[s.Key] = s
		}
		var a reply
		var err error
		switch {
		case q.Open:
			b, a.About, err = open(q.Options)
			if err != nil {
				b = nil
			}
		case b == nil:
			err = errors.New("no device was opened in the child")
		case q.Build != nil:
			a.Shape, err = b.Build(q.Build)
		case q.Work != nil:
			err = perform(b, q.Work, sources, &a)
		}
		if err != nil {
			a.fail(err)
		}
		if err := enc.Encode(&a); err != nil {
			return err
		}
	}
}

// perform does work of the parent.
func perform(b Driver, w *wireWork, sources map[string]*Source, a *reply) error {
	var memory []Memory
	for _, bytes := range w.Memory {
		m, err := b.Allocate(len(bytes), bytes)
		if err != nil {
			return err
		}
		defer m.Free()
		memory = append(memory, m)
	}
	work := b.Work()
	for _, x := range w.Dispatches {
		k := &Kernel{sources[x.Key], x.Shape}
		if k.Source == nil {
			return errors.New("the child does not have the kernel of a dispatch")
		}
		d := protocol.Dispatch{
			Pipeline: &protocol.Pipeline{Native: k}, Grid: x.Grid, Groups: x.Groups, Threads: x.Threads, Threadgroup: x.Threadgroup,
		}
		for _, y := range x.Args {
			g := protocol.Arg{Kind: y.Kind, Offset: y.Offset, Length: y.Length}
			if y.Kind == protocol.Buffer {
				if y.At < 0 || y.At >= len(memory) {
					return fmt.Errorf("the child does not have buffer %d of a dispatch", y.At)
				}
				g.Memory = memory[y.At]
			}
			d.Args = append(d.Args, g)
		}
		if err := work.Add(&d); err != nil {
			return err
		}
	}
	if err := work.Start(w.Bytes); err != nil {
		return err
	}
	if err := work.Wait(); err != nil {
		return err
	}
	a.Time = work.Time()
	for i, m := range memory {
		if err := m.Read(0, w.Memory[i]); err != nil {
			return err
		}
	}
	a.Memory = w.Memory
	return nil
}
