package props_test

import (
	"testing"

	"gamma/kernels/montgomery"
	"gamma/props"
)

// modulars returns the Go kernels on residues.
func modulars() []props.Modular {
	var list []props.Modular
	for _, k := range montgomery.All() {
		list = append(list, props.Modular{Name: k.Name, Claim: k.Claim, Run: k.Run})
	}
	return list
}

// TestPropModular judges every kernel on residues, law by law.
func TestPropModular(t *testing.T) {
	props.CheckAll(t, modulars()...)
}

// FuzzPropModular judges the kernels on moduli and rows that Go's fuzzer makes.
func FuzzPropModular(f *testing.F) { props.FuzzAll(f, modulars()...) }
