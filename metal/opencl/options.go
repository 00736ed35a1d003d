package opencl

import (
	"time"

	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
	"gamma/model"
)

// Options say which device is opened and how. The zero value is the first device of the first platform, in this process, strict arithmetic.
type Options struct {
	// Platform is a part of the platform's name, in any case; "" takes all that are installed. Device counts the devices of those platforms from 0.
	Platform string
	Device   int
	// Behaviour is the arithmetic to print kernels for: contraction, rewrites and flushing as on the simulator. Rounding is to nearest even, and
	// what else a Behaviour has belongs to the device.
	Behaviour model.Behaviour
	// Isolate makes all calls in a child process, for kernels that may fault or never end.
	Isolate bool
	// Timeout bounds the time of one command buffer; 0: DefaultTimeout, or DefaultIsolatedTimeout with Isolate.
	Timeout time.Duration
	// MaxBuffer bounds the bytes of all buffers together; 0: what the device has, or 1 GiB with Isolate.
	MaxBuffer int
	// NoSharedMemory has buffers as memory objects though the device may have shared virtual memory. Offsets of buffers must then be multiples of
	// the device's alignment of sub-buffers.
	NoSharedMemory bool
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
	if o.Device < 0 {
		return o, errorf("Options.Device is %d; devices are counted from 0", o.Device)
	}
	s := o.settings()
	err := s.Fill(name, "OpenCL C", 0)
	o.Timeout, o.MaxBuffer = s.Timeout, s.MaxBuffer
	return o, err
}

// errorf makes an error of this package.
func errorf(format string, args ...any) error { return name.Errorf(format, args...) }

// name begins errors of this package.
const name protocol.Name = "opencl"
