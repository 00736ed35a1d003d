package props

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/conv"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/fourier"
)

func lawOfKernels(t *testing.T, id model.LawID) KernelLaw {
	t.Helper()
	for _, l := range FormulaLaws() {
		if l.ID == id {
			return l
		}
	}
	t.Fatalf("there is no law %s", id)
	return KernelLaw{}
}

// TestPipelineProfiles judges pipelines of every profile that can be: by its error, and by the places where it rounds.
func TestPipelineProfiles(t *testing.T) {
	profiles := 0
	for bits := range 1 << 6 {
		for norm := range fourier.NormNone {
			is := func(i int) bool { return bits>>i&1 != 0 }
			p := conv.Profile{
				Name: fmt.Sprintf("%06b_%v", bits, norm), Norm: norm,
				Freq: is(0), Average: is(1), Product: is(2), Taps: is(3), FFT: is(4), Strict: is(5),
			}
			if p.FFT && !p.Product {
				continue
			}
			profiles++
			for _, id := range []model.LawID{model.PipelineOneRounding, model.PipelineRoundings} {
				c, _, _, err := Search(lawOfKernels(t, id), formulaSubject(p.Kernel()), 20)
				require.NoError(t, err, "%+v", p)
				require.Nil(t, c, "%s: %+v", id, p)
			}
		}
	}
	require.Equal(t, 144, profiles)
}

// TestRoundingsAreSeen holds that pipeline.roundings alone sees another rounding at each place where the extended pipeline might have one.
func TestRoundingsAreSeen(t *testing.T) {
	for _, name := range []string{"Stream", "Spectrum", "Product", "Inverse", "Bias"} {
		m, ok := mutants.FindFormula("mutants.ConvRounds" + name)
		require.True(t, ok, name)
		c, _, _, err := Search(lawOfKernels(t, model.PipelineRoundings), formulaSubject(m.Kernel), 200)
		require.NoError(t, err)
		require.NotNil(t, c, name)
	}
}
