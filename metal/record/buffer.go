package record

import (
	"sync"

	"gamma/metal"
)

// buffer is a metal.Buffer. What it holds is the Backend's; Write and Read copy.
type buffer struct {
	thing
	m      Memory
	length int
	mu     sync.Mutex
	label  string
	holds  int // dispatches that were encoded and not yet committed
}

// NewBuffer returns a buffer that holds anything.
func (d *Device) NewBuffer(length int) (metal.Buffer, error) { return d.buffer(length, nil) }

// NewBufferWithBytes returns a buffer that holds a copy of data.
func (d *Device) NewBufferWithBytes(data []byte) (metal.Buffer, error) {
	return d.buffer(len(data), data)
}

func (d *Device) buffer(length int, data []byte) (metal.Buffer, error) {
	release, err := d.Hold()
	if err != nil {
		return nil, err
	}
	defer release()
	if length < 1 {
		return nil, d.errorf("a buffer of %d bytes cannot be; ask for one byte or more", length)
	}
	most := int64(d.c.Limits.Memory)
	if used := d.used.Add(int64(length)); used > most {
		d.used.Add(-int64(length))
		return nil, d.errorf("a buffer of %d bytes does not fit: %d of %d bytes are in use; release some, or raise Options.MaxBuffer", length, used-int64(length), most)
	}
	b := &buffer{thing: thing{d: d}, length: length}
	if b.m, err = d.c.Backend.Allocate(length, data); err != nil {
		d.used.Add(-int64(length))
		return nil, err
	}
	return b, nil
}

// Length returns the bytes of the buffer.
func (b *buffer) Length() int { return b.length }

// Write copies data to byte offset.
func (b *buffer) Write(offset int, data []byte) error {
	return b.copy("write", offset, data, b.m.Write)
}

// Read copies len(dst) bytes from byte offset.
func (b *buffer) Read(offset int, dst []byte) error {
	return b.copy("read", offset, dst, b.m.Read)
}

func (b *buffer) copy(verb string, offset int, data []byte, do func(int, []byte) error) error {
	release, err := b.d.Hold()
	if err != nil {
		return err
	}
	defer release()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.usable(b.d, b.title()); err != nil {
		return err
	}
	if offset < 0 || offset > b.length || len(data) > b.length-offset {
		return b.d.errorf("%s of bytes %d to %d of the %s, which has %d; stay inside", verb, offset, offset+len(data), b.title(), b.length)
	}
	if len(data) == 0 {
		return nil
	}
	return do(offset, data)
}

// title names the buffer in errors; mu is held.
func (b *buffer) title() string {
	if b.label != "" {
		return "buffer " + quoted(b.label)
	}
	return "buffer"
}

// bindable says whether work of d may use b.
func (b *buffer) bindable(d *Device) error {
	if b.d == d && !b.ended.Load() && !d.ended.Load() {
		return nil
	}
	return b.usable(d, b.titled())
}

func (b *buffer) titled() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.title()
}

// SetLabel names the buffer in errors.
func (b *buffer) SetLabel(label string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.label = label
}

// Label returns what SetLabel set.
func (b *buffer) Label() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.label
}

// Release frees the memory when work that was encoded before has ended: as in Metal, a command buffer keeps what it was given. Where that
// work is committed, Release waits for it; where it is not, its Commit does.
func (b *buffer) Release() {
	release, err := b.d.Hold()
	if err != nil {
		return // it went with the device
	}
	defer release()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended.CompareAndSwap(false, true) && b.holds == 0 {
		b.free()
	}
}

// free frees the memory; mu and the device are held.
func (b *buffer) free() {
	b.m.Free()
	b.d.used.Add(-int64(b.length))
}

// hold keeps the memory until unhold, whatever is released.
func (b *buffer) hold() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holds++
}

// unhold takes one hold back; the device is held.
func (b *buffer) unhold() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.holds--; b.holds == 0 && b.ended.Load() {
		b.free()
	}
}
