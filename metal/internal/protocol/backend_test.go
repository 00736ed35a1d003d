package protocol

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"gamma/metal"
)

// goBackend runs, in Go, the two kernels of the device protocol, and kernels that do nothing.
type goBackend struct {
	*FrontEnd
	mu     sync.Mutex
	live   int // memories
	closed bool
	done   []Dispatch // what was run
	bytes  []byte     // of the last work
}

// slice is memory of Go.
type slice struct {
	b     *goBackend
	bytes []byte
	freed bool
}

func (b *goBackend) Pipeline(f *Function) (*Pipeline, error) {
	if f.Name == "unbuildable" {
		return nil, fmt.Errorf("go: %s: no compiler", f.Title())
	}
	return &Pipeline{MaxThreads: 512, Static: 64}, nil
}

func (b *goBackend) Allocate(length int, data []byte) (Memory, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.live++
	m := &slice{b: b, bytes: make([]byte, length)}
	copy(m.bytes, data)
	return m, nil
}

func (b *goBackend) Queue() (Queue, error) { return b, nil }
func (b *goBackend) Work() Work            { return &goWork{b: b} }
func (b *goBackend) Close()                { b.closed = true }

func (m *slice) Write(offset int, data []byte) error { copy(m.bytes[offset:], data); return nil }
func (m *slice) Read(offset int, dst []byte) error   { copy(dst, m.bytes[offset:]); return nil }

func (m *slice) Free() {
	m.b.mu.Lock()
	defer m.b.mu.Unlock()
	m.b.live--
	m.freed = true
}

// goWork runs when it is started.
type goWork struct {
	b    *goBackend
	list []Dispatch
	over bool
	err  error
}

func (w *goWork) Add(d *Dispatch) error {
	if d.Grid[0] == 1<<20-1 {
		return fmt.Errorf("so many threads are not possible here")
	}
	c := *d
	c.Args = append([]Arg(nil), d.Args...)
	w.list = append(w.list, c)
	return nil
}

func (w *goWork) Start(bytes []byte) error {
	w.b.mu.Lock()
	defer w.b.mu.Unlock()
	w.b.bytes = bytes
	for _, d := range w.list {
		w.b.done = append(w.b.done, d)
		for _, a := range d.Args {
			if a.Kind == Buffer && a.Memory.(*slice).freed {
				w.err = fmt.Errorf("the memory of a buffer was freed before the work began")
			}
		}
		w.run(&d, bytes)
	}
	w.over = true
	return nil
}

// words is what is bound for an argument, as words.
func words(a Arg, bytes []byte) []byte {
	if a.Kind == Bytes {
		return bytes[a.Offset:][:a.Length]
	}
	return a.Memory.(*slice).bytes[a.Offset:][:a.Length]
}

func (w *goWork) run(d *Dispatch, bytes []byte) {
	if d.Pipeline.Function.Name != "fill" && d.Pipeline.Function.Name != "add" {
		return
	}
	get := func(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	out, second, n := words(d.Args[0], bytes), words(d.Args[1], bytes), get(words(d.Args[2], bytes), 0)
	for i := range min(d.Grid[0], int(n)) {
		v := get(second, 0) + uint32(i)
		if d.Pipeline.Function.Name == "add" {
			v = get(out, i) + get(second, i)
		}
		binary.LittleEndian.PutUint32(out[4*i:], v)
	}
}

func (w *goWork) Wait() error                   { return w.err }
func (w *goWork) Status() (metal.Status, error) { return metal.Completed, w.err }
func (w *goWork) Time() time.Duration           { return time.Millisecond }

// onGo makes a device on b.
func onGo(b *goBackend) *Device {
	b.FrontEnd = NewFrontEnd("go", nil)
	return New(Config{
		Name: "go", Backend: b, Make: "New",
		Limits: Limits{MaxBlock: [3]int{1024, 1024, 64}, MaxGrid: [3]int{1 << 20, 1000, 1000}, Shared: 4096, Memory: 1 << 20},
	})
}

// bytesUsed is the bytes of all buffers.
func (d *Device) bytesUsed() int {
	d.s.mu.Lock()
	defer d.s.mu.Unlock()
	return d.s.used
}
