package opencl

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"strings"
	"time"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/msl/ir"
	"gamma/metal/record"
	"gamma/model"
)

// Device is a device of OpenCL as a metal.Device. It is made by Open, and may be used from many goroutines.
type Device struct {
	*record.Device
	o     Options // with the defaults filled in
	info  about
	found record.Found
}

var _ metal.Device = (*Device)(nil)

// ChildVariable makes a program that has this package the child of an isolated device.
const ChildVariable = "GAMMA_OPENCL_CHILD"

func init() {
	gob.Register(&Error{})
	record.ServeChild(ChildVariable, serve)
}

// serve opens a device in the child of an isolated one.
func serve(options []byte) (record.Backend, []byte, error) {
	var o Options
	if err := gob.NewDecoder(bytes.NewReader(options)).Decode(&o); err != nil {
		return nil, nil, err
	}
	l, err := load()
	if err != nil {
		return nil, nil, err
	}
	b, err := openLocal(l, o)
	if err != nil {
		return nil, nil, err
	}
	info, err := packed(b.info)
	return b, info, err
}

// packed is a value by encoding/gob.
func packed(v any) ([]byte, error) {
	var w bytes.Buffer
	err := gob.NewEncoder(&w).Encode(v)
	return w.Bytes(), err
}

// Ruinous reports whether the device is lost.
func (e *Error) Ruinous() bool { return e.Lost }

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

// openIsolated opens a device in a child.
func openIsolated(o Options, start func() (*record.Child, error)) (*Device, error) {
	options, err := packed(o)
	if err != nil {
		return nil, err
	}
	b, packedInfo, err := record.Isolation{
		Kind: "opencl", Variable: ChildVariable, Options: options, Timeout: o.Timeout, Start: start,
		Gone: func(call, text, mend string) error {
			return &Error{Library: "child process", Call: call, Text: text, Mend: mend, Lost: true}
		},
	}.Open()
	if err != nil {
		return nil, err
	}
	var info about
	if err := gob.NewDecoder(bytes.NewReader(packedInfo)).Decode(&info); err != nil {
		b.Close()
		return nil, err
	}
	return newDevice(o, b, info)
}

// newDevice makes a device of a backend, and probes it.
func newDevice(o Options, b record.Backend, i about) (*Device, error) {
	most := i.Memory
	if o.MaxBuffer > 0 {
		most = o.MaxBuffer
	}
	d := &Device{o: o, info: i}
	d.Device = record.New(record.Config{
		Kind: "opencl", Backend: b,
		Print: func(k *ir.Kernel) (*emit.Program, error) {
			return emit.Print(k, emit.Options{Dialect: emit.OpenCL, Behaviour: o.Behaviour})
		},
		Limits: record.Limits{
			MaxThreads: i.MaxThreads, MaxBlock: i.MaxBlock, MaxGrid: [3]int{math.MaxUint32, math.MaxUint32, math.MaxUint32}, Shared: i.Shared, Memory: most, Width: 1,
		},
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
	most := min(i.MaxAllocation, i.Memory)
	if d.o.MaxBuffer > 0 {
		most = min(most, d.o.MaxBuffer)
	}
	return metal.Properties{
		Kind: "opencl", Name: i.Name, Detail: strings.Join(detail, ", ") + d.found.String(),
		ThreadExecutionWidth: 1, MaxThreadsPerThreadgroup: metal.Size{X: i.MaxBlock[0], Y: i.MaxBlock[1], Z: i.MaxBlock[2]},
		MaxTotalThreads: i.MaxThreads, MaxThreadgroupMemoryLength: i.Shared, MaxBufferLength: most, Behaviour: b,
	}
}

// Found returns what the self-test found.
func (d *Device) Found() record.Found { return d.found }

// Options returns the options, with the defaults filled in.
func (d *Device) Options() Options { return d.o }

// Behaviour returns the arithmetic that kernels are printed for.
func (d *Device) Behaviour() model.Behaviour { return d.o.Behaviour }
