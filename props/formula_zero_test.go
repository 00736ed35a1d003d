package props

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/formulas"
)

// TestZeroSigns: the sign of a zero that is copied, negated or taken the magnitude of is judged without a claim of symmetry, and only where the formula
// decides it. All these kernels pass formula.enclosure, in which zeros of both signs are one number.
func TestZeroSigns(t *testing.T) {
	of := func(f func(x *formula.Expr) *formula.Expr) func(g func(v float32) float32) Kernel {
		return func(g func(v float32) float32) Kernel { return ofOne("Sign", f, formula.Claim{}, g) }
	}
	negative, magnitude := of(formula.Neg), of(formula.Abs)
	plain := of(func(x *formula.Expr) *formula.Expr { return x })
	less := of(func(x *formula.Expr) *formula.Expr { return formula.Neg(formula.Abs(x)) })
	twice := of(func(x *formula.Expr) *formula.Expr { return formula.Mul(formula.Const(-2), x) })
	abs := func(v float32) float32 { return float32(math.Abs(float64(v))) }
	var zero float32
	for name, c := range map[string]struct {
		k     Kernel
		wrong bool
	}{
		"-x":                 {negative(func(v float32) float32 { return -v }), false},
		"0-x for -x":         {negative(func(v float32) float32 { return zero - v }), true},
		"|x|":                {magnitude(abs), false},
		"x < 0 ? -x : x":     {magnitude(func(v float32) float32 { return max(v, -v) }), false},
		"v<0 ? -v : v":       {magnitude(func(v float32) float32 { return map[bool]float32{true: -v, false: v}[v < 0] }), true},
		"copied":             {plain(func(v float32) float32 { return v }), false},
		"x+0 for x":          {plain(func(v float32) float32 { return v + zero }), true},
		"-|x|":               {less(func(v float32) float32 { return -abs(v) }), false},
		"0-|x|":              {less(func(v float32) float32 { return zero - abs(v) }), true},
		"-2·x":               {twice(func(v float32) float32 { return -2 * v }), false},
		"0 - (x+x) for -2·x": {twice(func(v float32) float32 { return zero - (v + v) }), true},
	} {
		text := violated(t, c.k, model.FormulaZero, 200)
		require.Equal(t, c.wrong, text != "", "%s\n%s", name, text)
		if c.wrong {
			require.Contains(t, strings.Join(strings.Fields(text), " "), "negation changes the sign of a zero, too", name)
		}
		require.Empty(t, violated(t, c.k, model.FormulaEnclosure, 200), name)
	}
	law := lawOfKernels(t, model.FormulaZero)
	x, y := formula.Vector("x"), formula.Vector("y")
	for why, k := range map[string]Kernel{
		"the formula has add":           {Formula: formula.Add(x, y)},
		"the formula has less":          {Formula: formula.Select(formula.Less(x, formula.Const(0)), formula.Neg(x), x)},
		"the claim may flush":           {Formula: formula.Neg(x), Claim: formula.Claim{Flush: model.Flush{In: true}}},
		"the claim says AnyOf":          {Formula: formula.Neg(x), Claim: formula.Claim{AnyOf: []*formula.Expr{formula.Sub(formula.Const(0), x)}}},
		"no floating-point numbers":     {Formula: formula.Less(x, y)},
		"the formula has mul, whose ze": {Formula: formula.Mul(x, y)},
	} {
		own := k
		require.Contains(t, law.Applies((*formulas.Kernel)(&own)), why)
	}
}

// TestZeroSignsOfConjugates: of a complex conjugate, whose imaginary part is negated, +0 gives -0.
func TestZeroSignsOfConjugates(t *testing.T) {
	z := formula.Input("z", formula.Float(model.Binary32), "n", "part")
	conj := formula.Select(formula.Equal(formula.Index("part"), formula.Integer(1)), formula.Neg(z), z)
	by := func(negate func(v float32) float32) Kernel {
		return Kernel{Name: "test.Conj", Formula: conj, Fixed: map[string]int{"part": 2}, Call: func(c *KernelCall) error {
			dst, z := c.Float32("dst"), c.Float32("z")
			for i, v := range z {
				dst[i] = v
				if i&1 == 1 {
					dst[i] = negate(v)
				}
			}
			return nil
		}}
	}
	require.Empty(t, violated(t, by(func(v float32) float32 { return -v }), model.FormulaZero, 200))
	require.NotEmpty(t, violated(t, by(func(v float32) float32 { return 0 - v }), model.FormulaZero, 200))
}
