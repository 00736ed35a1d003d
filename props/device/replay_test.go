package device_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/corpus"
	"gamma/props"
	"gamma/props/builtin"
	"gamma/props/judge"
	"gamma/shaders"
	"gamma/shaders/mutants"
)

var updateCases = flag.Bool("update-cases", false, "write the reduced cases of the broken shaders, for their sound twins, below corpus")

var loading = corpus.Options{Expand: props.ExpandGen}

// TestReplayCorpus replays every case of a shader that package corpus embeds, and sees that none is left out.
func TestReplayCorpus(t *testing.T) {
	files, errs := corpus.Load[*corpus.Case](corpus.Files, loading)
	require.Empty(t, errs)
	replayed := 0
	for _, f := range files {
		if !strings.HasPrefix(f.Body.Kernel, "shaders/") {
			continue
		}
		k, ok := shaders.Find(f.Body.Kernel)
		if !ok {
			t.Errorf("%s: no kernel here is called %s, so that the case is not judged", f.Path, f.Body.Kernel)
			continue
		}
		l, err := judge.LawByID(judge.Laws(), f.Body.Law)
		require.NoError(t, err, f.Path)
		v, err := judge.Judge(l, builtin.Shader(k, nil), f.Body)
		require.NoError(t, err, f.Path)
		require.Equal(t, props.Holds, v.Outcome, "%s: %v", f.Path, v)
		replayed++
	}
	require.GreaterOrEqual(t, replayed, 20)
	t.Logf("%d cases of shaders replayed", replayed)
}

// TestCasesOnFile: each case on file that came of a broken shader still shows its fault. With -update-cases it searches anew,
// reduces what it finds, and writes it for the sound twin, which must hold it.
func TestCasesOnFile(t *testing.T) {
	files, errs := corpus.Load[*corpus.Case](corpus.Files, loading)
	require.Empty(t, errs)
	for _, m := range mutants.All() {
		name, _, _ := strings.Cut(strings.TrimPrefix(m.Kernel.Name, "shaders/mutants/"), ".metal")
		note := "Shows the fault of shaders/mutants/" + name + ".metal: "
		s := mutantSubject(m)
		if *updateCases {
			writeCase(t, m, s, note)
			continue
		}
		for _, f := range files {
			if len(f.Body.Comments) == 0 || !strings.HasPrefix(f.Body.Comments[0], note) {
				continue
			}
			l, err := judge.LawByID(judge.Laws(), f.Body.Law)
			require.NoError(t, err, f.Path)
			v, err := judge.Judge(l, s, f.Body)
			require.NoError(t, err, f.Path)
			require.True(t, v.Outcome == props.Violated || v.Outcome == props.Broken, "%s does not show the fault of %s any more: %v", f.Path, m.Kernel.Name, v)
		}
	}
}

func writeCase(t *testing.T, m mutants.Mutant, s props.Subject, note string) {
	t.Helper()
	twin, ok := shaders.Find(m.Twin)
	require.True(t, ok)
	l, err := judge.LawByID(judge.Laws(), m.Kills[0])
	require.NoError(t, err)
	c, _, _, err := judge.Search(l, s, killChecks)
	require.NoError(t, err)
	require.NotNil(t, c, m.Kernel.Name)
	f, err := judge.Examine(l, s, c)
	require.NoError(t, err)
	small := *f.(*props.Failure).Case
	small.Law, small.Kernel, small.Expect = l.ID, twin.Name, ""
	small.Comments = []string{note + m.Fault}
	switch v, err := judge.Judge(l, builtin.Shader(twin, nil), &small); {
	case err != nil:
		t.Logf("%s: no case for its twin: %v", m.Kernel.Name, err)
	case v.Outcome != props.Holds:
		t.Logf("%s: no case for its twin: %v", m.Kernel.Name, v)
	default:
		_, err := corpus.Save("../../corpus", &small, loading)
		require.NoError(t, err)
	}
}
