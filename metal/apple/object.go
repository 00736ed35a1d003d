package apple

import (
	"sync"
	"sync/atomic"
)

// object is an Objective-C object of which Go owns one reference, +1. Holders are counted in Go: the handle that the user has, and
// the command buffers that are not committed yet. The last one to drop it sends release.
type object struct {
	d     *Device
	ref   id
	count int // registry.mu guards it
}

// registry is the objects that a device made and that live.
type registry struct {
	mu   sync.Mutex
	live map[*object]struct{}
}

// adopt takes over a reference.
func (d *Device) adopt(ref id) *object {
	o := &object{d: d, ref: ref, count: 1}
	d.objects.mu.Lock()
	defer d.objects.mu.Unlock()
	d.objects.live[o] = struct{}{}
	return o
}

// hold counts one more holder, and reports whether the object lives.
func (o *object) hold() bool {
	r := &o.d.objects
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, alive := r.live[o]; !alive {
		return false
	}
	o.count++
	return true
}

// drop counts one holder less.
func (o *object) drop() {
	if !o.leave() {
		return
	}
	_ = o.d.host.work(func(p *pool) error {
		p.release(o.ref)
		return nil
	})
}

// leave counts one holder less, and reports whether it was the last one: the reference is then the caller's.
func (o *object) leave() bool {
	r := &o.d.objects
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.count == 0 {
		panic(overReleased(o))
	}
	o.count--
	_, alive := r.live[o] // or it went with the device
	if o.count > 0 || !alive {
		return false
	}
	delete(r.live, o)
	return true
}

// thing is what all that a user holds has in common.
type thing struct {
	*object
	ended atomic.Bool
}

// usable says whether a thing, called kind in errors, may be used with d.
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

// take is usable, and counts one more holder.
func (t *thing) take(d *Device, kind string) error {
	err := t.usable(d, kind)
	if err == nil && !t.hold() {
		err = errorf("the %s was released meanwhile; keep it for longer", kind)
	}
	return err
}

// Release gives the reference back. It may be called again.
func (t *thing) Release() {
	if t.ended.CompareAndSwap(false, true) {
		t.drop()
	}
}

// foreign is the error for objects that this package did not make.
func foreign(kind string, v any) error {
	return errorf("the %s, a %T, is of another device; make it with this one", kind, v)
}
