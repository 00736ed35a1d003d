package conforming_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/oracle/conforming"
)

// TestSignOfUnderflow: where 2^x underflows, a number of ulps admits -0 and less, and a range, or correct rounding, neither.
func TestSignOfUnderflow(t *testing.T) {
	for _, c := range []struct {
		p       formula.Promise
		exactly bool
		below   bool
	}{
		{formula.Promise{Ulps: 3}, false, true},
		{formula.Promise{Ulps: 3}, true, true},
		{formula.Promise{Ulps: 3, InRange: true}, false, false},
		{formula.Promise{Ulps: 3, InRange: true}, true, false},
		{formula.Promise{InRange: true}, false, false},
		{formula.Promise{}, true, false},
		{formula.Promise{}, false, true},
	} {
		minus, less := false, false
		for k := range uint64(2000) {
			d := &conforming.Evaluation{
				Claim: formula.Claim{Exactly: c.exactly, Functions: formula.OpenCL.With(formula.OpExp2, c.p)}.WithDefaults(), Sizes: map[string]int{},
				Inputs: func(string) []float64 { return []float64{-270} }, Rand: rand.New(rand.NewPCG(k, 2)), Style: -1,
			}
			r := formula.Div(formula.Const(1), formula.Exp2(formula.Scalar("x")))
			d.Run(r, formula.Type{})
			v := d.Values(r.Node().Args[1])[0]
			minus, less = minus || v == 0 && math.Signbit(v), less || v < 0
		}
		require.Equal(t, c.below, less, "%v, exactly %t", c.p, c.exactly)
		require.Equal(t, c.below && c.p.Ulps > 0, minus, "%v, exactly %t", c.p, c.exactly)
	}
}

// TestHugeErrors: where so many ulps of a result are more than the greatest number of binary64, a conforming result is a number or an infinity.
func TestHugeErrors(t *testing.T) {
	far := false
	for k := range uint64(200) {
		d := &conforming.Evaluation{
			Claim: formula.Claim{Format: model.Binary16, Functions: formula.MetalFast}.WithDefaults(), Sizes: map[string]int{},
			Inputs: func(string) []float64 { return []float64{1023.75} }, Rand: rand.New(rand.NewPCG(k, 3)), Style: -1,
		}
		r := formula.Exp2(formula.Scalar("x"))
		d.Run(r, formula.Type{})
		v := d.Values(r)[0]
		require.False(t, math.IsNaN(v), "seed %d", k)
		far = far || v < math.Ldexp(1, 1023)
	}
	require.True(t, far, "no result errs by half of it")
}
