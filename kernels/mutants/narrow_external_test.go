package mutants_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/mutants"
	"gamma/sumtree"
)

// TestFaultsOfOtherKindsShow gives each mutant that takes encodings, rows or a tree an input on
// which it differs from the kernel that keeps its claim.
func TestFaultsOfOtherKindsShow(t *testing.T) {
	find := func(name string) kernels.Kernel {
		m, ok := mutants.Find("mutants." + name)
		require.True(t, ok, name)
		return m.Kernel
	}
	half := func(x ...float32) []uint16 {
		b := make([]uint16, len(x))
		for i, v := range x {
			b[i] = kernels.HalfFromFloat32(v)
		}
		return b
	}
	one, u := float32(1), float32(0x1p-11) // u is half an ulp of 1 in binary16

	x := half(one, u, u)
	require.NotEqual(t, kernels.SumHalfWide(x), find("SumHalfNarrowAsWide").SumBits(x))
	x = half(one, 0x1p-9)
	require.NotEqual(t, kernels.SumHalfWide(x), find("SumHalfByBFloat").SumBits(x))
	x = half(one, 0x1p-11+0x1p-15)
	require.NotEqual(t, kernels.SumHalfWide(x), find("SumHalfTruncates").SumBits(x))

	x, y := half(one, u), half(one, one)
	require.NotEqual(t, kernels.DotHalfTo32(x, y), find("DotHalfNarrowAsWide").DotBits(x, y))
	// The product u·(1-2^-12) rounds to u, which makes a tie of the sum.
	x, y = half(1+2*u, 1+0x1p-6), half(one, u*(1-0x1p-6))
	require.NotEqual(t, kernels.DotHalfNarrow(x, y), find("DotHalfFusesProducts").DotBits(x, y))

	rows := []float32{1, 2, 3, 4}
	dst := make([]float32, 2)
	find("SumRowsOffByOne").Rows32(dst, rows, 2)
	require.Equal(t, []float32{3, 5}, dst)

	v := []float32{3, 1e8, -1e8, 3}
	pairs := sumtree.Pairwise(1).Tree(4)
	require.NotEqual(t, kernels.SumFollowing(pairs, v), find("SumFollowsLeft").SumTree(pairs, v))
}
