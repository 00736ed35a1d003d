package vectors

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
)

func TestExplainValue(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, tt := range []struct {
		name  string
		v     float32
		fails func(v float32) bool
		want  string
	}{
		{"any", 1, func(v float32) bool { return v != 0 }, NoteAnyValue},
		{"negative", -1, func(v float32) bool { return v < 0 }, NoteSign},
		{"positive and one more", 5, func(v float32) bool { return v > 0 || v == -5 }, NoteSomeValues},
		{"size", -5, func(v float32) bool { return v == 5 || v == -5 }, NoteMagnitude},
		{"exact", 5, func(v float32) bool { return v == 5 }, NoteThisValue},
		{"range", 4, func(v float32) bool { return v > 3.9 && v < 4.1 }, NoteNear},
		{"power of two", 1, func(v float32) bool { return v > 0 && math.Float32bits(v)<<9 == 0 }, NoteSignificand},
		{"large", 1024, func(v float32) bool { return v >= 1024 && v <= 2048 }, NoteNear},
		{"above 2", 4, func(v float32) bool { return v > 2 }, NoteSomeValues},
		{"3 itself", 3, func(v float32) bool { return v == 3 }, NoteThisValue},
		{"any NaN", nan, func(v float32) bool { return v != v }, NoteAnyNaN},
		{"one NaN", nan, func(v float32) bool { return math.Float32bits(v) == 0x7fc00000 }, NoteThisValue},
		{"infinity", inf, func(v float32) bool { return v > math.MaxFloat32 }, NoteThisValue},
		{"infinities", inf, func(v float32) bool { return math.IsInf(float64(v), 0) }, NoteMagnitude},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := float32Case(tt.v)
			if tt.name == "one NaN" {
				c.X.Set(0, 0x7fc00000)
			}
			e := Explain(c, func(c *corpus.Case) bool { return c.N() > 0 && tt.fails(c.X.F32[0]) }, ExplainOptions{})
			require.True(t, e.Reproduced)
			require.False(t, e.Exhausted)
			require.Len(t, e.Leaves, 1)
			require.Equal(t, tt.want, e.Leaves[0].Value)
			require.Equal(t, NoteAnyLonger, e.Length)
			require.Empty(t, e.Others)
			require.LessOrEqual(t, e.Evals, 20)
		})
	}
}

func TestExplainPlaceLengthAndOthers(t *testing.T) {
	x := make([]float32, 33)
	x[31] = 1
	for _, tt := range []struct {
		name                  string
		fails                 func(x []float32) bool
		place, length, others string
	}{
		{"anything", func([]float32) bool { return true }, NoteAnyPlace, NoteAnyLonger, NoteOthersFree},
		{"this place", func(x []float32) bool { return len(x) > 31 && x[31] != 0 }, NoteThisPlace, NoteAnyLonger, NoteOthersFree},
		{"some places", func(x []float32) bool {
			return slices.ContainsFunc(x[min(len(x), 20):], func(v float32) bool { return v != 0 })
		}, NoteSomePlaces, NoteAnyLonger, NoteOthersFree},
		{"this length", func(x []float32) bool { return len(x) == 33 }, NoteAnyPlace, NoteThisLength, NoteOthersFree},
		{"odd lengths", func(x []float32) bool { return len(x)%2 == 1 }, NoteAnyPlace, NoteSomeLonger, NoteOthersFree},
		{"alone", func(x []float32) bool {
			k := 0
			for _, v := range x {
				if v != 0 {
					k++
				}
			}
			return k == 1
		}, NoteAnyPlace, NoteAnyLonger, NoteOthersZero},
		{"positive", func(x []float32) bool {
			return !slices.ContainsFunc(x, func(v float32) bool { return v < 0 })
		}, NoteAnyPlace, NoteAnyLonger, NoteOthersMixed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := float32Case(x...)
			before := c.X.Clone()
			e := Explain(c, func(c *corpus.Case) bool { return tt.fails(c.X.F32) }, ExplainOptions{})
			require.Equal(t, 31, e.Leaves[0].Leaf)
			require.Equal(t, tt.place, e.Leaves[0].Place)
			require.Equal(t, tt.length, e.Length)
			require.Equal(t, tt.others, e.Others)
			require.True(t, before.Equal(c.X))
			require.Contains(t, e.Note(31), tt.place)
			require.Empty(t, e.Note(0))
		})
	}
	// Without a place that holds +0 the leaves change places.
	e := Explain(float32Case(1, 2), func(c *corpus.Case) bool { return len(c.X.F32) == 2 && c.X.F32[0] < c.X.F32[1] }, ExplainOptions{KeepLength: true})
	require.Equal(t, NoteThisPlace, e.Leaves[0].Place)
	require.Equal(t, NoteThisPlace, e.Leaves[1].Place)
	require.Empty(t, e.Length)
	e = Explain(float32Case(1, 2), func(c *corpus.Case) bool { return slices.Contains(c.X.F32, 2) }, ExplainOptions{})
	require.Equal(t, NoteAnyPlace, e.Leaves[0].Place)
	require.Equal(t, NoteAnyValue+"; "+NoteAnyPlace, e.Note(0))
	require.Equal(t, NoteThisValue+"; "+NoteAnyPlace, e.Note(1))
}

func TestExplainDot(t *testing.T) {
	c := float32Case(1, 1)
	c.Y = float32Case(1, -1).X
	e := Explain(c, func(c *corpus.Case) bool { return c.N() > 1 && c.Y.F32[1] < 0 }, ExplainOptions{})
	require.Equal(t, NoteAnyValue, e.Leaves[1].Value)
	require.Equal(t, NoteSign, e.Leaves[1].Y)
	require.Equal(t, NoteThisPlace, e.Leaves[1].Place)
	require.Equal(t, "x: "+NoteAnyValue+"; y: "+NoteSign+"; "+NoteThisPlace, e.Note(1))
	require.Equal(t, "x and y: "+NoteAnyValue+"; "+NoteThisPlace, e.Note(0))
}

func TestExplainTheRest(t *testing.T) {
	c := float32Case(1, 2, 3)
	c.Behaviour.Contract, c.Launch, c.Seed, c.Tree = model.ContractFast, model.Launch1D(2, 32), 7, "pairwise/8/3"
	e := Explain(c, func(c *corpus.Case) bool { return !c.Launch.IsZero() && c.Tree[:5] != "left/" }, ExplainOptions{})
	require.Equal(t, []string{"behaviour", "seed"}, e.Free)
	require.Equal(t, []string{"launch", "tree"}, e.Matter)
	c.Rows = 3
	e = Explain(c, func(*corpus.Case) bool { return true }, ExplainOptions{})
	require.Equal(t, []string{"behaviour", "launch", "seed", "rows", "tree"}, e.Free)
	require.Empty(t, e.Matter)
}

func TestExplainBudget(t *testing.T) {
	c, fails, _ := planted(4, 300, 8, true)
	small, _ := Reduce(c, fails, ReduceOptions{})
	for limit := 1; limit < 100; limit++ {
		o := observe(fails)
		e := Explain(small, o.predicate, ExplainOptions{MaxEvals: limit})
		require.LessOrEqual(t, o.evals, limit)
		require.Equal(t, o.evals, e.Evals)
		for _, l := range e.Leaves { // no note beyond what was probed
			require.Contains(t, []string{"", NoteThisValue}, l.Value)
			require.Contains(t, []string{"", NoteThisPlace}, l.Place)
		}
		if limit < 80 {
			require.True(t, e.Exhausted)
		}
	}
	e := Explain(small, fails, ExplainOptions{MaxEvals: 1000})
	require.False(t, e.Exhausted)
	for _, l := range e.Leaves {
		require.Equal(t, NoteThisValue+"; "+NoteThisPlace, l.String())
	}
	e = Explain(small, func(*corpus.Case) bool { return false }, ExplainOptions{})
	require.Equal(t, Explanation{Evals: 1}, e)
	e = Explain(fixedCase(rand.New(rand.NewPCG(1, 1)), 5), func(c *corpus.Case) bool {
		if c.N() > 5 {
			panic("too long")
		}
		return true
	}, ExplainOptions{})
	require.Equal(t, NoteThisLength, e.Length)
	// Factors that do not pair up, and a wanted result that is what fails, get no notes.
	c.Y = c.X.Slice(0, 2)
	require.Empty(t, Explain(c, func(*corpus.Case) bool { return true }, ExplainOptions{}).Leaves)
	w := float32Case(1)
	w.Want = "nan"
	require.Empty(t, Explain(w, func(c *corpus.Case) bool { return c.Want != "" }, ExplainOptions{}).Leaves)
	require.Len(t, Explain(w, func(*corpus.Case) bool { return true }, ExplainOptions{}).Leaves, 1)
}
