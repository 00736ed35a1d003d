package vectors

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/sumtree"
)

// choice evaluates a schedule with node i in the arithmetic that bit i of choice says; nothing is shared with the judge's way.
func choice(tree *sumtree.Tree, ariths []round.Arith, x []uint64, choice int) uint64 {
	v := make([]uint64, tree.NodeCount())
	get := func(r sumtree.Ref) uint64 {
		if r.IsLeaf() {
			return x[r.Leaf()]
		}
		return v[r]
	}
	var buf [2]sumtree.Ref
	for i := range v {
		a, o := ariths[choice>>i&1], tree.Operands(sumtree.Ref(i), buf[:])
		switch tree.Kind(sumtree.Ref(i)) {
		case sumtree.Add:
			v[i] = a.Add(get(o[0]), get(o[1]))
		case sumtree.Product:
			v[i] = a.Mul(get(o[0]), get(o[1]))
		case sumtree.Fma:
			v[i] = a.Fma(get(o[0]), get(o[1]), get(o[2]))
		}
	}
	return get(tree.Root())
}

// TestMixedSchedules: what a schedule may give where each operation truncates or rounds to nearest is what all choices give, one by one; and the
// range that is judged by where they are too many is that of these.
func TestMixedSchedules(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	half := model.Binary16
	several := 0
	for _, op := range []engine.Op{engine.OpSum, engine.OpDot} {
		trial := NewTrial(&Kernel{Op: op})
		trial.Claimed = model.Claim{In: half, Acc: half, Out: half, Rounding: model.TowardZero, Mixed: true}
		for i := range 300 {
			n := 2 + rng.IntN(5)
			tree := sumtree.RandomShapes(rng.Uint64()).Tree(n)
			leaves := n
			if op == engine.OpDot {
				tree, leaves = tree.OverProducts(i%2 == 0), 2*n
			}
			x, in := make([]uint64, leaves), make([][]uint64, leaves)
			for i := range x {
				x[i] = uint64(0x3400 + rng.IntN(0x1000) | rng.IntN(2)<<15)
				in[i] = []uint64{x[i]}
			}
			want := map[uint64]bool{}
			lo, hi := math.Inf(1), math.Inf(-1)
			for c := range 1 << tree.NodeCount() {
				b := choice(tree, trial.ariths(half), x, c)
				want[b] = true
				lo, hi = min(lo, report.Value64(half, b)), max(hi, report.Value64(half, b))
			}
			set, ok, err := trial.mixedSet(tree, in)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(slices.Values(set)))
			least, most, err := trial.mixedRange(tree, in)
			require.NoError(t, err)
			require.Equal(t, []float64{lo, hi}, []float64{least, most})
			if len(set) > 2 {
				several++
			}
		}
	}
	require.Greater(t, several, 100)
}

// TestMixedEnds: a mean and a narrower result are rounded by the device or by the host as well.
func TestMixedEnds(t *testing.T) {
	trial := NewTrial(&Kernel{})
	trial.Claimed = model.Claim{In: model.Binary32, Acc: model.Binary32, Out: model.Binary16, Rounding: model.TowardZero, Mixed: true}
	third := uint64(math.Float32bits(1.0 / 3))
	list, err := trial.finished([]uint64{third})
	require.NoError(t, err)
	require.Equal(t, []uint64{0x3555}, list, "the nearest number to 1/3 is smaller")
	list, err = trial.finished([]uint64{uint64(math.Float32bits(1 + 0x1.8p-11))})
	require.NoError(t, err)
	require.Equal(t, []uint64{0x3c00, 0x3c01}, list, "three quarters from 1 to the next number")
	trial.Claimed.Mean, trial.Claimed.Out, trial.Length = true, model.Binary32, 3
	list, err = trial.finished([]uint64{uint64(math.Float32bits(2))})
	require.NoError(t, err)
	require.Equal(t, []uint64{uint64(math.Float32bits(2.0/3)) - 1, uint64(math.Float32bits(2.0 / 3))}, list)
}
