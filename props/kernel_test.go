package props

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/check"
	"gamma/props/internal/engine"
	"gamma/props/internal/formulas"
	"gamma/props/judge"
)

// rowsKernel computes rows of n numbers, one after the other.
type rowsKernel func(dst, x []float32, rows, n int)

// ofRows returns the subject of a formula of rows of x.
func ofRows(name string, f *formula.Expr, run rowsKernel) Kernel {
	return Kernel{Name: name, Formula: f, Call: func(c *KernelCall) error {
		run(c.Float32("dst"), c.Float32("x"), c.Size("row"), c.Size("n"))
		return nil
	}}
}

var (
	softmaxOfRows   = formula.Softmax(formula.Matrix("x", "row", "n"), "n")
	layerNormOfRows = func() *formula.Expr {
		x := formula.Matrix("x", "row", "n")
		d := formula.Sub(x, formula.Mean(x, "n"))
		return formula.Mul(d, formula.Rsqrt(formula.Add(formula.Variance(x, "n"), formula.Const(1e-5))))
	}()
)

// eachRow makes a rowsKernel of one for a row.
func eachRow(f func(dst, x []float32)) rowsKernel {
	return func(dst, x []float32, rows, n int) {
		for i := range rows {
			f(dst[i*n:(i+1)*n], x[i*n:(i+1)*n])
		}
	}
}

func softmaxRow(dst, x []float32) {
	softmaxBy(dst, x, x, func(v float32) float32 { return v })
}

// softmaxBy takes the maximum of by, and rounds exponentials.
func softmaxBy(dst, x, by []float32, round func(float32) float32) {
	m := float32(math.Inf(-1))
	for _, v := range by {
		m = max(m, v)
	}
	s := float32(0)
	for i, v := range x {
		dst[i] = round(float32(math.Exp(float64(v - m))))
		s = round(s + dst[i])
	}
	for i := range dst {
		dst[i] /= s
	}
}

// bfloat16 rounds by truncation of all but 8 bits.
func bfloat16(v float32) float32 { return math.Float32frombits(math.Float32bits(v) & 0xffff0000) }

// norm has what layer norms differ by.
type norm struct {
	count         int // of n, for the variance
	tail          int // the first elements of the last n%tail are not in the sums
	onePass       bool
	outside, half bool
}

func (k norm) row(dst, x []float32) {
	round := func(v float32) float32 { return v }
	if k.half {
		round = brain16 // to nearest: what is cut off fits no arithmetic of this format
	}
	n := float32(len(x))
	in := x
	if k.tail > 0 {
		in = x[:len(x)-len(x)%k.tail]
	}
	var s, q float32
	for _, v := range in {
		s = round(s + v)
		q += float32(v * v)
	}
	m := s / n
	variance := q/n - float32(m*m)
	if !k.onePass {
		q = 0
		for _, v := range in {
			d := v - m
			q = round(q + float32(d*d))
		}
		variance = q / (n - float32(k.count))
	}
	r := float32(1 / math.Sqrt(float64(variance+1e-5)))
	if k.outside {
		r = float32(1 / (math.Sqrt(float64(variance)) + 1e-5))
	}
	for i, v := range x {
		dst[i] = float32((v - m) * r)
	}
}

// kernelMutant is a kernel with a planted fault: by which laws it is killed, and which it holds.
type kernelMutant struct {
	name         string
	formula      *formula.Expr
	run          func() rowsKernel // each call returns a kernel with its own state
	kills, holds []model.LawID
}

// just returns a kernel without state.
func just(k rowsKernel) func() rowsKernel { return func() rowsKernel { return k } }

// beside returns a kernel that is right, then changed.
func beside(right rowsKernel, change func(dst, x []float32, rows, n int)) func() rowsKernel {
	return just(func(dst, x []float32, rows, n int) {
		right(dst, x, rows, n)
		change(dst, x, rows, n)
	})
}

// stale returns, of every second call of one shape, the result of the one before.
func stale(right rowsKernel) func() rowsKernel {
	return func() rowsKernel {
		var last []float32
		return func(dst, x []float32, rows, n int) {
			if len(last) == len(dst) && len(dst) > 0 {
				copy(dst, last)
				last = nil
				return
			}
			right(dst, x, rows, n)
			last = slices.Clone(dst)
		}
	}
}

// atFirst is right for some calls, and then forgets the last element.
func atFirst(right rowsKernel) func() rowsKernel {
	return func() rowsKernel {
		calls := 0
		return func(dst, x []float32, rows, n int) {
			right(dst, x, rows, n)
			if calls++; calls > 100 && len(dst) > 1 {
				dst[len(dst)-1] = 0
			}
		}
	}
}

// roundSizes is right where n is a multiple of 4; else it leaves the last elements of rows out of the sums.
func roundSizes(row func(dst, x []float32)) func() rowsKernel {
	return just(eachRow(func(dst, x []float32) {
		n := len(x) - len(x)%4
		row(dst[:n], x[:n])
		row(dst[n:], x[n:])
	}))
}

// mutantsOf returns the mutants that any kernel of rows has.
func mutantsOf(what string, f *formula.Expr, row func(dst, x []float32)) []kernelMutant {
	right := eachRow(row)
	is := func(name string, run func() rowsKernel, kills ...model.LawID) kernelMutant {
		return kernelMutant{what + "_" + name, f, run, append([]model.LawID{model.FormulaEnclosure}, kills...), nil}
	}
	fill := func(v float32) func() rowsKernel {
		return just(func(dst, _ []float32, _, _ int) {
			for i := range dst {
				dst[i] = v
			}
		})
	}
	return []kernelMutant{
		is("zeros", fill(0)),
		is("constant", fill(0.5)),
		is("nan", fill(float32(math.NaN()))),
		is("input", just(func(dst, x []float32, _, _ int) { copy(dst, x) })),
		is("previous", stale(right), model.FormulaPure),
		is("first_calls", atFirst(right)),
		is("round_sizes", roundSizes(row)),
		is("unwritten", beside(func([]float32, []float32, int, int) {}, func(dst, x []float32, rows, n int) { right(dst, x, min(rows, 3), n) })),
		is("neighbour", just(func(dst, x []float32, rows, n int) {
			right(dst, x, rows, n)
			if rows > 1 { // the last row is that of the row before
				copy(dst[(rows-1)*n:], dst[(rows-2)*n:(rows-1)*n])
			}
		}), model.FormulaIndependent),
	}
}

func kernelMutants() []kernelMutant {
	enclosure := []model.LawID{model.FormulaEnclosure}
	pure := []model.LawID{model.FormulaPure, model.FormulaIndependent}
	return slices.Concat(mutantsOf("softmax", softmaxOfRows, softmaxRow), mutantsOf("layernorm", layerNormOfRows, norm{}.row), []kernelMutant{
		{"softmax_no_max", softmaxOfRows, just(eachRow(func(dst, x []float32) { softmaxBy(dst, x, []float32{0}, func(v float32) float32 { return v }) })), enclosure, pure},
		{"softmax_bfloat16", softmaxOfRows, just(eachRow(func(dst, x []float32) { softmaxBy(dst, x, x, bfloat16) })), enclosure, pure},
		{"softmax_other_max", softmaxOfRows, just(func(dst, x []float32, rows, n int) {
			for i := range rows {
				softmaxBy(dst[i*n:(i+1)*n], x[i*n:(i+1)*n], x[:n], func(v float32) float32 { return v })
			}
		}), enclosure, nil},
		{"layernorm_wrong_count", layerNormOfRows, just(eachRow(norm{count: 1}.row)), enclosure, pure},
		{"layernorm_tail", layerNormOfRows, just(eachRow(norm{tail: 4}.row)), enclosure, pure},
		{"layernorm_one_pass", layerNormOfRows, just(eachRow(norm{onePass: true}.row)), enclosure, pure},
		{"layernorm_epsilon_outside", layerNormOfRows, just(eachRow(norm{outside: true}.row)), enclosure, pure},
		{"layernorm_bfloat16", layerNormOfRows, just(eachRow(norm{half: true}.row)), enclosure, pure},
	})
}

func (m *kernelMutant) subject() Kernel { return ofRows("mutants."+m.name, m.formula, m.run()) }

// TestKernelMutants holds each law to the mutants that it kills, and to those that it does not.
func TestKernelMutants(t *testing.T) {
	for _, m := range kernelMutants() {
		t.Run(m.name, func(t *testing.T) {
			for _, id := range slices.Concat(m.kills, m.holds) {
				l, err := judge.LawByID(judge.FormulaLaws(), id)
				require.NoError(t, err)
				draws := 2000
				if slices.Contains(m.holds, id) {
					draws = 100
				}
				_, n, v, err := judge.Search(l, m.subject(), draws)
				require.NoError(t, err)
				require.Equal(t, slices.Contains(m.kills, id), v.Outcome == Violated, "%s: %v", id, v)
				if v.Fails() {
					t.Logf("%-26s %-18s killed after %4d: %s", m.name, id, n, v.Reason)
				}
			}
		})
	}
}

// TestKernelCauses: the one variant of the formula that explains a mutant is named, and nothing where none does.
func TestKernelCauses(t *testing.T) {
	causes := map[string]string{
		"softmax_no_max":            "without the maximum that is subtracted",
		"layernorm_one_pass":        "with E[x²] - E[x]² as the variance",
		"layernorm_epsilon_outside": "with epsilon outside of the root",
		"layernorm_bfloat16":        "operations in bfloat16",
		"softmax_round_sizes":       "without the last elements along n",
		"layernorm_zeros":           "",
		"softmax_input":             "",
		"softmax_constant":          "",
		"layernorm_wrong_count":     "with n-1 in the place of n in a division",
		"softmax_neighbour":         "fit the row of the inputs beside theirs",
		"layernorm_neighbour":       "fit the row of the inputs beside theirs",
		"layernorm_round_sizes":     "without the last elements along n",
	}
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	for _, m := range kernelMutants() {
		want, listed := causes[m.name]
		if !listed {
			continue
		}
		f, _, err := judge.Find(l, m.subject(), 3000)
		require.NoError(t, err)
		require.NotNil(t, f, m.name)
		cause := f.(*formulas.Failure).Cause
		t.Logf("%s: %s", m.name, cause)
		if want == "" {
			require.Empty(t, cause, m.name)
		} else {
			require.Contains(t, cause, want, m.name)
		}
	}
}

// TestKernelReports compares the reports of some mutants with those on file.
func TestKernelReports(t *testing.T) {
	for _, m := range kernelMutants() {
		if !slices.Contains([]string{"softmax_zeros", "softmax_no_max", "layernorm_one_pass", "layernorm_neighbour", "softmax_nan"}, m.name) {
			continue
		}
		l, err := judge.LawByID(judge.FormulaLaws(), m.kills[len(m.kills)-1])
		require.NoError(t, err)
		f, _, err := judge.Find(l, m.subject(), 3000)
		require.NoError(t, err)
		require.NotNil(t, f, m.name)
		requireReport(t, f, "formula", m.name)
	}
}

func TestPropSoftmax(t *testing.T) {
	Kernel{Name: "mine.Softmax", Formula: formula.Softmax(formula.Vector("x")), Run: softmaxRow}.Check(t)
}

func TestPropSoftmaxRows(t *testing.T) {
	ofRows("mine.SoftmaxRows", softmaxOfRows, eachRow(softmaxRow)).Check(t)
}

func TestPropLayerNorm(t *testing.T) {
	ofRows("mine.LayerNorm", layerNormOfRows, eachRow(norm{}.row)).Check(t)
}

// TestKernelCase judges inputs given as files hold them.
func TestKernelCase(t *testing.T) {
	l, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	k := Kernel{Name: "k", Formula: formula.Add(formula.Vector("x"), formula.Const(1)), Max: map[string]int{"n": 2}, Run: func(dst, x []float32) {
		copy(dst, x)
	}}
	in := func(values ...float32) *corpus.Arrays {
		a := corpus.Array{Name: "x", Type: formula.Float(model.Binary32), Axes: []string{"n"}}
		for _, v := range values {
			a.Bits = append(a.Bits, uint64(math.Float32bits(v)))
		}
		return &corpus.Arrays{Axes: []corpus.Axis{{Name: "n", Size: len(values)}}, Inputs: []corpus.Array{a}}
	}
	v, err := judge.Judge(l, k, in(0x1p60))
	require.NoError(t, err)
	require.Equal(t, Holds, v.Outcome)
	v, err = judge.Judge(l, k, in(0x1p60, 3))
	require.NoError(t, err)
	require.Equal(t, "element 1 of 2 is 3, and the formula allows 4 alone", v.Reason)
	v, err = judge.Judge(l, k, in(float32(math.Inf(1))))
	require.NoError(t, err)
	require.Equal(t, Vacuous, v.Outcome)
	finite := k
	finite.Formula, finite.Claim.Finite = formula.Sigmoid(formula.Vector("x")), true
	for x, want := range map[float32]Outcome{-100: Vacuous, 1: Violated} {
		v, err = judge.Judge(l, finite, in(x))
		require.NoError(t, err)
		require.Equal(t, want, v.Outcome)
	}
	for _, wrong := range []corpus.Body{in(1, 2, 3), &corpus.Arrays{}, &corpus.Integers{}, nil, (*corpus.Arrays)(nil)} {
		_, err := judge.Judge(l, k, wrong)
		require.Error(t, err)
	}
	f, err := judge.Examine(l, k, in(7, 3))
	require.NoError(t, err)
	require.Contains(t, f.Text(), "sizes       n 1\n")
}

// TestKernelFields names the field that is wrong.
func TestKernelFields(t *testing.T) {
	x := formula.Vector("x")
	run := func(dst, x []float32) {}
	call := func(*KernelCall) error { return nil }
	for text, k := range map[string]Kernel{
		"has no Name":                          {Formula: x, Run: run},
		"sets both Run and Call":               {Name: "k", Formula: x, Run: run, Call: call},
		"sets no Run function":                 {Name: "k", Formula: x},
		"it has no Formula":                    {Name: "k", Run: run},
		"has no axis":                          {Name: "k", Formula: formula.Sum(formula.Scalar("s")), Run: run},
		"it sets Run, which takes one input":   {Name: "k", Formula: formula.Add(x, formula.Vector("y")), Run: run},
		"Max sets axis \"m\" to":               {Name: "k", Formula: x, Run: run, Max: map[string]int{"m": 3}},
		"no multiple of 8 from":                {Name: "k", Formula: x, Run: run, Min: map[string]int{"n": 9}, Max: map[string]int{"n": 15}, Multiple: map[string]int{"n": 8}},
		"the name of the result":               {Name: "k", Formula: formula.Vector("dst"), Run: run},
		"it sets Run64, which takes one input": {Name: "k", Formula: x, Run64: func(dst, x []float64) {}, Claim: formula.Claim{Format: model.Binary64}},
		"has 30 bits":                          {Name: "k", Formula: x, Run: run, Claim: formula.Claim{Format: model.Format{Name: "wide", P: 30, Emin: -126, Emax: 127, MaxFinite: 1<<30 - 1}}},
		"of its own has the ID":                {Name: "k", Formula: x, Run: run, Laws: []formulas.Law{{ID: model.FormulaExact, Judge: func(*KernelCall) Verdict { return Verdict{} }}}},
		"say Finite":                           {Name: "k", Formula: x, Run: run, Claim: formula.Claim{Within: x}},
		"results are binary16, and points":     {Name: "k", Formula: x, Call: call, Out: formula.Float(model.Binary16), Claim: formula.Claim{Points: make([]formula.Point, 1)}},
		"point \"p\" of Claim.Points: input x": {Name: "k", Formula: x, Run: run, Claim: formula.Claim{Points: []formula.Point{{Name: "p", Sizes: map[string]int{"n": 2}}}}},
		"axis n has the size 0":                {Name: "k", Formula: x, Run: run, Min: map[string]int{"n": 1}, Claim: formula.Claim{Points: []formula.Point{{Name: "p"}}}},
		"gives the axes [], and ":              {Name: "k", Formula: x, Run: run, Claim: formula.Claim{AnyOf: []*formula.Expr{formula.Sum(x)}}},
	} {
		_, err := k.Judged(engine.Settings{})
		require.ErrorContains(t, err, text)
	}
}

// FuzzKernel judges a right kernel on inputs that Go's fuzzer makes.
func FuzzKernel(f *testing.F) {
	ofRows("mine.SoftmaxRows", softmaxOfRows, eachRow(softmaxRow)).Fuzz(f)
}

// benchmarkFormulas measures formula.enclosure through rapid: draw, expand, run the kernel, enclose, judge. Every family takes part.
func benchmarkFormulas(b *testing.B) {
	matrix := formula.Dot(formula.Matrix("a", "i", "k"), formula.Matrix("b", "k", "j"), "k")
	for _, k := range []struct {
		name, unit string
		kernel     Kernel
	}{
		{"softmax/n=1024", "rows/s", Kernel{
			Name: "mine.Softmax", Formula: formula.Softmax(formula.Vector("x")), Run: softmaxRow, Fixed: map[string]int{"n": 1024},
		}},
		{"gemm/64x64x256", "products/s", Kernel{
			Name: "mine.GEMM", Formula: matrix, Fixed: map[string]int{"i": 64, "j": 64, "k": 256},
			Call: func(c *KernelCall) error {
				product(c.Float32("dst"), c.Float32("a"), c.Float32("b"), c.Size("i"), c.Size("j"), c.Size("k"))
				return nil
			},
		}},
	} {
		b.Run("formula/"+k.name, func(b *testing.B) {
			e, ok := check.Open(b, k.kernel.Judged).(*engine.Engine)
			if !ok {
				b.Fatal("the subject does not open")
			}
			enclosure, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
			if err != nil {
				b.Fatal(err)
			}
			e.Base().Set.MaxN = 1 << 22
			l := engine.Erase(&enclosure)
			src, err := e.Source(l, false)
			if err != nil {
				b.Fatal(err)
			}
			e.Base().Start(b, e.Recall)
			defer e.Base().Rec.Close()
			trial := e.Trial()
			b.ResetTimer()
			if stopped := check.RunRapid(b.N, false, func(w engine.Draw) bool {
				in, _ := src.Make(w, 0)
				v := e.Judge(trial, l, in)
				return v.Fails()
			}); stopped != "" {
				b.Fatal(stopped)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), k.unit)
		})
	}
}

// product computes dst = a·b, row by row.
func product(dst, a, b []float32, rows, columns, n int) {
	clear(dst)
	for i := range rows {
		for k := range n {
			row, x := dst[i*columns:][:columns], a[i*n+k]
			for j, y := range b[k*columns:][:columns] {
				row[j] += float32(x * y)
			}
		}
	}
}
