package apple

import (
	"strconv"
	"sync"
	"unsafe"

	"gamma/metal"
)

// buffer is a metal.Buffer with shared storage: the CPU and the GPU see the same bytes.
type buffer struct {
	thing
	memory []byte // contents
	mu     sync.Mutex
	label  string
}

// NewBuffer returns a buffer whose contents are undefined.
func (d *Device) NewBuffer(length int) (metal.Buffer, error) {
	return d.allocate(length, func(p *pool) (string, id) {
		return "newBufferWithLength:options:",
			p.send(msgNewBufferWithLength, d.ref, unsignedArg(uint64(length)), unsignedArg(storageModeShared)).object()
	})
}

// NewBufferWithBytes returns a buffer that holds a copy of data.
func (d *Device) NewBufferWithBytes(data []byte) (metal.Buffer, error) {
	return d.allocate(len(data), func(p *pool) (string, id) {
		return "newBufferWithBytes:length:options:",
			p.send(msgNewBufferWithBytes, d.ref, bytesArg(data), unsignedArg(uint64(len(data))), unsignedArg(storageModeShared)).object()
	})
}

// allocate makes a buffer of length bytes by make, which names its message.
func (d *Device) allocate(length int, make func(p *pool) (call string, x id)) (metal.Buffer, error) {
	if length < 1 {
		return nil, errorf("a buffer of %d bytes cannot be; ask for one byte or more", length)
	}
	if length > d.p.MaxBufferLength {
		return nil, errorf("a buffer of %d bytes is more than the device allows, %d; split it", length, d.p.MaxBufferLength)
	}
	var b *buffer
	err := d.work(func(p *pool) error {
		call, x := make(p)
		if x == 0 {
			return errorf("%s returned nil for %d bytes: the device is out of memory; release buffers", call, length)
		}
		b = &buffer{thing: thing{object: d.adopt(x)}}
		if err := p.understands(d.ref, x, "MTLBuffer"); err != nil {
			return err
		}
		contents := p.send(msgContents, x).ptr
		if contents == nil {
			return errorf("contents of a buffer of %d bytes is NULL; its storage is not shared", length)
		}
		b.memory = unsafe.Slice((*byte)(contents), length)
		return nil
	})
	if err != nil {
		if b != nil {
			b.Release()
		}
		return nil, err
	}
	return b, nil
}

// Length returns the bytes of the buffer.
func (b *buffer) Length() int { return len(b.memory) }

// Write copies data to byte offset.
func (b *buffer) Write(offset int, data []byte) error {
	return b.touch("write", offset, len(data), func(m []byte) { copy(m, data) })
}

// Read copies len(dst) bytes from byte offset.
func (b *buffer) Read(offset int, dst []byte) error {
	return b.touch("read", offset, len(dst), func(m []byte) { copy(dst, m) })
}

// touch calls f with n bytes of the buffer from offset, which stay until it returns.
func (b *buffer) touch(verb string, offset, n int, f func(memory []byte)) error {
	b.d.gate.RLock()
	defer b.d.gate.RUnlock()
	b.mu.Lock() // Release waits for it
	defer b.mu.Unlock()
	if err := b.usable(b.d, b.title()); err != nil {
		return err
	}
	if offset < 0 || offset > len(b.memory) || n > len(b.memory)-offset {
		return errorf("%s of bytes %d to %d of the %s, which has %d; stay inside", verb, offset, offset+n, b.title(), len(b.memory))
	}
	f(b.memory[offset : offset+n])
	return nil
}

// title names the buffer in errors; mu is held.
func (b *buffer) title() string {
	if b.label != "" {
		return "buffer " + strconv.Quote(b.label)
	}
	return "buffer"
}

// SetLabel names the buffer in errors, and in Xcode's captures where Metal takes the text.
func (b *buffer) SetLabel(label string) {
	b.mu.Lock()
	b.label = label
	b.mu.Unlock()
	if b.take(b.d, "buffer") != nil {
		return
	}
	defer b.drop()
	_ = b.d.work(func(p *pool) error {
		text, err := p.text("the label", label)
		if err == nil {
			p.send(msgSetLabel, b.ref, objectArg(text))
		}
		return err
	})
}

// Label returns what SetLabel set.
func (b *buffer) Label() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.label
}

// Release gives the memory back.
func (b *buffer) Release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.thing.Release()
}
