package cuda

import (
	"time"

	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
	"gamma/model"
)

// Options say which device is opened and how. The zero value is the first GPU, in this process, strict arithmetic.
type Options struct {
	// Ordinal is the number of the GPU, as CUDA counts.
	Ordinal int
	// Behaviour is the arithmetic to print kernels for: contraction, rewrites and flushing as on the simulator. Rounding is to nearest even, and
	// what else a Behaviour has belongs to the hardware.
	Behaviour model.Behaviour
	// Isolate makes all calls in a child process, for kernels that may fault or never end.
	Isolate bool
	// Timeout bounds the time of one command buffer; 0: DefaultTimeout, or DefaultIsolatedTimeout with Isolate.
	Timeout time.Duration
	// MaxBuffer bounds the bytes of all buffers together; 0: what the GPU has, or 1 GiB with Isolate.
	MaxBuffer int
}

// Timeouts unless Options has one.
const (
	DefaultTimeout         = offload.DefaultTimeout
	DefaultIsolatedTimeout = offload.DefaultIsolatedTimeout
)

func (o *Options) settings() *offload.Settings {
	return &offload.Settings{Behaviour: o.Behaviour, Isolate: o.Isolate, Timeout: o.Timeout, MaxBuffer: o.MaxBuffer}
}

// filled returns o with its defaults, or what is wrong with it.
func (o Options) filled() (Options, error) {
	if o.Ordinal < 0 {
		return o, errorf("Options.Ordinal is %d; GPUs are counted from 0", o.Ordinal)
	}
	s := o.settings()
	err := s.Fill(name, "CUDA", warp)
	o.Timeout, o.MaxBuffer = s.Timeout, s.MaxBuffer
	return o, err
}

// warp is the threads of a warp of every NVIDIA GPU so far; opening checks it.
const warp = 32

// errorf makes an error of this package.
func errorf(format string, args ...any) error { return name.Errorf(format, args...) }

// name begins errors of this package.
const name protocol.Name = "cuda"
