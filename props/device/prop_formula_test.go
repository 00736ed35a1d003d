package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
)

// TestPropShaderFormula judges every kernel of package shaders that has a formula, on each device, under every behaviour that it admits.
func TestPropShaderFormula(t *testing.T) {
	device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, device.Subjects[props.Kernel](dev)...) })
}

// FuzzPropShaderFormula judges these kernels on inputs that Go's fuzzer makes.
func FuzzPropShaderFormula(f *testing.F) {
	props.FuzzAll(f, device.Subjects[props.Kernel](device.FirstDevice(f))...)
}
