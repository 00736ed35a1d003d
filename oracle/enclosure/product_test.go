package enclosure

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

// products returns every result of a product of terms: over all trees and orders, each multiplication rounded to f, or not at all.
func products(f *format, terms []float64) map[float64]bool {
	sets := make([]map[float64]bool, 1<<len(terms))
	for s := 1; s < len(sets); s++ {
		sets[s] = map[float64]bool{}
		for k, x := range terms {
			if s == 1<<k {
				sets[s][x] = true
			}
		}
		for a := (s - 1) & s; a > 0; a = (a - 1) & s {
			for x := range sets[a] {
				for y := range sets[s&^a] {
					z := x * y // exact: few terms of few bits
					sets[s][z], sets[s][f.nearest(z)] = true, true
				}
			}
		}
	}
	return sets[len(sets)-1]
}

// TestProductsOfToys encloses every product of three terms, and of four that are not negative, of formats of two and three bits, in all orders, rounded or not. Of
// programs in which nothing underflows some results lie outside, so that the term for it is one that the test sees.
func TestProductsOfToys(t *testing.T) {
	for _, c := range []struct {
		p, emin, emax, terms int
		negative             bool
	}{{2, -2, 2, 3, true}, {3, -3, 2, 3, true}, {2, -8, 1, 4, false}} {
		toy := model.Format{Name: "toy", P: c.p, Emin: c.emin, Emax: c.emax, ExpBits: 8, MaxFinite: 1<<c.p - 1, HasInf: true}
		f := newFormat(toy)
		var all []float64
		for x := 0.0; x <= f.greatest; x += f.ulp(x) {
			if all = append(all, x); c.negative && x > 0 {
				all = append(all, -x)
			}
		}
		x := formula.Input("x", formula.Float(toy), "n")
		compiled := func(fl flaw) *Program {
			p, err := Compile(formula.Prod(x), formula.Claim{Format: toy}, formula.Float(toy))
			require.NoError(t, err)
			p.flaw = fl
			return p
		}
		right, flawed := compiled(flawless), compiled(noUnderflow)
		outside, said, results := 0, 0, 0
		terms := make([]float64, c.terms)
		in := map[string]Array{"x": {Shape: []int{c.terms}, Values: terms}}
		var each func(k, from int)
		each = func(k, from int) {
			for j := from; j < len(all) && k < c.terms; j++ { // in ascending places, since all orders are tried
				terms[k] = all[j]
				each(k+1, j)
			}
			if k < c.terms {
				return
			}
			z, err := right.Run(in)
			require.NoError(t, err)
			if !math.IsInf(z.Hi[0], 1) {
				said++
			}
			bad, err := flawed.Run(in)
			require.NoError(t, err)
			for v := range products(&f, terms) {
				results++
				v = f.nearest(v)
				require.True(t, z.Allows(0, v), "%v: %g outside [%g, %g]", terms, v, z.Lo[0], z.Hi[0])
				if !bad.Allows(0, v) {
					outside++
				}
			}
		}
		each(0, 0)
		t.Logf("%d bits, %d terms: %d results inside, something said of %d inputs; %d outside where nothing underflows", c.p, c.terms, results, said, outside)
		require.Positive(t, outside)
		require.Positive(t, said)
	}
}

// TestProductsOfTinyTerms: a product that underflows is bounded by so many halves of a subnormal number, one with a zero is zero, and signs are the exact ones.
func TestProductsOfTinyTerms(t *testing.T) {
	run := func(claim formula.Claim, x ...float64) *Result {
		p, err := Compile(formula.Prod(formula.Vector("x")), claim, formula.Float(model.Binary32))
		require.NoError(t, err)
		z, err := p.Run(map[string]Array{"x": {Shape: []int{len(x)}, Values: x}})
		require.NoError(t, err)
		require.False(t, z.MayBeNaN(0))
		return z
	}
	z := run(formula.Claim{}, 0x1p-80, 0x1p-80, 0x1p-3, 3)
	require.Equal(t, 0.0, z.Lo[0])
	require.LessOrEqual(t, z.Hi[0], 0x1p-146)
	z = run(formula.Claim{}, 0, 0x1p100, -0x1p-140)
	require.Equal(t, []float64{0, 0}, []float64{z.Lo[0], z.Hi[0]})
	z = run(formula.Claim{}, -0x1p-100, 0x1p-10, 0x1p50) // 0x1p-60, and 0x1p-110 on the way
	require.Less(t, z.Hi[0], 0.0)
	require.InEpsilon(t, 0x1p-60, -z.Lo[0], 0x1p-20)
	z = run(formula.Claim{Flush: model.Flush{In: true, Out: true}}, 0x1p-100, 0x1p-60, 4)
	require.Equal(t, 0.0, z.Lo[0])
	require.LessOrEqual(t, z.Hi[0], 0x1p-120)
	p, err := Compile(formula.Prod(formula.Vector("x")), formula.Claim{}, formula.Float(model.Binary32))
	require.NoError(t, err)
	z, err = p.Run(map[string]Array{"x": {Shape: []int{3}, Values: []float64{0x1p100, 0x1p100, 0x1p-100}}})
	require.NoError(t, err)
	require.True(t, z.Allows(0, math.Inf(1)), "a partial product overflows")
}
