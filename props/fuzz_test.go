package props

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/sumtree"
)

// decoded are subjects of every kind that the decoder makes cases for.
func decoded(tb testing.TB) []*vectors.Run {
	tb.Helper()
	half, halfRun := halfSum(model.Binary16, model.Binary32)
	e4m3, e4m3Run := halfDot(model.E4M3)
	var runs []*vectors.Run
	for _, s := range []Subject{
		Reduction{Name: "sum", Run: kernels.SumSerial[float32]},
		Reduction{Name: "sum64", Run64: kernels.SumSerial[float64]},
		Reduction{Name: "few", Run: kernels.SumSerial[float32], Claim: model.Claim{MaxN: 5}},
		Reduction{Name: "half", RunBits: halfRun, Claim: half},
		Reduction{Name: "tree", RunTree: kernels.SumFollowing},
		Reduction{Name: "rows", RunRows: kernels.SumRows[float32]},
		Dot{Name: "dot", Run: kernels.DotSerial[float32]},
		Dot{Name: "dot64", Run64: kernels.DotSerial[float64]},
		Dot{Name: "e4m3", RunBits: e4m3Run, Claim: e4m3},
		Dot{Name: "dot tree", RunTree: dotFollowing},
		Dot{Name: "matrix", RunRows: matVec},
		Dot{Name: "squares", RunSquares: func(x []float32) float32 { return kernels.DotSerial(x, x) }},
	} {
		sub, err := vectorSubject(s)
		require.NoError(tb, err)
		set := engine.Settings{Seed: engine.FixedSeed, MaxN: 500}
		runs = append(runs, vectors.NewRun(sub, set))
	}
	return runs
}

// FuzzDecode: every byte string is a case, the same one each time, that its subject takes; and right
// kernels hold it.
func FuzzDecode(f *testing.F) {
	runs := decoded(f)
	for i, seed := range vectors.FuzzSeeds() {
		f.Add(uint8(i), uint8(i/2), seed)
	}
	for i := range runs {
		f.Add(uint8(i), uint8(0), []byte{})
		f.Add(uint8(i), uint8(1), []byte{1})
		f.Add(uint8(i), uint8(2), []byte{0, 9, 200, 255, 3, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24})
		f.Add(uint8(i), uint8(3), []byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255})
	}
	f.Fuzz(func(t *testing.T, which, law uint8, data []byte) {
		r := runs[int(which)%len(runs)]
		laws := askedOf(r)
		l := laws[int(law)%len(laws)]
		d, e := engine.Decoder(data), engine.Decoder(data)
		c, again := r.Decode(&d, &l), r.Decode(&e, &l)
		require.True(t, c.X.Equal(again.X) && c.Y.Equal(again.Y))
		require.Equal(t, []any{c.Tree, c.Gen, c.Rows, c.Seed}, []any{again.Tree, again.Gen, again.Rows, again.Seed})
		require.NoError(t, r.Sub.Accepts(c))
		perRow := c.N() / max(c.Rows, 1)
		require.LessOrEqual(t, perRow, draw.MaxFuzzN)
		if m := r.Sub.Claim.MaxN; m > 0 {
			require.LessOrEqual(t, perRow, m)
		}
		for _, v := range []corpus.Values{c.X, c.Y} {
			for i := range v.Len() {
				require.Zero(t, v.At(i)>>(v.Format.Bits()-1)>>1)
			}
		}
		require.Equal(t, r.Sub.Follows, c.Tree != "")
		if c.Tree != "" {
			tree, err := sumtree.Parse(c.Tree)
			require.NoError(t, err)
			require.Equal(t, c.N(), tree.LeafCount())
			require.NoError(t, tree.Check())
		}
		if c.N() <= 64 {
			v := vectors.NewTrial(r.Sub).Judge(&l, c)
			require.False(t, v.Fails(), "%s: %v", r.Sub.Name, v)
		}
	})
}

// TestDecodeReaches: from the seeds and random bytes the decoder makes both kinds of cases, empty
// ones, and for every law of every subject some that are judged.
func TestDecodeReaches(t *testing.T) {
	rng := draw.Splitmix(5)
	for _, r := range decoded(t) {
		for _, l := range askedOf(r) {
			var gen, listed, empty, judged int
			for k := range 80 {
				data := make([]byte, rng.Below(200))
				for i := range data {
					data[i] = byte(rng.Next())
				}
				if k < 4 {
					data = data[:min(k, len(data))]
				}
				d := engine.Decoder(data)
				c := r.Decode(&d, &l)
				if c.Gen != "" {
					gen++
				} else {
					listed++
				}
				if c.N() == 0 {
					empty++
				}
				v := vectors.NewTrial(r.Sub).Judge(&l, c)
				require.False(t, v.Fails(), "%s: %v", r.Sub.Name, v)
				if v.Outcome == Holds {
					judged++
				}
			}
			require.NotZero(t, gen)
			require.NotZero(t, listed)
			require.NotZero(t, empty)
			require.NotZero(t, judged, "%s of %s: no case judged", l.ID, r.Sub.Name)
		}
	}
}
