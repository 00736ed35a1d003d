package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
)

// TestPropShaderFFT judges all Fourier transforms of package shaders on each device, law by law, in every order of threads.
func TestPropShaderFFT(t *testing.T) {
	device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, device.Subjects[props.FFT](dev)...) })
}

// FuzzPropShaderFFT judges the Fourier transforms of package shaders on inputs that Go's fuzzer makes.
func FuzzPropShaderFFT(f *testing.F) {
	props.FuzzAll(f, device.Subjects[props.FFT](device.FirstDevice(f))...)
}
