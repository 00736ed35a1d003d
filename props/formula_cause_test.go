package props

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/model"
	"gamma/props/internal/formulas"
	"gamma/props/internal/own"
	"gamma/props/judge"
)

// causeOf returns the cause in the report of a mutant, by the first law of values that finds it.
func causeOf(m mutants.Formula) (cause string, err error) {
	for _, id := range []model.LawID{model.FormulaEnclosure, model.FormulaExact, model.FormulaSpecial} {
		l, err := judge.LawByID(judge.FormulaLaws(), id)
		if err != nil {
			return "", err
		}
		if claimed := Kernel(own.Formula(m.Kernel)); l.Applies((*formulas.Kernel)(&claimed)) != "" {
			continue
		}
		f, _, err := judge.Find(l, own.Formula(m.Kernel), 400)
		if err != nil {
			return "", err
		}
		if f != nil {
			return f.(*formulas.Failure).Cause, nil
		}
	}
	return "not found", nil
}

// TestFormulaCauses holds the causes in reports of mutants to those on file: of most the one variant of the formula that the mutant is, of others none, rather
// than a wrong one. ddVarianceHigh, ddVarianceMeanRounded, StdDevOnePass, SoftmaxExp2 and LayerNormBFloatSum lie in the enclosures of variants that err much more
// than they do, or in those of two formats, and have no cause.
func TestFormulaCauses(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	t.Setenv("GAMMA_SAVE", "off")
	// One or two mutants of each kind of mistake, and at the quick level every second of these. The others, which take minutes, have the causes of these.
	some := regexp.MustCompile(`^mutants\.(dd[A-Za-z]*|Softmax64(Sum32|NoMax|LastMissing)|LayerNorm64(OnePass|NMinusOne|NoBeta)|MatMul64(Sum32|Input32|TermLost)|RMSNorm64(EpsilonOutside|Result32)|Softmax(MaskedZero|TailLeak|NoMax|BFloatSum|HalfSum|Exp2|ResultHalf|Neighbour)|LogSumExp(Overflows|Mean)|GELU(NoHalf|Tanh)|GELUGradOff|` +
		`LayerNorm(Welford)?(OnePass|EpsilonOutside|NMinusOne|PartialGroup|NoRoot|BFloatSum)|RMSNorm(NoEpsilon|NoRoot|Residual|PartialGroup|TailZero|ResultBFloat)|L2Norm(Overflows|InfTimesZero|TailZero)|` +
		`StdDev(Overflows|NMinusOne|OnePass|Neighbour)|MatMul(Assigns|TileDropped|TileDoubled|BFloatSum|HalfSum|TermLost|InputBFloat)|Attention(NoScale|NoRescale|Noise)|` +
		`AttentionCausal(NoMask|MaskAfter|MaskBefore|LastLost)|CumSumExclusive|CumMax(DropsNaN|FromZero)|ArgMax(LastTie|Abs|BFloat)|MatMulInt8(NoScaleA|Wraps16)|RMSNormRotarySign)$`)
	var list []mutants.Formula
	for _, m := range mutants.Formulas() {
		if some.MatchString(m.Kernel.Name) {
			list = append(list, m)
		}
	}
	require.Greater(t, len(list), 50)
	whole := thorough() || *updateMatrix
	for i := 0; !whole && i < len(list); i++ {
		list = slices.Delete(list, i, i+1)
	}
	causes, errs := make([]string, len(list)), make([]error, len(list))
	var wait sync.WaitGroup
	next := make(chan int)
	for range 2 {
		wait.Go(func() {
			for i := range next {
				causes[i], errs[i] = causeOf(list[i])
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wait.Wait()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%-34s %-90s %s\n", "mutant", "fault", "cause in its report")
	for i, m := range list {
		require.NoError(t, errs[i], m.Kernel.Name)
		cause, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(causes[i], "kernel: "), "the results fit "), ". So do")
		line := fmt.Sprintf("%-34s %-90s %s", strings.TrimPrefix(m.Kernel.Name, "mutants."), m.Fault, cause)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	const file = "testdata/formula-causes.txt"
	if whole {
		golden(t, file, b.String())
		return
	}
	onFile, err := os.ReadFile(file)
	require.NoError(t, err)
	for line := range strings.Lines(b.String()) {
		require.Contains(t, string(onFile), line)
	}
}
