package apple

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gamma/metal"
	"gamma/metal/internal/protocol"
	"gamma/metal/msl"
)

// Options say which device is opened.
type Options struct {
	// Name chooses among the devices of the machine: one whose name is it, or the only one whose name holds it. Case does not
	// matter. "" is the system's default device.
	Name string
	// SkipSelfTest leaves the probes out: Properties().Behaviour says nothing then.
	SkipSelfTest bool
}

// Open opens a device and tests it: see Report. Off macOS it returns an error that says so, a reason to skip.
func Open(o Options) (*Device, error) {
	h, err := world()
	if err != nil {
		return nil, err
	}
	return open(h, o)
}

// Devices returns the names of the machine's devices, the default one first.
func Devices() ([]string, error) {
	h, err := world()
	if err != nil {
		return nil, err
	}
	return devices(h)
}

// devices returns the names of all devices, the default one first.
func devices(h *host) (names []string, err error) {
	err = h.work(func(p *pool) error {
		first, registry := h.n.defaultDevice(), uint64(0)
		if first != 0 {
			defer p.release(first)
			if err := p.understands(first, first, "MTLDevice"); err != nil {
				return err
			}
			names = append(names, p.string(p.send(msgName, first).object()))
			registry = p.send(msgRegistryID, first).word
		}
		all, list, err := p.list()
		if err != nil {
			return err
		}
		defer p.release(all)
		for _, x := range list {
			if first == 0 || x.registry != registry { // Metal does not promise one object for one GPU
				names = append(names, x.name)
			}
		}
		return nil
	})
	return names, err
}

// named is a device of a list.
type named struct {
	ref      id
	name     string
	registry uint64
}

// list returns all devices, and the array that owns them, +1.
func (p *pool) list() (all id, list []named, err error) {
	all = p.h.n.allDevices()
	if all == 0 {
		return 0, nil, errorf("MTLCopyAllDevices returned nil; this system has no list of devices")
	}
	for i := range p.send(msgCount, all).word {
		x := p.send(msgObjectAtIndex, all, unsignedArg(i)).object()
		list = append(list, named{x, p.string(p.send(msgName, x).object()), p.send(msgRegistryID, x).word})
	}
	return all, list, nil
}

// choose returns the device that o asks for, +1.
func (p *pool) choose(o Options) (id, error) {
	if o.Name == "" {
		x := p.h.n.defaultDevice()
		if x == 0 {
			return 0, errorf("MTLCreateSystemDefaultDevice returned nil: this machine has no Metal device, or the process may not use it (a login without a screen, a virtual machine without a GPU)")
		}
		return x, nil
	}
	all, list, err := p.list()
	if err != nil {
		return 0, err
	}
	defer p.release(all)
	want := strings.ToLower(o.Name)
	var part []named
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = strconv.Quote(x.name)
		if name := strings.ToLower(x.name); name == want {
			part = []named{x} // two of one name are two of one model: either will do
			break
		} else if strings.Contains(name, want) {
			part = append(part, x)
		}
	}
	switch {
	case len(part) == 1:
		p.send(msgRetain, part[0].ref) // the array goes
		return part[0].ref, nil
	case len(list) == 0:
		return 0, errorf("no device is called %q: this machine has no Metal device at all", o.Name)
	case len(part) > 1:
		return 0, errorf("%d devices have %q in their names; the devices are %s: say one of them", len(part), o.Name, strings.Join(names, ", "))
	}
	return 0, errorf("no device is called %q; the devices are %s", o.Name, strings.Join(names, ", "))
}

// open opens a device.
func open(h *host, o Options) (*Device, error) {
	d := &Device{b: &backend{host: h, front: msl.Compile, objects: map[*object]struct{}{}}}
	constant := 0
	err := h.work(func(p *pool) (err error) {
		if d.b.ref, err = p.choose(o); err != nil {
			return err
		}
		if constant, err = d.describe(p); err != nil {
			p.release(d.b.ref)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	most := d.p.MaxThreadsPerThreadgroup
	d.base = protocol.New(protocol.Config{Name: name, Backend: d.b, Make: "Open", Limits: protocol.Limits{
		MaxBlock: [3]int{most.X, most.Y, most.Z}, Shared: d.p.MaxThreadgroupMemoryLength, Buffer: d.p.MaxBufferLength, ConstantOffset: constant,
	}})
	if !o.SkipSelfTest {
		if err := d.selfTest(); err != nil {
			d.Release()
			return nil, err
		}
	}
	return d, nil
}

// describe asks the device what it is. constant is the bytes of which the offset of a buffer in constant memory is a multiple: 4 on Apple's GPUs, up
// to 256 on others.
func (d *Device) describe(p *pool) (constant int, err error) {
	if err := p.understands(d.b.ref, d.b.ref, "MTLDevice"); err != nil {
		return 0, err
	}
	process, err := p.class("NSProcessInfo")
	if err != nil {
		return 0, err
	}
	d.system = p.string(p.send(msgOperatingSystemVersionString, p.send(msgProcessInfo, process).object()).object())
	constant = 256
	for _, f := range families {
		if p.send(msgSupportsFamily, d.b.ref, signedArg(f.value)).yes() {
			d.families = append(d.families, f.name)
			apple := f.value >= familyApple4 && f.value < 1100
			d.b.uneven = d.b.uneven || apple || f.value == familyMac2
			if apple {
				constant = 4
			}
		}
	}
	most := p.send(msgMaxThreadsPerThreadgroup, d.b.ref).size
	detail := []string{"macOS " + d.system, "families " + strings.Join(d.families, " ")}
	if len(d.families) == 0 {
		detail[1] = "no family that is known here"
	}
	detail = append(detail, fmt.Sprintf("registry %#x", p.send(msgRegistryID, d.b.ref).word))
	if p.responds(d.b.ref, d.b.ref, msgIsLowPower) && p.send(msgIsLowPower, d.b.ref).yes() { // deprecated by macOS 27
		detail = append(detail, "low power")
	}
	d.p = metal.Properties{
		Kind: "metal", Name: p.string(p.send(msgName, d.b.ref).object()), Detail: strings.Join(detail, "; "),
		ThreadExecutionWidth:       32, // of all Apple GPUs; the self-test asks a pipeline
		MaxThreadsPerThreadgroup:   metal.Size{X: clip(most.Width), Y: clip(most.Height), Z: clip(most.Depth)},
		MaxTotalThreads:            clip(most.Width), // the limit of each pipeline says more
		MaxThreadgroupMemoryLength: clip(p.send(msgMaxThreadgroupMemoryLength, d.b.ref).word),
		MaxBufferLength:            clip(p.send(msgMaxBufferLength, d.b.ref).word),
	}
	d.b.name = d.p.Name
	return constant, nil
}

// clip returns n as an int.
func clip(n uint64) int { return int(min(n, math.MaxInt)) }
