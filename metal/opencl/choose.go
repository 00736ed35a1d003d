package opencl

import (
	"fmt"
	"math"
	"strings"
)

// choose finds the device.
func (b *local) choose() error {
	platforms, r := b.l.GetPlatformIDs()
	if r != success {
		return b.l.wrong("clGetPlatformIDs", r)
	}
	if len(platforms) == 0 {
		return b.l.wrong("clGetPlatformIDs", noPlatform)
	}
	var all, looked []string
	n := 0
	for _, p := range platforms {
		name, r := b.l.GetPlatformInfo(p, platformName)
		if r != success {
			return b.l.wrong("clGetPlatformInfo", r)
		}
		title := text(name)
		all = append(all, title)
		if !strings.Contains(strings.ToLower(title), strings.ToLower(b.o.Platform)) {
			continue
		}
		version, r := b.l.GetPlatformInfo(p, platformVersion)
		if r != success {
			return b.l.wrong("clGetPlatformInfo", r)
		}
		devices, r := b.l.GetDeviceIDs(p)
		if r != success && r != notFound {
			return b.l.wrong("clGetDeviceIDs of "+title, r)
		}
		looked = append(looked, fmt.Sprintf("%s has %d", title, len(devices)))
		if at := b.o.Device - n; at < len(devices) {
			b.dev = devices[at]
			b.info.Platform, b.info.PlatformVersion = title, text(version)
			b.info.PoCL = strings.Contains(b.info.PlatformVersion, "PoCL")
			return nil
		}
		n += len(devices)
	}
	if len(looked) == 0 {
		return errorf("no platform's name contains %q; there are %s: change Options.Platform", b.o.Platform, strings.Join(all, ", "))
	}
	return errorf("there is no device %d, counted from 0: %s; change Options.Device or Options.Platform, or install a driver", b.o.Device, strings.Join(looked, ", "))
}

// describe asks for what the device has, and refuses one that cannot run printed kernels.
func (b *local) describe() error {
	i := &b.info
	i.Path = b.l.path
	get := func(what uint32) ([]byte, error) {
		v, r := b.l.GetDeviceInfo(b.dev, what)
		return v, b.l.wrong(fmt.Sprintf("clGetDeviceInfo(%#x)", what), r)
	}
	for _, x := range []struct {
		dst  *string
		what uint32
	}{{&i.Name, deviceName}, {&i.Version, deviceVersion}, {&i.Driver, driverVersion}} {
		v, err := get(x.what)
		if err != nil {
			return err
		}
		*x.dst = text(v)
	}
	for _, x := range []struct {
		what uint32
		lack string
	}{
		{deviceAvailable, "is not available"},
		{deviceCompiler, "has no compiler"},
		{deviceLittleEndian, "has the high byte first"},
		{deviceDoubles, "has no binary64 (cl_khr_fp64), in which printed kernels compute halves, divisions and roots"},
	} {
		v, r := b.l.GetDeviceInfo(b.dev, x.what)
		if r != success && x.what != deviceDoubles { // an old device does not know the question
			return b.l.wrong(fmt.Sprintf("clGetDeviceInfo(%#x)", x.what), r)
		}
		if number(v) == 0 {
			return errorf("%s %s; choose another device by Options.Platform and Options.Device", i.Name, x.lack)
		}
	}
	dimensions := 0
	for _, x := range []struct {
		dst  *int
		what uint32
	}{
		{&dimensions, deviceMaxDimensions},
		{&i.MaxThreads, deviceMaxGroup},
		{&i.Shared, deviceLocalMemory},
		{&i.Memory, deviceGlobalMemory},
		{&i.MaxAllocation, deviceMaxAllocation},
		{&i.Align, deviceBaseAlign},
	} {
		v, err := get(x.what)
		if err != nil {
			return err
		}
		*x.dst = int(min(number(v), math.MaxInt))
	}
	i.MaxThreads = min(i.MaxThreads, mostThreads)
	i.Align = max(i.Align/8, 1)
	sizes, err := get(deviceMaxItems)
	if err != nil {
		return err
	}
	if dimensions < 3 || len(sizes) < 24 {
		return errorf("%s has %d dimensions of threads, and Metal has 3; choose another device", i.Name, dimensions)
	}
	for a := range i.MaxBlock {
		i.MaxBlock[a] = int(min(number(sizes[8*a:][:8]), mostThreads))
	}
	if v, r := b.l.GetDeviceInfo(b.dev, deviceSharedMemory); r == success && !b.o.NoSharedMemory {
		i.SVM = b.l.SharedMemory() && number(v)&coarseGrained != 0
	}
	return nil
}

// mostThreads is how many threads Metal allows in a threadgroup.
const mostThreads = 1024
