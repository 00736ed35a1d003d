package opencl

import (
	"fmt"
	"time"

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
	DefaultTimeout         = 2 * time.Minute
	DefaultIsolatedTimeout = 20 * time.Second
)

const isolatedBuffer = 1 << 30

// filled returns o with its defaults, or what is wrong with it.
func (o Options) filled() (Options, error) {
	if o.Device < 0 {
		return o, errorf("Options.Device is %d; devices are counted from 0", o.Device)
	}
	if o.Timeout < 0 || o.MaxBuffer < 0 {
		return o, errorf("Options.Timeout is %s and MaxBuffer %d; use more than 0, or 0 for the default", o.Timeout, o.MaxBuffer)
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
		if o.Isolate {
			o.Timeout = DefaultIsolatedTimeout
		}
	}
	if o.MaxBuffer == 0 && o.Isolate {
		o.MaxBuffer = isolatedBuffer
	}
	b := o.Behaviour
	switch {
	case b.Rounding != model.NearestEven:
		return o, errorf("Options.Behaviour rounds by %s, and kernels in OpenCL C round to nearest even; leave Rounding out", b.Rounding)
	case b.Contract > model.ContractFast:
		return o, errorf("Options.Behaviour has %s; use off, on or fast", b.Contract)
	case b.SIMDWidth != 0:
		return o, errorf("Options.Behaviour.SIMDWidth is %d, and there are no simdgroups in OpenCL C; leave it out", b.SIMDWidth)
	case b.Order != "" || b.ULP || b.Poison:
		return o, errorf("Options.Behaviour is %q; a device's order, library functions and undefined values are its own, leave order, ulp and poison out", b)
	}
	return o, nil
}

// errorf makes an error of this package.
func errorf(format string, args ...any) error { return fmt.Errorf("opencl: "+format, args...) }
