package opencl

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"time"
	"unsafe"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
)

// about is what was found out about a device.
type about struct {
	Platform, PlatformVersion   string
	Name, Version, Driver, Path string
	MaxThreads, Shared, Memory  int
	MaxAllocation, Align        int // bytes
	MaxBlock                    [3]int
	SVM                         bool
	PoCL                        bool
}

// local is a offload.Driver in this process. One goroutine makes all calls, so that arguments of kernels are set by one at a time.
type local struct {
	l       *library
	o       Options
	info    about
	mail    chan func()
	over    chan struct{}
	dev     deviceHandle
	context contextHandle
	queue   queueHandle
	kernels map[string]*built
	stores  map[*store]bool
	arena   store // for what is given to SetBytes
	lost    error // why nothing more can be done
}

// built is a compiled kernel.
type built struct {
	program programHandle
	kernel  kernelHandle
	shape   offload.Shape
}

// maxKernels is how many compiled kernels are kept.
const maxKernels = 512

// openLocal opens a device.
func openLocal(l *library, o Options) (*local, error) {
	b := &local{
		l: l, o: o, mail: make(chan func(), 64), over: make(chan struct{}), kernels: map[string]*built{}, stores: map[*store]bool{},
	}
	go func() {
		defer close(b.over)
		for f := range b.mail {
			f()
		}
		b.end()
	}()
	var err error
	b.do(func() { err = b.start() })
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// do has the goroutine run f.
func (b *local) do(f func()) {
	done := make(chan struct{})
	b.mail <- func() { f(); close(done) }
	<-done
}

// start finds the device and takes what it needs.
func (b *local) start() error {
	if err := b.choose(); err != nil {
		return err
	}
	if err := b.describe(); err != nil {
		return err
	}
	var r result
	if b.context, r = b.l.CreateContext(b.dev); r != success {
		return b.l.wrong("clCreateContext", r)
	}
	if b.queue, r = b.l.CreateCommandQueue(b.context, b.dev); r != success {
		return b.l.wrong("clCreateCommandQueue", r)
	}
	return nil
}

// usable says whether the device still is.
func (b *local) usable() error {
	if b.lost != nil {
		return offload.LostBefore(string(name), b.lost)
	}
	return nil
}

// DumpVariable names a folder for printed kernels.
const DumpVariable = "GAMMA_OPENCL_DUMP"

// options are what a kernel is built with: without warnings, which some drivers print on their own; and on PoCL, whose optimiser gets
// barriers wrong, without that where there are barriers.
func (b *local) options(s *offload.Source) string {
	list := []string{"-w"}
	if s.Barriers && b.info.PoCL {
		list = append(list, "-cl-opt-disable")
	}
	return strings.Join(append(list, s.Flags...), " ")
}

// Build compiles a kernel.
func (b *local) Build(s *offload.Source) (sh offload.Shape, err error) {
	b.do(func() {
		var k *built
		if k, err = b.build(s); err == nil {
			sh = k.shape
		}
	})
	return sh, err
}

// build compiles a kernel that was not compiled before. The call's error has the compiler's log.
func (b *local) build(s *offload.Source) (*built, error) {
	if k := b.kernels[s.Key]; k != nil {
		return k, nil
	}
	if err := b.usable(); err != nil {
		return nil, err
	}
	if len(b.kernels) >= maxKernels {
		b.unload()
	}
	if err := offload.Dump(string(name), DumpVariable, os.Getenv(DumpVariable), ".cl", "clBuildProgram "+b.options(s), s); err != nil {
		return nil, err
	}
	k := &built{}
	var r result
	if k.program, r = b.l.CreateProgramWithSource(b.context, s.Text); r != success {
		return nil, b.l.wrong("clCreateProgramWithSource of kernel "+s.Name, r)
	}
	fail := func(call string, r result) (*built, error) {
		err := b.l.wrong(call, r).(*Error)
		if r == buildFailed {
			if log, r := b.l.GetProgramBuildLog(k.program, b.dev); r == success {
				err.Text = offload.Head(strings.TrimSpace(log), 4000)
			}
			err.Fix = "the printed kernel is at fault, or the compiler: report it with the file that " + DumpVariable + " writes"
		}
		if k.kernel != 0 {
			b.l.ReleaseKernel(k.kernel)
		}
		b.l.ReleaseProgram(k.program)
		return nil, err
	}
	if r := b.l.BuildProgram(k.program, b.dev, b.options(s)); r != success {
		return fail("clBuildProgram("+s.Name+", "+b.options(s)+")", r)
	}
	if k.kernel, r = b.l.CreateKernel(k.program, s.Entry); r != success {
		return fail("clCreateKernel("+s.Entry+")", r)
	}
	for _, x := range []struct {
		dst  *int
		what uint32
	}{{&k.shape.MaxThreads, kernelGroup}, {&k.shape.Static, kernelLocal}} {
		v, r := b.l.GetKernelWorkGroupInfo(k.kernel, b.dev, x.what)
		if r != success {
			return fail(fmt.Sprintf("clGetKernelWorkGroupInfo(%s, %#x)", s.Entry, x.what), r)
		}
		*x.dst = int(min(v, math.MaxInt32))
	}
	k.shape.MaxThreads = min(k.shape.MaxThreads, b.info.MaxThreads)
	b.kernels[s.Key] = k
	return k, nil
}

func (b *local) unload() {
	for _, k := range b.kernels {
		b.l.ReleaseKernel(k.kernel)
		b.l.ReleaseProgram(k.program)
	}
	clear(b.kernels)
}

// store is memory of a device: at an address in shared virtual memory, or a memory object.
type store struct {
	b      *local
	length int
	at     address
	object memoryHandle
}

// Allocate returns memory of the device.
func (b *local) Allocate(length int, data []byte) (m offload.Memory, err error) {
	s := &store{b: b, length: length}
	b.do(func() {
		if err = b.take(s); err == nil && data != nil {
			if err = s.write(0, data); err != nil {
				b.release(s)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// take gives s its memory.
func (b *local) take(s *store) error {
	if err := b.usable(); err != nil {
		return err
	}
	if most := b.info.MaxAllocation; s.length > most {
		return errorf("a buffer of %d bytes is larger than the largest that %s allocates at once, %d; use several", s.length, b.info.Name, most)
	}
	if b.info.SVM {
		if s.at = b.l.SVMAlloc(b.context, s.length); s.at == 0 {
			e := newError(b.l.path, fmt.Sprintf("clSVMAlloc(%d)", s.length), fixes[allocationFailed])
			e.Text = "it gave no memory"
			return e
		}
	} else {
		var r result
		if s.object, r = b.l.CreateBuffer(b.context, s.length); r != success {
			return b.l.wrong(fmt.Sprintf("clCreateBuffer(%d)", s.length), r)
		}
	}
	b.stores[s] = true
	return nil
}

// release frees s. Work runs to its end before anything else does, so nothing uses it.
func (b *local) release(s *store) {
	if !b.stores[s] {
		return
	}
	delete(b.stores, s)
	switch {
	case b.lost != nil: // a kernel may still write to it
	case s.at != 0:
		b.l.SVMFree(b.context, s.at)
	default:
		b.l.ReleaseMemObject(s.object)
	}
}

func (s *store) write(offset int, data []byte) error {
	if s.at != 0 {
		return s.b.l.wrong("clEnqueueSVMMemcpy", s.b.l.EnqueueSVMWrite(s.b.queue, s.at+address(offset), data))
	}
	return s.b.l.wrong("clEnqueueWriteBuffer", s.b.l.EnqueueWriteBuffer(s.b.queue, s.object, offset, data))
}

// Write copies data to the device.
func (s *store) Write(offset int, data []byte) (err error) {
	s.b.do(func() {
		if err = s.b.usable(); err == nil {
			err = s.write(offset, data)
		}
	})
	return err
}

// Read copies from the device.
func (s *store) Read(offset int, dst []byte) (err error) {
	s.b.do(func() {
		if err = s.b.usable(); err != nil {
			return
		}
		if s.at != 0 {
			err = s.b.l.wrong("clEnqueueSVMMemcpy", s.b.l.EnqueueSVMRead(s.b.queue, dst, s.at+address(offset)))
			return
		}
		err = s.b.l.wrong("clEnqueueReadBuffer", s.b.l.EnqueueReadBuffer(s.b.queue, s.object, offset, dst))
	})
	return err
}

// Free frees the memory.
func (s *store) Free() { s.b.do(func() { s.b.release(s) }) }

// job is the work of a command buffer.
type job struct {
	protocol.Recording
	b     *local
	bytes []byte
	done  chan struct{}
	mu    sync.Mutex
	over  bool
	err   error
	time  time.Duration
}

// Work returns an empty job.
func (b *local) Work() protocol.Work { return &job{b: b, done: make(chan struct{})} }

// Start begins the work.
func (j *job) Start(bytes []byte) error {
	j.bytes = bytes
	j.b.mail <- func() {
		took, err := j.b.run(j)
		j.mu.Lock()
		defer j.mu.Unlock()
		j.over, j.err, j.time = true, err, took
		close(j.done)
	}
	return nil
}

// Wait waits for the end.
func (j *job) Wait() error {
	<-j.done
	return j.err
}

// Status says whether the work has ended.
func (j *job) Status() (metal.Status, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.over {
		return metal.Committed, nil
	}
	return offload.Ended(j.err)
}

// Time is from the start of the first kernel to the end of the last, by the device's clock.
func (j *job) Time() time.Duration {
	<-j.done
	return j.time
}

// names names the job's kernels, for errors.
func (j *job) names() string { return offload.Names(j.Dispatches) }

// run runs j to its end.
func (b *local) run(j *job) (time.Duration, error) {
	if err := b.usable(); err != nil {
		return 0, err
	}
	if len(j.Dispatches) == 0 {
		return 0, nil
	}
	r := running{b: b}
	defer r.free()
	if err := r.place(j.bytes); err != nil {
		return 0, err
	}
	var failed error
	for i := range j.Dispatches {
		if failed = r.launch(&j.Dispatches[i]); failed != nil {
			break
		}
	}
	// What was enqueued runs, whatever failed after it.
	if err := r.wait(j); err != nil {
		return 0, err
	}
	if failed != nil {
		return 0, failed
	}
	return r.time()
}

// running is what a job has while it runs.
type running struct {
	b       *local
	bytes   []byte
	objects []memoryHandle // of this job
	events  []eventHandle  // of the first and the last launch
}

// place copies what was given to SetBytes to the device, where there is shared virtual memory.
func (r *running) place(bytes []byte) error {
	r.bytes = bytes
	b := r.b
	if len(bytes) == 0 || !b.info.SVM {
		return nil
	}
	if len(bytes) > b.arena.length {
		b.release(&b.arena)
		b.arena = store{b: b, length: max(len(bytes), 64<<10)}
		if err := b.take(&b.arena); err != nil {
			b.arena = store{b: b}
			return err
		}
	}
	return b.arena.write(0, bytes)
}

// free gives back what the job had.
func (r *running) free() {
	if r.b.lost != nil {
		return
	}
	for _, m := range r.objects {
		r.b.l.ReleaseMemObject(m)
	}
	for _, e := range r.events {
		r.b.l.ReleaseEvent(e)
	}
}

// launch sets a kernel's arguments and enqueues it.
func (r *running) launch(d *protocol.Dispatch) error {
	src := offload.KernelOf(d).Source
	k, err := r.b.build(src)
	if err != nil {
		return err
	}
	for i, p := range src.Params {
		call, code := "clSetKernelArg", success
		if p.Kind == emit.BufferAddress || p.Kind == emit.ThreadgroupOffset {
			call, code, err = r.set(src, k.kernel, uint32(i), p.Kind, &d.Args[p.Index])
		} else {
			n := offload.Number(d, p)
			code = r.b.l.SetKernelArg(k.kernel, uint32(i), 8, unsafe.Pointer(&n))
		}
		if err == nil {
			err = r.b.l.wrong(fmt.Sprintf("%s(%s, %d)", call, src.Name, i), code)
		}
		if err != nil {
			return err
		}
	}
	for _, p := range parts(d.Grid, d.Threads, src.Barriers) {
		e, code := r.b.l.EnqueueNDRangeKernel(r.b.queue, k.kernel, p.offset, p.global, p.local)
		if code != success {
			return r.b.l.wrong(fmt.Sprintf("clEnqueueNDRangeKernel of %s, %v threads in threadgroups of %v from %v", src.Name, p.global, p.local, p.offset), code)
		}
		if len(r.events) == 2 {
			r.b.l.ReleaseEvent(r.events[1])
			r.events = r.events[:1]
		}
		r.events = append(r.events, e)
	}
	return nil
}

// set sets argument i of a kernel to what is bound, by a call whose name and result it returns.
func (r *running) set(s *offload.Source, k kernelHandle, i uint32, kind emit.ParamKind, a *protocol.Arg) (call string, code result, err error) {
	b := r.b
	call = "clSetKernelArg"
	switch {
	case kind == emit.ThreadgroupOffset:
		// There is no null pointer to local memory: it has a length of its own in the call.
		return call, b.l.SetKernelArg(k, i, (max(a.Length, 1)+15)&^15, nil), nil
	case a.Kind == protocol.None:
		return call, b.l.SetKernelArg(k, i, 8, nil), nil
	case a.Kind == protocol.Buffer && !b.stores[a.Memory.(*store)]:
		return call, success, offload.Released(string(name), s.Name)
	case b.info.SVM:
		at := b.arena.at
		if a.Kind == protocol.Buffer {
			at = a.Memory.(*store).at
		}
		return "clSetKernelArgSVMPointer", b.l.SetKernelArgSVMPointer(k, i, at+address(a.Offset)), nil
	}
	object, err := r.object(s, a)
	if err != nil {
		return call, success, err
	}
	return call, b.l.SetKernelArg(k, i, 8, unsafe.Pointer(&object)), nil
}

// object returns a memory object for what is bound: the buffer's, a part of it, or one for bytes.
func (r *running) object(s *offload.Source, a *protocol.Arg) (m memoryHandle, err error) {
	b := r.b
	var code result
	switch {
	case a.Kind == protocol.Bytes:
		m, code = b.l.CreateBuffer(b.context, a.Length)
		if err := b.l.wrong(fmt.Sprintf("clCreateBuffer(%d) for SetBytes", a.Length), code); err != nil {
			return 0, err
		}
		r.objects = append(r.objects, m)
		return m, b.l.wrong("clEnqueueWriteBuffer for SetBytes", b.l.EnqueueWriteBuffer(b.queue, m, 0, r.bytes[a.Offset:][:a.Length]))
	case a.Offset == 0:
		return a.Memory.(*store).object, nil
	case a.Offset%b.info.Align != 0:
		return 0, errorf("kernel %s: a buffer is bound from byte %d; without shared virtual memory %s has parts of buffers from multiples of %d on; change the offset",
			s.Name, a.Offset, b.info.Name, b.info.Align)
	}
	m, code = b.l.CreateSubBuffer(a.Memory.(*store).object, a.Offset, a.Length)
	if err := b.l.wrong(fmt.Sprintf("clCreateSubBuffer(%d, %d)", a.Offset, a.Length), code); err != nil {
		return 0, err
	}
	r.objects = append(r.objects, m)
	return m, nil
}

// part is one call of clEnqueueNDRangeKernel.
type part struct{ offset, global, local [3]uint64 }

// parts divides a grid. Without barriers whole threadgroups are launched, and threads beyond the grid return at once. With barriers all
// that are launched have to come to them: so the edges of a grid, of smaller threadgroups, are launched alone, up to eight parts.
func parts(grid, threads [3]int, barriers bool) []part {
	list := []part{{}}
	for i := range grid {
		n, g := uint64(grid[i]), uint64(threads[i])
		whole := n / g * g
		type span struct{ offset, global, local uint64 }
		spans := []span{{0, whole, g}}
		if whole < n {
			switch {
			case !barriers:
				spans[0].global += g
			case whole == 0:
				spans[0] = span{0, n, n}
			default:
				spans = append(spans, span{whole, n - whole, n - whole})
			}
		}
		var next []part
		for _, p := range list {
			for _, s := range spans {
				p.offset[i], p.global[i], p.local[i] = s.offset, s.global, s.local
				next = append(next, p)
			}
		}
		list = next
	}
	return list
}

// wait waits for all that was enqueued, or until the time is over. If it cannot, the device is lost: a kernel may still run.
func (r *running) wait(j *job) error {
	if len(r.events) == 0 {
		return nil
	}
	b := r.b
	lose := func(call string, code result) error {
		e := b.l.wrong(call, code).(*Error)
		e.Lost = true
		b.lost = e
		return e
	}
	if code := b.l.Flush(b.queue); code != success {
		return lose("clFlush after "+j.names(), code)
	}
	last := r.events[len(r.events)-1]
	for since := time.Now(); ; {
		status, code := b.l.GetEventStatus(last)
		if code != success {
			return lose("clGetEventInfo after "+j.names(), code)
		}
		if status < 0 {
			e := newError(b.l.path, "running "+j.names(), "run the kernel on the simulator for the place, and with Options.Isolate to go on")
			e.Code, e.Name, e.Lost = int(status), codeName(result(status)), true
			b.lost = e
			return e
		}
		if status == statusComplete {
			return nil
		}
		took := time.Since(since)
		switch {
		case took > b.o.Timeout:
			e := newError(b.l.path, "waiting for "+j.names(), "it may never end; raise Options.Timeout if it is only long, and use Options.Isolate to go on after it")
			e.Text, e.Lost = fmt.Sprintf("the work did not end within %s, and nothing stops it", b.o.Timeout), true
			b.lost = e
			return e
		case took > 50*time.Millisecond:
			time.Sleep(200 * time.Microsecond)
		default:
			time.Sleep(10 * time.Microsecond)
		}
	}
}

// time reads the clock of the first and the last launch.
func (r *running) time() (time.Duration, error) {
	from, code := r.b.l.GetEventProfilingInfo(r.events[0], profilingStart)
	if err := r.b.l.wrong("clGetEventProfilingInfo", code); err != nil {
		return 0, err
	}
	to, code := r.b.l.GetEventProfilingInfo(r.events[len(r.events)-1], profilingEnd)
	if err := r.b.l.wrong("clGetEventProfilingInfo", code); err != nil {
		return 0, err
	}
	return time.Duration(to - from), nil
}

// Close ends the backend.
func (b *local) Close() {
	close(b.mail)
	<-b.over
}

// end gives everything back. What a kernel that never ends may use is left alone.
func (b *local) end() {
	if b.lost != nil {
		return
	}
	b.unload()
	for s := range b.stores {
		b.release(s)
	}
	if b.queue != 0 {
		b.l.ReleaseCommandQueue(b.queue)
	}
	if b.context != 0 {
		b.l.ReleaseContext(b.context)
	}
}

// text is b up to its NUL.
func text(b []byte) string {
	s, _, _ := strings.Cut(string(b), "\x00")
	return strings.TrimSpace(s)
}

// number is an unsigned number of 1 to 8 bytes.
func number(b []byte) uint64 {
	var w [8]byte
	copy(w[:], b)
	return binary.LittleEndian.Uint64(w[:])
}
