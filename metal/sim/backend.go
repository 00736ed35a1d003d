package sim

import (
	"slices"
	"sync"
	"sync/atomic"

	"gamma/metal"
	"gamma/metal/internal/protocol"
	"gamma/metal/msl/ir"
	"gamma/metal/sim/engine"
)

// backend runs kernels on the CPU, for one device or copy of it.
type backend struct {
	*protocol.FrontEnd
	o     Options // with the defaults filled in
	found *ledger
	ids   *atomic.Uint64 // of memories
	steps *atomic.Int64  // that all copies of a device have run
	// addresses are shared by all copies of a device.
	addresses *addresses
}

var _ protocol.Backend = (*backend)(nil)

// name begins errors of this package.
const name protocol.Name = "sim"

func newBackend(o Options) *backend {
	return &backend{
		FrontEnd: protocol.NewFrontEnd(name, func(k *ir.Kernel) any { return &kernel{code: k} }), o: o, found: &ledger{}, ids: &atomic.Uint64{}, steps: &atomic.Int64{}, addresses: &addresses{},
	}
}

// Pipeline prepares a kernel, rewritten as the device's behaviour says.
func (b *backend) Pipeline(f *protocol.Function) (*protocol.Pipeline, error) {
	k := f.Native.(*kernel)
	if _, err := k.program(b.variant()); err != nil {
		return nil, err
	}
	return &protocol.Pipeline{
		MaxThreads: b.o.MaxTotalThreads, Width: k.code.Width(b.o.width(b.o.Behaviour)), Static: protocol.StaticMemory(k.code), Native: k,
	}, nil
}

// Queue returns a queue whose work runs under the device's behaviour.
func (b *backend) Queue() (protocol.Queue, error) { return &queue{b: b}, nil }

// Close does nothing: work runs when it is started, and memory is Go's.
func (b *backend) Close() {}

// memory is what a buffer holds.
type memory struct {
	id    uint64
	found *ledger    // of the device that made it; nil: nothing is looked for
	mu    sync.Mutex // held while work runs that uses it
	engine.Memory
	grains []grain // in which kernels write to it
	// texture is what it is the memory of, if that is a texture.
	texture ir.Texture
	// address is its number among resources, 1 for the first, 0 if it has none.
	address   int
	addresses *addresses
}

// addresses are the resources of a device, and of its copies.
type addresses struct {
	mu    sync.Mutex
	taken [ir.Resources]*memory
}

// GPUAddress returns the memory's address among resources.
func (m *memory) GPUAddress() (uint64, error) {
	m.addresses.mu.Lock()
	defer m.addresses.mu.Unlock()
	if m.address == 0 {
		i := slices.Index(m.addresses.taken[:], nil)
		if i < 0 {
			return 0, name.Errorf("%d buffers have an address already; release one of them, or let pointers lead to several places in one buffer", ir.Resources)
		}
		m.addresses.taken[i], m.address = m, i+1
	}
	return ir.ResourceAddress(m.address-1, 0), nil
}

// Free gives the address back.
func (m *memory) Free() {
	m.addresses.mu.Lock()
	defer m.addresses.mu.Unlock()
	if m.address > 0 {
		m.addresses.taken[m.address-1], m.address = nil, 0
	}
}

// Allocate returns memory. Without data its bytes count as never written.
func (b *backend) Allocate(length int, data []byte) (protocol.Memory, error) {
	m := &memory{id: b.ids.Add(1), addresses: b.addresses}
	if !b.o.NoChecks {
		m.found = b.found
	}
	if data == nil {
		m.Bytes, m.Init = make([]byte, length), make([]byte, length)
	} else {
		m.Bytes = append(make([]byte, 0, length), data...)
	}
	return m, nil
}

// Write copies data to byte offset, and marks the bytes as written.
func (m *memory) Write(offset int, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	copy(m.Bytes[offset:], data)
	switch {
	case m.Init == nil:
	case len(data) == len(m.Bytes):
		m.Init = nil
	default:
		for i := range data {
			m.Init[offset+i] = 1
		}
	}
	return nil
}

// Read copies len(dst) bytes from byte offset. Bytes that were never written hold anything: the error, and a finding of the device, says which
// they are.
func (m *memory) Read(offset int, dst []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	copy(dst, m.Bytes[offset:])
	found := m.unwritten(offset, offset+len(dst))
	if found == nil {
		return nil
	}
	m.found.add(found)
	return found
}

// SetTexture says that the memory is a texture's.
func (m *memory) SetTexture(t ir.Texture) { m.texture = t }

// SetLabel names the memory in findings.
func (m *memory) SetLabel(label string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.Name = label
}

// queue runs one work at a time.
type queue struct {
	b  *backend
	mu sync.Mutex // held while work runs
}

// Work returns empty work.
func (q *queue) Work() protocol.Work { return &work{q: q, status: metal.NotEnqueued} }
