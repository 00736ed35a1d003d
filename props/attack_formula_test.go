package props

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/nn"
	"gamma/model"
	"gamma/model/formula"
	"gamma/props/internal/own"
	"gamma/props/judge"
)

// TestAttackOnFormula has the attack come nearer to the bound of a matrix product, which adds in a loop, than ordinary inputs do, and the summary
// say what both reach.
func TestAttackOnFormula(t *testing.T) {
	k, ok := nn.Find("nn.MatMul")
	require.True(t, ok)
	t.Setenv("GAMMA_LAW", string(model.FormulaEnclosure))
	t.Setenv("GAMMA_BUDGET", "1m") // however slow the machine is
	require.True(t, t.Run("matmul", Kernel(own.Formula(k)).Check))
	text := Summary()
	m := regexp.MustCompile(`nn.MatMul .* half-width of .* error/bound reached ([\d.]+), and by the attack ([\d.]+)`).FindStringSubmatch(text)
	require.NotNil(t, m, text)
	ordinary, err := strconv.ParseFloat(m[1], 64)
	require.NoError(t, err)
	attacked, err := strconv.ParseFloat(m[2], 64)
	require.NoError(t, err)
	t.Log(m[0])
	require.Greater(t, attacked, ordinary)
	column := regexp.MustCompile(`nn.MatMul +cpu +formula.enclosure +\d+ +\d+ +\d+ +[\d.]+ +([\d.]+) +enclosure`).FindStringSubmatch(text)
	require.NotNil(t, column, text)
	shown, err := strconv.ParseFloat(column[1], 64)
	require.NoError(t, err)
	require.InDelta(t, attacked, shown, 0.005)
}

// TestAttackFindsFault finds, reduces and reports a fault that no drawn input shows: a shortcut for rows of which all but the first element are equal, and not 0.
func TestAttackFindsFault(t *testing.T) {
	k := Kernel{Name: "mykernel.Sum", Formula: formula.Sum(formula.Vector("x")), Call: func(c *KernelCall) error {
		x, s := c.Float32("x"), float32(0)
		same := len(x) > 2 && x[0] != x[1]
		for i, v := range x {
			s += v
			same = same && (i == 0 || v == x[1] && v != 0)
		}
		if same {
			s = x[0] + float32(x[1]*float32(len(x)))
		}
		c.Float32("dst")[0] = s
		return nil
	}}
	law, err := judge.LawByID(judge.FormulaLaws(), model.FormulaEnclosure)
	require.NoError(t, err)
	found, _, _, err := judge.Search(law, k, 2000)
	require.NoError(t, err)
	require.Nil(t, found, "a drawn input shows the fault, and the test needs another")
	errs, _ := searched(t, k, string(model.FormulaEnclosure))
	require.Contains(t, errs, "mykernel.Sum violates formula.enclosure")
	require.Contains(t, errs, "reduced from")
}
