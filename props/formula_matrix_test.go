package props

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/kernels/nn"
	"gamma/model"
	"gamma/props/judge"
)

// killer returns the law that finds a fault, and how many cases it judged: each law judges few cases, then many; "" and 0 if none does.
func killer(t *testing.T, k nn.Kernel, few, many int) (id model.LawID, judged int) {
	t.Helper()
	subject := formulaSubject(k)
	claimed := judge.Kernel(subject)
	for _, cases := range []int{few, many} {
		for _, l := range FormulaLaws() {
			if l.Applies != nil && l.Applies(&claimed) != "" {
				continue
			}
			c, n, _, err := Search(l, subject, cases)
			require.NoError(t, err, k.Name)
			if c != nil {
				return l.ID, n
			}
		}
	}
	return "", 0
}

// TestFormulaKillMatrix judges each mutant of the kernels that compute a formula: all are killed, half of them within 50 cases, by the laws on file.
func TestFormulaKillMatrix(t *testing.T) {
	var b bytes.Buffer
	var counts []int
	seen := map[string]bool{}
	fmt.Fprintf(&b, "%-38s %-20s %5s  %s\n", "mutant", "killed by", "cases", "fault")
	for _, m := range mutants.Formulas() {
		require.False(t, seen[m.Kernel.Name], "two mutants are called %s", m.Kernel.Name)
		seen[m.Kernel.Name] = true
		id, n := killer(t, m.Kernel, 60, 2000)
		if id == "" {
			t.Errorf("%s survives: %s", m.Kernel.Name, m.Fault)
			continue
		}
		counts = append(counts, n)
		fmt.Fprintf(&b, "%-38s %-20s %5d  %s\n", m.Kernel.Name, id, n, m.Fault)
	}
	slices.Sort(counts)
	require.LessOrEqual(t, counts[len(counts)/2], 50, "half of the mutants are killed within 50 cases")
	golden(t, "testdata/formula-kill-matrix.txt", b.String())
}

// golden holds text to a file.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if *updateMatrix {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err, "run with -update-matrix to write it")
	require.Equal(t, string(want), text, "%s has changed; look at it, then run with -update-matrix", file)
}

// published is the table of 26 kernels of "The Correctness Illusion in LLM-Generated GPU Kernels", arXiv 2606.20128, in code of our own: 16 right, and 10
// with a fault that checks by tolerance on round shapes let pass.
var published = struct{ right, faulty []string }{
	[]string{
		"nn.Softmax", "nn.SoftmaxOnline", "nn.LayerNorm", "nn.LayerNormWelford", "nn.MatMul", "nn.GELU", "nn.SiLU", "nn.RMSNorm",
		"nn.L2Normalize", "nn.ReLU", "nn.LeakyReLU", "nn.Sigmoid", "nn.Tanh", "nn.ELU", "nn.Attention", "nn.AttentionCausal",
	},
	[]string{
		"mutants.SoftmaxTailLeak", "mutants.SoftmaxMaskedZero", "mutants.GELUNoHalf", "mutants.SiLUDoubled", "mutants.RMSNormNoRoot",
		"mutants.L2NormalizeNoRoot", "mutants.LeakyReLUSlope", "mutants.MatMulAssigns", "mutants.AttentionNoScale", "mutants.AttentionCausalNoRescale",
	},
}

// unseen are mutants that a tolerance accepts on normally distributed rows of n elements.
var unseen = []struct {
	name string
	n    int
}{
	{"mutants.TanhGradOff", 128},
	{"mutants.GELUGradOff", 128},
	{"mutants.TanhShrinkOff", 128},
	{"mutants.SoftmaxBFloatSum", 128},
	{"mutants.SoftmaxExp3Ulp", 128},
	{"mutants.LayerNormEpsilonOutside", 128},
	{"mutants.LayerNormOnePass", 128},
	{"mutants.SoftmaxOneInMany", 128},
	{"mutants.SoftmaxHalfInside", 128},
	{"mutants.SoftmaxZeros", 1 << 14},
}

// TestPublishedTable judges the published table, with no tolerance chosen: every right kernel passes, every faulty one is found. Then come
// faults that a comparison with the right kernel by atol = 10^-2 and rtol = 0.05 accepts on normally distributed rows.
func TestPublishedTable(t *testing.T) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-38s %-8s %-20s %5s  %s\n", "kernel", "verdict", "law", "cases", "fault")
	for _, name := range published.right {
		k, ok := nn.Find(name)
		require.True(t, ok, name)
		id, _ := killer(t, k, 0, 100)
		require.Empty(t, id, "%s is right", name)
		fmt.Fprintf(&b, "%-38s %-8s\n", name, "passes")
	}
	line := func(name string) mutants.Formula {
		m, ok := mutants.FindFormula(name)
		require.True(t, ok, name)
		id, n := killer(t, m.Kernel, 60, 2000)
		require.NotEmpty(t, id, "%s survives: %s", name, m.Fault)
		fmt.Fprintf(&b, "%-38s %-8s %-20s %5d  %s\n", name, "fails", id, n, m.Fault)
		return m
	}
	for _, name := range published.faulty {
		line(name)
	}
	fmt.Fprintf(&b, "\nAccepted by atol = 1e-2, rtol = 0.05 on 100 normally distributed rows of 128 (zeros: of 16,384):\n\n")
	for _, u := range unseen {
		require.True(t, tolerated(t, line(u.name), u.n), "%s is accepted by the tolerance", u.name)
	}
	golden(t, "testdata/published-kernels.txt", b.String())
}

// rows are arrays of normally distributed numbers.
type rows struct {
	rng    *rand.Rand
	n      int
	arrays map[string][]float32
}

func (r *rows) Size(axis string) int {
	if axis == "r" {
		return 1
	}
	return r.n
}

func (r *rows) Float32(name string) []float32 {
	if r.arrays[name] == nil {
		x := make([]float32, r.n)
		for i := range x {
			x[i] = float32(r.rng.NormFloat64())
		}
		r.arrays[name] = x
	}
	return r.arrays[name]
}

func (r *rows) Encodings(string) []uint16 { return nil }
func (r *rows) Int8(string) []int8        { return nil }
func (r *rows) Int32(string) []int32      { return nil }

// tolerated reports whether a mutant of a kernel on rows is within the tolerance of the right one.
func tolerated(t *testing.T, m mutants.Formula, n int) bool {
	t.Helper()
	right, ok := nn.Find(m.Of)
	require.True(t, ok, m.Of)
	r := &rows{rng: rand.New(rand.NewPCG(1, 2)), n: n}
	for range 100 {
		r.arrays = map[string][]float32{}
		right.Run(r)
		want := slices.Clone(r.Float32("dst"))
		m.Kernel.Run(r)
		for i, x := range r.Float32("dst") {
			if !(math.Abs(float64(x-want[i])) <= 1e-2+float64(0.05*math.Abs(float64(want[i])))) {
				t.Log(strings.TrimPrefix(m.Kernel.Name, "mutants."), x, want[i])
				return false
			}
		}
	}
	return true
}
