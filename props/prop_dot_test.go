package props_test

import (
	"testing"

	"gamma/props"
)

// TestPropDot judges every dot product and sum of squares of package kernels, law by law.
func TestPropDot(t *testing.T) {
	var list []props.Subject
	for _, k := range everyKernel() {
		if k.IsDot() {
			list = append(list, subjectOf(k))
		}
	}
	props.CheckAll(t, list...)
}
