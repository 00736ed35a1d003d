package process

import (
	"errors"
	"io"
	"os"
)

// Fault says why there are no results: its Kind is Failed, Refused, Spoilt or Changed.
type Fault struct {
	Kind kind
	Text string
}

func (f *Fault) Error() string { return f.Text }

// Serve serves the calls of a parent that started this process by [Apart] until that closes its pipe: run runs a function. Its arguments stay until it
// returns, and what it returns until the next call. Any error but a Fault is one of the function.
func Serve(run func(function string, in []Array) ([]Array, error)) error {
	m, err := openMemory()
	if err != nil {
		return err
	}
	l := link{to: os.NewFile(4, "results"), from: os.NewFile(3, "calls")}
	b := head(nil, hello, 0)
	if m != nil {
		b = append(b, 1)
	}
	if b, err = finish(b); err != nil {
		return err
	}
	if err := l.send(b); err != nil {
		return err
	}
	l.memory = m
	for f := (frame{}); ; {
		if err := l.receive(&f); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		out, err := run(f.function, f.arrays)
		if err == nil {
			b, err = appendFrame(b[:0], results, f.id, "", out)
		}
		if err != nil {
			fault := &Fault{Failed, err.Error()}
			_ = errors.As(err, &fault)
			if b, err = finish(append(head(b[:0], fault.Kind, f.id), fault.Text...)); err != nil {
				return err
			}
		}
		if err := l.send(b); err != nil {
			return err
		}
	}
}
