package props

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/model"
	"gamma/props/judge"
	"gamma/sumtree"
)

// blockTree adds blocks of so many leaves from the left, and rounds each sum of what came before and one block to binary16, the first alone with
// it; the last rounding is the root.
func blockTree(block int) func(n int) *sumtree.Tree {
	return func(n int) *sumtree.Tree {
		var b sumtree.Builder
		b.Leaves(n)
		var all sumtree.Ref
		for at := 0; at < n; at += block {
			part := b.Leaf(at)
			for i := at + 1; i < min(at+block, n); i++ {
				part = b.Add(part, b.Leaf(i))
			}
			if at > 0 {
				part = b.Add(all, part)
			}
			all = b.Round(model.Binary16, part)
		}
		tree, err := b.Build(all)
		if err != nil {
			panic(err)
		}
		return tree
	}
}

// sumBlocks is the sum of blockTree in binary32, with a rounding to binary16 in between.
func sumBlocks(x []float32, block int, narrow func(float32) float32) float32 {
	var all float32
	for at := 0; at < len(x); at += block {
		part := x[at]
		for _, v := range x[at+1 : min(at+block, len(x))] {
			part += v
		}
		if at > 0 {
			part = all + part
		}
		all = narrow(part)
	}
	return all
}

func toHalf(v float32) float32 { return kernels.HalfToFloat32(kernels.HalfFromFloat32(v)) }

func wideHalves(x []uint16) []float32 {
	list := make([]float32, len(x))
	for i, b := range x {
		list[i] = kernels.HalfToFloat32(b)
	}
	return list
}

// TestRoundsInSchedules: a schedule that rounds partial results to another format than the accumulator's is replayed with its root in that
// format; bounds that are proved for additions in the accumulator say why they say nothing, and the other laws judge right kernels right
// and find planted faults.
func TestRoundsInSchedules(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	half := model.Claim{In: model.Binary16, Acc: model.Binary32, Out: model.Binary16, MinN: 1, Repeats: true, SignedZero: true}
	mean := half
	mean.Mean = true
	halves := func(c model.Claim, block int, run func(x []float32) float32) Reduction {
		return Reduction{Name: "k", Claim: c, Schedule: blockTree(block), RunBits: func(x []uint16) uint64 {
			return uint64(kernels.HalfFromFloat32(run(wideHalves(x))))
		}}
	}
	blocks := func(block int) func(x []float32) float32 {
		return func(x []float32) float32 { return sumBlocks(x, block, toHalf) }
	}
	averaged := func(x []float32) float32 { return sumBlocks(x, 4, toHalf) / float32(len(x)) }
	single := Reduction{Name: "k", Claim: model.Claim{MinN: 1, SignedZero: true}, Schedule: blockTree(4), Run: blocks(4)}
	whole := 1 << 20 // one block

	judged := func(id model.LawID, r Reduction) (bad bool, v Verdict) {
		c, _, v, err := judge.Search(lawOf(t, judge.Laws(), id), r, 600)
		require.NoError(t, err)
		return c != nil, v
	}
	const leaves = "the schedule rounds partial results to binary16, which the theorems about additions in binary32 leave out"
	for _, k := range []struct {
		name    string
		r       Reduction
		covered bool // by the theorems
	}{
		{"a root in Out", halves(half, whole, blocks(whole)), true},
		{"blocks", halves(half, 4, blocks(4)), false},
		{"blocks of one", halves(half, 1, blocks(1)), false},
		{"a mean of a root in Out", halves(mean, 4, averaged), false},
		{"blocks in binary32", single, false},
	} {
		t.Run(k.name, func(t *testing.T) {
			ids := []model.LawID{model.SumEnclosure, model.SumHeight, model.SumTree, model.SumMember, model.SumIntegers, model.SumSpecial}
			for _, id := range ids {
				bad, v := judged(id, k.r)
				require.False(t, bad, "%s: %v", id, v)
				if !k.covered && (id == model.SumEnclosure || id == model.SumHeight) {
					require.Equal(t, Vacuous, v.Outcome, v)
				}
			}
			law := lawOf(t, judge.Laws(), model.SumEnclosure)
			x := &corpus.Case{X: corpus.NewValues(k.r.Claim.WithDefaults(model.Binary32).In, 5)}
			v, err := judge.Judge(law, k.r, x)
			require.NoError(t, err)
			if k.covered {
				require.Equal(t, Holds, v.Outcome, v)
			} else {
				require.Equal(t, Vacuous, v.Outcome, v)
				require.Equal(t, leaves, v.Reason)
			}
		})
	}
	for _, k := range []struct {
		name string
		id   model.LawID
		r    Reduction
	}{
		{"no rounding in between", model.SumTree, halves(half, 4, func(x []float32) float32 {
			return sumBlocks(x, 4, func(v float32) float32 { return v })
		})},
		{"no rounding in between, in binary32", model.SumTree, Reduction{Name: "k", Claim: single.Claim, Schedule: single.Schedule, Run: func(x []float32) float32 {
			return sumBlocks(x, len(x), toHalf)
		}}},
		{"rounded after each addition", model.SumTree, halves(half, 4, blocks(1))},
		{"blocks of five", model.SumTree, halves(half, 4, blocks(5))},
		{"the mean of a sum that is not rounded", model.SumTree, halves(mean, 4, func(x []float32) float32 {
			return sumBlocks(x, 4, func(v float32) float32 { return v }) / float32(len(x))
		})},
		{"a block too few", model.SumIntegers, halves(half, 4, func(x []float32) float32 { return sumBlocks(x[:max(len(x)-4, 1)], 4, toHalf) })},
		{"numbers that are no numbers left out", model.SumSpecial, halves(half, 4, func(x []float32) float32 {
			for i, v := range x {
				if v != v {
					x[i] = 0
				}
			}
			return sumBlocks(x, 4, toHalf)
		})},
		{"a root that errs by two units", model.SumEnclosure, halves(half, whole, func(x []float32) float32 {
			return float32(sumBlocks(x, whole, toHalf) * (1 + 0x1p-9))
		})},
		{"a root that errs by two units", model.SumHeight, halves(half, whole, func(x []float32) float32 {
			return float32(sumBlocks(x, whole, toHalf) * (1 + 0x1p-9))
		})},
	} {
		bad, v := judged(k.id, k.r)
		require.True(t, bad, "%s by %s: %v", k.name, k.id, v)
	}
}
