package protocol

import (
	"encoding/binary"
	"fmt"

	"gamma/metal"
)

// Once is a kernel that is run once, from its source to its results: what self-tests do.
type Once struct {
	Source, Name string
	Options      metal.CompileOptions
	// Buffers are the words of buffers, bound from index 0 on, and Threadgroup the bytes at index 0 of threadgroup memory.
	Buffers     [][]uint32
	Threadgroup int
	// Grid is in threads; of a threadgroup that is larger than the pipeline allows, only so many are used.
	Grid, Threads metal.Size
}

// Run runs the kernel, reads the buffers back, and returns the threads of its simdgroups. It releases all that it made on the device.
func (o *Once) Run(d metal.Device) (width int, err error) {
	l, err := d.NewLibrary(o.Source, o.Options)
	if err != nil {
		return 0, err
	}
	defer l.Release()
	f, err := l.NewFunction(o.Name, nil)
	if err != nil {
		return 0, err
	}
	defer f.Release()
	p, err := d.NewComputePipelineState(f)
	if err != nil {
		return 0, err
	}
	defer p.Release()
	q, err := d.NewCommandQueue()
	if err != nil {
		return 0, err
	}
	defer q.Release()
	c, err := q.CommandBuffer()
	if err != nil {
		return 0, err
	}
	e, err := c.ComputeCommandEncoder(metal.Serial)
	if err != nil {
		return 0, err
	}
	if err := e.SetComputePipelineState(p); err != nil {
		return 0, err
	}
	buffers := make([]metal.Buffer, len(o.Buffers))
	for i, v := range o.Buffers {
		data := make([]byte, 4*len(v))
		for j, x := range v {
			binary.LittleEndian.PutUint32(data[4*j:], x)
		}
		if buffers[i], err = d.NewBufferWithBytes(data); err != nil {
			return 0, err
		}
		defer buffers[i].Release()
		if err := e.SetBuffer(buffers[i], 0, i); err != nil {
			return 0, err
		}
	}
	threads := o.Threads
	threads.X = min(threads.X, p.MaxTotalThreadsPerThreadgroup())
	for _, step := range []func() error{
		func() error { return e.SetThreadgroupMemoryLength(o.Threadgroup, 0) },
		func() error { return e.DispatchThreads(o.Grid, threads) },
		e.EndEncoding, c.Commit, c.WaitUntilCompleted,
	} {
		if err := step(); err != nil {
			return 0, fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	for i, v := range o.Buffers {
		data := make([]byte, 4*len(v))
		if err := buffers[i].Read(0, data); err != nil {
			return 0, err
		}
		for j := range v {
			v[j] = binary.LittleEndian.Uint32(data[4*j:])
		}
	}
	return p.ThreadExecutionWidth(), nil
}
