package props

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/kernels"
	"gamma/model"
	"gamma/props/internal/draw"
	"gamma/props/internal/engine"
	"gamma/props/internal/own"
	"gamma/props/internal/vectors"
	"gamma/props/judge"
	"gamma/sumtree"
)

// repeated returns n copies of v.
func repeated(n int, v float32) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = v
	}
	return x
}

// badVectors are the vectors that people forget.
func badVectors() map[string][]float32 {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	least, top := float32(math.SmallestNonzeroFloat32), float32(math.MaxFloat32)
	negZero := math.Float32frombits(1 << 31)
	return map[string][]float32{
		"empty":              {},
		"one leaf":           {1.5},
		"one NaN":            {nan},
		"one infinity":       {-inf},
		"one negative zero":  {negZero},
		"one subnormal":      {-least},
		"all NaN":            repeated(33, nan),
		"signalling NaN":     {1, math.Float32frombits(0x7f800001), 2},
		"all infinite":       repeated(33, inf),
		"infinities of both": {inf, -inf, inf, -inf, inf},
		"subnormals only":    repeated(33, least),
		"cancelling":         {least, -least, 3 * least, -least, -2 * least},
		"largest":            repeated(33, top),
		"largest cancels":    {top, top, -top, -top},
		"negative zeros":     repeated(33, negZero),
		"mixed zeros":        {0, negZero, negZero, 0},
	}
}

// TestBadVectors judges every kernel of ours, by every law that applies, on vectors that people
// forget: no run crashes, and no kernel of ours fails.
func TestBadVectors(t *testing.T) {
	for _, k := range own.Vectors() {
		s := own.Vector(k)
		sub, err := vectorSubject(s)
		require.NoError(t, err)
		for name, v := range badVectors() {
			x := corpus.NewValues(sub.Claim.In, len(v))
			for i, f := range v {
				x.Set(i, encodeIn(sub.Claim.In, f))
			}
			c := corpus.Case{Kernel: k.Name, X: x}
			if k.IsDot() && !sub.Squares {
				c.Y = x.Clone()
			}
			for _, l := range judge.Laws() {
				if sub.Applies(&l) != "" {
					continue
				}
				c.Law = l.ID
				verdict, err := judge.Judge(l, s, &c)
				require.NoError(t, err)
				require.False(t, verdict.Fails(), "%s on %s: %v", k.Name, name, verdict)
				if verdict.Outcome == Vacuous {
					require.NotEmpty(t, verdict.Reason)
				}
			}
		}
	}
}

// encodeIn returns v as an encoding of f: the same kind of datum, with extremes those of f.
func encodeIn(f model.Format, v float32) uint64 {
	a := math.Float32bits(v)
	sign := uint64(a>>31) * f.SignBit()
	switch m := a &^ (1 << 31); {
	case f == model.Binary32:
		return uint64(a)
	case m == 0:
		return sign
	case m > 0x7f800000:
		return f.NaNBits()
	case m == 0x7f800000 && f.HasInf:
		return f.InfBits() | sign
	case m >= 0x7f7fffff:
		return f.MaxBits() | sign
	case m < 16:
		return uint64(m) | sign
	}
	return encodeOnes(f, v) | sign
}

// encodeOnes returns the encoding of 1, 1.5 or 2.
func encodeOnes(f model.Format, v float32) uint64 {
	one := uint64(1-f.Emin) << (f.P - 1)
	switch v {
	case 1.5:
		return one | 1<<(f.P-2)
	case 2:
		return one + 1<<(f.P-1)
	}
	return one
}

// TestPast2To24 judges sums of more leaves than binary32 has consecutive integers: a one after 2^24
// zeros, and as many ones, whose serial sum stands still at 2^24.
func TestPast2To24(t *testing.T) {
	defer debug.FreeOSMemory()
	const n = 1<<24 + 1
	x := make([]float32, n)
	x[n-1] = 1
	judged := func(name string, id model.LawID, run func([]float32) float32, claim model.Claim, want Outcome) {
		t.Helper()
		l, err := judge.LawByID(judge.Laws(), id)
		require.NoError(t, err)
		v, err := judge.Judge(l, Reduction{Name: name, Run: run, Claim: claim}, &corpus.Case{Law: id, X: corpus.Float32s(x)})
		require.NoError(t, err)
		require.Equal(t, want, v.Outcome, "%s: %v", name, v)
	}
	lanes, _ := kernels.Find("kernels.SumLanes")
	judged("lanes", model.SumIntegers, kernels.SumLanes[float32], lanes.Claim, Holds)
	judged("stops", model.SumIntegers, func(x []float32) float32 { return kernels.SumLanes(x[:1<<24]) }, model.Claim{}, Violated)
	for i := range x {
		x[i] = 1
	}
	pairwise, _ := kernels.Find("kernels.SumPairwise")
	judged("pairwise", model.SumHeight, kernels.SumPairwise[float32], pairwise.Claim, Holds)
	judged("serial", model.SumEnclosure, kernels.SumSerial[float32], model.Claim{}, Holds)
	judged("serial as pairwise", model.SumHeight, func(x []float32) float32 { return kernels.SumSerial(x) / 2 }, pairwise.Claim, Violated)
}

// TestBadTrees gives schedules to kernels that follow one: what is no permutation of the leaves, or
// too large, or no tree at all, is a vacuous verdict that says so, and the kernel does not run.
func TestBadTrees(t *testing.T) {
	ran := 0
	sum := Reduction{Name: "following", RunTree: func(tree *sumtree.Tree, x []float32) float32 {
		ran++
		return kernels.SumFollowing(tree, x)
	}}
	dot := Dot{Name: "following", RunTree: func(tree *sumtree.Tree, x, y []float32) float32 {
		ran++
		return dotFollowing(tree, x, y)
	}}
	x := corpus.Float32s([]float32{1, 2, 3, 4})
	for _, c := range []struct{ tree, reason string }{
		{"((0 1) (2 3))", ""},
		{"(0 1 2)", "the tree has 3 leaves and the case 4"},
		{"(0 1 2)#4", "leaf 3 of 4 is missing"},
		{"(0 1 1 3)", "leaf 1 of 4 occurs more than once"},
		{"(0 1 2 3 3)", "leaf 3 of 4 occurs more than once"},
		{"left/5", "the tree has 5 leaves and the case 4"},
		{"left/4", ""},
		{"left/67108864", "67108864"},
		{"left/99999999999999999999", "99999999999999999999"},
		{"(0..67108863)", "column"},
		{"0#67108864", "column"},
		{"lanes/1000000000/4", ""},
		{"any(0 1 2 3)", "its nodes are not all additions of two operands"},
		{"binary16((0 1 2 3))", "its nodes are not all additions of two operands"},
		{"fma(0 1 (2 3))", "its nodes are not all additions of two operands"},
		{"(0 1", "column"},
		{"(0 -1 2 3)", "column"},
		{"shrubs/4", "shrubs"},
		{strings.Repeat("(", 1<<20), "the tree's text has 1048576 bytes, and a tree of 4096 leaves at most 262144"},
		{strings.Repeat("(", 1<<16), "column 65537"},
		{"", ""},
	} {
		for _, s := range []Subject{sum, dot} {
			id := model.SumTree
			cs := corpus.Case{X: x, Tree: c.tree}
			if _, ok := s.(Dot); ok {
				id, cs.Y = model.DotTree, x
			}
			sub, err := vectorSubject(s)
			require.NoError(t, err)
			for _, l := range judge.Laws() {
				if sub.Applies(&l) != "" {
					continue
				}
				ran = 0
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				v, err := judge.Judge(l, s, &cs)
				runtime.ReadMemStats(&after)
				require.NoError(t, err)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20), "%.40s took much memory", c.tree)
				if c.reason == "" {
					require.False(t, v.Fails(), "%.40s: %v", c.tree, v)
					require.NotZero(t, ran)
					if l.ID == id {
						require.Equal(t, Holds, v.Outcome, "%s: %v", c.tree, v)
					}
					continue
				}
				require.Equal(t, Vacuous, v.Outcome, "%.40s: %v", c.tree, v)
				require.Contains(t, v.Reason, c.reason)
				require.Less(t, len(v.Reason), 300, "a reason is a sentence")
				require.Zero(t, ran, "the kernel ran on %.40s", c.tree)
			}
		}
	}
}

// TestTreeForNobody: a case that names a schedule is no case for a kernel that follows none.
func TestTreeForNobody(t *testing.T) {
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	c := corpus.Case{X: corpus.Float32s([]float32{1, 2, 3}), Tree: "right/3"}
	_, err = judge.Judge(l, Reduction{Name: "k.Sum", Run: kernels.SumSerial[float32], Claim: model.Claim{Tree: "left"}}, &c)
	require.EqualError(t, err, `props: case names the tree right/3, and k.Sum follows none that it is given; take the line out of the case, or set RunTree`)
	c.Tree = "left/3" // the claimed one
	v, err := judge.Judge(l, Reduction{Name: "k.Sum", Run: kernels.SumSerial[float32], Claim: model.Claim{Tree: "left"}}, &c)
	require.NoError(t, err)
	require.Equal(t, Holds, v.Outcome)
}

// TestCasesNotTaken gives subjects cases that they cannot run: an error says why.
func TestCasesNotTaken(t *testing.T) {
	f32 := func(n int) corpus.Values { return corpus.NewValues(model.Binary32, n) }
	sum := Reduction{Name: "k.Sum", Run: kernels.SumSerial[float32]}
	dot := Dot{Name: "k.Dot", Run: kernels.DotSerial[float32]}
	mat := Dot{Name: "k.Mat", RunRows: matVec}
	few := Reduction{Name: "k.Few", Run: kernels.SumSerial[float32], Claim: model.Claim{MaxN: 3}}
	rows := Reduction{Name: "k.Rows", RunRows: kernels.SumRows[float32]}
	for _, c := range []struct {
		s    Subject
		c    corpus.Case
		want string // "": taken
	}{
		{sum, corpus.Case{}, "props: case has leaves in no format and k.Sum takes binary32"},
		{sum, corpus.Case{X: corpus.NewValues(model.Binary64, 3)}, "props: case has leaves in binary64 and k.Sum takes binary32"},
		{sum, corpus.Case{X: f32(3), Y: f32(3)}, "props: case has second factors and k.Sum is a sum"},
		{sum, corpus.Case{X: f32(4), Rows: 2}, "props: case has 2 rows and k.Sum reduces one"},
		{sum, corpus.Case{X: f32(4), Rows: -2}, "props: case has -2 rows; a case has one or more"},
		{rows, corpus.Case{X: f32(4), Rows: 3}, "props: case has 4 leaves, which is no multiple of its 3 rows"},
		{rows, corpus.Case{X: f32(4), Rows: 1 << 40}, "props: case has 4 leaves, which is no multiple of its 1099511627776 rows"},
		{rows, corpus.Case{X: f32(0), Rows: 1 << 40}, "props: case has 1099511627776 rows of no leaves; at most 65536"},
		{rows, corpus.Case{X: f32(0), Rows: 4}, ""},
		{few, corpus.Case{X: f32(4)}, "props: case has 4 leaves and k.Few claims to take at most 3"},
		{dot, corpus.Case{X: f32(3)}, "props: case has 3 first and 0 second factors and k.Dot needs as many of both, in binary32"},
		{dot, corpus.Case{X: f32(3), Y: f32(2)}, "props: case has 3 first and 2 second factors and k.Dot needs as many of both, in binary32"},
		{dot, corpus.Case{X: f32(3), Y: corpus.NewValues(model.Binary64, 3)}, "props: case has 3 first and 3 second factors and k.Dot needs as many of both, in binary32"},
		{mat, corpus.Case{X: f32(6), Y: f32(3), Rows: 2}, ""},
		{mat, corpus.Case{X: f32(6), Y: f32(2), Rows: 2}, "props: case has 6 first and 2 second factors and k.Mat needs as many of both, in binary32"},
	} {
		id := model.SumEnclosure
		if _, ok := c.s.(Dot); ok {
			id = model.DotEnclosure
		}
		l, err := judge.LawByID(judge.Laws(), id)
		require.NoError(t, err)
		v, err := judge.Judge(l, c.s, &c.c)
		if c.want == "" {
			require.NoError(t, err)
			require.Equal(t, Holds, v.Outcome)
			continue
		}
		require.EqualError(t, err, c.want)
	}
	sumLaw, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	x := corpus.Case{X: f32(3), Y: f32(3)}
	_, err = judge.Judge(sumLaw, dot, &x)
	require.EqualError(t, err, "props: law sum.enclosure says nothing about k.Dot: the law is one of a sum")
	tree, err := judge.LawByID(judge.Laws(), model.SumTree)
	require.NoError(t, err)
	v, err := judge.Judge(tree, sum, &corpus.Case{X: f32(3)})
	require.NoError(t, err)
	require.Equal(t, Verdict{Outcome: Vacuous, Law: "sum.tree", Reason: "no tree is claimed"}, v)
	_, err = judge.Judge(sumLaw, sum, nil)
	require.EqualError(t, err, "props: there is no case to judge k.Sum on: it is nil")
	_, err = judge.Judge(Law{ID: "mine"}, sum, &corpus.Case{X: f32(3)})
	require.EqualError(t, err, `props: law "mine" has no Judge function`)
}

// hostileKernels misbehave; reason is part of what is said of them.
func hostileKernels() map[string]struct {
	s      Subject
	reason string
} {
	type hostile = struct {
		s      Subject
		reason string
	}
	sum := kernels.SumSerial[float32]
	var kept []float32
	var keptRows [][]float32
	var mu sync.Mutex
	return map[string]hostile{
		"panics": {Reduction{Run: func(x []float32) float32 { return x[len(x)] }}, "the kernel panicked: runtime error: index out of range"},
		"panics with nil": {Reduction{Run: func([]float32) float32 {
			panic(nil) //nolint:govet // on purpose
		}}, "the kernel panicked: panic called with nil argument"},
		"panics with an error": {Reduction{Run: func([]float32) float32 { panic(errLong) }}, "the kernel panicked: no room for 5 leaves"},
		"panics in its error":  {Reduction{Run: func([]float32) float32 { panic(rude{}) }}, "the kernel panicked"},
		"fails":                {Reduction{RunErr: func([]float32) (float32, error) { return 0, errLong }}, "the kernel returned an error: no room for 5 leaves"},
		"fails rudely":         {Reduction{RunErr: func([]float32) (float32, error) { return 0, rude{} }}, "the kernel returned an error"},
		"changes its input": {Reduction{Run: func(x []float32) float32 {
			s := sum(x)
			if len(x) > 1 {
				x[1] = s
			}
			return s
		}}, "the kernel changed leaf 1 of its input"},
		"changes the sign of a zero": {Reduction{Run: func(x []float32) float32 {
			for i, v := range x {
				if v == 0 {
					x[i] = -v
				}
			}
			return sum(x)
		}}, "of its input"},
		"changes the second factors": {Dot{Run: func(x, y []float32) float32 {
			s := kernels.DotSerial(x, y)
			copy(y, x)
			return s
		}}, "second factor"},
		"writes later": {Reduction{Run: func(x []float32) float32 {
			for i := range kept {
				kept[i] = 42
			}
			kept = x
			return sum(x)
		}}, "of its input after it had returned"},
		"writes its rows later": {Reduction{RunRows: func(dst, x []float32, n int) {
			kernels.SumRows(dst, x, n)
			mu.Lock()
			defer mu.Unlock()
			if keptRows = append(keptRows, x); len(keptRows) > 2 {
				for _, k := range keptRows[:2] {
					for i := range k {
						k[i]++
					}
				}
				keptRows = nil
			}
		}}, "of its input"},
		"answers with garbage": {
			Reduction{Claim: model.Claim{In: model.Binary16}, RunBits: func([]uint16) uint64 { return 0xdeadbeef }},
			"the kernel returned 0xdeadbeef, which is no encoding of binary16",
		},
		"answers with garbage of 8 bits": {
			Reduction{Claim: model.Claim{In: model.E4M3}, RunBits: func([]uint16) uint64 { return 0x1ff }},
			"the kernel returned 0x1ff, which is no encoding of e4m3",
		},
		"leaves its rows alone": {Reduction{RunRows: func([]float32, []float32, int) {}}, ""},
		"is flaky":              {flaky(), ""},
	}
}

// rude is an error whose text panics.
type rude struct{}

func (rude) Error() string { panic("no manners") }

// flaky is a sum that is wrong every third time.
func flaky() Reduction {
	calls := 0
	return Reduction{Run: func(x []float32) float32 {
		if calls++; calls%3 == 0 {
			return kernels.SumSerial(x) + 1
		}
		return kernels.SumSerial(x)
	}}
}

// TestHostileKernels searches, reduces, explains and reports kernels that misbehave: each gets a
// verdict that says what it did, and the run goes on.
func TestHostileKernels(t *testing.T) {
	for name, h := range hostileKernels() {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s := named(h.s, "hostile."+strings.ReplaceAll(name, " ", "_"))
			sub, err := vectorSubject(s)
			require.NoError(t, err)
			set := engine.Settings{Seed: engine.FixedSeed, SeedText: "fixed", MaxN: 64, Save: engine.SaveDirName}
			r := vectors.NewRun(sub, set)
			l, err := judge.LawByID(judge.Laws(), model.LawID(sub.Op.String()+".enclosure"))
			require.NoError(t, err)
			d := vectors.NewDrawer(r, &l)
			trial := vectors.NewTrial(sub)
			rng := draw.Splitmix(1)
			for range 500 {
				c := drawnWith(d, &rng)
				v := trial.Judge(&l, c)
				if !v.Fails() {
					continue
				}
				require.Contains(t, v.Reason, h.reason)
				require.NotEmpty(t, v.Reason)
				f := reduced(r, &l, keep(c), nil)
				require.Contains(t, strings.Join(strings.Fields(f.Text()), " "), h.reason)
				require.Empty(t, f.NotSaved)
				require.NotContains(t, strings.ReplaceAll(f.Text(), "%!v(PANIC=Error method: no manners)", ""), "%!")
				if !strings.Contains(name, "flaky") {
					require.NotEmpty(t, f.File, f.Text())
					text, err := os.ReadFile(f.File)
					require.NoError(t, err)
					_, err = corpus.Parse[*corpus.Case](text, engine.ReplayOptions)
					require.NoError(t, err)
				}
				return
			}
			t.Fatal("no law saw anything")
		})
	}
}

// TestSavedCasesSurvive: a new counterexample is saved beside what is on file, whatever that is.
func TestSavedCasesSurvive(t *testing.T) {
	t.Chdir(t.TempDir())
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	sub, err := Reduction{Name: "k.Sum", Run: func(x []float32) float32 { return 0 }}.Kernel()
	require.NoError(t, err)
	r := vectors.NewRun(sub, engine.Settings{Save: engine.SaveDirName})
	c := &corpus.Case{Law: l.ID, Kernel: "k.Sum", X: corpus.Float32s([]float32{3, 5, 7})}
	first := reduced(r, &l, c, nil)
	require.Empty(t, first.NotSaved)
	was, err := os.ReadFile(first.File)
	require.NoError(t, err)
	again := reduced(r, &l, c, nil)
	require.Equal(t, first.File, again.File, "the same case is one file")
	now, err := os.ReadFile(first.File)
	require.NoError(t, err)
	require.Equal(t, was, now)

	edited := append([]byte("# a word of its owner\n"), was...)
	require.NoError(t, os.WriteFile(first.File, edited, 0o644))
	other := reduced(r, &l, c, nil)
	require.Empty(t, other.NotSaved)
	require.NotEqual(t, first.File, other.File, "what cannot be read is left alone")
	now, err = os.ReadFile(first.File)
	require.NoError(t, err)
	require.Equal(t, edited, now)

	require.NoError(t, os.Chmod(filepath.Dir(first.File), 0o555))
	defer func() { require.NoError(t, os.Chmod(filepath.Dir(first.File), 0o755)) }()
	sub.Name = "k.Other"
	if f := reduced(r, &l, c, nil); os.Getuid() != 0 {
		require.NotEmpty(t, f.NotSaved)
		require.Contains(t, f.Text(), "not saved")
	}
}

// TestBadFiles replays a directory of case files that are malformed, cut off, hostile, or for others:
// each is an error that names the file, and the good case among them is judged all the same.
func TestBadFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	good := "gamma case v1\nlaw sum.enclosure\nkernel k.Sum\nexpect holds\nn 3\nx 0 0x1p+0    # 1\nx 2 0x1p+1    # 2\n"
	files := map[string]struct{ text, err string }{
		"good.case":      {good, ""},
		"empty.case":     {"", "empty.case:1"},
		"text.case":      {"hello\n", "text.case:1"},
		"cut.case":       {good[:len(good)-30], "cut.case"},
		"half.case":      {good[:40], "half.case"},
		"zeros.case":     {strings.Repeat("\x00", 4096), "zeros.case:1"},
		"huge.case":      {strings.Replace(good, "n 3", "n 99999999999", 1), "huge.case"},
		"large.case":     {strings.Replace(good, "n 3", "n 1073741824", 1), "large.case"},
		"outside.case":   {strings.Replace(good, "x 2", "x 3", 1), "outside.case"},
		"nolaw.case":     {strings.Replace(good, "sum.enclosure", "sum.enclosed", 1), `nolaw.case: no law of a sum is called "sum.enclosed"`},
		"notmine.case":   {strings.Replace(good, "sum.enclosure", "sum.tree", 1), "notmine.case: law sum.tree says nothing about k.Sum"},
		"format.case":    {strings.Replace(good, "n 3", "format binary64\nn 3", 1), "format.case: props: case has leaves in binary64 and k.Sum takes binary32"},
		"gen.case":       {"gamma case v1\nlaw sum.enclosure\nkernel k.Sum\nexpect holds\nn 268435456\ngen window n=268435456 a=0 b=0 seed=1\nsha256 " + strings.Repeat("0", 64) + "\n", "gen.case"},
		"wrongsha.case":  {"gamma case v1\nlaw sum.enclosure\nkernel k.Sum\nexpect holds\nn 4\ngen window n=4 a=0 b=0 seed=1\nsha256 " + strings.Repeat("0", 64) + "\n", "its generator has changed"},
		"nofamily.case":  {"gamma case v1\nlaw sum.enclosure\nkernel k.Sum\nexpect holds\nn 4\ngen windows n=4 a=0 b=0 seed=1\nsha256 " + strings.Repeat("0", 64) + "\n", `no family of inputs is called "windows"`},
		"other.case":     {strings.Replace(good, "k.Sum", "k.Other", 1), ""},
		"sub/other.case": {strings.Replace(good, "k.Sum", "k.Gone", 1), ""},
		"readme.txt":     {"no case", ""},
		"wrong-want.case": {
			strings.Replace(good, "expect holds", "expect holds\nwant 0x1p+5", 1), "wrong-want.case: the case wants 0x1p+5",
		},
		"open.case": {strings.Replace(good, "expect holds", "expect violated", 1), "known open fault, and the law does not fail it any more"},
	}
	for name, f := range files {
		path := filepath.Join(engine.SaveDirName, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(f.text), 0o644))
	}
	sub, err := Reduction{Name: "k.Sum", Run: kernels.SumSerial[float32]}.Kernel()
	require.NoError(t, err)
	r := vectors.NewRun(sub, engine.Settings{})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	said := &errorsTB{TB: t}
	engine.New(r).Replay(said, func(_ string, part func(t engine.TB)) { part(said) })
	errs := said.errs
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(256<<20))
	all := errors.Join(errs...).Error()
	wrong := 0
	for name, f := range files {
		if f.err != "" {
			wrong++
			require.Contains(t, all, f.err, name)
		} else {
			require.NotContains(t, all, name)
		}
	}
	require.Len(t, errs, wrong, all)
	text := engine.NotJudged([]*SubjectSummary{{Subject: r.Sub.Name}})
	require.Contains(t, text, "on file for kernels that were not judged so far: ")
	require.Contains(t, text, "k.Gone, k.Other")
	require.NotContains(t, text, r.Sub.Name)
	require.GreaterOrEqual(t, r.Stats(model.SumEnclosure).Replayed, 1)
	for name, f := range files { // nothing was touched
		now, err := os.ReadFile(filepath.Join(engine.SaveDirName, name))
		require.NoError(t, err)
		require.Equal(t, f.text, string(now), name)
	}
}

// errorsTB keeps the errors of a test instead of failing it.
type errorsTB struct {
	testing.TB
	errs []error
}

func (e *errorsTB) Errorf(f string, a ...any) { e.errs = append(e.errs, fmt.Errorf(f, a...)) }

func (e *errorsTB) Error(a ...any) { e.errs = append(e.errs, errors.New(fmt.Sprint(a...))) }

func (e *errorsTB) Log(...any) {}
