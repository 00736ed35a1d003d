package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// TestPropShaderModular judges every operation on residues of package shaders on each device, law by law, under every behaviour that
// it admits.
func TestPropShaderModular(t *testing.T) {
	for _, m := range shaders.Modulars() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			device.Each(t, func(t *testing.T, dev metal.Device) { device.ShaderModular(m, dev).Check(t) })
		})
	}
}

// FuzzPropShaderModular judges the operations on residues of package shaders on rows that Go's fuzzer makes.
func FuzzPropShaderModular(f *testing.F) { props.FuzzAll(f, device.Modulars(device.First(f))...) }
