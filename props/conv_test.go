package props

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/conv"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/model/formula"
	"gamma/model/fourier"
	"gamma/props/internal/own"
	"gamma/props/judge"
)

func lawOfKernels(t *testing.T, id model.LawID) KernelLaw {
	t.Helper()
	for _, l := range judge.FormulaLaws() {
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
				c, _, _, err := judge.Search(lawOfKernels(t, id), own.Formula(p.Kernel()), 20)
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
		c, _, _, err := judge.Search(lawOfKernels(t, model.PipelineRoundings), own.Formula(m.Kernel), 200)
		require.NoError(t, err)
		require.NotNil(t, c, name)
	}
}

// TestPointsBeforeARounding: a kernel that holds what comes first wider, and rounds what comes after it, is right to say so; nor is one that its Within lets err
// accused of rounding.
func TestPointsBeforeARounding(t *testing.T) {
	x, y := formula.Vector("x"), formula.Scalar("y")
	f := formula.Mul(formula.Add(x, formula.Const(1)), y)
	point := func(name string, rounds bool, x, y float32) formula.Point {
		return formula.Point{Name: name, Rounds: rounds, Sizes: map[string]int{"n": 1}, Arrays: map[string][]float32{"x": {x}, "y": {y}}}
	}
	kernel := func(within float64, points []formula.Point, run func(x, y float64) float32) Kernel {
		return Kernel{
			Name: "points.Mul", Formula: f, Claim: formula.Claim{Finite: true, Within: formula.Const(within), Points: points},
			Call: func(c *KernelCall) error {
				for i, v := range c.Float32("x") {
					c.Float32("dst")[i] = run(float64(v), float64(c.Float32("y")[0]))
				}
				return nil
			},
		}
	}
	fails := func(k Kernel) bool {
		c, _, _, err := judge.Search(lawOfKernels(t, model.PipelineRoundings), k, 40)
		require.NoError(t, err)
		return c != nil
	}
	wide := func(x, y float64) float32 { return float32(float64((x + 1) * y)) }
	narrow := func(x, y float64) float32 { return float32(float64(float64(float32(x+1)) * y)) }
	off := func(x, y float64) float32 { return math.Nextafter32(wide(x, y), 0) }
	at := func(rounds bool) []formula.Point { return []formula.Point{point("sum", rounds, 1<<24, 3)} }
	require.False(t, fails(kernel(0, at(false), wide)))
	require.True(t, fails(kernel(0, at(false), narrow)))
	require.False(t, fails(kernel(0, at(true), narrow)))
	require.True(t, fails(kernel(0, at(true), wide)))
	require.False(t, fails(kernel(8, at(true), narrow)))

	require.True(t, fails(kernel(0, at(false), off)))
	require.False(t, fails(kernel(8, at(false), off)))

	later := append([]formula.Point{point("input", false, 1<<24, 3)}, at(true)...)
	require.False(t, fails(kernel(0, later, narrow)))
	require.True(t, fails(kernel(0, later, wide)))
}

// TestPointNearATie: a point whose exact value lies so near to the middle of two numbers that its rounding is not known decides nothing.
func TestPointNearATie(t *testing.T) {
	k := Kernel{
		Name: "points.Sin", Formula: formula.Sin(formula.Vector("x")),
		Claim: formula.Claim{Finite: true, Within: formula.Const(0), Points: []formula.Point{{
			Name: "tie", Sizes: map[string]int{"n": 1}, Arrays: map[string][]float32{"x": {0x1.33333p13}}, // a hard case of CORE-MATH's sinf
		}}},
		Run: func(dst, x []float32) {
			for i, v := range x {
				dst[i] = float32(math.Sin(float64(v)))
			}
		},
	}
	c, _, v, err := judge.Search(lawOfKernels(t, model.PipelineRoundings), k, 3)
	require.NoError(t, err)
	require.Nil(t, c)
	require.Equal(t, Vacuous, v.Outcome)
	require.Contains(t, v.Reason, "choose other numbers")
}
