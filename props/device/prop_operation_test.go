package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/device"
)

// TestPropShaderOperation judges every operation of package shaders on each device, law by law, under every behaviour that it admits.
func TestPropShaderOperation(t *testing.T) {
	device.OnEachDevice(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, device.Subjects[props.Operation](dev)...) })
}

// FuzzPropShaderOperation judges the operations of package shaders on rows that Go's fuzzer makes.
func FuzzPropShaderOperation(f *testing.F) {
	props.FuzzAll(f, device.Subjects[props.Operation](device.FirstDevice(f))...)
}
