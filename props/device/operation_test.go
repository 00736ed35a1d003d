package device_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/model"
	"gamma/model/word"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/device"
	"gamma/props/judge"
	"gamma/shaders"
)

const timesSource = `#include <metal_stdlib>
using namespace metal;
#include "dd.h"

kernel void times(device const float4* x, device float2* z, constant uint& rows, uint i [[thread_position_in_grid]])
{
    if (i < rows) {
        z[i] = dw_times_dw3(x[i].xy, x[i].zw);
    }
}
`

func times(source string) device.Operation {
	return device.Operation{
		Name: "mydd.metal#times", Source: source, Function: "times", Options: metal.CompileOptions{Headers: shaders.Headers()}, Strict: true,
		Claim: word.Claim{Op: word.DWTimesDW, Algorithm: "DWTimesDW3", Exact: true},
	}
}

// findWord returns the report of a law's violation by an operation, or "".
func findWord(t *testing.T, o device.Operation, law string) string {
	t.Helper()
	p, err := device.Props(o)
	require.NoError(t, err)
	return findBy(t, judge.WordLaws(), p, law, 8000)
}

// findBy returns the report of a violation of one of laws by a subject, or "".
func findBy[J, C any](t *testing.T, laws []props.LawOf[J, C], s props.Subject, law string, checks int) string {
	t.Helper()
	for _, l := range laws {
		if string(l.ID) == law {
			f, judged, err := judge.Find(l, s, checks)
			require.NoError(t, err)
			require.Positive(t, judged)
			if f == nil {
				return ""
			}
			return f.Text()
		}
	}
	t.Fatalf("no law is called %s", law)
	return ""
}

// TestOperation: a shader is bound by the types of its arguments, or by host code of one's own, and its faults are found.
func TestOperation(t *testing.T) {
	host := times(timesSource)
	host.Host = func(r *device.Run, dst, src []float32) error {
		x, err := r.Buffer("x", device.Floats(src))
		if err != nil {
			return err
		}
		z, err := r.Empty("z", 4*len(dst))
		if err != nil {
			return err
		}
		if err := r.Dispatch("times", r.Launch(), x, z, uint32(r.N)); err != nil {
			return err
		}
		for i := range dst {
			if dst[i], err = r.Float(z, i); err != nil {
				return err
			}
		}
		return nil
	}
	for _, o := range []device.Operation{times(timesSource), host} {
		for _, law := range []string{"dd.mul", "word.program", "kernel.bounds"} {
			require.Empty(t, findWord(t, o, law), law)
		}
	}
	two := times(strings.Replace(timesSource, "dw_times_dw3", "dw_times_dw2", 1))
	require.Contains(t, findWord(t, two, "word.program"), "mydd.metal#times violates word.program")
	high := times(strings.Replace(timesSource, "x[i].zw", "float2(x[i].z, 0)", 1))
	require.Contains(t, findWord(t, high, "dd.mul"), "(4u²+u³/2)/(1+u)²")
	require.Contains(t, findWord(t, times(strings.Replace(timesSource, "i < rows", "true", 1)), "kernel.bounds"), "mydd.metal:8:")

	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{"device float2* z", "device float3* z", "float2 cannot be converted to float3"},
		{"z[i] = dw_times_dw3(x[i].xy, x[i].zw)", "z[i].xy = dw_times_dw3(x[i].xy, x[i].zw)", ""},
		{"constant uint& rows", "constant uint& rows, device float* more", "has an argument more of type"},
		{"device const float4* x", "device const int4& x", "error"},
		{"kernel void times", "kernel void plus", "times"},
	} {
		_, err := device.Props(times(strings.Replace(timesSource, c.old, c.new, 1)))
		if c.want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, c.want)
		}
	}
	o := times(timesSource)
	o.Claim.Op = word.TwoSum
	_, err := device.Props(o)
	require.ErrorContains(t, err, "reads elements of 16 bytes from x, and a row of sum 1,1 -> 2 has 8")
	o.Claim.Op.X = 9
	_, err = device.Props(o)
	require.ErrorContains(t, err, "Claim.Op: word: a sum of 9 and 1 words")
	require.Len(t, builtin.Subjects[props.Operation](nil), len(shaders.Operations()))
}

// TestLastRow: the report of an operation that never writes its last row says so, and names no algorithm in its place.
func TestLastRow(t *testing.T) {
	faulty := strings.Replace(timesSource, "if (i < rows) {", "if (i + 1 < rows) {", 1)
	require.NotEqual(t, timesSource, faulty)
	for _, law := range []string{"dd.mul", "dd.relative"} {
		text := findWord(t, times(faulty), law)
		if text == "" {
			continue
		}
		require.NotContains(t, text, "witness rows")
		require.Contains(t, strings.Join(strings.Fields(text), " "), "only the last one fails, and so does another row in its place")
		return
	}
	t.Fatal("the fault is not found")
}

// TestOperationByHost: the steps of an operation that host code does round to nearest where the device rounds toward zero, and are no fault; a host
// that says that it computes nothing is held to the device's rounding.
func TestOperationByHost(t *testing.T) {
	may := model.Behaviour{Rounding: model.TowardZero}
	sum := device.Operation{
		Name: "host.metal#sum", Source: timesSource, Function: "times", Options: metal.CompileOptions{Headers: shaders.Headers()}, Strict: true, Admits: &may,
		Claim: word.Claim{Op: word.TwoSum, Algorithm: "2Sum", Exact: true},
		Host: func(_ *device.Run, dst, src []float32) error {
			for i := 0; i < len(src); i += 2 {
				a, b := src[i], src[i+1]
				s := a + b
				v := s - a
				dst[i], dst[i+1] = s, (a-(s-v))+(b-v)
			}
			return nil
		},
	}
	require.Empty(t, findWord(t, sum, "word.program"))
	sum.HostCopies = true
	require.Contains(t, findWord(t, sum, "word.program"), "rounding zero")
}
