package props

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/formulas"
	"gamma/props/judge"
)

// pooled is a kernel whose result has an axis that no input has: the greatest of each three neighbours, every other three. row says which row of x it reads for one of the
// result's.
func pooled(row func(r, rows int) int) judge.Kernel {
	out := formula.IndexOf("o", formula.Quo(formula.Add(formula.Len("n"), formula.Integer(1)), formula.Integer(2)))
	at := formula.Add(formula.Mul(out, formula.Integer(2)), formula.Sub(formula.IndexOf("k", formula.Integer(3)), formula.Integer(1)))
	window := formula.Gather(formula.Matrix("x", "r", "n"), "n", at, formula.Const(math.Inf(-1)))
	return judge.Kernel{Name: "axes.Pool", Formula: formula.Max(window, "k"), Call: func(c *KernelCall) error {
		x, dst, rows, n := c.Float32("x"), c.Float32("dst"), c.Size("r"), c.Size("n")
		wide := (n + 1) / 2
		for r := range rows {
			from := x[row(r, rows)*n:][:n]
			for o := range wide {
				m := float32(math.Inf(-1))
				for _, v := range from[max(0, 2*o-1):min(n, 2*o+2)] {
					m = max(m, v)
				}
				dst[r*wide+o] = m
			}
		}
		return nil
	}}
}

// TestAxisOfFormula holds that kernels whose results have an axis that the formula makes are judged by all laws, and their faults explained. The laws of
// calls went through the elements of such an axis without end, and the reports of faults divided by its size, which they took for 0.
func TestAxisOfFormula(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	own := pooled(func(r, _ int) int { return r })
	for _, id := range []model.LawID{model.FormulaEnclosure, model.FormulaExact, model.FormulaSpecial, "formula.pure", "formula.independent"} {
		l, err := judge.LawByID(judge.FormulaLaws(), id)
		require.NoError(t, err)
		found, judged, v, err := judge.Search(l, own, 40)
		require.NoError(t, err)
		require.Nil(t, found, v.Reason)
		require.Positive(t, judged)
	}
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	f, _, err := judge.Find(l, pooled(func(r, rows int) int { return min(r+1, rows-1) }), 400)
	require.NoError(t, err)
	require.NotNil(t, f)
	require.Contains(t, f.(*formulas.Failure).Cause, "fit the row of the inputs beside theirs")
}

// TestOuterProduct holds that arrays which a formula makes along axes of its own stay small: what a vector of 70,001 elements, which are drawn for formulas of one
// axis, makes beside itself would fill the memory of any machine.
func TestOuterProduct(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	x := formula.Vector("x")
	longest := 0
	k := judge.Kernel{
		Name: "axes.Distances", Formula: formula.Max(formula.Sub(x, formula.Rename(x, "n", "m")), "m"),
		Call: func(c *KernelCall) error {
			x, dst := c.Float32("x"), c.Float32("dst")
			longest = max(longest, len(x))
			least := float32(math.Inf(1))
			for _, v := range x {
				least = min(least, v)
			}
			for i, v := range x {
				dst[i] = v - least
			}
			return nil
		},
	}
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	_, _, v, err := judge.Search(l, k, 100)
	require.NoError(t, err)
	require.NotEqual(t, Broken, v.Outcome, v.Reason)
	require.LessOrEqual(t, longest, 1<<9)
	require.Greater(t, longest, 1<<7)
}

// TestSizesOfFormula holds that inputs for whose sizes a formula makes an axis of less than no elements are left out, with the reason, and the others judged: that two sizes
// go together is for no Min or Max to say.
func TestSizesOfFormula(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	x, w := formula.Vector("x"), formula.Input("w", formula.Float(model.Binary32), "k")
	out := formula.IndexOf("o", formula.Add(formula.Sub(formula.Len("n"), formula.Len("k")), formula.Integer(1)))
	window := formula.Gather(x, "n", formula.Add(out, formula.Index("k")), formula.Const(0))
	valid := func(last int) judge.Kernel {
		return judge.Kernel{Name: "axes.Valid", Formula: formula.Dot(window, w, "k"), Call: func(c *KernelCall) error {
			x, w, dst := c.Float32("x"), c.Float32("w"), c.Float32("dst")
			for i := range dst {
				s := float32(0)
				for k := range len(w) - last {
					s += float32(x[i+k] * w[k])
				}
				dst[i] = s
			}
			return nil
		}}
	}
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	found, _, v, err := judge.Search(l, valid(0), 200)
	require.NoError(t, err)
	require.Nil(t, found, v.Reason)
	found, _, _, err = judge.Search(l, valid(1), 200)
	require.NoError(t, err)
	require.NotNil(t, found)
	c := &corpus.Arrays{Axes: []corpus.Axis{{Name: "n", Size: 1}, {Name: "k", Size: 3}}, Inputs: []corpus.Array{
		{Name: "x", Type: x.Type(), Axes: []string{"n"}, Bits: make([]uint64, 1)}, {Name: "w", Type: w.Type(), Axes: []string{"k"}, Bits: make([]uint64, 3)},
	}}
	v, err = judge.Judge(l, valid(0), c)
	require.NoError(t, err)
	require.Equal(t, Vacuous, v.Outcome)
	require.Contains(t, v.Reason, "axis o has -1 elements")
}

// TestLargeIntegers holds that integers beyond 2^53 are judged: next to their exact values, where binary64 has no place for them.
func TestLargeIntegers(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	x := formula.Input("x", formula.Int(64), "n")
	sums := func(narrow bool) judge.Kernel {
		return judge.Kernel{Name: "axes.Sums", Formula: formula.ScanSum(x), Out: formula.Int(64), Max: map[string]int{"n": 1000}, Call: func(c *KernelCall) error {
			s := int64(0)
			for i, v := range c.Int64("x") {
				if s += v; narrow {
					s = s << 8 >> 8 // an accumulator of 56 bits
				}
				c.Int64("dst")[i] = s
			}
			return nil
		}}
	}
	for _, id := range []model.LawID{model.FormulaEnclosure, model.FormulaExact, "formula.pure"} {
		l, err := judge.LawByID(judge.FormulaLaws(), id)
		require.NoError(t, err)
		found, _, v, err := judge.Search(l, sums(false), 300)
		require.NoError(t, err)
		require.Nil(t, found, v.Reason)
	}
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	found, _, _, err := judge.Search(l, sums(true), 300)
	require.NoError(t, err)
	require.NotNil(t, found)
	require.Greater(t, found.(*corpus.Arrays).Axes[0].Size, 1)
}

// TestSteeredAttackEnds holds that a claim of long rows alone does not make the steered attack add up rows of any length: that takes the square of it.
func TestSteeredAttackEnds(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	k := judge.Kernel{Name: "axes.CumSum", Formula: formula.ScanSum(formula.Vector("x")), Fixed: map[string]int{"n": 40000}, Run: func(dst, x []float32) {
		s := float32(0)
		for i, v := range x {
			s += v
			dst[i] = s
		}
	}}
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	start := time.Now()
	_, _, v, err := judge.Search(l, k, 20)
	require.NoError(t, err)
	require.Equal(t, Holds, v.Outcome, v.Reason)
	t.Log(time.Since(start))
}
