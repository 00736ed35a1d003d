package builtin

import (
	"cmp"
	"sync"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/modular"
	"gamma/props"
	"gamma/props/internal/devices"
	"gamma/shaders"
	"gamma/sumtree"
)

// shaderKernel is Shader for sums and dot products.
func shaderKernel(k shaders.Kernel, dev metal.Device) props.Subject {
	p, claim := newRunners(dev), k.Claim
	d := props.DeviceClaim{Strict: k.Strict, HostCopies: true, Launches: k.Launches, Fits: k.Fits, MaxN: shaderMaxN}
	if k.MaxN != 0 {
		d.MaxN = k.MaxN
	}
	if claim.Tree == "" {
		d.Schedule = k.Schedule
	}
	p.conditions(&d, k.Options, k.Admits, k.Widths)
	if k.IsDot() {
		return props.Dot{
			Name: k.Name, Claim: claim, Device: d,
			RunOn: func(at props.Setting, x, y []float32) (v float32, err error) {
				p.with(at, func(r *shaders.Runner) { v, err = k.Dot32(r, at.Launch, x, y) })
				return v, err
			},
		}
	}
	s := props.Reduction{Name: k.Name, Claim: claim, Device: d}
	switch {
	case k.SumBits != nil:
		s.RunBitsOn = func(at props.Setting, x []uint16) (v uint64, err error) {
			p.with(at, func(r *shaders.Runner) { v, err = k.SumBits(r, at.Launch, x) })
			return v, err
		}
	case k.SumTree != nil:
		s.RunTreeOn = func(at props.Setting, t *sumtree.Tree, x []float32) (v float32, err error) {
			p.with(at, func(r *shaders.Runner) { v, err = k.SumTree(r, t, x) })
			return v, err
		}
	case k.Rows32 != nil:
		s.RunRowsOn = func(at props.Setting, dst, x []float32, n int) (err error) {
			p.with(at, func(r *shaders.Runner) { err = k.Rows32(r, at.Launch, dst, x, n) })
			return err
		}
	case k.Sum32 != nil:
		s.RunOn = func(at props.Setting, x []float32) (v float32, err error) {
			p.with(at, func(r *shaders.Runner) { v, err = k.Sum32(r, at.Launch, x) })
			return v, err
		}
	}
	return s
}

// shaderOperation is Shader for that kind.
func shaderOperation(o shaders.Operation, dev metal.Device) props.Operation {
	p := newRunners(dev)
	d := props.DeviceClaim{Strict: o.Strict, HostCopies: true, Launches: o.Launches, Fits: o.Fits, MaxN: shaderMaxN, Cost: devices.CostBatch}
	p.conditions(&d, o.Options, o.Admits, o.Widths)
	return props.Operation{
		Name: o.Name, Claim: o.Claim, Device: d,
		RunOn: func(at props.Setting, dst, src []float32) (err error) {
			p.with(at, func(r *shaders.Runner) { err = o.Run(r, at.Launch, dst, src) })
			return err
		},
	}
}

// shaderModular is Shader for that kind.
func shaderModular(m shaders.Modular, dev metal.Device) props.Modular {
	p := newRunners(dev)
	d := props.DeviceClaim{Strict: m.Strict, Launches: m.Launches, Fits: m.Fits, MaxN: shaderMaxN, Cost: devices.CostBatch}
	p.conditions(&d, m.Options, m.Admits, m.Widths)
	return props.Modular{
		Name: m.Name, Claim: m.Claim, Device: d,
		RunOn: func(at props.Setting, q uint64, dst, src []uint64) (err error) {
			p.with(at, func(r *shaders.Runner) { err = m.Run(r, at.Launch, q, dst, src) })
			return err
		},
	}
}

// shaderNTT is Shader for that kind.
func shaderNTT(n shaders.NTT, dev metal.Device) props.NTT {
	p := newRunners(dev)
	d := props.DeviceClaim{Strict: true, Launches: n.Launches, Fits: n.Fits, MaxN: devices.MaxNTT, Cost: devices.CostNTT}
	p.conditions(&d, n.Options, n.Admits, n.Widths)
	return props.NTT{
		Name: n.Name, Claim: n.Claim, Device: d,
		PlanOn: func(at props.Setting, t modular.Transform) (modular.Transforms, error) {
			r, _ := p.runner(at) // the plan keeps its runner; both go when the judge drops the plan
			return n.Plan(r, at.Launch, t)
		},
	}
}

// shaderFFT is Shader for that kind.
func shaderFFT(f shaders.FFT, dev metal.Device) props.FFT {
	p := newRunners(dev)
	d := props.DeviceClaim{Strict: f.Strict, Launches: f.Launches, Fits: f.Fits, MaxN: devices.MaxFFT, Cost: devices.CostFFT}
	p.conditions(&d, f.Options, f.Admits, f.Widths)
	return props.FFT{
		Name: f.Name, Claim: f.Claim, Device: d, Twiddles: f.Twiddles,
		CallOn: func(at props.Setting, c *props.FFTCall) (err error) {
			p.with(at, func(r *shaders.Runner) { err = f.Run(r, at.Launch, c.Transform, c.Float32("dst"), c.Float32("src")) })
			return err
		},
	}
}

// shaderFormula is Shader for kernels with a formula.
func shaderFormula(f shaders.Formula, dev metal.Device) props.Kernel {
	p := newRunners(dev)
	d := props.DeviceClaim{HostCopies: true, Launches: f.Launches, Fits: f.Fits, MaxN: cmp.Or(f.MaxN, shaderMaxN)}
	p.conditions(&d, f.Options, f.Admits, f.Widths)
	return props.Kernel{
		Name: f.Name, Formula: f.Formula, Claim: f.Claim, Out: f.Out, Min: f.Min, Fixed: f.Fixed, Device: d,
		CallOn: func(at props.Setting, c *props.KernelCall) (err error) {
			p.with(at, func(r *shaders.Runner) { err = f.Run(r, at.Launch, c) })
			return err
		},
	}
}

// shaderMaxN is the longest vector that is drawn for kernels of package shaders.
const shaderMaxN = 700

// runners makes runners, one for each behaviour; that of the plain one is kept, and that beside hardware.
type runners struct {
	dev           metal.Device
	sim           *sim.Device // dev, if it is one
	plain, beside func() *shaders.Runner
}

// newRunners returns runners on dev; nil is a simulator that checks everything.
func newRunners(dev metal.Device) *runners {
	if dev == nil {
		dev = sim.New(sim.Options{Workers: 1, Steps: devices.Steps, ThreadSteps: devices.ThreadSteps})
	}
	p := &runners{dev: dev}
	p.sim, _ = dev.(*sim.Device)
	p.plain = sync.OnceValue(func() *shaders.Runner { return shaders.NewRunner(dev) })
	p.beside = sync.OnceValue(func() *shaders.Runner { return shaders.NewRunner(devices.Reference(dev)) })
	return p
}

// conditions says of the device what props has to know: on the simulator what the claim admits, on hardware what it is.
func (p *runners) conditions(d *props.DeviceClaim, o metal.CompileOptions, admits model.Behaviour, widths []int) {
	d.MathMode = o.MathMode.String()
	if p.sim == nil {
		devices.OnHardware(d, p.dev, admits.Rewrites)
		return
	}
	devices.Describe(d, p.dev)
	d.Admits, d.Widths = admits, widths
}

// runner returns a runner for a setting. It is kept, unless release is to be called.
func (p *runners) runner(at props.Setting) (r *shaders.Runner, release func()) {
	switch {
	case p.sim == nil && at.Reference:
		return p.beside(), nil
	case p.sim == nil, at.Behaviour.Plain():
		return p.plain(), nil
	}
	r = shaders.NewRunner(p.sim.With(at.Behaviour))
	return r, r.Release
}

// with calls f with a runner for a setting.
func (p *runners) with(at props.Setting, f func(r *shaders.Runner)) {
	r, release := p.runner(at)
	if release != nil {
		defer release()
	}
	f(r)
}
