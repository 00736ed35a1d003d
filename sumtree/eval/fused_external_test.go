package eval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

func operands(f model.Format, x ...float64) (out []eval.Operand) {
	for _, v := range x {
		out = append(out, eval.Operand{Format: f, Bits: round.Convert(round.Arith{F: f}, model.Binary64, math.Float64bits(v))})
	}
	return out
}

func float(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }

// TestFusedByHand holds sums of one large and several small terms, in which every parameter shows.
func TestFusedByHand(t *testing.T) {
	const big = 1 << 23 // its ulp in binary32 is 1
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name  string
		adder string
		x     []float64
		want  float64
	}{
		{"exact", "", []float64{big, 0.5, 0.25, 0.25}, big + 1},
		{"cut at the ulp", "cut,align=zero", []float64{big, 0.75, 0.75, 0.75}, big},
		{"one extra bit", "cut,align=zero,extra=1,round=zero", []float64{big, 0.75, 0.75, 0.75}, big + 1},
		{"two extra bits", "cut,align=zero,extra=2,round=zero", []float64{big, 0.75, 0.75, 0.75}, big + 2},
		{"to nearest", "cut,extra=0", []float64{big, 0.75, 0.75, 0.75}, big + 3},
		{"two's complement would differ", "cut,align=zero", []float64{big, -0.75, 0.75, -0.75}, big},
		{"down", "cut,align=down", []float64{big, -0.75, 0.75, -0.75}, big - 2},
		{"truncated result", "round=zero", []float64{big, 0.75}, big},
		{"rounded result", "", []float64{big, 0.75}, big + 1},
		{"products", "pairs", []float64{big, 1, 0.5, 1.5, 0.5, 0.5}, big + 1},
		{"product and addend", "pairs", []float64{3, 5, 0.25}, 15.25},
		{"normalised", "pairs,cut,align=zero", []float64{1.5 * big / 2, 1.5, 0.75, 1}, 1.125 * big},
		{"raw keeps a bit more", "pairs,cut,align=zero,raw,round=up", []float64{1.5 * big / 2, 1.5, 0.75, 1}, 1.125*big + 1},
		{"raw keeps one bit more", "pairs,cut,align=zero,raw,round=zero", []float64{1.5 * big / 2, 1.5, 0.75, 1, 0.75, 1, 0.75, 1}, 1.125*big + 1},
		{"normalised keeps none", "pairs,cut,align=zero,round=zero", []float64{1.5 * big / 2, 1.5, 0.75, 1, 0.75, 1, 0.75, 1}, 1.125 * big},
		{"ties in the window, to even", "cut", []float64{big, 0.5, 1.5}, big + 2},
		{"ties in the window, away", "cut,align=rna", []float64{big, 0.5, 1.5}, big + 3},
		{"up", "cut,align=up", []float64{big, 0.25, -0.75}, big + 1},
		{"minexp", "cut,align=zero,minexp=23", []float64{1, 0.75}, 1},
		{"late", "pairs,cut,align=zero,extra=0,late", []float64{0.75, 1, 0.75, 1, big}, big + 2},
		{"not late", "pairs,cut,align=zero,extra=0", []float64{0.75, 1, 0.75, 1, big}, big},
		{"infinity", "pairs", []float64{inf, 2, 1, 1}, inf},
		{"two infinities", "", []float64{inf, -inf}, nan},
		{"infinity times zero", "pairs", []float64{inf, 0}, nan},
		{"nan", "pairs,late", []float64{1, 1, nan}, nan},
		{"overflow", "", []float64{math.MaxFloat32, math.MaxFloat32}, inf},
		{"cancelled overflow", "", []float64{math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32}, math.MaxFloat32},
	} {
		tree := mustParse(t, "fused{"+c.adder+"}(0)")
		got := float(eval.FusedSum(tree.Adder(0), model.Flush{}, operands(model.Binary32, c.x...)))
		require.True(t, got == c.want || got != got && c.want != c.want, "%s: %v, not %v", c.name, got, c.want)
	}
	// A raw subnormal has the exponent of the least normal: 2^-24 of binary16 hides 2^-40.
	sub := operands(model.Binary16, 0x1p-24, 1, 0x1p-20, 0x1p-20)
	require.Equal(t, 0x1p-24, float(eval.FusedSum(sumtree.Adder{Pairs: true, Cut: true, Raw: true}, model.Flush{}, sub)))
	require.Equal(t, 0x1p-24+0x1p-40, float(eval.FusedSum(sumtree.Adder{Pairs: true, Cut: true}, model.Flush{}, sub)))
	zero := math.Copysign(0, -1)
	require.Equal(t, uint64(1)<<31, eval.FusedSum(sumtree.Adder{}, model.Flush{}, operands(model.Binary16, zero, zero)))
	require.Zero(t, eval.FusedSum(sumtree.Adder{}, model.Flush{}, operands(model.Binary16, zero, 0)))
	require.Zero(t, eval.FusedSum(sumtree.Adder{Cut: true}, model.Flush{}, operands(model.Binary16, 1, -1)))
	require.Zero(t, eval.FusedSum(sumtree.Adder{}, model.Flush{In: true}, operands(model.Binary16, math.Ldexp(1, -20))))
	require.NotZero(t, eval.FusedSum(sumtree.Adder{}, model.Flush{}, operands(model.Binary16, math.Ldexp(1, -20))))
}

// TestFusedIsExact compares adders that cut nothing with rationals, in every rounding.
func TestFusedIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 5000 {
		f := []model.Format{model.Binary16, model.E4M3, model.BFloat16}[rng.IntN(3)]
		a := sumtree.Adder{Pairs: rng.IntN(2) == 0, Rounding: model.Rounding(rng.IntN(5)), Out: model.Binary16}
		wide := a
		wide.Cut, wide.Extra = true, 600 // a window so wide that nothing falls off
		n := 1 + rng.IntN(9)
		var x []eval.Operand
		sum := new(big.Rat)
		for range n {
			x = append(x, eval.Operand{Format: f, Bits: finite(rng, f)})
		}
		for i := 0; i < n; i++ {
			v := f.Rat(x[i].Bits)
			if a.Pairs && i+1 < n {
				i++
				v.Mul(v, f.Rat(x[i].Bits))
			}
			sum.Add(sum, v)
		}
		if sum.Sign() == 0 {
			continue
		}
		want := round.Arith{F: a.Out, R: a.Rounding}.FromRat(sum)
		require.Equal(t, want, eval.FusedSum(a, model.Flush{}, x))
		require.Equal(t, want, eval.FusedSum(wide, model.Flush{}, x))
	}
}
