package enclosure_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/conforming"
	"gamma/oracle/enclosure"
)

// TestSignOfFlushedZero: where the sign of a flushed zero is open, what divides by it may be an infinity of either sign, and evaluations that keep to the claim are; where it is
// kept, and of a zero that nothing was flushed to, of one sign alone.
func TestSignOfFlushedZero(t *testing.T) {
	x, h, one := formula.Scalar("x"), formula.Input("x", formula.Float(model.Binary16)), formula.Const(1)
	magnitude := formula.Abs(x)
	over := func(e *formula.Expr) *formula.Expr { return formula.Div(one, e) }
	flush := formula.Claim{Flush: model.Flush{In: true, Out: true}}
	ranged, exactly := flush, flush
	ranged.Functions = formula.Published.With(formula.OpExp, formula.Promise{Ulps: 1, InRange: true})
	exactly.Exactly, exactly.Functions = true, formula.CorrectlyRounded
	for _, c := range []struct {
		f     *formula.Expr
		x     float64
		claim formula.Claim
		met   bool // by evaluations: those of package conforming flush nothing but operands and results
	}{
		{over(magnitude), -0x1p-140, flush, true},
		{formula.Rsqrt(magnitude), 0x1p-140, flush, true},
		{formula.Pow(magnitude, formula.Const(-3)), 0x1p-140, flush, true},
		{over(formula.Exp(x)), -100, ranged, true},
		{over(formula.Exp(x)), -100, exactly, true},
		{over(formula.Mul(x, x)), 0x1p-70, exactly, true},
		{formula.Div(x, formula.Const(0x1p-140)), 1, flush, true},
		{over(formula.Sqrt(magnitude)), 0x1p-140, exactly, true},
		{over(formula.Maximum(magnitude, formula.Const(0))), 0x1p-140, flush, true},
		{over(formula.Minimum(magnitude, formula.Const(0))), 0x1p-140, flush, true},
		{over(formula.Floor(magnitude)), 0x1p-140, flush, true},
		{over(formula.Ufp(x)), 0x1p-140, flush, true},
		{over(h), 0x1p-20, formula.Claim{Flush16: model.Flush{In: true}}, true},
		{over(formula.Exp(x)), math.Inf(-1), exactly, false},
		{over(x), 0, flush, false},
		{over(x), 0x1p-140, flush, true},
		{over(h), 0, formula.Claim{Flush16: model.Flush{In: true, Out: true}}, false},
		{formula.Rsqrt(x), 0, exactly, false},
		{over(magnitude), math.Copysign(0, -1), exactly, false},
		{over(formula.Max(formula.Abs(formula.Vector("v")))), 0, exactly, false},
	} {
		for _, open := range []bool{false, true} {
			claim := c.claim
			claim.Flush.AnySign, claim.Flush16.AnySign = open, open
			in := map[string]enclosure.Array{"x": {Values: []float64{c.x}}, "v": {Shape: []int{2}, Values: []float64{c.x, math.Copysign(c.x, -1)}}}
			p, err := enclosure.Compile(c.f, claim, formula.Float(model.Binary32))
			require.NoError(t, err)
			r, err := p.Run(in)
			require.NoError(t, err)
			require.True(t, r.Allows(0, math.Inf(1)), "%s", c.f)
			require.Equal(t, open && c.met, r.Allows(0, math.Inf(-1)), "%s, %s: %v to %v", c.f, claim.Flush, r.Lo[0], r.Hi[0])
			met := false
			for k := range uint64(2000) {
				d := &conforming.Evaluation{
					Claim: claim.WithDefaults(), Sizes: map[string]int{"n": 2}, Inputs: func(name string) []float64 { return in[name].Values }, Rand: rand.New(rand.NewPCG(k, 1)), Style: -1,
				}
				v := d.Run(c.f, formula.Float(model.Binary32))[0]
				require.True(t, r.Allows(0, v), "%s, %s is %v", c.f, claim.Flush, v)
				met = met || math.IsInf(v, -1)
			}
			require.Equal(t, open && c.met, met, "%s, %s", c.f, claim.Flush)
		}
	}
}
