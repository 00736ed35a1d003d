package device_test

import (
	"testing"

	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// TestPropShaderModular judges every operation on residues of package shaders on the simulator, law by law, under every behaviour that
// it admits.
func TestPropShaderModular(t *testing.T) {
	for _, m := range shaders.Modulars() {
		t.Run(m.Name, func(t *testing.T) {
			t.Parallel()
			device.ShaderModular(m, nil).Check(t)
		})
	}
}

// FuzzPropShaderModular judges the operations on residues of package shaders on rows that Go's fuzzer makes.
func FuzzPropShaderModular(f *testing.F) { props.FuzzModulars(f, device.Modulars(nil)...) }
