package props

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/engine"
)

// flushedAnyhow returns x, or what a device of Metal or OpenCL may make of a subnormal one: a zero of the other sign for half of all magnitudes.
func flushedAnyhow(x float32) float32 {
	b := math.Float32bits(x)
	if m := b &^ (1 << 31); m > 0 && m < 1<<23 {
		return math.Float32frombits(b&(1<<31) ^ m*0x9e3779b9&(1<<31))
	}
	return x
}

// TestSignOfFlushedZero: a kernel that divides by a zero of either sign, where a number was flushed, is right where the claim leaves that sign open, and wrong where it is kept. What no
// zero decides is found all the same.
func TestSignOfFlushedZero(t *testing.T) {
	over := func(x *formula.Expr) *formula.Expr { return formula.Div(formula.Const(1), x) }
	overMagnitude := func(x *formula.Expr) *formula.Expr { return over(formula.Abs(x)) }
	by := func(x float32) float32 { return flushedAnyhow(1 / flushedAnyhow(x)) }
	byMagnitude := func(x float32) float32 { return by(float32(math.Abs(float64(x)))) }
	asMagnitude := func(x float32) float32 { return flushedAnyhow(float32(math.Abs(float64(1 / x)))) }
	unlike := func(x float32) float32 { // of -x a zero of the same sign
		if x != 0 && flushedAnyhow(x) == 0 {
			return float32(math.Inf(1))
		}
		return by(x)
	}
	for _, c := range []struct {
		name  string
		f     func(*formula.Expr) *formula.Expr
		g     func(float32) float32
		law   model.LawID
		found [2]bool // where signs are kept, and where they are open
	}{
		{"1/|x|", overMagnitude, byMagnitude, model.FormulaEnclosure, [2]bool{true, false}},
		{"-1/|x|", overMagnitude, func(x float32) float32 { return -byMagnitude(x) }, model.FormulaEnclosure, [2]bool{true, true}},
		{"1/x", over, unlike, model.FormulaSymmetry, [2]bool{true, false}},
		{"|1/x|", over, asMagnitude, model.FormulaSymmetry, [2]bool{true, true}},
	} {
		for i, found := range c.found {
			claim := formula.Claim{Flush: model.Flush{In: true, Out: true, AnySign: i == 1}, Symmetry: formula.Odd}
			if c.law != model.FormulaSymmetry {
				claim.Symmetry = formula.NoSymmetry
			}
			text := violated(t, ofOne("Over", c.f, claim, c.g), c.law, 400)
			require.Equal(t, found, text != "", "%s, %s\n%s", c.name, claim.Flush, text)
		}
	}
	_, err := Arithmetic{Name: "any", Format: model.Binary32, Flush: model.Flush{In: true, AnySign: true}}.Judged(engine.Settings{})
	require.ErrorContains(t, err, "leave it out")
}
