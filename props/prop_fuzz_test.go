package props_test

import (
	"testing"

	"gamma/props"
)

// FuzzPropSum judges the sums of package kernels on cases that Go's fuzzer makes.
func FuzzPropSum(f *testing.F) { fuzzKernels(f, false) }

// FuzzPropDot judges the dot products of package kernels on cases that Go's fuzzer makes.
func FuzzPropDot(f *testing.F) { fuzzKernels(f, true) }

func fuzzKernels(f *testing.F, dots bool) {
	f.Helper()
	var subjects []props.Subject
	for _, k := range everyKernel() {
		if k.IsDot() == dots {
			subjects = append(subjects, subjectOf(k))
		}
	}
	props.FuzzAll(f, subjects...)
}
