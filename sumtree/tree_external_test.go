package sumtree_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/sumtree"
)

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"(0 1 2)": "", "left/0": "", "7#8": "leaf 0 of 8 is missing", "(0 2)": "leaf 1 of 3 is missing",
		"(0 1 1)": "leaf 1 of 2 occurs more than once", "(0 1)#3": "leaf 2 of 3 is missing", "0*0": "leaf 0 of 1 occurs",
		"fma:numpy/100": "", "any(2 1 0 2)": "leaf 2 of 3 occurs",
	} {
		tree := parse(t, text)
		err := tree.Check()
		require.Equal(t, want == "", tree.IsPermutation(), text)
		if want != "" {
			require.ErrorContains(t, err, want)
		}
	}
}

func TestLeaves(t *testing.T) {
	require.Equal(t, []int{3, 1, 2, 0, 5, 4, 4}, parse(t, "(3 (1 2) fma(0 5 any(4 4)))").Leaves())
	require.Empty(t, sumtree.Left().Tree(0).Leaves())
}

func TestDepths(t *testing.T) {
	require.Equal(t, []int{3, 3, 2, 1}, parse(t, "(0 1 2 3)").Depths())
	require.Equal(t, []int{0}, parse(t, "0").Depths())
	require.Equal(t, []int{-1, 1, -1, 1}, parse(t, "(1 3)").Depths())
	require.Equal(t, []int{3, 3, 1}, parse(t, "(0 1 0 2)").Depths(), "a doubled leaf has its deepest place")
	// The first product of an FMA chain counts n roundings, the last one.
	require.Equal(t, []int{3, 2, 1, 3, 2, 1}, parse(t, "fma:left/3").Depths())
	require.Equal(t, []int{3, 3, 2, 3, 3, 2}, parse(t, "dot:left/3").Depths())
	require.Equal(t, []int{3, 3, 3, 3}, parse(t, "any(0..3)").Depths())
	require.Equal(t, []int{2, 2}, parse(t, "binary16((0 1))").Depths())
	tree := parse(t, "dot:pairwise/37")
	require.Equal(t, 7, tree.Height())
	require.Equal(t, 6, tree.AddHeight())
	rng := rand.New(rand.NewPCG(11, 12))
	for range 500 {
		tree := randomTree(rng, 1+rng.IntN(40))
		require.Equal(t, max(0, slices.Max(tree.Depths())), tree.Height(), "%s", tree)
	}
}

func TestSorted(t *testing.T) {
	for text, want := range map[string]string{
		"((3 2) 1 0)": "right/4", "fma(4 3 2*1)": "fma(3 4 1*2)#5", "any(3 (2 0) 1)": "any((0 2) 1 3)",
		"fused(2 1 0)": "fused(2..0)",
	} {
		require.True(t, parse(t, want).Equal(parse(t, text).Sorted()), text)
	}
}

func TestPermute(t *testing.T) {
	require.Equal(t, "(2 0 1)", parse(t, "left/3").Permute([]int32{2, 0, 1}).Explicit())
	require.Equal(t, "fma(1 0 binary16(2))", parse(t, "fma(0 1 binary16(2))").Permute([]int32{1, 0, 2}).Explicit())
	require.Equal(t, "left@reverse/5", parse(t, "left/5").Permute([]int32{4, 3, 2, 1, 0}).String())
	for _, p := range [][]int32{{0}, {0, 0}, {0, 2}, {-1, 0}, nil} {
		require.Panics(t, func() { parse(t, "left/2").Permute(p) })
	}
}

func TestBuilder(t *testing.T) {
	var b sumtree.Builder
	x := b.Add(b.Leaf(0), b.Leaf(1))
	b.Add(x, x) // not needed by the root
	tree, err := b.Build(b.Product(x, x))
	require.NoError(t, err)
	require.Equal(t, "(0 1)*(0 1)", tree.Explicit(), "a shared node stands twice")
	require.Error(t, tree.Check())

	b = sumtree.Builder{}
	tree, err = b.Build(b.Leaf(3))
	require.NoError(t, err)
	require.Equal(t, "3", tree.String())
	require.Equal(t, 4, tree.LeafCount())

	custom := model.Binary16
	custom.Emax++
	for name, build := range map[string]func(*sumtree.Builder) sumtree.Ref{
		"a leaf below 0":     func(b *sumtree.Builder) sumtree.Ref { return b.Leaf(-1) },
		"a later node":       func(b *sumtree.Builder) sumtree.Ref { return b.Add(5, b.Leaf(0)) },
		"a root that is not": func(*sumtree.Builder) sumtree.Ref { return 0 },
		"no operands":        func(b *sumtree.Builder) sumtree.Ref { return b.AnyOrder() },
		"a nameless format":  func(b *sumtree.Builder) sumtree.Ref { return b.Round(custom, b.Leaf(0)) },
		"a wild adder":       func(b *sumtree.Builder) sumtree.Ref { return b.Fused(sumtree.Adder{Extra: 1 << 30}, b.Leaf(0)) },
		"a negative count": func(b *sumtree.Builder) sumtree.Ref {
			b.Leaves(-1)
			return b.Leaf(0)
		},
	} {
		var b sumtree.Builder
		_, err := b.Build(build(&b))
		require.Error(t, err, name)
	}
}

// TestBuilderDoubling: sharing cannot make a small builder explode.
func TestBuilderDoubling(t *testing.T) {
	if !thorough() {
		t.Skip("fills MaxNodes nodes, about a GiB: set GAMMA_LEVEL=thorough")
	}
	var b sumtree.Builder
	r := b.Leaf(0)
	for range 60 {
		r = b.Add(r, r)
	}
	_, err := b.Build(r)
	require.ErrorContains(t, err, "more than")
}

func TestAccessorsPanic(t *testing.T) {
	tree := parse(t, "(0 1)")
	require.Panics(t, func() { tree.Kind(sumtree.LeafRef(0)) })
	require.Panics(t, func() { tree.Format(0) })
	require.Panics(t, func() { tree.Adder(0) })
	require.Panics(t, func() { tree.Name(0) })
	require.Equal(t, "add product fma round fused any opaque", func() (s string) {
		for k := sumtree.Add; k <= sumtree.Opaque; k++ {
			s += k.String() + " "
		}
		return s[:len(s)-1]
	}())
}

func TestEqual(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 500 {
		a := randomTree(rng, 1+rng.IntN(12))
		b := randomTree(rng, 1+rng.IntN(12))
		require.True(t, a.Equal(a))
		require.Equal(t, a.Explicit() == b.Explicit(), a.Equal(b))
	}
	require.False(t, parse(t, "(0 1)").Equal(parse(t, "(0 1)#3")))
	require.False(t, parse(t, "(0 1)").Equal(parse(t, "(1 0)")))
	require.False(t, parse(t, "binary16(0)").Equal(parse(t, "binary32(0)")))
	require.False(t, parse(t, "fused{cut}(0)").Equal(parse(t, "fused(0)")))
	require.False(t, parse(t, `opaque"a"(0)`).Equal(parse(t, `opaque"b"(0)`)))
}
