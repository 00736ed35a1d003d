package cuda

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"gamma/metal"
	"gamma/metal/msl/emit"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// Device is an NVIDIA GPU as a metal.Device. It is made by Open, and may be used from many goroutines.
type Device struct {
	o      Options // with the defaults filled in
	engine engine
	print  printer
	info   about
	found  Found

	ended atomic.Bool
	mu    sync.RWMutex // held for reading while the engine is called, for writing by Release
	used  atomic.Int64 // bytes of buffers
}

var _ metal.Device = (*Device)(nil)

// printer prints kernels: emit.Print.
type printer func(*ir.Kernel, emit.Options) (*emit.Program, error)

// Open opens a GPU. If there is none, or no driver or no NVRTC, the error says what was looked for, and what to set; it is what a test skips with.
func Open(o Options) (*Device, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	var e engine
	if o.Isolate {
		e, err = openIsolated(o, startChild)
	} else {
		var l *libraries
		if l, err = load(); err == nil {
			e, err = openLocal(l, o, newImages(os.Getenv))
		}
	}
	if err != nil {
		return nil, err
	}
	return newDevice(o, e, emit.Print)
}

// newDevice makes a device of an engine, and probes it.
func newDevice(o Options, e engine, p printer) (*Device, error) {
	d := &Device{o: o, engine: e, print: p, info: e.about()}
	if err := d.probe(); err != nil {
		d.Release()
		return nil, fmt.Errorf("cuda: the self-test of %s: %w", d.info.Name, err)
	}
	return d, nil
}

// Properties says what the device is, with the arithmetic that the probes found.
func (d *Device) Properties() metal.Properties {
	i := &d.info
	how := ""
	if d.o.Isolate {
		how = ", in a child process"
	}
	b := d.o.Behaviour
	b.Rounding, b.Flush, b.Flush16, b.Contract = d.found.Rounding, d.found.Flush, d.found.Flush16, d.found.Contract
	b.Order = "accesses"
	most := int(min(int64(i.Memory), 1<<48))
	if d.o.MaxBuffer > 0 {
		most = min(most, d.o.MaxBuffer)
	}
	return metal.Properties{
		Kind: "cuda", Name: i.Name,
		Detail: fmt.Sprintf("compute capability %d.%d, %d multiprocessors, driver CUDA %d.%d, NVRTC %d.%d%s%s",
			i.Major, i.Minor, i.Multiprocessors, i.Driver/1000, i.Driver%1000/10, i.NVRTCMajor, i.NVRTCMinor, how, d.found),
		ThreadExecutionWidth: warp, MaxThreadsPerThreadgroup: metal.Size{X: i.MaxBlock[0], Y: i.MaxBlock[1], Z: i.MaxBlock[2]},
		MaxTotalThreads: i.MaxThreads, MaxThreadgroupMemoryLength: i.Shared, MaxBufferLength: most, Behaviour: b,
	}
}

// Found returns what the self-test found.
func (d *Device) Found() Found { return d.found }

// Options returns the options, with the defaults filled in.
func (d *Device) Options() Options { return d.o }

// Behaviour returns the arithmetic that kernels are printed for.
func (d *Device) Behaviour() model.Behaviour { return d.o.Behaviour }

// Release ends d and all that it made.
func (d *Device) Release() {
	if d.ended.CompareAndSwap(false, true) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.engine.close()
	}
}

// ready says whether d may be used, and holds it until release is called.
func (d *Device) ready() (release func(), err error) {
	d.mu.RLock()
	if d.ended.Load() {
		d.mu.RUnlock()
		return nil, errorf("the device was released; open another by Open")
	}
	return d.mu.RUnlock, nil
}

// thing is what all objects of a device have in common.
type thing struct {
	d     *Device
	ended atomic.Bool
}

// usable says whether a thing, called kind in errors, may be used by d.
func (t *thing) usable(d *Device, kind string) error {
	switch {
	case t.d != d:
		return errorf("the %s is of another device; make it with this one", kind)
	case d.ended.Load():
		return errorf("the %s went with its device, which was released; make another", kind)
	case t.ended.Load():
		return errorf("the %s was released; keep it for longer, or make another", kind)
	}
	return nil
}

// foreign is the error for objects that no CUDA device made.
func foreign(kind string, v any) error {
	return errorf("the %s, a %T, is of another device; make it with this one", kind, v)
}
