package device_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// TestReference: with Setting.Reference the same host code runs on the simulator beside hardware, in the arithmetic that the hardware says it
// has; without, on the hardware.
func TestReference(t *testing.T) {
	small := float32(1e-40)
	flushing := model.Behaviour{Flush: model.Flush{In: true, Out: true}}
	for _, c := range []struct {
		name     string
		dev      *fake
		own, ref float32
	}{
		{"as it says", newFake(model.Behaviour{}), small, small},
		{"flushes and says so", newFake(flushing), 0, 0},
		{"flushes and does not say so", newLiar(model.Behaviour{}, flushing), 0, small},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := shaders.All()[0]
			require.NotNil(t, k.Sum32, k.Name)
			r := device.Shader(k, c.dev).(props.Reduction)
			require.True(t, r.Device.Hardware)
			require.Equal(t, "fake", r.Device.Kind)
			require.Equal(t, "sim", r.Device.Reference)
			require.False(t, r.Device.Checked)
			own := device.Reduction{
				Name: "my.metal#sum", Function: "sum", Device: c.dev,
				Source: `kernel void sum(device const float* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]])
{ if (i == 0) { float s = 0; for (uint k = 0; k < n; k++) { s += x[k]; } out[0] = s; } }`,
			}
			p, err := own.Props()
			require.NoError(t, err)
			run := func(r props.Reduction, at props.Setting) float32 {
				v, err := r.RunOn(at, []float32{small, 0})
				require.NoError(t, err)
				return v
			}
			for _, r := range []props.Reduction{r, p} {
				l := r.Device.Launches(2)[0]
				require.Equal(t, c.own, run(r, props.Setting{Launch: l}))
				require.Equal(t, c.ref, run(r, props.Setting{Launch: l, Reference: true}))
				require.Equal(t, c.own, run(r, props.Setting{Launch: l}))
			}
		})
	}
}
