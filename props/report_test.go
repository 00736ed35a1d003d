package props

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/oracle"
	"gamma/props/internal/check"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/report"
	"gamma/props/internal/vectors"
	"gamma/props/internal/verdict"
	"gamma/props/judge"
	"gamma/sumtree"
)

var updateReports = flag.Bool("update", false, "rewrite the reports in testdata/reports")

// serial32 adds from the left.
func serial32(x []float32) float32 {
	if len(x) == 0 {
		return 0
	}
	s := x[0]
	for _, v := range x[1:] {
		s += v
	}
	return s
}

// oneUlpUp is one ulp off from three leaves on.
func oneUlpUp(x []float32) float32 {
	if len(x) < 3 {
		return serial32(x)
	}
	return math.Nextafter32(serial32(x), float32(math.Inf(1)))
}

// nearlyFull is one off where 290 leaves or more are not zero.
func nearlyFull(x []float32) float32 {
	k := 0
	for _, v := range x {
		if v != 0 {
			k++
		}
	}
	if k < 290 {
		return serial32(x)
	}
	return serial32(x) + 1
}

func dot32(x, y []float32) float32 {
	p := make([]float32, len(x))
	for i := range x {
		p[i] = x[i] * y[i]
	}
	return serial32(p)
}

// drawnVector returns n numbers of mixed signs and exponents.
func drawnVector(n int, seed uint64) []float32 {
	x := make([]float32, n)
	s := draw.Splitmix(draw.Mix(seed<<32 + uint64(n)))
	for i := range x {
		m := float64(s.Below(1<<23) + 1<<23)
		x[i] = float32(math.Ldexp(m, s.Below(20)-33))
		if s.Below(2) == 1 {
			x[i] = -x[i]
		}
	}
	return x
}

// countingVector returns 1, 2, …, n.
func countingVector(n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(i + 1)
	}
	return x
}

// tailAtThree drops the last leaf of every vector whose length is 3 modulo 4.
func tailAtThree(x []float32) float32 {
	if len(x)%4 == 3 {
		x = x[:len(x)-1]
	}
	return serial32(x)
}

// secondFirst adds leaf 2 before leaf 1.
func secondFirst(x []float32) float32 {
	if len(x) < 3 {
		return serial32(x)
	}
	y := append([]float32{x[0], x[2], x[1]}, x[3:]...)
	return serial32(y)
}

// withoutNaN drops NaNs.
func withoutNaN(x []float32) float32 {
	var y []float32
	for _, v := range x {
		if v == v {
			y = append(y, v)
		}
	}
	return serial32(y)
}

// lanesOfFour reads past the end of vectors whose length is no multiple of four.
func lanesOfFour(x []float32) float32 {
	var lanes [4]float32
	for i := 0; i < len(x); i += 4 {
		for j := range lanes {
			lanes[j] += x[i+j]
		}
	}
	return lanes[0] + lanes[1] + lanes[2] + lanes[3]
}

// inPlace folds its input in half until one leaf is left.
func inPlace(x []float32) float32 {
	for n := len(x); n > 1; n = (n + 1) / 2 {
		for i := range n / 2 {
			x[i] += x[n-1-i]
		}
	}
	return serial32(x[:min(1, len(x))])
}

// neighbours multiplies x[5] by the wrong factor.
func neighbours(x, y []float32) float32 {
	if len(x) > 6 {
		y = append([]float32(nil), y...)
		y[5] = y[4]
	}
	return dot32(x, y)
}

// shiftedRows starts its last row one element early.
func shiftedRows(dst, a, x []float32, n int) {
	for i := range dst {
		lo := i * n
		if i > 0 && i == len(dst)-1 {
			lo--
		}
		dst[i] = dot32(a[lo:lo+n], x)
	}
}

// lastColumn forgets the last leaf of every row but the first.
func lastColumn(dst, x []float32, n int) {
	for i := range dst {
		row := x[i*n : (i+1)*n]
		if i > 0 && n > 2 {
			row = row[:n-1]
		}
		dst[i] = serial32(row)
	}
}

// rightEvery returns a kernel that is wrong but for every k-th call.
func rightEvery(k int) func(x []float32) float32 {
	calls := 0
	return func(x []float32) float32 {
		calls++
		if calls%k != 0 && len(x) > 0 {
			return 2*serial32(x) + 1
		}
		return serial32(x)
	}
}

// narrow32 adds in binary32 what it claims to add in binary64 precision, to one rounding.
func narrow32(x []float32) float32 { return serial32(x) }

// kahanWrong has the sign of its correction wrong.
func kahanWrong(x []float32) float32 {
	var s, c float32
	for _, v := range x {
		y := v + c
		t := s + y
		c = (t - s) - y
		s = t
	}
	return s
}

// lastOf panics if there is none.
func lastOf(x corpus.Values) float32 { return x.F32[x.Len()-1] }

type reportTest struct {
	name    string
	subject Subject
	law     model.LawID
	c       corpus.Case
	draw    func(seed uint64) corpus.Case // not nil: c is the first of seeds 1, 2, … that fails
	change  func(f *Failure)              // before it is written
}

// draws returns a function that draws sums of n leaves.
func draws(n int) func(uint64) corpus.Case {
	return func(seed uint64) corpus.Case { return f32s(drawnVector(n, seed)...) }
}

func f32s(x ...float32) corpus.Case { return corpus.Case{X: corpus.Float32s(x)} }

var reportTests = []reportTest{
	{
		name:    "dropped_leaf",
		subject: Reduction{Name: "mykernel.Sum", Run: tailAtThree},
		law:     model.SumEnclosure, draw: draws(1023),
	},
	{
		name:    "dropped_leaf_integers",
		subject: Reduction{Name: "mykernel.Sum", Run: tailAtThree},
		law:     model.SumIntegers, c: f32s(countingVector(103)...),
	},
	{
		name:    "off_by_one_tree",
		subject: Reduction{Name: "mykernel.Sum", Run: secondFirst, Claim: model.Claim{Tree: "left"}},
		law:     model.SumTree, draw: draws(40),
	},
	{
		name:    "serial_claims_pairwise",
		subject: Reduction{Name: "mykernel.Sum", Run: serial32, Claim: model.Claim{Tree: "pairwise"}},
		law:     model.SumTree, draw: draws(64),
	},
	{
		name:    "wide_accumulator",
		subject: Reduction{Name: "mykernel.Sum", Run: func(x []float32) float32 { return oracle.SumFloat32(x) }, Claim: model.Claim{Tree: "left"}},
		law:     model.SumTree, draw: draws(64),
	},
	{
		name:    "nan_dropped",
		subject: Reduction{Name: "mykernel.Sum", Run: withoutNaN},
		law:     model.SumSpecial, c: f32s(append(drawnVector(20, 1), float32(math.NaN()), 3)...),
	},
	{
		name:    "panic",
		subject: Reduction{Name: "mykernel.Sum", Run: lanesOfFour},
		law:     model.SumEnclosure, draw: draws(33),
	},
	{
		name: "error",
		subject: Reduction{Name: "mykernel.Sum", RunErr: func(x []float32) (float32, error) {
			if len(x) > 16 {
				return 0, errors.New("no device")
			}
			return serial32(x), nil
		}},
		law: model.SumEnclosure, draw: draws(33),
	},
	{
		name:    "input_changed",
		subject: Reduction{Name: "mykernel.Sum", Run: inPlace},
		law:     model.SumEnclosure, draw: draws(33),
	},
	{
		name:    "dot_pairing",
		subject: Dot{Name: "mykernel.Dot", Run: neighbours},
		law:     model.DotEnclosure,
		draw: func(seed uint64) corpus.Case {
			return corpus.Case{X: corpus.Float32s(drawnVector(50, seed)), Y: corpus.Float32s(drawnVector(50, ^seed))}
		},
	},
	{
		name:    "rows",
		subject: Reduction{Name: "mykernel.Rows", RunRows: lastColumn},
		law:     model.SumIntegers, c: corpus.Case{Rows: 3, X: corpus.Float32s(countingVector(60))},
	},
	{
		name:    "flaky",
		subject: Reduction{Name: "mykernel.Sum", Run: rightEvery(2)},
		law:     model.SumEnclosure, draw: draws(9),
	},
	{
		name:    "flaky_at_times",
		subject: Reduction{Name: "mykernel.Sum", Run: rightEvery(7)},
		law:     model.SumEnclosure, draw: draws(9),
	},
	{
		name:    "matrix",
		subject: Dot{Name: "mykernel.MatVec", RunRows: shiftedRows},
		law:     model.DotIntegers,
		c:       corpus.Case{Rows: 3, X: corpus.Float32s(countingVector(24)), Y: corpus.Float32s(countingVector(24))},
	},
	{
		name:    "member",
		subject: Reduction{Name: "mykernel.Sum", Run: oneUlpUp},
		law:     model.SumMember, draw: draws(7),
	},
	{
		name:    "permute",
		subject: Reduction{Name: "mykernel.Sum", Run: serial32, Claim: model.Claim{Commutes: true}},
		law:     model.SumPermute, draw: draws(12),
	},
	{
		name:    "rounded",
		subject: Reduction{Name: "mykernel.Sum", Run: narrow32, Claim: model.Claim{Compensation: model.Rounded}},
		law:     model.SumRounded, draw: draws(12),
	},
	{
		name:    "kahan_sign",
		subject: Reduction{Name: "mykernel.Kahan", Run: kahanWrong, Claim: model.Claim{Compensation: model.Kahan}},
		law:     model.SumCompensated, draw: draws(100),
	},
	{
		name: "mean",
		subject: Reduction{Name: "mykernel.Mean64", Run64: func(x []float64) float64 {
			var s float64
			for _, v := range x {
				s += float64(v / float64(len(x)+1))
			}
			return s
		}, Claim: model.Claim{Mean: true}},
		law: model.SumEnclosure, c: corpus.Case{X: corpus.Float64s([]float64{0.1, 1e300, 0x1.fffffffffffffp-3, -7})},
	},
	{
		name: "own_law",
		subject: Reduction{Name: "mykernel.Sum", Run: serial32, Laws: []Law{{
			ID: "my.positive", Statement: "computed >= 0",
			Judge: func(t *Trial) Verdict {
				if v := math.Float32frombits(uint32(t.Got())); v < 0 {
					return Verdict{Outcome: Violated, Reason: "the sum is negative", Witness: &Witness{WantText: "a number that is not negative"}}
				}
				return Verdict{}
			},
		}}},
		law: "my.positive", draw: draws(12),
	},
	{
		name: "tree_follower",
		subject: Reduction{Name: "mykernel.Follow", RunTree: func(t *sumtree.Tree, x []float32) float32 {
			return serial32(x)
		}},
		law: model.SumTree,
		draw: func(seed uint64) corpus.Case {
			return corpus.Case{Tree: "lanes/4/16", X: corpus.Float32s(drawnVector(16, seed))}
		},
	},
	{
		name:    "many_leaves",
		subject: Reduction{Name: "mykernel.Sum", Run: nearlyFull},
		law:     model.SumEnclosure, draw: draws(300),
	},
	{
		name:    "replayed",
		subject: Reduction{Name: "mykernel.Sum", Run: tailAtThree},
		law:     model.SumIntegers, c: f32s(1, 2, 4),
		change: func(f *Failure) { f.Replayed = true },
	},
	{
		name:    "not_saved",
		subject: Reduction{Name: "mykernel.Sum", Run: tailAtThree},
		law:     model.SumIntegers, c: f32s(1, 2, 4),
		change: func(f *Failure) {
			f.File, f.NotSaved = "", "open testdata/gamma/sum.integers: permission denied"
		},
	},
	{
		name:    "behaviour",
		subject: Reduction{Name: "shaders/sum.metal#tree", Run: tailAtThree},
		law:     model.SumIntegers,
		c:       corpus.Case{Behaviour: model.Behaviour{Order: "accesses", Seed: 7}, X: corpus.Float32s([]float32{1, 2, 4})},
		change: func(f *Failure) {
			f.Case.Behaviour = f.Original.Behaviour
			f.Explanation.Free, f.Explanation.Matter = nil, []string{"behaviour"}
		},
	},
	{
		name:    "race",
		subject: Reduction{Name: "my.metal#sum", RunOn: racing, Device: DeviceClaim{Checked: true, Admits: everything, Launches: groupLaunches}},
		law:     model.KernelRace,
		c: corpus.Case{
			Behaviour: model.Behaviour{Order: "accesses", Seed: 7}, Launch: model.Launch1D(4, 64), X: corpus.Float32s(countingVector(9)),
		},
	},
	{
		name:    "contraction",
		subject: Dot{Name: "my.metal#dot", RunOn: contracting, Claim: model.Claim{Tree: "left"}, Device: DeviceClaim{Admits: everything, Strict: true}},
		law:     model.DotTree,
		c: corpus.Case{
			Behaviour: model.Behaviour{Contract: model.ContractFast, Order: "reverse", Poison: true, Seed: 12},
			X:         corpus.Float32s(drawnVector(9, 1)), Y: corpus.Float32s(drawnVector(9, 2)),
		},
	},
	{
		name:    "schedule",
		subject: Reduction{Name: "my.metal#sum", RunOn: unordered, Claim: model.Claim{Repeats: true}, Device: DeviceClaim{Admits: everything}},
		law:     model.KernelSchedule, c: corpus.Case{X: corpus.Float32s([]float32{1, 0x1p-24, 0x1p-24, 0, 0x1p-24}), Seed: 6},
	},
	{
		name:    "device_equal",
		subject: faultySum(model.Claim{Tree: "left", Repeats: true}, func(_ int, x []float32) float32 { return fromRight(x) }),
		law:     model.DeviceEqual, c: corpus.Case{X: corpus.Float32s([]float32{1, 0x1p-24, 0, 0x1p-24, 0x1p-24})},
	},
	{
		name: "device_repeat",
		subject: faultySum(model.Claim{Repeats: true}, func(call int, x []float32) float32 {
			if call%2 == 0 {
				return fromRight(x)
			}
			return serial32(x)
		}),
		law: model.DeviceRepeat, c: corpus.Case{X: corpus.Float32s([]float32{1, 0x1p-24, 0, 0x1p-24, 0x1p-24})},
	},
	{
		name:    "device_order",
		subject: faultySum(model.Claim{Tree: "left"}, twoSwapped),
		law:     model.DeviceOrder, c: corpus.Case{X: corpus.Float32s([]float32{1, 0x1p-24, 0x1p-24, 2, -2})},
	},
	{
		name:    "fused_dot",
		subject: Dot{Name: "mykernel.Dot", Run64: chain64, Claim: model.Claim{Tree: "left"}},
		law:     model.DotTree,
		draw: func(seed uint64) corpus.Case {
			return corpus.Case{X: corpus.Float64s(doubles(20, seed)), Y: corpus.Float64s(doubles(20, ^seed))}
		},
	},
	{
		name: "false_height",
		subject: Reduction{Name: "mykernel.Sum", Run: serial32, Claim: model.Claim{
			Height: func(n int) int { return bits.Len(uint(max(n-1, 0))) },
		}},
		law: model.SumHeight, draw: func(uint64) corpus.Case {
			x := slices.Repeat([]float32{0x1p-24}, 64)
			x[0] = 1
			return f32s(x...)
		},
	},
	{
		name: "own_law_bare",
		subject: Reduction{Name: "mykernel.Sum", Run: serial32, Laws: []Law{{
			ID: "my.sterbenz", Statement: "computed is exact",
			Judge: func(t *Trial) Verdict {
				x := t.X()
				if x.Len() == 3 && float64(math.Float32frombits(uint32(t.Got()))) != float64(x.F32[0])+float64(x.F32[1])+float64(x.F32[2]) {
					return Verdict{Outcome: Violated, Reason: "it is not exact"}
				}
				return Verdict{}
			},
		}}},
		law: "my.sterbenz", draw: draws(3),
	},
	{
		name: "underflow",
		subject: Dot{Name: "mykernel.Dot", Run: func(x, y []float32) float32 {
			s := dot32(x, y)
			if len(x) > 3 && s != 0 && math.Abs(float64(s)) < 0x1p-130 {
				s += 0x1p-142
			}
			return s
		}},
		law: model.DotEnclosure,
		c: corpus.Case{
			X: corpus.Float32s([]float32{0x1p-70, 0x1p-71, 0x1.8p-70, 0x1p-72, 0x1p-70}),
			Y: corpus.Float32s([]float32{0x1p-70, 0x1p-71, 0x1.8p-70, 0x1p-72, 0x1p-70}),
		},
	},
	{
		name:    "isolated",
		subject: Reduction{Name: "mykernel.Sum", Run: lanesOfFour},
		law:     model.SumEnclosure, draw: draws(33),
		change: func(f *Failure) {
			f.Verdict.Reason = "the kernel did not return within 10s"
			f.Stack, f.Isolated = nil, true
		},
	},
	{
		name: "law_panics",
		subject: Reduction{Name: "mykernel.Sum", Run: serial32, Laws: []Law{{
			ID: "my.last", Statement: "the last leaf is 1",
			Judge: func(t *Trial) Verdict {
				if last := lastOf(t.X()); last != 1 {
					return verdict.Fails("it is another", nil)
				}
				return Verdict{}
			},
		}}},
		law: "my.last", c: f32s(),
	},
	{
		name: "height_panics",
		subject: Reduction{Name: "mykernel.Sum", Run: serial32, Claim: model.Claim{
			Height: func(n int) int { return []int{0, 0, 1, 2, 3}[n] },
		}},
		law: model.SumHeight, draw: draws(9),
	},
	{
		name:    "mean_integers",
		subject: Reduction{Name: "mykernel.Mean", Run: func(x []float32) float32 { return tailAtThree(x) / float32(len(x)) }, Claim: model.Claim{Mean: true}},
		law:     model.SumIntegers, c: f32s(1, 2, 4),
	},
	{
		name:    "oracle_disagreement",
		subject: Reduction{Name: "mykernel.Sum", Run: tailAtThree},
		law:     model.SumIntegers, c: f32s(1, 2, 4),
		change: func(f *Failure) {
			sub, _ := Reduction{Name: "mykernel.Sum", Run: serial32}.Kernel()
			t := vectors.NewTrial(sub)
			l, _ := judge.LawByID(judge.Laws(), model.SumIntegers)
			t.Judge(&l, f.Case)
			t.ExactSum.Acc32.Add(1)
			f.NoteOracle(t)
		},
	},
}

// examined runs what Check runs from a case that fails.
func examined(t *testing.T, rt *reportTest, save string) *Failure {
	t.Helper()
	sub, err := vectorSubject(rt.subject)
	require.NoError(t, err)
	set, err := engine.ReadSettings()
	require.NoError(t, err)
	set.Save = save
	r := vectors.NewRun(sub, set)
	defer r.Rec.Close()
	c := rt.c
	l := lawOf(t, r.Laws(), rt.law)
	if rt.draw != nil {
		trial := vectors.NewTrial(sub)
		var v Verdict
		for seed := uint64(1); !v.Fails(); seed++ {
			require.Less(t, seed, uint64(1000), "no vector fails")
			c = rt.draw(seed)
			v = trial.Judge(&l, &c)
		}
	}
	c.Law, c.Kernel = rt.law, sub.Name
	f := reduced(r, &l, &c, &engine.LawStats{Law: l.ID, Cases: 17})
	f.Test = "TestPropSum/" + string(l.ID)
	if rt.change != nil {
		rt.change(f)
	}
	return f
}

var (
	sourceLine = regexp.MustCompile(`_test\.go:\d+`)
	initFunc   = regexp.MustCompile(`init\.func\d+`)
)

// settled replaces what differs from machine to machine in a report.
func settled(text, source, root string) string {
	text = strings.ReplaceAll(text, source, "$SOURCE")
	text = strings.ReplaceAll(text, "-C "+report.ShellWord(root), "-C $DIR")
	text = initFunc.ReplaceAllString(text, "init.funcN")
	return sourceLine.ReplaceAllString(text, "_test.go:N")
}

// checkShape checks what every report has to be.
func checkShape(t *testing.T, f *Failure, text string) {
	t.Helper()
	lines := strings.Split(text, "\n")
	k := len(lines)
	for i, l := range lines {
		require.Equal(t, strings.TrimRight(l, " \t"), l, "line %d ends in space", i+1)
		if i < k-2 {
			require.LessOrEqual(t, report.Columns(l), report.ReportWidth, "line %d: %s", i+1, l)
		}
	}
	require.NotContains(t, text, "\n\n\n")
	require.Contains(t, lines[0], f.Subject)
	require.Contains(t, lines[0], string(f.Law.ID))
	require.True(t, strings.HasPrefix(lines[k-2], "reproduce   go test -C "), "the last line but one: %s", lines[k-2])
	require.Contains(t, lines[k-2], "-run '^TestPropSum$'")
	if f.File != "" {
		require.Equal(t, "saved as    "+f.File, lines[k-1])
		require.FileExists(t, f.File)
		require.Contains(t, lines[k-2], "-gamma.case=")
	} else {
		require.True(t, strings.HasPrefix(lines[k-1], "not saved   "), lines[k-1])
	}
	j, err := f.JSON()
	require.NoError(t, err)
	require.NotContains(t, string(j), "\n")
	dec := json.NewDecoder(bytes.NewReader(j))
	dec.DisallowUnknownFields()
	var back vectors.JSONFailure
	require.NoError(t, dec.Decode(&back))
	require.Equal(t, f.Subject, back.Subject)
	require.Equal(t, f.Reproduce(f.Law.ID), back.Command)
	require.Equal(t, f.Verdict.Bound, back.Bound)
	require.Equal(t, f.Arithmetic, back.Arithmetic)
	require.Equal(t, f.File, back.File)
	c, err := corpus.Parse[*corpus.Case]([]byte(back.Case), engine.ReplayOptions)
	require.NoError(t, err)
	require.True(t, c.X.Equal(f.Case.X))
	if w := f.Verdict.Witness; w != nil {
		b, err := corpus.ParseValue(w.Out, back.Got.Hex)
		require.NoError(t, err)
		require.Equal(t, w.Got, b)
	}
}

// TestReports compares whole reports with those on file; -update writes them anew.
func TestReports(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	source, err := os.Getwd()
	require.NoError(t, err)
	seen := map[string]bool{}
	for i := range reportTests {
		rt := &reportTests[i]
		require.False(t, seen[rt.name], "two reports are called %s", rt.name)
		seen[rt.name] = true
		t.Run(rt.name, func(t *testing.T) {
			root := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module mykernel\n"), 0o644))
			t.Chdir(root)
			f := examined(t, rt, engine.SaveDirName)
			text := f.Text()
			checkShape(t, f, text)
			require.Less(t, report.Columns(f.Reproduce(f.Law.ID)), 100+report.Columns(root))
			got := settled(text, source, root) + "\n"
			name := filepath.Join(source, "testdata", "reports", rt.name+".txt")
			if *updateReports {
				require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
				require.NoError(t, corpus.WriteFile(name, []byte(got)))
			}
			want, err := os.ReadFile(name)
			require.NoError(t, err, "go test ./props -run TestReports -update writes it")
			require.Equal(t, string(want), got)
		})
	}
	files, err := filepath.Glob("testdata/reports/*.txt")
	require.NoError(t, err)
	require.Len(t, files, len(reportTests), "a report on file has no test")
}

// TestReportsOfDrawnCases checks the reports of cases that the engine finds.
func TestReportsOfDrawnCases(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	for i := range reportTests {
		rt := reportTests[i]
		sub, err := vectorSubject(rt.subject)
		require.NoError(t, err)
		if len(sub.Laws) > 0 || rt.change != nil || rt.name == "matrix" {
			continue // a law that is not built in, the subject of another test, or written by hand
		}
		t.Run(rt.name, func(t *testing.T) {
			set, err := engine.ReadSettings()
			require.NoError(t, err)
			r := vectors.NewRun(sub, set)
			defer r.Rec.Close()
			l, err := judge.LawByID(judge.Laws(), rt.law)
			require.NoError(t, err)
			d, trial := vectors.NewDrawer(r, &l), vectors.NewTrial(sub)
			var found *corpus.Case
			check.RunRapid(2000, true, func(w engine.Draw) bool {
				if found != nil {
					return false
				}
				if c, ok := d.Make(w, 0); ok {
					if v := trial.Judge(&l, c); v.Fails() {
						found = keep(c)
					}
				}
				return false
			})
			require.NotNil(t, found, "no case found")
			rt.c, rt.draw = *found, nil
			f := examined(t, &rt, t.TempDir())
			text := f.Text()
			checkShape(t, f, text)
			require.Contains(t, strings.Join(strings.Fields(text), " "), found.Gen)
			t.Log("\n" + text)
		})
	}
}

func TestPublishFailure(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	dir, err := engine.RunDir()
	require.NoError(t, err)
	name := filepath.Join(dir, engine.FailuresName)
	require.NoError(t, os.WriteFile(name, []byte("of an earlier process\n"), 0o644))
	engine.PublishFailure(nil)
	require.NoFileExists(t, name)
	a := examined(t, &reportTests[0], t.TempDir())
	b := examined(t, &reportTests[1], t.TempDir())
	engine.PublishFailure(a)
	engine.PublishFailure(nil)
	engine.PublishFailure(b)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	require.Len(t, lines, 2)
	for i, f := range []*Failure{a, b} {
		var j vectors.JSONFailure
		require.NoError(t, json.Unmarshal([]byte(lines[i]), &j))
		require.Equal(t, string(f.Law.ID), j.Law)
		require.Equal(t, f.File, j.File)
	}
}

func TestSplitWant(t *testing.T) {
	for _, tc := range []struct {
		text, rest string
		rows       []report.Number
	}{
		{"0x1.8p+01 (3)", "", []report.Number{{Label: "expected", Hex: "0x1.8p+1", Decimal: "3", Note: ""}}},
		{"0x1.8p+01 (3), the exact value rounded once", "", []report.Number{{Label: "expected", Hex: "0x1.8p+1", Decimal: "3", Note: "the exact value rounded once"}}},
		{"nan", "", []report.Number{{Label: "expected", Hex: "nan", Decimal: "", Note: ""}}},
		{"nan (0x7fc00000)", "", []report.Number{{Label: "expected", Hex: "nan:0x7fc00000", Decimal: "", Note: ""}}},
		{"-0", "", []report.Number{{Label: "expected", Hex: "-0x0p+0", Decimal: "-0", Note: ""}}},
		{"+0", "", []report.Number{{Label: "expected", Hex: "0x0p+0", Decimal: "0", Note: ""}}},
		{"-inf, another run's result", "", []report.Number{{Label: "expected", Hex: "-inf", Decimal: "", Note: "another run's result"}}},
		{"0x1p+00 (1), 0x1p+01 (2), -0", "", []report.Number{{Label: "expected", Hex: "0x1p+0", Decimal: "1", Note: ""}, {Label: "or", Hex: "0x1p+1", Decimal: "2", Note: ""}, {Label: "or", Hex: "-0x0p+0", Decimal: "-0", Note: ""}}},
		{"0x1p+00 (1), 0x1p+01 (2) … (9 values)", "", []report.Number{{Label: "expected", Hex: "0x1p+0", Decimal: "1", Note: ""}, {Label: "or", Hex: "0x1p+1", Decimal: "2", Note: "… 9 values in all"}}},
		{"a number that is not negative", "a number that is not negative", nil},
		{"0x1p+00 (1), or anything (else), really", "0x1p+00 (1), or anything (else), really", nil},
	} {
		rows, rest := vectors.SplitWant(tc.text)
		if tc.rest != "" && len(rows) == 1 { // a note is as good
			require.Equal(t, "0x1p+0", rows[0].Hex)
			continue
		}
		require.Equal(t, tc.rows, rows, tc.text)
		require.Equal(t, tc.rest, rest, tc.text)
	}
	set := []uint64{0, 0x3f800000, 0x40000000, 0x80000000}
	rows, rest := vectors.SplitWant(report.DescribeSet(model.Binary32, set))
	require.Len(t, rows, len(set))
	require.Empty(t, rest)
	for i, b := range set {
		got, err := corpus.ParseValue(model.Binary32, rows[i].Hex)
		require.NoError(t, err)
		require.Equal(t, b, got)
	}
}

func TestMultiple(t *testing.T) {
	for r, want := range map[float64]string{
		1.374: "1.37 × the bound", 839.4: "839 × the bound", 8388607: "8.39e6 × the bound", 1.0000012: "1.000001 × the bound",
		1: "just above the bound", 1.5e-3: "0.0015 × the bound", 123456: "123456 × the bound",
	} {
		require.Equal(t, want, report.Multiple(r))
	}
}

func TestHint(t *testing.T) {
	for _, tc := range []struct {
		run  func(x []float32) float32
		want string
	}{
		{tailAtThree, "The result is what the sum without x[2] gives."},
		{func(x []float32) float32 { return serial32(x) + x[0] }, "The result is what the sum with x[0] twice gives."},
		{func(x []float32) float32 { return serial32(x) - 2*x[1] }, "The result is what the sum with the sign of x[1] changed gives."},
		{func(x []float32) float32 { return serial32(x) + 1000 }, ""},
	} {
		sub, err := Reduction{Name: "mykernel.Sum", Run: tc.run}.Kernel()
		require.NoError(t, err)
		l, err := judge.LawByID(judge.Laws(), model.SumIntegers)
		require.NoError(t, err)
		c := f32s(3, 5, 17)
		trial := vectors.NewTrial(sub)
		f := &Failure{Violation: engine.Violation{Subject: sub.Name, Verdict: trial.Judge(&l, &c)}, Law: l, Claim: sub.Claim, Case: &c, Original: &c}
		require.True(t, f.Verdict.Fails())
		require.Empty(t, f.Hint(), "nothing has been compared with math/big")
		f.NoteOracle(trial)
		require.True(t, f.Confirmed)
		require.Equal(t, tc.want, f.Hint())
	}
}

// TestHintOfRoundings asks for no hint where a rounding may have absorbed the term.
func TestHintOfRoundings(t *testing.T) {
	sum2 := model.Claim{Compensation: model.Sum2}
	flat := model.Claim{Height: func(int) int { return 0 }}
	for _, tc := range []struct {
		name  string
		run   func(x []float32) float32
		claim model.Claim
		law   model.LawID
		c     corpus.Case
		want  string
	}{
		{"absorbed", serial32, flat, model.SumHeight, f32s(1, 0x1p-24), ""},
		{"absorbed and cancelled", serial32, sum2, model.SumCompensated, f32s(0x1p24, 1, -0x1p24), ""},
		{"half of an ulp twice", func(x []float32) float32 { return x[0] + 2*x[1] }, flat, model.SumHeight, f32s(1, 0x1p-24), ""},
		{"dropped", func(x []float32) float32 { return serial32(x[1:]) }, sum2, model.SumCompensated, f32s(0x1p24, 1, -0x1p24), "The result is what the sum without x[0] gives."},
		{"above two ulps", func(x []float32) float32 { return x[0] }, flat, model.SumHeight, f32s(1, 0x1.8p-22), "The result is what the sum without x[1] gives."},
		{"member", func(x []float32) float32 { return x[0] }, model.Claim{}, model.SumMember, f32s(1, 0x1p-23), ""},
		{"integers", func(x []float32) float32 { return x[0] }, model.Claim{}, model.SumIntegers, f32s(1, 0x1p-23), "The result is what the sum without x[1] gives."},
	} {
		sub, err := Reduction{Name: "mykernel.Sum", Run: tc.run, Claim: tc.claim}.Kernel()
		require.NoError(t, err)
		l, err := judge.LawByID(judge.Laws(), tc.law)
		require.NoError(t, err)
		trial := vectors.NewTrial(sub)
		f := &Failure{Violation: engine.Violation{Subject: sub.Name, Verdict: trial.Judge(&l, &tc.c)}, Law: l, Claim: sub.Claim, Case: &tc.c, Original: &tc.c}
		require.True(t, f.Verdict.Fails(), tc.name)
		f.NoteOracle(trial)
		require.True(t, f.Confirmed, tc.name)
		require.Equal(t, tc.want, f.Hint(), tc.name)
	}
}

// TestBlameOfPanics blames who panicked.
func TestBlameOfPanics(t *testing.T) {
	c := f32s(1, 2)
	height := func(int) int { panic("no height") }
	for _, tc := range []struct {
		cause      verdict.Cause
		kind, text string
		law        model.LawID
		claim      model.Claim
	}{
		{verdict.KernelPanicked, "kernel", "it gave no result", model.SumTree, model.Claim{}},
		{verdict.LawPanicked, "law", "the subject's own law panicked: fix it. The kernel is not to blame", "my.own", model.Claim{}},
		{verdict.LawPanicked, "law", "Please report", model.SumTree, model.Claim{}},
		{verdict.LawPanicked, "law", "Please report", model.SumHeight, model.Claim{Height: func(int) int { return 1 }}},
		{verdict.ClaimPanicked, "claim", "its Height function panicked: fix it. The kernel is not to blame", model.SumHeight, model.Claim{Height: height}},
	} {
		f := &Failure{Violation: engine.Violation{Subject: "k", Verdict: verdict.Breaks(verdict.Broke(tc.cause, "it broke"))}, Law: Law{ID: tc.law}, Claim: tc.claim.WithDefaults(model.Binary32), Case: &c, Original: &c}
		kind, text := f.Cause()
		require.Equal(t, tc.kind, kind, tc.cause)
		require.Contains(t, text, tc.text)
		if kind == "kernel" {
			require.Contains(t, f.Headline(), "k breaks under sum.tree: it broke.")
		} else {
			require.Equal(t, string(tc.law)+" cannot judge k: it broke.", f.Headline())
		}
		if kind == "claim" {
			require.Contains(t, f.Text(), "a height that is not known for n = 2")
		}
		_, err := f.JSON()
		require.NoError(t, err)
	}
}

// TestStatement writes the law as it is for the claim.
func TestStatement(t *testing.T) {
	for _, tc := range []struct {
		law          model.LawID
		claim        model.Claim
		bound        string
		text, source string
	}{
		{model.SumIntegers, model.Claim{Mean: true}, "", "computed = (Σx_i)/n, rounded once", "IEEE 754"},
		{model.DotIntegers, model.Claim{Mean: true}, "", "computed = (Σx_i·y_i)/n, rounded once", "IEEE 754"},
		{model.SumTree, model.Claim{Mean: true}, "", "evaluation, divided by n", "evalIEEE"},
		{model.SumEnclosure, model.Claim{Mean: true}, "", "|n·computed - Σx_i| <= (1+v)·E + v·|Σx_i| + n·η, E = (n-1)·v·Σ|x_i|", "Theorem 4.1"},
		{model.SumEnclosure, model.Claim{}, "", "|computed - Σx_i| <= (n-1)·v·Σ|x_i|", "Theorem 4.1"},
		{model.SumCompensated, model.Claim{Compensation: model.Kahan}, "Kahan, certificate for n", "about 3u·Σ|x_i|", "[from the bound]"},
		{model.SumCompensated, model.Claim{Compensation: model.Kahan, Acc: model.Binary64}, "Kahan, certificate for n", "the bound of the scheme: Kahan, certificate for n", "[from the bound]"},
		{model.SumCompensated, model.Claim{Compensation: model.Sum2}, "Sum2 v|S|+(1+v)(n-1)(n-2)v²A", "v·|Σx_i| + (1+v)(n-1)(n-2)v²·Σ|x_i|", "[from the bound]"},
		{model.SumCompensated, model.Claim{Compensation: model.Klein}, "Klein, s+(c+cc)", "the bound of the scheme: Klein, s+(c+cc)", "[from the bound]"},
		{model.DotCompensated, model.Claim{Compensation: model.Sum2}, "Dot2 v|S|+(1+v)n²u²A", "(1+v)·n²u²·A", "[from the bound]"},
		{model.SumCompensated, model.Claim{Compensation: model.Klein}, "", "the bound of the claimed scheme, klein", "Gamma K1"},
	} {
		l, err := judge.LawByID(judge.Laws(), tc.law)
		require.NoError(t, err)
		f := &Failure{Violation: engine.Violation{Verdict: Verdict{Bound: tc.bound}}, Law: l, Claim: tc.claim.WithDefaults(model.Binary32)}
		if tc.bound != "" {
			f.Verdict.Witness = &Witness{HasBound: true, Source: "[from the bound]"}
		}
		text, source := f.Statement()
		require.Contains(t, text, tc.text)
		require.Contains(t, source, tc.source)
	}
	own := Law{ID: "my.own", Statement: "computed = Σx_i"}
	text, _ := (&Failure{Law: own, Claim: model.Claim{Mean: true}}).Statement()
	require.Equal(t, own.Statement, text)
}

func TestLeavesText(t *testing.T) {
	for _, tc := range []struct {
		n, rows, k int
		op         Op
		want       string
	}{
		{1, 0, 0, OpSum, "1 leaf, +0"},
		{3, 0, 0, OpSum, "3 leaves, every one +0"},
		{1, 0, 1, OpDot, "1 term:"},
		{71, 0, 70, OpSum, "70 of 71 leaves are not +0:"},
		{3, 0, 1, OpDot, "1 of 3 terms is not +0:"},
		{6, 2, 1, OpSum, "2 rows of 3; 1 of 6 leaves is not +0:"},
		{6, 2, 6, OpSum, "2 rows of 3, in all 6 leaves:"},
		{6, 2, 0, OpSum, "2 rows of 3, in all 6 leaves, every one +0"},
	} {
		f := &Failure{Law: Law{Op: tc.op}, Case: &corpus.Case{Rows: tc.rows, X: corpus.NewValues(model.Binary32, tc.n)}}
		require.Equal(t, tc.want, f.LeavesText(tc.k))
	}
}

// TestNoteOracle plants errors in the accumulators.
func TestNoteOracle(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, tc := range []struct {
		s      Subject
		c      corpus.Case
		spoil  func(t *Trial)
		doubts string
	}{
		{Reduction{Name: "k", Run: serial32}, f32s(1, 2), func(t *Trial) { t.ExactSum.Acc32.Add(0x1p-149) }, "math/big's 0x1.8p+1"},
		{Reduction{Name: "k", Run: serial32}, f32s(1, 2), func(t *Trial) { t.ExactSum.Acc32.Add(inf) }, "the oracle's sum is not"},
		{Reduction{Name: "k", Run: serial32}, f32s(1, inf), func(t *Trial) { t.ExactSum.Acc32.Reset() }, "the oracle's sum is finite"},
		{Reduction{Name: "k", Run64: func(x []float64) float64 { return x[0] }}, corpus.Case{X: corpus.Float64s([]float64{1, 2})}, func(t *Trial) { t.ExactSum.Acc64.Add(1) }, "math/big's 0x1.8p+1"},
		{Dot{Name: "k", Run: dot32}, corpus.Case{X: corpus.Float32s([]float32{1, 2}), Y: corpus.Float32s([]float32{1, 1})}, func(t *Trial) { t.ExactSum.Acc64.Add(1) }, "math/big's 0x1.8p+1"},
		{Dot{Name: "k", Run64: func(x, _ []float64) float64 { return x[0] }}, corpus.Case{X: corpus.Float64s([]float64{1, 2}), Y: corpus.Float64s([]float64{1, 1})}, func(t *Trial) { t.ExactSum.Dot64.Add(1) }, "math/big's 0x1.8p+1"},
		{Reduction{Name: "k", RunBits: func(x []uint16) uint64 { return 0 }, Claim: model.Claim{In: model.Binary16}}, corpus.Case{X: corpus.Encodings(model.Binary16, []uint16{0x3c00, 0x4000})}, func(t *Trial) { t.ExactSum.Acc32.Add(1) }, "math/big's 0x1.8p+1"},
	} {
		sub, err := vectorSubject(tc.s)
		require.NoError(t, err)
		l := Law{ID: "none", Op: sub.Op, Judge: func(t *Trial) Verdict { t.Sum(); return Verdict{} }}
		trial := vectors.NewTrial(sub)
		trial.Judge(&l, &tc.c)
		var f Failure
		f.NoteOracle(trial)
		require.Empty(t, f.Doubt)
		tc.spoil(trial)
		f.Confirmed = false
		f.NoteOracle(trial)
		require.Contains(t, f.Doubt, tc.doubts)
		require.False(t, f.Confirmed)
		kind, text := f.Cause()
		require.Equal(t, "oracle disagreement", kind)
		require.Contains(t, text, "the judge is wrong")
	}
}

func TestFindCase(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := filepath.Join(engine.SaveDirName, "sum.tree")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	for _, name := range []string{"sum.tree-a-sum-11111111", "sum.tree-b-sum-22222222", "sum.tree-c-sum-22222222", "sum.tree-a-sum-11111111-2"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+".case"), nil, 0o644))
	}
	a := filepath.Join(dir, "sum.tree-a-sum-11111111.case")
	for name, want := range map[string]string{
		"11111111":                     a,
		"sum.tree-a-sum-11111111.case": a,
		a:                              a,
		"11111111-2":                   filepath.Join(dir, "sum.tree-a-sum-11111111-2.case"),
		"22222222":                     "", // two of them
		"b-sum-22222222":               filepath.Join(dir, "sum.tree-b-sum-22222222.case"),
		"33333333":                     "",
		"1111111":                      "",
	} {
		got := ""
		if found := engine.FilesNamed(name); engine.IsFile(name) {
			got = name
		} else if len(found) == 1 {
			got = found[0]
		}
		require.Equal(t, want, got)
	}
	for file, want := range map[string]string{
		a: "11111111", filepath.Join(dir, "sum.tree-b-sum-22222222.case"): "b-sum-22222222",
		filepath.Join(dir, "sum.tree-a-sum-11111111-2.case"): "11111111-2", "elsewhere-11111111.case": "elsewhere-11111111.case",
	} {
		require.Equal(t, want, engine.ShortestName(file))
	}
}

func TestReproduce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "two words")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	t.Chdir(dir)
	f := &Failure{Violation: engine.Violation{Test: "TestPropSum/sum.tree", Seed: "77"}, Law: Law{ID: model.SumTree}}
	require.Equal(t, "(cd '"+dir+"' && "+report.ShellWord(os.Args[0])+" -test.run '^TestPropSum$' -gamma.law=sum.tree -gamma.seed=77)", f.Reproduce(f.Law.ID), "no module, no go command")
	require.NoError(t, os.WriteFile("go.mod", nil, 0o644))
	require.Equal(t, "go test -C '"+dir+"' -run '^TestPropSum$' -gamma.law=sum.tree -gamma.seed=77", f.Reproduce(f.Law.ID))
	t.Setenv("GAMMA_LEVEL", "thorough")
	require.Equal(t, "go test -C '"+dir+"' -run '^TestPropSum$' -gamma.law=sum.tree -gamma.seed=77 -gamma.level=thorough", f.Reproduce(f.Law.ID))
	require.NoError(t, os.WriteFile("it's.case", nil, 0o644))
	f.File = "it's.case"
	require.Equal(t, "go test -C '"+dir+`' -run '^TestPropSum$' -gamma.case='it'\''s.case'`, f.Reproduce(f.Law.ID))
	f.Test = "FuzzPropSum"
	require.Equal(t, "go test -C '"+dir+`' -run '^FuzzPropSum$' -gamma.case='it'\''s.case'`, f.Reproduce(f.Law.ID))
	f.Isolated = true
	require.Equal(t, "go test -C '"+dir+`' -run '^FuzzPropSum$' -gamma.case='it'\''s.case' -gamma.isolate=true`, f.Reproduce(f.Law.ID))
	t.Setenv("GAMMA_TIMEOUT", "3s")
	require.Equal(t, "go test -C '"+dir+`' -run '^FuzzPropSum$' -gamma.case='it'\''s.case' -gamma.isolate=true -gamma.timeout=3s`, f.Reproduce(f.Law.ID))
	f.Isolated = false
	require.NotContains(t, f.Reproduce(f.Law.ID), "isolate")
	require.NotContains(t, f.Reproduce(f.Law.ID), "timeout")
	f.Test, f.File = "TestPropSum", "corpus/embedded.case"
	require.Equal(t, "go test -C '"+dir+"' -run '^TestPropSum$/^replay$'", f.Reproduce(f.Law.ID))
}

// TestReproduceRuns runs go test on a module of its own, and then the command of the report.
func TestReproduceRuns(t *testing.T) {
	if os.Getenv("GAMMA_LEVEL") != "thorough" {
		t.Skip("it compiles a module, some ten seconds: set GAMMA_LEVEL=thorough")
	}
	t.Setenv("GAMMA_LEVEL", "")
	source, err := filepath.Abs("..")
	require.NoError(t, err)
	root := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	require.NoError(t, err)
	write("go.mod", strings.Replace(string(mod), "module gamma", "module mykernel\n\nrequire gamma v0.0.0\n\nreplace gamma => "+source, 1))
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	require.NoError(t, err)
	write("go.sum", string(sums))
	write("sum_test.go", `package mykernel

import (
	"testing"

	"gamma/props"
)

func TestPropSum(t *testing.T) {
	props.Reduction{Name: "mykernel.Sum", Run: func(x []float32) (s float32) {
		for i, v := range x {
			if i != 6 {
				s += v
			}
		}
		return s
	}}.Check(t)
}
`)
	shell := func(dir, command string) string {
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GAMMA_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		require.Error(t, err, "%s passed:\n%s", command, out)
		return string(out)
	}
	first := shell(root, "go test -run TestPropSum -gamma.law=sum.integers .")
	command := regexp.MustCompile(`(?m)^ *reproduce +(go test .*)$`).FindStringSubmatch(first)
	require.NotNil(t, command, first)
	again := shell(os.TempDir(), command[1])
	require.Contains(t, again, "on file, and replayed")
	require.Contains(t, again, "without x[6]")
	require.Contains(t, again, command[1])
}
