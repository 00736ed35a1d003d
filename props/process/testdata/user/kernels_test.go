package kernels

import (
	"testing"

	"gamma/model/formula"
	"gamma/props"
	"gamma/props/process"
)

func TestSoftmax(t *testing.T) {
	p := process.Python(t, "kernels.py")
	softmax := formula.Softmax(formula.Vector("x"))
	props.Kernel{Name: "kernels.softmax", Formula: softmax, Call: p.Kernel("softmax"), Min: map[string]int{"n": 1}}.Check(t)
}
