package enclosure

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
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

// TestIntegersAreExact: a dot product of integers whose partial sums a format holds is a point, and one beyond is not.
func TestIntegersAreExact(t *testing.T) {
	p, err := Compile(formula.Dot(formula.Vector("x"), formula.Vector("y"), "n"), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	for _, c := range []struct {
		x     []float64
		point bool
	}{{[]float64{1, 2, 3, -4, 5}, true}, {[]float64{0x1.8p10, 0x1p9, 1}, true}, {[]float64{0x1p12, 0x1p11, 1}, false}, {[]float64{0.5, -0.25, 0x1p-9}, true}, {[]float64{0x1p-80, 0x1p-79}, false}} {
		in := Array{Shape: []int{len(c.x)}, Values: c.x}
		sum := 0.0
		for _, v := range c.x {
			sum += v * v
		}
		r, err := p.Run(map[string]Array{"x": in, "y": in})
		require.NoError(t, err)
		require.Equal(t, c.point, r.Lo[0] == r.Hi[0], "%v", c.x)
		require.True(t, r.Allows(0, float64(float32(sum))))
		if c.point {
			require.Equal(t, sum, r.Lo[0])
		}
	}
}

// TestInfiniteProducts: a dot product with an infinite product is that infinity, or NaN if two meet.
func TestInfiniteProducts(t *testing.T) {
	p, err := Compile(formula.Dot(formula.Vector("x"), formula.Vector("y"), "n"), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	for _, c := range []struct {
		x, y []float64
		want float64
	}{{[]float64{math.Inf(-1), 1}, []float64{2, 3}, math.Inf(-1)}, {[]float64{math.Inf(-1), math.Inf(-1)}, []float64{2, -3}, math.NaN()}} {
		r, err := p.Run(map[string]Array{"x": {Shape: []int{2}, Values: c.x}, "y": {Shape: []int{2}, Values: c.y}})
		require.NoError(t, err)
		for _, x := range []float64{math.Inf(-1), math.Inf(1), math.NaN(), 1} {
			require.Equal(t, x == c.want || x != x && c.want != c.want, r.Allows(0, x), "%v: %v", c, x)
		}
	}
}

// TestOverflowIsNoticed: exp overflows inside of a sigmoid whose value does not, and a mask of infinities is no overflow.
func TestOverflowIsNoticed(t *testing.T) {
	x := formula.Vector("x")
	masked := formula.Softmax(formula.Select(formula.Less(x, formula.Const(0)), formula.Const(math.Inf(-1)), x))
	for _, c := range []struct {
		e    *formula.Expr
		x    float64
		want bool
	}{{formula.Sigmoid(x), -1, false}, {formula.Sigmoid(x), -100, true}, {formula.Sigmoid(x), math.Inf(1), true}, {masked, 1, false}, {masked, -1, false}} {
		p, err := Compile(c.e, formula.Claim{Finite: true}, formula.Type{})
		require.NoError(t, err)
		r, err := p.Run(map[string]Array{"x": {Shape: []int{2}, Values: []float64{c.x, 1}}})
		require.NoError(t, err)
		require.Equal(t, c.want, r.Overflows, "%v of %v", c.e, c.x)
	}
}

// TestExactValueApart holds that where every result is rounded, the exact value may lie outside what evaluations hold, and a jump between.
func TestExactValueApart(t *testing.T) {
	x, s := formula.Vector("x"), formula.Scalar("s")
	e := formula.Floor(formula.Prod(formula.Sub(s, formula.Mul(x, x))))
	p, err := Compile(e, formula.Claim{Exactly: true}, formula.Type{})
	require.NoError(t, err)
	p.method = both
	r, err := p.Run(map[string]Array{"x": {Shape: []int{1}, Values: []float64{0x1.000002p-20}}, "s": {Values: []float64{1}}})
	require.NoError(t, err)
	require.True(t, r.Allows(0, 1), "[%v, %v]", r.Lo[0], r.Hi[0])
}

// TestSaturatedOverflow holds that what may have overflowed is not near the exact value once it is saturated.
func TestSaturatedOverflow(t *testing.T) {
	x, y := formula.Vector("x"), formula.Vector("y")
	bf16 := formula.Float(model.BFloat16)
	p, err := Compile(formula.Store(formula.Dot(x, y, "n"), bf16, formula.Saturate), formula.Claim{Format: model.Binary16}, bf16)
	require.NoError(t, err)
	p.method = both
	r, err := p.Run(map[string]Array{"x": {Shape: []int{2}, Values: []float64{300, 300}}, "y": {Shape: []int{2}, Values: []float64{300, -300}}})
	require.NoError(t, err)
	require.True(t, r.Allows(0, 0x1.fep127), "[%v, %v]", r.Lo[0], r.Hi[0])
}

// TestGreatestOfNothing holds that the greatest of no elements is -∞, for each of several rows.
func TestGreatestOfNothing(t *testing.T) {
	p, err := Compile(formula.Max(formula.Matrix("a", "i", "j"), "i"), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	r, err := p.Run(map[string]Array{"a": {Shape: []int{0, 3}}})
	require.NoError(t, err)
	for i := range 3 {
		require.True(t, r.Allows(i, math.Inf(-1)))
		require.False(t, r.Allows(i, 0))
	}
}

// TestRareResults holds results of which random formulas met one in ten million: each is what a conforming evaluation may give.
func TestRareResults(t *testing.T) {
	half := formula.Claim{Format: model.Binary16}
	flushing := half
	flushing.Flush = model.Flush{In: true, Out: true, Before: true}
	exactly := half
	exactly.Exactly, exactly.Unfused = true, true
	vector := func(x ...float64) Array { return Array{Shape: []int{len(x)}, Values: x} }
	for _, c := range []struct {
		why, text string
		claim     formula.Claim
		in        map[string]Array
		i         int
		x         float64
	}{
		{
			"each product reads the subnormal number as 0, or not",
			"y binary16[j]\nx binary16[i]\nresult sum(mul(scanmax(y, j; fmax reverse), x), i; left)\n", flushing,
			map[string]Array{"x": vector(-2194, 5144), "y": vector(11.3203125, 0x1.acp-17)},
			1, -0x1.cap-6,
		},
		{
			"an exact sum beyond the largest number overflows, or not in a wider format",
			"x binary16[i]\nresult div(dot(x, x, i), 2)\n", half,
			map[string]Array{"x": vector(256, 16)},
			0, math.Inf(1),
		},
		{
			"the power of a zero of either sign",
			"x binary16\ny binary16\nresult pow(minimum(tan(x), x), y)\n", exactly,
			map[string]Array{"x": {Values: []float64{0}}, "y": {Values: []float64{-3}}},
			0, math.Inf(1),
		},
	} {
		e, err := formula.Parse(c.text)
		require.NoError(t, err)
		p, err := Compile(e, c.claim, formula.Float(model.Binary16))
		require.NoError(t, err)
		for _, p.method = range []method{both, plain, meanValue} {
			r, err := p.Run(c.in)
			require.NoError(t, err)
			require.True(t, r.Allows(c.i, c.x), "%s: %v is outside [%v, %v]", c.why, c.x, r.Lo[c.i], r.Hi[c.i])
		}
	}
	// A term that may be -∞, and finite ones whose partial sums may overflow.
	x, a, b := formula.Input("x", formula.Float(model.Binary16), "i"), formula.Input("a", formula.Float(model.Binary16), "i", "k"), formula.Input("b", formula.Float(model.Binary16), "k")
	p, err := Compile(formula.Sum(formula.Minimum(x, formula.Dot(a, b, "k")).Meant(formula.IgnoreNaN), "i"), half, formula.Float(model.Binary16))
	require.NoError(t, err)
	r, err := p.Run(map[string]Array{"x": vector(40000, 40000, 40000), "a": {Shape: []int{3, 2}, Values: []float64{300, 300, 300, 300, 300, 300}}, "b": vector(300, -300)})
	require.NoError(t, err)
	require.True(t, r.MayBeNaN(0), "[%v, %v]", r.Lo[0], r.Hi[0])
}

// TestFastLoopGivesUp holds that what a fast loop began, and left because a later element is near overflow, is as if it had not begun.
func TestFastLoopGivesUp(t *testing.T) {
	x, y := formula.Vector("x"), formula.Vector("y")
	p, err := Compile(formula.Dot(formula.Add(x, y), formula.Vector("z"), "n"), formula.Claim{}, formula.Type{})
	require.NoError(t, err)
	vector := func(v ...float64) Array { return Array{Shape: []int{len(v)}, Values: v} }
	r := &run{p: p, sizes: map[string]int{"n": 2}, in: map[string]Array{"x": vector(1, 0x1.fp127), "y": vector(2, 0x1.fp127), "z": vector(1, 1)}, arrays: make([]*array, len(p.steps)), maps: map[[2]*array][]int32{}}
	for i := range p.steps {
		require.NoError(t, r.step(i))
		if p.steps[i].Op == formula.OpAdd {
			a := r.arrays[i]
			require.Equal(t, point(3), a.t(0))
			require.Zero(t, a.diag[0])
		}
	}
}

// A function that keeps to its range does not leave it by its ulps.
func TestInRange(t *testing.T) {
	for _, c := range []struct {
		of     func(*formula.Expr) *formula.Expr
		op     formula.Op
		x      float64
		lo, hi float64 // of the range
	}{
		{formula.Sin, formula.OpSin, math.Pi / 2, -1, 1},
		{formula.Cos, formula.OpCos, math.Pi, -1, 1},
		{formula.SinPi, formula.OpSinPi, -2.5, -1, 1},
		{formula.CosPi, formula.OpCosPi, 0x1p-20, -1, 1},
		{formula.Tanh, formula.OpTanh, 20, -1, 1},
		{formula.Erf, formula.OpErf, -9, -1, 1},
		{formula.Exp, formula.OpExp, -103.5, 0, math.Inf(1)},
		{formula.Exp2, formula.OpExp2, -149, 0, math.Inf(1)},
		{formula.Expm1, formula.OpExpm1, -30, -1, math.Inf(1)},
	} {
		var beyond [2]bool
		for i, in := range []bool{false, true} {
			for _, m := range []method{both, plain, meanValue} {
				claim := formula.Claim{Functions: formula.Published.With(c.op, formula.Promise{Ulps: 4, InRange: in})}
				p, err := Compile(c.of(formula.Scalar("x")), claim, formula.Float(model.Binary32))
				require.NoError(t, err)
				p.method = m
				r, err := p.Run(map[string]Array{"x": {Values: []float64{float64(float32(c.x))}}})
				require.NoError(t, err)
				beyond[i] = beyond[i] || m != meanValue && (r.Lo[0] < c.lo || r.Hi[0] > c.hi)
			}
		}
		require.Equal(t, [2]bool{true, false}, beyond, "%v", c.op)
	}
}
