package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// subject is what a Reduction and a Dot have in common.
type subject interface {
	props.Subject
	Check(t *testing.T)
	Replay(t *testing.T)
}

// TestPropShader judges every kernel of package shaders on each device, law by law, under every behaviour that it admits.
func TestPropShader(t *testing.T) {
	t.Cleanup(func() { t.Log("judged so far:\n" + props.Summary()) })
	for _, k := range shaders.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { device.Shader(k, dev).(subject).Check(t) })
		})
	}
}

// FuzzPropShader judges the kernels of package shaders on cases that Go's fuzzer makes.
func FuzzPropShader(f *testing.F) {
	dev := device.FirstDevice(f)
	var list []props.Subject
	for _, k := range shaders.All() {
		list = append(list, device.Shader(k, dev))
	}
	props.FuzzAll(f, list...)
}
