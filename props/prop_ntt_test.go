package props_test

import (
	"testing"

	"gamma/kernels/ntt"
	"gamma/props"
)

// transforms returns the number-theoretic transforms of the Go kernels.
func transforms() []props.NTT {
	var list []props.NTT
	for _, k := range ntt.All() {
		list = append(list, props.NTT{Name: k.Name, Claim: k.Claim, Plan: k.Plan})
	}
	return list
}

// TestPropNTT judges every transform of the Go kernels.
func TestPropNTT(t *testing.T) {
	props.CheckAll(t, transforms()...)
}

// FuzzPropNTT judges the transforms of the Go kernels on cases that Go's fuzzer makes.
func FuzzPropNTT(f *testing.F) { props.FuzzAll(f, transforms()...) }

// TestTransformsNameWhatTheyRefuse: errors of our own transforms say which number is not claimed, which ntt.refuses holds them to.
func TestTransformsNameWhatTheyRefuse(t *testing.T) {
	for _, n := range transforms() {
		if !n.Claim.Names {
			t.Errorf("%s does not claim to name what it refuses", n.Name)
		}
	}
}
