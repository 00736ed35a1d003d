package engine

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// Counts of a sentence are added, of its other numbers the largest is kept, and the order in which they come makes no difference.
func TestMeasures(t *testing.T) {
	parts := make([]LawStats, 3)
	for i := range parts {
		s := &parts[i]
		s.Measure("stage 10 reached {x}", nil, 0.5+float64(i))
		s.Measure("{n case} of {n}, {x} at most", []int{i, 1}, 1/float64(1+i))
		s.Measure("stage 2 reached {x}", nil, 3.99999)
	}
	want := []string{"stage 2 reached 3.999", "stage 10 reached 2.5", "3 cases of 3, 1 at most"}
	for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}, {1, 2, 0}} {
		all := &LawStats{}
		for _, i := range order {
			all.Merge(&parts[i])
		}
		require.Equal(t, want, all.sentences())
	}
	require.Equal(t, "0 cases of 1, 1 at most", parts[0].sentences()[2], "what is merged stays as it is")
	require.Equal(t, "1 case of 1, 0.5 at most", parts[1].sentences()[2])
}

// A number of a sentence has four digits, and no more than it is.
func TestCutOff(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 0, -1: 0, 1: 1, 0.99: 0.99, 0.99996: 0.9999, 3.99996: 3.999, 12345: 12340, 6.02214e23: 6.022e23, 1e-300: 1e-300, 0x1p-1074: 0x1p-1074,
		math.Inf(1): 1.797e308, math.Inf(-1): 0, math.NaN(): 0,
	} {
		require.Equal(t, want, cutOff(x), "%g", x)
		require.Equal(t, want, cutOff(cutOff(x)), "%g", x)
	}
}

// A line with a measure that no search gives is refused.
func TestMeasureCheck(t *testing.T) {
	for want, m := range map[string]Measure{
		`measure "{n case}" has the count -2`:    {Text: "{n case}", Sums: []int{-2}},
		`measure "{n case}" has 2 and 0 numbers`: {Text: "{n case}", Sums: []int{1, 1}},
		`measure "{x}" has 0 and 0 numbers`:      {Text: "{x}"},
	} {
		require.EqualError(t, (&LawStats{Measures: []Measure{m}}).Check(), want)
	}
}
