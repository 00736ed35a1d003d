package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// TestPropShaderFFT judges all Fourier transforms of package shaders on each device, law by law, in every order of threads.
func TestPropShaderFFT(t *testing.T) {
	for _, f := range shaders.FFTs() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { device.Shader(f, dev).(props.FFT).Check(t) })
		})
	}
}

// FuzzPropShaderFFT judges the Fourier transforms of package shaders on inputs that Go's fuzzer makes.
func FuzzPropShaderFFT(f *testing.F) {
	props.FuzzAll(f, device.Subjects[props.FFT](device.FirstDevice(f))...)
}
