package props_test

import (
	"fmt"
	"math"
	"testing"

	"gamma/corpus"
	"gamma/model"
	"gamma/props"
	"gamma/props/judge"
	"gamma/sumtree"
)

// fastSum is a sum in four lanes, as a user might write it. It forgets what is left over.
func fastSum(x []float32) float32 {
	var a, b, c, d float32
	for i := 0; i+4 <= len(x); i += 4 {
		a += x[i]
		b += x[i+1]
		c += x[i+2]
		d += x[i+3]
	}
	return (a + b) + (c + d)
}

// A subject is a struct literal around a kernel. In a test, Check replays and searches; here one case
// is judged, which needs no test.
func ExampleReduction() {
	sum := props.Reduction{Name: "mykernel.Sum", Run: fastSum}
	// func TestPropSum(t *testing.T) { sum.Check(t) }
	// func FuzzPropSum(f *testing.F) { sum.Fuzz(f) }

	law, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	if err != nil {
		panic(err)
	}
	for _, x := range [][]float32{{1, 2, 3, 4}, {1, 2, 3, 4, 5}} {
		v, err := judge.Judge(law, sum, &corpus.Case{X: corpus.Float32s(x)})
		if err != nil {
			panic(err)
		}
		fmt.Println(v.Outcome)
	}
	// Output:
	// holds
	// violated
}

// A claim tightens what is judged: this dot product promises to add its products from the left, and
// adds them from the right.
func ExampleDot() {
	dot := props.Dot{
		Name: "mykernel.Dot",
		Run: func(x, y []float32) float32 {
			var s float32
			for i := len(x) - 1; i >= 0; i-- {
				s += float32(x[i] * y[i])
			}
			return s
		},
		Claim: model.Claim{Tree: "left"},
	}
	c := corpus.Case{
		X: corpus.Float32s([]float32{1 << 24, 1, 1}),
		Y: corpus.Float32s([]float32{1, 1, 1}),
	}
	for _, id := range []model.LawID{model.DotEnclosure, model.DotTree} {
		law, err := judge.LawByID(judge.Laws(), id)
		if err != nil {
			panic(err)
		}
		v, err := judge.Judge(law, dot, &c)
		if err != nil {
			panic(err)
		}
		fmt.Println(v)
		if w := v.Witness; w != nil {
			fmt.Println("computed", w.GotText)
			fmt.Println("expected", w.WantText)
		}
	}
	// Output:
	// dot.enclosure: holds, error/bound 0 of order-free ku/(1+ku), k=n-1
	// dot.tree: violated: the result is not the one of the claimed schedule
	// computed 0x1.000002p+24 (16777218)
	// expected 0x1p+24 (16777216), the schedule replayed
}

// Judge judges one case by one law. The verdict says how near the error came to the bound, and which
// bound that was.
func ExampleJudge() {
	sum := props.Reduction{
		Name: "mykernel.Sum",
		Run: func(x []float32) float32 {
			var s float32
			for _, v := range x {
				s += v
			}
			return s
		},
	}
	law, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	if err != nil {
		panic(err)
	}
	v, err := judge.Judge(law, sum, &corpus.Case{X: corpus.Float32s([]float32{1, 0x1p-24, 0x1p-24})})
	if err != nil {
		panic(err)
	}
	fmt.Println(v.Outcome)
	fmt.Println(v.Bound)
	fmt.Printf("error/bound %.3f\n", v.Ratio)
	// Output:
	// holds
	// order-free ku/(1+ku), k=n-1
	// error/bound 1.000
}

// A law of the user's own is a function of a trial. It is drawn for, reduced, reported and replayed
// like the built-in ones.
func ExampleLaw() {
	never := props.Law{
		ID: "sum.monotone", Op: props.OpSum,
		Statement:  "no leaf is negative, therefore computed >= 0",
		Hypotheses: "every leaf is 0 or above",
		Judge: func(t *props.Trial) props.Verdict {
			for i := range t.N() {
				if x := t.X().F32[i]; !(x >= 0) {
					return props.Verdict{Outcome: props.Vacuous, Reason: "a leaf is negative or no number"}
				}
			}
			if got := math.Float32frombits(uint32(t.Got())); got < 0 {
				return props.Verdict{
					Outcome: props.Violated, Reason: "the sum of what is not negative is",
					Witness: &props.Witness{WantText: "0 or above"},
				}
			}
			return props.Verdict{Outcome: props.Holds}
		},
	}
	sum := props.Reduction{
		Name: "mykernel.Sum",
		Run:  func(x []float32) float32 { return x[0] - x[1] },
		Laws: []props.Law{never},
	}
	for _, x := range [][]float32{{2, 1}, {-2, 1}, {1, 2}} {
		v, err := judge.Judge(never, sum, &corpus.Case{X: corpus.Float32s(x)})
		if err != nil {
			panic(err)
		}
		fmt.Println(v)
	}
	// Output:
	// sum.monotone: holds
	// sum.monotone: vacuous: a leaf is negative or no number
	// sum.monotone: violated: the sum of what is not negative is
}

// Kernels of 16- and 8-bit formats take and give encodings. This one sums bfloat16 in binary32, and
// rounds nothing until its caller does.
func ExampleReduction_runBits() {
	sum := props.Reduction{
		Name: "mykernel.SumBFloat",
		RunBits: func(x []uint16) uint64 {
			var s float32
			for _, b := range x {
				s += math.Float32frombits(uint32(b) << 16)
			}
			return uint64(math.Float32bits(s))
		},
		Claim: model.Claim{In: model.BFloat16, Acc: model.Binary32, Out: model.Binary32, Tree: "left"},
	}
	law, err := judge.LawByID(judge.Laws(), model.SumTree)
	if err != nil {
		panic(err)
	}
	x := []uint16{0x3f80, 0x4000, 0x4040} // 1, 2, 3
	v, err := judge.Judge(law, sum, &corpus.Case{X: corpus.Encodings(model.BFloat16, x)})
	fmt.Println(v, err)
	// Output:
	// sum.tree: holds <nil>
}

// A kernel that takes a schedule is judged bit for bit against the one that it was given.
func ExampleReduction_runTree() {
	sum := props.Reduction{
		Name: "mykernel.SumTree",
		RunTree: func(t *sumtree.Tree, x []float32) float32 {
			var s float32 // ignores t and adds from the left
			for _, v := range x {
				s += v
			}
			return s
		},
	}
	law, err := judge.LawByID(judge.Laws(), model.SumTree)
	if err != nil {
		panic(err)
	}
	x := corpus.Float32s([]float32{1, 0x1p-24, 0x1p-24, 0x1p-24})
	for _, tree := range []string{"left/4", "pairwise/4", "((0 3) (1 2))", "(0 1 2)"} {
		v, err := judge.Judge(law, sum, &corpus.Case{X: x, Tree: tree})
		if err != nil {
			panic(err)
		}
		fmt.Printf("%-14s %v\n", tree, v)
	}
	// Output:
	// left/4         sum.tree: holds
	// pairwise/4     sum.tree: violated: the result is not the one of the claimed schedule
	// ((0 3) (1 2))  sum.tree: violated: the result is not the one of the claimed schedule
	// (0 1 2)        sum.tree: vacuous: the tree has 3 leaves and the case 4
}

// A kernel of many rows gets them one after the other. The witness tells which row is wrong.
func ExampleReduction_runRows() {
	sums := props.Reduction{
		Name: "mykernel.SumRows",
		RunRows: func(dst, x []float32, n int) {
			for i := range dst {
				dst[i] = 0
				for _, v := range x[i*n : (i+1)*n] {
					dst[i] += v
				}
			}
			dst[len(dst)-1] = dst[0]
		},
	}
	law, err := judge.LawByID(judge.Laws(), model.SumIntegers)
	if err != nil {
		panic(err)
	}
	v, err := judge.Judge(law, sums, &corpus.Case{Rows: 3, X: corpus.Float32s([]float32{1, 2, 3, 4, 5, 6})})
	if err != nil {
		panic(err)
	}
	fmt.Println(v.Outcome, "in row", v.Witness.Row)
	fmt.Println("computed", v.Witness.GotText)
	fmt.Println("expected", v.Witness.WantText)
	// Output:
	// violated in row 2
	// computed 0x1.8p+1 (3)
	// expected 0x1.6p+3 (11)
}

// In a test file, a subject's methods make the test, the fuzz target and the replay.
func ExampleReduction_Check() {
	sum := props.Reduction{Name: "mykernel.Sum", Run: fastSum}
	_ = func(t *testing.T) { sum.Check(t) }          // TestPropSum: replay, then search
	_ = func(f *testing.F) { sum.Fuzz(f) }           // FuzzPropSum: coverage-guided search
	_ = func(t *testing.T) { sum.Replay(t) }         // TestReplaySum: the cases on file alone
	_ = func(f *testing.F) { props.FuzzAll(f, sum) } // FuzzProp: several subjects in one target
}
