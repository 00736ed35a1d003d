package apple

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
)

// conformance is run on the fake here, and on the devices of a Mac there.
var conformance = []struct {
	name string
	run  func(t *testing.T, d metal.Device)
}{
	{"buffers", conformBuffers},
	{"threads", conformThreads},
	{"threadgroups", conformThreadgroups},
	{"constants", conformConstants},
	{"headers", conformHeaders},
	{"concurrent", conformConcurrent},
	{"diagnostics", conformDiagnostics},
	{"lifetimes", conformLifetimes},
	{"shaders", conformShaders},
}

func TestConformance(t *testing.T) {
	for _, c := range conformance {
		t.Run(c.name, func(t *testing.T) {
			d, _ := opened(t, sim.Options{})
			c.run(t, d)
		})
	}
}

// ready returns a pipeline.
func ready(t *testing.T, d metal.Device, source, name string, o metal.CompileOptions, c metal.FunctionConstants) metal.ComputePipelineState {
	t.Helper()
	l, err := d.NewLibrary(source, o)
	require.NoError(t, err)
	defer l.Release()
	f, err := l.NewFunction(name, c)
	require.NoError(t, err)
	defer f.Release()
	p, err := d.NewComputePipelineState(f)
	require.NoError(t, err)
	t.Cleanup(p.Release)
	return p
}

// filled returns a buffer that holds words.
func filled(t *testing.T, d metal.Device, b []byte) metal.Buffer {
	t.Helper()
	x, err := d.NewBufferWithBytes(b)
	require.NoError(t, err)
	t.Cleanup(x.Release)
	return x
}

// pass runs what f encodes and returns what the command buffer says.
func pass(t *testing.T, d metal.Device, kind metal.DispatchType, f func(e metal.ComputeCommandEncoder)) metal.CommandBuffer {
	t.Helper()
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	c, err := q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(kind)
	require.NoError(t, err)
	f(e)
	require.NoError(t, e.EndEncoding())
	require.NoError(t, c.Commit())
	return c
}

func line(n int) metal.Size { return metal.Size{X: n, Y: 1, Z: 1} }

func held(t *testing.T, b metal.Buffer) (list []uint32) {
	t.Helper()
	data := make([]byte, b.Length())
	require.NoError(t, b.Read(0, data))
	for i := range len(data) / 4 {
		list = append(list, binary.LittleEndian.Uint32(data[4*i:]))
	}
	return list
}

func conformBuffers(t *testing.T, d metal.Device) {
	b, err := d.NewBuffer(10)
	require.NoError(t, err)
	require.Equal(t, 10, b.Length())
	require.NoError(t, b.Write(2, []byte{1, 2, 3}))
	got := make([]byte, 3)
	require.NoError(t, b.Read(2, got))
	require.Equal(t, []byte{1, 2, 3}, got)
	require.NoError(t, b.Read(10, nil))
	require.ErrorContains(t, b.Read(8, got), "read of bytes 8 to 11 of the buffer, which has 10; stay inside")
	b.SetLabel("numbers")
	require.Equal(t, "numbers", b.Label())
	require.ErrorContains(t, b.Write(-1, got), `of the buffer "numbers"`)
	b.Release()
	b.Release()
	require.ErrorContains(t, b.Read(0, got), "was released")
	b.SetLabel("late")
	for _, n := range []int{0, -1, d.Properties().MaxBufferLength + 1} {
		_, err := d.NewBuffer(n)
		require.Error(t, err)
	}
	_, err = d.NewBufferWithBytes(nil)
	require.ErrorContains(t, err, "ask for one byte or more")
}

const addSource = `
#include <metal_stdlib>
using namespace metal;
kernel void add(device const float *x [[buffer(0)]], device float *y [[buffer(1)]], constant float &c [[buffer(2)]],
                uint2 i [[thread_position_in_grid]], uint2 n [[threads_per_grid]])
{
    y[i.y * n.x + i.x] = x[i.y * n.x + i.x] + c;
}
`

func conformThreads(t *testing.T, d metal.Device) {
	p := ready(t, d, addSource, "add", metal.CompileOptions{}, nil)
	require.Equal(t, 0, p.StaticThreadgroupMemoryLength())
	x, y := filled(t, d, floats(9, 1, 2, 3, 4, 5, 6)), filled(t, d, make([]byte, 24))
	c := pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(x, 4, 0))
		require.NoError(t, e.SetBuffer(y, 0, 1))
		require.NoError(t, e.SetBytes(floats(0.5), 2))
		require.NoError(t, e.DispatchThreads(metal.Size{X: 3, Y: 2, Z: 1}, metal.Size{X: 2, Y: 2, Z: 1}))
	})
	require.NoError(t, c.WaitUntilCompleted())
	require.NoError(t, c.WaitUntilCompleted())
	require.Equal(t, metal.Completed, c.Status())
	require.NoError(t, c.Error())
	require.Positive(t, c.GPUTime())
	require.Equal(t, floats(1.5, 2.5, 3.5, 4.5, 5.5, 6.5), words(held(t, y)...))
}

func conformThreadgroups(t *testing.T, d metal.Device) {
	p := ready(t, d, `
#include <metal_stdlib>
using namespace metal;
kernel void total(device const uint *x, device uint *y, threadgroup uint *part [[threadgroup(0)]],
                  uint i [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]], uint n [[threads_per_threadgroup]])
{
    threadgroup uint spare[4];
    part[i] = x[g * n + i];
    if (i < 4) spare[i] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint s = n / 2; s > 0; s /= 2) {
        if (i < s) part[i] += part[i + s];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (i == 0) y[g] = part[0] + spare[3];
}`, "total", metal.CompileOptions{}, nil)
	require.Equal(t, 16, p.StaticThreadgroupMemoryLength())
	var list []uint32
	for i := range uint32(64) {
		list = append(list, i)
	}
	x, y := filled(t, d, words(list...)), filled(t, d, make([]byte, 16))
	c := pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(x, 0, 0))
		require.NoError(t, e.SetBuffer(y, 0, 1))
		require.ErrorContains(t, e.DispatchThreadgroups(line(4), line(16)), "call SetThreadgroupMemoryLength(bytes, 0)")
		require.NoError(t, e.SetThreadgroupMemoryLength(64, 0))
		require.NoError(t, e.DispatchThreadgroups(line(4), line(16)))
	})
	require.NoError(t, c.WaitUntilCompleted())
	require.Equal(t, []uint32{123, 379, 635, 891}, held(t, y))
}

func conformConstants(t *testing.T, d metal.Device) {
	const source = `
#include <metal_stdlib>
using namespace metal;
constant bool  a [[function_constant(0)]];
constant char  b [[function_constant(1)]];
constant uchar c [[function_constant(2)]];
constant short e [[function_constant(3)]];
constant ushort f [[function_constant(4)]];
constant int   g [[function_constant(5)]];
constant uint  h [[function_constant(6)]];
constant long  i [[function_constant(7)]];
constant ulong j [[function_constant(8)]];
constant float k [[function_constant(9)]];
constant half  l [[function_constant(10)]];
kernel void show(device uint *y)
{
    y[0] = a ? 1 : 0;
    y[1] = uint(int(b));
    y[2] = c;
    y[3] = uint(int(e));
    y[4] = f;
    y[5] = uint(g);
    y[6] = h;
    y[7] = uint(i >> 32);
    y[8] = uint(j >> 32);
    y[9] = as_type<uint>(k);
    y[10] = as_type<uint>(float(l));
}`
	p := ready(t, d, source, "show", metal.CompileOptions{}, metal.FunctionConstants{
		0: true, 1: int8(-2), 2: uint8(200), "e": int16(-3), "f": uint16(60000), 5: int32(-4), 6: uint32(1 << 31), 7: int64(-1 << 32), 8: uint64(5 << 32),
		"k": float32(1.5), 10: metal.Half(0x3c00),
	})
	y := filled(t, d, make([]byte, 44))
	c := pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(y, 0, 0))
		require.NoError(t, e.DispatchThreadgroups(line(1), line(1)))
	})
	require.NoError(t, c.WaitUntilCompleted())
	const minus = ^uint32(0)
	require.Equal(t, []uint32{1, minus - 1, 200, minus - 2, 60000, minus - 3, 1 << 31, minus, 5, 0x3fc00000, one}, held(t, y))

	l, err := d.NewLibrary(source, metal.CompileOptions{})
	require.NoError(t, err)
	defer l.Release()
	for _, x := range []struct {
		c    metal.FunctionConstants
		want string
	}{
		{metal.FunctionConstants{0: 1}, "its value is a int; use bool"},
		{metal.FunctionConstants{5: float32(1)}, "function constant 5 is of type int in the source, and a Go float32 is float"},
		{metal.FunctionConstants{"q": true}, "the source has no function constant q"},
		{metal.FunctionConstants{99: true}, "the source has no function constant 99"},
		{metal.FunctionConstants{-1: true}, "an index is 0 to 65535"},
		{metal.FunctionConstants{"": true}, "name is empty"},
		{metal.FunctionConstants{1.5: true}, "its key is a float64"},
	} {
		_, err := l.NewFunction("show", x.c)
		require.ErrorContains(t, err, x.want)
	}
}

func conformHeaders(t *testing.T, d metal.Device) {
	p := ready(t, d, `#include "lib/a.h"
#include "lib/a.h"
#import "lib/b.h"
kernel void k(device uint *y) { y[0] = A + B + TWICE(3); y[1] = __LINE__; y[2] = D EMPTY; }
`, "k", metal.CompileOptions{
		FileName: "k.metal", Macros: map[string]string{"D": "11", "TWICE(x)": "((x) * 2)", "EMPTY": ""},
		Headers: map[string]string{"lib/a.h": "#pragma once\n#include \"b.h\"\nconstant uint A = 1;", "lib/b.h": "#ifndef B_H\n#define B_H\nconstant uint B = 10;\n#endif\n"},
	}, nil)
	y := filled(t, d, make([]byte, 12))
	c := pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(y, 0, 0))
		require.NoError(t, e.DispatchThreadgroups(line(1), line(1)))
	})
	require.NoError(t, c.WaitUntilCompleted())
	require.Equal(t, []uint32{17, 4, 11}, held(t, y))
}

func conformConcurrent(t *testing.T, d metal.Device) {
	p := ready(t, d, `kernel void up(device uint *y, uint i [[thread_position_in_grid]]) { y[i] += 1; }`, "up", metal.CompileOptions{}, nil)
	y := filled(t, d, words(5, 6))
	c := pass(t, d, metal.Concurrent, func(e metal.ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(y, 0, 0))
		for range 3 {
			require.NoError(t, e.DispatchThreadgroups(line(1), line(2)))
			require.NoError(t, e.MemoryBarrier())
		}
	})
	require.NoError(t, c.WaitUntilCompleted())
	require.Equal(t, []uint32{8, 9}, held(t, y))
}

func conformDiagnostics(t *testing.T, d metal.Device) {
	_, err := d.NewLibrary("kernel void k(device uint *y) {\n    y[0] = unknown;\n}\n", metal.CompileOptions{FileName: "wrong.metal"})
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Contains(t, e.Text, "wrong.metal:2:")
	require.NotContains(t, e.Text, "program_source")
	require.Equal(t, "MTLLibraryErrorDomain", e.Domain)
	l, err := d.NewLibrary("kernel void one(device uint *y) { y[0] = 1; }\nkernel void another(device uint *y) { y[0] = 2; }\n", metal.CompileOptions{})
	require.NoError(t, err)
	defer l.Release()
	require.Equal(t, []string{"one", "another"}, l.FunctionNames(), "in the order of the source")
	_, err = l.NewFunction("two", nil)
	require.ErrorContains(t, err, `no function called "two"; it has "one", "another"`)
	for _, o := range []metal.CompileOptions{
		{MathMode: 9}, {MathFunctions: 9}, {Macros: map[string]string{"1x": "2"}}, {Macros: map[string]string{"X": "a\nb"}},
	} {
		_, err = d.NewLibrary("", o)
		require.Error(t, err)
	}
	_, err = d.NewLibrary("// \x00", metal.CompileOptions{})
	require.ErrorContains(t, err, "holds a zero byte, at byte 3")
	_, err = d.NewLibrary("// \xff", metal.CompileOptions{})
	require.ErrorContains(t, err, "is not UTF-8")
}

// conformLifetimes: what was recorded lives until it has run, whatever the user released.
func conformLifetimes(t *testing.T, d metal.Device) {
	p := ready(t, d, `kernel void up(device uint *y, uint i [[thread_position_in_grid]]) { y[i] += 1; }`, "up", metal.CompileOptions{}, nil)
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	c, err := q.CommandBuffer()
	require.NoError(t, err)
	e, err := c.ComputeCommandEncoder(metal.Serial)
	require.NoError(t, err)
	a, b := filled(t, d, words(1)), filled(t, d, words(2))
	require.NoError(t, e.SetComputePipelineState(p))
	for _, x := range []metal.Buffer{a, b} {
		require.NoError(t, e.SetBuffer(x, 0, 0))
		require.NoError(t, e.DispatchThreadgroups(line(1), line(1)))
	}
	require.NoError(t, e.EndEncoding())
	a.Release()
	p.Release()
	q.Release()
	require.NoError(t, c.Commit())
	require.NoError(t, c.WaitUntilCompleted())
	require.Equal(t, []uint32{3}, held(t, b))
	_, err = q.CommandBuffer()
	require.ErrorContains(t, err, "the command queue was released")
}
