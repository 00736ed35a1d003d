package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/internal/devices"
)

// TestPropShaderOperation judges every operation of package shaders on each device, law by law, under every behaviour that it admits.
func TestPropShaderOperation(t *testing.T) {
	devices.OnEach(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, builtin.Subjects[props.Operation](dev)...) })
}

// FuzzPropShaderOperation judges the operations of package shaders on rows that Go's fuzzer makes.
func FuzzPropShaderOperation(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.Operation](devices.First(f))...)
}
