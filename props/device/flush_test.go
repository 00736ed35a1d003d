package device_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/formula"
	"gamma/props/device"
)

// TestSignOfFlushedZero: on a device that may do all that Metal admits, a shader that divides by what may be flushed gives infinities of both signs and is right, and with the wrong sign
// elsewhere it is not.
func TestSignOfFlushedZero(t *testing.T) {
	over := func(text string) device.Kernel {
		return device.Kernel{
			Name: "mine.metal#over", Function: "over", Formula: formula.Div(formula.Const(1), formula.Abs(formula.Vector("x"))), Claim: formula.Claim{Functions: formula.MetalPrecise},
			Source: `#include <metal_stdlib>
using namespace metal;
kernel void over(device const float* x, device float* dst, constant uint& n, uint j [[thread_position_in_threadgroup]], uint count [[threads_per_threadgroup]])
{
    for (uint i = j; i < n; i += count) { dst[i] = ` + text + `; }
}
`,
		}
	}
	require.Empty(t, findFormula(t, over("1.0f / fabs(x[i])"), "formula.enclosure"))
	require.Contains(t, findFormula(t, over("-1.0f / fabs(x[i])"), "formula.enclosure"), "violates formula.enclosure")
}
