package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/internal/devices"
)

// TestPropShaderModular judges every operation on residues of package shaders on each device, law by law, under every behaviour that
// it admits.
func TestPropShaderModular(t *testing.T) {
	devices.OnEach(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, builtin.Subjects[props.Modular](dev)...) })
}

// FuzzPropShaderModular judges the operations on residues of package shaders on rows that Go's fuzzer makes.
func FuzzPropShaderModular(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.Modular](devices.First(f))...)
}
