package props

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/kernels/mutants"
	"gamma/kernels/nn"
	"gamma/model"
	"gamma/props/internal/own"
	"gamma/props/judge"
)

// killer returns the law that finds a fault, and how many cases it judged: each law judges few cases, then many; "" and 0 if none does.
func killer(t *testing.T, k nn.Kernel, few, many int) (id model.LawID, judged int) {
	t.Helper()
	subject := own.Formula(k)
	claimed := judge.Kernel(subject)
	for _, cases := range []int{few, many} {
		for _, l := range judge.FormulaLaws() {
			if l.Applies != nil && l.Applies(&claimed) != "" {
				continue
			}
			c, n, _, err := judge.Search(l, subject, cases)
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
