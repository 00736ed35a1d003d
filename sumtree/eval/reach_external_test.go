package eval_test

import (
	"fmt"
	"maps"
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

// TestReachableGolden: six binary16 leaves with four results.
func TestReachableGolden(t *testing.T) {
	a := round.Arith{F: model.Binary16}
	var x []uint64
	for _, v := range []float64{-2.5, -1.5, -0.31, 0.5, 1.5, 2.5} {
		x = append(x, round.Convert(a, model.Binary64, math.Float64bits(v)))
	}
	set, complete := eval.ReachableBits(a, x, 1000)
	require.True(t, complete)
	var got []float64
	for _, b := range set {
		v, _ := model.Binary16.Rat(b).Float64()
		got = append(got, v)
	}
	require.Equal(t, []float64{0.1875, 0.189453125, 0.18994140625, 0.19140625}, got)
}

// TestReachableInTwoArithmetics: with additions that truncate or round to nearest, each as it likes, the values are those of every tree over
// every permutation, and no others; so with products and fused additions.
func TestReachableInTwoArithmetics(t *testing.T) {
	toward, nearest := round.Arith{F: model.Binary16, R: model.TowardZero}, round.Arith{F: model.Binary16}
	both := []round.Arith{toward, nearest}
	rng := rand.New(rand.NewPCG(1, 2))
	wider := 0
	for range 60 {
		n := 2 + rng.IntN(3)
		x, y := make([]uint64, n), make([]uint64, n)
		for i := range x {
			x[i], y[i] = uint64(0x3000+rng.IntN(0x1800)|rng.IntN(2)<<15), uint64(0x3800+rng.IntN(0x800))
		}
		for _, dot := range []bool{false, true} {
			want := map[uint64]bool{}
			terms := make([]term, n)
			for i := range terms {
				terms[i] = term{values: []uint64{x[i]}}
				if dot {
					terms[i] = term{values: []uint64{toward.Mul(x[i], y[i]), nearest.Mul(x[i], y[i])}, x: x[i], y: y[i], product: true}
				}
			}
			everySum(terms, both, want)
			got, complete := eval.ReachableBits(toward, x, 1<<16, nearest)
			one, _ := eval.ReachableBits(toward, x, 1<<16)
			if dot {
				got, complete = eval.ReachableDotBits(toward, x, y, true, 1<<16, nearest)
				one, _ = eval.ReachableDotBits(toward, x, y, true, 1<<16)
			}
			require.True(t, complete)
			require.Equal(t, slices.Sorted(maps.Keys(want)), got)
			if len(got) > len(one) {
				wider++
			}
		}
	}
	require.Positive(t, wider)
}

// term is a part of a sum: what it may be, and its factors if it is a product.
type term struct {
	values  []uint64
	x, y    uint64
	product bool
}

// everySum adds to set every result of adding two of the terms, then two of what there is now, and so on.
func everySum(terms []term, in []round.Arith, set map[uint64]bool) {
	if len(terms) == 1 {
		for _, v := range terms[0].values {
			set[v] = true
		}
		return
	}
	for i := range terms {
		for j := range i {
			p, q := terms[i], terms[j]
			rest := slices.Delete(slices.Delete(slices.Clone(terms), i, i+1), j, j+1)
			for _, a := range in {
				for _, v := range p.values {
					for _, w := range q.values {
						everySum(append(slices.Clone(rest), term{values: []uint64{a.Add(v, w)}}), in, set)
					}
					if q.product {
						everySum(append(slices.Clone(rest), term{values: []uint64{a.Fma(q.x, q.y, v)}}), in, set)
					}
				}
				if p.product {
					for _, w := range q.values {
						everySum(append(slices.Clone(rest), term{values: []uint64{a.Fma(p.x, p.y, w)}}), in, set)
					}
				}
			}
		}
	}
}

// everyTree calls f with every value that adding the terms can give: recursion over all ways to cut
// the list in two parts, nothing shared with the package's search.
func everyTree(terms []eval.Operand, add func(p, q eval.Operand) []eval.Operand, f func(eval.Operand)) {
	if len(terms) == 1 {
		f(terms[0])
		return
	}
	for mask := 1; mask < 1<<len(terms)-1; mask++ {
		var l, r []eval.Operand
		for i, x := range terms {
			if mask>>i&1 == 1 {
				l = append(l, x)
			} else {
				r = append(r, x)
			}
		}
		everyTree(l, add, func(p eval.Operand) {
			everyTree(r, add, func(q eval.Operand) {
				for _, s := range add(p, q) {
					f(s)
				}
			})
		})
	}
}

func TestReachableIsEveryTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for range 150 {
		n := 1 + rng.IntN(5)
		x := values32(rng, n)
		if n > 2 && rng.IntN(2) == 0 {
			x[1] = x[0]
		}
		var terms []eval.Operand
		for _, b := range eval.Bits32(x) {
			terms = append(terms, eval.Operand{Bits: b})
		}
		want := map[uint64]bool{}
		nan := func(b uint64) uint64 {
			if model.Binary32.IsNaN(b) {
				return 0x7fc00000
			}
			return b
		}
		everyTree(terms, func(p, q eval.Operand) []eval.Operand {
			return []eval.Operand{{Bits: ieee32.Add(p.Bits, q.Bits)}}
		}, func(s eval.Operand) { want[nan(s.Bits)] = true })
		got, complete := eval.Reachable32(x, 1<<20)
		require.True(t, complete)
		require.Len(t, got, len(want))
		for _, v := range got {
			require.True(t, want[uint64(math.Float32bits(v))])
		}
		set, complete := eval.ReachableBits(ieee32, eval.Bits32(x), 1<<20)
		require.True(t, complete)
		require.Equal(t, set, eval.Bits32(got))
		require.True(t, slices.IsSorted(set))
	}
}

// TestReachableDotIsEveryTree: an operand carries in Format.P the term that it is by itself, plus 1.
func TestReachableDotIsEveryTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	more := 0
	for i := range 150 {
		contract := i%2 == 0
		n := 1 + rng.IntN(4)
		x, y := values32(rng, n), values32(rng, n)
		if n > 2 && rng.IntN(2) == 0 {
			x[1], y[1] = y[0], x[0]
		}
		var terms []eval.Operand
		xb, yb := eval.Bits32(x), eval.Bits32(y)
		for j := range n {
			terms = append(terms, eval.Operand{Format: model.Format{P: j + 1}, Bits: ieee32.Mul(xb[j], yb[j])})
		}
		want, plain := map[uint64]bool{}, map[uint64]bool{}
		for _, set := range []map[uint64]bool{want, plain} {
			everyTree(terms, func(p, q eval.Operand) []eval.Operand {
				out := []eval.Operand{{Bits: ieee32.Add(p.Bits, q.Bits)}}
				if j := p.Format.P - 1; contract && j >= 0 {
					out = append(out, eval.Operand{Bits: ieee32.Fma(xb[j], yb[j], q.Bits)})
				}
				return out
			}, func(s eval.Operand) {
				if model.Binary32.IsNaN(s.Bits) {
					s.Bits = 0x7fc00000
				}
				set[s.Bits] = true
			})
		}
		got, complete := eval.ReachableDot32(x, y, contract, 1<<20)
		require.True(t, complete)
		require.Len(t, got, len(want))
		for _, v := range got {
			require.True(t, want[uint64(math.Float32bits(v))])
		}
		set, _ := eval.ReachableDotBits(ieee32, xb, yb, contract, 1<<20)
		require.Equal(t, set, eval.Bits32(got))
		without, _ := eval.ReachableDot32(x, y, false, 1<<20)
		if len(without) < len(got) {
			more++
		}
	}
	require.Greater(t, more, 10, "contraction reaches more values")
}

// wide draws numbers of twenty binades, whose sums round much.
func wide(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(20)))
	}
	return x
}

// TestReachableTwelve: twelve different leaves are decided, and every shape's result is among them.
func TestReachableTwelve(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	x := wide(rng, 12)
	set, complete := eval.Reachable32(x, 1<<14)
	require.True(t, complete)
	found := map[float32]bool{}
	for range 5000 {
		tree := sumtree.RandomShapes(rng.Uint64()).Permute(rng.Uint64()).Tree(12)
		got, _, err := eval.Float32(tree, x, nil)
		require.NoError(t, err)
		require.Contains(t, set, got)
		found[got] = true
	}
	require.Greater(t, len(found), 5)
}

func TestReachableLimits(t *testing.T) {
	x := make([]float32, 12)
	for i := range x {
		x[i] = float32(i) + 0.1
	}
	set, complete := eval.Reachable32(x, 2)
	require.False(t, complete)
	require.Len(t, set, 2)
	_, complete = eval.Reachable32(make([]float32, 100000), 10)
	require.True(t, complete == false)
	same, complete := eval.Reachable32(make([]float32, 1000), 10)
	require.True(t, complete, "equal leaves are one kind")
	require.Equal(t, []float32{0}, same)
	many := make([]float32, 40)
	for i := range many {
		many[i] = float32(i)
	}
	set, complete = eval.Reachable32(many, 1000)
	require.False(t, complete)
	require.Empty(t, set)
	set, complete = eval.Reachable32(nil, 10)
	require.True(t, complete)
	require.Equal(t, []float32{0}, set)
}

func TestSumTreeResult(t *testing.T) {
	a := ieee32
	x := eval.Bits32([]float32{3e38, 3e38, -3e38})
	inf := model.Binary32.InfBits()
	bits := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	require.Equal(t, eval.Yes, eval.SumTreeResult(a, x, bits(3e38), 100))
	require.Equal(t, eval.No, eval.SumTreeResult(a, x, inf, 100), "infinity is reached, but not finitely")
	set, _ := eval.ReachableBits(a, x, 100)
	require.Contains(t, set, inf)
	require.Equal(t, eval.No, eval.SumTreeResult(a, []uint64{inf}, inf, 100))
	require.Equal(t, eval.No, eval.SumTreeResult(a, nil, 0, 100))
	y := eval.Bits32([]float32{1, 0x1p-24, 0x1p-24, 0x1p-30})
	require.Equal(t, eval.Yes, eval.SumTreeResult(a, y, bits(1), 100))
	require.Equal(t, eval.Yes, eval.SumTreeResult(a, y, bits(1+0x1p-23), 100))
	require.Equal(t, eval.Yes, eval.SumTreeResult(a, y, bits(1+0x1p-22), 100), "1+(2^-24+2^-30) rounds up, and + 2^-24 is a tie")
	require.Equal(t, eval.No, eval.SumTreeResult(a, y, bits(1+0x3p-23), 100))
	require.Equal(t, eval.Unknown, eval.SumTreeResult(a, y, bits(1+0x3p-23), 1))
	require.Equal(t, "no yes unknown", fmt.Sprint(eval.No, " ", eval.Yes, " ", eval.Unknown))
	u, w := eval.Bits32([]float32{1 + 0x1p-12, -1}), eval.Bits32([]float32{1 + 0x1p-12, 1 + 0x1p-11})
	require.Equal(t, eval.No, eval.DotTreeResult(a, u, w, bits(0x1p-24), false, 100))
	require.Equal(t, eval.Yes, eval.DotTreeResult(a, u, w, bits(0x1p-24), true, 100))
	require.Equal(t, eval.Yes, eval.DotTreeResult(a, u, w, bits(0), true, 100))
}

// TestBitsSet compares AnyOrder with the search over all trees, inside a larger tree.
func TestBitsSet(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	x := eval.Bits32(values32(rng, 5))
	for text, plain := range map[string]string{"any(0..4)": "", "(any(0..3) 4)": "", "(0..4)": "1", "binary16(any(0..4))": ""} {
		tree := mustParse(t, text)
		set, complete, err := eval.BitsSet(tree, ieee32, x, 1000)
		require.NoError(t, err)
		require.True(t, complete)
		if plain != "" {
			want, err := eval.Bits(tree, ieee32, x)
			require.NoError(t, err)
			require.Equal(t, []uint64{want}, set)
			continue
		}
		want := map[uint64]bool{}
		inner, _ := eval.ReachableBits(ieee32, x, 1000)
		if text == "(any(0..3) 4)" {
			inner, _ = eval.ReachableBits(ieee32, x[:4], 1000)
		}
		for _, b := range inner {
			switch text {
			case "(any(0..3) 4)":
				b = ieee32.Add(b, x[4])
			case "binary16(any(0..4))":
				b = round.Convert(round.Arith{F: model.Binary16}, model.Binary32, b)
			}
			want[b] = true
		}
		require.Len(t, set, len(want), text)
		for _, b := range set {
			require.True(t, want[b])
		}
	}
	_, _, err := eval.BitsSet(mustParse(t, `opaque"f"(0)`), ieee32, x[:1], 10)
	require.Error(t, err)
	_, complete, err := eval.BitsSet(mustParse(t, "any(0..39)"), ieee32, make([]uint64, 40), 10)
	require.NoError(t, err)
	require.False(t, complete)
}

func BenchmarkReachable32(b *testing.B) {
	rng := rand.New(rand.NewPCG(12, 1))
	for _, n := range []int{8, 10, 12} {
		near, far := make([]float32, n), wide(rng, n)
		for i := range near {
			near[i] = rng.Float32() - 0.5
		}
		for _, c := range []struct {
			name string
			x    []float32
		}{{"near", near}, {"wide", far}} {
			b.Run(fmt.Sprintf("n=%d/%s", n, c.name), func(b *testing.B) {
				values := 0
				for b.Loop() {
					set, _ := eval.Reachable32(c.x, 1<<14)
					values = len(set)
				}
				b.ReportMetric(float64(values), "values")
			})
		}
	}
}
