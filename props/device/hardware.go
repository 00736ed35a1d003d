package device

import (
	"fmt"
	"slices"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
)

// built is a source, compiled on one device.
type built struct {
	dev       metal.Device
	sim       *sim.Device // dev, if it is one
	constants metal.FunctionConstants
	library   metal.Library
	pipelines map[string]metal.ComputePipelineState
	arguments map[string][]metal.Argument
}

// build compiles the source on a device.
func (s *shader) build(dev metal.Device) (b *built, err error) {
	b = &built{
		dev: dev, constants: s.constants,
		pipelines: map[string]metal.ComputePipelineState{}, arguments: map[string][]metal.Argument{},
	}
	b.sim, _ = dev.(*sim.Device)
	if b.library = s.library; b.library == nil || dev != s.dev {
		b.library, err = dev.NewLibrary(s.source, s.options)
	}
	return b, err
}

// pipeline returns the kernel called name, ready to run.
func (b *built) pipeline(name string) (metal.ComputePipelineState, error) {
	if p := b.pipelines[name]; p != nil {
		return p, nil
	}
	f, err := b.library.NewFunction(name, b.constants)
	if err != nil {
		return nil, err
	}
	p, err := b.dev.NewComputePipelineState(f)
	if err != nil {
		return nil, err
	}
	b.pipelines[name], b.arguments[name] = p, f.Arguments()
	return p, nil
}

// reference returns the simulator that hardware is compared with: it takes the threads one after the other, looks for no faults, and has the
// hardware's arithmetic as far as that is known: rounding, flushing, contraction, rewrites, and threads in a simdgroup.
func reference(dev metal.Device) *sim.Device {
	p := dev.Properties()
	b := p.Behaviour
	return sim.New(sim.Options{
		NoChecks: true, Workers: 1, Steps: steps, SIMDWidth: p.ThreadExecutionWidth,
		Behaviour: model.Behaviour{Rounding: b.Rounding, Flush: b.Flush, Flush16: b.Flush16, Contract: b.Contract, Rewrites: b.Rewrites},
	})
}

// describe says which device it is, and whether it looks for faults.
func describe(d *props.DeviceClaim, dev metal.Device) {
	p := dev.Properties()
	d.Kind, d.Detail = p.Kind, p.Name
	if p.Detail != "" {
		d.Detail += "; " + p.Detail
	}
	_, d.Checked = dev.(metal.Checker)
}

// onHardware says of hardware what props has to know: what it was found to do, which is all that it does, and that a simulator stands
// beside it. may are the rewrites that the source's math mode allows. Launches with more threads in a threadgroup than it takes are not
// drawn.
func onHardware(d *props.DeviceClaim, dev metal.Device, may model.Rewrites) {
	describe(d, dev)
	p := dev.Properties()
	d.Admits, d.Hardware, d.Reference = p.Behaviour, true, "sim"
	d.Admits.Seed, d.Admits.SIMDWidth = 0, p.ThreadExecutionWidth
	r := &d.Admits.Rewrites
	r.Reassociate, r.NoSignedZeros, r.Reciprocal = r.Reassociate && may.Reassociate, r.NoSignedZeros && may.NoSignedZeros, r.Reciprocal && may.Reciprocal
	r.NoNaNs, r.NoInfs = r.NoNaNs && may.NoNaNs, r.NoInfs && may.NoInfs
	most := p.MaxTotalThreads
	if most <= 0 {
		return
	}
	declared := *d
	fits := func(l model.Launch) bool { return l.Threads.X*l.Threads.Y*l.Threads.Z <= most }
	if launches := d.Launches; launches != nil {
		d.Launches = func(n int) []model.Launch {
			list := launches(n)
			if some := slices.DeleteFunc(slices.Clone(list), func(l model.Launch) bool { return !fits(l) }); len(some) > 0 {
				return some
			}
			return list
		}
	}
	d.Fits = func(n int, l model.Launch) error {
		if !fits(l) {
			return fmt.Errorf("the device takes %d threads in a threadgroup", most)
		}
		return declared.Declares(n, l)
	}
}
