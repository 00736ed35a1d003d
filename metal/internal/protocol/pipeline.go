package protocol

import (
	"gamma/metal"
	"gamma/metal/msl/ir"
)

// pipeline is a metal.ComputePipelineState.
type pipeline struct {
	object
	p *Pipeline
}

// NewComputePipelineState makes f ready to run.
func (d *Device) NewComputePipelineState(f metal.Function) (metal.ComputePipelineState, error) {
	release, err := d.hold()
	if err != nil {
		return nil, err
	}
	defer release()
	fn, ok := f.(*function)
	if !ok || fn == nil {
		return nil, d.foreign("function", f)
	}
	if err := fn.hold(d, "function"); err != nil {
		return nil, err
	}
	defer fn.drop()
	if k := fn.f.Kernel; k != nil {
		if n, most := StaticMemory(k), d.c.Limits.Shared; n > most {
			return nil, d.errorf("%s needs %d bytes of threadgroup memory and the device has %d; use less", fn.f.Title(), n, most)
		}
	}
	p, err := d.c.Backend.Pipeline(fn.f)
	if err != nil {
		return nil, err
	}
	p.Function = fn.f
	return &pipeline{object: made(d, p.Native), p: p}, nil
}

// MaxTotalThreadsPerThreadgroup is the kernel's limit on this device, or max_total_threads_per_threadgroup if that is smaller.
func (p *pipeline) MaxTotalThreadsPerThreadgroup() int {
	if k := p.p.Function.Kernel; k != nil && k.MaxThreads > 0 {
		return min(k.MaxThreads, p.p.MaxThreads)
	}
	return p.p.MaxThreads
}

// ThreadExecutionWidth is the threads of a simdgroup on the device that made the pipeline.
func (p *pipeline) ThreadExecutionWidth() int { return p.p.Width }

// StaticThreadgroupMemoryLength returns the bytes of variables in threadgroup memory.
func (p *pipeline) StaticThreadgroupMemoryLength() int { return p.p.Static }

// PipelineOf returns the backend's view of a pipeline of a Device, nil for pipelines of others.
func PipelineOf(p metal.ComputePipelineState) *Pipeline {
	if p, ok := p.(*pipeline); ok {
		return p.p
	}
	return nil
}

// Title names the kernel in errors, with its place.
func (f *Function) Title() string {
	s := "kernel " + f.Name
	if f.Kernel != nil {
		if at := f.Kernel.Pos.String(); at != "" {
			s += " (" + at + ")"
		}
	}
	return s
}

// StaticMemory returns the bytes of a kernel's variables in threadgroup memory.
func StaticMemory(k *ir.Kernel) int {
	sum := 0
	for _, o := range k.Objects {
		if o.Space == ir.Threadgroup {
			a := max(o.Align, 1)
			sum = min((sum+a-1)/a*a+o.Size, 1<<40)
		}
	}
	return sum
}
