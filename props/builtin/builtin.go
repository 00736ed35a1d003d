// Package builtin makes subjects of the shaders that come with Gamma, those of package shaders, for Gamma's own tests and for programs that
// judge a device by them. Shaders of yours are literals of package device, which link none of these.
package builtin

import (
	"gamma/metal"
	"gamma/props"
	"gamma/shaders"
)

// Shader makes a subject of a kernel, an operation, an operation on residues, transforms or a kernel with a formula of package shaders, or of one of
// the same form, on dev; nil is a simulator that checks everything. It is a props.Reduction or props.Dot, a props.Operation, a props.Modular, a
// props.NTT, a props.FFT or a props.Kernel.
func Shader[K shaders.Kernel | shaders.Operation | shaders.Modular | shaders.NTT | shaders.FFT | shaders.Formula](k K, dev metal.Device) props.Subject {
	switch k := any(k).(type) {
	case shaders.Operation:
		return shaderOperation(k, dev)
	case shaders.Modular:
		return shaderModular(k, dev)
	case shaders.NTT:
		return shaderNTT(k, dev)
	case shaders.FFT:
		return shaderFFT(k, dev)
	case shaders.Formula:
		return shaderFormula(k, dev)
	case shaders.Kernel:
		return shaderKernel(k, dev)
	}
	panic("builtin: a kind of shader without a subject")
}

// Subjects returns the subjects of one type for what package shaders has, on dev; nil is a simulator that checks everything.
// Subjects[props.Modular] are the operations on residues, Subjects[props.Subject] all there are.
func Subjects[S props.Subject](dev metal.Device) []S {
	var list []S
	list = append(list, subjects[S](shaders.All(), dev)...)
	list = append(list, subjects[S](shaders.Operations(), dev)...)
	list = append(list, subjects[S](shaders.Modulars(), dev)...)
	list = append(list, subjects[S](shaders.NTTs(), dev)...)
	list = append(list, subjects[S](shaders.FFTs(), dev)...)
	return append(list, subjects[S](shaders.Formulas(), dev)...)
}

// subjects returns those of one type among the subjects of some shaders.
func subjects[S props.Subject, K shaders.Kernel | shaders.Operation | shaders.Modular | shaders.NTT | shaders.FFT | shaders.Formula](all []K, dev metal.Device) (list []S) {
	for _, k := range all {
		if s, ok := Shader(k, dev).(S); ok {
			list = append(list, s)
		}
	}
	return list
}
