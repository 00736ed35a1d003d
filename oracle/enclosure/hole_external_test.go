package enclosure_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/enclosure"
)

// allowed is a result that some conforming evaluation gives on an input, or that none does.
type allowed struct {
	name   string
	e      *formula.Expr
	claim  formula.Claim
	out    formula.Type
	in     map[string][]float64
	result float64
	want   bool
}

func specialResults() []allowed {
	inf, nan := math.Inf(1), math.NaN()
	zero, minus := 0.0, math.Copysign(0, -1)
	b16, e4m3 := formula.Float(model.Binary16), formula.Float(model.E4M3)
	half := formula.Claim{Format: model.Binary16}
	exactly := formula.Claim{Format: model.Binary16, Exactly: true}
	fast := formula.Claim{Functions: formula.MetalFast}
	daz := formula.Claim{Flush: model.Flush{In: true}}
	ftz := formula.Claim{Flush: model.Flush{Out: true}, Functions: formula.OpenCL}
	ranged, nearest := formula.Published.With(formula.OpExp2, formula.Promise{Ulps: 4, InRange: true}), formula.CorrectlyRounded
	ulps, inRange, rounded := formula.Claim{}, formula.Claim{Functions: ranged}, formula.Claim{Functions: nearest, Exactly: true}
	unrounded := formula.Claim{Functions: nearest.With(formula.OpTanh, formula.Promise{InRange: true})}
	a, b, c := formula.Scalar("a"), formula.Scalar("b"), formula.Scalar("c")
	x, y := formula.Vector("x"), formula.Vector("y")
	h := formula.Input("h", b16)
	h1 := formula.Input("h", b16, "n")
	q := formula.Input("q", formula.Int(32))
	// √(a² - b²) may be NaN where a and b are next to each other: its operand may be below 0.
	apart := formula.Sub(formula.Mul(a, a), formula.Mul(b, b))
	perhaps := formula.Sqrt(apart)
	near := map[string][]float64{"a": {1 + 0x1p-20}, "b": {1 + 0x1p-20}}
	nearC := map[string][]float64{"a": {1 + 0x1p-20}, "b": {1 + 0x1p-20}, "c": {-5}}
	// 1.5 and what a product rounds by: 1 or 2 as an integer, where there are two elements.
	perhapsTwo := formula.Add(formula.Mul(a, b), formula.Const(0.5))
	beyond := map[string][]float64{"a": {1 + 0x1p-23}, "b": {1 - 0x1p-23}, "x": {3, 5}}
	one := func(name string, v ...float64) map[string][]float64 { return map[string][]float64{name: v} }
	two := func(v, w float64) map[string][]float64 { return map[string][]float64{"a": {v}, "b": {w}} }
	ignore := formula.Maximum(perhaps, c).Meant(formula.IgnoreNaN)
	saturated := formula.Store(formula.Mul(a, b), e4m3, formula.Saturate)
	// x·x along n is greatest at 0 or 1, as roundings decide: 3 lies there, or 5.
	tied := formula.ArgMax(formula.Mul(x, y))
	between := map[string][]float64{"x": {1 + 0x1p-23, 1 + 0x1p-22, 0}, "y": {1 + 0x1p-22, 1 + 0x1p-23 - 0x1p-24, 0}, "w": {3, 5, 7}}
	looked := formula.Gather(formula.Vector("w"), "n", tied, formula.Const(9))
	greatest := formula.Gather(formula.Vector("w"), "n", formula.ArgMax(x), formula.Const(9))
	above := func(e *formula.Expr) *formula.Expr {
		return formula.Div(formula.Const(1), formula.Maximum(e, formula.Const(0)))
	} // of two zeros either
	reciprocal := above(formula.Exp2(a))
	filled := formula.Shift(h1, "n", 1, formula.Const(4.65e-5))
	flush16 := formula.Claim{Flush16: model.Flush{In: true, Out: true}}
	return []allowed{
		{"so many ulps of 2^x that underflows reach -0", reciprocal, ulps, formula.Type{}, one("a", -270), -inf, true},
		{"2^x in its range is not -0", reciprocal, inRange, formula.Type{}, one("a", -270), -inf, false},
		{"2^x rounded once is not -0", reciprocal, rounded, formula.Type{}, one("a", -270), -inf, false},
		{"2^-inf is +0", formula.Div(formula.Const(1), formula.Exp2(a)), ulps, formula.Type{}, one("a", -inf), -inf, false},
		{"a square is not -0", formula.Div(formula.Const(1), formula.Mul(a, a)), ulps, formula.Type{}, one("a", 0), -inf, false},
		{"the square of a tiny number flushed", above(formula.Mul(a, a)), ftz, formula.Type{}, one("a", 0x1p-90), -inf, true},
		{"in range, and not rounded", formula.Sub(formula.Tanh(a), formula.Const(1)), unrounded, formula.Type{}, one("a", 10), 0x1p-26, false},
		{"a fill that is not stored as a half is not flushed", filled, flush16, formula.Float(model.Binary32), one("h", 1), 0, false},
		{"a half that is filled in is flushed", formula.Shift(h1, "n", 1, formula.Store(formula.Const(4.65e-5), b16, formula.OverflowByType)), flush16, formula.Float(model.Binary32), one("h", 1), 0, true},
		{"a look-up at the greatest of an input", greatest, formula.Claim{}, formula.Type{}, map[string][]float64{"x": {1, 3, 2}, "w": {3, 5, 7}}, 5, true},
		{"a look-up at the greatest of an input is certain", greatest, formula.Claim{}, formula.Type{}, map[string][]float64{"x": {1, 3, 2}, "w": {3, 5, 7}}, 3, false},
		{"a look-up that a rounding decides", looked, formula.Claim{}, formula.Type{}, between, 3, true},
		{"a look-up that a rounding decides, the other way", looked, formula.Claim{}, formula.Type{}, between, 5, true},
		{"a look-up that a rounding decides is of what may be greatest", looked, formula.Claim{}, formula.Type{}, between, 7, false},
		{"a look-up never beyond the axis", looked, formula.Claim{}, formula.Type{}, between, 9, false},
		{"a look-up perhaps beyond the axis", formula.Gather(x, "n", formula.Store(perhapsTwo, formula.Int(32), formula.Saturate), formula.Const(9)), formula.Claim{}, formula.Type{}, beyond, 9, true},
		{"a look-up perhaps beyond the axis, and perhaps not", formula.Gather(x, "n", formula.Store(perhapsTwo, formula.Int(32), formula.Saturate), formula.Const(9)), formula.Claim{}, formula.Type{}, beyond, 5, true},
		{"a look-up of what may be NaN", formula.Gather(formula.Sqrt(x), "n", tied, formula.Const(9)), formula.Claim{}, formula.Type{}, map[string][]float64{"x": {1 + 0x1p-23, -1 - 0x1p-22, 0}, "y": {1 + 0x1p-22, -1 - 0x1p-23 + 0x1p-24, 0}}, nan, true},
		{"nothing is defined modulo 0", formula.Mod(q, formula.Integer(0)), formula.Claim{}, formula.Type{}, one("q", 5), 5, true},
		{"comparison with NaN is false", formula.Less(perhaps, formula.Const(5)), formula.Claim{}, formula.Type{}, near, 0, true},
		{"comparison with NaN is nothing else", formula.Less(a, b), formula.Claim{}, formula.Type{}, two(nan, 1), 1, false},
		{"maximum leaves NaN out", ignore, formula.Claim{}, formula.Type{}, nearC, -5, true},
		{"maximum leaves NaN out for one number", formula.Maximum(a, b).Meant(formula.CMeaning), formula.Claim{}, formula.Type{}, two(nan, 1), 2, false},
		{"maximum of two that may be NaN", formula.Maximum(perhaps, perhaps).Meant(formula.IgnoreNaN), formula.Claim{}, formula.Type{}, near, nan, true},
		{"power of NaN", formula.Pow(a, b), formula.Claim{}, formula.Type{}, two(nan, 0), 1, true},
		{"power with an infinite exponent", formula.Pow(a, b), formula.Claim{}, formula.Type{}, two(-0.5, -inf), inf, true},
		{"power with an infinite exponent is positive", formula.Pow(a, b), formula.Claim{}, formula.Type{}, two(-0.5, -inf), -inf, false},
		{"root of a negative number", formula.Pow(a, b), formula.Claim{}, formula.Type{}, two(-2, 0.5), 3, false},
		{"rsqrt of -0", formula.Rsqrt(a), formula.Claim{}, formula.Type{}, one("a", minus), -inf, true},
		{"rsqrt of +0", formula.Rsqrt(a), formula.Claim{}, formula.Type{}, one("a", zero), -inf, false},
		{"rsqrt of a product that is -0", formula.Rsqrt(formula.Mul(a, b)), formula.Claim{}, formula.Type{}, two(0, -1), -inf, true},
		{"division by +0", formula.Div(a, b), formula.Claim{}, formula.Type{}, two(1, 0), 7, false},
		{"division by what may be -0", formula.Div(formula.Const(1), formula.Mul(formula.Const(-1), formula.Minimum(apart, formula.Const(0)))), formula.Claim{Exactly: true}, formula.Type{}, near, -inf, true},
		{"nothing promised, not even a number", formula.Sqrt(a), fast, formula.Type{}, one("a", 0), nan, true},
		{"nothing promised of an infinity", formula.Div(a, b), fast, formula.Type{}, two(1, inf), nan, true},
		{"overflow has a sign", formula.Exp(a), formula.Claim{}, formula.Type{}, one("a", 1000), -5, false},
		{"overflow of a dot product has a sign", formula.Dot(x, y, "n"), formula.Claim{}, formula.Type{}, map[string][]float64{"x": {0x1p100, 0x1p100}, "y": {0x1p100, 1}}, nan, false},
		{"overflow of a dot product", formula.Dot(x, y, "n"), formula.Claim{}, formula.Type{}, map[string][]float64{"x": {0x1p100, 0x1p100}, "y": {0x1p100, 1}}, inf, true},
		{"a subnormal operand is read as 0", formula.Mul(a, b), daz, formula.Type{}, two(0x1p-130, 0x1p100), 0, true},
		{"of a dot product", formula.Dot(x, y, "n"), daz, formula.Type{}, map[string][]float64{"x": {0x1p-130, 0}, "y": {0x1p100, 1}}, 0, true},
		{"of an argmax", formula.ArgMax(x), daz, formula.Type{}, one("x", 0x1p-140, 0x1p-139), 0, true},
		{"of a comparison", formula.Less(a, b), daz, formula.Type{}, two(0, 0x1p-140), 0, true},
		{"a function's error leads below the least normal number", formula.Div(a, b), ftz, formula.Type{}, two(1+0x1p-23, 0x1p126), 0, true},
		{"an integer is converted first", formula.Mul(h, q), half, b16, map[string][]float64{"h": {1.5}, "q": {2049}}, 3072, true},
		{"an integer converted is too large", formula.Div(h, q), half, b16, map[string][]float64{"h": {1}, "q": {70000}}, 0, true},
		{"a tie beyond the greatest E4M3 goes to it", formula.Store(a, e4m3, formula.OverflowByType), formula.Claim{}, e4m3, one("a", 464), 448, true},
		{"E4M3 overflows to NaN within a formula", formula.Div(formula.Const(1), formula.Store(a, e4m3, formula.OverflowByType)), formula.Claim{}, formula.Type{}, one("a", 1000), nan, true},
		{"saturation is never missing", formula.Sub(saturated, formula.Const(448)), formula.Claim{}, formula.Type{}, two(0x1.99999ap-4, 4479), 1, false},
		{"power of +0", formula.Pow(formula.Abs(a), b), formula.Claim{}, formula.Type{}, two(minus, -1), -inf, false},
		{"a negative operand flushed to -0", formula.Rsqrt(formula.Sub(formula.Const(0), b)), formula.Claim{Flush: model.Flush{Out: true}}, formula.Type{}, one("b", 0x1p-130), -inf, true},
		{"ulps that grow with the operand", formula.Exp(a), fast, formula.Type{}, one("a", -0x1p40), 0x1p-109, true},
		{"NaN as an integer", formula.Store(a, formula.Int(8), formula.Saturate), formula.Claim{}, formula.Type{}, one("a", nan), 0, true},
		{"a truth value of a number", formula.Store(a, formula.Bool, formula.OverflowByType), formula.Claim{}, formula.Type{}, one("a", 0.25), 1, true},
		{"a negated product is fused", formula.Add(formula.Neg(formula.Mul(a, b)), c), exactly, b16, map[string][]float64{"a": {1.0009765625}, "b": {1.0009765625}, "c": {1.001953125}}, -0x1p-20, true},
		{"sum of numbers that the claim's format has not", formula.Sum(formula.Select(formula.Less(apart, formula.Const(0)), x, x)), exactly, b16, map[string][]float64{"a": {1 + 0x1p-9}, "b": {1 + 0x1p-9}, "x": {0x1p-25 + 0x1p-40, 0x1p-40, 0x1p-25 + 0x1p-40}}, 0x1p-23, true},
	}
}

// TestSpecialResults holds single results that are allowed, or not, for a reason that few inputs show.
func TestSpecialResults(t *testing.T) {
	for _, s := range specialResults() {
		t.Run(s.name, func(t *testing.T) {
			p, err := enclosure.Compile(s.e, s.claim, s.out)
			require.NoError(t, err)
			in := map[string]enclosure.Array{}
			for _, x := range p.Inputs() {
				n := x.Node()
				a := enclosure.Array{Values: s.in[n.Name]}
				for range n.Axes {
					a.Shape = append(a.Shape, len(a.Values))
				}
				in[n.Name] = a
			}
			r, err := p.Run(in)
			require.NoError(t, err)
			require.Equal(t, s.want, r.Allows(0, s.result), "[%v, %v], NaN %t", r.Lo[0], r.Hi[0], r.MayBeNaN(0))
		})
	}
}

// TestSaturationHidesAnError holds that an error that elements share does not cancel where one of them is saturated.
func TestSaturationHidesAnError(t *testing.T) {
	x, s := formula.Vector("x"), formula.Scalar("s")
	d := formula.Sub(x, formula.Exp(s))
	e := formula.Sub(formula.Store(d, formula.Float(model.E4M3), formula.Saturate), d)
	p, err := enclosure.Compile(e, formula.Claim{Format: model.Binary16}, formula.Type{})
	require.NoError(t, err)
	r, err := p.Run(map[string]enclosure.Array{"x": {Shape: []int{1}, Values: []float64{32448}}, "s": {Values: []float64{10.375}}})
	require.NoError(t, err)
	// exp(10.375) is 32048.3, which may be off by 4 ulp, 64: 31984 leads to 448 - 464, and 31968 to 448 - 480.
	require.True(t, r.Allows(0, 448-480), "[%v, %v]", r.Lo[0], r.Hi[0])
}

// TestFusedOnce holds that a product which one addition fuses is rounded for another use: its error does not cancel between them, though many
// elements share it.
func TestFusedOnce(t *testing.T) {
	x, y := formula.Input("x", formula.Float(model.Binary32), "i"), formula.Input("y", formula.Float(model.Binary32), "j")
	tenth := formula.Mul(formula.Const(0.1), x)
	p, err := enclosure.Compile(formula.Sub(formula.Minimum(y, tenth), tenth), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	r, err := p.Run(map[string]enclosure.Array{"x": {Shape: []int{1}, Values: []float64{3}}, "y": {Shape: []int{2}, Values: []float64{7, 8}}})
	require.NoError(t, err)
	rounded := float64(float32(3 * float64(float32(0.1))))
	require.True(t, r.Allows(0, float64(float32(rounded-3*float64(float32(0.1))))), "[%v, %v]", r.Lo[0], r.Hi[0])
}

// TestNothingToReduce holds that an axis of no elements leaves none, wherever it lies.
func TestNothingToReduce(t *testing.T) {
	w, y := formula.Input("w", formula.Float(model.Binary32), "i"), formula.Input("y", formula.Float(model.Binary32), "j")
	p, err := enclosure.Compile(formula.Sum(formula.Sub(w, y), "i"), formula.Claim{Exactly: true}, formula.Type{})
	require.NoError(t, err)
	r, err := p.Run(map[string]enclosure.Array{"w": {Shape: []int{0}}, "y": {Shape: []int{2}, Values: []float64{1, 2}}})
	require.NoError(t, err)
	require.True(t, r.Allows(1, 0))
}
