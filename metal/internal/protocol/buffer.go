package protocol

import (
	"sync/atomic"

	"gamma/metal"
)

// buffer is a metal.Buffer. What it holds is the backend's; Write and Read copy.
type buffer struct {
	object
	memory Memory
	length int
	what   string // buffer or texture
	label  atomic.Pointer[string]
}

// NewBuffer returns a buffer that holds anything.
func (d *Device) NewBuffer(length int) (metal.Buffer, error) { return d.plainBuffer(length, nil) }

// NewBufferWithBytes returns a buffer that holds a copy of data.
func (d *Device) NewBufferWithBytes(data []byte) (metal.Buffer, error) {
	return d.plainBuffer(len(data), data)
}

func (d *Device) plainBuffer(length int, data []byte) (metal.Buffer, error) {
	b, err := d.buffer("buffer", length, data)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// buffer returns what errors call what.
func (d *Device) buffer(what string, length int, data []byte) (*buffer, error) {
	release, err := d.hold()
	if err != nil {
		return nil, err
	}
	defer release()
	if length < 1 {
		return nil, d.errorf("a %s of %d bytes cannot be; ask for one byte or more", what, length)
	}
	if most := d.c.Limits.Buffer; most > 0 && length > most {
		return nil, d.errorf("a %s of %d bytes is more than the device allows, %d; split it", what, length, most)
	}
	if err := d.take(what, length); err != nil {
		return nil, err
	}
	m, err := d.c.Backend.Allocate(length, data)
	if err != nil {
		d.give(length)
		return nil, err
	}
	b := &buffer{memory: m, length: length, what: what}
	b.object.d = d
	if f, ok := m.(Freer); ok {
		b.native = &counted{f, b}
	}
	return b, nil
}

// counted is memory that has to be freed, and then counts no more.
type counted struct {
	Freer
	b *buffer
}

// Free frees the memory.
func (c *counted) Free() {
	c.Freer.Free()
	c.b.d.give(c.b.length)
}

// Length returns the bytes of the buffer.
func (b *buffer) Length() int { return b.length }

// Write copies data to byte offset.
func (b *buffer) Write(offset int, data []byte) error {
	return b.copy("write", offset, data, b.memory.Write)
}

// Read copies len(dst) bytes from byte offset.
func (b *buffer) Read(offset int, dst []byte) error {
	return b.copy("read", offset, dst, b.memory.Read)
}

func (b *buffer) copy(verb string, offset int, data []byte, do func(int, []byte) error) error {
	b.d.s.gate.RLock()
	defer b.d.s.gate.RUnlock()
	b.mu.Lock() // Release waits for it
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

// GPUAddress returns what a kernel finds the buffer's first byte by.
func (b *buffer) GPUAddress() (uint64, error) {
	b.d.s.gate.RLock()
	defer b.d.s.gate.RUnlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.usable(b.d, b.title()); err != nil {
		return 0, err
	}
	m, ok := b.memory.(interface{ GPUAddress() (uint64, error) })
	if !ok {
		return 0, &metal.Refusal{Err: b.d.errorf("the %s has no address: argument buffers are not supported on this device; the simulator has them", b.title())}
	}
	return m.GPUAddress()
}

// title names the buffer in errors.
func (b *buffer) title() string {
	if s := b.Label(); s != "" {
		return b.what + " " + quoted(s)
	}
	return b.what
}

// SetLabel names the buffer in errors and findings.
func (b *buffer) SetLabel(label string) {
	b.label.Store(&label)
	m, ok := b.memory.(interface{ SetLabel(string) })
	if !ok {
		return
	}
	b.d.s.gate.RLock()
	defer b.d.s.gate.RUnlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.ended.Load() && !b.d.over() {
		m.SetLabel(label)
	}
}

// Label returns what SetLabel set.
func (b *buffer) Label() string {
	if s := b.label.Load(); s != nil {
		return *s
	}
	return ""
}

// Release gives the memory back when work that was encoded before has ended: as in Metal, a command buffer keeps what it was given. Where that
// work is committed, a backend that has to free memory may wait for it; where it is not, its Commit does.
func (b *buffer) Release() {
	if b.release() && b.native == nil {
		b.d.give(b.length)
	}
}

// MemoryOf returns what the backend has for a buffer of a Device, nil for buffers of others.
func MemoryOf(b metal.Buffer) Memory {
	if b, ok := b.(*buffer); ok {
		return b.memory
	}
	return nil
}
