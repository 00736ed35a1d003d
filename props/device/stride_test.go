package device_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/formula"
	"gamma/props/device"
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
