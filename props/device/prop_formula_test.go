package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// TestPropShaderFormula judges every kernel of package shaders that has a formula, on each device, under every behaviour that it admits.
func TestPropShaderFormula(t *testing.T) {
	for _, f := range shaders.Formulas() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { device.Shader(f, dev).(props.Kernel).Check(t) })
		})
	}
}

// FuzzPropShaderFormula judges these kernels on inputs that Go's fuzzer makes.
func FuzzPropShaderFormula(f *testing.F) {
	props.FuzzAll(f, device.Subjects[props.Kernel](device.FirstDevice(f))...)
}
