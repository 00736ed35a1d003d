package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/internal/devices"
)

// TestPropShaderFFT judges all Fourier transforms of package shaders on each device, law by law, in every order of threads.
func TestPropShaderFFT(t *testing.T) {
	devices.OnEach(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, builtin.Subjects[props.FFT](dev)...) })
}

// FuzzPropShaderFFT judges the Fourier transforms of package shaders on inputs that Go's fuzzer makes.
func FuzzPropShaderFFT(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.FFT](devices.First(f))...)
}
