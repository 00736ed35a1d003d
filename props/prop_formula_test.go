package props_test

import (
	"testing"

	"gamma/kernels/nn"
	"gamma/props"
)

// formulaKernel returns a Go kernel as a subject.
func formulaKernel(k nn.Kernel) props.Kernel {
	return props.Kernel{
		Name: k.Name, Formula: k.Formula, Claim: k.Claim, Out: k.Out, Min: k.Min,
		Call: func(c *props.KernelCall) error { k.Run(c); return nil },
	}
}

// TestPropFormula judges every kernel that computes a formula.
func TestPropFormula(t *testing.T) {
	for _, k := range nn.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			formulaKernel(k).Check(t)
		})
	}
}
