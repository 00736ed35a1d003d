package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// TestPropShaderNTT judges all transforms of package shaders on each device, law by law, in every order of threads.
func TestPropShaderNTT(t *testing.T) {
	for _, n := range shaders.NTTs() {
		t.Run(n.Name, func(t *testing.T) {
			t.Parallel()
			device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { device.Shader(n, dev).(props.NTT).Check(t) })
		})
	}
}

// FuzzPropShaderNTT judges the transforms of package shaders on cases that Go's fuzzer makes.
func FuzzPropShaderNTT(f *testing.F) {
	props.FuzzAll(f, device.Subjects[props.NTT](device.FirstDevice(f))...)
}
