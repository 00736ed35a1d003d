package device_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props"
	"gamma/props/device"
	"gamma/props/judge"
)

const scaleSource = `#include <metal_stdlib>
using namespace metal;

kernel void scale(device const float* x, device float* dst, constant uint& rows, constant uint& n, constant uint& ldx, constant uint& ldd,
                  uint2 at [[thread_position_in_grid]])
{
    if (at.x < n && at.y < rows) { dst[at.y * ldd + at.x] = 3.0f * x[at.y * ldx + at.x]; }
}
`

// scale returns the shader with part of its text replaced.
func scale(old, text string) device.Kernel {
	return device.Kernel{
		Name: "mine.metal#scale", Source: strings.Replace(scaleSource, old, text, 1), Function: "scale",
		Formula: formula.Mul(formula.Const(3), formula.Matrix("x", "rows", "n")), Bind: "ldx=x.rows ldd=dst.rows", Grid: "n/threads rows",
	}
}

// TestKernelStrides: a shader is told strides by Bind, and judged with memory between rows.
func TestKernelStrides(t *testing.T) {
	for _, c := range []struct {
		k         device.Kernel
		law, want string
	}{
		{scale("", ""), "formula.enclosure", ""},
		{scale("", ""), "kernel.init", ""},
		{scale("", ""), "kernel.bounds", ""},
		{scale("at.y * ldx", "at.y * n"), "formula.enclosure", "it is right where arrays are dense"},
		{scale("at.y * ldd", "at.y * ldx"), "formula.enclosure", "wrote to place"},
		{scale("at.x < n", "at.x < ldx"), "formula.enclosure", "wrote to place"},
		{scale("at.x < n &&", "at.x + 1 < n &&"), "kernel.init", "uninitialised in host code"},
	} {
		text := findFormula(t, c.k, c.law)
		require.Equal(t, c.want == "", text == "", "%s\n%s", c.law, text)
		require.Contains(t, text, c.want)
	}
	for bind, want := range map[string]string{
		"ldx=y.rows ldd=n": `"y.rows" is neither an axis of the inputs`,
	} {
		k := scale("", "")
		k.Bind = bind
		_, err := device.Props(k)
		require.ErrorContains(t, err, want)
	}
}

const sumStridedSource = `#include <metal_stdlib>
using namespace metal;

kernel void asum(device const TYPE* x, device TYPE* dst, constant uint& n, constant int& incx, uint at [[thread_position_in_threadgroup]])
{
    if (at == 0) {
        TYPE s = 0;
        for (uint i = 0; i < n; i++) { s += x[i * incx]; }
        dst[0] = s;
    }
}

kernel void dot(constant uint& n, device const TYPE* x, constant uint& incx, device const TYPE* y, constant uint& incy, device TYPE* dst,
                uint at [[thread_position_in_threadgroup]])
{
    if (at == 0) {
        TYPE s = 0;
        for (uint i = 0; i < n; i++) { s += x[i * incx] * y[i * incy]; }
        dst[0] = s;
    }
}
`

// strided returns the source with numbers of a type, and part of its text replaced.
func strided(number, old, text string) string {
	return strings.Replace(strings.ReplaceAll(sumStridedSource, "TYPE", number), old, text, 1)
}

// TestVectorStrides: shaders that sum and multiply what lies apart are told how far, by arguments of BLAS's names or by host code, and judged with
// memory between.
func TestVectorStrides(t *testing.T) {
	const dense = "right where arrays are dense"
	half := model.Claim{In: model.Binary16, Out: model.Binary16}
	sum := func(claim model.Claim, number, old, text string) device.Reduction {
		return device.Reduction{Name: "mine.metal#asum", Source: strided(number, old, text), Function: "asum", Claim: claim}
	}
	dot := func(claim model.Claim, number, old, text string) device.Dot {
		return device.Dot{Name: "mine.metal#dot", Source: strided(number, old, text), Function: "dot", Claim: claim}
	}
	hosted, hostedDot := sum(model.Claim{}, "float", "", ""), dot(model.Claim{}, "float", "", "")
	hosted.HostStrided = func(r *device.Run, x []float32, incx int) (float32, error) {
		in, err := r.Buffer("x", x)
		out, e := r.Empty("dst", 4)
		if err = errors.Join(err, e, r.Dispatch("asum", r.Launch(), in, out, uint32(r.N), int32(incx))); err != nil {
			return 0, err
		}
		return r.Float(out, 0)
	}
	hostedDot.HostStrided = func(r *device.Run, x []float32, incx int, y []float32, incy int) (float32, error) {
		a, err := r.Buffer("x", x)
		b, e1 := r.Buffer("y", y)
		out, e2 := r.Empty("dst", 4)
		if err = errors.Join(err, e1, e2, r.Dispatch("dot", r.Launch(), uint32(r.N), a, uint32(incx), b, uint32(incy), out)); err != nil {
			return 0, err
		}
		return r.Float(out, 0)
	}
	wrongHost := hosted
	wrongHost.HostStrided = func(r *device.Run, x []float32, _ int) (float32, error) { return hosted.HostStrided(r, x, 1) }
	for _, c := range []struct {
		s    any
		want string
	}{
		{sum(model.Claim{}, "float", "", ""), ""},
		{sum(half, "half", "", ""), ""},
		{dot(model.Claim{}, "float", "", ""), ""},
		{dot(half, "half", "", ""), ""},
		{hosted, ""},
		{hostedDot, ""},
		{sum(model.Claim{}, "float", "x[i * incx]", "x[i]"), dense},
		{sum(half, "half", "x[i * incx]", "x[i]"), dense},
		{dot(model.Claim{}, "float", "y[i * incy]", "y[min(i * incx, (n - 1) * incy)]"), dense},
		{dot(model.Claim{}, "float", "x[i * incx] *", "x[i] *"), dense},
		{wrongHost, dense},
	} {
		text := ""
		switch s := c.s.(type) {
		case device.Reduction:
			p, err := device.Props(s)
			require.NoError(t, err)
			text = foundVectors(t, p, model.SumEnclosure)
		case device.Dot:
			p, err := device.Props(s)
			require.NoError(t, err)
			text = foundVectors(t, p, model.DotEnclosure)
		}
		require.Equal(t, c.want == "", text == "", "%+v\n%s", c.s, text)
		require.Contains(t, strings.Join(strings.Fields(text), " "), c.want)
	}
	k := dot(model.Claim{}, "float", "", "")
	k.Source = strings.ReplaceAll(k.Source, "incy", "stride")
	_, err := device.Props(k)
	require.ErrorContains(t, err, "set Host")
}

// foundVectors returns the report of the first case that violates a law, "" if none does.
func foundVectors(t *testing.T, s props.Subject, id model.LawID) string {
	t.Helper()
	l, err := judge.LawByID(judge.Laws(), id)
	require.NoError(t, err)
	f, _, err := judge.Find(l, s, 200)
	require.NoError(t, err)
	if f == nil {
		return ""
	}
	return f.Text()
}

// TestLongVectors: a shader that takes more leaves than an index of 16 bits counts is judged with so many.
func TestLongVectors(t *testing.T) {
	t.Setenv("GAMMA_CHECKS", "20")
	for index, right := range map[string]bool{"i": true, "ushort(i)": false} {
		p, err := device.Props(device.Reduction{
			Name: "mine.metal#long", Function: "total", MaxN: 70000, Launches: func(int) []model.Launch { return []model.Launch{model.Launch1D(1, 1)} },
			Source: `#include <metal_stdlib>
using namespace metal;

kernel void total(device const float* x, device float* dst, constant uint& n)
{
    float s = 0;
    for (uint i = 0; i < n; i++) { s += x[` + index + `]; }
    dst[0] = s;
}
`,
		})
		require.NoError(t, err)
		require.Equal(t, right, foundVectors(t, p, model.SumIntegers) == "", index)
	}
}
