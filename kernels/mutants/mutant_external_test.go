package mutants_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels"
	"gamma/kernels/dd"
	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/sumtree"
)

// vectors are inputs that between them show every fault of a mutant that needs no long vector.
func vectors() [][]float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	inf, nan, nzero := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	list := [][]float32{
		{},
		{1},
		{nzero},
		{nzero, nzero},
		{inf, 0},
		{inf, 4, -inf},
		{nan, 1},
		{1, nan, 2},
		{0x1p-140, 0x1p-140},
		{0x1p-149},
		{3e38, 3e38, -3e38},
		{1, 0x1p-24, 0x1p-48, -1, -0x1p-24},
		{1 + 0x1p-23, 0x1p-24, -0x1p-60},
		{3, -3, 1, 1},
		{0, 1},
		{1 + 0x1p-23, 0x1p-12 * (1 - 0x1p-20)},
		{0x1p25, 3, -0x1p25, 1, 1, 1},
	}
	for n := 1; n <= 140; n++ {
		ints := make([]float32, n)
		for i := range ints {
			ints[i] = float32(rng.IntN(1<<12) - 1<<11)
		}
		list = append(list, ints)
		for span := 0; span < 60; span += 15 {
			x := make([]float32, n)
			for i := range x {
				x[i] = float32(math.Ldexp(rng.Float64()-0.5, 1+rng.IntN(span+1)-span/2))
			}
			list = append(list, x)
			y := slices.Clone(x)
			for i := 1; i < n; i += 2 {
				y[i] = -y[i-1] * (1 + 0x1p-22*float32(rng.IntN(3)))
			}
			list = append(list, y)
			z := make([]float32, n) // sparse bits: ties
			for i := range z {
				z[i] = float32(math.Ldexp(float64(rng.IntN(5)-2), -rng.IntN(span+2)))
			}
			list = append(list, z)
		}
	}
	return list
}

func sameBits(a, b float32) bool {
	return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b
}

// sound returns what a kernel that keeps m's claim may give.
func sound(t *testing.T, c model.Claim, x []float32) float32 {
	t.Helper()
	if c.Tree != "" {
		shape, err := sumtree.ParseShape(c.Tree)
		require.NoError(t, err)
		s := kernels.SumFollowing(shape.Tree(len(x)), x)
		if c.Mean {
			return s / float32(len(x))
		}
		return s
	}
	switch c.Compensation {
	case model.Kahan:
		return kernels.SumKahan(x)
	case model.Sum2:
		return kernels.Sum2(x)
	case model.SumK:
		return kernels.SumK(x, c.Folds)
	case model.FABsum:
		return kernels.SumFAB(x)
	case model.DoubleWord:
		if c.Mean {
			return dd.Mean(x)
		}
		return dd.Sum(x)
	case model.Rounded:
		return kernels.SumExact(x)
	}
	if c.Mean {
		return kernels.MeanSerial(x)
	}
	return kernels.SumSerial(x)
}

func TestEveryFaultShows(t *testing.T) {
	list := vectors()
	long := make([]float32, 1<<24+5)
	for _, m := range mutants.All() {
		k := m.Kernel
		if k.Sum32 == nil && k.Dot32 == nil {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			require.NotEmpty(t, m.Fault)
			require.NotEmpty(t, m.Kills)
			require.NotContains(t, m.Survives, m.Kills)
			in := list
			if m.MinN > 140 {
				x := long[:m.MinN]
				clear(x)
				x[len(x)-1] = 1
				in = [][]float32{x}
			}
			shows := 0
			for i, x := range in {
				keep := slices.Concat([]float32{0}, x)[1:] // at an odd place in memory
				if k.Sum32 != nil {
					switch m.Kills {
					case model.SumRepeat:
						if !sameBits(k.Sum32(keep), k.Sum32(keep)) {
							shows++
						}
						continue
					case model.SumPermute:
						slices.Reverse(keep)
						if !sameBits(k.Sum32(keep), k.Sum32(x)) {
							shows++
						}
						continue
					case model.SumHeight: // a claim about the bound, not about the value
						shows++
						continue
					}
					want := sound(t, k.Claim, x)
					switch k.Name { // these have an order of their own, and do not claim it
					case "mutants.SumLosesLastLane", "mutants.SumIgnoresTail":
						want = kernels.SumLanes(x)
					case "mutants.SumHalvesByFloor":
						want = kernels.SumFollowing(sumtree.Halving().Tree(len(x)), x)
					case "mutants.SumOneUlpOff":
						want = kernels.SumExact(x)
					case "mutants.SumDoublesBlockEdge":
						want = kernels.SumFollowing(sumtree.Blocked(64).Tree(len(x)), x)
					}
					if !sameBits(k.Sum32(keep), want) {
						require.GreaterOrEqual(t, len(x), m.MinN)
						shows++
					}
					continue
				}
				y := make([]float32, len(x))
				switch {
				case len(x) == 2 && x[0] == 0:
					y = []float32{float32(math.Inf(1)), 1}
				case len(x) == 2 && x[0] == 1+0x1p-23: // 1 + 2^-23 and 2^-24·(1 - 2^-40): just below a tie
					y = []float32{1, 0x1p-12 * (1 + 0x1p-20)}
				}
				if other := in[(i+7)%len(in)]; len(other) > 0 && len(x) > 0 && y[0] == 0 {
					for j := range y {
						y[j] = other[j%len(other)]
					}
				}
				want := kernels.DotSerial(x, y)
				switch {
				case m.Kills == model.DotRepeat:
					want = k.Dot32(x, y)
				case m.Kills == model.DotPermute:
					keepY := slices.Clone(y)
					slices.Reverse(keep)
					slices.Reverse(keepY)
					want = k.Dot32(keep, keepY)
				case m.Kills == model.DotHeight:
					shows++
					continue
				case k.Name == "mutants.DotIgnoresTail":
					want = kernels.DotLanes(x, y)
				case k.Name == "mutants.DotOneUlpOff":
					want = kernels.DotExact(x, y)
				case k.Claim.Fusion == model.FusedChain:
					want = kernels.DotFMA(x, y)
				case k.Claim.Compensation == model.Sum2:
					want = kernels.Dot2(x, y)
				case k.Claim.Compensation == model.DoubleWord:
					want = dd.Dot(x, y)
				case k.Claim.Compensation == model.Rounded:
					want = kernels.DotExact(x, y)
				}
				if !sameBits(k.Dot32(x, y), want) {
					require.GreaterOrEqual(t, len(x), m.MinN)
					shows++
				}
			}
			require.Positive(t, shows, "the fault never shows")
		})
	}
}

// TestSurvivorsAreRight holds sums to the laws that they say they pass, where those are simple.
func TestSurvivorsAreRight(t *testing.T) {
	list := vectors()
	for _, m := range mutants.All() {
		k := m.Kernel
		if k.Sum32 == nil || k.Claim.Mean {
			continue
		}
		for _, x := range list {
			exact, abs, integers, finite := new(big.Float).SetPrec(700), 0.0, true, true
			for _, v := range x {
				if v-v != 0 {
					finite = false
					break
				}
				exact.Add(exact, big.NewFloat(float64(v)))
				abs += math.Abs(float64(v))
				integers = integers && v == float32(math.Trunc(float64(v)))
			}
			if !finite || abs > math.MaxFloat32 {
				continue
			}
			s := k.Sum32(slices.Clone(x))
			if slices.Contains(m.Survives, model.SumIntegers) && integers && abs <= 1<<24 {
				want, _ := exact.Float32()
				require.Equal(t, want, s, "%s %x", k.Name, x)
			}
			if slices.Contains(m.Survives, model.SumEnclosure) {
				e := new(big.Float).Sub(exact, big.NewFloat(float64(s)))
				e.Abs(e)
				// (1+u)·E <= (n-1)·u·A; A is exact, or rounded by far less than the data's distance.
				e.Mul(e, big.NewFloat(1+0x1p-24))
				bound := new(big.Float).SetPrec(700).Mul(big.NewFloat(abs), big.NewFloat(float64(max(len(x)-1, 0))*0x1p-24))
				require.LessOrEqual(t, e.Cmp(bound), 0, "%s %x", k.Name, x)
			}
		}
	}
}

func TestEveryLawHasAMutant(t *testing.T) {
	killed := map[model.LawID]int{}
	names := map[string]bool{}
	for _, m := range mutants.All() {
		killed[m.Kills]++
		require.False(t, names[m.Kernel.Name], m.Kernel.Name)
		names[m.Kernel.Name] = true
		found, ok := mutants.Find(m.Kernel.Name)
		require.True(t, ok)
		require.Equal(t, m.Fault, found.Fault)
	}
	for _, law := range []model.LawID{
		model.SumEnclosure, model.SumHeight, model.SumTree, model.SumMember, model.SumIntegers,
		model.SumSpecial, model.SumRepeat, model.SumPermute, model.SumCompensated, model.SumRounded,
		model.DotEnclosure, model.DotHeight, model.DotTree, model.DotMember, model.DotIntegers,
		model.DotSpecial, model.DotRepeat, model.DotPermute, model.DotCompensated, model.DotRounded,
	} {
		require.Positive(t, killed[law], law)
	}
	_, ok := mutants.Find("mutants.Nothing")
	require.False(t, ok)
}
