package cuda

import (
	"bytes"
	"encoding/gob"
	"os"

	"gamma/metal/record"
)

// ChildVariable makes a program that has this package the child of an isolated device.
const ChildVariable = "GAMMA_CUDA_CHILD"

func init() {
	gob.Register(&Error{})
	record.ServeChild(ChildVariable, func(options []byte) (record.Backend, []byte, error) {
		return serve(options, func(o Options) (*local, error) {
			l, err := load()
			if err != nil {
				return nil, err
			}
			return openLocal(l, o, newImages(os.Getenv))
		})
	})
}

// serve opens a device in the child of an isolated one.
func serve(options []byte, open func(Options) (*local, error)) (record.Backend, []byte, error) {
	var o Options
	if err := gob.NewDecoder(bytes.NewReader(options)).Decode(&o); err != nil {
		return nil, nil, err
	}
	e, err := open(o)
	if err != nil {
		return nil, nil, err
	}
	info, err := packed(e.about())
	return backend{e}, info, err
}

// packed is a value by encoding/gob.
func packed(v any) ([]byte, error) {
	var w bytes.Buffer
	err := gob.NewEncoder(&w).Encode(v)
	return w.Bytes(), err
}

// openIsolated opens a device in a child, which start starts; nil: this executable.
func openIsolated(o Options, start func() (*record.Child, error)) (record.Backend, about, error) {
	var i about
	options, err := packed(o)
	if err != nil {
		return nil, i, err
	}
	b, info, err := record.Isolation{
		Kind: "cuda", Variable: ChildVariable, Options: options, Timeout: o.Timeout, Start: start,
		Gone: func(call, text, mend string) error {
			return &Error{Library: "child process", Call: call, Code: -1, Text: text, Mend: mend, Lost: true}
		},
	}.Open()
	if err != nil {
		return nil, i, err
	}
	if err := gob.NewDecoder(bytes.NewReader(info)).Decode(&i); err != nil {
		b.Close()
		return nil, i, err
	}
	return b, i, nil
}

// Ruinous reports whether the context is gone.
func (e *Error) Ruinous() bool { return e.Lost }
