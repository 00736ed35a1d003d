package sim

import (
	"sync"

	"gamma/metal"
	"gamma/metal/sim/run"
)

// buffer is a metal.Buffer.
type buffer struct {
	thing
	id     uint64
	length int
	mu     sync.Mutex // held while a command buffer runs that uses it
	mem    run.Memory
}

// NewBuffer returns a buffer whose bytes count as never written.
func (d *Device) NewBuffer(length int) (metal.Buffer, error) {
	b, err := d.allocate(length)
	if err != nil {
		return nil, err
	}
	b.mem = run.Memory{Bytes: make([]byte, length), Init: make([]byte, length)}
	return b, nil
}

// NewBufferWithBytes returns a buffer that holds a copy of data.
func (d *Device) NewBufferWithBytes(data []byte) (metal.Buffer, error) {
	b, err := d.allocate(len(data))
	if err != nil {
		return nil, err
	}
	b.mem = run.Memory{Bytes: append(make([]byte, 0, len(data)), data...)}
	return b, nil
}

// allocate makes a buffer without its bytes.
func (d *Device) allocate(length int) (*buffer, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	if length < 1 {
		return nil, errorf("a buffer of %d bytes cannot be; ask for one byte or more", length)
	}
	s := d.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if length > d.o.MaxBuffer-s.used {
		return nil, errorf("a buffer of %d bytes does not fit: %d of %d bytes are in use; release some, or raise Options.MaxBuffer",
			length, s.used, d.o.MaxBuffer)
	}
	s.used += length
	d.life.bytes += length
	s.ids++
	return &buffer{thing: thing{d: d}, id: s.ids, length: length}, nil
}

// Length returns the bytes of the buffer.
func (b *buffer) Length() int { return b.length }

// Write copies data to byte offset, and marks the bytes as written.
func (b *buffer) Write(offset int, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.covers("write", offset, len(data)); err != nil {
		return err
	}
	copy(b.mem.Bytes[offset:], data)
	if b.mem.Init == nil {
		return nil
	}
	if len(data) == b.length {
		b.mem.Init = nil
		return nil
	}
	for i := range data {
		b.mem.Init[offset+i] = 1
	}
	return nil
}

// Read copies len(dst) bytes from byte offset. Bytes that were never written hold anything.
func (b *buffer) Read(offset int, dst []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.covers("read", offset, len(dst)); err != nil {
		return err
	}
	copy(dst, b.mem.Bytes[offset:])
	return nil
}

// covers says whether the host may use n bytes from offset.
func (b *buffer) covers(verb string, offset, n int) error {
	if err := b.usable(b.d.s, b.title()); err != nil {
		return err
	}
	if offset < 0 || offset > b.length || n > b.length-offset {
		return errorf("%s of bytes %d to %d of the %s, which has %d; stay inside", verb, offset, offset+n, b.title(), b.length)
	}
	return nil
}

// title names the buffer in errors; mu is held.
func (b *buffer) title() string {
	if b.mem.Name != "" {
		return "buffer " + quoted(b.mem.Name)
	}
	return "buffer"
}

// SetLabel names the buffer in errors and findings.
func (b *buffer) SetLabel(label string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mem.Name = label
}

// Label returns what SetLabel set.
func (b *buffer) Label() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.mem.Name
}

// Release gives the bytes back; the buffer may be released again.
func (b *buffer) Release() {
	if !b.ended.CompareAndSwap(false, true) {
		return
	}
	s := b.d.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if !b.d.life.ended.Load() {
		s.used -= b.length
		b.d.life.bytes -= b.length
	}
}
