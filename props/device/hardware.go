package device

import (
	"gamma/metal"
	"gamma/metal/sim"
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
