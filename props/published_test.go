package props

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/kernels/nn"
	"gamma/model/formula"
)

// published is the table of 26 kernels of "The Correctness Illusion in LLM-Generated GPU Kernels", arXiv 2606.20128, in code of our own: 16 right, and 10
// with a fault.
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

// unseen are mutants that the tolerance accepts on inputs with n elements along each axis.
var unseen = []struct {
	name string
	n    int
}{
	{"mutants.TanhGradOff", usualSize},
	{"mutants.GELUGradOff", usualSize},
	{"mutants.TanhShrinkOff", usualSize},
	{"mutants.SoftmaxBFloatSum", usualSize},
	{"mutants.SoftmaxExp3Ulp", usualSize},
	{"mutants.LayerNormEpsilonOutside", usualSize},
	{"mutants.LayerNormOnePass", usualSize},
	{"mutants.SoftmaxOneInMany", usualSize},
	{"mutants.SoftmaxHalfInside", usualSize},
	{"mutants.SoftmaxZeros", 393216},
}

// The check by tolerance that the page compares with: so many normally distributed inputs, with so many elements along each axis.
const (
	usualInputs = 5
	usualSize   = 64
	tolerance   = 1e-2 // absolute, and relative
)

const publishedHead = `# A published table, and kernels that cheat

Kernels that programs write are checked by a comparison with a reference, by a tolerance, on few inputs of one shape. This page has what such a check
accepts, beside the verdicts of the laws of formulas, for which nobody chooses a tolerance. It is written, and held to what the kernels do, by

    go test ./props -run TestPublishedTable -update-matrix

The kernels are those of packages [nn](.) and [mutants](../mutants). A law is followed by the number of inputs that it judged until one failed; the laws of
a kernel are tried one after the other, in the order of ` + "`judge.FormulaLaws`" + `, each on 60 inputs, then on 2,000. The check by tolerance compares with the
right kernel of the same formula: five normally distributed inputs, 64 elements along each axis unless another number is given, and
|got - want| ≤ 0.01 + 0.01·|want|, on results in memory where those of the right kernel were before. All mutants, and the right kernels on other inputs than these:

    go test ./props -run TestFormulaKillMatrix
    go test -v ./props/builtin -run TestPropFormula -gamma.seed=random
`

// TestPublishedTable judges the published table, with no tolerance chosen: every right kernel passes, every faulty one is found. Then come faults that a
// comparison by tolerance accepts, and kernels that cheat. All of it stands on a page.
func TestPublishedTable(t *testing.T) {
	needsReadme(t)
	var b bytes.Buffer
	b.WriteString(publishedHead)
	found := func(m mutants.Formula) string {
		id, n := killer(t, m.Kernel, 60, 2000)
		require.NotEmpty(t, id, "%s survives: %s", m.Kernel.Name, m.Fault)
		return fmt.Sprintf("`%s`, %d", id, n)
	}
	mutant := func(name string) mutants.Formula {
		m, ok := mutants.FindFormula(name)
		require.True(t, ok, name)
		return m
	}

	b.WriteString("\n## The 26 kernels of \"The Correctness Illusion in LLM-Generated GPU Kernels\" (arXiv 2606.20128, table 1)\n\n")
	b.WriteString("Written anew after the descriptions there, for binary32 and for binary16 inputs and results; the tolerance is tried in binary32. Each of the right ones\n")
	b.WriteString("passes 20 inputs a law here, and 2,000 in `TestPropFormula`. [The same in Metal](../../shaders/PUBLISHED.md).\n\n")
	b.WriteString("| kernel | fault | laws | laws, binary16 | tolerance |\n|---|---|---|---|---|\n")
	for _, name := range published.right {
		for _, name := range []string{name, name + "Float16"} {
			k, ok := nn.Find(name)
			require.True(t, ok, name)
			id, _ := killer(t, k, 0, 20)
			require.Empty(t, id, "%s is right", name)
		}
		fmt.Fprintf(&b, "| %s | | pass | pass | |\n", name)
	}
	for _, name := range published.faulty {
		m := mutant(name)
		fmt.Fprintf(&b, "| %s | %s | fails %s | fails %s | %s |\n", name, m.Fault, found(m), found(mutant(name+"Float16")), tolerated(t, m, usualSize))
	}

	b.WriteString("\n## Faults that the tolerance accepts\n\n| kernel | fault | laws | tolerance |\n|---|---|---|---|\n")
	for _, u := range unseen {
		m := mutant(u.name)
		says, at := tolerated(t, m, u.n), ""
		require.Equal(t, accepts, says, u.name)
		if u.n != usualSize {
			at = fmt.Sprintf(" rows of %d", u.n)
		}
		fmt.Fprintf(&b, "| %s | %s | fails %s | %s%s |\n", u.name, m.Fault, found(m), says, at)
	}

	b.WriteString("\n## Kernels that cheat\n\nEach is a mutant of three kernels, which it calls where it is right; the tolerance says the same of all three, or each is named. Memory that is written and\nshould not be, or beyond its end, fails an input under whatever law it is seen first.\n\n")
	names := []string{"nn.Softmax", "nn.LayerNorm", "nn.MatMul"}
	fmt.Fprintf(&b, "| cheat | %s | tolerance |\n|---|---|---|---|---|\n", strings.Join(names, " | "))
	var faults []string
	killed := map[string][]string{}
	says := map[string][]string{}
	for _, m := range mutants.Cheats() {
		if !slices.Contains(faults, m.Fault) {
			faults = append(faults, m.Fault)
		}
		require.Equal(t, names[len(killed[m.Fault])], m.Of, m.Kernel.Name)
		killed[m.Fault], says[m.Fault] = append(killed[m.Fault], found(m)), append(says[m.Fault], tolerated(t, m, usualSize))
	}
	for _, f := range faults {
		require.Len(t, killed[f], len(names), f)
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f, strings.Join(killed[f], " | "), strings.Join(slices.Compact(says[f]), ", "))
	}
	golden(t, "../kernels/nn/PUBLISHED.md", b.String())
}

// normals are arrays of normally distributed numbers, made when they are asked for.
type normals struct {
	rng    *rand.Rand
	n      int // elements along each axis
	k      nn.Kernel
	arrays map[string][]float32
}

func (r *normals) Size(string) int { return r.n }

func (r *normals) Float32(name string) []float32 {
	if r.arrays[name] == nil {
		e := r.k.Formula
		if name != "dst" {
			e = e.Inputs()[slices.IndexFunc(e.Inputs(), func(in *formula.Expr) bool { return in.Node().Name == name })]
		}
		n := 1
		for range e.Axes() {
			n *= r.n
		}
		x := make([]float32, n+1) // a cheat reads the element after the last
		for i := range x {
			x[i] = float32(r.rng.NormFloat64())
		}
		r.arrays[name] = x[:n]
	}
	return r.arrays[name]
}

func (r *normals) Encodings(string) []uint16 { return nil }
func (r *normals) Float64(string) []float64  { return nil }
func (r *normals) Int8(string) []int8        { return nil }
func (r *normals) Int32(string) []int32      { return nil }

// accepts is what tolerated says of a mutant that no comparison rejects.
const accepts = "accepts"

// tolerated says whether a mutant on inputs with n elements along each axis is within the tolerance of the right kernel, whose results are left in the
// memory that the mutant is given, as a program does that frees one result and allocates the next.
func tolerated(t *testing.T, m mutants.Formula, n int) string {
	t.Helper()
	right, ok := nn.Find(m.Of)
	require.True(t, ok, m.Of)
	r := &normals{rng: rand.New(rand.NewPCG(1, 2)), n: n, k: right}
	for range usualInputs {
		r.arrays = map[string][]float32{}
		right.Run(r)
		want := slices.Clone(r.Float32("dst"))
		m.Kernel.Run(r)
		for i, x := range r.Float32("dst") {
			if !(math.Abs(float64(x-want[i])) <= tolerance+float64(tolerance*math.Abs(float64(want[i])))) {
				return "rejects"
			}
		}
	}
	return accepts
}
