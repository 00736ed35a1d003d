package props_test

import (
	"testing"

	"gamma/props"
)

// TestPropSum judges every sum and mean of package kernels, law by law.
func TestPropSum(t *testing.T) {
	var list []props.Subject
	for _, k := range everyKernel() {
		if !k.IsDot() {
			list = append(list, subjectOf(k))
		}
	}
	props.CheckAll(t, list...)
}
