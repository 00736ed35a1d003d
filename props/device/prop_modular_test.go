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
			device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { device.Shader(m, dev).(props.Modular).Check(t) })
		})
	}
}

// FuzzPropShaderModular judges the operations on residues of package shaders on rows that Go's fuzzer makes.
func FuzzPropShaderModular(f *testing.F) {
	props.FuzzAll(f, device.Subjects[props.Modular](device.FirstDevice(f))...)
}
