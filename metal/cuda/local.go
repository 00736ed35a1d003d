package cuda

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"gamma/metal/internal/emit"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
)

// about is what an engine found out about its device.
type about struct {
	Name                        string
	Major, Minor                int // compute capability
	Driver                      int // CUDA version, 1000·major + 10·minor
	NVRTCMajor, NVRTCMinor      int
	MaxThreads, Multiprocessors int
	MaxBlock, MaxGrid           [3]int
	Shared                      int // bytes of shared memory that one block may have
	Memory                      int
	DriverPath, CompilerPath    string
}

// local is the engine of this process. One goroutine, locked to its thread, has the context and the fields below the line.
type local struct {
	l       *libraries
	arch    string
	images  *images
	timeout time.Duration
	mail    chan func()
	over    chan struct{}
	info    about

	// Of the thread:
	dev     int32
	ctx     contextHandle
	held    bool // the context is retained
	stream  streamHandle
	lost    error // why nothing more can be done
	pending []*job
	modules map[string]*module
	stores  map[*store]bool
	events  []eventHandle // timed
	fences  []eventHandle // not timed
	arena   arena
	words   []uint64 // of the argument of a launch; the driver copies them
	stage   []byte   // pinned
	stageAt unsafe.Pointer
}

// module is a kernel on the device.
type module struct {
	m       moduleHandle
	f       functionHandle
	shape   shape
	dynamic uint32 // bytes of dynamic shared memory that it may have
}

const (
	maxModules = 512
	stageBytes = 4 << 20
	stageLeast = 256 << 10 // smaller copies are staged by the driver
)

// openLocal makes an engine on a device.
func openLocal(l *libraries, o Options, c *images) (*local, error) {
	e := &local{
		l: l, images: c, timeout: o.Timeout, mail: make(chan func(), 256), over: make(chan struct{}),
		modules: map[string]*module{}, stores: map[*store]bool{},
	}
	go e.loop()
	var err error
	e.do(func() { err = e.start(o.Ordinal) })
	if err != nil {
		e.close()
		return nil, err
	}
	return e, nil
}

// loop is the goroutine that makes the calls.
func (e *local) loop() {
	runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
	defer close(e.over)
	idle := time.Now()
	for {
		select {
		case f, ok := <-e.mail:
			if !ok {
				e.end()
				return
			}
			f()
			idle = time.Now()
			continue
		default:
		}
		if len(e.pending) > 0 {
			e.poll()
			idle = time.Now()
			continue
		}
		if maySpin() && time.Since(idle) < spin {
			continue
		}
		f, ok := <-e.mail
		if !ok {
			e.end()
			return
		}
		f()
		idle = time.Now()
	}
}

// do runs f on the thread and waits.
func (e *local) do(f func()) {
	var s signal
	e.mail <- func() { f(); s.set() }
	s.wait()
}

func (e *local) about() about { return e.info }

// wrong is libraries.wrong, and notes when the context is lost.
func (e *local) wrong(call string, r result) error {
	err := e.l.wrong(call, r)
	if sticky(r) && e.lost == nil {
		e.lost = err
	}
	return err
}

// start initialises the driver and takes the context.
func (e *local) start(ordinal int) error {
	d := e.l.driver
	if err := e.wrong("cuInit(0)", d.Init(0)); err != nil {
		return err
	}
	n, r := d.DeviceGetCount()
	if err := e.wrong("cuDeviceGetCount", r); err != nil {
		return err
	}
	if ordinal >= int(n) {
		return errorf("there is no GPU %d: the driver has %d, counted from 0; change Options.Ordinal", ordinal, n)
	}
	if e.dev, r = d.DeviceGet(int32(ordinal)); r != success {
		return e.wrong(fmt.Sprintf("cuDeviceGet(%d)", ordinal), r)
	}
	if err := e.describe(); err != nil {
		return err
	}
	// Another user of the primary context may have fixed the flags; they only change how synchronous calls wait.
	_ = d.DevicePrimaryCtxSetFlags(e.dev, schedSpin)
	if e.ctx, r = d.DevicePrimaryCtxRetain(e.dev); r != success {
		return e.wrong("cuDevicePrimaryCtxRetain", r)
	}
	e.held = true
	if err := e.wrong("cuCtxSetCurrent", d.CtxSetCurrent(e.ctx)); err != nil {
		return err
	}
	if e.stream, r = d.StreamCreate(streamFree); r != success {
		return e.wrong("cuStreamCreate", r)
	}
	return nil
}

// describe fills e.info.
func (e *local) describe() (err error) {
	d, i := e.l.driver, &e.info
	var r result
	if i.Name, r = d.DeviceGetName(e.dev); r != success {
		return e.wrong("cuDeviceGetName", r)
	}
	total, r := d.DeviceTotalMem(e.dev)
	if r != success {
		return e.wrong("cuDeviceTotalMem", r)
	}
	i.Memory = int(min(total, math.MaxInt64))
	warpSize := 0
	for _, a := range []struct {
		dst *int
		n   int32
	}{
		{&i.Major, attrMajor},
		{&i.Minor, attrMinor},
		{&warpSize, attrWarpSize},
		{&i.MaxThreads, attrMaxThreads},
		{&i.Shared, attrMaxSharedOptin},
		{&i.MaxBlock[0], attrMaxBlockX},
		{&i.MaxBlock[1], attrMaxBlockY},
		{&i.MaxBlock[2], attrMaxBlockZ},
		{&i.MaxGrid[0], attrMaxGridX},
		{&i.MaxGrid[1], attrMaxGridY},
		{&i.MaxGrid[2], attrMaxGridZ},
		{&i.Multiprocessors, attrMultiprocessors},
	} {
		v, r := d.DeviceGetAttribute(a.n, e.dev)
		if r != success {
			return e.wrong(fmt.Sprintf("cuDeviceGetAttribute(%d)", a.n), r)
		}
		*a.dst = int(v)
	}
	if warpSize != warp {
		return errorf("%s has %d threads in a warp, and the printed kernels need %d; use another GPU", i.Name, warpSize, warp)
	}
	if i.Major < 7 {
		return errorf("%s has compute capability %d.%d; threads of a warp need to be independent, which begins with 7.0; use a newer GPU", i.Name, i.Major, i.Minor)
	}
	v, r := d.DriverGetVersion()
	if r != success {
		return e.wrong("cuDriverGetVersion", r)
	}
	i.Driver = int(v)
	major, minor, r := e.l.compiler.Version()
	if r != success {
		return e.l.miscompiled("nvrtcVersion", r)
	}
	i.NVRTCMajor, i.NVRTCMinor = int(major), int(minor)
	i.DriverPath, i.CompilerPath = e.l.driverPath, e.l.compilerPath
	archs, r := e.l.compiler.SupportedArchs()
	if r != success {
		return e.l.miscompiled("nvrtcGetSupportedArchs", r)
	}
	e.arch, err = architecture(i.Major*10+i.Minor, archs, i.CompilerPath)
	return err
}

// architecture returns the target for a compute capability: its own machine code, or the newest earlier PTX.
func architecture(cc int, known []int32, path string) (string, error) {
	if slices.Contains(known, int32(cc)) {
		return fmt.Sprintf("sm_%d", cc), nil
	}
	best := int32(0)
	for _, k := range known {
		if int(k) < cc {
			best = max(best, k)
		}
	}
	if best == 0 {
		return "", errorf("%s knows no architecture up to sm_%d; set %s to the folder of another NVRTC", path, cc, PathVariable)
	}
	return fmt.Sprintf("compute_%d", best), nil
}

// usable says whether the context still is.
func (e *local) usable() error {
	if e.lost != nil {
		return offload.LostBefore(string(name), e.lost)
	}
	return nil
}

// build compiles s in the caller's goroutine, and loads it.
func (e *local) build(s *source) (shape, error) {
	image, err := e.images.get(e.l, s, e.arch, e.info)
	if err != nil {
		return shape{}, err
	}
	var sh shape
	e.do(func() {
		var m *module
		if m, err = e.load(s, image); err == nil {
			sh = m.shape
		}
	})
	return sh, err
}

// load puts a compiled kernel on the device.
func (e *local) load(s *source, image []byte) (*module, error) {
	if m := e.modules[s.Key]; m != nil {
		return m, nil
	}
	if err := e.usable(); err != nil {
		return nil, err
	}
	if len(e.modules) >= maxModules {
		e.drain()
		e.unload()
	}
	d := e.l.driver
	var r result
	m := &module{}
	if m.m, r = d.ModuleLoadDataEx(image); r != success {
		return nil, e.wrong("cuModuleLoadDataEx of kernel "+s.Name, r)
	}
	fail := func(err error) (*module, error) {
		d.ModuleUnload(m.m)
		return nil, err
	}
	if m.f, r = d.ModuleGetFunction(m.m, s.Entry); r != success {
		return fail(e.wrong("cuModuleGetFunction("+s.Entry+")", r))
	}
	for _, a := range []struct {
		dst *int
		n   int32
	}{{&m.shape.MaxThreads, funcMaxThreads}, {&m.shape.Static, funcStatic}, {&m.shape.Registers, funcRegisters}, {&m.shape.Local, funcLocal}} {
		v, r := d.FuncGetAttribute(a.n, m.f)
		if r != success {
			return fail(e.wrong(fmt.Sprintf("cuFuncGetAttribute(%d) of %s", a.n, s.Entry), r))
		}
		*a.dst = int(v)
	}
	m.dynamic = uint32(max(0, defaultShared-m.shape.Static))
	e.modules[s.Key] = m
	return m, nil
}

func (e *local) unload() {
	for _, m := range e.modules {
		e.l.driver.ModuleUnload(m.m)
	}
	clear(e.modules)
}

func (e *local) allocate(s *store, data []byte) (err error) {
	e.do(func() {
		if err = e.usable(); err != nil {
			return
		}
		var r result
		if s.at, r = e.l.driver.MemAlloc(s.length); r != success {
			err = e.wrong(fmt.Sprintf("cuMemAlloc(%d)", s.length), r)
			return
		}
		e.stores[s] = true
		if data != nil {
			if err = e.upload(s.at, data); err != nil {
				e.release(s)
			}
		}
	})
	return err
}

func (e *local) free(s *store) { e.do(func() { e.release(s) }) }

// release frees a buffer when the work before has ended.
func (e *local) release(s *store) {
	if !e.stores[s] {
		return
	}
	delete(e.stores, s)
	e.drain()
	if e.lost == nil {
		// A buffer that cannot be freed is gone with the context.
		_ = e.wrong("cuMemFree", e.l.driver.MemFree(s.at))
	}
}

func (e *local) write(s *store, offset int, data []byte) (err error) {
	e.do(func() {
		if err = e.usable(); err == nil {
			err = e.upload(s.at+address(offset), data)
		}
	})
	return err
}

func (e *local) read(s *store, offset int, dst []byte) (err error) {
	e.do(func() {
		e.drain()
		if err = e.usable(); err == nil {
			err = e.download(dst, s.at+address(offset))
		}
	})
	return err
}

// upload copies data to the device, and waits until data may change.
func (e *local) upload(dst address, data []byte) error {
	d := e.l.driver
	e.drain()
	if err := e.usable(); err != nil || len(data) == 0 {
		return err
	}
	if e.staging(len(data)) {
		half := len(e.stage) / 2
		for i := 0; len(data) > 0; i++ {
			// While one half travels the other is filled.
			part := e.stage[i%2*half:][:min(half, len(data))]
			copy(part, data)
			if i > 0 {
				if err := e.wrong("cuStreamSynchronize", d.StreamSynchronize(e.stream)); err != nil {
					return err
				}
			}
			if err := e.wrong("cuMemcpyHtoDAsync", d.MemcpyHtoDAsync(dst, part, e.stream)); err != nil {
				return err
			}
			dst, data = dst+address(len(part)), data[len(part):]
		}
	} else if err := e.wrong("cuMemcpyHtoDAsync", d.MemcpyHtoDAsync(dst, data, e.stream)); err != nil {
		return err
	}
	return e.wrong("cuStreamSynchronize", d.StreamSynchronize(e.stream))
}

// download copies from the device.
func (e *local) download(dst []byte, src address) error {
	d := e.l.driver
	if len(dst) == 0 {
		return nil
	}
	if !e.staging(len(dst)) {
		if err := e.wrong("cuMemcpyDtoHAsync", d.MemcpyDtoHAsync(dst, src, e.stream)); err != nil {
			return err
		}
		return e.wrong("cuStreamSynchronize", d.StreamSynchronize(e.stream))
	}
	half := len(e.stage) / 2
	var last []byte // travelled, and to be copied out
	for i := 0; len(dst) > 0 || last != nil; i++ {
		if i > 0 {
			if err := e.wrong("cuStreamSynchronize", d.StreamSynchronize(e.stream)); err != nil {
				return err
			}
		}
		part := e.stage[i%2*half:][:max(0, min(half, len(dst)-len(last)))]
		if len(part) > 0 {
			if err := e.wrong("cuMemcpyDtoHAsync", d.MemcpyDtoHAsync(part, src, e.stream)); err != nil {
				return err
			}
			src += address(len(part))
		}
		copy(dst, last)
		dst, last = dst[len(last):], part
		if len(part) == 0 {
			break
		}
	}
	return nil
}

// staging reports whether n bytes go through pinned memory, which it takes at the first need.
func (e *local) staging(n int) bool {
	if n < stageLeast {
		return false
	}
	if e.stage == nil {
		p, r := e.l.driver.MemAllocHost(stageBytes)
		if r != success {
			return false // without it the driver stages
		}
		e.stageAt, e.stage = p, unsafe.Slice((*byte)(p), stageBytes)
	}
	return true
}

// submit hands j to the thread.
func (e *local) submit(j *job) { e.mail <- func() { e.run(j) } }

// run launches j.
func (e *local) run(j *job) {
	if j.err = e.usable(); j.err != nil {
		e.finish(j)
		return
	}
	d := e.l.driver
	if j.from, j.err = e.event(); j.err == nil {
		j.to, j.err = e.event()
	}
	if j.err == nil {
		j.over, j.err = e.take(&e.fences, eventUntimed)
	}
	var base address
	if j.err == nil {
		base, j.err = e.place(j)
	}
	if j.err == nil {
		j.err = e.wrong("cuEventRecord", d.EventRecord(j.from, e.stream))
	}
	if j.err != nil {
		e.finish(j)
		return
	}
	for i := range j.Dispatches {
		if j.err = e.launch(&j.Dispatches[i], base, j.bytes); j.err != nil {
			break
		}
	}
	for _, v := range []eventHandle{j.over, j.to} {
		if err := e.wrong("cuEventRecord", d.EventRecord(v, e.stream)); err != nil {
			if j.err == nil {
				j.err = err
			}
			e.finish(j)
			return
		}
	}
	j.since = time.Now()
	e.pending = append(e.pending, j)
	e.poll()
}

// launch launches a dispatch whose bytes lie from base on.
func (e *local) launch(d *protocol.Dispatch, base address, bytes []byte) error {
	src := offload.KernelOf(d).Source
	m := e.modules[src.Key]
	if m == nil {
		image, err := e.images.get(e.l, src, e.arch, e.info)
		if err != nil {
			return err
		}
		if m, err = e.load(src, image); err != nil {
			return err
		}
	}
	shared := uint32(d.Threadgroup)
	if shared > m.dynamic {
		if err := e.wrong(fmt.Sprintf("cuFuncSetAttribute(%s, %d bytes of dynamic shared memory)", src.Name, shared),
			e.l.driver.FuncSetAttribute(m.f, funcMaxDynamic, int32(shared))); err != nil {
			return err
		}
		m.dynamic = shared
	}
	e.words = e.words[:0]
	for _, p := range src.Params {
		w := uint64(0)
		if p.Kind == emit.Value {
			a := &d.Args[p.Index]
			if a.Kind != protocol.Bytes {
				return errorf("%s takes argument %d by value, and a buffer is bound for it; use SetBytes", src.Name, p.Index)
			}
			var word [8]byte
			copy(word[:], bytes[a.Offset:a.Offset+a.Length])
			w = binary.LittleEndian.Uint64(word[:])
		} else if p.Kind != emit.BufferAddress {
			w = offload.Number(d, p)
		} else if a := &d.Args[p.Index]; a.Kind == protocol.Buffer {
			s := &a.Memory.(*memory).s
			if !e.stores[s] {
				return offload.Released(string(name), src.Name)
			}
			w = uint64(s.at) + uint64(a.Offset)
		} else if a.Kind == protocol.Bytes {
			w = uint64(base) + uint64(a.Offset)
		}
		e.words = append(e.words, w)
	}
	var grid, block [3]uint32
	for i := range grid {
		grid[i], block[i] = uint32(d.Groups[i]), uint32(d.Threads[i])
	}
	if r := e.l.driver.LaunchKernel(m.f, grid, block, shared, e.stream, e.words, src.Own != nil); r != success {
		return e.wrong("cuLaunchKernel of "+src.Name, r)
	}
	return nil
}

// event takes a timed event.
func (e *local) event() (eventHandle, error) { return e.take(&e.events, eventDefault) }

// take takes an event of a pool, or makes one.
func (e *local) take(pool *[]eventHandle, flags uint32) (eventHandle, error) {
	if n := len(*pool); n > 0 {
		v := (*pool)[n-1]
		*pool = (*pool)[:n-1]
		return v, nil
	}
	v, r := e.l.driver.EventCreate(flags)
	return v, e.wrong("cuEventCreate", r)
}

// poll looks whether the oldest work has ended.
func (e *local) poll() {
	j := e.pending[0]
	r := notReady
	if e.lost == nil {
		r = e.l.driver.EventQuery(j.over)
	} else if j.err == nil {
		j.err = e.usable()
	}
	if r == notReady && e.lost == nil {
		took := time.Since(j.since)
		if took < e.timeout {
			switch {
			case took > 50*time.Millisecond:
				time.Sleep(200 * time.Microsecond)
			case took > 2*time.Millisecond:
				time.Sleep(20 * time.Microsecond)
			}
			return
		}
		e.lost = &Error{
			Device: string(name), Library: e.l.driverPath, Call: "cuEventQuery after " + offload.Names(j.Dispatches), Code: int(notReady), Name: e.l.driver.GetErrorName(notReady), Lost: true,
			Text: fmt.Sprintf("the work did not end within %s", e.timeout),
			Fix:  "it may never end; raise Options.Timeout if it is only long, and use Options.Isolate to go on after it",
		}
		j.err = e.lost
	} else if r != success && r != notReady {
		j.err = e.wrong("cuEventQuery after "+offload.Names(j.Dispatches), r)
		var fault *Error
		own := func(d protocol.Dispatch) bool { return offload.KernelOf(&d).Own != nil }
		if errors.As(j.err, &fault) && fault.Fix == kernelFix && slices.ContainsFunc(j.Dispatches, own) {
			fault.Fix = ownFix
		}
	}
	e.pending = e.pending[1:]
	if j.err != nil {
		e.finish(j)
		return
	}
	// Who waits goes on; the time is for who asks for it. Its event comes right after the other.
	j.set()
	for e.l.driver.EventQuery(j.to) == notReady && time.Since(j.since) < e.timeout {
	}
	ms, r := e.l.driver.EventElapsedTime(j.from, j.to)
	if e.wrong("cuEventElapsedTime", r) == nil {
		j.time = time.Duration(float64(ms) * 1e6)
	}
	e.reuse(j)
	j.timed.set()
}

// finish signals j, which failed.
func (e *local) finish(j *job) {
	e.reuse(j)
	j.set()
	j.timed.set()
}

// reuse takes back what j had.
func (e *local) reuse(j *job) {
	for _, v := range []eventHandle{j.from, j.to} {
		if v != 0 {
			e.events = append(e.events, v)
		}
	}
	if j.over != 0 {
		e.fences = append(e.fences, j.over)
	}
	if len(e.pending) == 0 {
		e.arena.used = 0
	}
}

// drain waits for all work, or until the device is lost.
func (e *local) drain() {
	for len(e.pending) > 0 {
		e.poll()
	}
}

// arena is memory for SetBytes: filled on the host, copied before the first dispatch of a command buffer.
type arena struct {
	size, used int
	at         address
	host       unsafe.Pointer
}

const arenaBytes = 256 << 10

// place copies the bytes of j to the device, and returns their address there.
func (e *local) place(j *job) (address, error) {
	n := (len(j.bytes) + 255) &^ 255
	if n == 0 {
		return 0, nil
	}
	a, d := &e.arena, e.l.driver
	if a.used+n > a.size {
		e.drain()
		if err := e.usable(); err != nil {
			return 0, err
		}
		a.used = 0
		if n > a.size {
			if err := e.grow(max(n, arenaBytes)); err != nil {
				return 0, err
			}
		}
	}
	host := unsafe.Slice((*byte)(a.host), a.size)[a.used:][:len(j.bytes)]
	copy(host, j.bytes)
	at := a.at + address(a.used)
	a.used += n
	return at, e.wrong("cuMemcpyHtoDAsync", d.MemcpyHtoDAsync(at, host, e.stream))
}

// grow gives the arena n bytes.
func (e *local) grow(n int) error {
	e.shrink()
	a, d := &e.arena, e.l.driver
	var r result
	if a.at, r = d.MemAlloc(n); r != success {
		return e.wrong(fmt.Sprintf("cuMemAlloc(%d) for SetBytes", n), r)
	}
	if a.host, r = d.MemAllocHost(n); r != success {
		d.MemFree(a.at)
		a.at = 0
		return e.wrong(fmt.Sprintf("cuMemAllocHost(%d) for SetBytes", n), r)
	}
	a.size = n
	return nil
}

func (e *local) shrink() {
	a, d := &e.arena, e.l.driver
	if a.size > 0 {
		d.MemFree(a.at)
		d.MemFreeHost(a.host)
	}
	*a = arena{}
}

// close ends the engine.
func (e *local) close() {
	close(e.mail)
	<-e.over
}

// end gives everything back, on the thread. A lost context is left alone: calls on it may wait for ever.
func (e *local) end() {
	e.drain()
	if e.lost != nil || !e.held {
		return
	}
	d := e.l.driver
	e.unload()
	for s := range e.stores {
		d.MemFree(s.at)
	}
	clear(e.stores)
	e.shrink()
	if e.stage != nil {
		d.MemFreeHost(e.stageAt)
	}
	for _, v := range append(e.events, e.fences...) {
		d.EventDestroy(v)
	}
	if e.stream != 0 {
		d.StreamDestroy(e.stream)
	}
	d.DevicePrimaryCtxRelease(e.dev)
}
