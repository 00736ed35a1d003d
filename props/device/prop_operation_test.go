package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// TestPropShaderOperation judges every operation of package shaders on each device, law by law, under every behaviour that it admits.
func TestPropShaderOperation(t *testing.T) {
	for _, o := range shaders.Operations() {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { device.Shader(o, dev).(props.Operation).Check(t) })
		})
	}
}

// FuzzPropShaderOperation judges the operations of package shaders on rows that Go's fuzzer makes.
func FuzzPropShaderOperation(f *testing.F) {
	props.FuzzAll(f, device.Subjects[props.Operation](device.FirstDevice(f))...)
}
