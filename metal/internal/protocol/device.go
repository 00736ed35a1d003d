package protocol

import (
	"sync"
	"sync/atomic"
)

// Config says what a Device stands on.
type Config struct {
	Name    Name
	Backend Backend
	Limits  Limits
	// Textures: the backend's memory may be a texture's.
	Textures bool
	// Make is the function that makes such devices, for errors.
	Make string
	// Fault is what is wrong with the device's options: all calls that make something return it.
	Fault error
}

// Limits are what a device has; 0 is no limit.
type Limits struct {
	MaxBlock       [3]int // threads of a threadgroup along each axis
	MaxGrid        [3]int // threadgroups along each axis
	Shared         int    // bytes of threadgroup memory
	Buffer         int    // bytes of one buffer
	Memory         int    // bytes of all buffers together
	ConstantOffset int    // bytes of which the offset of a buffer in constant memory is a multiple
}

// Device is all of a metal.Device but Properties. It may be used from many goroutines.
type Device struct {
	c      Config
	s      *shared
	parent *Device // of a copy
	ended  atomic.Bool
	closed atomic.Bool // to queues
	bytes  int         // of buffers that it made and that were not freed; shared.mu guards it
}

// shared is what a device and its copies have in common.
type shared struct {
	gate    sync.RWMutex // held for reading while the backend is called, for writing by the Release of the device that is no copy
	release func()       // gate.RUnlock
	mu      sync.Mutex
	used    int // bytes of all buffers
}

// New returns a device on a Backend, which it closes when it is released.
func New(c Config) *Device {
	s := &shared{}
	s.release = s.gate.RUnlock
	return &Device{c: c, s: s}
}

// Copy returns a device whose objects may be used with d, and the other way round. Releasing it leaves d alone; releasing d ends both.
func Copy(d *Device, c Config) *Device { return &Device{c: c, s: d.s, parent: d} }

// over reports whether d was released, by itself or with the device that it is a copy of.
func (d *Device) over() bool {
	for ; d != nil; d = d.parent {
		if d.ended.Load() {
			return true
		}
	}
	return false
}

// Release ends d and all that it made.
func (d *Device) Release() {
	if !d.ended.CompareAndSwap(false, true) {
		return
	}
	if d.parent == nil {
		d.s.gate.Lock()
		defer d.s.gate.Unlock()
		d.c.Backend.Close()
	}
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	d.s.used -= d.bytes
}

// EndQueues ends the queues of d, which makes no more: they give no command buffers. What else d made may still be used with the devices that
// it shares with. It is no method, which users of devices would see.
func EndQueues(d *Device) { d.closed.Store(true) }

// hold keeps d from being released until release is called, for calls of its backend; the error says that it was before, or what is wrong with its
// options.
func (d *Device) hold() (release func(), err error) {
	d.s.gate.RLock()
	if err = d.ready(""); err != nil {
		d.s.release()
		return nil, err
	}
	return d.s.release, nil
}

// Hold is hold for calls that no interface of metal has. It is no method, which users of devices would see.
func Hold(d *Device) (release func(), err error) { return d.hold() }

// ready says whether d goes on; call, if it is not empty, begins the error.
func (d *Device) ready(call string) error {
	if d.over() {
		return d.errorf("%sthe device was released; make another by %s", call, d.c.Make)
	}
	return d.c.Fault
}

// take counts length more bytes, of what errors call what.
func (d *Device) take(what string, length int) error {
	s, most := d.s, d.c.Limits.Memory
	s.mu.Lock()
	defer s.mu.Unlock()
	if most > 0 && length > most-s.used {
		return d.errorf("a %s of %d bytes does not fit: %d of %d bytes are in use; release some, or raise Options.MaxBuffer", what, length, s.used, most)
	}
	s.used += length
	d.bytes += length
	return nil
}

// give counts length bytes less.
func (d *Device) give(length int) {
	s := d.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if !d.ended.Load() { // else Release has counted them
		s.used -= length
		d.bytes -= length
	}
}

// errorf makes an error of the device's package.
func (d *Device) errorf(format string, args ...any) error { return d.c.Name.Errorf(format, args...) }
