package devices

import (
	"fmt"
	"slices"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
)

// Steps, and ThreadSteps for each thread, bound a kernel that does not end, in the simulators of this package and in those that are a subject's default.
const (
	Steps       = 1 << 27
	ThreadSteps = 1 << 12
)

// MaxFFT is the most points of a transform that are drawn for a shader, and CostFFT how many runs of a Go function one run of a
// transform in the simulator takes as long as, of what a law runs.
const (
	MaxFFT  = 256
	CostFFT = 4
)

// MaxNTT is the most points of a transform that are drawn for a shader, and CostNTT how many runs of a Go function one run of a
// transform in the simulator takes as long as, of what a law runs.
const (
	MaxNTT  = 256
	CostNTT = 3
)

// CostBatch is the cost of a run of a batch: its rows share one behaviour, and so there must be more batches than would do for rows
// alone.
const CostBatch = 3

// Reference returns the simulator that hardware is compared with: it takes the threads one after the other, looks for no faults, and has the
// hardware's arithmetic as far as that is known: rounding, flushing, contraction, rewrites, and threads in a simdgroup.
func Reference(dev metal.Device) *sim.Device {
	p := dev.Properties()
	b := p.Behaviour
	return sim.New(sim.Options{
		NoChecks: true, Workers: 1, Steps: Steps, ThreadSteps: ThreadSteps, SIMDWidth: p.ThreadExecutionWidth,
		Behaviour: model.Behaviour{Rounding: b.Rounding, Flush: b.Flush, Flush16: b.Flush16, Contract: b.Contract, Rewrites: b.Rewrites},
	})
}

// Describe says in d which device it is, and whether it looks for faults.
func Describe(d *props.DeviceClaim, dev metal.Device) {
	p := dev.Properties()
	d.Kind, d.Detail = p.Kind, p.Name
	if p.Detail != "" {
		d.Detail += "; " + p.Detail
	}
	_, d.Checked = dev.(metal.Checker)
}

// OnHardware says of hardware what props has to know: what it was found to do, which is all that it does, and that a simulator stands
// beside it. may are the rewrites that the source's math mode allows. Launches with more threads in a threadgroup than it takes are not
// drawn.
func OnHardware(d *props.DeviceClaim, dev metal.Device, may model.Rewrites) {
	Describe(d, dev)
	p := dev.Properties()
	d.Admits, d.Hardware, d.Reference = p.Behaviour, true, "sim"
	d.Admits.Seed, d.Admits.SIMDWidth = 0, p.ThreadExecutionWidth
	if p.Kind == "metal" { // whatever the sign of those that were tried: [MSL 4.0] §8.5. Other kinds flush by code that is printed for them, or keep it.
		d.Admits.Flush.AnySign, d.Admits.Flush16.AnySign = d.Admits.Flush.Any(), d.Admits.Flush16.Any()
	}
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
