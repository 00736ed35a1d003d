package record

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"gamma/metal/internal/emit"
	"gamma/metal/msl/ir"
)

// Config says what a Device stands on.
type Config struct {
	// Kind begins every error, such as "cuda".
	Kind string
	// Print prints a kernel for the Backend.
	Print   func(*ir.Kernel) (*emit.Program, error)
	Backend Backend
	Limits  Limits
}

// Limits are what a device has.
type Limits struct {
	MaxThreads int    // of a threadgroup
	MaxBlock   [3]int // threads of a threadgroup along each axis
	MaxGrid    [3]int // threadgroups along each axis
	Shared     int    // bytes of threadgroup memory
	Memory     int    // bytes of all buffers together
	Width      int    // threads of a simdgroup
}

// Device is all of a metal.Device but Properties. It may be used from many goroutines.
type Device struct {
	c     Config
	ended atomic.Bool
	mu    sync.RWMutex // held for reading while the Backend is called, for writing by Release
	used  atomic.Int64 // bytes of buffers
}

// New returns a device on a Backend, which it closes when it is released.
func New(c Config) *Device { return &Device{c: c} }

// Release ends d and all that it made.
func (d *Device) Release() {
	if d.ended.CompareAndSwap(false, true) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.c.Backend.Close()
	}
}

// Hold keeps d from being released until release is called; the error says that it was before.
func (d *Device) Hold() (release func(), err error) {
	d.mu.RLock()
	if d.ended.Load() {
		d.mu.RUnlock()
		return nil, d.errorf("the device was released; open another by Open")
	}
	return d.mu.RUnlock, nil
}

// errorf makes an error of the device's package.
func (d *Device) errorf(format string, args ...any) error {
	return fmt.Errorf(d.c.Kind+": "+format, args...)
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
		return d.errorf("the %s is of another device; make it with this one", kind)
	case d.ended.Load():
		return d.errorf("the %s went with its device, which was released; make another", kind)
	case t.ended.Load():
		return d.errorf("the %s was released; keep it for longer, or make another", kind)
	}
	return nil
}

// foreign is the error for objects that no such device made.
func (d *Device) foreign(kind string, v any) error {
	return d.errorf("the %s, a %T, is of another device; make it with this one", kind, v)
}

// quoted is what a user named, in quotes, not too long.
func quoted(s string) string { return strconv.Quote(head(s, 100)) }

// head is s up to n bytes.
func head(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}
