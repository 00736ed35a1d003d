package ir_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
)

// TestLimitsAreTheTables holds LimitULP to tables 8.1, 8.3, 8.4 and 8.5 of [MSL 4.0] §8.4, function by function, and to the edges of domains in table 8.2.
func TestLimitsAreTheTables(t *testing.T) {
	single := map[ir.Op]float64{ // table 8.1; what is correctly rounded is 0
		ir.Acos: 4, ir.Acosh: 4, ir.Asin: 4, ir.Asinh: 4, ir.Atan: 5, ir.Atan2: 6, ir.Atanh: 5, ir.Cos: 4, ir.Cosh: 4, ir.CosPi: 4, ir.Exp: 4, ir.Exp2: 4, ir.Exp10: 4, ir.Fmod: 0,
		ir.Log: 4, ir.Log2: 4, ir.Log10: 4, ir.Pow: 16, ir.Powr: 16, ir.Rsqrt: 0, ir.Sin: 4, ir.Sinh: 4, ir.SinPi: 4, ir.Sqrt: 0, ir.Tan: 6, ir.TanPi: 6, ir.Tanh: 5, ir.Div: 0, ir.Add: 0, ir.Fma: 0,
	}
	for op := range ir.Op(ir.NumOps) {
		if _, ok := single[op]; ir.Ops[op].Library {
			require.True(t, ok, "%s is in no table", op)
		}
	}
	for op, want := range single {
		ulps, abs := ir.LimitULP(op, ir.F32, 0, 0.75, 0.75)
		require.Equal(t, [2]float64{want, 0}, [2]float64{ulps, abs}, op)
		ulps, abs = ir.LimitULP(op, ir.F16, 0, 0.75, 0.75) // table 8.3
		require.Equal(t, [2]float64{min(want, 1), 0}, [2]float64{ulps, abs}, op)
	}
	inf := math.Inf(1)
	for _, c := range []struct { // table 8.2, and 8.5 of quotients
		op   ir.Op
		typ  ir.Type
		x, y float64
		ulps float64
	}{
		{ir.Div, ir.F32, 1, 0x1p126, 1},
		{ir.Div, ir.F32, 3, 0x1p-126, 2.5},
		{ir.Div, ir.F32, 3, 0x1.8p126, inf},
		{ir.Div, ir.F32, 1, 0x1p-127, inf},
		{ir.Div, ir.F16, 3, 5, 0},
		{ir.Div, ir.BF16, 3, 0x1p126, 0.6},
		{ir.Div, ir.BF16, 1, 0x1.8p126, inf},
		{ir.Div, ir.BF16, 3, -0x1p-127, inf},
		{ir.Acos, ir.F32, 0x1p-130, 0, 5},
		{ir.Asin, ir.F32, 0x1p-125, 0, 5},
		{ir.Asin, ir.F32, -0x1p-126, 0, inf},
		{ir.Atan, ir.F32, 0x1p-130, 0, 5},
		{ir.Atan2, ir.F32, 0, 1, inf},
		{ir.Atan2, ir.F32, 1, 0, inf},
		{ir.Fmod, ir.F32, 5, 3, inf},
		{ir.Pow, ir.F32, 0, 0, inf},
		{ir.Powr, ir.F32, 0, 0, inf},
		{ir.Pow, ir.F32, 0, 2, 0},
		{ir.Rsqrt, ir.F32, 2, 0, 2},
		{ir.Exp, ir.F32, 1.3, 0, 5},
		{ir.Exp2, ir.F32, -1.3, 0, 5},
		{ir.Log, ir.F32, 2.1, 0, 3},
		{ir.Log2, ir.F32, 0.4, 0, 2},
	} {
		ulps, abs := ir.LimitULP(c.op, c.typ, ir.FastFunctions, c.x, c.y)
		require.Equal(t, [2]float64{c.ulps, 0}, [2]float64{ulps, abs}, "%s of %g and %g", c.op, c.x, c.y)
	}
	for _, c := range []struct {
		op   ir.Op
		x    float64
		abs  float64
		past float64 // outside of the domain
	}{
		{ir.Log, 0.5, 0x1p-21, 0}, {ir.Log2, 2, 0x1p-22, 0}, {ir.Sin, 3.14, 0x1p-13, 3.15}, {ir.Cos, -3.14, 0x1p-13, -3.15}, {ir.SinPi, 1, 0x1p-13, 1.01}, {ir.CosPi, -1, 0x1p-13, 1.01},
	} {
		ulps, abs := ir.LimitULP(c.op, ir.F32, ir.FastFunctions, c.x)
		require.Equal(t, [2]float64{0, c.abs}, [2]float64{ulps, abs}, c.op)
		if c.past != 0 {
			ulps, _ := ir.LimitULP(c.op, ir.F32, ir.FastFunctions, c.past)
			require.True(t, math.IsInf(ulps, 1), c.op)
		}
	}
}
