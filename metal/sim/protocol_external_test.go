package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

// protocol is a source with a kernel for every kind of argument.
const protocol = `#include <metal_stdlib>
using namespace metal;
kernel void copy(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], constant uint &n [[buffer(2)]],
                 uint i [[thread_position_in_grid]]) {
    if (i < n) out[i] = in[i];
}
kernel void shared_(device float *out [[buffer(0)]], threadgroup float *tmp [[threadgroup(3)]], uint i [[thread_index_in_threadgroup]]) {
    tmp[i] = float(i);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = tmp[i ^ 1];
}
[[max_total_threads_per_threadgroup(64)]] kernel void small(device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = 1.0f;
}
struct Wide { ulong a; ulong b; };
kernel void wide(device ulong *out [[buffer(0)]], constant Wide &w [[buffer(1)]]) { out[0] = w.a + w.b; }
kernel void own(device float *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
    threadgroup float tmp[4096];
    tmp[i] = 2.0f;
    out[i] = tmp[i];
}
kernel void endless(device uint *out [[buffer(0)]]) { while (true) out[0] += 1; }
constant uint factor [[function_constant(0)]];
constant bool extra [[function_constant(1)]];
kernel void scaled(device uint *out [[buffer(0)]], device const uint *more [[buffer(1), function_constant(extra)]],
                   uint i [[thread_position_in_grid]]) {
    out[i] = factor * i;
    if (extra) out[i] += more[i];
}
`

// stand is a device with all that a dispatch needs.
type stand struct {
	t *testing.T
	d *sim.Device
	l metal.Library
	q metal.CommandQueue
}

func newStand(t *testing.T, o sim.Options) *stand {
	t.Helper()
	s := &stand{t: t, d: sim.New(o)}
	var err error
	s.l, err = s.d.NewLibrary(protocol, metal.CompileOptions{FileName: "protocol.metal"})
	require.NoError(t, err)
	s.q, err = s.d.NewCommandQueue()
	require.NoError(t, err)
	return s
}

func (s *stand) pipeline(name string, constants metal.FunctionConstants) metal.ComputePipelineState {
	s.t.Helper()
	f, err := s.l.NewFunction(name, constants)
	require.NoError(s.t, err)
	p, err := s.d.NewComputePipelineState(f)
	require.NoError(s.t, err)
	return p
}

func (s *stand) encoder(t metal.DispatchType) (metal.ComputeCommandEncoder, metal.CommandBuffer) {
	s.t.Helper()
	c, err := s.q.CommandBuffer()
	require.NoError(s.t, err)
	e, err := c.ComputeCommandEncoder(t)
	require.NoError(s.t, err)
	return e, c
}

func (s *stand) buffer(n int) metal.Buffer {
	s.t.Helper()
	b, err := s.d.NewBuffer(n)
	require.NoError(s.t, err)
	return b
}

func TestThreadgroupMemoryIsOneSum(t *testing.T) {
	s := newStand(t, sim.Options{MaxThreadgroupMemory: 8192})
	f, err := s.l.NewFunction("own", nil)
	require.NoError(t, err)
	_, err = s.d.NewComputePipelineState(f)
	require.ErrorContains(t, err, "kernel own (protocol.metal:17:13) needs 16384 bytes of threadgroup memory and the device has 8192")
	e, _ := s.encoder(metal.Serial)
	require.NoError(t, e.SetComputePipelineState(pipeline(t, s.d, `
		kernel void both(device float *out [[buffer(0)]], threadgroup float *a [[threadgroup(0)]], threadgroup float *b [[threadgroup(1)]],
		                 uint i [[thread_index_in_threadgroup]]) {
			threadgroup float c[256];
			a[i] = 1.0f; b[i] = 2.0f; c[i] = 3.0f;
			out[i] = a[i] + b[i] + c[i];
		}`, "both")))
	out := s.buffer(64)
	require.NoError(t, e.SetBuffer(out, 0, 0))
	require.NoError(t, e.SetThreadgroupMemoryLength(4096, 0))
	require.NoError(t, e.SetThreadgroupMemoryLength(4096, 1))
	require.ErrorContains(t, e.DispatchThreads(line(16), line(16)), "9216 bytes of threadgroup memory, variables and arguments together, are more than the device has, 8192")
	require.NoError(t, e.SetThreadgroupMemoryLength(3072, 1))
	require.NoError(t, e.DispatchThreads(line(16), line(16)))
}

// TestCommitRuns: the work is done when Commit returns.
func TestCommitRuns(t *testing.T) {
	s := newStand(t, sim.Options{})
	e, c := s.encoder(metal.Serial)
	out := s.buffer(4)
	require.NoError(t, e.SetComputePipelineState(s.pipeline("small", nil)))
	require.NoError(t, e.SetBuffer(out, 0, 0))
	require.NoError(t, e.DispatchThreads(line(1), line(1)))
	require.NoError(t, e.EndEncoding())
	require.NoError(t, c.Commit())
	require.Equal(t, metal.Completed, c.Status())
	require.Positive(t, c.GPUTime())
	require.Equal(t, []uint32{math.Float32bits(1)}, read(t, out))
	_, err := s.d.Outcomes(c, 1, func(sim.Outcome) bool { return true })
	require.ErrorContains(t, err, "Outcomes: the command buffer was committed")
	s.d.Release()
	_, err = s.d.Outcomes(c, 1, nil)
	require.ErrorContains(t, err, "the device was released")
}

// TestMaxBuffer: released bytes are free again, once, and releasing a copy of a device gives back what it made.
func TestMaxBuffer(t *testing.T) {
	d := sim.New(sim.Options{MaxBuffer: 100})
	for _, n := range []int{101, math.MaxInt} {
		_, err := d.NewBuffer(n)
		require.ErrorContains(t, err, "does not fit: 0 of 100 bytes are in use")
	}
	b, err := d.NewBuffer(4)
	require.NoError(t, err)
	_, err = d.NewBuffer(97)
	require.ErrorContains(t, err, "4 of 100 bytes are in use")
	b.Release()
	b.Release()
	_, err = d.NewBuffer(100)
	require.NoError(t, err)
	_, err = d.NewBuffer(1)
	require.ErrorContains(t, err, "100 of 100 bytes are in use")

	d = sim.New(sim.Options{MaxBuffer: 100})
	c := d.With(model.Behaviour{Order: "reverse"})
	b, err = c.NewBuffer(40)
	require.NoError(t, err)
	_, err = c.NewBuffer(50)
	require.NoError(t, err)
	b.Release()
	c.Release()
	b.Release()
	_, err = d.NewBuffer(100)
	require.NoError(t, err)
	_, err = d.NewBuffer(1)
	require.ErrorContains(t, err, "100 of 100 bytes are in use")
}

// TestStepsOfLaunching: a grid that would use up the budget by being launched is refused.
func TestStepsOfLaunching(t *testing.T) {
	s := newStand(t, sim.Options{})
	e, c := s.encoder(metal.Serial)
	require.NoError(t, e.SetComputePipelineState(s.pipeline("small", nil)))
	require.NoError(t, e.SetBuffer(s.buffer(64), 0, 0))
	for _, grid := range []metal.Size{{X: 1 << 31, Y: 1 << 31, Z: 1 << 31}, line(1 << 31)} {
		require.ErrorContains(t, e.DispatchThreads(grid, line(1)), "would use up the budget of 1073741824 steps")
	}
	require.NoError(t, finish(t, e, c))
}
