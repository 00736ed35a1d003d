package sumtree_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

// box returns a black box that adds by a tree.
func box(tree *sumtree.Tree) (sum func([]float32) float32, calls *int) {
	calls = new(int)
	return func(x []float32) float32 {
		*calls++
		v, _, err := eval.Float32(tree, x, nil)
		if err != nil {
			panic(err)
		}
		clear(x) // a box may write to its input
		return v
	}, calls
}

func TestReveal(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 400 {
		n := rng.IntN(80)
		s := sumtree.RandomShape(rng, n)
		tree := s.Tree(n)
		sum, calls := box(tree)
		got, err := sumtree.Reveal(n, sum)
		require.NoError(t, err, "%s", tree)
		require.True(t, tree.Sorted().Equal(got), "%s revealed as %s", tree, got)
		require.GreaterOrEqual(t, *calls, n-1)
		require.LessOrEqual(t, *calls, n*(n-1)/2)
	}
}

func TestRevealCalls(t *testing.T) {
	for name, want := range map[string]int{"left/256": 255, "left@reverse/256": 256 * 255 / 2, "pairwise/256": 1024} {
		sum, calls := box(parse(t, name))
		_, err := sumtree.Reveal(256, sum)
		require.NoError(t, err)
		require.Equal(t, want, *calls, name)
	}
}

// TestRevealFused: multi-term adders, as tensor cores have, come out as nodes of several operands.
func TestRevealFused(t *testing.T) {
	for text, want := range map[string]string{
		"fused{cut,align=zero}(0..4)":                                           "any(0..4)",
		"fused{cut,align=zero}(fused{cut,align=zero}(0..4) 5..8)":               "any(any(0..4) 5..8)",
		"(fused{cut,align=zero}(0..3) fused{cut,align=zero}((7 6) 5 4))":        "(any(0..3) any(4 5 (6 7)))",
		"(fused{cut,align=zero}((0 5) (2 7) (3 1)) fused{cut,align=zero}(4 6))": "(any((0 5) (1 3) (2 7)) (4 6))",
	} {
		tree := parse(t, text)
		got, err := sumtree.Reveal(tree.LeafCount(), func(x []float32) float32 {
			b, err := eval.Bits(tree, round.Arith{F: model.Binary32}, eval.Bits32(x))
			require.NoError(t, err)
			return math.Float32frombits(uint32(b))
		})
		require.NoError(t, err)
		require.Equal(t, want, got.String(), text)
	}
}

func TestRevealBinary16(t *testing.T) {
	a := round.Arith{F: model.Binary16}
	tree := sumtree.Lanes(4).Tree(100)
	got, err := sumtree.RevealScaled(100, 0x1p15, 0x1p-24, 1<<11, func(x []float32) float32 {
		h := make([]uint64, len(x))
		for i, v := range x {
			h[i] = round.Convert(a, model.Binary32, uint64(math.Float32bits(v)))
		}
		b, err := eval.Bits(tree, a, h)
		require.NoError(t, err)
		return math.Float32frombits(uint32(round.Convert(round.Arith{F: model.Binary32}, model.Binary16, b)))
	})
	require.NoError(t, err)
	require.Equal(t, "lanes/4/100", got.String())
}

// TestRevealRefuses: sums that do not follow one tree of plain additions.
func TestRevealRefuses(t *testing.T) {
	exact := func(x []float32) float32 {
		s := 0.0
		for _, v := range x {
			if math.Abs(float64(v)) < 0x1p100 {
				s += float64(v)
			}
		}
		return float32(s)
	}
	calls := 0
	for name, sum := range map[string]func([]float32) float32{
		"exact":    exact,
		"zero":     func([]float32) float32 { return 0.5 },
		"nan":      func([]float32) float32 { return float32(math.NaN()) },
		"infinity": func([]float32) float32 { return float32(math.Inf(1)) },
		"first":    func(x []float32) float32 { return x[0] },
		"alternate": func(x []float32) float32 {
			calls++
			s := x
			if calls%2 == 0 {
				s = slices.Clone(x)
				slices.Reverse(s)
			}
			var v float32
			for _, w := range s {
				v += w
			}
			return v
		},
	} {
		_, err := sumtree.Reveal(16, sum)
		require.Error(t, err, name)
	}
	_, err := sumtree.Reveal(1<<24+1, exact)
	require.Error(t, err)
	_, err = sumtree.Reveal(-1, exact)
	require.Error(t, err)
}
