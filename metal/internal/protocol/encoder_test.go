package protocol

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
)

const bindings = `#include <metal_stdlib>
using namespace metal;
constant bool more [[function_constant(0)]];
struct four { float4 v[2]; };
kernel void bound(device float* x [[buffer(0)]], constant four& f [[buffer(1)]], threadgroup float4* t [[threadgroup(0)]],
                  threadgroup uint* u [[threadgroup(1)]], device const uint* spare [[buffer(2), function_constant(more)]],
                  device uint2* wide [[buffer(3)]], uint i [[thread_position_in_grid]])
{
    t[0] = f.v[0]; u[0] = i;
    x[i] = t[0].x; wide[i] = uint2(u[0]);
}
kernel void [[max_total_threads_per_threadgroup(64)]] small(device float* x [[buffer(0)]]) { x[0] = 1.0f; }
kernel void unbuildable(device float* x [[buffer(0)]]) { x[0] = 1.0f; }
`

// rig is a device with a pipeline and what is bound.
type rig struct {
	b    *goBackend
	d    *Device
	l    metal.Library
	p    metal.ComputePipelineState
	x    metal.Buffer
	cb   metal.CommandBuffer
	e    metal.ComputeCommandEncoder
	size metal.Size
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{b: &goBackend{}, size: metal.Size{X: 8, Y: 1, Z: 1}}
	r.d = onGo(r.b)
	var err error
	r.l, err = r.d.NewLibrary(bindings, metal.CompileOptions{})
	require.NoError(t, err)
	r.p = r.pipeline(t, "bound")
	r.x, err = r.d.NewBufferWithBytes(make([]byte, 256))
	require.NoError(t, err)
	q, err := r.d.NewCommandQueue()
	require.NoError(t, err)
	r.cb, err = q.CommandBuffer()
	require.NoError(t, err)
	r.e, err = r.cb.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	return r
}

func (r *rig) pipeline(t *testing.T, name string) metal.ComputePipelineState {
	t.Helper()
	f, err := r.l.NewFunction(name, metal.FunctionConstants{0: false})
	require.NoError(t, err)
	p, err := r.d.NewComputePipelineState(f)
	require.NoError(t, err)
	return p
}

// bind binds all that bound wants.
func (r *rig) bind(t *testing.T) {
	t.Helper()
	require.NoError(t, r.e.SetComputePipelineState(r.p))
	require.NoError(t, r.e.SetBuffer(r.x, 64, 0))
	require.NoError(t, r.e.SetBytes(make([]byte, 32), 1))
	require.NoError(t, r.e.SetThreadgroupMemoryLength(16, 0))
	require.NoError(t, r.e.SetThreadgroupMemoryLength(48, 1))
	require.NoError(t, r.e.SetBuffer(r.x, 8, 3))
}

// TestDispatch hands on what was bound: places, lengths, sizes; bytes that are only read once, though two dispatches read them.
func TestDispatch(t *testing.T) {
	r := newRig(t)
	r.bind(t)
	require.NoError(t, r.e.DispatchThreads(metal.Size{X: 10, Y: 3, Z: 1}, metal.Size{X: 4, Y: 2, Z: 1}))
	require.NoError(t, r.e.DispatchThreadgroups(metal.Size{X: 2, Y: 1, Z: 1}, r.size))
	require.NoError(t, r.e.SetBytes(append(make([]byte, 31), 7), 1))
	require.NoError(t, r.e.DispatchThreadgroups(metal.Size{X: 2, Y: 1, Z: 1}, r.size))
	require.NoError(t, r.e.EndEncoding())
	require.Equal(t, metal.NotEnqueued, r.cb.Status())
	require.NoError(t, r.cb.Commit())
	require.NoError(t, r.cb.WaitUntilCompleted())
	require.Equal(t, metal.Completed, r.cb.Status())
	require.Len(t, r.b.done, 3)
	d := r.b.done[0]
	require.Equal(t, [3]int{10, 3, 1}, d.Grid)
	require.Equal(t, [3]int{3, 2, 1}, d.Groups)
	require.Equal(t, [3]int{4, 2, 1}, d.Threads)
	require.Equal(t, 64, d.Threadgroup)
	m := r.b.done[0].Args[0].Memory
	require.Equal(t, []Arg{
		{Buffer, m, 64, 192, 0},
		{Bytes, nil, 0, 32, 1},
		{Threadgroup, nil, 0, 16, 0},
		{Threadgroup, nil, 16, 48, 1},
		{Index: 2},
		{Buffer, m, 8, 248, 3},
	}, d.Args)
	require.Equal(t, [3]int{16, 1, 1}, r.b.done[1].Grid)
	require.Equal(t, 0, r.b.done[1].Args[1].Offset)
	require.Equal(t, bytesAlign, r.b.done[2].Args[1].Offset)
	require.Len(t, r.b.bytes, bytesAlign+32)
	require.False(t, d.Whole(), "10 is no multiple of 4")
	require.True(t, r.b.done[1].Whole())
	r.d.Release()
	require.True(t, r.b.closed)
}

// TestRefused refuses what is bound wrongly, with the place and the fix, and encodes nothing.
func TestRefused(t *testing.T) {
	one := metal.Size{X: 1, Y: 1, Z: 1}
	for want, spoil := range map[string]func(r *rig) error{
		"nothing is bound for x [[buffer(0)]]":           func(r *rig) error { return r.e.SetBuffer(nil, 0, 0) },
		"needs 32; bind more":                            func(r *rig) error { return r.e.SetBytes(make([]byte, 31), 1) },
		"not a multiple of the alignment":                func(r *rig) error { return r.e.SetBuffer(r.x, 4, 3) },
		"t [[threadgroup(0)]]":                           func(r *rig) error { return r.e.SetThreadgroupMemoryLength(0, 0) },
		"bytes of threadgroup memory, variables and arg": func(r *rig) error { return r.e.SetThreadgroupMemoryLength(4032, 1) },
		"the buffer was released":                        func(r *rig) error { r.x.Release(); return nil },
		"buffer \"leaves\" was released":                 func(r *rig) error { r.x.SetLabel("leaves"); r.x.Release(); return nil },
		"threads is larger than the pipeline's":          func(r *rig) error { r.size.X = 513; return nil },
		"threads is empty":                               func(r *rig) error { r.size.Y = 0; return nil },
		"more than 64 along z":                           func(r *rig) error { r.size = metal.Size{X: 1, Y: 1, Z: 65}; return nil },
	} {
		t.Run(want, func(t *testing.T) {
			r := newRig(t)
			defer r.d.Release()
			r.bind(t)
			require.NoError(t, spoil(r))
			err := r.e.DispatchThreadgroups(one, r.size)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "go: DispatchThreadgroups: ")
			require.Error(t, r.e.DispatchThreads(one, r.size))
			require.NoError(t, r.e.EndEncoding())
			require.NoError(t, r.cb.Commit())
			require.Empty(t, r.b.done)
		})
	}
}

// TestCalls refuses single calls that cannot be.
func TestCalls(t *testing.T) {
	r, other := newRig(t), newRig(t)
	one := metal.Size{X: 1, Y: 1, Z: 1}
	require.ErrorContains(t, r.e.DispatchThreads(one, one), "no kernel is set")
	r.bind(t)
	for want, err := range map[string]error{
		"no index 31":              r.e.SetBuffer(r.x, 0, 31),
		"no index -1":              r.e.SetBytes([]byte{1}, -1),
		"outside the buffer":       r.e.SetBuffer(r.x, 256, 0),
		"1 to 4096 are possible":   r.e.SetBytes(make([]byte, 4097), 1),
		"multiple of 16":           r.e.SetThreadgroupMemoryLength(8, 0),
		"more than the device has": r.e.SetThreadgroupMemoryLength(1<<20, 0),
		"the buffer is of another": r.e.SetBuffer(other.x, 0, 0),
		"the pipeline is of an":    r.e.SetComputePipelineState(other.p),
		"the pipeline, a <nil>":    r.e.SetComputePipelineState(nil),
		"threadgroups along x":     r.e.DispatchThreadgroups(metal.Size{X: 1<<20 + 1, Y: 1, Z: 1}, one),
		"more than 2^32-1":         r.e.DispatchThreadgroups(metal.Size{X: 1 << 30, Y: 1, Z: 1}, metal.Size{X: 512, Y: 1, Z: 1}),
		"so many threads are not":  r.e.DispatchThreads(metal.Size{X: 1<<20 - 1, Y: 1, Z: 1}, one),
		"has nothing to run":       r.e.DispatchThreads(metal.Size{}, one),
		"still open":               r.cb.Commit(),
		"was not committed":        r.cb.WaitUntilCompleted(),
	} {
		require.ErrorContains(t, err, want)
		require.True(t, strings.HasPrefix(err.Error(), "go: "), err)
	}
	require.NoError(t, r.e.SetComputePipelineState(r.pipeline(t, "small")))
	require.ErrorContains(t, r.e.DispatchThreads(one, metal.Size{X: 65, Y: 1, Z: 1}), "MaxTotalThreadsPerThreadgroup, 64")
	f, err := r.l.NewFunction("unbuildable", metal.FunctionConstants{0: false})
	require.NoError(t, err)
	_, err = r.d.NewComputePipelineState(f)
	require.ErrorContains(t, err, "go: kernel unbuildable (program_source:")
	_, err = r.l.NewFunction("none", nil)
	require.ErrorContains(t, err, `it has "bound", "small", "unbuildable"`)
	_, err = r.d.NewBuffer(1 << 20)
	require.ErrorContains(t, err, "256 of 1048576 bytes")
	_, err = r.d.NewBuffer(0)
	require.Error(t, err)
	require.NoError(t, r.e.EndEncoding())
	require.ErrorContains(t, r.e.EndEncoding(), "has ended before")
	require.ErrorContains(t, r.e.SetBytes([]byte{1}, 0), "has ended")
	require.NoError(t, r.cb.Commit())
	require.ErrorContains(t, r.cb.Commit(), "committed before")
	r.x.Release()
	r.x.Release()
	require.Zero(t, r.b.live)
	r.d.Release()
	r.d.Release()
	_, err = r.d.NewBuffer(4)
	require.ErrorContains(t, err, "the device was released")
}
