package apple

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/protocoltest"
	"gamma/metal/sim"
)

// conformance is run on the fake here, and on the devices of a Mac there.
var conformance = []struct {
	name string
	run  func(t *testing.T, d metal.Device)
}{
	{"constants", conformConstants},
	{"headers", conformHeaders},
	{"diagnostics", conformDiagnostics},
	{"shaders", conformShaders},
}

// TestProtocol holds the device to the protocol of all devices.
func TestProtocol(t *testing.T) {
	protocoltest.Suite{Open: func(t *testing.T) metal.Device {
		d, _ := opened(t, sim.Options{})
		return d
	}}.Run(t)
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

const addSource = `
#include <metal_stdlib>
using namespace metal;
kernel void add(device const float *x [[buffer(0)]], device float *y [[buffer(1)]], constant float &c [[buffer(2)]],
                uint2 i [[thread_position_in_grid]], uint2 n [[threads_per_grid]])
{
    y[i.y * n.x + i.x] = x[i.y * n.x + i.x] + c;
}
`

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
constant int3  m [[function_constant(11)]];
constant float2 n [[function_constant(12)]];
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
    y[11] = uint(m.x + 10 * m.y + 100 * m.z);
    y[12] = as_type<uint>(n.y);
}`
	p := ready(t, d, source, "show", metal.CompileOptions{}, metal.FunctionConstants{
		0: true, 1: int8(-2), 2: uint8(200), "e": int16(-3), "f": uint16(60000), 5: int32(-4), 6: uint32(1 << 31), 7: int64(-1 << 32), 8: uint64(5 << 32),
		"k": float32(1.5), 10: metal.Half(0x3c00), 11: [3]int32{1, 2, 3}, "n": [2]float32{4, 1},
	})
	y := filled(t, d, make([]byte, 52))
	c := pass(t, d, metal.Serial, func(e metal.ComputeCommandEncoder) {
		require.NoError(t, e.SetComputePipelineState(p))
		require.NoError(t, e.SetBuffer(y, 0, 0))
		require.NoError(t, e.DispatchThreadgroups(line(1), line(1)))
	})
	require.NoError(t, c.WaitUntilCompleted())
	const minus = ^uint32(0)
	require.Equal(t, []uint32{1, minus - 1, 200, minus - 2, 60000, minus - 3, 1 << 31, minus, 5, 0x3fc00000, one, 321, one}, held(t, y))

	l, err := d.NewLibrary(source, metal.CompileOptions{})
	require.NoError(t, err)
	defer l.Release()
	for _, x := range []struct {
		c    metal.FunctionConstants
		want string
	}{
		{metal.FunctionConstants{0: 1}, "its value is a int; use bool"},
		{metal.FunctionConstants{5: float32(1)}, "function constant 5 is of type int in the source, and a Go float32 is float"},
		{metal.FunctionConstants{11: [2]int32{1, 2}}, "function constant 11 is of type int3 in the source, and a Go [2]int32 is int2"},
		{metal.FunctionConstants{11: [5]int32{}}, "its value is a [5]int32; an array has 2 to 4 elements"},
		{metal.FunctionConstants{11: [3]string{}}, "its value is a string; use bool"},
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
