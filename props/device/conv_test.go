package device_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/device"
	"gamma/shaders"
)

// TestConvolutionRepeats holds the steps of a long convolution to the same bits in every order of threads, simdgroups and threadgroups.
func TestConvolutionRepeats(t *testing.T) {
	steps := 0
	for _, f := range shaders.Formulas() {
		if !strings.HasPrefix(f.Name, "shaders/conv.metal#") {
			continue
		}
		steps++
		k := device.Shader(f, sim.New(sim.Options{})).(props.Kernel)
		k.Repeats = true
		for _, l := range props.FormulaLaws() {
			if l.ID == model.KernelSchedule {
				c, judged, _, err := props.Search(l, k, 40)
				require.NoError(t, err, f.Name)
				require.Nil(t, c, f.Name)
				require.Positive(t, judged, f.Name)
			}
		}
	}
	require.Equal(t, 4, steps)
}
