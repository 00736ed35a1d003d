package sim

import (
	"fmt"

	"gamma/metal"
	"gamma/metal/internal/protocol"
	"gamma/model"
)

// Device is a simulated Metal device. It is made by New, and may be used from many goroutines.
type Device struct {
	*base
	b *backend
}

type base = protocol.Device

var (
	_ metal.Device  = (*Device)(nil)
	_ metal.Checker = (*Device)(nil)
)

// New returns a device. If the options cannot be, every call that makes something says so.
func New(o Options) *Device {
	o, fault := o.filled()
	b := newBackend(o)
	return &Device{base: protocol.New(b.config(fault)), b: b}
}

// With returns a device with behaviour b that shares with d all that was made by either: buffers, libraries, functions and pipelines of one may
// be used with the other. It has its own findings. Releasing it leaves d alone; releasing d ends both.
func (d *Device) With(b model.Behaviour) *Device {
	o := d.b.o
	b.Fair = b.Fair || o.Behaviour.Fair
	o.Behaviour = b
	o, fault := o.filled()
	c := &backend{FrontEnd: d.b.FrontEnd, o: o, found: &ledger{}, ids: d.b.ids, steps: d.b.steps, addresses: d.b.addresses}
	return &Device{base: protocol.Copy(d.base, c.config(fault)), b: c}
}

// EndQueues ends the queues of d, and d makes no more. What else it made may still be used with the devices that it shares with, so that who
// hands out a copy for a time can be sure that nothing runs under its behaviour afterwards.
func (d *Device) EndQueues() { protocol.EndQueues(d.base) }

func (b *backend) config(fault error) protocol.Config {
	return protocol.Config{
		Name: name, Backend: b, Make: "New", Fault: fault, Textures: true, Limits: protocol.Limits{Shared: b.o.MaxThreadgroupMemory, Memory: b.o.MaxBuffer},
	}
}

// Behaviour returns the device's behaviour.
func (d *Device) Behaviour() model.Behaviour { return d.b.o.Behaviour }

// Options returns the options, with the defaults filled in.
func (d *Device) Options() Options { return d.b.o }

// Properties says what the device is.
func (d *Device) Properties() metal.Properties {
	o := &d.b.o
	checks := "with checks"
	if o.NoChecks {
		checks = "without checks"
	}
	n := o.MaxTotalThreads
	return metal.Properties{
		Kind: "sim", Name: "Gamma simulator", Detail: fmt.Sprintf("engine %s, %s", o.engine(o.Behaviour), checks),
		ThreadExecutionWidth: o.width(o.Behaviour), MaxThreadsPerThreadgroup: metal.Size{X: n, Y: n, Z: n}, MaxTotalThreads: n,
		MaxThreadgroupMemoryLength: o.MaxThreadgroupMemory, MaxBufferLength: o.MaxBuffer, Behaviour: o.Behaviour,
	}
}

// Findings returns what was found in all command buffers of d's own queues, the oldest first, at most MaxFindings of them.
func (d *Device) Findings() []model.Finding { return d.b.found.list() }

// Steps returns how many instructions, as Options.Steps counts them, all dispatches have run of d and of the devices that it shares with.
func (d *Device) Steps() int64 { return d.b.steps.Load() }

// ResetFindings forgets what was found.
func (d *Device) ResetFindings() { d.b.found.reset() }
