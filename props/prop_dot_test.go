package props_test

import (
	"testing"

	"gamma/props"
)

// TestPropDot judges every dot product and sum of squares of package kernels, law by law.
func TestPropDot(t *testing.T) {
	t.Cleanup(func() { t.Log("judged so far:\n" + props.Summary()) })
	for _, k := range everyKernel() {
		if !k.IsDot() {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			subjectOf(k).Check(t)
		})
	}
}
