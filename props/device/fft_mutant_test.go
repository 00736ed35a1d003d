package device_test

import (
	"testing"

	"gamma/metal/sim"
	"gamma/model"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/judge"
	"gamma/shaders/mutants"
)

// TestFFTShaderKillMatrix lets every law of Fourier transforms look at every mutant of a shader.
func TestFFTShaderKillMatrix(t *testing.T) {
	all, laws := mutants.FFTs(), judge.FFTLaws()
	ids := make([]model.LawID, len(laws))
	for i := range laws {
		ids[i] = laws[i].ID
	}
	rows := make([]mutantRow, len(all))
	for i, m := range all {
		f := builtin.Shader(m.FFT, sim.New(sim.Options{Workers: 1, Steps: mutantSteps})).(props.FFT)
		rows[i] = mutantRow{
			name: m.FFT.Name, fault: m.Fault, kills: m.Kills, survives: m.Survives,
			search: func(law, cases int) (int, props.Verdict, error) {
				_, first, v, err := judge.Search(laws[law], f, cases)
				return first, v, err
			},
			report: func(law, cases int) string {
				found, _, _ := judge.Find(laws[law], f, cases)
				return found.Text()
			},
		}
	}
	killMatrix(t, "testdata/kill-matrix-fourier.txt", ids, rows,
		model.FFTError, model.FFTEntry, model.FFTTypical, model.FFTExact, model.FFTRoundtrip, model.KernelRace, model.KernelBounds)
}
