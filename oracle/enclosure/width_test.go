package enclosure

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
)

// normals returns an array of normally distributed numbers of f.
func normals(rng *rand.Rand, f model.Format, shape ...int) Array {
	n := 1
	for _, s := range shape {
		n *= s
	}
	a := Array{Shape: shape, Values: make([]float64, n)}
	for i := range a.Values {
		a.Values[i] = rng.NormFloat64()
		if f == model.Binary32 {
			a.Values[i] = float64(float32(a.Values[i]))
		}
	}
	return a
}

// measured is a formula whose enclosures' width is held to a number.
type measured struct {
	name     string
	e        *formula.Expr
	in       func(rng *rand.Rand, f model.Format) map[string]Array
	most     float64
	most64   float64 // of a claim in binary64, in which open sums have no step bound
	relative bool    // to the element, not to the largest of its row
}

func measuredFormulas() []measured {
	x := formula.Vector("x")
	n := formula.Len("n")
	e := formula.Exp(formula.Sub(x, formula.Max(x)))
	d := formula.Sub(x, formula.Div(formula.Sum(x), n))
	variance := formula.Div(formula.Sum(formula.Mul(d, d)), n)
	q, k, v := formula.Matrix("q", "i", "d"), formula.Matrix("k", "j", "d"), formula.Matrix("v", "j", "c")
	s := formula.Mul(formula.Dot(q, k, "d"), formula.Const(0.17677669529663687))
	p := formula.Exp(formula.Sub(s, formula.Max(s, "j")))
	row := func(n int) func(*rand.Rand, model.Format) map[string]Array {
		return func(rng *rand.Rand, f model.Format) map[string]Array {
			return map[string]Array{"x": normals(rng, f, n)}
		}
	}
	return []measured{
		{"softmax 1,024", formula.Div(e, formula.Sum(e)), row(1024), 18, 24, false},
		{"layer norm 768", formula.Mul(d, formula.Rsqrt(formula.Add(variance, formula.Const(1e-5)))), row(768), 97, 120, false},
		{"GEMM element, K = 256", formula.Dot(formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), "k"), func(rng *rand.Rand, f model.Format) map[string]Array {
			return map[string]Array{"a": normals(rng, f, 8, 256), "b": normals(rng, f, 256, 8)}
		}, 2400, 2400, true},
		{"attention 64×32", formula.Dot(formula.Div(p, formula.Sum(p, "j")), v, "j"), func(rng *rand.Rand, f model.Format) map[string]Array {
			return map[string]Array{"q": normals(rng, f, 8, 32), "k": normals(rng, f, 64, 32), "v": normals(rng, f, 64, 32)}
		}, 200, 200, false},
	}
}

// TestWidths holds the median of the enclosures' half-widths on normally distributed inputs, in u of the largest element of the result, or of
// the element itself, to what it is now: that of a softmax depends much on where in its binade the sum lies.
func TestWidths(t *testing.T) {
	claim := formula.Claim{Functions: formula.Published.With(formula.OpExp, formula.Promise{Ulps: 2}).With(formula.OpRsqrt, formula.Promise{Ulps: 2})}
	claim.Functions.Name = "2 ulp"
	for k, m := range slices.Repeat(measuredFormulas(), 2) {
		claim.Format = model.Binary32
		if k >= len(measuredFormulas()) {
			claim.Format, m.most = model.Binary64, m.most64
		}
		t.Run(m.name+"/"+claim.Format.Name, func(t *testing.T) {
			p, err := Compile(m.e, claim, formula.Float(claim.Format))
			require.NoError(t, err)
			rng := rand.New(rand.NewPCG(1, 2))
			var widths []float64
			for range 20 {
				r, err := p.Run(m.in(rng, claim.Format))
				require.NoError(t, err)
				large := 0.0
				for i := range r.Lo {
					large = max(large, math.Abs(r.ExactLo[i]))
				}
				for i := range r.Lo {
					if m.relative {
						large = math.Abs(r.ExactLo[i])
					}
					widths = append(widths, r.Width(i)/(large*claim.Format.U()))
				}
			}
			slices.Sort(widths)
			middle := widths[len(widths)/2]
			t.Logf("half-width %.4g u in the median", middle)
			require.LessOrEqual(t, middle, m.most)
		})
	}
}

// BenchmarkRun measures the enclosure of one input.
func BenchmarkRun(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i, m := range measuredFormulas() {
		for _, f := range []model.Format{model.Binary32, model.Binary64} {
			in := m.in(rng, f)
			if i == 2 {
				in = map[string]Array{"a": normals(rng, f, 64, 256), "b": normals(rng, f, 256, 64)}
			}
			p, err := Compile(m.e, formula.Claim{Format: f}, formula.Type{})
			require.NoError(b, err)
			b.Run(m.name+"/"+f.Name, func(b *testing.B) {
				for b.Loop() {
					_, _ = p.Run(in)
				}
			})
		}
	}
}
