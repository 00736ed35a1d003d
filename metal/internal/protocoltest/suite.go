// Package protocoltest holds every device to the Metal object protocol: one set of tests for the simulator, Metal.framework, CUDA and OpenCL.
//
// Start here: Run.
package protocoltest

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"gamma/metal"
)

// Suite is a device to be tested.
type Suite struct {
	// Open returns a device of its own for each call, or skips the test.
	Open func(t *testing.T) metal.Device
	// NoResults says that what the device stands on runs no kernels: only what is refused is tested.
	NoResults bool
}

// Run tests the device.
func (s Suite) Run(t *testing.T) {
	for _, x := range []struct {
		name    string
		results bool // what kernels compute matters
		test    func(r *rig)
	}{
		{"order of calls", false, (*rig).order},
		{"buffers", false, (*rig).buffers},
		{"bindings", false, (*rig).bindings},
		{"sizes", false, (*rig).sizes},
		{"arguments", false, (*rig).arguments},
		{"functions", false, (*rig).functions},
		{"libraries", false, (*rig).libraries},
		{"other devices", false, func(r *rig) { r.others(s.open(r.T)) }},
		{"releases", false, (*rig).releases},
		{"released device", false, (*rig).released},
		{"threads", true, (*rig).threads},
		{"threadgroup memory", true, (*rig).threadgroups},
		{"bytes", true, (*rig).bytes},
		{"constants", true, (*rig).constants},
		{"barriers", true, (*rig).barriers},
		{"lifetimes", true, (*rig).lifetimes},
	} {
		t.Run(x.name, func(t *testing.T) {
			if x.results && s.NoResults {
				t.Skip("what this device stands on runs no kernels")
			}
			x.test(s.open(t))
		})
	}
}

// source has a kernel for every kind of argument.
const source = `#include <metal_stdlib>
using namespace metal;
constant uint factor [[function_constant(0)]];
constant bool extra [[function_constant(1)]];
struct Wide { ulong a; ulong b; };
kernel void copy(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]], constant uint &n [[buffer(2)]],
                 uint2 i [[thread_position_in_grid]], uint2 size [[threads_per_grid]]) {
    uint at = i.y * size.x + i.x;
    if (at < n) out[at] = in[at] + 1;
}
kernel void swap(device uint *out [[buffer(0)]], threadgroup uint *tmp [[threadgroup(3)]], uint i [[thread_index_in_threadgroup]]) {
    threadgroup uint own[4];
    tmp[i] = i;
    if (i < 4) own[i] = 10 * i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = tmp[i ^ 1] + own[i % 4];
}
[[max_total_threads_per_threadgroup(64)]] kernel void small(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] += 1; }
kernel void wide(device ulong *out [[buffer(0)]], constant Wide &w [[buffer(1)]]) { out[0] = w.a + w.b; }
kernel void count(constant uint &from [[buffer(1)]], device uint *own [[buffer(2)]], device uint *out [[buffer(0)]]) {
    own[0] += 1;
    out[0] += from + own[0];
}
kernel void scaled(device uint *out [[buffer(0)]], device const uint *more [[buffer(1), function_constant(extra)]],
                   uint i [[thread_position_in_grid]]) {
    out[i] = factor * i;
    if (extra) out[i] += more[i];
}
`

// rig is a device with what most tests need.
type rig struct {
	*testing.T
	d metal.Device
	l metal.Library
	q metal.CommandQueue
}

func (s Suite) open(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, d: s.Open(t)}
	t.Cleanup(r.d.Release)
	var err error
	r.l, err = r.d.NewLibrary(source, metal.CompileOptions{FileName: "protocol.metal"})
	r.ok(err)
	r.q, err = r.d.NewCommandQueue()
	r.ok(err)
	return r
}

// ok ends the test on an error.
func (r *rig) ok(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// says wants an error that says something.
func (r *rig) says(err error, want string) {
	r.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		r.Errorf("the error is %q; it should say %q", err, want)
	}
}

// equal wants words.
func (r *rig) equal(b metal.Buffer, want ...uint32) {
	r.Helper()
	data := make([]byte, b.Length())
	r.ok(b.Read(0, data))
	if !bytes.Equal(data[:4*len(want)], words(want...)) {
		r.Errorf("the buffer holds % x; it should begin with % x", data, words(want...))
	}
}

func words(v ...uint32) (b []byte) {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}

func line(n int) metal.Size { return metal.Size{X: n, Y: 1, Z: 1} }

var constants = metal.FunctionConstants{0: uint32(3), 1: false}

func (r *rig) function(name string, c metal.FunctionConstants) metal.Function {
	r.Helper()
	f, err := r.l.NewFunction(name, c)
	r.ok(err)
	return f
}

func (r *rig) pipeline(name string, c metal.FunctionConstants) metal.ComputePipelineState {
	r.Helper()
	p, err := r.d.NewComputePipelineState(r.function(name, c))
	r.ok(err)
	return p
}

func (r *rig) encoder(t metal.DispatchType) (metal.ComputeCommandEncoder, metal.CommandBuffer) {
	r.Helper()
	c, err := r.q.CommandBuffer()
	r.ok(err)
	e, err := c.ComputeCommandEncoder(t)
	r.ok(err)
	return e, c
}

func (r *rig) filled(v ...uint32) metal.Buffer {
	r.Helper()
	b, err := r.d.NewBufferWithBytes(words(v...))
	r.ok(err)
	return b
}

// finish commits and waits.
func (r *rig) finish(e metal.ComputeCommandEncoder, c metal.CommandBuffer) {
	r.Helper()
	r.ok(e.EndEncoding())
	r.ok(c.Commit())
	r.ok(c.WaitUntilCompleted())
	if s := c.Status(); s != metal.Completed || c.Error() != nil {
		r.Errorf("the status is %d, and the error %v", s, c.Error())
	}
}
