package cuda

import (
	"encoding/gob"
	"errors"
	"io"
	"time"
)

// request is what the parent asks of a child: to open the device, to build a kernel, or to run a job.
type request struct {
	Open    *Options
	Build   *source
	Job     *wireJob
	Sources []*source // that the child does not have yet
}

// wireJob is a job with all that it needs.
type wireJob struct {
	Launches []wireLaunch
	Memory   [][]byte // of its buffers
	Bytes    []byte
}

// wireLaunch is a launch with the key of its source.
type wireLaunch struct {
	Key    string
	Launch launch
}

// reply is what the child answers.
type reply struct {
	Info   about
	Shape  shape
	Memory [][]byte
	Time   time.Duration
	Err    *Error // one of the two
	Text   string
}

// fail puts an error into the reply.
func (r *reply) fail(err error) {
	if e := (*Error)(nil); errors.As(err, &e) {
		c := *e
		r.Err = &c
	}
	r.Text = err.Error()
}

// err takes it out.
func (r *reply) err() error {
	switch {
	case r.Err != nil && r.Err.Error() == r.Text:
		return r.Err
	case r.Err != nil:
		return &wrapped{r.Text, r.Err}
	case r.Text != "":
		return errors.New(r.Text)
	}
	return nil
}

// wrapped is an error of the child whose text says more than the error of CUDA in it.
type wrapped struct {
	text  string
	inner *Error
}

func (w *wrapped) Error() string { return w.text }
func (w *wrapped) Unwrap() error { return w.inner }

// greeting comes first from a child, behind whatever else the program prints when it starts.
const greeting = "\x00gamma cuda child 1\n"

// serve is the child: it answers requests until there are none.
func serve(in io.Reader, out io.Writer, open func(Options) (engine, error)) error {
	if _, err := io.WriteString(out, greeting); err != nil {
		return err
	}
	dec, enc := gob.NewDecoder(in), gob.NewEncoder(out)
	var e engine
	sources := map[string]*source{}
	for {
		var q request
		if err := dec.Decode(&q); errors.Is(err, io.EOF) {
			if e != nil {
				e.close()
			}
			return nil
		} else if err != nil {
			return err
		}
		for _, s := range q.Sources {
			sources[s.Key] = s
		}
		var a reply
		switch {
		case q.Open != nil:
			var err error
			if e, err = open(*q.Open); err != nil {
				e = nil
				a.fail(err)
			} else {
				a.Info = e.about()
			}
		case e == nil:
			a.Text = "cuda: no device was opened in the child"
		case q.Build != nil:
			sh, err := e.build(q.Build)
			a.Shape = sh
			if err != nil {
				a.fail(err)
			}
		case q.Job != nil:
			if err := perform(e, q.Job, sources, &a); err != nil {
				a.fail(err)
			}
		}
		if err := enc.Encode(&a); err != nil {
			return err
		}
	}
}

// perform runs a job of the parent.
func perform(e engine, w *wireJob, sources map[string]*source, a *reply) error {
	j := &job{bytes: w.Bytes}
	for _, x := range w.Launches {
		l := x.Launch
		l.src = sources[x.Key]
		if l.src == nil {
			return errorf("the child does not have the kernel of a dispatch")
		}
		for _, x := range l.Words {
			if x.Kind == bufferWord && (x.At < 0 || x.At >= len(w.Memory)) {
				return errorf("the child does not have buffer %d of a dispatch", x.At)
			}
		}
		j.launches = append(j.launches, l)
	}
	for _, m := range w.Memory {
		s := &store{length: len(m)}
		if err := e.allocate(s, m); err != nil {
			return err
		}
		defer e.free(s)
		j.buffers = append(j.buffers, s)
	}
	e.submit(j)
	j.wait()
	if j.err != nil {
		return j.err
	}
	j.timed.wait()
	a.Time = j.time
	for i, s := range j.buffers {
		if err := e.read(s, 0, w.Memory[i]); err != nil {
			return err
		}
	}
	a.Memory = w.Memory
	return nil
}
