package props_test

import (
	"testing"

	"gamma/props"
)

// TestPropSum judges every sum and mean of package kernels, law by law.
func TestPropSum(t *testing.T) {
	t.Cleanup(func() { t.Log("judged so far:\n" + props.Summary()) })
	for _, k := range everyKernel() {
		if k.IsDot() {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			subjectOf(k).Check(t)
		})
	}
}
