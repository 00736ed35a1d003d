package builtin_test

import (
	"testing"

	"gamma/metal"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/internal/devices"
	"gamma/shaders"
)

// onEach judges the shaders of one kind on each device, law by law, under every behaviour that they admit, in every order of threads.
func onEach[S props.Subject](t *testing.T, subjects func(dev metal.Device) []S) {
	t.Helper()
	devices.OnEach(t, func(t *testing.T, dev metal.Device) { props.CheckAll(t, subjects(dev)...) })
}

// vectorShaders returns the sums and dot products of package shaders.
func vectorShaders(dev metal.Device) (list []props.Subject) {
	for _, k := range shaders.All() {
		list = append(list, builtin.Shader(k, dev))
	}
	return list
}

// TestPropShader judges every sum and dot product of package shaders.
func TestPropShader(t *testing.T) { onEach(t, vectorShaders) }

// FuzzPropShader judges them on cases that Go's fuzzer makes.
func FuzzPropShader(f *testing.F) { props.FuzzAll(f, vectorShaders(devices.First(f))...) }

// TestPropShaderOperation judges every operation on words of package shaders.
func TestPropShaderOperation(t *testing.T) { onEach(t, builtin.Subjects[props.Operation]) }

// FuzzPropShaderOperation judges them on rows that Go's fuzzer makes.
func FuzzPropShaderOperation(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.Operation](devices.First(f))...)
}

// TestPropShaderModular judges every operation on residues of package shaders.
func TestPropShaderModular(t *testing.T) { onEach(t, builtin.Subjects[props.Modular]) }

// FuzzPropShaderModular judges them on rows that Go's fuzzer makes.
func FuzzPropShaderModular(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.Modular](devices.First(f))...)
}

// TestPropShaderNTT judges all number-theoretic transforms of package shaders.
func TestPropShaderNTT(t *testing.T) { onEach(t, builtin.Subjects[props.NTT]) }

// FuzzPropShaderNTT judges them on cases that Go's fuzzer makes.
func FuzzPropShaderNTT(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.NTT](devices.First(f))...)
}

// TestPropShaderFFT judges all Fourier transforms of package shaders.
func TestPropShaderFFT(t *testing.T) { onEach(t, builtin.Subjects[props.FFT]) }

// FuzzPropShaderFFT judges them on inputs that Go's fuzzer makes.
func FuzzPropShaderFFT(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.FFT](devices.First(f))...)
}

// TestPropShaderFormula judges every kernel of package shaders that computes a formula.
func TestPropShaderFormula(t *testing.T) { onEach(t, builtin.Subjects[props.Kernel]) }

// FuzzPropShaderFormula judges them on inputs that Go's fuzzer makes.
func FuzzPropShaderFormula(f *testing.F) {
	props.FuzzAll(f, builtin.Subjects[props.Kernel](devices.First(f))...)
}
