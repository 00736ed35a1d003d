package apple

import (
	"sync"
	"unsafe"

	"gamma/metal/internal/protocol"
	"gamma/metal/msl"
)

// backend is an MTLDevice as package protocol wants one.
type backend struct {
	host    *host
	ref     id
	uneven  bool                                                     // threadgroups of several sizes in one dispatch
	name    string                                                   // of the device
	front   func(source string, o msl.Options) (*msl.Library, error) // reads the sources too, for arguments and constants
	gate    sync.RWMutex                                             // held for reading by all work; Close takes it alone
	closed  bool
	mu      sync.Mutex
	objects map[*object]struct{} // that live
}

var _ protocol.Backend = (*backend)(nil)

// work does f in a pool, while the device lives.
func (b *backend) work(f func(p *pool) error) error {
	b.gate.RLock()
	defer b.gate.RUnlock()
	if b.closed {
		return errorf("the device was released; make another by Open")
	}
	return b.host.work(f)
}

// over reports whether the device was released.
func (b *backend) over() bool {
	b.gate.RLock()
	defer b.gate.RUnlock()
	return b.closed
}

// Close waits for work that runs, and releases the device and all that it made.
func (b *backend) Close() {
	b.gate.Lock()
	defer b.gate.Unlock()
	b.closed = true
	_ = b.host.work(func(p *pool) error {
		for o := range b.objects {
			p.release(o.ref)
		}
		p.release(b.ref)
		return nil
	})
	clear(b.objects)
}

// object is an Objective-C object of which Go owns one reference, +1, until Free.
type object struct {
	b   *backend
	ref id
}

// adopt takes over a reference.
func (b *backend) adopt(ref id) *object {
	o := &object{b, ref}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[o] = struct{}{}
	return o
}

// Free gives the reference back, once, unless it went with the device.
func (o *object) Free() {
	_ = o.b.work(func(p *pool) error {
		o.b.mu.Lock()
		_, alive := o.b.objects[o]
		delete(o.b.objects, o)
		o.b.mu.Unlock()
		if alive {
			p.release(o.ref)
		}
		return nil
	})
}

// create does f, which makes an object, and frees that again if f then fails.
func (b *backend) create(f func(p *pool) (*object, error)) (o *object, err error) {
	err = b.work(func(p *pool) (err error) {
		o, err = f(p)
		return err
	})
	if err != nil && o != nil {
		o.Free()
	}
	return o, err
}

// memory is an MTLBuffer with shared storage: the CPU and the GPU see the same bytes.
type memory struct {
	*object
	bytes []byte // contents
}

// Allocate returns memory.
func (b *backend) Allocate(length int, data []byte) (protocol.Memory, error) {
	m := &memory{}
	var err error
	m.object, err = b.create(func(p *pool) (*object, error) {
		call, x := "newBufferWithLength:options:", id(0)
		if data == nil {
			x = p.send(msgNewBufferWithLength, b.ref, unsignedArg(uint64(length)), unsignedArg(storageModeShared)).object()
		} else {
			call = "newBufferWithBytes:length:options:"
			x = p.send(msgNewBufferWithBytes, b.ref, bytesArg(data), unsignedArg(uint64(length)), unsignedArg(storageModeShared)).object()
		}
		if x == 0 {
			return nil, errorf("%s returned nil for %d bytes: the device is out of memory; release buffers", call, length)
		}
		o := b.adopt(x)
		if err := p.understands(b.ref, x, "MTLBuffer"); err != nil {
			return o, err
		}
		contents := p.send(msgContents, x).ptr
		if contents == nil {
			return o, errorf("contents of a buffer of %d bytes is NULL; its storage is not shared", length)
		}
		m.bytes = unsafe.Slice((*byte)(contents), length)
		return o, nil
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

// Write copies data to byte offset.
func (m *memory) Write(offset int, data []byte) error {
	copy(m.bytes[offset:], data)
	return nil
}

// Read copies len(dst) bytes from byte offset.
func (m *memory) Read(offset int, dst []byte) error {
	copy(dst, m.bytes[offset:])
	return nil
}

// SetLabel names the buffer in Xcode's captures, where Metal takes the text.
func (m *memory) SetLabel(label string) {
	_ = m.b.work(func(p *pool) error {
		text, err := p.text("the label", label)
		if err == nil {
			p.send(msgSetLabel, m.ref, objectArg(text))
		}
		return err
	})
}

// queue is an MTLCommandQueue.
type queue struct{ *object }

// Queue returns a queue.
func (b *backend) Queue() (protocol.Queue, error) {
	o, err := b.create(func(p *pool) (*object, error) {
		x := p.send(msgNewCommandQueue, b.ref).object()
		if x == 0 {
			return nil, errorf("newCommandQueue returned nil; release queues that are not used any more")
		}
		return b.adopt(x), p.understands(b.ref, x, "MTLCommandQueue")
	})
	if err != nil {
		return nil, err
	}
	return &queue{o}, nil
}

// Pipeline makes f ready to run.
func (b *backend) Pipeline(f *protocol.Function) (*protocol.Pipeline, error) {
	s := &protocol.Pipeline{}
	o, err := b.create(func(p *pool) (*object, error) {
		failed := new(id)
		x := p.send(msgNewComputePipelineState, b.ref, objectArg(f.Native.(*object).ref), errorArg(failed)).object()
		if x == 0 {
			return nil, p.failure("newComputePipelineStateWithFunction:error: of "+f.Name, *failed)
		}
		o := b.adopt(x)
		if err := p.understands(b.ref, x, "MTLComputePipelineState"); err != nil {
			return o, err
		}
		s.MaxThreads = clip(p.send(msgMaxTotalThreadsPerThreadgroup, x).word) // registers may make it less than the device's
		s.Width = clip(p.send(msgThreadExecutionWidth, x).word)
		s.Static = clip(p.send(msgStaticThreadgroupMemoryLength, x).word)
		return o, nil
	})
	if err != nil {
		return nil, err
	}
	s.Native = o
	return s, nil
}
