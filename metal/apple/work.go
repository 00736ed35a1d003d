package apple

import (
	"sync"
	"time"

	"gamma/metal"
	"gamma/metal/internal/protocol"
	"gamma/metal/msl/ir"
)

// work is what a command buffer has to do. Start plays its dispatches to Metal on one thread.
type work struct {
	q *queue
	protocol.Recording

	mu     sync.Mutex // not held while Metal waits
	status metal.Status
	err    error
	time   time.Duration
	object *object // the MTLCommandBuffer, from Start until it is known to be completed
	asking int     // goroutines that ask it; the last one releases it
}

// Work returns empty work. Metal hears of it when it is started.
func (q *queue) Work() protocol.Work { return &work{q: q} }

// Add notes a dispatch.
func (w *work) Add(d *protocol.Dispatch) error {
	if b := w.q.b; !b.uneven && !d.Whole() {
		return errorf("%s is of no family that has threadgroups of several sizes in one dispatch (Apple4, Mac2); use DispatchThreadgroups and let threads beyond the end return", b.name)
	}
	return w.Recording.Add(d)
}

// Start hands the dispatches to Metal, after all that was started on the queue before.
//
// A queue of Metal's has 64 command buffers, and its commandBuffer waits for one to complete while all are under way; then Start waits too.
// To be seen on a Mac: that those do not count which have completed and whose end nobody has asked for.
func (w *work) Start(bytes []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.q.b
	return b.work(func(p *pool) error {
		x := p.send(msgCommandBuffer, w.q.ref).object()
		if x == 0 {
			return errorf("commandBuffer returned nil; wait for command buffers that were committed")
		}
		if err := p.understands(b.ref, x, "MTLCommandBuffer"); err != nil {
			return err
		}
		// If it is not committed the pool frees it.
		for rest := w.Dispatches; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].Encoder == rest[0].Encoder {
				n++
			}
			if err := play(p, b, x, rest[:n], bytes); err != nil {
				return err
			}
			rest = rest[n:]
		}
		p.send(msgRetain, x)
		w.object = b.adopt(x)
		p.send(msgCommit, x)
		w.status, w.Dispatches = metal.Committed, nil
		return nil
	})
}

// play sends the dispatches of one encoder to a new one of the command buffer x.
func play(p *pool, b *backend, x id, list []protocol.Dispatch, bytes []byte) error {
	kind := uint64(dispatchSerial)
	if list[0].Concurrent {
		kind = dispatchConcurrent
	}
	e := p.send(msgComputeCommandEncoder, x, unsignedArg(kind)).object()
	if e == 0 {
		return errorf("computeCommandEncoderWithDispatchType: returned nil; the device is out of memory")
	}
	err := p.understands(b.ref, e, "MTLComputeCommandEncoder")
	if err == nil {
		s := player{p: p, e: e, bytes: bytes}
		for i := range list {
			s.dispatch(&list[i], i == 0)
		}
	}
	p.send(msgEndEncoding, e) // an encoder that is freed before stops the process
	return err
}

// player sends dispatches to an encoder, which keeps what is bound: so it sends what differs from the dispatch before.
type player struct {
	p        *pool
	e        id
	bytes    []byte
	pipeline id
	bound    [metal.MaxBufferIndex + 1]protocol.Arg // of buffers and bytes
	lengths  [metal.MaxBufferIndex + 1]int          // of threadgroup memory
}

// dispatch sends one dispatch.
func (s *player) dispatch(d *protocol.Dispatch, first bool) {
	if d.Barrier && !first {
		s.p.send(msgMemoryBarrier, s.e, unsignedArg(barrierBuffers))
	}
	if ref := d.Pipeline.Native.(*object).ref; ref != s.pipeline {
		s.pipeline = ref
		s.p.send(msgSetComputePipelineState, s.e, objectArg(ref))
	}
	var lengths [metal.MaxBufferIndex + 1]int
	for _, a := range d.Args {
		if a.Kind == protocol.Threadgroup {
			lengths[a.Index] = a.Length
		} else if a.Kind != protocol.None {
			s.bind(a)
		}
	}
	s.unbind(d)
	for i, n := range lengths {
		if n != s.lengths[i] {
			s.p.send(msgSetThreadgroupMemoryLength, s.e, unsignedArg(uint64(n)), unsignedArg(uint64(i)))
		}
	}
	s.lengths = lengths
	m, grid := msgDispatchThreads, d.Grid
	if d.Whole() {
		m, grid = msgDispatchThreadgroups, d.Groups
	}
	s.p.send(m, s.e, sizeArg(sizeOf(grid)), sizeArg(sizeOf(d.Threads)))
}

// bind binds a buffer or bytes.
func (s *player) bind(a protocol.Arg) {
	if s.bound[a.Index] == a {
		return
	}
	s.bound[a.Index] = a
	if a.Kind == protocol.Buffer {
		s.p.send(msgSetBuffer, s.e, objectArg(a.Memory.(*memory).ref), unsignedArg(uint64(a.Offset)), unsignedArg(uint64(a.Index)))
		return
	}
	s.p.send(msgSetBytes, s.e, bytesArg(s.bytes[a.Offset:][:a.Length]), unsignedArg(uint64(a.Length)), unsignedArg(uint64(a.Index)))
}

// unbind takes back what earlier dispatches bound for arguments that d leaves out.
func (s *player) unbind(d *protocol.Dispatch) {
	k := d.Pipeline.Function.Kernel
	if k == nil {
		return // all that is bound was sent
	}
	for i, a := range d.Args {
		b := &k.Buffers[i]
		if a.Kind == protocol.None && b.Space != ir.Threadgroup && b.Texture.Dimensions == 0 && !b.Sampler && s.bound[a.Index].Kind != protocol.None {
			s.bound[a.Index] = protocol.Arg{}
			s.p.send(msgSetBuffer, s.e, objectArg(0), unsignedArg(0), unsignedArg(uint64(a.Index)))
		}
	}
}

// sizeOf returns s as MTLSize.
func sizeOf(s [3]int) size {
	return size{Width: uint64(s[0]), Height: uint64(s[1]), Depth: uint64(s[2])}
}

// Wait waits, and returns what stopped the work. Metal has no way to wait for less than the end: it counts on macOS to stop a kernel that runs for
// too long, which then is an *Error of code 2, or of code 1 with the reason in its text.
func (w *work) Wait() error {
	_, _, err := w.look(true)
	return err
}

// Status asks Metal. What stopped the work is an *Error.
func (w *work) Status() (metal.Status, error) {
	s, _, err := w.look(false)
	return s, err
}

// Time returns GPUEndTime - GPUStartTime.
func (w *work) Time() time.Duration {
	_, t, _ := w.look(false)
	return t
}

// look learns how far the work is, after waiting for its end if wait is set. When it has ended, all is read that there is to know and the
// MTLCommandBuffer is released.
func (w *work) look(wait bool) (metal.Status, time.Duration, error) {
	w.mu.Lock()
	o := w.object
	if o == nil {
		defer w.mu.Unlock()
		return w.status, w.time, w.err
	}
	w.asking++
	w.mu.Unlock()
	status, span, err := w.ask(o, wait)

	w.mu.Lock()
	defer w.mu.Unlock()
	w.asking--
	if w.status < metal.Completed {
		w.status = max(w.status, status)
		if w.status >= metal.Completed {
			w.err, w.time = err, span
		}
	} else {
		err = w.err // another goroutine saw the end
	}
	if w.status >= metal.Completed && w.asking == 0 && w.object != nil {
		w.object = nil
		o.Free()
	}
	return w.status, w.time, err
}

// ask asks an MTLCommandBuffer.
func (w *work) ask(o *object, wait bool) (status metal.Status, span time.Duration, err error) {
	status = metal.Committed
	err = o.b.work(func(p *pool) error {
		if wait {
			p.send(msgWaitUntilCompleted, o.ref)
		}
		status = metal.Status(min(p.send(msgStatus, o.ref).word, statusError))
		if status < statusCompleted {
			if wait {
				return errorf("waitUntilCompleted returned at status %d; wait again", status)
			}
			return nil
		}
		start, end := p.send(msgGPUStartTime, o.ref).double, p.send(msgGPUEndTime, o.ref).double
		if ns := (end - start) * 1e9; ns > 0 && ns < 1e18 { // a NaN or a time that was not taken stays 0
			span = time.Duration(ns)
		}
		if status == metal.Failed {
			return p.failure("command buffer", p.send(msgError, o.ref).object())
		}
		return nil
	})
	if err != nil && status < statusCompleted && o.b.over() {
		status = metal.Failed
	}
	return status, span, err
}
