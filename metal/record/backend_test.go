package record

import (
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"gamma/metal/internal/emit"
	"gamma/metal/msl/ir"
)

// goBackend runs, in Go, the two kernels of the device protocol, and kernels that do nothing.
type goBackend struct {
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

func (b *goBackend) Build(s *Source) (Shape, error) {
	if s.Name == "unbuildable" {
		return Shape{}, fmt.Errorf("no compiler")
	}
	return Shape{MaxThreads: 512, Static: 64}, nil
}

func (b *goBackend) Allocate(length int, data []byte) (Memory, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.live++
	m := &slice{b: b, bytes: make([]byte, length)}
	copy(m.bytes, data)
	return m, nil
}

func (b *goBackend) Work() Work { return &goWork{b: b} }
func (b *goBackend) Close()     { b.closed = true }

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

func (w *goWork) Add(d *Dispatch) {
	c := *d
	c.Args = append([]Arg(nil), d.Args...)
	w.list = append(w.list, c)
}

func (w *goWork) Start(bytes []byte) {
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
}

// words is what is bound for an argument, as words.
func words(a Arg, bytes []byte) []byte {
	if a.Kind == Bytes {
		return bytes[a.Offset:][:a.Length]
	}
	return a.Memory.(*slice).bytes[a.Offset:][:a.Length]
}

func (w *goWork) run(d *Dispatch, bytes []byte) {
	if d.Source.Name != "fill" && d.Source.Name != "add" {
		return
	}
	get := func(b []byte, i int) uint32 { return binary.LittleEndian.Uint32(b[4*i:]) }
	out, second, n := words(d.Args[0], bytes), words(d.Args[1], bytes), get(words(d.Args[2], bytes), 0)
	for i := range min(d.Grid[0], int(n)) {
		v := get(second, 0) + uint32(i)
		if d.Source.Name == "add" {
			v = get(out, i) + get(second, i)
		}
		binary.LittleEndian.PutUint32(out[4*i:], v)
	}
}

func (w *goWork) Wait() error          { return w.err }
func (w *goWork) Ended() (bool, error) { return w.over, w.err }
func (w *goWork) Time() time.Duration  { return time.Millisecond }

// onGo makes a device on b.
func onGo(b *goBackend) *Device {
	return New(Config{
		Kind: "go", Backend: b, Print: func(k *ir.Kernel) (*emit.Program, error) { return emit.Print(k, emit.Options{}) },
		Limits: Limits{
			MaxThreads: 1024, MaxBlock: [3]int{1024, 1024, 64}, MaxGrid: [3]int{1 << 20, 1000, 1000}, Shared: 4096, Memory: 1 << 20, Width: 32,
		},
	})
}
