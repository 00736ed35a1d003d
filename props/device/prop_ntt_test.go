package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/internal/devices"
)

// TestPropShaderNTT judges all transforms of package shaders on each device, law by law, in every order of threads.
func TestPropShaderNTT(t *testing.T) {
	devices.OnEach(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, builtin.Subjects[props.NTT](dev)...) })
}

// FuzzPropShaderNTT judges the transforms of package shaders on cases that Go's fuzzer makes.
func FuzzPropShaderNTT(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.NTT](devices.First(f))...)
}
