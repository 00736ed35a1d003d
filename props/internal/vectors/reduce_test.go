package vectors

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/props/internal/engine"
	"gamma/props/internal/reduce"
	"gamma/sumtree"
)

// fixed is the unit of the values that the tests of the reducer sum as integers.
const fixed = 20

// fixedCase returns n leaves m·2^-20 with random m of 24 bits and either sign, none 0.
func fixedCase(rng *rand.Rand, n int) *corpus.Case {
	x := make([]float32, n)
	for i := range x {
		m := float32(1 + rng.IntN(1<<24-1))
		if rng.IntN(2) == 0 {
			m = -m
		}
		x[i] = float32(math.Ldexp(float64(m), -fixed))
	}
	return &corpus.Case{Law: model.SumIntegers, Kernel: "test.Sum", X: corpus.Float32s(x)}
}

// wrongSum reports whether a sum that leaves out the leaves that drop names differs from the sum over
// the integers. It says no where the values are no integers in units of 2^-20 or too large.
func wrongSum(x []float32, drop func(i int) bool) bool {
	var got float64
	var want int64
	for i, v := range x {
		m := float64(v) * (1 << fixed)
		k := int64(m)
		if float64(k) != m || k > 1<<30 || k < -1<<30 {
			return false
		}
		want += k
		if !drop(i) {
			got += float64(v) // exact
		}
	}
	return got != math.Ldexp(float64(want), -fixed)
}

// dropping is the predicate of a sum that leaves out what drop names.
func dropping(drop func(n, i int) bool) func(c *corpus.Case) bool {
	return func(c *corpus.Case) bool {
		n := c.N()
		return wrongSum(c.X.F32, func(i int) bool { return drop(n, i) })
	}
}

func float32Case(x ...float32) *corpus.Case { return &corpus.Case{X: corpus.Float32s(x)} }

// leavesOf returns the leaves that are not +0 as "place:value".
func leavesOf(c *corpus.Case) []string {
	var out []string
	for i := range c.N() {
		s := ""
		switch {
		case c.X.At(i) == 0 && (c.Y.Len() == 0 || c.Y.At(i) == 0):
			continue
		case c.X.F32 != nil:
			s = fmt.Sprintf("%d:%g", i, c.X.F32[i])
		default:
			s = fmt.Sprintf("%d:%#x", i, c.X.At(i))
		}
		if c.Y.F32 != nil {
			s += fmt.Sprintf("*%g", c.Y.F32[i])
		}
		out = append(out, s)
	}
	return out
}

func nonzero(c *corpus.Case) int { return len(leavesOf(c)) }

func TestReduceFindsTheMinimalCase(t *testing.T) {
	for _, tt := range []struct {
		name  string
		n     int
		drop  func(n, i int) bool
		wantN int
		want  []string
		evals int
	}{
		{"last lane of 32 from n=33", 1024, func(n, i int) bool { return n >= 33 && i%32 == 31 }, 33, []string{"31:1"}, 60},
		{"last leaf from n=33", 1000, func(n, i int) bool { return n >= 33 && i == n-1 }, 33, []string{"32:1"}, 70},
		{"leaves of odd index", 999, func(_, i int) bool { return i%2 == 1 }, 2, []string{"1:1"}, 40},
		{"tail of a loop by 4", 1023, func(n, i int) bool { return i >= n-n%4 }, 1, []string{"0:1"}, 30},
		{"first leaf of even lengths", 1000, func(n, i int) bool { return n%2 == 0 && i == 0 }, 2, []string{"0:1"}, 60},
		{"last leaf of powers of two from 8", 4096, func(n, i int) bool { return n >= 8 && n&(n-1) == 0 && i == n-1 }, 8, []string{"7:1"}, 80},
		{"middle leaf of multiples of 64", 8192, func(n, i int) bool { return n%64 == 0 && i == n/2 }, 64, []string{"32:1"}, 90},
		{"lane 11 of 12 from n=25", 5000, func(n, i int) bool { return n >= 25 && i%12 == 11 }, 25, []string{"11:1"}, 90},
		{"leaf 777", 65536, func(_, i int) bool { return i == 777 }, 778, []string{"777:1"}, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fails := dropping(tt.drop)
			for seed := range uint64(10) {
				c := fixedCase(rand.New(rand.NewPCG(seed, 1)), tt.n)
				got, s := Reduce(c, fails, ReduceOptions{})
				require.True(t, s.Reproduced)
				require.False(t, s.Exhausted)
				require.False(t, s.Flaky)
				require.Equal(t, tt.wantN, got.N())
				require.Equal(t, tt.want, leavesOf(got))
				require.LessOrEqual(t, s.Evals, tt.evals)
			}
		})
	}
}

func TestReduceLengthAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		fails func(n int) bool
		from  int
		want  int
	}{
		"any":                  {func(int) bool { return true }, 100, 0},
		"at least 33":          {func(n int) bool { return n >= 33 }, 50000, 33},
		"odd":                  {func(n int) bool { return n%2 == 1 }, 1001, 1},
		"odd, at least 17":     {func(n int) bool { return n >= 17 && n%2 == 1 }, 1001, 17},
		"one more than 32":     {func(n int) bool { return n%32 == 1 && n > 1 }, 3201, 33},
		"multiple of 12":       {func(n int) bool { return n > 0 && n%12 == 0 }, 6000, 12},
		"only 1000":            {func(n int) bool { return n == 1000 }, 1000, 1000},
		"powers of two":        {func(n int) bool { return n > 1 && n&(n-1) == 0 }, 4096, 2},
		"at most and at least": {func(n int) bool { return n >= 5 && n <= 4000 }, 4000, 5},
	} {
		t.Run(name, func(t *testing.T) {
			c := fixedCase(rand.New(rand.NewPCG(1, 2)), tt.from)
			got, s := Reduce(c, func(c *corpus.Case) bool { return tt.fails(c.N()) }, ReduceOptions{})
			require.Equal(t, tt.want, got.N())
			require.Zero(t, nonzero(got))
			require.LessOrEqual(t, s.Evals, 60)
		})
	}
}

func TestReduceValues(t *testing.T) {
	any32 := func(p func(v float32) bool) func(*corpus.Case) bool {
		return func(c *corpus.Case) bool { return slices.ContainsFunc(c.X.F32, p) }
	}
	inf, nan := float32(math.Inf(1)), math.Float32frombits(0xffa12345)
	for _, tt := range []struct {
		name  string
		fails func(*corpus.Case) bool
		x     float32
		want  []string
	}{
		{"anything", any32(func(v float32) bool { return v != 0 }), -123.456, []string{"0:1"}},
		{"negative", any32(func(v float32) bool { return v < 0 }), -123.456, []string{"0:-1"}},
		{"negative zero", any32(func(v float32) bool { return v == 0 && math.Signbit(float64(v)) }), float32(math.Copysign(0, -1)), []string{"0:-0"}},
		{"above 1", any32(func(v float32) bool { return v > 1 }), 1.37e20, []string{"0:2"}},
		{"above 1000", any32(func(v float32) bool { return v > 1000 }), 1.37e20, []string{"0:1024"}},
		{"an odd part above 1", any32(func(v float32) bool { return reduce.Width(model.Binary32, uint64(math.Float32bits(v))) > 1 }), -1.1e-20, []string{"0:3"}},
		{"more bits than bfloat16 has", any32(func(v float32) bool { return math.Float32bits(v)&0xffff != 0 }), -1.1e-20, []string{"0:1.0078125"}},
		{"subnormal", any32(func(v float32) bool { return v != 0 && math.Abs(float64(v)) < 0x1p-126 }), -0x1.234p-135, []string{"0:5.877472e-39"}},
		{"overflow", any32(func(v float32) bool { return math.IsInf(float64(v*4), 0) }), 0x1.23458p127, []string{"0:8.507059e+37"}},
		{"infinite", any32(func(v float32) bool { return v-v != 0 }), -inf, []string{"0:+Inf"}},
		{"large or infinite", any32(func(v float32) bool { return math.Abs(float64(v)) > 1e30 }), -inf, []string{"0:1.2676506e+30"}},
		{"not finite", any32(func(v float32) bool { return v-v != 0 }), nan, []string{"0:+Inf"}},
		{"NaN", any32(func(v float32) bool { return v != v }), nan, []string{"0:NaN"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := float32Case(0, 0, 0, 0, 0, tt.x, 0, 0, 0)
			got, s := Reduce(c, tt.fails, ReduceOptions{})
			if tt.name == "more bits than bfloat16 has" {
				tt.want = leavesOf(float32Case(1 + 0x1p-8))
			}
			require.Equal(t, tt.want, leavesOf(got))
			require.Equal(t, 1, got.N())
			require.LessOrEqual(t, s.Evals, 50)
			if tt.name == "NaN" {
				require.Equal(t, model.Binary32.NaNBits(), got.X.At(0))
			}
		})
	}
}

func TestReduceAbsorbedLeaf(t *testing.T) {
	exact := func(c *corpus.Case) bool { // float32 from the left differs from the exact sum
		var s float32
		want := new(big.Rat)
		for _, v := range c.X.F32 {
			s += v
			want.Add(want, new(big.Rat).SetFloat64(float64(v)))
		}
		return new(big.Rat).SetFloat64(float64(s)).Cmp(want) != 0
	}
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 3))
		x := make([]float32, 500)
		for i := range x {
			x[i] = float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(60)))
		}
		got, s := Reduce(float32Case(x...), exact, ReduceOptions{})
		require.True(t, exact(got))
		require.Equal(t, 2, got.N())
		require.LessOrEqual(t, s.Evals, 150)
		for _, v := range got.X.F32 {
			require.Positive(t, v)
			require.LessOrEqual(t, reduce.Width(model.Binary32, uint64(math.Float32bits(v))), 24)
		}
		one := slices.Contains(got.X.F32, 1)
		require.True(t, one, "one of %v is 1", got.X.F32)
	}
}

func TestReduceEveryFormat(t *testing.T) {
	formats := model.Formats()
	for p := 2; p <= 12; p++ {
		formats = append(formats, model.Toy(p))
	}
	for _, f := range formats {
		t.Run(f.Name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(4, uint64(f.P)))
			draw := func() *corpus.Case {
				c := &corpus.Case{X: corpus.NewValues(f, 40)}
				for i := range 40 {
					c.X.Set(i, rng.Uint64()&(2*f.SignBit()-1)|1)
				}
				return c
			}
			at5 := func(p func(b uint64) bool) func(*corpus.Case) bool {
				return func(c *corpus.Case) bool { return c.N() > 5 && p(c.X.At(5)) }
			}
			got, _ := Reduce(draw(), at5(func(b uint64) bool { return b != 0 }), ReduceOptions{})
			require.Equal(t, 6, got.N())
			require.Equal(t, []string{fmt.Sprintf("5:%s", valueText(f, reduce.One(f)))}, leavesOf(got))

			c := draw()
			c.X.Set(5, f.MaxBits())
			got, _ = Reduce(c, at5(func(b uint64) bool { return b == f.MaxBits() }), ReduceOptions{})
			require.Equal(t, f.MaxBits(), got.X.At(5))

			c.X.Set(5, f.NaNBits()|f.SignBit())
			got, _ = Reduce(c, at5(f.IsNaN), ReduceOptions{})
			require.Equal(t, f.NaNBits(), got.X.At(5))

			c.X.Set(5, 1|f.SignBit()) // the least subnormal, below 0
			got, _ = Reduce(c, at5(func(b uint64) bool { return f.Class(b) == model.ClassSubnormal }), ReduceOptions{})
			require.Equal(t, f.MinNormalBits()>>1, got.X.At(5), "the largest power of two among subnormals")
			require.Equal(t, 1, nonzero(got))
		})
	}
}

func valueText(f model.Format, b uint64) string {
	if f == model.Binary32 {
		return fmt.Sprint(math.Float32frombits(uint32(b)))
	}
	return fmt.Sprintf("%#x", b)
}

func TestReduceValuesTogether(t *testing.T) {
	two := func(p func(a, b float32) bool) func(*corpus.Case) bool {
		return func(c *corpus.Case) bool { return c.N() == 2 && p(c.X.F32[0], c.X.F32[1]) }
	}
	// A ratio that counts: both values move together, and become integers.
	got, _ := Reduce(float32Case(0x1.8p50, 0x1.8p40), two(func(a, b float32) bool { return a == b*1024 && b > 0 }), ReduceOptions{})
	require.Equal(t, []string{"0:1024", "1:1"}, leavesOf(got))
	got, _ = Reduce(float32Case(0x1.8p50, 0x1.8p40), two(func(a, b float32) bool {
		return a == b*1024 && math.Float32bits(b)<<9 != 0
	}), ReduceOptions{})
	require.Equal(t, []string{"0:3072", "1:3"}, leavesOf(got))
	// Two values of which either will do: the simpler one, twice.
	in := func(v float32) bool { return v == 5 || v == 17 }
	got, _ = Reduce(float32Case(17, 5), two(func(a, b float32) bool { return in(a) && in(b) }), ReduceOptions{})
	require.Equal(t, []string{"0:5", "1:5"}, leavesOf(got))
}

func TestReduceNeighbours(t *testing.T) {
	c := fixedCase(rand.New(rand.NewPCG(16, 16)), 100)
	got, s := Reduce(c, func(c *corpus.Case) bool {
		return c.N() > 52 && !slices.Contains(c.X.F32[50:53], 0)
	}, ReduceOptions{})
	require.Equal(t, []string{"50:1", "51:1", "52:1"}, leavesOf(got))
	require.LessOrEqual(t, s.Evals, 70)
}

func TestDraftWithout(t *testing.T) {
	c := float32Case(1, 2, 3, 4)
	for _, tt := range []struct {
		tree, want string
		drop       []bool
	}{
		{"((3 1) (0 2))", "(2 (0 1))", []bool{false, true, false, false}},
		{"((3 1) (0 2))", "(1 (0 2))", []bool{false, false, false, true}},
		{"((3 1) (0 2))", "left/2", []bool{false, true, false, true}},
	} {
		c.Tree = tt.tree
		d := newDraft(c)
		tree, ok := d.writtenOut()
		require.True(t, ok)
		out := d.without(tree, tt.drop)
		got, err := sumtree.Parse(out.meta.Tree)
		require.NoError(t, err)
		want, err := sumtree.Parse(tt.want)
		require.NoError(t, err)
		require.Equal(t, want.Explicit(), got.Explicit(), "%s without %v", tt.tree, tt.drop)
		require.Equal(t, want.LeafCount(), out.n)
	}
}

func TestReduceDot(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	draw := func(n int) *corpus.Case {
		return &corpus.Case{X: fixedCase(rng, n).X, Y: fixedCase(rng, n).X}
	}
	c := draw(500)
	got, s := Reduce(c, func(c *corpus.Case) bool {
		for i := range c.N() {
			if i%2 == 1 && c.X.F32[i]*c.Y.F32[i] != 0 {
				return true
			}
		}
		return false
	}, ReduceOptions{})
	require.Equal(t, 2, got.N())
	require.Equal(t, 2, got.Y.Len())
	require.Equal(t, []string{"1:1*1"}, leavesOf(got))
	require.LessOrEqual(t, s.Evals, 50)

	// A factor that does not matter becomes +0.
	got, _ = Reduce(c, func(c *corpus.Case) bool {
		return slices.ContainsFunc(c.Y.F32, func(v float32) bool { return v < 0 })
	}, ReduceOptions{})
	require.Equal(t, []string{"0:0*-1"}, leavesOf(got))

	// 0·Inf needs both of its factors, the zero included.
	c.X.F32[77], c.Y.F32[77] = 0, float32(math.Inf(-1))
	got, _ = Reduce(c, func(c *corpus.Case) bool {
		for i := range c.N() {
			if p := c.X.F32[i] * c.Y.F32[i]; p != p {
				return true
			}
		}
		return false
	}, ReduceOptions{})
	require.Equal(t, []string{"0:0*+Inf"}, leavesOf(got))

	// Length alone: the factors go away together.
	got, _ = Reduce(c, func(c *corpus.Case) bool { return c.X.Len() == c.Y.Len() }, ReduceOptions{})
	require.Zero(t, got.N())
	require.Equal(t, model.Binary32, got.Y.Format)

	// Factors that do not pair up are not touched.
	c.Y = c.Y.Slice(0, 3)
	c.Seed = 9
	got, s = Reduce(c, func(*corpus.Case) bool { return true }, ReduceOptions{})
	require.True(t, got.X.Equal(c.X))
	require.True(t, got.Y.Equal(c.Y))
	require.Zero(t, got.Seed)
	require.True(t, s.Reproduced)
}

// planted returns a case of random leaves and a predicate that needs k of them: not to be 0, or to
// keep exactly their values.
func planted(seed uint64, n, k int, exact bool) (*corpus.Case, func(*corpus.Case) bool, []int) {
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	c := fixedCase(rng, n)
	at := rng.Perm(n)[:k]
	slices.Sort(at)
	want := c.X.Clone().F32
	return c, func(c *corpus.Case) bool {
		x := c.X.F32
		for _, i := range at {
			if i >= len(x) || x[i] == 0 || exact && x[i] != want[i] {
				return false
			}
		}
		// A sum that loses a leaf where all of them are there.
		return wrongSum(x, func(i int) bool { return i == at[k/2] })
	}, at
}

func TestReducePlantedLeaves(t *testing.T) {
	for _, tt := range []struct{ k, limit int }{{1, 50}, {5, 300}} {
		for _, exact := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d exact=%t", tt.k, exact), func(t *testing.T) {
				most := 0
				seeds := uint64(6)
				if os.Getenv("GAMMA_LEVEL") == "thorough" {
					seeds = 200
				}
				for seed := range seeds {
					c, fails, at := planted(seed, 65536, tt.k, exact)
					want := c.X.Clone().F32
					got, s := Reduce(c, fails, ReduceOptions{})
					require.LessOrEqual(t, s.Evals, tt.limit)
					most = max(most, s.Evals)
					require.Equal(t, at[tt.k-1]+1, got.N())
					require.Equal(t, tt.k, nonzero(got))
					for _, i := range at {
						if exact {
							require.Equal(t, want[i], got.X.F32[i])
						} else {
							require.Equal(t, float32(1), got.X.F32[i])
						}
					}
				}
				t.Logf("at most %d evaluations", most)
			})
		}
	}
}

func TestReduceManyNeededLeaves(t *testing.T) {
	c := fixedCase(rand.New(rand.NewPCG(6, 6)), 2000)
	got, s := Reduce(c, func(c *corpus.Case) bool { return nonzero(c) >= 500 }, ReduceOptions{MaxEvals: 4000})
	require.Equal(t, 500, got.N())
	require.Equal(t, 500, nonzero(got))
	require.LessOrEqual(t, s.Evals, 1200)
	require.Equal(t, float32(1), got.X.F32[499])
}

// negativeZeros returns n leaves of -0.
func negativeZeros(n int) *corpus.Case {
	c := &corpus.Case{X: corpus.NewValues(model.Binary32, n)}
	for i := range n {
		c.X.Set(i, model.Binary32.SignBit())
	}
	return c
}

// allNegativeZero reports whether a case has leaves and all are -0.
func allNegativeZero(c *corpus.Case) bool {
	return c.N() > 0 && !slices.ContainsFunc(c.X.F32, func(v float32) bool { return math.Float32bits(v) != 1<<31 })
}

func TestReduceDenseCases(t *testing.T) {
	for _, tt := range []struct {
		name  string
		n     int
		fails func(c *corpus.Case) bool
		want  int
		evals int
	}{
		{"multiples of 4", 4096, func(c *corpus.Case) bool { return c.N()%4 == 0 }, 4, 90},
		{"multiples of 4, few", 40, func(c *corpus.Case) bool { return c.N()%4 == 0 }, 4, 90},
		{"one more than a multiple of 4, above 4", 4097, func(c *corpus.Case) bool { return c.N()%4 == 1 && c.N() > 4 }, 5, 90},
		{"3 modulo 8", 1003, func(c *corpus.Case) bool { return c.N()%8 == 3 }, 3, 90},
		{"27 modulo 64", 64*63 + 27, func(c *corpus.Case) bool { return c.N()%64 == 27 }, 27, 125},
		{"multiples of 12", 6000, func(c *corpus.Case) bool { return c.N()%12 == 0 }, 12, 100},
		{"more than a block", 5000, func(c *corpus.Case) bool { return c.N() > 256 }, 257, 1200},
		{"from 23", 65536, func(c *corpus.Case) bool { return c.N() >= 23 }, 23, 200},
		{"this length only", 1000, func(c *corpus.Case) bool { return c.N() == 1000 }, 1000, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, s := Reduce(negativeZeros(tt.n), func(c *corpus.Case) bool { return allNegativeZero(c) && tt.fails(c) }, ReduceOptions{})
			require.Equal(t, tt.want, got.N())
			require.True(t, allNegativeZero(got))
			require.False(t, s.Exhausted)
			require.LessOrEqual(t, s.Evals, tt.evals)
		})
	}
}

// Neither the first nor the last leaves fail by themselves.
func TestReduceDenseCaseWithBothEnds(t *testing.T) {
	for _, n := range []int{64, 1000, 4096} {
		c := negativeZeros(n)
		c.X.Set(0, model.Binary32.NaNBits())
		c.X.Set(n-1, model.Binary32.NaNBits())
		got, s := Reduce(c, func(c *corpus.Case) bool {
			x := c.X.F32
			return len(x) > 2 && len(x)%4 == 0 && x[0] != x[0] && x[len(x)-1] != x[len(x)-1] &&
				allNegativeZero(&corpus.Case{X: c.X.Slice(1, len(x)-1)})
		}, ReduceOptions{})
		require.Equal(t, 4, got.N(), "from %d", n)
		require.LessOrEqual(t, s.Evals, 250)
	}
}

// A chain of additions loses u at each step, and is held to a height for which all of them count.
func TestReduceHeight(t *testing.T) {
	chain := func(lanes int) func(x []float32) float32 {
		return func(x []float32) float32 {
			part := make([]float32, lanes)
			for i, v := range x {
				part[i%lanes] += v
			}
			for w := 1; w < lanes; w *= 2 {
				for i := 0; i+w < lanes; i += 2 * w {
					part[i] += part[i+w]
				}
			}
			return part[0]
		}
	}
	pairwise := func(n int, mass float64) float64 { return math.Ceil(math.Log2(float64(max(n, 1)))) * mass }
	for _, tt := range []struct {
		name  string
		sum   func(x []float32) float32
		limit func(n int, mass float64) float64 // of the error in units of u
		want  int
	}{
		{"left, height of pairwise", chain(1), pairwise, 4},
		{"left, every leaf counts", chain(1), func(n int, _ float64) float64 { return float64(max(n, 4)) - 1.5 }, 4},
		{"lanes/4, height of pairwise", chain(4), pairwise, 21},
		{"lanes/4, every leaf of a lane counts", chain(4), func(n int, _ float64) float64 { return math.Ceil(float64(max(n, 8))/4) - 1.5 }, 5},
	} {
		for _, n := range []int{100, 1024, 4096, 8192, 65536} {
			t.Run(fmt.Sprintf("%s/%d", tt.name, n), func(t *testing.T) {
				x := make([]float32, n)
				for i := range x {
					x[i] = 0x1p-24
				}
				x[0] = 1
				fails := func(c *corpus.Case) bool {
					var want, mass float64
					for _, v := range c.X.F32 {
						want, mass = want+float64(v), mass+math.Abs(float64(v)) // exact for these leaves
					}
					return math.Abs(float64(tt.sum(c.X.F32))-want) > tt.limit(c.N(), mass)*0x1p-24
				}
				got, s := Reduce(float32Case(x...), fails, ReduceOptions{})
				require.True(t, s.Reproduced)
				require.True(t, fails(got))
				require.LessOrEqual(t, got.N(), tt.want)
				require.LessOrEqual(t, s.Evals, 400)
			})
		}
	}
}

func TestReduceDenseCasesThatHaveMore(t *testing.T) {
	// Rows: one of them, or three, of a few columns.
	c := negativeZeros(60 * 80)
	c.Rows = 60
	for _, rows := range []int{1, 3} {
		got, s := Reduce(c, func(c *corpus.Case) bool {
			have := max(c.Rows, 1)
			return allNegativeZero(c) && c.N()%have == 0 && have >= rows && c.N()/have%4 == 0
		}, ReduceOptions{})
		require.Equal(t, rows, max(got.Rows, 1))
		require.Equal(t, 4*rows, got.N())
		require.LessOrEqual(t, s.Evals, 150)
	}
	// The tree follows, whether it is named or written out.
	c = negativeZeros(512)
	for _, tree := range []string{"pairwise/8/512", "dot:lanes/4/512", sumtree.RandomSplits(3).Tree(512).Explicit()} {
		c.Tree = tree
		got, s := Reduce(c, func(c *corpus.Case) bool {
			_, text, named := shapeOfTree(c.Tree)
			if tree, err := sumtree.Parse(c.Tree); err == nil {
				named = named || tree.LeafCount() == c.N()
			}
			return named && allNegativeZero(c) && c.N()%4 == 0 && text != "left"
		}, ReduceOptions{})
		require.Equal(t, 4, got.N(), tree)
		require.LessOrEqual(t, s.Evals, 110)
	}
	// A dot product.
	c = negativeZeros(4096)
	c.Y = negativeZeros(4096).X
	got, _ := Reduce(c, func(c *corpus.Case) bool { return allNegativeZero(c) && c.Y.Equal(c.X) && c.N()%4 == 0 }, ReduceOptions{})
	require.Equal(t, 4, got.N())
	require.Equal(t, 4, got.Y.Len())
	// Leaves that all must stay: nothing can be done, and soon nothing is tried.
	c = negativeZeros(4096)
	got, s := Reduce(c, func(c *corpus.Case) bool { return allNegativeZero(c) && c.N() == 4096 }, ReduceOptions{})
	require.Equal(t, 4096, got.N())
	require.False(t, s.Exhausted)
	require.LessOrEqual(t, s.Evals, 1000)
}

func TestReduceGivesUpOnValues(t *testing.T) {
	for _, n := range []int{50, 200, 2000} {
		c := fixedCase(rand.New(rand.NewPCG(17, 17)), n)
		want := c.X.Clone()
		got, s := Reduce(c, func(c *corpus.Case) bool { return c.X.Equal(want) }, ReduceOptions{})
		require.True(t, got.X.Equal(want))
		require.False(t, s.Exhausted)
		require.LessOrEqual(t, s.Evals, 1200)
		t.Logf("%d leaves: %d evaluations", n, s.Evals)
	}
}

func TestReduceDenseCaseWithinItsBounds(t *testing.T) {
	fails := func(c *corpus.Case) bool { return allNegativeZero(c) && c.N()%4 == 0 && c.N() > 500 }
	for limit := 1; limit < 200; limit += 11 {
		o := observe(fails)
		got, s := Reduce(negativeZeros(4096), o.predicate, ReduceOptions{MaxEvals: limit})
		require.LessOrEqual(t, o.evals, limit)
		require.Equal(t, o.evals, s.Evals)
		require.True(t, o.failed[hashOf(got)])
	}
	// The deadline passes while parts are tried: no evaluation of one starts after it.
	deadline := time.Now().Add(300 * time.Millisecond)
	parts := 0
	got, s := Reduce(negativeZeros(4096), func(c *corpus.Case) bool {
		if c.N() < 4096 {
			parts++
			time.Sleep(20 * time.Millisecond)
		}
		return fails(c)
	}, ReduceOptions{Deadline: deadline})
	require.True(t, s.Exhausted)
	require.Equal(t, 4096, got.N())
	require.Positive(t, parts)
	require.LessOrEqual(t, parts, 15)
}

// observed wraps a predicate: it counts, notes what it saw, and spoils what it was given.
type observed struct {
	fails  func(*corpus.Case) bool
	evals  int
	seen   map[[sha256.Size]byte]int
	failed map[[sha256.Size]byte]bool
}

func observe(fails func(*corpus.Case) bool) *observed {
	return &observed{fails: fails, seen: map[[sha256.Size]byte]int{}, failed: map[[sha256.Size]byte]bool{}}
}

func hashOf(c *corpus.Case) [sha256.Size]byte {
	return sha256.Sum256(drafts{}.Record(nil, newDraft(c)))
}

func (o *observed) predicate(c *corpus.Case) bool {
	o.evals++
	h := hashOf(c)
	o.seen[h]++
	failed := o.fails(c)
	if failed {
		o.failed[h] = true
	}
	for i := range c.N() {
		c.X.Set(i, 0x55)
	}
	c.Tree, c.Seed = "spoiled", 99
	return failed
}

// noise is a predicate without any order: it fails for some fraction of all cases, and for first.
func noise(first *corpus.Case, fraction float64) func(*corpus.Case) bool {
	h0 := hashOf(first)
	return func(c *corpus.Case) bool {
		h := hashOf(c)
		return h == h0 || float64(h[0])+float64(h[1])/256 < 256*fraction
	}
}

func TestReduceKeepsItsPromises(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		c := fixedCase(rng, 1+rng.IntN(60))
		if seed%3 == 0 {
			c.Y = fixedCase(rng, c.N()).X
		}
		if seed%4 == 0 {
			c.Tree = fmt.Sprintf("pairwise/8/%d", c.N())
		}
		c.Seed, c.Comments = seed, []string{"one", "two"}
		c.Behaviour.Seed = seed % 2
		before := *c
		before.X, before.Y, before.Comments = c.X.Clone(), c.Y.Clone(), slices.Clone(c.Comments)

		o := observe(noise(c, []float64{0.02, 0.1, 0.4}[seed%3]))
		got, s := Reduce(c, o.predicate, ReduceOptions{MaxEvals: 50000})

		require.True(t, before.X.Equal(c.X) && before.Y.Equal(c.Y), "the case given is as it was")
		require.Equal(t, before.Comments, c.Comments)
		require.Equal(t, before.Tree, c.Tree)
		require.Equal(t, before.Seed, c.Seed)

		require.True(t, o.failed[hashOf(got)], "the result has failed when it was evaluated")
		require.Equal(t, o.evals, s.Evals)
		for h, times := range o.seen {
			if h == hashOf(got) {
				require.LessOrEqual(t, times, 2)
			} else {
				require.Equal(t, 1, times, "nothing but the result is evaluated twice")
			}
		}
		require.LessOrEqual(t, got.N(), c.N())
		require.LessOrEqual(t, nonzero(got), nonzero(c))
		if c.Tree != "" {
			require.Contains(t, []string{
				fmt.Sprintf("pairwise/8/%d", got.N()), fmt.Sprintf("left/%d", got.N()), fmt.Sprintf("pairwise/%d", got.N()),
				fmt.Sprintf("pairwise/1/%d", got.N()), fmt.Sprintf("pairwise/2/%d", got.N()), fmt.Sprintf("pairwise/4/%d", got.N()),
			}, got.Tree)
		}

		// No single leaf can go.
		d := newDraft(got)
		require.False(t, s.Exhausted, "seed %d: %+v %d", seed, s, got.N())
		for i := range d.leaves {
			z := d
			z.leaves = slices.Delete(slices.Clone(d.leaves), i, i+1)
			require.False(t, o.fails(z.build()), "leaf %d of the result is needed", d.leaves[i].at)
		}

		again, s2 := Reduce(c, noise(c, []float64{0.02, 0.1, 0.4}[seed%3]), ReduceOptions{MaxEvals: 50000})
		require.Equal(t, got, again, "the same result every time")
		require.Equal(t, s, s2)
	}
}

func TestReduceBudget(t *testing.T) {
	for limit := 1; limit < 80; limit++ {
		c, fails, _ := planted(3, 3000, 5, true)
		o := observe(fails)
		got, s := Reduce(c, o.predicate, ReduceOptions{MaxEvals: limit})
		require.LessOrEqual(t, o.evals, limit)
		require.Equal(t, o.evals, s.Evals)
		require.True(t, s.Exhausted)
		require.True(t, o.failed[hashOf(got)])
	}

	c, fails, _ := planted(3, 3000, 5, false)
	o := observe(fails)
	got, s := Reduce(c, o.predicate, ReduceOptions{Deadline: time.Now().Add(-time.Second)})
	require.True(t, s.Exhausted)
	require.False(t, s.Reproduced)
	require.Zero(t, o.evals)
	require.True(t, got.X.Equal(c.X))

	slow := observe(func(c *corpus.Case) bool { time.Sleep(20 * time.Millisecond); return fails(c) })
	start := time.Now()
	_, s = Reduce(c, slow.predicate, ReduceOptions{Deadline: start.Add(200 * time.Millisecond)})
	require.True(t, s.Exhausted)
	require.LessOrEqual(t, s.Evals, 11)
}

func TestReduceNotReproduced(t *testing.T) {
	c := fixedCase(rand.New(rand.NewPCG(8, 8)), 10)
	got, s := Reduce(c, func(*corpus.Case) bool { return false }, ReduceOptions{})
	require.Equal(t, ReduceStats{Evals: 1}, s)
	require.True(t, got.X.Equal(c.X))
}

func TestReduceFlaky(t *testing.T) {
	c, fails, _ := planted(1, 500, 2, false)
	// Fails as it should, except that the last of all evaluations, the second of one case, passes.
	seen := map[[sha256.Size]byte]bool{}
	failed := map[[sha256.Size]byte]bool{}
	got, s := Reduce(c, func(c *corpus.Case) bool {
		h := hashOf(c)
		if !fails(c) || seen[h] && c.N() < 500 {
			return false
		}
		seen[h], failed[h] = true, true
		return true
	}, ReduceOptions{})
	require.True(t, s.Flaky)
	require.True(t, failed[hashOf(got)])
	require.Equal(t, 500, got.N(), "the smallest that fails twice")
	require.Less(t, nonzero(got), 500)

	// Nothing fails twice: the smallest that failed once.
	clear(seen)
	got, s = Reduce(c, func(c *corpus.Case) bool {
		h := hashOf(c)
		if !fails(c) || seen[h] {
			return false
		}
		seen[h] = true
		return true
	}, ReduceOptions{})
	require.True(t, s.Flaky)
	require.Equal(t, 2, nonzero(got))
	require.True(t, seen[hashOf(got)])
}

func TestReducePanic(t *testing.T) {
	c := fixedCase(rand.New(rand.NewPCG(9, 9)), 100)
	got, s := Reduce(c, func(c *corpus.Case) bool {
		if c.N() < 10 {
			panic(fmt.Sprintf("no %d leaves", c.N()))
		}
		return true
	}, ReduceOptions{})
	require.Equal(t, 10, got.N())
	require.Positive(t, s.Panics)
	require.Contains(t, s.Panic, "no ")
	require.False(t, s.Flaky)
}

// TestReduceLaunches: length and launch get smaller together, and no launch is tried that the device does not declare for the length.
func TestReduceLaunches(t *testing.T) {
	groupsOf4 := func(n int) []model.Launch { return []model.Launch{model.Launch1D(max(1, (n+3)/4), 4)} }
	for _, tt := range []struct {
		name   string
		device engine.DeviceClaim
		launch model.Launch // of 100 leaves
		fails  func(c *corpus.Case) bool
		n      int
		want   model.Launch
	}{
		{
			"one launch a length",
			engine.DeviceClaim{Launches: groupsOf4},
			model.Launch1D(25, 4),
			func(c *corpus.Case) bool { return c.Launch.Groups.X >= 2 }, 5, model.Launch1D(2, 4),
		},
		{"a launch that is declared", engine.DeviceClaim{Launches: func(int) []model.Launch {
			return []model.Launch{model.Launch1D(1, 256), model.Launch1D(1, 8), model.Launch1D(1, 64)}
		}}, model.Launch1D(1, 256), func(c *corpus.Case) bool { return c.Launch.Threads.X > 8 }, 0, model.Launch1D(1, 64)},
		{"like the one before", engine.DeviceClaim{Launches: func(n int) []model.Launch {
			return []model.Launch{model.Launch1D((n+31)/32, 32), model.Launch1D((n+7)/8, 8), model.Launch1D(1, 8)}
		}}, model.Launch1D(13, 8), func(c *corpus.Case) bool { return c.N() > 30 && c.Launch.Threads.X == 8 }, 31, model.Launch1D(1, 8)},
		{
			"what fits",
			engine.DeviceClaim{Launches: groupsOf4, Fits: func(n int, l model.Launch) error {
				if l.Groups.X*l.Threads.X < n {
					return errors.New("a thread for each leaf")
				}
				return nil
			}},
			model.Launch1D(25, 4),
			func(c *corpus.Case) bool { return c.N() > 8 }, 9, model.Launch1D(3, 4),
		},
		{"any", engine.DeviceClaim{}, model.Launch1D(25, 4), func(c *corpus.Case) bool { return c.Launch.Threads.X >= 2 }, 0, model.Launch1D(1, 2)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := fixedCase(rand.New(rand.NewPCG(10, 10)), 100)
			c.Launch = tt.launch
			got, s := Reduce(c, func(c *corpus.Case) bool {
				require.NoError(t, tt.device.Declares(c.N(), c.Launch))
				return tt.fails(c)
			}, ReduceOptions{Device: &tt.device})
			require.True(t, s.Reproduced)
			require.Equal(t, tt.n, got.N())
			require.Equal(t, tt.want, got.Launch)
		})
	}
}

func TestReduceLaunchAndTree(t *testing.T) {
	c := fixedCase(rand.New(rand.NewPCG(10, 10)), 100)
	c.Launch = model.Launch1D(4, 32)
	at70 := func(c *corpus.Case) bool { return c.N() > 70 && c.X.F32[70] != 0 }
	got, _ := Reduce(c, func(c *corpus.Case) bool { return !c.Launch.IsZero() && at70(c) }, ReduceOptions{})
	require.Equal(t, 71, got.N())
	require.Equal(t, []string{"70:1"}, leavesOf(got))
	require.Equal(t, model.Launch1D(1, 1), got.Launch)

	c.Tree = "random/splits/7@perm/3/100"
	got, _ = Reduce(c, func(c *corpus.Case) bool {
		_, shape, ok := shapeOfTree(c.Tree)
		return ok && shape != "left" && at70(c)
	}, ReduceOptions{})
	require.Equal(t, 71, got.N())
	require.Equal(t, "pairwise/71", got.Tree)
}

func TestReduceTree(t *testing.T) {
	c := fixedCase(rand.New(rand.NewPCG(11, 11)), 1024)
	for _, tt := range []struct {
		tree, want string
		fails      func(shape string, n int) bool
		n          int
	}{
		{"pairwise/8/1024", "pairwise/8/9", func(s string, n int) bool { return s == "pairwise/8" && n > 8 }, 9},
		{"pairwise/8/1024", "left/9", func(_ string, n int) bool { return n > 8 }, 9},
		{"lanes/32@perm/77/1024", "lanes/32/33", func(s string, n int) bool { return len(s) > 7 && s[:8] == "lanes/32" && n > 32 }, 33},
		{"fma:blocked/16/1024", "fma:left/5", func(_ string, n int) bool { return n > 4 }, 5},
		{"dot:blocked/16/1024", "dot:blocked/4/5", func(s string, n int) bool { return (s == "blocked/4" || s == "blocked/16") && n > 4 }, 5},
		{"random/shapes/12345/1024", "random/shapes/0/3", func(s string, n int) bool { return s[0] == 'r' && n > 2 }, 3},
	} {
		c.Tree = tt.tree
		got, s := Reduce(c, func(c *corpus.Case) bool {
			form, shape, ok := shapeOfTree(c.Tree)
			return ok && c.Tree == fmt.Sprintf("%s%s/%d", form, shape, c.N()) && tt.fails(shape, c.N())
		}, ReduceOptions{})
		require.Equal(t, tt.want, got.Tree)
		require.Equal(t, tt.n, got.N())
		require.LessOrEqual(t, s.Evals, 80)
	}
	// A tree that does not fit: the length stays.
	c.Tree = "(0 1)"
	got, _ := Reduce(c, func(c *corpus.Case) bool { return c.Tree == "(0 1)" && c.X.F32[1023] != 0 }, ReduceOptions{})
	require.Equal(t, []string{"1023:1"}, leavesOf(got))
	got, _ = Reduce(c, func(c *corpus.Case) bool { return true }, ReduceOptions{})
	require.Zero(t, got.N())
	require.Equal(t, "left/0", got.Tree)
}

// sumOverTree follows a tree of additions in binary64.
func sumOverTree(t *sumtree.Tree, x []float32) float64 {
	nodes, _ := t.Plain()
	v := make([]float64, len(nodes))
	get := func(r sumtree.Ref) float64 {
		if r.IsLeaf() {
			return float64(x[r.Leaf()])
		}
		return v[r]
	}
	for i, nd := range nodes {
		v[i] = get(nd.L) + get(nd.R)
	}
	if len(x) == 0 {
		return 0
	}
	return get(t.Root())
}

func TestReduceTreeWrittenOut(t *testing.T) {
	tried := 0
	for seed := range uint64(10) {
		// Fails where the right operand of the root's right operand is not 0.
		faulty := func(c *corpus.Case) bool {
			tree, err := sumtree.Parse(c.Tree)
			if err != nil || tree.LeafCount() != c.N() {
				return false
			}
			nodes, ok := tree.Plain()
			if !ok || tree.Root().IsLeaf() {
				return false
			}
			right := nodes[tree.Root()].R
			if right.IsLeaf() {
				return false
			}
			var b sumtree.Builder
			refs := []sumtree.Ref{}
			for _, nd := range nodes[:right+1] {
				l, r := nd.L, nd.R
				if !l.IsLeaf() {
					l = refs[l]
				}
				if !r.IsLeaf() {
					r = refs[r]
				}
				refs = append(refs, b.Add(l, r))
			}
			part := nodes[right].R
			if !part.IsLeaf() {
				part = refs[part]
			}
			b.Leaves(c.N())
			sub, err := b.Build(part)
			return err == nil && sumOverTree(sub, c.X.F32) != 0
		}
		c := fixedCase(rand.New(rand.NewPCG(seed, 14)), 60)
		c.Tree = sumtree.RandomSplits(seed).Tree(60).Explicit()
		if !faulty(c) {
			continue // the root's right operand is a leaf
		}
		tried++
		got, s := Reduce(c, faulty, ReduceOptions{})
		require.True(t, faulty(got))
		require.Equal(t, "pairwise/3", got.Tree)
		require.Equal(t, []string{"2:1"}, leavesOf(got))
		require.Equal(t, 3, got.N())
		require.LessOrEqual(t, s.Evals, 80)
	}
	require.GreaterOrEqual(t, tried, 5)
	// All leaves go: the empty tree. Places that the tree lacks or doubles do no harm.
	c := fixedCase(rand.New(rand.NewPCG(1, 15)), 4)
	for _, tree := range []string{"((0 1) (3 2))", "((0 1) 1)#4", "(3 3)", "0#4"} {
		c.Tree = tree
		got, _ := Reduce(c, func(c *corpus.Case) bool {
			tr, err := sumtree.Parse(c.Tree)
			return err == nil && tr.LeafCount() == c.N()
		}, ReduceOptions{})
		require.Zero(t, got.N())
		require.Equal(t, "left/0", got.Tree)
	}
}

func TestReduceThePlainParts(t *testing.T) {
	c := fixedCase(rand.New(rand.NewPCG(12, 12)), 8)
	c.Behaviour = model.Behaviour{Contract: model.ContractFast, Order: "reverse", ULP: true, Seed: 1 << 40, SIMDWidth: 16}
	c.Launch = model.Launch{Groups: model.Size3{X: 64, Y: 2, Z: 1}, Threads: model.Size3{X: 256, Y: 1, Z: 1}}
	c.Seed, c.Want, c.Gen, c.Comments = 1234, "0x1p+4", "recipe", []string{"kept"}
	got, s := Reduce(c, func(c *corpus.Case) bool {
		return c.Behaviour.Order == "reverse" && c.Behaviour.Seed > 0 && c.Launch.Threads.X >= 64 && c.Seed > 1
	}, ReduceOptions{})
	require.Equal(t, model.Behaviour{Order: "reverse", Seed: 1}, got.Behaviour)
	require.Equal(t, model.Launch1D(1, 64), got.Launch)
	require.Equal(t, uint64(2), got.Seed)
	require.Empty(t, got.Want)
	require.Empty(t, got.Gen)
	require.Equal(t, []string{"kept"}, got.Comments)
	require.LessOrEqual(t, s.Evals, 60)

	// What any behaviour but the plain one shows is shown by another order, and by no arithmetic; what needs an arithmetic keeps that.
	c.Behaviour = model.Behaviour{Rounding: model.TowardZero, ULP: true}
	got, _ = Reduce(c, func(c *corpus.Case) bool { return !c.Behaviour.Plain() }, ReduceOptions{})
	require.Equal(t, model.Behaviour{Order: "reverse"}, got.Behaviour)
	got, _ = Reduce(c, func(c *corpus.Case) bool { return c.Behaviour.ULP }, ReduceOptions{})
	require.Equal(t, model.Behaviour{ULP: true}, got.Behaviour)

	// Where the wanted result is what is wrong, it stays, and all values with it.
	c.Rows = 0
	got, _ = Reduce(c, func(c *corpus.Case) bool { return c.Want != "" }, ReduceOptions{})
	require.Equal(t, c.Want, got.Want)
	require.Equal(t, c.Gen, got.Gen)
	require.True(t, got.X.Equal(c.X))
	require.True(t, got.Behaviour.Plain())
	require.True(t, got.Launch.IsZero())
}

func TestReduceRows(t *testing.T) {
	c := fixedCase(rand.New(rand.NewPCG(13, 13)), 7*30)
	c.Rows = 7
	fits := func(c *corpus.Case) bool { return c.N()%max(c.Rows, 1) == 0 }
	// A fault of every third column of any row.
	got, _ := Reduce(c, func(c *corpus.Case) bool {
		if !fits(c) {
			return false
		}
		cols := c.N() / max(c.Rows, 1)
		for i, v := range c.X.F32 {
			if i%cols%3 == 2 && v != 0 {
				return true
			}
		}
		return false
	}, ReduceOptions{})
	require.LessOrEqual(t, got.Rows, 1)
	require.Equal(t, 3, got.N())
	require.Equal(t, []string{"2:1"}, leavesOf(got))

	// A fault of the third row: three rows of three columns.
	got, _ = Reduce(c, func(c *corpus.Case) bool {
		rows := max(c.Rows, 1)
		return fits(c) && rows >= 3 && c.N()/rows >= 3 && c.X.F32[2*(c.N()/rows)+2] != 0
	}, ReduceOptions{})
	require.Equal(t, 3, got.Rows)
	require.Equal(t, 9, got.N())
	require.Equal(t, []string{"8:1"}, leavesOf(got))
}

func TestReduceProgress(t *testing.T) {
	c, fails, _ := planted(2, 1000, 1, false)
	last, calls := math.MaxInt, 0
	_, s := Reduce(c, fails, ReduceOptions{Progress: func(c *corpus.Case, s ReduceStats) {
		calls++
		require.True(t, fails(c))
		require.Equal(t, calls, s.Accepted)
		require.LessOrEqual(t, nonzero(c)+c.N(), last)
		last = nonzero(c) + c.N()
	}})
	require.Equal(t, calls, s.Accepted)
}

func TestReduceEmpty(t *testing.T) {
	for _, c := range []*corpus.Case{{}, float32Case(), float32Case(0), float32Case(5)} {
		got, s := Reduce(c, func(*corpus.Case) bool { return true }, ReduceOptions{})
		require.True(t, s.Reproduced)
		require.Zero(t, got.N())
		require.Equal(t, c.X.Format, got.X.Format)
	}
}
