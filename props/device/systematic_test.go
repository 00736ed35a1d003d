package device_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/model/word"
	"gamma/props/device"
)

// TestPropReassociated judges a product whose error term fast mathematics loses, where TestReassociated asks for it.
func TestPropReassociated(t *testing.T) {
	if os.Getenv("GAMMA_TEST_REASSOCIATED") == "" {
		t.Skip("only a child of TestReassociated runs it")
	}
	device.Operation{
		Name: "mydd.metal#lost", Function: "lost", Strict: true, Options: metal.CompileOptions{MathMode: metal.MathFast},
		Claim: word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW3"},
		Source: `#include <metal_stdlib>
using namespace metal;
kernel void lost(device const float4* x, device float2* z, constant uint& rows, uint i [[thread_position_in_grid]])
{
    if (i < rows) {
        float4 v = x[i];
        float h = v.x * v.z;
        float l = fma(v.x, v.z, -h) + fma(v.y, v.z, fma(v.x, v.w, v.y * v.w));
        float s = h + l;
        z[i] = float2(s, l - (s - h));
    }
}
`,
	}.Check(t)
}

// TestReassociated: a claim that reassociation breaks fails at every seed.
func TestReassociated(t *testing.T) {
	t.Parallel()
	for _, seed := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		_, text, passed := runFake(t, "sound", "^TestPropReassociated$", "GAMMA_TEST_REASSOCIATED=1", "GAMMA_DEVICE=sim", "GAMMA_BUDGET=1m", "GAMMA_LAW=dd.mul", "GAMMA_SEED="+seed)
		require.False(t, passed, "seed %s: %s", seed, text)
		require.Contains(t, text, "mydd.metal#lost violates dd.mul", "seed %s", seed)
	}
}
