package apple

import (
	"sync"
	"sync/atomic"

	"gamma/metal"
)

// Device is a GPU behind Metal.framework. It is made by Open, and may be used from many goroutines.
type Device struct {
	host     *host
	ref      id
	ended    atomic.Bool
	gate     sync.RWMutex // held for reading by all work; Release takes it alone
	objects  registry
	p        metal.Properties
	families []string
	system   string // version and build of the operating system
	uneven   bool   // threadgroups of several sizes in one dispatch
	constant int    // bytes of which the offset of a buffer in the constant address space is a multiple: 4 on Apple's GPUs, up to 256 on others
	report   *Report
}

var _ metal.Device = (*Device)(nil)

// work does f in a pool, while the device lives.
func (d *Device) work(f func(p *pool) error) error {
	d.gate.RLock()
	defer d.gate.RUnlock()
	if err := d.ready(); err != nil {
		return err
	}
	return d.host.work(f)
}

// ready says whether d may make something.
func (d *Device) ready() error {
	if d.ended.Load() {
		return errorf("the device was released; make another by Open")
	}
	return nil
}

// Properties says what the device is. Behaviour is what the self-test found: see Report.
func (d *Device) Properties() metal.Properties { return d.p }

// Report returns what the self-test found, nil if Open was told to skip it.
func (d *Device) Report() *Report { return d.report }

// Release waits for work that runs, and releases the device and all that it made.
func (d *Device) Release() {
	if !d.ended.CompareAndSwap(false, true) {
		return
	}
	d.gate.Lock()
	defer d.gate.Unlock()
	d.objects.mu.Lock()
	all := d.objects.live
	d.objects.live = map[*object]struct{}{}
	d.objects.mu.Unlock()
	_ = d.host.work(func(p *pool) error {
		for o := range all {
			p.release(o.ref)
		}
		p.release(d.ref)
		return nil
	})
}

// NewCommandQueue returns a queue.
func (d *Device) NewCommandQueue() (metal.CommandQueue, error) {
	var q *queue
	err := d.work(func(p *pool) error {
		x := p.send(msgNewCommandQueue, d.ref).object()
		if x == 0 {
			return errorf("newCommandQueue returned nil; release queues that are not used any more")
		}
		q = &queue{thing{object: d.adopt(x)}}
		return p.understands(d.ref, x, "MTLCommandQueue")
	})
	if err != nil {
		if q != nil {
			q.Release()
		}
		return nil, err
	}
	return q, nil
}

// queue is a metal.CommandQueue.
type queue struct{ thing }

// CommandBuffer returns an empty command buffer. Metal hears of it when it is committed.
func (q *queue) CommandBuffer() (metal.CommandBuffer, error) {
	if err := q.take(q.d, "command queue"); err != nil {
		return nil, err
	}
	return &commandBuffer{q: q}, nil
}
