package sim

import (
	"gamma/metal"
	"gamma/metal/msl/ir"
)

// function is a metal.Function.
type function struct {
	thing
	k *kernel
}

// Name returns the name by which the host asked for it.
func (f *function) Name() string { return f.k.code.Name }

// Arguments describes what is to be bound, in the order of the parameters.
func (f *function) Arguments() []metal.Argument {
	list := make([]metal.Argument, len(f.k.code.Buffers))
	for i, b := range f.k.code.Buffers {
		list[i] = metal.Argument{
			Name: b.Name, Index: b.Index, Threadgroup: b.Space == ir.Threadgroup, ReadOnly: b.ReadOnly || b.Space == ir.Constant,
			Optional: b.Optional, ElementSize: b.Elem, TypeName: b.Type,
		}
	}
	return list
}

// Release ends the function; pipelines made of it stay.
func (f *function) Release() { f.ended.Store(true) }

// pipeline is a metal.ComputePipelineState.
type pipeline struct {
	thing
	k *kernel
}

// NewComputePipelineState makes f ready to run, rewritten as d's behaviour says.
func (d *Device) NewComputePipelineState(f metal.Function) (metal.ComputePipelineState, error) {
	if err := d.ready(); err != nil {
		return nil, err
	}
	fn, ok := f.(*function)
	if !ok {
		return nil, foreign("function", f)
	}
	if err := fn.usable(d.s, "function"); err != nil {
		return nil, err
	}
	p := &pipeline{thing: thing{d: d}, k: fn.k}
	if n := p.StaticThreadgroupMemoryLength(); n > d.o.MaxThreadgroupMemory {
		return nil, errorf("%s needs %d bytes of threadgroup memory and the device has %d; use less", fn.k.title(), n, d.o.MaxThreadgroupMemory)
	}
	if _, err := fn.k.program(d.variant()); err != nil {
		return nil, err
	}
	return p, nil
}

// MaxTotalThreadsPerThreadgroup is the device's limit, or max_total_threads_per_threadgroup if that is smaller.
func (p *pipeline) MaxTotalThreadsPerThreadgroup() int { return p.k.maxThreads(p.d.o.MaxTotalThreads) }

// ThreadExecutionWidth returns the lanes of a simdgroup on the device that made the pipeline.
func (p *pipeline) ThreadExecutionWidth() int { return p.d.width() }

// StaticThreadgroupMemoryLength returns the bytes of variables in threadgroup memory.
func (p *pipeline) StaticThreadgroupMemoryLength() int { return p.k.groupMemory() }

// Release ends the pipeline; dispatches that were encoded stay.
func (p *pipeline) Release() { p.ended.Store(true) }
