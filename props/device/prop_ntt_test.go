package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
)

// TestPropShaderNTT judges all transforms of package shaders on each device, law by law, in every order of threads.
func TestPropShaderNTT(t *testing.T) {
	device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, device.Subjects[props.NTT](dev)...) })
}

// FuzzPropShaderNTT judges the transforms of package shaders on cases that Go's fuzzer makes.
func FuzzPropShaderNTT(f *testing.F) {
	props.FuzzAll(f, device.Subjects[props.NTT](device.FirstDevice(f))...)
}
