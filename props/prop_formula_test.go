package props

import (
	"slices"
	"testing"

	"gamma/kernels/conv"
	"gamma/kernels/nn"
	"gamma/kernels/trig"
)

// formulaSubject returns a Go kernel as a subject.
func formulaSubject(k nn.Kernel) Kernel {
	return Kernel{
		Name: k.Name, Formula: k.Formula, Claim: k.Claim, Out: k.Out, Min: k.Min, Max: k.Max, Fixed: k.Fixed, InPlace: k.InPlace,
		Call: func(c *KernelCall) error { k.Run(c); return nil },
	}
}

// TestPropFormula judges every kernel that computes a formula.
func TestPropFormula(t *testing.T) {
	var list []Kernel
	for _, k := range slices.Concat(nn.All(), nn.Float16(), nn.BFloat16(), nn.Binary64(), nn.DoubleWord(), trig.All(), conv.All()) {
		list = append(list, formulaSubject(k))
	}
	CheckAll(t, list...)
}

// FuzzPropConvolution judges the convolutions on inputs that Go's fuzzer makes.
func FuzzPropConvolution(f *testing.F) {
	var list []Kernel
	for _, k := range conv.All() {
		list = append(list, formulaSubject(k))
	}
	FuzzAll(f, list...)
}
