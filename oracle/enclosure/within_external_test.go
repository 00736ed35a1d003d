package enclosure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/enclosure"
)

// TestWithin holds results to the exact value, off by at most so much, and rounded once.
func TestWithin(t *testing.T) {
	x, y := formula.Vector("x"), formula.Vector("y")
	allowed := func(within *formula.Expr, a, b float64) (lo, hi float64) {
		p, err := enclosure.Compile(formula.Mul(x, y), formula.Claim{Finite: true, Within: within}, formula.Float(model.Binary32))
		require.NoError(t, err)
		in := map[string]enclosure.Array{}
		for name, v := range map[string]float64{"x": a, "y": b, "slack": 0.25} {
			in[name] = enclosure.Array{Shape: []int{1}, Values: []float64{v}}
			if name == "slack" {
				in[name] = enclosure.Array{Values: []float64{v}}
			}
		}
		r, err := p.Run(in)
		require.NoError(t, err)
		return r.Lo[0], r.Hi[0]
	}
	for _, c := range []struct {
		within *formula.Expr
		lo, hi float64
	}{
		{formula.Const(0), 12, 12},
		{formula.Const(0.25), 11.75, 12.25},
		{formula.Scalar("slack"), 11.75, 12.25},
		{formula.Mul(x, formula.Const(1)), 9, 15},
		{formula.Const(-1), 12, 12},
	} {
		lo, hi := allowed(c.within, 3, 4)
		require.Equal(t, []float64{c.lo, c.hi}, []float64{float64(float32(lo)), float64(float32(hi))})
	}
	// 4097² is beside the middle of two binary32 numbers: half an ulp is 1.
	lo, hi := allowed(formula.Const(0), 4097, 4097)
	require.Equal(t, []float64{16785408, 16785408}, []float64{lo, hi})
	lo, hi = allowed(formula.Const(0x1p-20), 4097, 4097)
	require.Equal(t, []float64{16785408, 16785410}, []float64{lo, hi})

	// A tiny result may be flushed, and none of another size.
	for _, c := range []struct {
		x, lo, hi float64
		flush     model.Flush
	}{
		{0x1p-127, 0x1p-127, 0x1p-127, model.Flush{In: true}},
		{0x1p-127, 0, 0x1p-127, model.Flush{Out: true}},
		{-0x1p-127, -0x1p-127, 0, model.Flush{In: true, Out: true}},
		{0x1p-126, 0x1p-126, 0x1p-126, model.Flush{Out: true}},
	} {
		p, err := enclosure.Compile(x, formula.Claim{Finite: true, Within: formula.Const(0), Flush: c.flush}, formula.Float(model.Binary32))
		require.NoError(t, err)
		r, err := p.Run(map[string]enclosure.Array{"x": {Shape: []int{1}, Values: []float64{c.x}}})
		require.NoError(t, err)
		require.Equal(t, []float64{c.lo, c.hi}, []float64{r.Lo[0], r.Hi[0]}, "%+v", c)
	}

	_, err := enclosure.Compile(formula.Sum(x), formula.Claim{Finite: true, Within: x}, formula.Type{})
	require.ErrorContains(t, err, "Within has the axis n")
	_, err = enclosure.Compile(x, formula.Claim{Within: x}, formula.Type{})
	require.ErrorContains(t, err, "say Finite")
	_, err = enclosure.Compile(x, formula.Claim{Finite: true, Within: formula.Sum(formula.Const(1))}, formula.Type{})
	require.ErrorContains(t, err, "no axis")
}
