package props

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
)

// TestBugClassesAreCaught holds the log of bugs against the kill matrix: each class of fault that is
// ours to catch has a planted fault, which the law that the log's entry names kills on generated
// inputs.
func TestBugClassesAreCaught(t *testing.T) {
	text, err := os.ReadFile("testdata/kill-matrix.txt")
	require.NoError(t, err)
	kills := map[string]bool{} // "law mutant"
	var head, family string
	var columns []int
	var names []string
	for _, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if f, rest, ok := strings.Cut(line, ": mutant"); ok {
			head, family = line, f
			columns, names = nil, strings.Fields(rest)
			at := 0
			for _, n := range names {
				at += strings.Index(head[at:], " "+n) + 1
				columns = append(columns, at)
			}
			continue
		}
		mutant, _, _ := strings.Cut(line, " ")
		shift := max(0, len(mutant)-26) // long names push their row to the right
		for i, n := range names[:len(names)-1] {
			cell := strings.Fields(line[columns[i]+shift:])
			if len(cell) > 0 && line[columns[i]+shift] != ' ' && strings.EqualFold(cell[0], "kills") {
				kills[family+"."+n+" "+mutant] = true
			}
		}
	}
	require.NotEmpty(t, kills)
	classes := 0
	for _, b := range corpus.Bugs() {
		if b.Mutant == "" || strings.HasPrefix(b.Mutant, "shaders/") {
			continue // not ours, or no fault at all; package props/device looks at those of shaders
		}
		classes++
		require.True(t, kills[string(b.Law)+" "+b.Mutant], "%s (%s): %s does not kill %s in testdata/kill-matrix.txt", b.ID, b.Project, b.Law, b.Mutant)
	}
	require.Greater(t, classes, 20)
}
