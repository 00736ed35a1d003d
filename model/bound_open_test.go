package model_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
)

// openData are kinds of terms for random tests: exactly known, or in intervals of which some hold 0.
var openData = map[string]func(r *rand.Rand, n int) []float64{
	"normal": func(r *rand.Rand, n int) []float64 {
		return openTermsOf(n, func(int) float64 { return r.NormFloat64() })
	},
	"flat": func(r *rand.Rand, n int) []float64 {
		return openTermsOf(n, func(int) float64 { return r.Float64() })
	},
	"equal": func(_ *rand.Rand, n int) []float64 { return openTermsOf(n, func(int) float64 { return 1 }) },
	"softmax": func(r *rand.Rand, n int) []float64 {
		return openTermsOf(n, func(int) float64 { return math.Exp(r.NormFloat64() - 3) })
	},
	"peak": func(r *rand.Rand, n int) []float64 {
		return openTermsOf(n, func(i int) float64 {
			if i == n/2 {
				return 1
			}
			return math.Exp(r.NormFloat64() - 30)
		})
	},
	"wide": func(r *rand.Rand, n int) []float64 {
		return openTermsOf(n, func(int) float64 { return math.Ldexp(r.NormFloat64(), -r.IntN(60)) })
	},
	"tiny": func(r *rand.Rand, n int) []float64 {
		return openTermsOf(n, func(int) float64 { return math.Ldexp(r.NormFloat64(), -120-r.IntN(30)) })
	},
}

func openTermsOf(n int, f func(i int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f(i)
	}
	return x
}

func ratsOf(x []float64) []*big.Rat {
	list := make([]*big.Rat, len(x))
	for i := range x {
		list[i] = rat(x[i])
	}
	return list
}

// openModes are all kinds of rules.
func openModes(f model.Format) []model.OpenRules {
	var list []model.OpenRules
	for i := range 32 {
		for _, h := range []int{0, 5} {
			r := model.OpenRules{
				Format: f, AtLeast: i&1 != 0, Unrounded: i&2 != 0, Products: i&4 != 0, Height: h,
				Flush: model.Flush{In: i&8 != 0, Out: i&16 != 0},
			}
			if i%3 == 0 {
				r.Formats = 2
			}
			if r.Flush.In && !r.Flush.Out {
				continue
			}
			list = append(list, r)
		}
	}
	return list
}

// Both speeds are above the twin, and the tight one is near it.
func TestOpenBoundsAreAboveTheirTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worst := map[string]float64{}
	for name, data := range openData {
		for _, f := range append(model.Formats(), model.Toy(2), model.Toy(3)) {
			for i, rules := range openModes(f) {
				for j, n := range []int{0, 1, 2, 3, 5, 17, 70} {
					if (i+j)%4 != 0 && !thorough() {
						continue
					}
					lo := data(r, n)
					hi := make([]float64, n)
					for i := range lo {
						hi[i] = lo[i]
						if n%2 == 0 && r.IntN(3) == 0 {
							lo[i], hi[i] = lo[i]-math.Abs(lo[i])*r.Float64(), hi[i]+0x1p-20*r.Float64()
						}
					}
					what := fmt.Sprintf("%s n=%d %+v", name, n, rules)
					exact := openTwin{OpenRules: rules}.least(ratsOf(lo), ratsOf(hi))
					tight := rules.Tight(lo, hi)
					var s model.OpenSum
					s.AddAll(lo, hi)
					cheap := rules.Bound(&s)
					require.LessOrEqual(t, exact.Cmp(rat(tight.Max)), 0, "%s: %v above %v, %v", what, exact.FloatString(20), tight, cheap)
					require.LessOrEqual(t, exact.Cmp(rat(cheap.Max)), 0, "%s: %v above %v", what, exact.FloatString(20), cheap)
					require.LessOrEqual(t, tight.Max, cheap.Max)
					if e, _ := exact.Float64(); e > 0 {
						if key := name + " " + f.Name; n%2 == 1 && tight.Max/e > worst[key] {
							worst[key] = tight.Max / e
							t.Logf("%s tight %v twin %v, %.3f", what, tight, e, tight.Max/e)
						}
					} else {
						require.Zero(t, tight.Max, what)
					}
				}
			}
		}
	}
	t.Logf("tight/twin at most %v", worst)
}

// openCases are the exhaustive trials; where quick, with fewer of the longer sums.
func openCases(quick bool) []openCase {
	var list []openCase
	thin := func(step int) int {
		if quick {
			return step
		}
		return max(step/16, 1)
	}
	// add appends a trial of precision p over numbers of precision fine, 2^sub to a least number of the format.
	// add appends a trial of precision p whose least number is 2^sub, over the numbers given.
	add := func(name string, p, sub, n, step int, r model.OpenRules, numbers []int64) {
		o := newOpenToy(toy{p: p, quantum: 1 << sub, top: 40, dir: anyTie, flush: r.Flush})
		if r.AtLeast {
			o.finer = []toy{{p: p + 1, quantum: o.quantum, dir: anyTie}, {p: p + 2, quantum: 1, dir: anyTie}}[:r.Formats-1]
			o.exact = true
		}
		o.height = r.Height
		r.Format = wide(p, sub)
		list = append(list, openCase{fmt.Sprintf("%s p=%d n=%d", name, p, n), r, o, numbers, n, thin(step)})
	}
	numbers := func(p, sub, top int) []int64 { return toy{p: p, quantum: 1 << sub, top: top}.numbers() }
	one, least := model.OpenRules{}, model.OpenRules{AtLeast: true, Formats: 2}
	for _, g := range []struct{ p, top, n, step int }{
		{2, 7, 2, 1}, {2, 7, 3, 2}, {2, 6, 4, 11}, {2, 6, 5, 67},
		{3, 8, 2, 1}, {3, 8, 3, 17}, {3, 6, 4, 53}, {3, 5, 5, 301},
		{4, 9, 2, 3}, {4, 9, 3, 53}, {4, 7, 4, 2003},
	} {
		add("floats", g.p, 0, g.n, g.step, one, numbers(g.p, 0, g.top))
		if g.n < 5 {
			add("floats, at least", g.p, 0, g.n, 2*g.step, least, numbers(g.p, 0, g.top))
		}
	}
	for _, g := range []struct{ p, n, step int }{{2, 2, 3}, {2, 3, 101}, {2, 4, 4001}, {3, 2, 11}, {3, 3, 997}} {
		fine := numbers(g.p+2, 0, g.p+5)
		add("unrounded", g.p, 2, g.n, g.step, model.OpenRules{Unrounded: true}, fine)
		add("unrounded, at least", g.p, 2, g.n, g.step, model.OpenRules{Unrounded: true, AtLeast: true, Formats: 3}, fine)
	}
	for _, g := range []struct{ p, n, step int }{{2, 1, 1}, {2, 2, 1}, {2, 3, 29}, {2, 4, 997}, {3, 1, 1}, {3, 2, 11}, {3, 3, 1009}} {
		fine := products(g.p, 7)
		for _, sub := range []int{0, 4} {
			add("products", g.p, sub, g.n, g.step, model.OpenRules{Products: true}, fine)
			add("products, at least", g.p, sub, g.n, 2*g.step, model.OpenRules{Products: true, AtLeast: true, Formats: 3}, fine)
		}
	}
	for _, flush := range []model.Flush{{Out: true}, {In: true}, {In: true, Out: true, Before: true}} {
		for _, g := range []struct{ p, n, step int }{{2, 2, 1}, {2, 3, 31}, {2, 4, 307}, {3, 3, 211}} {
			add("flush "+flush.String(), g.p, 0, g.n, g.step, model.OpenRules{Flush: flush}, numbers(g.p, 0, g.p+4))
		}
		add("products, at least, flush "+flush.String(), 2, 3, 2, 11, model.OpenRules{Flush: flush, Products: true, AtLeast: true, Formats: 3}, products(2, 7))
	}
	for _, p := range []int{2, 3} {
		add("height 2", p, 0, 4, 101*p*p, model.OpenRules{Height: 2}, numbers(p, 0, p+4))
		add("height 2, at least", p, 0, 4, 151*p*p, model.OpenRules{Height: 2, AtLeast: true, Formats: 2}, numbers(p, 0, p+4))
	}
	return list
}

// No result is outside of any theorem's bound, and of both speeds'.
func TestOpenBoundsHoldExhaustively(t *testing.T) {
	for _, c := range openCases(!thorough()) {
		twin := openTwin{OpenRules: c.rules}
		count := 0
		attained := map[string]float64{}
		c.run(func(terms []int64, worst int64) bool {
			count++
			x, f := wholes(terms)
			for name, b := range twin.bounds(x, x) {
				require.LessOrEqual(t, ri(int(worst)).Cmp(b), 0, "%s: %v err by %d in all, above %s of %s", c.name, terms, worst, b.RatString(), name)
				if b.Sign() > 0 {
					ratio, _ := new(big.Rat).Quo(ri(int(worst)), b).Float64()
					attained[name] = max(attained[name], ratio)
				}
			}
			var s model.OpenSum
			s.AddPoints(f)
			for _, b := range []model.OpenBound{c.rules.Tight(f, f), c.rules.Bound(&s)} {
				require.LessOrEqual(t, float64(worst), b.Max, "%s: %v: %+v", c.name, terms, b)
				require.LessOrEqual(t, float64(c.programme.greatest), b.Partial, "%s: %v: %+v", c.name, terms, b)
			}
			return true
		})
		t.Logf("%s: %d sets of terms, error/bound at most %v", c.name, count, attained)
	}
}

func wholes(terms []int64) (x []*big.Rat, f []float64) {
	for _, v := range terms {
		x, f = append(x, ri(int(v))), append(f, float64(v))
	}
	return x, f
}

// The exhaustive trials find each mistake that could be made in the bounds.
func TestOpenFaultsAreFound(t *testing.T) {
	for _, g := range openFaults {
		found := false
		for _, c := range openCases(true) {
			if found {
				break
			}
			twin := openTwin{OpenRules: c.rules, fault: g.fault}
			c.run(func(terms []int64, worst int64) bool {
				x, _ := wholes(terms)
				b, ok := twin.bounds(x, x)[g.theorem]
				if ok && ri(int(worst)).Cmp(b) > 0 {
					found = true
					t.Logf("%s: %s, %v err by %d in all, above %s", g.fault, c.name, terms, worst, b.RatString())
				}
				return ok && !found
			})
		}
		require.True(t, found, g.fault)
	}
}
