package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"gamma/props/internal/platform"
)

// memory is a file that two processes map: a lane for frames to the child, and one for those from it.
//
// A lane is written by one side and read by the other, which watches its turn. One that has watched for a while says that it sleeps, and reads from the
// pipe of that direction, into which the writer puts a byte then.
type memory struct {
	all     []byte
	out, in *lane
}

// lane is the head of a lane. Each word that one side writes has a cache line.
type lane struct {
	turn   atomic.Uint32 // frames that were written
	length uint32        // bytes of the last
	_      [56]byte
	sleeps atomic.Uint32 // 1: the reader does, or is about to
	_      [60]byte
	seen   uint32 // by the reader alone
	shared uint32 // by the reader alone: moments given to others until it takes its processor for its own again
	_      [56]byte
}

const (
	laneBytes = 1 << 20
	// inPipe is the length of a frame that is longer than a lane, and comes through the pipe.
	inPipe = ^uint32(0)
	// watched is how long a reader watches for a frame: longer than most kernels and judges take, and so short that it costs nobody much.
	watched = 60 * time.Microsecond
	// A reader looks so often for a frame before it lets others have its processor for a moment: alone times, some 20 µs, since the system call takes as
	// long as a frame does; and together times where somebody wanted it, which is so from a call that took longer than othersRan to turns calls after it.
	alone, together = 1 << 16, 32
	turns           = 256
	othersRan       = 10 * time.Microsecond
	// pollIn is what poll calls bytes to be read.
	pollIn = 1
	// memoryEnv is the variable that names the file to a child.
	memoryEnv = "GAMMA_PROCESS_MEMORY"
)

// newMemory makes memory, and returns the name of its file, which is to be removed once the child has it.
func newMemory() (m *memory, name string, err error) {
	dir := "/dev/shm"
	if _, err := os.Stat(dir); err != nil {
		dir = ""
	}
	f, err := os.CreateTemp(dir, "gamma-")
	if err != nil {
		return nil, "", err
	}
	if err = f.Truncate(2 * laneBytes); err == nil {
		m, err = mapMemory(f, true)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, "", errors.Join(err, os.Remove(f.Name()))
	}
	return m, f.Name(), nil
}

// openMemory returns the memory that the parent made for this process; nil if it made none.
func openMemory() (*memory, error) {
	name := os.Getenv(memoryEnv)
	if name == "" {
		return nil, nil
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	m, err := mapMemory(f, false)
	return m, errors.Join(err, f.Close())
}

func mapMemory(f *os.File, parent bool) (*memory, error) {
	all, err := platform.MapFile(f, 2*laneBytes)
	if err != nil {
		return nil, err
	}
	m := &memory{all: all, out: (*lane)(unsafe.Pointer(&all[0])), in: (*lane)(unsafe.Pointer(&all[laneBytes]))}
	if !parent {
		m.out, m.in = m.in, m.out
	}
	return m, nil
}

// close gives the memory back.
func (m *memory) close() { _ = platform.Unmap(m.all) }

// body returns the bytes of a lane after its head.
func (l *lane) body() []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(l), unsafe.Sizeof(*l))), laneBytes-unsafe.Sizeof(*l))
}

// send writes a frame to the lane, or if that is too short for it to the pipe.
func (m *memory) send(b []byte, pipe *os.File) error {
	fits := len(b) <= len(m.out.body())
	if m.out.length = inPipe; fits {
		copy(m.out.body(), b)
		m.out.length = uint32(len(b))
	}
	m.out.turn.Add(1)
	if m.out.sleeps.CompareAndSwap(1, 0) {
		if _, err := pipe.Write([]byte{0}); err != nil {
			return err
		}
	}
	if fits {
		return nil
	}
	_, err := pipe.Write(b)
	return err
}

// receive waits for a frame and returns it where it lies; nil if it comes through the pipe.
func (m *memory) receive(pipe *os.File) ([]byte, error) {
	for !m.in.arrives() {
		m.in.sleeps.Store(1)
		// Whoever of the two takes the word back decides whether a byte comes. It may be one for the frame before, whose writer was held up since.
		if m.in.turn.Load() == m.in.seen || !m.in.sleeps.CompareAndSwap(1, 0) {
			var b [1]byte
			if n, err := pipe.Read(b[:]); n == 0 {
				if err == nil {
					err = io.ErrNoProgress
				}
				return nil, err
			}
		}
	}
	if turn := m.in.turn.Load(); turn != m.in.seen+1 {
		return nil, fmt.Errorf("the shared memory is at frame %d, after frame %d", turn, m.in.seen)
	}
	m.in.seen++
	switch n := m.in.length; {
	case n == inPipe:
		return nil, nil
	case n < headSize || int(n) > len(m.in.body()):
		return nil, fmt.Errorf("the shared memory holds a frame of %d bytes", n)
	default:
		return m.in.body()[:n], nil
	}
}

// arrives watches for the next frame.
func (l *lane) arrives() bool {
	each := alone
	if l.shared > 0 {
		each = together
	}
	return watch(func() bool { return l.turn.Load() != l.seen }, each, func(took time.Duration) {
		if took > othersRan {
			l.shared = turns
		} else if l.shared > 0 {
			l.shared--
		}
	})
}

// watch reports whether ready becomes true while a reader watches. It is asked so many times between two system calls, of which told hears how long they took.
func watch(ready func() bool, each int, told func(took time.Duration)) bool {
	if runtime.NumCPU() == 1 {
		return false
	}
	var since time.Time
	for {
		for range each {
			if ready() {
				return true
			}
		}
		now := time.Now()
		switch {
		case since.IsZero():
			since = now
		case now.Sub(since) > watched:
			return false
		}
		_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_YIELD, 0, 0, 0) // the other side may wait for this processor
		told(time.Since(now))
	}
}

// await watches a pipe, so that an answer that comes soon does not have to wake this thread.
func await(pipe *os.File) {
	c, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = c.Control(func(fd uintptr) {
		watch(func() bool {
			p := struct {
				fd             int32
				events, became int16
			}{int32(fd), pollIn, 0}
			n, _, _ := syscall.RawSyscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&p)), 1, uintptr(unsafe.Pointer(&syscall.Timespec{})), 0, 0, 0)
			return n != 0
		}, 1, func(time.Duration) {})
	})
}
