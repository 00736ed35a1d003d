package device_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/metal/sim"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/judge"
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
		k := builtin.Shader(f, sim.New(sim.Options{})).(props.Kernel)
		k.Repeats = true
		for _, l := range judge.FormulaLaws() {
			if l.ID == model.KernelSchedule {
				c, judged, _, err := judge.Search(l, k, 40)
				require.NoError(t, err, f.Name)
				require.Nil(t, c, f.Name)
				require.Positive(t, judged, f.Name)
			}
		}
	}
	require.Equal(t, 4, steps)
}

// TestExtendedProductFlushes: on a device that reads subnormal numbers as 0, the extended product loses what these are worth times the other factors, and no more.
func TestExtendedProductFlushes(t *testing.T) {
	f, ok := shaders.FindFormula("shaders/conv.metal#spectrum_product_extended")
	require.True(t, ok)
	k := builtin.Shader(f, sim.New(sim.Options{})).(props.Kernel)
	l, err := judge.LawByID(judge.FormulaLaws(), model.PipelineOneRounding)
	require.NoError(t, err)
	bits := func(values ...float32) (list []uint64) {
		for _, v := range values {
			list = append(list, uint64(math.Float32bits(v)))
		}
		return list
	}
	real := formula.Float(model.Binary32)
	for _, c := range []struct{ x, k, scale float32 }{{0x1p-130, 0x1p100, 1}, {0x1p100, 0x1p-130, 1}, {0x1p50, 0x1p50, 0x1p-130}, {0x1p-60, 0x1p-60, 0x1p-20}, {3, 5, 7}} {
		in := &corpus.Arrays{
			Axes: []corpus.Axis{{Name: "b", Size: 1}, {Name: "c", Size: 1}, {Name: "f", Size: 1}, {Name: "z", Size: 2}},
			Inputs: []corpus.Array{
				{Name: "x", Type: real, Axes: []string{"b", "c", "f", "z"}, Bits: bits(c.x, 0)},
				{Name: "k", Type: real, Axes: []string{"c", "f", "z"}, Bits: bits(c.k, c.k)},
				{Name: "scale", Type: real, Bits: bits(c.scale)},
			},
		}
		in.Launch = model.Launch1D(1, 32)
		for _, flush := range []model.Flush{{}, {In: true}, {Out: true}, {In: true, Out: true}} {
			in.Behaviour = model.Behaviour{Flush: flush}
			v, err := judge.Judge(l, k, in)
			require.NoError(t, err)
			require.Equal(t, props.Holds, v.Outcome, "%+v, %+v: %s", c, flush, v.Reason)
		}
	}
}
