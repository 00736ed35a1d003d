package record

import (
	"fmt"

	"gamma/metal"
	"gamma/metal/internal/emit"
	"gamma/metal/msl/ir"
)

// pipeline is a metal.ComputePipelineState.
type pipeline struct {
	thing
	k     *ir.Kernel
	src   *Source
	shape Shape
}

// NewComputePipelineState prints f, compiles it for the device and loads it.
func (d *Device) NewComputePipelineState(f metal.Function) (metal.ComputePipelineState, error) {
	release, err := d.Hold()
	if err != nil {
		return nil, err
	}
	defer release()
	fn, ok := f.(*function)
	if !ok || fn == nil {
		return nil, d.foreign("function", f)
	}
	if err := fn.usable(d, "function"); err != nil {
		return nil, err
	}
	p, err := d.c.Print(fn.k)
	if err != nil {
		return nil, err
	}
	pl := &pipeline{thing: thing{d: d}, k: fn.k}
	for _, q := range p.Params {
		if q.Index < 0 || q.Kind <= emit.ThreadgroupOffset && q.Index >= len(fn.k.Buffers) || q.Kind > emit.ThreadgroupOffset && q.Index > 2 || q.Kind > emit.Whole {
			return nil, d.errorf("%s was printed with a parameter that cannot be, %+v; please report it", pl.title(), q)
		}
	}
	if most := d.c.Limits.Shared; p.Static > most {
		return nil, d.errorf("%s needs %d bytes of threadgroup memory and the device has %d; use less", pl.title(), p.Static, most)
	}
	pl.src = &Source{
		Name: fn.k.Name, Entry: p.Entry, Text: p.Text, Flags: p.Flags, Params: p.Params, Barriers: p.Barriers, Key: key(p),
	}
	if pl.shape, err = d.c.Backend.Build(pl.src); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", d.c.Kind, pl.title(), err)
	}
	return pl, nil
}

// MaxTotalThreadsPerThreadgroup is the compiled kernel's limit, or max_total_threads_per_threadgroup if that is smaller.
func (p *pipeline) MaxTotalThreadsPerThreadgroup() int {
	if n := p.k.MaxThreads; n > 0 {
		return min(n, p.shape.MaxThreads)
	}
	return p.shape.MaxThreads
}

// ThreadExecutionWidth is the threads of a simdgroup.
func (p *pipeline) ThreadExecutionWidth() int { return p.d.c.Limits.Width }

// StaticThreadgroupMemoryLength returns the bytes of variables in threadgroup memory.
func (p *pipeline) StaticThreadgroupMemoryLength() int { return p.shape.Static }

// Thread returns the registers and the bytes of memory of its own that a thread takes, 0 where they are not known.
func (p *pipeline) Thread() (registers, local int) { return p.shape.Registers, p.shape.Local }

// Source returns the printed kernel.
func (p *pipeline) Source() string { return p.src.Text }

// Release ends the pipeline; dispatches that were encoded stay.
func (p *pipeline) Release() { p.ended.Store(true) }

// title names the kernel in errors, with its place.
func (p *pipeline) title() string {
	s := "kernel " + p.k.Name
	if at := p.k.Pos.String(); at != "" {
		s += " (" + at + ")"
	}
	return s
}
