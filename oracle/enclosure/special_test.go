package enclosure

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model/formula"
)

// TestInfinitiesStay: a masked element of a softmax is next to zero, and the others are as if it were not there.
func TestInfinitiesStay(t *testing.T) {
	p, err := Compile(formula.Softmax(formula.Vector("x")), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	r, err := p.Run(map[string]Array{"x": {Shape: []int{3}, Values: []float64{1, math.Inf(-1), 1}}})
	require.NoError(t, err)
	for i, want := range []float64{0.5, 0, 0.5} {
		require.True(t, r.Allows(i, want))
		require.False(t, r.Allows(i, want+1e-5) || r.Allows(i, want-1e-5) || r.MayBeNaN(i), "%d", i)
	}
}

// TestSumOfNothing: a mean of no elements is NaN, and no result has no elements.
func TestSumOfNothing(t *testing.T) {
	p, err := Compile(formula.Mean(formula.Matrix("x", "row", "n"), "n"), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	r, err := p.Run(map[string]Array{"x": {Shape: []int{2, 0}}})
	require.NoError(t, err)
	require.True(t, r.Allows(0, math.NaN()))
	p, err = Compile(formula.Variance(formula.Matrix("x", "row", "n"), "n"), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	_, err = p.Run(map[string]Array{"x": {Shape: []int{2, 0}}})
	require.NoError(t, err)
}

// TestInfinityMeetsOverflow: an infinite term, and finite ones whose partial sums overflow with the other sign, may give NaN.
func TestInfinityMeetsOverflow(t *testing.T) {
	p, err := Compile(formula.Sum(formula.Vector("x")), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	for _, c := range []struct {
		x   []float64
		nan bool
	}{{[]float64{0x1p127, 0x1p127, math.Inf(-1)}, true}, {[]float64{0x1p127, 0x1p126, math.Inf(-1)}, false}} {
		r, err := p.Run(map[string]Array{"x": {Shape: []int{3}, Values: c.x}})
		require.NoError(t, err)
		require.Equal(t, c.nan, r.Allows(0, math.NaN()))
		require.True(t, r.Allows(0, math.Inf(-1)))
	}
}
