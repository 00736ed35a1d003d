package device_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/internal/devices"
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
	devices.OnEach(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, shaderSubjects(dev)...) })
}

// shaderSubjects returns the sums and dot products of package shaders.
func shaderSubjects(dev metal.Device) (list []props.Subject) {
	for _, k := range shaders.All() {
		list = append(list, builtin.Shader(k, dev))
	}
	return list
}

// FuzzPropShader judges the kernels of package shaders on cases that Go's fuzzer makes.
func FuzzPropShader(f *testing.F) {
	props.FuzzAll(f, shaderSubjects(devices.First(f))...)
}
