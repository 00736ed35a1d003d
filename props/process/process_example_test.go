package process_test

import (
	"testing"

	"gamma/model/formula"
	"gamma/props"
	"gamma/props/process"
)

// t stands for the test that the lines of an example are in.
var t *testing.T

// The file kernels.py imports gamma and NumPy, and has @gamma.kernel before each function that is called from here.
func ExamplePython() {
	p := process.Python(t, "kernels.py")
	props.Reduction{Name: "kernels.total", RunErr: p.Sum("total")}.Check(t)
	props.Kernel{Name: "kernels.softmax", Formula: formula.Softmax(formula.Vector("x")), Call: p.Kernel("softmax")}.Check(t)
}

// Any program that speaks the protocol is a client.
func ExampleStart() {
	p := process.Start(t, "julia", "kernels.jl")
	props.Dot{Name: "kernels.dot", Run64Err: p.Dot64("dot")}.Check(t)
}
