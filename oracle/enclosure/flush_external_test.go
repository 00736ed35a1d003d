package enclosure_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/enclosure"
)

// TestFlushedOperands: where operations may read subnormal numbers as zero, results that are not tiny may be zero as well, and a product with
// an infinity NaN. An operation that moves a number need not read it so: the number less its maximum with zero may be the number.
func TestFlushedOperands(t *testing.T) {
	x, y := formula.Input("x", formula.Float(model.Binary32), "n"), formula.Input("y", formula.Float(model.Binary32), "n")
	for _, c := range []struct {
		f      *formula.Expr
		y      float64
		allows []float64
	}{
		{formula.Mul(x, y), 0x1p100, []float64{0, 0x1p-27}},
		{formula.Dot(x, y, "n"), 0x1p100, []float64{0, 0x1p-27}},
		{formula.Div(x, y), 0x1p-100, []float64{0, 0x1p-27}},
		{formula.Mul(x, y), math.Inf(1), []float64{math.Inf(1), math.NaN()}},
		{formula.Dot(x, y, "n"), math.Inf(1), []float64{math.Inf(1), math.NaN()}},
		{formula.Mul(formula.Sub(x, formula.Maximum(x, formula.Const(0))), y), 0x1p100, []float64{0, -0x1p-27}},
	} {
		in := map[string]enclosure.Array{"x": {Shape: []int{1}, Values: []float64{0x1p-127}}, "y": {Shape: []int{1}, Values: []float64{c.y}}}
		run := func(f model.Flush) *enclosure.Result {
			p, err := enclosure.Compile(c.f, formula.Claim{Flush: f}, formula.Float(model.Binary32))
			require.NoError(t, err)
			r, err := p.Run(in)
			require.NoError(t, err)
			return r
		}
		for _, v := range c.allows {
			require.True(t, run(model.Flush{In: true}).Allows(0, v), "%s allows %g", c.f, v)
		}
		plain := run(model.Flush{})
		require.False(t, plain.Allows(0, c.allows[0]) && plain.Allows(0, c.allows[1]), "%s without flushing", c.f)
	}
}

// TestFirstVectorIsEmpty: a program whose first input has no elements gives what reductions of none are.
func TestFirstVectorIsEmpty(t *testing.T) {
	p, err := enclosure.Compile(formula.Max(formula.Vector("x")), formula.Claim{}, formula.Float(model.Binary32))
	require.NoError(t, err)
	r, err := p.Run(map[string]enclosure.Array{"x": {Shape: []int{0}}})
	require.NoError(t, err)
	require.True(t, r.Allows(0, math.Inf(-1)))
}

// TestFlushedHalves: in a claim in binary32 a subnormal half that is read may be 0, by each use for itself, and one that is written, too. Others are what they are.
func TestFlushedHalves(t *testing.T) {
	half := formula.Float(model.Binary16)
	s, y := formula.Input("s", half), formula.Vector("y")
	e := formula.Exp(formula.Sub(s, formula.Const(40))) // an error that elements share, so that the mean-value form is evaluated
	once := func() *formula.Expr { return formula.Add(formula.Add(y, s), e) }
	product := formula.Mul(s, formula.Add(y, formula.Const(1)))
	fused := func() *formula.Expr { return formula.Add(product, e) }
	for _, c := range []struct {
		f      *formula.Expr
		s      float64
		out    model.Format
		allows []float64
		not    float64
	}{
		{formula.Add(y, s), 0x1p-20, model.Binary32, []float64{0, 0x1p-20}, -0x1p-20},
		{formula.Add(y, s), 0x1p-14, model.Binary32, []float64{0x1p-14}, 0},
		// One use reads 0, and the other does not.
		{formula.Sub(once(), once()), 0x1p-20, model.Binary32, []float64{-0x1p-20, 0, 0x1p-20}, 0x1p-19},
		// So does a product that one of two sums fuses.
		{formula.Sub(fused(), fused()), 0x1p-20, model.Binary32, []float64{-0x1p-20, 0, 0x1p-20}, 0x1p-19},
		{formula.Add(y, formula.Store(formula.Mul(s, formula.Const(0.5)), half, formula.OverflowByType)), 0x1p-14, model.Binary32, []float64{0, 0x1p-15}, 0x1p-14},
		{formula.Add(y, formula.Mul(s, formula.Const(0.5))), 0x1p-14, model.Binary16, []float64{0, 0x1p-15}, 0x1p-14},
		{formula.Max(formula.Add(y, s)), -0x1p-20, model.Binary32, []float64{0, -0x1p-20}, 0x1p-20},
	} {
		in := map[string]enclosure.Array{"s": {Values: []float64{c.s}}, "y": {Shape: []int{1}, Values: []float64{0}}}
		p, err := enclosure.Compile(c.f, formula.Claim{Flush16: model.Flush{In: true, Out: true}}, formula.Float(c.out))
		require.NoError(t, err)
		r, err := p.Run(in)
		require.NoError(t, err)
		for _, v := range c.allows {
			require.True(t, r.Allows(0, v), "%s allows %g", c.f, v)
		}
		require.False(t, r.Allows(0, c.not), "%s does not allow %g", c.f, c.not)
	}
	// So do two uses of what is moved, where nothing is fused.
	x := formula.InOrder(formula.Input("x", half, "i"), "i")
	z := formula.Minimum(x, formula.Input("z", half, "j"))
	p, err := enclosure.Compile(formula.Add(formula.Sub(x, z), formula.Sub(formula.Add(y, e), e)), formula.Claim{Unfused: true, Flush16: model.Flush{In: true}}, formula.Type{})
	require.NoError(t, err)
	r, err := p.Run(map[string]enclosure.Array{"x": {Shape: []int{1}, Values: []float64{0x1p-20}}, "z": {Shape: []int{2}, Values: []float64{1, 2}}, "s": {Values: []float64{1}}, "y": {Shape: []int{1}, Values: []float64{0}}})
	require.NoError(t, err)
	require.True(t, r.Allows(0, 0x1p-20))
	// What is tiny before it is rounded to a half may be 0 afterwards, and the least normal number if it is not.
	stored := formula.Store(y, half, formula.OverflowByType)
	for _, f := range []*formula.Expr{y, stored, formula.Add(stored, s)} {
		for _, exactly := range []bool{false, true} {
			p, err := enclosure.Compile(f, formula.Claim{Exactly: exactly, Flush16: model.Flush{Out: true}}, half)
			require.NoError(t, err)
			for x, zero := range map[float64]bool{0x1p-14 * (1 - 0x1p-20): true, 0x1p-14: false} {
				in := map[string]enclosure.Array{"s": {Values: []float64{0}}, "y": {Shape: []int{1}, Values: []float64{x}}}
				r, err := p.Run(in)
				require.NoError(t, err)
				require.True(t, r.Allows(0, 0x1p-14), "%s of %g", f, x)
				require.Equal(t, zero, r.Allows(0, 0), "%s of %g, exactly %t: %v to %v", f, x, exactly, r.Lo, r.Hi)
			}
		}
	}
}
