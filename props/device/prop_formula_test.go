package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/internal/devices"
)

// TestPropShaderFormula judges every kernel of package shaders that has a formula, on each device, under every behaviour that it admits.
func TestPropShaderFormula(t *testing.T) {
	devices.OnEach(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, builtin.Subjects[props.Kernel](dev)...) })
}

// FuzzPropShaderFormula judges these kernels on inputs that Go's fuzzer makes.
func FuzzPropShaderFormula(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.Kernel](devices.First(f))...)
}
