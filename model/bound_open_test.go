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
