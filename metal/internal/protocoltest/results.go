package protocoltest

import "gamma/metal"

// threads: a grid whose edges are smaller, with a buffer from an offset.
func (r *rig) threads() {
	in, out := r.filled(99, 1, 2, 3, 4, 5, 6), r.filled(0, 0, 0, 0, 0, 0, 77)
	e, c := r.encoder(metal.Serial)
	r.ok(e.SetComputePipelineState(r.pipeline("copy", constants)))
	r.ok(e.SetBuffer(in, 4, 0))
	r.ok(e.SetBuffer(out, 0, 1))
	r.ok(e.SetBytes(words(6), 2))
	r.ok(e.DispatchThreads(metal.Size{X: 3, Y: 2, Z: 1}, metal.Size{X: 2, Y: 2, Z: 1}))
	r.finish(e, c)
	if c.GPUTime() <= 0 {
		r.Errorf("the work took %s", c.GPUTime())
	}
	r.equal(out, 2, 3, 4, 5, 6, 7, 77)
}

// threadgroups: variables and an argument in threadgroup memory.
func (r *rig) threadgroups() {
	out := r.filled(make([]uint32, 8)...)
	e, c := r.encoder(metal.Serial)
	r.ok(e.SetComputePipelineState(r.pipeline("swap", constants)))
	r.ok(e.SetBuffer(out, 0, 0))
	r.ok(e.SetThreadgroupMemoryLength(32, 3))
	r.ok(e.DispatchThreadgroups(line(1), line(8)))
	r.finish(e, c)
	r.equal(out, 1, 10, 23, 32, 5, 14, 27, 36)
}

// bytes: each dispatch has what was bound when it was encoded, and what a kernel writes to its bytes is its own.
func (r *rig) bytes() {
	out := r.filled(0)
	e, c := r.encoder(metal.Serial)
	r.ok(e.SetComputePipelineState(r.pipeline("count", constants)))
	r.ok(e.SetBuffer(out, 0, 0))
	r.ok(e.SetBytes(words(100), 2))
	for _, from := range []uint32{1000, 2000} {
		r.ok(e.SetBytes(words(from), 1))
		r.ok(e.DispatchThreads(line(1), line(1)))
		r.ok(e.DispatchThreads(line(1), line(1)))
	}
	r.finish(e, c)
	r.equal(out, 2*1000+2*2000+4*101)
}

// constants: function constants by index and by name; an argument that they leave out need not be bound.
func (r *rig) constants() {
	for _, given := range []metal.FunctionConstants{{0: uint32(3), 1: false}, {"factor": uint32(3), "extra": true}} {
		out := r.filled(0, 0, 0)
		e, c := r.encoder(metal.Serial)
		r.ok(e.SetComputePipelineState(r.pipeline("scaled", given)))
		r.ok(e.SetBuffer(out, 0, 0))
		if given["extra"] == true {
			r.ok(e.SetBytes(words(10, 20, 30), 1))
		}
		r.ok(e.DispatchThreads(line(3), line(3)))
		r.finish(e, c)
		if given["extra"] == true {
			r.equal(out, 10, 23, 36)
		} else {
			r.equal(out, 0, 3, 6)
		}
	}
}

// barriers: in a concurrent encoder they order dispatches, and encoders are in order.
func (r *rig) barriers() {
	p, out := r.pipeline("small", constants), r.filled(5, 6)
	c, err := r.q.CommandBuffer()
	r.ok(err)
	for range 2 {
		e, err := c.ComputeCommandEncoder(metal.Concurrent)
		r.ok(err)
		r.ok(e.SetComputePipelineState(p))
		r.ok(e.SetBuffer(out, 0, 0))
		for range 3 {
			r.ok(e.DispatchThreadgroups(line(1), line(2)))
			r.ok(e.MemoryBarrier())
		}
		r.ok(e.EndEncoding())
	}
	r.ok(c.Commit())
	r.ok(c.WaitUntilCompleted())
	r.equal(out, 11, 12)
}

// lifetimes: what was encoded lives until it has run, whatever is released.
func (r *rig) lifetimes() {
	p, a, b := r.pipeline("small", constants), r.filled(1), r.filled(2)
	e, c := r.encoder(metal.Serial)
	r.ok(e.SetComputePipelineState(p))
	for _, x := range []metal.Buffer{a, b} {
		r.ok(e.SetBuffer(x, 0, 0))
		r.ok(e.DispatchThreadgroups(line(1), line(1)))
	}
	a.Release()
	p.Release()
	r.q.Release()
	r.finish(e, c)
	r.equal(b, 3)
}
