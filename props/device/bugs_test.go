package device_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/props"
	"gamma/props/judge"
	"gamma/shaders/mutants"
)

// TestBugClassesAreCaught holds the entries of the log of bugs whose class stands among the broken shaders to them: the law that the
// entry names must kill the broken shader, and the entry's cases of its sound twin show the fault.
func TestBugClassesAreCaught(t *testing.T) {
	files, errs := corpus.Load[*corpus.Case](corpus.Files, loading)
	require.Empty(t, errs)
	cases := map[string]*corpus.Case{}
	for _, f := range files {
		cases[f.Path] = f.Body
	}
	classes, shown := 0, 0
	for _, b := range corpus.Bugs() {
		if !strings.HasPrefix(b.Mutant, "shaders/") {
			continue
		}
		classes++
		m, ok := mutants.Find(b.Mutant)
		require.Truef(t, ok, "%s: no broken shader is called %s", b.ID, b.Mutant)
		require.Contains(t, m.Kills, b.Law, "%s: %s", b.ID, b.Mutant)
		l, err := judge.LawByID(judge.Laws(), b.Law)
		require.NoError(t, err)
		for _, path := range b.Cases {
			c := cases[path]
			if c.Kernel != m.Twin {
				continue
			}
			v, err := judge.Judge(l, mutantSubject(m), c)
			require.NoError(t, err, path)
			require.True(t, v.Outcome == props.Violated || v.Outcome == props.Broken, "%s does not show the fault of %s: %v", path, b.Mutant, v)
			shown++
		}
	}
	require.Equal(t, 5, classes)
	require.Equal(t, 4, shown, "the planted fault of N25 is in a sum, and its case is a dot product")
}
