package cuda

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gamma/metal/internal/protocol"
)

// store is the memory of a buffer, on the device.
type store struct {
	length int
	at     address
}

// job is a command buffer's work.
type job struct {
	protocol.Recording
	bytes []byte // of all SetBytes
	signal
	err   error
	timed signal // set after the other, when time is known
	time  time.Duration

	from, to eventHandle // timed, around the work
	over     eventHandle // not timed, between the work and to
	since    time.Time
}

// signal is waited for by spinning for a while: waking a goroutine costs more than a short kernel. The zero value is not set.
type signal struct {
	_     [64]byte // what is written beside it would slow the one who looks at it
	done  atomic.Bool
	ready atomic.Pointer[chan struct{}] // closed by set; made by the first who stops spinning
	_     [64]byte
}

func (s *signal) set() {
	s.done.Store(true)
	if c := s.ready.Load(); c != nil {
		close(*c)
	}
}

// sleep waits without spinning. Either set sees its channel, or it sees what set stored before it looked for one.
func (s *signal) sleep() {
	c := make(chan struct{})
	s.ready.CompareAndSwap(nil, &c)
	if !s.done.Load() {
		<-*s.ready.Load()
	}
}

// spin is how long to wait actively.
const spin = 200 * time.Microsecond

// maySpin reports whether somebody else can run meanwhile. GOMAXPROCS takes the scheduler's lock, so it is asked once.
var maySpin = sync.OnceValue(func() bool { return runtime.GOMAXPROCS(0) > 1 })

func (s *signal) wait() {
	if maySpin() {
		for start := time.Now(); time.Since(start) < spin; {
			for range 64 {
				if s.done.Load() {
					return
				}
			}
		}
	}
	s.sleep()
}
