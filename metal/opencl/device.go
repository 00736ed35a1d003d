package opencl

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/internal/offload"
	"gamma/metal/internal/protocol"
	"gamma/metal/msl/ir"
	"gamma/model"
)

// Device is a device of OpenCL as a metal.Device. It is made by Open, and may be used from many goroutines.
type Device struct {
	*base
	o     Options // with the defaults filled in
	info  about
	found offload.Found
}

type base = protocol.Device

var _ metal.Device = (*Device)(nil)

// ChildVariable makes a program that has this package the child of an isolated device.
const ChildVariable = "GAMMA_OPENCL_CHILD"

func init() {
	offload.Serves(ChildVariable, func(o Options) (offload.Driver, about, error) {
		l, err := load()
		if err != nil {
			return nil, about{}, err
		}
		b, err := openLocal(l, o)
		if err != nil {
			return nil, about{}, err
		}
		return b, b.info, nil
	})
}

// Open opens a device. If there is none, or no library, or one that cannot run printed kernels or gets them wrong, the error says so, and
// what to set; it is what a test skips with.
func Open(o Options) (*Device, error) {
	o, err := o.filled()
	if err != nil {
		return nil, err
	}
	if o.Isolate {
		return openIsolated(o, nil)
	}
	l, err := load()
	if err != nil {
		return nil, err
	}
	b, err := openLocal(l, o)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("ld"); err != nil && b.info.PoCL {
		if err := linksElsewhere(o); err != nil {
			b.Close()
			return nil, err
		}
	}
	return newDevice(o, b, b.info)
}

// linksElsewhere tries in a child whether PoCL can do without the linker that it cannot find: it ends a process in which it cannot link. The
// kernel has a new name each time, so that PoCL has none on disk.
func linksElsewhere(o Options) error {
	o.Isolate = true
	d, err := openIsolated(o, nil)
	if err == nil {
		_, _, err = d.scan(fmt.Sprintf("%s_%d", barrierKernel, time.Now().UnixNano()), make([]uint32, 8), 8)
		d.Release()
	}
	if gone := (*Error)(nil); errors.As(err, &gone) && gone.Lost {
		return errorf("PoCL links kernels by the program ld, which is not in PATH, and would end this process: %s; set PATH, or install binutils", gone.Text)
	}
	return err
}

// openIsolated opens a device in a child, which start starts; nil: this executable.
func openIsolated(o Options, start func() (*offload.Child, error)) (*Device, error) {
	b, info, err := offload.Isolate[Options, about](offload.Isolation{Device: string(name), Variable: ChildVariable, Timeout: o.Timeout, Start: start}, o)
	if err != nil {
		return nil, err
	}
	return newDevice(o, b, info)
}

// newDevice makes a device of a backend, and probes it.
func newDevice(o Options, b offload.Driver, i about) (*Device, error) {
	d := &Device{o: o, info: i}
	d.base = offload.New(offload.Config{
		Name: name, Driver: b, Width: 1,
		Print: func(k *ir.Kernel) (*emit.Program, error) {
			return emit.Print(k, emit.Options{Dialect: emit.OpenCL, Behaviour: o.Behaviour})
		},
		Limits: protocol.Limits{MaxBlock: i.MaxBlock, Shared: i.Shared, Memory: o.settings().Limit(i.Memory)},
	})
	if err := d.probe(); err != nil {
		d.Release()
		return nil, fmt.Errorf("opencl: the self-test of %s, of %s: %w", i.Name, i.Platform, err)
	}
	return d, nil
}

// Properties says what the device is, with the arithmetic that the probes found.
func (d *Device) Properties() metal.Properties {
	i := &d.info
	detail := []string{i.Platform, i.PlatformVersion, i.Version, "driver " + i.Driver}
	if !i.SVM {
		detail = append(detail, "no shared virtual memory")
	}
	if d.o.Isolate {
		detail = append(detail, "in a child process")
	}
	b := d.o.Behaviour
	b.Rounding, b.Flush, b.Flush16, b.Contract = d.found.Rounding, d.found.Flush, d.found.Flush16, d.found.Contract
	b.Order = "accesses"
	most := min(i.MaxAllocation, d.o.settings().Limit(i.Memory))
	return metal.Properties{
		Kind: "opencl", Name: i.Name, Detail: strings.Join(detail, ", ") + d.found.String(),
		ThreadExecutionWidth: 1, MaxThreadsPerThreadgroup: metal.Size{X: i.MaxBlock[0], Y: i.MaxBlock[1], Z: i.MaxBlock[2]},
		MaxTotalThreads: i.MaxThreads, MaxThreadgroupMemoryLength: i.Shared, MaxBufferLength: most, Behaviour: b,
	}
}

// Found returns what the self-test found.
func (d *Device) Found() offload.Found { return d.found }

// Options returns the options, with the defaults filled in.
func (d *Device) Options() Options { return d.o }

// Behaviour returns the arithmetic that kernels are printed for.
func (d *Device) Behaviour() model.Behaviour { return d.o.Behaviour }
