package sim

import (
	"fmt"
	"sync"
	"sync/atomic"

	"gamma/metal"
	"gamma/model"
)

// Device is a simulated Metal device. It is made by New, and may be used from many goroutines.
type Device struct {
	s     *shared
	o     Options // with the defaults filled in
	fault error   // what is wrong with the options
	life  *life
	found ledger
}

var (
	_ metal.Device  = (*Device)(nil)
	_ metal.Checker = (*Device)(nil)
)

// shared is what a device and its copies have in common.
type shared struct {
	compile compiler
	mu      sync.Mutex
	used    int // bytes of all buffers
	ids     uint64
	sources sources
}

// New returns a device. If the options cannot be, every call that makes something says so.
func New(o Options) *Device { return newDevice(o, compileMSL) }

func newDevice(o Options, c compiler) *Device {
	d := &Device{s: &shared{compile: c}, life: &life{}}
	d.o, d.fault = o.filled()
	return d
}

// With returns a device with behaviour b that shares with d all that was made by either: buffers, libraries, functions and pipelines of one may
// be used with the other. It has its own findings. Releasing it leaves d alone; releasing d ends both.
func (d *Device) With(b model.Behaviour) *Device {
	c := &Device{s: d.s, o: d.o, fault: d.fault, life: &life{parent: d.life}}
	c.o.Behaviour = b
	if c.fault == nil {
		c.fault = c.o.fits(b)
	} else {
		c.o, c.fault = c.o.filled()
	}
	return c
}

// Behaviour returns the device's behaviour.
func (d *Device) Behaviour() model.Behaviour { return d.o.Behaviour }

// Options returns the options, with the defaults filled in.
func (d *Device) Options() Options { return d.o }

// ready says whether d may make something.
func (d *Device) ready() error {
	if d.life.over() {
		return errorf("the device was released; make another by New")
	}
	return d.fault
}

// Properties says what the device is.
func (d *Device) Properties() metal.Properties {
	o := &d.o
	checks := "with checks"
	if o.NoChecks {
		checks = "without checks"
	}
	n := o.MaxTotalThreads
	return metal.Properties{
		Kind: "sim", Name: "Gamma simulator", Detail: fmt.Sprintf("engine %s, %s", o.engine(o.Behaviour), checks),
		ThreadExecutionWidth: d.width(), MaxThreadsPerThreadgroup: metal.Size{X: n, Y: n, Z: n}, MaxTotalThreads: n,
		MaxThreadgroupMemoryLength: o.MaxThreadgroupMemory, MaxBufferLength: o.MaxBuffer, Behaviour: o.Behaviour,
	}
}

// width returns the lanes of a simdgroup.
func (d *Device) width() int { return d.o.width(d.o.Behaviour) }

// Findings returns what was found in all command buffers of d's own queues, the oldest first, at most MaxFindings of them.
func (d *Device) Findings() []model.Finding { return d.found.list() }

// ResetFindings forgets what was found.
func (d *Device) ResetFindings() { d.found.reset() }

// Release ends d, its copies and all that they made.
func (d *Device) Release() {
	if d.life.end() {
		d.s.mu.Lock()
		d.s.used -= d.life.bytes
		d.s.mu.Unlock()
	}
}

// life says whether a device was released, by itself or with the one it is a copy of.
type life struct {
	parent *life
	ended  atomic.Bool
	bytes  int // of buffers that it made and that were not released; shared.mu guards it
}

func (l *life) over() bool {
	for ; l != nil; l = l.parent {
		if l.ended.Load() {
			return true
		}
	}
	return false
}

// end ends l and reports whether it went on until now.
func (l *life) end() bool { return l.ended.CompareAndSwap(false, true) }

// thing is what all objects of a device have in common.
type thing struct {
	d     *Device
	ended atomic.Bool
}

// usable says whether a thing, called kind in errors, may be used by a device that shares s.
func (t *thing) usable(s *shared, kind string) error {
	switch {
	case t.d.s != s:
		return errorf("the %s is of another device; make it with this one", kind)
	case t.d.life.over():
		return errorf("the %s went with its device, which was released; make another", kind)
	case t.ended.Load():
		return errorf("the %s was released; keep it for longer, or make another", kind)
	}
	return nil
}

// foreign is the error for objects that no simulator made.
func foreign(kind string, v any) error {
	return errorf("the %s, a %T, is of another device; make it with this one", kind, v)
}
