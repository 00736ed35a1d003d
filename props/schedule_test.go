package props

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/round"
	"gamma/oracle"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
	"gamma/sumtree"
)

func parsedTree(t *testing.T, s string) *sumtree.Tree {
	t.Helper()
	tree, err := sumtree.Parse(s)
	require.NoError(t, err)
	return tree
}

func TestCompareSchedules(t *testing.T) {
	for _, tc := range []struct{ claimed, revealed, matter, note, expected, observed string }{
		{
			claimed: "left/4", revealed: "((3 (1 0)) 2)#4", matter: "1111",
			note:     "the kernel adds (x[1] + x[0]) and x[3], where the claim adds (x[0] + x[1]) and x[2]",
			expected: "(x[0] + x[1]) + x[2] + x[3]",
			observed: "(x[1] + x[0]) + x[3] + x[2]  <-- differs",
		},
		{
			claimed: "left/4", revealed: "right/4", matter: "1101",
			note:     "the kernel adds x[1] and x[3], where the claim adds x[1] and x[0] (leaves that are +0 left out)",
			expected: "x[0] + x[1] + x[3]",
			observed: "x[1] + x[3] + x[0]  <-- differs",
		},
		{ // the leaves that matter hide the difference
			claimed: "left/4", revealed: "(0 2 1 3)", matter: "1001",
			note:     "the kernel adds x[0] and x[2], where the claim adds x[0] and x[1]",
			expected: "x[0] + x[1] + x[2] + x[3]",
			observed: "x[0] + x[2] + x[1] + x[3]  <-- differs",
		},
		{claimed: "left/4", revealed: "(3 (2 (1 0)))", matter: "1111", note: vectors.SameOrder},
		{
			claimed: "pairwise/64", revealed: "left/64", matter: strings.Repeat("1", 64),
			note: "the kernel adds (x[0] + x[1]) and x[2], where the claim adds (x[0] + x[1]) and (x[2] + x[3])",
			expected: `+
├─ +
│  ├─ +
│  │  ├─ +
│  │  │  ├─ +
│  │  │  │  ├─ x[0] + x[1]
│  │  │  │  └─ x[2] + x[3]
│  │  │  └─ x[4] + x[5] + x[6] + x[7]: 4 leaves
│  │  └─ x[8] + … + x[15]: 8 leaves
│  └─ x[16] + … + x[31]: 16 leaves
└─ x[32] + … + x[63]: 32 leaves`,
			observed: "(x[0] + x[1]) + x[2] + … + x[63]  <-- differs",
		},
		{
			claimed: "left/5", revealed: "any(0 1 2 3 4)", matter: "11111",
			note:     "the kernel adds x[0] and x[1] and 3 more, where the claim adds x[0] and x[1]",
			expected: "x[0] + … + x[4]",
			observed: "any  <-- differs\n├─ x[0]\n├─ x[1]\n├─ x[2]\n├─ x[3]\n└─ x[4]",
		},
	} {
		matter := make([]bool, len(tc.matter))
		for i := range matter {
			matter[i] = tc.matter[i] == '1'
		}
		var f Failure
		f.CompareSchedules(parsedTree(t, tc.claimed), parsedTree(t, tc.revealed), matter)
		require.Equal(t, tc.note, f.ScheduleNote)
		require.Equal(t, tc.expected, f.Expected)
		require.Equal(t, tc.observed, f.Observed)
	}
}

// TestCompareSchedulesOfRandomTrees checks what holds for every pair of trees: equal ones are drawn
// not at all, and of two that differ the observed one has one mark.
func TestCompareSchedulesOfRandomTrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	different := 0
	for range 300 {
		n := 2 + rng.IntN(200)
		a, b := sumtree.RandomShape(rng, n).Tree(n), sumtree.RandomShape(rng, n).Tree(n)
		matter := make([]bool, n)
		for i := range matter {
			matter[i] = rng.IntN(3) == 0
		}
		var f Failure
		f.CompareSchedules(a, b, matter)
		if a.Sorted().Equal(b.Sorted()) {
			require.Equal(t, vectors.SameOrder, f.ScheduleNote)
			require.Empty(t, f.Expected+f.Observed)
			continue
		}
		different++
		require.Equal(t, 1, strings.Count(f.Observed, vectors.DiffersMark), "%s, not %s:\n%s", b, a, f.Observed)
		require.NotContains(t, f.Expected, vectors.DiffersMark)
		var r report.Report
		r.Wrap("", "headline")
		f.WriteSchedule(&r)
		for l := range strings.SplitSeq(r.String(), "\n") {
			require.LessOrEqual(t, report.Columns(l), report.ReportWidth, l)
		}
		require.LessOrEqual(t, strings.Count(f.Expected, "\n"), 2*vectors.MaxScheduleLines+2)
		require.LessOrEqual(t, strings.Count(f.Observed, "\n"), 2*vectors.MaxScheduleLines+2)
	}
	require.Greater(t, different, 200)
}

// TestNoteSchedule reveals kernels of several kinds.
func TestNoteSchedule(t *testing.T) {
	x := corpus.Float32s(drawnVector(9, 1))
	ones := corpus.Float32s([]float32{1, 1, 1, 1, 1, 1, 1, 1, 1})
	left := model.Claim{Tree: "left"}
	for _, tc := range []struct {
		name string
		s    Subject
		c    corpus.Case
		note string
	}{
		{"sum", Reduction{Name: "k", Run: secondFirst, Claim: left}, corpus.Case{X: x}, "the kernel adds x[0] and x[2], where the claim adds x[0] and x[1]. Replayed, the observed"},
		{"same order", Reduction{Name: "k", Run: serial32, Claim: left}, corpus.Case{X: x}, vectors.SameOrder},
		{"dot", Dot{Name: "k", Run: func(x, y []float32) float32 {
			return dot32(append([]float32{x[0], x[2], x[1]}, x[3:]...), append([]float32{y[0], y[2], y[1]}, y[3:]...))
		}, Claim: left}, corpus.Case{X: x, Y: ones}, "the kernel adds x[0]·y[0] and x[2]·y[2], where the claim adds x[0]·y[0] and x[1]·y[1]"},
		{"rows", Reduction{Name: "k", RunRows: func(dst, x []float32, n int) {
			for i := range dst {
				dst[i] = secondFirst(x[i*n : (i+1)*n])
			}
		}, Claim: left}, corpus.Case{X: x, Rows: 3}, "the kernel adds x[0] and x[2], where"},
		{"panics", Reduction{Name: "k", Run: func(x []float32) float32 {
			if x[0] == 0x1p127 {
				panic("too large")
			}
			return serial32(x)
		}, Claim: left}, corpus.Case{X: x}, "what the kernel follows is not known: the kernel panicked: too large"},
		{"drops", Reduction{Name: "k", Run: func(x []float32) float32 { return serial32(x[1:]) }, Claim: left}, corpus.Case{X: x}, "what the kernel follows is not known: masking leaves"},
		{"squares", Dot{Name: "k", RunSquares: func(x []float32) float32 { return dot32(x, x) }, Claim: left}, corpus.Case{X: x}, ""},
		{"magnitudes", Reduction{Name: "k", Magnitudes: true, Run: func(x []float32) float32 { return serial32(x[1:]) }, Claim: left}, corpus.Case{X: x}, ""},
		{"mean", Reduction{Name: "k", Run: func(x []float32) float32 { return serial32(x) / float32(len(x)) }, Claim: model.Claim{Tree: "left", Mean: true}}, corpus.Case{X: x}, ""},
		{"directed", Reduction{Name: "k", Run: serial32, Claim: model.Claim{Tree: "left", Rounding: model.TowardPositive}}, corpus.Case{X: x}, ""},
		{"binary64", Reduction{Name: "k", Run64: func(x []float64) float64 { return (x[0] + x[2]) + x[1] }, Claim: left}, corpus.Case{X: corpus.Float64s([]float64{1, 2, 3})}, "the kernel adds x[0] and x[2], where the claim adds x[0] and x[1]. Replayed, the observed schedule gives"},
		{"bfloat16", Reduction{Name: "k", RunBits: bits16(model.BFloat16, secondFirst), Claim: model.Claim{In: model.BFloat16, Acc: model.Binary32, Tree: "left"}}, corpus.Case{X: corpus.NewValues(model.BFloat16, 9)}, "the kernel adds x[0] and x[2], where the claim adds x[0] and x[1]. Replayed, the observed schedule gives"},
		{"binary16", Reduction{Name: "k", RunBits: func(x []uint16) uint64 {
			a := round.Arith{F: model.Binary16}
			return a.Add(a.Add(uint64(x[0]), uint64(x[2])), uint64(x[1]))
		}, Claim: model.Claim{In: model.Binary16, Tree: "left"}}, corpus.Case{X: corpus.Encodings(model.Binary16, []uint16{0x3c00, 0x4000, 0x1400})}, "the kernel adds x[0] and x[2], where the claim adds x[0] and x[1]. Replayed, the observed schedule gives"},
		{"e4m3", Reduction{Name: "k", RunBits: func(x []uint16) uint64 { return 0 }, Claim: model.Claim{In: model.E4M3, Tree: "left"}}, corpus.Case{X: corpus.NewValues(model.E4M3, 9)}, ""},
		{"wide", Reduction{Name: "k", Run64: func(x []float64) float64 { return x[0] }, Claim: left}, corpus.Case{X: corpus.NewValues(model.Binary64, 9)}, "what the kernel follows is not known: masking leaves"},
		{"long", Reduction{Name: "k", Run: serial32, Claim: left}, corpus.Case{X: corpus.NewValues(model.Binary32, 257)}, ""},
		{"no claim", Reduction{Name: "k", Run: serial32}, corpus.Case{X: x}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sub, err := vectorSubject(tc.s)
			require.NoError(t, err)
			l := Law{ID: "test", Op: sub.Op, Judge: func(*Trial) Verdict { return verdict.Fails("so it is", &Witness{}) }}
			trial := vectors.NewTrial(sub)
			f := Failure{Violation: engine.Violation{Verdict: trial.Judge(&l, &tc.c)}, Law: l, Claim: sub.Claim, Case: &tc.c}
			f.NoteSchedule(trial)
			require.Contains(t, f.ScheduleNote, tc.note)
			if tc.note == "" {
				require.Empty(t, f.ScheduleNote)
			}
			require.Equal(t, vectors.MaxReruns, f.Runs)
			require.False(t, f.Flaky)
		})
	}
}

// bits16 makes a kernel of a format of 16 bits from one of binary32, with its result rounded once.
func bits16(f model.Format, sum func([]float32) float32) func([]uint16) uint64 {
	return func(x []uint16) uint64 {
		v := sum(vectors.Widen(nil, corpus.Encodings(f, x)))
		return round.Convert(round.Arith{F: f}, model.Binary32, uint64(math.Float32bits(v)))
	}
}

// TestNoteHeights observes trees that are taller than claimed, and others.
func TestNoteHeights(t *testing.T) {
	log2 := func(n int) int { return bits.Len(uint(n - 1)) }
	tall := func(n int) func(x []float32) float32 { // serial from n leaves on
		return func(x []float32) float32 {
			if len(x) < n {
				return pairwise32(x)
			}
			return serial32(x)
		}
	}
	drawn := func(n int) corpus.Case { return f32s(drawnVector(n, 1)...) }
	for _, tc := range []struct {
		name           string
		s              Subject
		c              corpus.Case
		note, observed string
	}{
		{
			"serial",
			Reduction{Name: "k", Run: serial32, Claim: model.Claim{Height: log2}},
			drawn(9),
			"observed height 3, claimed 2 at n = 4, the shortest vector for which the kernel's tree is too tall", "x[0] + x[1] + x[2] + x[3]",
		},
		{"serial at 4", Reduction{Name: "k", Run: serial32, Claim: model.Claim{Height: log2}}, drawn(4), "observed height 3, claimed 2 at n = 4", "x[0] + x[1] + x[2] + x[3]"},
		{"from 40 on", Reduction{Name: "k", Run: tall(40), Claim: model.Claim{Height: log2}}, drawn(40), "observed height 39, claimed 6 at n = 40", "x[0] + … + x[39]"},
		{"true", Reduction{Name: "k", Run: pairwise32, Claim: model.Claim{Height: log2}}, drawn(9), "", ""},
		{"long", Reduction{Name: "k", Run: tall(300), Claim: model.Claim{Height: log2}}, drawn(300), "", ""},
		{"not known for few", Reduction{Name: "k", Run: serial32, Claim: model.Claim{Height: func(n int) int {
			if n < 6 {
				panic("too few")
			}
			return 4
		}}}, drawn(9), "observed height 5, claimed 4 at n = 6", "x[0] + … + x[5]"},
		{
			"dot",
			Dot{Name: "k", Run: dot32, Claim: model.Claim{Height: log2}},
			corpus.Case{X: corpus.Float32s(drawnVector(9, 1)), Y: corpus.Float32s(drawnVector(9, 2))},
			"observed height 3, claimed 2 at n = 4", "x[0]·y[0] + x[1]·y[1]",
		},
		{"binary64", Reduction{Name: "k", Run64: func(x []float64) (s float64) {
			for _, v := range x {
				s += v
			}
			return s
		}, Claim: model.Claim{Height: log2}}, corpus.Case{X: corpus.NewValues(model.Binary64, 9)}, "observed height 3, claimed 2 at n = 4", "x[0] + x[1]"},
		{"no tree", Reduction{Name: "k", Run: func(x []float32) float32 { return float32(oracle.SumFloat32(x)) }, Claim: model.Claim{Height: log2}}, drawn(9), "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			sub, err := vectorSubject(tc.s)
			require.NoError(t, err)
			id := model.SumHeight
			if sub.Op == OpDot {
				id = model.DotHeight
			}
			l := Law{ID: id, Op: sub.Op, Judge: func(*Trial) Verdict { return verdict.Fails("so it is", &Witness{}) }}
			trial := vectors.NewTrial(sub)
			f := Failure{Violation: engine.Violation{Verdict: trial.Judge(&l, &tc.c)}, Law: l, Claim: sub.Claim, Case: &tc.c}
			f.NoteSchedule(trial)
			require.Contains(t, f.ScheduleNote, tc.note)
			require.Contains(t, f.Observed, tc.observed)
			require.Empty(t, f.Expected)
			_, text := f.Cause()
			if tc.note == "" {
				require.Empty(t, f.ScheduleNote)
				require.Contains(t, text, "or less precisely")
			} else {
				require.Contains(t, text, "in a taller tree than it claims.")
			}
		})
	}
}

// pairwise32 halves.
func pairwise32(x []float32) float32 {
	if len(x) < 3 {
		return serial32(x)
	}
	return pairwise32(x[:len(x)/2]) + pairwise32(x[len(x)/2:])
}
