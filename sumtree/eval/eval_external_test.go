package eval_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/round"
	"gamma/sumtree"
	"gamma/sumtree/eval"
)

var ieee32 = round.Arith{F: model.Binary32}

// values32 draws n binary32 numbers: one draw in three any bits, the others within a few binades,
// so that sums round.
func values32(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	wild := rng.IntN(3) == 0
	for i := range x {
		x[i] = float32(math.Ldexp(rng.Float64()-0.5, rng.IntN(9)-4))
		if wild {
			x[i] = math.Float32frombits(rng.Uint32())
		}
	}
	return x
}

// same reports whether two encodings are equal or both NaN.
func same(f model.Format, a, b uint64) bool { return a == b || f.IsNaN(a) && f.IsNaN(b) }

func TestNativeIsBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var s32 []float32
	var s64 []float64
	for range 3000 {
		n := 1 + rng.IntN(40)
		s := sumtree.RandomShape(rng, n)
		for _, tree := range []*sumtree.Tree{s.Tree(n), s.DotTree(n), s.FmaTree(n)} {
			x := values32(rng, tree.LeafCount())
			got, grown, err := eval.Float32(tree, x, s32)
			s32 = grown
			require.NoError(t, err)
			want, err := eval.Bits(tree, ieee32, eval.Bits32(x))
			require.NoError(t, err)
			if b := uint64(math.Float32bits(got)); !same(model.Binary32, b, want) {
				t.Fatalf("%s of %x: %#x natively, %#x by bits", tree, x, b, want)
			}
			y := make([]float64, len(x))
			for i := range y {
				y[i] = float64(x[i]) * (1 + rng.Float64())
			}
			got64, grown64, err := eval.Float64(tree, y, s64)
			s64 = grown64
			require.NoError(t, err)
			want, err = eval.Bits(tree, round.Arith{F: model.Binary64}, eval.Bits64(y))
			require.NoError(t, err)
			if b := math.Float64bits(got64); !same(model.Binary64, b, want) {
				t.Fatalf("%s of %x: %#x natively, %#x by bits", tree, y, b, want)
			}
		}
	}
}

// TestFma32 takes sums of a product and a number near one of its half-way points, where rounding
// twice goes wrong, and any bits.
func TestFma32(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	tree, err := sumtree.Parse("fma(0 1 2)")
	require.NoError(t, err)
	// Products near half an ulp of the addend, too near to see in binary64.
	var near [][3]float32
	for a := -2; a <= 2; a++ {
		for b := -2; b <= 2; b++ {
			for k := range 4 {
				for sign := range 4 {
					x, y := math.Ldexp(float64(1<<23+a), -35), math.Ldexp(float64(1<<23+b), -35)
					z := math.Ldexp(float64(1<<23+k), -23)
					if sign&1 != 0 {
						x = -x
					}
					if sign&2 != 0 {
						z = -z
					}
					near = append(near, [3]float32{float32(x), float32(y), float32(z)})
				}
			}
		}
	}
	for i := range 300000 {
		x := make([]float32, 3)
		for j := range x {
			x[j] = math.Float32frombits(rng.Uint32())
			if i%2 == 0 {
				x[j] = float32(math.Ldexp(float64(1+rng.IntN(8)), rng.IntN(60)-30)) + float32(math.Ldexp(float64(rng.IntN(3)-1), -rng.IntN(30)))
			}
		}
		if i < len(near) {
			copy(x, near[i][:])
		}
		got, _, err := eval.Float32(tree, x, nil)
		require.NoError(t, err)
		want := ieee32.Fma(uint64(math.Float32bits(x[0])), uint64(math.Float32bits(x[1])), uint64(math.Float32bits(x[2])))
		if !same(model.Binary32, uint64(math.Float32bits(got)), want) {
			t.Fatalf("fma(%x): %x, not %#x", x, got, want)
		}
	}
}

func TestEmptyAndSingle(t *testing.T) {
	got, _, err := eval.Float32(sumtree.Left().Tree(0), nil, nil)
	require.NoError(t, err)
	require.Zero(t, math.Float32bits(got))
	got, _, err = eval.Float32(sumtree.Lanes(4).Tree(1), []float32{float32(math.Copysign(0, -1))}, nil)
	require.NoError(t, err)
	require.Equal(t, uint32(1<<31), math.Float32bits(got))
	for _, tree := range []*sumtree.Tree{sumtree.Left().Tree(0), sumtree.Left().DotTree(0)} {
		b, err := eval.Bits(tree, ieee32, nil)
		require.NoError(t, err)
		require.Zero(t, b)
		s, err := eval.ExactSum(tree, model.Binary32, nil)
		require.NoError(t, err)
		require.Zero(t, s.Sign())
		e, err := eval.RecursiveBudget(tree, ieee32, nil)
		require.NoError(t, err)
		require.Zero(t, e.Sign())
	}
	require.Panics(t, func() { _, _, _ = eval.Float32(sumtree.Left().Tree(2), []float32{1}, nil) })
}

// TestMillionDeep: nothing recurses over the height of a tree.
func TestMillionDeep(t *testing.T) {
	const n = 1_000_000
	x := make([]float32, n)
	for i := range x {
		x[i] = 1
	}
	for _, s := range []sumtree.Shape{sumtree.Left(), sumtree.Right()} {
		tree := s.Tree(n)
		got, _, err := eval.Float32(tree, x, nil)
		require.NoError(t, err)
		require.Equal(t, float32(n), got)
		exact, err := eval.ExactSum(tree, model.Binary32, eval.Bits32(x))
		require.NoError(t, err)
		require.Zero(t, exact.Cmp(big.NewRat(n, 1)))
		finite, _, err := eval.FiniteEval(tree, ieee32, eval.Bits32(x))
		require.NoError(t, err)
		require.True(t, finite)
	}
	budget, err := eval.RecursiveBudget(sumtree.Left().Tree(n/10), ieee32, eval.Bits32(x[:n/10]))
	require.NoError(t, err)
	require.Positive(t, budget.Sign())
}

func TestEvalRound(t *testing.T) {
	tree := sumtree.Pairwise(1).Tree(5)
	got, err := eval.EvalRound(tree, func(a, b string) string { return "(" + a + b + ")" }, []string{"a", "b", "c", "d", "e"})
	require.NoError(t, err)
	require.Equal(t, "((ab)(c(de)))", got)
	_, err = eval.EvalRound(sumtree.Left().DotTree(2), func(a, b float64) float64 { return a + b }, make([]float64, 4))
	require.Error(t, err)
	dot, err := eval.EvalOps(sumtree.Left().FmaTree(3), eval.Ops[string]{
		Add: func(a, b string) string { return a + "+" + b },
		Mul: func(a, b string) string { return a + b },
		Fma: func(x, y, z string) string { return "<" + x + y + "+" + z + ">" },
	}, []string{"a", "b", "c", "x", "y", "z"})
	require.NoError(t, err)
	require.Equal(t, "<cz+<by+ax>>", dot)
}

// TestEvalRoundIsBits: evaluation over rationals with a format's rounding is what Bits does, on the
// finite branch.
// Source: [TorchLean] toReal_evalIEEE_eq_evalRealIEEE.
func TestEvalRoundIsBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 400 {
		f := []model.Format{model.Binary16, model.BFloat16, model.E4M3, model.Toy(3)}[rng.IntN(4)]
		a := round.Arith{F: f, R: model.Rounding(rng.IntN(5))}
		n := 1 + rng.IntN(12)
		tree := sumtree.RandomShape(rng, n).Tree(n)
		x, leaf := make([]uint64, n), make([]*big.Rat, n)
		for i := range x {
			x[i] = finite(rng, f)
			leaf[i] = f.Rat(x[i])
		}
		run, err := eval.Trace(tree, a, x)
		require.NoError(t, err)
		if ok, _ := run.Finite(); !ok || f.Name == "e4m3" && saturates(run) {
			continue
		}
		got, err := eval.EvalRound(tree, func(p, q *big.Rat) *big.Rat { return f.Rat(a.FromRat(new(big.Rat).Add(p, q))) }, leaf)
		require.NoError(t, err)
		require.Zero(t, got.Cmp(f.Rat(run.Result())))
	}
}

// saturates reports whether a value of a run is the largest number of its format.
func saturates(run *eval.Run) bool {
	for i, b := range run.Node {
		if f := run.Format(sumtree.Ref(i)); b&^f.SignBit() == f.MaxBits() {
			return true
		}
	}
	return false
}

// finite draws a finite encoding of f with an exponent in the middle of its range or at its end.
func finite(rng *rand.Rand, f model.Format) uint64 {
	for {
		b := rng.Uint64() & (f.SignBit()<<1 - 1)
		if rng.IntN(8) == 0 {
			b &= f.SignBit() | (f.MinNormalBits()<<1 - 1)
		}
		if f.IsFinite(b) {
			return b
		}
	}
}

func TestExactSum(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 500 {
		n := 1 + rng.IntN(20)
		s := sumtree.RandomShape(rng, n)
		f := model.Formats()[rng.IntN(len(model.Formats()))]
		x := make([]uint64, 2*n)
		for i := range x {
			x[i] = finite(rng, f)
		}
		sum, abs, dot, dotAbs := new(big.Rat), new(big.Rat), new(big.Rat), new(big.Rat)
		for i := range n {
			v := f.Rat(x[i])
			p := new(big.Rat).Mul(v, f.Rat(x[n+i]))
			sum.Add(sum, v)
			dot.Add(dot, p)
			abs.Add(abs, v.Abs(v))
			dotAbs.Add(dotAbs, p.Abs(p))
		}
		check := func(want *big.Rat, got *big.Rat, err error) {
			require.NoError(t, err)
			require.Zero(t, want.Cmp(got))
		}
		got, err := eval.ExactSum(s.Tree(n), f, x[:n])
		check(sum, got, err)
		got, err = eval.SumAbs(s.Tree(n), f, x[:n])
		check(abs, got, err)
		for _, tree := range []*sumtree.Tree{s.DotTree(n), s.FmaTree(n)} {
			got, err = eval.ExactSum(tree, f, x)
			check(dot, got, err)
			got, err = eval.SumAbs(tree, f, x)
			check(dotAbs, got, err)
		}
	}
	_, err := eval.ExactSum(sumtree.Left().Tree(2), model.Binary32, []uint64{0, 0x7f800000})
	require.ErrorContains(t, err, "leaf 1")
}

func TestFiniteEval(t *testing.T) {
	for _, c := range []struct {
		tree string
		x    []float32
		at   sumtree.Ref
		ok   bool
	}{
		{"(0 1 2)", []float32{1, 2, 3}, 0, true},
		{"(0 1 2)", []float32{3e38, 3e38, -3e38}, 0, false},
		{"(0 (1 2))", []float32{3e38, 3e38, -3e38}, 0, true},
		{"(0 1 2)", []float32{3e38, -3e38, float32(math.Inf(1))}, sumtree.LeafRef(2), false},
	} {
		tree, err := sumtree.Parse(c.tree)
		require.NoError(t, err)
		ok, at, err := eval.FiniteEval(tree, ieee32, eval.Bits32(c.x))
		require.NoError(t, err)
		require.Equal(t, c.ok, ok)
		require.Equal(t, c.at, at)
	}
}

func TestMixedFormats(t *testing.T) {
	// binary16 leaves, binary32 sum, binary16 result: 2048 + 1 + 1 = 2050 survives only in the wide sum.
	tree, err := sumtree.Parse("binary16((0 1 2))")
	require.NoError(t, err)
	require.Equal(t, model.Binary16, eval.ResultFormat(tree, model.Binary32))
	b, err := eval.Bits(tree, ieee32, eval.Bits32([]float32{2048, 1, 1}))
	require.NoError(t, err)
	require.Equal(t, big.NewRat(2050, 1), model.Binary16.Rat(b))
	tree, err = sumtree.Parse("(binary16((binary16((0 1)) 2)) 3)")
	require.NoError(t, err)
	b, err = eval.Bits(tree, ieee32, eval.Bits32([]float32{2048, 1, 1, 0.5}))
	require.NoError(t, err)
	require.Equal(t, big.NewRat(4097, 2), model.Binary32.Rat(b))
	_, err = eval.Bits(mustParse(t, "any(0 1)"), ieee32, eval.Bits32([]float32{1, 2}))
	require.Error(t, err)
	_, err = eval.Bits(mustParse(t, `opaque"tanh"(0)`), ieee32, eval.Bits32([]float32{1}))
	require.ErrorContains(t, err, "tanh")
}

func mustParse(t *testing.T, s string) *sumtree.Tree {
	tree, err := sumtree.Parse(s)
	require.NoError(t, err)
	return tree
}
