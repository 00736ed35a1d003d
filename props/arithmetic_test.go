package props

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
)

// chain64 multiplies and adds with one rounding.
func chain64(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := float64(x[0] * y[0])
	for i := 1; i < len(x); i++ {
		s = math.FMA(x[i], y[i], s)
	}
	return s
}

// dot64 rounds every product.
func dot64(x, y []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	s := float64(x[0] * y[0])
	for i := 1; i < len(x); i++ {
		s += float64(x[i] * y[i])
	}
	return s
}

// chain32 is chain64 in binary32, by integer arithmetic.
func chain32(x, y []float32) float32 {
	a := round.Arith{F: model.Binary32}
	b := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	if len(x) == 0 {
		return 0
	}
	s := a.Mul(b(x[0]), b(y[0]))
	for i := 1; i < len(x); i++ {
		s = a.Fma(b(x[i]), b(y[i]), s)
	}
	return math.Float32frombits(uint32(s))
}

// wide32 adds in binary64.
func wide32(x []float32) float32 {
	var s float64
	for _, v := range x {
		s += float64(v)
	}
	return float32(s)
}

func doubles(n int, seed uint64) []float64 {
	x := make([]float64, n)
	s := draw.Splitmix(draw.Mix(seed))
	for i := range x {
		x[i] = math.Ldexp(float64(1<<52+s.Below(1<<52)), -52)
	}
	return x
}

// TestNoteArithmetic finds the arithmetic of kernels that keep to the claimed order, and says nothing
// of others.
func TestNoteArithmetic(t *testing.T) {
	left := model.Claim{Tree: "left"}
	chain := model.Claim{Tree: "left", Fusion: model.FusedChain}
	c32 := func(n int) func(uint64) corpus.Case {
		return func(s uint64) corpus.Case {
			return corpus.Case{X: corpus.Float32s(drawnVector(n, s)), Y: corpus.Float32s(drawnVector(n, s+1000))}
		}
	}
	c64 := func(s uint64) corpus.Case {
		return corpus.Case{X: corpus.Float64s(doubles(9, s)), Y: corpus.Float64s(doubles(9, s+1000))}
	}
	sums := func(n int) func(uint64) corpus.Case {
		return func(s uint64) corpus.Case { return f32s(drawnVector(n, s)...) }
	}
	for _, tc := range []struct {
		name string
		s    Subject
		draw func(seed uint64) corpus.Case
		want string
	}{
		{"fused", Dot{Name: "k", Run64: chain64, Claim: left}, c64, "the kernel's products are fused into the additions: write float64(x*y), or claim Fusion: model.FusedChain"},
		{"fused in binary32", Dot{Name: "k", Run: chain32, Claim: left}, c32(9), "fused into the additions: write float32(x*y), or"},
		{"squares", Dot{Name: "k", RunSquares: func(x []float32) float32 { return chain32(x, x) }, Claim: left}, sums(9), "fused into the additions"},
		{"rows", Dot{Name: "k", RunRows: func(dst, a, x []float32, n int) {
			for i := range dst {
				dst[i] = chain32(a[i*n:(i+1)*n], x)
			}
		}, Claim: left}, func(s uint64) corpus.Case {
			return corpus.Case{Rows: 2, X: corpus.Float32s(drawnVector(18, s)), Y: corpus.Float32s(drawnVector(9, s+1000))}
		}, "fused into the additions"},
		{"fused in another order", Dot{Name: "k", Run: func(x, y []float32) float32 {
			return chain32(append([]float32{x[0], x[2], x[1]}, x[3:]...), append([]float32{y[0], y[2], y[1]}, y[3:]...))
		}, Claim: left}, c32(9), "fused into the additions"},
		{"not fused", Dot{Name: "k", Run64: dot64, Claim: chain}, c64, "the kernel rounds each product before it adds it"},
		{"wide dot", Dot{Name: "k", Run: func(x, y []float32) float32 { return oracle.DotFloat32(x, y) }, Claim: left}, c32(9), "the accumulator is wider than claimed: the results are those of additions in binary64"},
		{"wide", Reduction{Name: "k", Run: wide32, Claim: left}, sums(9), "the accumulator is wider than claimed: the results are those of additions in binary64, rounded to binary32 once, at the end. Claim binary64 as Acc"},
		{"wide bfloat16", Reduction{Name: "k", RunBits: bits16(model.BFloat16, serial32), Claim: model.Claim{In: model.BFloat16, Tree: "left"}}, func(s uint64) corpus.Case {
			c := corpus.Case{X: corpus.NewValues(model.BFloat16, 30)}
			for i, v := range drawnVector(30, s) {
				c.X.Set(i, uint64(math.Float32bits(v)>>16))
			}
			return c
		}, "the accumulator is wider than claimed: the results are those of additions in binary32, rounded to bfloat16 once"},
		{"narrow", Reduction{Name: "k", Run: serial32, Claim: model.Claim{Tree: "left", Acc: model.Binary64}}, sums(9), "the accumulator is narrower than claimed: the results are those of additions in binary32, not in binary64"},
		{"order alone", Reduction{Name: "k", Run: secondFirst, Claim: left}, sums(3), ""},
		{"order of a dot alone", Dot{Name: "k", Run: func(x, y []float32) float32 {
			return dot32([]float32{x[0], x[2], x[1]}, []float32{y[0], y[2], y[1]})
		}, Claim: left}, c32(3), ""},
		{"neither", Reduction{Name: "k", Run: oneUlpUp, Claim: left}, sums(9), ""},
		{"breaks", Reduction{Name: "k", Run: func(x []float32) float32 {
			if x[0] != 1 {
				panic("one")
			}
			return wide32(x)
		}, Claim: left}, func(uint64) corpus.Case { return f32s(1, 0x1p-24, 0x1p-24) }, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sub, err := vectorSubject(tc.s)
			require.NoError(t, err)
			id := model.SumTree
			if sub.Op == OpDot {
				id = model.DotTree
			}
			l, err := judge.LawByID(judge.Laws(), id)
			require.NoError(t, err)
			trial := vectors.NewTrial(sub)
			var v Verdict
			var c corpus.Case
			for seed := uint64(1); v.Outcome != Violated; seed++ {
				require.Less(t, seed, uint64(100), "no vector fails")
				c = tc.draw(seed)
				v = trial.Judge(&l, &c)
			}
			f := Failure{Violation: engine.Violation{Verdict: v}, Law: l, Claim: sub.Claim, Case: &c, Original: &c}
			f.NoteSchedule(trial)
			require.Contains(t, f.Arithmetic, tc.want)
			_, text := f.Cause()
			if tc.want == "" {
				require.Empty(t, f.Arithmetic)
				return
			}
			require.Contains(t, text, "this case and 16 random vectors of its length give the kernel's bits")
			require.Contains(t, text, tc.want)
			require.Equal(t, tc.name == "fused in another order", strings.Contains(text, "its order is not"))
		})
	}
}

// TestFinerInPlaces: of a dot product whose products are rounded and whose sum is wide, as OpenBLAS's is in places, no claim of an accumulator is true; the report says what to do.
func TestFinerInPlaces(t *testing.T) {
	d := Dot{Name: "k", Run: func(x, y []float32) float32 {
		s := 0.0
		for i := range x {
			s += float64(x[i] * y[i])
		}
		return float32(s)
	}}
	sub, err := vectorSubject(d)
	require.NoError(t, err)
	l, err := judge.LawByID(judge.Laws(), model.DotMember)
	require.NoError(t, err)
	c := corpus.Case{X: corpus.Float32s([]float32{0x1p14, 0x1p-10, 0x1p-34}), Y: corpus.Float32s([]float32{1, 1, 1})}
	trial := vectors.NewTrial(sub)
	f := Failure{Violation: engine.Violation{Verdict: trial.Judge(&l, &c)}, Law: l, Claim: sub.Claim, Case: &c, Original: &c}
	require.Equal(t, Violated, f.Verdict.Outcome)
	f.NoteOracle(trial)
	_, text := f.Cause()
	require.Contains(t, text, "finer than it claims")
	require.Contains(t, text, "props.Kernel whose formula is this sum")
}
