package enclosure_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/enclosure"
)

// TestInfinityIsNotRounded holds that an operation on an infinity, whose exact result is one, gives that alone.
func TestInfinityIsNotRounded(t *testing.T) {
	x := formula.Vector("x")
	for _, e := range []*formula.Expr{
		formula.Mul(formula.Const(0.5), x),
		formula.Mul(formula.Mul(formula.Const(0.5), x), formula.Add(formula.Const(1), formula.Tanh(x))),
		formula.GELU(x),
	} {
		p, err := enclosure.Compile(e, formula.Claim{}, formula.Type{})
		require.NoError(t, err)
		r, err := p.Run(map[string]enclosure.Array{"x": {Shape: []int{2}, Values: []float64{math.Inf(1), 1}}})
		require.NoError(t, err)
		require.True(t, r.Allows(0, math.Inf(1)))
		require.False(t, r.Allows(0, math.MaxFloat32))
		require.Equal(t, math.Inf(1), r.Lo[0])
	}
}

// TestMaskedElementIsZero holds that an element that is -Inf has weight 0 in a softmax, and that others do not see it.
func TestMaskedElementIsZero(t *testing.T) {
	p, err := enclosure.Compile(formula.Softmax(formula.Vector("x")), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	r, err := p.Run(map[string]enclosure.Array{"x": {Shape: []int{3}, Values: []float64{0, math.Inf(-1), 0}}})
	require.NoError(t, err)
	require.Equal(t, []float64{0, 0}, []float64{r.Lo[1], r.Hi[1]})
	require.True(t, r.Allows(0, 0.5))
	require.False(t, r.Allows(0, 0.5+0x1p-20))
	require.False(t, r.MayBeNaN(0))
}

// TestStoredResultIsRoundedOnce holds that a result which the formula converts to its own type is the number nearest to what was before.
func TestStoredResultIsRoundedOnce(t *testing.T) {
	e4m3 := formula.Float(model.E4M3)
	p, err := enclosure.Compile(formula.Store(formula.Vector("x"), e4m3, formula.Saturate), formula.Claim{}, e4m3)
	require.NoError(t, err)
	r, err := p.Run(map[string]enclosure.Array{"x": {Shape: []int{4}, Values: []float64{1.0625 - 0x1p-10, 1.0625 + 0x1p-10, 500, -0.001}}})
	require.NoError(t, err)
	want := []float64{1, 1.125, 448, -0x1p-9}
	require.Equal(t, want, r.Lo)
	require.Equal(t, want, r.Hi)
}
