package device

import (
	"sync"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/props"
	"gamma/shaders"
	"gamma/sumtree"
)

// Shader makes a subject of a kernel of package shaders, or of one of the same form, on dev; nil is a simulator that checks
// everything.
func Shader(k shaders.Kernel, dev metal.Device) props.Subject {
	if dev == nil {
		dev = sim.New(sim.Options{Workers: 1, Steps: steps})
	}
	p := &runners{dev: dev}
	p.sim, _ = dev.(*sim.Device)
	claim := k.Claim
	d := props.Device{Strict: k.Strict, Launches: k.Launches, Fits: k.Fits, MaxN: shaderMaxN}
	if k.MaxN != 0 {
		d.MaxN = k.MaxN
	}
	if claim.Tree == "" {
		d.Schedule = k.Schedule
	}
	_, d.Checked = dev.(metal.Checker)
	if p.sim != nil {
		d.Admits, d.Widths = k.Admits, k.Widths
	} else {
		claim = props.Weaken(claim.WithDefaults(claim.In), dev.Properties().Behaviour, k.Strict)
	}
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

// shaderMaxN is the longest vector that is drawn for kernels of package shaders.
const shaderMaxN = 700

// Subjects returns a subject for every kernel of package shaders, on dev; nil is a simulator that checks everything.
func Subjects(dev metal.Device) []props.Subject {
	var list []props.Subject
	for _, k := range shaders.All() {
		list = append(list, Shader(k, dev))
	}
	return list
}

// runners makes runners, one for each behaviour; that of the plain one is kept.
type runners struct {
	dev   metal.Device
	sim   *sim.Device
	once  sync.Once
	plain *shaders.Runner
}

// with calls f with a runner on the device under a behaviour.
func (p *runners) with(at props.Setting, f func(r *shaders.Runner)) {
	if p.sim == nil || at.Behaviour.Plain() {
		p.once.Do(func() { p.plain = shaders.NewRunner(p.dev) })
		f(p.plain)
		return
	}
	r := shaders.NewRunner(p.sim.With(at.Behaviour))
	defer r.Release()
	f(r)
}
