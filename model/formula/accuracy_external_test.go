package formula_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/msl/ir"
	"gamma/model/formula"
)

// TestMetalTables compares the tables of Metal with those by which the simulator errs, which were read from the specification another
// time. That table gives limits of its own to functions that the specification composes of others, and takes the smaller ulp at a
// power of two, so points beside these are compared.
func TestMetalTables(t *testing.T) {
	ops := map[formula.Op]ir.Op{
		formula.OpDiv: ir.Div, formula.OpSqrt: ir.Sqrt, formula.OpRsqrt: ir.Rsqrt, formula.OpExp: ir.Exp, formula.OpExp2: ir.Exp2, formula.OpLog: ir.Log,
		formula.OpLog2: ir.Log2, formula.OpSin: ir.Sin, formula.OpCos: ir.Cos, formula.OpTan: ir.Tan, formula.OpSinPi: ir.SinPi, formula.OpCosPi: ir.CosPi, formula.OpTanh: ir.Tanh, formula.OpPow: ir.Pow,
	}
	compared := 0
	for op, iop := range ops {
		for _, x := range []float64{0.3, 0.5, 0.6, 1.9, 2, 2.1, 3.14, 3.15, 40.5} {
			args := []float64{x}
			if op == formula.OpDiv || op == formula.OpPow {
				args = []float64{3, x}
			}
			ulps, _ := ir.LimitULP(iop, ir.F32, 0, args...)
			require.Equal(t, formula.Promise{Ulps: ulps}, formula.MetalPrecise.Ops[op], op)
			p := formula.MetalFast.Ops[op]
			if p.None || op == formula.OpSqrt {
				continue
			}
			compared++
			ulps, abs := ir.LimitULP(iop, ir.F32, ir.FastFunctions, args...)
			switch {
			case p.To > 0 && (math.Abs(x) > p.To || math.Abs(x) < p.From):
				require.True(t, math.IsInf(ulps, 1), "%s of %g: %v promises nothing, and the simulator %g ulp", op, x, p, ulps)
			case p.Abs > 0 && p.Lo <= x && x <= p.Hi:
				require.Equal(t, abs, p.Abs, "%s of %g", op, x)
			default:
				require.Equal(t, ulps, p.Ulps+math.Floor(math.Abs(p.Slope*x)), "%s of %g", op, x)
			}
		}
	}
	require.Greater(t, compared, 60)
	for _, y := range []float64{0x1p-127, 0x1p127} {
		ulps, _ := ir.LimitULP(ir.Div, ir.F32, ir.FastFunctions, 3, y)
		p := formula.MetalFast.Ops[formula.OpDiv]
		require.True(t, math.IsInf(ulps, 1) && (y < p.From || y > p.To), y)
	}
}

// TestPowersOfTwoAreRoundedUp: 2^-21.41 and 2^-21.19 are irrational; what stands for them is greater by less than a part in 10^4.
func TestPowersOfTwoAreRoundedUp(t *testing.T) {
	for _, c := range []struct {
		op       formula.Op
		exponent int64 // in hundredths
	}{{formula.OpLog, -2141}, {formula.OpSin, -2141}, {formula.OpCos, -2119}} {
		abs := formula.CUDAFast.Ops[c.op].Abs
		power := func(v float64) *big.Rat { // v^100·2^-exponent, to be compared with 1
			r := new(big.Rat).SetFloat64(v)
			num := new(big.Int).Exp(r.Num(), big.NewInt(100), nil)
			den := new(big.Int).Exp(r.Denom(), big.NewInt(100), nil)
			return new(big.Rat).SetFrac(num.Lsh(num, uint(-c.exponent)), den)
		}
		require.Positive(t, power(abs).Cmp(big.NewRat(1, 1)), "%s: %v is below 2^(%d/100)", c.op, abs, c.exponent)
		require.Negative(t, power(abs*(1-1e-4)).Cmp(big.NewRat(1, 1)), "%s: %v", c.op, abs)
	}
}

// TestPublished: the default admits what each platform does that is no fast mode, and nothing more than the widest of them.
func TestPublished(t *testing.T) {
	want := map[formula.Op]float64{
		formula.OpDiv: 0, formula.OpSqrt: 0, formula.OpRsqrt: 2.5, formula.OpExp: 4, formula.OpExp2: 4, formula.OpExpm1: 3, formula.OpLog: 4,
		formula.OpLog2: 4, formula.OpLog1p: 2.5, formula.OpSin: 4, formula.OpCos: 4, formula.OpTan: 6, formula.OpSinPi: 4, formula.OpCosPi: 4, formula.OpTanh: 5, formula.OpErf: 16, formula.OpPow: 16,
	}
	for _, op := range formula.Functions() {
		require.Equal(t, formula.Promise{Ulps: want[op]}, formula.Published.Ops[op], op)
	}
	for op := formula.OpInput; op <= formula.OpOrder; op++ {
		if _, listed := want[op]; !listed {
			for _, a := range append(formula.Platforms(), formula.Published) {
				require.Zero(t, a.Ops[op], "%s: %s is correctly rounded everywhere", a.Name, op)
			}
		}
	}
	for _, a := range formula.Platforms() {
		require.NotEmpty(t, a.Source, a.Name)
	}
	require.Equal(t, "[MSL 4.0] §8.4, table 8.1; [CUDA Guide 2025] table 17; [OpenCL 2020] ULP values for math instructions; [GNU libm 2025]", formula.Published.Source)
	mine := formula.CUDA.With(formula.OpExp, formula.Promise{Ulps: 1})
	require.Equal(t, 1.0, mine.Ops[formula.OpExp].Ulps)
	require.Equal(t, 2.0, formula.CUDA.Ops[formula.OpExp].Ulps, "With returns a copy")
}

func TestPromisesInWords(t *testing.T) {
	for want, p := range map[string]formula.Promise{
		"correctly rounded":                       {},
		"nothing promised":                        {None: true},
		"4 ulp, in range":                         {Ulps: 4, InRange: true},
		"2 ulp of the rounded result":             formula.CUDA.Ops[formula.OpExp],
		"3 + floor(|2x|) ulp":                     formula.MetalFast.Ops[formula.OpExp],
		"2^-21 for x in [0.5, 2], else 3 ulp":     formula.MetalFast.Ops[formula.OpLog],
		"2.5 ulp, for |x| from 2^-126 to 2^126":   formula.MetalFast.Ops[formula.OpDiv],
		"2^-13 for x in [-π, π], nothing outside": formula.MetalFast.Ops[formula.OpSin],
	} {
		require.Equal(t, want, p.String())
	}
}
