package msl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl"
)

// TestFields: the numbers in structures have the places that Metal gives them.
func TestFields(t *testing.T) {
	lib, err := msl.Compile(`#include <metal_stdlib>
using namespace metal;
struct Inner { half h; float3 v; };
struct Outer { int n; ulong stride; Inner in; uchar q[6]; };
kernel void k(device const Outer* x, constant Inner& p, device float* y, threadgroup Inner* t, uint i [[thread_position_in_grid]]) { y[i] = x[i].in.h; }
`, msl.Options{})
	require.NoError(t, err)
	fields := lib.Functions()[0].Fields
	inner := []msl.Field{{Name: "h", TypeName: "half", Offset: 0, Size: 2, Length: 1}, {Name: "v", TypeName: "float3", Offset: 16, Size: 16, Length: 1}}
	require.Equal(t, map[string][]msl.Field{
		"x": {
			{Name: "n", TypeName: "int", Offset: 0, Size: 4, Length: 1},
			{Name: "stride", TypeName: "ulong", Offset: 8, Size: 8, Length: 1},
			{Name: "in.h", TypeName: "half", Offset: 16, Size: 2, Length: 1},
			{Name: "in.v", TypeName: "float3", Offset: 32, Size: 16, Length: 1},
			{Name: "q", TypeName: "uchar", Offset: 48, Size: 1, Length: 6},
		},
		"p": inner, "t": inner,
	}, fields)
}
