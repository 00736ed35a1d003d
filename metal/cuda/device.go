package cuda

import (
	"fmt"
	"os"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// Device is an NVIDIA GPU as a metal.Device. It is made by Open, and may be used from many goroutines.
type Device struct {
	*base
	o     Options // with the defaults filled in
	local *local  // nil with Isolate
	info  about
	found Found
}

type base = protocol.Device

var _ metal.Device = (*Device)(nil)

// Found is what the self-test found.
type Found = offload.Found

// printer prints kernels: emit.Print.
type printer func(*ir.Kernel, emit.Options) (*emit.Program, error)

// Open opens a GPU. If there is none, or no driver or no NVRTC, the error says what was looked for, and what to set; it is what a test skips with.
func Open(o Options) (*Device, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	if o.Isolate {
		b, i, err := openIsolated(o, nil)
		if err != nil {
			return nil, err
		}
		return newDevice(o, b, i, emit.Print)
	}
	l, err := load()
	if err != nil {
		return nil, err
	}
	b, i, err := openDriver(l, o, newImages(os.Getenv))
	if err != nil {
		return nil, err
	}
	return newDevice(o, b, i, emit.Print)
}

// newDevice makes a device of a backend, and probes it.
func newDevice(o Options, b offload.Driver, i about, print printer) (*Device, error) {
	d := &Device{o: o, info: i, base: offload.New(offload.Config{
		Name: name, Driver: b, Width: warp,
		Print: func(k *ir.Kernel) (*emit.Program, error) {
			return print(k, emit.Options{Dialect: emit.CUDA, Behaviour: o.Behaviour})
		},
		Read: func(text string, o metal.CompileOptions) (protocol.Library, error) {
			return readSource(text, i.CompilerPath, o)
		},
		Limits: protocol.Limits{MaxBlock: i.MaxBlock, MaxGrid: i.MaxGrid, Shared: i.Shared, Memory: o.settings().Limit(i.Memory)},
	})}
	if here, ok := b.(backend); ok {
		d.local = here.e
	}
	var err error
	if d.found, err = offload.Probe(d); err != nil {
		d.Release()
		return nil, fmt.Errorf("cuda: the self-test of %s: %w", i.Name, err)
	}
	return d, nil
}

// Properties says what the device is, with the arithmetic that the probes found.
func (d *Device) Properties() metal.Properties {
	i := &d.info
	how := ""
	if d.o.Isolate {
		how = ", in a child process"
	}
	b := d.o.Behaviour
	b.Rounding, b.Flush, b.Flush16, b.Contract = d.found.Rounding, d.found.Flush, d.found.Flush16, d.found.Contract
	b.Order = "accesses"
	b.ULP = !d.found.Division || !d.found.Root
	most := int(min(int64(i.Memory), 1<<48))
	most = min(most, d.o.settings().Limit(most))
	return metal.Properties{
		Kind: "cuda", Name: i.Name,
		Detail: fmt.Sprintf("compute capability %d.%d, %d multiprocessors, driver CUDA %d.%d, NVRTC %d.%d%s%s",
			i.Major, i.Minor, i.Multiprocessors, i.Driver/1000, i.Driver%1000/10, i.NVRTCMajor, i.NVRTCMinor, how, d.found),
		ThreadExecutionWidth: warp, MaxThreadsPerThreadgroup: metal.Size{X: i.MaxBlock[0], Y: i.MaxBlock[1], Z: i.MaxBlock[2]},
		MaxTotalThreads: i.MaxThreads, MaxThreadgroupMemoryLength: i.Shared, MaxBufferLength: most, Behaviour: b,
	}
}

// Found returns what the self-test found.
func (d *Device) Found() Found { return d.found }

// Options returns the options, with the defaults filled in.
func (d *Device) Options() Options { return d.o }

// Behaviour returns the arithmetic that kernels are printed for.
func (d *Device) Behaviour() model.Behaviour { return d.o.Behaviour }
