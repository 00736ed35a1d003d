package device_test

import (
	"testing"

	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// TestPropShaderOperation judges every operation of package shaders on the simulator, law by law, under every behaviour that it admits.
func TestPropShaderOperation(t *testing.T) {
	for _, o := range shaders.Operations() {
		t.Run(o.Name, func(t *testing.T) {
			t.Parallel()
			device.ShaderOperation(o, nil).Check(t)
		})
	}
}

// FuzzPropShaderOperation judges the operations of package shaders on rows that Go's fuzzer makes.
func FuzzPropShaderOperation(f *testing.F) { props.FuzzOperations(f, device.Operations(nil)...) }
