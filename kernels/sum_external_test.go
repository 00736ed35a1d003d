package kernels_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/model"
	"gamma/sumtree"
)

// thorough reports whether the long tests were asked for.
func thorough() bool { return os.Getenv("GAMMA_LEVEL") == "thorough" }

// source returns a generator of its own for each test.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }

// spread returns n finite leaves whose exponents lie up to span apart, so that additions round.
func spread(rng *rand.Rand, n, span int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Ldexp(rng.Float64()-0.5, 1+rng.IntN(span+1)-span/2))
	}
	return x
}

// sizes are the lengths at which kernels change their ways.
func sizes() []int {
	var list []int
	for n := 0; n <= 140; n++ {
		list = append(list, n)
	}
	return append(list, 255, 256, 257, 263, 264, 383, 384, 511, 513, 1000, 1024, 1025, 2047, 4099)
}

func TestClaimedTreesAreFollowedBitForBit(t *testing.T) {
	for _, k := range kernels.All() {
		c := k.Claim
		if k.Sum32 == nil && k.Sum64 == nil || c.Tree == "" || c.Mean || !c.Acc.IsZero() {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			shape, err := sumtree.ParseShape(c.Tree)
			require.NoError(t, err)
			rng := source(1)
			for _, n := range sizes() {
				x := spread(rng, n, 20)
				tree := shape.Tree(n)
				if k.Sum32 != nil {
					require.Equal(t, math.Float32bits(follow(tree, x)), math.Float32bits(k.Sum32(x)), "n=%d", n)
					continue
				}
				y := widen(x)
				for i := range y {
					y[i] *= 1 + rng.Float64()
				}
				require.Equal(t, math.Float64bits(follow(tree, y)), math.Float64bits(k.Sum64(y)), "n=%d", n)
			}
		})
	}
}

// follow adds x over a plain tree by recursion.
func follow[T kernels.Float](t *sumtree.Tree, x []T) T {
	nodes, ok := t.Plain()
	if !ok {
		panic("not a plain tree")
	}
	if len(x) == 0 {
		return 0
	}
	v := make([]T, len(nodes))
	at := func(r sumtree.Ref) T {
		if r.IsLeaf() {
			return x[r.Leaf()]
		}
		return v[r]
	}
	for i, n := range nodes {
		v[i] = at(n.L) + at(n.R)
	}
	return at(t.Root())
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

func TestDotTreesAreFollowedOverRoundedProducts(t *testing.T) {
	for _, k := range kernels.All() {
		c := k.Claim
		if k.Dot32 == nil && k.Squares32 == nil || c.Tree == "" || !c.Acc.IsZero() || c.Fusion != model.Unfused {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			shape, err := sumtree.ParseShape(c.Tree)
			require.NoError(t, err)
			rng := source(2)
			for _, n := range sizes() {
				x, y := spread(rng, n, 20), spread(rng, n, 20)
				if k.Squares32 != nil {
					y = x
				}
				p := make([]float32, n)
				for i := range p {
					p[i] = float32(x[i] * y[i])
				}
				want := math.Float32bits(follow(shape.Tree(n), p))
				if k.Squares32 != nil {
					require.Equal(t, want, math.Float32bits(k.Squares32(x)), "n=%d", n)
				} else {
					require.Equal(t, want, math.Float32bits(k.Dot32(x, y)), "n=%d", n)
				}
			}
		})
	}
}

func TestMeansDivideTheirTreesSum(t *testing.T) {
	for _, k := range kernels.All() {
		if !k.Claim.Mean {
			continue
		}
		shape, err := sumtree.ParseShape(k.Claim.Tree)
		require.NoError(t, err)
		rng := source(3)
		for _, n := range sizes()[1:] {
			x := spread(rng, n, 20)
			want := follow(shape.Tree(n), x) / float32(n)
			require.Equal(t, math.Float32bits(want), math.Float32bits(k.Sum32(x)), "%s n=%d", k.Name, n)
		}
		require.True(t, math.IsNaN(float64(k.Sum32(nil))), k.Name)
	}
}

func TestSumFollowingFollowsEveryShape(t *testing.T) {
	rng := source(4)
	for _, name := range []string{"left", "right", "pairwise/3", "lanes/5", "random/splits/7", "random/shapes/8@perm/3"} {
		shape, err := sumtree.ParseShape(name)
		require.NoError(t, err)
		for _, n := range []int{0, 1, 2, 3, 64, 1001, 20} {
			x := spread(rng, n, 20)
			tree := shape.Tree(n)
			require.Equal(t, math.Float32bits(follow(tree, x)), math.Float32bits(kernels.SumFollowing(tree, x)), "%s n=%d", name, n)
		}
	}
	require.PanicsWithValue(t, "kernels: a tree of 3 leaves cannot sum a vector of 2", func() {
		kernels.SumFollowing(sumtree.Left().Tree(3), []float32{1, 2})
	})
}

func TestRowsAreSummedOneByOne(t *testing.T) {
	rng := source(5)
	for _, n := range []int{0, 1, 7, 8, 33} {
		x := spread(rng, 5*n, 10)
		dst := []float32{9, 9, 9, 9, 9}
		kernels.SumRows(dst, x, n)
		for i, v := range dst {
			require.Equal(t, kernels.SumLanes(x[i*n:(i+1)*n]), v)
		}
	}
	require.PanicsWithValue(t, "kernels: 2 rows of 2 do not fill a vector of 3", func() {
		kernels.SumRows(make([]float32, 2), make([]float32, 3), 2)
	})
}

func TestDoubleAccumulatorMayMissTheTieBelowOverflow(t *testing.T) {
	// The exact sum rounds to MaxFinite; that is why SumDouble does not claim OverflowSafe.
	x := []float32{math.MaxFloat32, 0x1p103, -0x1p-149}
	require.Equal(t, float32(math.MaxFloat32), kernels.SumExact(x))
	require.True(t, math.IsInf(float64(kernels.SumDouble(x)), 1))
	require.Equal(t, float32(3e38), kernels.SumDouble([]float32{3e38, 3e38, -3e38}))
}

// exactSum returns the sum of finite x, rounded once, by math/big.
func exactSum(x []float32) float32 {
	s := new(big.Float).SetPrec(640)
	for _, v := range x {
		s.Add(s, new(big.Float).SetFloat64(float64(v)))
	}
	f, _ := s.Float32()
	return f
}
