package protocol

import (
	"sync"
	"sync/atomic"
)

// object is what all objects of a device have in common. Its user has it until Release, and command buffers keep what they need until they are
// committed; then the backend gets back what it has for it.
type object struct {
	d      *Device
	ended  atomic.Bool // by its user
	native Freer       // nil: there is nothing to give back
	mu     sync.Mutex
	holds  int
}

// made returns an object of d, for which the backend has x.
func made(d *Device, x any) object {
	f, _ := x.(Freer)
	return object{d: d, native: f}
}

// usable says whether d may use the object, which errors call what.
func (o *object) usable(d *Device, what string) error {
	switch {
	case o.d.s != d.s:
		return d.errorf("the %s is of another device; make it with this one", what)
	case o.d.over():
		return d.errorf("the %s went with its device, which was released; make another", what)
	case o.ended.Load():
		return d.errorf("the %s was released; keep it for longer, or make another", what)
	}
	return nil
}

// hold is usable, and keeps what the backend has until drop, whatever is released meanwhile.
func (o *object) hold(d *Device, what string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	err := o.usable(d, what)
	if err == nil {
		o.holds++
	}
	return err
}

// drop takes one hold back; the device is held.
func (o *object) drop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.holds--; o.holds == 0 && o.ended.Load() && o.native != nil {
		o.native.Free()
	}
}

// Release ends the object; what was made of it, or encoded with it, stays. It may be called again.
func (o *object) Release() { o.release() }

// release is Release, and reports whether it was the first.
func (o *object) release() bool {
	if o.native == nil {
		return o.ended.CompareAndSwap(false, true)
	}
	o.d.s.gate.RLock()
	defer o.d.s.gate.RUnlock()
	o.mu.Lock() // calls that use it end first
	defer o.mu.Unlock()
	first := o.ended.CompareAndSwap(false, true)
	if first && o.holds == 0 && !o.d.over() { // else it goes later, or went with the device
		o.native.Free()
	}
	return first
}

// foreign is the error for objects that no such device made.
func (d *Device) foreign(what string, v any) error {
	return d.errorf("the %s, a %T, is of another device; make it with this one", what, v)
}
