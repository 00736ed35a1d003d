package model_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// formula is a bound in exact rationals, written down a second time and in another arrangement.
type formula func(p, n, h int) *big.Rat

func ri(n int) *big.Rat { return big.NewRat(int64(n), 1) }

func sumOf(xs ...*big.Rat) *big.Rat {
	z := new(big.Rat)
	for _, x := range xs {
		z.Add(z, x)
	}
	return z
}

func product(xs ...*big.Rat) *big.Rat {
	z := ri(1)
	for _, x := range xs {
		z.Mul(z, x)
	}
	return z
}

// pow returns x^k by repeated multiplication.
func pow(x *big.Rat, k int) *big.Rat {
	z := ri(1)
	for range k {
		z.Mul(z, x)
	}
	return z
}

func unitOf(p int) *big.Rat { return fraction(1, 1<<p) }
func vOf(p int) *big.Rat    { return fraction(1, 1<<p+1) }

// byHeight are the bounds that depend on a height and not on a number of terms.
var byHeight = map[string]bool{
	"HeightFactor": true, "LeafWeight": true, "DirectedHeight": true, "TowardZeroHeight": true, "MixedHeight": true,
	"DotHeightFactor a": true, "DotHeightFactor eta": true, "Sum2TreeBound": true,
}

// mixedHeight returns the greatest of g(j) = (1+v)^j·(1+2u(h-j)), less 1.
func mixedHeight(p, _, h int) *big.Rat {
	one, most := ri(1), new(big.Rat)
	for j := 0; j <= h; j++ {
		g := product(pow(sumOf(one, vOf(p)), j), sumOf(one, fraction(2*int64(h-j), 1<<p)))
		if g.Cmp(most) > 0 {
			most = g
		}
	}
	return most.Sub(most, one)
}

// grown returns (1+r)^k - 1, and 0 for k < 0.
func grown(r *big.Rat, k int) *big.Rat { return sumOf(pow(sumOf(ri(1), r), max(k, 0)), ri(-1)) }

// binomial-like products (n-1)(n-2)…(n-k), none of them below zero.
func falling(n, k int) *big.Rat {
	z := ri(1)
	for i := 1; i <= k; i++ {
		z.Mul(z, ri(max(n-i, 0)))
	}
	return z
}

func TestBoundsAreTheirFormulasRoundedUp(t *testing.T) {
	one := ri(1)
	list := []struct {
		name  string
		got   func(p, n, h int, u float64) float64
		exact formula
		ok    func(p, n, h int) bool
	}{
		{
			name:  "V",
			got:   func(_, _, _ int, u float64) float64 { return model.V(u) },
			exact: func(p, _, _ int) *big.Rat { return new(big.Rat).Quo(unitOf(p), sumOf(one, unitOf(p))) },
		},
		{
			name:  "Growth",
			got:   func(_, n, _ int, u float64) float64 { return model.Growth(n, u) },
			exact: func(p, n, _ int) *big.Rat { return grown(unitOf(p), n-1) },
			ok:    func(_, n, _ int) bool { return n <= 300 },
		},
		{
			name: "Gamma",
			got:  func(_, n, _ int, u float64) float64 { return model.Gamma(n, u) },
			exact: func(p, n, _ int) *big.Rat {
				return new(big.Rat).Quo(product(ri(n), unitOf(p)), sumOf(one, product(ri(-n), unitOf(p))))
			},
			ok: func(p, n, _ int) bool { return n < 1<<p },
		},
		{
			name:  "OrderFree",
			got:   func(_, n, _ int, u float64) float64 { return model.OrderFree(n, u) },
			exact: func(p, n, _ int) *big.Rat { return product(falling(n, 1), vOf(p)) },
		},
		{
			name:  "OrderFreeSharp",
			got:   func(_, n, _ int, u float64) float64 { return model.OrderFreeSharp(n, u) },
			exact: func(p, n, _ int) *big.Rat { return fraction(int64(max(n-1, 0)), 1<<p+int64(max(n-1, 0))) },
			ok:    func(p, n, _ int) bool { return n-1 <= 1<<(p-1) },
		},
		{
			name:  "HeightFactor",
			got:   func(_, _, h int, u float64) float64 { return model.HeightFactor(h, u) },
			exact: func(p, _, h int) *big.Rat { return grown(vOf(p), h) },
		},
		{
			name:  "LeafWeight",
			got:   func(_, _, h int, u float64) float64 { return model.LeafWeight(h, u) },
			exact: func(p, _, h int) *big.Rat { return grown(vOf(p), h) },
		},
		{
			name:  "DirectedHeight",
			got:   func(_, _, h int, u float64) float64 { return model.DirectedHeight(h, u) },
			exact: func(p, _, h int) *big.Rat { return grown(fraction(2, 1<<p), h) },
		},
		{
			name:  "TowardZeroHeight",
			got:   func(_, _, h int, u float64) float64 { return model.TowardZeroHeight(h, u) },
			exact: func(p, _, h int) *big.Rat { return fraction(2*int64(h), 1<<p) },
		},
		{name: "MixedHeight", got: func(_, _, h int, u float64) float64 { return model.MixedHeight(h, u) }, exact: mixedHeight},
		{
			name:  "DotUnfused a",
			got:   func(_, n, _ int, u float64) float64 { a, _ := model.DotUnfused(n, u); return a },
			exact: func(p, n, _ int) *big.Rat { return dotUnfused(p, n) },
		},
		{
			name: "DotUnfused eta",
			got:  func(_, n, _ int, u float64) float64 { _, eta := model.DotUnfused(n, u); return eta },
			exact: func(p, n, _ int) *big.Rat {
				return sumOf(ri(n), product(ri(n), falling(n, 1), vOf(p)))
			},
		},
		{
			name:  "DotChain a",
			got:   func(_, n, _ int, u float64) float64 { a, _ := model.DotChain(n, u); return a },
			exact: func(p, n, _ int) *big.Rat { return product(ri(n), vOf(p)) },
		},
		{
			name:  "DotChain eta",
			got:   func(_, n, _ int, u float64) float64 { _, eta := model.DotChain(n, u); return eta },
			exact: func(p, n, _ int) *big.Rat { return sumOf(ri(n), product(ri(n), ri(n), vOf(p))) },
		},
		{
			name:  "DotMixed a",
			got:   func(_, n, _ int, u float64) float64 { a, _ := model.DotMixed(n, u); return a },
			exact: func(p, n, _ int) *big.Rat { return product(ri(n), unitOf(p)) },
		},
		{
			name:  "DotMixed eta",
			got:   func(_, n, _ int, u float64) float64 { _, eta := model.DotMixed(n, u); return eta },
			exact: func(p, n, _ int) *big.Rat { return sumOf(ri(n), product(ri(n), ri(n), vOf(p))) },
		},
		{
			name:  "DotHeightFactor a",
			got:   func(_, n, h int, u float64) float64 { a, _ := model.DotHeightFactor(n, h, u); return a },
			exact: func(p, _, h int) *big.Rat { return grown(vOf(p), h+1) },
		},
		{
			name:  "DotHeightFactor eta",
			got:   func(_, n, h int, u float64) float64 { _, eta := model.DotHeightFactor(n, h, u); return eta },
			exact: func(p, n, h int) *big.Rat { return product(ri(n), pow(sumOf(one, vOf(p)), h)) },
		},
		{
			name:  "KahanBound",
			got:   func(_, n, _ int, u float64) float64 { return model.KahanBound(n, u) },
			exact: kahanRecurrence,
			ok:    func(_, n, _ int) bool { return n <= 40 },
		},
		{
			name: "KahanFlushedBound",
			got:  func(_, n, _ int, u float64) float64 { _, least := model.KahanFlushedBound(n, u); return least },
			exact: func(p, n, _ int) *big.Rat {
				u, v := unitOf(p), vOf(p)
				rho := product(v, sumOf(ri(2), product(ri(3), v), product(ri(2), v, v)))
				alpha := product(ri(2), u, sumOf(one, v), rho)
				rest := sumOf(product(ri(4*n), sumOf(one, v)), one)
				return sumOf(rest, product(sumOf(one, v), rho, ri(n-1), sumOf(one, product(ri(2), u, rest)), pow(sumOf(one, alpha), n-1)))
			},
			ok: func(_, n, _ int) bool { return 0 < n && n <= 100 },
		},
		{
			name: "Sum2FlushedBound a",
			got:  func(_, n, _ int, u float64) float64 { _, a, _ := model.Sum2FlushedBound(n, u); return a },
			exact: func(p, n, _ int) *big.Rat {
				v := vOf(p)
				return product(falling(n, 1), v, v, sumOf(one, v), sumOf(one, product(ri(max(n-2, 0)), sumOf(one, v))))
			},
		},
		{
			name: "Sum2FlushedBound least",
			got:  func(_, n, _ int, u float64) float64 { _, _, least := model.Sum2FlushedBound(n, u); return least },
			exact: func(p, n, _ int) *big.Rat {
				v := vOf(p)
				d := product(ri(n), ri(n-1), v)
				f := product(falling(n, 2), v)
				if n > 1 {
					f.Quo(f, ri(n-1))
				}
				inner := sumOf(ri(5*n-4), product(v, d), product(f, sumOf(product(sumOf(one, v), d), ri(4*(n-1)))))
				return sumOf(one, product(sumOf(one, v), inner))
			},
			ok: func(_, n, _ int) bool { return 0 < n },
		},
		{
			name: "KahanSimple",
			got:  func(_, n, _ int, u float64) float64 { b, _ := model.KahanSimple(n, u); return b },
			exact: func(p, n, _ int) *big.Rat {
				return sumOf(product(ri(3), unitOf(p)), product(ri(5*n+5), pow(unitOf(p), 2)))
			},
		},
		{
			name: "KahanOrdered",
			got:  func(_, n, _ int, u float64) float64 { return model.KahanOrdered(n, u) },
			exact: func(p, n, _ int) *big.Rat {
				return product(unitOf(p), sumOf(ri(2), product(ri(n+1), unitOf(p))))
			},
		},
		{
			name: "Sum2Bound",
			got:  func(_, n, _ int, u float64) float64 { _, a := model.Sum2Bound(n, u); return a },
			exact: func(p, n, _ int) *big.Rat {
				return product(sumOf(one, vOf(p)), falling(n, 2), pow(vOf(p), 2))
			},
		},
		{
			name: "Sum2TreeBound",
			got: func(_, n, h int, u float64) float64 {
				_, a := model.Sum2TreeBound(n, h, max(n-1, 0), h/2, u)
				return a
			},
			exact: func(p, n, h int) *big.Rat {
				least := func(n, h int) *big.Rat {
					x, y := product(falling(n, 1), vOf(p)), grown(vOf(p), h)
					if x.Cmp(y) < 0 {
						return x
					}
					return y
				}
				return product(sumOf(one, vOf(p)), least(max(n-1, 0), h/2), least(n, h))
			},
		},
		{
			name: "KleinBound",
			got:  func(_, n, _ int, u float64) float64 { _, a := model.KleinBound(n, u); return a },
			exact: func(p, n, _ int) *big.Rat {
				v := vOf(p)
				theta := product(falling(n, 3), pow(v, 3))
				// (1+v)·((1+v)·θ + (n-1)·v²)
				return product(sumOf(one, v), sumOf(theta, product(v, theta), product(falling(n, 1), v, v)))
			},
		},
		{
			name: "KleinLeftBound s",
			got:  func(_, n, _ int, u float64) float64 { s, _ := model.KleinLeftBound(n, u); return s },
			exact: func(p, n, _ int) *big.Rat {
				if n <= 1 {
					return new(big.Rat)
				}
				return product(vOf(p), sumOf(ri(2), vOf(p)))
			},
		},
		{
			name: "KleinLeftBound a",
			got:  func(_, n, _ int, u float64) float64 { _, a := model.KleinLeftBound(n, u); return a },
			exact: func(p, n, _ int) *big.Rat {
				return product(sumOf(one, vOf(p)), falling(n, 2), ri(max(n-2, 0)), pow(vOf(p), 3))
			},
		},
		{
			name: "SumKBound s",
			got:  func(_, n, _ int, u float64) float64 { s, _ := model.SumKBound(n, 4, u); return s },
			exact: func(p, n, _ int) *big.Rat {
				if n <= 1 {
					return new(big.Rat)
				}
				m := product(ri(n-2), unitOf(p))
				return product(vOf(p), sumOf(one, m, product(m, m)))
			},
		},
		{
			name: "SumKBound a",
			got:  func(_, n, _ int, u float64) float64 { _, a := model.SumKBound(n, 4, u); return a },
			exact: func(p, n, _ int) *big.Rat {
				return product(falling(n, 1), vOf(p), pow(product(ri(max(n-2, 0)), unitOf(p)), 3))
			},
		},
		{
			name: "FABsumBound",
			got:  func(_, n, _ int, u float64) float64 { _, a := model.FABsumBound(n, 7, u); return a },
			exact: func(p, n, _ int) *big.Rat {
				b, m, v := min(n, 7), (n+6)/7, vOf(p)
				g := product(falling(b, 1), v)
				if m <= 1 {
					return g
				}
				return product(sumOf(one, v), sumOf(g, product(falling(m, 2), v, v), product(falling(m, 2), v, v, g)))
			},
		},
		{
			name: "BinnedBound",
			got:  func(p, n, _ int, u float64) float64 { _, a := model.BinnedBound(n, 3, p, u); return a },
			exact: func(p, n, _ int) *big.Rat {
				return product(sumOf(one, vOf(p)), ri(n), unitOf(p), unitOf(p))
			},
		},
		{
			name: "Dot2Bound a",
			got:  func(_, n, _ int, u float64) float64 { _, a, _ := model.Dot2Bound(n, u); return a },
			exact: func(p, n, _ int) *big.Rat {
				return product(sumOf(one, vOf(p)), pow(product(ri(n), unitOf(p)), 2))
			},
		},
		{
			name: "Dot2Bound eta",
			got:  func(_, n, _ int, u float64) float64 { _, _, eta := model.Dot2Bound(n, u); return eta },
			exact: func(p, n, _ int) *big.Rat {
				return product(sumOf(one, vOf(p)), ri(n), pow(sumOf(one, product(ri(n), unitOf(p))), 2))
			},
		},
	}
	above := sumOf(one, fraction(1, 1<<50))
	ps := []int{2, 3, 4, 5, 8, 11, 24, 53}
	ns := []int{0, 1, 2, 3, 4, 5, 7, 8, 15, 31, 32, 33, 100, 4097, 1 << 20, 1<<24 + 3}
	hs := []int{0, 1, 2, 3, 5, 10, 20, 24, 77}
	for _, f := range list {
		t.Run(f.name, func(t *testing.T) {
			checked := 0
			for _, p := range ps {
				for _, n := range ns {
					for _, h := range hs {
						if f.ok != nil && !f.ok(p, n, h) || h > 0 && !byHeight[f.name] {
							continue
						}
						exact, got := f.exact(p, n, h), rat(f.got(p, n, h, u(p)))
						require.LessOrEqual(t, exact.Cmp(got), 0, "p=%d n=%d h=%d: below", p, n, h)
						require.LessOrEqual(t, got.Cmp(exact.Mul(exact, above)), 0, "p=%d n=%d h=%d: too far above", p, n, h)
						checked++
					}
				}
			}
			require.Positive(t, checked)
		})
	}
}

// dotUnfused returns the leaves' and the products' roundings one after the other: every product is
// magnified by 1+v before the sum's factor meets it.
func dotUnfused(p, n int) *big.Rat {
	if n == 0 {
		return new(big.Rat)
	}
	f := product(falling(n, 1), vOf(p))
	return sumOf(product(sumOf(ri(1), f), sumOf(ri(1), vOf(p))), ri(-1))
}

// kahanRecurrence is KahanBound by the recurrence of its proof, without its solution.
func kahanRecurrence(p, n, _ int) *big.Rat {
	if n <= 1 {
		return new(big.Rat)
	}
	one, u, v := ri(1), unitOf(p), vOf(p)
	rho := sumOf(v, product(v, sumOf(one, v), sumOf(one, v, v)))
	q := one // Q_2
	bound := func() *big.Rat { return sumOf(v, product(sumOf(one, v), rho, q)) }
	for range n - 2 {
		q = sumOf(q, product(ri(2), u, sumOf(one, bound())))
	}
	return bound()
}

// The bounds keep the order that their theorems give them.
func TestBoundsCompare(t *testing.T) {
	for _, p := range []int{8, 11, 24, 53} {
		x := u(p)
		for _, n := range []int{3, 4, 10, 100} {
			require.Less(t, model.OrderFree(n, x), model.Growth(n, x))
			require.LessOrEqual(t, model.Growth(n, x), model.Gamma(n-1, x))
			if n-1 <= 1<<(p-1) {
				require.Less(t, model.OrderFreeSharp(n, x), model.OrderFree(n, x))
			}
			if simple, ok := model.KahanSimple(n, x); ok {
				require.Less(t, model.KahanBound(n, x), simple)
				require.Less(t, model.KahanOrdered(n, x), simple)
			}
			a, eta := model.DotUnfused(n, x)
			b, beta := model.DotMixed(n, x)
			require.LessOrEqual(t, a, b)
			require.LessOrEqual(t, eta, beta)
			// The published bound of Sum2 is γ², and a little weaker.
			_, s := model.Sum2Bound(n, x)
			g := model.Gamma(n-1, x)
			require.Less(t, s, g*g)
		}
		_, ok := model.KahanSimple(1<<p, x)
		require.False(t, ok)
	}
	_, ok := model.KahanSimple(2, 0x1p-5)
	require.False(t, ok)
}

// Composition by hand: binary16 input, bfloat16 accumulator, E5M2 output, a mean, and flushing.
func TestBoundsOfMixedFormatsAreTheirFormulasRoundedUp(t *testing.T) {
	const n = 9
	claim := model.Claim{
		In: model.Binary16, Acc: model.BFloat16, Out: model.E5M2, Mean: true, Flush: model.Flush{In: true, Out: true},
	}
	va, vo := vOf(8), vOf(3)
	one := ri(1)
	f := product(ri(n-1), va)
	// Leaves err by v of bfloat16 on entry, and those below 2^-14 may be flushed.
	a := sumOf(product(f, sumOf(one, va)), va)
	abs := product(ri(n), fraction(1, 1<<14), sumOf(one, f))
	s := new(big.Rat)
	// To E5M2, whose least number 2^-16 is above binary16's 2^-24: half of it, or 2^-14 if flushed.
	round := sumOf(one, vo)
	s, a, abs = sumOf(product(s, round), vo), product(a, round), product(abs, round)
	abs = sumOf(abs, fraction(1, 1<<17), fraction(1, 1<<14))
	// The quotient, in E5M2 or in bfloat16 before it is rounded.
	s, a, abs = sumOf(product(s, round), vo), product(a, round), product(abs, round)
	abs = sumOf(abs, product(ri(n), sumOf(fraction(1, 1<<17), fraction(1, 1<<14))))
	tiny := sumOf(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 134)),
		new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 126)))
	abs = sumOf(abs, product(ri(n), round, tiny))

	bounds := model.SumBounds(claim, n, -1)
	require.Len(t, bounds, 1)
	b := bounds[0]
	above := sumOf(one, fraction(1, 1<<50))
	check := func(exact, got *big.Rat) {
		t.Helper()
		require.LessOrEqual(t, exact.Cmp(got), 0)
		require.LessOrEqual(t, got.Cmp(product(exact, above)), 0)
	}
	check(s, rat(b.S))
	check(a, rat(b.A))
	check(abs, b.Max(new(big.Rat), new(big.Rat), new(big.Rat)))
	check(sumOf(s, product(a, ri(3)), abs), b.Max(ri(-1), ri(3), new(big.Rat)))
}

func TestAnomalyFactorIsTheOrderOfTheSquareRoot(t *testing.T) {
	x := 0x1p-24
	for _, k := range []int{1, 100, 10000, 1000000} {
		f := model.AnomalyFactor(k, x, 4)
		require.Greater(t, f, model.AnomalyFactor(k, x, 3))
		if k > 16 {
			require.Less(t, f, model.OrderFree(k+1, x), "k=%d", k)
		}
	}
	require.Zero(t, model.AnomalyFactor(0, x, 4))
	require.Zero(t, model.AnomalyProbability(1, x, 0.1))
	require.Greater(t, model.AnomalyProbability(1, x, 4), 0.999)
	require.Less(t, model.AnomalyProbability(100, x, 4), model.AnomalyProbability(1, x, 4))
	// 2·exp(-8) and exp(4·100·u)-1, by hand.
	require.Equal(t, "0.99933", new(big.Float).SetFloat64(model.AnomalyProbability(1, x, 4)).Text('f', 5))
	require.Equal(t, "2.384e-05", new(big.Float).SetFloat64(model.AnomalyFactor(10000, x, 4)).Text('e', 3))
}

func BenchmarkSumBoundsRecalled(b *testing.B) {
	c := model.Claim{In: model.Binary32}
	for b.Loop() {
		model.SumBounds(c, 1024, 10)
	}
}

func BenchmarkSumBoundsAnew(b *testing.B) {
	c := model.Claim{In: model.Binary32}
	for i := 0; b.Loop(); i++ {
		model.SumBounds(c, i, 10)
	}
}
