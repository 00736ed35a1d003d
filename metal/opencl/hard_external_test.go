package opencl_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/opencl"
	"gamma/metal/sim"
	"gamma/props/device"
)

// run runs one kernel of a source in threads of a grid on a buffer of bytes, and returns what the buffer holds then.
func run(d metal.Device, source, name string, grid, group metal.Size, data []byte, offset, shared int) ([]byte, error) {
	l, err := d.NewLibrary(source, metal.CompileOptions{})
	if err != nil {
		return nil, err
	}
	f, err := l.NewFunction(name, nil)
	if err != nil {
		return nil, err
	}
	p, err := d.NewComputePipelineState(f)
	if err != nil {
		return nil, err
	}
	b, err := d.NewBufferWithBytes(data)
	if err != nil {
		return nil, err
	}
	defer b.Release()
	q, err := d.NewCommandQueue()
	if err != nil {
		return nil, err
	}
	c, err := q.CommandBuffer()
	if err != nil {
		return nil, err
	}
	e, err := c.ComputeCommandEncoder(metal.Serial)
	if err != nil {
		return nil, err
	}
	err = errors.Join(e.SetComputePipelineState(p), e.SetBuffer(b, offset, 0), e.SetBytes([]byte{0, 0, 0, 0, 0, 16, 0, 0}, 1),
		e.SetThreadgroupMemoryLength(shared, 0), e.DispatchThreads(grid, group), e.EndEncoding(), c.Commit())
	if err != nil {
		return nil, err
	}
	if err := c.WaitUntilCompleted(); err != nil {
		return nil, err
	}
	got := make([]byte, len(data))
	return got, b.Read(0, got)
}

// edges writes what each thread is told, and what its threadgroup wrote before a barrier.
const edges = `#include <metal_stdlib>
using namespace metal;
kernel void edges(device uint* out [[buffer(0)]], threadgroup uint* t [[threadgroup(0)]],
                  uint3 at [[thread_position_in_grid]], uint3 grid [[threads_per_grid]], uint3 in_group [[thread_position_in_threadgroup]],
                  uint3 group [[threadgroup_position_in_grid]], uint3 width [[threads_per_threadgroup]],
                  uint3 nominal [[dispatch_threads_per_threadgroup]], uint lid [[thread_index_in_threadgroup]],
                  uint3 groups [[threadgroups_per_grid]])
{
    uint n = width.x * width.y * width.z;
    t[lid] = at.x * 7 + at.y * 31 + at.z * 101;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint s = 0;
    for (uint i = 0; i < n; i++) {
        s = s * 3 + t[i];
    }
    uint h = lid;
    h = h * 37 + in_group.x; h = h * 37 + in_group.y; h = h * 37 + in_group.z;
    h = h * 37 + group.x; h = h * 37 + group.y; h = h * 37 + group.z;
    h = h * 37 + width.x; h = h * 37 + width.y; h = h * 37 + width.z;
    h = h * 37 + nominal.x; h = h * 37 + nominal.y; h = h * 37 + nominal.z;
    h = h * 37 + groups.x + groups.y + groups.z;
    out[(at.z * grid.y + at.y) * grid.x + at.x] = s ^ h * 0x9e3779b9u;
}
kernel void free_edges(device uint* out [[buffer(0)]], uint3 at [[thread_position_in_grid]], uint3 grid [[threads_per_grid]],
                       uint3 in_group [[thread_position_in_threadgroup]], uint3 width [[threads_per_threadgroup]],
                       uint lid [[thread_index_in_threadgroup]])
{
    uint h = lid;
    h = h * 37 + in_group.x; h = h * 37 + in_group.y; h = h * 37 + in_group.z;
    h = h * 37 + width.x; h = h * 37 + width.y; h = h * 37 + width.z;
    out[(at.z * grid.y + at.y) * grid.x + at.x] = h;
}
`

// TestOpenCLEdges runs grids that are no multiple of the threadgroup in three dimensions, with barriers and without, as the simulator does;
// also without shared virtual memory, and in a child.
func TestOpenCLEdges(t *testing.T) {
	s := sim.New(sim.Options{})
	defer s.Release()
	list := map[string]opencl.Options{"here": {}}
	if thorough() {
		list["objects"], list["isolated"] = opencl.Options{NoSharedMemory: true}, opencl.Options{Isolate: true}
	}
	for name, o := range list {
		t.Run(name, func(t *testing.T) {
			d := open(t, o)
			for _, kernel := range []string{"edges", "free_edges"} {
				for _, x := range [][2]metal.Size{
					{{X: 7, Y: 5, Z: 3}, {X: 3, Y: 2, Z: 2}},
					{{X: 2, Y: 3, Z: 1}, {X: 4, Y: 4, Z: 1}},
				} {
					grid, group := x[0], x[1]
					data := make([]byte, 128+4*grid.X*grid.Y*grid.Z)
					want, err := run(s, edges, kernel, grid, group, data, 128, 4*((group.X*group.Y*group.Z+3)&^3))
					require.NoError(t, err)
					got, err := run(d, edges, kernel, grid, group, data, 128, 4*((group.X*group.Y*group.Z+3)&^3))
					require.NoError(t, err)
					require.Equal(t, want, got, "%s: grid %v, threadgroup %v", kernel, grid, group)
				}
			}
		})
	}
}

const hostile = `#include <metal_stdlib>
using namespace metal;
kernel void past(device uint* out [[buffer(0)]], constant ulong& at [[buffer(1)]]) { out[at] = 1; }
kernel void forever(device atomic_uint* out [[buffer(0)]]) { while (atomic_load_explicit(out, memory_order_relaxed) != 7u) {} }
kernel void good(device uint* out [[buffer(0)]]) { out[0] = 5; }
`

// last has the threadgroup that ends last add what all have stored, and each threadgroup's first thread read what its last has, which fences of both scopes order.
const last = `#include <metal_stdlib>
using namespace metal;
kernel void last(device atomic_uint* a [[buffer(0)]], threadgroup uint* t [[threadgroup(0)]],
                 uint group [[threadgroup_position_in_grid]], uint groups [[threadgroups_per_grid]], uint id [[thread_index_in_threadgroup]])
{
    atomic_fetch_add_explicit(&a[2 + group], group * 3 + id, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_threadgroup);
    threadgroup_barrier(mem_flags::mem_device);
    if (id == 0) {
        atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
        if (atomic_fetch_add_explicit(&a[0], 1, memory_order_relaxed) == groups - 1) {
            atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
            uint sum = 0;
            for (uint i = 0; i < groups; i++) { sum = sum * 5 + atomic_load_explicit(&a[2 + i], memory_order_relaxed); }
            atomic_store_explicit(&a[1], sum, memory_order_relaxed);
        }
    }
}`

// TestOpenCLFences: a driver takes fences with scopes, for which the text is of OpenCL C 3.0, and they order what the simulator's do.
func TestOpenCLFences(t *testing.T) {
	d := open(t, opencl.Options{})
	s := sim.New(sim.Options{})
	t.Cleanup(s.Release)
	for _, groups := range []int{1, 7, 64} {
		data := make([]byte, 4*(2+groups))
		grid, group := metal.Size{X: 16 * groups, Y: 1, Z: 1}, metal.Size{X: 16, Y: 1, Z: 1}
		want, err := run(s, last, "last", grid, group, data, 0, 16)
		require.NoError(t, err)
		got, err := run(d, last, "last", grid, group, data, 0, 16)
		require.NoError(t, err)
		require.Equal(t, want, got, "%d threadgroups", groups)
		require.NotZero(t, binary.LittleEndian.Uint32(got[4:]))
	}
}

// TestOpenCLHostile runs kernels that fault or never end in a child; the device goes on after each.
func TestOpenCLHostile(t *testing.T) {
	d := open(t, opencl.Options{Isolate: true, Timeout: time.Second})
	one := metal.Size{X: 1, Y: 1, Z: 1}
	good := func() {
		t.Helper()
		got, err := run(d, hostile, "good", one, one, make([]byte, 16), 0, 0)
		require.NoError(t, err)
		require.Equal(t, uint32(5), binary.LittleEndian.Uint32(got))
	}
	good()
	for _, name := range []string{"past", "forever"} {
		_, err := run(d, hostile, name, one, one, make([]byte, 16), 0, 0)
		t.Logf("%s: %.600v", name, err)
		var e *opencl.Error
		require.ErrorAs(t, err, &e)
		require.True(t, e.Lost)
		require.Contains(t, err.Error(), name)
		good()
	}
}

// TestOpenCLRefused: a bad kernel, buffer or device is refused, and the device goes on.
func TestOpenCLRefused(t *testing.T) {
	d := open(t, opencl.Options{MaxBuffer: 1 << 20})
	_, err := d.NewBuffer(1<<20 + 1)
	require.ErrorContains(t, err, "MaxBuffer")
	_, err = d.NewLibrary("kernel void f(device int* x [[buffer(0)]]) { x[0] = y; }", metal.CompileOptions{})
	require.ErrorContains(t, err, "program_source:1")
	one := metal.Size{X: 1, Y: 1, Z: 1}
	_, err = run(d, "#include <metal_stdlib>\nusing namespace metal;\nkernel void f(device float* x [[buffer(0)]]) { x[0] = simd_sum(x[0]); }", "f", one, one, make([]byte, 4), 0, 0)
	require.ErrorContains(t, err, "simd_sum is refused in OpenCL C")
	_, err = run(d, hostile, "good", one, metal.Size{X: 1025, Y: 1, Z: 1}, make([]byte, 16), 0, 0)
	require.ErrorContains(t, err, "MaxTotalThreadsPerThreadgroup")
	_, err = opencl.Open(opencl.Options{Device: 1000})
	require.ErrorContains(t, err, "no device 1000")
	_, err = opencl.Open(opencl.Options{Platform: "no such platform"})
	require.ErrorContains(t, err, "Options.Platform")
	_, err = run(d, hostile, "good", one, one, make([]byte, 16), 0, 0)
	require.NoError(t, err)
}

// TestOpenCLProtocol draws calls, legal and not.
func TestOpenCLProtocol(t *testing.T) {
	open(t, opencl.Options{}).Release()
	n := 5
	if thorough() {
		n = 300
	}
	device.Protocol{Name: "opencl", Sequences: n, New: func() (metal.Device, error) { return opencl.Open(opencl.Options{}) }}.Check(t)
}

// Example opens the first device, if there is one.
func Example() {
	d, err := opencl.Open(opencl.Options{})
	if err != nil {
		return // the reason to skip with
	}
	defer d.Release()
	fmt.Println(d.Properties().Kind)
}
