package protocoltest

import (
	"math"
	"reflect"

	"gamma/metal"
)

// order: what is out of order is an error and changes nothing.
func (r *rig) order() {
	p, out := r.pipeline("small", constants), r.filled(0)
	c, err := r.q.CommandBuffer()
	r.ok(err)
	if s := c.Status(); s != metal.NotEnqueued || c.Error() != nil || c.GPUTime() != 0 {
		r.Errorf("a new command buffer has status %d, error %v and time %s", s, c.Error(), c.GPUTime())
	}
	r.says(c.WaitUntilCompleted(), "was not committed; call Commit first")
	_, err = c.ComputeCommandEncoder(9)
	r.says(err, "DispatchType(9)")
	e, err := c.ComputeCommandEncoder(metal.Serial)
	r.ok(err)
	_, err = c.ComputeCommandEncoder(metal.Serial)
	r.says(err, "still open; call its EndEncoding first")
	r.says(c.Commit(), "still open; call its EndEncoding first")
	r.says(e.DispatchThreads(line(1), line(1)), "no kernel is set; call SetComputePipelineState first")
	r.ok(e.SetComputePipelineState(p))
	r.ok(e.SetBuffer(out, 0, 0))
	r.ok(e.DispatchThreads(line(1), line(1)))
	r.ok(e.MemoryBarrier()) // in a serial encoder it changes nothing
	r.ok(e.EndEncoding())
	for call, err := range map[string]error{
		"EndEncoding": e.EndEncoding(), "SetBuffer": e.SetBuffer(out, 0, 0), "SetBytes": e.SetBytes([]byte{1}, 0),
		"SetComputePipelineState": e.SetComputePipelineState(p), "MemoryBarrier": e.MemoryBarrier(),
		"SetThreadgroupMemoryLength": e.SetThreadgroupMemoryLength(16, 0),
		"DispatchThreads":            e.DispatchThreads(line(1), line(1)), "DispatchThreadgroups": e.DispatchThreadgroups(line(1), line(1)),
	} {
		r.says(err, call+": the encoder has ended")
	}
	r.ok(c.Commit())
	r.ok(c.WaitUntilCompleted())
	r.ok(c.WaitUntilCompleted())
	r.says(c.Commit(), "was committed before")
	_, err = c.ComputeCommandEncoder(metal.Serial)
	r.says(err, "was committed; take a new one")
	// An empty command buffer, and one with an empty encoder, are legal.
	e, c = r.encoder(metal.Concurrent)
	r.finish(e, c)
	c, err = r.q.CommandBuffer()
	r.ok(err)
	r.ok(c.Commit())
	r.ok(c.WaitUntilCompleted())
}

// buffers: lengths, labels, and copies of what is inside.
func (r *rig) buffers() {
	for _, n := range []int{0, -1, math.MinInt} {
		_, err := r.d.NewBuffer(n)
		r.says(err, "ask for one byte or more")
	}
	_, err := r.d.NewBufferWithBytes(nil)
	r.says(err, "ask for one byte or more")
	_, err = r.d.NewBuffer(math.MaxInt)
	r.says(err, "a buffer of 9223372036854775807 bytes")
	data := words(0x04030201)
	b, err := r.d.NewBufferWithBytes(data)
	r.ok(err)
	data[0] = 9 // the buffer holds a copy
	r.equal(b, 0x04030201)
	b.SetLabel("four")
	if b.Label() != "four" || b.Length() != 4 {
		r.Errorf("the buffer has label %q and length %d", b.Label(), b.Length())
	}
	for _, x := range []struct{ offset, n int }{{-1, 1}, {5, 0}, {1, 4}, {math.MaxInt, 1}, {math.MinInt, 1}} {
		r.says(b.Read(x.offset, make([]byte, x.n)), `the buffer "four", which has 4; stay inside`)
		r.says(b.Write(x.offset, make([]byte, x.n)), `the buffer "four", which has 4; stay inside`)
	}
	r.ok(b.Read(4, nil))
	r.ok(b.Write(1, []byte{7, 8}))
	r.equal(b, 0x04080701)
	b.Release()
	b.Release()
	b.SetLabel("late")
	r.says(b.Read(0, data), `the buffer "late" was released`)
	r.says(b.Write(0, data), `the buffer "late" was released`)
}

// bindings: indexes, offsets and lengths that cannot be.
func (r *rig) bindings() {
	e, c := r.encoder(metal.Serial)
	in := r.filled(make([]uint32, 16)...)
	in.SetLabel("input")
	for _, i := range []int{-1, 31, math.MaxInt} {
		r.says(e.SetBuffer(in, 0, i), "use 0 to 30")
		r.says(e.SetBytes([]byte{1}, i), "use 0 to 30")
		r.says(e.SetThreadgroupMemoryLength(16, i), "use 0 to 30")
	}
	for _, offset := range []int{-1, 64, math.MaxInt} {
		r.says(e.SetBuffer(in, offset, 0), `outside the buffer "input" bound at 0, which has 64 bytes`)
	}
	r.says(e.SetBytes(nil, 0), "1 to 4096 are possible, use a buffer for more")
	r.says(e.SetBytes(make([]byte, 4097), 0), "1 to 4096 are possible")
	r.ok(e.SetBytes(make([]byte, 4096), 30))
	for _, n := range []int{-16, 8, 17} {
		r.says(e.SetThreadgroupMemoryLength(n, 0), "use a multiple of 16")
	}
	r.says(e.SetThreadgroupMemoryLength(1<<30, 0), "more than the device has")
	r.says(e.SetComputePipelineState(nil), "is of another device")
	r.finish(e, c)
}

// sizes: grids and threadgroups that cannot be.
func (r *rig) sizes() {
	sized := func(x, y, z int) metal.Size { return metal.Size{X: x, Y: y, Z: z} }
	e, c := r.encoder(metal.Serial)
	r.ok(e.SetComputePipelineState(r.pipeline("small", constants)))
	r.ok(e.SetBuffer(r.filled(make([]uint32, 16)...), 0, 0))
	for _, bad := range []metal.Size{{}, sized(0, 1, 1), sized(1, -1, 1), sized(1, 1, math.MinInt)} {
		r.says(e.DispatchThreads(bad, line(1)), "has nothing to run")
		r.says(e.DispatchThreadgroups(bad, line(1)), "has nothing to run")
		r.says(e.DispatchThreads(line(1), bad), "is empty; use 1 or more")
		r.says(e.DispatchThreadgroups(line(1), bad), "is empty; use 1 or more")
	}
	for _, bad := range []metal.Size{line(65), sized(5, 13, 1), sized(math.MaxInt, math.MaxInt, 4), sized(1<<32, 1<<32, 1)} {
		r.says(e.DispatchThreads(line(1), bad), "larger than the pipeline's MaxTotalThreadsPerThreadgroup, 64")
	}
	r.says(e.DispatchThreads(line(1<<32), line(1)), "more than 2^32-1 threads in one dimension")
	r.says(e.DispatchThreadgroups(line(1<<31), line(2)), "more than 2^32-1 threads in one dimension")
	r.says(e.DispatchThreadgroups(line(math.MaxInt), line(2)), "more than 2^32-1 threads in one dimension")
	r.finish(e, c)
}

// arguments: what is bound has to be enough for the kernel, and is told with its place.
func (r *rig) arguments() {
	e, c := r.encoder(metal.Serial)
	in, out := r.filled(make([]uint32, 16)...), r.filled(make([]uint32, 16)...)
	in.SetLabel("input")
	r.ok(e.SetComputePipelineState(r.pipeline("copy", constants)))
	r.ok(e.SetBuffer(in, 0, 0))
	r.ok(e.SetBytes(words(16), 2))
	r.says(e.DispatchThreads(line(16), line(16)), "nothing is bound for out [[buffer(1)]] at protocol.metal:6:68; call SetBuffer or SetBytes with index 1")
	r.ok(e.SetBuffer(out, 2, 1))
	r.says(e.DispatchThreads(line(15), line(15)), "begins at offset 2, which is not a multiple of the alignment")
	r.ok(e.SetBuffer(out, 0, 1))
	r.ok(e.SetBytes([]byte{1, 0, 0}, 2))
	r.says(e.DispatchThreads(line(16), line(16)), "n [[buffer(2)]]")
	r.says(e.DispatchThreads(line(16), line(16)), "the bytes bound there has 3 bytes from offset 0, and one uint& needs 4; bind more")
	r.ok(e.SetComputePipelineState(r.pipeline("wide", constants)))
	r.ok(e.SetBuffer(out, 0, 0))
	r.ok(e.SetBuffer(in, 56, 1))
	r.says(e.DispatchThreads(line(1), line(1)), `the buffer "input" has 8 bytes from offset 56, and one Wide& needs 16`)
	r.ok(e.SetComputePipelineState(r.pipeline("swap", constants)))
	r.says(e.DispatchThreads(line(4), line(4)), "tmp [[threadgroup(3)]] at protocol.metal:11:68 has no length; call SetThreadgroupMemoryLength(bytes, 3)")
	most := r.d.Properties().MaxThreadgroupMemoryLength &^ 15
	r.ok(e.SetThreadgroupMemoryLength(most, 3))
	r.says(e.DispatchThreads(line(4), line(4)), "bytes of threadgroup memory, variables and arguments together, are more than the device has")
	r.ok(e.SetThreadgroupMemoryLength(0, 3))
	r.says(e.DispatchThreads(line(4), line(4)), "has no length")
	r.ok(e.SetComputePipelineState(r.pipeline("scaled", metal.FunctionConstants{"factor": uint32(3), "extra": true})))
	r.ok(e.SetBuffer(nil, 0, 1))
	r.says(e.DispatchThreads(line(3), line(3)), "nothing is bound for more [[buffer(1)]]")
	late := r.filled(0)
	r.ok(e.SetComputePipelineState(r.pipeline("small", constants)))
	r.ok(e.SetBuffer(late, 0, 0))
	late.Release()
	r.says(e.DispatchThreads(line(1), line(1)), "the buffer was released")
	r.says(e.SetBuffer(late, 0, 0), "the buffer was released")
	r.finish(e, c) // what was refused left no trace
}

// functions: names, arguments and limits.
func (r *rig) functions() {
	if names := r.l.FunctionNames(); len(names) != 6 || names[0] != "copy" || names[5] != "scaled" {
		r.Errorf("the functions are %q", names)
	}
	for name, want := range map[string]string{
		"smal": `did you mean "small"?`, "Copy": `did you mean "copy"?`, "": "it has ", "nothing like it": "it has ",
	} {
		_, err := r.l.NewFunction(name, constants)
		r.says(err, want)
		r.says(err, `"scaled"`)
	}
	for want, c := range map[string]metal.FunctionConstants{
		"nosuch": {0: uint32(1), 1: false, "nosuch": true}, "key is a uint8": {uint8(1): true}, "value is a int": {0: 1}, "value is a <nil>": {0: nil},
	} {
		_, err := r.l.NewFunction("scaled", c)
		r.says(err, want)
	}
	f := r.function("swap", constants)
	args := f.Arguments()
	if f.Name() != "swap" || len(args) != 2 || args[0].ReadOnly ||
		!reflect.DeepEqual(args[1], metal.Argument{Name: "tmp", Index: 3, Threadgroup: true, ElementSize: 4, TypeName: args[1].TypeName}) {
		r.Errorf("function %s has arguments %+v", f.Name(), args)
	}
	p := r.pipeline("small", constants)
	if n := p.MaxTotalThreadsPerThreadgroup(); n != 64 {
		r.Errorf("max_total_threads_per_threadgroup is 64, and the pipeline's %d", n)
	}
	if n, want := p.ThreadExecutionWidth(), r.d.Properties().ThreadExecutionWidth; n != want {
		r.Errorf("the pipeline's simdgroups have %d threads, and the device's %d", n, want)
	}
}

// libraries: what is wrong with a source is told with its place, and other libraries stay usable.
func (r *rig) libraries() {
	_, err := r.d.NewLibrary("kernel void k(device float *x) {\n  x[0] = y;\n}", metal.CompileOptions{FileName: "bad.metal"})
	r.says(err, "bad.metal:2:10: error:")
	for _, text := range []string{"", "kernel", "kernel void k(", "#include <nothing>"} {
		if l, err := r.d.NewLibrary(text, metal.CompileOptions{}); err == nil {
			_, err = l.NewFunction("k", nil)
			r.says(err, "has no kernels at all")
			l.Release()
		}
	}
	_, err = r.d.NewComputePipelineState(nil)
	r.says(err, "is of another device")
	r.pipeline("copy", constants)
}

// others: objects of one device are no use to another.
func (r *rig) others(other *rig) {
	e, c := r.encoder(metal.Serial)
	r.says(e.SetBuffer(other.filled(1), 0, 0), "is of another device")
	r.says(e.SetComputePipelineState(other.pipeline("small", constants)), "is of another device")
	_, err := r.d.NewComputePipelineState(other.function("small", constants))
	r.says(err, "is of another device")
	r.finish(e, c)
}

// releases: what is released can be used no more, and what was made of it before still can.
func (r *rig) releases() {
	f := r.function("small", constants)
	p, err := r.d.NewComputePipelineState(f)
	r.ok(err)
	f.Release()
	r.l.Release()
	_, err = r.l.NewFunction("small", constants)
	r.says(err, "library was released")
	_, err = r.d.NewComputePipelineState(f)
	r.says(err, "function was released")
	e, c := r.encoder(metal.Serial)
	out := r.filled(0)
	r.ok(e.SetComputePipelineState(p))
	r.ok(e.SetBuffer(out, 0, 0))
	r.ok(e.DispatchThreads(line(1), line(1)))
	p.Release()
	r.says(e.SetComputePipelineState(p), "pipeline was released")
	r.q.Release()
	_, err = r.q.CommandBuffer()
	r.says(err, "command queue was released")
	r.finish(e, c)
}

// released: the device takes everything with it.
func (r *rig) released() {
	f, b := r.function("small", constants), r.filled(1)
	e, c := r.encoder(metal.Serial)
	e2, c2 := r.encoder(metal.Serial)
	r.ok(e2.EndEncoding())
	r.d.Release()
	r.d.Release()
	r.says(b.Read(0, make([]byte, 1)), "went with its device")
	r.says(e.SetBytes([]byte{1}, 0), "the device was released")
	r.ok(e.EndEncoding())
	_, err := c.ComputeCommandEncoder(metal.Serial)
	const gone = "the device was released; make another by "
	r.says(err, gone)
	r.says(c2.Commit(), gone)
	_, err = r.l.NewFunction("small", constants)
	r.says(err, gone)
	_, err = r.d.NewComputePipelineState(f)
	r.says(err, gone)
	_, err = r.d.NewBuffer(1)
	r.says(err, gone)
	_, err = r.d.NewLibrary(source, metal.CompileOptions{})
	r.says(err, gone)
	_, err = r.d.NewCommandQueue()
	r.says(err, gone)
	_, err = r.q.CommandBuffer()
	r.says(err, "command queue went with its device")
	b.Release()
}
